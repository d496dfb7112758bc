"""Memoization from one link to the next: few units change between two links, and what follows from the others stays.

A memoized function gets its inputs and nothing else, and no input is changed afterwards. So no result is stale: where an input differs,
it is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar, TypeVarTuple

Inputs = TypeVarTuple("Inputs")
Result = TypeVar("Result")


class Memo(Generic[*Inputs, Result]):
    """A function with its last result for each key, such as the name of a unit, and the inputs that gave it.

    The same object is returned while the inputs are equal, so that further comparisons end at once."""

    def __init__(self, function: Callable[[*Inputs], Result]) -> None:
        self._function = function
        self._known: dict[Hashable, tuple[tuple[*Inputs], Result]] = {}

    def __call__(self, key: Hashable, *inputs: *Inputs) -> Result:
        known = self._known.get(key)
        result = known[1] if known is not None and known[0] == inputs else self._function(*inputs)
        self._known[key] = inputs, result
        return result
