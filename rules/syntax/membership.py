"""`x in (2, 3)`: whether a value is one of several number literals."""

from __future__ import annotations

import libcst as cst

from . import builders

MOST = 4  # the largest number of comparisons to write


def numbers(node: cst.Comparison) -> list[cst.BaseExpression]:
    """The numbers among which a comparison looks for a variable, or for an element of one; none for any other comparison."""
    match node:
        case (
            cst.Comparison(
                left=cst.Name() | cst.Subscript() | cst.Attribute(),
                comparisons=[
                    cst.ComparisonTarget(
                        operator=cst.In() | cst.NotIn(), comparator=cst.Tuple(elements=elements) | cst.List(elements=elements)
                    )
                ],
            )
            | cst.Comparison(
                left=cst.Name() | cst.Subscript() | cst.Attribute(),
                comparisons=[cst.ComparisonTarget(operator=cst.In() | cst.NotIn(), comparator=cst.Set(elements=elements))],
            )
        ) if 0 < len(elements) <= MOST:
            found = [e.value for e in elements]
            return found if all(map(_is_number, found)) else []
    return []


def compared(made: cst.Comparison) -> cst.BaseExpression:
    """`(x == 2) | (x == 3)`, `(x != 2) & (x != 3)`."""
    inside = isinstance(made.comparisons[0].operator, cst.In)
    each = [
        cst.Comparison(made.left, [cst.ComparisonTarget(cst.Equal() if inside else cst.NotEqual(), builders.bare(number))])
        for number in numbers(made)
    ]
    if len(each) == 1:
        return each[0].with_changes(lpar=made.lpar, rpar=made.rpar)
    whole: cst.BaseExpression = builders.operand(each[0])
    for one in each[1:]:
        whole = cst.BinaryOperation(whole, cst.BitOr() if inside else cst.BitAnd(), builders.operand(one))
    return whole.with_changes(lpar=made.lpar, rpar=made.rpar)


def _is_number(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.operator, cst.Minus) and _is_number(node.expression)
    return isinstance(node, (cst.Integer, cst.Float))
