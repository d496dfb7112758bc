"""The number of dimensions of what a function of NumPy returns, as its row in the table says."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.ranks import rank_of
from ....rules.facts.values import Value
from ....rules.numpy_table.entry import Entry
from ..state.arguments import Arguments


def result_rank(entry: Entry, arguments: Arguments, first: Value, rule: str, method: bool) -> int:
    """The rank, -1 where it is not known. `first`: the object of a `method`, or else the first argument; `rule`: see `Entry.rank`."""
    axis = arguments.get(entry.params, "axis")
    flat = axis is None or axis[1].kind is Kind.NONE
    own = rank_of(first)
    operands = [found[1] for name in entry.arrays if (found := arguments.get(entry.params, name)) is not None]
    ranks = [rank_of(value) for value in ([first, *operands] if method else operands or [first])]
    rule, _colon, number = rule.partition(":")
    match rule:
        case "same":
            return first.rank
        case "broadcast":
            return _largest([v.rank for _n, v in arguments.positional[: entry.ufunc or None]])
        case "args":
            return -1 if arguments.starred else len(arguments.positional)
        case "shape":
            return _of_shape(arguments.get(entry.params, "shape"))
        case "reduce":
            return _reduced(own, "None" if axis is None and not number else _axis(axis), arguments.get(entry.params, "keepdims"))
        case "flat" if flat:
            return 1
        case "along" if axis is not None and flat:
            return 1
        case "flat" | "along":
            return own if (axis is not None and axis[1].kind is Kind.SCALAR) or axis is None else -1
        case "plus":
            return _deeper(_largest(ranks), int(number), axis)
        case "minus":
            return own - int(number) if own >= int(number) else -1
        case "atleast":
            return max(own, int(number)) if own >= 0 and len(arguments.positional) < 2 else -1
        case "matmul" | "dot" | "inner":
            return _product(rule, ranks)
        case "sequence" if axis is not None and flat:
            return 1
        case "sequence":
            return _deeper(_of_sequences(entry, arguments, "axis" in entry.params), int(number or 0), None)
        case "joined":
            joined = _of_sequences(entry, arguments, True)
            return max(joined, int(number)) if joined >= 0 else -1
        case "einsum":
            return _of_einsum(arguments.positional[0][0]) if arguments.positional else -1
        case exact if exact.isdigit():
            return int(exact)
    if entry.params[:1] == ("object",) and arguments.positional:  # np.array of nested displays
        return rank_of(arguments.positional[0][1])
    return -1


def _largest(ranks: Sequence[int]) -> int:
    return max(ranks, default=-1) if all(rank >= 0 for rank in ranks) else -1


def _of_shape(shape: tuple[cst.BaseExpression, Value] | None) -> int:
    if shape is None:
        return -1
    if shape[1].elements is not None:
        return len(shape[1].elements)
    return 1 if shape[1].kind is Kind.SCALAR else -1


def _axis(axis: tuple[cst.BaseExpression, Value] | None) -> str:
    """What an argument for `axis` is: "None", the number of axes, or "" where that is not known; 1 for the default of a ufunc."""
    if axis is None:
        return "1"
    if axis[1].kind is Kind.NONE:
        return "None"
    if axis[1].kind is Kind.TUPLE and axis[1].elements is not None:
        return str(len(axis[1].elements))
    return "1" if axis[1].kind is Kind.SCALAR else ""


def _reduced(rank: int, axes: str, keep: tuple[cst.BaseExpression, Value] | None) -> int:
    """The rank after a reduction over some axes."""
    match None if keep is None else keep[0]:
        case None | cst.Name(value="False"):
            pass
        case cst.Name(value="True"):
            return rank
        case _:
            return -1
    if axes == "None":
        return 0
    return rank - int(axes) if axes and rank >= int(axes) else -1


def _deeper(rank: int, more: int, axis: tuple[cst.BaseExpression, Value] | None) -> int:
    """The rank with further axes. `axis`: where they are inserted; a tuple for several."""
    if axis is not None and axis[1].kind is Kind.TUPLE:
        more = len(axis[1].elements) if axis[1].elements is not None else -1
    elif axis is not None and axis[1].kind is not Kind.SCALAR:
        more = -1
    return rank + more if rank >= 0 <= more else -1


def _product(function: str, ranks: Sequence[int]) -> int:
    """The rank of a product of two arrays."""
    if len(ranks) != 2 or min(ranks) < 0 or (function == "matmul" and min(ranks) == 0):
        return -1
    one, other = ranks
    if min(ranks) == 0:
        return max(ranks)
    if function == "matmul" and min(ranks) >= 2:
        return max(ranks)
    return one - 1 if other == 1 else one + other - 2 if function != "matmul" else other - 1


def _of_sequences(entry: Entry, arguments: Arguments, alike: bool) -> int:
    """The largest rank of the arrays in the sequences that are joined, or broadcast together. `alike`: they must have one rank, so that any
    of them tells it."""
    found = [arguments.get(entry.params, name) for name in entry.sequences]
    parts = [each[1].elements for each in found if each is not None]
    if not parts or any(elements is None for elements in parts):
        return -1
    ranks = [rank_of(value) for elements in parts for value in elements or ()]
    return max(ranks, default=-1) if alike else _largest(ranks)


def _of_einsum(subscripts: cst.BaseExpression) -> int:
    """The number of indices of the result: those behind the arrow, or else those that occur once."""
    text = subscripts.evaluated_value if isinstance(subscripts, cst.SimpleString) else None
    if not isinstance(text, str) or "..." in text:
        return -1
    given, arrow, result = text.replace(" ", "").partition("->")
    letters = given.replace(",", "")
    return len(result) if arrow else sum(letters.count(letter) == 1 for letter in letters)
