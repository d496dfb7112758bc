"""How one unit uses random streams: what it draws, and where its generators flow."""

from __future__ import annotations

from collections.abc import Collection, Iterator

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
    seed_attributes,
    unknown_draws,
)
from ..analysis.random.generator_containers import element, generator_loop, misused, unsafe
from ..analysis.random.generator_spawning import origin, shown
from ..analysis.random.generators import GENERATOR, RANDOM_STATE, in_collection, is_child, is_generator
from ..analysis.state.access_paths import path_of
from ..analysis.state.call_facts import CallOrder
from ..analysis.state.interpreter_state import Run
from ..analysis.state.node_facts import GLOBAL_STATE, Site
from ..syntax.scopes import Scopes
from ..syntax.source import SUITES
from . import call_order
from .generator_uses import (
    bound_to,
    consumed_once,
    enclosing,
    handing,
    held_by,
    listed,
    made_for,
    passed_once,
    seeded_identically,
)
from .random_streams import NONE, Binds, Found, StateUse, Streams

HOLDING = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
BINDING = frozenset({cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr, cst.Del, cst.AsName})
OBJECTS = (Kind.OBJECT, Kind.LIST, Kind.DICT)  # generators, and their containers


def find(
    run: Run, node: cst.FunctionDef | cst.Module, nodes: list[cst.CSTNode], scopes: Scopes, exported: frozenset[str]
) -> Found:
    """Find the streams of an interpreted unit. `exported`: names of the module that other modules import."""
    if run.facts.random.random_on_host:
        return Found()
    objects = [(n, v) for n, v in run.values.items() if v.kind in OBJECTS]
    generators = {n: v for n, v in objects if is_generator(v) and type(n) in HOLDING}
    lists = [n for n, v in objects if in_collection(v) is not None and isinstance(n, (cst.Name, cst.Attribute))]
    params = frozenset(p for p in run.params if is_generator(run.unit.bound.get(p, UNKNOWN)))
    lent = frozenset(p for p in run.params if in_collection(run.unit.bound.get(p, UNKNOWN)) is not None)
    others = bound_otherwise(run)
    direct = {statement_of(run, s.node): frozenset({GLOBAL_STATE}) for s in run.random.sites.values() if s.seeds}
    orders = call_order.call_orders(run, node, nodes, direct) if run.facts.random.seeds else {}
    seeded_calls = [c for c, at in orders.items() if seeds_caller(run, c, at)]
    if (
        not others
        and not generators
        and not lists
        and not run.random.sites
        and not run.random.makers
        and not run.random.hosts
        and not params
        and not lent
        and not seeded_calls
    ):
        asked = seed_attributes(run) | drawn_elsewhere(run, nodes)
        return Found(NONE._replace(key=key_name(nodes), once=passed_once(run, nodes), attrs=asked), orders=orders)
    found = Found(sites=[*run.random.sites.values(), *(Site(c, GLOBAL_STATE, seeds=True) for c in seeded_calls)], orders=orders)
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
        passed_values = handing(run, use, path)
        if passed_values is None:
            continue
        if not passed_values:
            code = cst.Module([]).code_for_node(enclosing(run, use)).strip()
            found.problems[use] = f"it uses its generator as `{code}`, which a key cannot be"
            continue
        returns = returns or passed_values == "returned"
        found.sites.append(Site(use, path, (passed_values,), optional=use in run.random.optional or use in run.random.either))
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
                f"it creates a generator in `{cst.Module([]).code_for_node(enclosing(run, call)).strip()}`: give it a name"
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
    attrs |= seed_attributes(run)
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
        if (loop := generator_loop(run, use)) is not None:
            found.generator_loops[loop[0]] = loop[1]
            run.constraints.impure[use] = "it takes keys from a list, and stores new ones"
        elif misused(run, use):
            found.problems[use] = f"it does more with the generators of `{path_of(use)}` than to draw from one by its index"
    for made in seeded_identically(run):
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
            drains=any(map(found.seeding.maybe_before, [*(s.node for s in own), *run.random.hosts])),
            plain=plain,
            sows=bool(direct),
            own=bool(own or run.random.hosts),
            thirsty=any(not unsown.before(s.node) for s in own),
            seeded_by=frozenset(
                run.call_graph.calls[s.node].callee for s in found.sites if s.seeds and s.node in run.call_graph.calls
            ),
            borrows=next(iter(run.random.borrows.values()), ""),
            hosts=bool(run.random.hosts),
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
        once=passed_once(run, nodes),
        legacy=seeds_of(run, RANDOM_STATE),
        modern=seeds_of(run, GENERATOR),
        key=min(names) if names and not run.unit.in_function else key_name(nodes),
    )
    return found


def seeds_caller(run: Run, call: cst.CSTNode, at: CallOrder) -> bool:
    """Whether a call returns a key that is needed afterwards."""
    fact = run.function(run.call_graph.calls[call].callee)
    return fact is not None and (run.name, at.order) in fact.seeded_for


def certain(run: Run, found: seeding.Seeding) -> bool:
    """Whether NumPy's state is seeded on every path to the end of a function."""
    return (run.flow.end is None or found.at_end()) and all(map(found.before, run.flow.returns))


def seeds_of(run: Run, kind: str) -> tuple[str, ...]:
    """The seeds of the generators of one kind created here; those of NumPy's global state count as RandomState."""
    made = [seed for node, seed in run.random.makers.items() if run.values.get(node, UNKNOWN).name == kind]
    made += [s.seed for s in run.random.sites.values() if s.seeds and s.node not in run.call_graph.calls and kind == RANDOM_STATE]
    given = [(seed, run.values.get(seed, UNKNOWN)) for seed in made if seed is not None]
    return tuple(sorted(shown(seed) for seed, value in given if value.kind is not Kind.NONE and not is_generator(value)))


def of_module(run: Run, name: cst.Name, scopes: Scopes) -> bool:
    """Whether a name in a function is a variable of its module."""
    return run.unit.in_function and name.value not in run.unit.local and scopes.is_module_level(name)


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
    """Parameters that are generators and have a default other than None."""
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


def bindings(run: Run, nodes: list[cst.CSTNode], sites: list[Site], streams: set[str]) -> Binds:
    """The statements that rebind streams, with these streams."""
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
    """The targets that a node binds, with tuples flattened."""
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
