"""Methods of ufuncs: `at`, `reduce`, `accumulate`, `outer`, `reduceat`.

Fourteen functions of jax.numpy are ufuncs with these methods (`JAX_UFUNCS`). For the others the methods are an
expression where a short one exists, and refused where not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .elementwise import UFUNCS
from .entry import Entry, Verdict
from .forms import COMPLEX_TRUTH, UFUNC_FLOAT, WIDE, expression, names, refused
from .indexing import OUT_OF_BOUNDS

JAX_UFUNCS = names(
    "add bitwise_and bitwise_or bitwise_xor logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum multiply "
    "negative subtract"
)
# Accumulating updates of jax.Array.at.
_AT = {"add": "add", "subtract": "subtract", "multiply": "multiply", "maximum": "max", "minimum": "min"}
_REDUCE = "array axis dtype out keepdims initial where"
_ACCUMULATE = "array axis dtype out"
_REDUCEAT = "array indices axis dtype out"
REFUSED = "the ufunc has no such method in JAX; write the loop with jax.lax.scan, or the expression with broadcasting"


def _dtypes(name: str, wide: Mapping[str, str]) -> dict[str, Any]:
    """The dtype facts of the results of `name`'s reduce, accumulate and reduceat."""
    if name in ("add", "multiply"):
        return {"dtype": "sum", "cast_for": wide, "cast_how": "dtype"}
    if name.startswith("logical"):
        return {"dtype": "bool", "cast_for": COMPLEX_TRUTH}
    if name.startswith("logaddexp"):
        return {"dtype": "float", "cast_for": UFUNC_FLOAT}
    return {"dtype": "same"}


def _jax(name: str, method: str, params: str, **facts: Any) -> Entry:
    return Entry(
        Verdict.SAME,
        f"jax.numpy.{name}.{method}",
        names(params),
        **{"arrays": ("array",), "static": ("axis",), **facts},
    )


def _methods(name: str) -> dict[tuple[str, str], Entry]:
    if name == "negative":
        return {}
    entries = {
        (name, "at"): Entry(
            Verdict.ADAPTED,
            f"jax.numpy.{name}.at",
            names("a indices b"),
            add={"inplace": "False"},
            indices=("indices",),
            arrays=("b",),
            kind="none",
            writes="a",
            lenient=OUT_OF_BOUNDS,
        ),
        (name, "reduce"): _jax(name, "reduce", _REDUCE, static=("axis", "keepdims"), rank="reduce:0", **_dtypes(name, {})),
        (name, "accumulate"): _jax(name, "accumulate", _ACCUMULATE, rank="same", **_dtypes(name, WIDE)),
        (name, "outer"): Entry(
            Verdict.SAME,
            f"jax.numpy.{name}.outer",
            names("A B"),
            arrays=("A", "B"),
            strong=("A", "B"),
            dtype=UFUNCS[name].dtype,
            cast_for=UFUNCS[name].cast_for,
        ),
        (name, "reduceat"): _jax(
            name,
            "reduceat",
            _REDUCEAT,
            arrays=("array", "indices"),
            promotes=("array",),
            rank="same",
            **{**_dtypes(name, {**WIDE, "bool": "int64"}), "cast_how": "argument"},
        ),
    }
    if name in _AT:
        entries[name, "at"] = expression(
            f"{{a}}.at[{{indices}}].{_AT[name]}({{b}})",
            "a indices b",
            kind="none",
            writes="a",
            indices=("indices",),
            arrays=("b",),
            lenient=OUT_OF_BOUNDS,
        )
    if name.startswith("log"):  # its scan carries one dtype and yields another
        entries[name, "reduceat"] = refused(REFUSED, _REDUCEAT)
    return entries


def _plain(name: str) -> dict[tuple[str, str], Entry]:
    """The methods of a ufunc that is a plain function in JAX."""
    entry = UFUNCS[name]
    if entry.ufunc != 2 or entry.kind != "array":
        return {}
    return {
        (name, "outer"): expression(
            f"jnp.{entry.target.rpartition('.')[2]}(jnp.expand_dims({{A}}, tuple(range(-jnp.ndim({{B}}), 0))), {{B}})",
            "A B",
            arrays=("A", "B"),
            strong=("A", "B"),
            dtype=entry.dtype,
            cast_for=entry.cast_for,
            note=entry.note,
            note_dtypes=entry.note_dtypes,
            lenient=entry.lenient,
        )
    }


ENTRIES: dict[tuple[str, str], Entry] = {}
for _name in UFUNCS:
    ENTRIES.update(_methods(_name) if _name in JAX_UFUNCS else _plain(_name))
ENTRIES.update(
    {
        ("", _method): refused(REFUSED, _params)
        for _method, _params in (
            ("at", "a indices b"),
            ("reduce", _REDUCE),
            ("accumulate", _ACCUMULATE),
            ("outer", "A B"),
            ("reduceat", _REDUCEAT),
        )
    }
)
