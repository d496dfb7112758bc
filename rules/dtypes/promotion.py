"""How dtypes promote in NumPy 2 (NEP 50), and where JAX promotes the same way. Names of Python scalars are weak."""

from __future__ import annotations

PYTHON_DTYPES = {"bool": 0, "int": 1, "float": 2, "complex": 3}
_SIZES = {
    "bool_": (0, 1),
    "uint8": (1, 8),
    "uint16": (1, 16),
    "uint32": (1, 32),
    "uint64": (1, 64),
    "int8": (2, 8),
    "int16": (2, 16),
    "int32": (2, 32),
    "int64": (2, 64),
    "float16": (3, 16),
    "float32": (3, 32),
    "float64": (3, 64),
    "complex64": (4, 64),
    "complex128": (4, 128),
}
_NAMES = {pair: name for name, pair in _SIZES.items()}


WIDE = ("float64", "complex128")  # what NumPy computes of one of them and any number it can put into it, or refuses to


INTEGERS = frozenset({"int32", "int64", "uint32", "uint64"})
NARROW = frozenset({"float16", "float32", "complex64"})


def widen(a: str, b: str) -> bool:
    """Whether one of two dtypes is of integers and the other a narrow float, of which NumPy makes float64 together, and JAX does not."""
    return (a in INTEGERS and b in NARROW) or (b in INTEGERS and a in NARROW)


def is_small(dtype: str) -> bool:
    """A dtype for which JAX promotes otherwise than NumPy: below 64 bits, or unsigned."""
    return dtype in _SIZES and dtype not in ("bool_", "int64", "float64", "complex128", "complex64")


def is_weak(dtype: str) -> bool:
    return dtype in PYTHON_DTYPES


def category(dtype: str) -> int:
    """0 bool, 1 integer, 2 float, 3 complex, -1 unknown."""
    if dtype in PYTHON_DTYPES:
        return PYTHON_DTYPES[dtype]
    if dtype in _SIZES:
        return {0: 0, 1: 1, 2: 1, 3: 2, 4: 3}[_SIZES[dtype][0]]
    return -1


def strong(dtype: str) -> str:
    """The dtype of an array made of Python scalars."""
    return {"bool": "bool_", "int": "int64", "float": "float64", "complex": "complex128"}.get(dtype, dtype)


def promote(a: str, b: str) -> str:
    """NumPy 2's result type of two dtypes (NEP 50), "" where it is not known."""
    if a == b:
        return a
    if a in PYTHON_DTYPES and b in PYTHON_DTYPES:
        return a if PYTHON_DTYPES[a] >= PYTHON_DTYPES[b] else b
    if a in PYTHON_DTYPES:
        return _with_weak(b, a)
    if b in PYTHON_DTYPES:
        return _with_weak(a, b)
    if a not in _SIZES or b not in _SIZES:
        return ""
    (ka, sa), (kb, sb) = _SIZES[a], _SIZES[b]
    if ka == kb:
        return _NAMES[ka, max(sa, sb)]
    if ka > kb:
        (ka, sa), (kb, sb), a, b = (kb, sb), (ka, sa), b, a
    if ka == 0:
        return b
    if kb == 2:  # unsigned with signed
        return "float64" if sa == 64 else _NAMES[2, max(sb, sa * 2)]
    if kb == 3:
        return _NAMES[3, max(sb, {8: 16, 16: 32}.get(sa, 64))]
    if ka == 3:
        return _NAMES[4, max(sb, 64 if sa <= 32 else 128)]
    return _NAMES[4, max(sb, 64 if sa <= 16 else 128)]


def beside_drawn(dtype: str, drawn: str) -> str:
    """What NumPy makes of this dtype and a drawn number, where JAX makes 64 bits; "" where both make the same."""
    made = promote(dtype, of_python(drawn))
    narrow = (
        ("float16", "float32", "complex64")
        if drawn == "float64"
        else ("int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64")
    )
    return made if made in narrow else ""


def of_python(dtype: str) -> str:
    """The type of Python's numbers for a dtype of 64 bits."""
    return {"bool_": "bool", "int64": "int", "float64": "float", "complex128": "complex"}.get(dtype, dtype)


def _with_weak(dtype: str, weak: str) -> str:
    if dtype not in _SIZES:
        return ""
    have, want = category(dtype), PYTHON_DTYPES[weak]
    if have >= want:
        return dtype
    if want == 1:
        return "int64"
    if want == 2:
        return "float64"
    return {"float32": "complex64", "float16": "complex64"}.get(dtype, "complex128")


def absorbs(target: str, value: str) -> bool:
    """Whether `x op= v` certainly leaves x's dtype as it is under JAX's promotion, so that no cast is needed."""
    if not target or not value:
        return False
    if target in PYTHON_DTYPES and value in PYTHON_DTYPES:
        return True
    if value in PYTHON_DTYPES:
        return category(target) >= PYTHON_DTYPES[value]
    return promote(target, value) == target


def inexact(dtype: str) -> str:
    """The dtype of a true division or of np.sqrt."""
    if category(dtype) >= 2 or not dtype:
        return dtype
    if dtype in PYTHON_DTYPES:
        return "float"
    return {"bool_": "float16", "int8": "float16", "uint8": "float16", "int16": "float32", "uint16": "float32"}.get(
        dtype, "float64"
    )


def keeps(target: str, value: str, operator: object) -> bool:
    """Whether `x op v` has x's dtype in JAX for certain, as `x op= v` has in NumPy. `operator` is LibCST's."""
    if type(operator).__name__ == "DivideAssign" and category(target) < 2:
        return False
    if type(operator).__name__ == "PowerAssign" and category(target) < 2 and value != "int":
        return False
    return absorbs(target, value)
