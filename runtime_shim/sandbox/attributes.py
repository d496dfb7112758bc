"""The attributes of instances that are arrays of JAX: methods that use them run JAX although their text did not change."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from pathlib import Path


def names_of_jax(path: Path) -> frozenset[str]:
    """The names under which a file imports JAX, such as `jnp`; none if it does not parse."""
    try:
        imports = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Import | ast.ImportFrom)]
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    found = set()
    for node in imports:
        for alias in node.names:
            module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
            if module.partition(".")[0] == "jax":
                found.add(alias.asname or alias.name.partition(".")[0])
    return frozenset(found)


def uses_jax(method: str, code: ast.AST, functions: Mapping[str, ast.AST], jax: Collection[str]) -> bool:
    """Whether a method uses an attribute that the constructor of its class makes with JAX, and none that it makes otherwise, by a
    function of a module, or changes item by item: that one is still of NumPy."""
    owner, _, name = method.rpartition(".")
    constructor = functions.get(f"{owner}.__init__") if owner and name != "__init__" else None
    made: dict[bool, set[str]] = {True: set(), False: set()}
    for node in ast.walk(constructor) if constructor is not None else ():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            made[not _is_free(node.value.func, jax)].update(*map(attributes, node.targets))
    stored = (node.value for node in ast.walk(code) if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))
    still = made[False].union(*map(attributes, stored)) - made[True]
    used = attributes(code)
    return bool(used & made[True]) and not used & still


def _is_free(expression: ast.AST, jax: Collection[str]) -> bool:
    """Whether no name of JAX occurs in an expression."""
    return not any(isinstance(part, ast.Name) and part.id in jax for part in ast.walk(expression))


def attributes(code: ast.AST) -> set[str]:
    """The attributes of `self` in some code."""
    return {
        node.attr
        for node in ast.walk(code)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    }
