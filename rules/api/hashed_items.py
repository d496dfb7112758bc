"""A set of the elements of an array, which JAX cannot hash.

NumPy scalars are hashable; each element of a JAX array is an array, and is not. `.tolist()` converts all of them to Python
numbers.

```python
import numpy as np


def classes(y: np.ndarray):
    return len(set(y))
```

becomes

```python
import jax


def classes(y: jax.Array):
    return len(set(y.tolist()))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ116")
HASHING = ("builtins.set", "builtins.frozenset", "collections.Counter")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if ctx.qualname(node.func) not in HASHING or len(node.args) != 1 or node.args[0].keyword or node.args[0].star:
        return
    if ctx.kind(node.args[0].value) is Kind.ARRAY and not ctx.plan.traceable:
        yield Finding(node, "the items of an array are hashed", {node: _numbers})


def _numbers(made: cst.CSTNode) -> cst.CSTNode:
    assert isinstance(made, cst.Call)
    numbers = builders.method(builders.operand(made.args[0].value), "tolist")
    return made.with_changes(args=[made.args[0].with_changes(value=numbers)])
