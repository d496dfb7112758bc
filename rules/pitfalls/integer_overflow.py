"""Integers that become larger than their dtype holds.

Integers of JAX have 32 bits unless `jax_enable_x64` is set. A sum or a product that is larger wraps around, without an error, and so does
the difference of two `uint8` below 0. Compute with floats, or with a wider dtype.

```python
import jax.numpy as jnp

total = jnp.arange(100_000).sum()
assert float(total) == 4_999_950_000
```

Right:

```python
import jax.numpy as jnp

total = jnp.arange(100_000, dtype=jnp.float32).sum()
assert abs(float(total) - 4_999_950_000) < 1e-6 * 4_999_950_000
```

See https://docs.jax.dev/en/latest/default_dtypes.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import prod

from ..core.lint_rules import LintRule
from ..facts.numbers import Arange
from ..facts.trace_events import Call, Operation
from ..facts.traced_values import NUMBER

rule = LintRule(__name__, "NJ846")
LARGEST = 2**31 - 1
SUMS = frozenset({"sum", "cumsum"})
PRODUCTS = frozenset({"prod", "cumprod"})
FACTORS = 100  # a product of more is too large for any dtype


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    last = event.name.removeprefix("jax.numpy.").removeprefix(".")
    if event.where.precise or last not in SUMS | PRODUCTS or event.keywords.get("dtype"):
        return
    value = event.base if event.name.startswith(".") else event.args[0] if event.args else None
    if value is None or not isinstance(value.what, Arange):
        return
    if value.what.exceeds(LARGEST) if last in SUMS else product_exceeds(value.what.numbers()):
        yield (
            event.node,
            f"this {'sum' if last in SUMS else 'product'} is larger than an int32 holds, and wraps around; use floats",
        )


def product_exceeds(numbers: range) -> bool:
    return 0 not in numbers and abs(prod(numbers[:FACTORS])) > LARGEST


@rule.on(Operation)
def check_difference(event: Operation) -> Iterator[tuple[ast.AST, str]]:
    if event.operator != "Sub" or event.left.name not in ("uint8", "uint16"):
        return
    literal = event.right.kind == NUMBER and isinstance(event.right.constant, int) and event.right.constant > 0
    if event.right.name == event.left.name or literal:
        yield event.node, f"a difference of `{event.left.name}` below 0 wraps around; cast to a signed dtype first"
