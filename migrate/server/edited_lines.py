"""Where the lines of an earlier version of a text stand now."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple


class EditedLines(NamedTuple):
    """`moved`: the lines that are still there, from 1, and where they are now. `new`: the lines that were not there."""

    moved: dict[int, int]
    new: frozenset[int]


def compare(before: Sequence[str], after: Sequence[str]) -> EditedLines:
    """What an edit does to lines. What begins and ends alike is not searched: that is nearly everything while someone types."""
    shortest = min(len(before), len(after))
    start = next((i for i in range(shortest) if before[i] != after[i]), shortest)
    end = next((i for i in range(shortest - start) if before[-1 - i] != after[-1 - i]), shortest - start)
    moved = {line: line for line in range(1, start + 1)}
    middle = SequenceMatcher(None, before[start : len(before) - end], after[start : len(after) - end], autojunk=False)
    for block in middle.get_matching_blocks():
        moved.update((start + block.a + i, start + block.b + i) for i in range(1, block.size + 1))
    moved.update((len(before) - i, len(after) - i) for i in range(end))
    return EditedLines(moved, frozenset(range(1, len(after) + 1)) - frozenset(moved.values()))
