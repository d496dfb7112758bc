"""A float of JAX stands where NumPy's code has an integer of Python.

A branch that is compiled gives both arms one dtype, and a loop gives its variables that of the first iteration: `0` becomes `0.0` where
the other arm is a float, or where the loop does not run. The value is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.findings import Kind
from ..facts.loop_plan import Carried, PythonLoop, Unrolled, listed_items
from ..syntax.comparisons import compared_numbers
from ..syntax.tree import assigned_values, walk
from .jax_operands import bound_to, joined, known_dtype, may_be_integer, quoted, runs_in_jax
from .loop_starts import start_of

kind = ConditionKind(
    "number", "write a float (`0.0`) where a float may come, and an array (`np.zeros_like(x[0])`) for a sum of rows"
)
QUOTIENT = cst.Float("0.5")
EXTREMES = ("builtins.max", "builtins.min")
OF_PYTHON = (*EXTREMES, "builtins.abs", "builtins.sum")  # Python's own functions, which give a number of Python for some
OTHER = ""  # stands for what is not a number of Python


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
    for name, value in {name: value for name, value in _bound(node.body) if not _is_whole(value, ctx)}.items():
        start = start_of(name, node, ctx) if name in live else None
        if start is not None and _is_whole(start, ctx):
            if isinstance(value, cst.Call) and ctx.qualname(value.func) in EXTREMES:
                yield Assumption(node, f"{quoted(value)} may be a float where it is an integer of Python")
                continue
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
    elif name in EXTREMES and len(given) > 1 and (runs_in_jax(ctx, *given) or _is_compiled(node, ctx)):
        whole = [one for one in given if _is_whole(one, ctx)]
        if whole and len(whole) < len(given):
            yield Assumption(node, f"{quoted(node)} may be a float where it is an integer of Python")


@kind.on(cst.Return)
def returned(node: cst.Return, ctx: Context) -> Iterator[Assumption]:
    """A number that is computed from the items of a list: NumPy has no part in it."""
    lists = {*ctx.plan.inputs.shell.lists, *ctx.plan.inputs.host_lists}
    if node.value is None or not lists or not isinstance(ctx.unit.definition, cst.FunctionDef):
        return
    for result in (e.value for e in node.value.elements) if isinstance(node.value, cst.Tuple) else (node.value,):
        sources = set(_sources(result, lists, bound_to(ctx.unit.definition), ctx, frozenset()))
        if OTHER not in sources and (items := sorted(sources)):
            words = f"{joined([f'`{name}`' for name in items], 'and')} {'is an array' if len(items) == 1 else 'are arrays'}"
            yield Assumption(node, f"{words}: for lists of numbers, {quoted(result)} is a number of Python in NumPy")


def _sources(
    node: cst.BaseExpression,
    lists: Collection[str],
    bound: Mapping[str, Sequence[cst.BaseExpression | None]],
    ctx: Context,
    seen: frozenset[str],
) -> Iterator[str]:
    """The lists from whose items a number is computed by Python alone; OTHER for anything that is not. `bound`: what the variables of the
    function are bound to, `seen` those that are left out."""
    match node:
        case cst.Integer() | cst.Float():
            parts: Sequence[cst.BaseExpression | None] = ()
        case cst.Name(value=name) if name in seen:
            parts = ()
        case cst.Name(value=name):
            seen = seen | {name}
            parts = bound.get(name, ())
            if name in lists:
                yield name
            elif not parts and ctx.kind(node) not in (Kind.SCALAR, Kind.UNKNOWN):
                parts = (None,)
        case cst.Subscript(value=array, slice=[cst.SubscriptElement(slice=cst.Index())]):
            parts = (array,)
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            parts = (left, right)
        case cst.UnaryOperation(expression=inner):
            parts = (inner,)
        case cst.IfExp(body=body, orelse=orelse):
            parts = (body, orelse)
        case cst.Call(args=args) if ctx.qualname(node.func) in OF_PYTHON:
            parts = [argument.value for argument in args]
        case cst.GeneratorExp(elt=item) | cst.ListComp(elt=item):
            parts = (item,)
        case _:
            parts = (None,)
    for part in parts:
        if part is None:
            yield OTHER
        else:
            yield from _sources(part, lists, bound, ctx, seen)


def _is_compiled(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether it stands in a loop that JAX runs, which computes with numbers of Python, too."""
    above = ctx.parent(node)
    while above is not None and not isinstance(above, (cst.For, cst.While)):
        above = ctx.parent(above)
    return above is not None and not isinstance(ctx.loops.loop_plan(above), (PythonLoop, Unrolled))


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


def _is_whole(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a value is an integer of Python, or of 64 bits."""
    return known_dtype(node, ctx) in ("int", "int64") or isinstance(node, cst.Integer) or ctx.qualname(node) == "builtins.int"


def _item(collection: cst.BaseExpression) -> cst.BaseExpression:
    return collection.elt if isinstance(collection, (cst.GeneratorExp, cst.ListComp)) else collection
