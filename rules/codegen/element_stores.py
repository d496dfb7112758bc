"""Expressions that store to elements of an array, `x.at[i].set(v).at[j].add(w)`, as the list of their stores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import libcst as cst

from ..syntax import builders
from ..syntax.source_text import verbatim

NEUTRAL = {"add": "0", "subtract": "0", "multiply": "1", "divide": "1"}


class Stored(NamedTuple):
    """`x.at[parts].method(value)`."""

    parts: builders.Parts
    method: str
    value: cst.BaseExpression


def stored(name: str, value: cst.BaseExpression) -> list[Stored] | None:
    """The stores to an array in the order in which they are made. Their values are computed before the first one."""
    match value:
        case cst.Call(
            func=cst.Attribute(
                value=cst.Subscript(value=cst.Attribute(value=base, attr=cst.Name(value="at")), slice=parts),
                attr=cst.Name(value=method),
            ),
            args=[cst.Arg(value=given, keyword=None)],
        ) if method == "set" or method in NEUTRAL:
            last = Stored(parts, method, given)
            if isinstance(base, cst.Name):
                return [last] if base.value == name else None
            earlier = stored(name, base)
            return None if earlier is None else [*earlier, last]
    return None


def same_paths(mine: list[Stored], theirs: list[Stored]) -> bool:
    return [_path(change) for change in mine] == [_path(change) for change in theirs]


def _path(change: Stored) -> tuple[str, str]:
    return change.method, verbatim(cst.Subscript(cst.Name("x"), change.parts))


def written(base: cst.BaseExpression, changes: Iterable[Stored]) -> cst.BaseExpression:
    for change in changes:
        base = builders.at(base, change.parts, change.method, change.value)
    return base


def kept(base: cst.Name, change: Stored) -> cst.BaseExpression:
    """What is stored where nothing changes."""
    if change.method in NEUTRAL:
        return cst.Integer(NEUTRAL[change.method])
    return cst.Subscript(base, builders.clean(change.parts))
