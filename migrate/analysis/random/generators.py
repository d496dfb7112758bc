"""Generators of random numbers: how they are created, and what else a parameter for one may be: a number, or None."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from ....rules import random_table
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, Value, replace
from ...syntax.bindings import optional, parameters
from ...syntax.scopes import Scopes
from ...syntax.source import walk
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import MAYBE_NONE
from ..state.node_facts import Site

if TYPE_CHECKING:
    from ..state.arguments import Arguments

GENERATOR, RANDOM_STATE = "numpy.random.Generator", "numpy.random.RandomState"
APIS = {GENERATOR: "Generator", RANDOM_STATE: "RandomState"}
COLLECTION = "<generators>"  # with their kind: the name of a list or a dict that contains only generators
NAMES = frozenset("rng random_state prng generator gen rs rand np_random".split())  # usual names of a generator
# bit generators are created from a seed and passed to Generator
BITS = frozenset(f"numpy.random.{name}" for name in "PCG64 PCG64DXSM MT19937 Philox SFC64".split())
# functions that accept a generator and return it; None means NumPy's global state
CHECKERS = frozenset(("sklearn.utils.check_random_state", "sklearn.utils.validation.check_random_state"))
MAKERS = {
    "numpy.random.default_rng": GENERATOR,
    "numpy.random.RandomState": RANDOM_STATE,
    "numpy.random.Generator": GENERATOR,
    "numpy.random.SeedSequence": GENERATOR,  # from which generators and further sequences are created
    **dict.fromkeys(CHECKERS, RANDOM_STATE),
}
GLOBAL_STATE_NAMES = ("numpy.random", "numpy.random.mtrand._rand")  # NumPy's global state, as a value
NUMBERS = frozenset(("builtins.int", "numpy.integer", "numbers.Integral", "numbers.Number"))
TELLING = frozenset((cst.Call, cst.Assign, cst.IfExp, cst.BooleanOperation, cst.Return))  # nodes that show generators
RETURNS = frozenset((cst.Return,))  # those that show generators among parameters of any name


def is_generator(value: Value) -> bool:
    return value.kind is Kind.OBJECT and value.name in APIS


def collection(values: Iterable[Value]) -> str:
    """The name of a list or a dict that contains only generators of one kind; "" for any other."""
    names = {v.name if is_generator(v) else "" for v in values}
    name = names.pop() if len(names) == 1 else ""
    return name and COLLECTION + name


def in_collection(value: Value) -> Value | None:
    """The generators in a list or a dict of generators; None for any other value."""
    held = value.kind in (Kind.LIST, Kind.DICT) and value.name.startswith(COLLECTION)
    return Value(Kind.OBJECT, name=value.name.removeprefix(COLLECTION)) if held else None


def by_usage(
    params: Sequence[str], nodes: Iterable[cst.CSTNode], parents: Mapping[cst.CSTNode, cst.CSTNode | None], scopes: Scopes
) -> dict[str, str]:
    """The parameters that are generators, or seeds for them, inferred from how a function uses them, with the kind of generator.

    They have a usual name of a generator, and only methods of generators are called on them; or they are checked
    (`default_rng(rng)`), or replace a generator that would be created (`rng or default_rng()`). Or they are returned by a
    function that also returns generators that it creates.
    """
    methods: dict[str, set[str]] = {p: set() for p in params if sounds_like_generator(p)}
    beside: dict[str, str] = {}  # the kind of generator that they are an alternative to
    written_back: set[str] = set()
    returned = ""

    def kind(node: cst.CSTNode | None) -> str:
        if isinstance(node, cst.Call):
            return MAKERS.get(scopes.qualname(node.func) or "", "")
        return RANDOM_STATE if isinstance(node, (cst.Name, cst.Attribute)) and scopes.qualname(node) in GLOBAL_STATE_NAMES else ""

    telling = TELLING if methods else RETURNS
    for node in nodes:
        if type(node) not in telling:  # a pattern that does not match is slow: LibCST's classes are abstract ones
            continue
        match node:
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method))) if name in methods:
                methods[name].add(method)
            case cst.Call(args=[cst.Arg(value=cst.Name(value=name))]) if name in methods:
                if scopes.qualname(node.func) in ("numpy.random.default_rng", *CHECKERS):
                    beside.setdefault(name, kind(node))
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) if name in methods and kind(node.value):
                beside[name] = kind(node.value)
            case cst.IfExp(body=one, orelse=other) | cst.BooleanOperation(left=one, right=other):
                for given, instead in ((one, other), (other, one)):
                    if isinstance(given, cst.Name) and given.value in methods and kind(instead):
                        beside[given.value] = kind(instead)
            case cst.Return(value=cst.Name(value=name)) if name in params:
                written_back.add(name)
            case cst.Return(value=value) if kind(value):
                returned = kind(value)
    found = {}
    for name, used in methods.items():
        likely = [k for k in (beside.get(name, GENERATOR), *APIS) if all(random_table.draw(APIS[k], m) for m in used)]
        if likely and (used or name in beside):
            found[name] = likely[0]
    return found | (dict.fromkeys(written_back, returned) if returned else {})


def sounds_like_generator(name: str) -> bool:
    return name.lstrip("_") in NAMES


def is_draw(method: str) -> bool:
    """Whether generators have a method of this name."""
    return any(random_table.draw(api, method) is not None for api in APIS.values())


def made(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    """The value of a call that creates a generator from a seed."""
    given = [*arguments.positional, *arguments.keywords.values()]
    if name == "numpy.random.Generator":
        inner = given[0][0] if given else None
        bits = inner if isinstance(inner, cst.Call) and run.scopes.qualname(inner.func) in BITS else None
        if bits is None:
            run.constraints.blocks[node] = ("NJ301", "it creates a generator from a bit generator that is not written out")
            return Value(Kind.OBJECT, name=GENERATOR)
        seed = bits.args[0].value if bits.args else None
        given = [(seed, run.values.get(seed, UNKNOWN))] if seed is not None else []
    seed = given[0][0] if given else None
    value = given[0][1] if given else UNKNOWN
    if len(given) > 1 or arguments.starred:
        run.constraints.blocks[node] = ("NJ301", "it creates a generator from several arguments")
    elif value.kind in (Kind.LIST, Kind.TUPLE, Kind.ARRAY, Kind.STRING, Kind.DICT):
        run.constraints.blocks[node] = ("NJ301", "it creates a generator from a seed that is not a number")
    elif value.kind is Kind.OBJECT and not is_generator(value):
        run.constraints.blocks[node] = ("NJ301", "it creates a generator from an object")
    run.random.makers[node] = seed
    if isinstance(seed, cst.Attribute) and may_be_none(run, seed):
        run.random.optional.add(seed)
    if accepts_any(run, seed, value, f"{MAYBE_NONE}{value.holds}" in env):
        run.random.any_seed.add(node)
        run.constraints.impure[node] = "it accepts all seeds that NumPy accepts"
    if name in CHECKERS and node in run.random.any_seed:
        run.random.hosts.add(node)
    elif name in CHECKERS:
        run.random.borrows[node] = "None means NumPy's global random state"
    if is_generator(value):
        if value.holds in run.random.guessed:
            run.random.numbers.add(value.holds)
            run.random.either.add(seed)  # type: ignore[arg-type]  # not None, as it has a value
        if seed in run.random.optional or seed in run.random.either:
            run.constraints.impure[node] = "it may take a seed from the operating system"
        return replace(value, holds="")
    if seed is not None and f"{MAYBE_NONE}{value.holds}" in env:
        run.random.optional.add(seed)  # under any other name, too
    if seed in run.random.optional or (value.kind is not Kind.SCALAR and not (value.kind is Kind.UNKNOWN and value.holds)):
        run.constraints.impure[node] = "it may take a seed from the operating system"
    return Value(Kind.OBJECT, name=MAKERS[name])


def accepts_any(run: Run, seed: cst.BaseExpression | None, value: Value, optional: bool) -> bool:
    """Whether code outside of the project determines a seed: NumPy accepts numbers, None, sequences and generators.

    A parameter that is not None by default is taken for a number, which jit can trace.
    """
    if run.name not in run.facts.outside or not isinstance(seed, (cst.Name, cst.Attribute)):
        return False
    if is_generator(value):
        return value.holds in run.random.guessed
    return value.kind is Kind.UNKNOWN and (optional or seed in run.random.optional)


def spawned(run: Run, node: cst.Call, stream: str) -> Value:
    """The list of generators that `rng.spawn(n)` creates."""
    if len(node.args) != 1 or node.args[0].star or not stream:
        run.constraints.blocks[node] = ("NJ301", "np2jax cannot tell how many generators it creates, or of which kind")
    run.random.sites[node] = Site(node, stream, ("spawn",))
    run.random.spawns.add(node)
    run.constraints.impure[node] = "it creates several keys"
    number = node.args[0].value if node.args else None
    count = number.evaluated_value if isinstance(number, cst.Integer) else 1
    children = (Value(Kind.OBJECT, name=GENERATOR),) * min(max(count, 1), 100)
    return Value(Kind.LIST, elements=children, name=collection(children))


def is_child(run: Run, node: cst.CSTNode) -> bool:
    """Whether an expression is one of the generators that a call creates, and the others are unused: `rng.spawn(1)[0]`."""
    match node:
        case cst.Subscript(
            value=cst.Call(args=[cst.Arg(value=cst.Integer() as count)]) as call,
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer() as index))],
        ):
            return call in run.random.spawns and index.evaluated_value < count.evaluated_value
    return False


def may_be_none(run: Run, seed: cst.Attribute) -> bool:
    """Whether an attribute may be None: unless its class binds it only to numbers, and parameters that are not None."""
    owner = run.source.parents.get(run.unit.owner) if run.unit.owner is not None else None
    found, given = False, set[str]()
    for node, _parent in walk(owner) if run.unit.cls and owner is not None else ():
        match node:
            case cst.FunctionDef(params=params):
                given = {p.name.value for p in parameters(params)} - optional(node)
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute(attr=cst.Name(value=name)))]) if (
                name == seed.attr.value
            ):
                found = True
                sure = isinstance(node.value, cst.Integer) or (isinstance(node.value, cst.Name) and node.value.value in given)
                sure = sure or (isinstance(node.value, cst.Call) and run.scopes.qualname(node.value.func) in MAKERS)
                if not sure:
                    return True
    return not found


def global_state(run: Run, node: cst.CSTNode) -> Value:
    """The value of `np.random` in `rng = np.random`: NumPy's global random state as a generator."""
    run.random.makers[node] = None
    run.random.hosts.add(node)
    run.constraints.impure[node] = "it draws the seed of a key from NumPy's random state"
    return Value(Kind.OBJECT, name=RANDOM_STATE)


def is_global_state(run: Run, node: cst.CSTNode, dotted: str) -> bool:
    """Whether an expression passes NumPy's global random state on: `rng = np.random`, but not `np.random.normal`."""
    given = (cst.Assign, cst.AnnAssign, cst.Return, cst.IfExp, cst.BooleanOperation, cst.Arg)
    return (
        dotted in GLOBAL_STATE_NAMES and not run.facts.random.random_on_host and isinstance(run.source.parents.get(node), given)
    )


def narrow(run: Run, env: Env, name: str, types: cst.BaseExpression, holds: bool) -> None:
    """Narrow a parameter that may be a generator or a number by `isinstance(name, types)`, which is true if `holds`."""
    asked = [run.scopes.qualname(t) or "" for t in alternatives(types)]
    value = env[name]
    if asked and all(t in APIS for t in asked):
        if holds:
            env[name] = Value(Kind.OBJECT, name=asked[0], deps=value.deps, memory=value.memory)
        elif is_generator(value) and value.holds in run.random.guessed:
            env[name] = replace(value, kind=Kind.UNKNOWN, name="")
        if value.holds == name:
            run.random.numbers.add(name)
    elif holds and asked and is_generator(value) and all(t in NUMBERS for t in asked):
        env[name] = Value(Kind.SCALAR, "int", 0, value.deps, holds=value.holds)
        env.pop(MAYBE_NONE + name, None)
        if value.holds == name:
            run.random.numbers.add(name)


def conditional(run: Run, env: Env, node: cst.IfExp) -> tuple[Env, Env]:
    """The states in which the two arms of `rng if isinstance(rng, Generator) else default_rng(rng)` are evaluated."""
    match node.test:
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name)), cst.Arg(value=types)]) if (
            name in env
            and run.scopes.qualname(func) == "builtins.isinstance"
            and all(run.scopes.qualname(t) in APIS for t in alternatives(types))
        ):
            yes, no = dict(env), dict(env)
            narrow(run, yes, name, types, True)
            narrow(run, no, name, types, False)
            return yes, no
    return env, env


def alternatives(types: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The types in `(int, np.integer)`, `int | None` or `int`."""
    if isinstance(types, cst.Tuple):
        return [t for e in types.elements for t in alternatives(e.value)]
    if isinstance(types, cst.BinaryOperation) and isinstance(types.operator, cst.BitOr):
        return [*alternatives(types.left), *alternatives(types.right)]
    return [types]
