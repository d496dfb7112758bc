"""Values that are a known access path seen through known steps."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, Value, View, replace


def viewed(base: Value, step: cst.CSTNode, names: frozenset[str] = NOTHING) -> View | None:
    """The view through one more step from `base`, where `base` is a known access path or view."""
    if base.view is None or not isinstance(step, cst.BaseExpression):
        return None
    return View(base.view.base, (*base.view.steps, step), base.view.names | names)


def read_through(value: Value, key: str | None) -> Value:
    """The value read from a variable, as a view of that variable (unless it is a view of another)."""
    if value.view is None and key is not None and value.kind in (Kind.ARRAY, Kind.UNKNOWN):
        return replace(value, view=View(key))
    return value
