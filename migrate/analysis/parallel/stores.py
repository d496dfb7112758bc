"""Stores of an iteration: the element, the row or the column of an array that each one sets or changes."""

from __future__ import annotations

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.dynamic_slices import Mask
from ....rules.facts.parallel_loops import Access, Store
from ....rules.facts.values import UNKNOWN, Value, replace
from ....rules.syntax.source_text import verbatim
from ....rules.syntax.tree import last_mention
from ...syntax.source import walk
from .loop_nest import flat, is_whole
from .reductions import Reductions


def same_value(first: Store, second: Store) -> Store | None:
    """`a[i, i:] = v` followed by `a[i:, i] = v`, as one store."""
    if not first.masks or not second.masks or first.target.array != second.target.array:
        return None
    if (
        not isinstance(first.value, cst.Name)
        or not first.value.deep_equals(second.value)
        or not isinstance(second.node, cst.Assign)
    ):
        return None
    if _counted_by(first) != _counted_by(second):
        return None
    return replace(first, masks=(*first.masks, *second.masks), again=(*first.again, second.node))


def _counted_by(store: Store) -> tuple[str, ...]:
    """The length and the bounds that all locations of a store have in common."""
    bounds = store.masks[0][1].axes[0][1]
    return (bounds.along, *("" if end is None else verbatim(end) for end in (bounds.lower, bounds.upper)))


class Stores(Reductions):
    """Recognises the statements of an iteration that store into arrays."""

    def store(self, statement: cst.CSTNode) -> Store | None:
        """`array[...] = value`, where the indices of the nest occur in the subscript as they are."""
        operator: cst.BaseAugOp | None = None
        match statement:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript() as target)], value=value):
                pass
            case cst.AugAssign(target=cst.Subscript() as target, operator=operator, value=value):
                pass
            case _:
                return None
        updates = self.run.effects.updates.get(statement, [])
        if len(updates) != 1 or not isinstance(target.value, cst.Name) or target.value.value not in self.loop.carry:
            return None
        update = updates[0]
        plain = update.access_path == target.value.value and len(update.steps) == 1 and not update.problem and not update.refresh
        access = self.access(target) if plain and update.steps[0] is target else None
        if access is None or access.axes is None or not isinstance(statement, (cst.Assign, cst.AugAssign)):
            return None
        summed = tuple(k for k in range(len(self.names)) if k not in access.axes)
        own: cst.BaseExpression | None = None
        unsure = bool(summed) and not self._adds_up(target, value)
        if unsure and self.run.values.get(target.value, UNKNOWN).dtype:
            return None
        if summed:
            match statement:
                case cst.Assign(value=cst.BinaryOperation(left=own, operator=cst.Add(), right=value)) if own.deep_equals(target):
                    operator = cst.AddAssign()
        alone = () if summed else (type(None), cst.MultiplyAssign, *((cst.DivideAssign,) if self._is_float(target) else ()))
        if type(operator) not in (*alone, cst.AddAssign, cst.SubtractAssign):
            return None
        return Store(statement, access, value, operator, summed=summed, own=own if operator is not None else None, unsure=unsure)

    def _masked_store(self, statement: cst.CSTNode) -> Store | None:
        """`a[i, i:] = value`, `a[i, i:] = a[i:, i] = value`: a row, a column, or both, from the index on or up to it."""
        plan = self.ragged(statement)
        if not isinstance(statement, cst.Assign) or plan is None or len(self.nest) > 1 or self.order[0].step != 1:
            return None
        others = (plan.masks, plan.reductions, plan.products, plan.selected, plan.windows, plan.moved)
        updates = self.run.effects.updates.get(statement, [])
        if any(others) or not plan.stores or any(u.problem or u.refresh or len(u.steps) != 1 for u in updates):
            return None
        masks: list[tuple[Access, Mask]] = []
        for target in (t.target for t in statement.targets):
            if not isinstance(target, cst.Subscript) or target not in plan.stores:
                return None
            parts = flat(target)
            access = self.access(
                target, {k: cst.Slice(None, None) for k, p in enumerate(parts) if p.slice in self.run.slices.sliced}
            )
            mask = plan.stores[target]
            if access is None or access.axes is None or sorted(access.axes) != [-2, 0] or len(mask.axes) != 1:
                return None
            masks.append((access, mask))
        first = masks[0][0]
        same = {(a.array, _counted_by(Store(statement, a, statement.value, masks=((a, m),)))) for a, m in masks}
        if len(same) > 1 or first.array not in self.loop.carry or len(updates) != len(masks):
            return None
        if self.run.values.get(first.node.value, UNKNOWN).rank != 2 or any(
            m.axes[0][1].wraps or m.axes[0][1].step is not None for _a, m in masks
        ):
            return None
        bounds = [b for _a, m in masks for b in (m.axes[0][1].lower, m.axes[0][1].upper) if b is not None]
        if any(isinstance(n, cst.Name) and n.value in {*self.private, *self.loop.carry} for b in bounds for n, _p in walk(b)):
            return None
        return Store(statement, first, statement.value, masks=tuple(masks))

    def _is_float(self, target: cst.Subscript) -> bool:
        """Whether an array certainly stores quotients without conversion."""
        return category(self.run.values.get(target.value, UNKNOWN).dtype) >= 2

    def _adds_up(self, target: cst.Subscript, value: cst.BaseExpression) -> bool:
        """Whether an element of an array gets the same value from one sum as from successive additions: integers are truncated
        after each addition.
        """
        given = category(self.run.values.get(value, UNKNOWN).dtype)
        kept = category(self.run.values.get(target.value, UNKNOWN).dtype)
        return kept >= 2 or 0 <= given <= kept

    def _described(self, store: Store, elementwise: bool) -> Store:
        """The store with what is known of the array: the statement that creates it, where all of it is stored; whether the value
        fits.
        """
        target = self.run.values.get(store.target.node.value, UNKNOWN)
        given = [put.value for put in store.puts] or [store.value]
        values = [self.run.values.get(node, UNKNOWN) for node in given]
        slices = sum(a == -2 for a in store.target.axes or ())
        if elementwise or (target.rank == len(store.target.parts) and not slices):
            fits = True  # a number: NumPy raises for anything else
        else:
            required = target.rank - len(store.target.parts) + slices
            fits = target.rank >= 0 and all(self._rank_of(*pair) == required for pair in zip(given, values, strict=True))
        everywhere = not elementwise or self.varying.get(store.node) == frozenset(a for a in store.target.axes or () if a >= 0)
        sure = all(
            v.kind is Kind.SCALAR or (elementwise and not self.numbers) or (not elementwise and v.rank >= 0) for v in values
        )
        unsure = store.operator is not None or store.masks or store.summed or not (fits and sure and everywhere)
        maker = None if unsure or not self._stored_alone(store) else self._made(store)
        return replace(store, maker=maker, fits=fits, open=target.rank != len(store.target.parts))

    def _rank_of(self, node: cst.BaseExpression, value: Value) -> int:
        return 0 if value.kind is Kind.SCALAR else 1 if self._numbers_alone(node) else value.rank

    def _numbers_alone(self, node: cst.BaseExpression) -> bool:
        """Whether a node is `[a, b]`, which becomes an array of several numbers."""
        if not isinstance(node, (cst.List, cst.Tuple)) or len(node.elements) < 2:
            return False
        return all(self.run.values.get(e.value, UNKNOWN).kind is Kind.SCALAR for e in node.elements)

    def _stored_alone(self, store: Store) -> bool:
        """Whether the iterations only store into an array: its previous values are not needed."""
        names = [(n, p) for n, p in walk(self.nest[0].body) if isinstance(n, cst.Name) and n.value == store.target.array]
        return all(parent in store.targets for _name, parent in names) and not any(put.operator for put in store.puts)

    def _made(self, store: Store) -> cst.SimpleStatementLine | None:
        """`out = np.empty(n)` before the loop, where the loop stores all of `out` and nothing reads it in between."""
        axes = store.target.axes or ()
        if not all(f or a == -2 for f, a in zip(store.target.full, axes, strict=True)):
            return None
        if any(not is_whole(p) for p, a in zip(store.target.parts, axes, strict=True) if a == -2):
            return None
        array = store.target.array
        if any(isinstance(n, cst.Name) and n.value == array for loop in self.nest for n, _p in walk(loop.iter)):
            return None
        block = list(getattr(self.run.source.parents.get(self.nest[0]), "body", ()))
        position = block.index(self.nest[0])
        line = last_mention(block[:position], array)
        if line is None or not all(
            isinstance(s, cst.SimpleStatementLine) and len(s.body) == 1 for s in block[block.index(line) : position]
        ):
            return None
        match line:
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Call(func=func))]
            ) if name == array:
                maker = (self.run.scopes.qualname(func) or "").removeprefix("numpy.")
                return line if maker in ("empty", "zeros", "ones", "empty_like", "zeros_like", "ones_like") else None
        return None
