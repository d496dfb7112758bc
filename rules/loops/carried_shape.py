"""A number that becomes an array inside a loop: it gets the shape of the array before the loop.

A loop-carried value keeps its shape in JAX. The number is added to zeros, which broadcasts it; one that iterations add `u[i]`
to, where nobody knows whether that is a number or a row, is broadcast to the shape of `u[i]`, whichever it is. If the loop runs too few
iterations, the variable is still a number in NumPy. So this is done only where nothing reads the variable after the loop, where
it is combined with an array of that shape there, or where the trip count is known when tracing and an `assert` can check that
it is large enough. Elsewhere JAX raises TypeError when tracing: start with an array, `np.ones_like(x)`.

```python
import numpy as np


def legendre(x: np.ndarray, n: int):
    before = 1.0
    p = x
    for k in range(1, n):
        before, p = p, ((2 * k + 1) * x * p - k * before) / (k + 1)
    return p
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def legendre(x: jax.Array, n: int):
    before = 1.0
    p = x

    before = before + jnp.zeros_like(x)

    def step(k, carry):
        before, p = carry
        before, p = p, ((2 * k + 1) * x * p - k * before) / (k + 1)
        return before, p

    before, p = lax.fori_loop(1, n, step, (before, p))
    return p
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Statement
from ..core.registry import Rule
from ..facts.loop_plan import Carried
from ..facts.loops import CarriedShape
from ..syntax import builders

rule = Rule(__name__, "NJ414")


@rule.on(cst.For, cst.While)
def check(node: cst.For | cst.While, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node):
        case Carried(loop=found) if found.shaped:
            pass
        case _:
            return
    numpy, imports = ctx.names.name_of("jax.numpy")

    def before() -> list[Statement]:
        tests = dict.fromkeys(shape.test for shape in found.shaped.values() if shape.test)
        asserted = [cst.SimpleStatementLine([cst.Assert(cst.parse_expression(test))]) for test in tests]
        return [*asserted, *(builders.assigned((name,), _shaped(name, shape)) for name, shape in found.shaped.items())]

    def _shaped(name: str, shape: CarriedShape) -> cst.BaseExpression:
        if not shape.perhaps:
            return cst.parse_expression(" + ".join([name, *(_zeros(numpy, array) for array in shape.arrays)]))
        parts = map(_element, shape.arrays)
        shapes = [f"{array}.shape[{indices}:]" if indices else f"{numpy}.shape({array})" for array, indices in parts]
        made = shapes[0] if len(shapes) == 1 else f"{numpy}.broadcast_shapes({', '.join(shapes)})"
        return cst.parse_expression(f"{numpy}.broadcast_to({name}, {made})")

    names = ", ".join(f"`{name}`" for name in found.shaped)
    yield Finding(node, f"{names}: a number that becomes an array starts with the array's shape", {}, imports, before)


def _zeros(numpy: str, array: str) -> str:
    """Zeros in the shape of an array, or of `x[0]`, which is not read: there may be no items."""
    name, indices = _element(array)
    return f"{numpy}.zeros_like({name}, shape={name}.shape[{indices}:])" if indices else f"{numpy}.zeros_like({array})"


def _element(array: str) -> tuple[str, int]:
    """The array and the number of indices of `x[0, 0]`; no index for anything else."""
    match cst.parse_expression(array):
        case cst.Subscript(value=cst.Name(value=name), slice=parts) if all(isinstance(p.slice, cst.Index) for p in parts):
            return name, len(parts)
    return array, 0
