"""What the table of NumPy predicts about a result: dtype, memory, and whether it is computed on the host."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core import dtypes
from ....rules.core.findings import Kind
from ....rules.dtypes.jax_dtypes import numpy_dtype
from ....rules.facts.values import NOTHING, Value, replace
from ....rules.numpy_table import result_dtypes
from ....rules.numpy_table.entry import Entry
from ..state.arguments import Arguments


def shared_memory(entry: Entry, arguments: Arguments, first: Value) -> frozenset[str]:
    """The memory that a result may share, if it does not have memory of its own."""
    if not entry.shares:
        return first.memory
    if any(name.startswith("*") for name in entry.shares):
        return NOTHING.union(*(v.memory for v in arguments.values()))
    found = [arguments.get(entry.params, name) for name in entry.shares]
    return first.memory.union(*(f[1].memory for f in found if f is not None))


def is_true(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "True"


def copies_not(entry: Entry, arguments: Arguments) -> bool:
    copy = arguments.get(entry.params, "copy")
    return copy is not None and not (isinstance(copy[0], cst.Name) and copy[0].value == "True")


def is_false(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "False"


def stays_on_host(name: str, entry: Entry, arguments: Arguments) -> bool:
    """Whether a call remains a NumPy call because all its arguments are static: `np.prod(x.shape)`, `np.sqrt(len(x))`."""
    values = arguments.values()
    if not values or "out" in arguments.keywords or not (entry.ufunc or entry.rank == "reduce"):
        return False
    return all(
        v.static
        and (
            v.kind is Kind.SCALAR or (v.kind is Kind.TUPLE and v.dtype == "int") or v.kind in (Kind.DTYPE, Kind.NONE, Kind.STRING)
        )
        for v in values
    ) and any(v.kind in (Kind.SCALAR, Kind.TUPLE) for v in values)


def result_dtype(entry: Entry, arguments: Arguments, first: Value, values: Sequence[Value]) -> str:
    if "dtype" in entry.params or "dtype" in arguments.keywords:
        if (asked := arguments.get(entry.params, "dtype")) is not None and asked[1].kind is not Kind.NONE:
            return dtype_of(asked[0], asked[1])
    if entry.dtype in ("same", "real"):
        given = [first]
    else:
        names = entry.promotes or entry.arrays + entry.sequences
        bound = [(name, arguments.get(entry.params, name)) for name in names if not name.startswith("*")]
        given = [first] if first not in values else []
        for name, argument in bound:
            if argument is not None and argument[1].kind is not Kind.NONE:
                value = argument[1]
                if name in entry.floating:
                    value = Value(Kind.ARRAY, result_dtypes.result_dtype("mean", numpy_dtype(value)))
                given.append(
                    replace(value, dtype=dtypes.strong(value.dtype))
                    if name in entry.strong and value.kind is Kind.SCALAR
                    else value
                )
        if any(name.startswith("*") for name in names):
            given = [v for _n, v in arguments.positional]
    found = [numpy_dtype(v) for v in given]
    return result_dtypes.result_dtype(entry.dtype, dtypes.promote(*found) if all(found) else "")


def dtype_of(node: cst.CSTNode, value: Value) -> str:
    """The dtype that a dtype argument names."""
    if value.kind is Kind.DTYPE:
        return dtypes.named(value.dtype) or value.dtype
    match node:
        case cst.Name(value=name):
            return dtypes.PYTHON.get(name, "")
        case cst.SimpleString():
            return dtypes.named(str(node.evaluated_value))
    return ""
