"""A condition under which a converted function equals NumPy. Separate from the kinds, so that reports need no LibCST."""

from __future__ import annotations

from typing import NamedTuple


class Condition(NamedTuple):
    """A condition without its syntax: plain data. The column counts from 1.

    `kind`: the name of the kind: "divisor". `words`: a sentence: "the divisor `n` is not 0".
    """

    kind: str
    line: int
    column: int
    words: str
