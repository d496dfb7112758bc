"""A random key is used as a number.

Keys are opaque: `key + 1` raises TypeError, and so does `int(key)`. For keys of the old kind such sums give keys that depend on each other.
Derive keys with `split` and `fold_in`.

```python
import jax

key = jax.random.key(0)
x = jax.random.normal(key + 1)
```

Right:

```python
import jax

key = jax.random.key(0)
x = jax.random.normal(jax.random.fold_in(key, 1))
```

See https://docs.jax.dev/en/latest/jep/9263-typed-keys.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call, Operation
from ..jax_table.random_functions import DERIVED, USES

rule = LintRule(__name__, "NJ824")
ARITHMETIC = frozenset("Add Sub Mult Div FloorDiv Mod Pow BitXor BitAnd BitOr LShift RShift Lt Gt LtE GtE".split())
MESSAGE = "a random key is no number; use `jax.random.fold_in(key, number)` or `split`"


@rule.on(Operation)
def check(event: Operation) -> Iterator[tuple[ast.AST, str]]:
    if event.operator in ARITHMETIC and (event.left.name == "key" or event.right.name == "key"):
        yield event.node, MESSAGE


@rule.on(Call)
def check_call(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if event.name in ("int", "float") and event.args and event.args[0].name == "key":
        yield event.node, MESSAGE
    if event.name == ".item" and event.base.name == "key":
        yield event.node, MESSAGE
    if (
        event.name in USES | DERIVED
        and isinstance(given := key_of(event.node), ast.BinOp)
        and type(given.op).__name__ in ARITHMETIC
    ):
        yield given, MESSAGE  # whatever the operands are, the result is used as a key


def key_of(call: ast.Call) -> ast.expr | None:
    """The argument of a draw that is its key."""
    return call.args[0] if call.args else next((word.value for word in call.keywords if word.arg == "key"), None)
