"""Array elements that are stored to several times in a row."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst


class Slot(NamedTuple):
    """`stores`: assignments to one access path of an array, in order.
    `reads`: subscripts that read what an earlier one stored.
    `live_after`: the statement that changes the array next reads what the last one stored.
    """

    access_path: str
    stem: str  # the stem of a name for its variable
    stores: tuple[cst.CSTNode, ...]
    reads: tuple[cst.Subscript, ...]
    live_after: bool = False
