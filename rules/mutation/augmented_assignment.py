"""Augmented assignment to a whole array.

In NumPy, `x += y` updates the array itself: every alias sees the update, and the dtype stays. In JAX it rebinds the name `x`.
The assignment is written out, with a cast where JAX would promote the dtype. If `x` is an argument, the function returns it. A
NumPy scalar is rebound in NumPy too, and takes the promoted dtype.

```python
import numpy as np


def damp(state: np.ndarray, rate):
    state *= rate
    return state
```

becomes

```python
import jax


@jax.jit
def damp(state: jax.Array, rate):
    state = (state * rate).astype(state.dtype)
    return state
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen.array_updates import Writer, rebinding, refreshed, several
from ..context import Context
from ..core import dtypes
from ..core.findings import Finding, Kind
from ..core.registry import Rule

rule = Rule(__name__, "NJ203")


@rule.on(cst.AugAssign)
def check(node: cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    for update in ctx.effects.updates(node):
        if update.problem or update.target is None or update.steps:
            continue
        given = ctx.value(node.value)
        alone = (
            not update.param
            and not update.refresh
            and isinstance(node.target, cst.Name)
            and node.target.value == update.access_path
        )
        if alone and dtypes.keeps(update.value.dtype, given.dtype, node.operator):
            continue  # the array has no alias: the statement means the same in JAX
        if alone and ctx.plan.jax:
            continue  # already a JAX array: the statement rebinds the name
        if alone and update.value.rank < 0 and _refused(update.value.dtype, given.dtype):
            continue  # NumPy raises if it is an array
        array = update.value.rank > 0 or update.value.dtype not in ("", *dtypes.PYTHON)
        array |= update.value.kind is Kind.ARRAY and update.value.device
        number = update.value.number or not (array or ctx.host.is_device_value(update.value))
        if alone and number and all(m.startswith(("new:", "old:")) for m in update.value.memory):
            continue  # it may be a Python number, which has no dtype to preserve
        writer = Writer(ctx, update, node.operator, node.value, given)

        def edit(made: cst.AugAssign, writer: Writer = writer) -> object:
            writer.value = made.value
            return several([rebinding(writer.update, writer.expression(), ctx), *refreshed(writer.update, ctx)])

        yield Finding(node, f"`{update.access_path}` is changed in place", {node: edit})


def _refused(array: str, value: str) -> bool:
    """Whether NumPy does not store the result of an operation on an array and a value in that array."""
    made = dtypes.promote(array, value)
    return bool(made) and dtypes.category(made) > dtypes.category(array) and array not in dtypes.PYTHON
