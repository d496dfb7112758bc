"""Calls of Python's built-in functions."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, PYTHON, UNKNOWN, Value, replace
from ..branches import conditions
from ..loops.unpacked_items import unpacked
from ..parallel import builtin_reductions
from ..random import generators
from ..state.arguments import Arguments, any_traced, dependencies
from ..state.evaluation import KEY, TEXT, need
from ..state.interpreter_state import Run
from ..state.lattice import SEQUENCES, STATIC_INT, Env, count_of, join_all, scalar
from ..state.memory import new_memory
from . import dict_order, scalar_casts, subscripts

PURE_BUILTINS = frozenset(
    "abs all any bool complex dict divmod enumerate filter float frozenset getattr hasattr hash id int isinstance issubclass iter len list map max min "
    "next pow range repr reversed round set slice sorted str sum tuple type zip super object property format callable ord chr bytes divmod vars "
    "ValueError TypeError RuntimeError NotImplementedError IndexError KeyError ArithmeticError AssertionError Exception ZeroDivisionError".split()
)

THROUGH = frozenset(
    "sorted reversed iter list tuple set frozenset max min any all sum".split()
)  # these iterate over their argument

PYTREES = frozenset({"builtins.list", "builtins.tuple", "builtins.dict", "types.NoneType"})  # jit leaves these types as they are
FILTERED = "Python decides for each element whether it stays"

GIVE_TUPLES = frozenset(
    f"itertools.{name}" for name in "product permutations combinations combinations_with_replacement pairwise zip_longest".split()
)


def _attribute_name(node: cst.Call) -> str:
    """The attribute name passed to `setattr` or `getattr`; "*" if it is unknown."""
    match node.args:
        case [_, cst.Arg(value=cst.SimpleString() as name), *_]:
            return str(name.evaluated_value)
    return "*"


def builtin_call(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    values = arguments.values()
    deps, traced = dependencies(arguments), any_traced(arguments)
    first = values[0] if values else UNKNOWN
    memory = NOTHING.union(*(v.memory for v in values))
    if name == "setattr":
        run.escape(env, *values)
        run.store(f"{first.name if first.kind is Kind.OBJECT and first.name else '?'}.{_attribute_name(node)}", values[-1])
    if name in ("getattr", "vars"):
        cls = run.facts.root(first.name) if first.kind is Kind.OBJECT and first.name in run.facts.classes else "?"
        required = _attribute_name(node) if name == "getattr" else "*"
        memory |= {f"attr:{cls}.{required}"}
        if first.kind is Kind.ARRAY and (
            required == "*" or ((method := numpy_table.method(required)) is not None and method.writes)
        ):
            run.constraints.blocks[node] = (
                "NJ102",
                "it looks up a method of an array that may update it in place, which JAX cannot do",
            )
    if name == "vars" and first.kind is Kind.OBJECT:
        run.store(f"{first.name or '?'}.*", UNKNOWN)
    if name == "print" or name in ("open", "input", "exec", "eval", "setattr", "delattr", "globals", "locals", "vars"):
        run.constraints.impure[node] = f"it calls `{name}`"
        return Value(Kind.NONE) if name == "print" else Value(Kind.OBJECT, memory=memory if name == "vars" else NOTHING)
    if f"builtins.{name}" in dict_order.GOING:
        dict_order.goes_through(run, node, values)
    for expression, value in arguments.positional if name == "slice" else ():
        need(run, expression, value, "it bounds a slice")
    if name in THROUGH and len(values) == 1:  # the argument is not a number, which alone could be static
        deps = subscripts.part_of(first, Value(deps=deps)).deps
    match name:
        case "dict.fromkeys" if len(values) == 2:  # all items are the same object
            item = replace(values[1], view=None, holds="")
            return Value(Kind.DICT, deps=deps, traced=traced, memory=memory, elements=(item, item))
        case "len":
            return count_of(first)
        case "isinstance" | "hasattr" | "callable" | "issubclass" | "type" | "id":
            numbers = name == "isinstance" and len(node.args) == 2 and _names_number(run, node.args[1].value)
            arrays = name == "isinstance" and len(node.args) == 2 and asks_for_numpy(run, node.args[1].value)
            if numbers or arrays or name == "type":
                run.writes_into(first)  # in code left as NumPy, the test would fail for JAX arrays
                run.host.host_uses |= first.origin
            if name in ("type", "hasattr") or numbers:
                if (first.deps or first.traced) and first.kind in (Kind.UNKNOWN, Kind.SCALAR):
                    run.constraints.impure[node] = "it needs the type of a number, which jit makes an array"
            if (
                name in ("isinstance", "callable", "type")
                and is_given(first)
                and not (len(node.args) == 2 and _names_pytrees(run, node))
            ):
                run.constraints.impure[node] = "it needs the type of an argument, and jit accepts arrays only"
            return scalar("bool")
        case "abs":
            dtype = {"complex128": "float64", "complex64": "float32"}.get(first.dtype, first.dtype)
            if first.kind is Kind.ARRAY:
                return replace(first, dtype=dtype, memory=new_memory(run, env, node), holds="", view=None)
            kind = first.kind if first.kind is Kind.SCALAR else Kind.UNKNOWN
            return Value(kind, dtype, first.rank, deps, traced, first.device, NOTHING, number=first.number)
        case "range":
            for expression, value in arguments.positional:
                need(run, expression, value, "it determines the trip count of a loop")
            return Value(Kind.OBJECT, "int", deps=deps, name="range")
        case "int" | "float" | "bool" | "complex":
            number = len(node.args) == 1 and name != "complex" and scalar_casts.number(run, node, node.args[0].value, first)
            if values and not number:
                whole = replace(first, deps=deps, traced=traced)  # complex(re, im) needs both
                asked = node.args[0].value if len(node.args) == 1 else node  # a loop may not need it, but this call does
                need(run, asked, whole, f"{name}() makes it a Python number")
            return Value(Kind.SCALAR, name, 0, deps, traced, name=PYTHON if number else "")
        case "enumerate":
            return Value(
                Kind.OBJECT,
                deps=deps,
                traced=traced,
                memory=memory,
                elements=(STATIC_INT, item_of(run, env, first)),
                name="pairs",
            )
        case "map" if len(arguments.positional) == 2 and not arguments.starred:
            function = (run.scopes.qualname(arguments.positional[0][0]) or "").removeprefix("builtins.")
            if function in ("int", "float", "bool", "complex", "str"):
                need(run, *arguments.positional[1], f"{function}() needs its items in Python")
            return Value(Kind.UNKNOWN, deps=deps, traced=traced, memory=memory)
        case "zip" if arguments.starred:
            return Value(Kind.OBJECT, deps=deps, traced=traced, memory=memory)
        case "zip":
            return Value(
                Kind.OBJECT,
                deps=deps,
                traced=traced,
                memory=memory,
                elements=tuple(item_of(run, env, v) for v in values),
                name="pairs",
            )
        case "sorted" if first.kind is Kind.DICT:
            return Value(Kind.LIST, fresh=True)  # keys: static, and in the order that JAX uses, too
        case "reversed" | "iter" | "sorted":
            if name == "sorted":
                need(run, node, replace(first, deps=deps), "Python sorts it")
            return replace(first, deps=deps, elements=None, view=None, holds="", copied=name == "sorted")
        case "chr" | "hash":
            need(run, node, first, f"{name}() needs a Python number")
            return scalar("int", deps, traced) if name == "hash" else Value(Kind.STRING)
        case "filter":
            need(run, node, Value(deps=NOTHING.union(*(subscripts.part_of(v, v).deps for v in values)), traced=traced), FILTERED)
            return Value(Kind.UNKNOWN, deps=deps, traced=traced, memory=memory)
        case "set" | "frozenset":
            need(run, node, replace(first, deps=deps), KEY)
            return Value(Kind.OBJECT, deps=deps, traced=traced, memory=memory)
        case "list" | "tuple":
            kind = Kind.LIST if name == "list" else Kind.TUPLE
            if arguments.positional:
                unpacked(run, node, arguments.positional[0][0])
            item = item_of(run, env, first) if values else UNKNOWN
            return Value(
                kind,
                item.dtype if item.kind is Kind.SCALAR else "",
                deps=deps,
                traced=traced,
                memory=memory,
                name="shape" if first.name == "shape" and name == "tuple" else "",
                fresh=name == "list",
                nested=item.kind in SEQUENCES,
            )
        case "max" | "min" | "sum" | "any" | "all" if (
            found := builtin_reductions.reduction_operands(run, node, name)
        ) is not None and not found.unsure:
            return builtin_reductions.result(run, env, node, name, found, item_of(run, env, first))
        case "max" | "min" | "sum" | "any" | "all" | "round" | "divmod" | "pow":
            compiled = conditions.extremum(run, node) if name in ("max", "min") else ()
            if name == "round" and len(arguments.positional) > 1:
                need(run, *arguments.positional[1], "it is a number of digits")
            if name == "pow" and len(values) > 2:
                need(run, node, Value(deps=deps, traced=traced), "pow() with a modulus needs Python integers")
            if name in ("max", "min", "any", "all") and not compiled:
                need(run, node, Value(deps=deps, traced=traced), f"{name}() compares in Python")
            if compiled:
                values = [*compiled]
            elif name in ("max", "min", "sum") and len(values) == 1:
                return replace(item_of(run, env, first), view=None, holds="")
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
            need(run, node, first, TEXT)
            return Value(Kind.STRING)
        case "dict" if arguments.keywords and not arguments.positional and not arguments.starred:
            return Value(Kind.DICT, deps=deps, traced=traced, memory=memory, elements=tuple(values), copied=True)
        case "dict":
            return Value(Kind.DICT, deps=deps, traced=traced, memory=memory, copied=True)
        case "super":
            return Value(Kind.UNKNOWN, name="builtins.super")
    if name not in PURE_BUILTINS:
        run.constraints.impure[node] = f"it calls `{name}`"
    return Value(Kind.UNKNOWN, deps=deps, traced=traced, memory=memory)


def asks_for_numpy(run: Run, types: cst.BaseExpression) -> bool:
    """Whether the types passed to `isinstance` include NumPy arrays, but not JAX arrays."""
    named = {run.scopes.qualname(t) for t in generators.alternatives(types)}
    return "numpy.ndarray" in named and "jax.Array" not in named


def is_given(value: Value) -> bool:
    """Whether a value may be an argument, or an item of one, and so of any type, whatever annotations and documentation say."""
    return bool(value.deps) and any(m.startswith("param:") for m in value.memory)


def _names_pytrees(run: Run, node: cst.Call) -> bool:
    """Whether `isinstance` asks only for types that jit leaves as they are."""
    return all(run.scopes.qualname(t) in PYTREES for t in generators.alternatives(node.args[1].value))


def _names_number(run: Run, node: cst.BaseExpression) -> bool:
    """Whether a type, or one of several, is a numeric type."""
    if isinstance(node, (cst.Tuple, cst.List)):
        return any(_names_number(run, e.value) for e in node.elements)
    if isinstance(node, cst.BinaryOperation):
        return _names_number(run, node.left) or _names_number(run, node.right)
    name = run.scopes.qualname(node) or ""
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    known = ("builtins.int", "builtins.float", "builtins.complex", "builtins.bool")
    return name in known or name.startswith("numbers.") or (entry is not None and entry.kind == "dtype")


def item_of(run: Run, env: Env, iterable: Value) -> Value:
    """The value of each item of an iterable."""
    dict_order.items(run, iterable)
    item = subscripts.part_of(iterable, _element(run, env, iterable))
    return replace(item, origin=item.origin | iterable.origin, item=item.kind is Kind.ARRAY and item.rank < 0)


def _element(run: Run, env: Env, iterable: Value) -> Value:
    if iterable.name == "range" or iterable.name == "shape":
        return scalar("int", iterable.deps)
    if iterable.name == "pairs":
        return Value(Kind.TUPLE, deps=iterable.deps, traced=iterable.traced, memory=iterable.memory, elements=iterable.elements)
    if iterable.kind is Kind.UNKNOWN and iterable.name in GIVE_TUPLES:
        return Value(Kind.TUPLE, deps=iterable.deps, traced=iterable.traced, memory=iterable.memory)
    if iterable.kind is Kind.LIST and (collection := generators.in_collection(iterable)) is not None:
        return collection
    if iterable.kind is Kind.OBJECT and (collection := generators.in_collection(replace(iterable, kind=Kind.DICT))) is not None:
        return Value(Kind.TUPLE, elements=(UNKNOWN, collection))  # from `.items()`
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
