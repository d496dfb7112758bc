"""Which operations JAX computes, and which of their operands have an unknown dtype."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Kind
from ..dtypes.inexact import is_inexact
from ..dtypes.jax_dtypes import numpy_dtype
from ..dtypes.possible_dtypes import bound_names, parameters
from ..facts.loop_plan import Carried
from ..facts.values import NOTHING, PYTHON, UNKNOWN
from ..syntax.source_text import code
from ..syntax.tree import assigned_values, remembered, walk

NUMBERS = (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN)
ARRAYS = (Kind.ARRAY, Kind.UNKNOWN)
LONGEST = 40


def runs_in_jax(ctx: Context, *operands: cst.BaseExpression) -> bool:
    """Whether JAX computes an operation on these numbers, and not Python: some operand may be an array of JAX or is traced."""
    values = [ctx.value(operand) for operand in operands]
    if any(value.kind not in NUMBERS for value in values):
        return False
    return any(
        value.device
        or value.kind is Kind.ARRAY
        or not ctx.is_static(operand)
        or (value.kind is Kind.UNKNOWN and bool(value.deps))
        for operand, value in zip(operands, values, strict=True)
    )


def known_dtype(node: cst.BaseExpression, ctx: Context) -> str:
    """The dtype of a number, "" where it is not known."""
    value = ctx.value(node)
    if value.kind is Kind.UNKNOWN:
        return dtypes.strong(value.dtype) if value.dtype == "bool" else ""
    return numpy_dtype(value)


def may_be_integer(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a number may be an integer or a bool."""
    dtype = known_dtype(node, ctx)
    return dtypes.category(dtype) < 2 if dtype else not is_inexact(node, ctx.value, ctx.qualname)


def may_be_bool(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a number of unknown dtype may be a bool."""
    return not known_dtype(node, ctx) and may_be_integer(node, ctx)


def may_be_item(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a variable of unknown rank is computed from an element of an array, so that it may be a number."""
    if not isinstance(node, cst.Name) or ctx.value(node).rank >= 0 or ctx.unit.definition is None:
        return False
    every = (value for value in bound_to(ctx.unit.definition).get(node.value, ()) if value is not None)
    return any(isinstance(part, cst.Index) for value in every for part, _above in walk(value))


def candidates(node: cst.BaseExpression, ctx: Context) -> tuple[str, ...]:
    """The dtypes that a number may have."""
    if dtype := known_dtype(node, ctx):
        return (dtype,)
    inexact = not may_be_integer(node, ctx)
    return tuple(dtype for dtype in dtypes.BITS if not inexact or dtypes.category(dtype) >= 2)


def jax_candidate(node: cst.BaseExpression, dtype: str, ctx: Context) -> str:
    """The dtype with which a number takes part in the promotion of JAX, where it has this one in NumPy."""
    value = ctx.value(node)
    if value.weak:
        return dtypes.weak(dtype)
    return dtypes.strong(dtype) if value.name == PYTHON or (dtype == "int" and _varies(node, ctx)) else dtype


def carried_dtypes(node: cst.For | cst.While, ctx: Context) -> dict[str, str]:
    """Loop-carried parameters of unknown dtype to which everything that is assigned has one."""
    plan, owner = ctx.loops.loop_plan(node), ctx.unit.definition
    if not isinstance(plan, Carried) or not isinstance(owner, cst.FunctionDef):
        return {}
    reads = [n for n, above in walk(node.body) if isinstance(n, cst.Name) and not isinstance(above, cst.AssignTarget)]
    found = {}
    for parameter in parameters(owner):
        if parameter in plan.loop.carry and parameter not in plan.loop.typed:
            made = {known_dtype(value, ctx) for name, value in _assigned(owner) if name == parameter}
            if (
                len(made) == 1
                and made <= dtypes.BITS.keys()
                and all(not ctx.value(n).dtype for n in reads if n.value == parameter)
            ):
                found[parameter] = made.pop()
    return found


def _assigned(owner: cst.FunctionDef) -> Iterator[tuple[str, cst.BaseExpression]]:
    for inner, _above in walk(owner.body):
        if isinstance(inner, cst.Assign):
            for target in inner.targets:
                yield from assigned_values(target.target, inner.value)


def _varies(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether an integer of Python is traced in a loop, where it may be an element of an array of indices."""
    at, static = ctx.parent(node), ctx.is_static(node)
    while not static and at is not None and not isinstance(at, (cst.FunctionDef, cst.Lambda)):
        if isinstance(at, (cst.For, cst.GeneratorExp, cst.ListComp)):
            return True
        at = ctx.parent(at)
    return False


def open_operands(node: cst.BaseExpression, ctx: Context, seen: frozenset[str] = NOTHING) -> Iterator[str]:
    """The variables and attributes of unknown dtype from which an expression is computed; for a number, the arrays from whose items it is
    computed. `seen`: variables that are left out."""
    match node:
        case cst.Name():
            value = ctx.value(node)
            if value.dtype or value == UNKNOWN or value.kind not in NUMBERS or node.value in seen:
                return
            number = value.kind is Kind.SCALAR or (value.kind is Kind.ARRAY and (value.rank == 0 or value.number))
            yield from _origins(node, ctx, seen) if number else [code(node)]
        case cst.Attribute(value=base) if ctx.kind(base) is Kind.OBJECT or (ctx.qualname(node) or "").startswith("numpy."):
            if ctx.kind(node) in ARRAYS and not ctx.value(node).dtype:
                yield code(node)
        case cst.Attribute(value=base) | cst.Subscript(value=base):  # an index has no influence on the dtype
            yield from open_operands(base, ctx, seen)
        case cst.Call(func=func, args=args):
            if isinstance(func, cst.Attribute) and not ctx.qualname(func):
                yield from open_operands(func.value, ctx, seen)
            for argument in args:
                yield from open_operands(argument.value, ctx, seen)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for element in elements:
                yield from open_operands(element.value, ctx, seen)
        case cst.BinaryOperation(left=left, right=right) | cst.BooleanOperation(left=left, right=right):
            yield from open_operands(left, ctx, seen)
            yield from open_operands(right, ctx, seen)
        case cst.UnaryOperation(expression=inner):
            yield from open_operands(inner, ctx, seen)
        case cst.IfExp(body=body, orelse=orelse):
            yield from open_operands(body, ctx, seen)
            yield from open_operands(orelse, ctx, seen)


def _origins(number: cst.Name, ctx: Context, seen: frozenset[str]) -> Iterator[str]:
    """The arrays from whose items a number is computed, wherever it is bound; the number itself where that is not known."""
    name, definition = number.value, ctx.unit.definition
    bound = bound_to(definition).get(name, []) if definition is not None else []
    given = parameters(definition).get(name) if definition is not None else None
    if None in bound or not (bound or given is not None) or (given is not None and not ctx.value(given).dtype):
        yield code(number)
    for each in bound:
        if each is not None:
            yield from open_operands(each, ctx, seen | {name})


@remembered
def bound_to(definition: cst.FunctionDef) -> dict[str, list[cst.BaseExpression | None]]:
    """What the variables of a function are bound to or combined with, or the arrays whose items they are; None for anything else."""
    found = dict[str, list[cst.BaseExpression | None]]()
    for node, _above in walk(definition.body):
        match node:
            case cst.Assign(targets=targets, value=value):
                pairs: list[tuple[str, cst.BaseExpression | None]] = []
                for target in targets:
                    known = dict(assigned_values(target.target, value))
                    pairs += [*known.items(), *((name, None) for name in bound_names(target.target) if name not in known)]
            case (
                cst.AugAssign(target=cst.Name(value=name), value=value) | cst.AnnAssign(target=cst.Name(value=name), value=value)
            ):
                pairs = [(name, value)]
            case cst.For(target=target, iter=cst.Call(func=cst.Name(value="enumerate"), args=[counted])):
                pairs = [*_items_of(target, [None, counted.value])]
            case cst.For(target=target, iter=cst.Call(func=cst.Name(value="zip"), args=args)):
                pairs = [*_items_of(target, [argument.value for argument in args])]
            case cst.For(target=target, iter=iterable) | cst.CompFor(target=target, iter=iterable):
                pairs = [*_items_of(target, None if isinstance(target, (cst.Tuple, cst.List)) else iterable)]
            case _:
                continue
        for name, each in pairs:
            found.setdefault(name, []).append(each)
    return found


def _items_of(
    target: cst.BaseExpression, arrays: cst.BaseExpression | Sequence[cst.BaseExpression | None] | None
) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    match target:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            every = arrays if isinstance(arrays, Sequence) and len(arrays) == len(elements) else [None] * len(elements)
            for element, array in zip(elements, every, strict=True):
                yield from _items_of(element.value, array)
        case cst.Name(value=name):
            yield name, None if isinstance(arrays, Sequence) else arrays


def subject(*nodes: cst.BaseExpression, ctx: Context, verbs: tuple[str, str] = ("is", "are")) -> str:
    """What a condition is about, with its verb: "`a` and `b` are"."""
    found = list(dict.fromkeys(name for node in nodes for name in open_operands(node, ctx)))
    if not found:
        return f"{quoted(nodes[0])} {verbs[0]}"
    return f"{joined([f'`{name}`' for name in found], 'and')} {verbs[len(found) > 1]}"


def quoted(node: cst.CSTNode) -> str:
    """The code of a node for a message."""
    text = " ".join(code(node).split())
    return f"`{text}`" if len(text) <= LONGEST else f"`{text[:LONGEST]}...`"


def joined(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
