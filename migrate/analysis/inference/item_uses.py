"""How the code uses the items of one parameter, and small helpers for the syntax that encloses them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from ....rules.syntax import builders
from ....rules.syntax.source_text import verbatim

Parents = Mapping[cst.CSTNode, cst.CSTNode | None]


@dataclass(slots=True)
class ItemUses:
    """How the code uses the items of one parameter."""

    numeric: bool = False  # one is subtracted, divided or compared with a number: a number or an array
    tested: bool = False  # a branch depends on an order comparison of one: not an array of several elements
    number: bool = False  # one is certainly a number
    alike: bool = False  # all are summed: they have the same shape
    together: dict[cst.CSTNode, set[str]] = field(default_factory=dict)  # expression -> the items that it combines
    indices: set[str] = field(default_factory=set)  # the indices of its items
    asked: set[str] = field(default_factory=set)  # the indices of those that are tested for truth

    @property
    def of_numbers(self) -> bool:
        """Whether its items are numbers, not arrays."""
        return self.number or (self.numeric and self.tested)

    @property
    def uniform(self) -> bool:
        """Whether its items have the same shape."""
        meet = self.numeric and any(len(items) > 1 for items in self.together.values())
        return self.of_numbers or self.alike or meet


def read_first(node: cst.CSTNode) -> cst.CSTNode:
    """The part of a statement that is evaluated before its targets are bound."""
    return node.value if isinstance(node, (cst.Assign, cst.AugAssign)) else node


def tests_of(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The tests of an `if` and of its `elif` branches."""
    while isinstance(node, cst.If):
        yield node.test
        node = node.orelse or cst.Pass()


def indices_of(node: cst.Subscript) -> str:
    return ", ".join(verbatim(part.slice) for part in builders.flat(node.slice))


def only_name(names: list[str]) -> str:
    return names[0] if len({*names}) == 1 else ""


def root_of(node: cst.CSTNode, parents: Parents) -> cst.CSTNode:
    """The outermost arithmetic expression that encloses a node."""
    while isinstance(above := parents.get(node), (cst.BinaryOperation, cst.UnaryOperation)):
        node = above
    return node
