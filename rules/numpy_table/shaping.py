"""Reshaping, joining, splitting, repeating, flipping and rotating."""

from __future__ import annotations

from typing import Any

from .entry import Entry, Memory
from .forms import BELOW_64_BITS, COMPLEX, jnp, join, names, refused

_A = ("a",)
_VIEW = Memory.VIEW
_MAYBE = Memory.MAYBE
_ORDERS = {"order": ("'C'", "'F'")}


def _view(name: str, params: str, **facts: Any) -> Entry:
    return jnp(name, params, **{"arrays": (params.split()[0],), "dtype": "same", "memory": _VIEW, **facts})


VIEWS: dict[str, Entry] = {
    "reshape": jnp(
        "reshape",
        "a shape order copy newshape",
        positional=3,
        drop=("copy",),
        rename={"newshape": "shape"},
        allowed=_ORDERS,
        arrays=_A,
        dtype="same",
        rank="shape",
        memory=_MAYBE,
        static=("shape", "newshape", "order"),
    ),
    "ravel": jnp("ravel", "a order", allowed=_ORDERS, arrays=_A, dtype="same", rank="1", memory=_MAYBE, static=("order",)),
    "squeeze": _view("squeeze", "a axis", static=("axis",)),
    "expand_dims": _view("expand_dims", "a axis", rank="plus:1", static=("axis",)),
    "transpose": _view("transpose", "a axes", rank="same", static=("axes",)),
    "permute_dims": _view("transpose", "a axes", target="jax.numpy.transpose", rank="same", static=("axes",)),
    "matrix_transpose": _view("matrix_transpose", "x", rank="same"),
    "swapaxes": _view("swapaxes", "a axis1 axis2", rank="same", static=("axis1", "axis2")),
    "moveaxis": _view("moveaxis", "a source destination", rank="same", static=("source", "destination")),
    "rollaxis": _view("rollaxis", "a axis start", rank="same", static=("axis", "start")),
    "broadcast_to": _view("broadcast_to", "array shape subok", drop=("subok",), rank="shape", static=("shape",)),
    "diagonal": _view("diagonal", "a offset axis1 axis2", rank="minus:1", static=("offset", "axis1", "axis2")),
    "diag": jnp("diag", "v k", arrays=("v",), dtype="same", memory=_MAYBE, static=("k",)),
    "flip": _view("flip", "m axis", rank="same", static=("axis",)),
    "fliplr": _view("fliplr", "m", rank="same"),
    "flipud": _view("flipud", "m", rank="same"),
    "rot90": _view("rot90", "m k axes", rank="same", static=("k", "axes")),
    **{
        f"atleast_{n}d": jnp(
            f"atleast_{n}d",
            "*arys",
            arrays=("*arys",),
            dtype="same",
            rank=f"atleast:{n}",
            memory=_MAYBE,
            shares=("*arys",),
            kind_if={"*arys": "tuple"},
        )
        for n in (1, 2, 3)
    },
    "broadcast_arrays": jnp(
        "broadcast_arrays",
        "*args subok",
        drop=("subok",),
        arrays=("*args",),
        kind="tuple:args",
        rank="broadcast",
        memory=_VIEW,
        shares=("*args",),
    ),
    "trim_zeros": jnp(
        "trim_zeros",
        "filt trim axis",
        arrays=("filt",),
        dtype="same",
        memory=_VIEW,
        static=("trim", "axis"),
        jit=False,
        note="JAX takes imaginary numbers for zero",
        note_dtypes=COMPLEX,
    ),
}

SPLITS: dict[str, Entry] = {
    **{
        name: _view(name, "ary indices_or_sections axis", kind="list", rank="same", static=("indices_or_sections", "axis"))
        for name in ("split", "array_split")
    },
    **{
        name: _view(name, "ary indices_or_sections", kind="list", rank="same", static=("indices_or_sections",))
        for name in ("hsplit", "vsplit", "dsplit")
    },
    "unstack": _view("unstack", "x axis", kind="tuple", rank="minus:1", static=("axis",)),
}

_FLAT = "an array of rank 1, which NumPy converts to rows"
# The result dtypes of functions that promote with 64-bit integers.
_WITH_INT64 = {**dict.fromkeys(BELOW_64_BITS, "int64"), "float16": "float64", "float32": "float64", "complex64": "complex128"}
_JOIN: Any = {"dtype": "promote", "static": ("axis", "dtype")}

JOINS: dict[str, Entry] = {
    **{
        name: jnp(
            "concatenate",
            "arrays axis out dtype casting",
            positional=2,
            drop=("casting",),
            sequences=("arrays",),
            strong=("arrays",),
            rank="sequence",
            **_JOIN,
        )
        for name in ("concatenate", "concat")
    },
    "stack": jnp(
        "stack",
        "arrays axis out dtype casting",
        positional=2,
        drop=("casting",),
        sequences=("arrays",),
        strong=("arrays",),
        rank="sequence:1",
        **_JOIN,
    ),
    "vstack": jnp(
        "vstack",
        "tup dtype casting",
        drop=("casting",),
        sequences=("tup",),
        strong=("tup",),
        dtype="promote",
        rank="joined:2",
        static=("dtype",),
    ),
    "hstack": jnp(
        "hstack",
        "tup dtype casting",
        drop=("casting",),
        sequences=("tup",),
        strong=("tup",),
        dtype="promote",
        rank="joined:1",
        static=("dtype",),
    ),
    "dstack": jnp("dstack", "tup", sequences=("tup",), strong=("tup",), dtype="promote", rank="joined:3"),
    "column_stack": jnp("column_stack", "tup", sequences=("tup",), strong=("tup",), dtype="promote", rank="2"),
    "block": jnp("block", "arrays", dtype="promote", promotes=("arrays",), strong=("arrays",)),
    "bmat": refused("numpy.matrix has no equivalent; use np.block", "obj ldict gdict"),
    "append": jnp(
        "append",
        "arr values axis",
        arrays=("arr", "values"),
        strong=("arr", "values"),
        dtype="promote",
        rank="flat",
        static=("axis",),
    ),
    "tile": jnp("tile", "A reps", arrays=("A",), dtype="same", static=("reps",)),
    "repeat": jnp(
        "repeat", "a repeats axis", arrays=("a", "repeats"), promotes=_A, dtype="same", rank="flat", static=("repeats", "axis")
    ),
    "roll": jnp("roll", "a shift axis", arrays=("a",), dtype="same", rank="same", static=("axis",)),
    "resize": jnp("resize", "a new_shape", arrays=_A, dtype="same", rank="shape", static=("new_shape",)),
    "pad": jnp(
        "pad", "array pad_width mode **kwargs", arrays=("array",), dtype="same", rank="same", static=("pad_width", "mode")
    ),
    "delete": jnp(
        "delete", "arr obj axis", arrays=("arr", "obj"), promotes=("arr",), dtype="same", rank="flat", static=("obj", "axis")
    ),
    "insert": jnp(
        "insert",
        "arr obj values axis",
        arrays=("arr", "obj", "values"),
        promotes=("arr",),
        dtype="same",
        rank="flat",
        static=("obj", "axis"),
    ),
    "tril": jnp("tril", "m k", arrays=("m",), dtype="same", rank="same", static=("k",), loud=_FLAT),
    "triu": jnp("triu", "m k", arrays=("m",), dtype="same", rank="same", static=("k",), loud=_FLAT),
    "diagflat": jnp("diagflat", "v k", arrays=("v",), dtype="same", rank="2", static=("k",)),
    "vander": jnp(
        "vander",
        "x N increasing",
        arrays=("x",),
        rank="2",
        static=("N", "increasing"),
        cast_for={**_WITH_INT64, "uint64": "float64"},
    ),
    "packbits": jnp(
        "packbits", "a axis bitorder", arrays=_A, dtype="uint8", rank="flat", static=("axis", "bitorder"), loud="rank 0"
    ),
    "unpackbits": jnp(
        "unpackbits", "a axis count bitorder", arrays=_A, dtype="uint8", rank="flat", static=names("axis count bitorder")
    ),
}

ENTRIES: dict[str, Entry] = join((VIEWS, SPLITS, JOINS))
