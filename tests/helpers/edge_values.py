"""Arrays of the values of a dtype for which NumPy and JAX are likely to differ."""

from __future__ import annotations

from typing import Any

import numpy as np

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64".split()


def edges(dtype: str) -> Any:
    """Zeros of both signs, small numbers, the smallest and the largest, infinities and NaN. No subnormal number: XLA takes them for 0."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        info = np.iinfo(dtype)
        signed = [-1, -2, -7] if kind == "i" else []
        return np.array([0, 1, 2, 7, info.max, info.max - 1, info.min, info.min + 1, *signed], dtype)
    real = np.dtype(dtype).type(0).real.dtype
    info = np.finfo(real)
    numbers = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -7.0, 300.0, info.max, info.min, info.tiny], real)
    numbers = np.concatenate([numbers, np.array([np.inf, -np.inf, np.nan], real)])
    return numbers if kind == "f" else (numbers + 1j * np.roll(numbers, 3)).astype(dtype)


def pairs(dtype: str, other: str) -> tuple[Any, Any]:
    """Every pair of two such values, as two vectors."""
    x, y = np.meshgrid(edges(dtype), edges(other))
    return x.ravel(), y.ravel()


def tame(dtype: str) -> Any:
    """A matrix of values whose sums and products are no larger than the dtype allows, with NaN and infinities in some rows."""
    values = np.array([[0, 1, 2, 1], [3, 0, 0, 1], [1, 1, 2, 2], [0, 0, 0, 0], [1, 2, 3, 0]])
    if np.dtype(dtype).kind not in "fc":
        return values.astype(dtype)
    made = (values * 0.75 - 1).astype(dtype)
    made[3] = [np.nan, 1, 2, -0.0]
    made[4] = [np.inf, 1, -2, 0.5]
    return made
