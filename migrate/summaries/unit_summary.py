"""The summary of one unit for the rest of the project, without syntax."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.core.refusals import PLACED
from ...rules.definitions import is_of_host
from ...rules.facts.random_keys import Keys
from ...rules.facts.values import NOTHING, STRINGS, UNKNOWN, Value, replace
from ...rules.facts.work import Work
from ...rules.syntax.source_text import code
from ...rules.syntax.tree import is_callee
from ..analysis.branches import early_returns, loop_returns
from ..analysis.effects.later_writes import shared_result
from ..analysis.effects.rebound_results import rebinds_all
from ..analysis.inference.compared_values import perhaps_text
from ..analysis.interp import dict_order
from ..analysis.loops.loop_analysis import is_token
from ..analysis.random import key_assignment, nested_keys
from ..analysis.state.evaluation import LOOPED
from ..analysis.state.interpreter_state import Run
from ..analysis.state.lattice import parameters_in, whole
from ..analysis.state.node_facts import Site
from ..analysis.state.project_facts import SHARED
from ..syntax import bindings
from ..syntax.file_text import is_test
from . import call_order, donation, drawn_in_order, function_values, random_streams, stream_usage
from .array_likes import array_likes, may_be_array, open_parameters, sequence_uses, shape_likes
from .caught_exceptions import exceptions_of
from .child_processes import child_processes
from .escape import escaping_attributes
from .measured_parameters import measured_parameters
from .nested_lists import list_depths
from .other_compilers import compiled_elsewhere, compiler_of
from .resized_arguments import ResizedArguments
from .sized_arguments import sized_by_values
from .unit_analysis import registered
from .unit_results import changed_default, optional_output, outside_loops, plain, returned
from .units import Module, Signature, Unit, UnitArrays, UnitAttributes, UnitCalls, UnitEffects, UnitSummary, UnitTracing
from .value_flow import made_of, passed_values
from .work import repetition, work_of_unit

PROPERTIES = ("property", "cached_property")
DEFINED = (Kind.FUNCTION, Kind.CLASS, Kind.MODULE)


def summary_of(module: Module, unit: Unit, run: Run) -> UnitSummary:
    """The plain data that the linker needs about an interpreted unit."""
    tests = is_test(module.source.path)
    mutates = frozenset(u.param for found in run.effects.updates.values() for u in found if u.param and not u.problem)
    found = module.known.streams[unit.name] = stream_usage.find(
        run, unit.node, module.nodes[unit.name], module.scopes, run.facts.exported.get(module.source.name, NOTHING)
    )
    block = first_block(run, unit, mutates) or random_block(module, unit, found)
    result, results, already, problem = returned(run, unit, mutates)
    result = early_returns.result(run, result)
    if problem and block is None and mutates:
        block = ("NJ207", problem)
    if block is None and (default := changed_default(unit, mutates)):
        block = ("NJ207", f"the default of `{default}` is changed in place, so that the change persists")
    if block is None and (optional := optional_output(unit, mutates, already)):
        block = ("NJ207", f"`{optional}`, which is optional, is changed in place when it is passed")
    static: set[str] = set()
    not_static = ""
    for need in run.constraints.needs.values():
        if need.value.traced:
            not_static = not_static or f"Python needs `{code(need.node)}`: {need.why}"
        if need.why == LOOPED and run.facts.program.fast and may_be_array(unit, need.value):
            not_static = not_static or f"`{need.value.holds}` may be an array, and Python loops over it"
        static |= need.value.deps
    impure = next(iter(run.constraints.impure.values()), "") or dict_order.reordered(run)
    kinds = []
    for name in unit.params:
        if name == run.unit.self_name:
            continue
        value = run.unit.evidence.get(name)
        facts = run.facts.params.get(unit.name, {}).get(name)
        known = value if value is not None and value.kind is not Kind.UNKNOWN else facts
        if facts is not None and facts.name == STRINGS:  # jit accepts text only as a whole argument, and static
            not_static = not_static or f"a call passes `{name}` a container of text"
        if known is not None and known.kind is not Kind.UNKNOWN:
            kinds.append(
                (name, ":".join([known.kind.value, known.dtype, str(known.rank) if known.rank >= 0 else ""]).rstrip(":"))
            )
            if known.kind is Kind.STRING:  # JAX cannot trace text, however it is used
                static.add(name)
            if known.kind is Kind.ARRAY and name in static and not not_static:
                not_static = f"`{name}` is an array, and Python needs its values"
    if not not_static and run.facts.program.fast and (text := open_parameters(unit) & perhaps_text(run, module.nodes[unit.name])):
        not_static = f"np2jax cannot tell whether `{min(text)}` holds numbers or text"
    donation.find(run)
    node, resized = unit.node, ResizedArguments(run, module.nodes[unit.name])
    return UnitSummary(
        name=unit.name,
        module=module.source.name,
        params=unit.params,
        signature=Signature(
            vararg=isinstance(node, cst.FunctionDef)
            and (isinstance(node.params.star_arg, cst.Param) or node.params.star_kwarg is not None),
            receiver=unit.receiver,
            decorated=bool(unit.decorators),
            registered=not unit.cls and registered(unit, run.facts),
            property=any(d.rpartition(".")[2] in PROPERTIES for d in unit.decorators),
            arrays_only=frozenset(arrays_only(module, unit, run)),
            untyped=open_parameters(unit),
            array_likes=array_likes(module, unit, run),
            list_depths=tuple(sorted(list_depths(module, unit, run).items())),
            sequence_uses=sequence_uses(module, unit, run),
            shape_likes=shape_likes(module, unit, run),
            floated=run.loops.floated,
            required=required(node),
            kinds=tuple(kinds),
            lists=module.known.lists[unit.name],
            list_arguments=module.known.list_arguments[unit.name],
        ),
        cls=unit.cls,
        special=module.known.special[unit.name],
        effects=UnitEffects(
            mutates=mutates,
            donations=tuple(run.effects.donations.values()),
            passed_values=passed_values(run, module.nodes[unit.name], module.imports, not tests),
            touches=mutates | parameters_in(run.effects.changed),
            changes=frozenset(t for t in run.effects.changed if t.startswith(("attr:", "global:"))),
            items=parameters_in(run.effects.items),
            read_later=frozenset(run.effects.read_later),
            reads=frozenset(run.attributes.reads_attrs) | {f"global:{g}" for g in run.attributes.reads_globals},
            views=frozenset(run.effects.views),
            augments=augmented(run, mutates),
            rebinds=frozenset(
                t
                for found in run.effects.updates.values()
                for u in found
                if "." in u.access_path
                for t in u.value.memory
                if t.startswith("attr:")
            ),
            leaks=leaks(run) | escaping_attributes(run, module.nodes[unit.name]),
            retains=retains(run),
        ),
        result=outside_loops(result),
        results=results,
        already=already,
        call_graph=UnitCalls(
            calls=tuple(
                replace(
                    call,
                    shared=shared and not rebinds,
                    rebinds=rebinds,
                    seeded=seeded,
                    drains=drains,
                    order=place,
                    changed=changed,
                    looped=looped,
                    varying=varying,
                    counted=counted,
                    resized=reshaped,
                    sized=sized,
                )
                if shared or rebinds or drains or place or changed or looped or sized or reshaped
                else call
                for node, call in run.call_graph.calls.items()
                for shared, rebinds, seeded, drains, place, changed, (looped, varying, counted), sized, reshaped in (
                    (
                        shared_result(run, node),
                        run.facts.program.fast and rebinds_all(run, node),
                        found.seeded(node),
                        found.drains(node),
                        found.orders.get(node),
                        frozenset(p for p, v in call.args if not run.effects.mutated_aliased.isdisjoint(v.memory))
                        if run.effects.mutated_aliased
                        else NOTHING,
                        repetition(run, node, call.callee),
                        sized_by_values(run, module.nodes[unit.name], node, call.callee)
                        if not tests and run.facts.program.fast
                        else (),
                        resized.of(node, call.callee) if not tests and run.facts.program.fast else NOTHING,
                    ),
                )
            ),
            callees=frozenset(c.callee for c in run.call_graph.calls.values()),
            python_results=frozenset(run.constraints.python_results),
            escapes=frozenset(run.call_graph.escapes) | escaping(module, unit, run),
            unresolved=frozenset(run.call_graph.unresolved),
            refuses=tuple(run.call_graph.refuses.items()),
            aliased=frozenset(run.effects.aliased),
            unknown_calls=frozenset(run.call_graph.unknown_calls),
            opaque_calls=function_values.opaque_calls(run) if run.facts.program.fast else frozenset(),
            given_away=function_values.given_away(module, run) if run.facts.program.fast else NOTHING,
            repeated=function_values.repeated(run) if run.facts.program.fast else frozenset(),
            compiled=compiled_elsewhere(module, unit, run),
            exceptions=exceptions_of(module, unit, run, tests),
        ),
        block=block,
        tracing=UnitTracing(
            impure=impure,
            static=frozenset(static),
            not_static=not_static,
            loops=next(iter(run.loops.unrolled.values()), ""),
            trip_counts=tuple(loop.trip_count for loop in run.loops.compiled.values()),
            asserts=any(ragged.fits or ragged.signs or ragged.ranks for ragged in run.slices.ragged.values()),
            guarded=bool(run.slices.guarded),
            branching=branching(run),
            measured=measured_parameters(run),
        ),
        attributes=UnitAttributes(
            attrs=attributes(run, result),
            reads_globals=frozenset(run.attributes.reads_globals),
            attr_stores=frozenset(run.attributes.attr_stores),
            stored=tuple((name, plain(value)) for name, value in run.attributes.stored.items()),
            binds=NOTHING
            if unit.is_module
            else frozenset(f"global:{module.source.name}.{n}" for n in module.scopes.opened_by(unit.node).globals),
        ),
        host=UnitArrays(
            numpy_used=run.host.numpy_used,
            jax_used=is_written(unit) or (not run.host.numpy_used and not unit.is_module and unit.name in module.of_jax),
            arrays=run.host.numpy_used or bool(run.effects.updates) or any(v.kind is Kind.ARRAY for v in run.values.values()),
            host_writes=run.host.host_writes,
            needs_host=needs_host(run),
            host_uses=frozenset(run.host.host_uses),
        ),
        streams=found.streams,
        children=child_processes(module, unit, run),
        work=work_of_unit(run, module.nodes[unit.name]) if run.facts.program.fast else Work(),
        drawn=drawn_in_order.find(run, unit.node, found, module.scopes),
        extends=run.facts.random.seeds and unit.name not in module.of_jax and call_order.may_give(run, module.nodes[unit.name]),
    )


def required(node: cst.FunctionDef | cst.Module) -> int:
    """The number of required parameters."""
    if isinstance(node, cst.Module):
        return 0
    every = (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)
    return sum(p.default is None for p in every)


def arrays_only(module: Module, unit: Unit, run: Run) -> Iterator[str]:
    """The parameters that are arrays by use, documentation or annotation: they cannot be lists and are not rebound."""
    lists = module.known.sequences.get(unit.name, NOTHING) | module.known.lists[unit.name]
    for name in unit.params:
        if run.unit.evidence.get(name, UNKNOWN).kind is Kind.ARRAY and name not in lists:
            if len(module.scopes.opened_by(unit.node).names.get(name, ())) == 1:
                yield name


def needs_host(run: Run) -> frozenset[str]:
    """The parameters from which a unit makes arrays that it changes, itself or through the functions that it calls."""
    given = made_of(
        v for call in run.call_graph.calls.values() if call.callee in run.host.needs_host_of for _parameter, v in call.args
    )
    return frozenset(whole(p) for p in run.host.needs_host | given if not is_token(p))


def branching(run: Run) -> frozenset[str]:
    """What the tests of compiled branches, and logical operations of JAX, depend on: parameters, and "" for traced values."""
    asked = [node.test for node in (*run.branching.branches, *loop_returns.guards(run)) if isinstance(node, (cst.If, cst.IfExp))]
    tests = [run.values.get(node, UNKNOWN) for node in (*asked, *run.branching.logic)]
    return NOTHING.union(*(t.deps | ({""} if t.traced else NOTHING) for t in tests))


def random_block(module: Module, unit: Unit, found: random_streams.Found) -> tuple[str, str] | None:
    """Why the keys for the draws of a unit cannot be planned."""
    why = next(iter(found.problems.values()), "") or next(iter(keys_of(module, unit, found, ()).problems.values()), "")
    return ("NJ301", why) if why else None


def keys_of(
    module: Module, unit: Unit, found: random_streams.Found, calls: Iterable[Site], has_key: bool = True, ordered: bool = False
) -> Keys:
    """The plan for the keys of a unit. `calls`: further calls that take a key. `ordered`: each draw splits its own key."""
    sites = [*found.sites, *calls]
    if not sites and not found.generator_loops:
        return Keys()
    place = {node: position for position, node in enumerate(module.nodes[unit.name])}
    sites.sort(key=lambda s: place.get(s.node, -1))
    taken = {n.value for n in module.nodes[unit.name] if type(n) is cst.Name} | module.scopes.assigned(module.source.module)
    planner = key_assignment.Planner(
        unit.node,
        module.source.parents,
        module.scopes,
        sites,
        found.binds,
        bindings.optional(unit.node),
        taken,
        found.streams.key,
        has_key,
        found.seeded,
    )
    planner.gives = found.gives
    planner.ordered = ordered
    planned = nested_keys.Nested(planner, module.nodes[unit.name]).plan()
    for loop, generator_loop in found.generator_loops.items():
        planner.generator_loop(planned, loop, generator_loop)
    return planned


def attributes(run: Run, result: Value) -> tuple[tuple[str, Value], ...]:
    """The values that a method binds to attributes of its object; marked as shared if the array has another alias."""
    ends = [env for _value, env in run.flow.returns.values()] + ([run.flow.end] if run.flow.end is not None else [])
    gone = result.memory.union(*(env["<escaped>"].memory for env in ends if "<escaped>" in env))
    found = []
    for name, value in run.attributes.attrs.items():
        others = gone.union(*(v.memory for n, v in run.attributes.attrs.items() if n != name))
        shared = {m for m in value.memory if m in others and not m.startswith("attr:")}
        found.append((name, plain(replace(value, memory=value.memory | {SHARED + name} if shared else value.memory))))
    return tuple(found)


def leaks(run: Run) -> frozenset[str]:
    """Attributes whose arrays were put into a container or passed to something that may retain them."""
    ends = [env for _value, env in run.flow.returns.values()] + ([run.flow.end] if run.flow.end is not None else [])
    escaped = {t for env in ends if "<escaped>" in env for t in env["<escaped>"].memory if t.startswith("attr:")}
    return frozenset(escaped | run.attributes.passed_to_objects)


def is_written(unit: Unit) -> bool:
    """Whether an earlier conversion wrote a function: it handles NumPy arrays, and takes those of JAX, too."""
    return isinstance(unit.node, cst.FunctionDef) and is_of_host(unit.node.get_docstring(clean=False) or "")


def first_block(run: Run, unit: Unit, mutates: frozenset[str]) -> tuple[str, str] | None:
    """The first reason to refuse the unit."""
    for found in run.effects.updates.values():
        for update in found:
            if update.problem:
                return update.code, update.problem
            if update.param and update.param in run.effects.lost:
                return "NJ207", f"`{update.param}` is changed in place and then bound to something else"
    if run.constraints.blocks:
        return next(iter(run.constraints.blocks.values()))
    if is_written(unit):
        return PLACED, "np2jax wrote it, for what is passed between NumPy and JAX"
    if name := compiler_of(unit.decorators):
        return "NJ501", f"`@{name}` compiles it already"
    return None


def augmented(run: Run, mutates: frozenset[str]) -> frozenset[str]:
    """Changed parameters not proven to be arrays: only `p += v`, or a callee that does the same, changes them, and never `p[i] =
    v`."""
    surely: set[str] = set()
    for node, found in run.effects.updates.items():
        call = run.call_graph.calls.get(node)
        fact = None if call is None else run.function(call.callee)
        for update in found:
            given = next((p for p, v in call.args if v.holds == update.param), "") if call is not None else ""
            without_syntax = isinstance(node, cst.AugAssign) if fact is None else given in fact.augments
            if update.param and (update.steps or not without_syntax):
                surely.add(update.param)
    return mutates - surely


def retains(run: Run) -> bool:
    """Whether a reference to an argument may outlive the call, other than in the result."""
    ends = [env for _value, env in run.flow.returns.values()] + ([run.flow.end] if run.flow.end is not None else [])
    for env in ends:
        for name, value in env.items():
            if (name == "<escaped>" or "." in name) and any(m.startswith("param:") for m in value.memory):
                return True
    return False


def escaping(module: Module, unit: Unit, run: Run) -> frozenset[str]:
    """Project functions, classes and modules that are used as values, so that not all callers are known."""
    found: set[str] = set()
    parents = module.source.parents
    for node, value in run.values.items():
        if value.kind not in DEFINED:
            continue
        known = (value.kind is Kind.FUNCTION and value.name in run.facts.functions) or value.kind is Kind.CLASS
        if known and type(node) in (cst.Name, cst.Attribute):
            parent = parents.get(node)
            if is_callee(node, parent):
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
    """Whether an argument is a base of a project class: then the instances of that class are known, too."""
    cls = module.source.parents.get(argument)
    return isinstance(cls, cst.ClassDef) and argument in cls.bases and module.scopes.qualname(cls.name) in run.facts.classes
