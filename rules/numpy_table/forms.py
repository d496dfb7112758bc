"""Shorthand for entries that many names share, and dtype facts of whole families."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .entry import Entry, Verdict

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
UNSIGNED = ("bool_", "uint8", "uint16", "uint32", "uint64")
EXACT = ("bool_", *INTEGERS)
NARROW_FLOATS = ("float16", "float32")
COMPLEX = ("complex64", "complex128")
INEXACT = ("float16", "float32", "float64", *COMPLEX)
BELOW_64_BITS = ("bool_", "int8", "int16", "int32", "uint8", "uint16", "uint32")

# A floating-point ufunc converts an integer dtype to the narrowest float that represents all of its values;
# JAX converts all of them but int64 and uint64 to float32.
UFUNC_FLOAT = {
    "bool_": "float16",
    "int8": "float16",
    "uint8": "float16",
    "int32": "float64",
    "uint32": "float64",
}
# Functions that are not ufuncs (mean, linalg, fft, interp), and division, compute in float64.
FLOAT64 = dict.fromkeys(BELOW_64_BITS, "float64")
# Cumulative sums and products of small integers are computed in 64 bits.
WIDE = {
    "int8": "int64",
    "int16": "int64",
    "int32": "int64",
    "uint8": "uint64",
    "uint16": "uint64",
    "uint32": "uint64",
}

# Arithmetic on bool is computed in int8.
BOOL_INT8 = {"bool_": "int8"}
# Where Python floats or other arrays may have promoted to float64.
TO_FLOAT64 = {**FLOAT64, "float64": "float64"}
# Functions that combine their operand with internal 64-bit integers or floats.
ALWAYS_64 = {
    **FLOAT64,
    "int64": "float64",
    "uint64": "float64",
    "float16": "float64",
    "float32": "float64",
    "complex64": "complex128",
}
# JAX uses only the real part in truth tests of complex numbers.
COMPLEX_TRUTH = {"complex64": "bool_", "complex128": "bool_"}
# Where NumPy raises or warns, and JAX returns NaN.
EIGENVALUES = "NumPy raises LinAlgError for NaN and infinities"
LEAST_SQUARES = f"{EIGENVALUES}, and warns (RankWarning) where the points do not determine the fit"
BOOLS = "bool arrays: JAX raises"

UFUNC_TAIL = ("out", "where", "casting", "order", "dtype", "subok", "signature")
UFUNC_DROP = ("casting", "order", "subok")
UFUNC_UNSUPPORTED = ("dtype", "signature")


def names(text: str) -> tuple[str, ...]:
    """Parameter names, written as in a call signature."""
    return tuple(text.split())


def jnp(name: str, params: str, **facts: Any) -> Entry:
    """The entry of a function with the same name in jax.numpy: the same, or adapted if arguments differ."""
    adapted = any(
        facts.get(key)
        for key in ("drop", "drop_if", "unsupported", "allowed", "rename", "add", "cast", "positional", "refused_if")
    )
    verdict = facts.pop("verdict", Verdict.ADAPTED if adapted else Verdict.SAME)
    target = facts.pop("target", f"jax.numpy.{name}")
    return Entry(verdict, target, names(params), **facts)


def ufunc(name: str, inputs: str, dtype: str, **facts: Any) -> Entry:
    """The entry of a ufunc. `inputs`: its parameter names; `to`: the name of the jax.numpy function, if it differs."""
    arrays = names(inputs)
    to = facts.pop("to", name)
    facts.setdefault("rank", "broadcast" if len(arrays) > 1 else "same")
    if dtype == "float":
        facts.setdefault("cast_for", UFUNC_FLOAT)
    return Entry(
        Verdict.SAME if to == name else Verdict.RENAMED,
        f"jax.numpy.{to}",
        arrays + UFUNC_TAIL,
        drop=UFUNC_DROP,
        unsupported=UFUNC_UNSUPPORTED,
        arrays=arrays,
        dtype=dtype,
        ufunc=len(arrays),
        **facts,
    )


def expression(template: str, params: str, **facts: Any) -> Entry:
    """The entry of a name that becomes a short expression."""
    return Entry(Verdict.EXPRESSION, template, names(params), **facts)


def host(reason: str, params: str = "", **facts: Any) -> Entry:
    """The entry of a name that stays NumPy."""
    return Entry(Verdict.HOST, "", names(params), reason=reason, **{"kind": "unknown", **facts})


def refused(reason: str, params: str = "", **facts: Any) -> Entry:
    """The entry of a name without an equivalent: the function that uses it is refused."""
    return Entry(Verdict.REFUSED, "", names(params), reason=reason, **{"kind": "unknown", **facts})


def under(prefix: str, entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """The entries with their full dotted names."""
    return {f"{prefix}.{name}": entry for name, entry in entries.items()}


def same_for_each(all_names: str, entry: Entry) -> dict[str, Entry]:
    """One entry for many names."""
    return dict.fromkeys(all_names.split(), entry)


def join(parts: Iterable[Mapping[str, Entry]]) -> dict[str, Entry]:
    """Merge many dicts into one; a name in two of them is a mistake.

    Raises:
        ValueError: a name occurs twice.
    """
    table: dict[str, Entry] = {}
    for part in parts:
        if twice := table.keys() & part.keys():
            raise ValueError(f"entered twice: {', '.join(sorted(twice))}")
        table.update(part)
    return table
