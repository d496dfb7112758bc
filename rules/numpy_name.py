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
from .annotations import asked_for, in_annotation
from .context import Context
from .model import Finding, Kind
from .numpy_table.entry import Entry, Verdict
from .registry import Rule

rule = Rule(__name__, "NJ101")
NARROWED = {"float64": "float32", "complex128": "complex64", "int64": "int32", "uint64": "uint32"}
ADAPTATIONS = ("cast", "cast_for", "add", "rename", "positional")


@rule.on(cst.Name, cst.Attribute)
def check(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    parent = ctx.parent(node)
    if isinstance(parent, cst.Attribute) and (parent.attr is node or (ctx.qualname(parent) or "").startswith("numpy")):
        return
    if isinstance(parent, (cst.ImportAlias, cst.AsName, cst.Param)) or (isinstance(parent, cst.Arg) and parent.keyword is node):
        return
    if isinstance(node, cst.Name) and isinstance(parent, cst.ImportFrom):
        return
    dotted = ctx.qualname(node)
    if dotted is None or not dotted.startswith("numpy.") or (isinstance(node, cst.Name) and not ctx.imported(node)):
        return
    entry = numpy_table.function(dotted) or numpy_table.ufunc_method(dotted)
    called = isinstance(parent, cst.Call) and parent.func is node
    if entry is None or entry.verdict in (Verdict.HOST, Verdict.REFUSED):
        return
    if isinstance(parent, cst.Call) and called and (ctx.on_host(parent) or _host_scalar(parent, entry, ctx)):
        return
    if entry.kind == "dtype" and asked_for(node, ctx):
        return  # rules.scalar_type
    if in_annotation(node, ctx) or (dotted == "numpy.ndarray" and not called):
        return  # rules.array_type
    if entry.verdict is Verdict.EXPRESSION and not called:
        yield from _constant(node, dotted, entry, ctx)
        return
    if not entry.target.startswith("jax"):
        return
    if not called and entry.kind not in ("dtype", "module") and entry.params and (why := _other_function(entry)):
        yield Finding(node, f"`{dotted}` is used as a value, and {why}; write `lambda` and call it", blocks=True)
        return
    target = narrowed(entry.target) if entry.kind == "dtype" and ctx.precision == "float32" else entry.target
    text, lines = ctx.name_of(target)
    yield Finding(node, f"`{dotted}` is NumPy's", {node: lambda made: _named(made, text)}, lines)


def narrowed(target: str) -> str:
    """The dtype that stands for one of 64 bits where the precision is float32."""
    module, _dot, name = target.rpartition(".")
    return f"{module}.{NARROWED.get(name, name)}"


def _host_scalar(call: cst.Call, entry: Entry, ctx: Context) -> bool:
    """Whether a call makes a NumPy scalar of what is known when tracing: `np.float64(0.5)` is as strong in JAX."""
    values = [ctx.value(a.value) for a in call.args]
    return entry.kind == "dtype" and all(v.kind in (Kind.SCALAR, Kind.STRING) and v.static for v in values)


def _named(made: cst.Name | cst.Attribute, text: str) -> cst.BaseExpression:
    return functional.dotted(text).with_changes(lpar=made.lpar, rpar=made.rpar)


def _other_function(entry: Entry) -> str:
    """Why JAX's function does not stand for NumPy's whatever it is given."""
    if any(getattr(entry, name) not in ("", (), {}, -1) for name in ADAPTATIONS if name != "positional" and name != "cast_for"):
        return "JAX's function takes other arguments or gives another dtype"
    return ""


def _constant(node: cst.Name | cst.Attribute, dotted: str, entry: Entry, ctx: Context) -> Iterator[Finding]:
    """Constants and types that are an expression: np.NINF, np.True_, and np.float of old."""
    if entry.params and entry.kind != "dtype":
        yield Finding(
            node, f"`{dotted}` is used as a value, and has no one function in JAX; write `lambda` and call it", blocks=True
        )
        return
    imports = ctx.name_of("jax.numpy.x")[1] if "jnp." in entry.target else frozenset()
    text = entry.target.replace("jnp.", ctx.name_of("jax.numpy.x")[0].rpartition(".")[0] + ".")
    yield Finding(node, f"`{dotted}` is NumPy's", {node: lambda made: functional.operand(_named(made, text))}, imports)
