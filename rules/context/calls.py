"""What rules ask as `ctx.calls`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.function_plan import FunctionPlan


class Calls(Protocol):
    """Calls of functions of the project, and what they may overwrite."""

    def callee(self, call: cst.Call) -> FunctionPlan | None:
        """The plan of the project function that is called, None where that is not known."""
        ...

    def donating(self, call: cst.Call) -> str:
        """The second name of the function that is called, where the call may overwrite what it is given; "" elsewhere."""
        ...

    def keeps_copy(self, call: cst.Call) -> bool:
        """Whether what is copied may be overwritten, so that the copy has to be one."""
        ...

    @property
    def second_name(self) -> str:
        """The second name of the unit's own function, by which such calls call it; "" where there are none."""
        ...

    def plan_of(self, node: cst.BaseExpression) -> FunctionPlan | None:
        """The plan of the project function that an expression names, None where it names none."""
        ...

    def argument(self, call: cst.Call, parameter: str) -> cst.BaseExpression | None:
        """What a call of a project function gives for a parameter."""
        ...
