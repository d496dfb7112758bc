"""How the work of the analysis grows with a program: counted, not timed."""

from pathlib import Path

import pytest

from np2jax.migrate.analysis.interp import execution
from np2jax.migrate.linking import worklist as rounds
from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import convert_files


def nested_loops(depth):
    """Loops in each other, through which what is known of one variable goes to the next."""
    lines = ["import numpy as np", "", "", "def f(x, n):"]
    lines += [f"    a{level} = {level}" for level in range(depth + 1)]
    for level in range(depth):
        inside = "    " * (level + 2)
        lines += [f"{inside[4:]}for i{level} in range(n):", f"{inside}a{level} = a{level + 1} + x[i{level}]"]
    lines += [f"{inside}a{depth} = a0 * 0.5", "    return a0"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def count(monkeypatch):
    """Converts modules given by name; returns how often a statement was run and a unit looked at."""
    counts = {"statements": 0, "units": 0}
    run_statement, run_unit = execution.run_statement, rounds.run_once

    def counted_statement(*given):
        counts["statements"] += 1
        return run_statement(*given)

    def counted_unit(*given):
        counts["units"] += 1
        return run_unit(*given)

    monkeypatch.setattr(execution, "run_statement", counted_statement)
    monkeypatch.setattr(rounds, "run_once", counted_unit)

    def convert(**texts):
        counts.update(statements=0, units=0)
        convert_files([ProjectFile(Path(f"{name}.py"), name, text.encode()) for name, text in texts.items()], Options())
        return dict(counts)

    return convert


def test_nested_loops_are_not_exponential(count):
    """Every level runs what is in it a few times more, not a few times as often."""
    for depth in (3, 6, 12):
        found = count(a=nested_loops(depth))
        assert found["statements"] < 12 * depth**2


def test_a_chain_of_calls_is_looked_at_once(count):
    """What each function gets and gives is known when it is needed: one look at each."""
    calls = [f"def f{i}(x):\n    return f{i + 1}(x) + 1.0\n\n\n" for i in range(8)]
    text = "import numpy as np\n\n\n" + "".join(calls) + "def f8(x):\n    return np.sin(x)\n\n\nprint(f0(np.zeros(3)))\n"
    assert count(a=text)["units"] == 10


def test_files_that_do_not_know_each_other_are_looked_at_once(count):
    text = "import numpy as np\n\nSIZE = 3\n\n\ndef main():\n    return np.zeros(SIZE)\n\n\nmain()\n"
    assert count(a=text, b=text, c=text)["units"] == 6
