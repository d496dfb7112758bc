"""The plan of each loop of a unit: decided once, in one place, before the rules run.

The forms of loops are listed below from the best to the worst, each as a function that plans a loop in its form, or returns None.
The first that plans a loop decides. A new form is a case of `rules.facts.loop_plan`, a function at its position in the order, and
a rule that writes the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.function_plan import FunctionPlan
from ....rules.facts.loop_plan import (
    UNTRACEABLE,
    Accumulation,
    Compaction,
    Distributed,
    Fori,
    LoopPlan,
    Nested,
    Parallel,
    ParallelReduction,
    Prefix,
    PythonLoop,
    Recurrence,
    Scan,
    Search,
    Unrolled,
    While,
    vectorized,
)
from ....rules.facts.loops import Loop
from ....rules.facts.parallel_loops import FIRST, ParallelNest
from ....rules.facts.random_keys import Split
from ....rules.facts.values import NOTHING, replace
from ...syntax.break_statements import flagged_by
from ...syntax.names import bound_by
from ..state.interpreter_state import Run
from ..symbolic.scalar_evolution import ScalarEvolution
from .loop_distribution import distributed
from .parallel_loops import classify
from .scans import by_rows, recurrence


class LoopPlans(NamedTuple):
    """The plans of the loops of a unit. `together`: what all iterations run in parallel, for each loop or statement of a body."""

    plans: Mapping[cst.CSTNode, LoopPlan]
    together: Mapping[cst.CSTNode, ParallelNest]

    @property
    def stored(self) -> list[ParallelNest]:
        """The iterations that store one element each, in sequence."""
        return [plan.iterations for plan in self.plans.values() if isinstance(plan, (Prefix, Recurrence))]


@dataclass(frozen=True)
class Candidate:
    """A loop that jit compiles, with what its plan depends on. `is_static`: whether a value is known when JAX traces."""

    run: Run
    evolution: ScalarEvolution
    is_static: Callable[[cst.CSTNode], bool]
    node: cst.For | cst.While
    loop: Loop

    @cached_property
    def independent(self) -> ParallelNest | None:
        """The analysis of the iterations, where none depends on another one."""
        if not isinstance(self.node, cst.For) or self.loop.unset_before:
            return None
        return classify(self.run, self.evolution, self.node, self.loop, self.is_static)

    @cached_property
    def rows(self) -> ParallelNest | None:
        """The reads of the iterations, where their index only selects one row of arrays."""
        if not isinstance(self.node, cst.For) or self.loop.unset_arrays:
            return None
        return by_rows(self.run, self.evolution, self.node, self.loop, self.is_static)


# --- all iterations in parallel: a plan is of a whole nest of loops ------------------------------------------------------------


def whole_arrays(of: Candidate) -> LoopPlan | None:
    return _in_parallel(of.independent) if of.independent is not None and of.independent.elementwise else None


def parts_of_iterations(of: Candidate) -> Distributed | None:
    if not isinstance(of.node, cst.For) or of.loop.unset_before:
        return None
    parts = distributed(of.run, of.evolution, of.node, of.loop, of.is_static)
    return Distributed(parts) if parts else None


def mapped(of: Candidate) -> LoopPlan | None:
    return None if of.independent is None else _in_parallel(of.independent)


def _in_parallel(found: ParallelNest) -> Parallel | ParallelReduction | Search:
    if any(r.how == FIRST for r in found.reductions):
        return Search(found)
    stores = found.stores or any(r.how == "stack" for r in found.reductions)
    return Parallel(found) if stores else ParallelReduction(found)


# --- one iteration after the other ----------------------------------------------------------------------------------------


def stored_elements(of: Candidate) -> Prefix | Recurrence | None:
    if not isinstance(of.node, cst.For) or of.loop.unset_before:
        return None
    found = recurrence(of.run, of.evolution, of.node, of.loop, of.is_static)
    if found is None:
        return None
    return Recurrence(found) if found.prefix is None else Prefix(found, found.prefix)


def compaction(of: Candidate) -> Compaction | None:
    return None if of.loop.compaction is None else Compaction(of.loop.compaction)


def accumulation(of: Candidate) -> Accumulation | None:
    return Accumulation(of.loop, of.rows) if of.loop.accumulated else None


def conditional(of: Candidate) -> While | None:
    if not isinstance(of.node, cst.While) and not of.loop.exits.breaks:
        return None
    return While(_flagged(of) if of.loop.exits.breaks and of.loop.exits.returned is None else of.loop)


def _flagged(of: Candidate) -> Loop:
    """A loop that `break` ends: a variable of the function that records this serves as the flag, so that no flag is carried in
    addition.
    """
    flag = next((name for name in of.loop.carry if flagged_by(of.node, name, of.run.source)), "")
    carry = tuple(name for name in of.loop.carry if name != flag)
    return replace(of.loop, carry=carry, exits=replace(of.loop.exits, flag=flag))


def scan(of: Candidate) -> Scan | None:
    if of.loop.form == "rows":
        return Scan(of.loop)
    return None if of.rows is None else Scan(of.loop, of.rows)


def counted(of: Candidate) -> Fori | None:
    return Fori(of.loop) if of.loop.form == "range" else None


Form = Callable[[Candidate], LoopPlan | None]

IN_PARALLEL: tuple[Form, ...] = (
    whole_arrays,  # one expression of whole arrays: the fastest, and what an expert would write
    parts_of_iterations,  # several such expressions, one after the other
    mapped,  # a function of one iteration under `jax.vmap`, or `lax.map` where memory is short
)
ONE_BY_ONE: tuple[Form, ...] = (
    stored_elements,  # `jnp.cumsum` and its kind; else `lax.scan`, which stacks the elements: no array is carried
    compaction,  # a compacted array keeps its length
    accumulation,  # `lax.scan` stacks what is appended to lists
    conditional,  # only `lax.while_loop` ends early
    scan,  # over rows: it can be differentiated in reverse mode
    counted,  # `lax.fori_loop`
)


def compiled_loops(run: Run, plan: FunctionPlan, splits: Callable[[], Iterable[Split]]) -> dict[cst.CSTNode, Loop]:
    """The loops that jit compiles. `splits`: the statements that split keys, which an enclosing loop carries."""
    loops = {
        node: loop for node, loop in run.loops.compiled.items() if plan.jit and not loop.why and loop.token not in plan.unrolled
    }
    carried = [split for split in splits() if split.carried] if loops else []
    for node, loop in loops.items() if carried else ():
        streams = [split.stream for split in carried if run.source.inside(split.anchor, node)]
        streams = [stream for stream in streams if not made_anew(run, node, stream)]
        loops[node] = replace(loop, carry=tuple(dict.fromkeys([*loop.carry, *streams])))
    return loops


def made_anew(run: Run, node: cst.CSTNode, stream: str) -> bool:
    """Whether each iteration of a loop makes a generator of its own, of which nothing is left: a key that is not carried."""
    bound = isinstance(node, (cst.For, cst.While)) and stream in bound_by(node.body)
    return bound and stream not in run.live.head.get(node, NOTHING) | run.live.after.get(node, NOTHING)


def plan_loops(
    run: Run,
    evolution: ScalarEvolution,
    compiled: Mapping[cst.CSTNode, Loop],
    jit: bool,
    is_static: Callable[[cst.CSTNode], bool],
    kind: Callable[[cst.CSTNode], Kind],
) -> LoopPlans:
    """The plan of every loop of a unit but those that only Python runs. `jit`: whether the unit is compiled."""
    candidates = {
        node: Candidate(run, evolution, is_static, node, loop)
        for node, loop in compiled.items()
        if isinstance(node, (cst.For, cst.While))
    }
    plans: dict[cst.CSTNode, LoopPlan] = {}
    together: dict[cst.CSTNode, ParallelNest] = {}
    for node, candidate in candidates.items():  # a loop follows those in its body, and replaces their plans by that of the nest
        plan = None if node in together else _first(IN_PARALLEL, candidate)
        if plan is not None:
            plans[node] = plan
            for iterations in vectorized(plan):
                together.update(dict.fromkeys((*iterations.part, *iterations.nest), iterations))
    for node, candidate in candidates.items():
        if node not in together:
            plan = _first(ONE_BY_ONE, candidate)
            assert plan is not None, "a loop that can be compiled has a form"
            plans[node] = plan
        elif together[node].nest[0] is not node:
            plans[node] = Nested(together[node])
    for other, loop in run.loops.compiled.items():
        if other not in candidates and isinstance(other, (cst.For, cst.While)):
            plans[other] = Unrolled(loop.why) if jit else _python_loop(run, other, loop, kind)
    return LoopPlans(plans, together)


def _first(forms: Iterable[Form], of: Candidate) -> LoopPlan | None:
    return next((plan for form in forms if (plan := form(of)) is not None), None)


def _python_loop(run: Run, node: cst.For | cst.While, loop: Loop, kind: Callable[[cst.CSTNode], Kind]) -> PythonLoop:
    """A loop of Python. It is reported if it is over data, and jit would compile it but for what its body does."""
    reported = loop.why and not loop.unrollable and any(kind(n) is Kind.ARRAY for n in run.source.below(node.body))
    return PythonLoop(UNTRACEABLE if reported else "", loop.why, node)
