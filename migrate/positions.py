"""Where nodes stand in the file, for only the few that are reported; the code of a file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import accumulate

import libcst as cst
from libcst._nodes.internal import CodegenState

from .source import Source, deep

Position = tuple[int, int, int, int]  # line, column, end line, end column; lines from 1, columns from 0
Span = tuple[int, int]

NEWLINE = re.compile(r"\r\n?|\n")
NOTHING = nullcontext()


class _Writer(CodegenState):
    """Generates code as LibCST does, but in two thirds of the time: a context manager made by a generator is slow."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(module.default_indent, module.default_newline)
        setattr(self, "add_token", self.tokens.append)  # noqa: B010  # one call less for every token

    def record_syntactic_position(  # type: ignore[override]  # LibCST means any context manager
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> AbstractContextManager[None]:
        return NOTHING


class _Recorder(_Writer):
    """Notes between which tokens the wanted nodes lie."""

    def __init__(self, module: cst.Module, wanted: Collection[cst.CSTNode]) -> None:
        super().__init__(module)
        self.wanted = set(map(id, wanted))  # a number has a faster hash than a node, and every node is looked for
        self.spans: dict[cst.CSTNode, Span] = {}
        self.starts: list[int] = []

    def before_codegen(self, node: cst.CSTNode) -> None:
        if id(node) in self.wanted:
            self.starts.append(len(self.tokens))

    def after_codegen(self, node: cst.CSTNode) -> None:
        if id(node) in self.wanted:
            start = self.starts.pop()
            self.spans.setdefault(node, (start, len(self.tokens)))

    def record_syntactic_position(  # type: ignore[override]  # LibCST means any context manager
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> AbstractContextManager[None]:
        return self._record(node, start_node, end_node) if id(node) in self.wanted else NOTHING

    @contextmanager
    def _record(self, node: cst.CSTNode, first: cst.CSTNode | None, last: cst.CSTNode | None) -> Iterator[None]:
        self.wanted.update(id(n) for n in (first, last) if n is not None)
        start = len(self.tokens)
        yield
        end = len(self.tokens)
        self.spans[node] = (
            start if first is None else self.spans[first][0],
            end if last is None else self.spans[last][1],
        )


def positions(source: Source, nodes: Collection[cst.CSTNode]) -> Mapping[cst.CSTNode, Position]:
    """The positions of `nodes`, without the white space around them, as LibCST's PositionProvider gives them."""
    if not nodes:
        return {}
    recorder = deep(_record, source.module, nodes)
    offsets = list(accumulate(map(len, recorder.tokens), initial=0))
    offsets += [offsets[-1]] * 2  # the code generator may have dropped the last newline
    text = "".join(recorder.tokens)
    lines = [0, *(found.end() for found in NEWLINE.finditer(text))]

    def place(token: int) -> tuple[int, int]:
        line = bisect_right(lines, offsets[token])
        return line, offsets[token] - lines[line - 1]

    return {node: (*place(recorder.spans[node][0]), *place(recorder.spans[node][1])) for node in nodes}


def _record(module: cst.Module, nodes: Collection[cst.CSTNode]) -> _Recorder:
    recorder = _Recorder(module, nodes)
    module._codegen(recorder)
    return recorder


def written(module: cst.Module) -> str:
    """What `module.code` gives."""
    writer = _Writer(module)
    module._codegen(writer)
    return "".join(writer.tokens)
