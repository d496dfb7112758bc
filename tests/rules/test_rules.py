"""Every rule's documentation holds: its example is converted to exactly what it says, and both sides agree."""

import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest

from np2jax import rules
from np2jax.rules.core.registry import all_rules
from np2jax.tests.helpers.differential import agrees_on, convert, run

RULES = all_rules()
WITH_EXAMPLE = [code for code, rule in RULES.items() if rule.doc.count("```python") == 2]
ENABLE = 'jax.config.update("jax_enable_x64", True)'
VECTOR, MATRIX = np.array([3.0, -1.0, 2.0, 0.5]), np.array([[3.0, 1.0], [-2.0, 0.5]])
ARGUMENTS = (
    MATRIX,
    VECTOR,
    2,
    1.5,
    np.array([2, 0, 1]),
    np.array([1, 0]),
    np.array([4, 2, 7], np.int32),
    np.array([4.0, 1.5, 2], np.float32),
    np.array([2.0, 0.5]),
)


@pytest.mark.parametrize("code", RULES)
def test_documented(code):
    doc = RULES[code].doc
    first = doc.strip().splitlines()[0]
    assert first.endswith("."), "the first line says what the pattern is"
    assert doc.count("```") % 2 == 0
    assert doc.count("```python") in (0, 1, 2)


def test_a_rule_is_named_by_its_file():
    for rule in RULES.values():
        assert rule.name == rule.module.rpartition(".")[2].replace("_", "-")
        assert re.fullmatch(r"NJ[1-9]\d\d", rule.code)


def test_rules_do_not_import_each_other():
    modules = {rule.module for rule in RULES.values()}
    for info in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}."):
        if info.ispkg:
            continue
        module = importlib.import_module(info.name)
        imported = {value.__name__ for value in vars(module).values() if inspect.ismodule(value)}
        imported |= {str(getattr(value, "__module__", "")) for value in vars(module).values() if inspect.isfunction(value)}
        assert not (imported & modules) - {info.name}, f"{info.name} imports {imported & modules}"


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_example_is_exact(code):
    before, after = RULES[code].example
    text = convert(before)[0]
    assert (text if ENABLE in after else without_switch(text)) == after


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_example_is_not_changed_again(code):
    text = convert(RULES[code].example[0])[0]
    assert convert(text)[0] == text


@pytest.mark.parametrize(
    "code", [code for code in WITH_EXAMPLE if not code.startswith("NJ3")]
)  # tests/rules/random/test_random.py has them
def test_both_sides_of_the_example_agree(code):
    before = RULES[code].example[0]
    text, functions, _diagnostics = convert(before)
    agreed = 0
    for name, outcome in functions.items():
        if outcome.label == "kept" or "." in name or name == "<module>":
            continue
        for arguments in candidates(len(outcome.params)):
            if runs(before, name, arguments):
                agreed += agrees_on(before, text, outcome, arguments, name)
                break
    defined = [n for n, o in functions.items() if o.label != "kept" and "." not in n and n != "<module>"]
    assert agreed or not defined, "no arguments were found for which the example runs"


def candidates(count):
    """Arguments to try: small arrays and numbers in every position."""
    if count == 0:
        return [()]
    rest = candidates(count - 1)
    return [(first, *others) for first in ARGUMENTS for others in rest]


def runs(text, name, arguments):
    try:
        with np.errstate(all="ignore"):
            run(text)[name](*(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))
    except Exception:
        return False
    return True


def without_switch(text):
    """The converted text as the documentation shows it: without turning on float64."""
    text = text.replace('\njax.config.update("jax_enable_x64", True)\n', "", 1)
    return text if re.search(r"\bjax\.(?!numpy\b)", text.replace("import jax.numpy", "")) else text.replace("import jax\n", "", 1)
