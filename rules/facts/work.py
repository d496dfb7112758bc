"""Counted operations, from which the cost model estimates what NumPy and JAX take."""

from __future__ import annotations

from typing import NamedTuple


class Work(NamedTuple):
    """What a unit computes.

    `arrays`, `items`: operations on arrays, and on their items or on numbers, outside of loops or in loops of a known trip count.
    `looped_arrays`, `looped_items`: those in other loops, in each iteration. `slow`, `looped_slow`: what NumPy's slower functions take on a few elements, in microseconds,
    beyond one operation. `numpy`, `xla`: what the operations on arrays outside of loops take for each element of large arrays, in
    nanoseconds. `products`: whether there are matrix products, transforms and the like, which take longer than one
    pass over their operands. `looped_draws`: see `draws_in_sequence`. `masked`: why the masks that replace slices in a loop take longer than these, by more than a constant; "" where they do
    not.
    """

    arrays: int = 0
    items: int = 0
    looped_arrays: int = 0
    looped_items: int = 0
    slow: float = 0.0
    looped_slow: float = 0.0
    numpy: float = 0.0
    xla: float = 0.0
    masked: str = ""
    products: bool = False
    looped_draws: int = 0
