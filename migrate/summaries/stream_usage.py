"""What one unit does with streams of random numbers: what it draws, and to whom it hands its generators."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN
from ..analysis.random import seeding
from ..analysis.random.generator_attributes import (
    attribute_token,
    bound_elsewhere,
    bound_otherwise,
    drawn_elsewhere,
    holds_generator,
    seeds_held,
    unknown_draws,
)
from ..analysis.random.generator_containers import Turn, element, misused, turn, unsafe
from ..analysis.random.generator_spawning import origin, shown
from ..analysis.random.generators import GENERATOR, RANDOM_STATE, in_collection, is_child, is_generator, sounds_like_generator
from ..analysis.random.key_assignment import COMPREHENSIONS, bound_names, clauses_of
from ..analysis.state.access_paths import path_of
from ..analysis.state.call_facts import CallFact, Place
from ..analysis.state.interpreter_state import Run
from ..analysis.state.node_facts import GLOBAL_STATE, Site
from ..syntax.scopes import Scopes
from ..syntax.source import SUITES
from . import call_order

HOLDING = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
BINDING = frozenset({cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr, cst.Del, cst.AsName})
Binds = dict[cst.CSTNode, frozenset[str]]


class StateUse(NamedTuple):
    """What a unit does with NumPy's own random state.

    `draws`: from it, where it was not certainly seeded by itself. `seeds`: it seeds that state; `drains`: and draws from it
    afterwards. `plain`: it uses that state. `sows`: it calls `np.random.seed` itself; `own`: it draws from NumPy's state;
    `thirsty`: where `np.random.seed` did not certainly seed it before; `sown_by`: functions that seed it for this one.
    `borrows`: why it may need NumPy's own state as a generator.
    """

    draws: bool = False
    seeds: bool = False
    drains: bool = False
    plain: bool = False
    sows: bool = False
    own: bool = False
    thirsty: bool = False
    sown_by: frozenset[str] = NOTHING
    borrows: str = ""


class Streams(NamedTuple):
    """The streams of a unit, for the linker: plain data.

    `state`: what it does with NumPy's own state. `params`: parameters that are generators; `gives`: parameters of others (function, parameter) that it hands
    generators to; `lent`, `lends`: the same of lists and dicts of generators; `returns`: its result is one; `takes`: functions whose results are generators; `attrs`: attributes that hold
    them, as "attr:C.rng", or seeds of them, as "seed:C.random_state". `variables`: generators of modules that it uses, as "m.rng"; the functions that do take keys, as if it
    were NumPy's own state; `rebound`: variables that it binds to generators. `plain`: it uses that state. `numbers`: those of `params` that may
    be numbers; `once`: parameters, perhaps generators, of which all that is done is to hand them to one function
    (parameter, function, parameter of it). `legacy`, `modern`: the seeds of NumPy's state and of RandomState, and those of
    Generator, one for each place that makes one, as they are written: "?" for all but numbers. `key`: what the keyword for a key can be called; in the code of a module
    the variable that holds it.
    """

    state: StateUse = StateUse()
    params: frozenset[str] = NOTHING
    gives: frozenset[tuple[str, str]] = frozenset()
    lent: frozenset[str] = NOTHING
    lends: frozenset[tuple[str, str]] = frozenset()
    returns: bool = False
    takes: frozenset[str] = NOTHING
    attrs: frozenset[str] = NOTHING
    sets: frozenset[str] = NOTHING  # those of `attrs` that it binds
    variables: frozenset[str] = NOTHING
    rebound: frozenset[str] = NOTHING
    numbers: frozenset[str] = NOTHING
    once: frozenset[tuple[str, str, str]] = frozenset()
    legacy: tuple[str, ...] = ()
    modern: tuple[str, ...] = ()
    key: str = "key"

    @property
    def any(self) -> bool:
        return self != (NONE if self.key == NONE.key else Streams(key=self.key))


NONE = Streams()
OBJECTS = (Kind.OBJECT, Kind.LIST, Kind.DICT)  # what generators are, and what holds them


@dataclass(slots=True)
class Found:
    """What is found in a unit, with its syntax. `problems`: why the unit must be kept, by node."""

    streams: Streams = NONE
    sites: list[Site] = field(default_factory=list)
    binds: Binds = field(default_factory=dict)
    seeding: seeding.Seeding | None = None
    problems: dict[cst.CSTNode, str] = field(default_factory=dict)
    turns: dict[cst.For, Turn] = field(default_factory=dict)  # loops over lists of generators that are needed afterwards
    indexed: set[cst.CSTNode] = field(default_factory=set)  # what makes lists of generators that are drawn from by their indices
    spawning: dict[cst.Call, str] = field(default_factory=dict)  # calls that spawn -> the seed of theirs
    places: Mapping[cst.CSTNode, Place] = field(default_factory=dict)  # of calls
    gives: bool = False  # it gives its callers the key

    def seeded(self, node: cst.CSTNode) -> bool:
        """Whether NumPy's state was certainly seeded before a node is evaluated."""
        return self.seeding is not None and self.seeding.before(node)

    def drains(self, node: cst.CSTNode) -> bool:
        """Whether it may have been."""
        return self.seeding is not None and self.seeding.maybe_before(node)


def find(
    run: Run, node: cst.FunctionDef | cst.Module, nodes: list[cst.CSTNode], scopes: Scopes, exported: frozenset[str]
) -> Found:
    """Look at a unit that was run. `exported`: names of the module that other modules import."""
    if run.facts.random.random_on_host:
        return Found()
    objects = [(n, v) for n, v in run.values.items() if v.kind in OBJECTS]
    generators = {n: v for n, v in objects if is_generator(v) and type(n) in HOLDING}
    lists = [n for n, v in objects if in_collection(v) is not None and isinstance(n, (cst.Name, cst.Attribute))]
    params = frozenset(p for p in run.params if is_generator(run.unit.bound.get(p, UNKNOWN)))
    lent = frozenset(p for p in run.params if in_collection(run.unit.bound.get(p, UNKNOWN)) is not None)
    others = bound_otherwise(run)
    direct = {statement_of(run, s.node): frozenset({GLOBAL_STATE}) for s in run.random.sites.values() if s.seeds}
    places = call_order.places(run, node, nodes, direct) if run.facts.random.seeds else {}
    sown = [c for c, at in places.items() if is_sown(run, c, at)]
    if (
        not others
        and not generators
        and not lists
        and not run.random.sites
        and not run.random.makers
        and not params
        and not lent
        and not sown
    ):
        asked = seeds_held(run) | drawn_elsewhere(run, nodes)
        return Found(NONE._replace(key=key_name(nodes), once=handed_once(run, nodes), attrs=asked), places=places)
    found = Found(sites=[*run.random.sites.values(), *(Site(c, GLOBAL_STATE, seeds=True) for c in sown)], places=places)
    shared = (scopes.captured(node) | exported) if isinstance(node, cst.Module) else NOTHING
    for name in shared_defaults(run, node):
        found.problems[node] = (
            f"the generator that is the default of `{name}` is shared by all calls: make it None, and one inside"
        )
    sets = {f"attr:{run.facts.root(run.unit.cls)}.{name}" for name, v in run.attributes.attrs.items() if holds_generator(v)}
    attrs = set(sets)
    returns = False
    variables: set[str] = set()
    for use in generators:
        if isinstance(use, cst.Call) or use in run.random.makers or is_child(run, use):
            continue
        path = path_of(use) or element(use)
        if not path:
            found.problems[use] = "it uses a generator that has no name"
            continue
        if isinstance(use, cst.Subscript) and (why := unsafe(run, use)):
            found.problems[use] = why
            continue
        if isinstance(use, cst.Attribute):
            if (token := attribute_token(run, use)) is None:
                found.problems[use] = f"it uses `{path}`, a generator of an object of unknown class"
                continue
            attrs.add(token)
            if run.is_shared(run.values[use.value].name, use.attr.value):
                found.problems[use] = f"`{path}` is a generator that all objects of the class share"
            run.constraints.impure[use] = f"it binds `{path}`, a key, again"
        elif isinstance(use, cst.Name) and not run.unit.in_function and use.value in exported:
            found.problems[use] = f"other modules import `{path}`, a generator: pass it to their functions as an argument"
        elif isinstance(use, cst.Name) and (use.value in shared or of_module(run, use, scopes)):
            variables.add(f"{run.source.name}.{use.value}")
        handed = handing(run, use, path)
        if handed is None:
            continue
        if not handed:
            code = cst.Module([]).code_for_node(around(run, use)).strip()
            found.problems[use] = f"it uses its generator as `{code}`, which a key cannot be"
            continue
        returns = returns or handed == "returned"
        found.sites.append(Site(use, path, (handed,), optional=use in run.random.optional or use in run.random.either))
    names = {v.rpartition(".")[2] for v in variables} | (shared & {p for p in map(path_of, generators) if p is not None})
    names |= {t for n in run.random.makers for t in bound_to(run, n) if t in shared}
    variables |= {f"{run.source.name}.{name}" for name in names}
    attrs |= {f"global:{v}" for v in variables}
    again = rebound(run, nodes, scopes.opened_by(node).globals) if run.unit.in_function else NOTHING
    if run.unit.in_function and not scopes.opened_by(node).globals.isdisjoint(names | again):
        found.problems[node] = f"it binds `{min(again or names)}`, a generator that is a variable of the module, again"
    plain = any(s.stream == GLOBAL_STATE for s in found.sites)
    found.sites = [s._replace(stream=GLOBAL_STATE) if s.stream in names else s for s in found.sites]
    several = {whole for n in run.random.makers if (whole := listed(run, n)) is not None}
    for call in generators:
        here = isinstance(call, cst.Call) or call in run.random.makers or is_child(run, call)
        if not here or listed(run, call) in several:
            continue
        if (end := made_for(run, call)) == "":
            found.problems[call] = (
                f"it creates a generator in `{cst.Module([]).code_for_node(around(run, call)).strip()}`: give it a name"
            )
        returns = returns or end == "returned"
    if returns:
        found.problems |= {
            n: "it returns a generator on some paths only" for n, (v, _env) in run.flow.returns.items() if not is_generator(v)
        }
        if run.flow.end is not None:
            found.problems[node] = "it returns a generator on some paths only"
    for name, value in run.attributes.attrs.items():
        known = run.attribute(run.unit.cls, name)
        if in_collection(value) is not None and known is not None and in_collection(known) is None:
            found.problems[node] = f"`{run.unit.self_name}.{name}` contains generators, and is also bound to something else"
        if is_generator(value) and known is not None and known.kind is Kind.UNKNOWN:
            found.problems[node] = f"`{run.unit.self_name}.{name}` is a generator, and bound to something else, too"
    for seed in run.random.makers.values():
        owner = run.values.get(seed.value, UNKNOWN) if isinstance(seed, cst.Attribute) else UNKNOWN
        if isinstance(seed, cst.Attribute) and owner.kind is Kind.OBJECT:
            attrs.add(f"seed:{run.facts.root(owner.name)}.{seed.attr.value}")
    attrs |= seeds_held(run)
    once = {n for call in (*run.random.spawns, *several) if consumed_once(run, call, nodes) for n in bound_to(run, call)}
    for call in (*run.random.spawns, *several):
        if consumed_once(run, call, nodes):
            continue
        found.indexed.add(call)
        if not held_by(run, call):
            found.problems[call] = "it creates several generators, and does more with them than iterate over them once"
    for use in lists:
        if isinstance(use, cst.Attribute):
            if (token := attribute_token(run, use)) is None:
                found.problems[use] = f"it uses `{path_of(use)}`, generators of an object of unknown class"
                continue
            attrs.add(token)
        elif use.value in shared or of_module(run, use, scopes):
            found.problems[use] = f"it draws from `{use.value}`, a variable of the module: take it as an argument"
        elif use.value in once:
            continue
        if (loop := turn(run, use)) is not None:
            found.turns[loop[0]] = loop[1]
            run.constraints.impure[use] = "it takes keys from a list, and stores new ones"
        elif misused(run, use):
            found.problems[use] = f"it does more with the generators of `{path_of(use)}` than to draw from one by its index"
    for made in seeded_alike(run):
        found.problems[made] = (
            "it creates several generators from one SeedSequence, which are identical in NumPy: spawn one for each"
        )
    bound_here = bound_elsewhere(run, nodes)
    sets |= bound_here
    attrs |= bound_here | drawn_elsewhere(run, nodes) | {f"attr:{run.facts.root(run.unit.cls)}.{name}" for name in others}
    for name in others:
        found.problems[node] = (
            f"`{run.unit.self_name}.{name}`, which contains generators in a base class, is bound to something else"
        )
    for draw in unknown_draws(run, nodes):
        found.problems.setdefault(draw, f"np2jax cannot tell whether `{path_of(draw.func) or '...'}` draws from a generator")
    found.binds = bindings(
        run, nodes, found.sites, {s.stream for s in found.sites} | {p for u in generators if (p := path_of(u))} | names
    )
    for statement, bound in found.binds.items():
        if not bound.isdisjoint(names):
            found.binds[statement] = bound - names | {GLOBAL_STATE}
    found.spawning = {call: origin(run, call, found.binds) for call in run.random.spawns}
    found.seeding = seeding.seeding(node, run.source.parents, found.binds)
    own = [s for s in found.sites if s.stream == GLOBAL_STATE and not s.seeds]
    found.gives = run.unit.in_function and bool(found.seeding.seeds) and run.sows()
    unsown = seeding.seeding(node, run.source.parents, direct)
    found.streams = Streams(
        state=StateUse(
            draws=any(not found.seeding.before(s.node) for s in own) or (found.gives and not certain(run, found.seeding)),
            seeds=bool(found.seeding.seeds),
            drains=any(found.seeding.maybe_before(s.node) for s in own),
            plain=plain,
            sows=bool(direct),
            own=bool(own),
            thirsty=any(not unsown.before(s.node) for s in own),
            sown_by=frozenset(
                run.call_graph.calls[s.node].callee for s in found.sites if s.seeds and s.node in run.call_graph.calls
            ),
            borrows=next(iter(run.random.borrows.values()), ""),
        ),
        params=params,
        gives=frozenset((c.callee, p) for c in run.call_graph.calls.values() for p, v in c.args if is_generator(v)),
        lent=lent,
        lends=frozenset((c.callee, p) for c in run.call_graph.calls.values() for p, v in c.args if in_collection(v) is not None),
        returns=returns,
        takes=frozenset(
            run.call_graph.calls[c].callee for c in run.call_graph.calls if holds_generator(run.values.get(c, UNKNOWN))
        ),
        attrs=frozenset(attrs),
        sets=frozenset(sets),
        variables=frozenset(variables),
        rebound=frozenset(f"{run.source.name}.{name}" for name in again),
        numbers=frozenset(run.random.numbers),
        once=handed_once(run, nodes),
        legacy=seeds_of(run, RANDOM_STATE),
        modern=seeds_of(run, GENERATOR),
        key=min(names) if names and not run.unit.in_function else key_name(nodes),
    )
    return found


def is_sown(run: Run, call: cst.CSTNode, at: Place) -> bool:
    """Whether a call gives a key that is needed afterwards."""
    fact = run.function(run.call_graph.calls[call].callee)
    return fact is not None and (run.name, at.order) in fact.sown


def certain(run: Run, found: seeding.Seeding) -> bool:
    """Whether NumPy's state is seeded on every way to the end of a function."""
    return (run.flow.end is None or found.at_end()) and all(map(found.before, run.flow.returns))


def seeds_of(run: Run, kind: str) -> tuple[str, ...]:
    """The seeds of generators of one kind that are made here, and of NumPy's state, which is a RandomState."""
    made = [seed for node, seed in run.random.makers.items() if run.values.get(node, UNKNOWN).name == kind]
    made += [s.seed for s in run.random.sites.values() if s.seeds and s.node not in run.call_graph.calls and kind == RANDOM_STATE]
    given = [(seed, run.values.get(seed, UNKNOWN)) for seed in made if seed is not None]
    return tuple(sorted(shown(seed) for seed, value in given if value.kind is not Kind.NONE and not is_generator(value)))


def of_module(run: Run, name: cst.Name, scopes: Scopes) -> bool:
    """Whether a function uses a variable of its module."""
    return run.unit.in_function and name.value not in run.unit.local and scopes.is_module_level(name)


def handed_once(run: Run, nodes: list[cst.CSTNode]) -> frozenset[tuple[str, str, str]]:
    """Parameters that are called what generators are, and mentioned once, as an argument of a call outside of all loops."""
    called_so = {p for p in run.params if sounds_like_generator(p) and not is_generator(run.unit.bound.get(p, UNKNOWN))}
    if not called_so:
        return frozenset()
    parents = run.source.parents
    seen: dict[str, list[cst.Name]] = {p: [] for p in called_so}
    for node in nodes:
        if type(node) is cst.Name and node.value in seen:
            parent = parents.get(node)
            named = (isinstance(parent, cst.Arg) and parent.keyword is node) or (
                isinstance(parent, cst.Attribute) and parent.attr is node
            )
            if not named and not isinstance(parent, cst.Param):
                seen[node.value].append(node)
    found = set()
    for name, uses in seen.items():
        if len(uses) == 1 and (call := call_once(run, uses[0])) is not None:
            found |= {(name, call.callee, p) for p, v in call.args if v.holds == name}
    return frozenset(found)


def call_once(run: Run, use: cst.Name) -> CallFact | None:
    """The call of a function of the project that a name is an argument of; None where there is none, or it is in a loop."""
    argument = run.source.parents.get(use)
    call = at = run.source.parents.get(argument) if isinstance(argument, cst.Arg) else None
    while at is not None and at is not run.unit.owner:
        if isinstance(at, (cst.For, cst.While, *COMPREHENSIONS, cst.Lambda, cst.FunctionDef)):
            return None
        at = run.source.parents.get(at)
    return None if call is None else run.call_graph.calls.get(call)


def held_by(run: Run, call: cst.CSTNode) -> str:
    """The variable, or the attribute of the object itself, that is bound to a list of generators where it is made; "" for none."""
    match run.source.parents.get(call):
        case cst.Assign(targets=[cst.AssignTarget(target=target)]) | cst.AnnAssign(target=target):
            place = path_of(target) or ""
            own = place.partition(".")[2] in run.attributes.attrs and place.partition(".")[0] == run.unit.self_name
            return place if own or "." not in place else ""
    return ""


def bound_to(run: Run, call: cst.CSTNode) -> list[str]:
    """The variable that what a call makes is bound to."""
    match run.source.parents.get(call):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) | cst.AnnAssign(target=cst.Name(value=name)):
            return [name]
    return []


def rebound(run: Run, nodes: list[cst.CSTNode], variables: Collection[str]) -> frozenset[str]:
    """The variables of the module that a function binds to generators."""
    return frozenset(
        t.target.value
        for node in nodes
        if type(node) is cst.Assign and is_generator(run.values.get(node.value, UNKNOWN))
        for t in node.targets
        if isinstance(t.target, cst.Name) and t.target.value in variables
    )


def shared_defaults(run: Run, node: cst.FunctionDef | cst.Module) -> list[str]:
    """Parameters that are generators, and have another default than None."""
    if isinstance(node, cst.Module):
        return []
    every = (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)
    return [
        p.name.value
        for p in every
        if is_generator(run.unit.bound.get(p.name.value, UNKNOWN))
        and p.default is not None
        and not (isinstance(p.default, cst.Name) and p.default.value == "None")
    ]


def key_name(nodes: list[cst.CSTNode]) -> str:
    names = {n.value for n in nodes if type(n) is cst.Name}
    return next(n for n in ("key", "rng_key", "random_key", "jax_random_key") if n not in names)


def handing(run: Run, use: cst.CSTNode, path: str) -> str | None:
    """What a generator is handed on for, as the stem of the key's name; None where it is not handed on; "" where it is not known."""
    parents = run.source.parents
    parent = parents.get(use)
    match parent:
        case cst.Attribute():
            call = parents.get(parent)
            return None if isinstance(call, cst.Call) and call.func is parent and call in run.random.sites else ""
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.Is() | cst.IsNot())]):
            return None
        case cst.ComparisonTarget(operator=cst.Is() | cst.IsNot()):
            return None
        case cst.Return():
            return "returned"
        case cst.ListComp() | cst.DictComp() if use is (parent.elt if isinstance(parent, cst.ListComp) else parent.value):
            own = {n for c in clauses_of(parent.for_in) for n in bound_names(c.target)}
            return "rng" if path in own else ""  # what a turn is given goes into the list
        case cst.Arg():
            call = parents.get(parent)
            if isinstance(call, cst.Call) and run.scopes.qualname(call.func) == "builtins.isinstance":
                return None
            if isinstance(call, cst.Call) and call in run.random.makers:
                around = parents.get(outer) if isinstance(outer := parents.get(call), cst.Arg) and not outer.star else None
                if isinstance(outer, cst.Attribute) and (drawn := run.random.sites.get(parents.get(outer) or outer)) is not None:
                    return drawn.keys[0] if drawn.keys else ""
                if listed(run, call) is not None:
                    return "rng"
                return (
                    called(run.call_graph.calls[around].callee) if around in run.call_graph.calls else assigned(run, call, path)
                )
            if isinstance(call, cst.Call) and call in run.call_graph.calls and not parent.star:
                return called(run.call_graph.calls[call].callee)
            return ""
    return assigned(run, use, path)


def made_for(run: Run, call: cst.CSTNode) -> str | None:
    """What becomes of a generator that is made here, as `handing` says it: "" where it is not known."""
    parents = run.source.parents
    parent = parents.get(call)
    match parent:
        case cst.Expr():
            return None
        case cst.Attribute():
            return None if parents.get(parent) in run.random.sites else ""
        case cst.Arg():
            around = parents.get(parent)
            return "" if parent.star or not (around in run.call_graph.calls or around in run.random.makers) else None
        case cst.Element():
            display, whole = parents.get(parent), parents.get(parents.get(parent) or call)
            unpacked = (
                isinstance(whole, cst.Assign) and len(whole.targets) == 1 and isinstance(whole.targets[0].target, cst.Tuple)
            )
            return None if unpacked and isinstance(display, cst.Tuple) else ""
        case cst.Return() if parent not in run.flow.returns:
            return ""  # of a nested function
    whole_value: cst.CSTNode = call
    while isinstance(parent, cst.BooleanOperation) or (isinstance(parent, cst.IfExp) and whole_value is not parent.test):
        whole_value, parent = parent, parents.get(parent)
    return assigned(run, call, "") if is_generator(run.values.get(whole_value, UNKNOWN)) else ""


def listed(run: Run, call: cst.CSTNode) -> cst.CSTNode | None:
    """The list or dict that a generator is made for: `[default_rng(s) for s in seeds]`, `[default_rng(1), default_rng(2)]`."""
    around = run.source.parents.get(call)
    if isinstance(around, cst.Element):
        around = run.source.parents.get(around)
    if isinstance(around, cst.List):
        kinds = {v.name if is_generator(v := run.values.get(e.value, UNKNOWN)) else "" for e in around.elements}
        return around if len(kinds) == 1 and "" not in kinds else None
    if isinstance(around, cst.DictElement) and around.value is call:
        display = run.source.parents.get(around)
        return display if display is not None and in_collection(run.values.get(display, UNKNOWN)) is not None else None
    made = isinstance(around, cst.ListComp) and around.elt is call
    return around if made or (isinstance(around, cst.DictComp) and around.value is call) else None


def seeded_alike(run: Run) -> list[cst.CSTNode]:
    """Generators that are made of a SeedSequence that others are made of, too: keys that are split of one key are not alike."""
    sequences = {
        name
        for call in run.random.makers
        if isinstance(call, cst.Call) and run.scopes.qualname(call.func) == "numpy.random.SeedSequence"
        for name in bound_to(run, call)
    }
    seeds = [
        (made, seed.value) for made, seed in run.random.makers.items() if isinstance(seed, cst.Name) and seed.value in sequences
    ]
    names = [name for _made, name in seeds]
    return [made for made, name in seeds if names.count(name) > 1 or in_loop(run, made)]


def consumed_once(run: Run, call: cst.CSTNode, nodes: list[cst.CSTNode]) -> bool:
    """Whether generators that are made together are unpacked, or gone through once, there or by a variable's only use."""
    parent = run.source.parents.get(call)
    if parent is not None and is_child(run, parent):
        return True
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=elements))]):
            return all(isinstance(e, cst.Element) and path_of(e.value) is not None for e in elements)
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) if run.unit.in_function:
            uses = [n for n in nodes if type(n) is cst.Name and n.value == name and n is not parent.targets[0].target]
            return len(uses) == 1 and gone_through(run, uses[0]) and not in_loop(run, uses[0])
    return gone_through(run, call)


def gone_through(run: Run, node: cst.CSTNode) -> bool:
    """Whether an expression is what a loop or a comprehension goes through, perhaps together with others by `zip`."""
    parent = run.source.parents.get(node)
    if isinstance(parent, cst.Arg):
        around = run.source.parents.get(parent)
        zipped = isinstance(around, cst.Call) and run.scopes.qualname(around.func) in ("builtins.zip", "builtins.enumerate")
        return zipped and around is not None and gone_through(run, around)
    return isinstance(parent, (cst.For, cst.CompFor)) and parent.iter is node


def in_loop(run: Run, node: cst.CSTNode) -> bool:
    """Whether an expression is evaluated more than once."""
    below, at = node, run.source.parents.get(node)
    while at is not None and at is not run.unit.owner:
        if isinstance(at, (cst.For, cst.CompFor)):
            if below is not at.iter:
                return True
        elif isinstance(at, (cst.While, cst.Lambda, cst.FunctionDef)) or (
            isinstance(at, COMPREHENSIONS) and below is not at.for_in
        ):
            return True
        below, at = at, run.source.parents.get(at)
    return False


def called(function: str) -> str:
    """What the key for a call is called after: the function, or the class that is made."""
    owner, _dot, short = function.rpartition(".")
    return owner.rpartition(".")[2].lower() if short == "__init__" else short.strip("_")


def assigned(run: Run, node: cst.CSTNode, path: str) -> str | None:
    """The last part of the place that an expression is bound to; None where that is `path` itself; "" where it is not bound."""
    parents = run.source.parents
    parent = parents.get(node)
    while isinstance(parent, cst.BooleanOperation) or (isinstance(parent, cst.IfExp) and node is not parent.test):
        node, parent = parent, parents.get(parent)
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=target)]) | cst.AnnAssign(target=target):
            place = path_of(target)
            if place == path:
                return None
            return (place or "").rpartition(".")[2].strip("_")
        case cst.AssignTarget() | cst.Param():
            return None
        case cst.AnnAssign():
            return None
        case cst.Return():
            return "returned"
    return ""


def around(run: Run, node: cst.CSTNode) -> cst.CSTNode:
    at = run.source.parents.get(node)
    while at is not None and not isinstance(at, (cst.BaseExpression, cst.BaseSmallStatement)):
        at = run.source.parents.get(at)
    return node if at is None else at


def bindings(run: Run, nodes: list[cst.CSTNode], sites: list[Site], streams: set[str]) -> Binds:
    """Which statements bind which streams anew."""
    found: Binds = {}
    for node in nodes:
        for target in targets(node):
            place = path_of(target)
            bound = frozenset(s for s in streams if place is not None and (s == place or s.startswith(place + ".")))
            if bound:
                statement = statement_of(run, node)
                found[statement] = found.get(statement, NOTHING) | bound
    for site in sites:
        if site.seeds:
            statement = statement_of(run, site.node)
            found[statement] = found.get(statement, NOTHING) | {GLOBAL_STATE}
    return found


def targets(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The places that a node binds, those in tuples one by one."""
    kind = type(node)
    if kind not in BINDING:
        return
    stack: list[cst.BaseExpression] = [node.name if kind is cst.AsName else node.target]  # type: ignore[attr-defined]
    while stack:
        target = stack.pop()
        if isinstance(target, (cst.Tuple, cst.List)):
            stack += [e.value for e in target.elements]
        else:
            yield target


def statement_of(run: Run, node: cst.CSTNode) -> cst.CSTNode:
    at: cst.CSTNode | None = node
    while at is not None and type(at) not in SUITES:
        at = run.source.parents.get(at)
    return node if at is None else at
