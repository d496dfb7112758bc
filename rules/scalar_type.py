"""A test of whether a value is one of NumPy's scalars, or a key that is one.

What JAX computes is an array of rank 0 and no instance of `np.floating`, `np.float64` or `float`. Where the value certainly
comes from JAX the test is always false, and the function is kept, as it is where such a value is the key of a dict; elsewhere
the test stays NumPy's, for the numbers that callers hand in.

```python
import numpy as np


def count(n, x: np.ndarray):
    if not isinstance(n, (int, np.integer)):
        raise TypeError("n must be an integer")
    return np.sum(x) * n
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np


def count(n, x: jax.Array):
    if not isinstance(n, (int, np.integer)):
        raise TypeError("n must be an integer")
    return jnp.sum(x) * n
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from . import numpy_table
from .annotations import asked_for
from .context import Context
from .model import Finding, Kind
from .registry import Rule

rule = Rule(__name__, "NJ108")
NUMBERS = ("builtins.float", "builtins.int", "builtins.complex", "numbers.Number", "numbers.Real", "numbers.Integral")


@rule.on(cst.Call)
def instance(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if ctx.qualname(node.func) != "builtins.isinstance" or len(node.args) != 2:
        return
    if _names_number(node.args[1].value, ctx):
        yield from _about(node, node.args[0].value, ctx)


@rule.on(cst.Comparison)
def type_compared(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    match node:
        case cst.Comparison(left=cst.Call(func=func, args=[argument]), comparisons=[cst.ComparisonTarget(comparator=right)]):
            if ctx.qualname(func) == "builtins.type" and _names_number(right, ctx):
                yield from _about(node, argument.value, ctx)


@rule.on(cst.DictElement, cst.Set, cst.Subscript)
def hashed(node: cst.DictElement | cst.Set | cst.Subscript, ctx: Context) -> Iterator[Finding]:
    keys: list[cst.BaseExpression] = []
    if isinstance(node, cst.DictElement):
        keys = [node.key]
    elif isinstance(node, cst.Set):
        keys = [e.value for e in node.elements]
    elif ctx.kind(node.value) is Kind.DICT:
        keys = [p.slice.value for p in node.slice if isinstance(p.slice, cst.Index)]
    for key in keys:
        known = ctx.value(key)
        if (known.device or ctx.converted_result(key)) and known.kind is Kind.SCALAR:
            yield Finding(key, "what JAX computes is an array of rank 0, which has no hash, and cannot be a key", blocks=True)


def _names_number(node: cst.BaseExpression, ctx: Context) -> bool:
    if isinstance(node, (cst.Tuple, cst.List)):
        return any(_names_number(e.value, ctx) for e in node.elements)
    if isinstance(node, cst.BinaryOperation):
        return _names_number(node.left, ctx) or _names_number(node.right, ctx)
    name = ctx.qualname(node) or ""
    if name in NUMBERS:
        return True
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    return entry is not None and entry.kind == "dtype" and asked_for(node, ctx)


def _about(node: cst.BaseExpression, value: cst.BaseExpression, ctx: Context) -> Iterator[Finding]:
    known = ctx.value(value)
    if (known.device or ctx.converted_result(value)) and known.kind in (Kind.SCALAR, Kind.UNKNOWN):
        message = "what JAX computes is an array of rank 0 and no Python or NumPy number, so that this test would be false"
        yield Finding(node, message, blocks=True)
    elif known.kind in (Kind.SCALAR, Kind.UNKNOWN) and not known.static:
        yield Finding(node, "a number that JAX computed is an array of rank 0, and no instance of these types")
