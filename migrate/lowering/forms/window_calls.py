"""`w = window(image, i, j, size)` in a loop, where the function returns a slice of its argument: the call becomes the slice itself.

A call with another bound in each iteration needs another shape, as far as `jit` can tell. In the loop itself, the shape is known to be the
same for all, or how it changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from ....rules.syntax import builders
from ....rules.syntax.source_text import code
from ...syntax.bindings import parameters
from ...syntax.names import collect, targets_of
from .form import TRANSPARENT, Body, DesugaredStatement, with_comments
from .rank_assertions import is_docstring

MOST_LINES = 6  # of the function


class _Window(NamedTuple):
    """A function that returns a slice: its parameters, the assignments before the `return`, and what it returns."""

    params: tuple[str, ...]
    lines: Sequence[cst.Assign]
    result: cst.BaseExpression


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.Assign(value=value) | cst.AnnAssign(value=cst.BaseExpression() as value) | cst.AugAssign(value=value)]
        ):
            varying = _bound_in_loops(statement, body)
            calls = [n for n in body.source.among(value, cst.Call) if isinstance(n.func, cst.Name)] if varying else []
        case _:
            return None
    for call in calls:
        window = _window(call, body)
        if window is None or not _is_always_evaluated(call, value, body) or varying.isdisjoint(_mentioned(call)):
            continue
        return _replaced(statement, call, call is value, window, body)
    return None


def _replaced(statement: cst.SimpleStatementLine, call: cst.Call, alone: bool, window: _Window, body: Body) -> DesugaredStatement:
    lines, result = _spelled_out(call, window, body)
    whole = builders.opened(result) if alone else builders.operand(result)

    def edit(made: cst.CSTNode) -> cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement]:
        assert isinstance(made, cst.SimpleStatementLine)
        return with_comments([*lines, made.with_changes(leading_lines=())], statement) if lines else made

    return DesugaredStatement(f"the slice that `{code(call.func)}` returns", {statement: edit, call: lambda _made: whole})


def _bound_in_loops(statement: cst.CSTNode, body: Body) -> frozenset[str]:
    """The variables that the loops around a statement bind."""
    found = frozenset[str]()
    for node in body.source.above(statement):
        if node is body.owner:
            break
        if isinstance(node, cst.For):
            found |= targets_of(node)
        if isinstance(node, (cst.For, cst.While)):
            found |= collect([node.body]).bound
    return found


def _window(call: cst.Call, body: Body) -> _Window | None:
    """The function of the file that is called, if it computes nothing but a slice."""
    assert isinstance(call.func, cst.Name)
    name = call.func.value
    bindings = body.scopes.bindings(call.func)
    node = bindings[0] if len(bindings) == 1 else None
    if not isinstance(node, cst.FunctionDef) or body.source.parents[node] is not body.source.module or node.decorators:
        return None
    if node.asynchronous is not None or node.params.star_kwarg is not None or isinstance(node.params.star_arg, cst.Param):
        return None
    lines = [s for s in builders.lines(node.body) if not is_docstring(s)]
    small = [s.body[0] for s in lines if isinstance(s, cst.SimpleStatementLine) and len(s.body) == 1]
    if not small or len(small) != len(lines) or len(lines) > MOST_LINES:
        return None
    *ahead, last = small
    if not isinstance(last, cst.Return) or last.value is None or not all(isinstance(s, cst.Assign) for s in ahead):
        return None
    assigns = [s for s in ahead if isinstance(s, cst.Assign)]
    params = tuple(p.name.value for p in parameters(node.params))
    bound = collect([node.body]).bound
    free = {n for s in (*assigns, last.value) for n in _mentioned(s)} - {*params} - bound
    local = body.scopes.assigned(body.owner)
    if free & local or name in local or not _is_slice(last.value, params) or bound & {*params}:
        return None
    if not all(len(s.targets) == 1 and isinstance(s.targets[0].target, cst.Name) for s in assigns):
        return None
    if any(body.source.among(s, cst.Lambda, cst.Await, cst.Yield, cst.NamedExpr) for s in small):
        return None
    return _Window(params, assigns, last.value) if _accepts(call, params) else None


def _is_slice(node: cst.BaseExpression, params: Sequence[str]) -> bool:
    """Whether an expression is a parameter that is subscripted with slices."""
    match node:
        case cst.Subscript(value=cst.Name(value=name), slice=parts) if name in params:
            return any(isinstance(part.slice, cst.Slice) for part in parts)
    return False


def _accepts(call: cst.Call, params: Sequence[str]) -> bool:
    """Whether a call passes each parameter one argument."""
    if any(a.star for a in call.args) or len(call.args) != len(params):
        return False
    named = [a.keyword.value for a in call.args if a.keyword is not None]
    return len({*named, *params[: len(params) - len(named)]}) == len(params) and {*named} <= {*params}


def _is_always_evaluated(call: cst.Call, value: cst.BaseExpression, body: Body) -> bool:
    """Whether a call in an expression is always evaluated, and what is evaluated ahead of it there cannot see in which order."""
    node: cst.CSTNode = call
    after = {call}
    while node is not value:
        above = body.source.parents[node]
        if not isinstance(above, TRANSPARENT) or (isinstance(above, cst.Comparison) and len(above.comparisons) > 1):
            return False
        node = above
        after |= {node} if isinstance(node, cst.Call) else set()
    others = [n for n in body.source.among(value, cst.Call) if n not in after]
    return all(body.calls(n).startswith(("numpy.", "math.", "builtins.abs", "builtins.float", "builtins.int")) for n in others)


def _spelled_out(call: cst.Call, window: _Window, body: Body) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
    """The statements ahead of the slice, and the slice."""
    names: dict[str, cst.BaseExpression] = {}
    lines: list[cst.BaseStatement] = []
    given = [(a.keyword.value if a.keyword is not None else window.params[k], a.value) for k, a in enumerate(call.args)]
    for name, value in given:
        if isinstance(value, (cst.Name, cst.Integer)):
            names[name] = value
            continue
        lines.append(builders.assigned((own := body.fresh(name),), builders.opened(value)))
        names[name] = cst.Name(own)
    for assign in window.lines:
        target = assign.targets[0].target
        assert isinstance(target, cst.Name)
        value = _renamed(assign.value, names)
        lines.append(builders.assigned((own := body.fresh(target.value),), value))
        names[target.value] = cst.Name(own)
    return lines, _renamed(window.result, names)


def _renamed(node: cst.BaseExpression, names: Mapping[str, cst.BaseExpression]) -> cst.BaseExpression:
    made = node.visit(builders.Replacing(names))
    assert isinstance(made, cst.BaseExpression)
    return made


def _mentioned(node: cst.CSTNode) -> frozenset[str]:
    return frozenset(collect([node]).read)
