"""What a function that could not be called would need, in words: its parameters, and how the code uses them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..sandbox.staging import Function

OF_ARRAYS = frozenset(dir(np.ndarray))
HOW = "record one with `np2jax record -- COMMAND` and pass it with --evidence"
MOST_NAMED = 4


def needed_input(source: Function, params: Sequence[Mapping[str, Any]], kinds: Mapping[str, str], owner: str) -> str:
    """A sentence about a call that would do. `kinds`: what the analysis knows; `owner`: the class of a method, else ""."""
    needed = []
    for number, param in enumerate(params):
        name = param["name"]
        if number == 0 and owner and name in ("self", "cls"):
            needed.append(f"an instance of {owner}" if name == "self" else f"the class {owner}")
        elif not param["default"] and not param["kind"].startswith("VAR"):
            needed.append(f"`{name}`{_described(source, name, param['annotation'], kinds.get(name, ''))}")
    return f"it needs a call with {_listed(needed)}: {HOW}" if needed else f"it needs a call: {HOW}"


def _described(source: Function, name: str, annotation: str, kind: str) -> str:
    if annotation:
        return f" ({annotation})"
    uses = [node for node in ast.walk(source) if isinstance(node, ast.Attribute | ast.Call | ast.Subscript)]
    if any(isinstance(use, ast.Call) and _is(use.func, name) for use in uses):
        return " (a function)"
    attributes = [use.attr for use in uses if isinstance(use, ast.Attribute) and _is(use.value, name)]
    if own := [f"`{each}`" for each in dict.fromkeys(attributes) if each not in OF_ARRAYS]:
        return f" (an object with {_listed(own)})"
    keys = [use.slice for use in uses if isinstance(use, ast.Subscript) and _is(use.value, name)]
    texts = [repr(key.value) for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    if texts:
        return f" (a dict with {_listed(dict.fromkeys(texts))})"
    return f" ({kind.replace(':', ' ')})" if kind and kind != "unknown" else ""


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _listed(words: Iterable[str]) -> str:
    known = list(words)
    known = known if len(known) <= MOST_NAMED else [*known[:MOST_NAMED], f"{len(known) - MOST_NAMED} more"]
    return known[0] if len(known) == 1 else f"{', '.join(known[:-1])} and {known[-1]}"
