"""Long tables in a file, parsed in parts. While LibCST parses a statement, it takes a thousand times the memory of its text, and the
more time for each element, the longer the statement is."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

import libcst as cst

from ...rules.syntax.tree import walk
from .file_syntax import parsed

LONG = 100_000  # bytes of a display
PART = 10_000  # bytes of its elements that are parsed together, about
GAP = re.compile(rb"\s*,\s*")  # between elements, where a display may be cut: no comment, no bracket
NAME = "np2jax_left_out_{}"
PLAIN = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Expr,
)  # statements of the module without a block: elsewhere, lines are indented
OTHERS = (ast.Subscript, ast.JoinedStr)  # a tuple as an index is none for LibCST; in a text, places are others
Display = ast.Tuple | ast.List | ast.Set
Tree = Callable[[bytes], cst.Module]


def parsed_in_parts(data: bytes, tree: Tree) -> cst.Module:
    """What `tree` makes of a file, without giving it long displays as a whole."""
    cuts = _cuts(data) if len(data) > LONG else []
    if not cuts:
        return tree(data)
    short, start = b"", 0
    for number, cut in enumerate(cuts):
        short += data[start : cut[0]] + NAME.format(number).encode() + b","
        start = cut[-1]
    module = tree(short + data[start:])
    for number, cut in enumerate(cuts):
        parts = (data[one:end] for one, end in pairwise(cut))
        module = _filled(module, NAME.format(number), [element for part in parts for element in _elements(part, tree)])
    return module


def _cuts(data: bytes) -> list[list[int]]:
    """For each display that is cut, in the order of the text, where the parts of its elements start that are left out, and where the
    last of these ends; none where the places that Python's parser gives may be others."""
    if not data.isascii() or b"\r" in data or b"\f" in data or NAME.format("").encode() in data:
        return []
    module = parsed(data)
    starts = [*accumulate((len(line) + 1 for line in data.split(b"\n")), initial=0)]
    statements = [node for node in module.body if isinstance(node, PLAIN)] if module is not None else []
    found = [_cut(display, data, starts) for node in statements for display in _long(node, starts)]
    return [cut for cut in found if len(cut) > 1]


def _long(node: ast.AST, starts: Sequence[int]) -> Iterator[Display]:
    """The innermost long displays in a statement."""
    inner = list[Display]()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) and _end(child, starts) - _start(child, starts) > LONG and not isinstance(node, OTHERS):
            inner += _long(child, starts)
    if inner:
        yield from inner
    elif isinstance(node, Display):
        yield node


def _cut(display: Display, data: bytes, starts: Sequence[int]) -> list[int]:
    """Where a display is cut, see `_cuts`. Its first and its last element stay."""
    gaps = ((_end(one, starts), _start(then, starts)) for one, then in pairwise(display.elts))
    places = [then for end, then in gaps if GAP.fullmatch(data, end, then)]
    chosen = places[:1]
    for at, following in pairwise([*places, len(data)]):
        if at - chosen[-1] >= PART or (following == len(data) and at > chosen[-1]):
            chosen.append(at)
    return chosen


def _start(node: ast.expr, starts: Sequence[int]) -> int:
    return starts[node.lineno - 1] + node.col_offset


def _end(node: ast.expr, starts: Sequence[int]) -> int:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return starts[node.end_lineno - 1] + node.end_col_offset


def _elements(text: bytes, tree: Tree) -> list[cst.BaseElement]:
    """The elements in a part of a display, which ends where the next element starts."""
    line = cst.ensure_type(tree(b"[" + text + b"]\n").body[0], cst.SimpleStatementLine)
    display = cst.ensure_type(cst.ensure_type(line.body[0], cst.Expr).value, cst.List)
    *others, last = display.elements
    comma = cst.ensure_type(last.comma, cst.Comma)
    space = display.rbracket.whitespace_before if comma.whitespace_after.empty else comma.whitespace_after
    return [*others, last.with_changes(comma=comma.with_changes(whitespace_after=space))]


def _filled(module: cst.Module, name: str, elements: Sequence[cst.BaseElement]) -> cst.Module:
    """The module with elements in place of a name in a display."""
    parents = dict(walk(module))
    left_out = next(node for node in parents if type(node) is cst.Name and node.value == name)
    element = parents[left_out]
    assert element is not None
    display = parents[element]
    assert isinstance(display, (cst.Tuple, cst.List, cst.Set))
    made = [each for one in display.elements for each in (elements if one is element else (one,))]
    return cst.ensure_type(module.deep_replace(display, display.with_changes(elements=made)), cst.Module)
