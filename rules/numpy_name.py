"""Names of NumPy that `jax.numpy` has under the same or another name.

```python
import numpy as np


def standardize(x):
    return x / np.sqrt(np.mean(x**2, axis=0))
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def standardize(x):
    return x / jnp.sqrt(jnp.mean(x**2, axis=0))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from . import functional, numpy_table
from .context import Context
from .model import Finding
from .numpy_table.entry import Verdict
from .registry import Rule

rule = Rule(__name__, "NJ101")


@rule.on(cst.Name, cst.Attribute)
def check(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    parent = ctx.parent(node)
    if isinstance(parent, cst.Attribute) and (parent.attr is node or (ctx.qualname(parent) or "").startswith("numpy")):
        return
    if isinstance(parent, (cst.ImportAlias, cst.AsName)) or (isinstance(parent, cst.Param) and parent.name is node) or (isinstance(parent, cst.Arg) and parent.keyword is node):
        return
    if isinstance(node, cst.Name) and isinstance(parent, cst.ImportFrom):
        return
    dotted = ctx.qualname(node)
    if dotted is None or not dotted.startswith("numpy."):
        return
    entry = numpy_table.function(dotted)
    if entry is None or entry.verdict in (Verdict.HOST, Verdict.REFUSED):
        return
    if isinstance(parent, cst.Call) and parent.func is node and ctx.on_host(parent):
        return
    if not entry.target.startswith("jax"):
        return
    text, lines = ctx.name_of(entry.target)
    yield Finding(node, f"`{dotted}` is NumPy's", {node: lambda made: functional.dotted(text).with_changes(lpar=made.lpar, rpar=made.rpar)}, lines)
