"""Scalar types, dtypes and functions that query them."""

from __future__ import annotations

from ..core.dtypes import C_NAMES
from .entry import Entry, Verdict
from .forms import host, jnp, join, names

_TYPES = names("bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128")
_ABSTRACT = names("generic number integer signedinteger unsignedinteger inexact floating complexfloating")
_HOST_TYPES = names(
    "object_ str_ bytes_ void datetime64 timedelta64 longdouble clongdouble float128 complex256 float96 complex192 "
    "character flexible record recarray matrix memmap"
)
PROMOTION = "JAX promotes differently: int64 with float32 gives float32"
ISINSTANCE = "a JAX value is not an instance of it; test its dtype with jnp.issubdtype"


def _scalar_type(name: str) -> Entry:
    return Entry(
        Verdict.SAME if name in _TYPES else Verdict.RENAMED,
        f"jax.numpy.{C_NAMES.get(name, name)}",
        ("value",),
        kind="dtype",
        dtype=C_NAMES.get(name, name),
        note=ISINSTANCE,
    )


def _static(name: str, params: str) -> Entry:
    return jnp(name, params, kind="static", arrays=())


TYPES: dict[str, Entry] = {
    **{name: _scalar_type(name) for name in (*_TYPES, *C_NAMES)},
    **{name: Entry(Verdict.SAME, f"jax.numpy.{name}", kind="dtype", note=ISINSTANCE) for name in _ABSTRACT},
    **{name: host("JAX has no such type", kind="dtype", dtype="object") for name in _HOST_TYPES},
}

QUESTIONS: dict[str, Entry] = {
    "dtype": jnp("dtype", "dtype align copy metadata", kind="dtype", unsupported=("metadata",)),
    "finfo": _static("finfo", "dtype"),
    "iinfo": _static("iinfo", "int_type"),
    "can_cast": _static("can_cast", "from_ to casting"),
    "issubdtype": _static("issubdtype", "arg1 arg2"),
    "isdtype": _static("isdtype", "dtype kind"),
    "promote_types": jnp("promote_types", "type1 type2", kind="dtype", note=PROMOTION),
    "result_type": jnp("result_type", "*arrays_and_dtypes", kind="dtype", note=PROMOTION),
    "ndim": _static("ndim", "a"),
    "shape": _static("shape", "a"),
    "size": _static("size", "a axis"),
    "iscomplexobj": _static("iscomplexobj", "x"),
    "isrealobj": _static("isrealobj", "x"),
    "isscalar": jnp(
        "isscalar",
        "element",
        kind="static",
        note="an array of rank 0 counts as a scalar in JAX, and NumPy's results of rank 0 are scalars",
    ),
    "iterable": _static("iterable", "y"),
    "broadcast_shapes": jnp("broadcast_shapes", "*args", kind="static"),
    **{
        name: host("it answers with NumPy's types", params, kind="static")
        for name, params in (
            ("common_type", "*arrays"),
            ("min_scalar_type", "a"),
            ("mintypecode", "typechars typeset default"),
            ("typename", "char"),
            ("isfortran", "a"),
        )
    },
}

CONSTANTS: dict[str, Entry] = {
    **{
        name: Entry(Verdict.SAME, f"jax.numpy.{name}", kind="scalar", dtype="float", rank="0")
        for name in ("pi", "e", "euler_gamma", "inf", "nan")
    },
    "newaxis": Entry(Verdict.SAME, "jax.numpy.newaxis", kind="none"),
    "True_": Entry(Verdict.EXPRESSION, "True", kind="scalar", dtype="bool", rank="0"),
    "False_": Entry(Verdict.EXPRESSION, "False", kind="scalar", dtype="bool", rank="0"),
    "little_endian": host("a fact about the machine", kind="static"),
    **{
        name: Entry(Verdict.SAME, f"jax.numpy.{name}", kind="object")
        for name in ("mgrid", "ogrid", "r_", "c_", "s_", "index_exp")
    },
    "linalg": Entry(Verdict.SAME, "jax.numpy.linalg", kind="module"),
    "fft": Entry(Verdict.SAME, "jax.numpy.fft", kind="module"),
    **{name: host("a table of NumPy's types", kind="object") for name in ("ScalarType", "typecodes", "sctypeDict")},
}

ENTRIES: dict[str, Entry] = join((TYPES, QUESTIONS, CONSTANTS))
