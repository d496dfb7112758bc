"""The interface `ctx.calls`."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import libcst as cst

from ..facts.function_plan import FunctionPlan


class Core(NamedTuple):
    """How a file calls the core of a function; `name` is "" where it cannot import it."""

    name: str = ""
    imports: frozenset[str] = frozenset()


class Calls(Protocol):
    """Calls of project functions, and what they may overwrite."""

    def callee(self, call: cst.Call) -> FunctionPlan | None:
        """The plan of the project function that is called, None where that is not known."""
        ...

    def donating(self, call: cst.Call) -> str:
        """The second name of the function that is called, where the call may overwrite its arguments; "" elsewhere."""
        ...

    def core(self, call: cst.Call) -> Core | None:
        """How converted code calls the core of a function whose shell is for files that are not converted; None elsewhere."""
        ...

    def keeps_copy(self, call: cst.Call) -> bool:
        """Whether the original of a copy may be overwritten, so that the copy must be a real one."""
        ...

    @property
    def second_name(self) -> str:
        """The second name of the unit's function, which calls that may overwrite their arguments use; "" where there are none."""
        ...

    def plan_of(self, node: cst.BaseExpression) -> FunctionPlan | None:
        """The plan of the project function to which an expression refers, None where it refers to none."""
        ...

    def may_be_compiled(self, node: cst.BaseExpression) -> bool:
        """Whether an expression may be a function that `jit` compiles."""
        ...

    def argument(self, call: cst.Call, parameter: str) -> cst.BaseExpression | None:
        """The argument for a parameter in a call of a project function."""
        ...
