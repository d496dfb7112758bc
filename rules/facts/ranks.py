"""How many dimensions the array has that NumPy makes of a value."""

from __future__ import annotations

from ..core.findings import Kind
from .values import Value


def rank_of(value: Value) -> int:
    """-1 where it is not known. Of nested lists any element tells: NumPy refuses them where the elements differ."""
    if value.kind is Kind.SCALAR:
        return 0
    if value.kind not in (Kind.LIST, Kind.TUPLE):
        return value.rank
    if value.elements is None:
        return -1
    inner = max(map(rank_of, value.elements), default=0)
    return -1 if inner < 0 else inner + 1
