"""Implements `ctx.integers`: what follows for integers from the syntax."""

from __future__ import annotations

import libcst as cst

from ..analysis.symbolic.inequalities import below, nonnegative
from ..analysis.symbolic.sign_analysis import at_least
from .compiled_loops import CompiledLoops


class UnitIntegers:
    """Implements rules.context.integers.Integers."""

    def __init__(self, compiled: CompiledLoops) -> None:
        self.compiled = compiled

    def is_positive(self, node: cst.BaseExpression) -> bool:
        evolution = self.compiled.evolution
        return at_least(evolution, node, 1, evolution.facts(node))

    def is_inside(self, index: cst.BaseExpression, array: cst.BaseExpression, axis: int) -> bool:
        evolution = self.compiled.evolution
        if not isinstance(array, cst.Name) or (form := evolution.form(index)) is None:
            return False
        facts = [*evolution.facts(index), *evolution.counters(form, index)]
        size = evolution.extent(array.value, axis, index)
        return below(form, size, facts) and (nonnegative(form, facts) or nonnegative(form + size, facts))
