"""Methods and attributes of ndarray."""

from __future__ import annotations

from typing import Any

from .calculus import ENTRIES as _CALCULUS
from .elementwise import ENTRIES as _ELEMENTWISE
from .entry import Entry, Memory, Verdict
from .forms import INEXACT, expression, host, join, names, refused
from .indexing import ENTRIES as _INDEXING
from .linalg import ENTRIES as _LINALG
from .reductions import ENTRIES as _REDUCTIONS
from .shaping import ENTRIES as _SHAPING
from .sorting import ENTRIES as _SORTING

_FUNCTIONS = join((_CALCULUS, _ELEMENTWISE, _INDEXING, _LINALG, _REDUCTIONS, _SHAPING, _SORTING))
_VIEW = Memory.VIEW
LAYOUT = "memory and its layout are not visible in JAX"
OF_SCALARS = "JAX has arrays of rank 0 instead of NumPy scalars"


def _like(name: str, params: str = "", **facts: Any) -> Entry:
    """The entry of a method that does the same as the function of that name with the array as its first argument."""
    function = _FUNCTIONS[name]
    first = function.params[0]
    facts.setdefault("arrays", tuple(p for p in function.arrays if p != first))
    facts.setdefault("promotes", ())
    return function._replace(target=name, params=names(params) or function.params[1:], **facts)


def _method(name: str, params: str = "", **facts: Any) -> Entry:
    adapted = any(facts.get(key) for key in ("drop", "drop_if", "unsupported", "allowed", "rename", "add", "cast", "positional"))
    verdict = facts.pop("verdict", Verdict.ADAPTED if adapted else Verdict.SAME)
    return Entry(verdict, facts.pop("target", name), names(params), **facts)


METHODS: dict[str, Entry] = {
    **{name: _like(name) for name in names("sum prod mean max min all any argmax argmin cumsum cumprod trace diagonal swapaxes")},
    **{name: _like(name, "axis dtype out ddof keepdims where mean correction", unsupported=("mean",)) for name in ("std", "var")},
    **{name: _like(name) for name in names("squeeze repeat take choose nonzero argsort argpartition")},
    "searchsorted": _like("searchsorted"),
    "round": _like("round"),
    "compress": _like("compress", "condition axis out", arrays=("condition",)),
    "dot": _like("dot", "other out", arrays=("other",), strong=("other",)),
    "clip": _like(
        "clip",
        "min max out where casting order dtype subok signature",
        rename={},
        positional=2,
        arrays=("min", "max"),
        unsupported=names("where dtype signature"),
    ),
    "conj": _method("conj", dtype="same", rank="same", memory=Memory.MAYBE),
    "conjugate": _method("conjugate", dtype="same", rank="same", memory=Memory.MAYBE),
    "reshape": _method(
        "reshape",
        "*shape order copy",
        drop=("copy",),
        allowed={"order": ("'C'", "'F'")},
        dtype="same",
        rank="shape",
        memory=Memory.MAYBE,
        static=("*shape", "order"),
    ),
    "ravel": _method(
        "ravel", "order", allowed={"order": ("'C'", "'F'")}, dtype="same", rank="1", memory=Memory.MAYBE, static=("order",)
    ),
    "flatten": _method("flatten", "order", allowed={"order": ("'C'", "'F'")}, dtype="same", rank="1", static=("order",)),
    "transpose": _method("transpose", "*axes", dtype="same", rank="same", memory=_VIEW, static=("*axes",)),
    "astype": _method(
        "astype",
        "dtype order casting subok copy",
        drop=names("order casting subok copy"),
        dtype="param",
        rank="same",
        static=("dtype",),
        views_if=("copy",),
        note="floating point values outside the range of an integer dtype, and NaN: NumPy wraps, JAX saturates",
        note_dtypes=INEXACT,
    ),
    "view": _method("view", "dtype type", unsupported=("type",), static=("dtype",), memory=Memory.MAYBE, loud="bool"),
    "copy": _method("copy", "order", drop=("order",), dtype="same", rank="same"),
    "item": _method("item", "*args", kind="scalar", rank="0"),
    "tolist": _method("tolist", kind="unknown"),
    "ptp": expression(
        "jnp.ptp({self}, axis={axis})", "axis out keepdims", defaults={"axis": "None"}, dtype="same", rank="reduce"
    ),
    "byteswap": refused(LAYOUT, "inplace"),
    "getfield": refused(LAYOUT, "dtype offset", memory=_VIEW),
    "newbyteorder": refused(LAYOUT, "new_order", memory=_VIEW),
    "to_device": refused("placement differs; use jax.device_put", "device stream", memory=Memory.MAYBE),
    **{
        name: host("it needs the bytes of the host", params, kind="object")
        for name, params in (
            ("tobytes", "order"),
            ("tostring", "order"),
            ("tofile", "fid sep format"),
            ("dump", "file"),
            ("dumps", ""),
        )
    },
}

_WRITES: Any = {"kind": "none", "writes": "self", "rank": "same", "dtype": "same"}

IN_PLACE: dict[str, Entry] = {
    "sort": _SORTING["sort"]._replace(
        target="jax.numpy.sort", params=names("axis kind order stable descending"), arrays=(), **_WRITES
    ),
    "partition": _SORTING["partition"]._replace(
        target="jax.numpy.partition", params=names("kth axis kind order"), arrays=(), **_WRITES
    ),
    "fill": expression("jnp.full_like({self}, {value})", "value", **_WRITES),
    "put": _INDEXING["put"]._replace(
        target="jax.numpy.put",
        params=names("indices values mode"),
        arrays=("indices", "values"),
        writes="self",
        rename={"indices": "ind", "values": "v"},
    ),
    "resize": expression(
        "jnp.resize({self}, {new_shape}).ravel().at[{self}.size:].set(0).reshape({new_shape})",
        "new_shape refcheck",
        drop=("refcheck",),
        **_WRITES,
    ),
    "itemset": expression("{self}.at[{0}].set({1})", "*args", **_WRITES),
    "setfield": refused(LAYOUT, "val dtype offset", writes="self"),
    "setflags": refused(LAYOUT, "write align uic", writes="self"),
}

ATTRIBUTES: dict[str, Entry] = {
    "T": _method("T", dtype="same", rank="same", memory=_VIEW),
    "mT": _method("mT", dtype="same", rank="same", memory=_VIEW),
    "real": _method("real", dtype="real", rank="same", memory=_VIEW),
    "imag": _method("imag", dtype="real", rank="same", memory=Memory.MAYBE),
    "flat": expression("{self}.ravel()", "", dtype="same", rank="1", memory=_VIEW),
    **{name: _method(name, kind="static", rank="0") for name in ("shape", "ndim", "size", "nbytes", "itemsize")},
    "dtype": _method("dtype", kind="dtype"),
    **{name: refused(LAYOUT, kind="object", memory=_VIEW) for name in ("base", "data", "ctypes")},
    **{name: refused(LAYOUT, kind="static") for name in ("strides", "flags")},
    "device": refused("NumPy's arrays are on the CPU, JAX's anywhere", kind="static"),
}

# Attributes that NumPy's scalars have and arrays lack: JAX has arrays of rank 0 instead of scalars.
SCALARS: dict[str, Entry] = {
    "is_integer": expression("({self} % 1 == 0)", "", kind="scalar", dtype="bool", rank="0"),
    "as_integer_ratio": refused(f"{OF_SCALARS}; call it on `.item()`", kind="object"),
    "hex": refused(f"{OF_SCALARS}; call it on `.item()`", kind="object"),
    "fromhex": host(OF_SCALARS, "string", kind="scalar"),
    "bit_count": refused(f"{OF_SCALARS}; use np.bitwise_count", kind="scalar"),
    "numerator": refused(OF_SCALARS, kind="scalar"),
    "denominator": refused(OF_SCALARS, kind="scalar"),
}

ENTRIES: dict[str, Entry] = join((METHODS, IN_PLACE, ATTRIBUTES, SCALARS))
