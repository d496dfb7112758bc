"""Which NumPy parameter each argument of a call is for."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..numpy_table.entry import Entry


def bind(call: cst.Call, entry: Entry) -> Iterator[tuple[int, str]]:
    """The NumPy parameter for each argument; "" where that is not known, "*xs" for each argument of a variadic parameter."""
    star = next((i for i, p in enumerate(entry.params) if p.startswith("*") and not p.startswith("**")), None)
    unsure = False
    for position, argument in enumerate(call.args):
        if argument.star:
            unsure = True
            yield position, ""
        elif argument.keyword is not None:
            yield position, argument.keyword.value
        elif unsure:
            yield position, ""
        elif star is not None and position >= star:
            yield position, entry.params[star]
        else:
            yield position, entry.params[position] if position < len(entry.params) else ""
