"""A draw from NumPy's global random state, or from a generator.

JAX draws with a key, which must be used only once. Each distribution becomes a function of `jax.random`, or a short expression
of them. The numbers differ from NumPy's; their distribution is the same.

```python
import numpy as np


def _noisy(x: np.ndarray, rng: np.random.Generator):
    return x + rng.normal(0.0, 0.1, size=x.shape)
```

becomes

```python
import jax


@jax.jit
def _noisy(x: jax.Array, rng: jax.Array):
    return x + 0.1 * jax.random.normal(rng, x.shape)
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from .. import random_table
from ..codegen.in_place_calls import Part, whole
from ..codegen.templates import modules
from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..definitions import DEFINITIONS
from ..dtypes.jax_dtypes import with_narrow_operand
from ..facts.values import UNKNOWN, Value
from ..syntax import builders

rule = Rule(__name__, "NJ302")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    drawn = ctx.random.drawn(node)
    if drawn is not None and ctx.program.random_on_host and not ctx.plan.refused:
        argument = ctx.parent(node)
        enclosing = ctx.parent(argument) if isinstance(argument, cst.Arg) else None
        if isinstance(enclosing, cst.Call) and ctx.qualname(enclosing.func) == "jax.numpy.asarray":
            return
        asarray, lines = ctx.names.name_of("jax.numpy.asarray")
        yield Finding(
            node,
            "random numbers are drawn on the host",
            {node: lambda made: builders.call(builders.dotted(asarray), made)},
            lines,
        )
        return
    if drawn is None or ctx.plan.refused:
        return
    names = ctx.random.keys.names.get(node)
    if names is None and not _made_here(node, ctx):
        return  # a problem for which the unit is refused
    bound, _why = random_table.bind(drawn, node.args)

    def facts(parameter: str) -> Value:
        return ctx.value(bound[parameter]) if parameter in bound else UNKNOWN

    imports: set[str] = {"import jax"}
    called: set[str] = set()

    def name(dotted: str) -> str:
        if dotted in DEFINITIONS:
            called.add(dotted)
            imports.update(modules(DEFINITIONS[dotted], ctx))
            return ctx.names.defined(dotted)
        text, lines = ctx.names.name_of(dotted)
        imports.update(lines)
        return text

    def expression(made: cst.Call, arguments: Mapping[str, cst.BaseExpression]) -> cst.BaseExpression:
        keys = [cst.parse_expression(n) for n in names] if names else [cst.ensure_type(made.func, cst.Attribute).value]
        return random_table.expression(drawn, arguments, keys, facts, name)

    expression(node, bound)  # collects the imports that it needs
    message = f"`{cst.Module([]).code_for_node(node.func)}` draws from NumPy's random state"
    if drawn.note:
        yield Finding(node, f"{message}: {drawn.note}")
    if not drawn.writes:
        narrow = with_narrow_operand(node, ctx)
        imports |= ctx.names.name_of("jax.numpy.asarray")[1] if narrow is not None else frozenset()

        def edit(made: cst.Call) -> cst.BaseExpression:
            draw = expression(made, _rewritten(drawn, made))
            return narrow(draw) if narrow is not None else _whole(node, draw, ctx)

        yield Finding(node, message, {node: edit}, frozenset(imports), definitions=frozenset(called))
        return
    target = bound[drawn.writes]
    update = next((u for u in ctx.effects.updates(node) if u.argument is target), None)
    if update is None or update.problem:
        return  # the unit is refused for that

    def build(part: Part) -> cst.BaseExpression:
        arguments = {p: ctx.rewritten(a) for p, a in bound.items()}
        return expression(node, arguments | {drawn.writes: part.old})

    yield from whole(node, message, ctx, update, build, frozenset(imports), used=False)


def _made_here(node: cst.Call, ctx: Context) -> bool:
    """Whether the generator is created for this draw, as its key: `default_rng(0).normal()`, `rng.spawn(1)[0].normal()`."""
    made = node.func.value if isinstance(node.func, cst.Attribute) else None
    child = isinstance(made, cst.Subscript) and isinstance(made.value, cst.Call) and ctx.random.spawns(made.value)
    return isinstance(made, cst.Call) or child


def _rewritten(drawn: random_table.Draw, made: cst.CSTNode) -> Mapping[str, cst.BaseExpression]:
    assert isinstance(made, cst.Call)
    return random_table.bind(drawn, made.args)[0]


def _whole(node: cst.Call, made: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """The expression of a draw, in parentheses where it is an operand."""
    parent = ctx.parent(node)
    if isinstance(parent, cst.BinaryOperation) and builders.tighter(made, parent.operator):
        return made
    if isinstance(parent, (cst.Attribute, cst.Subscript, cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)):
        return builders.operand(made)
    return made
