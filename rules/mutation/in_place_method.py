"""A method that updates an array in place.

JAX arrays have no such methods, and their `sort` returns a copy. The variable is rebound to the new array.

```python
import numpy as np


def ranked(score: np.ndarray, best: np.ndarray):
    score.sort()
    best.fill(0)
    best[1:].fill(score[-1])
    return score, best
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def ranked(score: jax.Array, best: jax.Array):
    score = jnp.sort(score)
    best = jnp.full_like(best, 0)
    best = best.at[1:].set(score[-1])
    return score, best
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from ..codegen.argument_casts import Adaptation
from ..codegen.call_adaptation import adaptation, adapted
from ..codegen.in_place_calls import Callee, Part, callee, whole
from ..codegen.templates import filled
from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..numpy_table.entry import Verdict
from ..syntax import builders
from ..syntax.source_text import verbatim

rule = Rule(__name__, "NJ221")
Build = Callable[[Part], cst.BaseExpression]


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    called = callee(node, ctx)
    if called is None or called.receiver is None or called.entry.writes != "self":
        return
    update = next((u for u in ctx.effects.updates(node) if u.argument is called.receiver), None)
    if update is None or update.problem:
        return
    name = called.name.rpartition(".")[2]
    if called.entry.verdict is Verdict.REFUSED:
        return  # the analysis reports it
    build = _BUILD.get(name, _by_function)(node, called, ctx)
    if isinstance(build, str):
        yield Finding(node, f"`.{name}()` {build}", blocks=True)
        return
    if name == "resize" and update.refresh:
        yield Finding(node, f"`.{name}()` of an array that `{update.refresh[0][0]}` is a view of", blocks=True)
        return
    imports = ctx.names.name_of("jax.numpy.asarray")[1]
    yield from whole(node, f"`.{name}()` changes `{verbatim(called.receiver)}` in place", ctx, update, build, imports, used=False)
    if name == "partition":
        yield Finding(node, "the order of the elements within the parts is another one in JAX")


def _plan(node: cst.Call, called: Callee, ctx: Context) -> Adaptation:
    assert called.receiver is not None
    return adaptation(node, f".{called.name.rpartition('.')[2]}()", called.entry, ctx, ctx.value(called.receiver))


def _arguments(node: cst.Call, ctx: Context) -> list[cst.Arg]:
    return [a.with_changes(value=ctx.rewritten(a.value)) for a in node.args]


def _by_function(node: cst.Call, called: Callee, ctx: Context) -> Build | str:
    """`a.sort(0)` as `jnp.sort(a, 0)`."""
    plan = _plan(node, called, ctx)
    if plan.problem:
        return f"cannot be written for JAX: {plan.problem}"

    def build(part: Part) -> cst.BaseExpression:
        function = builders.dotted(ctx.names.name_of(called.entry.target)[0])
        made = adapted(cst.Call(function, _arguments(node, ctx)), plan)
        assert isinstance(made, cst.Call)
        return made.with_changes(args=_with_first(part.old, made.args))

    return build


def _with_first(first: cst.BaseExpression, args: Sequence[cst.Arg]) -> list[cst.Arg]:
    every = [cst.Arg(builders.bare(first)), *args]
    return [a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in every]


def _partition(node: cst.Call, called: Callee, ctx: Context) -> Build | str:
    if node.args and node.args[0].keyword is None and ctx.kind(node.args[0].value) is Kind.SCALAR:
        return _by_function(node, called, ctx)
    by_name = [a for a in node.args if a.keyword is not None and a.keyword.value == "axis"]
    axis = by_name or [a for a in node.args[1:2] if a.keyword is None]

    def build(part: Part) -> cst.BaseExpression:  # several positions: a sorted array is also partitioned
        args = [a.with_changes(value=ctx.rewritten(a.value)) for a in axis]
        return cst.Call(builders.dotted(ctx.names.name_of("jax.numpy.sort")[0]), _with_first(part.old, args))

    return build


def _fill(node: cst.Call, called: Callee, ctx: Context) -> Build | str:
    if len(node.args) != 1 or node.args[0].star:
        return "is called with arguments other than a value"
    value = node.args[0].value

    def build(part: Part) -> cst.BaseExpression:
        if part.exact:
            return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.full_like")[0]), part.old, ctx.rewritten(value))
        return ctx.rewritten(value)

    return build


def _resize(node: cst.Call, called: Callee, ctx: Context) -> Build | str:
    sizes = [a for a in node.args if a.keyword is None]
    if not sizes or any(a.star for a in node.args):
        return "is called with arguments other than a shape"

    def build(part: Part) -> cst.BaseExpression:
        shape = ctx.rewritten(sizes[0].value)
        if len(sizes) > 1:
            shape = cst.Tuple([cst.Element(ctx.rewritten(a.value)) for a in sizes])
        return filled(called.entry.target, {"self": part.old, "new_shape": shape}, ctx)

    return build


def _itemset(node: cst.Call, called: Callee, ctx: Context) -> Build | str:
    """`itemset`, removed in NumPy 2, takes a flat index or one index per axis, and the value."""
    args = [a.value for a in node.args]
    if not args or any(a.star or a.keyword is not None for a in node.args):
        return "is called with arguments other than an index and a value"
    *index, value = args
    flat = len(index) == 1 and not isinstance(index[0], cst.Tuple)
    assert called.receiver is not None
    if flat and ctx.kind(index[0]) is not Kind.SCALAR:
        return "is called with an index of which np2jax cannot tell whether it is a number"
    row = ctx.value(called.receiver).rank == 1

    def build(part: Part) -> cst.BaseExpression:
        if not index:
            return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.full_like")[0]), part.old, ctx.rewritten(value))
        parts = builders.flat([cst.SubscriptElement(cst.Index(ctx.rewritten(i))) for i in index])
        if not flat or row:
            return builders.at(part.writer.device(part.old), parts, "set", ctx.rewritten(value))
        changed = builders.at(builders.method(part.writer.device(part.old), "ravel"), parts, "set", ctx.rewritten(value))
        return builders.method(changed, "reshape", cst.Attribute(builders.operand(part.old), cst.Name("shape")))

    return build


_BUILD: dict[str, Callable[[cst.Call, Callee, Context], Build | str]] = {
    "fill": _fill,
    "itemset": _itemset,
    "partition": _partition,
    "resize": _resize,
}
