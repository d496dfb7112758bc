"""The exceptions that code raises by itself, with `raise` and `assert`: they belong to what a function does."""

from __future__ import annotations

import ast
import functools
import traceback
from collections.abc import Iterable
from pathlib import Path


def is_deliberate(problem: BaseException, top: Path) -> bool:
    """Whether a `raise` or an `assert` in a file below `top` raised the exception, and no library that it calls."""
    frames = traceback.extract_tb(problem.__traceback__)
    if not frames or not frames[-1].filename.startswith(str(top)):
        return False
    return frames[-1].lineno in _raising_lines(Path(frames[-1].filename))


def raised_types(sources: Iterable[ast.AST]) -> frozenset[str]:
    """The names of the exceptions that the code raises by itself."""
    return frozenset(name for source in sources for node in ast.walk(source) if (name := _raised(node)))


def _raised(node: ast.AST) -> str:
    match node:
        case ast.Assert():
            return "AssertionError"
        case ast.Raise(
            exc=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) | ast.Name(id=name) | ast.Attribute(attr=name)
        ):
            return name
    return ""


@functools.cache
def _raising_lines(path: Path) -> frozenset[int]:
    """The lines of the statements that raise. A file that ran parses."""
    found = (node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Raise | ast.Assert))
    return frozenset(line for node in found for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))
