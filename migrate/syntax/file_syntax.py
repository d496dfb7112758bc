"""What Python's own parser says about a file: whether it is valid, and which libraries it imports. Without LibCST."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator
from typing import NamedTuple

MOST = 5_000  # files whose answers are kept
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class FileSyntax(NamedTuple):
    """`imported`: the topmost packages that a file imports, wherever it does; none where it is not valid."""

    valid: bool
    imported: frozenset[str] = frozenset()


_known: dict[bytes, FileSyntax] = {}


def parsed(data: bytes) -> ast.Module | None:
    """The syntax tree of a file; None if it is not valid Python."""
    tree = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    if len(_known) >= MOST:
        _known.clear()
    _known[data] = FileSyntax(False) if tree is None else FileSyntax(True, frozenset(_imported(tree)))
    return tree


def syntax_of(data: bytes) -> FileSyntax:
    """The same without the tree, which takes much more memory: several passes of a lint ask for it."""
    if data not in _known:
        parsed(data)
    return _known[data]


def newer_syntax(path: str, data: bytes) -> str:
    """Why Python's parser refuses a file that LibCST reads: mostly, a newer Python than the one that runs would read it."""
    try:
        ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line, message = getattr(error, "lineno", None) or 1, getattr(error, "msg", None) or type(error).__name__
        return f"{path}:{line}: Python {sys.version_info[0]}.{sys.version_info[1]}, which runs np2jax, cannot read it: {message}"
    return ""


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """The statements of a file: walking through its expressions, too, takes five times as long."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        yield node
        for name in BLOCKS:
            held = getattr(node, name, ())
            stack += held if isinstance(held, list) else ()
