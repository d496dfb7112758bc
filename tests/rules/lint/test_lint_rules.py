"""The rules for JAX code: names, documentation, and their examples, which run under JAX."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import jax
import pytest

from np2jax.migrate.tracing.linter import JaxSource, findings
from np2jax.rules.core.lint_rules import FOLDERS, lint_rules
from np2jax.rules.core.refusals import every_code

RULES = lint_rules()
ROOT = Path(__file__).parents[3]
SILENT = {"NJ815": "Tracer"}  # the wrong example prints this
UNORDERED = {"NJ818"}  # the wrong example prints different numbers in different processes


def codes(text, rules=None):
    found = findings([JaxSource("a.py", "a", False, text.encode())], list(RULES.values()) if rules is None else rules)
    return [diagnostic.code for diagnostic in found["a.py"]]


def run(text):
    """Run a program with the defaults of JAX; what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), jax.enable_x64(False):
        exec(compile(text, "<example>", "exec"), {"__name__": "example"})
    return printed.getvalue()


@pytest.mark.parametrize("code", RULES)
def test_documented(code):
    doc = RULES[code].doc
    assert doc.strip().splitlines()[0].endswith((".", "`."))
    assert doc.count("```python") == 2
    assert "See https://docs.jax.dev/" in doc
    assert all(len(line) <= 140 for line in doc.splitlines())


@pytest.mark.parametrize("code", RULES)
def test_a_rule_is_named_by_its_file_and_has_a_free_code(code):
    rule = RULES[code]
    assert rule.name == rule.module.rpartition(".")[2].replace("_", "-")
    assert re.fullmatch(r"NJ8\d\d", rule.code)
    assert every_code()[code] is rule


@pytest.mark.parametrize("code", RULES)
def test_the_wrong_example_is_found_and_the_right_one_is_clean(code):
    wrong, right = RULES[code].example
    assert set(codes(wrong)) >= {code}
    assert set(codes(wrong, [rule for rule in RULES.values() if rule.default or rule.code == code])) <= {code, "NJ861"}
    assert codes(right) == []


@pytest.mark.parametrize("code", [code for code in RULES if code not in UNORDERED])
def test_the_wrong_example_goes_wrong_and_the_right_one_does_not(code):
    wrong, right = RULES[code].example
    printed = run(right)
    if code in SILENT:
        assert SILENT[code] in run(wrong)
        assert SILENT[code] not in printed
    else:
        with pytest.raises(Exception):  # noqa: B017  # an assertion of the example, or any error of JAX
            run(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("code", sorted(UNORDERED))
def test_the_order_of_a_set_differs_between_processes(code):
    def printed(text, seed):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=120).stdout

    wrong, right = RULES[code].example
    assert len({printed(wrong, seed) for seed in range(4)}) > 1
    assert len({printed(right, seed) for seed in range(2)}) == 1


def test_every_folder_has_rules():
    for folder in FOLDERS:
        assert any(rule.module.split(".")[-2] == folder for rule in RULES.values()), folder


def test_the_linter_loads_neither_libcst_nor_jax():
    program = (
        "import sys\nfrom np2jax.migrate.tracing.linter import *\n"
        "from np2jax.rules.core.lint_rules import lint_rules\nlint_rules()\n"
        "print([name for name in ('libcst', 'jax', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.fixture
def broken(monkeypatch):
    """NJ801 fails on an `if`."""
    rule = RULES["NJ801"]

    def fails(_event):
        raise RuntimeError
        yield

    monkeypatch.setitem(rule.checks, next(iter(rule.checks)), [fails])


def test_a_rule_that_fails_is_left_out_in_that_file_and_the_others_go_on(broken):
    text = "import jax\n\n\n@jax.jit\ndef f(x):\n    if x > 0:\n        return float(x + 1)\n    return x\n"
    texts = {"a": text, "b": text.replace("if x > 0", "if True")}
    found = findings([JaxSource(f"{name}.py", name, False, text.encode()) for name, text in texts.items()], list(RULES.values()))
    assert [each.code for each in found["a.py"]] == ["NJ802", "NJ003"]
    assert [each.code for each in found["b.py"]] == ["NJ802"]
    assert found["a.py"][1].message == "np2jax failed in this file (NJ801: RuntimeError): please report it"


def test_the_command_line_says_that_a_rule_failed(broken, np2jax, tree):
    tree({"a.py": "import jax\n\n\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return float(x + 1)\n"})
    for _ in range(2):  # the second run takes it from the cache
        status, out, err = np2jax("lint", "a.py", "--output-format", "concise")
        assert (status, err) == (1, "")
        assert out.startswith(
            "a.py:1:1: NJ003 np2jax failed in this file (NJ801: RuntimeError): please report it\na.py:8:12: NJ802 "
        )


def test_a_line_of_another_file_is_named_with_it():
    texts = {
        "made": "import jax\n\n\ndef step(x):\n    return jax.jit(lambda y: 2 * y)(x)\n",
        "use": "import jax\nfrom made import step\n\nx = 1.0\nfor _ in range(3):\n    x = step(x)\n",
        "own": "import jax\n\n\ndef step(x):\n    return jax.jit(lambda y: 2 * y)(x)\n\n\nx = 1.0\nfor _ in range(3):\n    x = step(x)\n",
    }
    found = findings([JaxSource(f"{name}.py", name, False, text.encode()) for name, text in texts.items()], [RULES["NJ831"]])
    assert ", in line 5 of made.py; " in found["use.py"][0].message
    assert ", in line 5; " in found["own.py"][0].message
