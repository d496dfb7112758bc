"""`np2jax profit` and `convert --only-if-faster` from the command line. No test depends on what is faster on this machine."""

import json
import os
import subprocess
import sys

import pytest

SOURCE = """import numpy as np


def smooth(x: np.ndarray, w: np.ndarray):
    y = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        y[i] = w[0] * x[i - 1] + w[1] * x[i] + w[2] * x[i + 1]
    return y


class Sim:
    def __init__(self, n):
        self.x = np.zeros(n)

    def run(self, steps: int):
        for _ in range(steps):
            self.x = np.sin(self.x) * 0.5 + np.cos(self.x)
        return self.x.sum()


if __name__ == "__main__":
    print(Sim(50).run(40))
    print(smooth(np.arange(200.0), np.ones(3)).sum())
"""
LIBRARY = SOURCE.partition("if __name__")[0]
QUICK = ("--budget", "0.5", "--timeout", "5")


@pytest.fixture
def unrun(monkeypatch):
    """No process is started."""
    from np2jax.runtime_shim.sandbox import process

    monkeypatch.setattr(process.Child, "start", lambda _: pytest.fail("a process was started"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument 'PATH'"),
        (("gone.py",), "gone.py: no such file or folder"),
        (("empty",), "no Python files"),
        (("a.py", "--budget", "0"), "--budget"),
        (("a.py", "--timeout", "-1"), "--timeout"),
        (("a.py", "--format", "xml"), "--format"),
        (("a.py", "--evidence", "gone.zip"), "gone.zip: the evidence cannot be read"),
        (("a.py", "--evidence", "broken.zip"), "broken.zip: not an evidence file"),
    ],
)
def test_wrong_usage(np2jax, tree, unrun, arguments, words):
    (tree({"a.py": SOURCE, "broken.zip": "no zip"}) / "empty").mkdir()
    status, out, err = np2jax("profit", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_evidence_of_other_code(np2jax, tree, unrun):
    from np2jax.runtime_shim.values.calls import arguments
    from np2jax.runtime_shim.values.evidence import Evidence, write

    root = tree({"a.py": SOURCE})
    write(Evidence({("other.py", "f"): [arguments([1.0])]}), root / "e.zip")
    status, out, err = np2jax("profit", "a.py", "--evidence", "e.zip")
    assert (status, out) == (2, "")
    assert err == "np2jax: e.zip: it records calls of other code (other.py), and none of this\n"


@pytest.mark.parametrize(("text", "status"), [("def f(x):\n    return x + 1\n", 1), ("import numpy as np\ndef f(x:\n", 2)])
def test_nothing_is_converted(np2jax, tree, unrun, text, status):
    tree({"a.py": text})
    got, out, err = np2jax("profit", "a.py")
    assert got == status
    assert out.startswith("nothing measured: no function of it is converted")
    assert err.count("\n") == status - 1


def test_a_missing_library_is_named(np2jax, tree, monkeypatch):
    from np2jax.runtime_shim.values import errors

    monkeypatch.setattr(errors, "find_spec", lambda name: None if name == "jax" else object())
    tree({"a.py": SOURCE})
    for command in (("profit", "a.py"), ("convert", "a.py", "-o", "out", "--only-if-faster")):
        status, out, err = np2jax(*command)
        assert (status, out) == (2, "")
        assert err == "np2jax: measuring needs numpy, jax and hypothesis: pip install 'np2jax[verify]'\n"


@pytest.mark.parametrize("option", ["--diff", "--check"])
def test_a_preview_runs_nothing(np2jax, tree, unrun, option):
    tree({"a.py": SOURCE})
    status, _, err = np2jax("convert", "a.py", "--only-if-faster", option)
    assert status == 2
    assert "--only-if-faster runs the code" in err


def test_the_help_says_that_code_is_run(np2jax):
    for command in ("profit", "convert"):
        assert "Run" in np2jax(command, "--help")[1]


def test_conversion_imports_neither_numpy_nor_jax(tree):
    root = tree({"a.py": SOURCE})
    code = "import sys; from np2jax.migrate.commands import shim; import np2jax; np2jax.convert('a.py', output='out'); "
    code += "print({'numpy', 'jax', 'hypothesis'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, env=os.environ, timeout=120)
    assert (done.stdout, done.returncode) == ("set()\n", 0), done.stderr


def test_recorded_and_generated_inputs(np2jax, tree):
    root = tree({"a.py": SOURCE, "b.py": LIBRARY})
    status, out, err = np2jax("profit", ".", *QUICK, "--format", "json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    found = {function["name"]: function for function in report["functions"]}
    assert {name: function["inputs"] for name, function in found.items()} == {
        "a.smooth": "recorded",
        "a.Sim.run": "recorded",
        "b.smooth": "generated",
        "b.Sim.run": "",
    }
    assert found["b.Sim.run"]["reason"] == "it is a method, and no call with an instance was recorded"
    assert "np2jax record" in found["b.Sim.run"]["advice"]
    assert found["a.smooth"]["timings"][0]["elements"] == 200
    assert found["b.smooth"]["timings"][0]["elements"] == 100
    for function in found.values():
        for one in function["timings"]:
            assert 0 < one["warm"] <= 60
            assert 0 < one["numpy"] <= 60
            assert 0 < one["first"] <= 60
    assert report["verdict"] in ("convert", "convert with --only-if-faster", "stay on NumPy")
    assert report["platform"]
    assert {path.name for path in root.iterdir()} <= {".cache", "a.py", "b.py"}, "nothing is written"


BAD = """import ctypes
import numpy as np


def crashes(x: np.ndarray, steps: int):
    for _ in range(steps):
        x = 0.5 * (x + np.sqrt(np.abs(x)))
    ctypes.string_at(0)
    return x


def never_ends(x: np.ndarray):
    s = 0.0
    while np.sum(x) < np.inf:
        s += 1.0
    return s


def fine(x: np.ndarray):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * 2.0
    return y
"""


@pytest.mark.slow
def test_code_that_crashes_or_never_ends(np2jax, tree):
    tree({"a.py": BAD})
    status, out, err = np2jax("profit", "a.py", *QUICK)
    assert (status, err) == (0, "")
    assert "a.crashes: not measured: the original cannot be run: it ends the process by SIGSEGV" in out
    assert "a.never_ends: not measured: the original does not end within" in out
    assert out.startswith("function ")
    assert "\na.fine " in out
    assert "Traceback" not in out


@pytest.mark.slow
@pytest.mark.parametrize("text", ["import numpy as np\nimport not_there\n", "import numpy as np\nimport sys\nsys.exit(3)\n"])
def test_code_that_cannot_be_imported(np2jax, tree, text):
    tree({"a.py": text + LIBRARY})
    status, out, err = np2jax("profit", "a.py", *QUICK)
    assert (status, err) == (1, "")
    assert "a.smooth: not measured: the module cannot be imported" in out
    assert out.splitlines()[-1].startswith("nothing measured")


@pytest.mark.slow
def test_an_evidence_file(np2jax, tree):
    root = tree({"a.py": SOURCE})
    assert np2jax("record", "--", sys.executable, "a.py")[0] == 0
    (root / "a.py").write_text(LIBRARY)
    status, out, err = np2jax("profit", "a.py", "--evidence", "np2jax-evidence.zip", *QUICK)
    assert (status, err) == (0, "")
    assert "200: " in out
    assert "50: " in out


@pytest.mark.slow
def test_draws_of_the_original_are_numpys_own(np2jax, tree):
    text = """import numpy as np


def noise(n: int, rng: np.random.Generator):
    x = rng.normal(size=n)
    for _ in range(10):
        x = np.sin(x) + 0.1 * np.cos(x)
    return x


if __name__ == "__main__":
    noise(1000, np.random.default_rng(0))
"""
    tree({"a.py": text})
    status, out, err = np2jax("profit", "a.py", *QUICK)
    assert (status, err) == (0, "")
    assert "a.noise" in out.splitlines()[1]


@pytest.mark.slow
def test_only_if_faster_converts_what_is_a_hundred_times_as_fast(np2jax, tree):
    """The loop over elements is, on any machine; to form a sum of three numbers is slower, on any machine."""
    root = tree({"a.py": LIBRARY + SMALL})
    status, out, err = np2jax("convert", "a.py", "-o", "out", "--only-if-faster", *QUICK, "--report", "r.json")
    assert (status, err) == (0, "")
    functions = {function["name"]: function for function in json.loads((root / "r.json").read_text())["functions"]}
    assert functions["a.smooth"]["transform"] == "jit"
    assert functions["a.small"]["label"] == "host"
    assert functions["a.small"]["reason"].startswith("measured, not faster than NumPy: ")
    assert "host a.small: measured, not faster" in out


SMALL = """

def small(x: np.ndarray):
    return x[:3].sum() + x[1] * x[2] - np.exp(x[0]) + np.sin(x[:3]).sum()
"""
