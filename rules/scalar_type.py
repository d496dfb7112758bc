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
from .syntax import children

rule = Rule(__name__, "NJ108")
NO_HASH = "what JAX computes is an array of rank 0, which has no hash, and cannot be a key"
HASHING = ("add", "discard", "remove")
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


@rule.on(cst.Comparison)
def identity(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    """`np.allclose(x, y) is True`: an array of rank 0 is neither."""
    for left, right in (
        (node.left, part.comparator) for part in node.comparisons if isinstance(part.operator, (cst.Is, cst.IsNot))
    ):
        if isinstance(right, cst.Name) and right.value in ("True", "False") and _is_jax(left, ctx):
            yield Finding(node, f"what JAX computes is an array of rank 0, and never `{right.value}` itself", blocks=True)


@rule.on(cst.Call)
def hashed_by_call(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if not node.args or node.args[0].star:
        return
    of_a_set = isinstance(node.func, cst.Attribute) and node.func.attr.value in HASHING and _is_set(node.func.value, ctx)
    of_a_dict = (
        isinstance(node.func, cst.Attribute)
        and node.func.attr.value in ("get", "setdefault", "pop")
        and ctx.kind(node.func.value) is Kind.DICT
    )
    key = node.args[0].value
    if (of_a_set or of_a_dict or ctx.qualname(node.func) == "builtins.hash") and _has_no_hash(key, ctx):
        yield Finding(key, NO_HASH, blocks=True)


@rule.on(cst.DictElement, cst.Set, cst.Subscript, cst.DictComp, cst.SetComp)
def hashed(node: cst.DictElement | cst.Set | cst.Subscript | cst.DictComp | cst.SetComp, ctx: Context) -> Iterator[Finding]:
    keys: list[cst.BaseExpression] = []
    if isinstance(node, (cst.DictElement, cst.DictComp)):
        keys = [node.key]
    elif isinstance(node, cst.SetComp):
        keys = [node.elt]
    elif isinstance(node, cst.Set):
        keys = [e.value for e in node.elements]
    elif ctx.kind(node.value) is Kind.DICT:
        keys = [p.slice.value for p in node.slice if isinstance(p.slice, cst.Index)]
    for key in keys:
        if _has_no_hash(key, ctx):
            yield Finding(key, NO_HASH, blocks=True)


def _is_set(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a variable is bound to a set somewhere in the function."""
    if not isinstance(node, cst.Name) or ctx.definition is None:
        return False
    seen: list[cst.CSTNode] = [ctx.definition.body]
    while seen:
        match at := seen.pop():
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if name == node.value:
                if isinstance(value, (cst.Set, cst.SetComp)):
                    return True
                if isinstance(value, cst.Call) and ctx.qualname(value.func) == "builtins.set":
                    return True
        seen += children(at)
    return False


def _has_no_hash(node: cst.BaseExpression, ctx: Context) -> bool:
    """A number of JAX's, or an element of an array: where NumPy's array of unknown rank has a hash, its rank is 0."""
    known = ctx.value(node)
    return _is_jax(node, ctx) or (known.kind is Kind.ARRAY and known.rank <= 0)


def _is_jax(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it is a number that JAX computed, or that an array of JAX holds."""
    known = ctx.value(node)
    return known.kind is Kind.SCALAR and (known.device or known.traced or ctx.converted_result(node))


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
