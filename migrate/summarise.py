"""What one file says to the rest of the project: a summary of each of its units, without syntax."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ..rules.facts import NOTHING, UNKNOWN, Value, replace
from ..rules.model import Kind
from ..rules.sequences import documented_lists
from ..rules.syntax import remembered
from . import call_places, docstrings, flow, keys, nested_keys, scope, streams
from .analysis import dict_order, early_returns, evidence, generators, loop_returns, ragged, shrinking, statements, usage
from .analysis.call_shapes import CallShape
from .analysis.domain import Env, join, join_all, parameters_in, whole
from .analysis.handed import Handed, handed, made_of
from .analysis.held import held
from .analysis.loops import Turns, is_token
from .analysis.number_sequences import number_sequences
from .analysis.state import IMMUTABLE, MAYBE_NONE, SHARED, CallFact, Facts, Run, Site
from .analysis.updates import code
from .scope import Scopes
from .source import COMPOUND, Source, children

MODULE = "<module>"
YIELDS = "it is a generator"
PLAIN_DECORATORS = ("jax", "functools", "numpy", "numba", "contextlib", "abc", "typing", "builtins", "dataclasses", "pytest")
HOLDING = COMPOUND | {cst.IndentedBlock, cst.Else, cst.Finally, cst.ExceptHandler}  # what definitions may stand in
UFUNC_TYPE = "numpy.ufunc"
NARROW = re.compile(
    r"(?:float|int)(?:8|16|32)\b|complex64|single\b|\bhalf\b|\bu?(?:byte|short|intc)\b|[\"'][<>=|]?[fiuc][1248][\"']"
)
PROPERTIES = ("property", "cached_property")
DEFINED = (Kind.FUNCTION, Kind.CLASS, Kind.MODULE)


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A function at module level, a method, or the code of a module itself: what is converted or kept as a whole."""

    name: str  # "pkg.mod.f", "pkg.mod.C.m", "pkg.mod.<module>"
    node: cst.FunctionDef | cst.Module
    params: tuple[str, ...] = ()
    cls: str = ""
    decorators: tuple[str, ...] = ()

    @property
    def is_module(self) -> bool:
        return type(self.node) is cst.Module

    @property
    def bound(self) -> bool:
        """Whether an object, or its class, is its first argument where it is called by an attribute."""
        return bool(self.cls) and "staticmethod" not in "".join(self.decorators)


class UnitSummary(NamedTuple):
    """One unit, for the linker: plain data."""

    name: str
    module: str
    params: tuple[str, ...] = ()
    defaults: frozenset[str] = NOTHING
    vararg: bool = False
    cls: str = ""
    property: bool = False
    registered: bool = False  # a decorator gets it, which may keep it and call it
    special: str = ""  # why its results must stay as they are: a property, a generator, __init__ ...
    mutates: frozenset[str] = NOTHING
    result: Value = UNKNOWN
    results: int = 1
    already: tuple[tuple[str, int], ...] = ()
    calls: tuple[CallFact, ...] = ()
    block: tuple[str, str] | None = None
    impure: str = ""
    callees: frozenset[str] = NOTHING  # project functions that it calls
    static: frozenset[str] = NOTHING  # parameters that must be static under jit
    not_static: str = ""  # why jit is impossible: a value that Python needs is traced
    loops: str = ""
    turns: tuple[Turns, ...] = ()  # the loops that jit compiles or unrolls
    python_results: frozenset[str] = NOTHING  # functions whose results Python itself needs
    escapes: frozenset[str] = NOTHING
    unresolved: frozenset[str] = NOTHING
    attrs: tuple[tuple[str, Value], ...] = ()
    numpy_used: bool = False
    jax_used: bool = False  # and no NumPy
    arrays: bool = False  # it computes with arrays
    branching: frozenset[str] = (
        NOTHING  # what the tests of branches depend on that jit compiles: parameters, "" for what JAX made
    )
    reads_globals: frozenset[str] = NOTHING
    host_writes: bool = False
    hosted: frozenset[str] = NOTHING  # parameters of which it makes arrays that it changes: see Run.hosted
    handed: tuple[Handed, ...] = ()  # what it hands to whom
    host_uses: frozenset[str] = NOTHING
    touches: frozenset[str] = NOTHING  # parameters that it may change in place
    changes: frozenset[str] = NOTHING  # attributes and module variables whose contents it may change
    items: frozenset[str] = NOTHING
    read_later: frozenset[tuple[str, str]] = frozenset()
    reads: frozenset[str] = NOTHING  # attributes and variables of modules that it reads: "attr:C.x", "global:m.T"
    views: frozenset[str] = NOTHING  # memory of which it makes views, where JAX makes copies: "param:x", "attr:C.x", "global:m.T"
    refuses: tuple[tuple[str, tuple[str, str]], ...] = ()
    augments: frozenset[str] = NOTHING  # parameters that are changed by `p += v` alone, or by who is called in this way
    arrays_only: frozenset[str] = NOTHING  # parameters that are arrays, and no lists, as it uses, documents or annotates them
    aliased: frozenset[tuple[str, str, str]] = frozenset()  # functions, a parameter that they change, one that may get its array
    unknown_calls: frozenset[CallShape] = frozenset()  # how it calls function values that are not known
    required: int = 0  # how many of its parameters have no default
    attr_stores: frozenset[str] = NOTHING
    stored: tuple[tuple[str, Value], ...] = ()  # what is bound to them
    binds: frozenset[str] = NOTHING  # variables of the module that it binds, by `global`: "global:m.x"
    rebinds: frozenset[str] = NOTHING  # attributes that are bound again where it changes their arrays: "attr:C.x"
    leaks: frozenset[str] = NOTHING  # arrays of attributes that something else keeps: "attr:C.x"
    retains: bool = False
    kinds: tuple[tuple[str, str], ...] = ()
    lists: frozenset[str] = NOTHING  # parameters that may be lists, as the documentation says
    given_lists: frozenset[str] = NOTHING  # parameters to which the examples of its docstring give lists
    streams: streams.Streams = streams.NONE
    extends: bool = False  # it can give its callers one value more


class ModuleSummary(NamedTuple):
    """One file, for the linker."""

    name: str
    package: str
    units: tuple[UnitSummary, ...]
    exports: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, Value], ...]
    rebound: frozenset[str]  # module-level variables that are bound more than once, or from a function
    classes: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]], ...]  # name, bases, methods
    pandas: bool = False
    imports: frozenset[str] = NOTHING  # dotted names that it imports
    script: bool = False  # it has a main guard
    tests: bool = False  # it holds tests: it stays as it is
    class_values: tuple[tuple[str, tuple[tuple[str, Value], ...]], ...] = ()  # variables of class bodies
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of dataclasses
    frozen: frozenset[str] = NOTHING  # classes whose fields cannot be bound again, and these fields
    stars: tuple[str, ...] = ()  # modules of which it imports everything
    unsure: frozenset[str] = NOTHING  # what it imports under names that may stand for something else, too
    names: frozenset[str] = NOTHING  # what it binds itself
    mentioned: tuple[tuple[str, int], ...] = ()  # how often it names functions and modules
    seeds: bool = False  # its text speaks of seeds
    narrow: bool = False  # its text names dtypes of less than 64 bits


@dataclass(slots=True)
class Module:
    """One parsed file and what was found out about it. `nodes`: the nodes of each unit, without those of other units."""

    source: Source
    scopes: Scopes
    units: dict[str, Unit]
    nodes: dict[str, list[cst.CSTNode]]
    runs: dict[str, Run] = field(default_factory=dict)
    summaries: dict[str, UnitSummary] = field(default_factory=dict)  # of these runs
    local_evidence: dict[str, dict[str, Value]] = field(default_factory=dict)
    live: dict[str, flow.Liveness] = field(default_factory=dict)
    streams: dict[str, streams.Found] = field(default_factory=dict)
    special: dict[str, str] = field(default_factory=dict)
    rooted: dict[str, frozenset[str]] = field(default_factory=dict)
    lists: dict[str, frozenset[str]] = field(default_factory=dict)
    given_lists: dict[str, frozenset[str]] = field(default_factory=dict)
    of_jax: frozenset[str] = NOTHING  # units that name what is JAX's
    guessed: dict[str, frozenset[str]] = field(default_factory=dict)  # parameters that are generators by names and uses
    sequences: dict[str, frozenset[str]] = field(
        default_factory=dict
    )  # parameters that may be lists of numbers as well as arrays
    imports: frozenset[str] = NOTHING
    unsure: frozenset[str] = NOTHING
    mentioned: tuple[tuple[str, int], ...] = ()
    lines: tuple[int, ...] = ()  # where loops were moved (see outline) or written plainly (see desugar): the lines of the file
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what was written plainly, by unit
    owners: dict[str, str] = field(default_factory=dict)  # functions that loops became, and the units they came from


def read(source: Source) -> Module:
    scopes = scope.build(source)
    found: dict[str, Unit] = {}
    for unit in units(source, scopes):
        name = named_apart(unit, found)
        found[name] = unit if name == unit.name else replace(unit, name=name)
    module = Module(source, scopes, found, nodes_of_units(source, found.values()))
    module.imports, module.unsure = imported_names(module), unsure_imports(module)
    module.mentioned = mentioned(module)
    module.of_jax = of_jax(module)
    return module


def named_apart(unit: Unit, others: Mapping[str, Unit]) -> str:
    """A name of its own for each definition: "m.C.x@setter" of a property, "m.f@2" where a name is defined again."""
    accessor = next((d.rpartition(".")[2] for d in unit.decorators if d.endswith((".setter", ".deleter"))), "")
    name = f"{unit.name}@{accessor}" if accessor else unit.name
    number = 2
    while name in others:
        name, number = f"{unit.name}@{accessor}{number}", number + 1
    return name


def written_name(name: str) -> str:
    """The name of a unit as it stands in the source: "m.C.x" for "m.C.x@setter"."""
    owner, dot, short = name.rpartition(".")
    return f"{owner}{dot}{short.partition('@')[0]}"


def nodes_of_units(source: Source, found: Iterable[Unit]) -> dict[str, list[cst.CSTNode]]:
    """The nodes of each unit, in source order. A definition is among its own nodes, its decorators and defaults, too."""
    name_of: dict[cst.CSTNode, str] = {u.node: u.name for u in found}
    owner: dict[cst.CSTNode, list[cst.CSTNode]] = {}
    result: dict[str, list[cst.CSTNode]] = {name: [] for name in name_of.values()}
    for node, parent in source.parents.items():
        name = name_of.get(node)
        nodes = result[name] if name is not None else owner[parent]  # type: ignore[index]  # only the module has no parent
        nodes.append(node)
        owner[node] = nodes
    return result


def units(source: Source, scopes: Scopes) -> Iterator[Unit]:
    """The units of a file: functions also under `if` and `try` at module level, methods of classes at module level."""
    yield Unit(f"{source.name}.{MODULE}", source.module)
    for node, _parent in walk_definitions(source.module):
        if isinstance(node, cst.FunctionDef):
            name = scopes.qualname(node.name) or f"{source.name}.{node.name.value}"
            yield Unit(name, node, parameters(node.params), decorators=decorators(node, scopes))
        else:
            owner = scopes.qualname(node.name) or f"{source.name}.{node.name.value}"
            for inner, _p in walk_definitions(node.body):
                if isinstance(inner, cst.FunctionDef):
                    yield Unit(f"{owner}.{inner.name.value}", inner, parameters(inner.params), owner, decorators(inner, scopes))


def walk_definitions(root: cst.CSTNode) -> Iterator[tuple[cst.FunctionDef | cst.ClassDef, cst.CSTNode]]:
    """Definitions below `root`, not those inside of them."""
    stack: list[tuple[cst.CSTNode, cst.CSTNode]] = [(c, root) for c in reversed(children(root))]
    while stack:
        node, parent = stack.pop()
        if type(node) is cst.FunctionDef or type(node) is cst.ClassDef:
            yield node, parent
        elif type(node) in HOLDING:
            stack.extend((c, node) for c in reversed(children(node)))


def parameters(params: cst.Parameters) -> tuple[str, ...]:
    return tuple(p.name.value for p in (*params.posonly_params, *params.params, *params.kwonly_params))


def decorators(node: cst.FunctionDef, scopes: Scopes) -> tuple[str, ...]:
    found = []
    for decorator in node.decorators:
        target = decorator.decorator.func if isinstance(decorator.decorator, cst.Call) else decorator.decorator
        found.append(
            scopes.qualname(target) or (target.value if isinstance(target, cst.Name) else cst.Module([]).code_for_node(target))
        )
    return tuple(found)


def run_unit(
    module: Module, unit: Unit, facts: Facts, called: Callable[[Run, Env, cst.CSTNode, CallFact], None] | None = None
) -> Run:
    """Run the abstract interpreter over one unit with what is known of the project; again where that showed evidence."""
    while (run := run_once(module, unit, facts, called)).learned:
        module.local_evidence[unit.name].update(run.learned)
    return run


def run_once(
    module: Module, unit: Unit, facts: Facts, called: Callable[[Run, Env, cst.CSTNode, CallFact], None] | None = None
) -> Run:
    source, scopes = module.source, module.scopes
    if unit.name not in module.live:
        module.live[unit.name] = flow.live(unit.node)
        used = generators_by_usage(module, unit)
        module.local_evidence[unit.name] = unit_evidence(module, unit, facts, used)
        module.special[unit.name] = special(unit, module.nodes[unit.name])
        module.rooted[unit.name] = rooted(module, unit)
        module.given_lists[unit.name] = lists_in_examples(unit)
        module.lists[unit.name] = listed(unit) | module.given_lists[unit.name]
        promised = promised_generators(unit)
        module.guessed[unit.name] = frozenset(n for n in used if n not in promised)
    live = module.live[unit.name]
    hints = module.local_evidence[unit.name]
    run = Run(source, scopes, facts, unit.name, live, unit.params, unit.cls, evidence=hints, local=scopes.assigned(unit.node))
    run.owner, run.called = unit.node, called
    run.given = facts.params.get(unit.name)
    run.listed = module.lists[unit.name]
    run.in_function = not unit.is_module
    run.guessed = module.guessed[unit.name]
    run.sequences = set(module.sequences.get(unit.name, NOTHING))
    run.rooted = module.rooted[unit.name]
    env: Env = {}
    if isinstance(unit.node, cst.FunctionDef):
        bind_parameters(run, env, unit, facts, hints)
        run.bound = dict(env)
        body = statements.block_of(unit.node.body)
    else:
        body = unit.node.body
    run.end = statements.run_block(run, env, body)
    early_returns.settle(run)
    ragged.settle(run, module.nodes[unit.name])
    shrinking.settle(run)
    module.runs[unit.name] = run
    return run


def rooted(module: Module, unit: Unit) -> frozenset[str]:
    """Names whose attributes or items a unit mentions."""
    places = [n.value for n in module.nodes[unit.name] if type(n) is cst.Attribute or type(n) is cst.Subscript]
    return frozenset(p.value for p in places if type(p) is cst.Name)


def bind_parameters(run: Run, env: Env, unit: Unit, facts: Facts, hints: dict[str, Value]) -> None:
    assert isinstance(unit.node, cst.FunctionDef)
    params = unit.node.params
    callers = facts.params.get(unit.name, {})
    for position, param in enumerate((*params.posonly_params, *params.params, *params.kwonly_params)):
        name = param.name.value
        if position == 0 and unit.bound:
            run.self_name = name
            env[name] = Value(Kind.OBJECT if "classmethod" not in "".join(unit.decorators) else Kind.CLASS, name=unit.cls)
            continue
        known = hints.get(name) or UNKNOWN
        from_callers = callers.get(name)
        if from_callers is not None and from_callers.kind is not Kind.UNKNOWN:
            if name in run.sequences:  # what the calls give is more than a guess
                run.sequences.discard(name)
                known = UNKNOWN
            if known.kind is Kind.UNKNOWN:
                known = from_callers
            elif known.kind is from_callers.kind:
                known = replace(
                    known, dtype=known.dtype or from_callers.dtype, rank=known.rank if known.rank >= 0 else from_callers.rank
                )
        if known.kind is Kind.DICT and from_callers is not None and from_callers.kind is Kind.DICT:
            known = replace(known, elements=from_callers.elements)
        if known.kind is Kind.ARRAY and from_callers is not None and from_callers.kind is Kind.OBJECT:
            known = UNKNOWN  # an object with attributes that arrays have, too
        memory = frozenset({f"param:{name}"}) if known.kind not in (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.DTYPE) else NOTHING
        if param.annotation is not None and says_jax(param.annotation.annotation, run.scopes):
            memory = frozenset({f"{IMMUTABLE}{name}"})
        if known.kind in (Kind.OBJECT, Kind.CLASS) and not known.name:
            known = UNKNOWN
        env[name] = Value(
            known.kind,
            known.dtype,
            known.rank,
            frozenset({name}),
            False,
            False,
            memory,
            name,
            origin=from_callers.origin if from_callers else NOTHING,
            name=known.name,
            number=known.number,
            elements=known.elements if known.kind is Kind.DICT else None,
            shape=f"param:{name}" if memory else "",
        )
        if isinstance(param.default, cst.Name) and param.default.value == "None":
            env[MAYBE_NONE + name] = UNKNOWN
    for star, kind in ((params.star_arg, Kind.TUPLE), (params.star_kwarg, Kind.DICT)):
        if isinstance(star, cst.Param):
            name = star.name.value
            env[name] = Value(kind, deps=frozenset({name}), memory=frozenset({f"param:{name}"}))


def is_stale(module: Module, unit: Unit, facts: Facts) -> bool:
    """Whether a unit saw other facts when it was run than there are now, or was given other values by its callers."""
    run = module.runs.get(unit.name)
    if run is None:
        return True
    for (kind, name), seen in run.seen.items():
        now = facts.of(kind, name)
        if now is not seen and now != seen:
            return True
    if not isinstance(unit.node, cst.FunctionDef) or run.given == facts.params.get(unit.name):
        return False
    trial = Run(module.source, module.scopes, facts, unit.name, run.live, unit.params, unit.cls)
    trial.sequences = set(module.sequences.get(unit.name, NOTHING))
    env: Env = {}
    bind_parameters(trial, env, unit, facts, module.local_evidence[unit.name])
    return env != run.bound


def syntactic_callees(module: Module, unit: Unit, facts: Facts) -> frozenset[str]:
    """Project functions that the text of a unit calls, as far as names tell: the order in which to run the units."""
    found: set[str] = set()
    for node in module.nodes[unit.name]:
        if type(node) is cst.Call:
            name = module.scopes.qualname(node.func)
            if name is not None:
                found.add(facts.canonical(name))
            elif unit.cls and type(node.func) is cst.Attribute and (method := facts.method(unit.cls, node.func.attr.value)):
                found.add(method)
    return frozenset(found)


def says_jax(annotation: cst.BaseExpression, scopes: Scopes) -> bool:
    """Whether an annotation promises a jax.Array: `jax.Array`, or jaxtyping's `Float[Array, "n"]`."""
    if isinstance(annotation, cst.Subscript):
        return any(isinstance(p.slice, cst.Index) and says_jax(p.slice.value, scopes) for p in annotation.slice[:1])
    return scopes.qualname(annotation) in ("jax.Array", "jax.numpy.ndarray", "jaxtyping.Array")


def unit_evidence(module: Module, unit: Unit, facts: Facts, used: Mapping[str, Value]) -> dict[str, Value]:
    """What the text says of the unit's variables, the strongest source last. `used`: see `generators_by_usage`."""
    found = usage.usage(module.nodes[unit.name], module.source.parents, module.scopes, facts.pandas, facts.methods)
    if not isinstance(unit.node, cst.FunctionDef):
        return {k: v for k, v in found.items() if v.kind is Kind.ARRAY}
    numbers = sequences_by_usage(module, unit, found, facts)
    module.sequences[unit.name] = frozenset(name for name, value in numbers.items() if value.kind is Kind.ARRAY)
    found.update(numbers)
    for name in dead_updates(module, unit):
        if found.get(name, UNKNOWN).kind is Kind.UNKNOWN:
            found[name] = Value(Kind.ARRAY)
    params = unit.node.params
    every = [*params.posonly_params, *params.params, *params.kwonly_params]
    for param in every:
        if (value := evidence.default(param.default)) is not None and found.get(param.name.value, UNKNOWN).kind is not Kind.ARRAY:
            found[param.name.value] = value
    found.update(used)
    docs = docstring(unit.node)
    if docs:
        names = set(unit.params)
        for name, value in evidence.docstring_kinds(docs):
            if name in names:
                found[name] = value
    for param in every:
        if param.annotation is not None and (promised := evidence.annotation(param.annotation.annotation)) is not None:
            found[param.name.value] = promised
    return found


def sequences_by_usage(module: Module, unit: Unit, found: Mapping[str, Value], facts: Facts) -> dict[str, Value]:
    """Parameters of which nothing else is known than that they hold numbers."""
    assert isinstance(unit.node, cst.FunctionDef)
    params = unit.node.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    open_ = [p.name.value for p in every if p.default is None and p.annotation is None]
    open_ = [n for n in open_ if found.get(n, UNKNOWN).kind is Kind.UNKNOWN]
    if not open_ or facts.pandas:
        return {}
    sizes = frozenset(n for n, value in found.items() if value.kind is Kind.SCALAR)
    return number_sequences(module.nodes[unit.name], open_, sizes, module.source.parents, module.scopes)


def generators_by_usage(module: Module, unit: Unit) -> dict[str, Value]:
    """Parameters that are generators by what is done with them: see `generators.by_usage`."""
    if not unit.params:
        return {}
    found = generators.by_usage(unit.params, module.nodes[unit.name], module.source.parents, module.scopes)
    return {name: Value(Kind.OBJECT, name=kind) for name, kind in found.items()}


def promised_generators(unit: Unit) -> frozenset[str]:
    """Parameters that are generators by their annotations."""
    if not isinstance(unit.node, cst.FunctionDef):
        return NOTHING
    params = unit.node.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    promised = {p.name.value: evidence.annotation(p.annotation.annotation) for p in every if p.annotation is not None}
    return frozenset(n for n, value in promised.items() if value is not None and generators.is_generator(value))


def dead_updates(module: Module, unit: Unit) -> Iterator[str]:
    """Parameters that are changed by `p op= ...` and never read again: pointless unless it is an array, changed in place."""
    augmented: dict[str, list[cst.AugAssign]] = {}
    for node in module.nodes[unit.name]:
        if type(node) is cst.AugAssign and type(node.target) is cst.Name and node.target.value in unit.params:
            augmented.setdefault(node.target.value, []).append(node)
    for name, nodes in augmented.items():
        after = module.live[unit.name].after
        if any(name not in after.get(n, frozenset({name})) for n in nodes):
            yield name


def summary_of(module: Module, unit: Unit, run: Run) -> UnitSummary:
    """The plain data that the linker needs of a unit that was run."""
    mutates = frozenset(u.param for found in run.updates.values() for u in found if u.param and not u.problem)
    found = module.streams[unit.name] = streams.find(
        run, unit.node, module.nodes[unit.name], module.scopes, run.facts.exported.get(module.source.name, NOTHING)
    )
    block = first_block(run, unit, mutates) or random_block(module, unit, found)
    result, results, already, problem = returned(run, unit, mutates)
    result = early_returns.result(run, result)
    if problem and block is None and mutates:
        block = ("NJ207", problem)
    if block is None and (default := changed_default(unit, mutates)):
        block = ("NJ207", f"the default of `{default}` is changed in place, and keeps the change")
    if block is None and (optional := optional_output(unit, mutates, already)):
        block = ("NJ207", f"`{optional}`, which may be left out, is changed in place when it is given")
    static: set[str] = set()
    not_static = ""
    for need in run.needs.values():
        if need.value.traced:
            not_static = not_static or f"Python needs `{code(need.node)}`: {need.why}"
        static |= need.value.deps
    impure = next(iter(run.impure.values()), "") or dict_order.reordered(run)
    kinds = []
    for name in unit.params:
        if name == run.self_name:
            continue
        value = run.evidence.get(name)
        facts = run.facts.params.get(unit.name, {}).get(name)
        known = value if value is not None and value.kind is not Kind.UNKNOWN else facts
        if known is not None and known.kind is not Kind.UNKNOWN:
            kinds.append(
                (name, ":".join([known.kind.value, known.dtype, str(known.rank) if known.rank >= 0 else ""]).rstrip(":"))
            )
            if known.kind in (Kind.STRING, *DEFINED):  # which JAX cannot trace, whatever is done with it
                static.add(name)
            if known.kind is Kind.OBJECT and known.name in run.facts.classes:
                not_static = not_static or f"`{name}` is an object of `{known.name.rpartition('.')[2]}`, which jit cannot trace"
            if known.kind is Kind.ARRAY and name in static and not not_static:
                not_static = f"`{name}` is an array, and Python needs its values"
    node = unit.node
    return UnitSummary(
        name=unit.name,
        module=module.source.name,
        params=unit.params,
        vararg=isinstance(node, cst.FunctionDef)
        and (isinstance(node.params.star_arg, cst.Param) or node.params.star_kwarg is not None),
        cls=unit.cls,
        registered=not unit.cls and any(d.partition(".")[0] not in PLAIN_DECORATORS for d in unit.decorators),
        property=any(d.rpartition(".")[2] in PROPERTIES for d in unit.decorators),
        special=module.special[unit.name],
        mutates=mutates,
        result=outside_loops(result),
        results=results,
        already=already,
        calls=tuple(
            replace(call, shared=shared, seeded=seeded, drains=drains, place=place) if shared or drains or place else call
            for node, call in run.calls.items()
            for shared, seeded, drains, place in (
                (shared_result(run, node), found.seeded(node), found.drains(node), found.places.get(node)),
            )
        ),
        block=block,
        impure=impure,
        callees=frozenset(c.callee for c in run.calls.values()),
        static=frozenset(static),
        not_static=not_static,
        loops=next(iter(run.loops.values()), ""),
        turns=tuple(loop.turns for loop in run.compiled.values()),
        python_results=frozenset(run.python_results),
        escapes=frozenset(run.escapes) | escaping(module, unit, run),
        unresolved=frozenset(run.unresolved),
        attrs=attributes(run, result),
        numpy_used=run.numpy_used,
        jax_used=not run.numpy_used and not unit.is_module and unit.name in module.of_jax,
        arrays=run.numpy_used or bool(run.updates) or any(v.kind is Kind.ARRAY for v in run.values.values()),
        branching=branching(run),
        reads_globals=frozenset(run.reads_globals),
        host_writes=run.host_writes,
        hosted=hosted(run),
        handed=handed(run, module.nodes[unit.name], not is_test(module.source.path)),
        host_uses=frozenset(run.host_uses),
        touches=mutates | parameters_in(run.touched),
        changes=frozenset(t for t in run.touched if t.startswith(("attr:", "global:"))),
        items=parameters_in(run.items),
        read_later=frozenset(run.read_later),
        reads=frozenset(run.reads_attrs) | {f"global:{g}" for g in run.reads_globals},
        views=frozenset(run.views),
        refuses=tuple(run.refuses.items()),
        aliased=frozenset(run.aliased),
        augments=augmented(run, mutates),
        arrays_only=frozenset(arrays_only(module, unit, run)),
        unknown_calls=frozenset(run.unknown_calls),
        required=required(node),
        attr_stores=frozenset(run.attr_stores),
        stored=tuple((name, plain(value)) for name, value in run.stored.items()),
        binds=NOTHING
        if unit.is_module
        else frozenset(f"global:{module.source.name}.{n}" for n in module.scopes.opened_by(unit.node).globals),
        rebinds=frozenset(
            t for found in run.updates.values() for u in found if "." in u.place for t in u.value.memory if t.startswith("attr:")
        ),
        leaks=leaks(run) | held(run, module.nodes[unit.name]),
        retains=retains(run),
        kinds=tuple(kinds),
        streams=found.streams,
        extends=run.facts.seeds and unit.name not in module.of_jax and call_places.may_give(run, module.nodes[unit.name]),
        lists=module.lists[unit.name],
        given_lists=module.given_lists[unit.name],
    )


def required(node: cst.FunctionDef | cst.Module) -> int:
    """How many parameters must be given."""
    if isinstance(node, cst.Module):
        return 0
    every = (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)
    return sum(p.default is None for p in every)


def arrays_only(module: Module, unit: Unit, run: Run) -> Iterator[str]:
    """The parameters that are arrays from the start, by use, documentation or annotation: no lists, and bound to nothing else."""
    lists = module.sequences.get(unit.name, NOTHING) | module.lists[unit.name]
    for name in unit.params:
        if run.evidence.get(name, UNKNOWN).kind is Kind.ARRAY and name not in lists:
            if len(module.scopes.opened_by(unit.node).names.get(name, ())) == 1:
                yield name


def hosted(run: Run) -> frozenset[str]:
    """The parameters of which a unit makes arrays that it changes, by itself or by functions that it calls."""
    given = made_of(v for call in run.calls.values() if call.callee in run.hosted_of for _parameter, v in call.args)
    return frozenset(whole(p) for p in run.hosted | given if not is_token(p))


def outside_loops(value: Value) -> Value:
    """A result as its callers see it: what loops made is not known when tracing."""
    deps = frozenset(d for d in value.deps if not is_token(d))
    elements = None if value.elements is None else tuple(map(outside_loops, value.elements))
    return replace(value, deps=deps, traced=value.traced or deps != value.deps, elements=elements)


def branching(run: Run) -> frozenset[str]:
    """What the tests of compiled branches, and the logic of JAX, depend on: parameters, and "" for what JAX made."""
    asked = [node.test for node in (*run.branches, *loop_returns.guards(run)) if isinstance(node, (cst.If, cst.IfExp))]
    tests = [run.values.get(node, UNKNOWN) for node in (*asked, *run.logic)]
    return NOTHING.union(*(t.deps | ({""} if t.traced else NOTHING) for t in tests))


def random_block(module: Module, unit: Unit, found: streams.Found) -> tuple[str, str] | None:
    """Why the keys of a unit's draws cannot be planned."""
    why = next(iter(found.problems.values()), "") or next(iter(keys_of(module, unit, found, ()).problems.values()), "")
    return ("NJ301", why) if why else None


def keys_of(module: Module, unit: Unit, found: streams.Found, calls: Iterable[Site], has_key: bool = True) -> keys.Keys:
    """The keys of a unit; `calls` are the calls that take one, too."""
    sites = [*found.sites, *calls]
    if not sites and not found.turns:
        return keys.Keys()
    place = {node: position for position, node in enumerate(module.nodes[unit.name])}
    sites.sort(key=lambda s: place.get(s.node, -1))
    taken = {n.value for n in module.nodes[unit.name] if type(n) is cst.Name} | module.scopes.assigned(module.source.module)
    planner = keys.Planner(
        unit.node, module.source.parents, sites, found.binds, optional(unit), taken, found.streams.key, has_key, found.seeded
    )
    planner.gives = found.gives
    planned = nested_keys.Nested(planner, module.nodes[unit.name]).plan()
    for loop, turn in found.turns.items():
        planner.turn(planned, loop, turn)
    return planned


def optional(unit: Unit) -> frozenset[str]:
    """Parameters whose default is None."""
    if not isinstance(unit.node, cst.FunctionDef):
        return NOTHING
    params = unit.node.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    return frozenset(p.name.value for p in every if isinstance(p.default, cst.Name) and p.default.value == "None")


def attributes(run: Run, result: Value) -> tuple[tuple[str, Value], ...]:
    """What a method binds to attributes of its object; marked as shared where somebody else gets the array, too."""
    ends = [env for _value, env in run.returns.values()] + ([run.end] if run.end is not None else [])
    gone = result.memory.union(*(env["<escaped>"].memory for env in ends if "<escaped>" in env))
    found = []
    for name, value in run.attrs.items():
        others = gone.union(*(v.memory for n, v in run.attrs.items() if n != name))
        shared = {m for m in value.memory if m in others and not m.startswith("attr:")}
        found.append((name, plain(replace(value, memory=value.memory | {SHARED + name} if shared else value.memory))))
    return tuple(found)


def leaks(run: Run) -> frozenset[str]:
    """Attributes whose arrays were put into a container or given to something that may keep them."""
    ends = [env for _value, env in run.returns.values()] + ([run.end] if run.end is not None else [])
    return frozenset(t for env in ends if "<escaped>" in env for t in env["<escaped>"].memory if t.startswith("attr:"))


def plain(value: Value) -> Value:
    """A value without syntax, and without a name of its shape, which only the unit knows."""
    elements = None if value.elements is None else tuple(map(plain, value.elements))
    return replace(value, view=None, shape="", elements=elements)


def first_block(run: Run, unit: Unit, mutates: frozenset[str]) -> tuple[str, str] | None:
    """The first reason to keep the unit."""
    for found in run.updates.values():
        for update in found:
            if update.problem:
                return update.code, update.problem
            if update.param and update.param in run.lost:
                return "NJ207", f"`{update.param}` is changed in place and then bound to something else"
    if run.blocks:
        return next(iter(run.blocks.values()))
    for name in unit.decorators:
        if name.partition(".")[0] in ("numba", "nb", "njit", "cython", "torch", "tensorflow"):
            return "NJ501", f"`@{name}` compiles it already"
    return None


@remembered
def docstring(node: cst.FunctionDef | cst.Module) -> str | None:
    return node.get_docstring()


def lists_in_examples(unit: Unit) -> frozenset[str]:
    """Parameters to which the examples of the docstring give lists."""
    docs = docstring(unit.node) if unit.params else None
    if docs is None or ">>>" not in docs:
        return NOTHING
    return docstrings.given_lists(docs, written_name(unit.name).rpartition(".")[2], unit.params, unit.bound)


def listed(unit: Unit) -> frozenset[str]:
    """Parameters that may be lists, as the documentation says."""
    docs = docstring(unit.node) if unit.params else None
    return documented_lists(docs) & frozenset(unit.params) if docs else NOTHING


def special(unit: Unit, nodes: Iterable[cst.CSTNode]) -> str:
    """Why the results of a unit cannot change."""
    if unit.is_module:
        return "a module returns nothing"
    assert isinstance(unit.node, cst.FunctionDef)
    name = unit.node.name.value
    if unit.cls and name.startswith("__") and name.endswith("__") and name != "__call__":
        return f"`{name}` returns what Python asks of it"
    if unit.node.asynchronous is not None:
        return "it is a coroutine"
    if any(d.rpartition(".")[2] not in ("staticmethod", "classmethod") for d in unit.decorators):
        return f"`@{unit.decorators[0]}` wraps it"
    if any(type(node) is cst.Yield for node in nodes):
        return YIELDS
    return ""


def returned(run: Run, unit: Unit, mutates: frozenset[str]) -> tuple[Value, int, tuple[tuple[str, int], ...], str]:
    """The joined result, how many values it is, which changed parameters are among them, and why that is not known."""
    values: list[Value] = []
    counts: set[int] = set()
    positions: list[dict[str, int]] = []
    problem = ""
    for _node, (value, env) in run.returns.items():
        values.append(value)
        several = value.kind is Kind.TUPLE and value.elements is not None and len(value.elements) > 1
        items = value.elements if several and value.elements is not None else (value,)
        counts.add(0 if value.kind is Kind.NONE else len(items))
        positions.append({v.holds: i for i, v in reversed(list(enumerate(items))) if v.holds in mutates})
        problem = problem or still_held(env, mutates)
    if run.end is not None:
        values.append(Value(Kind.NONE))
        counts.add(0)
        positions.append({})
        problem = problem or still_held(run.end, mutates)
    if len(counts) > 1:
        problem = problem or "it returns different numbers of values"
    common = dict(positions[0]) if positions else {}
    for found in positions[1:]:
        common = {k: v for k, v in common.items() if found.get(k) == v}
    if positions and any(set(found) - set(common) for found in positions):
        problem = problem or "it returns a changed argument on some ways only"
    result = plain(join_all(values)) if values else UNKNOWN
    if any(d.rpartition(".")[2] not in ("staticmethod", "classmethod", "property", "jit", "wraps") for d in unit.decorators):
        result = replace(result, memory=result.memory | {"?"})  # a cache may hold it
    return result, (counts.pop() if len(counts) == 1 else 1), tuple(sorted(common.items())), problem


def changed_default(unit: Unit, mutates: frozenset[str]) -> str:
    """A changed parameter whose default is an array, made once: it changes from call to call."""
    if not isinstance(unit.node, cst.FunctionDef):
        return ""
    params = unit.node.params
    for param in (*params.posonly_params, *params.params, *params.kwonly_params):
        if param.name.value in mutates and isinstance(param.default, (cst.Call, cst.List, cst.Dict, cst.BinaryOperation)):
            return param.name.value
    return ""


def optional_output(unit: Unit, mutates: frozenset[str], already: tuple[tuple[str, int], ...]) -> str:
    """A changed parameter with the default None that is not returned anyway: handing it back would change every call."""
    if not isinstance(unit.node, cst.FunctionDef):
        return ""
    params = unit.node.params
    for param in (*params.posonly_params, *params.params, *params.kwonly_params):
        name = param.name.value
        if (
            name in mutates
            and name not in dict(already)
            and isinstance(param.default, cst.Name)
            and param.default.value == "None"
        ):
            return name
    return ""


def still_held(env: Env, mutates: frozenset[str]) -> str:
    for name in mutates:
        if name not in env or env[name].holds != name:
            return f"`{name}` is changed in place, but what the caller gave is no longer known at the end"
    return ""


def augmented(run: Run, mutates: frozenset[str]) -> frozenset[str]:
    """Changed parameters that nothing shows to be arrays: `p += v`, or a call of what does that, changes them, and no `p[i] = v`."""
    surely: set[str] = set()
    for node, found in run.updates.items():
        call = run.calls.get(node)
        fact = None if call is None else run.function(call.callee)
        for update in found:
            given = next((p for p, v in call.args if v.holds == update.param), "") if call is not None else ""
            plain = isinstance(node, cst.AugAssign) if fact is None else given in fact.augments
            if update.param and (update.steps or not plain):
                surely.add(update.param)
    return mutates - surely


def shared_result(run: Run, call: cst.CSTNode) -> bool:
    """Whether the result of a call shares memory with an array that the unit changes, other than what the call made."""
    made = run.tokens.get(call, "")
    value = run.values.get(call, UNKNOWN)
    return any(token in run.touched and token.partition(".")[0] != made for token in value.memory)


def retains(run: Run) -> bool:
    """Whether a reference to an argument may outlive the call, other than in the result."""
    ends = [env for _value, env in run.returns.values()] + ([run.end] if run.end is not None else [])
    for env in ends:
        for name, value in env.items():
            if (name == "<escaped>" or "." in name) and any(m.startswith("param:") for m in value.memory):
                return True
    return False


def escaping(module: Module, unit: Unit, run: Run) -> frozenset[str]:
    """Project functions that are used as values: not called, so that their callers are not known."""
    found: set[str] = set()
    parents = module.source.parents
    for node, value in run.values.items():
        if value.kind not in DEFINED:
            continue
        known = (value.kind is Kind.FUNCTION and value.name in run.facts.functions) or value.kind is Kind.CLASS
        if known and type(node) in (cst.Name, cst.Attribute):
            parent = parents.get(node)
            if isinstance(parent, cst.Call) and parent.func is node:
                continue
            if isinstance(parent, cst.Attribute) and parent.value is node:
                continue
            if isinstance(parent, cst.Arg) and is_base(module, run, parent):
                continue
            found.add(value.name)
        elif value.kind is Kind.MODULE and value.name in run.facts.modules and not isinstance(parents.get(node), cst.Attribute):
            found.add(f"{value.name}.*")  # getattr(module, name)
    return frozenset(found)


def is_base(module: Module, run: Run, argument: cst.Arg) -> bool:
    """Whether an argument is the base of a class of the project, whose instances are known as well as its own."""
    cls = module.source.parents.get(argument)
    return isinstance(cls, cst.ClassDef) and argument in cls.bases and module.scopes.qualname(cls.name) in run.facts.classes


def unsure_imports(module: Module) -> frozenset[str]:
    """What is imported under a name that is bound in other ways, too: calls by this name are not resolved."""
    found: set[str] = set()
    for node, parent in module.source.parents.items():
        if type(node) is not cst.ImportAlias:
            continue
        owner: cst.CSTNode | None = parent
        while owner is not None and not isinstance(owner, (cst.FunctionDef, cst.ClassDef, cst.Module)):
            owner = module.source.parents.get(owner)
        local: cst.CSTNode = node.asname.name if node.asname is not None else node.name
        while isinstance(local, cst.Attribute):
            local = local.value
        target = module.scopes.imported(node)
        bindings = module.scopes.opened_by(owner or module.source.module).names
        if target is not None and isinstance(local, cst.Name) and len(bindings.get(local.value, ())) > 1:
            found |= {target, f"{target}.*"}
    return frozenset(found)


def module_summary(module: Module, summaries: tuple[UnitSummary, ...]) -> ModuleSummary:
    """The file's own part: what it exports, its variables, its classes."""
    source, scopes = module.source, module.scopes
    run = module.runs.get(f"{source.name}.{MODULE}")
    variables: dict[str, Value] = {}
    rebound: set[str] = set()
    top = scopes.opened_by(source.module)
    if run is not None:
        env = run.end or {}
        for name, value in env.items():
            if name.isidentifier() and value.kind not in (Kind.FUNCTION, Kind.CLASS, Kind.MODULE):
                variables[name] = plain(value)
                if len(top.names.get(name, ())) != 1 or name in module_updates(run):
                    rebound.add(name)
    for unit in module.units.values():
        if not unit.is_module:
            rebound |= scopes.opened_by(unit.node).globals
    classes = []
    for node, _parent in walk_definitions(source.module):
        if isinstance(node, cst.ClassDef):
            owner = scopes.qualname(node.name) or f"{source.name}.{node.name.value}"
            bases = tuple(scopes.qualname(b.value) or "?" for b in node.bases)
            methods = tuple((u.name.rpartition(".")[2], u.name) for u in module.units.values() if u.cls == owner)
            classes.append((owner, bases, methods))
    exports = tuple(sorted(scopes.exports().items()))
    return ModuleSummary(
        source.name,
        source.package,
        summaries,
        exports,
        tuple(variables.items()),
        frozenset(rebound),
        tuple(classes),
        any(target.partition(".")[0] in ("pandas", "xarray", "polars") for _n, target in exports),
        module.imports,
        any(is_main_guard(s) for s in source.module.body),
        is_test(source.path),
        tuple(
            (c, tuple((k, plain(v)) for k, v in found.items()))
            for c, found in (run.class_values.items() if run is not None else ())
        ),
        tuple(run.fields.items()) if run is not None else (),
        frozenset(run.frozen) if run is not None else NOTHING,
        tuple(star for star in scopes.star_imports if star is not None),
        module.unsure,
        frozenset(top.names),
        module.mentioned,
        "seed" in source.text,
        NARROW.search(source.text) is not None,
    )


def mentioned(module: Module) -> tuple[tuple[str, int], ...]:
    """How often the text names what is defined in this file or imported, by dotted names; of NumPy's names only UFUNC_TYPE."""
    parents, scopes = module.source.parents, module.scopes
    typed = UFUNC_TYPE.rpartition(".")[2] in module.source.text
    names = {name for name, target in scopes.exports().items() if typed or not target.startswith("numpy")}
    names |= {u.node.name.value for u in module.units.values() if isinstance(u.node, cst.FunctionDef)}
    found: Counter[str] = Counter()
    for node, parent in parents.items():
        if type(node) is not cst.Name or node.value not in names:
            continue
        if isinstance(parent, cst.FunctionDef) and parent.name is node:
            continue
        whole: cst.CSTNode = node
        while isinstance(parent, cst.Attribute) and parent.value is whole:
            whole, parent = parent, parents[parent]
        if (name := scopes.qualname(whole)) is not None and (name == UFUNC_TYPE or not name.startswith("numpy")):
            found[name] += 1
    return tuple(found.items())


def of_jax(module: Module) -> frozenset[str]:
    """The units in whose code a name stands for something of JAX."""
    names = {name for name, target in module.scopes.exports().items() if target.partition(".")[0] == "jax"}
    return frozenset(
        unit for unit, nodes in module.nodes.items() if names and any(type(n) is cst.Name and n.value in names for n in nodes)
    )


def imported_names(module: Module) -> frozenset[str]:
    """Dotted names of everything that the file imports, at any level."""
    found: set[str] = set()
    for node in module.source.parents:
        if type(node) is cst.ImportAlias:
            parent = module.source.parents[node]
            name = scope.dotted(node.name) or ""
            if isinstance(parent, cst.ImportFrom):
                base = module.scopes.imported_from(parent)
                found.add(f"{base}.{name}" if base else name)
            else:
                found.add(module.source.absolute(name))
    return frozenset(found)


TEST_FILE = re.compile(r"(^|/)tests?/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")


def is_test(path: str) -> bool:
    """Whether a file holds tests by its name. Tests judge the conversion: they are read, never rewritten."""
    return TEST_FILE.search(path.replace("\\", "/")) is not None


def is_main_guard(statement: cst.CSTNode) -> bool:
    match statement:
        case cst.If(
            test=cst.Comparison(
                left=cst.Name(value="__name__"), comparisons=[cst.ComparisonTarget(comparator=cst.SimpleString())]
            )
        ):
            return True
    return False


def module_updates(run: Run) -> frozenset[str]:
    return frozenset(u.place for found in run.updates.values() for u in found)


__all__ = ["Module", "ModuleSummary", "Unit", "UnitSummary", "join", "module_summary", "read", "run_unit", "summary_of"]
