"""`convert --only-if-faster` with times that say what we want: what is not faster is left as NumPy."""

import pytest

from np2jax.migrate.commands.convert import write
from np2jax.migrate.commands.demotion import Verdict
from np2jax.migrate.project.driver import CommandLine
from np2jax.migrate.project.failure import Failure

SOURCE = """import numpy as np


def wave(x: np.ndarray):
    for _ in range(100):
        x = np.sin(x) + 0.5 * np.cos(x)
    return x


def blend(x: np.ndarray, y: np.ndarray):
    return np.sin(x) * y + np.cos(y) * x + np.exp(-x * y)


def relax(x: np.ndarray):
    if np.any(x < 0):
        raise ValueError("no negative numbers")
    for _ in range(100):
        x = 0.5 * (x + np.sqrt(x))
    return x
"""


@pytest.fixture
def run(tree):
    """Converts a file with a measurement that is given; returns the functions, what was measured each time, and the text."""
    root = tree({"pkg/__init__.py": "", "pkg/a.py": SOURCE})

    def start(slower, **more):
        asked = []

        def measure(original, converted, conversion, precision, only):
            assert original == root / "pkg"
            assert (original / "a.py").read_text() == SOURCE
            assert (converted / "a.py").exists()
            asked.append(only)
            return {name: f"{name} is slow" for name in slower & only}

        done = write([root / "pkg"], CommandLine(), root / "out", measure=measure, **more)
        functions = {function.name: function for function in done.conversion.functions}
        return functions, asked, (root / "out/a.py").read_text()

    return start


def test_what_is_faster_stays_as_it_is(run):
    functions, asked, _ = run(set())
    assert asked == [{"pkg.a.wave", "pkg.a.blend", "pkg.a.relax"}]
    assert functions["pkg.a.wave"].transform == functions["pkg.a.blend"].transform == "jit"
    assert functions["pkg.a.relax"].transform == "outlined"


def test_what_is_slower_is_left_as_numpy(run):
    functions, asked, text = run({"pkg.a.blend"})
    assert asked == [{"pkg.a.wave", "pkg.a.blend", "pkg.a.relax"}], "nothing else changed"
    assert (functions["pkg.a.blend"].label, functions["pkg.a.blend"].reason) == ("host", "pkg.a.blend is slow")
    assert functions["pkg.a.wave"].transform == "jit"
    assert "np.exp(-x * y)" in text
    assert "jnp.sin" in text


def test_outlined_loops_go_back(run):
    functions, _, text = run({"pkg.a.relax"})
    assert (functions["pkg.a.relax"].label, functions["pkg.a.relax"].reason) == ("host", "pkg.a.relax is slow")
    assert "_relax_loop" not in text


def test_nothing_is_left_of_a_project_that_should_stay(run):
    _, _, text = run({"pkg.a.wave", "pkg.a.blend", "pkg.a.relax"})
    assert text == SOURCE


def test_what_is_left_is_compared_afterwards(run):
    seen = []

    def compare(original, converted, conversion, precision):
        seen.append({function.name: function.label for function in conversion.functions})
        return Verdict(frozenset({"pkg.a.wave"}))

    functions, _, _ = run({"pkg.a.blend"}, compare=compare)
    assert seen[0]["pkg.a.blend"] == "host"
    assert functions["pkg.a.wave"].label == "checked"
    assert functions["pkg.a.blend"].reason == "pkg.a.blend is slow"


def test_nothing_is_written_when_the_measurement_fails(tree):
    root = tree({"a.py": SOURCE})

    def measure(*_):
        raise Failure("no device")

    with pytest.raises(Failure, match="no device"):
        write([root / "a.py"], CommandLine(), root / "out", measure=measure)
    assert not (root / "out").exists()


def test_device_converts_on_purpose(tree):
    root = tree({"a.py": SOURCE})
    with pytest.raises(Failure, match="needs --placement fast"):
        write([root / "a.py"], CommandLine(placement="device"), root / "out", measure=lambda *_: {})
