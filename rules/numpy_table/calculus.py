"""Differences, integrals, interpolation, convolution, polynomials."""

from __future__ import annotations

from .entry import Entry, Memory
from .forms import (
    ALWAYS_64,
    BOOLS,
    COMPLEX,
    EIGENVALUES,
    EXACT,
    FLOAT64,
    INTEGERS,
    LEAST_SQUARES,
    NARROW_FLOATS,
    TO_FLOAT64,
    UNSIGNED,
    expression,
    jnp,
    join,
    names,
    refused,
)

WRAPS = "unsigned integers and bools wrap round in NumPy before they become floats"
# By default, JAX convolves integers as floats.
_SAME_INTEGERS = {dtype: dtype for dtype in INTEGERS}
_TRIM = {"trim_leading_zeros": "True"}


SPREADS = "narrow floats: NaN and infinities may spread over the whole result in JAX"


def _convolution(name: str) -> Entry:
    return jnp(
        name,
        "a v mode",
        arrays=("a", "v"),
        dtype="promote",
        rank="1",
        static=("mode",),
        cast_for={**_SAME_INTEGERS, "bool_": "bool_"},
        cast_how="preferred_element_type",
        edges=SPREADS,
    )


CURVES: dict[str, Entry] = {
    "diff": jnp(
        "diff",
        "a n axis prepend append",
        arrays=names("a prepend append"),
        strong=("prepend", "append"),
        dtype="promote",
        rank="same",
        static=("n", "axis"),
        memory=Memory.MAYBE,
    ),
    "ediff1d": jnp(
        "ediff1d", "ary to_end to_begin", arrays=names("ary to_end to_begin"), dtype="same", promotes=("ary",), rank="1"
    ),
    "gradient": jnp(
        "gradient",
        "f *varargs axis edge_order",
        drop_if={"edge_order": ("1",)},
        unsupported=("edge_order",),
        arrays=("f", "*varargs"),
        promotes=("f",),
        cast_for=FLOAT64,
        note="NumPy keeps the dtype of f; JAX promotes it with that of the spacing",
        note_dtypes=NARROW_FLOATS,
        note_if=("*varargs",),
        static=("axis",),
        kind="unknown",
    ),
    "trapezoid": jnp(
        "trapezoid",
        "y x dx axis",
        arrays=names("y x dx"),
        dtype="mean",
        static=("axis",),
        cast_for=TO_FLOAT64,
        note=WRAPS,
        note_dtypes=UNSIGNED,
        loud="empty arrays: JAX raises",
        edges="infinities at the ends, without x: NaN in JAX",
    ),
    "interp": jnp(
        "interp",
        "x xp fp left right period",
        arrays=names("x xp fp"),
        dtype="float64",
        rank="same",
        cast_for={key: value for key, value in ALWAYS_64.items() if key != "complex64"},
        loud="complex x with a period: JAX raises",
        edges="infinities in xp or fp, and NaN in fp next to x, give NaN in JAX",
    ),
    "convolve": _convolution("convolve"),
    "correlate": _convolution("correlate"),
}

POLYNOMIALS: dict[str, Entry] = {
    "polyval": jnp("polyval", "p x", arrays=("p", "x"), strong=("x",), dtype="promote", loud=BOOLS, edges="infinities"),
    "polyadd": jnp("polyadd", "a1 a2", arrays=("a1", "a2"), dtype="promote", rank="1", loud=BOOLS),
    "polysub": jnp("polysub", "a1 a2", arrays=("a1", "a2"), dtype="promote", rank="1"),
    "polymul": jnp(
        "polymul",
        "a1 a2",
        add=_TRIM,
        arrays=("a1", "a2"),
        dtype="promote",
        rank="1",
        jit=False,
        cast_for=_SAME_INTEGERS,
        cast_how="result",
        edges=SPREADS,
        note="JAX takes imaginary leading numbers for zero",
        note_dtypes=COMPLEX,
    ),
    "polydiv": jnp(
        "polydiv",
        "u v",
        add=_TRIM,
        note="a remainder of zero is an empty array in JAX",
        arrays=("u", "v"),
        kind="tuple:2",
        rank="1",
        jit=False,
        cast_for=TO_FLOAT64,
    ),
    "polyder": jnp(
        "polyder",
        "p m",
        arrays=("p",),
        rank="1",
        static=("m",),
        memory=Memory.MAYBE,
        cast_for=ALWAYS_64,
        note="the derivative of integers is of integers in NumPy, of floats in JAX",
        note_dtypes=EXACT,
    ),
    "polyint": jnp(
        "polyint", "p m k", arrays=("p", "k"), rank="1", static=("m",), memory=Memory.MAYBE, cast_for=ALWAYS_64, promotes=("p",)
    ),
    "polyfit": jnp(
        "polyfit",
        "x y deg rcond full w cov",
        arrays=names("x y w"),
        kind_if={"full": "tuple:5", "cov": "tuple:2"},
        dtype="mean",
        static=names("deg full cov"),
        cast_for={**ALWAYS_64, "complex64": "complex64"},
        cast_how="each",
        promotes=("x", "y"),
        floating=("x", "y"),
        note="the rank among the results is int64 in JAX, int32 in NumPy",
        note_if=("full",),
        lenient=LEAST_SQUARES,
    ),
    "poly": expression(
        "_poly({seq_of_zeros})",
        "seq_of_zeros",
        arrays=("seq_of_zeros",),
        rank="1",
        note="of a matrix or of complex roots: complex where jit compiles the call and NumPy may give real numbers",
    ),
    "roots": expression(
        "_roots({p})",
        "p",
        arrays=("p",),
        rank="1",
        jit=False,
        lenient=EIGENVALUES,
    ),
    "poly1d": refused("a polynomial object; use np.polyval on its coefficients", "c_or_r r variable", kind="object"),
}

ENTRIES: dict[str, Entry] = join((CURVES, POLYNOMIALS))
