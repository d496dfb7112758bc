"""Fill in a draw's template: the expression that a JAX expert writes for a call of `numpy.random`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from ..definitions import mentioned
from ..facts.draw import Draw, Facts
from ..syntax import builders
from ..syntax.tree import children
from .arguments import Arguments, broadcast, form_of, is_default, is_passed, number, parsed
from .shapes import Names, as_array, shape

_HOLE = re.compile(r"_np2jax_(\w+)_")
_OWN = "size_own"  # {size?}


def usual(dotted: str) -> str:
    """The usual spelling of a dotted JAX name: jnp.exp, jax.random.normal."""
    return re.sub(r"^jax\.numpy\b", "jnp", dotted)


def expression(
    draw: Draw, arguments: Arguments, keys: Sequence[cst.BaseExpression], facts: Facts, name: Names = usual
) -> cst.BaseExpression:
    """The expression that replaces a call, without enclosing parentheses. Only for calls for which `problem` is "".

    `arguments`: by NumPy's parameter, as they appear in the result. `keys`: one for each of `draw.keys`, in order.
    `facts(parameter)`: what is known of the argument. `name`: how the file spells a dotted name such as "jax.random.normal".
    """
    made = shape(draw, arguments, facts, name)
    parts: dict[str, cst.BaseExpression] = {"size": made}
    parts |= {f"{stem}_key": key for stem, key in zip(draw.keys, keys, strict=True)}
    left_out: set[str] = set()
    for parameter in draw.params:
        if parameter == "size" or parameter.startswith("*"):
            continue
        if is_default(draw, arguments, parameter) or not is_passed(arguments, parameter):
            left_out.add(parameter)
            parts[parameter] = parsed(draw.defaults[parameter])
        else:
            node = builders.bare(arguments[parameter])
            is_array = parameter in (*draw.arrays, *draw.vectors)
            parts[parameter] = as_array(node, facts(parameter), name) if is_array else node
    filling = _Filling(parts, left_out, frozenset(broadcast(draw, arguments, facts)), is_passed(arguments, "size"))
    filled = parsed(_spelled(form_of(draw, arguments, facts).template, name)).visit(_Fill(filling))
    assert isinstance(filled, cst.BaseExpression)
    return filled.deep_clone()


def uses(draw: Draw, arguments: Arguments, facts: Facts) -> Mapping[str, int]:
    """How often the expression reads each argument."""
    template = form_of(draw, arguments, facts).template
    counted = {p: template.count(f"{{{p}}}") for p in arguments}
    shapes = template.count("{size}")
    if "size" in arguments:
        counted["size"] = shapes + template.count("{size?}") if is_passed(arguments, "size") else 0
    if not is_passed(arguments, "size"):
        for parameter in broadcast(draw, arguments, facts):
            counted[parameter] += shapes
    return counted


def _spelled(template: str, name: Names) -> str:
    """A template in the file's spelling, with its holes as names."""
    holes = re.sub(r"{(\w+)}", r"_np2jax_\1_", template.replace("{size?}", f"{{{_OWN}}}"))
    for defined in mentioned(template):
        holes = re.sub(rf"\b{defined}\b", name(defined), holes)
    return re.sub(r"\b(jnp|jax)((?:\.\w+)+)", lambda m: name(("jax.numpy" if m[1] == "jnp" else "jax") + m[2]), holes)


class _Filling(NamedTuple):
    parts: Mapping[str, cst.BaseExpression]
    left_out: set[str]  # parameters at their defaults
    broadcast: frozenset[str]  # parameters that may be arrays
    sized: bool  # `size` is passed


def _hole(node: cst.CSTNode) -> str:
    found = _HOLE.fullmatch(node.value) if isinstance(node, cst.Name) else None
    return found[1] if found else ""


class _Fill(cst.CSTTransformer):
    def __init__(self, filling: _Filling) -> None:
        super().__init__()
        self.filling = filling

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        hole = _hole(original_node)
        return self.filling.parts["size" if hole == _OWN else hole] if hole else updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        pairs = [
            (before, after)
            for before, after in zip(original_node.args, updated_node.args, strict=True)
            if not self._goes(original_node, before)
        ]
        positional = [i for i, (before, _) in enumerate(pairs) if before.keyword is None]
        if positional:
            before, after = pairs[positional[-1]]
            if _hole(before.value) in ("size", _OWN) and isinstance(after.value, cst.Tuple) and not after.value.elements:
                del pairs[positional[-1]]
        args = [after.with_changes(comma=cst.MaybeSentinel.DEFAULT) for _, after in pairs]
        return updated_node.with_changes(args=args)

    def _goes(self, call: cst.Call, argument: cst.Arg) -> bool:
        """Whether an argument of the template is omitted."""
        hole = _hole(argument.value)
        if hole == _OWN:
            return not self.filling.sized and self.filling.broadcast <= _holes(call)
        return argument.keyword is not None and hole in self.filling.left_out

    def leave_Tuple(self, original_node: cst.Tuple, updated_node: cst.Tuple) -> cst.Tuple:
        """Expand `(*size, 1)` where `size` is a tuple display."""
        elements: list[cst.BaseElement] = []
        for element in updated_node.elements:
            inner = (
                element.value.elements
                if isinstance(element, cst.StarredElement) and isinstance(element.value, cst.Tuple)
                else [element]
            )
            elements += [e.with_changes(comma=cst.MaybeSentinel.DEFAULT) for e in inner]
        if len(elements) > 1:
            return updated_node.with_changes(elements=elements)
        return updated_node

    def leave_BinaryOperation(self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation) -> cst.BaseExpression:
        left, operator, right = updated_node.left, updated_node.operator, updated_node.right
        if _hole(original_node.left):
            value = number(left)
            if (value == 0 and isinstance(operator, cst.Add)) or (value == 1 and isinstance(operator, cst.Multiply)):
                return right
            if isinstance(left, cst.Integer) and isinstance(right, cst.Integer) and isinstance(operator, cst.Add):
                return cst.Integer(str(int(left.evaluated_value) + int(right.evaluated_value)))
            left = nested(left, operator)
        if _hole(original_node.right):
            if number(right) == 1 and isinstance(operator, cst.Divide):
                return left
            right = nested(right, operator, right=True)
        return updated_node.with_changes(left=left, right=right)

    def leave_UnaryOperation(self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation) -> cst.BaseExpression:
        if _hole(original_node.expression):
            return builders.negative(updated_node.expression)
        return updated_node


_ATOMS = (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.Integer, cst.Float, cst.List, cst.Tuple)


def nested(node: cst.BaseExpression, operator: cst.BaseBinaryOp, right: bool = False) -> cst.BaseExpression:
    """An operand, in parentheses if it needs them."""
    sums, products = (cst.Add, cst.Subtract), (cst.Multiply, cst.Divide)
    match node:
        case cst.BinaryOperation(operator=inner, lpar=[]) if not right:
            tighter = isinstance(inner, products) and isinstance(operator, (*sums, *products))
            free = tighter or (isinstance(inner, sums) and isinstance(operator, sums))
        case cst.BinaryOperation(operator=inner, lpar=[]):
            free = isinstance(inner, products) and isinstance(operator, sums)
        case cst.UnaryOperation(operator=cst.Minus(), lpar=[]):
            free = not right and isinstance(operator, (*sums, *products))
        case _:
            free = isinstance(node, _ATOMS)
    lines = not node.lpar and "\n" in cst.Module([]).code_for_node(node)  # a line may break only inside brackets
    return (
        node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if lines else node if free else builders.operand(node)
    )


def _holes(node: cst.CSTNode) -> frozenset[str]:
    """All holes in a part of a template."""
    if found := _hole(node):
        return frozenset({found})
    return frozenset().union(*map(_holes, children(node)))
