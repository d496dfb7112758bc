"""Implements `ctx.compilation`: why jit does not compile something."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from ...rules.facts.loop_plan import Fori, PythonLoop, While
from ...rules.syntax.source_text import code
from ..analysis.state.lattice import whole
from ..analysis.state.node_facts import MASKED, SHAPE_OF
from ..summaries.recomputation import kept
from .analysed_unit import AnalysedUnit
from .unit_loops import UnitLoops
from .values import Values


class UnitCompilation:
    """Implements rules.context.compilation.Compilation."""

    def __init__(self, analysed: AnalysedUnit, values: Values, loops: UnitLoops) -> None:
        self.analysed, self.run, self.plan = analysed, analysed.run, analysed.plan
        self.values, self.loops = values, loops

    def untraceable_shape(self, node: cst.CSTNode) -> str:
        why, more = self.run.constraints.impure.get(node, ""), self.run.slices.unmasked.get(node, "")
        if not why.startswith((MASKED, SHAPE_OF)):
            return ""
        return f"{why}; {more}" if more else why

    def untraceable_branch(self, node: cst.If | cst.IfExp) -> str:
        return self.run.branching.untraceable_branches.get(node, "") if self.values.value(node.test).traced else ""

    def is_kept(self, node: cst.Assign) -> bool:
        return node in self._kept

    @cached_property
    def _kept(self) -> frozenset[cst.Assign]:
        facts, owner = self.analysed.facts, self.analysed.definition
        if not (facts.program.fast and self.plan.jit) or owner is None:
            return frozenset()
        compiled = (n for n in self.run.loops.compiled if isinstance(n, (cst.For, cst.While)))
        return kept(self.run, owner, facts.work, {n for n in compiled if isinstance(self.loops.loop_plan(n), (Fori, While))})

    @property
    def eager(self) -> str:
        if not (self.plan.eager or self.plan.asked) or self._says_why:
            return ""
        return self.plan.eager or self._asked

    @property
    def _says_why(self) -> bool:
        """Whether the diagnostic of a loop, a branch or a shape already explains why the function is not jitted."""
        loops = (n for n in self.run.loops.compiled if isinstance(n, (cst.For, cst.While)))
        branches = (n for n in self.run.branching.untraceable_branches if isinstance(n, (cst.If, cst.IfExp)))
        return (
            any(map(self._is_untraceable, loops))
            or any(map(self.untraceable_branch, branches))
            or any(map(self.untraceable_shape, self.run.constraints.impure))
        )

    def _is_untraceable(self, loop: cst.For | cst.While) -> bool:
        match self.loops.loop_plan(loop):
            case PythonLoop(code=code):
                return bool(code)
        return False

    @property
    def _asked(self) -> str:
        """The value that Python needs, and why, as a message."""
        asked = self.plan.asked | {whole(name) for name in self.plan.asked}
        for need in self.run.constraints.needs.values():
            if not need.value.deps.isdisjoint(asked):
                return f"Python needs `{code(need.node)}`: {need.why}"
        loops = (loop.why for loop in self.run.loops.compiled.values() if loop.why)
        return next(loops, f"Python needs the value of `{min(whole(n) for n in self.plan.asked)}`")
