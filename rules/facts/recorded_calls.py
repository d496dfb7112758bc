"""What the recorded calls of a function have in common."""

from __future__ import annotations

from typing import NamedTuple


class RecordedCalls(NamedTuple):
    """The kinds of the arguments by position, and of those by name: "array 2" (with the number of dimensions), "array", "int", "float",
    "number", "bool", "text", or "" where they are anything else, or differ. `name`: of the function in its file; `calls`: how many."""

    file: str
    name: str
    positional: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    calls: int
