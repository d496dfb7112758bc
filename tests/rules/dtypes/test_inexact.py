"""What certainly is floating-point or complex is so for every dtype that NumPy takes there."""

import libcst as cst
import numpy as np
import pytest

from np2jax.rules.core import dtypes
from np2jax.rules.core.findings import Kind
from np2jax.rules.dtypes.inexact import is_inexact
from np2jax.rules.facts.values import UNKNOWN, Value

SAMPLES = [np.ones(3, name) for name in dtypes.BITS] + [1, 2.5, True, 1j]
CERTAIN = [
    "x / y",
    "x * 0.5",
    "-(x + 1.0)",
    "1.5 ** x",
    "np.mean(x)",
    "np.sqrt(x)",
    "np.linalg.norm(x)",
    "(x / 2)[0]",
    "np.std(x) + y",
]
CERTAIN += ["(x / y).T", "(x / y).copy()", "(x / y).flat", "x - 1j", "np.exp(x) @ y", "x // 2.0", "(2.0 * x) % 3"]
OPEN = [
    "x",
    "x + y",
    "x * 2",
    "x // 2",
    "x @ y",
    "np.abs(x)",
    "np.sum(x)",
    "not x / y",
    "x[0]",
    "np.mean(x, dtype=int)",
    "x == 0.5",
]
OPEN += ["np.floor_divide(x, y)", "np.argmax(x / y)", "(x / y).astype(int)", "len(x / y)", "~x", "np.arange(3)", "f(x / y)"]


def known(node):
    return Value(Kind.SCALAR, type(node.evaluated_value).__name__) if isinstance(node, cst.BaseNumber) else UNKNOWN


def qualname(node):
    text = cst.Module([]).code_for_node(node)
    return f"numpy.{text.removeprefix('np.')}" if text.startswith("np.") else None


@pytest.mark.parametrize("text", CERTAIN)
def test_certain(text):
    assert is_inexact(cst.parse_expression(text), known, qualname)
    tried = 0
    for x in SAMPLES:
        for y in SAMPLES:
            try:
                with np.errstate(all="ignore"):
                    result = eval(text, {"np": np, "x": x, "y": y})
            except (TypeError, ValueError, AttributeError, IndexError):  # NumPy refuses it
                continue
            tried += 1
            result = next(iter(result)) if isinstance(result, np.flatiter) else result
            assert np.issubdtype(np.asarray(result).dtype, np.inexact), (x, y)
    assert tried


@pytest.mark.parametrize("text", OPEN)
def test_open(text):
    assert not is_inexact(cst.parse_expression(text), known, qualname)


def test_what_variables_are_assigned():
    assigned = {"a": cst.parse_expression("b + 1"), "b": cst.parse_expression("x / 2"), "c": cst.parse_expression("c + 1")}
    for name in assigned:
        found = is_inexact(cst.Name(name), known, qualname, lambda node: assigned.get(node.value))
        assert found == (name != "c")
