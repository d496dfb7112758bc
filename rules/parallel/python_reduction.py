"""Python's `sum`, `max`, `min`, `any` or `all` of an array, or of a generator expression over the rows of arrays.

Python would iterate over the rows. JAX computes all operands at once, as whole arrays where they are computed element by
element, else by `jax.vmap`, and reduces them. An element that the generator's `if` excludes (`if v > 0`) counts as 0. Python's
`max` returns its first argument unless a later one is greater, so it returns NaN only where NaN comes first.

A floating-point sum in another order may differ by rounding, and an empty sum is 0.0. The generator stays Python where it has
several clauses, needs a concrete number for a size or a slice, or draws random numbers. `sum` of what may be a list of arrays, or
of an array of unknown dtype, becomes a call of `_sum`, a function that the module gets: Python's sum of small integers is small.

```python
import numpy as np


def spread(x: np.ndarray):
    centre = np.mean(x)
    return sum((v - centre) ** 2 for v in x if v > 0), any(v < 0 for v in x)


def nearest(points: np.ndarray, p: np.ndarray):
    return sum(np.linalg.norm(q - p) for q in points)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def spread(x: jax.Array):
    centre = jnp.mean(x)
    return jnp.sum(jnp.where(x > 0, (x - centre) ** 2, 0), axis=0), jnp.any(x < 0)


@jax.jit
def nearest(points: jax.Array, p: jax.Array):
    return jax.vmap(lambda q: jnp.linalg.norm(q - p))(points).sum()
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ..codegen import safe_operands, select
from ..context import Context
from ..core.dtypes import is_small_integer
from ..core.findings import Edit, Finding
from ..core.registry import Rule
from ..definitions.python_sum import SUM
from ..facts.comprehensions import ReductionOperands
from ..facts.iteration_space import IterationSpace
from ..loop_codegen import zip_lengths
from ..syntax import builders, loop_ranges

rule = Rule(__name__, "NJ413")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    found = ctx.builtins.reduction_operands(node)
    if found is None:
        return
    name = (ctx.qualname(node.func) or "").removeprefix("builtins.")
    if found.unsure:
        summed: dict[cst.CSTNode, Edit] = {node: lambda made: made.with_changes(func=cst.Name(ctx.names.defined(SUM)))}
        needed = ctx.names.name_of("jax.numpy.sum")[1] | ctx.names.name_of("jax.Array")[1]
        yield Finding(node, "`sum` of Python traces each row of an array", summed, needed, definitions=frozenset({SUM}))
        return
    imports = frozenset().union(
        *(ctx.names.name_of(f"jax.numpy.{n}")[1] for n in ("where", "arange")), ctx.names.name_of("jax.vmap")[1]
    )
    writer = _Writer(ctx, found, name)
    edits: dict[cst.CSTNode, Edit] = {node: lambda _made: writer.reduced()}
    yield Finding(node, f"`{name}` of Python iterates over the operands; JAX reduces them at once", edits, imports)


@dataclass(slots=True)
class _Writer:
    """Writes one reduction; for edits only."""

    ctx: Context
    found: ReductionOperands
    name: str

    def jnp(self, name: str) -> cst.BaseExpression:
        return builders.dotted(self.ctx.names.name_of(f"jax.numpy.{name}")[0])

    def reduced(self) -> cst.BaseExpression:
        terms = self._terms()
        if self.name in ("max", "min") and not self.found.exact:
            first = cst.Subscript(builders.operand(terms), [cst.SubscriptElement(cst.Index(cst.Integer("0")))])
            others = builders.call(self.jnp(f"nan{self.name}"), terms)
            return builders.call(self.jnp("where"), builders.call(self.jnp("isnan"), first), first, others)
        more: list[cst.Arg] = []
        if self.name == "sum" and not self.found.numbers:
            more.append(builders.keyword("axis", cst.Integer("0")))
        if self.name == "sum" and is_small_integer(self.found.dtype):
            more.append(builders.keyword("dtype", self.jnp(self.found.dtype)))
        elif self.name == "sum" and self.found.typed:
            arrays = (cst.Name(name) for name in self.found.typed)
            more.append(builders.keyword("dtype", builders.call(self.jnp("result_type"), cst.Integer("0"), *arrays)))
        if isinstance(terms, cst.Call) and self.found.value is not None and not self.found.whole:
            return cst.Call(cst.Attribute(terms, cst.Name(self.name)), more)
        return cst.Call(self.jnp(self.name), [cst.Arg(builders.bare(terms)), *more])

    def _terms(self) -> cst.BaseExpression:
        """The operands of the reduction, as an array."""
        if self.found.array is not None:
            return self.ctx.rewritten(self.found.array)
        if self.found.whole:
            arrays = {name: builders.operand(self.ctx.rewritten(array)) for name, array in self.found.rows}
            return builders.replaced(self._iteration(), arrays)
        names = [name for name, _array in self.found.rows]
        given = [self.ctx.rewritten(array) for _name, array in self.found.rows]
        if self.found.counter is not None:
            names.insert(0, self.found.counter[0])
            given.insert(0, self._counted(self.found.counter[1]))
        iteration = select.lambda_of(names, builders.bare(self._iteration()))
        return builders.call(builders.call(builders.dotted(self.ctx.names.name_of("jax.vmap")[0]), iteration), *given)

    def _counted(self, space: IterationSpace) -> cst.BaseExpression:
        """The values of a counter."""
        if space.is_range:
            made = self.ctx.rewritten(space.iterable)
            assert isinstance(made, cst.Call)
            return cst.Call(self.jnp("arange"), made.args)
        count = builders.call(cst.Name("len"), builders.bare(self.ctx.rewritten(self.found.rows[0][1])))
        first = zip_lengths.first(space, self.ctx)
        given = (builders.integer(first), loop_ranges.plus(count, first)) if first else (count,)
        return builders.call(self.jnp("arange"), *given)

    def _iteration(self) -> cst.BaseExpression:
        """What one iteration computes; an excluded element counts as 0, or as True in `all`."""
        assert self.found.value is not None
        value = self.ctx.rewritten(self.found.value)
        if self.found.test is None:
            return value
        test = self.ctx.rewritten(self.found.test)
        if self.name == "sum" and isinstance(value, cst.Integer) and value.value == "1":
            return test
        other = cst.Integer("0") if self.name == "sum" else cst.Name("True" if self.name == "all" else "False")
        safe = (
            safe_operands.with_safe_operands(self.ctx, test, [value], [other], self.found.trapping)
            if self.found.trapping
            else None
        )
        return select.where(self.ctx, builders.bare(test), safe[0][0] if safe else value, other)
