"""Python's `max` and `min` of numbers, which are not those of NumPy where one of them is NaN."""

from __future__ import annotations

_GREATEST = '''
def _greatest(first, *others):
    """Python's max of numbers: the first one, unless another is greater, also where some are NaN."""
    for other in others:
        first = jnp.where(other > first, other, first)
    return first
'''

_LEAST = '''
def _least(first, *others):
    """Python's min of numbers: the first one, unless another is less, also where some are NaN."""
    for other in others:
        first = jnp.where(other < first, other, first)
    return first
'''

SOURCES = {"_greatest": _GREATEST.lstrip("\n"), "_least": _LEAST.lstrip("\n")}
