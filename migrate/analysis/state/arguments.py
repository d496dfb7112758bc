"""The arguments of a call, and their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from ....rules.facts.values import NOTHING, Value


class Arguments(NamedTuple):
    """The arguments of a call by position and by keyword; `starred` where there is `*` or `**`."""

    positional: tuple[tuple[cst.BaseExpression, Value], ...]
    keywords: Mapping[str, tuple[cst.BaseExpression, Value]]
    starred: bool

    def values(self) -> list[Value]:
        return [v for _n, v in self.positional] + [v for _n, v in self.keywords.values()]

    def get(self, params: Sequence[str], name: str) -> tuple[cst.BaseExpression, Value] | None:
        """The argument for the parameter `name` of a function with these parameters."""
        if name in self.keywords:
            return self.keywords[name]
        if name in params:
            position = list(params).index(name)
            if position < len(self.positional):
                return self.positional[position]
        return None


def dependencies(arguments: Arguments) -> frozenset[str]:
    return NOTHING.union(*(v.deps for v in arguments.values()))


def any_traced(arguments: Arguments) -> bool:
    return any(v.traced for v in arguments.values())
