"""A float of JAX stands where NumPy's code has an integer of Python.

A branch that is compiled gives both arms one dtype, and a loop gives its variables that of the first iteration: `0` becomes `0.0` where
the other arm is a float, or where the loop does not run. The value is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.findings import Kind
from ..facts.loop_plan import Carried, PythonLoop, Unrolled, listed_items
from ..syntax.comparisons import compared_numbers
from ..syntax.tree import assigned_values, last_mention, walk
from .jax_operands import known_dtype, may_be_integer, quoted, runs_in_jax

kind = ConditionKind(
    "number", "write a float (`0.0`) where a float may come, and an array (`np.zeros_like(x[0])`) for a sum of rows"
)
QUOTIENT = cst.Float("0.5")
EXTREMES = ("builtins.max", "builtins.min")


@kind.on(cst.If, cst.IfExp)
def branch(node: cst.If | cst.IfExp, ctx: Context) -> Iterator[Assumption]:
    found = ctx.branches.branch(node)
    for name in sorted({cast[1] for cast in found.floats}) if found is not None else ():
        shown = f"`{name}`" if name else quoted(node) if isinstance(node, cst.IfExp) else "the result"
        yield Assumption(node, f"{shown} may be a float where it is an integer of Python")


@kind.on(cst.For, cst.While)
def loop(node: cst.For | cst.While, ctx: Context) -> Iterator[Assumption]:
    plan = ctx.loops.loop_plan(node)
    if isinstance(plan, (PythonLoop, Unrolled)):
        return
    for item in listed_items(plan):
        if (known_dtype(item, ctx) or "int") not in ("float", "float64"):
            floats = "floats" if may_be_integer(item, ctx) else "float64"
            yield Assumption(node, f"there is an item {quoted(item)}: NumPy makes {floats} of an empty list")
    live = ctx.flow.live_after(node)
    always = {name for name, _value in _bound(node.body, lambda test: not ctx.is_static(test))}
    for name in dict.fromkeys(name for name, value in _bound(node.body) if not _is_whole(value, ctx)):
        if name in live and _starts_as_integer(name, node, ctx):
            when = "the loop runs: without an iteration," if name in always else f"some iteration binds `{name}`: otherwise"
            yield Assumption(node, f"{when} `{name}` stays an integer of Python in NumPy")
    for name, shape in plan.loop.shaped.items() if isinstance(plan, Carried) else ():
        if shape.perhaps and name in live:
            shapes = " and ".join(f"`{array.partition('[')[0]}`" for array in shape.arrays)
            words = f"the loop runs: without an iteration, `{name}` is a number in NumPy, whatever {shapes} may be"
            yield Assumption(node, words)


@kind.on(cst.While)
def tested(node: cst.While, ctx: Context) -> Iterator[Assumption]:
    """Of a loop that counts what another one repeats, or that increments numbers with `+=`."""
    inside = [inner for inner, _above in walk(node.body)]
    counts = not any(isinstance(inner, (cst.Call, cst.Subscript, cst.Attribute)) for inner in inside)
    targets = [
        inner.target for inner in inside if isinstance(inner, (cst.AugAssign, cst.AssignTarget) if counts else cst.AugAssign)
    ]
    bound = {target.value for target in targets if isinstance(target, cst.Name)}
    for name in sorted({n.value for n in compared_numbers(node.test) if ctx.value(n).kind is Kind.UNKNOWN} & bound):
        yield Assumption(node, f"`{name}` is a number, not an array of one element, which may change in place")


@kind.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    name = ctx.qualname(node.func)
    given = [argument.value for argument in node.args]
    if name == "builtins.sum" and len(given) == 1 and ctx.builtins.reduction_operands(node) is not None:
        if not _is_whole(_item(given[0]), ctx):
            yield Assumption(node, f"{quoted(given[0])} is not empty")
    elif name in EXTREMES and len(given) > 1 and runs_in_jax(ctx, *given):
        whole = [one for one in given if _is_whole(one, ctx)]
        if whole and len(whole) < len(given):
            yield Assumption(node, f"{quoted(node)} may be a float where it is an integer of Python")


def _bound(
    body: cst.CSTNode, unsure: Callable[[cst.BaseExpression], bool] = lambda _test: False
) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The variables that the statements of a loop bind, with what they are bound to or combined with. `unsure`: the tests of branches
    that are left out."""
    for part in body.children:
        if isinstance(part, cst.If) and unsure(part.test):
            continue
        match part:
            case cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value):
                yield name, QUOTIENT if isinstance(operator, cst.DivideAssign) else value
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
                yield from assigned_values(target, value)
        if not isinstance(part, (cst.FunctionDef, cst.BaseExpression)):
            yield from _bound(part, unsure)


def _starts_as_integer(name: str, node: cst.For | cst.While, ctx: Context) -> bool:
    """Whether the statement that binds a variable last before a loop, in the same block, binds it to an integer of Python."""
    block = getattr(ctx.parent(node), "body", ())
    match last_mention(block[: next(k for k, each in enumerate(block) if each is node)], name):
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
            return any(bound == name and _is_whole(start, ctx) for bound, start in assigned_values(target, value))
    return False


def _is_whole(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a value is an integer of Python, or of 64 bits."""
    return known_dtype(node, ctx) in ("int", "int64") or isinstance(node, cst.Integer)


def _item(collection: cst.BaseExpression) -> cst.BaseExpression:
    return collection.elt if isinstance(collection, (cst.GeneratorExp, cst.ListComp)) else collection
