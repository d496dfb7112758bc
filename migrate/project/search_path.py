"""The folders that a file adds to `sys.path`, found without running it."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

MENTIONS = re.compile(rb"sys\.path\b")
GUARD = re.compile(rb"^if\s+__name__\s*==\s*[\"']__main__[\"']", re.MULTILINE)
SAME = frozenset("Path PurePath abspath absolute as_posix expanduser fspath normpath realpath resolve str".split())


def is_script(data: bytes) -> bool:
    """Whether a file may be run as a program, judged by its text: then its folder is on `sys.path`."""
    return GUARD.search(data) is not None


def added_folders(data: bytes, path: Path) -> set[Path]:
    """The folders that the file at an absolute path adds, where it computes them from its own place (`Path(__file__).parent.parent`)."""
    if not (MENTIONS.search(data) and b"__file__" in data):
        return set()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    known: dict[str, str] = {"__file__": str(path)}
    found = set[Path]()
    for statement in tree.body:
        if (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(target := statement.targets[0], ast.Name)
        ):
            place = folder(statement.value, known)
            known.pop(target.id, None)
            known.update({} if place is None else {target.id: place})
        elif isinstance(statement, (ast.Expr, ast.If, ast.AugAssign, ast.Try)):
            for given in _given(statement):
                place = folder(given, known)
                if place is not None and os.path.isabs(place):
                    found.add(Path(os.path.normpath(place)))
    return found


def _given(statement: ast.stmt) -> Iterator[ast.expr]:
    """What a statement adds to `sys.path`."""
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Attribute(value=where, attr="append" | "insert" | "extend"), args=[*_, last]):
                value = last
            case ast.AugAssign(target=where, value=value):
                pass
            case _:
                continue
        if ast.unparse(where) == "sys.path":
            yield from value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]


def folder(node: ast.expr, known: Mapping[str, str]) -> str | None:
    """The path that an expression computes, None if that is not known."""
    match node:
        case ast.Name(id=name):
            return known.get(name)
        case ast.Constant(value=str(text)):
            return text
        case ast.Attribute(value=inner, attr="parent"):
            return _above(folder(inner, known), 1)
        case ast.Subscript(value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=int(levels))) if (
            levels >= 0
        ):
            return _above(folder(inner, known), levels + 1)
        case ast.BinOp(left=left, op=ast.Div() | ast.Add() as op, right=right):
            first, last = folder(left, known), folder(right, known)
            between = "/" if isinstance(op, ast.Div) else ""
            return None if first is None or last is None else first + between + last
        case ast.Call(func=ast.Attribute(attr="dirname") | ast.Name(id="dirname"), args=[inner]):
            return _above(folder(inner, known), 1)
        case ast.Call(func=ast.Attribute(attr="join"), args=[*parts]) if parts:
            places = [folder(part, known) for part in parts]
            return None if None in places else os.path.join(*(place for place in places if place is not None))
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[inner]) if name in SAME:
            return folder(inner, known)
        case ast.Call(func=ast.Attribute(value=inner, attr=name), args=[]) if name in SAME:
            return folder(inner, known)
    return None


def _above(place: str | None, levels: int) -> str | None:
    for _level in range(levels):
        place = None if place is None else os.path.dirname(place)
    return place
