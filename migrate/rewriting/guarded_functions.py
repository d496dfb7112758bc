"""Functions that are called only where certain conditions hold: to assert these would say the same twice."""

from __future__ import annotations

import libcst as cst

from ...rules.syntax.source_text import code
from ..summaries.units import Module


def without_assertions(made: cst.Module, module: Module) -> cst.Module:
    """A file whose outlined functions do not assert what their callers test (see lowering.run_time_guards)."""
    if not module.derived.guards:
        return made
    said = {
        name.removeprefix(f"{module.source.name}."): frozenset(conditions) for name, conditions in module.derived.guards.items()
    }

    def without(statement: cst.CSTNode) -> cst.CSTNode:
        conditions = said.get(statement.name.value) if isinstance(statement, cst.FunctionDef) else None
        return statement.visit(_Dropped(conditions)) if conditions else statement  # type: ignore[return-value]  # removes no function

    return made.with_changes(body=[without(statement) for statement in made.body])


class _Dropped(cst.CSTTransformer):
    """Drops the assertions of some conditions."""

    def __init__(self, conditions: frozenset[str]) -> None:
        super().__init__()
        self.conditions = conditions

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        match original_node.body:
            case [cst.Assert(test=test, msg=None)] if code(test) in self.conditions:
                return cst.RemoveFromParent()
        return updated_node
