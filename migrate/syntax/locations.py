"""The positions of nodes in the file, computed only for the few that are reported; the code of a file."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import accumulate
from threading import RLock
from typing import NamedTuple

import libcst as cst
from libcst._nodes.internal import CodegenState

from ...rules.syntax.tree import remembered
from .source import Source, deep

Position = tuple[int, int, int, int]  # line, column, end line, end column; lines from 1, columns from 0
Span = tuple[int, int]

NEWLINE = re.compile(r"\r\n?|\n")
# The fastest context manager that does nothing here: it is implemented in C, and reentrant.
NOTHING: AbstractContextManager[object, bool | None] = RLock()
NOWHERE: Span = (0, 0)
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")  # the fields of Python's trees that contain statements
PARENTHESIZE = cst.BaseExpression._parenthesize


class _Writer(CodegenState):
    """Generates code as LibCST does, but in two thirds of the time: context managers based on generators are slow."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(module.default_indent, module.default_newline)
        setattr(self, "add_token", self.tokens.append)  # noqa: B010  # saves one call per token

    def record_syntactic_position(  # type: ignore[override]  # LibCST means any context manager
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> AbstractContextManager[object, bool | None]:
        return NOTHING


class _Recorder(_Writer):
    """Records the token ranges of the required nodes."""

    def __init__(self, module: cst.Module, required: Collection[cst.CSTNode]) -> None:
        super().__init__(module)
        self.required = set(map(id, required))  # integers hash faster than nodes, and every node is looked up
        self.spans: dict[cst.CSTNode, Span] = {}
        self.starts: list[int] = []
        self.required.update(map(id, module.body))
        self.whole: dict[int, Span] = {}  # including the comments above a statement

    def before_codegen(self, node: cst.CSTNode) -> None:
        if id(node) in self.required:
            self.starts.append(len(self.tokens))

    def after_codegen(self, node: cst.CSTNode) -> None:
        if id(node) in self.required:
            span = self.starts.pop(), len(self.tokens)
            self.spans.setdefault(node, span)
            self.whole[id(node)] = span

    def record_syntactic_position(  # type: ignore[override]  # LibCST means any context manager
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> AbstractContextManager[object, bool | None]:
        return self._record(node, start_node, end_node) if id(node) in self.required else NOTHING

    @contextmanager
    def _record(self, node: cst.CSTNode, first: cst.CSTNode | None, last: cst.CSTNode | None) -> Iterator[None]:
        self.required.update(id(n) for n in (first, last) if n is not None)
        start = len(self.tokens)
        yield
        end = len(self.tokens)
        self.spans[node] = (
            start if first is None else self.spans[first][0],
            end if last is None else self.spans[last][1],
        )


class Located(NamedTuple):
    """The positions of some nodes, and the tokens of the file; `statements`: the token range of each, by the `id` of its node."""

    positions: Mapping[cst.CSTNode, Position]
    tokens: Sequence[str]
    statements: Mapping[int, Span]


def positions(source: Source, nodes: Collection[cst.CSTNode]) -> Mapping[cst.CSTNode, Position]:
    """The positions of `nodes`, without the surrounding whitespace, as LibCST's `PositionProvider` returns them."""
    inside = defaultdict[cst.CSTNode, list[cst.CSTNode]](list)
    for node in nodes:
        if node is source.module or node not in source.parents:
            return located(source, nodes).positions
        inside[source.topmost(node)].append(node)
    found: dict[cst.CSTNode, Position] = {}
    line = sum(map(_height, source.module.header)) if nodes else 0
    for statement in source.module.body:
        if asked := inside.get(statement):
            for node, place in _inside(statement, asked, source.module).items():
                found[node] = place[0] + line, place[1], place[2] + line, place[3]
            del inside[statement]
        if not inside:
            return found
        line += _height(statement)
    return located(source, nodes).positions  # some are in no statement


@remembered
def _height(part: cst.CSTNode) -> int:
    """The number of lines of a part of a module: versions of a file share most statements."""
    return len(NEWLINE.findall(deep(cst.Module([]).code_for_node, part)))


def _inside(statement: cst.CSTNode, nodes: Collection[cst.CSTNode], module: cst.Module) -> Mapping[cst.CSTNode, Position]:
    """The positions of nodes in the code of a statement at the top of a module."""
    return _places(deep(_record_statement, statement, module, nodes), nodes)


def _record_statement(statement: cst.CSTNode, module: cst.Module, nodes: Collection[cst.CSTNode]) -> _Recorder:
    recorder = _Recorder(module, nodes)
    with _plain_parentheses():
        statement._codegen(recorder)
    return recorder


def definition_lines(source: Source) -> Mapping[cst.CSTNode, int]:
    """The lines of the function definitions. Python's parser finds them without generating the file again."""
    definitions = [node for node in source.parents if type(node) is cst.FunctionDef]
    lines = sorted(_definition_lines(source.text)) if definitions else []
    if len(lines) != len(definitions):  # syntax newer than this Python, for example
        return {node: position[0] for node, position in positions(source, definitions).items()}
    return dict(zip(definitions, lines, strict=True))


def _definition_lines(text: str) -> Iterator[int]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stack: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno
        for block in BLOCKS:
            stack += getattr(node, block, ())


def located(source: Source, nodes: Collection[cst.CSTNode]) -> Located:
    """The positions of `nodes`, with what `written` needs to generate the file again."""
    recorder = deep(_record, source.module, nodes)
    tokens = list(recorder.tokens)
    whole = {id(s): recorder.whole[id(s)] for s in source.module.body}
    return Located(_places(recorder, nodes), tokens, whole)


def _places(recorder: _Recorder, nodes: Collection[cst.CSTNode]) -> Mapping[cst.CSTNode, Position]:
    """The positions of nodes in the code that was generated."""
    offsets = list(accumulate(map(len, recorder.tokens), initial=0))
    offsets += [offsets[-1]] * 2  # the code generator may have dropped the last newline
    text = "".join(recorder.tokens)
    lines = [0, *(found.end() for found in NEWLINE.finditer(text))]

    def position(token: int) -> tuple[int, int]:
        line = bisect_right(lines, offsets[token])
        return line, offsets[token] - lines[line - 1]

    return {node: (*position(recorder.spans[node][0]), *position(recorder.spans[node][1])) for node in nodes}


def _record(module: cst.Module, nodes: Collection[cst.CSTNode]) -> _Recorder:
    recorder = _Recorder(module, nodes)
    with _plain_parentheses():
        module._codegen(recorder)
    return recorder


@contextmanager
def _plain_parentheses() -> Iterator[None]:
    """Avoid the context manager that LibCST creates for every expression: most have no parentheses, and do not need it."""
    setattr(cst.BaseExpression, "_parenthesize", _parenthesize)  # noqa: B010  # mypy forbids to assign a method
    try:
        yield
    finally:
        setattr(cst.BaseExpression, "_parenthesize", PARENTHESIZE)  # noqa: B010


def _parenthesize(node: cst.BaseExpression, state: CodegenState) -> AbstractContextManager[object, bool | None]:
    """Replaces `BaseExpression._parenthesize` while a file is written."""
    return PARENTHESIZE(node, state) if node.lpar or node.rpar else state.record_syntactic_position(node)


def written(changed: cst.Module, original: Located) -> str:
    """The same as `changed.code`; statements shared with the original are not generated again."""
    writer = _Writer(changed)
    with _plain_parentheses():
        _write(changed, original, writer)
    return "".join(writer.tokens)


def _write(changed: cst.Module, original: Located, writer: _Writer) -> None:
    for line in changed.header:
        line._codegen(writer)
    for statement in changed.body:
        start, end = original.statements.get(id(statement), NOWHERE)
        if end > len(original.tokens):  # the code generator dropped the last newline
            start, end = NOWHERE
        if start < end:
            writer.tokens += original.tokens[start:end]
        else:
            statement._codegen(writer)
    for line in changed.footer:
        line._codegen(writer)
    if not changed.has_trailing_newline:
        writer.pop_trailing_newline()
    elif not writer.tokens:
        writer.add_token(writer.default_newline)
