"""A loop that stores the running sum, product, minimum or maximum.

`jnp.cumsum`, `jnp.cumprod`, `lax.cummax` and `lax.cummin` compute all of them at once. Python's `max` stays in a loop: it skips
NaN, which `np.maximum` and `lax.cummax` propagate. A floating-point sum in another order may differ by rounding.

```python
import numpy as np


def path(steps: np.ndarray):
    x = np.zeros(len(steps))
    x[0] = steps[0]
    for i in range(1, len(steps)):
        x[i] = x[i - 1] + np.sin(steps[i])
    return x


def balance(paid: np.ndarray, rate: float):
    after = np.zeros(len(paid))
    total = 0.0
    for i in range(len(paid)):
        total += paid[i] * rate
        after[i] = total
    return after
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def path(steps: jax.Array):
    x = jnp.zeros(len(steps))
    x = x.at[0].set(steps[0])
    x = x.at[1:].set(x[0] + jnp.cumsum(jnp.sin(steps[1:]), dtype=x.dtype))
    return x


@jax.jit
def balance(paid: jax.Array, rate: float):
    total = 0.0
    terms = paid * rate
    after = (total + jnp.cumsum(terms, dtype=jnp.result_type(total, terms))).astype(float)
    return after
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from ..context import Context
from ..core.findings import Edit, Finding, Statement
from ..core.registry import Rule
from ..facts.loop_plan import Prefix
from ..facts.parallel_loops import Prefix as PrefixTerms
from ..loop_codegen.whole_array_parts import bound_to, line_of
from ..loop_codegen.whole_array_writer import WholeArrays
from ..syntax import builders, loop_ranges

rule = Rule(__name__, "NJ417", optional=True)
FUNCTIONS = {"sum": "jax.numpy.cumsum", "prod": "jax.numpy.cumprod", "max": "jax.lax.cummax", "min": "jax.lax.cummin"}
SAID = {"sum": "the sums", "prod": "the products", "max": "the greatest", "min": "the least"}


@rule.on(cst.For)
def check(node: cst.For, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node):
        case Prefix(iterations=found, terms=prefix):
            pass
        case _:
            return
    writer = _Prefixes(ctx, found, prefix=prefix)
    edits = writer.edits()
    array = found.stores[0].target.array
    yield Finding(node, f"`{array}` gets {SAID[prefix.how]} of all elements so far", edits, frozenset(writer.imports))


@dataclass(slots=True)
class _Prefixes(WholeArrays):
    """Writes the loop as one expression of whole arrays. `prefix`: what is accumulated, and how."""

    prefix: PrefixTerms = field(kw_only=True)

    def edits(self) -> dict[cst.CSTNode, Edit]:
        found, prefix = self.found, self.prefix
        edits: dict[cst.CSTNode, Edit] = {a.node: self._sliced(a) for a in found.reads if a.axes is not None}
        edits.update({s.maker: builders.gone for s in found.stores if s.maker is not None})
        edits[found.nest[0]] = self.prefixes
        for name in (FUNCTIONS[prefix.how], "jax.numpy.arange", "jax.numpy.maximum", "jax.numpy.result_type"):
            self.name(name)
        return edits

    def prefixes(self, made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        """`y = y.at[1:].set(y[0] + jnp.cumsum(terms))`."""
        found, prefix, store = self.found, self.prefix, self.found.stores[0]
        lines: list[Statement] = [line_of(bound_to(name, self.index(0))) for name in found.indices if name in found.plain]
        terms = builders.bare(self.ctx.rewritten(prefix.term))
        arguments: list[cst.Arg] = []
        before: cst.BaseExpression
        if prefix.name:
            before = cst.Name(prefix.name)
            if prefix.wide and not isinstance(terms, (cst.Name, cst.Subscript)):
                name = self.ctx.names.local("terms")
                lines.append(line_of(bound_to(name, terms)))
                terms = cst.Name(name)
            if prefix.wide:
                dtype = builders.call(self.name("jax.numpy.result_type"), cst.Name(prefix.name), terms)
                arguments.append(builders.keyword("dtype", dtype))
        else:
            low, _high, _step = self.bounds(0)
            at = loop_ranges.plus(low, store.target.offsets[0] - 1)
            before = cst.Subscript(cst.Name(store.target.array), [cst.SubscriptElement(cst.Index(at))])
            if prefix.wide and prefix.how in ("sum", "prod"):
                arguments.append(builders.keyword("dtype", cst.Attribute(cst.Name(store.target.array), cst.Name("dtype"))))
        if prefix.how in ("sum", "prod") and not self.found_numbers:
            arguments.insert(0, builders.keyword("axis", cst.Integer("0")))
        all_so_far = cst.Call(self.name(FUNCTIONS[prefix.how]), [cst.Arg(terms), *arguments])
        value: cst.BaseExpression
        if prefix.how in ("max", "min"):
            value = builders.call(self.name(f"jax.numpy.{prefix.how}imum"), before, all_so_far)
        else:
            operator = cst.Multiply() if prefix.how == "prod" else cst.Subtract() if prefix.minus else cst.Add()
            value = cst.BinaryOperation(before, operator, all_so_far)
        lines += [line_of(each) for each in self.stored(store, value)]
        return self.replacement(made, lines, spaced=False)

    @property
    def found_numbers(self) -> bool:
        """Whether the elements of the array are certainly numbers."""
        store = self.found.stores[0]
        return self.ctx.value(store.target.node.value).rank == len(store.target.parts)
