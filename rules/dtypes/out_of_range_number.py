"""An array of small integers combined with a number that its dtype cannot hold.

NumPy compares with the number itself: no uint8 equals -1. JAX first converts the number to the dtype of the array, where it
wraps around: -1 becomes 255. So the array is cast to a dtype that holds both. Where its dtype is unknown, a negative number is
written as a float, and so is one that does not fit an integer dtype used in the program: a float compares correctly with every
dtype. If the other operand is a variable, an array of unsigned integers, or of integers narrower than int32, is cast to int64.
If that variable becomes an element of the array (`best = -1`, then `if x[i] > best: best = x[i]`) and starts with a number that
does not fit, the function is left as NumPy. In arithmetic, NumPy raises OverflowError, and JAX continues with the wrapped
number; this is reported.

```python
import numpy as np


def unknown(labels: np.ndarray):
    return labels.astype(np.uint8) == -1
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def unknown(labels: jax.Array):
    return labels.astype(jnp.uint8).astype(jnp.int16) == -1
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial

import libcst as cst

from ..context import Context
from ..core.dtypes import bounds, holds, kind
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..facts.iteration_space import integer
from ..facts.values import Value
from ..syntax import builders
from ..syntax.tree import walk
from .jax_dtypes import cast, dtype_name, numpy_dtype

rule = Rule(__name__, "NJ610")
COMPARED = (cst.Equal, cst.NotEqual, cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
FUNCTIONS = frozenset(
    f"numpy.{name}"
    for name in "equal not_equal less less_equal greater greater_equal clip isclose searchsorted digitize array_equal isin".split()
)
EXTREMA = frozenset({"builtins.max", "builtins.min"})
EXACT = 2**24  # integers below that are exact in every float to which JAX promotes them with integers
WIDER = ("int16", "int32", "int64")
WIDENED = ("int8", "int16", "uint8", "uint16", "uint32")  # what int64 can hold; for int32 see docs/limitations.md


@rule.on(cst.Comparison)
def compared(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    if len(node.comparisons) != 1 or not isinstance(node.comparisons[0].operator, COMPARED):
        return
    left, right = node.left, node.comparisons[0].comparator
    for array, number in ((left, right), (right, left)):
        dtype, value = _small(array, ctx), integer(number)
        if value is not None and abs(value) < EXACT and _unknown(array, ctx) and (few := _without(value, ctx)):
            message = f"{value} does not fit {few} array, if it is one: JAX wraps it round before it compares"
            yield Finding(node, message, {number: lambda made: _as_float(made)})
            return
        if value is None and dtype in WIDENED and (_of_python(number, ctx) or _unclear(number, ctx)):
            message = f"no {dtype} may be compared with this: JAX wraps it around before it compares"
            wider = partial(_widened, original=ctx.value(array), ctx=ctx)
            yield Finding(array, message, {array: wider}, ctx.names.name_of("jax.numpy.int64")[1], wraps=True)
            return
        if value is None and (blocked := _searched(node, array, (number,), ctx)) is not None:
            yield blocked
            return
        if not dtype or value is None or holds(dtype, value):
            continue
        message = f"{value} is no {dtype}: JAX wraps it round before it compares"
        wide = next((w for w in WIDER if holds(w, value) and all(holds(w, limit) for limit in bounds(dtype))), "")
        if not wide:
            yield Finding(node, message, blocks=True)
            return
        edit = partial(_cast, first=array is left, dtype=dtype_name(wide, ctx))
        yield Finding(node, message, {node: edit}, ctx.names.name_of(f"jax.numpy.{wide}")[1])


@rule.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = ctx.qualname(node.func) or ""
    arguments = [a.value for a in node.args]
    if (
        isinstance(node.func, cst.Attribute)
        and node.func.attr.value in ("clip", "searchsorted")
        and not name.startswith("numpy.")
    ):
        arguments = [node.func.value, *arguments]
    elif name not in FUNCTIONS and name not in EXTREMA:
        return
    dtype = next((found for a in arguments if (found := _small(a, ctx))), "")
    if name in EXTREMA:
        for blocked in filter(None, (_searched(node, a, arguments, ctx) for a in arguments)):
            yield blocked
            return
    values = [value for a in arguments if (value := integer(a)) is not None]
    if dtype and (wrong := next((value for value in values if not holds(dtype, value)), None)) is not None:
        yield Finding(node, f"{wrong} is no {dtype}: JAX wraps it round first", blocks=True)


@rule.on(cst.BinaryOperation)
def computed(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    if isinstance(node.operator, (cst.Divide, cst.Power, cst.LeftShift, cst.RightShift, cst.MatrixMultiply)):
        return
    for array, number in ((node.left, node.right), (node.right, node.left)):
        dtype, value = _small(array, ctx), integer(number)
        if dtype and value is not None and not holds(dtype, value):
            yield Finding(node, f"{value} is no {dtype}: NumPy raises OverflowError, JAX wraps it round")


def _small(node: cst.BaseExpression, ctx: Context) -> str:
    """The dtype of an integer array, or of an integer scalar other than a Python one."""
    value = ctx.value(node)
    dtype = numpy_dtype(value) if value.kind in (Kind.ARRAY, Kind.SCALAR) else ""
    return dtype if kind(dtype) in ("i", "u") and dtype != "int" else ""


def _without(value: int, ctx: Context) -> str:
    """The integer arrays that cannot hold a number: unsigned ones, and those whose dtypes the program names."""
    return "an unsigned" if value < 0 else next((f"an {d}" for d in _named(ctx) if not holds(d, value)), "")


def _named(ctx: Context) -> list[str]:
    """The small integer dtypes that the program names."""
    return sorted(d for d in ctx.program.narrow_dtypes if kind(d) in ("i", "u"))


def _searched(
    node: cst.BaseExpression, array: cst.BaseExpression, other: Iterable[cst.BaseExpression], ctx: Context
) -> Finding | None:
    """Why a search is refused whose initial number no element of the array can have, for its dtype or for one that the program
    names."""
    dtype = _small(array, ctx)
    for each in [dtype] if dtype else _named(ctx) if _unknown(array, ctx) else ():
        for bound in filter(None, (_bound_outside(b, each, ctx) for b in other if b is not array)):
            which = each if dtype else f"{each}, a dtype that the program uses: annotate the dtype of the array"
            return Finding(node, f"`{bound[0]}` may be {bound[1]}, which is no {which}; JAX wraps it round", blocks=True)
    return None


def _bound_outside(node: cst.BaseExpression, dtype: str, ctx: Context) -> tuple[str, int] | None:
    """A variable, the start of a search for an extremum, that the function binds to a number outside of a dtype, and that
    number."""
    if not isinstance(node, cst.Name):
        return None
    enclosing: cst.CSTNode | None = node
    while enclosing is not None and not isinstance(enclosing, cst.FunctionDef):
        enclosing = ctx.parent(enclosing)
    for function in (enclosing, ctx.unit.moved_out_of):  # the loop of a function may have been outlined
        for value in _numbers(function).get(node.value, ()) if isinstance(function, cst.FunctionDef) else ():
            if not holds(dtype, value):
                return node.value, value
    return None


@lru_cache(maxsize=4)
def _numbers(function: cst.FunctionDef) -> dict[str, list[int]]:
    """The integer literals to which a function binds its variables."""
    found: dict[str, list[int]] = {}
    for part, _parent in walk(function):
        targets = [t.target for t in part.targets] if isinstance(part, cst.Assign) else []
        if isinstance(part, cst.AnnAssign):
            targets = [part.target]
        for target in targets:
            assert isinstance(part, (cst.Assign, cst.AnnAssign))
            for name, bound in _pairs(target, part.value):
                if (value := integer(bound)) is not None:
                    found.setdefault(name, []).append(value)
    return found


def _pairs(target: cst.BaseExpression, value: cst.BaseExpression | None) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The variables that are bound, and their values: in `a, b = 1, 2`, one each."""
    match target, value:
        case cst.Name(value=name), cst.BaseExpression():
            yield name, value
        case ((cst.Tuple() | cst.List()), (cst.Tuple() | cst.List())) if len(target.elements) == len(value.elements):
            for t, v in zip(target.elements, value.elements, strict=True):
                yield from _pairs(t.value, v.value)


def _of_python(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it is a Python integer: a variable, or computed from variables."""
    value = ctx.value(node)
    return value.kind is Kind.SCALAR and value.dtype == "int" and not value.name


def _unclear(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it is a variable of which nothing is known: a Python scalar, or an array, which compares as well with one of
    int64."""
    value = ctx.value(node)
    return isinstance(node, cst.Name) and value.kind is Kind.UNKNOWN and not value.dtype and not value.name


def _widened(made: cst.BaseExpression, original: Value, ctx: Context) -> cst.BaseExpression:
    return cast(builders.operand(made), original, "int64", ctx)


def _unknown(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether JAX computes it, and it may be integers of any dtype."""
    value = ctx.value(node)
    made = value.kind is Kind.ARRAY or (value.kind is Kind.SCALAR and value.traced)
    return made and not numpy_dtype(value) and not ctx.plan.refused and not ctx.plan.jax


def _as_float(made: cst.CSTNode) -> cst.BaseExpression:
    if isinstance(made, cst.Integer):
        return cst.Float(f"{made.evaluated_value}.0", made.lpar, made.rpar)
    number = cst.ensure_type(made, cst.UnaryOperation)
    return number.with_changes(expression=cst.Float(f"{cst.ensure_type(number.expression, cst.Integer).evaluated_value}.0"))


def _cast(made: cst.Comparison, first: bool, dtype: str) -> cst.Comparison:
    target = builders.dotted(dtype)
    if first:
        return made.with_changes(left=builders.method(made.left, "astype", target))
    part = made.comparisons[0]
    return made.with_changes(comparisons=[part.with_changes(comparator=builders.method(part.comparator, "astype", target))])
