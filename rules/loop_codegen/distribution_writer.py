"""How a distributed loop is written: each part of the body for all iterations, one after the other, as code on whole arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from ..context import Context
from ..core.findings import Edit, Statement
from ..facts.parallel_loops import ParallelNest
from ..syntax import builders
from .vmap_writer import Vectorizer
from .whole_array_parts import bound_to, line_of


@dataclass(slots=True)
class Distribution:
    """Writes the parts of one loop nest. `shown`: the values that its indices have so far."""

    ctx: Context
    node: cst.For
    parts: Sequence[ParallelNest]
    imports: set[str] = field(default_factory=set)
    shown: dict[str, cst.BaseExpression] = field(default_factory=dict)

    def edits(self) -> dict[cst.CSTNode, Edit]:
        edits: dict[cst.CSTNode, Edit] = {}
        for part in self.parts:
            writer = Vectorizer(self.ctx, part)
            made = writer.edits()
            del made[self.node]
            first = part.part[0]
            if first in made or isinstance(first, cst.For) or part.plain:  # another rule may rewrite a branch
                made[first] = self._led(writer, first, made.get(first))
            edits |= made
            self.imports |= writer.imports
        edits[self.node] = self._opened
        return edits

    def _led(self, writer: Vectorizer, first: cst.CSTNode, inner: Edit | None) -> Edit:
        """The statements of a part, after the bindings of its indices."""

        def edit(made: Statement) -> object:
            lines = self._indices(writer)
            if isinstance(made, cst.For):
                lines += _body(made)
            else:
                done = made if inner is None else inner(made)
                lines += list(done) if isinstance(done, cst.FlattenSentinel) else [done]
            return _with_comments(made, lines)

        return edit

    def _indices(self, writer: Vectorizer) -> list[Statement]:
        lines: list[Statement] = []
        for k, name in enumerate(writer.found.indices):
            if name in writer.found.plain:
                value = writer.index(k)
                if name not in self.shown or not self.shown[name].deep_equals(value):
                    lines.append(line_of(bound_to(name, value)))
                self.shown[name] = value
        return lines

    def _opened(self, made: cst.For) -> object:
        """All parts, in place of the loops."""
        loops = sum(len(set(each)) == 1 for each in zip(*(part.nest for part in self.parts), strict=False))
        return Vectorizer(self.ctx, self.parts[0]).replacement(made, _body(made, loops), spaced=False)


def _body(made: cst.For, loops: int = 0) -> list[Statement]:
    """The statements of the innermost of `loops` nested loops; of all nested loops where that is 0."""
    body = builders.lines(made.body)
    while loops != 1 and len(body) == 1 and isinstance(body[0], cst.For):
        body, loops = builders.lines(body[0].body), loops - 1
    return [line for line in body if isinstance(line, (cst.SimpleStatementLine, cst.BaseCompoundStatement))]


def _with_comments(of: cst.CSTNode, lines: list[Statement]) -> cst.FlattenSentinel[Statement]:
    above = [line for line in getattr(of, "leading_lines", ()) if line.comment is not None]
    first = lines[0]
    kept = [line for line in first.leading_lines if not any(line is each for each in above)]
    return cst.FlattenSentinel([first.with_changes(leading_lines=[*above, *kept]), *lines[1:]])
