"""A variable that is first bound in a loop and read after it: it gets an initial value before the loop.

`for k in range(n): x_new = step(x); if close(x_new, x): break; x = x_new`, then `return x_new`: in JAX, `x_new` is a loop-carried
value, which needs an initial value of the same shape before the first iteration. `x` has that shape, since iterations assign
`x_new` to it.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules.syntax import builders
from ...syntax.bindings import parameters
from .form import Body, DesugaredStatement


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, (cst.For, cst.While)) or statement.orelse is not None:
        return None
    if isinstance(statement, cst.For) and statement.asynchronous is not None:
        return None
    earlier = _earlier(statement, body)
    starts = [(name, w) for name in _first_bound(statement, body) if (w := _taken_by(name, statement, earlier, body))]
    starts = [(name, w) for name, w in starts if name not in {*earlier, *body.captured} and _is_required(name, statement, body)]
    if not starts:
        return None
    lines = [builders.assigned((name,), cst.Name(w)) for name, w in starts]
    what = f"what {', '.join(f'`{name}`' for name, _w in starts)} holds before the loop"
    return DesugaredStatement(what, {statement: lambda made: cst.FlattenSentinel([*lines, made])})


def _earlier(loop: cst.CSTNode, body: Body) -> set[str]:
    """The names that are mentioned before a loop."""
    found = {parameter.name.value for parameter in parameters(body.owner.params)}
    at = loop
    while at is not body.owner:
        for line in body.before(at):
            found |= {n.value for n in body.source.among(line, cst.Name)}
        above = body.source.parents[at]
        assert above is not None
        if isinstance(above, (cst.For, cst.While)):  # a previous iteration may have bound any of its variables
            found |= {n.value for n in body.source.among(above, cst.Name)}
        at = above
    return found


def _first_bound(loop: cst.For | cst.While, body: Body) -> Iterator[str]:
    """The variables that each iteration binds unconditionally, before any other mention of them."""
    seen = {n.value for n in body.source.among(loop.test if isinstance(loop, cst.While) else loop.iter, cst.Name)}
    for line in builders.lines(loop.body):
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            match small:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                    if name not in seen and all(n.value != name for n in body.source.among(value, cst.Name)):
                        yield name
        seen |= {n.value for n in body.source.among(line, cst.Name)}


def _taken_by(name: str, loop: cst.For | cst.While, earlier: set[str], body: Body) -> str:
    """A variable from before the loop to which an iteration assigns `name`; "" if there is none."""
    for line in builders.lines(loop.body):
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            match small:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=taker))], value=cst.Name(value=taken)):
                    if taken == name and taker in earlier:
                        return taker
    return ""


def _is_required(name: str, loop: cst.For | cst.While, body: Body) -> bool:
    """Whether a variable is read after a loop, or in a `return` of it."""
    returned = [r for r in body.source.among(loop, cst.Return) if any(n.value == name for n in body.source.among(r, cst.Name))]
    return bool(returned) or name in body.live.after.get(loop, frozenset())


__all__ = ["desugar"]
