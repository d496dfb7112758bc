"""Elements selected by a boolean mask and then reduced, such as by a sum or a mean.

The number of selected elements depends on values, but JAX compiles for fixed shapes. The program reads the whole array, and the
mask says which elements count. An assignment under a mask, of a value computed from the same elements, selects between new and
old elements. Where an operation is undefined for the other elements (a root, a quotient), these are replaced by 1, so that
derivatives stay finite.

The length of the selection is the number of true elements. A mask of rank 1 selects along one axis of an array of higher rank:
`X[y == k].mean(axis=0)`. Where only the name of an axis, or the number of indices, implies these ranks, an `assert` checks
them. It also checks that an array and a mask made from another array (`x[labels == k].mean()`) have the same rank, where
nothing else implies it.

The function is not compiled where the selection is used in another way: where it is sorted or returned, where its length is a
size, or where it is combined with arrays that are not under the same mask.

```python
import numpy as np


def positive(x: np.ndarray):
    found = x[x > 0]
    mean = found.mean()
    x[x > 0] = np.sqrt(x[x > 0]) - mean
    return mean


def centre(X: np.ndarray):
    n, d = X.shape
    return X[X[:, 0] > 0].mean(axis=0)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def positive(x: jax.Array):
    mean = x.mean(where=x > 0)
    x = jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)) - mean, x).astype(x.dtype)
    return mean, x


@jax.jit
def centre(X: jax.Array):
    n, d = X.shape
    return X.mean(axis=0, where=(X[:, 0] > 0)[:, None])
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Statement
from ..core.registry import Rule
from ..facts.dynamic_slices import Fit
from ..syntax import builders
from ..syntax.source_text import line, verbatim
from . import mask_substitution, masks

rule = Rule(__name__, "NJ408")


@rule.on(*masks.EVALUATED)
def statement(node: cst.CSTNode, ctx: Context) -> Iterator[Finding]:
    root = masks.evaluated(node)
    ragged = ctx.slices.ragged(root)
    if ragged is None or not ragged.selection:
        return
    if ragged.unused:
        yield Finding(root, "the masked selection is replaced by the whole array", {root: lambda _made: cst.RemoveFromParent()})
        return
    imports = ctx.names.name_of("jax.numpy.where")[1]
    edits = mask_substitution.edits(ragged, ctx, {})
    yield Finding(root, "a mask on the whole array, instead of the elements that it selects", edits, imports)


@rule.on(cst.For, cst.While, cst.SimpleStatementLine, cst.If)
def fitting(node: cst.CSTNode, ctx: Context) -> Iterator[Finding]:
    """The ranks that a mask along one axis requires, asserted before the loops in which they are invariant."""
    fits = ctx.slices.fits(node)
    if not fits:
        return

    def before() -> Sequence[Statement]:
        return [line(f"assert {_fitting(fit, ctx)}") for fit in fits]

    yield Finding(node, "a mask selects from arrays of such shapes", before=before, early=True)


def _fitting(fit: Fit, ctx: Context) -> str:
    if fit.axes is None or isinstance(fit.rank, int):
        return f"{_dimensions(fit.array, ctx)} == {_dimensions(fit.rank, ctx)}"
    sides = zip((fit.array, fit.rank), fit.axes, strict=True)
    return " == ".join(f"{verbatim(ctx.rewritten(array))}.shape[{axis}]" for array, axis in sides)


def _dimensions(of: int | cst.BaseExpression, ctx: Context) -> str:
    if isinstance(of, int):
        return str(of)
    made = of if isinstance(of, cst.Attribute) else builders.operand(ctx.rewritten(of))  # a NumPy array has it, too
    return f"{verbatim(made)}.ndim"
