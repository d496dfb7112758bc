"""Desugar a file: rewrite statements of some functions into the plain statements that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import libcst as cst

from ...rules.facts.function_plan import FunctionPlan
from ...rules.facts.values import Value
from ...rules.syntax.source_text import code
from ..analysis.state.node_facts import SHAPE_OF
from ..analysis.state.project_facts import Facts
from ..analysis.state.ranks import ranks_everywhere
from ..summaries.masked_slices import slower_with_masks
from ..summaries.unit_discovery import walk_definitions
from ..summaries.units import Module
from ..syntax import liveness
from ..syntax import scopes as scope
from ..syntax.edits import Edits
from ..syntax.source import Source, children
from .forms import (
    comprehensions,
    counted_whiles,
    grid_loops,
    growing_arrays,
    growing_lists,
    kept_lists,
    late_resets,
    leading_breaks,
    list_starts,
    loop_counters,
    loop_initial_values,
    mask_positions,
    match_statements,
    nditer_loops,
    number_attributes,
    optional_results,
    optional_statements,
    periodic_statements,
    prefilled_lists,
    range_variables,
    stepped_ranges,
    while_conjunctions,
    while_trip_counts,
    window_calls,
)
from .forms import rank_assertions as ranks_said
from .forms.exits import continue_statements, loop_else, loop_exits, nested_returns
from .forms.form import Body, DesugaredStatement
from .object_reads import free_reads
from .outlined_text import Moved
from .revision import Versions
from .speculation import Proposal, Speculation, Trial

Form = Callable[[cst.CSTNode, Body], DesugaredStatement | None]
COUNTING: tuple[Form, ...] = (late_resets.desugar, leading_breaks.desugar, counted_whiles.desugar)
FORMS: tuple[Form, ...] = (
    loop_else.desugar,
    nested_returns.desugar,
    grid_loops.desugar,
    nditer_loops.desugar,
    growing_arrays.desugar,
    match_statements.desugar,
    mask_positions.desugar,
    comprehensions.desugar,
    range_variables.desugar,
    loop_counters.desugar,
    stepped_ranges.desugar,
    while_conjunctions.desugar,
    *COUNTING,
    while_trip_counts.desugar,
    continue_statements.desugar,
    optional_results.desugar,
    loop_initial_values.desugar,
    prefilled_lists.desugar,
    list_starts.desugar,
    window_calls.desugar,
)
ON_HOST: tuple[Form, ...] = (
    *FORMS,
    kept_lists.desugar,
    optional_statements.desugar,
    periodic_statements.desugar,
    loop_exits.desugar,
    growing_lists.desugar,
    number_attributes.desugar,
)
IN_COMPILED: tuple[Form, ...] = (comprehensions.desugar, *COUNTING, continue_statements.desugar)
UNCLEAR = ("NJ202", "NJ203")  # unknown what is an array, or which rank one has
WHERE = (cst.For, cst.While, cst.Match, cst.SimpleStatementLine)
BINDS = (cst.Assign, cst.AnnAssign, cst.AugAssign)
MOST_LEVELS = 20  # of nested forms


class Candidates(NamedTuple):
    """Units that may be desugared. `required`: those that jit does not compile. `unclear`: those refused because it is unknown
    what is a scalar; they need rank assertions first. `compiled`: those that jit compiles, but with list comprehensions unrolled,
    or with the iterations of a loop run sequentially because some end early. `host`: the required ones whose loops may move into
    functions."""

    required: frozenset[str]
    unclear: frozenset[str]
    compiled: frozenset[str]
    host: frozenset[str]


class LoopExits(NamedTuple):
    """Exits that moved behind a loop of a unit, a comprehension that became one, or positions that became a mask. `loops`: the loops that
    set the flags, fill the list, or test the mask, by file and number in it."""

    unit: str
    exits: str
    loops: tuple[tuple[str, int], ...]


class Desugared(NamedTuple):
    """A unit whose forms are spelled out. `always`: they are all of a kind that pays where jit compiles the unit anyway; `masked`: masks of
    whole axes replaced slices that may be much shorter; `asserts`: they assert something that NumPy does not."""

    name: str
    always: bool
    masked: bool
    asserts: bool


class OnHost(NamedTuple):
    """A unit that stays NumPy around the loops that move: forms may not assert anything for its other statements."""

    unit: str


@dataclass(slots=True)
class _Unit:
    """A function that is searched for forms. `position`: its index among the definitions of the file; `impure`: nodes that
    prevent jit however the rest is written."""

    name: str
    position: int
    ranks: Mapping[str, int]
    values: Mapping[cst.CSTNode, Value]
    impure: Collection[cst.CSTNode]
    facts: Facts
    unclear: bool = False  # refused because it is unknown what is a scalar
    forms: tuple[Form, ...] = FORMS
    kept: frozenset[str] = frozenset()  # exits of loops that stay
    host: bool = False  # see OnHost
    supposed: Mapping[str, int] = field(default_factory=dict)  # ranks that code on the host tests
    found: dict[str, None] = field(default_factory=dict)
    always: bool = True
    exits: dict[str, tuple[str, ...]] = field(default_factory=dict)  # the flags by what they replace


def candidates(facts: Facts, unjitted: frozenset[str]) -> Candidates:
    plans = facts.plans.values()
    return Candidates(
        frozenset(p.name for p in plans if not (p.jax or p.refused) and (p.static_args or not p.jit)) - unjitted,
        frozenset(p.name for p in plans if p.refused_code in UNCLEAR) - unjitted,
        frozenset(p.name for p in plans if p.jit and not (p.jax or p.static_args)),
        frozenset(p.name for p in plans if not (p.jax or p.jit)) - unjitted,
    )


def desugared(
    module: Module,
    versions: Versions,
    names: Candidates,
    rejected: Collection[Hashable],
    _only: Collection[Hashable] | None = None,
) -> Proposal | None:
    """Desugar some units of a file; None if they contain no form."""
    nodes: dict[cst.CSTNode, int] = {node: k for k, node in enumerate(_functions(module.source.module))}
    units = [
        _Unit(
            name,
            nodes[unit.node],
            ranks_everywhere(module.runs[name].values, module.nodes[name]),
            module.runs[name].values,
            impure_nodes(module, name),
            module.runs[name].facts,
            name in names.unclear,
            IN_COMPILED if name in names.compiled else ON_HOST if name in names.host else FORMS,
            frozenset(each.exits for each in rejected if isinstance(each, LoopExits) and each.unit == name),
            OnHost(name) in rejected,
        )
        for name, unit in module.units.items()
        if unit.node in nodes
        and name not in rejected
        and (
            name in names.unclear
            or (name in names.required and _may_have_forms(module, name))
            or (name in names.compiled and (_unrolls_lists(module, name) or _contains(module, name, cst.Continue, cst.While)))
        )
    ]
    source = module.source
    for _level in range(MOST_LEVELS):
        made = _once(source, units, versions) if units else None
        if made is None:
            break
        source = made
    if source is module.source and not any(u.supposed for u in units):
        return None
    forms = {u.name: tuple(u.found) for u in units if u.found}
    changes = tuple(
        Desugared(u.name, u.always, any(slower_with_masks(module.runs[u.name])), _asserts_more(u, module.source, source))
        for u in units
        if u.found or u.supposed
    )

    def note(new: Module) -> None:
        new.forms = forms
        new.derived.ranks = {u.name: u.supposed for u in units if u.supposed}
        for name in new.derived.ranks:
            new.forget(name)

    exits = [each for unit in units for each in _moved_exits(unit, source)]
    return Proposal(source, versions.lines(module.source, source), (*changes, *exits), note)


def _asserts_more(unit: _Unit, before: Source, after: Source) -> bool:
    """Whether a unit asserts more than it did, and may do without."""
    if unit.host:
        return False
    old, new = (len(source.among(_functions(source.module)[unit.position], cst.Assert)) for source in (before, after))
    return new > old


def gained(before: FunctionPlan, after: FunctionPlan, made: Desugared, masked: bool) -> bool:
    """Whether jit compiles a function that it did not compile before, or one with fewer static arguments or without masks, or, of the
    forms that always pay, one like before. `masked`: as in `Desugared`, now."""
    if not (before.jit and after.jit):
        return after.jit
    more = not set(after.static_args) <= set(before.static_args)
    fewer = not set(before.static_args) <= set(after.static_args)
    as_good = made.always and not more and len(after.unrolled) <= len(before.unrolled)
    return fewer or (made.masked and not masked) or as_good


def rejects(trial: Trial) -> set[Hashable]:
    """The units that gained nothing, without those that have loops to outline later, or had one outlined; and the exits of loops
    that were not outlined."""
    before, now, units = trial.before.plans, trial.now.plans, [each for each in trial.changes if isinstance(each, Desugared)]
    vain = {m.name for m in units if not gained(before[m.name], now[m.name], m, bool(trial.units[m.name].work.masked))}
    if trial.accepted is None:
        return {name for name in vain if not trial.units[name].tracing.trip_counts}
    moved: Collection[Moved] = trial.accepted
    loops = {m.region for m in moved}
    exits = {each for each in trial.changes if isinstance(each, LoopExits) and each.unit in vain and loops.isdisjoint(each.loops)}
    asserted = {n for n in vain if trial.before.plans[n].refused_code in UNCLEAR and trial.now.plans[n].refused}
    host = {OnHost(m.name) for m in units if m.asserts and m.name in vain and trial.now.program.fast}
    if exits or host:
        return {*exits, *host}
    return {*(vain - {m.owner for m in moved}), *asserted}  # what ranks were asserted for did not help


DESUGAR = Speculation(
    "desugar", ("NJ421",), candidates, desugared, rejects, key=lambda made: made.name if isinstance(made, Desugared) else made
)


def _may_have_forms(module: Module, name: str) -> bool:
    kinds = set(map(type, module.nodes[name]))
    loops = bool(kinds & {cst.For, cst.While, cst.ListComp})
    if impure_nodes(module, name) and not loops:
        return False  # jit compiles no part of it
    return loops or cst.Match in kinds or any(why.startswith(SHAPE_OF) for why in module.runs[name].constraints.impure.values())


def _unrolls_lists(module: Module, name: str) -> bool:
    """Whether a unit builds lists element by element, other than by `jax.vmap`."""
    run = module.runs[name]
    mapped = {node for node, found in run.loops.maps.items() if found.call in run.call_graph.calls}
    return any(type(node) is cst.ListComp and node not in mapped for node in module.nodes[name])


def _contains(module: Module, name: str, *kinds: type[cst.CSTNode]) -> bool:
    """Whether a unit contains a statement of some kinds."""
    return any(type(node) in kinds for node in module.nodes[name])


def impure_nodes(module: Module, name: str) -> frozenset[cst.CSTNode]:
    """The nodes that prevent jit however they are written. Shapes that depend on values are left out, since a mask may resolve
    them, and so are attributes that are bound, and what is read of other objects: they are variables of a loop that moves."""
    found, free = module.runs[name].constraints.impure.items(), free_reads(module, module.runs[name])
    return frozenset(n for n, why in found if not (why.startswith(SHAPE_OF) or isinstance(n, BINDS) or n in free))


def _functions(module: cst.Module) -> list[cst.FunctionDef]:
    """The functions and methods that are units, in source order, which no form changes."""
    found = list[cst.FunctionDef]()
    for node, _parent in walk_definitions(module):
        if isinstance(node, cst.FunctionDef):
            found.append(node)
        else:
            found += [inner for inner, _p in walk_definitions(node.body) if isinstance(inner, cst.FunctionDef)]
    return found


def _once(source: Source, units: list[_Unit], versions: Versions) -> Source | None:
    """Desugar the outermost forms; None if there is none left."""
    scopes = scope.build(source)
    functions = _functions(source.module)
    edits = Edits()
    for unit in list(units):
        owner = functions[unit.position]
        taken, live = {n.value for n in source.among(owner, cst.Name)}, liveness.live(owner)
        body = Body(source, scopes, owner, live, unit.ranks, unit.values, taken, unit.impure, unit.kept, unit.host, unit.facts)
        forms = _forms(body, unit.forms, unit.unclear and not unit.host)
        unit.supposed = ranks_said.scalar_ranks(owner, body) if unit.unclear and unit.host else unit.supposed
        if unit.unclear and not unit.supposed and (unit.host or not forms):
            units.remove(unit)
            continue
        unit.unclear = False
        if forms and all(_is_hopeless(unit, source, made) for _form, made in forms):
            if not unit.found:  # others were changed, which is to be taken back
                units.remove(unit)
            continue
        for form, made in _disjoint(forms, source):
            unit.found[made.what] = None
            unit.always &= form in IN_COMPILED
            if made.exits:
                unit.exits[made.exits] = made.flags
            for node, edit in made.edits.items():
                edits.by_node.setdefault(node, []).append(edit)
    if not edits.by_node:
        return None
    after, origins = versions.traced(source, edits)
    for unit in units:
        unit.values = {**unit.values, **{node: unit.values[old] for node, old in origins.items() if old in unit.values}}
        unit.impure = {*unit.impure, *(node for node, old in origins.items() if old in unit.impure)}
    return after


def _disjoint(forms: Sequence[tuple[object, DesugaredStatement]], source: Source) -> Iterator[tuple[object, DesugaredStatement]]:
    """The forms that edit no part of what another one edits: the rest is found again in the next version of the text."""
    edited = list[cst.CSTNode]()
    for form, made in reversed(forms):  # the first one in the text first
        if not any(source.inside(a, b) or source.inside(b, a) for a in made.edits for b in edited):
            edited += made.edits
            yield form, made


def _moved_exits(unit: _Unit, source: Source) -> list[LoopExits]:
    """The exits of a unit that moved and its comprehensions that became loops, in the final text."""
    if not unit.exits:
        return []
    loops = {loop: (source.name, number) for number, loop in enumerate(source.among(source.module, cst.For, cst.While))}
    setting = {flag: dict[tuple[str, int], None]() for flags in unit.exits.values() for flag in flags}
    for node in source.among(_functions(source.module)[unit.position], cst.Assign, cst.Call, cst.If):
        match node:
            case cst.If(test=test, orelse=cst.Else() as other) if code(test) in setting:  # an option
                setting[code(test)].update((loops[n], None) for n in source.among(other, cst.For, cst.While))
                continue
            case cst.If(test=cst.Subscript(value=cst.Name(value=flag))):  # a mask
                pass
            case cst.Call(func=cst.Attribute(value=cst.Name(value=flag), attr=cst.Name(value="append"))):
                pass
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=flag))], value=cst.Name(value="True")):
                pass
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(value=cst.Name(value=flag)))]):
                pass
            case _:
                continue
        if flag in setting:
            setting[flag].update((loops[n], None) for n in source.above(node) if isinstance(n, (cst.For, cst.While)))
    return [
        LoopExits(unit.name, exits, tuple(place for flag in flags for place in setting[flag]))
        for exits, flags in unit.exits.items()
    ]


def _is_hopeless(unit: _Unit, source: Source, made: DesugaredStatement) -> bool:
    """Whether a form contains something that prevents jit, whatever the loop iterates over."""
    if made.apart:
        return False
    bodies = [node.body if isinstance(node, (cst.For, cst.While)) else node for node in made.edits]
    return any(source.inside(i, body) for i in unit.impure for body in bodies)


def _forms(body: Body, forms: tuple[Form, ...], unclear: bool = False) -> list[tuple[object, DesugaredStatement]]:
    """The outermost forms of a function and of its nested functions."""
    if unclear:
        return [] if (said := ranks_said.desugar(body.owner, body)) is None else [(ranks_said.desugar, said)]
    found = list[tuple[object, DesugaredStatement]]()
    stack = list(children(body.owner.body))
    while stack:
        node = stack.pop()
        if isinstance(node, cst.FunctionDef):
            inner = replace(body, owner=node, live=liveness.live(node), ranks={}, values={})
            found += _forms(inner, forms)
            continue
        made = next(((f, made) for f in forms if (made := f(node, body)) is not None), None) if type(node) in WHERE else None
        if made is not None:
            found.append(made)
        elif not isinstance(node, (cst.BaseExpression, cst.ClassDef)):
            stack += children(node)
    return found
