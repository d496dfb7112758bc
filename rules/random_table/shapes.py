"""The shape of a draw's result, as the tuple that JAX takes for NumPy's `size`."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ..core.findings import Kind
from ..facts.draw import Draw, Facts
from ..facts.ranks import rank_of
from ..facts.values import Value
from ..syntax import builders
from .arguments import SEQUENCES, Arguments, broadcast, is_passed, number

Names = Callable[[str], str]  # how the file spells a dotted name of JAX


def shape(draw: Draw, arguments: Arguments, facts: Facts, name: Names) -> cst.BaseExpression:
    """The shape that `size` specifies; without it, the shape to which the parameters broadcast."""
    if "*d" in draw.params:
        return _dimensions(arguments["*d"])
    if is_passed(arguments, "size"):
        return _asked(arguments["size"], facts, name)
    parts: list[cst.BaseExpression] = []
    seen: set[str] = set()
    for parameter in broadcast(draw, arguments, facts):
        known = facts(parameter).shape
        part = _shape_of(arguments[parameter], facts(parameter), name)
        if not {known, source := cst.Module([]).code_for_node(part)} & seen:
            parts.append(part)
        seen |= {known, source} - {""}
    if not parts:
        return cst.Tuple([])
    return parts[0] if len(parts) == 1 else builders.call(builders.dotted(name("jax.numpy.broadcast_shapes")), *parts)


def dimensions(draw: Draw, arguments: Arguments, facts: Facts) -> int:
    """The number of dimensions of the shape that `size` specifies, or defaults to; -1 if unknown."""
    if "*d" in draw.params or is_passed(arguments, "size"):
        node = arguments["*d" if "*d" in draw.params else "size"]
        if isinstance(node, (cst.Tuple, cst.List)):
            return -1 if any(isinstance(e, cst.StarredElement) for e in node.elements) else len(node.elements)
        value = facts("size")
        if value.kind in SEQUENCES:
            return -1 if value.elements is None else len(value.elements)
        return 1 if value.kind is Kind.SCALAR or number(node) is not None else -1
    ranks = [rank_of(facts(p)) for p in broadcast(draw, arguments, facts)]
    return -1 if -1 in ranks else max(ranks, default=0)


def _asked(size: cst.BaseExpression, facts: Facts, name: Names) -> cst.BaseExpression:
    value = facts("size")
    match size:
        case cst.Tuple():
            return size
        case cst.List(elements=elements):
            return cst.Tuple(elements)
        case cst.Attribute(attr=cst.Name(value="shape")):
            return size
    if value.kind is Kind.TUPLE:
        return size
    if value.kind is Kind.LIST:
        return builders.call(cst.Name("tuple"), size)
    if value.kind is Kind.SCALAR or value.number or number(size) is not None:
        return cst.Tuple([cst.Element(builders.bare(size), comma=cst.Comma())])
    return builders.call(builders.dotted(name("jax.numpy.broadcast_shapes")), size)  # of a number n, this is (n,)


def _dimensions(given: cst.BaseExpression) -> cst.BaseExpression:
    """The shape in rand(2, n) and rand(*shape)."""
    assert isinstance(given, cst.Tuple)
    match given.elements:
        case [cst.StarredElement(value=whole)]:
            return builders.bare(whole)
        case [cst.Element(value=only)]:
            return cst.Tuple([cst.Element(builders.bare(only), comma=cst.Comma())])
    return given


def _shape_of(node: cst.BaseExpression, value: Value, name: Names) -> cst.BaseExpression:
    match node:
        case cst.List(elements=elements) | cst.Tuple(elements=elements) if all(number(e.value) is not None for e in elements):
            return cst.Tuple([cst.Element(cst.Integer(str(len(elements))), comma=cst.Comma())])
    if value.kind is Kind.ARRAY:
        return cst.Attribute(builders.operand(node), cst.Name("shape"))
    return builders.call(builders.dotted(name("jax.numpy.shape")), as_array(node, value, name))


def as_array(node: cst.BaseExpression, value: Value, name: Names) -> cst.BaseExpression:
    """A list or tuple as an array: `jnp.array([0, 1])` for a display, `jnp.asarray(xs)` otherwise; other values unchanged."""
    node = builders.bare(node)
    display = isinstance(node, (cst.List, cst.Tuple, cst.ListComp))
    if not display and value.kind not in SEQUENCES:
        return node
    return builders.call(builders.dotted(name(f"jax.numpy.{'array' if display else 'asarray'}")), node)
