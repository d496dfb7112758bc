"""What a form may ask about the function of a statement, and what it returns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.facts.values import UNKNOWN, Value
from ....rules.syntax import builders
from ...analysis.state.project_facts import Facts
from ...syntax.liveness import Liveness
from ...syntax.names import collect
from ...syntax.scopes import Scopes
from ...syntax.source import Source

TRANSPARENT = (
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.Comparison,
    cst.ComparisonTarget,
    cst.Call,
    cst.Arg,
    cst.Tuple,
    cst.List,
    cst.Element,
    cst.Subscript,
    cst.SubscriptElement,
    cst.Index,
    cst.Attribute,
)  # their parts are all evaluated, in the order of the source


class DesugaredStatement(NamedTuple):
    """The replacement of a statement: `edits` of it and of nodes in it; `what` names the form in the report.

    `exits`: what leaves the function from within the loop, if that is what changes, the list that a loop fills instead of a
    comprehension, or the positions over which it iterates; `flags`: the variables that replace it, that the loop fills, or that it tests. It
    stays as it was if no loop of them moves.
    `apart`: what prevents jit stays outside of the inner loops.
    """

    what: str
    edits: Mapping[cst.CSTNode, Edit]
    exits: str = ""
    flags: tuple[str, ...] = ()
    apart: bool = False


@dataclass(slots=True)
class Body:
    """The body of one function. `ranks`: the ranks of the variables that hold scalars and arrays, -1 if not known everywhere;
    `values`: the values of the nodes that come from the original file; `impure`: those that prevent jit however they are written; `taken`:
    all names of the unit; `kept`: loops whose exits stay, and comprehensions that stay, named by these; `host`: only loops move out
    of the function, which stays NumPy; `facts`: what is known of the project, where a form needs it."""

    source: Source
    scopes: Scopes
    owner: cst.FunctionDef
    live: Liveness
    ranks: Mapping[str, int]
    values: Mapping[cst.CSTNode, Value]
    taken: set[str]
    impure: Collection[cst.CSTNode] = ()
    kept: Collection[str] = ()
    host: bool = False
    facts: Facts | None = None
    captured: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        found = collect((self.owner.body,))
        own = self.scopes.opened_by(self.owner)
        self.captured = frozenset(
            {*found.captured, *found.declared, *own.nonlocals, *own.globals, *(self.taken if found.dynamic else ())}
        )

    def calls(self, node: cst.CSTNode | None) -> str:
        """The dotted name of the callee of a call; "" if it is unknown."""
        return self.scopes.qualname(node.func) or "" if isinstance(node, cst.Call) else ""

    def converts(self, node: cst.Call, argument: cst.Arg) -> bool:
        """Whether a function of the project makes an array of this argument, and of a list likewise, wherever it uses it."""
        known = None if self.facts is None else self.facts.functions.get(self.facts.canonical(self.calls(node)))
        position = node.args.index(argument)
        positional = known is not None and not known.receiver and not any(a.star or a.keyword for a in node.args[: position + 1])
        return known is not None and positional and position < len(known.params) and known.params[position] in known.converts

    def with_tuple(self, node: cst.CSTNode) -> tuple[cst.CSTNode, cst.CSTNode | None]:
        """The node, or the outermost tuple or list that it is an element of, and the parent of that."""
        above = self.source.parents[node]
        while isinstance(above, (cst.Element, cst.StarredElement, cst.Tuple, cst.List)):
            node, above = above, self.source.parents[above]
        return node, above

    def rank(self, node: cst.Name) -> int:
        """The rank of a variable at this mention; -1 if it is unknown."""
        return max(self.values.get(node, UNKNOWN).rank, self.ranks.get(node.value, -1))

    def fresh(self, *stems: str) -> str:
        """A name that the unit does not use yet, one of `stems` if possible."""
        number, name = 1, next((s for s in stems if s not in self.taken), stems[0])
        while name in self.taken:
            number += 1
            name = f"{stems[0]}_{number}"
        self.taken.add(name)
        return name

    def before(self, statement: cst.CSTNode) -> list[cst.CSTNode]:
        """The statements before this one in its block, the nearest first."""
        block = self.source.parents[statement]
        lines: list[cst.CSTNode] = list(block.body) if isinstance(block, cst.IndentedBlock) else []
        return lines[: next((k for k, line in enumerate(lines) if line is statement), 0)][::-1]

    def loop_after(self, statement: cst.CSTNode, name: str) -> cst.For | cst.While | None:
        """The loop in the same block that mentions the variable first after the statement. None if that is no loop, or one with
        an `else`."""
        block = self.source.parents[statement]
        lines: list[cst.CSTNode] = list(block.body) if isinstance(block, cst.IndentedBlock) else []
        for line in lines[next((k for k, line in enumerate(lines) if line is statement), len(lines)) + 1 :]:
            if any(n.value == name for n in self.source.among(line, cst.Name)):
                return line if isinstance(line, (cst.For, cst.While)) and line.orelse is None else None
        return None


def flagged(node: cst.Break | cst.Return | cst.Raise, flag: str) -> Mapping[cst.CSTNode, Edit]:
    """Insert `flag = True` before a `break`; a `return` or a `raise` is replaced by both."""

    def edit(made: cst.CSTNode) -> cst.FlattenSentinel[cst.BaseSmallStatement]:
        end = made if isinstance(made, cst.Break) else cst.Break()
        return cst.FlattenSentinel([builders.assigned((flag,), cst.Name("True")).body[0], end])

    return {node: edit}


def with_comments(lines: Sequence[cst.BaseStatement], of: cst.BaseStatement) -> cst.FlattenSentinel[cst.BaseStatement]:
    """The statements, with the comments that stood above the statement they replace."""
    above = getattr(of, "leading_lines", ())
    first = lines[0].with_changes(leading_lines=above)
    return cst.FlattenSentinel([first, *lines[1:]])
