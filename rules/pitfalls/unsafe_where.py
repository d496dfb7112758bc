"""`jnp.where` guards a function in differentiated code, and the derivative is NaN.

Both sides are computed, and differentiated. Where the condition is false, `log`, `sqrt` or a division gives an infinite derivative, which
times zero is NaN. Make the argument safe as well.

```python
import jax
import jax.numpy as jnp


def entropy(p):
    return jnp.where(p > 0, p * jnp.log(p), 0.0)


assert jax.grad(entropy)(0.0) == 0.0
```

Right:

```python
import jax
import jax.numpy as jnp


def entropy(p):
    safe = jnp.where(p > 0, p, 1.0)
    return jnp.where(p > 0, safe * jnp.log(safe), 0.0)


assert jax.grad(entropy)(0.0) == 0.0
```

See https://docs.jax.dev/en/latest/faq.html#gradients-contain-nan-where-using-where
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call

rule = LintRule(__name__, "NJ841")
SELECTS = frozenset({"jax.numpy.where", "jax.lax.select"})
ANGLES = frozenset("arccos arcsin arctanh arccosh log1p".split())  # functions that fail elsewhere than at zero
UNSAFE = frozenset("log log2 log10 sqrt arccos arcsin arctanh arccosh power reciprocal rsqrt log1p".split())


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if event.name not in SELECTS or len(event.args) != 3 or not event.where.differentiated:
        return
    if not any(value.traced for value in event.args) or len(event.node.args) != 3:
        return
    condition, *sides = event.node.args
    if isinstance(event.args[0].what, ast.Compare):
        condition = event.args[0].what
    tested = {ast.dump(part) for part in tested_parts(condition)}
    for side, kept in zip(sides, (True, False), strict=True):
        for inner in ast.walk(side):
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in UNSAFE and inner.args:
                argument, name = inner.args[0], inner.func.attr
            elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div):
                argument, name = inner.right, "/"
            elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Pow) and is_root(inner.right):
                argument, name = inner.left, "**"
            else:
                continue
            if name not in ANGLES and avoids_zero(condition, argument, kept=kept):
                continue
            if any(ast.dump(factor) in tested for factor in factors(argument)):
                yield (
                    inner,
                    f"the derivative of `{name}` is NaN where the condition of `where` excludes it; make its argument safe",
                )
                return


def factors(argument: ast.expr) -> Iterator[ast.expr]:
    """An expression, and what it vanishes with."""
    yield argument
    if isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Mult | ast.Div):
        yield from factors(argument.left)
        if isinstance(argument.op, ast.Mult):
            yield from factors(argument.right)


def is_root(exponent: ast.expr) -> bool:
    """Whether a power has no finite derivative at 0: its exponent is below 1."""
    match exponent:
        case ast.Constant(value=int() | float() as value):
            return 0 < value < 1
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return True
    return False


def tested_parts(condition: ast.expr) -> Iterator[ast.expr]:
    """The variables that a condition compares with a literal."""
    for part in ast.walk(condition):
        if isinstance(part, ast.Compare) and len(part.ops) == 1:
            for side, other in ((part.left, part.comparators[0]), (part.comparators[0], part.left)):
                if isinstance(other, ast.Constant) and not isinstance(side, ast.Constant):
                    yield side


def avoids_zero(condition: ast.expr, argument: ast.expr, *, kept: bool) -> bool:
    """Whether an argument is positive wherever the condition excludes it. `kept`: it is used where the condition holds."""
    match condition:
        case ast.Compare(left=left, ops=[operator], comparators=[ast.Constant(value=int() | float() as bound)]):
            above = isinstance(operator, ast.Gt | ast.GtE) is not kept  # what is excluded is above the bound
            ordered = isinstance(operator, ast.Gt | ast.GtE | ast.Lt | ast.LtE)
            return ordered and above and bound > 0 and ast.dump(left) == ast.dump(argument)
    return False
