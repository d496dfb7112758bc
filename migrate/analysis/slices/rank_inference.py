"""The ranks of arrays by their use: `x[i, j]` has two dimensions, and so has the `x` of `np.sum(x[1:] - x[:-1], axis=1)`."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import integer
from ....rules.facts.values import UNKNOWN
from ..state.interpreter_state import Run
from .sliced_axes import flat


def ranks_by_use(run: Run, nodes: list[cst.CSTNode]) -> dict[str, int]:
    """The number of indices in the longest subscript of each variable, or of the sizes that are read: its rank, as far as the use
    shows it.
    """
    found: dict[str, int] = {}
    held = {n.targets[0].target.value: n.value for n in nodes if type(n) is cst.Assign and type(n.targets[0].target) is cst.Name}
    for node in nodes:
        if type(node) is cst.Call and (axis := _axis(run, node)) is not None:
            made = (
                node.func.value
                if isinstance(node.func, cst.Attribute) and not run.scopes.qualname(node.func)
                else node.args[0].value
            )
            for name in _sliced_in(run, made, held):
                found[name] = max(found.get(name, 0), axis + 1 if axis >= 0 else -axis)
        if type(node) is not cst.Subscript:
            continue
        match node:
            case cst.Subscript(
                value=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape")),
                slice=[cst.SubscriptElement(slice=cst.Index(value=index))],
            ) if (axis := integer(index)) is not None:
                found[name] = max(found.get(name, 0), axis + 1 if axis >= 0 else -axis)
        assert isinstance(node, cst.Subscript)
        if isinstance(node.value, cst.Name):
            parts = flat(node)
            values = [p.value for p in parts if isinstance(p, cst.Index)]
            if any(isinstance(v, cst.Ellipsis) for v in values):
                continue
            none = sum(run.values.get(v, UNKNOWN).kind is Kind.NONE for v in values)
            found[node.value.value] = max(found.get(node.value.value, 0), len(parts) - none)
    return found


def _axis(run: Run, call: cst.Call) -> int | None:
    """The axis that a call of a NumPy function or a method names."""
    name = run.scopes.qualname(call.func) or ""
    if not call.args or not (name.startswith("numpy.") or (not name and isinstance(call.func, cst.Attribute))):
        return None
    return next((integer(a.value) for a in call.args if a.keyword is not None and a.keyword.value == "axis"), None)


def _sliced_in(run: Run, node: cst.BaseExpression, held: Mapping[str, cst.BaseExpression], steps: int = 4) -> set[str]:
    """The variables whose slices along the first axis are the elementwise operands of an expression; none where another operand
    is an array.

    `held`: the values that variables are bound to.
    """
    match node:
        case cst.Subscript(value=cst.Name(value=name), slice=[cst.SubscriptElement(slice=cst.Slice())]):
            return {name}
        case cst.Name(value=name) if steps and name in held:
            return _sliced_in(run, held[name], held, steps - 1)
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            sides = [side for side in (left, right) if run.values.get(side, UNKNOWN).kind is not Kind.SCALAR]
            found = [_sliced_in(run, side, held, steps) for side in sides]
            return set().union(*found) if all(found) else set()
        case cst.UnaryOperation(expression=inner):
            return _sliced_in(run, inner, held, steps)
    return set()
