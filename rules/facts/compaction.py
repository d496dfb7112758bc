"""Loops whose iterations continue with fewer and fewer elements."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst


class Scatter(NamedTuple):
    """`array[indices[selection], ...] = value`: the elements that leave the loop are stored.

    `indices`: the index arrays.
    `selection`: the mask over the elements that are left, None where all of them are stored.
    `value`: what is stored: the whole array of what the source selects from, or a scalar (then it is not `along` the elements).
    `rank`: the number of dimensions that the array must have for that, where only its indices imply it; else 0.
    `sizes`: of the block of the array that the indices enumerate in order, () where they do not.
    """

    statement: cst.Assign
    array: cst.Name
    indices: tuple[cst.Name, ...]
    selection: cst.BaseExpression | None
    value: cst.BaseExpression
    rank: int = 0
    along: bool = True
    sizes: tuple[cst.BaseExpression, ...] = ()


class CompactedArrays(NamedTuple):
    """The arrays that a loop compacts.

    `mask`: which elements are left after an iteration, a variable or `~` of one.
    `compactions`: the statements that shorten the arrays.
    `tests`: the branches that test whether any elements are left.
    `carry`: the variables that iterations change.
    `length`: an array with as many elements.
    """

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
