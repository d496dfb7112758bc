"""Calls of functions in the table of libraries: they run on the host, and what follows gets NumPy arrays of known kind."""

from __future__ import annotations

import libcst as cst

from ....rules.core import dtypes
from ....rules.core.findings import Kind
from ....rules.dtypes.jax_dtypes import numpy_dtype
from ....rules.facts.values import NOTHING, UNKNOWN, Value
from ....rules.library_table import Result, Row
from ..inference.result_types import dtype_of, is_false
from ..state.arguments import Arguments, dependencies
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import new_memory

# SciPy computes in one of these; on which of them for narrower dtypes, its versions differ.
FLOATS = dict.fromkeys(("float64", "int64", "int32", "uint64", "uint32"), "float64")
FLOATS |= {name: name for name in ("float32", "complex64", "complex128")}
REAL = {"complex64": "float32", "complex128": "float64"}
COMPLEX = {"float32": "complex64", "float64": "complex128"}


def call(run: Run, env: Env, node: cst.Call, name: str, row: Row, arguments: Arguments) -> Value:
    """The result of a call; the statement with the call cannot be compiled, but others can."""
    values = arguments.values()
    run.constraints.impure[node] = f"`{name}` runs on the host"
    run.constraints.python_results |= NOTHING.union(*(v.origin for v in values))
    if row.retains:
        run.escape(env, *values)
    written = _written(run, node, name, row, arguments)
    deps, seen = dependencies(arguments), NOTHING.union(*(v.memory for v in values))
    own = new_memory(run, env, node)
    if not row.results or arguments.starred or any(_is_given(arguments, row, p) for p in row.unless):
        asked = arguments.get(row.params, "output")
        if asked is not None and asked[1].kind is Kind.DTYPE and not arguments.starred and len(row.results) == 1:
            return _value(run, row, row.results[0], arguments, deps, own, dtype_of(*asked))
        return Value(Kind.UNKNOWN, deps=deps, traced=True, memory=seen | {"?"}, name=name)
    kept = seen if row.retains else NOTHING.union(*(v.memory for v in written))
    if len(row.results) == 1:
        return _value(run, row, row.results[0], arguments, deps, own | kept)
    each = (frozenset(f"{m}.{i}" for m in own) | kept for i in range(len(row.results)))
    elements = tuple(_value(run, row, r, arguments, deps, memory) for r, memory in zip(row.results, each, strict=True))
    return Value(Kind.TUPLE, deps=deps, traced=True, memory=NOTHING.union(*(e.memory for e in elements)), elements=elements)


def attribute(base: Value, result: Result) -> Value:
    """An attribute of an object that a function of the table returned."""
    if result.kind is Kind.SCALAR:
        return Value(Kind.SCALAR, result.dtype, 0, base.deps, True)
    rank = int(result.rank) if result.rank else -1
    return Value(result.kind, result.dtype, rank, base.deps, True, memory=base.memory | {"?"})


def _is_given(arguments: Arguments, row: Row, parameter: str) -> bool:
    found = arguments.get(row.params, parameter)
    return found is not None and found[1].kind is not Kind.NONE


def _written(run: Run, node: cst.Call, name: str, row: Row, arguments: Arguments) -> list[Value]:
    """Record the arrays into which the call may write, and return them."""
    found = []
    for parameter in row.writes:
        given = arguments.get(row.params, parameter)
        if given is None or given[1].kind in (Kind.NONE, Kind.DTYPE, Kind.STRING) or is_false(given[0]):
            continue
        short = parameter.removeprefix("overwrite_")
        if short != parameter:
            given = arguments.get(row.params, short if short in row.params else row.params[0])
        if given is None or given[1].kind is Kind.SCALAR:
            continue
        run.effects.touched |= given[1].memory
        run.host.host_uses |= given[1].origin
        run.writes_into(given[1])
        found.append(given[1])
        if run.facts.program.fast:
            continue  # a function with such a call is not compiled, so the array is a NumPy array
        run.constraints.blocks[node] = (
            "NJ102",
            f"`{name}` writes into its argument `{parameter}`, which a JAX array cannot take",
        )
    return found


def _value(
    run: Run, row: Row, result: Result, arguments: Arguments, deps: frozenset[str], memory: frozenset[str], asked: str = ""
) -> Value:
    given = [UNKNOWN if found is None else found[1] for found in (arguments.get(row.params, p) for p in row.arrays)]
    if result.kind is Kind.STRING or result.kind is Kind.NONE:
        return Value(result.kind)
    if result.kind is Kind.SCALAR:
        return Value(Kind.SCALAR, result.dtype, 0, deps, True)
    if result.kind is not Kind.ARRAY:
        return Value(
            result.kind,
            deps=deps,
            traced=True,
            memory=memory | ({"?"} if result.kind is Kind.UNKNOWN else NOTHING),
            name=result.name,
        )
    dtype = asked or _dtype(result.dtype, given)
    rank = _rank(result.rank, given, arguments, row)
    if rank == 0:
        return Value(Kind.SCALAR, dtypes.strong(dtype), 0, deps, True)
    arrays = any(v.kind is Kind.ARRAY and not v.number and v.rank != 0 for v in given)
    reduced = result.rank.startswith(("reduce", "minus"))
    unsure = rank < 0 and (reduced or not arrays)
    return Value(Kind.ARRAY, dtypes.strong(dtype), rank, deps, True, False, memory, number=unsure, shape=min(memory, default=""))


def _dtype(rule: str, given: list[Value]) -> str:
    if rule in dtypes.BITS or not rule:
        return rule
    found = [numpy_dtype(v) for v in (given[:1] if rule == "same" else given)]
    promoted = dtypes.strong(dtypes.promote(*found)) if found and all(found) else ""
    if rule in ("same", "promote"):
        return promoted
    promoted = FLOATS.get(promoted, "")
    if promoted not in dtypes.WIDEST and any(map(dtypes.is_weak, found)):
        return ""  # SciPy's functions do not take Python's numbers for weak
    if rule == "real":
        return REAL.get(promoted, promoted)
    if rule == "double":
        return promoted if promoted == "float64" else ""
    if rule == "plain":
        return "" if dtypes.kind(promoted) == "c" else promoted
    return COMPLEX.get(promoted, promoted) if rule == "complex" else promoted


def _rank(rule: str, given: list[Value], arguments: Arguments, row: Row) -> int:
    first = given[0].rank if given else -1
    head, _colon, tail = rule.partition(":")
    axis = arguments.get(row.params, "axis")
    match head:
        case number if number.isdigit():
            return int(number)
        case "same":
            return first
        case "last":
            return given[-1].rank if first == 2 else -1
        case "broadcast":
            return max(v.rank for v in given) if all(v.rank >= 0 for v in given) else -1
        case "plus" if first >= 0:
            return first + int(tail)
        case "minus" if first >= int(tail):
            return first - int(tail)
        case "flat":
            return 1 if axis is None or axis[1].kind is Kind.NONE else first
        case "reduce":
            if axis[1].kind is Kind.NONE if axis is not None else tail == "None":
                return 0
            single = axis is None or axis[1].kind is Kind.SCALAR
            return first - 1 if first >= 1 and single else -1
    return -1
