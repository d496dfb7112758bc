"""A power of integers that has a fraction, or that no integer of 32 bits holds.

`10 ** -i` with an array `i` of integers is 0, and `2 ** jnp.arange(40)` wraps around, both without an error; `i ** -1` raises TypeError.
Write one of the two as a float: `10.0 ** -i`.

```python
import jax.numpy as jnp

steps = 10 ** -jnp.arange(4)
assert steps[1] > 0
```

Right:

```python
import jax.numpy as jnp

steps = 10.0 ** -jnp.arange(4)
assert steps[1] > 0
```

See https://docs.jax.dev/en/latest/_autosummary/jax.numpy.power.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.diagnostic import Safety
from ..core.lint_rules import Edit, Finding, LintRule
from ..facts.numbers import COUNT, INTS, NEGATIVE, Arange
from ..facts.trace_events import Call, Operation
from ..facts.traced_values import ARRAY, Traced

rule = LintRule(__name__, "NJ848", safety=Safety.UNSAFE)
LARGEST = 2**31 - 1


@rule.on(Operation)
def check(event: Operation) -> Iterator[Finding]:
    if event.operator == "Pow":
        yield from found(event.node, event.left, event.right, precise=event.where.precise)


@rule.on(Call)
def check_call(event: Call) -> Iterator[Finding]:
    if event.name in ("jax.numpy.power", "jax.numpy.pow") and len(event.args) == 2:
        yield from found(event.node, *event.args, precise=event.where.precise)


def found(node: ast.AST, base: Traced, exponent: Traced, *, precise: bool) -> Iterator[Finding]:
    if type(base.constant) is int and abs(base.constant) > 1 and exponent.kind == ARRAY:
        if exponent.name == NEGATIVE:
            yield node, f"an integer to a negative power of integers is 0; write {base.constant}.0", with_float(node)
        elif isinstance(exponent.what, Arange) and exponent.what.numbers():
            numbers = exponent.what.numbers()
            if min(numbers) < 0:
                yield node, f"an integer to a negative power of integers is 0; write {base.constant}.0", with_float(node)
            elif not precise and abs(base.constant) ** min(max(numbers), 32) > LARGEST:
                message = f"the largest power is more than an int32 holds, and wraps around; write {base.constant}.0"
                yield node, message, with_float(node)
    elif base.kind == ARRAY and base.name in (INTS, COUNT, NEGATIVE) and type(exponent.constant) is int and exponent.constant < 0:
        yield node, f"integers to the power {exponent.constant} raise TypeError; write {exponent.constant}.0"


def with_float(node: ast.AST) -> Edit:
    """`10.0 ** x` for `10 ** x`."""
    match node:
        case ast.BinOp(left=ast.Constant(value=int(value)), right=exponent):
            simple = isinstance(exponent, ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.UnaryOp)
            return (f"{value}.0 ** ", exponent) if simple else (f"{value}.0 ** (", exponent, ")")
    return ()
