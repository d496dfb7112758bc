"""Functions and classes that a unit defines."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, UNKNOWN, Value, replace
from ...syntax import liveness
from ..inference import declared_types
from ..inference.result_types import is_false
from ..state.access_paths import path_of
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import bind
from ..state.views import read_through
from .execution import block_of, run_block, run_statement
from .expressions import evaluate


def nested_params(run: Run, env: Env, function: cst.FunctionDef | cst.Lambda, outer: Env) -> frozenset[str]:
    """Bind the parameters of a nested function or lambda, which are unknown but for their annotations, or slices along one of several
    axes; the memory of the defaults, which the function retains."""
    params = function.params
    sliced = {
        n.value.value
        for n in run.source.among(function.body, cst.Subscript)
        if isinstance(n.value, cst.Name) and len(n.slice) > 1 and any(isinstance(p.slice, cst.Slice) for p in n.slice)
    }
    arrays = frozenset[str]() if run.source.name in run.facts.program.pandas else sliced
    every = [*params.posonly_params, *params.params, *params.kwonly_params]
    every += [p for p in (params.star_arg, params.star_kwarg) if isinstance(p, cst.Param)]
    kept: frozenset[str] = NOTHING
    for param in every:
        memory = frozenset({"?"})
        if param.default is not None:
            default = read_through(evaluate(run, outer, param.default), path_of(param.default))
            kept |= default.memory
            memory |= default.memory
        promised = None if param.annotation is None else declared_types.annotation(param.annotation.annotation)
        if promised is None and param.name.value in arrays:
            promised = Value(Kind.ARRAY)
        env[param.name.value] = replace(promised or UNKNOWN, memory=memory, traced=True)
    return kept


def run_function(run: Run, env: Env, node: cst.FunctionDef) -> Env:
    """Define a nested function: its body is interpreted once with what is known at the definition."""
    for decorator in node.decorators:
        evaluate(run, env, decorator.decorator)
    name = node.name.value
    if run.name.endswith(".<module>") and run.flow.depth == 0 and not run.unit.in_function:
        evaluate_defaults(run, env, node)
        bind(run, env, name, Value(Kind.FUNCTION, name=f"{run.source.name}.{name}"), node)
        if f"{run.source.name}.{name}" in run.facts.several:
            del env[name]  # looked up where it is used
        return env
    inner = dict(env)
    kept = nested_params(run, inner, node, env)
    if node not in run.unit.nested_live:
        run.unit.nested_live[node] = liveness.live(node)
    local_now, stmt = run.flow.local_now, run.flow.stmt
    run.flow.local_now = run.flow.local_now | run.scopes.assigned(node)
    run.flow.depth += 1
    breaks, continues, touched, written = run.flow.breaks, run.flow.continues, run.effects.touched, run.effects.written
    run.flow.breaks, run.flow.continues, run.effects.touched, run.effects.written = [], [], set(), {}
    end = run_block(run, inner, block_of(node.body))
    captured = run.scopes.free(node)
    run.effects.changed_inside |= {name for name in captured if name not in env or env[name].memory & run.effects.changed}
    run.flow.breaks, run.flow.continues = breaks, continues
    run.effects.touched, run.effects.written = touched | run.effects.changed, written
    run.flow.depth -= 1
    run.flow.local_now, run.flow.stmt = local_now, stmt
    run.flow.result_aliases |= result_aliases(env, captured, [run.values.get(n, UNKNOWN) for n in returned(run, node)])
    memory = NOTHING.union(*(env[n].memory for n in captured if n in env))
    deps = NOTHING.union(*(env[n].deps for n in captured if n in env))
    for key, value in (end or inner).items():
        if key.startswith("!"):
            env[key] = value
    bind(run, env, name, Value(Kind.FUNCTION, deps=deps, name="<lambda>", memory=(memory & frozenset({"?"})) | kept), node)
    return env


def evaluate_defaults(run: Run, env: Env, node: cst.FunctionDef) -> None:
    """Evaluate the defaults of the parameters: a function among them is used as a value."""
    for param in (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params):
        if param.default is not None:
            evaluate(run, env, param.default)


def returned(run: Run, node: cst.FunctionDef) -> list[cst.BaseExpression]:
    """The expressions that a function, or one nested in it, returns or yields."""
    found = [n.value for n in run.source.among(node, cst.Return)] + [n.value for n in run.source.among(node, cst.Yield)]
    return [n.item if isinstance(n, cst.From) else n for n in found if n is not None]


def result_aliases(env: Env, captured: Iterable[str], results: Iterable[Value]) -> set[str]:
    """The captured variables with which the results of a nested function may share memory; they may yet be bound or rebound."""
    memory = NOTHING.union(*(v.memory for v in results))
    return {name for name in captured if name not in env or env[name].memory & memory}


def run_class(run: Run, env: Env, node: cst.ClassDef) -> Env:
    """Define a class at module level: interpret its own statements; methods are separate units."""
    for decorator in node.decorators:
        evaluate(run, env, decorator.decorator)
    for base in node.bases:
        evaluate(run, env, base.value)
    inner = dict(env)
    own: dict[str, Value] = {}
    for statement in block_of(node.body):
        if isinstance(statement, cst.FunctionDef):
            evaluate_defaults(run, inner, statement)
            continue
        run_statement(run, inner, statement)
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                own[small.target.value] = declared_types.annotation(small.annotation.annotation) or UNKNOWN  # of a dataclass
    made = {name: value for name, value in inner.items() if env.get(name) is not value and name.isidentifier()}
    if is_record(run, node):
        name = run.scopes.qualname(node.name) or f"{run.source.name}.{node.name.value}"
        run.attributes.fields[name] = tuple(own)
        if is_frozen(run, node):
            run.attributes.frozen |= {name, *own}
        own = {name: replace(value, memory=frozenset({"new:field"})) for name, value in own.items()}
        made = {name: value for name, value in made.items() if name not in own}  # the default of a field
    own |= made
    run.attributes.class_values[run.scopes.qualname(node.name) or f"{run.source.name}.{node.name.value}"] = own
    bind(run, env, node.name.value, Value(Kind.CLASS, name=run.scopes.qualname(node.name) or ""), node)
    return env


RECORDS = frozenset({"dataclasses.dataclass", "attr.s", "attr.dataclass", "attrs.define", "attr.define", "typing.NamedTuple"})


def is_record(run: Run, node: cst.ClassDef) -> bool:
    """Whether `__init__` is generated from the annotated variables of a class: a dataclass, a NamedTuple."""
    used = [d.decorator.func if isinstance(d.decorator, cst.Call) else d.decorator for d in node.decorators]
    return any(run.scopes.qualname(n) in RECORDS for n in (*used, *(b.value for b in node.bases)))


def is_frozen(run: Run, node: cst.ClassDef) -> bool:
    """Whether the fields of a record cannot be rebound: a NamedTuple, `@dataclass(frozen=True)`."""
    made = [d.decorator for d in node.decorators if isinstance(d.decorator, cst.Call)]
    frozen = (a for call in made for a in call.args if a.keyword is not None and a.keyword.value == "frozen")
    return any(not is_false(a.value) for a in frozen) or any(
        run.scopes.qualname(b.value) == "typing.NamedTuple" for b in node.bases
    )
