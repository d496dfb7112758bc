"""Arrays for calling NumPy and JAX: many dtypes and shapes, with zeros, repetitions, NaN and infinities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from np2jax.rules.core.dtypes import kind

DTYPES = ("float64", "float32", "int64", "int32", "int8", "uint8", "bool", "complex128")
_NUMBERS = [0, 1, 3, 2, 1, -2, 5, 4, 0, 7, -3, 2, 6, 1, 8, 3, 2, 5, 9, 4, 1, 0, 2, 3]


def sample(shape: tuple[int, ...], dtype: str, start: int = 0) -> Any:
    """An array with zeros, repetitions, fractions and negative numbers, as far as the dtype can represent them."""
    size = int(np.prod(shape))
    numbers = np.array([_NUMBERS[(start + i) % len(_NUMBERS)] for i in range(size)], dtype="float64").reshape(shape)
    if kind(dtype) in "fc":
        numbers = numbers * 0.75
    if kind(dtype) == "c":
        numbers = numbers + 1j * np.flip(numbers)
    if kind(dtype) == "b":
        return np.asarray(numbers > 1)
    return np.asarray(abs(numbers) if kind(dtype) == "u" else numbers).astype(dtype)


def partner(array: Any) -> Any:
    """Another array of the same shape and dtype, without zeros or negative numbers if it contains integers."""
    other = np.roll(array.ravel(), 2).reshape(array.shape)
    return (abs(other) + (other == 0) if kind(str(array.dtype)) in "iu" else other).astype(array.dtype)


def square(dtype: str) -> Any:
    return (np.diag([4, 3, 5]) + sample((3, 3), dtype, 2) * (1 if kind(dtype) in "bu" else 0.5)).astype(dtype)


def positive_definite(dtype: str) -> Any:
    """A matrix whose lower triangle defines a positive definite one: NumPy does not read the upper triangle."""
    lower = np.tril(np.array([[4.0, 9, 9], [1, 5, 9], [-2, 1, 6]]))
    return (lower + np.triu(np.ones((3, 3)), 1) * 7).astype(dtype)


def classes(name: str, quick: bool) -> Iterator[dict[str, Any]]:
    """The values of the first name of a call, and of its partner."""
    dtypes = DTYPES[:1] + DTYPES[3:4] if quick else DTYPES
    match name:
        case "x":
            arrays = [sample((3, 4), dtype) for dtype in dtypes]
            if not quick:
                arrays += [sample(shape, dtype) for shape in ((), (5,), (0,), (2, 0)) for dtype in ("float64", "int64")]
                arrays += [np.array([[1.5, np.nan, -np.inf], [np.inf, -0.0, np.nan]]), np.array([np.nan, np.nan])]
            for array in arrays:
                yield {"x": array, "y": partner(array)}
        case "v":
            for array in [sample((5,), dtype) for dtype in dtypes]:
                yield {"v": array, "w": partner(array)}
        case "M":
            yield from ({"M": sample((3, 4), dtype), "v": sample((4,), dtype)} for dtype in dtypes)
        case "Q":
            yield from ({"Q": square(dtype), "R": sample((3, 3), dtype)} for dtype in dtypes)
        case "P":
            yield from ({"P": positive_definite(dtype)} for dtype in dtypes if kind(dtype) not in "bu")
        case "n":
            yield from ({"n": sample((5,), dtype)} for dtype in dtypes if dtype != "bool")
        case "f":
            yield from ({"f": sample((3, 4), dtype)} for dtype in ("float64", "float32"))
        case "i":
            for array in [sample((3, 4), dtype) for dtype in dtypes if kind(dtype) in "iu"]:
                yield {"i": array, "j": partner(array)}
        case "b":
            yield from ({"b": sample(shape, "bool")} for shape in ((3, 4), (5,), ()))
        case _:
            yield {}


_cube = sample((2, 3, 4), "float64")
_row = sample((5,), "float64")
FIXED: dict[str, Any] = {
    "x0": np.float64(2.5),
    "v3": np.array([1.0, 2.0, 3.0]),
    "f1": np.array([0.5, 1.5, 2.5, 3.5]),
    "eye3": np.diag([1.0, 2.0, 3.0]),
    "w3": np.array([2.0, -1.0, 0.5]),
    "v4": np.array([1.0, -2.0, 3.0, 0.5]),
    "M4": sample((4, 2), "float64", 3),
    "M5": sample((2, 5), "float64", 3),
    "cube": _cube,
    "rows3": sample((4, 3), "float64"),
    "ones3": np.ones((1, 3, 1)),
    "tall": sample((7, 3), "int64"),
    "zeros_ends": np.array([0, 0, 1, 2, 0]),
    "ties": np.array([2, 1, 2, 0, 1]),
    "nans": np.array([np.nan, 1.0, np.nan, 0.0]),
    "idx": np.array([2, 0, 1]),
    "idx_up": np.array([0, 2, 4]),
    "dups": np.array([1, 1, 0]),
    "big": np.array([0, 7, 2]),
    "negatives": np.array([-1, -2, 0]),
    "order": np.array([[3, 2, 1, 0], [0, 1, 2, 3], [1, 0, 3, 2]]),
    "flat_order": np.array([3, 2, 11]),
    "choice": np.array([0, 2, 1]),
    "shift": np.array([1, 2, 0, 3]),
    "counts": np.array([1, 0, 2, 1, 1]),
    "maskv": np.array([True, False, True, True, False]),
    "weights": np.array([1.0, 0.5, 2.0, 0.25, 1.0]),
    "quantiles": np.array([0.1, 0.9]),
    "edges": np.array([0.0, 1.0, 2.5, 4.0]),
    "i1": np.array([0, 1, 1, 3, 5]),
    "u8": np.array([[1, 200], [3, 77]], dtype="uint8"),
    "sorter": np.array([0, 1, 2, 3, 4]),
    "spacing5": np.array([0.0, 1.0, 1.5, 3.5, 4.0]),
    "xp5": np.array([0.0, 1.0, 2.0, 3.5, 5.0]),
    "fp5": np.array([1.0, 3.0, 2.0, -1.0, 0.0]),
    "stack_of_matrices": np.stack([square("float64"), square("float64").T]),
    "eye22": np.eye(4).reshape(2, 2, 2, 2) + 0.1,
    "ones22": np.ones((2, 2)),
    "np_inf": float("inf"),
    "np_floating": np.floating,
    "sum_": lambda *args: args[0].sum(*args[1:]),
    "triu": lambda a, k: jnp.triu(a, k) if isinstance(a, jax.Array) else np.triu(a, k),
}
