"""The text of a function in both versions, line by line."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from ..formats.findings_report import source_lines

Function = ast.FunctionDef | ast.AsyncFunctionDef


class SourcePair(NamedTuple):
    """`first`: the number of its first line in each version. `equal`: runs of equal lines, as (original, converted, length)."""

    original: tuple[str, ...]
    converted: tuple[str, ...]
    first: tuple[int, int]
    equal: tuple[tuple[int, int, int], ...]


def source_pairs(original: bytes, converted: bytes) -> dict[str, SourcePair]:
    """The functions of a file by their name in it. The converted text begins with the new functions that stand right above.

    A version that does not parse has none.
    """
    before, after = _spans(original), _spans(converted)
    old, new = source_lines(original), source_lines(converted)
    found = {}
    for name, (start, end) in before.items():
        first, last = after.get(name, (1, 0))
        while above := next((s for other, s in after.items() if other not in before and 0 <= first - s[1] - 1 <= 2), None):
            if not last:
                break
            first = above[0]
        ours, theirs = old[start - 1 : end], new[first - 1 : last]
        blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
        found[name] = SourcePair(ours, theirs, (start, first), tuple((b.a, b.b, b.size) for b in blocks if b.size))
    return found


def _spans(source: bytes) -> dict[str, tuple[int, int]]:
    """The first and the last line of every function, with its decorators."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    return {name: (_first(node), node.end_lineno or node.lineno) for name, node in _functions(tree, "")}


def _first(node: Function) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _functions(tree: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, Function):
            yield f"{prefix}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _functions(child, prefix)
