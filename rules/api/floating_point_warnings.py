"""A block that silences NumPy's floating-point warnings.

JAX never warns about division by zero, overflow or invalid values. `with np.errstate(...)` is removed where everything inside
it is computed by JAX.

```python
import numpy as np


def ratio(x: np.ndarray, y: np.ndarray):
    with np.errstate(divide="ignore", invalid="ignore"):
        # zero divided by zero is NaN
        result = np.divide(x, y)
    return np.nan_to_num(result)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def ratio(x: jax.Array, y: jax.Array):
    # zero divided by zero is NaN
    result = jnp.divide(x, y)
    return jnp.nan_to_num(result)
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..numpy_table.entry import Verdict
from ..syntax.tree import children

rule = Rule(__name__, "NJ109", optional=True)


@rule.on(cst.With)
def check(node: cst.With, ctx: Context) -> Iterator[Finding]:
    match node:
        case cst.With(items=[cst.WithItem(item=cst.Call(func=func, args=args), asname=None)], body=cst.IndentedBlock()):
            if ctx.qualname(func) != "numpy.errstate" or any(_raises(a.value) for a in args) or _host_code(node.body, ctx):
                return
            assert isinstance(node.body, cst.IndentedBlock)
            if any(line.comment is not None for line in node.body.footer):
                return  # a comment at the end of the block would be lost
            yield Finding(node, "JAX never warns for invalid values", {node: _opened})


def _raises(value: cst.BaseExpression) -> bool:
    return not (isinstance(value, cst.SimpleString) and value.evaluated_value in ("ignore", "warn"))


def _host_code(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether NumPy may still compute something in a body."""
    stack = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, cst.Call):
            name = ctx.qualname(at.func) or ""
            entry = numpy_table.function(name) if name.startswith("numpy.") else None
            if entry is not None and (entry.verdict is Verdict.HOST or ctx.host.on_host(at)):
                return True
            if (
                entry is None
                and ctx.calls.callee(at) is None
                and not name.startswith("builtins.")
                and not isinstance(at.func, cst.Attribute)
            ):
                return True
            plan = ctx.calls.callee(at)
            if plan is not None and plan.refused:
                return True
        stack.extend(children(at))
    return False


def _opened(made: cst.With) -> cst.FlattenSentinel[cst.CSTNode]:
    """The statements of the block; comments above the `with` stay above the first statement."""
    body: list[Any] = list(made.body.body)
    body[0] = body[0].with_changes(leading_lines=[*made.leading_lines, *_lines(made), *body[0].leading_lines])
    return cst.FlattenSentinel(body)


def _lines(made: cst.With) -> list[cst.EmptyLine]:
    """The comment after the colon, as a line of its own."""
    assert isinstance(made.body, cst.IndentedBlock)
    comment = made.body.header.comment
    return [] if comment is None else [cst.EmptyLine(comment=comment)]
