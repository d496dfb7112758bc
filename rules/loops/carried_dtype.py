"""A number that gets another dtype inside a loop: it starts with that dtype.

A loop-carried value keeps its dtype in JAX. A Python number takes the dtype that it has after the first iteration. If it gets
its final dtype only in the second one, or is an integer that becomes a float, JAX raises TypeError, or treats it as a float64.

```python
import numpy as np


def total(force: np.ndarray):
    x = 0
    v = 0
    for f in force:
        x += v
        v += np.sum(f)
    return x
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def total(force: jax.Array):
    x = 0
    v = 0

    x = jnp.asarray(x, jnp.result_type(x, force))

    def step(carry, f):
        x, v = carry
        x += v
        v += jnp.sum(f)
        return (x, v), None

    (x, v), _ = lax.scan(step, (x, v), force)
    return x
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Edit, Finding, Statement
from ..core.registry import Rule
from ..facts.loop_plan import Carried
from ..facts.loops import Promoted
from ..syntax import builders
from ..syntax.tree import last_mention, walk

rule = Rule(__name__, "NJ422")


@rule.on(cst.For, cst.While)
def check(node: cst.For | cst.While, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node):
        case Carried(loop=found) if found.typed:
            pass
        case _:
            return
    asarray, imports = ctx.names.name_of("jax.numpy.asarray")
    result_type = ctx.names.name_of("jax.numpy.result_type")[0]
    optional = _compared_with_none(ctx)
    literals = {name: start for name, origin in found.typed.items() if not origin.arrays and (start := _literal(name, node, ctx))}

    def started(name: str, origin: Promoted) -> cst.BaseExpression:
        if not origin.arrays:
            return cst.parse_expression(f"1.0 * {name}")
        others = (f"{name} if {n} is None else {n}" if n in optional else n for n in sorted(origin.arrays - {name}))
        promoted = ", ".join([name, *others, *(["float"] if origin.inexact else [])])
        return cst.parse_expression(f"{asarray}({name}, {result_type}({promoted}))")

    def before() -> list[Statement]:
        return [builders.assigned((n,), started(n, origin)) for n, origin in found.typed.items() if n not in literals]

    edits: dict[cst.CSTNode, Edit] = dict.fromkeys(literals.values(), _as_float)
    names = ", ".join(f"`{name}`" for name in found.typed)
    yield Finding(node, f"{names}: a Python number starts with the dtype that the loop gives it", edits, imports, before)


def _compared_with_none(ctx: Context) -> frozenset[str]:
    """The variables that may be None, which has no dtype: the function asks."""
    found = set[str]()
    for node, _parent in walk(ctx.unit.definition) if ctx.unit.definition is not None else ():
        match node:
            case cst.Comparison(
                left=cst.Name(value=name),
                comparisons=[cst.ComparisonTarget(operator=cst.Is() | cst.IsNot(), comparator=cst.Name("None"))],
            ):
                found.add(name)
    return frozenset(found)


def _as_float(made: cst.Integer) -> cst.Float:
    return cst.Float(f"{made.value}.0", made.lpar, made.rpar)


def _literal(name: str, node: cst.For | cst.While, ctx: Context) -> cst.Integer | None:
    """The integer literal that a variable is bound to before a loop, in the same block, if nothing reads it in between."""
    block = getattr(ctx.parent(node), "body", ())
    match last_mention(block[: next(k for k, each in enumerate(block) if each is node)], name):
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=bound))], value=cst.Integer() as start)]
        ) if bound == name and start.value.isdigit():
            return start
    return None
