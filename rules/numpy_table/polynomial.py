"""numpy.polynomial: six bases, each with the same functions, and the classes.

JAX has only the functions of the old numpy.poly*, whose coefficients start with the highest power. A short formula is written
inline; for a recurrence, the converted module gets a function of its own (rules.definitions). Functions that trim trailing zeros
of their result stay NumPy, as do the classes, and get NumPy arrays if they test the types of their arguments.
"""

from __future__ import annotations

from typing import Any

from .entry import Entry, Memory
from .forms import ALWAYS_64, EIGENVALUES, FLOAT64, LEAST_SQUARES, UFUNC_FLOAT, UNSIGNED, expression, host, join, names, under

OBJECT = "a polynomial object; call polyval on its coefficients (`.coef`) for JAX"
FUNCTION = "it takes a function, which it would give JAX's arrays; call it on `chebpts1` and fit with `chebfit`"
BY_VALUE = (
    "trailing zeros are cut off, so that the shape of the result depends on values; in JAX, add coefficients that are padded to "
    "one length, and multiply power series by jnp.convolve"
)
ONE_ZERO = "the integral of one coefficient under jit: NumPy's has another length where it is zero, and JAX raises"
KNOWN = "its result depends on nothing but sizes, and JAX takes it as a constant"
WRAPS = "small and unsigned integers wrap round in NumPy before they become floats"
REAL = "where all roots are real, they are real numbers, as before NumPy 2.5; since then they are complex"
SHAPES = "points whose numbers of each dimension differ"
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


def _numeric(reason: str, params: str, **facts: Any) -> Entry:
    """The entry of a function that computes numbers with arrays, and stays NumPy for lack of an equivalent."""
    return host(reason, params, **{"kind": "array", "numeric": True, **facts})


def _values(template: str, params: str, **facts: Any) -> Entry:
    """The entry of a function of a series and of points, which both determine its dtype."""
    entry_arrays = tuple(name for name in names(params) if name in ("x", "y", "z", "c"))
    return expression(
        template,
        params,
        **{"arrays": entry_arrays, "floating": ("c",), "dtype": "mean", "static": (), "edges": "infinities", **facts},
    )


def _of_a_series(template: str, params: str, **facts: Any) -> Entry:
    """The entry of a function of one series, or of one list of roots."""
    return expression(
        template, params, **{"arrays": (params.split()[0],), "dtype": "mean", "edges": "NaN and infinities", **facts}
    )


def _evaluated(stem: str) -> dict[str, Entry]:
    """The entries that evaluate a series: at points, on a grid, at points in several dimensions."""
    val = f"_{stem}val"
    found = {
        "val": _values(f"{val}({{x}}, {{c}}, tensor={{tensor}})", "x c tensor", static=("tensor",), defaults={"tensor": "True"}),
        "val2d": _values(f"{val}({{y}}, {val}({{x}}, {{c}}), tensor=False)", "x y c", lenient=SHAPES),
        "val3d": _values(
            f"{val}({{z}}, {val}({{y}}, {val}({{x}}, {{c}}), tensor=False), tensor=False)", "x y z c", lenient=SHAPES
        ),
        "grid2d": _values(f"{val}({{y}}, {val}({{x}}, {{c}}))", "x y c"),
        "grid3d": _values(f"{val}({{z}}, {val}({{y}}, {val}({{x}}, {{c}})))", "x y z c"),
        "valnd": expression(
            f"_{stem}valnd({{pts}}, {{c}})",
            "pts c",
            sequences=("pts",),
            arrays=("c",),
            floating=("c",),
            dtype="mean",
            edges="infinities",
            lenient=SHAPES,
        ),
    }
    if stem == "lag":
        found = {name: entry._replace(note=WRAPS, note_dtypes=(*UNSIGNED, "int8", "int16")) for name, entry in found.items()}
    return found


def _computed(stem: str) -> dict[str, Entry]:
    """The entries that a definition in the converted module replaces."""
    real = {} if stem == "poly" else {"note": REAL}
    vander = {"dtype": "mean", "static": ("deg",), "edges": "NaN and infinities"}
    return {
        "der": _of_a_series(
            f"_{stem}der({{c}}, m={{m}}, scl={{scl}}, axis={{axis}})",
            "c m scl axis",
            defaults={"m": "1", "scl": "1", "axis": "0"},
            static=("m", "axis"),
        ),
        "int": _of_a_series(
            f"_{stem}int({{c}}, m={{m}}, k={{k}}, lbnd={{lbnd}}, scl={{scl}}, axis={{axis}})",
            "c m k lbnd scl axis",
            defaults={"m": "1", "k": "[]", "lbnd": "0", "scl": "1", "axis": "0"},
            static=("m", "axis"),
            loud=ONE_ZERO,
        ),
        "fit": expression(
            f"_{stem}fit({{x}}, {{y}}, {{deg}}, rcond={{rcond}}, w={{w}})",
            "x y deg rcond full w",
            drop_if={"full": ("False",)},
            unsupported=("full",),
            defaults={"rcond": "None", "w": "None"},
            arrays=names("x y w"),
            promotes=("x", "y"),
            floating=("x", "y"),
            dtype="mean",
            static=("deg",),
            lenient=LEAST_SQUARES,
        ),
        "fromroots": _of_a_series(f"_{stem}fromroots({{roots}})", "roots", rank="1", dtype=""),
        "companion": _of_a_series(f"_{stem}companion({{c}})", "c", rank="2", jit=False),
        "roots": _of_a_series(f"_{stem}roots({{c}})", "c", rank="1", jit=False, dtype="", lenient=EIGENVALUES, **real),
        "vander": expression(f"_{stem}vander({{x}}, {{deg}})", "x deg", arrays=("x",), promotes=("x",), **vander),
        "vander2d": expression(f"_{stem}vander2d({{x}}, {{y}}, {{deg}})", "x y deg", arrays=("x", "y"), **vander),
        "vander3d": expression(f"_{stem}vander3d({{x}}, {{y}}, {{z}}, {{deg}})", "x y z deg", arrays=("x", "y", "z"), **vander),
        f"{stem}2poly": _of_a_series(f"_{stem}2poly({{c}})", "c", rank="1", jit=False),
        f"poly2{stem}": _of_a_series(f"_poly2{stem}({{pol}})", "pol", rank="1", jit=False, dtype=""),
    }


def _basis(stem: str, domain: str, x: str, weight: str, cls: str) -> dict[str, Entry]:
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
        **_evaluated(stem),
        **_computed(stem),
    }
    own = (f"{stem}2poly", f"poly2{stem}")
    entries = {name if name in own else f"{stem}{name}": entry for name, entry in found.items()}
    entries[cls] = host(OBJECT, "coef domain window symbol", kind="unknown")
    if stem == "poly":
        return {name: entry for name, entry in entries.items() if name not in own}
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


POWERS: dict[str, Entry] = {
    "polyval": expression(
        "_polyval({x}, {c}, tensor={tensor})",
        "x c tensor",
        drop_if={"tensor": ("True",)},
        defaults={"tensor": "True"},
        short="jnp.polyval({c}[::-1], {x})",
        short_if={"c": 1},
        arrays=("x", "c"),
        floating=("c",),
        dtype="mean",
        static=("tensor",),
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
    "polyfit": expression(
        "jnp.polyfit({x}, {y}, {deg}, rcond={rcond}, w={w})[::-1]",
        "x y deg rcond full w",
        drop_if={"full": ("False",)},
        unsupported=("full",),
        defaults={"rcond": "None", "w": "None"},
        arrays=names("x y w"),
        dtype="mean",
        promotes=("x", "y"),
        floating=("x", "y"),
        cast_for=_FLOATING,
        static=("deg",),
        loud="a list of degrees: JAX raises",
        lenient=LEAST_SQUARES,
    ),
    "polyvalfromroots": expression(
        "_polyvalfromroots({x}, {r}, tensor={tensor})",
        "x r tensor",
        defaults={"tensor": "True"},
        arrays=("x", "r"),
        floating=("r",),
        dtype="mean",
        static=("tensor",),
        lenient="points of as many dimensions as the roots, without tensor",
    ),
}
_REST = {name: entry for name, entry in _basis(*_BASES["polynomial"]).items() if name not in POWERS}

CHEBYSHEV: dict[str, Entry] = {
    "chebpts1": host(KNOWN, "npts", kind="array", dtype="float64", rank="1", static=("npts",)),
    "chebpts2": host(KNOWN, "npts", kind="array", dtype="float64", rank="1", static=("npts",)),
    "chebinterpolate": _numeric(FUNCTION, "func deg args"),
}

TOOLS: dict[str, Entry] = {
    "as_series": _numeric(BY_VALUE, "alist trim", kind="unknown"),
    "trimseq": _numeric(BY_VALUE, "seq", memory=Memory.VIEW),
    "trimcoef": _numeric(BY_VALUE, "c tol"),
    "getdomain": expression("_getdomain({x})", "x", arrays=("x",), dtype="mean", rank="1"),
    "mapdomain": expression("_mapdomain({x}, {old}, {new})", "x old new", arrays=("x",), dtype=""),
    "mapparms": expression("_mapparms({old}, {new})", "old new", kind="tuple:2"),
    "format_float": host(SETTINGS, "x parens", kind="object"),
}

MODULES: dict[str, Entry] = {
    "polynomial": host("its classes are polynomial objects, which JAX does not know", kind="unknown"),
    "polynomial.polyutils": host("a module of NumPy's", kind="unknown"),
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
