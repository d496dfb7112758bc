"""Branch arms to which NumPy gives different dtypes or shapes: which numbers can be unified, and which arms never can be.

`lax.cond` refuses a Python integer in one arm and a floating-point value in the other: the integer is written as a float there,
which is what `jnp.where` converts it to. NumPy integers, bools, and arrays of different shapes are a different result in each
arm, so that Python decides the branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.branches import Cast, Path
from ....rules.facts.values import UNKNOWN, Value
from ...syntax.names import bound_by
from ...syntax.reaching_definitions import definitions_enclosing
from ..state.interpreter_state import Run
from . import arm_shapes
from .branch_arms import otherwise, statements
from .type_agreement import inexact, integer


class Arm(NamedTuple):
    """The expressions that a variable, or the result, may be in one arm, by part.

    Where a branch does not bind the variable in this arm, `name` is the variable, `integer` tells whether it is a Python integer
    before the branch, and `start` is the value of its only assignment, None where it has others.
    """

    parts: Mapping[Path, Sequence[cst.BaseExpression]]
    integer: bool = False
    start: cst.BaseExpression | None = None
    name: str = ""


def arm_of(values: Iterable[cst.BaseExpression]) -> Arm:
    """The arm in which a value is one of these expressions."""
    found: dict[Path, list[cst.BaseExpression]] = {}
    for value in values:
        for path, part in _parts(value):
            found.setdefault(path, []).append(part)
    return Arm(found)


def _parts(node: cst.BaseExpression, path: Path = ()) -> Iterator[tuple[Path, cst.BaseExpression]]:
    match node:
        case cst.Tuple(elements=elements) if not any(isinstance(e, cst.StarredElement) for e in elements):
            for position, element in enumerate(elements):
                yield from _parts(element.value, (*path, position))
        case cst.IfExp():
            yield from _parts(node.body, path)
            yield from _parts(node.orelse, path)
        case _:
            yield path, node


def arm_for(run: Run, node: cst.If, body: Sequence[cst.CSTNode], name: str, before: Value) -> Arm:
    """What one arm of a branch binds a variable to."""
    if values := _values(body, name):
        return arm_of(values)
    if any(name in bound_by(statement) for statement in body):
        return Arm({})
    outside = _outside(run, node, name)
    only = outside[0] if len(outside) == 1 and name not in run.params else None
    start = only.value if isinstance(only, cst.Assign) and _plain(only) else None
    return Arm({}, _python_integer(run, outside, name, before), start, name)


def floats(run: Run, first: Arm, other: Arm, name: str = "") -> frozenset[Cast]:
    """The Python integers in one arm that are floating-point in the other."""
    found = set[Cast]()
    for at_first, mine, theirs in ((True, first, other), (False, other, first)):
        floating = {path for path, parts in theirs.parts.items() if any(inexact(run, part) for part in parts)}
        found |= {(at_first, name, p) for p in floating & mine.parts.keys() if all(_whole(run, n) for n in mine.parts[p])}
        if mine.integer and () in floating:
            found.add((at_first, name, ()))
    return frozenset(found)


def _whole(run: Run, node: cst.BaseExpression) -> bool:
    """Whether the value is a Python integer."""
    value = run.values.get(node, UNKNOWN)
    return integer(node) or (value.kind is Kind.SCALAR and value.dtype == "int")


def mismatch(run: Run, first: Arm, other: Arm, what: str) -> str:
    """Why two arms certainly have different dtypes or shapes, "" where that is not known."""
    arms: list[Mapping[Path, Sequence[cst.BaseExpression]]] = [
        {(): [arm.start]} if arm.start is not None else arm.parts for arm in (first, other)
    ]
    for path in [path for path in arms[0] if path in arms[1]]:
        shown = f"a part of {what}" if path else what
        for one in arms[0][path]:
            for two in arms[1][path]:
                if why := _dtype_mismatch(run, one, two) or arm_shapes.mismatch(run, one, two):
                    return f"{shown} {why}"
    for arm, unchanged in ((first, other), (other, first)):
        if unchanged.name and any(arm_shapes.resized(run, value, unchanged.name) for value in arm.parts.get((), ())):
            return f"{what} has another shape in one arm than in the other"
    return ""


def _dtype_mismatch(run: Run, one: cst.BaseExpression, two: cst.BaseExpression) -> str:
    for mine, theirs in ((one, two), (two, one)):
        dtype = run.values.get(mine, UNKNOWN).dtype.rstrip("_")
        if dtype != "int" and category(dtype) in (0, 1) and inexact(run, theirs):
            return f"is {dtype} in one arm and floating-point in the other"
    return ""


# --- what variables are bound to -------------------------------------------------------------------------------------------


def _values(body: Sequence[cst.CSTNode], name: str) -> list[cst.BaseExpression]:
    """The values to which the single statement of an arm, or the arms of a nested branch, bind a variable; empty where several
    statements do.
    """
    match binding(body, name):
        case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value)]:
            return [value]
        case [cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=targets))], value=cst.Tuple(elements=values))]:
            if len(targets) == len(values) and all(isinstance(e, cst.Element) for e in (*targets, *values)):
                at = [e.value.value if isinstance(e.value, cst.Name) else "" for e in targets]
                return [values[at.index(name)].value] if at.count(name) == 1 else []
        case [cst.If(body=inner) as branch]:
            yes, no = _values(statements(inner), name), _values(otherwise(branch), name)
            return [*yes, *no] if yes and no else []
    return []


def binding(body: Iterable[cst.CSTNode], name: str) -> list[cst.CSTNode]:
    """The statements of an arm that bind a variable; the statements of one line are separate."""
    parts = [p for s in body for p in (s.body if isinstance(s, cst.SimpleStatementLine) else [s])]
    return [part for part in parts if name in bound_by(part)]


def _outside(run: Run, node: cst.If, name: str) -> list[cst.CSTNode]:
    """The definitions of a variable outside of a branch that reach it."""
    definitions = definitions_enclosing(node, run.source.parents)
    inside = {definitions.owner, *run.source.below(node)}
    return [found for found in definitions.reaching(node, name) or () if found not in inside]


def _plain(node: cst.Assign) -> bool:
    return len(node.targets) == 1 and isinstance(node.targets[0].target, cst.Name)


def _python_integer(run: Run, bound: Sequence[cst.CSTNode], name: str, value: Value) -> bool:
    """Whether a variable is a Python integer, also where a loop continues with the value that a branch computes from one."""
    if value.kind is Kind.SCALAR and value.dtype == "int":
        return True
    if name in run.params or category(value.dtype) >= 0:
        return False
    return bool(bound) and all(isinstance(s, cst.Assign) and integer(s.value) and len(s.targets) == 1 for s in bound)
