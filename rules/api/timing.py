"""A clock that is read while JAX is still computing.

JAX returns before a result is ready. Code that measures time must wait for what was computed since the previous reading.

```python
import time

import numpy as np


def measure(x):
    start = time.perf_counter()
    y = np.sqrt(x)
    print(time.perf_counter() - start)
    return y
```

becomes

```python
import time

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def measure(x):
    start = time.perf_counter()
    y = jnp.sqrt(x)
    jax.block_until_ready(y)
    print(time.perf_counter() - start)
    return y
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from ..codegen.array_updates import line
from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax import builders
from ..syntax.tree import children

rule = Rule(__name__, "NJ705", optional=True, for_numpy_code=True)
CLOCKS = frozenset({"time.perf_counter", "time.time", "time.monotonic", "timeit.default_timer", "time.process_time"})


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if ctx.qualname(node.func) not in CLOCKS:
        return
    if ctx.program.fast and ctx.plan.refused:
        return  # results are made NumPy arrays on the host, which waits for them
    statement = ctx.flow.statement(node)
    names = computed_before(statement, ctx)
    if not names or not isinstance(statement, cst.SimpleStatementLine):
        return
    block, imports = ctx.names.name_of("jax.block_until_ready")
    waited: cst.BaseExpression = cst.Name(names[0])
    if len(names) > 1:
        waited = cst.Tuple([cst.Element(cst.Name(n)) for n in names])

    def wait() -> Sequence[cst.SimpleStatementLine]:
        return [line(cst.Expr(builders.call(builders.dotted(block), waited)))]

    yield Finding(node, "the clock is read while JAX still computes", imports=imports, before=wait)


def computed_before(statement: cst.CSTNode, ctx: Context) -> list[str]:
    """The variables bound to JAX arrays between the previous clock reading in the same block and this statement."""
    parent = ctx.parent(statement)
    body = getattr(parent, "body", ())
    if not isinstance(body, (list, tuple)) or statement not in body:
        return []
    found: dict[str, None] = {}
    for earlier in reversed(body[: list(body).index(statement)]):
        calls = list(calls_in(earlier))
        if any(ctx.qualname(c.func) in CLOCKS for c in calls):
            return list(reversed(found))
        if any(isinstance(c.func, cst.Attribute) and c.func.attr.value == "block_until_ready" for c in calls):
            return []
        for name in bound_arrays(earlier, ctx):
            found[name] = None
    return []


def calls_in(node: cst.CSTNode) -> Iterator[cst.Call]:
    stack = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, cst.Call):
            yield at
        stack.extend(children(at))


def bound_arrays(statement: cst.CSTNode, ctx: Context) -> Iterator[str]:
    """The names that a statement or a loop body binds to results of JAX."""
    stack: list[Any] = [statement]
    while stack:
        at = stack.pop()
        match at:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                known = ctx.value(value)
                if known.device or (known.kind in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN) and ctx.host.converted_result(value)):
                    yield name
            case cst.SimpleStatementLine() | cst.IndentedBlock() | cst.For() | cst.With():
                stack.extend(at.body if isinstance(at.body, (list, tuple)) else [at.body])
