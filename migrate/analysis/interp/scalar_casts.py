"""Casts of JAX scalars to Python numbers: `float(x)`, `int(x)`, `bool(x)`, `x.item()`.

JAX can compute with the scalars instead. They are then strongly typed, where Python numbers are weak: combined with a float32
array, a float64 scalar gives float64, a Python float gives float32.
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ....rules.core.dtypes import category, is_default, is_narrow
from ....rules.core.findings import Kind
from ....rules.facts.values import PYTHON, Value
from ..branches.conditions import effects, learn
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC
from ..state.memory import immutable


def number(run: Run, node: cst.Call, operand: cst.BaseExpression, value: Value) -> bool:
    """Whether JAX can compute the result of `float`, `int`, `bool` or `item`: the operand is certainly a number."""
    if not _computed(run, node, value) or value.kind not in NUMERIC or value.rank > 0:
        return False
    if value.rank < 0:
        learn(run, operand)  # what is cast to a number is a scalar
    run.branching.logic.add(node)
    return True


def only_item(run: Run, node: cst.Call, value: Value) -> bool:
    """Whether JAX can compute the only item of an array, which may have any rank: of no narrow dtype, which the Python number would
    not have. An unknown one is taken for wide in loops, which would be interpreted otherwise."""
    if not _computed(run, node, value) or not (
        is_default(value.dtype) or (not value.dtype and run.source.in_loop(node, run.source.module))
    ):
        return False
    run.branching.logic.add(node)
    return True


def _computed(run: Run, node: cst.Call, value: Value) -> bool:
    run.branching.logic.discard(node)
    if value.static or run.flow.depth or not run.unit.in_function or effects(run, node):
        return False
    if value.holds and category(value.dtype) == 0:  # a flag
        return False
    if any(immutable(v) for v in run.unit.bound.values()):  # code that uses JAX already, whose author wanted a Python number
        return False
    return category(value.dtype) != 3


def meet(run: Run, node: cst.CSTNode, values: Iterable[Value]) -> None:
    """Record that a Python number is combined with an array of a narrow dtype, which it does not widen: a JAX scalar would. One
    of an unknown dtype may be a float32, with which JAX makes float32 of integers."""
    found = list(values)
    if not any(v.name == PYTHON for v in found):
        return
    unknown = any(v.name == PYTHON and not v.dtype for v in found)
    for value in found:
        if unknown and value.kind is Kind.ARRAY and category(value.dtype) == 1:
            run.constraints.impure[node] = f"a Python number of an unknown dtype is combined with {value.dtype}"
        if value.name != PYTHON and value.kind in (Kind.ARRAY, Kind.SCALAR) and is_narrow(value.dtype):
            run.constraints.impure[node] = f"a Python number is combined with {value.dtype}, and takes its dtype"
