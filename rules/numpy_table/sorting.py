"""Sorting, searching and sets."""

from __future__ import annotations

from typing import Any

from .entry import Entry
from .forms import BOOLS, jnp, join, names

_A = ("a",)
TIES = "equal elements: NumPy's order is arbitrary unless kind is 'stable'; JAX preserves it"
PARTS = "the order inside the two parts is another one than NumPy's"
# The kinds of sorting differ in speed and stability only; JAX sorts stably.
_SORT: Any = {
    "positional": 2,
    "drop": ("kind",),
    "drop_if": {"order": ("None",), "stable": ("None",)},
    "unsupported": ("order",),
    "arrays": _A,
    "rank": "along",
    "static": ("axis", "stable", "descending"),
}
_PARTITION: Any = {
    "loud": BOOLS,
    "positional": 3,
    "drop": ("kind",),
    "drop_if": {"order": ("None",)},
    "unsupported": ("order",),
    "arrays": _A,
    "rank": "along",
    "static": ("kth", "axis"),
}
_COMPLEX = dict.fromkeys(names("bool_ int32 uint32 float16 float32"), "complex128")
_SET: Any = {"dtype": "promote", "rank": "1", "jit": False}

SORTS: dict[str, Entry] = {
    "sort": jnp("sort", "a axis kind order stable descending", dtype="same", **_SORT),
    "argsort": jnp("argsort", "a axis kind order stable descending", dtype="int64", note=TIES, **_SORT),
    "sort_complex": jnp("sort_complex", "a", arrays=_A, dtype="", rank="same", cast_for=_COMPLEX),
    "lexsort": jnp("lexsort", "keys axis", sequences=("keys",), dtype="int64", static=("axis",)),
    "partition": jnp(
        "partition",
        "a kth axis kind order",
        dtype="same",
        note=PARTS,
        **_PARTITION,
    ),
    "argpartition": jnp(
        "argpartition",
        "a kth axis kind order",
        dtype="int64",
        note=PARTS,
        **_PARTITION,
    ),
    "searchsorted": jnp(
        "searchsorted", "a v side sorter", arrays=names("a v sorter"), dtype="int64", cast="int64", static=("side",)
    ),
}

SETS: dict[str, Entry] = {
    "unique": jnp(
        "unique",
        "ar return_index return_inverse return_counts axis equal_nan sorted",
        positional=5,
        arrays=("ar",),
        kind_if={"return_index": "tuple", "return_inverse": "tuple", "return_counts": "tuple"},
        dtype="same",
        static=names("return_index return_inverse return_counts axis equal_nan sorted"),
        jit=False,
    ),
    "unique_all": jnp("unique_all", "x", arrays=("x",), kind="tuple:4", jit=False),
    "unique_counts": jnp("unique_counts", "x", arrays=("x",), kind="tuple:2", jit=False),
    "unique_inverse": jnp("unique_inverse", "x", arrays=("x",), kind="tuple:2", jit=False),
    "unique_values": jnp(
        "unique_values", "x", arrays=("x",), dtype="same", rank="1", jit=False, note="NumPy's order is unspecified; JAX sorts"
    ),
    "union1d": jnp("union1d", "ar1 ar2", arrays=("ar1", "ar2"), **_SET),
    "intersect1d": jnp(
        "intersect1d",
        "ar1 ar2 assume_unique return_indices",
        arrays=("ar1", "ar2"),
        kind_if={"return_indices": "tuple:3"},
        static=("assume_unique", "return_indices"),
        **_SET,
    ),
    "setdiff1d": jnp(
        "setdiff1d", "ar1 ar2 assume_unique", arrays=("ar1", "ar2"), static=("assume_unique",), **{**_SET, "dtype": "same"}
    ),
    "setxor1d": jnp("setxor1d", "ar1 ar2 assume_unique", arrays=("ar1", "ar2"), static=("assume_unique",), **_SET),
    "isin": jnp(
        "isin",
        "element test_elements assume_unique invert kind",
        drop=("kind",),
        arrays=("element", "test_elements"),
        dtype="bool",
        rank="same",
        static=("assume_unique", "invert"),
    ),
}

ENTRIES: dict[str, Entry] = join((SORTS, SETS))
