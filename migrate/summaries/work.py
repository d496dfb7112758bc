"""How much a unit computes: counted operations, from which the cost model estimates what NumPy and JAX take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.dynamic_slices import Bounds
from ...rules.facts.values import UNKNOWN, Value
from ...rules.syntax.source_text import code
from ..analysis.state.interpreter_state import Run
from .call_order import LOOPS, inside

OPERATIONS = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Call, cst.AugAssign)


class Work(NamedTuple):
    """What a unit computes.

    `arrays`, `items`: operations on arrays, and on their items or on numbers, outside of loops. `looped_arrays`, `looped_items`:
    those in loops, in each iteration. `sparse`: a slice in a loop that may be much shorter than its axis, and that a mask of the
    whole axis replaces; "" where there is none.
    """

    arrays: int = 0
    items: int = 0
    looped_arrays: int = 0
    looped_items: int = 0
    sparse: str = ""


def work_of(run: Run, nodes: list[cst.CSTNode]) -> Work:
    """Count the operations of a unit in its `nodes`."""
    counts = [0, 0, 0, 0]
    for node in nodes:
        if isinstance(node, OPERATIONS):
            value = run.values.get(node.target if isinstance(node, cst.AugAssign) else node, UNKNOWN)
            if value.numeric or value.kind is Kind.TUPLE:
                counts[2 * (inside(run, node, LOOPS) is not None) + (not may_be_large(node, value, run))] += 1
    arrays, items, looped_arrays, looped_items = counts
    return Work(arrays, items, looped_arrays, looped_items, next(sparse_slices(run), ""))


def may_be_large(node: cst.CSTNode, value: Value, run: Run) -> bool:
    """Whether an operation makes, or reduces, an array of more than a few items, as far as known."""
    operands = [value]
    if isinstance(node, cst.Call):
        operands += [run.values.get(a.value, UNKNOWN) for a in node.args]
        if isinstance(node.func, cst.Attribute):
            operands.append(run.values.get(node.func.value, UNKNOWN))
    elif isinstance(node, cst.BinaryOperation):
        operands += [run.values.get(node.left, UNKNOWN), run.values.get(node.right, UNKNOWN)]
    return any(v.kind is Kind.ARRAY and not v.item and v.rank != 0 for v in operands)


def sparse_slices(run: Run) -> Iterator[str]:
    """The slices of which both bounds, or the step, change from one iteration of a loop to the next, where a mask replaces them."""
    for ragged in run.slices.ragged.values():
        if ragged.selection:
            continue
        for bounds in ragged.bounds:
            if may_be_short(bounds):
                lower, upper = ("" if part is None else code(part) for part in (bounds.lower, bounds.upper))
                yield f"{bounds.array}[{lower}:{upper}{'' if bounds.step is None else f':{code(bounds.step)}'}]"


def may_be_short(bounds: Bounds) -> bool:
    return bounds.step is not None or (bounds.lower is not None and bounds.upper is not None)
