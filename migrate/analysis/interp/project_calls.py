"""Calls of functions and classes of the project, interpreted by their summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.core.refusals import PLACED
from ....rules.facts.values import NOTHING, OBJECTS, SUBCLASS, UNKNOWN, Value, replace
from ....rules.syntax import source_text
from ..effects import aliases, in_place_updates, later_reads, live_operands, shared_elements, update_targets
from ..inference.numpy_scalars import is_made_of_items
from ..random import draws
from ..state.access_paths import path_of
from ..state.arguments import Arguments, dependencies
from ..state.call_facts import CallFact
from ..state.index_expressions import has_slice
from ..state.interpreter_state import Run
from ..state.lattice import Env, aliased_memory, parameters_in, whole
from ..state.memory import drop_paths, new_memory
from ..state.project_facts import SHARED

ASKING = frozenset(f"builtins.{name}" for name in "isinstance type hasattr getattr callable".split())
# kinds that may be or contain arrays
HOLDING = (Kind.ARRAY, Kind.UNKNOWN, Kind.TUPLE, Kind.LIST, Kind.DICT)
MADE_OF_ARRAYS = (*HOLDING, Kind.SCALAR)
OF_SUBCLASS = "not compiled: a call passes a masked array or a matrix, which JAX does not support"


def project_call(run: Run, env: Env, node: cst.CSTNode, name: str, arguments: Arguments) -> Value:
    """The result of a call of a function of the project, by its summary; record its effects."""
    params = run.facts.functions[name].params
    matched: list[tuple[str, cst.BaseExpression, Value]] = []
    for position, (expression, value) in enumerate(arguments.positional):
        if position < len(params):
            matched.append((params[position], expression, value))
        else:
            matched.append(("*", expression, value))
    matched += [(key, expression, value) for key, (expression, value) in arguments.keywords.items()]
    plain = tuple(
        (
            p,
            replace(
                v,
                view=None,
                elements=None if v.elements is None else tuple(replace(e, view=None, elements=None) for e in v.elements),
            ),
        )
        for p, _e, v in matched
    )
    run.call(env, node, CallFact(name, (("*", UNKNOWN), *plain) if arguments.starred else plain))
    fact = run.function(name)
    assert fact is not None
    for _parameter, _expression, value in matched:
        if value.kind is Kind.FUNCTION and value.name in run.facts.functions:
            run.call_graph.escapes.add(value.name)
    if fact.sows and not run.facts.random.random_on_host and draws.again(run, node):
        run.constraints.impure[node] = f"`{name.rpartition('.')[2]}` seeds NumPy's random state"
    run.random.numbers |= {v.holds for p, _e, v in matched if p in fact.numbers and v.holds in run.random.guessed}
    if any(value.name == OBJECTS for _p, _e, value in matched):
        run.call_graph.refuses[name] = (
            "NJ103",
            "a call passes an array of Python objects, text, dates or records, which JAX does not support",
        )
    if any(value.name == SUBCLASS for _p, _e, value in matched):
        run.call_graph.refuses[name] = (PLACED, OF_SUBCLASS)
    for parameter, _expression, value in matched:
        if parameter in fact.arrays:
            learn_array(run, value)
        if why := aliases.conflict(run, env, fact, parameter, value):
            run.call_graph.refuses[name] = ("NJ204", why)
    seen: dict[str, str] = {}
    for parameter, expression, value in matched:
        if parameter in fact.mutates and value.kind not in (Kind.SCALAR, Kind.NONE, Kind.STRING):
            for other, _other_expression, other_value in matched:
                if other != parameter and other_value.memory & value.memory:
                    run.effects.aliased.add((name, parameter, other))
                once = (parameter, other) not in fact.read_later and other not in fact.mutates and not fact.retains
                if once and other in fact.params:
                    continue  # it is no longer read when the array is changed
                if other != parameter and other_value.memory & value.memory and (other, parameter) not in seen.items():
                    seen[parameter] = other
                    run.call_graph.refuses[name] = (
                        "NJ204",
                        f"`{name.rpartition('.')[2]}` changes `{parameter}`, which shares memory with its argument `{other}`",
                    )
            if value.kind in (Kind.LIST, Kind.TUPLE, Kind.DICT, Kind.OBJECT):
                if parameter in fact.augments and value.kind is not Kind.OBJECT:
                    why = f"a call passes a {value.kind.value} for `{parameter}`, which `op=` extends or replaces"
                    run.call_graph.refuses[name] = ("NJ203", why)
                continue
            in_place_updates.written_argument(run, env, node, expression, value, parameter)
            bound = rebinds(run, node, expression, parameter, fact.result)
            number = is_made_of_items(run, value) and not (has_slice(expression) or bound)
            if parameter in fact.augments and (number or update_targets.may_be_item(run, node, expression, value)):
                why = f"a call passes `{source_text.code(expression)}` for `{parameter}`, which may be a number or a row of an array"
                run.call_graph.refuses[name] = ("NJ203", why)
        if value.kind in (Kind.OBJECT, Kind.UNKNOWN, Kind.DICT, Kind.LIST) and (key := path_of(expression)) is not None:
            drop_paths(env, key)
    for parameter, expression, value in matched:
        anywhere = arguments.starred and bool(fact.touches)  # a starred argument may be passed for any parameter
        if anywhere or parameter in fact.touches or (parameter == "*" and not fact.touches <= set(fact.params)):
            run.effects.write(value.memory, node)
            if not rebinds(run, node, expression, parameter, fact.result):
                run.host.host_uses |= value.origin
        if parameter in fact.items:
            run.effects.items |= value.memory
            if why := shared_elements.items_elsewhere(run, env, expression, value):
                run.call_graph.refuses[name] = ("NJ203", f"it changes arrays in `{parameter}`, and {why}")
    if fact.changes:
        run.effects.touched |= by_module_names(run, env, fact.changes)
        aliases.note_changed(run, fact.changes, later_reads.read_then(run, env, node))
        if why := aliased_during_call(run, env, node, fact.changes):
            run.call_graph.refuses[name] = ("NJ203", f"it changes an array that a caller {why}")
    if fact.retains:
        run.escape(env, *(v for _p, _e, v in matched))
    by_name = {p: v for p, _e, v in matched}
    for changed, read in fact.read_later:  # what a callee reads after a change, its caller reads
        paths = {changed} if changed.startswith(aliases.PATHS) else by_name.get(changed, UNKNOWN).memory
        seen_then = parameters_in(by_name.get(read, UNKNOWN).memory)
        run.effects.read_later |= {(p.removeprefix("param:"), r) for p in paths for r in seen_then}
    memory: set[str] = set()
    if any(token.startswith(SHARED) for token in fact.result.memory):
        receiver = UNKNOWN
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            receiver = run.values.get(node.func.value, UNKNOWN)
        memory |= aliased_memory(receiver, *by_name.values())
    for token in fact.result.memory:
        if token.startswith("param:"):
            memory |= by_name[token[6:]].memory if token[6:] in by_name else {"?"} if arguments.starred else set()
        elif token.startswith(("new:", "old:")):
            memory |= new_memory(run, env, node)
        else:
            memory |= by_module_names(run, env, frozenset({token}))
    holds = by_name[fact.result.holds].holds if fact.result.holds in by_name else ""
    elements = None
    if fact.result.elements is not None:
        elements = tuple(_substitute(run, env, node, e, by_name) for e in fact.result.elements)
    traced = fact.result.traced or (any(v.traced for v in by_name.values()) and bool(fact.result.deps))
    deps = (
        NOTHING.union(*(by_name[d].deps for d in map(whole, fact.result.deps) if d in by_name)) if fact.result.deps else NOTHING
    )
    if any(by_name[d].traced for d in map(whole, fact.result.deps) if d in by_name):
        traced = True
    if fact.result.kind is Kind.UNKNOWN and fact.result == UNKNOWN:
        return Value(
            Kind.UNKNOWN,
            deps=dependencies(arguments),
            traced=True,
            memory=NOTHING.union(*(v.memory for v in by_name.values())) | {"?"},
            origin=frozenset({name}),
        )
    passed = (by_name[p].origin for p in parameters_in(fact.result.memory) if p in by_name)  # it may return the argument itself
    origin = frozenset({name}).union(*passed) if fact.result.kind in MADE_OF_ARRAYS else NOTHING
    if elements is not None:
        elements = tuple(replace(e, origin=origin) for e in elements)
    return replace(
        fact.result,
        kind=kind_of_result(fact.result, by_name),
        origin=origin,
        shape=run.effects.tokens.get(node, ""),
        memory=frozenset(memory),
        holds=holds,
        view=None,
        elements=elements,
        deps=deps,
        traced=traced,
    )


def rebinds(run: Run, node: cst.CSTNode, argument: cst.BaseExpression, parameter: str, result: Value) -> bool:
    """Whether `v = f(v, ...)` or `v, w = f(v, ...)` rebinds a variable to what `f` makes of the parameter and returns, array or number."""
    match run.source.parents.get(node):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=elements))]):
            pairs = list(zip((e.value for e in elements), result.elements or (), strict=False))
        case cst.Assign(targets=[cst.AssignTarget(target=target)]):
            pairs = [(target, result)]
        case _:
            return False
    names = (target.value for target, value in pairs if isinstance(target, cst.Name) and value.holds == parameter)
    return isinstance(argument, cst.Name) and argument.value in names


def by_module_names(run: Run, env: Env, memory: frozenset[str]) -> frozenset[str]:
    """The memory, and in module-level code also the memory that its variables are bound to."""
    if run.unit.in_function:
        return memory
    return memory.union(*(env[name].memory for name in _own_variables(run, memory) if name in env))


def _own_variables(run: Run, memory: frozenset[str]) -> set[str]:
    own = f"global:{run.source.name}."
    return {token.removeprefix(own) for token in memory if token.startswith(own)}


def aliased_during_call(run: Run, env: Env, node: cst.CSTNode, changes: frozenset[str]) -> str:
    """How the caller aliases an array whose memory a call changes; "" if it does not."""
    changed, variables = by_module_names(run, env, changes), set() if run.unit.in_function else _own_variables(run, changes)
    for other, held in env.items():
        if other in variables:
            continue
        if live_operands.memory(held) & changed and held.kind in HOLDING and "." not in other and later_reads.is_live(run, other):
            return f"holds as `{other}`"
    for read, held in live_operands.waiting(run, node):
        if live_operands.memory(held) & changed and held.kind in HOLDING:
            return f"has read as `{source_text.code(read)}` in the same expression"
    return ""


def learn_array(run: Run, value: Value) -> None:
    """Learn that a parameter of unknown type is an array, as it is passed to a function that takes only arrays; unless the unit
    tests its type: then it may be something else on other paths."""
    known = run.unit.evidence.get(value.holds, UNKNOWN)
    if (
        value.holds in run.params
        and value.kind is known.kind is Kind.UNKNOWN
        and not value.listed
        and value.holds not in run.unit.listed
        and run.source.name not in run.facts.program.pandas
        and not _type_asked(run, value.holds)
    ):
        run.unit.learned[value.holds] = Value(Kind.ARRAY)


def _type_asked(run: Run, name: str) -> bool:
    for node in run.source.among(run.unit.owner, cst.Call) if run.unit.owner is not None else ():
        given = node.args[0].value if node.args else None
        if isinstance(given, cst.Name) and given.value == name and run.scopes.qualname(node.func) in ASKING:
            return True
    return False


def _substitute(run: Run, env: Env, node: cst.CSTNode, value: Value, by_name: Mapping[str, Value]) -> Value:
    memory: set[str] = set()
    for token in value.memory:
        if token.startswith("param:"):
            memory |= by_name[token[6:]].memory if token[6:] in by_name else set()
        elif token.startswith(("new:", "old:")):
            memory |= {f"{m}.{token.partition(':')[2]}" for m in new_memory_once(run, env, node)}
        else:
            memory |= by_module_names(run, env, frozenset({token}))
    traced = value.traced or bool(value.deps)
    inner = None if value.elements is None else tuple(_substitute(run, env, node, e, by_name) for e in value.elements)
    return replace(  # without the local names of the callee
        value,
        kind=kind_of_result(value, by_name),
        memory=frozenset(memory),
        holds=by_name[value.holds].holds if value.holds in by_name else "",
        view=None,
        deps=NOTHING,
        traced=traced,
        shape="",
        elements=inner,
    )


def kind_of_result(result: Value, by_name: Mapping[str, Value]) -> Kind:
    """The kind of a result. What is known to be a parameter, whatever that is, is an array where the call passes one: in `x = f(x)`,
    `x` stays an array."""
    given = by_name.get(result.holds, UNKNOWN)
    return Kind.ARRAY if result.kind is Kind.UNKNOWN and given.kind is Kind.ARRAY and not given.number else result.kind


def new_memory_once(run: Run, env: Env, node: cst.CSTNode) -> frozenset[str]:
    """The memory token that a call has just been assigned, without ageing it."""
    token = run.effects.tokens.get(node)
    return frozenset({token}) if token is not None else new_memory(run, env, node)


def only_here(run: Run, env: Env, value: Value, others: Sequence[Value]) -> bool:
    """Whether only the called function can retain an array."""
    if any(not m.startswith("new:") for m in value.memory) or any(o.memory & value.memory for o in others):
        return False
    held = env.get("<escaped>", UNKNOWN)
    return not held.memory & value.memory and not any(
        h.memory & value.memory and later_reads.is_live(run, name) for name, h in env.items() if not name.startswith(("!", "<"))
    )


def instance(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    """A new instance of a class of the project, which may retain the arguments."""
    exact = run.facts.canonical(run.scopes.qualname(node.func) or "") == name  # `cls(...)` may create a subclass
    keeps = True
    method = run.facts.method(name, "__init__", frozenset({""}) if exact else NOTHING)
    if method is None and (name, "__init__") in run.facts.hierarchy.overridden:
        run.call_graph.unresolved.add("__init__")
        run.call_graph.blind[node] = "__init__"
    if method is not None:
        fact = run.facts.functions.get(method)
        if fact is not None:
            params = fact.params[1:]
            matched = [(params[i] if i < len(params) else "*", v) for i, (_e, v) in enumerate(arguments.positional)]
            matched += [(k, v) for k, (_e, v) in arguments.keywords.items()]
            plain = tuple((p, replace(v, view=None, elements=None)) for p, v in matched)
            alone = frozenset(p for p, v in matched if only_here(run, env, v, [o for _p, o in matched if o is not v]))
            run.call(env, node, CallFact(method, (("*", UNKNOWN), *plain) if arguments.starred else plain, alone=alone))
        keeps = (known := run.function(method)) is None or known.retains
    elif (fields := run.facts.record(name)) or arguments.starred:
        _record(run, env, name, fields, arguments)
    if keeps:
        run.attributes.passed_to_objects |= {m for v in arguments.values() for m in v.memory if m.startswith("attr:")}
    run.constraints.impure[node] = f"it creates an instance of `{name.rpartition('.')[2]}`"
    memory = NOTHING.union(*(v.memory for v in arguments.values()))
    return Value(Kind.OBJECT, deps=dependencies(arguments), memory=memory, name=name)


def _record(run: Run, env: Env, name: str, fields: Sequence[str], arguments: Arguments) -> None:
    """Record that a dataclass is created: its fields are bound to the arguments."""
    given = [(fields[i] if i < len(fields) else "*", v) for i, (_e, v) in enumerate(arguments.positional)]
    given += [(key, v) for key, (_e, v) in arguments.keywords.items()]
    for field, value in given:
        if value.kind in (Kind.SCALAR, Kind.STRING, Kind.NONE):
            continue
        run.host.host_uses |= value.origin
        unaliased = only_here(run, env, value, [v for _f, v in given if v is not value])
        stores = fields if arguments.starred else (field,)
        run.attributes.attr_stores |= {f"{'new:' if unaliased and not arguments.starred else ''}{name}.{f}" for f in stores}
