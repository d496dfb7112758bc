"""A result written into an existing array by `out=`.

JAX arrays cannot be written to. `out=` is removed, and the array is rebound to the result, with its dtype and shape: where the
shape of the result may differ, the result is broadcast. `where=` of a ufunc keeps the old values.

```python
import numpy as np


def smooth(x: np.ndarray, buffer: np.ndarray):
    np.multiply(x, 0.5, out=x)
    np.add(x[:-1], x[1:], out=buffer[1:])
    return x
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def smooth(x: jax.Array, buffer: jax.Array):
    x = jnp.multiply(x, 0.5)
    buffer = buffer.at[1:].set(jnp.add(x[:-1], x[1:]))
    return x, buffer
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import libcst as cst

from ..codegen.call_adaptation import adaptation, adapted
from ..codegen.in_place_calls import Callee, New, Part, Small, bound, callee, changed, now, replacing, taken, whole
from ..codegen.templates import filled
from ..context import Context
from ..core import dtypes
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..dtypes.call_dtypes import argument_dtype
from ..facts.updates import Update
from ..facts.values import View
from ..numpy_table.entry import Entry, Verdict
from ..numpy_table.result_dtypes import result_dtype
from ..syntax import builders
from ..syntax.argument_binding import bind
from ..syntax.out_arguments import count, outputs, without
from ..syntax.source_text import verbatim

rule = Rule(__name__, "NJ220")
BROADCAST = ("numpy.clip", "ndarray.clip", "numpy.outer", "numpy.matmul")  # like ufuncs: `out` may be larger than the result
ACCUMULATING = frozenset(
    "sum prod mean cumsum cumprod trace nansum nanprod nanmean nancumsum nancumprod reduce accumulate".split()
)
RUNNING = frozenset({"cumsum", "cumprod", "accumulate"})  # in JAX, the result has the dtype of the argument


@dataclass(slots=True)
class Output:
    """One result and the argument that it is written into, None if there is none."""

    argument: cst.BaseExpression | None
    update: Update | None
    fits: bool  # whether the result has the shape of the argument
    same: bool  # whether it has its dtype


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    called = callee(node, ctx)
    if called is None:
        return
    if "out" not in called.entry.params and any(a.keyword is not None and a.keyword.value == "out" for a in node.args):
        yield Finding(node, f"`out` of `{called.name.removeprefix('numpy.')}` is not known", blocks=True)
        return
    if not ctx.effects.updates(node):
        return
    given = outputs(node, called.entry)
    if not given or any(u.problem for u in ctx.effects.updates(node)):
        return
    if called.entry.verdict not in (Verdict.SAME, Verdict.RENAMED, Verdict.ADAPTED, Verdict.EXPRESSION):
        return
    updates = {u.argument: u for u in ctx.effects.updates(node)}
    if called.entry.writes or not updates.keys() <= set(given):
        return
    short = called.name.rpartition(".")[2]
    plain = without(node, called.entry, ("where",) if called.entry.ufunc else ())
    mask = next(
        (a.value for a in node.args if a.keyword is not None and a.keyword.value == "where" and verbatim(a.value) != "True"), None
    )
    mask = mask if called.entry.ufunc else None
    receiver = ctx.value(called.receiver) if called.receiver is not None else None
    plan = adaptation(plain, called.name, called.entry, ctx, receiver)
    if plan.problem:
        yield Finding(node, plan.problem, blocks=True)
        return
    if dtype := _accumulating(plain, called, given[0], ctx):
        plan.added["dtype"] = dtype
    if mask is not None and count(called.entry) > 1:
        yield Finding(node, f"`where=` of `{short}`, which has two results", blocks=True)
        return
    made = [_output(plain, called, a, updates.get(a), ctx) for a in given]
    missing = [a for a, output in zip(given, made, strict=True) if output.update is None and output.argument is not None]
    if missing:
        yield Finding(node, f"np2jax cannot tell what `{verbatim(missing[0])}` is, into which `{short}` writes", blocks=True)
        return
    imports = plan.imports | ctx.names.name_of("jax.numpy.asarray")[1]

    def computed() -> cst.BaseExpression:
        args = [a.with_changes(value=ctx.rewritten(a.value)) for a in plain.args]
        func = ctx.rewritten(plain.func)
        if called.entry.verdict is Verdict.EXPRESSION:
            call = plain.with_changes(args=args)
            parts = {
                name: plan.argument(call, position)
                for position, name in bind(plain, called.entry)
                if position not in plan.dropped
            }
            parts |= {p: builders.dotted(text) for p, text in called.entry.defaults.items() if p not in parts}
            if called.receiver is not None:
                parts["self"] = ctx.rewritten(called.receiver)
            return filled(called.entry.target, parts, ctx)
        return adapted(plain.with_changes(func=func, args=args, lpar=(), rpar=()), plan)

    message = f"`{short}` writes into `{verbatim(given[0])}`"
    if count(called.entry) == 1:
        update = made[0].update
        assert update is not None
        new = _new(made[0], computed) if mask is None else _chosen(plain, called, made[0], computed, mask, ctx)
        yield from whole(node, message, ctx, update, new, imports, used=True)
    else:
        yield from _several(node, message, ctx, made, computed, imports)


def _accumulating(call: cst.Call, called: Callee, argument: cst.BaseExpression, ctx: Context) -> str:
    """The dtype in which a sum or a product accumulates, which is the output's; "" where JAX needs no `dtype`."""
    dtype = ctx.value(argument).dtype
    if called.name.rpartition(".")[2] not in ACCUMULATING or "dtype" not in called.entry.params:
        return ""
    given = any(name == "dtype" and verbatim(call.args[position].value) != "None" for position, name in bind(call, called.entry))
    if not given and called.name.rpartition(".")[2] in RUNNING and not (dtype and ctx.value(_summed(call, called)).dtype):
        return _common(_summed(call, called), argument, ctx)
    if dtypes.category(dtype) < 2:
        return ""
    wide = ctx.program.precision == "float32" and dtype in dtypes.WIDEST
    return "" if given or wide or _natural(call, called, ctx) == dtype else ctx.names.name_of(f"jax.numpy.{dtype}")[0]


def _summed(call: cst.Call, called: Callee) -> cst.BaseExpression:
    return called.receiver if called.receiver is not None else call.args[0].value


def _common(array: cst.BaseExpression, argument: cst.BaseExpression, ctx: Context) -> str:
    """The promoted dtype of an array and its output, not both known: a running sum of small integers would overflow."""
    if dtypes.category(ctx.value(array).dtype) >= 2:
        return ""
    function = builders.dotted(ctx.names.name_of("jax.numpy.result_type")[0])
    return verbatim(builders.call(function, ctx.rewritten(array), taken(argument, ctx)))


def _natural(call: cst.Call, called: Callee, ctx: Context) -> str:
    """The dtype of NumPy's result without `out`, "" if unknown."""
    known = {name: position for position, name in bind(call, called.entry) if name}
    receiver = ctx.value(called.receiver) if called.receiver is not None else None
    return result_dtype(called.entry.dtype, argument_dtype(call, called.entry, ctx, known, receiver))


def _output(call: cst.Call, called: Callee, argument: cst.BaseExpression, update: Update | None, ctx: Context) -> Output:
    if ctx.kind(argument) is Kind.NONE or verbatim(argument) == "None":
        return Output(None, None, True, True)
    entry, held = called.entry, ctx.value(argument)
    operands = [ctx.value(a.value) for a in call.args[: entry.ufunc]] if entry.ufunc else []
    shapes = {v.shape for v in operands if v.kind is not Kind.SCALAR}
    among = any(_is(a.value, argument, ctx) for a in call.args[: entry.ufunc]) if entry.ufunc else False
    fits = among or (shapes == {held.shape} and bool(held.shape)) or not (entry.ufunc or called.name in BROADCAST)
    if called.name.rpartition(".")[2] == "clip":
        first = called.receiver if called.receiver is not None else call.args[0].value if call.args else argument
        fits = verbatim(first) == verbatim(argument)
    if called.name == "numpy.matmul":
        fits = False
    natural = _natural(call, called, ctx)
    if any(name == "dtype" for _position, name in bind(call, entry)):
        natural = ""
    return Output(argument, update, fits, (bool(natural) and held.dtype == natural) or _or_raises(call, entry, argument, ctx))


def _or_raises(call: cst.Call, entry: Entry, argument: cst.BaseExpression, ctx: Context) -> bool:
    """Whether the result has the dtype of the output, since NumPy raises otherwise: `np.multiply(x, 0.5, out=x)`."""
    if not entry.ufunc or entry.dtype not in ("promote", "float"):
        return False
    values = [a.value for a in call.args[: entry.ufunc]]
    own = [_is(v, argument, ctx) for v in values]
    return any(own) and all(mine or _is_number(v, ctx) for mine, v in zip(own, values, strict=True))


def _is(value: cst.BaseExpression, argument: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an operand is the array that the result is written into."""
    return verbatim(value) == verbatim(argument) or ctx.value(value).view == View(verbatim(argument))


def _is_number(value: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an operand is certainly a Python number, which adopts the dtype of an array operand."""
    known = ctx.value(value)
    return known.kind is Kind.SCALAR and known.static and dtypes.is_weak(known.dtype)


def _new(output: Output, computed: Callable[[], cst.BaseExpression]) -> New:
    """How the new value of the written part is built from the result."""
    return lambda part: part.cast(computed(), output.same) if output.fits else part.accumulated(computed())


def _chosen(
    call: cst.Call,
    called: Callee,
    output: Output,
    computed: Callable[[], cst.BaseExpression],
    mask: cst.BaseExpression,
    ctx: Context,
) -> New:
    """The same for `where=`: the result where the mask is true. NumPy rejects a mask larger than the output."""
    where = builders.dotted(ctx.names.name_of("jax.numpy.where")[0])
    like, number = _filled_like(output.argument, ctx)

    def new(part: Part) -> cst.BaseExpression:
        among = like is not None and any(verbatim(a.value) == verbatim(like) for a in call.args[: called.entry.ufunc])
        old = cst.Integer(number) if among else part.old
        made = builders.call(where, taken(mask, ctx), computed(), old)
        if output.same or not isinstance(output.argument, cst.Call):
            return part.cast(made, output.same)
        if like is None:
            return part.accumulated(made)
        return builders.method(made, "astype", cst.Attribute(builders.operand(ctx.rewritten(like)), cst.Name("dtype")))

    return new


def _filled_like(argument: cst.BaseExpression | None, ctx: Context) -> tuple[cst.BaseExpression | None, str]:
    """For an output `np.zeros_like(x)`: the array that it has the shape and dtype of, and its fill value."""
    match argument:
        case cst.Call(func=func, args=[cst.Arg(value=like, keyword=None, star="")]) if ctx.kind(like) is Kind.ARRAY:
            number = {"numpy.zeros_like": "0", "numpy.ones_like": "1"}.get(ctx.qualname(func) or "")
            return (like, number) if number is not None else (None, "")
    return None, ""


def _several(
    node: cst.Call,
    message: str,
    ctx: Context,
    made: Sequence[Output],
    computed: Callable[[], cst.BaseExpression],
    imports: set[str],
) -> Iterator[Finding]:
    """A ufunc with two results."""
    outputs = [*made, *(Output(None, None, True, True) for _ in range(2 - len(made)))]
    names = [ctx.names.fresh(stem) for stem in ("first", "second")]

    def statements() -> Small:
        targets: list[cst.Element] = []
        after: list[cst.BaseSmallStatement] = []
        for output, name in zip(outputs, names, strict=True):
            targets.append(cst.Element(cst.Name(name)))
            if output.update is not None and output.update.target is not None:
                new = _new(output, partial(cst.Name, name))
                after += bound(output.update, changed(output.update, new, ctx), ctx)
        return [cst.Assign([cst.AssignTarget(cst.Tuple(targets, lpar=[], rpar=[]))], computed()), *after]

    def result() -> cst.BaseExpression:
        elements = [
            cst.Element(now(o.update, ctx) if o.update is not None else cst.Name(n)) for o, n in zip(outputs, names, strict=True)
        ]
        return cst.Tuple(elements)

    yield from replacing(node, message, ctx, statements, result, [o.update for o in made if o.update is not None], imports)
