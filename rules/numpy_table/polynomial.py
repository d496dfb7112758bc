"""numpy.polynomial: six bases, each with the same functions, and the classes.

JAX has the functions of the old numpy.poly* only, whose coefficients start with the highest power. The power series and what
is a short formula convert; the recurrences of the other bases stay NumPy, and are given NumPy's arrays: they look at the type.
"""

from __future__ import annotations

from typing import Any

from .entry import Entry, Memory
from .forms import ALWAYS_64, FLOAT64, UFUNC_FLOAT, UNSIGNED, expression, host, join, names, under

OBJECT = "a polynomial object; call polyval on its coefficients (`.coef`) for JAX"
RECURRENCE = "JAX has no such basis; convert the coefficients to a power series and use polyval, or write the recurrence"
BY_VALUE = (
    "trailing zeros are cut off, so that the shape of the result depends on values; in JAX, add coefficients that are padded to "
    "one length, and multiply power series by jnp.convolve"
)
SERIES = "JAX has no such function of power series; np.polyder, np.polyint and their kin convert"
KNOWN = "its result depends on nothing but sizes, and JAX takes it as a constant"
WRAPS = "small and unsigned integers wrap round in NumPy before they become floats"
SETTINGS = "it sets how polynomials are printed"

# The basis -> the stem of its functions, domain, x, weight, the name of its class.
_BASES = {
    "polynomial": ("poly", "[-1.0, 1.0]", "[0, 1]", "", "Polynomial"),
    "chebyshev": ("cheb", "[-1.0, 1.0]", "[0, 1]", "1.0 / (jnp.sqrt(1.0 + {x}) * jnp.sqrt(1.0 - {x}))", "Chebyshev"),
    "legendre": ("leg", "[-1.0, 1.0]", "[0, 1]", "{x} * 0.0 + 1.0", "Legendre"),
    "laguerre": ("lag", "[0.0, 1.0]", "[1, -1]", "jnp.exp(-{x})", "Laguerre"),
    "hermite": ("herm", "[-1.0, 1.0]", "[0.0, 0.5]", "jnp.exp(-({x} ** 2))", "Hermite"),
    "hermite_e": ("herme", "[-1.0, 1.0]", "[0, 1]", "jnp.exp(-0.5 * {x} ** 2)", "HermiteE"),
}

_FLOATING = {**FLOAT64, "int64": "float64", "uint64": "float64"}


def _constant(values: str) -> Entry:
    dtype = "float64" if "." in values else "int64"
    return expression(f"jnp.array({values})", "", kind="array", dtype=dtype, rank="1")


def _numeric(reason: str, params: str, *by_type: str, **facts: Any) -> Entry:
    """It computes numbers with arrays, and stays NumPy for want of an equivalent; `by_type`: must be NumPy's arrays."""
    return host(reason, params, **{"kind": "array", "arrays": by_type, "numeric": True, **facts})


def _basis(stem: str, domain: str, x: str, weight: str, cls: str, why: str = RECURRENCE) -> dict[str, Entry]:
    found = {
        "domain": _constant(domain),
        "zero": _constant("[0]"),
        "one": _constant("[1]"),
        "x": _constant(x),
        "add": _numeric(BY_VALUE, "c1 c2"),
        "sub": _numeric(BY_VALUE, "c1 c2"),
        "line": _numeric(BY_VALUE, "off scl"),
        "mulx": _numeric(BY_VALUE, "c"),
        "mul": _numeric(BY_VALUE, "c1 c2"),
        "div": _numeric(BY_VALUE, "c1 c2", kind="tuple:2"),
        "pow": _numeric(BY_VALUE, "c pow maxpower"),
        "trim": _numeric(BY_VALUE, "c tol"),
        "val": _numeric(why, "x c tensor", "x", "c"),
        "val2d": _numeric(why, "x y c"),
        "val3d": _numeric(why, "x y z c"),
        "valnd": _numeric(why, "pts c"),
        "grid2d": _numeric(why, "x y c", "x", "y", "c"),
        "grid3d": _numeric(why, "x y z c", "x", "y", "z", "c"),
        "der": _numeric(why, "c m scl axis"),
        "int": _numeric(why, "c m k lbnd scl axis"),
        "fit": _numeric(why, "x y deg rcond full w", kind_if={"full": "tuple:2"}),
        "roots": _numeric(why, "c"),
        "fromroots": _numeric(why, "roots"),
        "companion": _numeric(why, "c"),
        "vander": _numeric(why, "x deg"),
        "vander2d": _numeric(why, "x y deg"),
        "vander3d": _numeric(why, "x y z deg"),
    }
    entries = {f"{stem}{name}": entry for name, entry in found.items()}
    entries[cls] = host(OBJECT, "coef domain window symbol", kind="unknown")
    if stem != "poly":
        entries[f"{stem}2poly"] = _numeric(RECURRENCE, "c")
        entries[f"poly2{stem}"] = _numeric(RECURRENCE, "pol")
        entries[f"{stem}gauss"] = host(KNOWN, "deg", kind="tuple:2", static=("deg",))
        exponential = weight.startswith("jnp.exp(-(") or stem == "lag"
        entries[f"{stem}weight"] = expression(
            weight,
            "x",
            arrays=("x",),
            dtype="float" if exponential else "mean",
            rank="same",
            cast_for=UFUNC_FLOAT if exponential else FLOAT64,
            note=WRAPS if exponential else "",
            note_dtypes=(*UNSIGNED, "int8", "int16"),
        )
    return entries


_C = "jnp.expand_dims({c}[::-1], tuple(range(-jnp.ndim({x}), 0)))"
POWERS: dict[str, Entry] = {
    "polyval": expression(
        f"jnp.polyval({_C}, {{x}})",
        "x c tensor",
        drop_if={"tensor": ("True",)},
        unsupported=("tensor",),
        short="jnp.polyval({c}[::-1], {x})",
        short_if={"c": 1},
        arrays=("x", "c"),
        dtype="mean",
        cast_for=_FLOATING,
        edges="infinities",
    ),
    "polyvander": expression(
        "jnp.expand_dims(jnp.atleast_1d({x}), -1) ** jnp.arange({deg} + 1)",
        "x deg",
        short="jnp.vander({x}, {deg} + 1, increasing=True)",
        short_if={"x": 1},
        arrays=("x",),
        strong=("x",),
        dtype="mean",
        promotes=("x",),
        cast_for=_FLOATING,
        static=("deg",),
        edges="NaN and infinity to the power 0: NaN in NumPy, 1 in JAX",
    ),
    "polyfromroots": expression(
        "jnp.poly({roots})[::-1]",
        "roots",
        arrays=("roots",),
        rank="1",
        cast_for=ALWAYS_64,
        edges="infinities",
        loud="no roots: JAX raises",
    ),
    "polyroots": expression(
        "jnp.sort(jnp.roots({c}[::-1]))",
        "c",
        arrays=("c",),
        rank="1",
        jit=False,
        cast_for=_FLOATING,
        note="complex in JAX also where NumPy gives real numbers",
    ),
    "polyfit": expression(
        "jnp.polyfit({x}, {y}, {deg}, w={w})[::-1]",
        "x y deg rcond full w",
        drop_if={"rcond": ("None",), "full": ("False",)},
        unsupported=("rcond", "full"),
        defaults={"w": "None"},
        arrays=names("x y w"),
        dtype="mean",
        promotes=("x", "y"),
        cast_for=_FLOATING,
        static=("deg",),
        loud="a list of degrees: JAX raises",
    ),
    "polyvalfromroots": _numeric(SERIES, "x r tensor", "x", "r"),
}
_REST = {name: entry for name, entry in _basis(*_BASES["polynomial"], SERIES).items() if name not in POWERS}

CHEBYSHEV: dict[str, Entry] = {
    "chebpts1": host(KNOWN, "npts", kind="array", dtype="float64", rank="1", static=("npts",)),
    "chebpts2": host(KNOWN, "npts", kind="array", dtype="float64", rank="1", static=("npts",)),
    "chebinterpolate": _numeric(RECURRENCE, "func deg args"),
}

TOOLS: dict[str, Entry] = {
    "as_series": _numeric(BY_VALUE, "alist trim", kind="unknown"),
    "trimseq": _numeric(BY_VALUE, "seq", memory=Memory.VIEW),
    "trimcoef": _numeric(BY_VALUE, "c tol"),
    "getdomain": _numeric(SERIES, "x"),
    "mapdomain": _numeric(SERIES, "x old new"),
    "mapparms": _numeric(SERIES, "old new", kind="tuple:2"),
    "format_float": host(SETTINGS, "x parens", kind="object"),
}

MODULES: dict[str, Entry] = {
    "polynomial": host("its classes are polynomial objects, which JAX does not know", kind="unknown"),
    "polynomial.polyutils": host(SERIES, kind="unknown"),
    "polynomial.set_default_printstyle": host(SETTINGS, "style", kind="none"),
    **{f"polynomial.{basis}": host("a module of NumPy's", kind="unknown") for basis in _BASES},
    **{f"polynomial.{cls}": host(OBJECT, "coef domain window symbol") for *_rest, cls in _BASES.values()},
}

ENTRIES: dict[str, Entry] = join(
    (
        MODULES,
        under("polynomial.polynomial", {**_REST, **POWERS}),
        under("polynomial.polyutils", TOOLS),
        under("polynomial.chebyshev", CHEBYSHEV),
        *(under(f"polynomial.{basis}", _basis(*facts)) for basis, facts in _BASES.items() if basis != "polynomial"),
    )
)
