"""Loops over a parameter that may be an array as well as a list of arrays, such as the weights of a network."""

from __future__ import annotations

import libcst as cst

from ..codegen import original_body, shells
from ..context import Context
from ..core.findings import Kind
from ..definitions.host import AS_VECTOR
from ..facts.loop_plan import Fori, Scan
from ..syntax import builders
from ..syntax.tree import walk

PASSING_ITEMS = frozenset(f"builtins.{name}" for name in ("enumerate", "reversed", "zip"))
OF_ARRAYS = frozenset(  # functions of arrays that are hardly ever called with a number
    f"numpy.{name}" for name in "sum mean max min amax amin std var prod any all dot matmul vdot outer linalg.norm trace".split()
)


def are_items(loop: cst.For, ctx: Context) -> bool:
    """Whether a loop may iterate over the arrays in a list."""
    space = ctx.loops.iteration_space(loop)
    inner = space.parts[0] if space.function == "reversed" else space
    if inner.parts or inner.function or not _may_be_list(inner.iterable, ctx):
        return False
    names = {n.value for n, _parent in walk(loop.target) if isinstance(n, cst.Name)}
    return any(isinstance(n, cst.Name) and n.value in names and _is_array(n, ctx) for n, _parent in walk(loop.body))


def _may_be_list(node: cst.BaseExpression, ctx: Context) -> bool:
    value = ctx.value(node)
    return isinstance(node, cst.Name) and value.kind is Kind.UNKNOWN and bool(value.deps) and not value.number


def _is_array(node: cst.BaseExpression, ctx: Context) -> bool:
    value = ctx.value(node)
    return value.kind is Kind.ARRAY and not value.number


def stacked(node: cst.FunctionDef, ctx: Context) -> list[str]:
    """The parameters that may be lists of arrays, and of which the compiled loops of a function need one array: `lax.map` and `jax.vmap`
    take no list. The original statements run for those of different shapes, if they are few."""
    if not ctx.plan.inputs.shell.lists or not original_body.copied(node, ctx):
        return []
    loops = [n for n, _parent in walk(node.body) if isinstance(n, cst.For)]
    return [name for name in ctx.plan.inputs.shell.lists if any(_needs_rows(loop, name, ctx) for loop in loops)]


def _needs_rows(loop: cst.For, name: str, ctx: Context) -> bool:
    """Whether a loop goes through the items of a parameter, which are arrays, and is not written out for a list."""
    kept = AS_VECTOR in shells.applied(name, ctx.plan.inputs.shell)  # a list of arrays of different shapes stays a list
    match ctx.loops.loop_plan(loop):
        case Fori(loop=found) if name in found.lists:
            return not kept
        case Scan(rows=None) if kept and are_items(loop, ctx):
            return False
    targets = builders.names(loop.target)
    through = _goes_through(loop.iter, name, ctx)
    for item, parent in walk(loop.body):
        match item:
            case cst.Name(value=value) if through and value in targets:
                pass
            case cst.Subscript(value=cst.Name(value=value), slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                if value != name or targets.isdisjoint(builders.names(index)):
                    continue
            case _:
                continue
        if isinstance(parent, cst.Attribute) or _is_in_argument(item, ctx):
            return True
    return False


def _goes_through(items: cst.BaseExpression, name: str, ctx: Context) -> bool:
    """Whether a loop takes its items from a variable: `ws`, `enumerate(ws)`, `zip(ws, bs)`."""
    if isinstance(items, cst.Call):
        return ctx.qualname(items.func) in PASSING_ITEMS and any(_goes_through(a.value, name, ctx) for a in items.args)
    return isinstance(items, cst.Name) and items.value == name


def _is_in_argument(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether an item is in the argument of a function that takes arrays, or an operand of `@`: `np.sum(w**2)`."""
    at = ctx.parent(node)
    while isinstance(at, (cst.BinaryOperation, cst.UnaryOperation, cst.Arg, cst.Call)):
        if isinstance(at, cst.BinaryOperation) and isinstance(at.operator, cst.MatrixMultiply):
            return True
        if isinstance(at, cst.Call) and (ctx.qualname(at.func) or "") in OF_ARRAYS:
            return True
        at = ctx.parent(at)
    return False
