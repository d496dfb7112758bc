"""Exceptions that a function raises by `raise`: whether they are raised, their types and their texts are compared."""

import pytest

from np2jax.runtime_shim.verification.printed_output import PRINTED, same_error
from np2jax.runtime_shim.verification.verify import verify

BEFORE = """
import numpy as np


def dropped(d):
    if np.any(d == 0):
        raise ZeroDivisionError("singular")
    return 1.0 / d


def text(x):
    if np.min(x) < 0:
        raise ValueError(f"negative: {np.min(x)}")
    return np.sqrt(x)


def other_type(x, mode="a"):
    if mode == "a":
        return x * 2
    raise ValueError("mode: " + mode)


def of_rank(d):
    if d.ndim != 1:
        raise ValueError("d must be a vector")
    return 1.0 + d


def same(x):
    if np.min(x) < 0:
        raise ValueError(f"negative: {np.min(x)}")
    return np.sqrt(x)


def not_asserted(x):
    assert np.min(x) < 2
    return np.abs(x)
"""
AFTER = (
    BEFORE.replace('    if np.any(d == 0):\n        raise ZeroDivisionError("singular")\n', "")
    .replace("negative:", "below zero:", 1)
    .replace('ValueError("mode', 'KeyError("mode')
    .replace('ValueError("d must', 'TypeError("d must')
    .replace("    assert np.min(x) < 2\n", "")
)


@pytest.mark.slow
def test_exceptions_are_compared(tmp_path):
    for folder, text in (("before", BEFORE), ("after", AFTER)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "checks.py").write_text(text)
    report = verify(tmp_path / "before" / "checks.py", tmp_path / "after" / "checks.py")
    found = {one.name: one for one in report.functions}
    assert {name for name, one in found.items() if one.verdict == "agrees"} == {"checks.same", "checks.not_asserted"}
    assert "raises ZeroDivisionError: singular" in found["checks.dropped"].reason
    assert "raises KeyError" in found["checks.other_type"].reason
    assert "raises TypeError: d must be a vector" in found["checks.of_rank"].reason
    assert "match='mode:" in report.to_text()
    assert not any("lines" in line and "37" in line for line in report.to_text().splitlines() if line.startswith("never reached"))


@pytest.mark.parametrize(
    ("want", "got", "same"),
    [
        ("ValueError: x is 0.1 (a.py, line 3)", "ValueError: x is 0.1 (b/a.py, line 7)", True),
        ("ValueError: x is 0.1 (a.py, line 3)", "ValueError: x is 0.10000000000000002 (a.py, line 3)", True),
        ("ValueError: x is 0.1 (a.py, line 3)", "ValueError: x is 0.2 (a.py, line 3)", False),
        ("ValueError: x is 0.1 (a.py, line 3)", "TypeError: x is 0.1 (a.py, line 3)", False),
        ("KeyError", "KeyError", True),
        ("ValueError: shape (3,) (see line 2)", "ValueError: shape (3,)", False),
    ],
)
def test_types_and_texts(want, got, same):
    assert same_error(want, got, PRINTED["float64"]) is same
