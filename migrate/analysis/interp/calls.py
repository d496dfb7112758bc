"""The value of a call, and its effects on the arguments: find the callee and dispatch."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from ....rules import library_table
from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, PYTHON, UNKNOWN, Value, replace
from ....rules.numpy_table import math_names
from ....rules.syntax import source_text
from ..effects.pure_functions import is_pure
from ..random import generators
from ..state.access_paths import path_of
from ..state.arguments import Arguments, dependencies
from ..state.call_signatures import shape_of
from ..state.evaluation import evaluate, need
from ..state.interpreter_state import Run
from ..state.lattice import Env, scalar
from ..state.memory import drop_paths, new_memory
from ..state.views import read_through
from . import builtin_calls, library_calls, method_calls, nested_calls, numpy_calls, project_calls, special_methods, super_calls

# libraries that read arrays and retain no reference to them
READERS = (
    "builtins",
    "math",
    "cmath",
    "time",
    "logging",
    "warnings",
    "scipy",
    "matplotlib",
    "sys",
    "os",
    "json",
    "csv",
    "pytest",
    "timeit",
)

DICTS = tuple(f"collections.{name}" for name in ("defaultdict", "OrderedDict", "Counter"))
# NumPy functions that return a jax.Array for a jax.Array, because they call its method
PASSED_ON = frozenset(
    "all amax amin any argmax argmin around array_split cumprod cumsum diff flip hsplit imag isreal max mean min nonzero permute_dims "
    "prod real repeat reshape rollaxis round split squeeze std sum transpose trim_zeros unstack var vsplit".split()
)


def evaluate_arguments(run: Run, env: Env, args: Sequence[cst.Arg]) -> Arguments:
    positional, keywords, starred = [], {}, False
    for arg in args:
        value = evaluate(run, env, arg.value)
        value = read_through(value, path_of(arg.value))
        if arg.star:
            starred = True
            positional.append((arg.value, value))
        elif arg.keyword is not None:
            keywords[arg.keyword.value] = (arg.value, value)
        else:
            positional.append((arg.value, value))
    return Arguments(tuple(positional), keywords, starred)


def call(run: Run, env: Env, node: cst.Call) -> Value:
    value = _call(run, env, node)
    if run.flow.result_aliases and value.kind not in (Kind.SCALAR, Kind.NONE, Kind.STRING) and calls_nested(run, node):
        shared = (env[name] for name in run.flow.result_aliases if name in env)
        value = replace(value, memory=value.memory.union(*(v.memory for v in shared if v.kind is not Kind.SCALAR)))
    if value.kind in (Kind.ARRAY, Kind.UNKNOWN, Kind.SCALAR) and not value.origin:
        arguments = [run.values.get(a.value, UNKNOWN) for a in node.args]
        if isinstance(node.func, cst.Attribute):
            arguments.append(run.values.get(node.func.value, UNKNOWN))
        origin = NOTHING.union(*(v.origin for v in arguments))
        dotted = run.scopes.qualname(node.func) or ""
        owner, _dot, short = dotted.rpartition(".")
        if origin and (
            short in PASSED_ON or not (owner.partition(".")[0] in ("numpy", "math") or library_table.function(dotted))
        ):
            return replace(value, origin=origin)
    return value


def calls_nested(run: Run, node: cst.Call) -> bool:
    """Whether a call is of a nested function, or passes one to a callee that may return its result."""
    if (run.scopes.qualname(node.func) or "").startswith("numpy."):
        return False  # it converts its arguments to arrays
    arguments = (run.values.get(n, UNKNOWN) for n in (node.func, *(a.value for a in node.args)))
    return any(v.kind is Kind.FUNCTION and v.name == "<lambda>" for v in arguments)


def _call(run: Run, env: Env, node: cst.Call) -> Value:
    if isinstance(node.func, cst.Attribute):
        function = evaluate(run, env, node.func)
        if super_calls.is_super(run, node.func.value):
            return super_calls.call(run, env, node, node.func)
        if function.kind is Kind.DTYPE and function.name:
            return numpy_calls.cast(run, env, node, function, evaluate_arguments(run, env, node.args))
        receiver = run.values.get(node.func.value, UNKNOWN)
        if function.kind is Kind.OBJECT and function.name in run.facts.classes:
            return special_methods.called(run, env, node, function, evaluate_arguments(run, env, node.args))
        imported = function.name and run.scopes.qualname(node.func) == function.name
        if not function.name or (function.kind is not Kind.FUNCTION and not imported):
            return method_calls.method_call(run, env, node, node.func, receiver, function)
        arguments = evaluate_arguments(run, env, node.args)
        callee = run.facts.functions.get(function.name)
        if callee is not None and callee.receives(receiver.kind):
            own = (node.func.value, read_through(receiver, path_of(node.func.value)))
            arguments = Arguments((own, *arguments.positional), arguments.keywords, arguments.starred)
            return project_calls.project_call(run, env, node, function.name, arguments)
        return _named(run, env, node, function.name, arguments)
    function = evaluate(run, env, node.func)
    arguments = evaluate_arguments(run, env, node.args)
    if function.name == "<lambda>" and (made := nested_calls.result(run, env, node, arguments)) is not None:
        return made
    if function.kind is Kind.FUNCTION and function.deps:
        run.constraints.impure[node] = "it calls a function passed by a caller, which may be a NumPy function"
    if function.kind is Kind.DTYPE:
        return numpy_calls.cast(run, env, node, function, arguments)
    if function.kind is Kind.OBJECT and function.name in run.facts.classes:
        return special_methods.called(run, env, node, function, arguments)
    if function.name and function.name != "<lambda>":
        if function.kind is Kind.CLASS:
            return project_calls.instance(run, env, node, function.name, arguments)
        return _named(run, env, node, function.name, arguments)
    return unknown(run, env, node, function, arguments)


def _math(run: Run, node: cst.Call, name: str, arguments: Arguments) -> Value:
    """A call of a function in `math`: computed by JAX if it has the function and the argument is traced; else Python needs the
    argument."""
    values = [value for _expression, value in arguments.positional]
    if math_names.jax_name(name, len(node.args)):
        deps, traced = dependencies(arguments), any(value.traced for value in values)
        if deps or traced:
            weak = all(value.holds for value in values)  # a number that Python passes is weak in JAX, too
            device = any(value.device for value in values)
            return Value(Kind.SCALAR, "float", 0, deps, traced or device, device, name="" if weak else PYTHON)
    for expression, value in arguments.positional:
        need(run, expression, value, f"`{name}` takes Python numbers")
    whole = name in ("math.floor", "math.ceil", "math.factorial", "math.gcd", "math.comb")
    return scalar("int" if whole else "float", dependencies(arguments))


def _named(run: Run, env: Env, node: cst.Call, name: str, arguments: Arguments) -> Value:
    if name.startswith("numpy."):
        return numpy_calls.function_call(run, env, node, name, arguments)
    if name in generators.CHECKERS and not run.facts.random.random_on_host:
        return generators.made(run, env, node, name, arguments)
    if name in run.facts.functions:
        return project_calls.project_call(run, env, node, name, arguments)
    if name in run.facts.classes:
        return project_calls.instance(run, env, node, name, arguments)
    if name.startswith("builtins."):
        return builtin_calls.builtin_call(run, env, node, name[9:], arguments)
    if name.startswith("math."):
        return _math(run, node, name, arguments)
    if name == "collections.namedtuple":
        run.attributes.frozen |= {word for a in node.args[1:2] for word in re.findall(r"\w+", source_text.code(a.value))}
    if name in ("copy.copy", "copy.deepcopy") and arguments.positional:
        value = arguments.positional[0][1]
        if name == "copy.copy" and value.kind is Kind.OBJECT and value.name in run.facts.classes:
            run.attributes.attr_stores |= {f"{value.name}.{attr}" for attr in run.facts.classes[value.name].attrs}
        shallow = name == "copy.copy" and value.kind is not Kind.ARRAY  # a copy of a container contains the same arrays
        memory = new_memory(run, env, node)
        memory = value.memory | memory if shallow else memory
        return replace(value, memory=memory, holds="", view=None, copied=shallow)
    if (row := library_table.function(name)) is not None:
        return library_calls.call(run, env, node, name, row, arguments)
    made = unknown(run, env, node, Value(name=name), arguments)
    return replace(made, kind=Kind.DICT) if name in DICTS else made


def unknown(run: Run, env: Env, node: cst.Call, function: Value, arguments: Arguments) -> Value:
    """A call of an unknown callee: its result may share memory with any argument."""
    values = arguments.values()
    root = function.name.partition(".")[0]
    if function.name in ("dataclasses.replace", "copy.replace"):
        run.attributes.attr_stores |= {f"?.{key}" for key in arguments.keywords}
        copied = {values[0].name} & run.facts.classes.keys() if values else set()
        for cls in copied or run.facts.classes:  # both instances share the other fields
            run.attributes.attr_stores |= {f"{cls}.{f}" for f in run.facts.record(cls)}
    run.constraints.impure[node] = f"it calls `{function.name or 'something'}`, which is not known"
    run.constraints.python_results |= NOTHING.union(*(v.origin for v in values))
    if function.name == "pytest.approx":  # it iterates over the `.flat` of an array without dimensions
        run.host.host_uses |= NOTHING.union(*(v.origin for v in values if v.kind is not Kind.ARRAY or v.rank <= 0))
    pure = function.name == "<lambda>" and is_pure(run, node)
    if not function.name or (function.name == "<lambda>" and not pure):
        run.call_graph.unknown_calls.add(shape_of(node))
        run.call_graph.blind.setdefault(node, "")
        run.effects.touched |= NOTHING.union(*(v.memory for v in values))
    if root not in READERS and not pure:
        run.escape(env, *values)
        for expression, _value in arguments.positional:
            if (key := path_of(expression)) is not None:
                drop_paths(env, key)
    memory = NOTHING.union(*(v.memory for v in values), function.memory) | {"?"}
    name = "" if function.name == "<lambda>" else function.name  # its result may be a JAX array
    return Value(Kind.UNKNOWN, deps=dependencies(arguments) | function.deps, traced=True, memory=memory, name=name)
