"""Which branches on traced values can be compiled, and why the others cannot.

A branch that only binds variables becomes a choice of their values; one that returns becomes a choice of results. Python still
decides a test that is known when JAX traces: what is found here tells only that it need not be known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ...rules import numpy_table
from ...rules.facts import NOTHING, UNKNOWN, Value, replace
from ...rules.model import Kind
from .. import flow
from ..names import collect
from ..source import children, walk
from . import cost
from .domain import NUMERIC, Env, absorbs, category, join, join_env, promote
from .state import Need, Run, path_of

ORDER = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
CONSTANTS = ("True", "False", "None")
BLOCKED = "its truth decides what Python does"


@dataclass(frozen=True, slots=True)
class Branch:
    """An `if`, with its `elif` and `else`, or a conditional expression, that can be compiled.

    `names`: the variables that it binds for what comes after, in the order of their first binding. `returns`: it ends the
    function on some way. `dear`: why one side only may be computed, "" where both may. `partial`: how many operations in it are
    undefined for some values. `sure`: both sides certainly have the
    same shape; `lax.cond` refuses others, which `jnp.where` would stretch.
    """

    names: tuple[str, ...] = ()
    returns: bool = False
    dear: str = ""
    partial: int = 0
    sure: bool = True


# --- tests ---------------------------------------------------------------------------------------------------------------


def untraceable(run: Run, test: cst.BaseExpression) -> str:
    """Why Python must know a condition when JAX traces, "" where it may be traced."""
    value = run.values.get(test, UNKNOWN)
    if value.static:
        return ""
    if (need := run.needs.get(test)) is not None:
        return need.why
    if run.depth or not run.in_function:
        return BLOCKED
    match test:
        case cst.Comparison():
            return _compared(run, test)
        case cst.BooleanOperation(left=left, right=right):
            known = any(run.values.get(side, UNKNOWN).static for side in (left, right))
            return "Python decides on a part of it" if known else untraceable(run, left) or untraceable(run, right)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return untraceable(run, inner)
        case cst.NamedExpr():
            return "`:=` binds a name in it"
    if value.holds:
        return f"`{value.holds}` is a flag"
    if value.kind not in NUMERIC and not value.numeric:
        return BLOCKED
    return "" if value.rank <= 0 else "it asks for the truth of a whole array"


def _compared(run: Run, test: cst.Comparison) -> str:
    sides = [test.left, *(part.comparator for part in test.comparisons)]
    values = [run.values.get(side, UNKNOWN) for side in sides]
    for side, value in zip(sides, values, strict=True):
        if isinstance(side, cst.Name) and side.value in CONSTANTS:
            return f"it is compared with {side.value}"
        if value.kind not in NUMERIC and value.kind is not Kind.UNKNOWN:
            return f"a {value.kind.value} is compared"
        if value.rank > 0:
            return "it asks for the truth of a whole array"
    for position, part in enumerate(test.comparisons):
        if not isinstance(part.operator, (*ORDER, cst.Equal, cst.NotEqual)):
            return "Python compares it"
        if not (values[position].numeric or values[position + 1].numeric):
            return "it is not known whether numbers are compared"
        if not isinstance(part.operator, ORDER) and any(_size(run, sides[p]) for p in (position, position + 1)):
            return "it is the size of an array, on which the shapes of both sides depend"
    return ""


def _size(run: Run, node: cst.BaseExpression) -> bool:
    """Whether an expression is the length of an array along an axis, or a number that is made of such."""
    sizes = ("shape", "ndim", "size")
    return run.values.get(node, UNKNOWN).static and any(
        isinstance(inner, cst.Attribute) and inner.attr.value in sizes for inner, _parent in walk(node)
    )


def learn(run: Run, test: cst.BaseExpression) -> None:
    """What a condition compares element by element has one element: `x` is a number, or `x[i]` is, for an array `x`."""
    match test:
        case cst.Comparison(left=left, comparisons=parts):
            for side in (left, *(part.comparator for part in parts)):
                learn(run, side)
        case cst.BinaryOperation(left=left, right=right, operator=operator):
            if not isinstance(operator, cst.MatrixMultiply):
                learn(run, left)
                learn(run, right)
        case cst.UnaryOperation(expression=inner):
            learn(run, inner)
        case cst.BooleanOperation(left=left, right=right):
            learn(run, left)
            learn(run, right)
        case cst.Call(func=func, args=[cst.Arg(value=only)]):
            entry = numpy_table.function(run.scopes.qualname(func) or "")
            if (entry is not None and entry.ufunc) or run.scopes.qualname(func) == "builtins.abs":
                learn(run, only)
        case cst.Name() | cst.Subscript():
            key = single(test)
            value = run.values.get(test, UNKNOWN)
            if key is not None and value.rank < 0 and value.kind in (Kind.ARRAY, Kind.UNKNOWN) and key not in run.evidence:
                run.learned[key] = Value(rank=0)


def single(node: cst.BaseExpression) -> str | None:
    """The key under which is known that a variable, or what an array has at indices, is one number: "x[*1]" for `x[i]`."""
    match node:
        case cst.Name(value=name):
            return f"{name}[*0]"
        case cst.Subscript(value=cst.Name(value=name), slice=parts) if all(isinstance(p.slice, cst.Index) for p in parts):
            count = 0
            for part in parts:
                assert isinstance(part.slice, cst.Index)
                inner = part.slice.value
                count += len(inner.elements) if isinstance(inner, cst.Tuple) else 1
            return f"{name}[*{count}]"
    return None


def boolean(value: Value) -> bool:
    """Whether a value is a bool, or an array of bool."""
    return category(value.dtype) == 0


# --- expressions -----------------------------------------------------------------------------------------------------------


def conditional(run: Run, node: cst.IfExp, body: Value, orelse: Value) -> Value:
    """The value of `a if test else b`; decides whether it can be compiled."""
    test = run.values.get(node.test, UNKNOWN)
    run.branches.pop(node, None)
    run.kept_branches.pop(node, None)
    joined = join(body, orelse)
    if test.static:
        return joined
    why, sure = untraceable(run, node.test), True
    if not why:
        learn(run, node.test)
        why = _effects(run, node)
    if not why:
        why, sure = agree(run, body, orelse, "its value", node.test)
    if why:
        keep(run, node, why)
        return joined
    sides = (node.body, node.orelse)
    run.branches[node] = Branch((), False, cost.dear(run, sides), cost.partial(run, sides), sure)
    return depending(joined, test.deps, test.traced)


def logical(run: Run, node: cst.BooleanOperation | cst.Comparison | cst.UnaryOperation, *operands: cst.BaseExpression) -> bool:
    """Whether `and`, `or`, `not` or a chain of comparisons can be computed by JAX: of bools, each of them evaluated."""
    run.logic.discard(node)
    values = [run.values.get(operand, UNKNOWN) for operand in operands]
    negated = isinstance(node, cst.UnaryOperation)
    if any(v.static for v in values) and not isinstance(node, cst.Comparison):
        return False
    if run.depth or not run.in_function or _effects(run, node):
        return False
    for operand in (node,) if isinstance(node, cst.Comparison) else operands:
        learn(run, operand)
    if isinstance(node, cst.Comparison):
        if _compared(run, node) or any(cost.calls(run, part.comparator) for part in node.comparisons[:-1]):
            return False
    elif any(untraceable(run, o) or not (negated or boolean(v)) for o, v in zip(operands, values, strict=True)):
        return False
    run.logic.add(node)
    return True


def extreme(run: Run, node: cst.Call, values: Sequence[Value]) -> bool:
    """Whether `min` or `max` of several numbers can be computed by JAX."""
    run.logic.discard(node)
    plain = len(values) > 1 and not any(a.star or a.keyword for a in node.args)
    if run.depth or not run.in_function or not plain or all(v.static for v in values) or _effects(run, node):
        return False
    for value in values:
        if value.rank > 0 or (value.kind not in NUMERIC and not value.numeric):
            return False
        if dtypes_differ(values[0].dtype, value.dtype):
            return False
    for argument in node.args:
        learn(run, argument.value)
    run.logic.add(node)
    return True


def _effects(run: Run, node: cst.BaseExpression) -> str:
    """What must not be evaluated where Python would not evaluate it."""
    for part, _parent in walk(node):
        if isinstance(part, (cst.NamedExpr, cst.Yield, cst.Await)):
            return "`:=` binds a name in it" if isinstance(part, cst.NamedExpr) else "it yields"
        if part in run.sites:
            return "random numbers are drawn on one side"
        if part in run.updates:
            return "an array is changed in it"
        if part in run.calls and isinstance(run.stmt, cst.While):
            return "it calls a function, which may draw random numbers in each turn"
    return ""


# --- branches that bind ------------------------------------------------------------------------------------------------


def merged(run: Run, node: cst.If, after: Env | None, other: Env | None) -> Env | None:
    """The state after an `if` whose sides were run; decides whether it can be compiled."""
    joined = join_env(after, other)
    test = run.values.get(node.test, UNKNOWN)
    run.branches.pop(node, None)
    run.kept_branches.pop(node, None)
    run.returning.pop(node, None)
    if ends_turn(node):  # the loop around it decides
        if joined is not None:
            for name in collect((node,)).bound & joined.keys():
                joined[name] = depending(joined[name], test.deps, test.traced)
        return joined
    if test.static:
        return joined
    why = untraceable(run, node.test)
    if not why and leaves(node):
        learn(run, node.test)
        run.returning[node] = None  # decided when all of the function was seen
        return joined
    found: Branch | str = why
    if not why:
        learn(run, node.test)
        found = binding(run, node, after or {}, other or {})
    if isinstance(found, str):
        keep(run, node, found)
        return joined
    run.branches[node] = found
    assert joined is not None
    for name in found.names:
        joined[name] = depending(joined[name], test.deps, test.traced)
    return joined


def keep(run: Run, node: cst.If | cst.IfExp, why: str) -> None:
    """Python decides: it must know the test when JAX traces."""
    test = run.values.get(node.test, UNKNOWN)
    run.kept_branches[node] = why
    run.needs[node.test] = Need(node.test, test, why)
    run.python_results |= test.origin


def entered(run: Run, node: cst.If, *states: Env) -> None:
    """Before the sides of a branch are run: what they bind again, `lax.cond` hands to them, and is known when tracing only
    where Python decides the branch."""
    test = run.values.get(node.test, UNKNOWN)
    if test.static or run.depth or not run.in_function:
        return
    region: list[cst.CSTNode] = [*statements(node.body), *otherwise(node)]
    if leaves(node) and isinstance(rest := following(run, node), list):
        region += rest
    bound = collect(region).bound
    for state in states:
        for name in bound:
            if (value := state.get(name)) is not None and value.kind in NUMERIC:
                state[name] = depending(value, test.deps, test.traced)


def binding(run: Run, node: cst.If, after: Env, other: Env) -> Branch | str:
    """A branch that binds variables, or why it cannot be compiled."""
    body, orelse = statements(node.body), otherwise(node)
    for statement in (*body, *orelse):
        if why := unfit(run, statement):
            return why
    bound = [*places(run, body), *places(run, orelse)]
    live = run.live.after.get(node, NOTHING)
    handed_back = {u.place for found in run.updates.values() for u in found if u.param}
    names = tuple(dict.fromkeys(n for n in bound if n in live or n in handed_back))
    sure = True
    for name in names:
        if not name.isidentifier():
            return f"it changes `{name}`"
        if name not in run.local and name not in run.params:
            return f"`{name}` is a variable from outside"
        before = bound_before(run, node, name)
        for side in (body, orelse):
            if not before and not any(binds(statement, name) for statement in side):
                return f"`{name}` is bound on one side only"
        if stored_only(run, name, (*body, *orelse)):
            continue
        why, same = agree(run, after.get(name, UNKNOWN), other.get(name, UNKNOWN), f"`{name}`", node.test)
        if why:
            return why
        sure = sure and same
    if not names:
        return "nothing that it binds is used afterwards"
    return Branch(names, False, cost.dear(run, [*body, *orelse]), cost.partial(run, [*body, *orelse]), sure)


def statements(body: cst.BaseSuite) -> Sequence[cst.CSTNode]:
    return body.body


def otherwise(node: cst.If) -> Sequence[cst.CSTNode]:
    """The statements of the other side: an `elif` is an `if` in it."""
    if node.orelse is None:
        return ()
    return [node.orelse] if isinstance(node.orelse, cst.If) else statements(node.orelse.body)


def leaves(node: cst.CSTNode) -> bool:
    """Whether a statement may end the function, a turn of a loop around it, or the loop itself; nested functions aside."""
    return any(True for _kind in _jumps(node))


def ends_turn(node: cst.CSTNode) -> bool:
    """Whether a statement may end a turn of the loop around it, or the loop, and nothing else."""
    found = set(_jumps(node))
    return bool(found) and found <= {cst.Break, cst.Continue}


def _jumps(node: cst.CSTNode) -> Iterator[type[cst.CSTNode]]:
    """The kinds of statements by which the end of a statement is not reached; those of inner loops and functions aside."""
    stack: list[tuple[cst.CSTNode, bool]] = [(node, False)]
    while stack:
        at, in_loop = stack.pop()
        if isinstance(at, (cst.Return, cst.Raise)) or (isinstance(at, (cst.Break, cst.Continue)) and not in_loop):
            yield type(at)
        elif not isinstance(at, (cst.BaseExpression, cst.FunctionDef, cst.ClassDef)):
            stack += [(child, in_loop or isinstance(at, (cst.For, cst.While))) for child in children(at)]


def unfit(run: Run, node: cst.CSTNode) -> str:
    """Why a statement cannot stand in a function that JAX traces for one side of a branch, "" when it can."""
    match node:
        case cst.SimpleStatementLine(body=parts):
            return next((why for part in parts if (why := _unfit_small(run, part))), "")
        case cst.If():
            inner = (*statements(node.body), *otherwise(node))
            return next((why for part in inner if (why := unfit(run, part))), "")
        case cst.For() | cst.While():
            return next((why for part in statements(node.body) if (why := unfit(run, part))), "")
        case cst.Assign() | cst.AugAssign() | cst.Expr() | cst.Pass() | cst.AnnAssign() | cst.Break() | cst.Continue():
            return _unfit_small(run, node)
    return f"`{word(node)}` stands in it"


def word(node: cst.CSTNode) -> str:
    """The keyword of a statement."""
    return cst.Module([]).code_for_node(node).split()[0].rstrip(":")


def _unfit_small(run: Run, node: cst.CSTNode) -> str:
    for part, _parent in walk(node):
        if isinstance(part, (cst.NamedExpr, cst.Yield, cst.Await)):
            return "`:=` binds a name in it" if isinstance(part, cst.NamedExpr) else "it yields"
        if part in run.sites:
            return "random numbers are drawn on one side"
    match node:
        case cst.Pass() | cst.Expr(value=cst.BaseString()) | cst.Return() | cst.Break() | cst.Continue():
            return ""
        case cst.Assign(targets=targets):
            return next((why for t in targets if (why := _unfit_target(run, node, t.target))), "")
        case cst.AugAssign(target=target):
            return _unfit_target(run, node, target)
        case cst.AnnAssign(target=cst.Name(), value=value) if value is not None:
            return ""
        case cst.Expr(value=cst.Call() as call) if _changes(run, call):
            return ""
    return f"`{word(node)}` stands in it"


def _changes(run: Run, node: cst.CSTNode) -> bool:
    found = run.updates.get(node, ())
    return bool(found) and not any(u.problem for u in found)


def _unfit_target(run: Run, node: cst.CSTNode, target: cst.BaseExpression) -> str:
    match target:
        case cst.Name():
            return ""
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return next((why for e in elements if (why := _unfit_target(run, node, e.value))), "")
        case cst.Subscript() if _changes(run, node):
            return ""
        case cst.Subscript(value=base):
            return f"an item of `{cst.Module([]).code_for_node(base)}` is bound"
    return f"it binds `{cst.Module([]).code_for_node(target)}`"


def places(run: Run, body: Iterable[cst.CSTNode]) -> Iterator[str]:
    """What statements bind, by name and by changes in place, in the order of the text."""
    for statement in body:
        bound = collect((statement,)).bound
        for part, _parent in walk(statement):
            if type(part) is cst.Name and part.value in bound:
                yield part.value
            for update in run.updates.get(part, ()):
                yield update.place
                yield from (name for name, _view in update.refresh)


def bound_before(run: Run, node: cst.CSTNode, name: str) -> bool:
    """Whether a variable certainly has a value when a statement is reached: a parameter, or bound above."""
    if name in run.params:
        return True
    at: cst.CSTNode | None = node
    while at is not None and at is not run.owner:
        parent = run.source.parents.get(at)
        body = getattr(parent, "body", ())
        if isinstance(parent, (cst.IndentedBlock, cst.SimpleStatementLine)) and any(b is at for b in body):
            for statement in body:
                if statement is at:
                    break
                if binds(statement, name):
                    return True
        if isinstance(parent, cst.For) and at is parent.body and name in collect((cst.AssignTarget(parent.target),)).bound:
            return True
        at = parent
    return False


def binds(node: cst.CSTNode, name: str) -> bool:
    """Whether a statement binds a variable whenever its end is reached."""
    match node:
        case cst.SimpleStatementLine(body=parts):
            return any(binds(part, name) for part in parts)
        case cst.Assign() | cst.AugAssign() | cst.FunctionDef():
            found = collect((node,))
            return name in found.bound - found.perhaps
        case cst.AnnAssign(target=cst.Name(value=target), value=value):
            return value is not None and target == name
        case cst.If(body=body, orelse=orelse):
            if orelse is None:
                return False
            other = orelse if isinstance(orelse, cst.If) else orelse.body
            return _block_binds(body, name) and (binds(other, name) if isinstance(other, cst.If) else _block_binds(other, name))
        case cst.With(body=body):
            return _block_binds(body, name)
    return False


def _block_binds(body: cst.BaseSuite, name: str) -> bool:
    return not flow.falls_through(body) or any(binds(statement, name) for statement in body.body)


# --- branches that return ------------------------------------------------------------------------------------------------


def settle(run: Run) -> None:
    """Decide on the branches that return, when all of a function was run."""
    for node in run.returning:
        found = returning(run, node)
        if isinstance(found, str):
            keep(run, node, found)
        else:
            run.branches[node] = found


def returning(run: Run, node: cst.If) -> Branch | str:
    """A branch that ends the function on some way, or why it cannot be compiled."""
    rest = following(run, node)
    if isinstance(rest, str):
        return rest
    sides = (statements(node.body), otherwise(node))
    region = [*sides[0], *sides[1], *rest]
    for statement in region:
        if returns_from_loop(statement):
            return "it returns from a loop"
        if why := unfit(run, statement):
            return why
    falling = [side for side in sides if falls(side)]
    if len(falling) > 1 and any(leaves(s) for side in falling for s in side):
        return "it returns on some ways through its sides only"
    if falling and falls(rest):
        return "it returns on some ways only"
    results = [part for s in region for part, _p in walk(s) if isinstance(part, cst.Return)]
    if any(r.value is None for r in results):
        return "it returns nothing on one way"
    values = [run.returns[r][0] for r in results if r in run.returns]
    sure = True
    for value in values[1:]:
        why, same = agree(run, values[0], value, "its result", node.test)
        if why:
            return why
        sure = sure and same
    return Branch((), True, cost.dear(run, region), cost.partial(run, region), sure)


def result(run: Run, value: Value) -> Value:
    """What a function returns, where compiled branches choose it: it depends on their tests."""
    tests = [run.values.get(node.test, UNKNOWN) for node in run.returning if node in run.branches]
    if not tests or value.kind is Kind.NONE:
        return value
    deps, traced = NOTHING.union(*(t.deps for t in tests)), any(t.traced for t in tests)
    return depending(value, deps, traced)


def depending(value: Value, deps: frozenset[str], traced: bool) -> Value:
    elements = None if value.elements is None else tuple(depending(e, deps, traced) for e in value.elements)
    return replace(value, deps=value.deps | deps, traced=value.traced or traced, elements=elements)


def falls(body: Sequence[cst.CSTNode]) -> bool:
    """Whether the end of some statements can be reached."""
    return flow.falls_through(cst.IndentedBlock(body))  # type: ignore[arg-type]


def following(run: Run, node: cst.If) -> list[cst.CSTNode] | str:
    """The statements that run after a branch, up to the end of the function; or why they cannot be told."""
    found: list[cst.CSTNode] = []
    at: cst.CSTNode = node
    parents = run.source.parents
    while True:
        block = parents.get(at)
        around = block  # an `elif` stands in its `if`
        if isinstance(block, (cst.IndentedBlock, cst.SimpleStatementSuite)):
            body = list(block.body)
            found += body[next(i for i, s in enumerate(body) if s is at) + 1 :]
            around = parents.get(block)
            around = parents.get(around) if isinstance(around, cst.Else) else around
        if around is run.owner:
            return found
        if not isinstance(around, cst.If) or _within(run, around):
            return "it returns from within another block"
        if not falls(found or [at]):
            return found
        if falls(statements(around.body)) and falls(otherwise(around)):
            return "it returns on some ways through its sides only"
        at = around


def _within(run: Run, node: cst.CSTNode) -> bool:
    """Whether a statement stands in a loop, or in another block that is no branch."""
    at: cst.CSTNode | None = node
    while at is not None and at is not run.owner:
        if isinstance(at, (cst.For, cst.While, cst.With, cst.Try, cst.TryStar, cst.Match, cst.FunctionDef, cst.ClassDef)):
            return True
        at = run.source.parents.get(at)
    return False


def returns_from_loop(node: cst.CSTNode) -> bool:
    """Whether a loop in a statement is left by `return`."""
    return any(
        isinstance(part, (cst.For, cst.While)) and any(isinstance(inner, cst.Return) for inner, _p in walk(part))
        for part, _parent in walk(node)
    )


# --- agreement -------------------------------------------------------------------------------------------------------------


def stored_only(run: Run, name: str, body: Sequence[cst.CSTNode]) -> bool:
    """Whether statements change an array only by storing into parts of it, which keeps its shape and its dtype."""
    if name in collect(body).bound:
        return False
    updates = [u for s in body for part, _p in walk(s) for u in run.updates.get(part, ()) if u.place == name]
    return bool(updates) and all(u.steps and isinstance(u.steps[-1], cst.Subscript) for u in updates)


def agree(run: Run, a: Value, b: Value, what: str, test: cst.BaseExpression) -> tuple[str, bool]:
    """Why two sides cannot be one traced value, "" when they can; and whether both are known to have one shape."""
    if a.kind is Kind.TUPLE and b.kind is Kind.TUPLE and a.elements is not None and b.elements is not None:
        if len(a.elements) != len(b.elements):
            return f"{what} has {len(a.elements)} parts on one side and {len(b.elements)} on the other", False
        found = [agree(run, x, y, f"a part of {what}", test) for x, y in zip(a.elements, b.elements, strict=True)]
        return next((why for why, _same in found if why), ""), all(same for _why, same in found)
    for value in (a, b):
        if value.holds and may_be_list(run, value.holds):
            return f"{what} may be a list on one side", False
        if value.kind not in NUMERIC and not value.numeric and not (value.kind is Kind.UNKNOWN and compared(run, value, test)):
            if value.kind is Kind.UNKNOWN:
                return f"it is not known whether {what} is a number or an array", False
            return f"{what} is no number and no array on one side", False
    if why := dtypes_differ(a.dtype, b.dtype):
        return f"{what} {why}", False
    if a.rank != b.rank and a.rank >= 0 and b.rank >= 0:
        return f"{what} has {a.rank} dimensions on one side and {b.rank} on the other", False
    if {a.kind, b.kind} == {Kind.ARRAY, Kind.SCALAR} and -1 in (a.rank, b.rank):
        return f"{what} is a number on one side and an array on the other", False
    return "", (a.rank == b.rank == 0 or (bool(a.shape) and a.shape == b.shape)) and dtypes_agree(a.dtype, b.dtype)


def may_be_list(run: Run, parameter: str) -> bool:
    """Whether a parameter may be a list: as the documentation says, or as callers give it."""
    given = (run.given or {}).get(parameter)
    return parameter in run.listed or (given is not None and given.kind in (Kind.LIST, Kind.TUPLE))


def compared(run: Run, value: Value, test: cst.BaseExpression) -> bool:
    """Whether the test compares the parameter that a value is, so that it is a number."""
    if not value.holds:
        return False
    return any(
        isinstance(part, cst.Comparison)
        and any(
            path_of(side) == value.holds and all(isinstance(c.operator, ORDER) for c in part.comparisons)
            for side in (part.left, *(c.comparator for c in part.comparisons))
        )
        for part, _parent in walk(test)
    )


def dtypes_agree(a: str, b: str) -> bool:
    """Whether `where` gives what either side is: not where one is known, and the other may be anything."""
    known = {dtype for dtype in (a, b) if dtype}
    return len(known) != 1 or "" not in (a, b) or known <= {"int", "float"}


def dtypes_differ(a: str, b: str) -> str:
    """Why one array cannot hold both sides, "" where it can or where that is not known."""
    a, b = a.rstrip("_"), b.rstrip("_")
    if a == b or not a or not b:
        return ""
    if {a, b} == {"int", "float"}:
        return ""
    both = promote("bool_" if a == "bool" else a, "bool_" if b == "bool" else b)
    weak = {"int", "float", "complex"}
    if "bool" not in (a, b) and ((a in weak and absorbs(b, a)) or (b in weak and absorbs(a, b))) and both.rstrip("_") in (a, b):
        return ""
    return f"is {a} on one side and {b} on the other"
