"""Interpreting statements in order; `statements` registers a handler for each kind of statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from ..state.interpreter_state import Run
from ..state.lattice import Env

HANDLERS: dict[type, Callable[[Run, Env, Any], Env | None]] = {}  # filled by `statements`


def run_block(run: Run, env: Env | None, body: Sequence[cst.CSTNode]) -> Env | None:
    """Interpret statements in order; None if no path reaches the end."""
    for statement in body:
        if env is None:
            return None
        env = run_statement(run, env, statement)
    return env


def block_of(node: cst.BaseSuite | cst.CSTNode) -> Sequence[cst.CSTNode]:
    return node.body if isinstance(node, (cst.IndentedBlock, cst.SimpleStatementSuite)) else [node]


def run_statement(run: Run, env: Env, node: cst.CSTNode) -> Env | None:
    if type(node) is cst.SimpleStatementLine:
        return run_block(run, env, node.body)
    outer, run.flow.stmt = run.flow.stmt, node
    handler = HANDLERS.get(type(node))
    result = env if handler is None else handler(run, env, node)
    run.flow.stmt = outer
    return result
