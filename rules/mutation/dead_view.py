"""A view that exists only to update its base.

The base is updated directly, so the view is not needed.

```python
import numpy as np


def border(grid: np.ndarray, value):
    edge = grid[0]
    edge[:] = value
    return grid.sum()
```

becomes

```python
import jax


@jax.jit
def border(grid: jax.Array, value):
    grid = grid.at[0].set(value)
    return grid.sum(), grid
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..syntax.tree import children

rule = Rule(__name__, "NJ219", optional=True)
SILENCES = re.compile(r"#\s*np2jax:")  # a comment for np2jax says nothing that would be lost with the line


@rule.on(cst.SimpleStatementLine)
def check(node: cst.SimpleStatementLine, ctx: Context) -> Iterator[Finding]:
    match node.body:
        case [
            cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Subscript() | cst.Attribute() as view)
        ]:
            pass
        case _:
            return
    beside = node.trailing_whitespace.comment
    if any(line.comment is not None for line in node.leading_lines) or (beside is not None and not SILENCES.match(beside.value)):
        return
    parent = ctx.parent(node)
    body = list(getattr(parent, "body", ()))
    at = body.index(node) if node in body else len(body)
    follows = body[at + 1] if at + 1 < len(body) else None
    if not isinstance(follows, cst.SimpleStatementLine) or len(follows.body) != 1 or len(body) < 2:
        return
    change = follows.body[0]
    updates = ctx.effects.updates(change)
    if len(updates) != 1 or updates[0].problem or updates[0].access_path == name or not updates[0].access_path:
        return
    match change:
        case cst.AugAssign(target=target, value=value) | cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
            pass
        case _:
            return
    written = target.value if isinstance(target, cst.Subscript) else target
    if not (isinstance(written, cst.Name) and written.value == name) or name in names_in(value):
        return
    if isinstance(target, cst.Subscript) and any(name in names_in(part) for part in target.slice):
        return
    refreshed = {other for other, _view in updates[0].refresh}
    if name in ctx.flow.live_after(follows) and name not in refreshed:
        return
    said = [part for fit in ctx.slices.fits(follows) for part in (fit.array, fit.rank) if not isinstance(part, int)]
    if any(name in names_in(part) for part in said):
        return
    known = ctx.value(view)
    if known.view is None:
        return
    yield Finding(
        node, f"`{name}` exists only to change `{updates[0].access_path}`", {node: lambda _made: cst.RemoveFromParent()}
    )


def names_in(node: cst.CSTNode) -> set[str]:
    found: set[str] = set()
    stack: list[cst.CSTNode] = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, cst.Name):
            found.add(at.value)
        stack.extend(children(at))
    return found
