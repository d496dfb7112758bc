"""Branches that jit compiles."""

from __future__ import annotations

from typing import NamedTuple

from .loops import Promoted

Path = tuple[int, ...]  # the positions that lead to a part of a tuple, () for a value that is no tuple


Cast = tuple[bool, str, Path]  # whether in the first arm; the variable ("" for a result); the part of it


class Branch(NamedTuple):
    """An `if` with its `elif` and `else`, or a conditional expression, that can be compiled.

    `names`: the variables that it binds and that are live after it, in the order of their first binding.
    `returns`: some path through it ends the function.
    `expensive`: why only one arm may be computed, "" where both may.
    `trapping`: how many of its operations may trap (are undefined for some values).
    `sure`: both arms certainly have the same shape. `lax.cond` refuses arms of different shapes, which `jnp.where` would
    broadcast.
    `carried`: the variables for which that is not sure, but would be if the enclosing loop carries all of them: each is computed
    from its previous value, so that a broadcast one would not fit into the next iteration.
    `light`: variables, also computed from their previous values, that may be computed in both arms of an expensive branch. They
    may change their dtype, which `lax.cond` refuses.
    `floats`: values that are integers in one arm and floating-point in the other, which `lax.cond` refuses, too.
    `several_stores`: its only arm reads elements of an array and stores to several. XLA updates the array in place in an arm of `lax.cond`;
    each store of a select would need a barrier.
    `both_store`: the arrays to parts of which both arms store.
    `promoted`: variables whose dtypes may differ in the arms, though neither is known: what `lax.cond` has to promote the value of
    one arm to, the first one or the other.
    `by_path`: variables ("" for a result, or the value of the expression) to which NumPy may give another dtype in one arm than in the
    other.
    """

    names: tuple[str, ...] = ()
    returns: bool = False
    expensive: str = ""
    trapping: int = 0
    sure: bool = True
    carried: tuple[str, ...] = ()
    light: tuple[str, ...] = ()
    floats: frozenset[Cast] = frozenset()
    promoted: frozenset[tuple[bool, str, Promoted]] = frozenset()
    several_stores: bool = False
    both_store: frozenset[str] = frozenset()
    by_path: frozenset[str] = frozenset()
