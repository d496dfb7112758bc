"""Comprehensions and Python reductions that become one operation on whole arrays."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from .iteration_space import IterationSpace


class MapLoop(NamedTuple):
    """`call`: what each iteration computes. `mapped`: for each argument, the array whose rows it takes, None where it is
    loop-invariant."""

    call: cst.Call
    mapped: tuple[cst.BaseExpression | None, ...]


Rows = tuple[tuple[str, cst.BaseExpression], ...]


class ReductionOperands(NamedTuple):
    """The operands of a reduction.

    `value`: what an iteration computes, None where the elements of `array` themselves are the operands.
    `rows`: the variables of an iteration, with the arrays whose rows they are.
    `counter`: the variable that counts, with what it iterates over: a `range`, an array that is enumerated, or an `enumerate`
    that does not start from 0.
    `test`: which iterations count.
    `whole`: the same code computes whole arrays.
    `numbers`: each operand certainly is a scalar.
    `trapping`: how many operations may trap.
    `exact`: no operand is NaN.
    `typed`: arrays that determine the dtype of a sum, where it is not known: the sum of Python is as narrow as the operands, that
    of JAX is wider.
    `unsure`: it may be a list, or an array of small integers, which is known when jit traces the function.
    """

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
    unsure: bool = False
