"""An expression that needs the truth value of a traced value.

`a if test else b` becomes `jnp.where`, or `lax.cond` where one operand is expensive. `and`, `or` and `not` of booleans become
`&`, `|` and `~`. `0 < x < 1` and `x in (1, 2)` become two comparisons. Python's `max(a, b)` gives `a` unless `b` is greater,
even if one of them is NaN, while `jnp.maximum` propagates NaN; it is used only where this makes no difference.

```python
import numpy as np


def weight(x: float, width: float):
    inside = -width <= x < width and not x == 0
    return max(x, 0.0) + np.exp(-x) if inside else 0.5 * width
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def weight(x: float, width: float):
    inside = (-width <= x) & (x < width) & ~(x == 0)
    return jnp.where(inside, jnp.maximum(x, 0.0) + jnp.exp(jnp.where(inside, -x, 0)), 0.5 * width)
```
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import libcst as cst

from ..codegen import arm_dtypes, safe_operands, select, static_conditions
from ..context import Context
from ..core.dtypes import category
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..definitions.promoted_cond import PROMOTED_COND
from ..dtypes.inexact import perhaps_exact
from ..facts.loop_plan import Carried
from ..syntax import builders, membership
from ..syntax.extrema import extremum_operands
from ..syntax.tree import walk
from . import batched_context

rule = Rule(__name__, "NJ404")


@rule.on(cst.IfExp)
def conditional(node: cst.IfExp, ctx: Context) -> Iterator[Finding]:
    found = ctx.branches.branch(node)
    if found is None:
        return
    both = not found.expensive and found.sure
    tuples = ctx.kind(node) is Kind.TUPLE
    mixed = static_conditions.parts(node.test, ctx)
    together = both and batched_context.in_parallel(node, ctx)
    exact = None if together else perhaps_exact(node.body, node.orelse, ctx.value, ctx.qualname)
    promoted = exact is not None and not _is_carried_as_float(exact, ctx)

    def edit(made: cst.IfExp) -> cst.BaseExpression:
        if mixed is None:
            return selected(made)
        predication = selected(made.with_changes(test=mixed.rest))
        if isinstance(mixed.operator, cst.And):
            return made.with_changes(test=mixed.first, body=predication)
        return made.with_changes(test=mixed.first, orelse=predication)

    def selected(made: cst.IfExp) -> cst.BaseExpression:
        safe = (
            safe_operands.with_safe_operands(ctx, made.test, [made.body], [made.orelse], found.trapping)
            if found.trapping
            else None
        )
        if both and not found.trapping:
            return select.where(ctx, made.test, made.body, made.orelse, tuples)
        if both and safe is not None and (together or (found.trapping <= 2 and select.is_short(made.test))):
            return select.where(ctx, made.test, safe[0][0], safe[1][0], tuples)
        if together:
            return select.where(ctx, made.test, made.body, made.orelse, tuples)
        values = [arm_dtypes.floated(ctx, v, found.floats, "", first) for v, first in ((made.body, True), (made.orelse, False))]
        sides = (select.lambda_of((), builders.bare(value)) for value in values)
        if promoted:
            return builders.call(cst.Name(ctx.names.defined(PROMOTED_COND)), made.test, *sides)
        return select.cond(ctx, made.test, *sides)

    why = "both values are computed, and `jnp.where` selects"
    if not both:
        why = f"`lax.cond` computes one value, since {found.expensive or 'both must have the same shape'}"
    imports = select.imports_of(ctx, tuples)
    helpers = frozenset({PROMOTED_COND} if promoted else ())
    yield Finding(node, f"a conditional on a traced value: {why}", {node: edit}, imports, definitions=helpers)


def _is_carried_as_float(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an expression is a loop-carried variable, or an item of one, that starts as a float for the sake of its loop."""
    at: cst.CSTNode | None = node
    while isinstance(node, cst.Subscript):
        node = node.value
    while isinstance(node, cst.Name) and at is not None and not isinstance(at, cst.FunctionDef):
        match ctx.loops.loop_plan(at) if isinstance(at, (cst.For, cst.While)) else None:
            case Carried(loop=found) if node.value in found.typed and found.typed[node.value].inexact:
                return True
        at = ctx.parent(at)
    return False


@rule.on(cst.BooleanOperation)
def joined(node: cst.BooleanOperation, ctx: Context) -> Iterator[Finding]:
    if not ctx.builtins.logical(node):
        return
    if (found := static_conditions.parts(node, ctx)) is not None:
        if (len(found.traced) > 1 or found.moved) and not static_conditions.within(node, ctx):
            yield Finding(node, "Python tests the known part, and JAX the rest", {node: functools.partial(_mixed, found)})
        return
    operator: cst.BaseBinaryOp = cst.BitAnd() if isinstance(node.operator, cst.And) else cst.BitOr()
    sign = "&" if isinstance(node.operator, cst.And) else "|"

    def edit(made: cst.BooleanOperation) -> cst.BaseExpression:
        sides = (_truth(node.left, made.left, ctx), _truth(node.right, made.right, ctx))
        whole = cst.BinaryOperation(
            select.bitwise_operand(sides[0], operator), operator, select.bitwise_operand(sides[1], operator)
        )
        return whole.with_changes(lpar=made.lpar, rpar=made.rpar)

    yield Finding(
        node, f"Python would need the truth value of a traced value: JAX computes both operands, and `{sign}`", {node: edit}
    )


def _truth(node: cst.BaseExpression, made: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """A number as a bool: `&` and `|` would operate on its bits."""
    if select.is_truth(node, ctx) or category(ctx.value(node).dtype) == 0:
        return made
    return cst.Comparison(builders.operand(made), [cst.ComparisonTarget(cst.NotEqual(), cst.Integer("0"))])


def _mixed(found: static_conditions.Parts, made: cst.BooleanOperation) -> cst.BaseExpression:
    return found.whole.with_changes(lpar=made.lpar, rpar=made.rpar)


@rule.on(cst.UnaryOperation)
def negated(node: cst.UnaryOperation, ctx: Context) -> Iterator[Finding]:
    if not isinstance(node.operator, cst.Not) or not ctx.builtins.logical(node):
        return
    certain = category(ctx.value(node.expression).dtype) == 0 and not static_conditions.may_be_known(node.expression, ctx)
    text, imports = ctx.names.name_of("jax.numpy.logical_not")

    def edit(made: cst.UnaryOperation) -> cst.BaseExpression:
        if not certain:
            return builders.call(builders.dotted(text), made.expression)
        return made.with_changes(operator=cst.BitInvert(), expression=builders.operand(made.expression))

    yield Finding(node, "Python would need the truth value of a traced value", {node: edit}, imports)


@rule.on(cst.Comparison)
def chained(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    if len(node.comparisons) < 2 or not ctx.builtins.logical(node):
        return

    def edit(made: cst.Comparison) -> cst.BaseExpression:
        sides = [made.left, *(part.comparator for part in made.comparisons)]
        pairs = [
            select.enclosed(cst.Comparison(left, [part.with_changes(comparator=builders.bare(part.comparator))]))
            for left, part in zip(sides, made.comparisons, strict=False)
        ]
        whole: cst.BaseExpression = pairs[0]
        for pair in pairs[1:]:
            whole = cst.BinaryOperation(whole, cst.BitAnd(), pair)
        return whole.with_changes(lpar=made.lpar, rpar=made.rpar)

    yield Finding(node, "a chained comparison needs the truth value of its first part, which is traced", {node: edit})


@rule.on(cst.Comparison)
def among_numbers(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    if ctx.builtins.logical(node) and membership.members(node):
        yield Finding(
            node, "a traced value is looked up in a sequence: it is compared with each number", {node: membership.compared}
        )


@rule.on(cst.Call)
def extremum(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = (ctx.qualname(node.func) or "").removeprefix("builtins.")
    if name not in ("max", "min") or not ctx.builtins.logical(node) or ctx.builtins.reduction_operands(node) is not None:
        return
    text, imports = ctx.names.name_of(f"jax.numpy.{name}imum")
    operands = extremum_operands(node)
    exact = [_no_nan(operand, ctx) for operand in operands]
    repeated = sum(not each for each in exact[1:])
    nested = any(_selects(part, ctx) for operand in operands for part, _parent in walk(operand))
    several = repeated > 1 or (repeated == 1 and nested)  # nested `jnp.where` would repeat long expressions
    helper = "_greatest" if name == "max" else "_least"

    def edit(made: cst.Call) -> cst.BaseExpression:
        values = [builders.bare(operand) for operand in extremum_operands(made)]
        if several:
            return builders.call(builders.dotted(ctx.names.defined(helper)), *values)
        whole = values[0]
        for value, safe in zip(values[1:], exact[1:], strict=True):
            whole = builders.call(builders.dotted(text), whole, value) if safe else _greater(ctx, name, whole, value)
        return whole

    needed = imports | ctx.names.name_of("jax.numpy.where")[1]
    definitions = frozenset({helper}) if several else frozenset[str]()
    yield Finding(node, f"`{name}` of Python compares traced values", {node: edit}, needed, definitions=definitions)


def _selects(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether it becomes a `jnp.where`."""
    return isinstance(node, cst.IfExp) or (
        isinstance(node, cst.Call) and ctx.qualname(node.func) in ("builtins.max", "builtins.min")
    )


def _no_nan(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a number is certainly not NaN: an integer or a literal."""
    if isinstance(node, cst.UnaryOperation):
        return _no_nan(node.expression, ctx)
    return isinstance(node, (cst.Integer, cst.Float)) or category(ctx.value(node).dtype) in (0, 1)


def _greater(ctx: Context, name: str, first: cst.BaseExpression, second: cst.BaseExpression) -> cst.BaseExpression:
    """`jnp.where(second > first, second, first)`."""
    operator = cst.GreaterThan() if name == "max" else cst.LessThan()
    left, right = (builders.operand(side) if isinstance(side, cst.Comparison) else side for side in (second, first))
    return select.where(ctx, cst.Comparison(left, [cst.ComparisonTarget(operator, right)]), second, first)
