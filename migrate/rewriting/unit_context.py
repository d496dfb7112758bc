"""The answers that rules get about one unit."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import libcst as cst

from ...rules import numpy_table
from ...rules.core.context import Turns
from ...rules.core.dtypes import strong
from ...rules.core.dynamic_slices import Bounds, Fit, Ragged
from ...rules.core.facts import NOTHING, UNKNOWN, FunctionPlan, Value, replace
from ...rules.core.findings import Kind
from ...rules.definitions import DEFINITIONS, mentioned, needed
from ...rules.facts.iteration_space import IterationSpace
from ...rules.facts.loop_plan import Carried, Kept, LoopPlan, Unrolled, takes_rows
from ...rules.host.host_arrays import TAKES_NUMPYS
from ...rules.numpy_table.entry import Verdict
from ...rules.random_table import Draw
from ..analysis.branches.branch_analysis import Branch
from ..analysis.effects.in_place_updates import code
from ..analysis.inference.result_types import stays_on_host
from ..analysis.interp.mapped_comprehensions import Map
from ..analysis.interp.super_calls import is_super
from ..analysis.loops.loop_analysis import Loop
from ..analysis.loops.zip_loops import Zipped, zipped
from ..analysis.parallel.builtin_reductions import Terms
from ..analysis.parallel.dead_stores import Slot, slots
from ..analysis.parallel.loop_planner import LoopPlans, compiled_loops, plan_loops
from ..analysis.random.key_assignment import Keys
from ..analysis.slices.slice_bounds import flat, slices
from ..analysis.state.arguments import Arguments
from ..analysis.state.interpreter_state import GLOBAL_STATE, MASKED, SHAPE_OF, Facts, Run, Site, Update
from ..analysis.state.lattice import NUMERIC, makers, whole
from ..analysis.symbolic.affine import atom, condition
from ..analysis.symbolic.scalar_evolution import Places
from ..linking.linker import NUMPY_ONLY
from ..summaries.donation import holds
from ..summaries.stream_usage import called
from ..summaries.unit_summary import keys_of
from ..summaries.units import MODULE, Module, Unit
from ..syntax.edits import Edits, rewritten
from ..syntax.liveness import falls_through
from ..syntax.names import collect
from ..syntax.source import STATEMENTS, walk
from .evaluation_order import not_first

# how the output names JAX's modules, longest first
MODULES = (
    ("jax.scipy.linalg", "jax.scipy.linalg", "import jax.scipy.linalg"),
    ("jax.numpy", "jnp", "import jax.numpy as jnp"),
    ("jax.lax", "lax", "from jax import lax"),
    ("functools", "functools", "import functools"),
    ("numpy", "np", "import numpy as np"),
    ("math", "math", "import math"),
    ("jax", "jax", "import jax"),
)


class FileNames:
    """Names that the output may use in one file: those of JAX's modules, and fresh ones."""

    def __init__(self, module: Module) -> None:
        self.taken = {n.value for n in module.source.parents if type(n) is cst.Name}
        self.body = module.source.module.body
        self.definitions: dict[str, str] = {}
        self.second_names: dict[str, str] = {}
        self.aliases: dict[str, tuple[str, str]] = {}
        exports = module.scopes.exports()
        for dotted, alias, line in MODULES:
            bound = exports.get(alias.partition(".")[0])
            if (
                alias.partition(".")[0] in self.taken
                and bound != dotted
                and not (bound is not None and dotted.startswith(bound + "."))
            ):
                existing = next((n for n, target in exports.items() if target == dotted), None)
                alias = existing or f"_{dotted.replace('.', '_')}"
                line = f"import {dotted} as {alias}"
            elif bound is None or bound != dotted:
                existing = next((n for n, target in exports.items() if target == dotted), None)
                if existing is not None:
                    alias, line = existing, ""
            self.aliases[dotted] = (alias, line)

    def defined(self, name: str) -> str:
        """How the file calls a function of rules.definitions: as one that it has already, if it is the same."""
        for known in needed([name]):
            if known not in self.definitions:
                self.definitions[known] = known
                self.definitions[known] = known if self._defines(known) else self.fresh(known)
        return self.definitions[name]

    def _defines(self, name: str) -> bool:
        return any(
            type(s) is cst.FunctionDef
            and s.name.value == name
            and cst.Module([s.with_changes(leading_lines=())]).code == self.definition(name)
            for s in self.body
        )

    def definition(self, name: str) -> str:
        """The text of a function of rules.definitions, with the names of the file."""
        text = DEFINITIONS[name]
        for module, alias in (("jax.numpy", "jnp"), ("jax", "jax")):
            text = re.sub(rf"(?<![\w.]){alias}\.", f"{self.aliases[module][0]}.", text)
        for other in mentioned(text):
            text = re.sub(rf"\b{other}\b", self.defined(other), text)
        return text

    def donating(self, function: str) -> str:
        """The second name of a function of the file: that by which it is called where it may overwrite what it is given."""
        if function not in self.second_names:
            self.second_names[function] = self.fresh(f"{function.rpartition('.')[2]}_in_place")
        return self.second_names[function]

    def fresh(self, stem: str) -> str:
        name, number = stem, 2
        while name in self.taken:
            name, number = f"{stem}_{number}", number + 1
        self.taken.add(name)
        return name


class UnitContext:
    """Implements rules.core.context.Context for one unit that was run."""

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
        self.module, self.unit, self.run, self.facts, self.plan, self.names = module, unit, run, facts, plan, names
        self.precision, self.edits = precision, edits
        self.outer = module.runs.get(f"{module.source.name}.{MODULE}")
        self._zipped: dict[cst.CSTNode, Zipped | None] = {}
        self._row_counts: dict[cst.CSTNode, str] = {}

    @property
    def definition(self) -> cst.FunctionDef | None:
        return self.unit.node if isinstance(self.unit.node, cst.FunctionDef) else None

    @property
    def moved_from(self) -> str:
        return self.module.owners.get(self.unit.name, "").removeprefix(f"{self.module.source.name}.")

    @property
    def desugared(self) -> tuple[str, ...]:
        return self.module.forms.get(self.unit.name, ())

    def _kept(self, name: str) -> bool:
        plan = self.facts.plans.get(name)
        return plan is not None and bool(plan.refused)

    @cached_property
    def coerced(self) -> tuple[str, ...]:
        node = self.definition
        if node is None or self.plan.refused or not isinstance(node.body, cst.IndentedBlock):
            return ()
        params = (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)
        needed = self.run.sequences if self.plan.jit else self._needs_at
        return tuple(p.name.value for p in params if p.name.value in needed and p.default is None)

    @cached_property
    def guessed(self) -> frozenset[str]:
        return frozenset(self.run.sequences).difference(self.coerced)

    @cached_property
    def _needs_at(self) -> frozenset[str]:
        """Parameters that are updated through `.at`."""
        updates = [u for found in self.run.updates.values() for u in found]
        return frozenset(u.param for u in updates if u.param and u.steps)

    def qualname(self, node: cst.CSTNode) -> str | None:
        return self.module.scopes.qualname(node)

    def imported(self, node: cst.Name) -> bool:
        bindings = self.module.scopes.bindings(node)
        return bool(bindings) and all(isinstance(b, cst.ImportAlias) for b in bindings)

    def value(self, node: cst.CSTNode) -> Value:
        found = self.run.values.get(node)
        if found is None and self.outer is not None:
            found = self.outer.values.get(node)
        if found is not None and found.kind is Kind.LIST and (item := self._stacked.get(node)) is not None:
            known = self.value(item)
            rank = known.rank + 1 if known.rank >= 0 else -1
            return replace(found, kind=Kind.ARRAY, dtype=strong(known.dtype), rank=rank, device=True)
        return found or UNKNOWN

    def kind(self, node: cst.CSTNode) -> Kind:
        return self.value(node).kind

    def may_be_tuple(self, name: str) -> bool:
        return name in self._tuples

    @cached_property
    def _tuples(self) -> frozenset[str]:
        found = (n for n, value in self.run.values.items() if type(n) is cst.Name and value.kind is Kind.TUPLE)
        return frozenset(n.value for n in found)

    @cached_property
    def _static(self) -> frozenset[str]:
        return frozenset((*self.plan.static_args, *self.plan.unrolled))

    def is_static(self, node: cst.CSTNode) -> bool:
        value = self.value(node)
        return not value.traced and (not self.plan.traceable or value.deps <= self._static)

    def is_device(self, node: cst.CSTNode) -> bool:
        return self.is_device_value(self.value(node))

    def is_device_value(self, value: Value) -> bool:
        if value.device and any(self._kept(name) for name in value.origin):
            return False
        return value.device or value.holds in self.coerced or (self.plan.jit and bool(value.deps - self._static))

    def is_jax_variable(self, value: Value) -> bool:
        variables = {m.removeprefix("global:") for m in value.memory}
        return bool(variables) and value.origin <= value.memory and variables <= self.facts.on_device

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

    def falls_through(self, body: cst.BaseSuite) -> bool:
        return falls_through(body)

    def wants_host(self, *functions: str) -> bool:
        if self.plan.jax:
            return False
        if self.plan.host_results and not makers(self.module.summaries[self.unit.name].result).isdisjoint(functions):
            return True
        if self.plan.refused_code.startswith(NUMPY_ONLY) or not (self.run.host_uses | self.plan.hands_on).isdisjoint(functions):
            return True
        if self.facts.host_places and self._binds_host_place(functions):
            return True
        return not self.run.unresolved.isdisjoint(self.facts.host_methods)  # what they are given is not known to be theirs

    def _binds_host_place(self, functions: Sequence[str]) -> bool:
        """Whether results of functions are bound to attributes or module variables whose arrays kept code changes."""
        root = self.facts.root(self.unit.cls)
        places = [(f"attr:{root}.{name}", value) for name, value in self.run.attrs.items()]
        if self.unit.is_module:
            places += [(f"global:{self.module.source.name}.{name}", value) for name, value in (self.run.end or {}).items()]
        return any(place in self.facts.host_places and not value.origin.isdisjoint(functions) for place, value in places)

    def as_before(self, node: cst.BaseExpression) -> bool:
        origin = self.value(node).origin
        if not origin:
            return self.plan.jax
        return all(name in self.facts.plans and self.facts.plans[name].jax for name in origin)

    def converted_result(self, node: cst.BaseExpression) -> bool:
        origin = [name for name in self.value(node).origin if ":" not in name]
        return bool(origin) and not any(self._kept(name) for name in origin)

    def mapped(self, node: cst.CSTNode) -> Map | None:
        return self.run.maps.get(node)

    def iteration_space(self, loop: cst.For | cst.CompFor) -> IterationSpace:
        return self.module.scopes.iteration_space(loop)

    def loop_plan(self, node: cst.For | cst.While) -> LoopPlan:
        found = self._loop_plans.plans.get(node)
        return found or (Unrolled() if self.plan.jit else Kept("", "", node))

    @cached_property
    def _loop_plans(self) -> LoopPlans:
        return plan_loops(self.run, self.places, self._compiled, self.plan.jit, self.is_static, self.kind)

    @cached_property
    def _compiled(self) -> dict[cst.CSTNode, Loop]:
        """The loops that jit compiles."""
        return compiled_loops(self.run, self.plan, lambda: self.keys.splits)

    def at_once(self, node: cst.For) -> Turns | None:
        """What all iterations of a loop do at once, or those of the nest that it is a part of."""
        return self._loop_plans.together.get(node)

    @cached_property
    def _stacked(self) -> dict[cst.CSTNode, cst.BaseExpression]:
        """Where lists are read that compiled loops fill: they are arrays there, of such items."""
        return {node: one.value for loop in self._compiled.values() for one in loop.filled for node in one.reads}

    @cached_property
    def _settled(self) -> frozenset[cst.CSTNode]:
        """Statements of which the loops around them take care."""
        loops = (*self._loop_plans.together.values(), *self._loop_plans.stored)
        return self._settled_by_mask.union(*(t.statements for t in loops))

    @cached_property
    def _settled_by_mask(self) -> frozenset[cst.CSTNode]:
        """Statements of loops whose arrays a mask cuts down, where jit compiles them."""
        return frozenset().union(*(loop.shrinks.statements for loop in self._compiled.values() if loop.shrinks is not None))

    def _inside(self, node: cst.CSTNode, around: cst.CSTNode) -> bool:
        at: cst.CSTNode | None = node
        while at is not None and at is not around:
            at = self.parent(at)
        return at is not None

    def slot(self, node: cst.CSTNode) -> Slot | None:
        return self._slots.get(node)

    @cached_property
    def _slots(self) -> dict[cst.CSTNode, Slot]:
        """Each store and each read of the slots in compiled loops."""
        found: dict[cst.CSTNode, Slot] = {}
        for loop in self.run.compiled:
            if (
                isinstance(loop, (cst.For, cst.While))
                and isinstance(loop.body, cst.IndentedBlock)
                and isinstance(self.loop_plan(loop), Carried)
            ):
                for slot in slots(self.run, self.places, loop.body.body):
                    found.update(dict.fromkeys((*slot.stores, *slot.reads), slot))
        return found

    @cached_property
    def places(self) -> Places:
        values = self.run.values
        return Places(
            self.unit.node,
            self.module.scopes,
            self.module.source.parents,
            lambda node: values.get(node, UNKNOWN).kind is Kind.ARRAY,
            lambda node: values.get(node, UNKNOWN).dtype in ("int", "int64", "int32"),
        )

    def zipped(self, node: cst.For | cst.Call) -> Zipped | None:
        if node not in self._zipped:
            self._zipped[node] = self._looked_up(node)
        return self._zipped[node]

    def _looked_up(self, node: cst.For | cst.Call) -> Zipped | None:
        """How what a compiled loop, or a reduction of Python's that JAX makes, goes through together becomes equally long."""
        if isinstance(node, cst.For):
            clause: cst.For | cst.CompFor = node
            if not takes_rows(self.loop_plan(node)):
                return None
        else:
            given = node.args[0].value if self.terms(node) is not None else None
            if not isinstance(given, (cst.GeneratorExp, cst.ListComp)):
                return None
            clause = given.for_in
        return zipped(self.run, self.places, clause, node)

    def row_count(self, node: cst.For | cst.Call) -> str:
        if node not in self._row_counts:
            self._row_counts[node] = self.local("n", "length")
        return self._row_counts[node]

    @cached_property
    def _slot_names(self) -> dict[Slot, str]:
        return {}

    def slot_name(self, slot: Slot) -> str:
        if slot not in self._slot_names:
            self._slot_names[slot] = self.local(slot.stem)
        return self._slot_names[slot]

    def ragged(self, root: cst.CSTNode) -> Ragged | None:
        found = self.run.ragged.get(root)
        if found is None or not self.plan.traceable or root in self._settled_by_mask:
            return None
        if found.chosen:
            return found
        bounds = (b for s in found.cut for p in flat(s) if isinstance(p, cst.Slice) for b in slices(p) if b is not None)
        if all(self.is_static(b) for b in bounds):
            return None
        taken = self._rows_read
        if taken.isdisjoint(found.reads) and taken.isdisjoint(found.windows):
            return found
        reads = {node: read for node, read in found.reads.items() if node not in taken}
        return replace(found, reads=reads, windows={node: each for node, each in found.windows.items() if node not in taken})

    @cached_property
    def _rows_read(self) -> frozenset[cst.CSTNode]:
        """Subscripts that are parameters of the functions of turns, as all of them read them."""
        turns = self._loop_plans.together.values()
        return frozenset(a.node for t in turns for a in t.rows_read) | frozenset(w.node for t in turns for w in t.windows)

    @cached_property
    def _positions(self) -> dict[str, str]:
        return {}

    def positions(self, bounds: Bounds) -> str:
        if bounds.along not in self._positions:
            self._positions[bounds.along] = self.local("n", "m", "positions")
        return self._positions[bounds.along]

    def positions_made(self, statement: cst.CSTNode) -> Sequence[tuple[str, Bounds]]:
        return [(self.positions(bounds), bounds) for bounds in self._made.get(statement, {}).values()]

    def ranks_asserted(self, statement: cst.CSTNode) -> Sequence[tuple[str, int]]:
        return [(bounds.array, bounds.rank) for bounds in self._vectors.get(statement, ())]

    @cached_property
    def _vectors(self) -> dict[cst.CSTNode, list[Bounds]]:
        """Before which statements it is asked how many dimensions arrays have."""
        found: dict[cst.CSTNode, list[Bounds]] = {}
        for root, ragged in self.run.ragged.items():
            asked = [*ragged.vectors, *(b for b in ragged.bounds if b.rank and root in self._summed)]
            for bounds in asked if self.ragged(root) is not None else ():
                if bounds.array not in self.run.proven:
                    found.setdefault(self.run.positions[root, bounds.array], []).append(bounds)
        return found

    @cached_property
    def _summed(self) -> set[cst.CSTNode]:
        """Statements whose slices are segments that are summed, without masks."""
        return {segment.root for turns in self._loop_plans.together.values() for segment in turns.segments}

    @cached_property
    def _made(self) -> dict[cst.CSTNode, dict[str, Bounds]]:
        """Before which statements the positions along which axes are made."""
        found: dict[cst.CSTNode, dict[str, Bounds]] = {}
        for root, ragged in self.run.ragged.items():
            for bounds in ragged.bounds if self.ragged(root) is not None and root not in self._summed else ():
                at = self.run.positions[root, bounds.array]
                if bounds.array in self.run.proven:
                    bounds = replace(bounds, rank=0)
                earlier = next((b for s, m in found.items() for b in m.values() if self._covers(s, at, b, bounds)), None)
                if earlier is None:
                    found.setdefault(at, {})[bounds.along] = bounds
        return found

    def fits(self, statement: cst.CSTNode) -> Sequence[Fit]:
        return list(self._fits.get(statement, {}).values())

    def signs(self, statement: cst.CSTNode) -> Sequence[str]:
        return self._signs.get(statement, [])

    @cached_property
    def _signs(self) -> dict[cst.CSTNode, list[str]]:
        """Ahead of which statements it is said how large numbers are at least."""
        loops = {turns.nest[0]: turns for turns in (*self._loop_plans.together.values(), *self._loop_plans.stored)}
        found: dict[cst.CSTNode, list[str]] = {}
        for node, turns in loops.items():
            found[node] = [condition(atom(n) - least) for n, least in turns.signs.items()]
        for root, ragged in self.run.ragged.items():
            for each in ragged.signs if self.ragged(root) is not None else ():
                said = found.setdefault(self.run.fits[root, each], [])
                if each not in said and each.replace(">=", ">") not in said:
                    said.append(each)
        return found

    @cached_property
    def _fits(self) -> dict[cst.CSTNode, dict[str, Fit]]:
        """Ahead of which statements it is said how many dimensions arrays must have."""
        found: dict[cst.CSTNode, dict[str, Fit]] = {}
        for root, ragged in self.run.ragged.items():
            for text, fit in ragged.fits.items() if self.ragged(root) is not None else ():
                found.setdefault(self.run.fits[root, text], {})[text] = fit
        return found

    def _covers(self, made: cst.CSTNode, at: cst.CSTNode, before: Bounds, bounds: Bounds) -> bool:
        """Whether positions that are made before one statement serve another one."""
        if before.along != bounds.along or (bounds.rank and (before.array, before.rank) != (bounds.array, bounds.rank)):
            return False
        if made is at:
            return True
        block = self.parent(made)
        stays = bounds.along != f"{bounds.array}.shape[{bounds.axis}]" or bounds.array in self.unit.params
        return stays and block is not None and self._inside(at, block) and not self._inside(made, at)

    def branch(self, node: cst.If | cst.IfExp) -> Branch | None:
        found: Branch | None = self.run.branches.get(node)
        if node in self._settled:
            return None
        return found if found is not None and self.plan.jit and not self.is_static(node.test) else None

    def logical(self, node: cst.BaseExpression) -> bool:
        return node in self.run.logic and self.plan.jit and not self.is_static(node)

    def terms(self, node: cst.Call) -> Terms | None:
        return self.run.terms.get(node) if self.logical(node) else None

    def taken(self, node: cst.Call) -> int:
        return self.run.taken.get(node, 0) if self.plan.traceable else 0

    def kept_shape(self, node: cst.CSTNode) -> str:
        why, more = self.run.impure.get(node, ""), self.run.unmasked.get(node, "")
        if not why.startswith((MASKED, SHAPE_OF)):
            return ""
        return f"{why}; {more}" if more else why

    def kept_branch(self, node: cst.If | cst.IfExp) -> str:
        return self.run.kept_branches.get(node, "") if self.value(node.test).traced else ""

    @property
    def eager(self) -> str:
        if not (self.plan.eager or self.plan.asked) or self._says_why:
            return ""
        return self.plan.eager or self._asked

    @property
    def _says_why(self) -> bool:
        """Whether a loop, a branch or a shape says why jit does not stand at the function."""
        loops = (n for n in self.run.compiled if isinstance(n, (cst.For, cst.While)))
        branches = (n for n in self.run.kept_branches if isinstance(n, (cst.If, cst.IfExp)))
        return (
            any(map(self._is_untraceable, loops))
            or any(map(self.kept_branch, branches))
            or any(map(self.kept_shape, self.run.impure))
        )

    def _is_untraceable(self, loop: cst.For | cst.While) -> bool:
        match self.loop_plan(loop):
            case Kept(code=code):
                return bool(code)
        return False

    @property
    def _asked(self) -> str:
        """What Python needs the value of, and why."""
        asked = self.plan.asked | {whole(name) for name in self.plan.asked}
        for need in self.run.needs.values():
            if not need.value.deps.isdisjoint(asked):
                return f"Python needs `{code(need.node)}`: {need.why}"
        loops = (loop.why for loop in self.run.compiled.values() if loop.why)
        return next(loops, f"Python needs the value of `{min(whole(n) for n in self.plan.asked)}`")

    @property
    def returning(self) -> list[cst.If]:
        return [node for node in self.run.returning if self.branch(node) is not None]

    def known_names(self, node: cst.CSTNode) -> frozenset[str]:
        read = [part for part, _parent in walk(node) if type(part) is cst.Name]
        return frozenset(n.value for n in read) - {n.value for n in read if not self.is_static(n)}

    def uses(self, nodes: Iterable[cst.CSTNode]) -> tuple[frozenset[str], frozenset[str]]:
        found = collect(nodes)
        return frozenset(found.read), frozenset(found.bound)

    def starred(self, call: cst.Call) -> bool:
        return any(a.star for a in call.args)

    def not_first(self, call: cst.Call, places: set[str]) -> str:
        return not_first(self.module.source.parents, call, places)

    def _handed_to_host(self, call: cst.Call) -> bool:
        """Whether it makes NumPy's array for a function that is kept and changes arrays, or for one of a library that wants one."""
        made: cst.CSTNode = call
        argument = self.parent(call)
        while isinstance(argument, (cst.Subscript, cst.IfExp)) and made in (
            getattr(argument, "value", None),
            getattr(argument, "orelse", None),
        ):
            made, argument = argument, self.parent(argument)  # a number of it, `None if x is None else np.asarray(x)`
        around = self.parent(argument) if isinstance(argument, cst.Arg) else None
        if not isinstance(around, cst.Call) or around.func is call:
            return False
        name = self.qualname(around.func) or ""
        entry = numpy_table.function(name)
        if name.startswith(TAKES_NUMPYS) or (entry is not None and entry.verdict is Verdict.HOST and entry.arrays):
            return True
        plan = self.callee(around)
        return plan is not None and bool(plan.refused) and plan.host_writes

    def on_host(self, call: cst.Call) -> bool:
        name = self.qualname(call.func) or ""
        if name in ("numpy.asarray", "numpy.array") and self._handed_to_host(call):
            return True
        entry = numpy_table.function(name)
        if entry is None:
            return False
        positional = tuple((a.value, self.value(a.value)) for a in call.args if a.keyword is None)
        keywords = {a.keyword.value: (a.value, self.value(a.value)) for a in call.args if a.keyword is not None}
        if not stays_on_host(name, entry, Arguments(positional, keywords, False)):
            return False
        return self.value(call).kind in NUMERIC

    def updates(self, node: cst.CSTNode) -> tuple[Update, ...]:
        return () if node in self._settled else tuple(self.run.updates.get(node, ()))

    def settled(self, node: cst.CSTNode) -> bool:
        return node in self._settled

    def callee(self, call: cst.Call) -> FunctionPlan | None:
        fact = self.run.calls.get(call)
        return None if fact is None else self.facts.plans.get(fact.callee)

    def plan_of(self, node: cst.BaseExpression) -> FunctionPlan | None:
        name = self.facts.canonical(self.qualname(node) or "")
        return None if name in self.facts.several else self.facts.plans.get(name)

    def argument(self, call: cst.Call, parameter: str) -> cst.BaseExpression | None:
        fact = self.run.calls.get(call)
        if fact is None:
            return None
        callee = self.facts.functions[fact.callee]
        params = callee.params
        receiver = isinstance(call.func, cst.Attribute) and callee.receives(self.value(call.func.value).kind)
        receiver = receiver or (fact.callee.endswith(".__call__") and self.value(call.func).kind is Kind.OBJECT)
        for argument in call.args:
            if argument.keyword is not None and argument.keyword.value == parameter:
                return argument.value
        if parameter not in params:
            return None
        made = self.value(call.func).kind is Kind.CLASS and fact.callee.endswith(".__init__")
        position = params.index(parameter) - bool(receiver or made)
        plain = [a for a in call.args if a.keyword is None]
        return plain[position].value if 0 <= position < len(plain) and not any(a.star for a in plain[: position + 1]) else None

    def donating(self, call: cst.Call) -> str:
        plan = self.callee(call)
        if plan is None or not plan.donating or not self._donates(call, plan.donating):
            return ""
        return self.names.donating(plan.name)

    def keeps_copy(self, call: cst.Call) -> bool:
        for node in self.run.donated_copies.get(call, ()):
            plan = self.facts.plans[self.run.donations[node].callee]
            if self._donates(node, plan.donates or plan.donating):
                return True
        return False

    def _donates(self, call: cst.CSTNode, parameters: Sequence[str]) -> bool:
        """Whether a call may overwrite what it is given for some parameters, now that it is decided what is compiled."""
        donation = self.run.donations.get(call)
        given = donation is not None and bool(parameters) and donation.parameters >= {*parameters}
        return donation is not None and given and holds(donation, self.plan, self.facts.plans)

    @property
    def second_name(self) -> str:
        return self.names.donating(self.unit.name) if self.plan.donating else ""

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        return self.module.source.parents.get(node)

    def statement(self, node: cst.CSTNode) -> cst.CSTNode:
        at: cst.CSTNode | None = node
        while at is not None and type(at) not in STATEMENTS:
            above = self.parent(at)
            if type(above) is cst.SimpleStatementSuite:
                return at
            at = above
        return node if at is None else at

    def live_after(self, node: cst.CSTNode) -> frozenset[str]:
        at: cst.CSTNode | None = node
        lives = [self.run.live, *self.run.nested_live.values()]
        while at is not None:
            for live in lives:
                if at in live.after:
                    return live.after[at]
            at = self.parent(at)
        return NOTHING

    def name_of(self, dotted: str) -> tuple[str, frozenset[str]]:
        for module, (alias, line) in self.names.aliases.items():
            if dotted == module or dotted.startswith(module + "."):
                return alias + dotted[len(module) :], frozenset({line} if line else ())
        return dotted, frozenset({f"import {dotted.rpartition('.')[0]}"})

    def live_before(self, node: cst.CSTNode) -> frozenset[str]:
        return self.run.live.before.get(node, NOTHING)

    def fresh(self, stem: str) -> str:
        return self.names.fresh(stem)

    def defined(self, name: str) -> str:
        return self.names.defined(name)

    def local(self, stem: str, *others: str) -> str:
        free = [name for name in (stem, *others) if name not in self._locals]
        number = 2
        while not free:
            numbered = f"{others[-1] if others else stem}_{number}"
            free += [numbered] if numbered not in self._locals else []
            number += 1
        self._locals.add(free[0])
        return free[0]

    def first_in_block(self, node: cst.CSTNode) -> bool:
        body: Sequence[cst.CSTNode] = getattr(self.parent(node), "body", ())
        return bool(body) and body[0] is node

    def label(self, stem: str) -> str:
        numbered = (f"{stem}_{number}" for number in itertools.count(2))
        return next(n for n in itertools.chain([stem], numbered) if n not in self._written)

    @cached_property
    def _written(self) -> frozenset[str]:
        return frozenset(n.value for n in self.module.nodes[self.unit.name] if type(n) is cst.Name)

    @cached_property
    def _locals(self) -> set[str]:
        return set(self._written)

    def drawn(self, call: cst.Call) -> Draw | None:
        site = self.run.sites.get(call)
        return None if site is None else site.draw

    def hands_on(self, node: cst.CSTNode) -> bool:
        return any(s.node is node for s in self.module.streams[self.unit.name].sites if s.draw is None and not s.seeds)

    def seeds(self, call: cst.Call) -> bool:
        return any(s.node is call for s in self.module.streams[self.unit.name].sites if s.seeds)

    def may_add_jax(self, node: cst.AugAssign) -> bool:
        given = self.facts.converts and node in self.run.takes_in
        return not self.plan.jax and (given or not self.facts.of_converted.isdisjoint(self.run.operands.get(node, NOTHING)))

    def passes_on_key(self, call: cst.Call | None = None) -> bool:
        found = self.module.streams[self.unit.name]
        own = [s.node for s in found.sites if s.stream == GLOBAL_STATE]
        if not self.plan.keeps or len(own) != 1 or self.run.returns or found.seeding is None or not found.seeding.at_end():
            return False
        base = own[0]
        alone = not self.keys.splits and self.keys.names.keys() <= {base}
        return alone and isinstance(base, cst.Call) and self.is_base(base) and (call is None or call is base)

    def is_base(self, call: cst.Call) -> bool:
        return call in self.run.calls and isinstance(call.func, cst.Attribute) and is_super(self.run, call.func.value)

    def ends_unit(self, node: cst.Return) -> bool:
        at = self.parent(node)
        while at is not None and not isinstance(at, (cst.FunctionDef, cst.Lambda)):
            at = self.parent(at)
        return at is self.definition

    @property
    def self_name(self) -> str:
        return self.run.self_name

    def makes_generator(self, node: cst.BaseExpression) -> bool:
        return node in self.run.makers

    def spawns(self, node: cst.Call) -> bool:
        return node in self.run.spawns

    def spawns_beside(self, node: cst.Call) -> bool:
        return self.module.streams[self.unit.name].spawning[node] not in self.facts.lone_seeds

    @property
    def seeded_alike(self) -> bool:
        return self.facts.seeded_alike

    def puts_back(self, node: cst.Call) -> bool:
        return node in self.module.streams[self.unit.name].indexed

    def may_be_none(self, node: cst.BaseExpression | None) -> bool:
        return node in self.run.optional

    @cached_property
    def keys(self) -> Keys:
        calls = []
        for node, fact in self.run.calls.items():
            plan = self.facts.plans.get(fact.callee)
            if plan is not None and plan.key and not plan.refused:
                calls.append(Site(node, GLOBAL_STATE, (called(fact.callee),)))
        return keys_of(self.module, self.unit, self.module.streams[self.unit.name], calls, bool(self.plan.key))

    @property
    def key_name(self) -> str:
        return self.module.streams[self.unit.name].streams.key

    @property
    def ufunc_asked(self) -> bool:
        return self.facts.ufunc_asked

    @property
    def moved_out_of(self) -> cst.CSTNode | None:
        owner = self.module.units.get(self.module.owners.get(self.unit.name, ""))
        return None if owner is None else owner.node

    @property
    def narrow_dtypes(self) -> frozenset[str]:
        return self.facts.narrow[self.module.source.name]

    def may_be_narrow(self, node: cst.BaseExpression) -> bool:
        value = self.value(node)
        if value.dtype:
            return False
        given = {value.holds, *(d.removesuffix("[]") for d in value.deps)}
        made = value.kind is Kind.ARRAY or (value.kind is Kind.UNKNOWN and bool(value.origin))  # by functions of the project
        return (made and bool(self.narrow_dtypes)) or any(p in given for p, _dtypes in self.plan.dtypes)

    def may_be_key(self, node: cst.BaseExpression | None) -> bool:
        return node in self.run.either

    @property
    def random_on_host(self) -> bool:
        return self.facts.random_on_host

    @property
    def draws_on_host(self) -> bool:
        return self.facts.draws_on_host
