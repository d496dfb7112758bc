"""Branches that jit compiles."""

from __future__ import annotations

from typing import NamedTuple

Path = tuple[int, ...]  # the positions that lead to a part of a tuple, () for a value that is none


Cast = tuple[bool, str, Path]  # on the first side, of which variable ("" for a result), which part of it


class Branch(NamedTuple):
    """An `if`, with its `elif` and `else`, or a conditional expression, that can be compiled.

    `names`: the variables that it binds for what comes after, in the order of their first binding. `returns`: it ends the
    function on some way. `dear`: why one side only may be computed, "" where both may. `partial`: how many operations in it are
    undefined for some values. `sure`: both sides certainly have the
    same shape; `lax.cond` refuses others, which `jnp.where` would stretch. `carried`: the variables for which that is not sure, where
    it is if the loop around carries them all: each is made of itself, so that a stretched one would not fit into the next iteration.
    `light`: variables made of themselves, too, that may be computed on both sides of a dear branch: they may change their dtype, which
    `lax.cond` refuses.
    `floats`: what is an integer on one side and floating-point on the other, which `lax.cond` refuses, too.
    """

    names: tuple[str, ...] = ()
    returns: bool = False
    expensive: str = ""
    trapping: int = 0
    sure: bool = True
    carried: tuple[str, ...] = ()
    light: tuple[str, ...] = ()
    floats: frozenset[Cast] = frozenset()
