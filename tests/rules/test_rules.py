"""What all rules have in common: names, codes, documentation, and a test file each."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

from np2jax import rules
from np2jax.rules.core.registry import all_rules

RULES = all_rules()


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


@pytest.mark.parametrize("code", RULES)
def test_a_rule_has_a_test_file_that_begins_with_its_example(code):
    folder, name = RULES[code].module.split(".")[-2:]
    text = (Path(__file__).parent / folder / f"test_{name}.py").read_text()
    assert ("example_of(__name__" in text) is (RULES[code].doc.count("```python") == 2)
