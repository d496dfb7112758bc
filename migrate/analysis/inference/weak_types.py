"""What JAX types weakly and NumPy does not: 64-bit values computed from Python numbers yield to narrower dtypes in JAX."""

from __future__ import annotations

from collections.abc import Iterable

from ....rules.core.dtypes import DEFAULTS, category, is_weak
from ....rules.core.findings import Kind
from ....rules.facts.values import PYTHON, Value, replace
from ....rules.numpy_table.entry import Entry
from ..state.arguments import Arguments
from ..state.lattice import SEQUENCES

STRONG = ("sum", "mean", "size", "param")  # values of `Entry.dtype` whose results JAX types strongly
OF_ARRAY = frozenset({"numpy.array", "numpy.asarray", "numpy.asanyarray", "numpy.ascontiguousarray"})


def of_arithmetic(made: Value, *operands: Value) -> Value:
    """The result of an operator, marked as weakly typed if it is."""
    if made.dtype not in DEFAULTS or made.kind not in (Kind.ARRAY, Kind.SCALAR):
        return made
    return replace(made, weak=_gives_way(operands))


def of_call(made: Value, name: str, entry: Entry, arguments: Arguments, first: Value) -> Value:
    """The same for the result of a NumPy function or method."""
    if made.dtype not in DEFAULTS or made.kind is not Kind.ARRAY or entry.dtype in STRONG or entry.rank == "reduce":
        return made
    if (asked := arguments.get(entry.params, "dtype")) is not None and asked[1].kind is not Kind.NONE:
        return made
    method = name.startswith("ndarray.")
    if method or entry.dtype in ("same", "real") or name in OF_ARRAY:
        return made if name == "ndarray.astype" else replace(made, weak=_weak(first))
    names = [n for n in entry.promotes or entry.arrays + entry.sequences if not n.startswith("*") and n not in entry.static]
    found = [argument[1] for n in names if (argument := arguments.get(entry.params, n)) is not None]
    return replace(made, weak=_gives_way(found))


def _weak(value: Value) -> bool:
    """Whether JAX types a value weakly: a Python number, or a value computed from Python numbers only."""
    return value.weak or (value.kind is Kind.SCALAR and is_weak(value.dtype) and value.name != PYTHON)


def _gives_way(operands: Iterable[Value]) -> bool:
    """Whether all operands that determine the dtype of a result are weakly typed: the floats, or integers if there is none."""
    met = [v for operand in operands for v in (operand.elements if operand.kind in SEQUENCES else None) or (operand,)]
    decides = max((category(v.dtype) for v in met), default=-1)
    return decides > 0 and all(_weak(v) or -1 < category(v.dtype) < decides for v in met)
