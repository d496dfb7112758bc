"""Evaluation of any expression, and a record of the values that Python itself needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, UNKNOWN, Value
from ...syntax.source import children
from .interpreter_state import Run
from .lattice import Env
from .node_facts import Need

TEXT = "it is formatted into a string"
LOOPED = "Python loops over it"
KEY = "it is a key of a dict, or an item of a set"
HANDLERS: dict[type, Callable[[Run, Env, Any], Value]] = {}  # filled by `expressions`


def evaluate(run: Run, env: Env, node: cst.CSTNode) -> Value:
    """The value of an expression. Every part of it is evaluated and recorded, in Python's order."""
    handler = HANDLERS.get(type(node))
    value = UNKNOWN if handler is None else handler(run, env, node)
    if handler is None:
        for child in children(node):
            if isinstance(child, cst.BaseExpression):
                evaluate(run, env, child)
    run.values[node] = value
    return value


def need(run: Run, node: cst.CSTNode, value: Value, why: str) -> None:
    """Record that Python itself needs this value, unless the value is known when tracing anyway."""
    if why != TEXT:  # a scalar of JAX is formatted as Python's is
        run.constraints.python_results |= _made_of(run, node) if value.kind is Kind.UNKNOWN and not value.origin else value.origin
    if value.traced or value.deps:
        run.constraints.needs[node] = Need(node, value, why)


def truth(run: Run, env: Env, node: cst.BaseExpression) -> Value:
    """Evaluate a condition whose truth value Python needs."""
    value = evaluate(run, env, node)
    need(run, node, value, "Python needs its truth value")
    return value


def _made_of(run: Run, node: cst.CSTNode) -> frozenset[str]:
    """The functions whose results occur anywhere in an expression."""
    return NOTHING.union(*(run.values.get(part, UNKNOWN).origin for part in run.source.below(node)))
