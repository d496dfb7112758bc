"""How many items an iterable has that the syntax lists: `(-1, 0, 1)`, `range(3)`."""

from __future__ import annotations

import libcst as cst

from ....rules.facts.iteration_space import integer
from ...syntax.scopes import Scopes

MOST = 32  # items of all clauses of a comprehension, which jit may unroll


def items(node: cst.BaseExpression, scopes: Scopes) -> int | None:
    """The number of items; None where it depends on a variable."""
    match node:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return None if any(isinstance(e, cst.StarredElement) for e in elements) else len(elements)
        case cst.Call(func=func, args=args) if scopes.qualname(func) == "builtins.range":
            bounds = [None if a.star or a.keyword else integer(a.value) for a in args]
            whole = [bound for bound in bounds if bound is not None]
            return len(range(*whole)) if 0 < len(whole) == len(bounds) <= 3 and whole[2:] != [0] else None
    return None


def few(node: cst.BaseSimpleComp | cst.DictComp, scopes: Scopes) -> bool:
    """Whether a comprehension has few items, whatever the values of variables."""
    total = 1
    clause: cst.CompFor | None = node.for_in
    while clause is not None:
        count = items(clause.iter, scopes)
        if count is None:
            return False
        total *= count
        clause = clause.inner_for_in
    return total <= MOST
