"""Calls of NumPy functions in the table: what they write, require and return."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category, strong
from ....rules.core.findings import Kind
from ....rules.dtypes.jax_dtypes import numpy_dtype
from ....rules.facts.values import NOTHING, OBJECTS, SUBCLASS, UNKNOWN, Value, holds_objects, of_length, replace
from ....rules.numpy_table.entry import Entry, Memory, Verdict
from ....rules.syntax import source_text
from ....rules.syntax.out_arguments import outputs
from ..effects import in_place_updates
from ..inference import weak_types
from ..inference.result_ranks import result_rank
from ..inference.result_types import (
    copies_not,
    dtype_of,
    is_false,
    is_true,
    result_dtype,
    shared_memory,
    stays_on_host,
)
from ..random import draws
from ..state.access_paths import path_of
from ..state.arguments import Arguments, dependencies
from ..state.evaluation import need
from ..state.index_expressions import steady
from ..state.interpreter_state import Run
from ..state.lattice import STATIC_INT, Env, join_all, scalar
from ..state.memory import MAYBE_NONE, new_memory
from ..state.node_facts import SHAPE_OF
from ..state.views import read_through, viewed
from . import calls, complex_results, first_found, operations, scalar_casts

# the result has the shape of the first argument
LIMITS = ("numpy.finfo", "numpy.iinfo")  # their attributes are numbers
SHAPE_KEPT = frozenset("zeros_like ones_like empty_like full_like copy astype nan_to_num round around conj conjugate".split())

# these return an array of rank 0, which can be changed, where others return a scalar
ARRAY_OF_NO_DIMENSIONS = frozenset(
    "array asarray asanyarray ascontiguousarray copy astype reshape squeeze zeros ones empty full zeros_like ones_like empty_like full_like".split()
)

FOREIGN = frozenset(
    "object object_ ndarray str str_ bytes bytes_ datetime64 timedelta64 void".split()
)  # dtypes that JAX does not have
SUBCLASSES = ("numpy.ma.", "numpy.asmatrix", "numpy.bmat", "numpy.mat")  # what makes arrays of other classes
ALMOST_EQUAL = "numpy.testing.assert_almost_equal"
COMPARING_BY_TYPE = ("numpy.testing.assert_equal", ALMOST_EQUAL)


def function_call(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    run.host.numpy_used = True
    if name.startswith("numpy.random.") and (drawn := draws.function_call(run, env, node, name, arguments)) is not None:
        return drawn
    entry = numpy_table.function(name)
    if entry is None:
        return _ufunc_method(run, env, node, name, arguments)
    if entry.alone and len(arguments.values()) == 1 and not arguments.starred:
        name, entry = entry.alone, numpy_table.function(entry.alone) or entry  # np.where(condition) is np.nonzero(condition)
    if entry.verdict is Verdict.REFUSED:
        run.constraints.blocks[node] = ("NJ102", f"`{name}` has no equivalent in JAX: {entry.reason}")
    elif entry.verdict is Verdict.HOST and not (entry.droppable and name == "numpy.errstate"):
        run.constraints.impure[node] = f"`{name}` runs on the host"
    for given in arguments.values():
        if given.kind is Kind.OBJECT and run.facts.method(given.name, "__array__"):
            run.writes_into(given)
            run.constraints.blocks[node] = (
                "NJ102",
                f"`{name}` gets an object of `{given.name}`, which JAX cannot convert to an array",
            )
    if not entry.jit and (size := first_found.taken(run, node, name)):
        run.slices.taken[node] = size
    elif not entry.jit:
        run.constraints.impure[node] = f"{SHAPE_OF}`{name}`'s result depends on values"
    if arguments.positional and complex_results.by_values(run, node, name, arguments.positional[0][1]):
        run.constraints.impure[node] = f"`{name}` returns real or complex numbers, depending on values"
    if name == "numpy.ix_" and any(category(given.dtype) == 0 for given in arguments.values()):
        run.constraints.impure[node] = f"{SHAPE_OF}`{name}`'s result depends on values"
        if not run.facts.program.fast:
            run.constraints.blocks[node] = ("NJ102", "JAX's `ix_` takes no masks: give it `np.flatnonzero(mask)`")
    scalar_casts.meet(run, node, arguments.values())
    value = table_call(run, env, node, name, entry, arguments, None)
    return replace(value, device=False) if entry.verdict is Verdict.HOST else value


def table_call(
    run: Run, env: Env, node: cst.Call, name: str, entry: Entry, arguments: Arguments, receiver: Value | None
) -> Value:
    """The result of a function or method in the table; record the values that must be static, and what it writes."""
    params = entry.params
    for parameter in entry.static:
        if (found := arguments.get(params, parameter)) is not None:
            need(run, found[0], found[1], f"`{parameter}` sets a shape, an axis or a dtype")
    if name in COMPARING_BY_TYPE:
        run.host.host_uses |= _compared_by_type(name, arguments)
    written_outputs = _outputs(run, env, node, entry)
    if entry.writes and entry.writes != "self" and (written := arguments.get(params, entry.writes)) is not None:
        in_place_updates.written_argument(run, env, node, *written)
    if name == "numpy.nan_to_num" and copies_not(entry, arguments) and (written := arguments.get(params, "x")) is not None:
        if not is_false(arguments.get(params, "copy")[0]):  # type: ignore[index]
            run.constraints.blocks[node] = ("NJ222", "np2jax cannot tell whether `nan_to_num` copies")
        if written[1].kind is not Kind.SCALAR:
            in_place_updates.written_argument(run, env, node, *written)
        return read_through(written[1], path_of(written[0]))
    first = (
        receiver
        if receiver is not None
        else (arguments.positional[0][1] if arguments.positional else join_all(arguments.values()))
    )
    value = weak_types.of_call(result(run, env, node, name, entry, arguments, first), name, entry, arguments, first)
    if not written_outputs:
        return value
    if len(written_outputs) == 1 and not value.elements:
        return written_outputs[0]
    rest = (value.elements or ())[len(written_outputs) :]
    return replace(
        value, elements=(*written_outputs, *rest), memory=NOTHING.union(*(v.memory for v in (*written_outputs, *rest)))
    )


def _outputs(run: Run, env: Env, node: cst.Call, entry: Entry) -> list[Value]:
    """Write into the arrays passed for `out`, which the call returns."""
    found = []
    for expression in outputs(node, entry):
        location = path_of(expression)
        value = read_through(run.values.get(expression, UNKNOWN), location)
        if value.kind is Kind.NONE:
            continue
        if value.kind in (Kind.TUPLE, Kind.LIST, Kind.DICT, Kind.OBJECT):
            run.constraints.blocks[node] = (
                "NJ220",
                f"np2jax cannot tell into which array `{source_text.code(expression)}` leads",
            )
            continue
        if location is not None and MAYBE_NONE + location in env:
            run.constraints.blocks[node] = ("NJ220", f"`{location}`, which may be None, is passed as the array to write into")
        in_place_updates.written_argument(run, env, node, expression, value)
        after = env.get(location, value) if location is not None else value
        found.append(read_through(replace(after, kind=Kind.ARRAY, device=True, traced=True), location))
    return found


def result(run: Run, env: Env, node: cst.Call, name: str, entry: Entry, arguments: Arguments, first: Value) -> Value:
    """The value that a function in the table returns."""
    values = arguments.values()
    deps = dependencies(arguments) | first.deps
    if name in LIMITS:
        return Value(Kind.OBJECT, deps=deps, name=name)
    if entry.kind == "static":
        return Value(Kind.TUPLE, "int", name="shape") if name.endswith("shape") else STATIC_INT
    if entry.kind == "none":
        return Value(Kind.NONE)
    if entry.kind == "dtype":
        return Value(Kind.DTYPE, name=OBJECTS if name == "numpy.dtype" and _is_foreign(run, node) else "")
    if entry.kind in ("object", "unknown"):
        return Value(
            Kind.OBJECT if entry.kind == "object" else Kind.UNKNOWN,
            deps=deps,
            memory=NOTHING.union(first.memory, *(v.memory for v in values)),
            name=SUBCLASS if name.startswith(SUBCLASSES) else name,
        )
    dtype = result_dtype(entry, arguments, first, values)
    if not name.startswith("ndarray.") and stays_on_host(name, entry, arguments):
        return Value(Kind.SCALAR, dtype, 0, deps)
    elementwise = bool(entry.ufunc)
    if elementwise and values and all(v.kind is Kind.SCALAR for v in values):
        return Value(Kind.SCALAR, dtype, 0, deps, True, True)
    rank = result_rank(entry, arguments, first, entry.rank, name.startswith("ndarray."))
    single = not entry.kind.startswith(("list", "tuple"))
    if entry.kind == "scalar" or (single and rank == 0 and name.rpartition(".")[2] not in ARRAY_OF_NO_DIMENSIONS):
        return Value(Kind.SCALAR, strong(dtype), 0, deps, True, True)
    own = memory = new_memory(run, env, node)
    holds, view = "", None
    given = shared_memory(entry, arguments, first)
    paths = {arguments.positional[0][0]} if arguments.positional and not name.startswith("ndarray.") else set()
    if first.kind in (Kind.LIST, Kind.TUPLE, Kind.SCALAR) and not name.startswith("ndarray."):
        pass  # NumPy converts it to a new array first
    elif entry.memory is Memory.VIEW:
        memory = given
        fixed = steady(run, [a.value for a in node.args if a.value not in paths])
        view = viewed(first, node, fixed) if fixed is not None else None
    elif name in ("numpy.array", "numpy.astype", "ndarray.astype"):
        if copies_not(entry, arguments):
            memory = memory | first.memory
    elif entry.memory is Memory.MAYBE:
        if name in ("numpy.asarray", "numpy.asanyarray") and "dtype" not in arguments.keywords and len(arguments.positional) == 1:
            memory, holds, view = (
                first.memory | (memory if first.kind is not Kind.ARRAY else NOTHING),
                first.holds,
                first.view if first.kind is Kind.ARRAY else None,
            )
            if first.kind is Kind.ARRAY:
                rank, dtype = first.rank, first.dtype
        else:
            memory = memory | given
    elif any((found := arguments.get(entry.params, p)) is not None and not is_true(found[0]) for p in entry.views_if):
        memory = memory | given
    if name == "ndarray.astype" or not name.startswith("ndarray."):  # a method of a NumPy array returns a NumPy view
        run.effects.views |= {m for m in memory - own if m.startswith(("param:", "attr:", "global:"))}
    if not single:
        if entry.kind == "tuple" and entry.rank.isdigit():  # as many arrays as an argument has dimensions, all alike
            return Value(Kind.TUPLE, strong(dtype), rank, deps, True, memory=memory)
        elements = several(entry, arguments, first, Value(Kind.ARRAY, dtype, rank, deps, True, True, memory), own)
        kind = Kind.LIST if entry.kind.startswith("list") else Kind.TUPLE
        return Value(kind, deps=deps, traced=True, memory=memory, elements=elements)
    shape = min(own, default="")  # a view has the memory of its base, but not its shape
    if entry.ufunc or name.rpartition(".")[2] in SHAPE_KEPT:
        operands = [first] if name.rpartition(".")[2] in SHAPE_KEPT else [v for _n, v in arguments.positional[: entry.ufunc]]
        shape = operations.same_shape(operands, memory)
    elif holds:
        shape = first.shape
    elif name in ("numpy.array", "numpy.asarray") and first.elements:
        shape = of_length(len(first.elements), "" if all(e.kind is Kind.SCALAR for e in first.elements) else shape)
    elif "shape" in entry.params and (asked := arguments.get(entry.params, "shape")) is not None and asked[1].name == "shape":
        shape = asked[1].shape or shape  # `np.zeros(x.shape)`
    converts = name in ("numpy.array", "numpy.asarray") and holds_objects(first)
    converts = converts or (first.name == OBJECTS and entry.dtype == "same" and arguments.get(entry.params, "dtype") is None)
    made = OBJECTS if converts or asks_for_objects(run, entry, arguments) else ""
    return Value(Kind.ARRAY, strong(dtype), rank, deps, True, True, memory, holds, view, name=made, shape=shape)


def several(entry: Entry, arguments: Arguments, first: Value, each: Value, own: frozenset[str]) -> tuple[Value, ...] | None:
    """The arrays in a list or a tuple that a function returns; None if their number is not known. `each`: what is known of all;
    `own`: the memory that the call allocates, a part of which belongs to each of them."""
    count = entry.kind.partition(":")[2]
    if count == "args":
        if arguments.starred:
            return None
        dtypes = [numpy_dtype(value) for _node, value in arguments.positional]
        ranks = [each.rank] * len(dtypes)
    elif count.isdigit():
        real = category(each.dtype) in (1, 2)  # the eigenvalues of a complex matrix are not of its dtype
        dtypes = [strong(each.dtype) if entry.results and real else ""] * int(count)
        ranks = [result_rank(entry, arguments, first, rule, False) for rule in entry.results or [""] * int(count)]
    else:
        return None
    found = []
    for i, (dtype, rank) in enumerate(zip(dtypes, ranks, strict=True)):
        memory = frozenset(f"{m}.{i}" if m in own else m for m in each.memory)
        scalar = rank == 0 and each.memory <= own
        found.append(
            Value(Kind.SCALAR, dtype, 0, each.deps, True, True)
            if scalar
            else replace(each, dtype=dtype, rank=rank, memory=memory)
        )
    return tuple(found)


def _compared_by_type(name: str, arguments: Arguments) -> frozenset[str]:
    """The functions whose results an assertion compares as arrays only if they, or what they are compared with, are NumPy's."""
    values = [value for _node, value in arguments.positional[:2]]
    numpys = any(v.kind is Kind.ARRAY and not v.origin for v in values)
    numbers = any(v.kind is Kind.SCALAR or v.rank == 0 for v in values)
    listed = any(v.kind in (Kind.LIST, Kind.TUPLE) for v in values)
    if numpys or (name == ALMOST_EQUAL and (numbers or listed)):
        return NOTHING
    return NOTHING.union(*(v.origin for v in values))


def _ufunc_method(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    """A call of `np.add.at`, `np.maximum.accumulate` or the like, or of a name that is not in the table."""
    entry = numpy_table.ufunc_method(name)
    if entry is None:
        run.constraints.blocks[node] = ("NJ101", f"`{name}` is not supported by np2jax")
        return calls.unknown(run, env, node, Value(name=name), arguments)
    if entry.verdict is Verdict.REFUSED:
        run.constraints.blocks[node] = ("NJ102", f"`{name}` has no equivalent in JAX: {entry.reason}")
    if name.endswith(".at"):
        if arguments.positional:
            in_place_updates.written_argument(run, env, node, *arguments.positional[0])
        if any(v.kind is Kind.ARRAY and category(v.dtype) == 0 for _e, v in arguments.positional[1:2]):
            run.constraints.impure[node] = "the number of elements that a boolean mask selects depends on values"
        return Value(Kind.NONE)
    value = table_call(run, env, node, name, entry, arguments, None)
    return value if value.memory else replace(value, memory=new_memory(run, env, node))


def cast(run: Run, env: Env, node: cst.Call, function: Value, arguments: Arguments) -> Value:
    """The value of `np.float64(x)`: a scalar for a number, an array for a sequence."""
    run.host.numpy_used = True
    value = arguments.positional[0][1] if arguments.positional else scalar("int")
    dtype = dtype_of(node.func, function)
    if dtype == "matrix":
        return Value(Kind.UNKNOWN, deps=value.deps, memory=value.memory, name=SUBCLASS)
    if value.kind is Kind.SCALAR:
        return Value(Kind.SCALAR, dtype, 0, value.deps, value.traced, False)
    same = value.kind in (Kind.ARRAY, Kind.UNKNOWN) and (not value.dtype or value.dtype == dtype)  # NumPy returns the same array
    return Value(
        Kind.ARRAY if value.kind is not Kind.UNKNOWN else Kind.UNKNOWN,
        dtype,
        value.rank,
        value.deps,
        True,
        False,
        new_memory(run, env, node) | (value.memory if same else NOTHING),
    )


def asks_for_objects(run: Run, entry: Entry, arguments: Arguments) -> bool:
    """Whether a call asks for a dtype that JAX does not have: `np.empty(3, dtype=object)`, `x.astype("datetime64[D]")`."""
    asked = arguments.get(entry.params, "dtype")
    return asked is not None and (asked[1].name == OBJECTS or _is_foreign(run, asked[0]))


def _is_foreign(run: Run, dtype: cst.CSTNode) -> bool:
    """Whether a dtype is one of Python objects, as any class is, of text, of dates or of records."""
    match dtype:
        case cst.SimpleString():
            text = str(dtype.evaluated_value).lstrip("<>=|")
            return text in ("object", "O") or text.startswith(("datetime64", "timedelta64", "M8", "m8", "U", "S", "str", "bytes"))
        case cst.List() | cst.Dict():
            return True
        case cst.Call(args=[cst.Arg(value=described), *_]):
            return run.scopes.qualname(dtype.func) == "numpy.dtype" and _is_foreign(run, described)
    return (run.scopes.qualname(dtype) or "").rpartition(".")[2] in FOREIGN
