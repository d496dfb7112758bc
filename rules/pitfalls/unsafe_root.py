"""A root of a sum of squares, or an arc cosine, in differentiated code: the derivative is NaN at zero, or infinite at one.

The derivative of `sqrt` is infinite at 0, and times the derivative of the squares, which is 0, it is NaN. So is that of `norm`, and of
`std`. That of `arccos` and `arcsin` is infinite at 1 and -1, where the angle between two equal directions is. Add a small number, or
guard the argument with `jnp.where`. Off by default: the argument may never be there.

```python
import jax
import jax.numpy as jnp


def length(x):
    return jnp.sqrt(jnp.sum(x**2))


assert jnp.isfinite(jax.grad(length)(jnp.zeros(3))).all()
```

Right:

```python
import jax
import jax.numpy as jnp


def length(x):
    return jnp.sqrt(jnp.sum(x**2) + 1e-12)


assert jnp.isfinite(jax.grad(length)(jnp.zeros(3))).all()
```

See https://docs.jax.dev/en/latest/faq.html#gradients-contain-nan-where-using-where
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.numbers import OWN
from ..facts.trace_events import Call, Operation, Transformation
from ..facts.traced_values import EXTERNAL

rule = LintRule(__name__, "NJ842", default=False)
GRADIENTS = frozenset({"jax.grad", "jax.value_and_grad"})
ROOTS = frozenset({"jax.numpy.std", "jax.numpy.linalg.norm"})
ARCS = frozenset({"jax.numpy.arccos", "jax.numpy.arcsin", "jax.numpy.acos", "jax.numpy.asin"})


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    value = event.base if event.name.startswith(".") else event.args[0] if event.args else None
    if not event.where.differentiated or value is None or not value.traced or value.what == OWN:
        return  # NJ849 says it of distances to itself
    if event.name == "jax.numpy.linalg.norm":
        yield (
            event.node,
            "the derivative of `norm` is NaN at zero; guard it with `jnp.where`, or add a small number to the squares",
        )
    elif event.name in ("jax.numpy.std", ".std"):
        yield event.node, "the derivative of `std` is NaN where all elements are equal; use `var`, or add a small number to it"
    elif event.name == "jax.numpy.sqrt" and event.node.args and is_sum(event.node.args[0]):
        yield event.node, "the derivative of `sqrt` is infinite at zero; add a small number to the sum"
    elif event.name in ARCS:
        name = event.name.rpartition(".")[2]
        yield event.node, f"the derivative of `{name}` is infinite at 1 and -1; clip its argument to less, or use `jnp.arctan2`"


@rule.on(Transformation)
def check_derivative(event: Transformation) -> Iterator[tuple[ast.AST, str]]:
    """The derivative of a function of JAX itself."""
    if event.name in GRADIENTS and event.function.kind == EXTERNAL and event.function.name in ROOTS:
        yield event.node, f"the derivative of `{event.function.name}` is NaN at zero, or where all elements are equal"


@rule.on(Operation)
def check_power(event: Operation) -> Iterator[tuple[ast.AST, str]]:
    power = event.node
    if event.operator == "Pow" and event.where.differentiated and event.left.traced and event.right.constant == 0.5:
        if isinstance(power, ast.BinOp) and is_sum(power.left):
            yield power, "the derivative of the root is infinite at zero; add a small number to the sum"


def is_sum(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("sum", "dot", "vdot", "inner")
    )
