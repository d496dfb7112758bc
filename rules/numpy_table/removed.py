"""Names that NumPy 2 removed, moved or is about to remove, and their meanings."""

from __future__ import annotations

from .entry import Entry, Memory, Verdict
from .forms import host, names

# Old name -> the name in NumPy 2 whose entry applies.
RENAMED = {
    "alltrue": "all",
    "sometrue": "any",
    "product": "prod",
    "cumproduct": "cumprod",
    "row_stack": "vstack",
    "trapz": "trapezoid",
    "round_": "round",
    "find_common_type": "result_type",
    "NaN": "nan",
    "NAN": "nan",
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "PINF": "inf",
    "float_": "float64",
    "singlecomplex": "complex64",
    "cfloat": "complex128",
    "complex_": "complex128",
    "longfloat": "longdouble",
    "clongfloat": "clongdouble",
    "longcomplex": "clongdouble",
    "int0": "intp",
    "uint0": "uintp",
    "bool8": "bool_",
    "unicode_": "str_",
    "string_": "bytes_",
    "str0": "str_",
    "bytes0": "bytes_",
    "object0": "object_",
    "void0": "void",
    "unicode": "str_",
    "sctypes": "sctypeDict",
}
_PYTHON_TYPES = {"int": "int64", "float": "float64", "complex": "complex128"}
_GONE = "removed in NumPy 2"

ENTRIES: dict[str, Entry] = {
    **{name: Entry(Verdict.EXPRESSION, name, ("value",), kind="dtype", dtype=dtype) for name, dtype in _PYTHON_TYPES.items()},
    "object": Entry(Verdict.EXPRESSION, "object", kind="dtype", dtype="object"),
    "str": Entry(Verdict.EXPRESSION, "str", kind="dtype", dtype="object"),
    "in1d": Entry(
        Verdict.EXPRESSION,
        "jnp.isin(jnp.ravel({ar1}), {ar2}, {assume_unique}, {invert})",
        names("ar1 ar2 assume_unique invert kind"),
        drop=("kind",),
        defaults={"assume_unique": "False", "invert": "False"},
        arrays=("ar1", "ar2"),
        dtype="bool",
        rank="1",
    ),
    "msort": Entry(Verdict.EXPRESSION, "jnp.sort({a}, axis=0)", ("a",), arrays=("a",), dtype="same", rank="same"),
    "asfarray": Entry(
        Verdict.EXPRESSION,
        "jnp.asarray({a}, {dtype})",
        ("a", "dtype"),
        defaults={"dtype": "float"},
        dtype="param",
        memory=Memory.MAYBE,
    ),
    "NINF": Entry(Verdict.EXPRESSION, "-jnp.inf", kind="scalar", dtype="float", rank="0"),
    "PZERO": Entry(Verdict.EXPRESSION, "0.0", kind="scalar", dtype="float", rank="0"),
    "NZERO": Entry(Verdict.EXPRESSION, "-0.0", kind="scalar", dtype="float", rank="0"),
    "asscalar": Entry(Verdict.EXPRESSION, "{a}.item()", ("a",), kind="scalar", rank="0"),
    **{
        name: host(_GONE, kind="static")
        for name in (
            "issctype issubclass_ issubsctype maximum_sctype obj2sctype sctype2char cast source who lookfor "
            "get_array_wrap byte_bounds safe_eval compare_chararrays recfromcsv recfromtxt set_string_function "
            "set_numeric_ops deprecate deprecate_with_doc disp add_docstring add_newdoc add_newdoc_ufunc nbytes mat "
            "tracemalloc_domain DataSource chararray compat geterrobj seterrobj fastCopyAndTranspose MachAr"
        ).split()
    },
}
