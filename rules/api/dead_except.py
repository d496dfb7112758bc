"""A handler for a NumPy exception or warning that JAX never raises.

For a singular matrix, NumPy raises LinAlgError, a ValueError; JAX gives NaN or infinity. For an index out of bounds, `np.take`
raises IndexError; JAX gives NaN. `np.errstate(all="raise")` has no effect on JAX, and `warnings.catch_warnings(record=True)` records
nothing. The handler would never run, so the function is left as NumPy. So is one where only JAX raises: for arrays of objects. Test the result instead (`np.isfinite(x).all()`, `0 <=
i < len(x)`), which works in both.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax.tree import children

rule = Rule(__name__, "NJ607")
RAISED = frozenset(
    {"", *(f"builtins.{n}Error" for n in ("Value", "Index", "Lookup")), "builtins.Exception", "builtins.BaseException"}
)
WARNINGS = frozenset({"builtins.FloatingPointError", "builtins.RuntimeWarning", "builtins.Warning"})
WRONG_TYPE = frozenset({"builtins.TypeError"})
ARRAYS_OF_OBJECTS = ("numpy.array", "numpy.asarray", "numpy.asanyarray")
OF_NUMPY = frozenset({"LinAlgError", "RankWarning"})
RAISING = ("numpy.errstate", "numpy.seterr")


@rule.on(cst.Try)
def check(node: cst.Try, ctx: Context) -> Iterator[Finding]:
    caught = {name for handler in node.handlers for name in _caught(handler, ctx)}
    if not caught:
        return
    for inner in _expressions(node.body):
        if why := _raises(inner, caught, ctx):
            yield Finding(node, f"{why}: the handler would never run", blocks=True)
            return
        if why := _raises_in_jax(inner, caught, ctx):
            yield Finding(node, f"{why}: the handler would run", blocks=True)
            return


@rule.on(cst.Call)
def told_to_raise(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if ctx.qualname(node.func) in RAISING and any(_is_raise(a.value) for a in node.args):
        yield Finding(node, "NumPy is configured to raise for invalid values, which JAX never does", blocks=True)


@rule.on(cst.With)
def recorded(node: cst.With, ctx: Context) -> Iterator[Finding]:
    """Warnings that are recorded are looked at; what is suppressed ends the block."""
    caught = {"builtins.RuntimeWarning"} if any(_records(item.item, ctx) for item in node.items) else set[str]()
    for call in (item.item for item in node.items if isinstance(item.item, cst.Call)):
        if ctx.qualname(call.func) == "contextlib.suppress":
            caught |= {ctx.qualname(argument.value) or "?" for argument in call.args}
    for inner in _expressions(node.body) if caught else ():
        if why := _raises(inner, caught, ctx):
            yield Finding(node, f"{why}: the block would go on, and nothing be recorded", blocks=True)
            return


def _records(node: cst.BaseExpression, ctx: Context) -> bool:
    match node:
        case cst.Call() if ctx.qualname(node.func) == "warnings.catch_warnings":
            return any(isinstance(a.value, cst.Name) and a.value.value == "True" for a in node.args)
    return False


def _is_raise(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.SimpleString) and value.evaluated_value == "raise"


def _caught(handler: cst.ExceptHandler, ctx: Context) -> Iterator[str]:
    if handler.type is None:
        yield ""
        return
    types = [e.value for e in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
    for node in types:
        yield ctx.qualname(node) or "?"


def _expressions(body: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes that a body evaluates: all but those in nested definitions."""
    stack = [body]
    while stack:
        at = stack.pop()
        if not isinstance(at, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            yield at
            stack.extend(reversed(children(at)))


def _raises(node: cst.CSTNode, caught: set[str], ctx: Context) -> str:
    """Why NumPy may raise a caught exception at `node` and JAX does not; "" if there is no such exception."""
    if not isinstance(node, cst.Call):
        return ""
    name = ctx.qualname(node.func) or ""
    if not name.startswith("numpy.") or ctx.host.on_host(node):
        return ""
    if caught & WARNINGS:
        return "NumPy may warn of invalid values, and JAX does not"
    entry = numpy_table.function(name)
    if entry is None or not entry.lenient:
        return ""
    named = any(word in entry.lenient for word in OF_NUMPY & {c.rpartition(".")[2] for c in caught})
    return f"`{name}`: {entry.lenient}" if named or caught & RAISED else ""


def _raises_in_jax(node: cst.CSTNode, caught: set[str], ctx: Context) -> str:
    """Why JAX may raise a caught exception at `node` and NumPy does not; "" if there is no such exception."""
    name = ctx.qualname(node.func) or "" if isinstance(node, cst.Call) else ""
    if name not in ARRAYS_OF_OBJECTS or not isinstance(node, cst.Call) or not node.args or not caught & (RAISED | WRONG_TYPE):
        return ""
    value = ctx.value(node.args[0].value)
    if value.kind is not Kind.UNKNOWN or value.number or value.holds or ctx.host.on_host(node):
        return ""
    return f"`{name}` of an unknown value may make an array of objects, for which JAX raises TypeError"
