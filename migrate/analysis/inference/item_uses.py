"""What is seen of the items of one parameter, and small questions about the syntax around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from ....rules.syntax import builders

Parents = Mapping[cst.CSTNode, cst.CSTNode | None]


@dataclass(slots=True)
class ItemUses:
    """What was seen of the items of one parameter."""

    numeric: bool = False  # one is subtracted, divided, compared with a number: a number or an array
    tested: bool = False  # the order of one and something decides what is done: it is no array of several numbers
    number: bool = False  # one certainly is a number
    alike: bool = False  # all are added up: they have one shape
    together: dict[cst.CSTNode, set[str]] = field(default_factory=dict)  # expressions, and the items that meet there
    indices: set[str] = field(default_factory=set)  # of its items
    asked: set[str] = field(default_factory=set)  # indices of those whose truth decides what is done

    @property
    def of_numbers(self) -> bool:
        """Whether its items are numbers, and no arrays."""
        return self.number or (self.numeric and self.tested)

    @property
    def uniform(self) -> bool:
        """Whether its items have one shape."""
        meet = self.numeric and any(len(items) > 1 for items in self.together.values())
        return self.of_numbers or self.alike or meet


def read_first(node: cst.CSTNode) -> cst.CSTNode:
    """What a statement reads first."""
    return node.value if isinstance(node, (cst.Assign, cst.AugAssign)) else node


def tests_of(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The tests of an `if` and of its `elif`."""
    while isinstance(node, cst.If):
        yield node.test
        node = node.orelse or cst.Pass()


def indices_of(node: cst.Subscript) -> str:
    return ", ".join(source_of(part.slice) for part in builders.flat(node.slice))


def only_name(names: list[str]) -> str:
    return names[0] if len({*names}) == 1 else ""


def root_of(node: cst.CSTNode, parents: Parents) -> cst.CSTNode:
    """The largest expression of arithmetic around a node."""
    while isinstance(above := parents.get(node), (cst.BinaryOperation, cst.UnaryOperation)):
        node = above
    return node


def is_number(node: cst.BaseExpression) -> bool:
    return isinstance(node, (cst.Integer, cst.Float)) or (isinstance(node, cst.UnaryOperation) and is_number(node.expression))


def source_of(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)
