"""Methods of ufuncs: `at`, `reduce`, `accumulate`, `outer`, `reduceat`.

Fourteen functions of jax.numpy are ufuncs with these methods (`JAX_UFUNCS`). The methods of the others become a
short expression if there is one, and are refused otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .elementwise import UFUNCS
from .entry import Entry, Verdict
from .forms import COMPLEX_TRUTH, EXACT, UFUNC_FLOAT, WIDE, expression, host, names, refused
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
ATTRIBUTE = "a fact about NumPy's ufunc"
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
        **{"rename": {"array": ""}, "arrays": ("array",), "static": ("axis",), **facts},
    )


def _methods(name: str) -> dict[tuple[str, str], Entry]:
    if name == "negative":
        return {(name, "at"): _at("jnp.negative", "a indices", "{a}, {indices}", UFUNCS[name])}
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
            **{**_dtypes(name, {**WIDE, "bool_": "int64"}), "cast_how": "argument"},
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


# JAX functions that jnp.frompyfunc turns into ufuncs -> the identity, where NumPy's ufunc has one.
_MADE = {
    "fmax": "",
    "fmin": "",
    "floor_divide": "",
    "remainder": "",
    "mod": "",
    "fmod": "",
    "gcd": "0",
    "lcm": "",
    "left_shift": "",
    "right_shift": "",
    "bitwise_left_shift": "",
    "bitwise_right_shift": "",
    "hypot": "0",
    "divide": "",
    "true_divide": "",
    "copysign": "",
    "heaviside": "",
    "nextafter": "",
    "float_power": "",
}
# NumPy's own reductions of these contradict their definition: np.power.reduce([[4.0, 0.5, 6.0]], 1) is 4096.
_ONLY_AT = names("power pow arctan2 atan2")
_KEEP_DTYPE = ("promote", "number")
_DTYPE_CHANGES = "the array keeps its dtype in NumPy; JAX converts integers to floats"


def _made(name: str) -> dict[tuple[str, str], Entry]:
    """The methods of a function that jnp.frompyfunc turns into a ufunc."""
    entry = UFUNCS[name]
    identity = f", identity={_MADE[name]}" if _MADE[name] else ""
    made = f"jnp.frompyfunc({entry.target.replace('jax.numpy', 'jnp')}, 2, 1{identity})"
    facts: dict[str, Any] = {
        "arrays": ("array",),
        "static": ("axis",),
        "dtype": entry.dtype,
        "cast_for": entry.cast_for,
        "note": entry.note,
        "note_dtypes": entry.note_dtypes,
        "lenient": entry.lenient,
    }
    reduce = f"{made}.reduce({{array}}, axis={{axis}}, keepdims={{keepdims}}, initial={{initial}})"
    wrong = {"unsupported": ("dtype", "where"), "defaults": {"axis": "0", "keepdims": "False", "initial": "None"}}
    entries = {
        (name, "reduce"): expression(reduce, _REDUCE, rank="reduce:0", **{**facts, **wrong, "static": ("axis", "keepdims")}),
        (name, "accumulate"): expression(
            f"{made}.accumulate({{array}}, axis={{axis}})",
            _ACCUMULATE,
            rank="same",
            unsupported=("dtype",),
            defaults={"axis": "0"},
            **facts,
        ),
    }
    entries[name, "reduceat"] = expression(
        f"{made}.reduceat({{array}}, {{indices}}, axis={{axis}})",
        _REDUCEAT,
        rank="same",
        unsupported=("dtype",),
        defaults={"axis": "0"},
        promotes=("array",),
        **{**facts, "arrays": ("array", "indices")},
    )
    return entries


def _at(made: str, params: str, given: str, entry: Entry) -> Entry:
    """`at` of a ufunc made by jnp.frompyfunc: it iterates over the indices, so that each counts as often as it occurs."""
    return expression(
        f"{made}.at({given}, inplace=False)",
        params,
        kind="none",
        writes="a",
        indices=("indices",),
        arrays=("b",) if "b" in names(params) else (),
        lenient=OUT_OF_BOUNDS,
        note=entry.note or ("" if entry.dtype in (*_KEEP_DTYPE, "same") else _DTYPE_CHANGES),
        note_dtypes=entry.note_dtypes or (() if entry.dtype in (*_KEEP_DTYPE, "same") else EXACT),
    )


def _plain(name: str) -> dict[tuple[str, str], Entry]:
    """The methods of a ufunc that is an ordinary function in JAX."""
    entry = UFUNCS[name]
    if (
        entry.ufunc == 1
        and entry.kind == "array"
        and entry.dtype in ("same", "number", "float")
        and entry.verdict is Verdict.SAME
    ):
        made = f"jnp.frompyfunc({entry.target.replace('jax.numpy', 'jnp')}, 1, 1)"
        return {(name, "at"): _at(made, "a indices", "{a}, {indices}", entry)}
    if entry.ufunc != 2 or entry.kind != "array":
        return {}
    made = f"jnp.frompyfunc({entry.target.replace('jax.numpy', 'jnp')}, 2, 1)"
    changed = {(name, "at"): _at(made, "a indices b", "{a}, {indices}, {b}", entry)} if name in (*_MADE, *_ONLY_AT) else {}
    return (
        (_made(name) if name in _MADE else {})
        | changed
        | {
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
    )


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
    | {("", name): host(ATTRIBUTE, kind="static") for name in names("identity nargs nin nout ntypes signature types")}
    | {("", "resolve_dtypes"): host(ATTRIBUTE, "dtypes signature casting reduction", kind="object")}
)
