"""One worklist pass over the units whose facts changed: callers first, and each callee as soon as its result is needed.

The passes end with the same facts for any order of the units, as long as no fact is taken to be more precise than it is: a
function is interpreted with the arguments of one call only if no other call, and no other iteration of a loop, passes it anything
else. The order determines only how often a unit is interpreted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import replace
from ..analysis.state.call_facts import CallFact
from ..analysis.state.interpreter_state import Run
from ..analysis.state.lattice import Env, join
from ..analysis.state.project_facts import Facts
from ..summaries.unit_analysis import is_stale, run_once
from ..summaries.unit_results import plain
from ..summaries.unit_summary import summary_of
from ..summaries.units import MODULE, Module, Unit, UnitCalls, UnitSummary
from ..syntax.source import deep
from .caller_arguments import parameters_from_callers
from .class_hierarchy import as_read
from .linker import function_fact

DEEPEST = 10  # nested interpretations of units: Python's stack is limited
REPEATED = frozenset(
    {
        cst.For,
        cst.While,
        cst.ListComp,
        cst.SetComp,
        cst.DictComp,
        cst.GeneratorExp,
        cst.Lambda,
        cst.FunctionDef,
        cst.ClassDef,
        cst.Try,
        cst.TryStar,
    }
)


@dataclass(slots=True)
class WorklistPass:
    """The units of some files, with their summaries so far. `changed`: the modules about which new facts are known."""

    units: Mapping[str, tuple[Module, Unit]]
    summaries: dict[str, UnitSummary]
    facts: Facts
    changed: set[str] = field(default_factory=set)
    looked: set[str] = field(default_factory=set)
    interpretations: Counter[str] = field(default_factory=Counter)
    depth: int = 0

    def look(self, name: str) -> None:
        """Interpret a unit unless its last run saw the present facts. The findings are visible to the units interpreted next."""
        if name in self.looked:
            return
        self.looked.add(name)
        module, unit = self.units[name]
        if unit.cls:
            self.construct(unit)
        if not is_stale(module, unit, self.facts):
            module.runs[name].facts = self.facts  # as they say the same: those of earlier rounds are not kept
            return
        first = name not in module.runs
        try:
            summary = summary_of(module, unit, deep(self.interpret, module, unit))
        except RecursionError:
            self.looked.discard(name)  # it is interpreted again with more stack left
            raise
        module.summaries[name] = summary
        if first or summary != self.summaries[name]:
            self.summaries[name] = summary
            self.changed.add(module.source.name)
            if not unit.is_module:
                self.facts.functions[name] = function_fact(summary, self.facts)
            if first and unit.cls and summary.attributes.attrs:
                self.store(unit.cls, summary)

    def interpret(self, module: Module, unit: Unit) -> Run:
        """Run the abstract interpreter over a unit with the facts of the project, and repeat while the run learns new
        evidence."""
        while True:
            self.interpretations[unit.name] += 1
            run = run_once(module, unit, self.facts, self.called)
            run.call_graph.called = None  # the run outlives this round, whose facts must not
            if not run.unit.learned:
                return run
            module.known.local_evidence[unit.name].update(run.unit.learned)

    def construct(self, unit: Unit) -> None:
        """Interpret the constructor of a class before its other methods, which read the attributes that it stores."""
        method = self.facts.method(unit.cls, "__init__")
        if method is not None and method in self.units and method != unit.name and self.depth < DEEPEST:
            self.depth += 1
            self.look(method)
            self.depth -= 1

    def store(self, cls: str, summary: UnitSummary) -> None:
        """Join the attributes that a method stores into the facts of its class."""
        for name in self.facts.hierarchy.kin[cls]:
            fact = self.facts.classes[name]
            attrs = dict(fact.attrs)
            for attr, value in summary.attributes.attrs:
                own = f"attr:{self.facts.root(name)}.{attr}"
                attrs[attr] = as_read(join(attrs[attr], value) if attr in attrs else value, own)
            self.facts.classes[name] = replace(fact, attrs=attrs)

    def called(self, run: Run, env: Env, node: cst.CSTNode, call: CallFact) -> None:
        """Called for each call in a unit that is being interpreted: interpret the callee first."""
        name = call.callee
        if name not in self.units or name in self.looked or self.depth >= DEEPEST:
            return
        if name in self.facts.program.called_once and not repeated(run, node):
            argument_shapes = parameters_from_callers(
                {run.name: UnitSummary(run.name, run.source.name, call_graph=UnitCalls(calls=(call,)))}
            )
            if name in argument_shapes:
                self.facts.params[name] = argument_shapes[name]
        if run.name.endswith(MODULE):
            self.publish(run, env)
        self.depth += 1
        self.look(name)
        self.depth -= 1

    def publish(self, run: Run, env: Env) -> None:
        """Publish the variables of a module whose code is being interpreted, as far as they are bound once."""
        names = run.scopes.opened_by(run.source.module).names
        for name, value in env.items():
            dotted = f"{run.source.name}.{name}"
            if len(names.get(name, ())) == 1 and value.kind not in (Kind.FUNCTION, Kind.CLASS, Kind.MODULE):
                self.facts.variables.setdefault(dotted, replace(plain(value), device=False))


def repeated(run: Run, node: cst.CSTNode) -> bool:
    """Whether a call may be evaluated several times, with different arguments."""
    at = run.source.parents.get(node)
    while at is not None and at is not run.unit.owner:
        if type(at) in REPEATED:
            return True
        at = run.source.parents.get(at)
    return False
