"""Loops whose iterations go on with fewer and fewer items."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst


class Scatter(NamedTuple):
    """`array[place[chosen], ...] = value`: `places` are the index arrays, `chosen` is the mask over the items that are left,
    None where all of them are stored. `value` is what is stored: the whole array of what the text selects, or a number (then it is
    not `along` the items). `rank`: the number of dimensions that the array must have for that, where only its indices tell, else 0.
    `sizes`: of the block of the array that the places go through in order, () where they do not."""

    statement: cst.Assign
    array: cst.Name
    indices: tuple[cst.Name, ...]
    selection: cst.BaseExpression | None
    value: cst.BaseExpression
    rank: int = 0
    along: bool = True
    sizes: tuple[cst.BaseExpression, ...] = ()


class CompactedArrays(NamedTuple):
    """`mask`: which items are left after an iteration, a variable or `~` of one. `cuts`: the statements that cut the arrays down. `carry`: what iterations change.
    `length`: an array of as many items. `tests`: what asks whether any are left."""

    mask: cst.BaseExpression
    compactions: tuple[cst.Assign, ...]
    scatters: tuple[Scatter, ...]
    tests: tuple[cst.If, ...]
    carry: tuple[str, ...]
    length: str
    selections: tuple[cst.Subscript, ...]

    @property
    def statements(self) -> frozenset[cst.CSTNode]:
        return frozenset([*self.compactions, *(s.statement for s in self.scatters), *self.tests])
