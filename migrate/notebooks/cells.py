"""The code cells of a notebook as one text, with a string at the beginning of each, by which they are told apart afterwards.

A comment would go with the statement below it, where a rule drops that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

MARK = '"[code cell {}]"'
MARKED = re.compile(r'^"\[code cell (\d+)\]"$', re.MULTILINE)


class Place(NamedTuple):
    """A code cell, from 1, and a line in it, from 1."""

    cell: int
    line: int


def join(cells: Sequence[str]) -> str:
    """One text. Raises ValueError if a cell contains such a line itself."""
    if any(MARKED.search(cell) for cell in cells):
        raise ValueError(f"a cell contains the line `{MARK.format(1)}`, which np2jax itself needs")
    return "".join(f"{MARK.format(number)}\n{cell}\n" for number, cell in enumerate(cells, 1))


def split(text: str, before: Sequence[str]) -> list[str]:
    """The cells of a text that was changed. Lines ahead of the first one belong to it. `before`: the cells as they were, since empty
    lines between two cells belong to neither.

    Raises ValueError if a cell is no longer there.
    """
    first, *rest = MARKED.split(text)
    numbers, cells = rest[::2], rest[1::2]
    if numbers != [str(number) for number in range(1, len(before) + 1)]:
        raise ValueError("its cells cannot be told apart after the change")
    cells = [cell.removeprefix("\n") for cell in cells]
    if first.strip():
        cells[0] = f"{first.rstrip()}\n{cells[0]}"
    return [_trimmed(cell, old) for cell, old in zip(cells, before, strict=True)]


def place(text: str, line: int) -> Place:
    """Where a line of the text stands in the notebook. Lines ahead of the first cell belong to it."""
    marks = [(text.count("\n", 0, mark.start()) + 1, int(mark[1])) for mark in MARKED.finditer(text)]
    start, cell = max((mark for mark in marks if mark[0] < line), default=(0, 1))
    return Place(cell, line - start)


def line_at(text: str, where: Place) -> int:
    """The line of the text that stands at a place in the notebook."""
    starts = {int(mark[1]): text.count("\n", 0, mark.start()) + 1 for mark in MARKED.finditer(text)}
    return starts.get(where.cell, 0) + where.line


def _trimmed(cell: str, before: str) -> str:
    if cell.strip() == before.strip():
        return before
    start = before[: len(before) - len(before.lstrip("\n"))]
    return start + cell.strip("\n") + before[len(before.rstrip("\n")) :]
