"""How NumPy 2 and JAX (with 64 bits on) promote dtypes. They differ where integers meet narrow floats."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

_BITS = {"bool": 1, "float16": 16, "float32": 32, "float64": 64, "complex64": 64, "complex128": 128}
_BITS |= {f"{sign}int{bits}": bits for sign in ("", "u") for bits in (8, 16, 32, 64)}
DTYPES = frozenset(_BITS)
# Python's scalars, which give way to the dtype of an array.
WEAK = {"int": "int64", "float": "float64", "complex": "complex128"}
# Rules of `Entry.dtype` that promote all arrays: where NumPy and JAX promote otherwise, the arrays are cast first.
PROMOTING = ("promote", "number", "float", "mean", "size", "complex", "bool")
_KINDS = ("b", "i", "f", "c")


def kind(dtype: str) -> str:
    """b, i, u, f or c, as numpy.dtype.kind says; the same for Python's scalars. "" for another name."""
    if dtype not in DTYPES and dtype not in WEAK:
        return ""
    return dtype[0]


def _level(dtype: str) -> int:
    return _KINDS.index(kind(dtype).replace("u", "i"))


def _integers(one: str, other: str) -> str:
    """The integer dtype that holds both; "float64" for uint64 with a signed one."""
    if kind(one) == kind(other):
        return max(one, other, key=lambda dtype: _BITS[dtype])
    signed, unsigned = (one, other) if kind(one) == "i" else (other, one)
    bits = max(_BITS[signed], 2 * _BITS[unsigned])
    return "float64" if bits > 64 else f"int{bits}"


def _wide_enough(dtype: str) -> str:
    """The float dtype that NumPy gives to a bool or integer."""
    return {1: "float16", 8: "float16", 16: "float32"}.get(_BITS[dtype], "float64")


def _inexact(one: str, other: str) -> str:
    """Of two float or complex dtypes."""
    parts = [_BITS[dtype] // (2 if kind(dtype) == "c" else 1) for dtype in (one, other)]
    if "c" in (kind(one), kind(other)):
        return "complex64" if max(parts) <= 32 else "complex128"
    return f"float{max(parts)}"


def _weak(scalar: str, dtype: str) -> str:
    if _level(scalar) > _level(dtype) and not (scalar == "complex" and kind(dtype) == "f"):
        return WEAK[scalar]
    return _inexact("complex64", dtype) if scalar == "complex" else dtype


def _promote(one: str, other: str, float_of: Callable[[str], str]) -> str:
    if not kind(one) or not kind(other):
        return ""
    if one in WEAK and other in WEAK:
        return max(one, other, key=_level)
    if one in WEAK or other in WEAK:
        scalar, dtype = (one, other) if one in WEAK else (other, one)
        return _weak(scalar, dtype)
    low, high = sorted((one, other), key=_level)
    if kind(low) == "b":
        return high
    if kind(high) in "iu":
        return _integers(low, high)
    return _inexact(float_of(low) if kind(low) in "iu" else low, high)


def numpy_promotion(*dtypes: str) -> str:
    """The dtype that NumPy 2 promotes these to, such as "float64" for "int32" and "float32".

    Takes names of dtypes, and "int", "float", "complex" for Python's scalars (which remain, where no array is among them).
    "" when one is not known or there is none.
    """
    if not dtypes:
        return ""
    return reduce(lambda one, other: _promote(one, other, _wide_enough), dtypes)


def jax_promotion(*dtypes: str) -> str:
    """As `numpy_promotion`, for JAX with jax_enable_x64: "float32" for "int32" and "float32"."""
    if not dtypes:
        return ""
    return reduce(lambda one, other: _promote(one, other, lambda _: "float16"), dtypes)


def result_dtype(rule: str, arrays: str) -> str:
    """The dtype of NumPy's result by the rule of an entry (`Entry.dtype`), from the promoted dtype of its arrays.

    Give the dtype of the first array for "same" and "real". "" when it is not known.
    """
    if rule in DTYPES:
        return rule
    if rule == "param":
        return "float64"
    arrays = WEAK.get(arrays, arrays)
    if arrays not in DTYPES:
        return ""
    exact = kind(arrays) in "biu"
    match rule:
        case "same" | "promote":
            return arrays
        case "number":
            return "int8" if arrays == "bool" else arrays
        case "real":
            return {"complex64": "float32", "complex128": "float64"}.get(arrays, arrays)
        case "float":
            return _wide_enough(arrays) if exact else arrays
        case "mean":
            return "float64" if exact else arrays
        case "size":
            return result_dtype("real", result_dtype("mean", arrays))
        case "complex":
            return "complex128" if exact or arrays == "float64" else _inexact("complex64", arrays)
        case "sum":
            return ("uint64" if kind(arrays) == "u" else "int64") if exact else arrays
    return ""
