"""The functions of Python's `math` that `jax.numpy` has, too."""

from __future__ import annotations

from . import function

NAMES = {
    "atan": "arctan", "atan2": "arctan2", "asin": "arcsin", "acos": "arccos", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "fabs": "abs", "pow": "float_power",
}  # fmt: skip
SAME = frozenset("sqrt exp expm1 log log10 log2 log1p sin cos tan sinh cosh tanh hypot degrees radians copysign fmod".split())
UNDEFINED = frozenset("sqrt log log10 log2 log1p asin acos acosh atanh fmod pow".split())  # raise where JAX gives NaN or infinity


def jax_name(dotted: str, count: int) -> str:
    """The name in `jax.numpy` of a function such as `math.exp`, called with `count` arguments; "" if there is none."""
    short = dotted.removeprefix("math.")
    name = NAMES.get(short, short if short in SAME else "")
    entry = function(f"numpy.{name}") if name and dotted != short else None
    return name if entry is not None and entry.ufunc == count else ""
