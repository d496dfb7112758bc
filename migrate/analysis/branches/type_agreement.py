"""Whether the values of two branch arms can be one value of JAX, of one shape and one dtype."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core import dtypes
from ....rules.core.findings import Kind
from ....rules.dtypes.inexact import is_inexact
from ....rules.facts.updates import Update
from ....rules.facts.values import UNKNOWN, Value, length_of, lengths_differ
from ...syntax.names import collect
from ...syntax.source import walk
from ..state.access_paths import path_of
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC

ORDER = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)


def stored_only(run: Run, name: str, body: Sequence[cst.CSTNode]) -> bool:
    """Whether statements change an array only by storing into parts of it, which preserves its shape and its dtype."""
    if not any(update.access_path == name for found in run.effects.updates.values() for update in found):
        return False  # most variables: the statements need not be searched
    if name in collect(body).bound:
        return False
    updates = [update for statement in body for part in run.source.below(statement) for update in _updates(run, part, name)]
    return bool(updates) and all(u.steps and isinstance(u.steps[-1], cst.Subscript) for u in updates)


def several_stores(run: Run, name: str, body: Sequence[cst.CSTNode]) -> bool:
    """Whether statements store into several parts of an array, one after the other, and read parts of it."""
    if not stored_only(run, name, body):
        return False
    simple = [part for line in body if isinstance(line, cst.SimpleStatementLine) for part in line.body]
    stores = [part for part in simple for _update in _updates(run, part, name)]
    return len(stores) > 1 and any(
        isinstance(part, cst.AugAssign) or (isinstance(part, cst.Assign) and name in collect([part.value]).read)
        for part in stores
    )


def _updates(run: Run, node: cst.CSTNode, name: str) -> list[Update]:
    return [update for update in run.effects.updates.get(node, ()) if update.access_path == name]


def unify(run: Run, a: Value, b: Value, what: str, test: cst.BaseExpression) -> tuple[str, bool]:
    """Why two arms cannot be one traced value, "" where they can; and whether both are known to have the same shape."""
    if a.kind is Kind.TUPLE and b.kind is Kind.TUPLE and a.elements is not None and b.elements is not None:
        if len(a.elements) != len(b.elements):
            return f"{what} has {len(a.elements)} elements in one arm and {len(b.elements)} in the other", False
        found = [unify(run, x, y, f"a part of {what}", test) for x, y in zip(a.elements, b.elements, strict=True)]
        return next((why for why, _same in found if why), ""), all(same for _why, same in found)
    for value in (a, b):
        if value.holds and may_be_list(run, value.holds):
            return f"{what} may be a list in one arm", False
        if value.kind not in NUMERIC and not value.numeric and not (value.kind is Kind.UNKNOWN and compared(run, value, test)):
            if value.kind is Kind.UNKNOWN:
                return f"np2jax cannot tell whether {what} is a number or an array", False
            return f"{what} is neither a number nor an array in one arm", False
    if why := dtypes_differ(a.dtype, b.dtype):
        return f"{what} {why}", False
    if a.rank != b.rank and a.rank >= 0 and b.rank >= 0:
        return f"{what} has {a.rank} dimensions in one arm and {b.rank} in the other", False
    if lengths_differ(a.shape, b.shape):
        return f"{what} has {length_of(a.shape)} items in one arm and {length_of(b.shape)} in the other", False
    if {a.kind, b.kind} == {Kind.ARRAY, Kind.SCALAR} and -1 in (a.rank, b.rank):
        return f"{what} is a number in one arm and an array in the other", False
    return "", (a.rank == b.rank == 0 or (bool(a.shape) and a.shape == b.shape)) and dtypes.select_same(a.dtype, b.dtype)


def may_be_list(run: Run, parameter: str) -> bool:
    """Whether a parameter may be a list: according to the documentation, or because callers pass one."""
    given = (run.unit.arguments or {}).get(parameter)
    return parameter in run.unit.listed or (given is not None and given.kind in (Kind.LIST, Kind.TUPLE))


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


def inexact(run: Run, node: cst.BaseExpression) -> bool:
    """Whether a value certainly is floating-point or complex, even if its width is unknown."""
    return is_inexact(node, lambda n: run.values.get(n, UNKNOWN), run.scopes.qualname)


def integer(node: cst.BaseExpression) -> bool:
    """Whether a node is an integer literal."""
    return isinstance(node.expression if isinstance(node, cst.UnaryOperation) else node, cst.Integer)


def dtypes_differ(a: str, b: str) -> str:
    """Why one array cannot contain both arms, "" where it can or where that is not known."""
    return "" if dtypes.are_compatible(a, b) else f"is {a.rstrip('_')} in one arm and {b.rstrip('_')} in the other"
