"""A function whose behaviour differs in JAX, and that no rewrite can fix.

Where NumPy raises, JAX continues: a singular matrix gives NaN, an index out of bounds the last element. Other functions differ
for special values. The calls are converted, and the message says what to check: test the values where it matters
(`jnp.isfinite(x).all()`), or keep the NumPy call with `# np2jax: ignore`.

```python
import numpy as np


def solved(a: np.ndarray, b: np.ndarray):
    return np.linalg.solve(a, b)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def solved(a: jax.Array, b: jax.Array):
    return jnp.linalg.solve(a, b)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..facts.values import Value
from ..numpy_table.entry import Entry, Verdict
from ..syntax.argument_binding import bind
from ..syntax.tree import remembered, walk
from .jax_dtypes import numpy_dtype

rule = Rule(__name__, "NJ602")
SPELLED = {"infinit": {"inf", "Inf", "PINF", "NINF", "infty", "infinity"}, "NaN": {"nan", "NaN", "NAN"}}
# other rules know more about these
ELSEWHERE = ("ndarray.astype", "numpy.power", "numpy.pow", "numpy.vectorize", "numpy.apply_along_axis", "numpy.fromfunction")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = ctx.qualname(node.func) or ""
    if name.startswith("numpy."):
        entry = numpy_table.function(name) or numpy_table.ufunc_method(name)
        first = ctx.value(node.args[0].value) if node.args else None
    elif isinstance(node.func, cst.Attribute) and ctx.kind(node.func.value) is Kind.ARRAY:
        name = f"ndarray.{node.func.attr.value}"
        entry, first = numpy_table.method(node.func.attr.value), ctx.value(node.func.value)
    else:
        return
    if entry is None or entry.verdict in (Verdict.HOST, Verdict.REFUSED) or entry.kind == "dtype" or name in ELSEWHERE:
        return
    if ctx.host.on_host(node):
        return
    if entry.note and _holds(node, entry, first):
        yield Finding(node, f"`{name.removeprefix('ndarray')}`: {entry.note}")
    if entry.lenient:
        yield Finding(node, f"`{name.removeprefix('ndarray')}`: {entry.lenient}")
    if entry.edges and any(word in entry.edges for word in _named(_code(node, ctx))):
        yield Finding(node, f"`{name.removeprefix('ndarray')}`: other results for {entry.edges}")


def _code(node: cst.CSTNode, ctx: Context) -> cst.CSTNode:
    """The enclosing function of a call, or the module."""
    if ctx.unit.definition is not None:
        return ctx.unit.definition
    while (above := ctx.parent(node)) is not None:
        node = above
    return node


@remembered
def _named(function: cst.CSTNode) -> frozenset[str]:
    """The special values, infinities and NaN, that the code of a function names: they may be operands of a call in it."""
    names: set[str] = set()
    for node, _parent in walk(function):
        if isinstance(node, cst.Name):
            names.add(node.value)
        elif isinstance(node, cst.SimpleString):
            names.add(node.value.strip("'\"+-").lower())
    return frozenset(word for word, spelled in SPELLED.items() if not names.isdisjoint(spelled))


def _holds(node: cst.Call, entry: Entry, first: Value | None) -> bool:
    """Whether a note applies to this call."""
    if entry.note_if and not {parameter for _position, parameter in bind(node, entry)} & set(entry.note_if):
        return False
    if not entry.note_dtypes:
        return True
    return first is not None and numpy_dtype(first) in entry.note_dtypes
