"""The facts about the units of a file as readable text: what `--dump-after` prints for an analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.function_plan import FunctionPlan
from ...rules.facts.loop_plan import LoopPlan, PythonLoop, Unrolled
from ...rules.facts.values import Value
from ..analysis.loops.loop_analysis import is_token
from ..analysis.state.interpreter_state import Run
from ..analysis.state.project_facts import Facts
from ..context.file_names import FileNames
from ..lowering.rectangular_loops import context_of
from ..summaries.units import Module, Unit, UnitSummary
from ..syntax.locations import positions


def described(module: Module, facts: Facts) -> str:
    lines = list[str]()
    for unit in module.units.values():
        lines.append(f"{unit.name}({', '.join(unit.params)})")
        lines += (f"  {line}" for line in _of_unit(module, unit, facts))
    return "\n".join(lines) + "\n"


def _of_unit(module: Module, unit: Unit, facts: Facts) -> Iterator[str]:
    run, summary = module.runs.get(unit.name), module.summaries.get(unit.name)
    plan = facts.plans.get(unit.name)
    if given := facts.params.get(unit.name):
        yield f"calls give: {'; '.join(f'{name}: {described_kind(value)}' for name, value in given.items() if name.isidentifier())}"
    if run is None or summary is None:
        yield "not interpreted yet"
        return
    if run.unit.bound:
        yield _named("parameters", run.unit.bound.items())
    yield from _variables(module, unit, run)
    if not unit.is_module:
        yield f"result: {_value(summary.result)}"
    yield from _effects(summary)
    yield from _loops(module, unit, run, facts, plan)
    yield from _branches(module, run)
    if plan is not None:
        yield f"plan: {_plan(plan)}"


def _named(what: str, values: Iterable[tuple[str, Value]]) -> str:
    return f"{what}: {'; '.join(f'{name}: {_value(value)}' for name, value in values if name.isidentifier())}"


def _value(value: Value) -> str:
    """The kind of a value, and when it is known."""
    if value.kind is Kind.TUPLE and value.elements:
        return f"({', '.join(map(_value, value.elements))})"
    depends = sorted(d for d in value.deps if not is_token(d))
    varies = ["varies with the loop"] if len(depends) < len(value.deps) else []
    known = ["traced"] if value.traced else [f"depends on {', '.join(depends)}"] if depends else varies or ["static"]
    return f"{described_kind(value)}, {known[0]}"


def described_kind(value: Value) -> str:
    words = ["number" if value.kind is Kind.SCALAR else value.kind.value]
    words += [value.dtype] if value.dtype else []
    words += [f"rank {value.rank}"] if value.rank >= 0 and value.kind is Kind.ARRAY else []
    return " ".join(words)


def _variables(module: Module, unit: Unit, run: Run) -> Iterator[str]:
    """All values that each local variable has where it occurs."""
    found: dict[str, dict[str, None]] = {}
    for node in module.nodes[unit.name]:
        if type(node) is cst.Name and node.value in run.unit.local and node.value not in unit.params:
            value = run.values.get(node)
            if value is not None and value.kind not in (Kind.FUNCTION, Kind.CLASS, Kind.MODULE):
                found.setdefault(node.value, {})[_value(value)] = None
    if found:
        each = (f"{name}: {' or '.join(kinds)}" for name, kinds in found.items())
        yield f"variables: {'; '.join(each)}"


def _effects(summary: UnitSummary) -> Iterator[str]:
    effects = [f"changes {name}" for name in sorted(summary.effects.mutates)]
    effects += [f"changes {name.partition(':')[2]}" for name in sorted(summary.effects.changes)]
    effects += [f"binds {name.partition(':')[2]}" for name in sorted(summary.attributes.binds)]
    effects += ["draws random numbers"] if summary.streams.state.draws else []
    effects += [summary.tracing.impure] if summary.tracing.impure else []
    if effects:
        yield f"effects: {'; '.join(effects)}"
    if summary.call_graph.callees:
        yield f"calls: {', '.join(sorted(summary.call_graph.callees))}"
    static = sorted(name for name in summary.tracing.static if not is_token(name))
    needs = [f"{name} must be static" for name in static] + ([summary.tracing.not_static] if summary.tracing.not_static else [])
    if needs:
        yield f"binding times: {'; '.join(needs)}"


def _loops(module: Module, unit: Unit, run: Run, facts: Facts, plan: FunctionPlan | None) -> Iterator[str]:
    where = positions(module.source, list(run.loops.compiled))
    decided = plan is not None and not plan.refused
    context = context_of(module, unit.name, facts, FileNames(module)) if decided else None
    for node, loop in sorted(run.loops.compiled.items(), key=lambda item: where[item[0]]):
        if context is not None and isinstance(node, cst.For | cst.While):
            decision = _loop_plan(context.loops.loop_plan(node))
        else:
            decision = f"not compiled: {loop.why}" if loop.why else "may be compiled"
        carried = f", carries {', '.join(loop.carry)}" if loop.carry else ""
        yield f"loop at line {where[node][0]}: {loop.form or 'any iterable'}{carried}; {decision}"


def _loop_plan(plan: LoopPlan) -> str:
    """The case of the sum type, as the code has it, and the reason where the loop stays Python's."""
    reason = plan.reason if isinstance(plan, Unrolled | PythonLoop) else ""
    return type(plan).__name__ + (f": {reason}" if reason else "")


def _branches(module: Module, run: Run) -> Iterator[str]:
    both: dict[cst.CSTNode, str] = dict.fromkeys(run.branching.branches, "compiled")
    both.update((node, f"not compiled: {why}") for node, why in run.branching.untraceable_branches.items())
    where = positions(module.source, list(both))
    for node, decision in sorted(both.items(), key=lambda item: where[item[0]]):
        yield f"branch at line {where[node][0]}: {decision}"


def _plan(plan: FunctionPlan) -> str:
    if plan.refused:
        return f"stays NumPy ({plan.refused_code}): {plan.refused}"
    words = ["jit" if plan.jit else f"eager: {plan.eager}" if plan.eager else "eager"]
    words += [f"static {', '.join(plan.static_args)}"] if plan.static_args else []
    words += [f"returns {', '.join(plan.returns)} after its results"] if plan.returns else []
    words += [f"takes a key as {plan.random.key}"] if plan.random.key else []
    words += [f"donates {', '.join(plan.donation.donates)}"] if plan.donation.donates else []
    return "; ".join(words)
