"""Statements of a function that checks, prints or draws move into a function of their own, which `jit` compiles.

The function around them stays NumPy, with its checks, messages and random draws, and accepts and returns what it did. The new function
takes the arrays and numbers that the statements read, and returns the arrays that are read after them, which become NumPy arrays again.
As many statements in a row as possible move, where NumPy takes longer for them than a call of compiled code does, for small arrays and
for large ones. This is done with `--placement fast` only.

A statement stays if `jit` cannot compile it, if it draws, if it makes an array of an argument that may be a list, or if an array that
it makes is a view of another one or is shared. To compile more: keep checks and printing apart from the computation, and annotate the
parameters.

```python
import numpy as np


def moments(r: np.ndarray, force: np.ndarray):
    if not np.isfinite(r).all():
        raise ValueError("a position is missing")
    spin = np.cross(r, force)
    return np.cross(spin, r) + 2.0 * np.cross(force, spin)
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def _moments_core(r: jax.Array, force: jax.Array):
    spin = jnp.cross(r, force)
    return jnp.cross(spin, r) + 2.0 * jnp.cross(force, spin)


def moments(r: np.ndarray, force: np.ndarray):
    if not np.isfinite(r).all():
        raise ValueError("a position is missing")
    return np.array(_moments_core(r, force))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.unit import STATEMENTS

rule = Rule(__name__, "NJ424", optional=True)


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is ctx.unit.definition and ctx.unit.moved == STATEMENTS:
        owner = ctx.unit.moved_from
        yield Finding(
            node, f"statements of `{owner}` move into a function of their own, which jit compiles", {node: lambda made: made}
        )
