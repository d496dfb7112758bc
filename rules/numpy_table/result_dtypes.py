"""The dtypes of NumPy's results, by the rules that entries name (`Entry.dtype`)."""

from __future__ import annotations

from ..core.dtypes import BITS, inexact, kind, strong, to_inexact

# Rules that promote all arrays: where NumPy and JAX promote differently, the arrays are cast first.
PROMOTING = ("promote", "number", "float", "wide", "double", "mean", "size", "complex", "bool")


def result_dtype(rule: str, arrays: str) -> str:
    """The dtype of NumPy's result by the rule of an entry, from the promoted dtype of its arrays; "" if unknown.

    For "same" and "real", pass the dtype of the first array.
    """
    if rule in BITS:
        return rule
    if rule == "bool":
        return "bool_"
    if rule == "param":
        return "float64"
    arrays = strong(arrays)
    if arrays not in BITS:
        return ""
    exact = kind(arrays) in "biu"
    match rule:
        case "same" | "promote":
            return arrays
        case "number":
            return "int8" if arrays == "bool_" else arrays
        case "real":
            return {"complex64": "float32", "complex128": "float64"}.get(arrays, arrays)
        case "float":
            return inexact(arrays)
        case "mean":
            return "float64" if exact else arrays
        case "double":
            return "complex128" if kind(arrays) == "c" else "float64"
        case "wide":
            return inexact(arrays) if BITS[arrays] >= 32 else ""
        case "size":
            return result_dtype("real", result_dtype("mean", arrays))
        case "complex":
            return "complex128" if exact or arrays == "float64" else to_inexact("complex64", arrays)
        case "sum":
            return ("uint64" if kind(arrays) == "u" else "int64") if exact else arrays
    return ""
