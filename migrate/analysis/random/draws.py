"""Random draws: their generator, their arguments and their result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ....rules import random_table
from ....rules.core.dtypes import strong
from ....rules.core.findings import Kind
from ....rules.facts.values import DRAWN, NOTHING, UNKNOWN, Value, replace
from ....rules.syntax import source_text
from ..effects import in_place_updates
from ..state.access_paths import path_of
from ..state.evaluation import need
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import new_memory
from ..state.node_facts import GLOBAL_STATE, MADE_HERE, ON_HOST, Site
from ..state.views import read_through
from . import generator_containers, generators

if TYPE_CHECKING:
    from ..state.arguments import Arguments


def function_call(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value | None:
    """The value of a call of a function in `numpy.random`; None if the call is left as NumPy."""
    run.host.numpy_used = True
    if name in generators.MAKERS and seeds_key(run, drawing(run, node)):
        return Value(Kind.OBJECT)  # a generator of NumPy that draws the seed of a key
    if seeds_key(run, node):
        run.random.hosts.add(node)
        run.constraints.impure[node] = "it draws the seed of a key from NumPy's random state"
        return Value(Kind.SCALAR, "int", 0)
    if name in generators.MAKERS and run.facts.random.random_on_host:
        return Value(Kind.OBJECT, name=generators.MAKERS[name])
    if name in generators.MAKERS:
        return generators.made(run, env, node, name, arguments)
    if run.facts.random.random_on_host:
        found = random_table.draw("module", name.rpartition(".")[2])
        return None if found is None or found.state else _on_host(run, env, node, found)
    if name == "numpy.random.seed":
        if run.flow.depth:
            run.constraints.blocks[node] = ("NJ301", "it seeds NumPy's random state in a nested function")
        elif isinstance(run.source.parents.get(node), cst.Expr):
            run.random.sites[node] = Site(node, GLOBAL_STATE, seeds=True, seed=_seed(node))
            if again(run, node):
                run.constraints.impure[node] = "it seeds NumPy's random state again and again"
        else:
            run.constraints.blocks[node] = ("NJ301", "it seeds NumPy's random state inside an expression")
        return Value(Kind.NONE)
    found = random_table.draw("module", name.rpartition(".")[2])
    if found is None or (found.state and name in generators.BITS):
        return None
    if found.state:
        run.constraints.blocks[node] = ("NJ301", f"`{name}` handles the state of NumPy's generator, which JAX has not")
        return None
    return _draw(run, env, node, found, GLOBAL_STATE)


def drawing(run: Run, node: cst.Call) -> cst.CSTNode:
    """The call of a method of what a call creates; that call itself where there is none."""
    method = run.source.parents.get(node)
    call = run.source.parents.get(method) if isinstance(method, cst.Attribute) else None
    return call if isinstance(call, cst.Call) and call.func is method else node


def seeds_key(run: Run, node: cst.CSTNode) -> bool:
    """Whether a draw is the seed of a key, which NumPy's random state has to determine: `jax.random.key(np.random.randint(n))`."""
    argument = run.source.parents.get(node)
    call = run.source.parents.get(argument) if isinstance(argument, cst.Arg) else None
    return isinstance(call, cst.Call) and run.scopes.qualname(call.func) == "jax.random.key"


def again(run: Run, node: cst.CSTNode) -> bool:
    """Whether a call is in a loop, whose iterations pass NumPy's random state on to each other."""
    at = run.source.parents.get(node)
    while at is not None and at is not run.unit.owner:
        if isinstance(at, (cst.For, cst.While)):
            return True
        at = run.source.parents.get(at)
    return False


def method_call(run: Run, env: Env, node: cst.Call, func: cst.Attribute, receiver: Value) -> Value | None:
    """The value of a call of a generator's method; None if the receiver is not known to be a generator."""
    method = func.attr.value
    if seeds_key(run, node):
        run.constraints.impure[node] = "it draws the seed of a key from a generator of NumPy"
        return Value(Kind.SCALAR, "int", 0)
    if not generators.is_generator(receiver):
        if (
            not run.facts.random.random_on_host
            and receiver.kind is Kind.UNKNOWN
            and _sounds(path_of(func.value))
            and generators.is_draw(method)
        ):
            run.constraints.blocks[node] = (
                "NJ301",
                f"it draws from `{path_of(func.value)}`, whose type is unknown: annotate it",
            )
        return None
    found = random_table.draw(generators.APIS[receiver.name], method)
    if run.facts.random.random_on_host:
        return None if found is None or found.state else _on_host(run, env, node, found)
    made_here = isinstance(func.value, cst.Call) or generators.is_child(run, func.value)
    if method == "spawn":
        return generators.spawned(run, node, MADE_HERE if made_here else _stream_of(func.value))
    if found is None or found.state:
        run.constraints.blocks[node] = (
            "NJ301",
            f"`.{method}` handles the state of a generator, which JAX has not: seed one for each use",
        )
        return None
    return _draw(run, env, node, found, MADE_HERE if made_here and len(found.keys) == 1 else _stream_of(func.value))


def _stream_of(generator: cst.BaseExpression) -> str:
    """The stream of a generator that is a variable, an attribute, or an element of a list."""
    return path_of(generator) or generator_containers.element(generator)


def _sounds(path: str | None) -> bool:
    return path is not None and generators.sounds_like_generator(path.rpartition(".")[2])


def _seed(call: cst.Call) -> cst.BaseExpression | None:
    return call.args[0].value if call.args else None


def _draw(run: Run, env: Env, node: cst.Call, found: random_table.Draw, stream: str) -> Value:
    arguments, why = random_table.bind(found, node.args)

    def facts(parameter: str) -> Value:
        return run.values.get(arguments[parameter], UNKNOWN) if parameter in arguments else UNKNOWN

    if "*d" in arguments and isinstance(arguments["*d"], cst.Tuple):
        for element in arguments["*d"].elements:
            need(run, element.value, run.values.get(element.value, UNKNOWN), "it sets a shape")
    why = why or random_table.problem(found, arguments, facts)
    run.random.sites[node] = Site(node, stream, tuple(found.keys), found)
    if why:
        run.constraints.blocks[node] = ("NJ301", f"it draws random numbers: {why}")
        return Value(Kind.UNKNOWN, traced=True, number=True)
    if not stream:
        run.constraints.blocks[node] = ("NJ301", "it draws from a generator that has no name")
    if not found.jit:
        run.constraints.impure[node] = "it draws values for Python"
    for parameter in random_table.static_parameters(found, arguments, facts):
        if found.dtype == "same" and parameter == found.vectors[0] and _may_be_array(facts(parameter)):
            if not _is_measured(run, facts(parameter).holds):
                run.constraints.impure[node] = (
                    f"np2jax cannot tell whether `{facts(parameter).holds}`, of which it draws, is a number or an array"
                )
        elif parameter in arguments:
            need(run, arguments[parameter], facts(parameter), f"`{parameter}` sets the shape of a draw")
    deps = NOTHING.union(*(facts(parameter).deps for parameter in arguments))
    if found.writes:
        return _shuffled(run, env, node, arguments[found.writes], facts(found.writes))
    value = random_table.result(found, arguments, facts)
    if value.kind is Kind.OBJECT:
        return value
    memory = new_memory(run, env, node) if value.kind is not Kind.SCALAR else NOTHING
    number = value.kind is Kind.UNKNOWN
    if value.kind is Kind.SCALAR and value.dtype in ("float", "int"):
        value = replace(value, name=DRAWN)
    value = replace(value, dtype=strong(value.dtype))  # a single Python number in NumPy, an array of this dtype in JAX
    return replace(value, deps=deps, traced=True, device=True, memory=memory, number=number)


def _may_be_array(value: Value) -> bool:
    """Whether `choice(n)` may as well be `choice(x)`."""
    return value.kind is Kind.UNKNOWN and bool(value.holds)


def _is_measured(run: Run, name: str) -> bool:
    """Whether the unit takes the length of a variable, which numbers do not have."""
    for node in () if run.unit.owner is None else run.source.among(run.unit.owner, cst.Call):
        match node:
            case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=cst.Name(value=of))]) if of == name:
                return True
    return False


def _on_host(run: Run, env: Env, node: cst.Call, found: random_table.Draw) -> Value:
    """The value of a draw that is left as NumPy: its array is passed to JAX."""
    run.constraints.impure[node] = "random numbers are drawn on the host"
    arguments, _why = random_table.bind(found, node.args)
    if found.writes:
        run.constraints.blocks[node] = (
            "NJ301",
            "NumPy's generator shuffles an array in place: use `permutation`, which returns a new one",
        )
        return Value(Kind.NONE)
    for argument in node.args:
        need(run, argument.value, run.values.get(argument.value, UNKNOWN), "it is an argument of NumPy's generator")
    value = random_table.result(found, arguments, lambda p: run.values.get(arguments[p], UNKNOWN) if p in arguments else UNKNOWN)
    if value.kind is not Kind.ARRAY:
        return replace(value, traced=True, number=value.kind is Kind.UNKNOWN)
    run.random.sites[node] = Site(node, ON_HOST, (), found)
    return replace(value, traced=True, device=True, memory=new_memory(run, env, node), number=False)


def _shuffled(run: Run, env: Env, node: cst.Call, target: cst.BaseExpression, value: Value) -> Value:
    if value.kind is not Kind.ARRAY:
        run.constraints.blocks[node] = (
            "NJ301",
            f"np2jax cannot tell that `{source_text.code(target)}`, which is shuffled, is an array",
        )
    elif not isinstance(run.source.parents.get(node), cst.Expr):
        run.constraints.blocks[node] = ("NJ301", "it shuffles an array inside an expression")
    in_place_updates.written_argument(run, env, node, target, read_through(value, path_of(target)))
    return Value(Kind.NONE)
