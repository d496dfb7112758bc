"""Interpreting the statements of a unit over abstract values."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import Value
from ...syntax import liveness
from ...syntax.source import walk
from ..state.access_paths import path_of
from ..state.evaluation import truth
from ..state.interpreter_state import Run
from ..state.lattice import Env, join_env
from ..state.memory import bind
from ..state.views import read_through
from . import variables
from .assignments import run_annotated, run_assign, run_augmented, run_delete
from .conditionals import run_assert, run_if
from .exception_handling import run_raise, run_try, run_with
from .execution import HANDLERS, block_of, run_block
from .expressions import evaluate
from .loop_statements import run_break, run_continue, run_for, run_while
from .nested_definitions import run_class, run_function


def _expression(run: Run, env: Env, node: cst.Expr) -> Env:
    evaluate(run, env, node.value)
    return env


def _return(run: Run, env: Env, node: cst.Return) -> None:
    value = Value(Kind.NONE) if node.value is None else read_through(evaluate(run, env, node.value), path_of(node.value))
    if run.flow.depth == 0:
        run.flow.returns[node] = (value, dict(env))
    else:
        run.escape(env, value)
    return None


def _import(run: Run, env: Env, node: cst.Import | cst.ImportFrom) -> Env:
    """Bind imported names that are bound more than once, as variables; the scope builder resolves those that are bound once."""
    if isinstance(node, cst.Import):
        return env
    found: list[tuple[str, str | None]] = []
    if isinstance(node.names, cst.ImportStar):
        module = run.scopes.imported_from(node)
        found += [(name, f"{module}.{name}") for name in sorted(run.unit.local) if module is not None]
    else:
        for alias in node.names:
            bound = alias.name if alias.asname is None else alias.asname.name
            if isinstance(bound, cst.Name) and len(run.scopes.bindings(bound)) > 1:
                found.append((bound.value, run.scopes.imported(alias)))
    for name, target in found:
        dotted = run.facts.canonical(target or "")
        if run.variable(dotted) is not None:
            run.attributes.reads_globals.add(dotted)
            bind(run, env, name, variables.variable(run, dotted), node)
    return env


def _global(run: Run, env: Env, node: cst.Global | cst.Nonlocal) -> Env:
    run.constraints.impure[node] = "it binds variables outside of itself"
    return env


def _match(run: Run, env: Env, node: cst.Match) -> Env | None:
    subject = truth(run, env, node.subject)
    result: Env | None = dict(env)
    if subject.kind is Kind.ARRAY or (subject.kind is Kind.UNKNOWN and subject.holds):
        if any(isinstance(n, (cst.MatchList, cst.MatchTuple)) for case in node.cases for n, _p in walk(case.pattern)):
            run.constraints.blocks[node] = ("NJ102", "`match` treats NumPy 2.5 arrays as sequences, but not JAX arrays")
    for case in node.cases:
        inner = dict(env)
        for name in liveness.pattern_names(case.pattern):
            bind(
                run,
                inner,
                name,
                Value(Kind.UNKNOWN, deps=subject.deps, traced=subject.traced, memory=subject.memory | {"?"}),
                node,
            )
        if case.guard is not None:
            truth(run, inner, case.guard)
        result = join_env(result, run_block(run, inner, block_of(case.body)))
    return result


HANDLERS.update(
    {
        cst.Assign: run_assign,
        cst.AnnAssign: run_annotated,
        cst.AugAssign: run_augmented,
        cst.Expr: _expression,
        cst.Return: _return,
        cst.Raise: run_raise,
        cst.Assert: run_assert,
        cst.Del: run_delete,
        cst.Import: _import,
        cst.ImportFrom: _import,
        cst.Global: _global,
        cst.Nonlocal: _global,
        cst.Break: run_break,
        cst.Continue: run_continue,
        cst.If: run_if,
        cst.For: run_for,
        cst.While: run_while,
        cst.With: run_with,
        cst.Try: run_try,
        cst.TryStar: run_try,
        cst.Match: _match,
        cst.FunctionDef: run_function,
        cst.ClassDef: run_class,
    }
)

__all__ = ["block_of", "run_block"]
