"""Functions for parameters that a function calls: smooth ones of NumPy, and `print` where it ignores what they return."""

from __future__ import annotations

import ast

from ..values.snapshot import Node, Snapshot

BY_ARGUMENTS = {1: ("cos", "log", "tanh", "square"), 2: ("multiply", "subtract")}


def functions_for(source: ast.AST, name: str) -> tuple[Snapshot, ...]:
    """Functions that may be given for a parameter, the likeliest first; none if the code does not call it."""
    calls = [node for node in ast.walk(source) if isinstance(node, ast.Call) and _is(node.func, name)]
    if not calls:
        return ()
    ignored = {id(node.value) for node in ast.walk(source) if isinstance(node, ast.Expr)}
    if all(id(call) in ignored for call in calls):
        return (Node("global", "builtins:print"),)
    counts = {sum(not isinstance(arg, ast.Starred) for arg in call.args) for call in calls}  # `*args` is often empty
    if len(counts) > 1 or any(word.arg is not None for call in calls for word in call.keywords):
        return ()
    return tuple(Node("global", f"numpy:{function}") for function in BY_ARGUMENTS.get(counts.pop(), ()))


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
