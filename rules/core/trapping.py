"""The functions of NumPy, and of `math`, that are undefined for some values, or have an infinite derivative or value there.

Where such a function is computed speculatively (in a branch arm that is not selected, for elements outside of a mask), its result
is not used, but its derivative is: multiplied by a zero cotangent, infinity is NaN.
https://docs.jax.dev/en/latest/faq.html, "Gradients contain NaN where using where".
"""

from __future__ import annotations

from collections.abc import Mapping

SAFE_OPERANDS: Mapping[str, tuple[int, str] | None] = {
    # function -> the position of the operand that decides, and a value of it for which value and derivative are finite
    **dict.fromkeys("sqrt cbrt log log2 log10 reciprocal".split(), (0, "1")),
    **dict.fromkeys("log1p arcsin asin arccos acos arctanh atanh exp exp2 expm1 sinh cosh tan".split(), (0, "0")),
    **dict.fromkeys("arccosh acosh".split(), (0, "2")),
    **dict.fromkeys("power pow float_power linalg.norm".split(), (0, "1")),
    **dict.fromkeys("divide true_divide floor_divide remainder mod fmod arctan2 atan2 hypot".split(), (1, "1")),
    **dict.fromkeys("divmod logaddexp logaddexp2".split()),  # it takes both operands, or there are two results
}
