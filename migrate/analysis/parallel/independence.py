"""Independence of iterations: none reads or writes what another one writes."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.parallel_loops import Store
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import loop_ranges
from ...syntax.source import walk
from ..symbolic.affine import Affine
from ..symbolic.dependence import Part, Relation, Section, disjoint, injective, relation
from ..symbolic.inequalities import nonnegative
from .loop_nest import flat, integer, is_size
from .stores import Stores


class Independence(Stores):
    """Compares what an iteration stores with what it reads and stores elsewhere."""

    def _independent(self, store: Store, statements: list[cst.CSTNode], stores: Sequence[Store]) -> bool:
        """Whether no iteration writes or reads what another one writes, except for reads of values from before the loop."""
        if store.masks:
            return self._regions(store)
        place = self.subscript(store.target.node)
        facts = self.evolution.facts(store.target.node)
        others = {target for other in stores for target in other.targets}
        if not injective(place, [index for k, index in enumerate(self.order) if k not in store.summed], facts):
            return False
        for node, parent in walk(self.body):
            if not (isinstance(node, cst.Name) and node.value == store.target.array) or parent in store.targets:
                continue
            if is_size(node, parent):
                continue
            if not isinstance(parent, cst.Subscript) or parent.value is not node:
                return False
            if parent is store.own:
                continue
            found = relation(place, self.subscript(parent), self.order, self.evolution.facts(parent))
            if found is not Relation.NEVER and (store.summed or parent in others):
                return False
            if found is Relation.MAYBE or (found is Relation.SAME and not self._before(parent, store, statements)):
                return False
        return True

    def _regions(self, store: Store) -> bool:
        """Whether no two iterations write to the same element of a row or a column, and no iteration reads the array."""
        array, targets = store.target.array, [access.node for access, _mask in store.masks]
        for node, parent in walk(self.body):
            own = isinstance(parent, cst.Subscript) and parent in targets and parent.value is node
            if isinstance(node, cst.Name) and node.value == array and not own:
                return False
        evolution = [self.subscript(target) for target in targets]
        facts = self.evolution.facts(store.node)
        for part in (part for place in evolution for part in place):
            ends = [part.low, part.high] if isinstance(part, Section) else [part]
            if part is None or not all(end is None or nonnegative(end, facts) for end in ends):
                return False
        return all(disjoint(one, other, self.order[0], facts) for one in evolution for other in evolution)

    def subscript(self, node: cst.Subscript) -> list[Part]:
        parts: list[Part] = []
        for part in flat(node):
            if isinstance(part.slice, cst.Slice):
                step = part.slice.step
                if step is not None and loop_ranges.integer(step) != 1:
                    parts.append(None)
                    continue
                low, high = part.slice.lower, part.slice.upper
                parts.append(
                    Section(
                        Affine() if low is None else self.evolution.form(low), None if high is None else self.evolution.form(high)
                    )
                )
            elif (index := integer(part)) is None:
                return [*parts, *[None] * 8]
            else:
                number = self.run.values.get(index, UNKNOWN).kind is Kind.SCALAR
                parts.append(self.evolution.form(index) if number else None)
        return parts

    def _before(self, read: cst.CSTNode, store: Store, statements: list[cst.CSTNode]) -> bool:
        """Whether an iteration reads something before it stores."""
        for statement in statements:
            if any(n is read for n, _p in walk(statement)):
                return True
            if statement is store.whole:
                return False
        return False

    def changes_nothing_else(self, known: set[cst.CSTNode]) -> bool:
        """Whether all other updates in place of an iteration are of private variables; and no other variable shares memory with
        what it stores.
        """
        written = {m for s in known for u in self.run.effects.updates.get(s, ()) for m in u.value.memory}
        own = {*self.loop.carry, *(self.inner.carry if self.inner is not None else ())}
        for node, _parent in walk(self.body):
            for update in self.run.effects.updates.get(node, ()):
                if node not in known and (update.access_path not in self.private or update.refresh):
                    return False
            if isinstance(node, cst.Name) and node.value not in own:
                if written & self.run.values.get(node, UNKNOWN).memory:
                    return False
        return True
