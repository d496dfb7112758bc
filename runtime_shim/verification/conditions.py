"""Differences that a condition of the conversion explains: what the function assumes of the dtypes that it gets."""

from __future__ import annotations

from collections.abc import Iterator

from ..values.calls import Arguments
from ..values.comparison import Difference
from ..values.contract import Contract
from ..values.snapshot import Array, walk

# The kinds of conditions that may explain another dtype of a result, and other values. The first ones do so whatever they say.
ALWAYS = ("number", "call")
OF_DTYPES, OF_VALUES = (*ALWAYS, "dtype"), ("call", "dtype", "operand", "function")
WORDS = {"b": ("bool",), "i": ("int64", "integers"), "f": ("float32", "floats of fewer"), "c": ("complex",)}


def explains(contract: Contract, analysed: bool, difference: Difference | None, call: Arguments) -> bool:
    """Whether a condition explains a difference for arrays of a dtype that the function is not known to take.

    `analysed`: the conditions are known. Where they are not, another dtype of the result is explained.
    """
    if difference is None:
        return False
    in_dtype = difference.sort == "dtype"
    if in_dtype and not analysed:
        return True
    kinds, words = OF_DTYPES if in_dtype else OF_VALUES, set(_words(call))
    return any(kind in kinds and (kind in ALWAYS or any(word in said for word in words)) for kind, said in contract.conditions)


def _words(call: Arguments) -> Iterator[str]:
    """How conditions speak of the unusual dtypes among the arrays of a call."""
    for part in walk(call.node):
        if isinstance(part, Array) and part.data.dtype != float:
            yield from WORDS.get(part.data.dtype.kind, ())
