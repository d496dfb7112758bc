"""Places in a document: np2jax counts lines and characters from 1, an editor from 0 and in the units that it chose."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from lsprotocol import types
from pygls.workspace import PositionCodec

from .statements import LINE, source_lines


class Places:
    """The places in one text."""

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.text, self.codec, self.lines = text, codec, source_lines(text)

    def span(self, line: int, column: int, end_line: int, end: int) -> types.Range:
        """A range as editors count it. Findings of an earlier text may reach beyond the end of a line."""
        return types.Range(self._position(line, column), self._position(end_line, end))

    def line_and_column(self, at: types.Position) -> tuple[int, int]:
        """The line and the character of a position, from 1."""
        found = self.codec.position_from_client_units(self.lines, at)
        return found.line + 1, found.character + 1

    def edits_to(self, after: str) -> list[types.TextEdit]:
        """What turns the text into another one: whole lines, and only those that change."""
        old, new = _with_ends(self.text), _with_ends(after)
        end = self._position(len(old), len(old[-1]) + 1)
        edits = []
        for kind, start, stop, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind != "equal":
                upto = types.Position(stop, 0) if stop < len(old) else end
                edits.append(types.TextEdit(types.Range(types.Position(start, 0), upto), "".join(new[first:last])))
        return edits

    def _position(self, line: int, column: int) -> types.Position:
        line = min(line, len(self.lines))
        return types.Position(line - 1, self.codec.client_num_units(self.lines[line - 1][: column - 1]))


def _with_ends(text: str) -> Sequence[str]:
    """The lines of a text with their ends. The last one has none, and may be empty."""
    ends = [*LINE.findall(text), ""]
    return [line + end for line, end in zip(source_lines(text), ends, strict=True)]
