"""A NumPy name that `jax.numpy` has, under the same or another name.

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

from .. import numpy_table
from ..context import Context
from ..core.dtypes import NARROWED
from ..core.findings import Finding, Kind, Safety
from ..core.registry import Rule
from ..numpy_table.entry import Entry, Verdict
from ..syntax import builders
from ..syntax.annotations import asked_for, in_annotation
from ..syntax.sequences import is_mask
from ..syntax.tree import is_callee

rule = Rule(__name__, "NJ101")


@rule.on_numpy
def check(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    dotted = ctx.qualname(node)
    if dotted is None or not dotted.startswith("numpy."):
        return
    if isinstance(node, cst.Name) and not (ctx.names.imported(node) or _is_callable_alias(node, dotted, ctx)):
        return
    parent = ctx.parent(node)
    if isinstance(parent, cst.Attribute) and (parent.attr is node or (ctx.qualname(parent) or "").partition(".")[0] == "numpy"):
        return
    if isinstance(parent, (cst.ImportAlias, cst.AsName)) or (isinstance(parent, cst.Arg) and parent.keyword is node):
        return
    if isinstance(parent, cst.Param) and parent.name is node:
        return
    if isinstance(node, cst.Name) and isinstance(parent, cst.ImportFrom):
        return
    entry = numpy_table.function(dotted) or numpy_table.ufunc_method(dotted)
    called = is_callee(node, parent)
    if entry is None or entry.verdict is Verdict.REFUSED:
        return
    if entry.verdict is Verdict.HOST or _is_unchanged(node, entry, ctx):
        yield from _todays_name(node, dotted, entry, ctx)
        return
    if in_annotation(node, ctx) or (dotted == "numpy.ndarray" and not called):
        return  # rules.api.array_type
    if entry.verdict is Verdict.EXPRESSION and (not called or entry.kind == "dtype"):
        yield from _constant(node, dotted, entry, ctx)
        return
    if not entry.target.startswith("jax"):
        return
    if not called and entry.kind not in ("dtype", "module") and entry.params and (why := _other_function(entry)):
        yield Finding(node, f"`{dotted}` is used as a value, and {why}; write `lambda` and call it", blocks=True)
        return
    if entry.ufunc and ctx.program.ufunc_asked and _is_stored(parent):
        message = f"`{dotted}` stays NumPy, since the program tests for `np.ufunc`, and the JAX function is not one"
        yield Finding(node, message, blocks=isinstance(parent, cst.Assign), safety=Safety.MANUAL)
        return
    target = narrowed(entry.target) if entry.kind == "dtype" and ctx.program.precision == "float32" else entry.target
    text, lines = ctx.names.name_of(target)
    yield Finding(node, f"`{dotted}` is NumPy's", {node: lambda made: _named(made, text)}, lines)


def _is_callable_alias(node: cst.Name, dotted: str, ctx: Context) -> bool:
    """Whether a variable is a NumPy function that its definition, `sqrt = np.sqrt`, leaves one."""
    entry = numpy_table.function(dotted)
    return entry is not None and bool(entry.params) and ctx.names.stays_numpy(node)


def _is_stored(parent: cst.CSTNode | None) -> bool:
    """Whether a function is stored as a parameter's default or in an attribute: code that reads it there may test its type."""
    targets = parent.targets if isinstance(parent, cst.Assign) else ()
    return isinstance(parent, cst.Param) or any(isinstance(t.target, cst.Attribute) for t in targets)


def narrowed(target: str) -> str:
    """The dtype that replaces a 64-bit one where the precision is float32."""
    module, _dot, name = target.rpartition(".")
    return f"{module}.{NARROWED.get(name, name)}"


def _is_unchanged(node: cst.Name | cst.Attribute, entry: Entry, ctx: Context) -> bool:
    """Whether a NumPy name is left as NumPy: it applies to static values, or belongs to a test of a value's type."""
    call = ctx.parent(node)
    if not isinstance(call, cst.Call) or call.func is not node:
        return asked_for(node, ctx) if entry.kind == "dtype" else not entry.params and _in_host_call(node, ctx)
    if entry.kind == "dtype" and entry.params == ("value",):  # np.float64(0.5) is strongly typed in JAX, too
        values = [ctx.value(a.value) for a in call.args]
        return entry.verdict is not Verdict.EXPRESSION and all(v.kind in (Kind.SCALAR, Kind.STRING) and v.static for v in values)
    return ctx.host.on_host(call) or (
        isinstance(ctx.parent(call), cst.Index) and len(call.args) == 1 and is_mask(call.args[0].value)
    )


def _in_host_call(constant: cst.CSTNode, ctx: Context) -> bool:
    """Whether a constant is an operand in an argument of a call that stays NumPy: np.sqrt(2 * np.pi)."""
    at = ctx.parent(constant)
    while isinstance(at, (cst.BinaryOperation, cst.UnaryOperation, cst.Arg)):
        at = ctx.parent(at)
    return isinstance(at, cst.Call) and ctx.host.on_host(at)


def _todays_name(node: cst.Name | cst.Attribute, dotted: str, entry: Entry, ctx: Context) -> Iterator[Finding]:
    """Spell a name that stays NumPy as in NumPy 2, which JAX requires."""
    new = numpy_table.canonical(dotted)
    if new == dotted or numpy_table.function(new) is None or not isinstance(node, cst.Attribute):
        return
    text, lines = ctx.names.name_of(new)
    yield Finding(node, f"`{dotted}` is gone in NumPy 2", {node: lambda made: _named(made, text)}, lines)


def _named(made: cst.Name | cst.Attribute, text: str) -> cst.BaseExpression:
    return builders.dotted(text).with_changes(lpar=made.lpar, rpar=made.rpar)


def _other_function(entry: Entry) -> str:
    """Why JAX's function cannot replace NumPy's for all arguments; "" if it can."""
    renamed = any(entry.rename.values())  # "": positional only, which is how a function passed as a value is called
    if renamed or entry.cast or entry.add:
        return "the JAX function takes other arguments or returns another dtype"
    return ""


def _constant(node: cst.Name | cst.Attribute, dotted: str, entry: Entry, ctx: Context) -> Iterator[Finding]:
    """Constants and types that become an expression: np.NINF, np.True_, and the former np.float."""
    if entry.params and entry.kind != "dtype":
        yield Finding(
            node, f"`{dotted}` is used as a value, and has no one function in JAX; write `lambda` and call it", blocks=True
        )
        return
    imports = ctx.names.name_of("jax.numpy.x")[1] if "jnp." in entry.target else frozenset()
    text = entry.target.replace("jnp.", ctx.names.name_of("jax.numpy.x")[0].rpartition(".")[0] + ".")
    yield Finding(node, f"`{dotted}` is NumPy's", {node: lambda made: builders.operand(_named(made, text))}, imports)
