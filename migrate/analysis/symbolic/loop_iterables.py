"""What a `for` goes through: a range, or the rows of arrays, several at once or counted."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.facts import UNKNOWN
from ....rules.core.findings import Kind
from ...syntax.source import walk
from ..state.index_expressions import literal_int
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC

COMBINED = ("builtins.zip", "builtins.enumerate", "builtins.reversed")


def form(run: Run, iterable: cst.BaseExpression, loop: cst.For) -> str:
    """ "range"; "rows" of arrays, which may be zipped, enumerated or reversed; "" for anything else."""
    if is_range(run, iterable):
        return "range"
    if _called(run, iterable) == "builtins.reversed" and is_range(run, _only(iterable)):
        return "range"
    return "rows" if _rows(run, iterable, loop.target, loop) else ""


def is_range(run: Run, node: cst.CSTNode | None) -> bool:
    return (
        isinstance(node, cst.Call)
        and _called(run, node) == "builtins.range"
        and 1 <= len(node.args) <= 3
        and not any(a.star or a.keyword for a in node.args)
    )


def _called(run: Run, node: cst.BaseExpression) -> str:
    return run.scopes.qualname(node.func) or "" if isinstance(node, cst.Call) else ""


def _only(node: cst.BaseExpression) -> cst.CSTNode | None:
    return node.args[0].value if isinstance(node, cst.Call) and len(node.args) == 1 else None


def _rows(run: Run, node: cst.BaseExpression, target: cst.BaseExpression, loop: cst.For) -> bool:
    """Whether an iterable gives rows of arrays, or numbers, one after the other."""
    called = _called(run, node)
    if called in COMBINED:
        assert isinstance(node, cst.Call)
        if not node.args or any(a.star or a.keyword for a in node.args if not _is_start(called, node, a)):
            return False
        if called == "builtins.reversed":
            return len(node.args) == 1 and node is loop.iter and _rows(run, node.args[0].value, target, loop)
        elements = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else []
        if called == "builtins.enumerate":
            return len(node.args) <= 2 and len(elements) == 2 and _rows(run, node.args[0].value, elements[1], loop)
        same = len(elements) == len(node.args)
        return same and all(_rows(run, a.value, t, loop) for a, t in zip(node.args, elements, strict=True))
    if is_range(run, node):
        return node is not loop.iter
    value = run.values.get(node, UNKNOWN)
    if value.kind is Kind.ARRAY:
        return True
    return value.kind is Kind.UNKNOWN and bool(value.holds) and _numeric(run, target, loop)


def _is_start(called: str, node: cst.Call, argument: cst.Arg) -> bool:
    """Whether an argument is that of `enumerate(x, start=1)`, beside what is enumerated."""
    first = called == "builtins.enumerate" and len(node.args) == 2 and argument is node.args[1]
    return (
        first and argument.keyword is not None and argument.keyword.value == "start" and literal_int(argument.value) is not None
    )


def first_counted(run: Run, iterable: cst.BaseExpression) -> int | None:
    """The number with which `enumerate` starts to count, None where it is not written there."""
    match iterable:
        case cst.Call(args=[cst.Arg(keyword=None, star="")]):
            return 0
        case cst.Call(args=[cst.Arg(keyword=None, star=""), start]) if start.keyword is None or _is_start(
            _called(run, iterable), iterable, start
        ):
            return literal_int(start.value)
    return None


def _numeric(run: Run, target: cst.BaseExpression, loop: cst.For) -> bool:
    """Whether the body computes with what it is given: then it is a number or an array."""
    names = {n.value for n, _parent in walk(target) if isinstance(n, cst.Name)}
    for node, _parent in walk(loop.body):
        if isinstance(node, cst.Call) and any(isinstance(a.value, cst.Name) and a.value.value in names for a in node.args):
            entry = numpy_table.function(run.scopes.qualname(node.func) or "")
            if entry is not None and entry.ufunc:
                return True
        if isinstance(node, cst.BinaryOperation):
            for mine, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(mine, cst.Name) and mine.value in names:
                    strict = not isinstance(node.operator, (cst.Add, cst.Modulo))
                    if strict and not isinstance(node.operator, cst.Multiply):
                        return True
                    if run.values.get(other, UNKNOWN).kind in NUMERIC and (
                        strict or run.values.get(other, UNKNOWN).dtype or isinstance(other, (cst.Integer, cst.Float))
                    ):
                        return True
    return False
