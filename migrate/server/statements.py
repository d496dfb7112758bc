"""The statements of a file that are analysed together at once: those that were edited, and what is near them."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

LINE = re.compile(r"\r\n|\r|\n")  # what ends a line for Python and for editors
WORD = re.compile(r"[^\W\d]\w*")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Statement(NamedTuple):
    """A top-level statement, a method, or several statements on one line. `first`, `last`: its lines from 1, with the comments above
    it. `binds`: the names that it binds; `reads`: all words in it. `cls`: for a method, the first line of its class."""

    first: int
    last: int
    binds: frozenset[str]
    reads: frozenset[str]
    imports: bool
    cls: int = 0

    @property
    def lines(self) -> range:
        return range(self.first, self.last + 1)


def source_lines(text: str) -> list[str]:
    """The lines of a text, without their ends."""
    return LINE.split(text)


def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a file. Raises SyntaxError, and ValueError for a null byte, where the text is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(text).body
    return tuple(_grouped(body, source_lines(text), 1))


def _grouped(body: Sequence[ast.stmt], lines: Sequence[str], first: int, cls: int = 0) -> Iterator[Statement]:
    """The statements of a block that begins on line `first`. A class is its head with its first statement, and the rest of its body."""
    groups: list[tuple[int, list[ast.stmt]]] = []  # the last line, and what stands on it
    for node in body:
        last = node.end_lineno or node.lineno
        if groups and node.lineno <= groups[-1][0]:
            groups[-1] = (last, [*groups[-1][1], node])
        else:
            groups.append((last, [node]))
    for last, nodes in groups:
        binds = frozenset(name for node in nodes for name in _bound(node))
        imports = not cls and any(_imports(node) for node in nodes)
        node = nodes[0]
        rest = list[ast.stmt]()
        head = last
        if isinstance(node, ast.ClassDef) and len(nodes) == 1 and not cls:
            head = node.body[0].end_lineno or last
            rest = [inner for inner in node.body if inner.lineno > head]
        yield Statement(first, head, binds, _names(lines[first - 1 : head]), imports, cls)
        yield from _grouped(rest, lines, head + 1, first)
        first = last + 1


def _names(lines: Sequence[str]) -> frozenset[str]:
    """All words: more than the names, and found in a tenth of the time that a walk over the tree takes."""
    return frozenset(WORD.findall("\n".join(lines)))


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds in its own scope."""
    if isinstance(node, DEFINITIONS):
        yield node.name
        return
    yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store))


def _imports(node: ast.stmt) -> bool:
    """Whether a statement imports, also below a `try` or an `if`, where imports stand that may fail."""
    below = [*node.body, *node.orelse] if isinstance(node, ast.Try | ast.If) else []
    return any(isinstance(inner, ast.Import | ast.ImportFrom) for inner in (node, *below))


def needed(lines: Collection[int], every: Sequence[Statement], most: int) -> Set[Statement]:
    """The statements on some lines, all imports, what they need and what needs them, the nearest first: at most so many lines.

    Empty if the statements on these lines are longer than that.
    """
    heads = {each.first: each for each in every if not each.cls}
    changed = [each for each in every if any(line in lines for line in each.lines)]
    found = _with_classes([*changed, *(each for each in every if each.imports)], heads)
    if not changed or _length(found) > most:
        return frozenset()
    near: Set[Statement] = {*changed}
    while near:
        reads = frozenset[str]().union(*(each.reads for each in near))
        binds = frozenset[str]().union(*(each.binds for each in near if each in changed))
        more = [each for each in every if each.binds & reads] + [each for each in every if each.reads & binds]
        near = set()
        for each in more:
            wider = found | _with_classes([each], heads)
            if each not in found and _length(wider) <= most:
                near |= wider - found
                found = wider
    return found


def _with_classes(some: Iterable[Statement], heads: dict[int, Statement]) -> Set[Statement]:
    """Statements, with the heads of the classes to which methods belong."""
    return {each for one in some for each in (one, *([heads[one.cls]] if one.cls else []))}


def _length(some: Iterable[Statement]) -> int:
    return sum(len(each.lines) for each in some)


def only(text: str, kept: Iterable[Statement]) -> str:
    """The text with empty lines in place of all other statements, so that every line keeps its number."""
    shown = {number for each in kept for number in each.lines}
    return "\n".join(line if number in shown else "" for number, line in enumerate(source_lines(text), 1))
