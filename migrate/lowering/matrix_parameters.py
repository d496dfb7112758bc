"""Parameters of which items are looked up by several numbers, `A[i, j]`, and used as numbers: arrays of so many dimensions."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...rules.core.facts import UNKNOWN
from ...rules.core.findings import Kind
from ...rules.syntax import builders
from ..analysis.inference.usage_inference import asserted_rank
from ..rewriting.unit_context import UnitContext
from ..syntax import liveness
from ..syntax.bindings import parameters
from .forms.form import Body
from .forms.rank_assertions import as_number, is_number

COPIES = ("numpy.copy", "numpy.array", "numpy.asarray", "numpy.asfarray")


def matrices(owner: cst.FunctionDef, context: UnitContext) -> Iterator[tuple[str, int]]:
    """The parameters and their numbers of dimensions, where nothing else tells, and nothing is done with an item that needs an array."""
    source, values = context.module.source, context.run.values
    body = Body(source, context.module.scopes, owner, liveness.live(owner), {}, values, set())
    said = {asserted_rank(node)[0] for node in source.among(owner.body, cst.Assert)}
    assigned = list(source.among(owner.body, cst.Assign))
    for parameter in parameters(owner.params):
        name = parameter.name.value
        held = {name}
        for node in assigned:
            if _copied(node.value, context) in held:
                held |= {t.target.value for t in node.targets if isinstance(t.target, cst.Name)}
        reads = [n for n in source.among(owner.body, cst.Name) if n.value in held]
        known = [values.get(n, UNKNOWN) for n in reads]
        if (
            name in said
            or held & body.captured
            or not any(v.kind is Kind.ARRAY for v in known)
            or any(v.rank >= 0 for v in known)
        ):
            continue
        if any(_binds(node, held) and _copied(node.value, context) not in held for node in assigned):
            continue
        subscripts = [at for n in reads if isinstance(at := source.parents[n], cst.Subscript) and at.value is n]
        items = [
            s
            for s in subscripts
            if all(isinstance(p.slice, cst.Index) and is_number(p.slice.value, body) for p in builders.flat(s.slice))
        ]
        rank = max((len(builders.flat(s.slice)) for s in subscripts), default=0)
        items = [s for s in items if len(builders.flat(s.slice)) == rank]
        if rank >= 2 and items and all(as_number(node, body) for node in _made_of(items, assigned, body)):
            yield name, rank


def _copied(node: cst.BaseExpression, context: UnitContext) -> str:
    """The variable of which an expression is a copy, or that it is."""
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
    """Items, and the reads of variables that are bound to what is computed of them."""
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
