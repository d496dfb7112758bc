"""Parameters with elements read by several indices, `A[i, j]`, and used as scalars: arrays whose rank is the number of
indices."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context.unit_context import UnitContext
from ..syntax import liveness
from .forms.form import Body
from .forms.rank_assertions import as_number, is_number, open_arrays, subscripts_of

COPIES = ("numpy.copy", "numpy.array", "numpy.asarray", "numpy.asfarray")


def matrices(owner: cst.FunctionDef, context: UnitContext) -> Iterator[tuple[str, int]]:
    """The parameters with their ranks, if nothing else tells the rank and no element is used as an array."""
    source, values = context.analysed.module.source, context.analysed.run.values
    body = Body(source, context.analysed.module.scopes, owner, liveness.live(owner), {}, values, set())
    assigned = list(source.among(owner.body, cst.Assign))

    def slice_aliases(name: str) -> set[str]:
        held = {name}
        for node in assigned:
            if _copied(node.value, context) in held:
                held |= {t.target.value for t in node.targets if isinstance(t.target, cst.Name)}
        return held

    for name, held, reads in open_arrays(owner, body, slice_aliases):
        if any(_binds(node, held) and _copied(node.value, context) not in held for node in assigned):
            continue
        parts = subscripts_of(reads, body)
        rank = max(map(len, parts.values()), default=0)
        items = [
            node
            for node, each in parts.items()
            if len(each) == rank and all(isinstance(p, cst.Index) and is_number(p.value, body) for p in each)
        ]
        if rank >= 2 and items and all(as_number(node, body) for node in _made_of(items, assigned, body)):
            yield name, rank


def _copied(node: cst.BaseExpression, context: UnitContext) -> str:
    """The variable that an expression copies, or that it is."""
    match node:
        case (
            cst.Name(value=name) | cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="copy")), args=[])
        ):
            return name
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name), star=""), *_rest]) if context.qualname(func) in COPIES:
            return name
    return ""


def _binds(node: cst.Assign, names: set[str]) -> bool:
    return any(isinstance(t.target, cst.Name) and t.target.value in names for t in node.targets)


def _made_of(items: list[cst.Subscript], assigned: list[cst.Assign], body: Body) -> Iterator[cst.CSTNode]:
    """Elements, and the reads of variables bound to values computed from them."""
    found, work = set[cst.CSTNode](), list[cst.CSTNode](items)
    while work:
        node = work.pop()
        if node in found:
            continue
        found.add(node)
        yield node
        for each in assigned:
            if body.source.inside(node, each.value):
                names = {t.target.value for t in each.targets if isinstance(t.target, cst.Name)}
                work += [n for n in body.source.among(body.owner.body, cst.Name) if n.value in names and not _is_bound(n, body)]


def _is_bound(node: cst.Name, body: Body) -> bool:
    return isinstance(body.source.parents[node], (cst.AssignTarget, cst.AugAssign))
