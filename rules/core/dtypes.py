"""The lattice of dtypes: their names, their join, and how NumPy 2 (NEP 50) and JAX with 64 bits promote them.

An element is a name. "float32", "bool_" and the like are dtypes that a value certainly has. "bool", "int", "float" and "complex"
are Python scalars, which are weak: they adopt the dtype of the other operand. "" is the top: any dtype, or none that is listed
here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce

BITS = {"bool_": 1, "float16": 16, "float32": 32, "float64": 64, "complex64": 64, "complex128": 128}
BITS |= {f"{sign}int{bits}": bits for sign in ("", "u") for bits in (8, 16, 32, 64)}
PYTHON = {"bool": "bool_", "int": "int64", "float": "float64", "complex": "complex128"}  # and the dtype of their arrays
DEFAULTS = ("int64", "float64", "complex128")  # the dtypes of arrays created from Python scalars
WIDEST = ("float64", "complex128")  # an update of an array of one of these is computed in that dtype, whatever the operand
NARROWED = {"float64": "float32", "complex128": "complex64", "int64": "int32", "uint64": "uint32"}  # where JAX has no 64 bits
C_NAMES = {  # C's long is 64 bits wide in NumPy 2 on 64-bit systems
    "half": "float16",
    "single": "float32",
    "double": "float64",
    "csingle": "complex64",
    "cdouble": "complex128",
    "byte": "int8",
    "ubyte": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "intc": "int32",
    "uintc": "uint32",
    "intp": "int64",
    "uintp": "uint64",
    "int_": "int64",
    "uint": "uint64",
    "long": "int64",
    "ulong": "uint64",
    "longlong": "int64",
    "ulonglong": "uint64",
    "bool": "bool_",
}
_CODES = {"?": "bool_", "e": "float16", "f": "float32", "d": "float64", "F": "complex64", "D": "complex128"}
_CODES |= {code: f"int{bits}" for code, bits in zip("bhilqpn", (8, 16, 32, 64, 64, 64, 64), strict=True)}
_CODES |= {code: f"uint{bits}" for code, bits in zip("BHILQPN", (8, 16, 32, 64, 64, 64, 64), strict=True)}
_CODES |= {f"{name[0]}{bits // 8}": name for name, bits in BITS.items() if bits > 1} | {"b1": "bool_"}
_SPELLINGS = {**_CODES, **C_NAMES, **PYTHON, "float_": "float64", "complex_": "complex128", **{name: name for name in BITS}}
_KINDS = "bifc"


def named(text: str) -> str:
    """The dtype that a string or an attribute of NumPy names: float32 for "float32", "single", "f", "<f4"."""
    return _SPELLINGS.get(text.lstrip("<=|"), "")


def is_weak(dtype: str) -> bool:
    return dtype in PYTHON


def strong(dtype: str) -> str:
    """The dtype of an array created from a value of this dtype."""
    return PYTHON.get(dtype, dtype)


def weak(dtype: str) -> str:
    """The Python scalar type whose arrays have this dtype, else the dtype itself."""
    return _WEAK.get(dtype, dtype)


def kind(dtype: str) -> str:
    """b, i, u, f or c, as in `numpy.dtype.kind`; "" where it is not known."""
    return dtype[0] if dtype in BITS or dtype in PYTHON else ""


def category(dtype: str) -> int:
    """0 for bool, 1 integer, 2 float, 3 complex, -1 unknown."""
    return _CATEGORIES.get(dtype, -1)


def python_type(dtype: str) -> str:
    """The Python scalar type to which an element of this dtype converts, "" where it is not known."""
    return next((name for name in PYTHON if category(name) == category(dtype)), "")


def is_default(dtype: str) -> bool:
    """Whether it is the dtype of a Python scalar, or of an array created from one."""
    return dtype in PYTHON or dtype in _WEAK


def is_narrow(dtype: str) -> bool:
    """Whether no Python scalar has this dtype by default, so that JAX may promote it differently from NumPy."""
    return dtype in BITS and dtype not in _WEAK


def is_small_integer(dtype: str) -> bool:
    """Whether it is an integer dtype of fewer than 64 bits."""
    return kind(dtype) in ("i", "u") and BITS.get(dtype, 64) < 64


def join(a: str, b: str) -> str:
    """What is known of the dtype of a value that has one of two dtypes."""
    if a == b:
        return a
    if a in PYTHON and b in PYTHON:
        return promote(a, b)
    if PYTHON.get(a) == b or PYTHON.get(b) == a:
        return strong(a)
    return ""


def promote(*dtypes: str) -> str:
    """The dtype in which NumPy computes: "float64" for "int32" and "float32"; a Python scalar where all are; "" where it is
    not known."""
    return _promoted(dtypes, _float_of)


def promote_jax(*dtypes: str) -> str:
    """As `promote`, for JAX with jax_enable_x64: "float32" for "int32" and "float32"."""
    return _promoted(dtypes, _narrowest_float)


def is_wider_in_numpy(a: str, b: str) -> bool:
    """Whether NumPy promotes two dtypes to float64 or complex128 and JAX to less: 32-bit or 64-bit integers with narrow
    floats."""
    return (made := promote(a, b)) in WIDEST and made != promote_jax(a, b)


def absorbs(target: str, value: str) -> bool:
    """Whether `x op= v` certainly preserves the dtype of `x` under JAX promotion, so that no cast is needed."""
    if not target or not value:
        return False
    if target in PYTHON and value in PYTHON:
        return True
    if value in PYTHON:
        return category(target) >= category(value)
    return promote(target, value) == target


def keeps(target: str, value: str, operator: object) -> bool:
    """Whether `x op v` certainly has the dtype of `x` in JAX, as `x op= v` has in NumPy. `operator` is an operator of LibCST."""
    if type(operator).__name__ == "DivideAssign" and category(target) < 2:
        return False
    if type(operator).__name__ == "PowerAssign" and category(target) < 2 and value != "int":
        return False
    return absorbs(target, value)


def are_compatible(a: str, b: str) -> bool:
    """Whether one array can hold either value unchanged, as far as known: both have one dtype, or one is a scalar that fits
    the other."""
    if not a or not b or strong(a) == strong(b):
        return True
    if 0 in (category(a), category(b)):
        return False
    return (is_weak(a) and absorbs(b, a)) or (is_weak(b) and absorbs(a, b))


def select_same(a: str, b: str) -> bool:
    """Whether `where` has the dtype of either value it selects: not if only one dtype is known and the other may be anything."""
    known = {dtype for dtype in (a, b) if dtype}
    return len(known) != 1 or "" not in (a, b) or known <= {"int", "float"}


def inexact(dtype: str) -> str:
    """The dtype of the result of `np.sqrt`: the narrowest float that holds a bool or an integer."""
    if category(dtype) in (0, 1):
        return "float" if dtype in PYTHON else _float_of(dtype)
    return dtype


def to_inexact(one: str, other: str) -> str:
    """The promotion of two float or complex dtypes."""
    parts = [BITS[dtype] // (2 if kind(dtype) == "c" else 1) for dtype in (one, other)]
    if "c" in (kind(one), kind(other)):
        return "complex64" if max(parts) <= 32 else "complex128"
    return f"float{max(parts)}"


def bounds(dtype: str) -> tuple[int, int]:
    """The minimum and the maximum of an integer dtype."""
    bits = BITS[dtype]
    return (0, 2**bits - 1) if kind(dtype) == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def holds(dtype: str, value: int) -> bool:
    low, high = bounds(dtype)
    return low <= value <= high


_WEAK = {dtype: scalar for scalar, dtype in PYTHON.items()}
_CATEGORIES = {name: _KINDS.index(name[0].replace("u", "i")) for name in (*BITS, *PYTHON)}


def _float_of(dtype: str) -> str:
    """The narrowest float dtype that holds all values of a bool or integer dtype, as far as there is one."""
    return {1: "float16", 8: "float16", 16: "float32"}.get(BITS[dtype], "float64")


def _narrowest_float(_dtype: str) -> str:
    return "float16"


@lru_cache(maxsize=4096)
def _promoted(dtypes: tuple[str, ...], float_of: Callable[[str], str]) -> str:
    """The promoted dtype. Scalars come last: they adopt the dtype to which the arrays are promoted."""
    if len({*dtypes}) == 1:
        return dtypes[0]
    if not dtypes or not all(map(kind, dtypes)):
        return ""
    arrays = sorted((dtype for dtype in dtypes if dtype in BITS), key=category, reverse=True)
    scalars = max((dtype for dtype in dtypes if dtype in PYTHON), key=category, default="bool")
    if not arrays:
        return scalars
    array = reduce(lambda one, other: _of_arrays(one, other, float_of), arrays)
    return _with_scalar(array, scalars)


def _of_arrays(one: str, other: str, float_of: Callable[[str], str]) -> str:
    low, high = sorted((one, other), key=category)
    if low == high or kind(low) == "b":
        return high
    if category(high) == 1:
        return _integers(low, high)
    return to_inexact(float_of(low) if category(low) == 1 else low, high)


def _integers(one: str, other: str) -> str:
    """The integer dtype that holds the values of both; "float64" for uint64 and a signed one."""
    if kind(one) == kind(other):
        return max(one, other, key=BITS.__getitem__)
    signed, unsigned = (one, other) if kind(one) == "i" else (other, one)
    bits = max(BITS[signed], 2 * BITS[unsigned])
    return "float64" if bits > 64 else f"int{bits}"


def _with_scalar(dtype: str, scalar: str) -> str:
    if category(scalar) <= category(dtype):
        return dtype
    return to_inexact("complex64", dtype) if scalar == "complex" and kind(dtype) == "f" else PYTHON[scalar]
