"""The first iteration of a loop, on its own: ahead of the loop, in NumPy.

What it binds has then the types and the shapes that all later iterations give it, as loop-carried values need in JAX: an attribute
that starts as None, as an integer, or not at all, is an array of floats after one iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from ...rules.facts.iteration_space import IterationSpace
from ...rules.facts.values import UNKNOWN
from ...rules.syntax import builders
from ..context.empty_arrays import has_iterations
from ..summaries.units import Module, Unit
from ..syntax.names import collect
from ..syntax.source import walk
from . import object_attributes
from .concrete_classes import elements, receiver


class First(NamedTuple):
    """The first iteration of a loop, the loop over the others, and the condition under which there is one."""

    lines: Sequence[cst.BaseStatement]
    rest: cst.For
    test: cst.BaseExpression


def needed(module: Module, unit: Unit, loop: cst.CSTNode) -> First | None:
    """The parts of a loop in a method that binds attributes whose types are not known before; None if it has no such parts."""
    source = module.source
    if not (module.runs[unit.name].facts.program.fast and isinstance(loop, cst.For) and unit.cls):
        return None
    owner = next((n for n in source.above(loop) if isinstance(n, (cst.FunctionDef, cst.ClassDef, cst.Lambda))), None)
    if owner is not unit.node or not isinstance(source.parents[loop], cst.IndentedBlock):
        return None
    space = module.scopes.iteration_space(loop)
    test, parts = has_iterations(space), peeled(loop, space)
    if test is None or parts is None or not unsettled(module, unit, loop, loop, ()):
        return None
    return First(*parts, test)


def unsettled(module: Module, unit: Unit, loop: cst.For, body: cst.For, concrete: Sequence[str]) -> bool:
    """Whether a loop binds an attribute that may have no value ahead of it, or another dtype. `body`: the loop as it will be
    written; `concrete`: the classes that the object may have, if they are known."""
    assert isinstance(unit.node, cst.FunctionDef)
    facts = module.runs[unit.name].facts
    for attribute, in_place in _bound(body, receiver(unit.node)).items():
        if in_place and object_attributes.is_array(module, unit, attribute):
            continue
        if object_attributes.float_before(module, unit, attribute, loop):
            continue
        values = [facts.classes[c].attrs.get(attribute, UNKNOWN) for c in concrete or (unit.cls,) if c in facts.classes]
        if not all(v.dtype for v in values) or not object_attributes.may_start(module, unit, attribute, loop, concrete):
            return True
    return False


def _bound(code: cst.CSTNode, owner: str) -> dict[str, bool]:
    """The attributes of an object that some code binds, and whether only by `op=`."""
    found: dict[str, bool] = {}
    for node, _parent in walk(code):
        if isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign)):
            for target in elements(node.target):
                match target:
                    case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attribute)) if name == owner:
                        found[attribute] = found.get(attribute, True) and isinstance(node, cst.AugAssign)
    return found


def peeled(loop: cst.For, space: IterationSpace) -> tuple[list[cst.BaseStatement], cst.For] | None:
    """The first iteration of a loop over a range, and the loop over the others; None if iterations may end it, or skip a part."""
    if not space.is_range or space.stop is None or space.step is not None or loop.orelse is not None:
        return None
    if not isinstance(loop.target, cst.Name) or loop.target.value in collect([loop.body]).bound:
        return None
    if any(isinstance(n, (cst.Break, cst.Continue)) for n, _parent in walk(loop.body)):
        return None
    if not isinstance(space.start, cst.Integer | None):
        return None
    first = 0 if space.start is None else int(space.start.value)
    rest = builders.call(cst.Name("range"), cst.Integer(str(first + 1)), space.stop)
    unused = loop.target.value == "_"
    start = [] if unused else [builders.assigned((loop.target.value,), cst.Integer(str(first)))]
    return [*start, *builders.lines(loop.body)], loop.with_changes(iter=rest, leading_lines=())
