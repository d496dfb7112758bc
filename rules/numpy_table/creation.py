"""Array creation: from shapes, ranges and Python values."""

from __future__ import annotations

from .entry import Entry, Memory
from .forms import FLOAT64, host, jnp, join, names, refused

_LIKE = {"like": ("None",), "device": ("None", "'cpu'")}
_NO_LIKE = ("like", "device")

SHAPED: dict[str, Entry] = {
    **{
        name: jnp(
            name,
            "shape dtype order device like",
            drop=("order",),
            drop_if=_LIKE,
            unsupported=_NO_LIKE,
            dtype="param",
            rank="shape",
            static=("shape", "dtype"),
        )
        for name in ("zeros", "ones")
    },
    "empty": jnp(
        "empty",
        "shape dtype order device like",
        drop=("order",),
        drop_if=_LIKE,
        unsupported=_NO_LIKE,
        dtype="param",
        rank="shape",
        static=("shape", "dtype"),
    ),
    "full": jnp(
        "full",
        "shape fill_value dtype order device like",
        drop=("order",),
        drop_if=_LIKE,
        unsupported=_NO_LIKE,
        arrays=("fill_value",),
        dtype="promote",
        rank="shape",
        static=("shape", "dtype"),
    ),
    **{
        name: jnp(
            target,
            "a dtype order subok shape device" if name != "empty_like" else "prototype dtype order subok shape device",
            positional=2,
            drop=("order", "subok"),
            drop_if={"device": ("None", "'cpu'"), "shape": ("None",)},
            unsupported=("device", "shape"),
            arrays=("a",) if name != "empty_like" else ("prototype",),
            dtype="same",
            rank="same",
            static=("dtype", "shape"),
        )
        for name, target in (("zeros_like", "zeros_like"), ("ones_like", "ones_like"), ("empty_like", "empty_like"))
    },
    "full_like": jnp(
        "full_like",
        "a fill_value dtype order subok shape device",
        positional=3,
        drop=("order", "subok"),
        drop_if={"device": ("None", "'cpu'"), "shape": ("None",)},
        unsupported=("device", "shape"),
        arrays=("a", "fill_value"),
        dtype="same",
        rank="same",
        static=("dtype", "shape"),
    ),
    "eye": jnp(
        "eye",
        "N M k dtype order device like",
        drop=("order",),
        drop_if=_LIKE,
        unsupported=_NO_LIKE,
        dtype="param",
        rank="2",
        static=names("N M k dtype"),
    ),
    "identity": jnp(
        "identity",
        "n dtype like",
        drop_if={"like": ("None",)},
        unsupported=("like",),
        dtype="param",
        rank="2",
        static=("n", "dtype"),
    ),
    "tri": jnp(
        "tri",
        "N M k dtype like",
        add={"dtype": "float"},
        drop_if={"like": ("None",)},
        unsupported=("like",),
        dtype="param",
        rank="2",
        static=names("N M k dtype"),
    ),
    "ndarray": jnp(
        "empty",
        "shape dtype buffer offset strides order",
        drop=("order",),
        drop_if={"buffer": ("None",), "offset": ("0",), "strides": ("None",)},
        unsupported=names("buffer offset strides"),
        dtype="param",
        rank="shape",
        static=("shape", "dtype"),
    ),
}

RANGES: dict[str, Entry] = {
    "arange": jnp(
        "arange",
        "start stop step dtype device like",
        drop_if=_LIKE,
        unsupported=_NO_LIKE,
        arrays=("start", "stop", "step"),
        dtype="promote",
        rank="1",
        static=names("start stop step dtype"),
    ),
    "linspace": jnp(
        "linspace",
        "start stop num endpoint retstep dtype axis device",
        drop_if={"device": ("None", "'cpu'")},
        unsupported=("device",),
        arrays=("start", "stop"),
        dtype="mean",
        rank="plus:1",
        static=names("num endpoint retstep dtype axis"),
        kind_if={"retstep": "tuple:2"},
        edges="between infinities",
        cast_for=FLOAT64,
    ),
    "logspace": jnp(
        "logspace",
        "start stop num endpoint base dtype axis",
        arrays=names("start stop base"),
        dtype="mean",
        rank="plus:1",
        static=names("num endpoint dtype axis"),
        cast_for=FLOAT64,
    ),
    "geomspace": jnp(
        "geomspace",
        "start stop num endpoint dtype axis",
        arrays=names("start stop"),
        dtype="mean",
        rank="plus:1",
        static=names("num endpoint dtype axis"),
        cast_for=FLOAT64,
    ),
    "indices": jnp(
        "indices", "dimensions dtype sparse", kind_if={"sparse": "tuple"}, dtype="int64", static=names("dimensions dtype sparse")
    ),
    **{name: jnp(name, "M", dtype="float64", rank="1", static=("M",)) for name in ("bartlett", "blackman", "hamming", "hanning")},
    "kaiser": jnp("kaiser", "M beta", dtype="float64", rank="1", static=("M",)),
    "fromfunction": jnp(
        "fromfunction",
        "function shape dtype like **kwargs",
        drop_if={"like": ("None",)},
        unsupported=("like",),
        memory=Memory.MAYBE,
        static=("shape", "dtype"),
        note="the function is traced element by element: it must not branch on values",
    ),
    "meshgrid": jnp(
        "meshgrid",
        "*xi copy sparse indexing",
        drop=("copy",),
        arrays=("*xi",),
        kind="list:args",
        rank="args",
        views_if=("copy",),
        shares=("*xi",),
        static=("sparse", "indexing"),
    ),
}

CONVERSIONS: dict[str, Entry] = {
    "array": jnp(
        "array",
        "object dtype copy order subok ndmin ndmax like",
        positional=2,
        drop=("copy", "order", "subok"),
        drop_if={"like": ("None",), "ndmax": ("0",)},
        unsupported=("like", "ndmax"),
        dtype="promote",
        promotes=("object",),
        static=("dtype", "ndmin"),
        views_if=("copy",),
    ),
    "asarray": jnp(
        "asarray",
        "a dtype order device copy like",
        positional=2,
        drop=("order", "copy"),
        drop_if=_LIKE,
        unsupported=_NO_LIKE,
        dtype="promote",
        promotes=("a",),
        static=("dtype",),
        memory=Memory.MAYBE,
    ),
    "asanyarray": jnp(
        "asarray",
        "a dtype order device copy like",
        positional=2,
        drop=("order", "copy"),
        drop_if=_LIKE,
        unsupported=_NO_LIKE,
        dtype="promote",
        promotes=("a",),
        static=("dtype",),
        memory=Memory.MAYBE,
    ),
    "asarray_chkfinite": refused(
        "it raises for NaN and infinity, which code in JAX cannot", "a dtype order", memory=Memory.MAYBE
    ),
    "asmatrix": refused("numpy.matrix has no equivalent; use two-dimensional arrays", "data dtype", memory=Memory.MAYBE),
    **{
        name: jnp(
            "array",
            "a dtype like",
            positional=2,
            rename={"a": "object"},
            drop_if={"like": ("None",)},
            unsupported=("like",),
            add={"ndmin": "1"},
            dtype="promote",
            promotes=("a",),
            static=("dtype",),
            memory=Memory.MAYBE,
        )
        for name in ("ascontiguousarray", "asfortranarray")
    },
    "require": jnp(
        "asarray",
        "a dtype requirements like",
        positional=2,
        drop=("requirements",),
        drop_if={"like": ("None",)},
        unsupported=("like",),
        dtype="promote",
        promotes=("a",),
        static=("dtype",),
        memory=Memory.MAYBE,
    ),
    "copy": jnp(
        "array", "a order subok", drop=("order", "subok"), rename={"a": "object"}, dtype="promote", promotes=("a",), rank="same"
    ),
    "astype": jnp(
        "astype",
        "x dtype copy device",
        drop_if={"device": ("None", "'cpu'")},
        unsupported=("device",),
        drop=("copy",),
        dtype="param",
        rank="same",
        static=("dtype",),
        views_if=("copy",),
    ),
    "from_dlpack": jnp("from_dlpack", "x device copy", unsupported=("device",), memory=Memory.MAYBE),
    "frombuffer": host(
        "it reads bytes of the host", "buffer dtype count offset like", kind="array", rank="1", memory=Memory.MAYBE
    ),
    "fromstring": host("it reads a string", "string dtype count sep like", kind="array", rank="1"),
    "fromiter": host("it runs a Python iterator", "iter dtype count like", kind="array", rank="1"),
}

ENTRIES: dict[str, Entry] = join((SHAPED, RANGES, CONVERSIONS))
