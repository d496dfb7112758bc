"""A variable that a loop carries, and to which only some arms of an `if` before the loop give a value: None otherwise.

Python needs no value for what it does not read. A compiled loop carries the variable all the same, and None is a value without arrays.

```python
import numpy as np


def decayed(x: np.ndarray, keep: bool = False):
    level = 1.0
    if keep:
        history = np.zeros(len(x))
    for i in range(len(x)):
        level = level * x[i] + 0.5
        if keep:
            history[i] = level * level
    return (level, history) if keep else (level, None)
```

becomes

```python
import functools

import jax
import jax.numpy as jnp
from jax import lax


@functools.partial(jax.jit, static_argnames="keep")
def decayed(x: jax.Array, keep: bool = False):
    level = 1.0
    history = None
    if keep:
        history = jnp.zeros(len(x))

    def step(i, carry):
        level, history = carry
        level = level * x[i] + 0.5
        if keep:
            history = history.at[i].set(level * level)
        return level, history

    level, history = lax.fori_loop(0, len(x), step, (level, history))
    return (level, history) if keep else (level, None)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Statement
from ..core.registry import Rule
from ..facts.loop_plan import Carried
from ..syntax import builders

rule = Rule(__name__, "NJ425")


@rule.on(cst.For, cst.While)
def check(node: cst.For | cst.While, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node):
        case Carried(loop=found) if found.unset_at:
            pass
        case _:
            return
    for branch in dict.fromkeys(found.unset_at.values()):
        names = [name for name, at in found.unset_at.items() if at is branch]

        def before(names: list[str] = names) -> list[Statement]:
            return [builders.assigned((name,), cst.Name("None")) for name in names]

        said = ", ".join(f"`{name}`" for name in names)
        yield Finding(branch, f"{said}: None where no arm gives it a value, as the loop below carries it", before=before)
