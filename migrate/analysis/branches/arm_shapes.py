"""The shapes of branch arms: those written in number literals, and those that one arm derives from the shape of the other.

`jnp.where` would broadcast arms of different shapes, and `lax.cond` refuses them, so that Python decides such a branch. The
shapes of unrelated arrays are not known here; `lax.cond` compares them when JAX traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import integer
from ....rules.facts.values import TOGETHER, UNKNOWN
from ...syntax.source import walk
from ..state.interpreter_state import Run
from .binding_nodes import bindings
from .conditions import single

Shape = tuple[int, ...]
MADE = ("zeros", "ones", "empty", "full")  # functions whose first argument is a shape
RESIZING = frozenset("append concatenate delete diff ediff1d hstack insert pad repeat tile vstack".split())
RANK_CHANGING = ("plus:", "minus:", "reduce")  # what the table says of the ranks of results


class Derived(NamedTuple):
    """A shape: that of `base` (a symbol, or the variable that a branch may leave as it was) after some steps.

    A step is the sizes of a subscript by axis, or the name of a function. A size is ("n", -1) for one less than the axis has,
    ("", 3) for three, and the text of the slice where its bounds are not literals.
    """

    base: str
    steps: tuple[object, ...] = ()


FULL, NEW_AXIS, NO_AXIS = ("n", 0), ("new", 0), ("none", 0)


def mismatch(run: Run, one: cst.BaseExpression, two: cst.BaseExpression) -> str:
    """Why two expressions certainly have different shapes, "" where that is not known."""
    written = shape_of(run, one), shape_of(run, two)
    if None not in written:
        return "" if written[0] == written[1] else f"has the shape {written[0]} in one arm and {written[1]} in the other"
    first, other = _derived(run, one), _derived(run, two)
    if first is None or other is None or first.base != other.base or not _differ(first.steps, other.steps):
        return ""
    return "has another shape in one arm than in the other"


def resized(run: Run, value: cst.BaseExpression, name: str) -> bool:
    """Whether the new value of a variable has another shape than the old one, of which it is made: `y = y[1:]`."""
    found = _derived(run, value, name)
    return found is not None and found.base == name and _differ(found.steps, ())


# --- shapes that are written out -------------------------------------------------------------------------------------------


def shape_of(run: Run, node: cst.BaseExpression) -> Shape | None:
    """The shape of an expression that is written in number literals; None where it is not known."""
    value = run.values.get(node, UNKNOWN)
    if isinstance(node, (cst.Integer, cst.Float)) or (value.kind is Kind.SCALAR and value.rank == 0):
        return ()
    if (key := single(node)) is not None and not isinstance(node, cst.Name) and key in run.unit.evidence:
        return ()
    match node:
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return shape_of(run, inner)
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            return _together(run, (left, right))
        case cst.Call():
            return _shape_of_call(run, node)
    return None


def _shape_of_call(run: Run, node: cst.Call) -> Shape | None:
    owner, _dot, name = (run.scopes.qualname(node.func) or "").rpartition(".")
    entry = numpy_table.function(f"{owner}.{name}")
    if owner != "numpy" or entry is None or not node.args:
        return None
    plain = [a.value for a in node.args if a.keyword is None and not a.star]
    keywords = {a.keyword.value for a in node.args if a.keyword is not None} - {"dtype"}
    if keywords or any(a.star for a in node.args) or not plain:
        return None
    if name in MADE:
        return _written(plain[0])
    if name in ("array", "asarray") and len(plain) == 1:
        return _shape_of_rows(run, plain[0])
    return _together(run, plain) if entry.ufunc == len(plain) else None


def _written(node: cst.BaseExpression) -> Shape | None:
    """A shape that is written in number literals."""
    elements = [e.value for e in node.elements] if isinstance(node, (cst.Tuple, cst.List)) else [node]
    sizes = [e.evaluated_value for e in elements if isinstance(e, cst.Integer)]
    return tuple(sizes) if len(sizes) == len(elements) else None


def _shape_of_rows(run: Run, node: cst.BaseExpression) -> Shape | None:
    """The shape of an array that is written as a list, or as a list of lists."""
    if not isinstance(node, (cst.List, cst.Tuple)):
        return shape_of(run, node)
    inner = {_shape_of_rows(run, e.value) if isinstance(e, cst.Element) else None for e in node.elements}
    only = inner.pop() if len(inner) == 1 else None
    return None if only is None else (len(node.elements), *only)


def _together(run: Run, nodes: Iterable[cst.BaseExpression]) -> Shape | None:
    """The broadcast shape of an elementwise computation."""
    result: Shape = ()
    for node in nodes:
        shape = shape_of(run, node)
        if shape is None:
            return None
        rank = max(len(result), len(shape))
        pairs = list(zip((1,) * (rank - len(result)) + result, (1,) * (rank - len(shape)) + shape, strict=True))
        if any(a != b and 1 not in (a, b) for a, b in pairs):
            return None
        result = tuple(b if a == 1 else a for a, b in pairs)
    return result


# --- shapes that are derived from others -----------------------------------------------------------------------------------


def _derived(run: Run, node: cst.BaseExpression, name: str = "") -> Derived | None:
    """The shape of an expression, in terms of one that another arm may have, too; None where it is not known. `name`: a variable
    whose old shape is the base.
    """
    match node:
        case cst.Name(value=variable):
            return Derived(name) if variable == name else _of_value(run, node) or _of_assignment(run, node, name)
        case cst.Subscript(value=inner, slice=parts):
            sizes = _sizes(parts)
            return None if sizes is None else _after(_derived(run, inner, name), sizes)
        case cst.UnaryOperation(expression=inner):
            return _derived(run, inner, name)
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            return _elementwise(run, (left, right), name)
        case cst.Call():
            return _of_call(run, node, name)
    return _of_value(run, node)


def _of_value(run: Run, node: cst.BaseExpression) -> Derived | None:
    shape = run.values.get(node, UNKNOWN).shape
    return Derived(shape) if shape and TOGETHER not in shape else None


def _of_assignment(run: Run, node: cst.Name, name: str) -> Derived | None:
    """The shape of a variable that only one assignment binds."""
    match bindings(run, node.value):
        case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value)] if node.value not in run.params:
            reads_itself = any(isinstance(n, cst.Name) and n.value == node.value for n, _parent in walk(value))
            return None if reads_itself else _derived(run, value, name)
    return None


def _after(inner: Derived | None, step: object) -> Derived | None:
    if inner is None or (isinstance(step, tuple) and all(size == FULL for size in step)):
        return inner
    return Derived(inner.base, (*inner.steps, step))


def _elementwise(run: Run, operands: Sequence[cst.BaseExpression], name: str) -> Derived | None:
    arrays = [operand for operand in operands if not _is_scalar(run, operand)]
    shapes = {_derived(run, operand, name) for operand in arrays}
    return shapes.pop() if len(shapes) == 1 else None


def _is_scalar(run: Run, node: cst.BaseExpression) -> bool:
    value = run.values.get(node, UNKNOWN)
    return isinstance(node, (cst.Integer, cst.Float)) or value.kind is Kind.SCALAR or value.rank == 0


def _of_call(run: Run, node: cst.Call, name: str) -> Derived | None:
    called = run.scopes.qualname(node.func) or ""
    operands = [a.value for a in node.args if a.keyword is None and not a.star]
    entry = numpy_table.function(called) if called.startswith("numpy.") else None
    short = called.rpartition(".")[2]
    if not called and isinstance(node.func, cst.Attribute):
        entry, short = numpy_table.method(node.func.attr.value), node.func.attr.value
        operands = [node.func.value]
    if entry is None or not operands:
        return None
    if entry.ufunc:
        return _elementwise(run, operands[: entry.ufunc], name)
    if short in RESIZING or entry.rank.startswith(RANK_CHANGING) or (short == "reshape" and _several(node)):
        first = operands[0]
        parts = [e.value for e in first.elements] if isinstance(first, (cst.List, cst.Tuple)) else [first]
        shapes = [found for part in parts if (found := _derived(run, part, name)) is not None]
        return _after(shapes[0], cst.Module([]).code_for_node(node)) if shapes else None
    return _of_value(run, node)


def _several(reshape: cst.Call) -> bool:
    """Whether a call of `reshape` asks for several axes, in literals: only what has them already has that shape."""
    arguments = [a.value for a in reshape.args if a.keyword is None]
    sizes = [e.value for a in arguments[-1:] if isinstance(a, (cst.Tuple, cst.List)) for e in a.elements] or arguments
    return len(sizes) > 1 and all(integer(size) is not None for size in sizes)


def _sizes(parts: Sequence[cst.SubscriptElement]) -> tuple[tuple[str, int] | str, ...] | None:
    """The sizes of the axes that a subscript selects; None where it selects by an array, or by what is not known."""
    found: list[tuple[str, int] | str] = []
    for part in parts:
        match part.slice:
            case cst.Slice() as selected:
                found.append(_size(selected))
            case cst.Index(value=cst.Name(value="None") | cst.Attribute(attr=cst.Name(value="newaxis"))):
                found.append(NEW_AXIS)
            case cst.Index(value=index) if integer(index) is not None:
                found.append(NO_AXIS)
            case _:
                return None
    return tuple(found)


def _size(selected: cst.Slice) -> tuple[str, int] | str:
    text = cst.Module([]).code_for_node(selected)
    step = 1 if selected.step is None else integer(selected.step)
    if step == -1 and selected.lower is None and selected.upper is None:
        return FULL
    low = 0 if selected.lower is None else integer(selected.lower)
    high = 0 if selected.upper is None else integer(selected.upper)
    if step != 1 or low is None or high is None or (high == 0 and selected.upper is not None):
        return text
    if low >= 0 and high <= 0:
        return "n", high - low
    return ("", high - low) if (low < 0) == (high <= 0) else text


def _differ(one: tuple[object, ...], two: tuple[object, ...]) -> bool:
    """Whether steps certainly lead from one shape to different ones. Empty axes, and those of length 1, are not considered."""
    if not one or not two:
        return one != two
    match one, two:
        case ((tuple() as mine,), (tuple() as theirs,)) if len(mine) == len(theirs):
            pairs = zip(mine, theirs, strict=True)
            return any(a != b and (FULL in (a, b) or not (isinstance(a, str) or isinstance(b, str))) for a, b in pairs)
    return False
