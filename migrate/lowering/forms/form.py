"""What a form may ask about the function that a statement stands in; and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.facts.values import UNKNOWN, Value
from ....rules.syntax import builders
from ...syntax.liveness import Liveness
from ...syntax.names import collect
from ...syntax.scopes import Scopes
from ...syntax.source import Source


class DesugaredStatement(NamedTuple):
    """What stands in the place of a statement: `edits` of it and of nodes in it; `what` names the form for the report."""

    what: str
    edits: Mapping[cst.CSTNode, Edit]


@dataclass(slots=True)
class Body:
    """The body of one function. `ranks`: of the variables that hold numbers and arrays, -1 where that is not known in all places;
    `values`: what is known of the nodes of the file as it is written; `taken`: all names of the unit."""

    source: Source
    scopes: Scopes
    owner: cst.FunctionDef
    live: Liveness
    ranks: Mapping[str, int]
    values: Mapping[cst.CSTNode, Value]
    taken: set[str]
    captured: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        found = collect((self.owner.body,))
        own = self.scopes.opened_by(self.owner)
        self.captured = frozenset(
            {*found.captured, *found.declared, *own.nonlocals, *own.globals, *(self.taken if found.dynamic else ())}
        )

    def calls(self, node: cst.CSTNode | None) -> str:
        """The dotted name of what a call calls, "" where it is not known."""
        return self.scopes.qualname(node.func) or "" if isinstance(node, cst.Call) else ""

    def with_tuple(self, node: cst.CSTNode) -> tuple[cst.CSTNode, cst.CSTNode | None]:
        """A node, or the outermost tuple or list of which it is an element, and what that stands in."""
        above = self.source.parents[node]
        while isinstance(above, (cst.Element, cst.StarredElement, cst.Tuple, cst.List)):
            node, above = above, self.source.parents[above]
        return node, above

    def rank(self, node: cst.Name) -> int:
        """The number of dimensions of a variable where it stands, -1 where that is not known."""
        return max(self.values.get(node, UNKNOWN).rank, self.ranks.get(node.value, -1))

    def fresh(self, *stems: str) -> str:
        """A name that the unit does not use yet: the first of some, if that can be."""
        number, name = 1, next((s for s in stems if s not in self.taken), stems[0])
        while name in self.taken:
            number += 1
            name = f"{stems[0]}_{number}"
        self.taken.add(name)
        return name

    def before(self, statement: cst.CSTNode) -> list[cst.CSTNode]:
        """The statements ahead of one in its block, the nearest first."""
        block = self.source.parents[statement]
        lines: list[cst.CSTNode] = list(block.body) if isinstance(block, cst.IndentedBlock) else []
        return lines[: next((k for k, line in enumerate(lines) if line is statement), 0)][::-1]

    def loop_after(self, statement: cst.CSTNode, name: str) -> cst.For | cst.While | None:
        """The loop without an `else` in the same block that is the first to mention a variable after a statement."""
        block = self.source.parents[statement]
        lines: list[cst.CSTNode] = list(block.body) if isinstance(block, cst.IndentedBlock) else []
        for line in lines[next((k for k, line in enumerate(lines) if line is statement), len(lines)) + 1 :]:
            if any(n.value == name for n in self.source.among(line, cst.Name)):
                return line if isinstance(line, (cst.For, cst.While)) and line.orelse is None else None
        return None


def flagged(node: cst.Break | cst.Return, flag: str) -> Mapping[cst.CSTNode, Edit]:
    """`flag = True` ahead of a `break`, which also takes the place of a `return`."""

    def edit(made: cst.CSTNode) -> cst.FlattenSentinel[cst.BaseSmallStatement]:
        end = made if isinstance(made, cst.Break) else cst.Break()
        return cst.FlattenSentinel([builders.assigned((flag,), cst.Name("True")).body[0], end])

    return {node: edit}


def with_comments(lines: Sequence[cst.BaseStatement], of: cst.BaseStatement) -> cst.FlattenSentinel[cst.BaseStatement]:
    """Statements with the comments above the statement whose place they take."""
    above = getattr(of, "leading_lines", ())
    first = lines[0].with_changes(leading_lines=above)
    return cst.FlattenSentinel([first, *lines[1:]])
