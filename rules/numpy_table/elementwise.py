"""Ufuncs and other elementwise functions."""

from __future__ import annotations

from .entry import Entry, Memory, Verdict
from .forms import (
    ALWAYS_64,
    BOOL_INT8,
    BOOLS,
    EXACT,
    FLOAT64,
    INTEGERS,
    UFUNC_FLOAT,
    jnp,
    join,
    names,
    refused,
    same_for_each,
    ufunc,
)

ZERO_DIVISION = "integer division by zero gives 0 in NumPy and another number in JAX"
NEGATIVE_POWER = "integers to negative powers: NumPy raises, JAX gives a wrong number"

_FLOAT_1 = (
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh "
    "asin acos atan asinh acosh atanh deg2rad rad2deg degrees radians fabs"
)
_FLOAT_2 = "arctan2 atan2 hypot logaddexp logaddexp2 copysign nextafter heaviside"
_PROMOTE_2 = "add subtract multiply maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor"
_COMPARE = "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor"
_BOOL_1 = "isnan isinf isfinite signbit logical_not"
_SAME_1 = "negative positive sign floor ceil trunc invert bitwise_not bitwise_invert"
_ANGLE = {**{key: value for key, value in UFUNC_FLOAT.items() if key != "bool_"}, "int16": "float32", "uint16": "float32"}
_INTEGER_RESULT = {"bool_": "int8", **{dtype: dtype for dtype in INTEGERS}}
_ANGLE = {**{key: value for key, value in UFUNC_FLOAT.items() if key != "bool_"}, "int16": "float32", "uint16": "float32"}
_POWER = {"bool_": "int8", "int64": "int64"}

UFUNCS: dict[str, Entry] = join(
    (
        {name: ufunc(name, "x", "float") for name in _FLOAT_1.split()},
        {name: ufunc(name, "x1 x2", "float") for name in _FLOAT_2.split()},
        {name: ufunc(name, "x1 x2", "promote") for name in _PROMOTE_2.split()},
        {
            name: ufunc(name, "x1 x2", "promote", edges="the smallest integer of a dtype: JAX does not end")
            for name in ("gcd", "lcm")
        },
        {name: ufunc(name, "x1 x2", "bool") for name in _COMPARE.split()},
        {name: ufunc(name, "x", "bool") for name in _BOOL_1.split()},
        {name: ufunc(name, "x", "same") for name in _SAME_1.split()},
        {name: ufunc(name, "x", "real") for name in ("absolute", "abs")},
        {name: ufunc(name, "x1 x2", "mean", cast_for=FLOAT64) for name in ("divide", "true_divide")},
        {name: ufunc(name, "x1 x2", "number", cast_for=BOOL_INT8) for name in ("remainder", "mod", "fmod")},
        {
            name: ufunc(
                name,
                "x1 x2",
                "number",
                cast_for=_POWER,
                lenient=NEGATIVE_POWER,
                edges="-inf to the power 0.5: NaN in NumPy, inf in JAX",
            )
            for name in ("power", "pow")
        },
        {name: ufunc(name, "x", "number", cast_for=BOOL_INT8) for name in ("conjugate", "conj")},
        {
            name: ufunc(name, "x1 x2", "promote")
            for name in ("left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift")
        },
        {
            "floor_divide": ufunc("floor_divide", "x1 x2", "number", cast_for=BOOL_INT8, note=ZERO_DIVISION, note_dtypes=EXACT),
            "square": ufunc("square", "x", "number", cast_for=BOOL_INT8),
            "reciprocal": ufunc(
                "reciprocal", "x", "number", cast_for=_INTEGER_RESULT, cast_how="result", note=ZERO_DIVISION, note_dtypes=EXACT
            ),
            "rint": ufunc("rint", "x", "float", cast_for={**UFUNC_FLOAT, "int16": "float32", "uint16": "float32"}),
            "float_power": ufunc("float_power", "x1 x2", "", cast_for=ALWAYS_64),
            "divmod": ufunc(
                "divmod", "x1 x2", "number", kind="tuple:2", cast_for=BOOL_INT8, note=ZERO_DIVISION, note_dtypes=EXACT
            ),
            "modf": ufunc("modf", "x", "float", kind="tuple:2", edges="the fraction of infinity: 0 in NumPy, NaN in JAX"),
            "frexp": ufunc("frexp", "x", "", kind="tuple:2", cast_for=UFUNC_FLOAT),
            "ldexp": ufunc("ldexp", "x1 x2", "", promotes=("x1",), cast_for=UFUNC_FLOAT),
            "spacing": ufunc("spacing", "x", "float", edges="float16: the largest number gives NaN in NumPy, inf in JAX"),
            "bitwise_count": ufunc("bitwise_count", "x", "uint8"),
            "isnat": refused("JAX has no dates", "x out where casting order dtype subok signature", ufunc=1),
        },
    )
)

OTHERS: dict[str, Entry] = {
    **same_for_each(
        "round around", jnp("round", "a decimals out", arrays=("a",), dtype="same", rank="same", static=("decimals",), loud=BOOLS)
    ),
    "fix": Entry(Verdict.RENAMED, "jax.numpy.trunc", names("x out"), arrays=("x",), dtype="same", rank="same", memory=Memory.NEW),
    "clip": jnp(
        "clip",
        "a a_min a_max out min max where casting order dtype subok signature",
        positional=3,
        rename={"a": "", "a_min": "min", "a_max": "max"},
        drop=("casting", "order", "subok"),
        unsupported=("where", "dtype", "signature"),
        arrays=names("a a_min a_max min max"),
        dtype="promote",
        loud="complex numbers: JAX raises",
        rank="broadcast",
    ),
    "nan_to_num": jnp(
        "nan_to_num",
        "x copy nan posinf neginf",
        positional=1,
        drop=("copy",),
        arrays=("x",),
        dtype="same",
        rank="same",
        views_if=("copy",),
    ),
    "sinc": jnp(
        "sinc",
        "x",
        rename={"x": ""},
        arrays=("x",),
        dtype="mean",
        rank="same",
        cast_for=FLOAT64,
        edges="infinity: NaN in NumPy, 0 in JAX",
    ),
    "i0": jnp("i0", "x", arrays=("x",), dtype="mean", rank="same", cast_for=FLOAT64),
    "angle": jnp(
        "angle",
        "z deg",
        arrays=("z",),
        dtype="",
        rank="same",
        static=("deg",),
        cast_for=_ANGLE,
        edges="a real number of fewer than 64 bits (of rank 0): float64 in JAX",
    ),
    "real": jnp("real", "val", rename={"val": ""}, arrays=("val",), dtype="real", rank="same", memory=Memory.VIEW),
    "imag": jnp("imag", "val", rename={"val": ""}, arrays=("val",), dtype="real", rank="same", memory=Memory.MAYBE),
    "isclose": jnp("isclose", "a b rtol atol equal_nan", arrays=("a", "b"), dtype="bool", rank="broadcast"),
    "iscomplex": jnp("iscomplex", "x", arrays=("x",), dtype="bool", rank="same"),
    "isreal": jnp("isreal", "x", arrays=("x",), dtype="bool", rank="same"),
    "isneginf": jnp("isneginf", "x out", rename={"x": ""}, arrays=("x",), dtype="bool", rank="same"),
    "isposinf": jnp("isposinf", "x out", rename={"x": ""}, arrays=("x",), dtype="bool", rank="same"),
    "where": jnp(
        "where",
        "condition x y",
        arrays=names("condition x y"),
        dtype="promote",
        promotes=("x", "y"),
        rank="broadcast",
        alone="numpy.nonzero",
    ),
    "select": jnp(
        "select",
        "condlist choicelist default",
        sequences=("condlist", "choicelist"),
        dtype="",
        promotes=("choicelist", "default"),
        rank="sequence",
    ),
    "piecewise": jnp(
        "piecewise", "x condlist funclist *args **kw", arrays=("x",), sequences=("condlist",), dtype="same", rank="same"
    ),
    "vectorize": jnp(
        "vectorize",
        "pyfunc otypes doc excluded cache signature",
        positional=1,
        drop=("doc", "cache"),
        unsupported=("otypes",),
        kind="object",
        note="the function is traced once for all elements: it must not branch on values",
    ),
    "frompyfunc": refused("it creates arrays of Python objects; use np.vectorize", "func nin nout **kwargs"),
    "real_if_close": refused("the dtype of the result depends on values; use .real", "a tol", memory=Memory.MAYBE, arrays=("a",)),
    "unwrap": jnp(
        "unwrap",
        "p discont axis period",
        arrays=("p",),
        dtype="",
        rank="same",
        static=("axis",),
        cast_for=FLOAT64,
        note="integers: NumPy keeps them with an integer period, and unsigned ones wrap; JAX computes on floats",
        note_dtypes=EXACT,
    ),
}

ENTRIES: dict[str, Entry] = join((UFUNCS, OTHERS))
