"""NumPy's array type in annotations and `isinstance`.

An annotation becomes `jax.Array`. A test at run time accepts both kinds of array, since NumPy arrays may still arrive.

```python
import numpy as np


def length(x: np.ndarray, name: str) -> np.float64:
    if isinstance(x, np.ndarray):
        print(name)
    return np.sqrt(np.sum(x**2))
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np


def length(x: jax.Array, name: str) -> jax.Array:
    if isinstance(x, (np.ndarray, jax.Array)):
        print(name)
    return jnp.sqrt(jnp.sum(x**2))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..syntax import builders
from ..syntax.annotations import in_annotation

rule = Rule(__name__, "NJ106")
ARRAY_TYPES = ("numpy.ndarray", "numpy.typing.NDArray")
TYPING = {"numpy.typing.ArrayLike": "jax.typing.ArrayLike", "numpy.typing.DTypeLike": "jax.typing.DTypeLike"}


@rule.on_numpy
def check(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    dotted = ctx.qualname(node)
    if dotted is None or not dotted.startswith("numpy.") or not _outermost(node, ctx):
        return
    if isinstance(node, cst.Name) and not ctx.names.imported(node):
        return
    if in_annotation(node, ctx):
        yield from _annotation(node, dotted, ctx)
    elif dotted == "numpy.ndarray":
        yield from _asked(node, ctx)


def _outermost(node: cst.CSTNode, ctx: Context) -> bool:
    parent = ctx.parent(node)
    return not (isinstance(parent, cst.Attribute) and (parent.attr is node or (ctx.qualname(parent) or "").startswith("numpy.")))


def _annotation(node: cst.Name | cst.Attribute, dotted: str, ctx: Context) -> Iterator[Finding]:
    if dotted in TYPING:
        text, imports = ctx.names.name_of(TYPING[dotted])
        yield Finding(node, f"`{dotted}` is NumPy's", {node: lambda _made: builders.dotted(text)}, imports | {"import jax"})
        return
    entry = numpy_table.function(dotted)
    scalar = entry is not None and entry.kind == "dtype" and entry.target.startswith("jax")
    if dotted not in ARRAY_TYPES and not scalar:
        return
    parent = ctx.parent(node)
    whole: cst.CSTNode = parent if isinstance(parent, cst.Subscript) and parent.value is node else node
    if scalar and _inside_array_type(node, ctx):
        return
    text, imports = ctx.names.name_of("jax.Array")
    yield Finding(node, f"`{dotted}` is NumPy's", {whole: lambda _made: builders.dotted(text)}, imports)


def _inside_array_type(node: cst.CSTNode, ctx: Context) -> bool:
    at = ctx.parent(node)
    while at is not None and not isinstance(at, cst.Annotation):
        if isinstance(at, cst.Subscript):
            return True
        at = ctx.parent(at)
    return False


def _asked(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    """Rewrite `isinstance(x, np.ndarray)`. Other uses of the type as a value have no equivalent, and are refused."""
    parent = ctx.parent(node)
    if isinstance(parent, cst.Call) and parent.func is node:
        return  # the constructor
    array, imports = ctx.names.name_of("jax.Array")
    display, at = None, parent
    if isinstance(at, cst.Element):
        display, at = ctx.parent(at), ctx.parent(ctx.parent(at)) if ctx.parent(at) is not None else None  # type: ignore[arg-type]
    call = ctx.parent(at) if isinstance(at, cst.Arg) else None
    if isinstance(call, cst.Call) and ctx.qualname(call.func) == "builtins.isinstance" and len(call.args) == 2:
        first = call.args[0].value
        message = "arrays of JAX are no instances of NumPy's type"
        if isinstance(display, cst.Tuple):
            if any(ctx.qualname(e.value) == "jax.Array" for e in display.elements):
                return
            yield Finding(node, message, {display: lambda made: _more(made, array)}, imports)
        elif ctx.host.is_device(first):
            yield Finding(node, message, {node: lambda _made: builders.dotted(array)}, imports)
        else:
            yield Finding(node, message, {node: lambda made: _both(made, array)}, imports)
        return
    if isinstance(at, cst.BinaryOperation):  # list | np.ndarray
        if "jax.Array" in _alternatives(at, ctx):
            return
        yield Finding(node, "arrays of JAX are no instances of NumPy's type", {node: lambda made: _either(made, array)}, imports)
        return
    if isinstance(at, (cst.Arg, cst.Comparison, cst.ComparisonTarget, cst.ClassDef)):
        yield Finding(node, "NumPy's array type is used as a value; arrays of JAX are no instances of it", blocks=True)


def _alternatives(node: cst.CSTNode | None, ctx: Context) -> set[str | None]:
    """The types in the union `list | np.ndarray | jax.Array` of which `node` is a part."""
    top = node
    while isinstance(top, cst.BinaryOperation):
        node, top = top, ctx.parent(top)
    found, stack = set[str | None](), [node]
    while stack:
        match stack.pop():
            case cst.BinaryOperation(left=left, right=right):
                stack += [left, right]
            case cst.CSTNode() as leaf:
                found.add(ctx.qualname(leaf))
    return found


def _both(made: cst.BaseExpression, array: str) -> cst.Tuple:
    return cst.Tuple([cst.Element(made), cst.Element(builders.dotted(array))])


def _more(made: cst.Tuple, array: str) -> cst.Tuple:
    last = made.elements[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return made.with_changes(elements=[*made.elements[:-1], last, cst.Element(builders.dotted(array))])


def _either(made: cst.BaseExpression, array: str) -> cst.BinaryOperation:
    return cst.BinaryOperation(made, cst.BitOr(), builders.dotted(array))
