"""Rules are chosen as ruff chooses them: the more specific family wins, and the command line changes what the settings say."""

import pytest

from np2jax.migrate.project.failure import Failure
from np2jax.migrate.project.outcome import Options, RuleChoice
from np2jax.migrate.project.rule_selection import resolve, running

OFF = "NJ825"  # a rule that is off by default
IN_82 = {"NJ821", "NJ822", "NJ825"}


def runs(*choices):
    """The codes that run, among a few."""
    return running(Options(choices=choices)) & {"NJ101", "NJ201", "NJ801", *IN_82}


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ([], {"NJ101", "NJ201", "NJ801", "NJ821", "NJ822"}),
        ([RuleChoice(select=("NJ8",))], {"NJ801", *IN_82}),
        ([RuleChoice(select=("NJ8",), ignore=("NJ82",))], {"NJ801"}),
        ([RuleChoice(select=("NJ8", "NJ821"), ignore=("NJ82",))], {"NJ801", "NJ821"}),
        ([RuleChoice(select=("NJ821",), ignore=("NJ821",))], set()),
        ([RuleChoice(extend_select=(OFF,))], {"NJ101", "NJ201", "NJ801", *IN_82}),
        ([RuleChoice(ignore=("NJ8",), extend_select=("NJ82",))], {"NJ101", "NJ201", *IN_82}),
        ([RuleChoice(ignore=("NJ8",)), RuleChoice(ignore=("NJ1",))], {"NJ201"}),
        ([RuleChoice(ignore=("NJ8",)), RuleChoice(extend_select=("NJ801",))], {"NJ101", "NJ201", "NJ801"}),
        ([RuleChoice(ignore=("NJ801",)), RuleChoice(select=("NJ801",))], {"NJ801"}),
        ([RuleChoice(select=("NJ801",)), RuleChoice(extend_select=("NJ1",))], {"NJ801", "NJ101"}),
        ([RuleChoice(select=("NJ8",)), RuleChoice(ignore=("NJ82",))], {"NJ801"}),
    ],
)
def test_choices(choices, expected):
    assert runs(*choices) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            Options(choices=(RuleChoice(extend_select=("NJ8251",)),)),
            "extend-select: unknown rule code `NJ8251`; did you mean `NJ825`",
        ),
        (Options(choices=(RuleChoice(ignore=("nj825",)),)), "ignore: unknown rule code `nj825`; did you mean `NJ825`"),
        (Options(per_file_ignores=(("a.py", ("NJ9999",)),)), "per-file-ignores: unknown rule code `NJ9999`"),
    ],
)
def test_unknown_codes(options, message):
    with pytest.raises(Failure, match=message):
        resolve(options)


def test_a_rule_that_is_off_is_added(np2jax, tree):
    tree({"a.py": "import jax\n\nkey = jax.random.PRNGKey(0)\n"})
    assert np2jax("lint", "a.py")[0] == 0
    assert np2jax("lint", "a.py", "--extend-select", OFF)[1].startswith(f"a.py:3:7: {OFF} ")
    tree({"pyproject.toml": f"[tool.np2jax]\nextend-select = ['{OFF}']\n"})
    assert np2jax("lint", "a.py")[0] == 1
    assert np2jax("lint", "a.py", "--ignore", "NJ8")[0] == 0
