"""Variables and results to which NumPy gives another dtype in one arm of a branch than in the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.dtypes import path_dtypes
from ....rules.facts.branches import Path
from ....rules.facts.loops import Promoted
from ....rules.facts.values import UNKNOWN, Value
from ..state.interpreter_state import Run
from . import promotion
from .arm_types import Arm
from .branch_arms import otherwise, statements
from .type_agreement import inexact

NUMBERS = (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN)


def of_values(run: Run, arms: Sequence[cst.BaseExpression]) -> bool:
    """Whether the dtype of one of several expressions depends on which one it is."""
    parts = [dict(_parts(run.values.get(arm, UNKNOWN), arm)) for arm in arms]
    for one, other in combinations(parts, 2):
        for path in one.keys() & other.keys():
            (value, node), (second, beside) = one[path], other[path]
            origins = promotion.promoted_from(run, node, {}), promotion.promoted_from(run, beside, {})
            if _differ(run, (value, [node]), (second, [beside]), *origins):
                return True
    return False


def of_variable(run: Run, node: cst.If, name: str, values: Sequence[Value], arms: Sequence[Arm]) -> bool:
    """Whether the dtype of a variable after a branch depends on the arm that was run."""
    one, other = ((value, _nodes(arm)) for value, arm in zip(values, arms, strict=True))
    if any(value.kind not in NUMBERS for value in values) or not _differ(run, one, other):
        return False
    before: promotion.State = {name: Promoted(frozenset({name}))}
    first, second = (promotion.dtypes_after(run, body, before).get(name) for body in (statements(node.body), otherwise(node)))
    return _differ(run, one, other, first, second)


def _nodes(arm: Arm) -> Sequence[cst.BaseExpression]:
    return [arm.start] if arm.start is not None else arm.parts.get((), ())


def _parts(value: Value, node: cst.BaseExpression, path: Path = ()) -> Iterator[tuple[Path, tuple[Value, cst.BaseExpression]]]:
    match node:
        case cst.Tuple(elements=elements) if value.elements is not None and len(elements) == len(value.elements):
            for position, (element, item) in enumerate(zip(elements, value.elements, strict=True)):
                yield from _parts(item, element.value, (*path, position))
        case _ if value.kind in NUMBERS:
            yield path, (value, node)


def _differ(
    run: Run,
    one: tuple[Value, Sequence[cst.BaseExpression]],
    other: tuple[Value, Sequence[cst.BaseExpression]],
    first: Promoted | None = None,
    second: Promoted | None = None,
) -> bool:
    """`first`, `second`: what the dtypes are promoted from: where that is the same, so are the dtypes."""
    made = [
        path_dtypes.alternative(
            value,
            bool(nodes) and all(inexact(run, node) for node in nodes),
            path_dtypes.all_exact(nodes, run.scopes.qualname),
        )
        for value, nodes in (one, other)
    ]
    if not path_dtypes.differ(*made):
        return False
    if first is None or second is None or any(len(each.dtypes) == 1 for each in made) or first.arrays != second.arrays:
        return True
    return first != second and any(each.dtypes != path_dtypes.INEXACT for each in made)
