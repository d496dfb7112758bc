"""Reductions along axes: sums, means, minima, maxima and others; cumulative sums; statistics and histograms."""

from __future__ import annotations

from typing import Any

from .entry import Entry, Memory
from .forms import (
    ALWAYS_64,
    COMPLEX,
    COMPLEX_TRUTH,
    EXACT,
    FLOAT64,
    NARROW_FLOATS,
    TO_FLOAT64,
    WIDE,
    expression,
    jnp,
    join,
    names,
)

_A = ("a",)
_AXIS = ("axis", "keepdims")
ALL_NAN = "NumPy raises for a slice that contains only NaN, JAX gives -1"
NO_COMPLEX = "complex numbers: JAX raises"
PERCENTILE_METHODS = (
    "'linear'",
    "'lower'",
    "'higher'",
    "'midpoint'",
)  # of two equally near ones, JAX takes the lower, NumPy the even one


def _reduction(name: str, params: str, dtype: str, **facts: Any) -> Entry:
    facts.setdefault("target", f"jax.numpy.{name}")
    return jnp(name, params, **{"arrays": _A, "dtype": dtype, "rank": "reduce", "static": _AXIS, **facts})


def _spread(name: str) -> Entry:
    return _reduction(
        name,
        "a axis dtype out ddof keepdims where mean correction",
        "size",
        unsupported=("mean", "correction") if name.startswith("nan") else (),
        promotes=_A,
        cast_for=FLOAT64,
        cast_how="dtype",
    )


def _quantile(name: str) -> Entry:
    return _reduction(
        name,
        "a q axis out overwrite_input method keepdims weights interpolation",
        "mean",
        positional=3,
        drop=("overwrite_input",),
        unsupported=("weights",),
        allowed={"method": PERCENTILE_METHODS, "interpolation": PERCENTILE_METHODS},
        rename={"interpolation": "method"},
        arrays=("a", "q"),
        rank="",
        static=("axis", "keepdims", "method"),
        cast_for={**TO_FLOAT64, "int64": "float64"},
        note="of integers, the methods lower and higher give integers in NumPy and floats in JAX",
        note_dtypes=EXACT,
        note_if=("method", "interpolation"),
        loud="complex numbers and empty arrays: JAX raises",
        edges="infinities: NaN in NumPy, infinities and numbers in JAX",
    )


def _extremum(name: str, like: str = "") -> Entry:
    return _reduction(name, "a axis out keepdims initial where", "same", target=f"jax.numpy.{like or name}")


def _position(name: str, **facts: Any) -> Entry:
    return _reduction(name, "a axis out keepdims", "int64", **facts)


def _running(name: str) -> Entry:
    return jnp(
        name,
        "a axis dtype out",
        arrays=_A,
        dtype="sum",
        rank="flat",
        static=("axis",),
        cast_for=WIDE,
        cast_how="dtype",
    )


def _running_standard(name: str) -> Entry:
    return jnp(
        name,
        "x axis dtype out include_initial",
        arrays=("x",),
        dtype="sum",
        rank="same",
        static=("axis", "include_initial"),
        cast_for=WIDE,
        cast_how="dtype",
    )


_SUM = "a axis dtype out keepdims initial where"
_MEAN = "a axis dtype out keepdims where"

PLAIN: dict[str, Entry] = {
    **{name: _reduction(name, _SUM, "sum") for name in ("sum", "prod", "nansum", "nanprod")},
    **{name: _reduction(name, _MEAN, "mean", promotes=_A, cast_for=FLOAT64, cast_how="dtype") for name in ("mean", "nanmean")},
    **{name: _spread(name) for name in ("std", "var", "nanstd", "nanvar")},
    **{name: _extremum(name) for name in ("max", "min", "nanmax", "nanmin")},
    "amax": _extremum("amax", "max"),
    "amin": _extremum("amin", "min"),
    **{name: _position(name, loud=NO_COMPLEX) for name in ("argmax", "argmin")},
    **{name: _position(name, lenient=ALL_NAN, loud=NO_COMPLEX) for name in ("nanargmax", "nanargmin")},
    **{name: _reduction(name, "a axis out keepdims where", "bool", cast_for=COMPLEX_TRUTH) for name in ("all", "any")},
    "ptp": _reduction("ptp", "a axis out keepdims", "same"),
    **{
        name: _reduction(
            name,
            "a axis out overwrite_input keepdims",
            "mean",
            positional=2,
            drop=("overwrite_input",),
            cast_for=FLOAT64,
            loud="complex numbers and empty arrays: JAX raises",
        )
        for name in ("median", "nanmedian")
    },
    **{name: _quantile(name) for name in ("percentile", "quantile", "nanpercentile", "nanquantile")},
    "count_nonzero": _reduction("count_nonzero", "a axis keepdims", "int64"),
    "average": _reduction(
        "average",
        "a axis weights returned keepdims",
        "mean",
        arrays=("a", "weights"),
        static=("axis", "returned", "keepdims"),
        kind_if={"returned": "tuple:2"},
        cast_for=TO_FLOAT64,
        floating=("a",),
    ),
    **{name: _running(name) for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")},
    **{name: _running_standard(name) for name in ("cumulative_sum", "cumulative_prod")},
    "allclose": jnp("allclose", "a b rtol atol equal_nan", arrays=names("a b"), kind="scalar", dtype="bool", rank="0"),
    "array_equal": jnp("array_equal", "a1 a2 equal_nan", arrays=names("a1 a2"), kind="scalar", dtype="bool", rank="0"),
    "array_equiv": jnp(
        "array_equiv",
        "a1 a2",
        arrays=names("a1 a2"),
        kind="scalar",
        dtype="bool",
        rank="0",
        loud="shapes that do not broadcast: JAX raises, NumPy gives False",
    ),
}

_EDGES = "the edges of float32 data are float64 in JAX"
_ESTIMATORS = {"bins": tuple(f"'{name}'" for name in names("auto doane fd rice scott sqrt stone sturges"))}
_BINS = ("bins", "range", "density")

STATISTICS: dict[str, Entry] = {
    "histogram": expression(
        "_histogram({a}, bins={bins}, range={range}, density={density}, weights={weights})",
        "a bins range density weights",
        defaults={"bins": "10", "range": "None", "density": "None", "weights": "None"},
        arrays=names("a weights"),
        kind="tuple:2",
        rank="1",
        static=_BINS,
        promotes=("a", "weights"),
        memory=Memory.MAYBE,
        shares=("bins",),
        refused_if=_ESTIMATORS,
        lenient="a range that is not finite, or of NaN: NumPy raises",
        loud="complex numbers: JAX raises",
    ),
    "histogram2d": jnp(
        "histogram2d",
        "x y bins range density weights",
        positional=4,
        add={"weights": "jnp.ones_like({x}, dtype=float)"},
        add_unless=("weights",),
        arrays=names("x y weights"),
        promotes=("x", "y"),
        kind="tuple:3",
        static=_BINS,
        note=_EDGES,
        note_dtypes=(*NARROW_FLOATS, *COMPLEX),
        memory=Memory.MAYBE,
        shares=("bins",),
        cast_for=FLOAT64,
    ),
    "histogramdd": jnp(
        "histogramdd",
        "sample bins range density weights",
        positional=3,
        add={"weights": "jnp.ones(len({sample}))"},
        add_unless=("weights",),
        arrays=names("sample weights"),
        promotes=("sample",),
        kind="tuple:2",
        static=_BINS,
        note=_EDGES,
        note_dtypes=(*NARROW_FLOATS, *COMPLEX),
        memory=Memory.MAYBE,
        shares=("bins",),
        cast_for=FLOAT64,
    ),
    "histogram_bin_edges": jnp(
        "histogram_bin_edges",
        "a bins range weights",
        arrays=names("a bins range weights"),
        promotes=("a",),
        dtype="",
        rank="1",
        static=("bins", "range"),
        memory=Memory.MAYBE,
        shares=("bins",),
        cast_for=FLOAT64,
        refused_if=_ESTIMATORS,
    ),
    "bincount": jnp(
        "bincount",
        "x weights minlength",
        arrays=names("x weights"),
        promotes=("weights",),
        cast_for={**FLOAT64, **dict.fromkeys(names("int64 uint64 float16 float32"), "float64")},
        rank="1",
        static=("minlength",),
        jit=False,
        lenient="negative values: NumPy raises, JAX counts them as 0",
    ),
    "digitize": jnp(
        "digitize", "x bins right", arrays=names("x bins"), dtype="int64", rank="same", static=("right",), cast="int64"
    ),
    "cov": jnp(
        "cov",
        "m y rowvar bias ddof fweights aweights dtype",
        arrays=names("m y fweights aweights"),
        dtype="",
        promotes=("m", "y"),
        static=names("rowvar bias ddof"),
        cast_for=ALWAYS_64,
        rows_if={"y": "rowvar"},
    ),
    "corrcoef": jnp(
        "corrcoef",
        "x y rowvar dtype",
        arrays=names("x y"),
        dtype="",
        promotes=("x", "y"),
        static=("rowvar",),
        cast_for=ALWAYS_64,
        rows_if={"y": "rowvar"},
    ),
}

ENTRIES: dict[str, Entry] = join((PLAIN, STATISTICS))
