"""`pytest --np2jax-against DIR` in a project of its own: each test's calls, run with the converted functions."""

import subprocess
import sys

import pytest

SOURCE = """import numpy as np


def push(x, v):
    x += v
    return np.abs(v).max()


class Model:
    def __init__(self, w):
        self.w = w

    def value(self, x):
        return np.sum(self.w * x)


def clipped(x, limit):
    return np.where(x < limit, x, limit)


def pieces(x):
    yield x
"""
TESTS = """import numpy as np
from pkg.a import Model, clipped, pieces, push


def test_push():
    x = np.zeros(3)
    assert push(x, np.ones(3)) == 1.0
    assert x.sum() == 3.0


def test_model():
    assert Model(np.ones(3)).value(np.arange(3.0)) == 3.0


def test_clipped():
    assert clipped(np.array([1.0, 2.0, 5.0]), 2.0).max() == 2.0


def test_clipped_low():
    assert clipped(np.array([0.5, 1.0]), 2.0).max() == 1.0


def test_pieces():
    assert list(pieces(1)) == [1]


def test_other():
    assert 1 + 1 == 2
"""


@pytest.fixture
def project(np2jax, tree):
    """A converted project; `run` gives pytest's exit status and the lines that it prints."""
    root = tree({"pkg/__init__.py": "", "pkg/a.py": SOURCE, "tests/test_a.py": TESTS})
    assert np2jax("convert", "pkg", "-o", "out", "--placement", "device")[0] == 0

    def run(*arguments):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    return root, run


@pytest.mark.slow
def test_each_test_is_compared(project):
    root, run = project
    status, printed = run("--np2jax-against", "out", "tests")
    assert status == 0, printed
    assert "6 passed" in printed
    assert "compared with out: 5 calls of 4 functions" in printed  # with Model.__init__
    converted = (root / "out/a.py").read_text()
    assert "jnp.where(x < limit, x, limit)" in converted
    (root / "out/a.py").write_text(converted.replace("jnp.where(x < limit, x, limit)", "jnp.where(x < limit, x, limit - 1)"))
    status, printed = run("--np2jax-against", "out", "tests")
    assert status == 1
    assert "1 failed, 5 passed" in printed  # only the test whose numbers show it
    assert (
        "pkg.a.clipped differs: result[1]: 2 of 3 elements differ: NumPy 2.0, converted 1.0, on x=[1., 2., 5.] float64" in printed
    )
    assert "FAILED tests/test_a.py::test_clipped " in printed
    status, printed = run("--np2jax-against", "out", "tests", "-k", "test_clipped", "-n", "2")
    assert (status, "1 failed, 1 passed" in printed) == (1, True), printed


def test_nothing_compared_fails(project):
    status, printed = project[1]("--np2jax-against", "out", "tests", "-k", "test_other or test_pieces")
    assert status == 1
    assert "nothing was compared with out: no test made a comparable call" in printed


@pytest.mark.parametrize(
    ("arguments", "message"), [(["gone"], "gone: no such file or folder"), (["pkg"], "--np2jax-original names")]
)
def test_wrong_usage_is_one_line(project, arguments, message):
    status, printed = project[1]("--np2jax-against", *arguments, "tests")
    assert status == 4
    assert message in printed
    assert "Traceback" not in printed


def test_the_plugin_costs_nothing_without_the_option():
    program = "import sys\nimport np2jax.runtime_shim.testing.plugin\nprint(sorted({'numpy', 'jax', 'libcst', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr
