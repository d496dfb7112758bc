"""Where a unit seeds NumPy's global random state, and what draws from it afterwards, by the order of the statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import libcst as cst

from ..state.node_facts import GLOBAL_STATE
from .key_plan import statements_of

Binds = Mapping[cst.CSTNode, frozenset[str]]


@dataclass(slots=True)
class Seeding:
    """The statements of one unit that seed NumPy's state.

    `sure`: for each block, the positions of the statements directly in it that seed the state on every path.
    """

    unit: cst.FunctionDef | cst.Module
    parents: Mapping[cst.CSTNode, cst.CSTNode | None]
    seeds: frozenset[cst.CSTNode] = frozenset()
    sure: dict[cst.CSTNode, list[int]] = field(default_factory=dict)
    order: dict[cst.CSTNode, int] = field(default_factory=dict)
    first: int = -1  # the position of the first top-level statement of the unit that may seed it
    top: dict[cst.CSTNode, int] = field(default_factory=dict)  # the positions of the top-level statements

    def before(self, node: cst.CSTNode) -> bool:
        """Whether the state was certainly seeded before a node is evaluated: by a statement in a block that contains the node."""
        at: cst.CSTNode | None = node
        while at is not None and at is not self.unit:
            block = self.parents.get(at)
            if block in self.sure and at in self.order and self.sure[block][0] < self.order[at]:
                return True
            at = block
        return False

    def last(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The last statement that certainly seeded the state before a node is evaluated."""
        at: cst.CSTNode | None = node
        while at is not None and at is not self.unit:
            block = self.parents.get(at)
            if block in self.sure and at in self.order:
                earlier = [place for place in self.sure[block] if place < self.order[at]]
                if earlier:
                    return block.body[earlier[-1]]  # type: ignore[attr-defined,no-any-return]
            at = block
        return None

    def maybe_before(self, node: cst.CSTNode) -> bool:
        """Whether a top-level statement of the unit that precedes or contains a node may seed the state."""
        return bool(self.seeds) and self.position(node) >= self.first

    def at_end(self) -> bool:
        """Whether a top-level statement of the unit certainly seeds the state before the end."""
        body = self.unit if isinstance(self.unit, cst.Module) else self.unit.body
        return body in self.sure

    def position(self, node: cst.CSTNode) -> int:
        """The position of the top-level statement of the unit that contains a node; -1 for none."""
        at: cst.CSTNode | None = node
        while at is not None and at not in self.top:
            at = self.parents.get(at)
        return -1 if at is None else self.top[at]


def seeding(unit: cst.FunctionDef | cst.Module, parents: Mapping[cst.CSTNode, cst.CSTNode | None], binds: Binds) -> Seeding:
    """The seeding of NumPy's state in a unit. `binds`: statement -> streams that it rebinds."""
    seeds = frozenset(s for s, streams in binds.items() if GLOBAL_STATE in streams)
    found = Seeding(unit, parents, seeds)
    if not seeds:
        return found
    body = unit.body if isinstance(unit, cst.Module) else statements_of(unit.body) or ()
    found.top = {s: i for i, s in enumerate(body)}
    found.first = min(map(found.position, seeds))
    blocks: dict[cst.CSTNode, set[cst.CSTNode]] = defaultdict(set)
    for statement in seeds:
        block = parents.get(statement)
        if isinstance(statement, cst.SimpleStatementLine) and isinstance(block, (cst.IndentedBlock, cst.Module)):
            blocks[block].add(statement)
    for block, own in blocks.items():
        places = {s: i for i, s in enumerate(block.body)}  # type: ignore[attr-defined]
        found.order |= places
        found.sure[block] = sorted(places[s] for s in own)
    return found
