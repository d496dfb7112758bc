"""The value of a call, and what the call does to its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from ...rules import numpy_table
from ...rules.facts import NOTHING, UNKNOWN, Value, replace
from ...rules.model import Kind
from ...rules.numpy_table import promotion
from ...rules.numpy_table.entry import Entry, Memory, Verdict
from ...rules.outputs import outputs
from . import draws, expressions, generators, protocol, updates
from .domain import Env, category, join, join_all, scalar, strong
from .indices import steady
from .state import (
    GLOBAL_STATE,
    MAYBE_NONE,
    SHARED,
    CallFact,
    Need,
    Run,
    Site,
    drop_paths,
    forget_views,
    immutable,
    new_memory,
    path_of,
)

# libraries that read arrays and keep no reference to them
READERS = (
    "builtins",
    "math",
    "cmath",
    "time",
    "logging",
    "warnings",
    "scipy",
    "matplotlib",
    "sys",
    "os",
    "json",
    "csv",
    "pytest",
    "timeit",
)
# the result has the shape of the first argument
SHAPE_KEPT = frozenset("zeros_like ones_like empty_like full_like copy astype nan_to_num round around conj conjugate".split())
# what gives an array of no dimensions, which can be changed, where others give a number
ARRAY_OF_NO_DIMENSIONS = frozenset(
    "array asarray asanyarray ascontiguousarray copy astype reshape squeeze zeros ones empty full zeros_like ones_like empty_like full_like".split()
)
# functions of math that JAX has, on what JAX computed; those that raise outside of their domain give NaN there
TRACEABLE_MATH = frozenset(f"math.{n}" for n in "sqrt exp sin cos tan atan atan2 sinh cosh tanh hypot".split())
# functions of NumPy that give a jax.Array for a jax.Array, because they call its method
PASSED_ON = frozenset(
    "all amax amin any argmax argmin around array_split cumprod cumsum diff flip hsplit imag isreal max mean min nonzero permute_dims "
    "prod real repeat reshape rollaxis round split squeeze std sum transpose trim_zeros unstack var vsplit".split()
)
PURE_BUILTINS = frozenset(
    "abs all any bool complex dict divmod enumerate filter float frozenset getattr hasattr hash id int isinstance issubclass iter len list map max min "
    "next pow range repr reversed round set slice sorted str sum tuple type zip super object property format callable ord chr bytes divmod vars "
    "ValueError TypeError RuntimeError NotImplementedError IndexError KeyError ArithmeticError AssertionError Exception ZeroDivisionError".split()
)


# kinds that arrays may be, or be in
MADE_OF_ARRAYS = (Kind.ARRAY, Kind.UNKNOWN, Kind.SCALAR, Kind.TUPLE, Kind.LIST, Kind.DICT)


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments of a call by position and by keyword; `starred` when there is * or **."""

    positional: tuple[tuple[cst.BaseExpression, Value], ...]
    keywords: Mapping[str, tuple[cst.BaseExpression, Value]]
    starred: bool

    def values(self) -> list[Value]:
        return [v for _n, v in self.positional] + [v for _n, v in self.keywords.values()]

    def get(self, params: Sequence[str], name: str) -> tuple[cst.BaseExpression, Value] | None:
        """The argument for the parameter `name` of a function with these parameters."""
        if name in self.keywords:
            return self.keywords[name]
        if name in params:
            position = list(params).index(name)
            if position < len(self.positional):
                return self.positional[position]
        return None


def evaluate_arguments(run: Run, env: Env, args: Sequence[cst.Arg]) -> Arguments:
    positional, keywords, starred = [], {}, False
    for arg in args:
        value = expressions.evaluate(run, env, arg.value)
        value = expressions.with_place(value, path_of(arg.value))
        if arg.star:
            starred = True
            positional.append((arg.value, value))
        elif arg.keyword is not None:
            keywords[arg.keyword.value] = (arg.value, value)
        else:
            positional.append((arg.value, value))
    return Arguments(tuple(positional), keywords, starred)


def call(run: Run, env: Env, node: cst.Call) -> Value:
    value = _call(run, env, node)
    if value.kind in (Kind.ARRAY, Kind.UNKNOWN, Kind.SCALAR) and not value.origin:
        given = [run.values.get(a.value, UNKNOWN) for a in node.args]
        if isinstance(node.func, cst.Attribute):
            given.append(run.values.get(node.func.value, UNKNOWN))
        origin = NOTHING.union(*(v.origin for v in given))
        owner, _dot, short = (run.scopes.qualname(node.func) or "").rpartition(".")
        if origin and (short in PASSED_ON or not owner.startswith(("numpy", "math"))):
            return replace(value, origin=origin)
    return value


def _call(run: Run, env: Env, node: cst.Call) -> Value:
    if isinstance(node.func, cst.Attribute):
        function = expressions.evaluate(run, env, node.func)
        if function.kind is Kind.DTYPE and function.name:
            return _cast(run, env, node, function, evaluate_arguments(run, env, node.args))
        receiver = run.values.get(node.func.value, UNKNOWN)
        if function.kind is Kind.OBJECT and function.name in run.facts.classes:
            return protocol.called(run, env, node, function, evaluate_arguments(run, env, node.args))
        imported = function.name and run.scopes.qualname(node.func) == function.name
        if not function.name or (function.kind is not Kind.FUNCTION and not imported):
            return _method(run, env, node, node.func, receiver, function)
        arguments = evaluate_arguments(run, env, node.args)
        if receiver.kind is Kind.OBJECT and function.name in run.facts.functions:
            own = (node.func.value, expressions.with_place(receiver, path_of(node.func.value)))
            arguments = Arguments((own, *arguments.positional), arguments.keywords, arguments.starred)
            return project(run, env, node, function.name, arguments)
        return _named(run, env, node, function.name, arguments)
    function = expressions.evaluate(run, env, node.func)
    arguments = evaluate_arguments(run, env, node.args)
    if function.kind is Kind.DTYPE:
        return _cast(run, env, node, function, arguments)
    if function.kind is Kind.OBJECT and function.name in run.facts.classes:
        return protocol.called(run, env, node, function, arguments)
    if function.name and function.name != "<lambda>":
        if function.kind is Kind.CLASS:
            return _instance(run, env, node, function.name, arguments)
        return _named(run, env, node, function.name, arguments)
    return unknown(run, env, node, function, arguments)


def _named(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    if name.startswith("numpy."):
        return _numpy(run, env, node, name, arguments)
    if name in generators.CHECKERS and not run.facts.random_on_host:
        return generators.made(run, env, node, name, arguments)
    if name in run.facts.functions:
        return project(run, env, node, name, arguments)
    if name in run.facts.classes:
        return _instance(run, env, node, name, arguments)
    if name.startswith("builtins."):
        return _builtin(run, env, node, name[9:], arguments)
    if name.startswith("math."):
        values = [value for _expression, value in arguments.positional]
        if name in TRACEABLE_MATH and any(value.device for value in values):
            return Value(Kind.SCALAR, "float64", 0, _deps(arguments), True, True)  # jnp has it: nothing comes to the host
        if any(value.deps or value.traced for value in values):
            run.impure[node] = f"`{name}` takes Python numbers"
        whole = name in ("math.floor", "math.ceil", "math.factorial", "math.gcd", "math.comb")
        return scalar("int" if whole else "float", _deps(arguments))
    if name == "collections.namedtuple":
        run.frozen |= {word for a in node.args[1:2] for word in re.findall(r"\w+", updates.code(a.value))}
    if name in ("copy.copy", "copy.deepcopy") and arguments.positional:
        value = arguments.positional[0][1]
        if name == "copy.copy" and value.kind is Kind.OBJECT and value.name in run.facts.classes:
            run.attr_stores |= {f"{value.name}.{attr}" for attr in run.facts.classes[value.name].attrs}
        shallow = name == "copy.copy" and value.kind is not Kind.ARRAY  # a copy of a container holds the same arrays
        memory = new_memory(run, env, node)
        return replace(value, memory=value.memory | memory if shallow else memory, holds="", view=None)
    return unknown(run, env, node, Value(name=name), arguments)


def _deps(arguments: Arguments) -> frozenset[str]:
    return NOTHING.union(*(v.deps for v in arguments.values()))


def _traced(arguments: Arguments) -> bool:
    return any(v.traced for v in arguments.values())


def unknown(run: Run, env: Env, node: cst.Call, function: Value, arguments: Arguments) -> Value:
    """A call of something that is not known: its result may share memory with anything that it was given."""
    values = arguments.values()
    root = function.name.partition(".")[0]
    if function.name in ("dataclasses.replace", "copy.replace"):
        run.attr_stores |= {f"?.{key}" for key in arguments.keywords}
        copied = {values[0].name} & run.facts.classes.keys() if values else set()
        for cls in copied or run.facts.classes:  # the other fields are shared by both
            run.attr_stores |= {f"{cls}.{f}" for f in run.facts.record(cls)}
    run.impure[node] = f"it calls `{function.name or 'something'}`, which is not known"
    if not function.name or function.name == "<lambda>":
        run.unknown_calls = True
        run.touched |= NOTHING.union(*(v.memory for v in values))
    if root not in READERS:
        run.escape(env, *values)
        for expression, _value in arguments.positional:
            if (key := path_of(expression)) is not None:
                drop_paths(env, key)
    memory = NOTHING.union(*(v.memory for v in values), function.memory) | {"?"}
    return Value(Kind.UNKNOWN, deps=_deps(arguments) | function.deps, traced=True, memory=memory, name=function.name)


# --- NumPy ---------------------------------------------------------------------------------------------------------------


def _numpy(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    run.numpy_used = True
    if name.startswith("numpy.random.") and (drawn := draws.function_call(run, env, node, name, arguments)) is not None:
        return drawn
    entry = numpy_table.function(name)
    if entry is None:
        return _ufunc_method(run, env, node, name, arguments)
    if entry.alone and len(arguments.values()) == 1 and not arguments.starred:
        name, entry = entry.alone, numpy_table.function(entry.alone) or entry  # np.where(condition) is np.nonzero(condition)
    if entry.verdict is Verdict.REFUSED:
        run.blocks[node] = ("NJ102", f"`{name}` has no equivalent in JAX: {entry.reason}")
    elif entry.verdict is Verdict.HOST and not (entry.droppable and name == "numpy.errstate"):
        run.impure[node] = f"`{name}` runs on the host"
    for given in arguments.values():
        if given.kind is Kind.OBJECT and run.facts.method(given.name, "__array__"):
            run.host_writes = True
            run.blocks[node] = ("NJ102", f"`{name}` gets an object of `{given.name}`, of which JAX makes no array")
    if not entry.jit:
        run.impure[node] = f"the shape of `{name}`'s result depends on values"
    value = table_call(run, env, node, name, entry, arguments, None)
    return replace(value, device=False) if entry.verdict is Verdict.HOST else value


def table_call(
    run: Run, env: Env, node: cst.Call, name: str, entry: Entry, arguments: Arguments, receiver: Value | None
) -> Value:
    """A function or method of the table: its result, the values that must be static, what it writes."""
    params = entry.params
    for parameter in entry.static:
        if (found := arguments.get(params, parameter)) is not None:
            expressions.need(run, found[0], found[1], f"`{parameter}` sets a shape, an axis or a dtype")
    written_outputs = _outputs(run, env, node, entry)
    if entry.writes and entry.writes != "self" and (written := arguments.get(params, entry.writes)) is not None:
        updates.written_argument(run, env, node, *written)
    if name == "numpy.nan_to_num" and _copies_not(entry, arguments) and (written := arguments.get(params, "x")) is not None:
        if not _is_false(arguments.get(params, "copy")[0]):  # type: ignore[index]
            run.blocks[node] = ("NJ222", "it is not known whether `nan_to_num` copies")
        if written[1].kind is not Kind.SCALAR:
            updates.written_argument(run, env, node, *written)
        return expressions.with_place(written[1], path_of(written[0]))
    first = (
        receiver
        if receiver is not None
        else (arguments.positional[0][1] if arguments.positional else join_all(arguments.values()))
    )
    value = result(run, env, node, name, entry, arguments, first)
    if not written_outputs:
        return value
    if len(written_outputs) == 1 and not value.elements:
        return written_outputs[0]
    rest = (value.elements or ())[len(written_outputs) :]
    return replace(
        value, elements=(*written_outputs, *rest), memory=NOTHING.union(*(v.memory for v in (*written_outputs, *rest)))
    )


def _outputs(run: Run, env: Env, node: cst.Call, entry: Entry) -> list[Value]:
    """Write into the arrays that are given for `out`; they are what the call returns."""
    found = []
    for expression in outputs(node, entry):
        place = path_of(expression)
        value = expressions.with_place(run.values.get(expression, UNKNOWN), place)
        if value.kind is Kind.NONE:
            continue
        if value.kind in (Kind.TUPLE, Kind.LIST, Kind.DICT, Kind.OBJECT):
            run.blocks[node] = ("NJ220", f"it is not known into which array `{updates.code(expression)}` leads")
            continue
        if place is not None and MAYBE_NONE + place in env:
            run.blocks[node] = ("NJ220", f"`{place}`, which may be None, is given for an array to write into")
        updates.written_argument(run, env, node, expression, value)
        after = env.get(place, value) if place is not None else value
        found.append(expressions.with_place(replace(after, kind=Kind.ARRAY, device=True, traced=True), place))
    return found


def result(run: Run, env: Env, node: cst.Call, name: str, entry: Entry, arguments: Arguments, first: Value) -> Value:
    """The value that a function of the table returns."""
    values = arguments.values()
    deps = _deps(arguments) | first.deps
    if entry.kind == "static":
        return Value(Kind.TUPLE, "int", name="shape") if name.endswith("shape") else expressions.STATIC_INT
    if entry.kind == "none":
        return Value(Kind.NONE)
    if entry.kind == "dtype":
        return Value(Kind.DTYPE)
    if entry.kind in ("object", "unknown"):
        return Value(
            Kind.OBJECT if entry.kind == "object" else Kind.UNKNOWN,
            deps=deps,
            memory=NOTHING.union(first.memory, *(v.memory for v in values)),
            name=name,
        )
    dtype = result_dtype(entry, arguments, first, values)
    host = stays_on_host(name, entry, arguments)
    if host:
        return Value(Kind.SCALAR, dtype, 0, deps)
    elementwise = bool(entry.ufunc)
    if elementwise and values and all(v.kind is Kind.SCALAR for v in values):
        return Value(Kind.SCALAR, dtype, 0, deps, True, True)
    rank = result_rank(entry, arguments, first)
    if entry.kind == "scalar" or (rank == 0 and name.rpartition(".")[2] not in ARRAY_OF_NO_DIMENSIONS):
        return Value(Kind.SCALAR, strong(dtype), 0, deps, True, True)
    own = memory = new_memory(run, env, node)
    holds, view = "", None
    given = shared_memory(entry, arguments, first)
    places = {arguments.positional[0][0]} if arguments.positional and not name.startswith("ndarray.") else set()
    if first.kind in (Kind.LIST, Kind.TUPLE, Kind.SCALAR) and not name.startswith("ndarray."):
        pass  # NumPy makes an array of it first
    elif entry.memory is Memory.VIEW:
        memory = given
        fixed = steady(run, [a.value for a in node.args if a.value not in places])
        view = expressions.viewed(first, node, fixed) if fixed is not None else None
    elif name in ("numpy.array", "numpy.astype", "ndarray.astype"):
        if _copies_not(entry, arguments):
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
    elif any((found := arguments.get(entry.params, p)) is not None and not _is_true(found[0]) for p in entry.views_if):
        memory = memory | given
    if entry.kind == "list":
        return Value(Kind.LIST, deps=deps, traced=True, memory=memory)
    if entry.kind.startswith("tuple"):
        count = entry.kind.partition(":")[2]
        each = Value(Kind.ARRAY, "", -1, deps, True, True, memory)
        elements = None
        if count.isdigit():
            elements = tuple(
                replace(each, memory=frozenset(f"{m}.{i}" if m in own else m for m in memory)) for i in range(int(count))
            )
        return Value(Kind.TUPLE, deps=deps, traced=True, memory=memory, elements=elements)
    shape = next(iter(own), "")  # a view has the memory of its base, but not its shape
    if entry.ufunc or name.rpartition(".")[2] in SHAPE_KEPT:
        operands = [first] if name.rpartition(".")[2] in SHAPE_KEPT else [v for _n, v in arguments.positional[: entry.ufunc]]
        shape = expressions.same_shape(operands, memory)
    elif holds:
        shape = first.shape
    return Value(Kind.ARRAY, strong(dtype), rank, deps, True, True, memory, holds, view, shape=shape)


def shared_memory(entry: Entry, arguments: Arguments, first: Value) -> frozenset[str]:
    """The memory that a result may be in, if it is not in its own."""
    if not entry.shares:
        return first.memory
    if any(name.startswith("*") for name in entry.shares):
        return NOTHING.union(*(v.memory for v in arguments.values()))
    found = [arguments.get(entry.params, name) for name in entry.shares]
    return first.memory.union(*(f[1].memory for f in found if f is not None))


def _is_true(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "True"


def _copies_not(entry: Entry, arguments: Arguments) -> bool:
    copy = arguments.get(entry.params, "copy")
    return copy is not None and not (isinstance(copy[0], cst.Name) and copy[0].value == "True")


def _is_false(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "False"


def stays_on_host(name: str, entry: Entry, arguments: Arguments) -> bool:
    """Whether a call stays NumPy because everything in it is known when tracing: `np.prod(x.shape)`, `np.sqrt(len(x))`."""
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
        found = [(name, arguments.get(entry.params, name)) for name in names if not name.startswith("*")]
        given = [first] if first not in values else []
        for name, argument in found:
            if argument is not None and argument[1].kind is not Kind.NONE:
                value = argument[1]
                given.append(
                    replace(value, dtype=strong(value.dtype)) if name in entry.strong and value.kind is Kind.SCALAR else value
                )
        if any(name.startswith("*") for name in names):
            given = [v for _n, v in arguments.positional]
    dtypes = [_array_dtype(v) for v in given]
    made = promotion.result_dtype(entry.dtype, promotion.numpy_promotion(*dtypes) if all(dtypes) else "")
    return "bool_" if made == "bool" else made


def _array_dtype(value: Value) -> str:
    """The dtype that an argument brings in: of an array, of a number, or of the array that is made of a list."""
    if value.kind in (Kind.LIST, Kind.TUPLE):
        if value.elements is None:
            return strong(value.dtype).rstrip("_")
        dtypes = [strong(_array_dtype(e)).rstrip("_") for e in value.elements]
        return promotion.numpy_promotion(*dtypes) if all(dtypes) else ""
    return value.dtype.rstrip("_") if value.kind in (Kind.ARRAY, Kind.SCALAR) else ""


_PYTHON_DTYPE_NAMES = {"float": "float64", "int": "int64", "bool": "bool_", "complex": "complex128"}


def dtype_of(node: cst.CSTNode, value: Value) -> str:
    """The dtype that a dtype argument names."""
    if value.kind is Kind.DTYPE:
        name = value.dtype
        return {
            "float_": "float64",
            "int_": "int64",
            "bool": "bool_",
            "single": "float32",
            "double": "float64",
            "intp": "int64",
        }.get(name, name)
    match node:
        case cst.Name(value=name):
            return _PYTHON_DTYPE_NAMES.get(name, "")
        case cst.SimpleString():
            text = str(node.evaluated_value)
            short = {
                "f4": "float32",
                "f8": "float64",
                "d": "float64",
                "f": "float32",
                "i4": "int32",
                "i8": "int64",
                "bool": "bool_",
                "u1": "uint8",
            }
            return _PYTHON_DTYPE_NAMES.get(
                text, short.get(text, text if text.rstrip("0123456789") in ("float", "int", "uint", "complex") else "")
            )
    return ""


def result_rank(entry: Entry, arguments: Arguments, first: Value) -> int:
    match entry.rank:
        case "same":
            return first.rank
        case "broadcast":
            ranks = [v.rank for _n, v in arguments.positional[: entry.ufunc or None]]
            return max(ranks, default=-1) if all(r >= 0 for r in ranks) else -1
        case "shape":
            shape = arguments.get(entry.params, "shape")
            if shape is None:
                return -1
            if shape[1].elements is not None:
                return len(shape[1].elements)
            return 1 if shape[1].kind is Kind.SCALAR else -1
        case "reduce":
            axis, keep = arguments.get(entry.params, "axis"), arguments.get(entry.params, "keepdims")
            if axis is None or axis[1].kind is Kind.NONE:
                return 0 if keep is None else first.rank
            if keep is not None:
                return first.rank
            return first.rank - 1 if first.rank >= 1 and axis[1].kind is Kind.SCALAR else -1
        case number if number.isdigit():
            return int(number)
    if entry.params[:1] == ("object",) and arguments.positional:  # np.array of nested displays
        return _display_rank(arguments.positional[0][1])
    return -1


def _display_rank(value: Value) -> int:
    if value.kind is Kind.SCALAR:
        return 0
    if value.kind is Kind.ARRAY:
        return value.rank
    if value.elements:
        inner = _display_rank(value.elements[0])
        return inner + 1 if inner >= 0 else -1
    return -1


def _ufunc_method(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    """np.add.at, np.maximum.accumulate and their kin; or a name that the table does not have."""
    entry = numpy_table.ufunc_method(name)
    if entry is None:
        run.blocks[node] = ("NJ101", f"`{name}` is not known to np2jax")
        return unknown(run, env, node, Value(name=name), arguments)
    if entry.verdict is Verdict.REFUSED:
        run.blocks[node] = ("NJ102", f"`{name}` has no equivalent in JAX: {entry.reason}")
    if name.endswith(".at"):
        if arguments.positional:
            updates.written_argument(run, env, node, *arguments.positional[0])
        if any(v.kind is Kind.ARRAY and category(v.dtype) == 0 for _e, v in arguments.positional[1:2]):
            run.impure[node] = "a boolean mask selects a number of elements that only the values tell"
        return Value(Kind.NONE)
    value = table_call(run, env, node, name, entry, arguments, None)
    return value if value.memory else replace(value, memory=new_memory(run, env, node))


def _cast(run: Run, env: Env, node: cst.Call, function: Value, arguments: Arguments) -> Value:
    """np.float64(x): a scalar of a number, an array of a sequence."""
    run.numpy_used = True
    value = arguments.positional[0][1] if arguments.positional else scalar("int")
    dtype = dtype_of(node.func, function)
    if value.kind is Kind.SCALAR:
        return Value(Kind.SCALAR, dtype, 0, value.deps, value.traced, False)
    return Value(
        Kind.ARRAY if value.kind is not Kind.UNKNOWN else Kind.UNKNOWN,
        dtype,
        value.rank,
        value.deps,
        True,
        False,
        new_memory(run, env, node),
    )


# --- methods -------------------------------------------------------------------------------------------------------------


def _method(run: Run, env: Env, node: cst.Call, func: cst.Attribute, receiver: Value, function: Value) -> Value:
    """`receiver.name(...)` where what the receiver is decides."""
    name = func.attr.value
    arguments = evaluate_arguments(run, env, node.args)
    place = expressions.with_place(receiver, path_of(func.value))
    if receiver.kind is Kind.ARRAY:
        return array_method(run, env, node, func, place, arguments)
    if receiver.kind in (Kind.LIST, Kind.DICT, Kind.TUPLE, Kind.STRING):
        return _container_method(run, env, func, receiver, arguments)
    if receiver.kind is Kind.SCALAR:
        if name in ("item", "tolist"):
            expressions.need(run, node, receiver, "it becomes a Python number")
        dtype = receiver.dtype
        if name == "astype" and arguments.positional:
            dtype = dtype_of(*arguments.positional[0])
        return Value(Kind.SCALAR, dtype, 0, receiver.deps | _deps(arguments), receiver.traced, receiver.device)
    if receiver.kind is Kind.UNKNOWN and not receiver.name and numpy_table.method(name) is not None:
        entry = numpy_table.method(name)
        if entry is not None and entry.writes:
            run.blocks[node] = (
                "NJ202",
                f"`.{name}()` changes an array in place, but not a list or a jax.Array: the kind of its object is not known",
            )
    if (drawn := draws.method_call(run, env, node, func, receiver)) is not None:
        return drawn
    if receiver.kind in (Kind.UNKNOWN, Kind.OBJECT) and receiver.name.partition(".")[0] not in READERS:
        run.unresolved.add(name)
        if name in ("append", "add", "put", "insert", "extend", "setdefault", "update", "push", "appendleft"):
            key = path_of(func.value)
            if key is not None and key in env:
                env[key] = replace(env[key], memory=env[key].memory.union(*(v.memory for v in arguments.values())))
            elif key is not None:
                env[key] = Value(Kind.UNKNOWN, memory=frozenset({"?"}).union(*(v.memory for v in arguments.values())))
    if (key := path_of(func.value)) is not None:
        drop_paths(env, key)
    if receiver.kind in (Kind.UNKNOWN, Kind.OBJECT) and receiver.name.partition(".")[0] not in READERS:
        run.touched |= {m for m in receiver.memory if m.startswith("global:")}
    if (
        receiver.kind is Kind.UNKNOWN
        and not receiver.name
        and numpy_table.method(name) is not None
        and name not in ("get", "pop", "update")
    ):
        run.impure[node] = f"the object of `.{name}()` is not known"
        memory = receiver.memory | new_memory(run, env, node)
        return Value(Kind.UNKNOWN, deps=_deps(arguments) | receiver.deps, traced=True, memory=memory)
    return unknown(
        run,
        env,
        node,
        Value(name=receiver.name and f"{receiver.name}.{name}", memory=receiver.memory, deps=receiver.deps),
        arguments,
    )


def array_method(run: Run, env: Env, node: cst.Call, func: cst.Attribute, receiver: Value, arguments: Arguments) -> Value:
    name = func.attr.value
    entry = numpy_table.method(name)
    if entry is None:
        run.blocks[node] = ("NJ101", f"the method `.{name}()` of an array is not known to np2jax")
        return unknown(run, env, node, Value(memory=receiver.memory, deps=receiver.deps), arguments)
    if entry.verdict is Verdict.REFUSED:
        run.blocks[node] = ("NJ102", f"the method `.{name}()` has no equivalent in JAX: {entry.reason}")
    if entry.writes and immutable(receiver):
        return Value(Kind.UNKNOWN, deps=receiver.deps, traced=True)  # gives a copy, or does not exist
    if entry.writes:
        updates.written_argument(run, env, node, func.value, receiver)
        if name == "resize" and (place := path_of(func.value)) in env:
            env[place] = replace(env[place], rank=-1, shape="")
            forget_views(env, place)
    if entry.verdict is Verdict.HOST or name in ("item", "tolist"):
        run.impure[node] = f"`.{name}()` brings values to the host"
        expressions.need(run, node, replace(receiver, traced=True), "it becomes a Python value")
    if not entry.jit:
        run.impure[node] = f"the shape of `.{name}()`'s result depends on values"
    if name in ("item",):
        return Value(
            Kind.SCALAR, {0: "bool", 1: "int", 2: "float", 3: "complex"}.get(category(receiver.dtype), ""), 0, receiver.deps, True
        )
    if name == "tolist":
        return Value(Kind.LIST, deps=receiver.deps, traced=True)
    if name == "reshape":
        sizes = [v for _n, v in arguments.positional]
        for expression, value in arguments.positional:
            expressions.need(run, expression, value, "it sets a shape")
        rank = (
            len(sizes)
            if len(sizes) > 1
            else (
                len(sizes[0].elements)
                if sizes and sizes[0].elements is not None
                else 1
                if sizes and sizes[0].kind is Kind.SCALAR
                else -1
            )
        )
        fixed = steady(run, [a.value for a in node.args])
        view = expressions.viewed(receiver, node, fixed) if fixed is not None else None
        return replace(receiver, rank=rank, holds="", view=view, elements=None, shape="")
    value = table_call(run, env, node, "ndarray." + name, entry, arguments, receiver)
    if name == "astype" and arguments.positional:
        asked = arguments.positional[0]
        value = replace(value, dtype=dtype_of(asked[0], asked[1]), rank=receiver.rank)
    if name == "copy":
        value = replace(value, dtype=receiver.dtype, rank=receiver.rank)
    elif not receiver.device:  # the method of what may be NumPy's array; a copy becomes JAX's
        value = replace(value, device=False)
    return replace(value, deps=value.deps | receiver.deps)


def _container_method(run: Run, env: Env, func: cst.Attribute, receiver: Value, arguments: Arguments) -> Value:
    name = func.attr.value
    key = path_of(func.value)
    added = NOTHING.union(*(v.memory for v in arguments.values()))
    if name in ("append", "extend", "insert", "add", "update", "setdefault", "__setitem__"):
        if key is not None:
            deps = receiver.deps | _deps(arguments)
            if any(updates.held_apart(v) and v.memory and v.memory <= receiver.memory for v in arguments.values()):
                added |= {f"{SHARED}{key}"}  # it is in the container twice
            env[key] = replace(
                receiver,
                memory=receiver.memory | added,
                elements=None,
                deps=deps,
                traced=receiver.traced or _traced(arguments),
                dtype="",
            )
        else:
            run.escape(env, *arguments.values())
        updates.container_changed(run, env, func, key, receiver, *arguments.values())
    elif name in ("pop", "popitem", "remove", "clear", "sort", "reverse") and key is not None and key in env:
        env[key] = replace(receiver, elements=None)
    if receiver.kind is Kind.STRING:
        for value in arguments.values():
            expressions.need(run, func, value, "it is put into a string")
        return Value(Kind.STRING)
    if name in ("copy", "items", "values"):
        return replace(receiver, kind=receiver.kind if name == "copy" else Kind.OBJECT, view=None, holds="", elements=None)
    if name in ("index", "count"):
        return scalar("int", receiver.deps, receiver.traced)
    return Value(Kind.UNKNOWN, deps=receiver.deps | _deps(arguments), traced=receiver.traced, memory=receiver.memory | added)


# --- builtins ------------------------------------------------------------------------------------------------------------


def _builtin(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    values = arguments.values()
    deps, traced = _deps(arguments), _traced(arguments)
    first = values[0] if values else UNKNOWN
    memory = NOTHING.union(*(v.memory for v in values))
    if name == "setattr":
        run.escape(env, *values)
    if name == "print" or name in ("open", "input", "exec", "eval", "setattr", "delattr", "globals", "locals", "vars"):
        run.impure[node] = f"it calls `{name}`"
        return Value(Kind.NONE) if name == "print" else Value(Kind.OBJECT)
    match name:
        case "len":
            return expressions.STATIC_INT
        case "isinstance" | "hasattr" | "callable" | "issubclass" | "type" | "id":
            if name in ("type", "hasattr") or (
                name == "isinstance" and len(node.args) == 2 and _names_number(run, node.args[1].value)
            ):
                if (first.deps or first.traced) and first.kind in (Kind.UNKNOWN, Kind.SCALAR):
                    run.impure[node] = "it asks for the type of a number, which jit makes an array of"
            return scalar("bool")
        case "abs":
            dtype = {"complex128": "float64", "complex64": "float32"}.get(first.dtype, first.dtype)
            if first.kind is Kind.ARRAY:
                return replace(first, dtype=dtype, memory=new_memory(run, env, node), holds="", view=None)
            return Value(
                first.kind if first.kind is Kind.SCALAR else Kind.UNKNOWN, dtype, first.rank, deps, traced, first.device, NOTHING
            )
        case "range":
            for expression, value in arguments.positional:
                expressions.need(run, expression, value, "it sets the number of turns of a loop")
            return Value(Kind.OBJECT, "int", deps=deps, name="range")
        case "int" | "float" | "bool" | "complex":
            if values:
                expressions.need(run, node, first, f"{name}() makes a Python number of it")
            return Value(Kind.SCALAR, name, 0, deps, first.traced)
        case "enumerate":
            return Value(
                Kind.OBJECT,
                deps=deps,
                traced=traced,
                memory=memory,
                elements=(expressions.STATIC_INT, _item(run, env, first)),
                name="pairs",
            )
        case "zip":
            return Value(
                Kind.OBJECT,
                deps=deps,
                traced=traced,
                memory=memory,
                elements=tuple(_item(run, env, v) for v in values),
                name="pairs",
            )
        case "reversed" | "iter" | "sorted":
            if name == "sorted":
                expressions.need(run, node, first, "Python sorts it")
            return replace(first, elements=None, view=None, holds="")
        case "list" | "tuple":
            kind = Kind.LIST if name == "list" else Kind.TUPLE
            item = _item(run, env, first) if values else UNKNOWN
            return Value(
                kind,
                item.dtype if item.kind is Kind.SCALAR else "",
                deps=deps,
                traced=traced,
                memory=memory,
                name="shape" if first.name == "shape" and name == "tuple" else "",
                fresh=name == "list",
            )
        case "max" | "min" | "sum" | "any" | "all" | "round" | "divmod" | "pow":
            if name in ("max", "min", "any", "all") and (len(values) > 1 or name in ("any", "all", "max", "min")):
                expressions.need(run, node, Value(deps=deps, traced=traced), f"{name}() compares in Python")
            if name in ("max", "min", "sum") and len(values) == 1:
                return replace(_item(run, env, first), view=None, holds="")
            joined = join_all(values)
            return Value(
                joined.kind if joined.kind in (Kind.SCALAR, Kind.ARRAY) else Kind.UNKNOWN,
                joined.dtype,
                joined.rank,
                deps,
                traced,
                joined.device,
                memory,
            )
        case "slice":
            return Value(Kind.OBJECT, deps=deps, traced=traced, name="slice")
        case "str" | "repr" | "format":
            expressions.need(run, node, first, "it is put into a string")
            return Value(Kind.STRING)
        case "dict" if arguments.keywords and not arguments.positional and not arguments.starred:
            return Value(Kind.DICT, deps=deps, traced=traced, memory=memory, elements=tuple(values))
        case "dict":
            return Value(Kind.DICT, deps=deps, traced=traced, memory=memory)
        case "super":
            return Value(Kind.UNKNOWN, name="builtins.super")
    if name not in PURE_BUILTINS:
        run.impure[node] = f"it calls `{name}`"
    return Value(Kind.UNKNOWN, deps=deps, traced=traced, memory=memory)


def _names_number(run: Run, node: cst.BaseExpression) -> bool:
    """Whether a type, or one of several, is one of numbers."""
    if isinstance(node, (cst.Tuple, cst.List)):
        return any(_names_number(run, e.value) for e in node.elements)
    if isinstance(node, cst.BinaryOperation):
        return _names_number(run, node.left) or _names_number(run, node.right)
    name = run.scopes.qualname(node) or ""
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    known = ("builtins.int", "builtins.float", "builtins.complex", "builtins.bool")
    return name in known or name.startswith("numbers.") or (entry is not None and entry.kind == "dtype")


def _item(run: Run, env: Env, iterable: Value) -> Value:
    """What iterating over a value gives, each time."""
    return expressions.part_of(iterable, _element(run, env, iterable))


def _element(run: Run, env: Env, iterable: Value) -> Value:
    if iterable.name == "range" or iterable.name == "shape":
        return scalar("int", iterable.deps)
    if iterable.name == "pairs":
        return Value(Kind.TUPLE, deps=iterable.deps, traced=iterable.traced, memory=iterable.memory, elements=iterable.elements)
    if iterable.elements and iterable.kind is not Kind.DICT:
        return replace(join_all(iterable.elements), view=None, holds="")
    if iterable.kind is Kind.ARRAY:
        if iterable.rank == 1:
            return Value(Kind.SCALAR, iterable.dtype, 0, iterable.deps, iterable.traced or iterable.device, iterable.device)
        return Value(
            Kind.ARRAY,
            iterable.dtype,
            iterable.rank - 1 if iterable.rank > 1 else -1,
            iterable.deps,
            iterable.traced,
            iterable.device,
            iterable.memory,
        )
    if iterable.kind is Kind.LIST and iterable.dtype:
        return Value(Kind.SCALAR, iterable.dtype, 0, iterable.deps, iterable.traced)
    if iterable.kind is Kind.STRING:
        return Value(Kind.STRING)
    return Value(Kind.UNKNOWN, deps=iterable.deps, traced=iterable.traced, memory=iterable.memory)


# --- the project's own ---------------------------------------------------------------------------------------------------


def project(run: Run, env: Env, node: cst.CSTNode, name: str, arguments: Arguments) -> Value:
    """A call of a function of the project, whose summary tells what it does."""
    params = run.facts.functions[name].params
    matched: list[tuple[str, cst.BaseExpression, Value]] = []
    for position, (expression, value) in enumerate(arguments.positional):
        if position < len(params):
            matched.append((params[position], expression, value))
        else:
            matched.append(("*", expression, value))
    matched += [(key, expression, value) for key, (expression, value) in arguments.keywords.items()]
    plain = tuple(
        (
            p,
            replace(
                v,
                view=None,
                elements=None if v.elements is None else tuple(replace(e, view=None, elements=None) for e in v.elements),
            ),
        )
        for p, _e, v in matched
    )
    run.call(env, node, CallFact(name, (("*", UNKNOWN), *plain) if arguments.starred else plain))
    fact = run.function(name)
    assert fact is not None
    for _parameter, _expression, value in matched:
        if value.kind is Kind.FUNCTION and value.name in run.facts.functions:
            run.escapes.add(value.name)
    if fact.sows and not run.facts.random_on_host:
        if isinstance(run.source.parents.get(node), cst.Expr) and not run.depth:
            run.sites[node] = Site(node, GLOBAL_STATE, seeds=True)
        else:
            run.refuses[name] = ("NJ301", "it seeds NumPy's random state, and is called inside an expression")
    run.numbers |= {v.holds for p, _e, v in matched if p in fact.numbers and v.holds in run.guessed}
    seen: dict[str, str] = {}
    for parameter, expression, value in matched:
        if parameter in fact.mutates and value.kind not in (Kind.SCALAR, Kind.NONE, Kind.STRING):
            for other, _other_expression, other_value in matched:
                once = (parameter, other) not in fact.read_later and other not in fact.mutates and not fact.retains
                if once and other in fact.params:
                    continue  # it is not read any more when the array is changed
                if other != parameter and other_value.memory & value.memory and (other, parameter) not in seen.items():
                    seen[parameter] = other
                    run.refuses[name] = (
                        "NJ204",
                        f"`{name.rpartition('.')[2]}` changes `{parameter}`, which shares memory with its argument `{other}`",
                    )
            if value.kind in (Kind.LIST, Kind.TUPLE, Kind.DICT, Kind.OBJECT):
                continue
            updates.written_argument(run, env, node, expression, value, parameter)
        if value.kind in (Kind.OBJECT, Kind.UNKNOWN, Kind.DICT, Kind.LIST) and (key := path_of(expression)) is not None:
            drop_paths(env, key)
    for parameter, expression, value in matched:
        if parameter in fact.touches or (parameter == "*" and not fact.touches <= set(fact.params)):
            run.touched |= value.memory
            run.host_uses |= value.origin
        if parameter in fact.items:
            run.items |= value.memory
            if why := updates.items_elsewhere(run, env, expression, value):
                run.refuses[name] = ("NJ203", f"it changes arrays in `{parameter}`, and {why}")
    if fact.changes:
        run.touched |= fact.changes
        for other, held in env.items():
            if (
                held.memory & fact.changes
                and held.kind in (Kind.ARRAY, Kind.UNKNOWN)
                and "." not in other
                and updates.is_live(run, other)
            ):
                run.refuses[name] = ("NJ203", f"it changes an array that a caller holds as `{other}`")
    if fact.retains:
        run.escape(env, *(v for _p, _e, v in matched))
    by_name = {p: v for p, _e, v in matched}
    memory: set[str] = set()
    for token in fact.result.memory:
        if token.startswith("param:"):
            memory |= by_name[token[6:]].memory if token[6:] in by_name else {"?"} if arguments.starred else set()
        elif token.startswith(("new:", "old:")):
            memory |= new_memory(run, env, node)
        else:
            memory.add(token)
    holds = by_name[fact.result.holds].holds if fact.result.holds in by_name else ""
    elements = None
    if fact.result.elements is not None:
        elements = tuple(_substitute(run, env, node, e, by_name, position) for position, e in enumerate(fact.result.elements))
    traced = fact.result.traced or (any(v.traced for v in by_name.values()) and bool(fact.result.deps))
    deps = (
        NOTHING.union(*(by_name[d].deps for d in map(expressions.whole, fact.result.deps) if d in by_name))
        if fact.result.deps
        else NOTHING
    )
    if any(by_name[d].traced for d in map(expressions.whole, fact.result.deps) if d in by_name):
        traced = True
    if fact.result.kind is Kind.UNKNOWN and fact.result == UNKNOWN:
        return Value(
            Kind.UNKNOWN,
            deps=_deps(arguments),
            traced=True,
            memory=NOTHING.union(*(v.memory for v in by_name.values())) | {"?"},
            origin=frozenset({name}),
        )
    origin = frozenset({name}) if fact.result.kind in MADE_OF_ARRAYS else NOTHING
    if elements is not None:
        elements = tuple(replace(e, origin=origin) for e in elements)
    return replace(
        fact.result,
        origin=origin,
        shape=run.tokens.get(node, ""),
        memory=frozenset(memory),
        holds=holds,
        view=None,
        elements=elements,
        deps=deps,
        traced=traced,
    )


def _substitute(run: Run, env: Env, node: cst.CSTNode, value: Value, by_name: Mapping[str, Value], position: int) -> Value:
    memory: set[str] = set()
    for token in value.memory:
        if token.startswith("param:"):
            memory |= by_name[token[6:]].memory if token[6:] in by_name else set()
        elif token.startswith(("new:", "old:")):
            memory |= {f"{m}.{token.partition(':')[2]}" for m in new_memory_once(run, env, node)}
        else:
            memory.add(token)
    traced = value.traced or bool(value.deps)
    return replace(value, memory=frozenset(memory), holds="", view=None, deps=NOTHING, traced=traced, shape="")  # its own names


def new_memory_once(run: Run, env: Env, node: cst.CSTNode) -> frozenset[str]:
    """The token of a call that was given one just now, without ageing it."""
    token = run.tokens.get(node)
    return frozenset({token}) if token is not None else new_memory(run, env, node)


def only_here(run: Run, env: Env, value: Value, others: Sequence[Value]) -> bool:
    """Whether nobody but the function that is called will hold an array."""
    if any(not m.startswith("new:") for m in value.memory) or any(o.memory & value.memory for o in others):
        return False
    held = env.get("<escaped>", UNKNOWN)
    return not held.memory & value.memory and not any(
        h.memory & value.memory and updates.is_live(run, name) for name, h in env.items() if not name.startswith(("!", "<"))
    )


def _instance(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    """An instance of a class of the project: what is given to it may be kept in it."""
    method = run.facts.method(name, "__init__")
    if method is not None:
        fact = run.facts.functions.get(method)
        if fact is not None:
            params = fact.params[1:]
            matched = [(params[i] if i < len(params) else "*", v) for i, (_e, v) in enumerate(arguments.positional)]
            matched += [(k, v) for k, (_e, v) in arguments.keywords.items()]
            plain = tuple((p, replace(v, view=None, elements=None)) for p, v in matched)
            alone = frozenset(p for p, v in matched if only_here(run, env, v, [o for _p, o in matched if o is not v]))
            run.call(env, node, CallFact(method, plain, alone=alone))
    elif (fields := run.facts.record(name)) or arguments.starred:
        _record(run, env, name, fields, arguments)
    run.impure[node] = f"it makes an instance of `{name.rpartition('.')[2]}`"
    memory = NOTHING.union(*(v.memory for v in arguments.values()))
    return Value(Kind.OBJECT, deps=_deps(arguments), memory=memory, name=name)


def _record(run: Run, env: Env, name: str, fields: Sequence[str], arguments: Arguments) -> None:
    """A dataclass is made: its fields are bound to what is given."""
    given = [(fields[i] if i < len(fields) else "*", v) for i, (_e, v) in enumerate(arguments.positional)]
    given += [(key, v) for key, (_e, v) in arguments.keywords.items()]
    for field, value in given:
        if value.kind in (Kind.SCALAR, Kind.STRING, Kind.NONE):
            continue
        run.host_uses |= value.origin
        apart = only_here(run, env, value, [v for _f, v in given if v is not value])
        stores = fields if arguments.starred else (field,)
        run.attr_stores |= {f"{'new:' if apart and not arguments.starred else ''}{name}.{f}" for f in stores}


__all__ = ["Arguments", "Need", "call", "join"]
