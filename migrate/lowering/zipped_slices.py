"""Loops through a range and an array at once whose counter bounds slices: jit writes out each of their iterations."""

from __future__ import annotations

import libcst as cst

from ..syntax.names import collect, targets_of
from ..syntax.scopes import Scopes
from ..syntax.source import Source


def is_written_out(loop: cst.For | cst.While, source: Source, scopes: Scopes) -> bool:
    """Whether jit would write out a loop with as many iterations as its arguments say: `for i, v in zip(range(0, n, k), x): y[i : i + k] = v`."""
    if not isinstance(loop, cst.For) or not isinstance(loop.iter, cst.Call) or scopes.qualname(loop.iter.func) != "builtins.zip":
        return False
    ranges = (arg.value for arg in loop.iter.args if isinstance(arg.value, cst.Call))
    if not any(scopes.qualname(call.func) == "builtins.range" and source.among(call, cst.Name)[1:] for call in ranges):
        return False
    slices = (
        part for index in source.among(loop.body, cst.Subscript) for part in index.slice if isinstance(part.slice, cst.Slice)
    )
    return any(not targets_of(loop).isdisjoint(collect((part,)).read) for part in slices)
