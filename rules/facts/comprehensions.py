"""Comprehensions and reductions of Python's that become one operation on whole arrays."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from .iteration_space import IterationSpace


class MapLoop(NamedTuple):
    """`call` is what each iteration computes; `mapped`: the arrays whose rows it takes, by position of the argument, None for the
    arguments that stay the same."""

    call: cst.Call
    mapped: tuple[cst.BaseExpression | None, ...]


Rows = tuple[tuple[str, cst.BaseExpression], ...]


class ReductionOperands(NamedTuple):
    """The terms of a reduction. `value`: what an iteration computes, None where the array itself is gone through. `rows`: the variables
    of an iteration, with the arrays whose rows they are. `counter`: the variable that counts, with what it goes through: a `range`,
    an array that is enumerated, or an `enumerate` that does not start from 0. `test`: which iterations count. `whole`: the same code computes whole arrays. `numbers`: each term
    certainly is a number. `partial`: how many operations are undefined for some values. `exact`: no term is NaN. `typed`: arrays
    that tell the dtype of a sum, where that is not known: Python's is as narrow as the terms, the one of JAX is wider."""

    array: cst.BaseExpression | None = None
    value: cst.BaseExpression | None = None
    rows: Rows = ()
    counter: tuple[str, IterationSpace] | None = None
    test: cst.BaseExpression | None = None
    whole: bool = False
    numbers: bool = False
    trapping: int = 0
    exact: bool = False
    dtype: str = ""
    typed: tuple[str, ...] = ()
