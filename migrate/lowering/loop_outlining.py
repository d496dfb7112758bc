"""Outlining of loops that jit cannot compile in place: in methods, in nested functions, in functions that do other things, too.

Each loop becomes a function at module level, in the source, before the conversion: its parameters are what the loop reads, and it
returns what is read after the loop. The rest of the conversion sees an ordinary function with an ordinary call; in-place updates,
static arguments and random draws are handled as for any other function. If jit does not compile the new function after all, the
loop is left where it was (see migrate.project).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import libcst as cst

from ...rules import numpy_table
from ...rules.core.findings import Kind
from ...rules.facts.function_plan import FunctionPlan
from ...rules.facts.values import UNKNOWN
from ..analysis.interp.project_calls import OF_SUBCLASS
from ..analysis.loops.loop_analysis import NESTED, SCRIPT, UNUSED
from ..analysis.state.project_facts import Facts
from ..context.empty_arrays import has_iterations
from ..linking.child_processes import FORKED
from ..linking.cost_model import mostly_draws
from ..linking.placement import TEST
from ..summaries.units import Module, Unit
from ..summaries.work import work_of
from ..syntax import liveness
from ..syntax.bindings import parameters
from ..syntax.names import Names, bound_by, collect, targets_of
from ..syntax.reaching_definitions import definitions_of
from . import accumulated_lists, first_iterations, module_arrays, script_loops
from .definite_assignment import surely_bound
from .object_reads import parts_of, reads_of
from .outlined_attributes import are_variables
from .outlined_text import Moved, Region, named, written
from .region_results import changes_in_place
from .revision import Versions
from .run_time_guards import demanded, guarded, guards_in, is_split
from .script_loops import is_constant
from .small_stores import adds_to_line, fills_border
from .speculation import Proposal, Speculation, Trial
from .trip_count_guards import with_trip_count
from .update_aliases import may_alias
from .zipped_slices import is_written_out

NOT_MOVED = (
    cst.Return,
    cst.Raise,
    cst.Assert,
    cst.Yield,
    cst.Await,
    cst.Global,
    cst.Nonlocal,
    cst.Del,
    cst.Import,
    cst.ImportFrom,
    cst.FunctionDef,
    cst.ClassDef,
    cst.Lambda,
    cst.GeneratorExp,
    cst.NamedExpr,
    cst.Try,
    cst.TryStar,
    cst.With,
    cst.Match,
    cst.FormattedString,
)
OF_CLASSES = frozenset({"super", "__class__", "locals"})
MAKERS = frozenset(f"numpy.{name}{like}" for name in ("zeros", "ones", "empty", "full") for like in ("", "_like"))
PASSABLE = (Kind.ARRAY, Kind.SCALAR, Kind.TUPLE, Kind.LIST, Kind.STRING, Kind.DTYPE)
WHERE_IT_STANDS = ("", UNUSED, NESTED, SCRIPT)  # reasons why a loop is not compiled in place that do not apply elsewhere
UPDATES = frozenset({"NJ202", "NJ203", "NJ204", "NJ206", "NJ209", "NJ218"})  # of arrays, which NumPy code around a loop may do
PLAIN = ("abc", "builtins", "contextlib", "functools", "typing")  # modules of decorators that leave functions to Python
OTHERS = frozenset("cunumeric cupy cupynumeric dace dask dpnp legate mxnet ndonnx pythran sparse tensorflow torch".split())
BINDS = (cst.Assign, cst.AnnAssign, cst.AugAssign)
HEADERS = frozenset(f"builtins.{name}" for name in ("range", "len", "zip", "enumerate", "reversed"))
TESTS = (cst.If, cst.IfExp, cst.While, cst.BooleanOperation)
BOUND = (cst.Assign, cst.AssignTarget, cst.AugAssign, cst.For, cst.Element)


class Candidates(NamedTuple):
    """The units with loops that may be moved, and the units that jit can trace."""

    eager: frozenset[str]
    traceable: frozenset[str]


def candidates(facts: Facts, unjitted: frozenset[str]) -> Candidates:
    plans = facts.plans.values()
    eager = (p.name for p in plans if may_be_taken_apart(p))
    return Candidates(frozenset(eager) - unjitted, frozenset(p.name for p in plans if p.traceable))


def may_be_taken_apart(plan: FunctionPlan) -> bool:
    """Whether parts of a function may be compiled, as it is not compiled as a whole."""
    return not (plan.jit or plan.jax or plan.refused_code == "NJ501" or plan.refused in (TEST, FORKED, OF_SUBCLASS))


def outlined(
    module: Module, versions: Versions, names: Candidates, rejected: Collection[Hashable], only: Collection[Hashable] | None
) -> Proposal | None:
    """Move the loops of some units: none of the rejected ones, and if `only` is not None, only those in it. None if no loop
    moves.

    The outermost movable loops are moved; in a loop that cannot move, the inner loops are tried.
    """
    source = module.source
    of_node: dict[cst.CSTNode, Unit] = {unit.node: unit for unit in module.units.values()}
    found: list[Region] = []
    guards = guards_in(rejected)
    end = 0  # of the last loop that moves, in node order
    loops: Sequence[cst.For | cst.While] = source.among(source.module, cst.For, cst.While)
    for number, loop in enumerate(loops):
        name, (start, stop) = (source.name, number), source.spans[loop]
        if start < end or name in rejected or (only is not None and name not in only):
            continue
        owner = next((n for n in source.above(loop) if type(n) in (cst.FunctionDef, cst.ClassDef)), source.module)
        unit = next((of_node[n] for n in source.above(loop) if n in of_node), None)
        if unit is None or unit.name not in names.eager or not isinstance(owner, (cst.FunctionDef, cst.Module)):
            continue
        if not may_lose_parts(module, unit) or (owner is source.module and not script_loops.saves_time(module, unit, loop)):
            continue
        region = Finder(module, unit, names.traceable).region(owner, loop, name)
        if region is not None:
            region.guard = with_trip_count(region, guarded(region, guards.get(name), module), module)
            found.append(region)
            end = stop
    made = written(module, versions, found) if found else None
    if made is None:
        return None

    def note(new: Module) -> None:
        new.derived.owners = {**module.derived.owners, **{m.function: m.owner for m in made.moved}}
        new.derived.guards = {m.function: m.guard for m in made.moved if m.guard}
        new.derived.integers = {**module.derived.integers, **integers(module, made.moved)}

    return Proposal(made.source, made.lines, made.moved, note)


def integers(module: Module, moved: Iterable[Moved]) -> dict[str, frozenset[str]]:
    """The variables of the units that lose parts which are integers by their uses, as `n` is in `range(n)`: the use may have moved."""
    known = module.known.local_evidence
    return {
        m.owner: frozenset(n for n, value in known[m.owner].items() if value.kind is Kind.SCALAR and value.dtype == "int")
        for m in moved
    }


def rejects(trial: Trial) -> set[Hashable]:
    """The loops that jit does not compile even in a function, or would recompile in each iteration of an enclosing loop; and the guards
    that the others need."""
    moved: Collection[Moved] = trial.changes
    vain = {m.region for m in moved if not (owner_allows(m, trial.now) and compiles_once(m, trial.now))}
    return {*vain, *demanded([m for m in moved if m.region not in vain], trial)}


def may_lose_parts(module: Module, unit: Unit) -> bool:
    """Whether parts of a unit that stays NumPy may move: nothing else compiles it, as `numba.njit` does, and its arrays are NumPy's."""
    run = module.runs[unit.name]
    if not run.facts.program.fast:
        return True
    if is_split(module, unit):
        return False
    pairs = zip(unit.decorators, unit.applied, strict=True)
    compiled = any(d.partition(".")[0] not in PLAIN and run.facts.effect(name) is None for d, name in pairs)
    return not compiled and (run.host.numpy_used or OTHERS.isdisjoint(name.partition(".")[0] for name in module.imports))


def owner_allows(moved: Moved, facts: Facts) -> bool:
    """Whether the function around a loop is converted, or stays NumPy only because of arrays that it changes in place."""
    owner = facts.plans[moved.owner]
    return not owner.refused or (facts.program.fast and owner.refused_code in UPDATES)


def compiles_once(moved: Moved, facts: Facts) -> bool:
    """Whether a function is compiled, and not again in each iteration of an enclosing loop."""
    plan = facts.plans[moved.function]
    return plan.jit and moved.varying.isdisjoint(plan.static_args)


OUTLINE_LOOPS = Speculation(
    "outline-loops",
    ("NJ418",),
    candidates,
    outlined,
    rejects,
    key=lambda moved: moved.region,
    trials=1,  # each trial of a loop nested in an immovable one analyses all files again
)


@dataclass(slots=True)
class Finder:
    """Finds what has to move with a loop of a unit."""

    module: Module
    unit: Unit
    traceable: Collection[str]

    def region(self, owner: cst.FunctionDef | cst.Module, loop: cst.For | cst.While, name: tuple[str, int]) -> Region | None:
        source, block = self.module.source, self.module.source.parents[loop]
        if not isinstance(block, (cst.IndentedBlock, cst.Module)) or not self.worth_it(loop):
            return None
        enclosing = [n for n in source.above(loop) if isinstance(n, (cst.For, cst.While)) and source.inside(n, owner)]
        varying = frozenset[str]().union(*(bound_by(n) for n in enclosing))
        region = Region(self.unit, owner, loop, loop, name, named(owner, "loop"), varying)
        last = position = block.body.index(loop)
        lists = accumulated_lists.made_arrays(self.module.runs[self.unit.name].loops.compiled[loop])
        makers = {one.maker for one in lists}
        while position and (block.body[position - 1] in makers or self.leads(block.body[position - 1], collect((loop,)))):
            position -= 1
            region.first = block.body[position]
        statements = block.body[position : last + 1]
        region.lists = accumulated_lists.conversions(self.module.source, [one for one in lists if one.maker in statements])
        names = collect(statements)
        if names.dynamic or names.captured or names.declared or names.read & OF_CLASSES:
            return None
        if any(source.among(s, *NOT_MOVED) for s in statements):
            return None
        if loop.orelse is not None and not liveness.falls_through(loop.orelse):
            return None
        reads = reads_of(self.module, self.module.runs[self.unit.name], statements)
        inner = parts_of(self.module, reads)
        if not self.variables(region, statements, names, inner) or not are_variables(
            self.module, region, statements, names, reads
        ):
            return None
        if name[1] not in self.module.inlined and first_iterations.needed(self.module, self.unit, loop) is not None:
            return None  # see method_inlining
        if may_alias(self.module, region, statements, self.self_name):
            return None
        arguments = (
            n for s in statements for n in source.among(s, cst.Name, cst.Attribute, cst.Subscript) if n in reads or n not in inner
        )
        return region if all(self.may_be_passed(node, reads) for node in arguments) else None

    def may_be_passed(self, node: cst.CSTNode, reads: Container[cst.CSTNode]) -> bool:
        """Whether a variable or an attribute that a loop reads may be an argument of a jitted function: an array or a scalar, as
        far as known. `reads`: what it reads of other objects."""
        scopes, run = self.module.scopes, self.module.runs[self.unit.name]
        variable = (
            isinstance(node, cst.Name)
            and node.value != self.self_name
            and not self.module.source.is_label(node)
            and bool(scopes.bindings(node))
            and (not scopes.is_module_level(node) or (self.unit.is_module and not is_constant(self.module, node.value, node)))
        )
        own = isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == self.self_name
        if not (own or variable or node in reads):
            return True
        kind, enclosing = run.values.get(node, UNKNOWN).kind, self.module.source.parents[node]
        if kind is not Kind.UNKNOWN:
            return kind in PASSABLE
        if isinstance(enclosing, cst.Arg):
            call = self.module.source.parents[enclosing]
            called = scopes.qualname(call.func) or "" if isinstance(call, cst.Call) else ""
            passed_on = call in run.call_graph.calls and run.call_graph.calls[call].callee in self.traceable
            return passed_on or called.startswith("numpy.") or called in HEADERS
        if isinstance(enclosing, cst.Attribute):
            return numpy_table.method(enclosing.attr.value) is not None
        if node in reads and isinstance(enclosing, TESTS):
            return True
        operands = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.ComparisonTarget, cst.Subscript, cst.Index)
        return isinstance(enclosing, (*BOUND, *operands))

    def worth_it(self, loop: cst.For | cst.While) -> bool:
        """Whether a loop works with arrays, or makes them, and jit may compile it in a function of its own, as far as known."""
        source, run = self.module.source, self.module.runs[self.unit.name]
        known = run.loops.compiled.get(loop)
        if known is None or not known.form or known.why not in WHERE_IT_STANDS:
            return False
        # attributes that are bound become variables, as does what is read of other objects
        impure = {n for n in run.constraints.impure if type(n) not in BINDS and source.inside(n, loop)}
        if impure and not impure <= parts_of(self.module, reads_of(self.module, run, (loop,))):
            return False
        if any(call.callee not in self.traceable and source.inside(node, loop) for node, call in run.call_graph.calls.items()):
            return False
        if fills_border(loop) or self.fills_line(loop) or is_written_out(loop, source, self.module.scopes):
            return False
        arrays = bool(known.accumulated) or any(run.values.get(node, UNKNOWN).kind is Kind.ARRAY for node in source.below(loop))
        return arrays and not mostly_draws(work_of(run, self.module.nodes[self.unit.name], source.below(loop)))

    def fills_line(self, loop: cst.For | cst.While) -> bool:
        """Whether each iteration of an outer loop has this one compute no more than elements of one row or column of a matrix, which would be copied
        to the device and back as a whole each time: `out[i, j] += x[j] * y[i]`."""
        source, lines = self.module.source, loop.body.body
        around = [n for n in source.above(loop) if isinstance(n, (cst.For, cst.While)) and source.inside(n, self.unit.node)]
        if not around or not isinstance(loop, cst.For) or not all(isinstance(line, cst.SimpleStatementLine) for line in lines):
            return False
        small = [part for line in lines if isinstance(line, cst.SimpleStatementLine) for part in line.body]
        return all(adds_to_line(part, bound_by(loop), bound_by(around[0])) for part in small)

    def leads(self, statement: cst.BaseStatement, names: Names) -> bool:
        """Whether a statement binds an initial value of the loop: an empty array, a number."""
        match statement:
            case cst.If(test=cst.Name(), body=body, orelse=None):  # `if keep: history = np.zeros(n)`
                told = collect(body.body)
                return told.bound.isdisjoint(told.read) and all(
                    isinstance(line, cst.BaseStatement) and self.leads(line, names) for line in body.body
                )
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
            ) if name in (names.bound if self.unit.is_module else names.bound | names.read):
                pass
            case _:
                return False
        match value:
            case cst.Integer() | cst.Float() | cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() | cst.Float()):
                return True
            case cst.Name(value="True" | "False"):
                return True
            case cst.Call(func=cst.Attribute(value=cst.Name(), attr=cst.Name(value="copy")), args=[]):
                return True
            case cst.Call(func=func):
                return self.module.scopes.qualname(func) in MAKERS
        return self.module.scopes.qualname(value) == "numpy.inf"

    def variables(self, region: Region, statements: Sequence[cst.CSTNode], names: Names, inner: Container[cst.CSTNode]) -> bool:
        """Find the parameters and the results: variables bound before the statements and read in them, and those live after
        them. `inner`: parts of what becomes a variable as a whole."""
        script = isinstance(region.owner, cst.Module)
        live = script_loops.variables_after(self.module) if script else liveness.live(region.owner)
        scopes, own = self.module.scopes, self.module.scopes.opened_by(region.owner)
        before, after = live.before[region.first], live.after[region.last]
        given = module_arrays.filled(self.module, self.unit, statements) | module_arrays.varying(
            self.module, self.unit, statements
        )
        for node in (n for s in statements for n in self.module.source.among(s, cst.Name)):
            name = node.value
            if name not in names.read | names.bound or name == self.self_name or name in region.params or node in inner:
                continue
            home = scopes.lookup(scopes.scope_of(node), name)
            if home is not None and home is not own and isinstance(home.node, cst.Module) and name in given:
                region.params[name] = name
            if home is None or (isinstance(home.node, cst.Module) and (not script or is_constant(self.module, name, node))):
                continue
            if isinstance(home.node, cst.ClassDef) or name in own.nonlocals | own.globals:
                return False
            if home is not own and isinstance(home.node, cst.FunctionDef):
                region.params[name] = name
            elif home is own and name in before and not self.only_bound_in(region, name):
                if not surely_bound(region.owner, region.first, name, self.module.source):
                    return False
                region.params[name] = name
        results = [
            name
            for name in sorted(names.bound)
            if (
                name in after
                and not (name in region.params and changes_in_place(statements, name, self.module.runs[self.unit.name]))
            )
            or (name in region.params and self.may_be_number(statements, name))
        ]
        starts = {n for s in statements[:-1] for n in collect((s,)).bound} | region.params.keys()
        if isinstance(loop := statements[-1], cst.For) and has_iterations(self.module.scopes.iteration_space(loop)) is not None:
            starts |= targets_of(loop)  # without iterations, they have no value, and Python runs the loop
        region.results = {name: name for name in results}
        return all(name in starts for name in results)

    def only_bound_in(self, region: Region, name: str) -> bool:
        """Whether nothing binds a variable of a function before some statements: they read it only where they bind it."""
        owner = region.owner
        if not isinstance(owner, cst.FunctionDef) or any(p.name.value == name for p in parameters(owner.params)):
            return False
        reaching = definitions_of(owner).reaching(region.first, name)
        return reaching is not None and all(definition is owner for definition in reaching)

    def may_be_number(self, statements: Sequence[cst.CSTNode], name: str) -> bool:
        """Whether a variable may be a NumPy scalar that `x += y` rebinds: code that stays NumPy cannot fill it."""
        run = self.module.runs[self.unit.name]
        return run.facts.program.fast and any(
            isinstance(node.target, cst.Name) and node.target.value == name and run.values.get(node.target, UNKNOWN).number
            for statement in statements
            for node in self.module.source.among(statement, cst.AugAssign)
        )

    @property
    def self_name(self) -> str:
        return self.module.runs[self.unit.name].unit.self_name


__all__ = ["OUTLINE_LOOPS", "Moved"]
