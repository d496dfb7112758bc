"""The `break` statements of a loop, and what certainly runs before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from .source import Source, children


def breaks(block: cst.CSTNode) -> Iterator[cst.Break]:
    """The `break` statements that end the loop whose body is `block`."""
    for node in children(block):
        if isinstance(node, cst.Break):
            yield node
        elif isinstance(node, (cst.For, cst.While)):
            yield from breaks(node.orelse) if node.orelse is not None else ()
        elif not isinstance(node, (cst.BaseExpression, cst.FunctionDef, cst.ClassDef)):
            yield from breaks(node)


def ahead(node: cst.CSTNode, source: Source) -> Iterator[cst.CSTNode]:
    """The small statements of the same block that certainly ran before a small statement, the nearest first."""
    line = source.parents[node]
    assert line is not None
    small: Sequence[cst.CSTNode] = line.body if isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite)) else ()
    yield from _before(small, node)
    block = source.parents[line]
    for other in _before(block.body, line) if isinstance(block, cst.IndentedBlock) else ():
        if not isinstance(other, cst.SimpleStatementLine):
            return
        yield from reversed(other.body)


def _before(nodes: Sequence[cst.CSTNode], node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes before one of them, the nearest first."""
    return list(nodes[: next(k for k, other in enumerate(nodes) if other is node)])[::-1]


def bound_ahead(node: cst.CSTNode, source: Source) -> list[tuple[str, cst.BaseExpression]]:
    """The variables that simple assignments in the same block bind before a small statement, with their values."""
    return [found for small in ahead(node, source) if (found := assigned(small)) is not None]


def assigned(small: cst.CSTNode) -> tuple[str, cst.BaseExpression] | None:
    """The variable and the value of `name = value`."""
    match small:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            return name, value
    return None


def flagged_by(loop: cst.For | cst.While, name: str, source: Source) -> bool:
    """Whether a variable is False before a loop, and afterwards shows whether `break` ended it: nothing else binds it there, and
    the loop does not read it."""
    ends = list(breaks(loop.body))
    if not ends or not all(
        [code for bound, value in bound_ahead(end, source) if bound == name and (code := _truth(value))] == ["True"]
        for end in ends
    ):
        return False
    sites = [n for n in source.among(loop, cst.Name) if n.value == name]
    if len(sites) != len(ends) or (loop.orelse is not None and any(source.inside(n, loop.orelse) for n in sites)):
        return False
    block = source.parents[loop]
    for line in _before(block.body, loop) if isinstance(block, cst.IndentedBlock) else ():
        if any(n.value == name for n in source.among(line, cst.Name)):
            pairs = [assigned(small) for small in line.body] if isinstance(line, cst.SimpleStatementLine) else [None]
            return all(pair is not None and (pair[0] != name or _truth(pair[1]) == "False") for pair in pairs)
    return False


def _truth(value: cst.BaseExpression) -> str:
    return value.value if isinstance(value, cst.Name) and value.value in ("True", "False") else ""
