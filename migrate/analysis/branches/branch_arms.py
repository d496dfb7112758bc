"""The statements of a branch arm: what they bind, how they end, and what cannot be part of a function that JAX traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.syntax.tree import EXPRESSIONS, children, remembered
from ...syntax import liveness
from ...syntax.names import bound_by, targets_of
from ...syntax.reaching_definitions import definitions_enclosing
from ..state.interpreter_state import Run
from ..state.memory import rebound
from .conditions import one_sided

OPAQUE = EXPRESSIONS | {cst.FunctionDef, cst.ClassDef}  # nodes without a jump, or with one of a nested function


def statements(body: cst.BaseSuite) -> Sequence[cst.CSTNode]:
    return body.body


def otherwise(node: cst.If) -> Sequence[cst.CSTNode]:
    """The statements of the else arm; an `elif` is an `if` in it."""
    if node.orelse is None:
        return ()
    return [node.orelse] if isinstance(node.orelse, cst.If) else statements(node.orelse.body)


def leaves(node: cst.CSTNode) -> bool:
    """Whether a statement may end the function, an iteration of an enclosing loop, or the loop itself; nested functions aside."""
    return bool(jumps(node))


def ends_iteration(node: cst.CSTNode) -> bool:
    """Whether a statement may end an iteration of the enclosing loop, or the loop, and nothing else."""
    found = jumps(node)
    return bool(found) and found <= {cst.Break, cst.Continue}


@remembered
def jumps(node: cst.CSTNode) -> frozenset[type[cst.CSTNode]]:
    """The kinds of jumps by which control leaves a statement before its end, except those of inner loops and functions."""
    found: set[type[cst.CSTNode]] = set()
    stack: list[tuple[cst.CSTNode, bool]] = [(node, False)]
    while stack:
        at, in_loop = stack.pop()
        kind = type(at)
        if kind in (cst.Return, cst.Raise) or (kind in (cst.Break, cst.Continue) and not in_loop):
            found.add(kind)
        elif kind not in OPAQUE:
            inner = in_loop or kind in (cst.For, cst.While)
            stack += [(child, inner) for child in children(at)]
    return frozenset(found)


def falls(body: Sequence[cst.CSTNode]) -> bool:
    """Whether control can reach the end of some statements."""
    return liveness.falls_through(cst.IndentedBlock(body))  # type: ignore[arg-type]


def unfit(run: Run, node: cst.CSTNode, drawing: bool = False) -> str:
    """Why a statement cannot be part of a function that JAX traces for one branch arm, "" where it can. `drawing`: the keys of
    its draws may be split off before the branch.
    """
    match node:
        case cst.SimpleStatementLine(body=parts):
            return next((why for part in parts if (why := _unfit_small(run, part, drawing))), "")
        case cst.If():
            inner = (*statements(node.body), *otherwise(node))
            return next((why for part in inner if (why := unfit(run, part, drawing))), "")
        case cst.For() | cst.While():
            return next((why for part in statements(node.body) if (why := unfit(run, part))), "")
        case cst.Assign() | cst.AugAssign() | cst.Expr() | cst.Pass() | cst.AnnAssign() | cst.Break() | cst.Continue():
            return _unfit_small(run, node, drawing)
    return f"it contains `{word(node)}`"


def word(node: cst.CSTNode) -> str:
    """The keyword of a statement."""
    return cst.Module([]).code_for_node(node).split()[0].rstrip(":")


def _unfit_small(run: Run, node: cst.CSTNode, drawing: bool) -> str:
    if why := one_sided(run, node, drawing):
        return why
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
    return f"it contains `{word(node)}`"


def _changes(run: Run, node: cst.CSTNode) -> bool:
    found = run.effects.updates.get(node, ())
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


def bound_paths(run: Run, body: Iterable[cst.CSTNode]) -> Iterator[str]:
    """The access paths that statements bind or change in place, in the order of the text."""
    for statement in body:
        bound = bound_by(statement)
        for part in run.source.below(statement):
            if type(part) is cst.Name and part.value in bound:
                yield part.value
            yield from rebound(run, part)


def bound_before(run: Run, node: cst.CSTNode, name: str) -> bool:
    """Whether a variable certainly has a value when a statement is reached: it is a parameter, or bound before."""
    return name in run.params or definitions_enclosing(node, run.source.parents).is_bound(node, name)


def bound_after(run: Run, node: cst.CSTNode, arm: Sequence[cst.CSTNode], name: str) -> bool:
    """Whether an arm of a branch certainly binds a variable that may have no value before it."""
    return bool(arm) and definitions_enclosing(node, run.source.parents).is_bound_after(arm[-1], name)


def of_itself(run: Run, node: cst.If, name: str) -> bool:
    """Whether a branch only updates a variable elementwise from itself, and nothing else in an iteration of the enclosing loop
    binds it.
    """
    at: cst.CSTNode = node
    while not isinstance(parent := run.source.parents.get(at), (cst.For, cst.While)):
        if parent is None or parent is run.unit.owner:
            return False
        if isinstance(parent, cst.IndentedBlock) and any(name in bound_by(s) for s in parent.body if s is not at):
            return False
        at = parent
    if isinstance(parent, cst.For) and name in targets_of(parent):
        return False
    return _of_itself(run, [*statements(node.body), *otherwise(node)], name)


def _of_itself(run: Run, body: Iterable[cst.CSTNode], name: str) -> bool:
    for statement in body:
        if name not in bound_by(statement):
            continue
        match statement:
            case cst.If() if _of_itself(run, [*statements(statement.body), *otherwise(statement)], name):
                pass
            case cst.SimpleStatementLine(body=parts) if all(name not in bound_by(p) or _keeps_axes(run, p, name) for p in parts):
                pass
            case _:
                return False
    return True


def _keeps_axes(run: Run, statement: cst.CSTNode, name: str) -> bool:
    match statement:
        case cst.AugAssign(target=cst.Name(value=target), operator=operator):
            return target == name and not isinstance(operator, cst.MatrixMultiplyAssign)
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=target))], value=value):
            return target == name and _made_of(run, value, name)
    return False


def _made_of(run: Run, value: cst.BaseExpression, name: str) -> bool:
    """Whether a variable is an operand of an elementwise computation, so that the result has all of its axes."""
    match value:
        case cst.Name():
            return value.value == name
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return _made_of(run, inner, name)
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            return _made_of(run, left, name) or _made_of(run, right, name)
        case cst.Call(func=func, args=args):
            entry = numpy_table.function(run.scopes.qualname(func) or "")
            return entry is not None and bool(entry.ufunc) and any(_made_of(run, a.value, name) for a in args)
    return False


def following(run: Run, node: cst.If) -> list[cst.CSTNode] | str:
    """The statements that run after a branch, up to the end of the function; or why they cannot be determined."""
    found: list[cst.CSTNode] = []
    at: cst.CSTNode = node
    parents = run.source.parents
    while True:
        block = parents.get(at)
        enclosing = block  # the parent of an `elif` is its `if`
        if isinstance(block, (cst.IndentedBlock, cst.SimpleStatementSuite)):
            body = list(block.body)
            found += body[next(i for i, s in enumerate(body) if s is at) + 1 :]
            enclosing = parents.get(block)
            enclosing = parents.get(enclosing) if isinstance(enclosing, cst.Else) else enclosing
        if enclosing is run.unit.owner:
            return found
        if not isinstance(enclosing, cst.If) or _within(run, enclosing):
            return "it returns from within another block"
        if not falls(found or [at]):
            return found
        if falls(statements(enclosing.body)) and falls(otherwise(enclosing)):
            return "it returns on some paths through its arms only"
        at = enclosing


def _within(run: Run, node: cst.CSTNode) -> bool:
    """Whether a statement is in a loop, or in another block that is not a branch."""
    at: cst.CSTNode | None = node
    while at is not None and at is not run.unit.owner:
        if isinstance(at, (cst.For, cst.While, cst.With, cst.Try, cst.TryStar, cst.Match, cst.FunctionDef, cst.ClassDef)):
            return True
        at = run.source.parents.get(at)
    return False
