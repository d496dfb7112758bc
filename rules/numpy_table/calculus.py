"""Differences, integrals, interpolation, convolution, polynomials."""

from __future__ import annotations

from .entry import Entry, Memory
from .forms import FLOAT64, jnp, join, names, refused

CURVES: dict[str, Entry] = {
    "diff": jnp(
        "diff",
        "a n axis prepend append",
        arrays=names("a prepend append"),
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
        static=("axis",),
        kind="unknown",
    ),
    "trapezoid": jnp("trapezoid", "y x dx axis", arrays=names("y x dx"), dtype="mean", static=("axis",), cast_for=FLOAT64),
    "interp": jnp(
        "interp",
        "x xp fp left right period",
        arrays=names("x xp fp"),
        dtype="float64",
        rank="same",
        cast_for={**FLOAT64, "float16": "float64", "float32": "float64"},
    ),
    "convolve": jnp("convolve", "a v mode", arrays=("a", "v"), dtype="promote", rank="1", static=("mode",)),
    "correlate": jnp("correlate", "a v mode", arrays=("a", "v"), dtype="promote", rank="1", static=("mode",)),
}

POLYNOMIALS: dict[str, Entry] = {
    "polyval": jnp("polyval", "p x", arrays=("p", "x"), dtype="promote"),
    "polyadd": jnp("polyadd", "a1 a2", arrays=("a1", "a2"), dtype="promote", rank="1"),
    "polysub": jnp("polysub", "a1 a2", arrays=("a1", "a2"), dtype="promote", rank="1"),
    "polymul": jnp("polymul", "a1 a2", arrays=("a1", "a2"), dtype="promote", rank="1"),
    "polydiv": jnp("polydiv", "u v", arrays=("u", "v"), kind="tuple:2", rank="1"),
    "polyder": jnp("polyder", "p m", arrays=("p",), rank="1", static=("m",), memory=Memory.MAYBE),
    "polyint": jnp("polyint", "p m k", arrays=("p", "k"), rank="1", static=("m",), memory=Memory.MAYBE),
    "polyfit": jnp(
        "polyfit",
        "x y deg rcond full w cov",
        arrays=names("x y w"),
        kind_if={"full": "tuple:5", "cov": "tuple:2"},
        dtype="mean",
        static=names("deg full cov"),
        cast_for=FLOAT64,
    ),
    "poly": jnp("poly", "seq_of_zeros", arrays=("seq_of_zeros",), rank="1"),
    "roots": jnp("roots", "p", arrays=("p",), rank="1", jit=False),
    "poly1d": refused("a polynomial object; use np.polyval on its coefficients", "c_or_r r variable", kind="object"),
}

ENTRIES: dict[str, Entry] = join((CURVES, POLYNOMIALS))
