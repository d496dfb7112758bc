"""Outlining of runs of statements that jit can compile, out of functions that it cannot compile as a whole.

A function that checks values, draws, prints or calls a library keeps doing so in NumPy. The statements between, as many in a row as
possible, become a function at module level, as loops do (see loop_outlining): its parameters are the arrays and numbers that they read,
and it returns the arrays that are read after them. They move where NumPy takes longer for them, even on the smallest arrays, than a call
of compiled code takes.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ...rules.facts.work import Work
from ...rules.syntax import builders
from ..analysis.state.interpreter_state import Run
from ..analysis.state.project_facts import Facts
from ..linking.cost_model import NUMPY_CALL, SURE, TOO_SMALL, added, cost_of, cost_of_large, loses, repeated_calls
from ..linking.placement import FOR_EACH_VALUE
from ..summaries.units import Module, Unit
from ..summaries.work import Small, counted, not_taken
from ..syntax import liveness
from ..syntax.names import Names, bound_by, collect
from .definite_assignment import binds, surely_bound
from .loop_outlining import (
    BINDS,
    NOT_MOVED,
    OF_CLASSES,
    WHERE_IT_STANDS,
    Finder,
    compiles_once,
    integers,
    may_be_taken_apart,
    may_lose_parts,
)
from .object_reads import parts_of, reads_of
from .outlined_arguments import may_be_argument
from .outlined_attributes import are_variables
from .outlined_text import Moved, Region, named, region_number, written
from .region_results import LOOPS, are_separate, attributes_are_surely_bound
from .revision import Versions
from .run_time_guards import chooses, demanded, guarded, guards_in
from .small_stores import fills_border
from .speculation import Proposal, Speculation, Trial

NEVER = tuple(kind for kind in NOT_MOVED if kind not in (cst.Return, cst.Raise, cst.FormattedString))
SMALL = (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.TUPLE)
CONVERSIONS = frozenset(f"numpy.{name}" for name in "array asarray asanyarray ascontiguousarray atleast_1d atleast_2d".split())
MUCH = 4  # times as long in NumPy, on the smallest arrays, as a call of compiled code
MOST_TRIED = 60  # runs of statements in one block


class Candidates(NamedTuple):
    """The units with statements that may move, and the units that jit can trace, with what they compute. `checking`: those that jit
    would compile but for the numbers that they check."""

    eager: frozenset[str]
    traceable: Mapping[str, Work]
    checking: frozenset[str]


def candidates(facts: Facts, unjitted: frozenset[str]) -> Candidates:
    plans = facts.plans.values()
    small = {p.name for p in plans if p.traceable and p.eager == TOO_SMALL}  # whose parts are smaller still
    eager = (p.name for p in plans if may_be_taken_apart(p) and p.name not in small) if facts.program.fast else ()
    checking = frozenset(p.name for p in plans if p.eager.startswith(FOR_EACH_VALUE))
    return Candidates(
        frozenset(eager) - unjitted, {p.name: facts.work.get(p.name, Work()) for p in plans if p.traceable}, checking
    )


def outlined(
    module: Module, versions: Versions, names: Candidates, rejected: Collection[Hashable], only: Collection[Hashable] | None
) -> Proposal | None:
    """Move statements of some units: no run that was rejected, and if `only` is not None, only those in it."""
    found: list[Region] = []
    for unit in module.units.values():
        if unit.name not in names.eager or unit.name in module.derived.owners or not isinstance(unit.node, cst.FunctionDef):
            continue
        if may_lose_parts(module, unit):
            found += _Search(module, unit, module.runs[unit.name], names, rejected, only).regions(unit.node)
    made = written(module, versions, found) if found else None
    if made is None:
        return None

    def note(new: Module) -> None:
        new.derived.owners = {**module.derived.owners, **{m.function: m.owner for m in made.moved}}
        new.derived.statements = frozenset(m.function for m in made.moved)
        new.derived.guards = {**module.derived.guards, **{m.function: m.guard for m in made.moved if m.guard}}
        new.derived.integers = {**module.derived.integers, **integers(module, made.moved)}

    return Proposal(made.source, made.lines, made.moved, note)


def rejects(trial: Trial) -> set[Hashable]:
    """The runs that jit does not compile even in a function, or would recompile in each iteration of an enclosing loop, or for each
    number that they get, where they do little, or for another shape in each call; those that Python calls again and again, and that may do too little for that; and the
    guards that the others need."""
    moved: Collection[Moved] = trial.changes
    repeated = repeated_calls(trial.units)
    vain = {m.region for m in moved if not compiles_once(m, trial.now) or (m.gain < MUCH and static_numbers(m, trial))}
    vain |= {m.region for m in moved if m.gain < SURE and m.owner in repeated}
    resized = {call.callee for m in moved for call in trial.units[m.owner].call_graph.calls if call.resized}
    vain |= {m.region for m in moved if m.function in resized}
    return {*vain, *demanded([m for m in moved if m.region not in vain], trial)}


def static_numbers(moved: Moved, trial: Trial) -> bool:
    """Whether the function must be compiled for each value of some number, rather than of a mode or an option."""
    kinds = dict(trial.units[moved.function].signature.kinds)
    return any(
        not kinds.get(name, "").startswith(("string", "scalar:bool")) for name in trial.now.plans[moved.function].static_args
    )


OUTLINE_STATEMENTS = Speculation(
    "outline-statements", ("NJ424",), candidates, outlined, rejects, key=lambda moved: moved.region, trials=1
)


@dataclass(slots=True)
class _Search:
    """The runs of statements of one unit that may move."""

    module: Module
    unit: Unit
    run: Run
    names: Candidates
    rejected: Collection[Hashable]
    only: Collection[Hashable] | None
    small: Small = field(init=False)
    finder: Finder = field(init=False)
    stays: frozenset[cst.CSTNode] = field(init=False)  # what jit cannot compile
    reads: Mapping[cst.BaseExpression, tuple[str, ...]] = field(init=False)  # what it reads of objects: see `object_reads`
    inner: frozenset[cst.CSTNode] = field(init=False)  # parts of these

    def __post_init__(self) -> None:
        run = self.run
        self.small = Small(run, self.module.nodes[self.unit.name])
        self.finder = Finder(self.module, self.unit, self.names.traceable)
        loops = (n for n, loop in run.loops.compiled.items() if not loop.form or loop.why not in WHERE_IT_STANDS)
        branches = (n for n in run.branching.untraceable_branches if run.values.get(_test(n), UNKNOWN).traced)
        calls = (n for n, call in run.call_graph.calls.items() if call.callee not in self.names.traceable)
        random = chain(run.random.sites, run.random.makers, run.random.hosts)
        node = self.unit.node
        self.reads = reads_of(self.module, run, builders.lines(node.body) if isinstance(node, cst.FunctionDef) else ())
        self.inner = parts_of(self.module, self.reads)
        impure = (n for n in run.constraints.impure if type(n) not in BINDS and n not in self.inner)
        self.stays = frozenset(chain(loops, branches, calls, random, impure, run.loops.unrolled, run.constraints.blocks))

    def regions(self, owner: cst.FunctionDef) -> Iterator[Region]:
        """The runs that move, in the order of the text."""
        if isinstance(owner.body, cst.IndentedBlock) and not self.module.source.among(owner, cst.Del, cst.Global, cst.Nonlocal):
            yield from self.of_block(owner, owner.body)

    def of_block(self, owner: cst.FunctionDef, block: cst.IndentedBlock) -> Iterator[Region]:
        body = block.body
        moves = [self.may_move(statement) and not chooses(statement, self.module) for statement in body]
        at = 0
        while at < len(body):
            if chooses(body[at], self.module):
                at += 1
                continue
            end = at
            while end < len(body) and moves[end]:
                end += 1
            region = self.longest(owner, body[at:end])
            if region is not None:
                yield region
                at = body.index(region.last) + 1
                continue
            for inner in _blocks(body[at]):
                yield from self.of_block(owner, inner)
            at += 1

    def may_move(self, statement: cst.BaseStatement) -> bool:
        """Whether jit may compile a statement, as far as that shows without the other statements that move."""
        source = self.module.source
        match statement:
            case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString())]):
                return False
            case cst.SimpleStatementLine():
                if source.among(statement, cst.Raise, cst.FormattedString) or any(
                    map(self.converts_argument, source.among(statement, cst.Call))
                ):
                    return False
            case cst.If() | cst.For() | cst.While():
                if source.among(statement, cst.Return):
                    return False
                if any(not self.raised(n) for n in source.among(statement, cst.FormattedString)):
                    return False
            case _:
                return False
        return not source.among(statement, *NEVER) and not any(source.inside(node, statement) for node in self.stays)

    def converts_argument(self, call: cst.Call) -> bool:
        """Whether a call makes an array of an argument, which may be a list: jit would take each of its items for an argument."""
        name, run = self.module.scopes.qualname(call.func), self.run
        return name in CONVERSIONS and any(run.values.get(a.value, UNKNOWN).holds for a in call.args)

    def raised(self, node: cst.CSTNode) -> bool:
        return any(isinstance(above, cst.Raise) for above in self.module.source.above(node))

    def longest(self, owner: cst.FunctionDef, statements: Sequence[cst.BaseStatement]) -> Region | None:
        """The longest run from the first statement on that can move and is worth it; None if the first makes no array."""
        if not statements or not (self.computes(statements[0]) or self.selects(statements[0])):
            return None
        for end in range(len(statements), max(len(statements) - MOST_TRIED, 0), -1):
            least = cost_of(self.work(statements[:end]), 0)
            if least.numpy < least.compiled and not self.is_rest(owner, statements[:end]):
                return None  # shorter runs do even less
            if self.computes(statements[end - 1]):
                region = self.region(owner, statements[:end])
                if region is not None:
                    return region
        return None

    def computes(self, statement: cst.BaseStatement) -> bool:
        return cost_of(self.work((statement,)), 0).numpy >= NUMPY_CALL / 2

    def selects(self, statement: cst.BaseStatement) -> bool:
        """Whether a statement binds a variable to a part of an array, or to the same array with other axes."""
        match statement:
            case cst.SimpleStatementLine(body=[cst.Assign(value=cst.Subscript() | cst.Attribute() as value)]):
                return self.run.values.get(value, UNKNOWN).kind is Kind.ARRAY
        return False

    def work(self, statements: Sequence[cst.BaseStatement]) -> Work:
        source = self.module.source
        around = self.around(statements)
        counts = [s for s in statements if not (isinstance(s, cst.For) and fills_border(s))]
        nodes = [*chain.from_iterable(map(source.below, counts))]
        return reduce(added, self.called(nodes, around), counted(self.run, nodes, self.small, around))

    def is_call_alone(self, statements: Sequence[cst.BaseStatement]) -> bool:
        """Whether all that statements do is to call one function, which is compiled where it pays."""
        nodes, around = [*chain.from_iterable(map(self.module.source.below, statements))], self.around(statements)
        calls = [*self.called(nodes, around)]
        return len(calls) == 1 and cost_of(counted(self.run, nodes, self.small, around), 0).numpy <= NUMPY_CALL

    def around(self, statements: Sequence[cst.BaseStatement]) -> set[cst.CSTNode]:
        return {n for n in self.module.source.above(statements[0]) if isinstance(n, LOOPS)}

    def called(self, nodes: Iterable[cst.CSTNode], around: Collection[cst.CSTNode]) -> Iterator[tuple[Work, bool]]:
        """What the functions compute that some nodes call, and whether in a loop."""
        skipped = not_taken(self.run, nodes)
        for node in nodes:
            call = self.run.call_graph.calls.get(node)
            if call is not None and node not in skipped and call.callee in self.names.traceable:
                loops = (n for n in self.module.source.above(node) if isinstance(n, LOOPS))
                yield self.names.traceable[call.callee], not all(n in around for n in loops)

    def region(self, owner: cst.FunctionDef, statements: Sequence[cst.BaseStatement]) -> Region | None:
        source, last = self.module.source, statements[-1]
        number = region_number(source, statements[0], last)
        if number in self.rejected or (self.only is not None and number not in self.only):
            return None
        enclosing = [n for n in source.above(statements[0]) if isinstance(n, LOOPS) and source.inside(n, owner)]
        varying = frozenset[str]().union(*(bound_by(n) for n in enclosing))
        region = Region(self.unit, owner, statements[0], last, number, "", varying)
        region.returns = isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Return)
        names = collect(statements)
        if names.dynamic or names.captured or names.declared or names.read & OF_CLASSES:
            return None
        reads = {node: path for node, path in self.reads.items() if any(source.inside(node, s) for s in statements)}
        if not (self.variables(region, statements, names) and are_variables(self.module, region, statements, names, reads)):
            return None
        if not all(self.finder.may_be_passed(node, reads) for node in reads):
            return None
        if not attributes_are_surely_bound(region, statements, self.run):
            return None
        if self.is_call_alone(statements):
            return None
        work = self.work(statements)
        results = len(region.results) or 1
        cost, large = cost_of(work, len(region.params), results), cost_of_large(work, self.arrays(region, statements), results)
        updates = self.run.effects.updates
        changes = any(updates[n] for n in updates if any(source.inside(n, s) for s in statements))
        looped = work.looped_arrays or work.looped_items
        rest = self.is_rest(owner, statements)
        if rest and loses(work, len(region.params), False):
            return None
        if not rest and (cost.numpy < cost.compiled or (large.numpy < large.compiled and not looped)):
            return None
        if not (region.results or region.returns or changes):
            return None
        if enclosing and self.takes_part_of(statements, region):
            return None
        region.gain = MUCH if rest else cost.numpy / cost.compiled
        if not (self.static(statements, names) and are_separate(region, statements, self.run, rest)):
            return None
        region.guard = guarded(region, guards_in(self.rejected).get(number), self.module)
        region.name = named(owner, next(iter(region.results)) if len(region.results) == 1 else "core")
        return region

    def is_rest(self, owner: cst.FunctionDef, statements: Sequence[cst.BaseStatement]) -> bool:
        """Whether it is all that a function does after its checks, but for which jit would compile it as a whole."""
        return self.unit.name in self.names.checking and statements[-1] is owner.body.body[-1]

    def variables(self, region: Region, statements: Sequence[cst.BaseStatement], names: Names) -> bool:
        """Find the parameters and the results. All have a value wherever the function is called or returns."""
        live, scopes, source = liveness.live(region.owner), self.module.scopes, self.module.source
        own = scopes.opened_by(region.owner)
        before, after = live.before[region.first], live.after[region.last]
        for node in (n for s in statements for n in source.among(s, cst.Name)):
            name = node.value
            if name not in names.read | names.bound or name == self.finder.self_name or node in self.inner:
                continue
            home = scopes.lookup(scopes.scope_of(node), name)
            if home is None or isinstance(home.node, cst.Module):
                continue
            if home is own and name in before:
                if name not in region.params and not surely_bound(region.owner, region.first, name, source):
                    return False
                region.params[name] = name
                if node in self.run.values and not may_be_argument(self.module, self.run, node):
                    return False
            elif home is not own and isinstance(home.node, (cst.ClassDef, cst.FunctionDef)) and home.node is not region.owner:
                if not source.inside(home.node, statements[0]):
                    return False
        bound = (n.value for s in statements for n in source.among(s, cst.Name) if n.value in names.bound and n.value in after)
        region.results = {} if region.returns else {name: name for name in bound}
        return all(name in region.params or any(binds(s, name) for s in statements) for name in region.results)

    def arrays(self, region: Region, statements: Sequence[cst.BaseStatement]) -> int:
        """The number of arguments that may be large arrays."""
        source = self.module.source
        read = {n.value: n for s in statements for n in source.among(s, cst.Name) if n in self.run.values}
        kinds = [self.run.values[read[name]].kind for name in region.params if name in read]
        kinds += [self.run.values.get(node, UNKNOWN).kind for node in {region.swaps[n]: n for n in region.swaps}.values()]
        return sum(kind not in SMALL for kind in kinds)

    def takes_part_of(self, statements: Sequence[cst.BaseStatement], region: Region) -> bool:
        """Whether statements use only items or slices of an array that they do not make: in a loop, each call would copy all of it."""
        source = self.module.source
        for node in (n for s in statements for n in source.among(s, cst.Subscript)):
            base = node.value
            if isinstance(base, cst.Name) and base.value in region.params and base.value not in region.varying:
                return True
            if isinstance(base, cst.Attribute) and self.run.values.get(base, UNKNOWN).kind is Kind.ARRAY:
                return True
        return False

    def static(self, statements: Sequence[cst.BaseStatement], names: Names) -> bool:
        """Whether what Python needs follows from shapes, or from arguments that can be static."""
        source = self.module.source
        for need in self.run.constraints.needs.values():
            if not any(source.inside(need.node, s) for s in statements):
                continue
            if need.value.traced:
                return False
            for name in source.among(need.node, cst.Name):
                value = self.run.values.get(name, UNKNOWN)
                if name.value in names.read and value.kind is Kind.ARRAY and not value.number and need.value.deps & value.deps:
                    return False
        return True


def _test(node: cst.CSTNode) -> cst.CSTNode:
    return node.test if isinstance(node, (cst.If, cst.IfExp, cst.While)) else node


def _blocks(statement: cst.BaseStatement) -> Iterator[cst.IndentedBlock]:
    """The blocks of a compound statement in which others may move: not those of `try`, which may catch what only NumPy raises, and of
    `with`, which may make NumPy raise it."""
    match statement:
        case cst.For(body=body, orelse=orelse) | cst.While(body=body, orelse=orelse) | cst.If(body=body, orelse=orelse):
            if isinstance(body, cst.IndentedBlock):
                yield body
            if isinstance(orelse, cst.If):
                yield from _blocks(orelse)
            elif orelse is not None and isinstance(orelse.body, cst.IndentedBlock):
                yield orelse.body


__all__ = ["OUTLINE_STATEMENTS"]
