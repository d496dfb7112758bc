"""Assignment to the shape of an array.

The shape of a JAX array cannot be set. The variable is rebound to the reshaped array, and so is every alias of it. Assignments
to `.real`, `.imag` and `.flat` are updates of a part of the array: see NJ201.

```python
import numpy as np


def grid(x: np.ndarray, y: np.ndarray):
    x.shape = y.shape = (2, -1)
    return x + y
```

becomes

```python
import jax


@jax.jit
def grid(x: jax.Array, y: jax.Array):
    x = x.reshape((2, -1))
    y = y.reshape((2, -1))
    return x + y, x, y
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen.array_updates import rebinding, refreshed, several
from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ223")


@rule.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    if _is_shape(node.target) and isinstance(node.target, cst.Attribute) and ctx.kind(node.target.value) is Kind.ARRAY:
        yield Finding(node, "the shape of an array is assigned by an augmented assignment", blocks=True)


@rule.on(cst.Assign)
def check(node: cst.Assign, ctx: Context) -> Iterator[Finding]:
    targets = [t.target for t in node.targets]
    updates = {u.steps[-1]: u for u in ctx.effects.updates(node) if u.steps and _is_shape(u.steps[-1]) and not u.problem}
    if not updates:
        return
    if not all(t in updates for t in targets):
        yield Finding(node, "a shape is assigned together with something else", blocks=True)
        return
    where = [u.access_path for u in updates.values()]

    def edit(made: cst.Assign) -> object:
        statements: list[cst.BaseSmallStatement] = []
        shape = made.value
        if len(targets) > 1 and not _simple(shape):
            name = ctx.names.fresh("shape")
            statements.append(cst.Assign([cst.AssignTarget(cst.Name(name))], shape))
            shape = cst.Name(name)
        for target in targets:
            update = updates[target]
            assert update.target is not None
            value = builders.method(ctx.rewritten(update.target), "reshape", _enclosed(shape))
            statements += [rebinding(update, value, ctx), *refreshed(update, ctx)]
        return several(statements)

    yield Finding(node, f"the shape of `{'`, `'.join(where)}` is assigned", {node: edit})


def _is_shape(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == "shape"


def _simple(node: cst.BaseExpression) -> bool:
    if isinstance(node, (cst.Tuple, cst.List)):
        return all(_simple(e.value) for e in node.elements)
    if isinstance(node, cst.UnaryOperation):
        return _simple(node.expression)
    return isinstance(node, (cst.Name, cst.Integer))


def _enclosed(shape: cst.BaseExpression) -> cst.BaseExpression:
    """The shape `2, 3` in parentheses."""
    if isinstance(shape, cst.Tuple) and not shape.lpar:
        return shape.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return shape
