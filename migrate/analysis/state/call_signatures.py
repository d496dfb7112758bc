"""How a function value is called: the number of arguments, and the keywords."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from ....rules.facts.values import NOTHING


class CallShape(NamedTuple):
    """The arguments of a call, which a function's parameters must fit. `open`: there are `*` or `**` arguments."""

    positional: int = 0
    keywords: frozenset[str] = NOTHING
    open: bool = False


def shape_of(call: cst.Call) -> CallShape:
    keywords = frozenset(a.keyword.value for a in call.args if a.keyword is not None)
    return CallShape(len(call.args) - len(keywords), keywords, any(a.star for a in call.args))
