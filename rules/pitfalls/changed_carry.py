"""The body of a `lax` loop returns a carry of another structure, size or dtype than it gets, or the branches of `lax.cond` differ.

The carry keeps its structure, its shapes and its dtypes, or the loop raises TypeError: a tuple of two stays one of two, integers
do not become floats, and an array cannot grow. `scan` needs a pair: the carry, and what to collect. What the branches of `lax.cond`
and `lax.switch` return has one structure and one dtype, too.

```python
import jax.numpy as jnp
from jax import lax


def step(carry, x):
    total, count = carry
    return total + x, x


lax.scan(step, (0.0, 0), jnp.ones(3))
```

Right:

```python
import jax.numpy as jnp
from jax import lax


def step(carry, x):
    total, count = carry
    return (total + x, count + 1), x


lax.scan(step, (0.0, 0), jnp.ones(3))
```

See https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.numbers import category
from ..facts.trace_events import Branches, Carry
from ..facts.traced_values import ANYTHING, ARRAY, DICT, LIST, NONE, NUMBER, TUPLE, Traced

rule = LintRule(__name__, "NJ863")
DEFAULTS = {"float": "float32", "int": "int32"}


@rule.on(Carry)
def check(event: Carry) -> Iterator[tuple[ast.AST, str]]:
    taken, returned = event.taken, event.returned
    if event.grows:
        yield event.node, "the carry grows in each iteration; let it have its final size, and set its elements"
        return
    if event.name.endswith(".scan"):
        if returned.kind == ARRAY or (returned.kind == TUPLE and returned.items is not None and len(returned.items) != 2):
            yield event.node, "the body of `scan` returns a pair: the carry, and what to collect"
            return
        if returned.kind != TUPLE or returned.items is None:
            return
        returned = returned.items[0]
    structures = described(taken), described(returned)
    if differ(*structures) and structures[0] != "None":
        yield event.node, f"the carry is {structures[0]}, and the body returns {structures[1]} for it"
        return
    for one, other in pairs(taken, returned):
        if one.kind == ARRAY and changes(one, other, event.where.precise):
            yield (
                event.node,
                f"the carry has {one.dtype}, and the body returns {other.dtype} for it; give it the dtype at the start",
            )
            return


@rule.on(Branches)
def check_branches(event: Branches) -> Iterator[tuple[ast.AST, str]]:
    short = event.name.rpartition(".")[2]
    first = event.results[0] if event.results else ANYTHING
    for result in event.results[1:]:
        structures = described(first), described(result)
        kinds = next(((category(one), category(other)) for one, other in pairs(first, result) if mixed(one, other)), structures)
        if differ(*structures) or kinds != structures:
            yield event.node, f"one branch of `{short}` returns {kinds[0]}, and another returns {kinds[1]}: they have to be alike"
            return


def described(value: Traced) -> str:
    """The structure of a value in words, "" if it is not known."""
    if value.kind in (TUPLE, LIST, DICT):
        return f"a {value.kind}" if value.items is None else f"a {value.kind} of {len(value.items)}"
    return "an array" if value.kind in (ARRAY, NUMBER) else "None" if value.kind == NONE else ""


def differ(one: str, other: str) -> bool:
    """Whether two structures cannot be the same. One whose length is not known may be like a longer one."""
    return bool(one and other) and not one.startswith(other) and not other.startswith(one)


def pairs(one: Traced, other: Traced) -> Iterator[tuple[Traced, Traced]]:
    """The arrays and numbers that stand in the same places of two values."""
    if one.kind in (TUPLE, LIST, DICT) and one.kind == other.kind and one.keys == other.keys:
        for first, second in zip(one.items or (), other.items or (), strict=False):
            yield from pairs(first, second)
    elif one.kind in (ARRAY, NUMBER) and other.kind in (ARRAY, NUMBER):
        yield one, other


def mixed(one: Traced, other: Traced) -> bool:
    kinds = category(one), category(other)
    return "" not in kinds and kinds[0] != kinds[1]


def changes(one: Traced, other: Traced, precise: bool) -> bool:
    """Whether an array has another dtype in the next iteration."""
    if mixed(one, other):
        return True
    dtypes = [each.dtype if precise else DEFAULTS.get(each.dtype, each.dtype) for each in (one, other)]
    return not {"", "inexact", *DEFAULTS} & {*dtypes} and dtypes[0] != dtypes[1]
