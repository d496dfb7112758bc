"""The context of one unit: all that rules may ask about it."""

from __future__ import annotations

import libcst as cst

from ...rules.facts.function_plan import FunctionPlan
from ...rules.facts.program import ProgramFacts
from ...rules.facts.unit import UnitFacts
from ..analysis.state.interpreter_state import Run
from ..analysis.state.project_facts import Facts
from ..summaries.units import Module, Unit
from ..syntax.decorators import UNWRAPPED
from ..syntax.edits import Edits, rewritten
from .analysed_unit import AnalysedUnit
from .compiled_loops import CompiledLoops
from .file_names import FileNames
from .unit_branches import UnitBranches
from .unit_builtins import UnitBuiltins
from .unit_calls import UnitCalls
from .unit_compilation import UnitCompilation
from .unit_effects import UnitEffects
from .unit_flow import UnitFlow
from .unit_host import UnitHost
from .unit_integers import UnitIntegers
from .unit_loops import UnitLoops
from .unit_names import UnitNames
from .unit_random import UnitRandom
from .unit_slices import UnitSlices
from .values import Values


class UnitContext:
    """Implements rules.context.Context for one interpreted unit. Each subject gets only the parts that it needs."""

    def __init__(
        self,
        module: Module,
        unit: Unit,
        run: Run,
        facts: Facts,
        plan: FunctionPlan,
        names: FileNames,
        precision: str,
        edits: Edits,
    ) -> None:
        self.analysed = analysed = AnalysedUnit(module, unit, run, facts, plan)
        self.plan, self.edits = plan, edits
        self.qualname, self.parent = analysed.qualname, analysed.parent
        self.random = UnitRandom(analysed)
        self.compiled = CompiledLoops(analysed, self.random)
        values = Values(analysed, self.compiled)
        self.value, self.kind, self.is_static = values.value, values.kind, values.is_static
        self.names = UnitNames(analysed, names)
        self.flow = UnitFlow(analysed)
        self.calls = UnitCalls(analysed, values, names)
        self.builtins = UnitBuiltins(analysed, values)
        self.loops = UnitLoops(analysed, values, self.compiled, self.builtins, self.names)
        self.effects = UnitEffects(analysed, self.compiled, self.loops, self.names)
        self.slices = UnitSlices(analysed, values, self.compiled, self.loops, self.names)
        self.branches = UnitBranches(analysed, values, self.loops)
        self.host = UnitHost(analysed, values, self.calls)
        self.integers = UnitIntegers(self.compiled)
        self.compilation = UnitCompilation(analysed, values, self.loops)
        self.unit = UnitFacts(
            analysed.definition,
            run.unit.self_name,
            analysed.moved,
            analysed.moved_from,
            analysed.moved_out_of,
            analysed.desugared,
            any(facts.effect(name) not in UNWRAPPED for name in unit.applied),
        )
        self.program = ProgramFacts(
            precision,
            facts.program.ufunc_asked,
            facts.program.narrow[module.source.name],
            facts.random.seeded_identically,
            facts.random.random_on_host,
            facts.program.fast,
        )

    def rewritten(self, node: cst.BaseExpression) -> cst.BaseExpression:
        made = rewritten(node, self.edits)
        assert isinstance(made, cst.BaseExpression)
        return made.deep_clone()

    def rewritten_inside(self, node: cst.BaseExpression) -> cst.BaseExpression:
        own = self.edits.by_node.pop(node, None)
        made = self.rewritten(node)
        if own is not None:
            self.edits.by_node[node] = own
        return made
