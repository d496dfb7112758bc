"""`self.bias = 0` and `self.bias -= step` in a loop: `self.bias = self.bias - step`, which changes no array in place, whatever `step` is.

Nothing else holds the array that the attribute may be after an iteration: the loop only computes with it.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.syntax import builders
from ...analysis.state.access_paths import path_of
from .form import Body, DesugaredStatement
from .number_updates import NUMBERS, OPERANDS


def desugar(loop: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(loop, (cst.For, cst.While)):
        return None
    updates = [n for n in body.source.among(loop.body, cst.AugAssign) if isinstance(n.target, cst.Attribute)]
    started = _started(loop, body) if updates else set[str]()
    started -= {path for path in started if _is_held(loop, path, body)}
    edits: dict[cst.CSTNode, Edit] = {n: _not_in_place for n in updates if path_of(n.target) in started}
    return DesugaredStatement("attributes that start as numbers", edits) if edits else None


def _started(loop: cst.For | cst.While, body: Body) -> set[str]:
    """The attributes that the lines before a loop bind to literal numbers."""
    found, others = set[str](), set[str]()
    for line in body.before(loop):
        if any(
            isinstance(call.func, cst.Attribute) and path_of(call.func.value) == "self"
            for call in body.source.among(line, cst.Call)
        ):
            break  # a method may bind it, too
        for target, value in _bound(line):
            path = path_of(target)
            if path is not None and path not in found | others:
                (found if isinstance(value, NUMBERS) and isinstance(target, cst.Attribute) else others).add(path)
        if not isinstance(line, cst.SimpleStatementLine):
            break
    return found


def _bound(line: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression | None]]:
    """What a line binds, with the values, None for those that are not written in the line."""
    for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
        match small:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=targets))], value=cst.Tuple(elements=values)):
                yield from zip((e.value for e in targets), (e.value for e in values), strict=False)
            case cst.Assign(targets=targets, value=value):
                yield from ((each.target, value) for each in targets)
            case cst.AugAssign(target=target) | cst.AnnAssign(target=target):
                yield target, None


def _is_held(loop: cst.For | cst.While, path: str, body: Body) -> bool:
    """Whether an iteration, or a method that it calls, may store what an attribute is, or pass it on."""
    calls = any(isinstance(n.func, cst.Attribute) and path_of(n.func.value) == "self" for n in body.source.among(loop, cst.Call))
    reads = (n for n in body.source.among(body.source.module if calls else loop, cst.Attribute) if path_of(n) == path)
    reads = (n for n in reads if not isinstance(body.source.parents[n], cst.AssignTarget))
    return any(not isinstance(body.source.parents[n], (*OPERANDS, cst.AugAssign)) for n in reads)


def _not_in_place(update: cst.AugAssign) -> cst.Assign:
    target = cst.ensure_type(update.target, cst.Attribute)
    operator = builders.BINARY[type(update.operator)]()
    value = cst.BinaryOperation(target.deep_clone(), operator, builders.operand(update.value))
    return cst.Assign([cst.AssignTarget(target)], value)
