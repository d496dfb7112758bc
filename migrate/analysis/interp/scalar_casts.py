"""Casts of JAX scalars to Python numbers: `float(x)`, `int(x)`, `bool(x)`, `x.item()`.

JAX can compute with the scalars instead. They are then strongly typed, where Python numbers are weak: combined with a float32
array, a float64 scalar gives float64, a Python float gives float32.
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ....rules.core.dtypes import category, is_narrow
from ....rules.core.findings import Kind
from ....rules.facts.values import PYTHON, Value
from ..branches.conditions import effects, learn
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC
from ..state.memory import immutable


def number(run: Run, node: cst.Call, operand: cst.BaseExpression, value: Value) -> bool:
    """Whether JAX can compute the result of `float`, `int`, `bool` or `item`: the operand is certainly a number."""
    run.branching.logic.discard(node)
    if value.static or run.flow.depth or not run.unit.in_function or effects(run, node):
        return False
    if value.holds and category(value.dtype) == 0:  # a flag
        return False
    if any(immutable(v) for v in run.unit.bound.values()):  # code that uses JAX already, whose author wanted a Python number
        return False
    if value.kind not in NUMERIC or category(value.dtype) == 3 or value.rank > 0:
        return False
    if value.rank < 0:
        learn(run, operand)  # what is cast to a number is a scalar
    run.branching.logic.add(node)
    return True


def meet(run: Run, node: cst.CSTNode, values: Iterable[Value]) -> None:
    """Record that a Python number is combined with an array of a narrow dtype, which it does not widen: a JAX scalar would."""
    found = list(values)
    if not any(v.name == PYTHON for v in found):
        return
    for value in found:
        if value.name != PYTHON and value.kind in (Kind.ARRAY, Kind.SCALAR) and is_narrow(value.dtype):
            run.constraints.impure[node] = f"a Python number is combined with {value.dtype}, and takes its dtype"
