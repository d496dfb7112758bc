"""`x in (2, 3)`: whether a value is one of several numbers."""

from __future__ import annotations

import libcst as cst

from . import builders

MOST = 8  # the largest number of comparisons to write


def members(node: cst.Comparison) -> list[cst.BaseExpression]:
    """The numbers, or what may be numbers, among which a comparison looks for one; none for any other comparison."""
    match node:
        case cst.Comparison(
            left=left,
            comparisons=[
                cst.ComparisonTarget(
                    operator=cst.In() | cst.NotIn(),
                    comparator=cst.Tuple(elements=elements) | cst.List(elements=elements) | cst.Set(elements=elements) as among,
                )
            ],
        ) if 0 < len(elements) <= MOST and (isinstance(left, (cst.Name, cst.Subscript, cst.Attribute)) or is_number(left)):
            found = [e.value for e in elements]
            plain = not any(isinstance(e, cst.StarredElement) for e in elements)
            return found if plain and (type(among) is not cst.Set or all(map(is_number, found))) else []
    return []


def numbers(node: cst.Comparison) -> list[cst.BaseExpression]:
    """The number literals among which a comparison looks for a variable, or for an element of one."""
    found = members(node)
    return found if all(map(is_number, found)) else []


def compared(made: cst.Comparison) -> cst.BaseExpression:
    """`(x == 2) | (x == 3)`, `(x != 2) & (x != 3)`."""
    inside = isinstance(made.comparisons[0].operator, cst.In)
    pairs = [(made.left, member) for member in members(made)]
    pairs = [(b, a) if is_number(a) and not is_number(b) else (a, b) for a, b in pairs]
    each = [
        cst.Comparison(_side(a), [cst.ComparisonTarget(cst.Equal() if inside else cst.NotEqual(), _side(b))]) for a, b in pairs
    ]
    if len(each) == 1:
        return each[0].with_changes(lpar=made.lpar, rpar=made.rpar)
    whole: cst.BaseExpression = builders.operand(each[0])
    for one in each[1:]:
        whole = cst.BinaryOperation(whole, cst.BitOr() if inside else cst.BitAnd(), builders.operand(one))
    return whole.with_changes(lpar=made.lpar, rpar=made.rpar)


def is_number(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.operator, cst.Minus) and is_number(node.expression)
    return isinstance(node, (cst.Integer, cst.Float))


def _side(node: cst.BaseExpression) -> cst.BaseExpression:
    return builders.bare(node) if is_number(node) else builders.operand(node)
