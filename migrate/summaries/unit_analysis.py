"""Run the abstract interpreter over one unit, with what the project knows about its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import BIG, NOTHING, STRINGS, UNKNOWN, WIDE, Value, replace
from ...rules.syntax.sequences import documented_lists
from ...rules.syntax.tree import remembered
from ..analysis.branches import early_returns
from ..analysis.inference import declared_types, numpy_scalars, recorded_types, usage_inference
from ..analysis.inference.numeric_sequences import number_sequences
from ..analysis.interp import statements
from ..analysis.loops import compaction
from ..analysis.random import generators
from ..analysis.slices import ragged_slices
from ..analysis.state.call_facts import CallFact
from ..analysis.state.interpreter_state import Run
from ..analysis.state.lattice import Env
from ..analysis.state.memory import IMMUTABLE, MAYBE_NONE
from ..analysis.state.project_facts import Facts
from ..analysis.state.ranks import asserted_ranks, unpacked_ranks
from ..analysis.state.run_parts import RunUnit
from ..syntax import docstrings, liveness
from ..syntax.decorators import UNWRAPPED, Effect
from ..syntax.scopes import Scopes
from .units import YIELDS, Module, Unit, written_name

PLAIN_DECORATORS = ("jax", "functools", "numpy", "numba", "contextlib", "abc", "typing", "builtins", "dataclasses", "pytest")
ITEMS = frozenset((cst.List, cst.ListComp, cst.Tuple, cst.SimpleString, cst.FormattedString))  # these extend a list, or text


def run_once(
    module: Module, unit: Unit, facts: Facts, called: Callable[[Run, Env, cst.CSTNode, CallFact], None] | None = None
) -> Run:
    """Run the abstract interpreter over one unit with the facts of the project; if the run has `learned` evidence, it must be
    repeated with it."""
    source, scopes = module.source, module.scopes
    if unit.name not in module.known.live:
        module.known.live[unit.name] = liveness.live(unit.node)
        used = generators_by_usage(module, unit)
        module.known.local_evidence[unit.name] = unit_evidence(module, unit, facts, used)
        module.known.special[unit.name] = special(unit, module.nodes[unit.name], facts)
        module.known.rooted[unit.name] = rooted(module, unit)
        module.known.list_arguments[unit.name] = lists_in_examples(unit) | lists_by_default(unit)
        module.known.lists[unit.name] = listed(unit) | module.known.list_arguments[unit.name]
        promised = promised_generators(unit)
        module.known.guessed[unit.name] = frozenset(n for n in used if n not in promised)
    live = module.known.live[unit.name]
    hints = module.known.local_evidence[unit.name]
    run = Run(
        source,
        scopes,
        facts,
        unit.name,
        live,
        unit.params,
        unit=RunUnit(cls=unit.cls, outlined=is_outlined(module, unit), evidence=hints, local=scopes.assigned(unit.node)),
    )
    run.unit.owner, run.call_graph.called = unit.node, called
    run.unit.arguments = facts.params.get(unit.name)
    run.unit.listed = module.known.lists[unit.name]
    run.unit.in_function, run.unit.reached = not unit.is_module, module.reached
    run.random.guessed = module.known.guessed[unit.name]
    run.unit.sequences = set(module.known.sequences.get(unit.name, NOTHING))
    run.unit.rooted = module.known.rooted[unit.name]
    env: Env = {}
    if isinstance(unit.node, cst.FunctionDef):
        bind_parameters(run, env, unit, facts, hints)
        run.unit.bound = dict(env)
        body = statements.block_of(unit.node.body)
    else:
        body = unit.node.body
    run.flow.end = statements.run_block(run, env, body)
    early_returns.resolve(run)
    ragged_slices.resolve(run, module.nodes[unit.name])
    compaction.resolve(run)
    numpy_scalars.resolve(run, module.nodes[unit.name])
    module.runs[unit.name] = run
    return run


def is_outlined(module: Module, unit: Unit) -> bool:
    """Whether a function was made of a loop or of statements of another one: no copy of a whole function."""
    made = module.derived
    return unit.name in made.owners and not any(unit.name in whole for whole in (made.clones, made.specialized, made.lifted))


def rooted(module: Module, unit: Unit) -> frozenset[str]:
    """Names whose attributes or elements a unit mentions."""
    places = [n.value for n in module.nodes[unit.name] if type(n) is cst.Attribute or type(n) is cst.Subscript]
    return frozenset(p.value for p in places if type(p) is cst.Name)


def bind_parameters(run: Run, env: Env, unit: Unit, facts: Facts, hints: dict[str, Value]) -> None:
    assert isinstance(unit.node, cst.FunctionDef)
    params = unit.node.params
    callers = facts.params.get(unit.name, {})
    for position, param in enumerate((*params.posonly_params, *params.params, *params.kwonly_params)):
        name = param.name.value
        if position == 0 and unit.bound:
            run.unit.self_name = name
            env[name] = Value(Kind.CLASS if unit.receiver == "class" else Kind.OBJECT, name=unit.cls)
            continue
        known = hints.get(name) or UNKNOWN
        from_callers = callers.get(name)
        if from_callers is not None and from_callers.kind is not Kind.UNKNOWN:
            if name in run.unit.sequences:  # arguments of calls are stronger than a guess
                run.unit.sequences.discard(name)
                known = UNKNOWN
            if known.kind is Kind.UNKNOWN:
                known = from_callers
            elif known.kind is from_callers.kind:
                known = replace(
                    known, dtype=known.dtype or from_callers.dtype, rank=known.rank if known.rank >= 0 else from_callers.rank
                )
                if from_callers.name in (STRINGS, BIG, WIDE):
                    known = replace(known, name=from_callers.name)
        if known.kind is Kind.DICT and from_callers is not None and from_callers.kind is Kind.DICT:
            known = replace(known, elements=from_callers.elements)
        if known.kind is Kind.ARRAY and from_callers is not None and from_callers.kind is Kind.OBJECT:
            known = UNKNOWN  # an object with the same attributes as an array
        if known.kind in (Kind.UNKNOWN, Kind.SCALAR) and (constant := constant_default(run, param)):
            known = constant
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


def constant_default(run: Run, param: cst.Param) -> Value | None:
    """The default of a parameter, if it is a constant of the module that is an integer of many bits."""
    default = run.variable(f"{run.source.name}.{param.default.value}") if isinstance(param.default, cst.Name) else None
    return default if default is not None and default.name in (BIG, WIDE) else None


def is_stale(module: Module, unit: Unit, facts: Facts) -> bool:
    """Whether facts that the last run of a unit saw have changed, or the arguments from its callers."""
    run = module.runs.get(unit.name)
    if run is None:
        return True
    for (kind, name), seen in run.seen.items():
        now = facts.of(kind, name)
        if now is not seen and now != seen:
            return True
    if not isinstance(unit.node, cst.FunctionDef) or run.unit.arguments == facts.params.get(unit.name):
        return False
    trial = Run(module.source, module.scopes, facts, unit.name, run.live, unit.params, unit=RunUnit(cls=unit.cls))
    trial.unit.sequences = set(module.known.sequences.get(unit.name, NOTHING))
    env: Env = {}
    bind_parameters(trial, env, unit, facts, module.known.local_evidence[unit.name])
    return env != run.unit.bound


def syntactic_callees(module: Module, unit: Unit, facts: Facts) -> list[str]:
    """The project functions that a unit calls, judged by names only: this determines the order of interpretation."""
    found: dict[str, None] = {}
    for node in module.nodes[unit.name]:
        if type(node) is cst.Call:
            name = module.scopes.qualname(node.func)
            if name is not None:
                found[facts.canonical(name)] = None
            elif unit.cls and type(node.func) is cst.Attribute and (method := facts.method(unit.cls, node.func.attr.value)):
                found[method] = None
    return list(found)


def says_jax(annotation: cst.BaseExpression, scopes: Scopes) -> bool:
    """Whether an annotation promises a jax.Array: `jax.Array`, or jaxtyping's `Float[Array, "n"]`."""
    if isinstance(annotation, cst.Subscript):
        return any(isinstance(p.slice, cst.Index) and says_jax(p.slice.value, scopes) for p in annotation.slice[:1])
    return scopes.qualname(annotation) in ("jax.Array", "jax.numpy.ndarray", "jaxtyping.Array")


def unit_evidence(module: Module, unit: Unit, facts: Facts, used: Mapping[str, Value]) -> dict[str, Value]:
    """The evidence about the unit's variables in its text; stronger sources replace weaker ones. `used`: see
    `generators_by_usage`."""
    frames = module.source.name in facts.program.pandas
    found = usage_inference.usage(module.nodes[unit.name], module.source.parents, module.scopes, frames, facts.hierarchy.methods)
    if not isinstance(unit.node, cst.FunctionDef):
        return {k: v for k, v in found.items() if v.kind is Kind.ARRAY}
    numbers = sequences_by_usage(module, unit, found, facts)
    module.known.sequences[unit.name] = frozenset(name for name, value in numbers.items() if value.kind is Kind.ARRAY)
    found.update(numbers)
    for name in dead_updates(module, unit):
        if found.get(name, UNKNOWN).kind is Kind.UNKNOWN:
            found[name] = Value(Kind.ARRAY)
    params = unit.node.params
    every = [*params.posonly_params, *params.params, *params.kwonly_params]
    for param in every:
        if (value := declared_types.default(param.default)) is not None and found.get(
            param.name.value, UNKNOWN
        ).kind is not Kind.ARRAY:
            found[param.name.value] = value
    found.update(used)
    docs = docstring(unit.node)
    if docs:
        names = set(unit.params)
        for name, value in declared_types.docstring_kinds(docs):
            if name in names:
                found[name] = value
    described = recorded_types.recorded(unit.node, unit.name.removeprefix(f"{module.source.name}."), module.source.path, facts)
    for name, kind in described.items():
        if found.get(name, UNKNOWN).kind in (Kind.UNKNOWN, recorded_types.value_of(kind).kind):
            found[name] = recorded_types.value_of(kind)
    for param in every:
        if param.annotation is not None and (promised := declared_types.annotation(param.annotation.annotation)) is not None:
            found[param.name.value] = promised
    vectors = [name for name in unit.params if (v := found.get(name, UNKNOWN)).kind is Kind.ARRAY and v.rank < 0]
    if vectors and not frames:
        sizes = frozenset(n for n, value in found.items() if value.kind is Kind.SCALAR)
        items = number_sequences(module.nodes[unit.name], vectors, sizes, module.source.parents, module.scopes)
        found.update((key, value) for key, value in items.items() if "[*" in key and key not in found)
    for name in module.derived.integers.get(unit.name, NOTHING):
        if found.get(name, UNKNOWN).kind is Kind.UNKNOWN:
            found[name] = Value(Kind.SCALAR, "int", 0)
    for name, rank in (*module.derived.ranks.get(unit.name, {}).items(), *asserted_ranks(unit.node)):
        if name in unit.params and found.get(name, UNKNOWN).kind in (Kind.ARRAY, Kind.UNKNOWN):
            found[name] = replace(found.get(name, UNKNOWN), kind=Kind.ARRAY, rank=rank, number=False)
    for name, rank in unpacked_ranks(unit.node):
        if name in unit.params and (array := found.get(name, UNKNOWN)).kind is Kind.ARRAY and array.rank < 0:
            found[name] = replace(array, rank=rank, number=False)
    return found


def sequences_by_usage(module: Module, unit: Unit, found: Mapping[str, Value], facts: Facts) -> dict[str, Value]:
    """The parameters about which nothing is known except that they contain numbers."""
    assert isinstance(unit.node, cst.FunctionDef)
    params = unit.node.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    open_ = [p.name.value for p in every if p.default is None and p.annotation is None]
    open_ = [n for n in open_ if found.get(n, UNKNOWN).kind is Kind.UNKNOWN]
    if not open_ or module.source.name in facts.program.pandas:
        return {}
    sizes = frozenset(n for n, value in found.items() if value.kind is Kind.SCALAR)
    return number_sequences(module.nodes[unit.name], open_, sizes, module.source.parents, module.scopes)


def generators_by_usage(module: Module, unit: Unit) -> dict[str, Value]:
    """The parameters that are generators judged by their uses: see `generators.by_usage`."""
    if not unit.params:
        return {}
    found = generators.by_usage(unit.params, module.nodes[unit.name], module.source.parents, module.scopes)
    return {name: Value(Kind.OBJECT, name=kind) for name, kind in found.items()}


def promised_generators(unit: Unit) -> frozenset[str]:
    """The parameters that are generators by annotation."""
    if not isinstance(unit.node, cst.FunctionDef):
        return NOTHING
    params = unit.node.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    promised = {p.name.value: declared_types.annotation(p.annotation.annotation) for p in every if p.annotation is not None}
    return frozenset(n for n, value in promised.items() if value is not None and generators.is_generator(value))


def dead_updates(module: Module, unit: Unit) -> Iterator[str]:
    """Parameters changed by `p op= ...` and never read again: pointless, unless the parameter is an array changed in place.

    It may also be a list if `p += [...]` extends it: such a parameter is left out.
    """
    augmented: dict[str, list[cst.AugAssign]] = {}
    for node in module.nodes[unit.name]:
        if type(node) is cst.AugAssign and type(node.target) is cst.Name and node.target.value in unit.params:
            augmented.setdefault(node.target.value, []).append(node)
    for name, nodes in augmented.items():
        after = module.known.live[unit.name].after
        longer = any(type(n.operator) is cst.AddAssign and type(n.value) in ITEMS for n in nodes)
        if not longer and any(name not in after.get(n, frozenset({name})) for n in nodes):
            yield name


@remembered
def docstring(node: cst.FunctionDef | cst.Module) -> str | None:
    return node.get_docstring()


def lists_in_examples(unit: Unit) -> frozenset[str]:
    """The parameters that get lists in the examples of the docstring."""
    docs = docstring(unit.node) if unit.params else None
    if docs is None or ">>>" not in docs:
        return NOTHING
    return docstrings.list_arguments(docs, written_name(unit.name).rpartition(".")[2], unit.params, unit.bound)


def lists_by_default(unit: Unit) -> frozenset[str]:
    """The parameters whose default is a nonempty list or tuple."""
    if not isinstance(unit.node, cst.FunctionDef):
        return NOTHING
    params = unit.node.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    return frozenset(p.name.value for p in every if isinstance(p.default, (cst.List, cst.Tuple)) and p.default.elements)


def listed(unit: Unit) -> frozenset[str]:
    """The parameters that may be lists according to the documentation."""
    docs = docstring(unit.node) if unit.params else None
    return documented_lists(docs) & frozenset(unit.params) if docs else NOTHING


def special(unit: Unit, nodes: Iterable[cst.CSTNode], facts: Facts) -> str:
    """Why the results of a unit must not change."""
    if unit.is_module:
        return "it is code outside of functions, of which only long loops are compiled"
    assert isinstance(unit.node, cst.FunctionDef)
    name = unit.node.name.value
    if unit.cls and name.startswith("__") and name.endswith("__") and name != "__call__":
        return f"`{name}` returns what Python expects from it"
    if unit.node.asynchronous is not None:
        return "it is a coroutine"
    for written, name in zip(unit.decorators, unit.applied, strict=True):
        if written.rpartition(".")[2] not in ("staticmethod", "classmethod") and facts.effect(name) not in UNWRAPPED:
            return f"`@{written}` wraps it"
    if any(type(node) is cst.Yield for node in nodes):
        return YIELDS
    return ""


def registered(unit: Unit, facts: Facts) -> bool:
    """Whether a decorator may store the function, and call it."""
    pairs = zip(unit.decorators, unit.applied, strict=True)
    return any(d.partition(".")[0] not in PLAIN_DECORATORS and facts.effect(name) is not Effect.SAME for d, name in pairs)
