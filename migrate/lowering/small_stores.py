"""Loops that do little more than store to elements of matrices, for which to copy the matrices to the device and back takes longer."""

from __future__ import annotations

from collections.abc import Container

import libcst as cst

from ..syntax.names import collect
from ..syntax.source import walk


def fills_border(loop: cst.For | cst.While) -> bool:
    """Whether the iterations do no more than store constants, or the counter, to elements of matrices, as in `D[i, 0] = i`: to copy the whole
    matrix to the device and back takes longer."""
    lines = loop.body.body
    small = [part for line in lines if isinstance(line, cst.SimpleStatementLine) for part in line.body]
    return all(isinstance(line, cst.SimpleStatementLine) for line in lines) and all(map(stores_little, small))


def stores_little(part: cst.BaseSmallStatement) -> bool:
    match part:
        case cst.Assign(targets=targets, value=value):
            elements = all(isinstance(t.target, cst.Subscript) and is_element(t.target) for t in targets)
            return elements and not any(isinstance(n, (cst.Subscript, cst.Call)) for n, _parent in walk(value))
    return False


def is_element(target: cst.Subscript) -> bool:
    """Whether an index names one element of a matrix."""
    return len(target.slice) > 1 and all(isinstance(part.slice, cst.Index) for part in target.slice)


def adds_to_line(part: cst.BaseSmallStatement, changing: Container[str], outer: Container[str]) -> bool:
    """Whether a statement stores to an element of a matrix that an outer loop does not bind, with an index that an inner loop does not change."""
    match part:
        case (
            cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(value=cst.Name(value=matrix)) as target)])
            | cst.AugAssign(target=cst.Subscript(value=cst.Name(value=matrix)) as target)
        ) if is_element(target):
            return matrix not in outer and any(not any(n in changing for n in collect((index,)).read) for index in target.slice)
    return isinstance(part, (cst.Pass, cst.Expr))
