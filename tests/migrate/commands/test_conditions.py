"""Conditions in the reports and on the terminal."""

from np2jax.migrate.commands.report import as_data, as_markdown, conditions
from np2jax.migrate.commands.terminal import functions
from np2jax.migrate.project.outcome import Conversion, FunctionOutcome
from np2jax.rules.core.condition import Condition

DIVISOR = Condition("divisor", 5, 9, "the divisor `a | b` is not 0")
INDEX = Condition("index", 6, 9, "`i` is in range of `x`")
DONE = Conversion(
    (),
    (
        FunctionOutcome("m.py", 4, "m.f", "assumed", "jit", (), "", conditions=(DIVISOR, INDEX)),
        FunctionOutcome("m.py", 9, "m.g", "assumed", "jit", (), "", conditions=(INDEX,)),
        FunctionOutcome("m.py", 12, "m.h", "proved", "jit", (), ""),
    ),
)


def test_the_most_frequent_kinds_come_first():
    assert [each[:3] for each in conditions(DONE.functions)] == [("index", 2, 2), ("divisor", 1, 1)]
    assert not conditions(DONE.functions[2:])


def test_on_the_terminal(capsys):
    functions(DONE)
    assert capsys.readouterr().out.splitlines() == [
        "3 of 3 functions that use NumPy are converted (100%): 2 assumed, 1 proved",
        "3 conditions are assumed (2 index, 1 divisor); --report FILE.md lists them",
    ]
    functions(DONE._replace(functions=DONE.functions[2:]))
    assert "assumed" not in capsys.readouterr().out


def test_in_reports():
    report = as_data(DONE, {})
    assert report["functions"][1]["conditions"] == [INDEX._asdict()]
    assert [each["kind"] for each in report["summary"]["by_condition"]] == ["index", "divisor"]
    assert all(each["closed_by"] for each in report["summary"]["by_condition"])
    lines = as_markdown(DONE).splitlines()
    assert "| `m.f` | m.py:5 | divisor | the divisor `a \\| b` is not 0 |" in lines
    assert any(line.startswith("| 2 | 2 | index | ") for line in lines)
