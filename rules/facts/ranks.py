"""The number of dimensions of the array that NumPy creates from a value."""

from __future__ import annotations

from ..core.findings import Kind
from .values import Value


def rank_of(value: Value) -> int:
    """The rank, -1 where it is not known. Any element of nested lists determines it: NumPy refuses lists whose elements differ
    in rank."""
    if value.kind is Kind.SCALAR:
        return 0
    if value.kind not in (Kind.LIST, Kind.TUPLE):
        return value.rank
    if value.elements is None:
        return -1
    inner = max(map(rank_of, value.elements), default=0)
    return -1 if inner < 0 else inner + 1
