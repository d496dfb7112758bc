"""What a rule may ask about the code that it checks. The engine answers; rules never analyse code themselves.

What every rule asks is here; the rest is grouped by subject: `ctx.loops.loop_plan(node)`, `ctx.random.keys`.
"""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..core.findings import Kind
from ..facts.function_plan import FunctionPlan
from ..facts.program import ProgramFacts
from ..facts.unit import UnitFacts
from ..facts.values import Value
from .branches import Branches
from .builtins import Builtins
from .calls import Calls
from .compilation import Compilation
from .effects import Effects
from .flow import Flow
from .host import Host
from .integers import Integers
from .loops import Loops
from .names import Names
from .random import Random
from .slices import Slices


class Context(Protocol):
    """One unit: a function, a method, or the code of a module itself."""

    @property
    def plan(self) -> FunctionPlan:
        """What becomes of the unit."""
        ...

    def qualname(self, node: cst.CSTNode) -> str | None:
        """The dotted name to which a name or an attribute chain refers: "numpy.linalg.norm", "pkg.mod.f", "builtins.len"."""
        ...

    def value(self, node: cst.CSTNode) -> Value: ...

    def kind(self, node: cst.CSTNode) -> Kind: ...

    def is_static(self, node: cst.CSTNode) -> bool:
        """Whether it is known when JAX traces the unit (always, where the unit is not traced)."""
        ...

    def rewritten(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A copy of an original expression with all edits applied; only inside an edit."""
        ...

    def rewritten_inside(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """The same, without the edits of the node itself."""
        ...

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None: ...

    @property
    def names(self) -> Names: ...
    @property
    def flow(self) -> Flow: ...
    @property
    def calls(self) -> Calls: ...
    @property
    def effects(self) -> Effects: ...
    @property
    def slices(self) -> Slices: ...
    @property
    def branches(self) -> Branches: ...
    @property
    def loops(self) -> Loops: ...
    @property
    def builtins(self) -> Builtins: ...
    @property
    def random(self) -> Random: ...
    @property
    def host(self) -> Host: ...
    @property
    def integers(self) -> Integers: ...
    @property
    def compilation(self) -> Compilation: ...
    @property
    def unit(self) -> UnitFacts: ...
    @property
    def program(self) -> ProgramFacts: ...
