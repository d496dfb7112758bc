"""The new value of an array of which a part changes: `.at[...]`, `jnp.where`, or plain arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core import dtypes
from ..core.findings import Kind
from ..facts.dynamic_slices import Mask
from ..facts.updates import Update
from ..facts.values import Value, covers
from ..slices import masks
from ..syntax import builders
from ..syntax.tree import children

INEXACT = (2, 3)
Store = Callable[[cst.BaseExpression, builders.Parts], cst.BaseExpression]


@dataclass(slots=True)
class Writer:
    """Builds the new value of an access path; `imports` collects what it needs.

    `operator` is None where the part is set to `value`, else the augmented operator. `stored` is what is known of the value.
    """

    ctx: Context
    update: Update
    operator: cst.BaseAugOp | None
    value: cst.BaseExpression
    stored: Value
    imports: set[str] = field(default_factory=set)

    def name(self, dotted: str) -> cst.BaseExpression:
        text, lines = self.ctx.names.name_of(dotted)
        self.imports |= lines
        return builders.dotted(text)

    def expression(self) -> cst.BaseExpression:
        """The new value of the whole access path."""
        assert self.update.target is not None
        base = self.ctx.rewritten(self.update.target)
        steps = self.steps()
        if self.operator is None and steps and isinstance(steps[-1], cst.Attribute) and steps[-1].attr.value == "flat":
            return self.put(base, steps[:-1], self._repeated, lambda old, parts: self._part(old, parts, self._repeated))
        return self.put(base, steps, self._whole, self._store)

    def put(
        self, base: cst.BaseExpression, steps: Sequence[cst.BaseExpression], leaf: builders.Leaf, store: Store
    ) -> cst.BaseExpression:
        return builders.put(base, steps, leaf, store, self.integers, self.ctx.names.name_of("jax.lax.complex")[0], self.device)

    def steps(self) -> list[cst.BaseExpression]:
        """The rewritten steps: methods in place of functions, and without `.real` of a value that is real anyway."""
        return [as_method(s, self.ctx) for s in self._steps()]

    def _steps(self) -> list[cst.BaseExpression]:
        real = dtypes.category(self.update.value.dtype) not in (-1, 3)
        return [s for s in self.update.steps if not (real and isinstance(s, cst.Attribute) and s.attr.value == "real")]

    def _part(self, old: cst.BaseExpression, parts: builders.Parts, leaf: builders.Leaf) -> cst.BaseExpression:
        return builders.at(self.device(old), parts, "set", leaf(cst.Subscript(builders.operand(old), builders.clean(parts))))

    def _repeated(self, old: cst.BaseExpression) -> cst.BaseExpression:
        """`x.flat = v`: the elements of v in order, repeated as often as needed."""
        shape, dtype = (cst.Attribute(builders.operand(old), cst.Name(name)) for name in ("shape", "dtype"))
        if self.stored.kind is Kind.SCALAR:
            return builders.call(self.name("jax.numpy.full_like"), old, self.value)
        value = builders.call(self.name("jax.numpy.asarray"), self.value, dtype)
        return builders.call(self.name("jax.numpy.resize"), value, shape)

    def device(self, base: cst.BaseExpression) -> cst.BaseExpression:
        """`base` as a jax.Array, which `.at` requires."""
        if self.ctx.host.is_device_value(self.update.value):
            return base
        return builders.call(self.name("jax.numpy.asarray"), base)

    def _original(self, parts: builders.Parts) -> list[Value | None]:
        """What is known of the parts of the last subscript; None for a slice."""
        last = self._steps()[-1]
        assert isinstance(last, cst.Subscript)
        return [self.ctx.value(p.slice.value) if isinstance(p.slice, cst.Index) else None for p in builders.flat(last.slice)]

    def integers(self, parts: builders.Parts) -> bool:
        """Whether rewritten parts are integers only, by their syntax or as the analysis knows."""
        for step in self.update.steps[:-1]:
            if isinstance(step, cst.Subscript):
                values = [
                    self.ctx.value(p.slice.value) if isinstance(p.slice, cst.Index) else None for p in builders.flat(step.slice)
                ]
                if any(v is None or v.kind is not Kind.SCALAR or dtypes.category(v.dtype) == 0 for v in values):
                    return False
        return True

    def _store(self, base: cst.BaseExpression, parts: builders.Parts) -> cst.BaseExpression:
        last = self._steps()[-1]
        if not isinstance(last, cst.Subscript):
            return self._assigned(base, parts)
        if (mask := self._mask(last)) is not None:
            return self._where(base, parts, mask)
        if is_everything(parts):  # XLA for CPUs may abort on a scatter to a whole reversed array
            if self.operator is not None:
                return self._computed(base)
            value = self._as_often(base, parts)
            if self.stored.kind not in (Kind.SCALAR, Kind.ARRAY):  # it may be a list
                value = builders.call(self.name("jax.numpy.asarray"), value)
            return builders.call(self.name("jax.numpy.full_like"), base, value)
        known = self._original(parts)
        if len(known) == 1 and known[0] is not None and known[0].kind is Kind.ARRAY and dtypes.category(known[0].dtype) == 0:
            return self._masked(base, parts, known[0])
        if self.operator is None:
            return builders.at(
                self.device(base), parts, "set", self._cast(base, self._fitted(known, len(parts), self._as_often(base, parts)))
            )
        duplicates = any(v is not None and v.kind not in (Kind.SCALAR, Kind.NONE) for v in known)
        name = self._accumulating()
        single = all(v is not None and v.kind is Kind.SCALAR for v in known)  # may be one element: NumPy truncates the result
        inexact = dtypes.category(self.update.value.dtype) in INEXACT
        absorbed = dtypes.absorbs(self.update.value.dtype, self.stored.dtype) and not isinstance(self.operator, cst.DivideAssign)
        if name is not None and not duplicates and (inexact or absorbed or not single):
            return builders.at(self.device(base), parts, name, self.value)
        read = cst.Subscript(builders.operand(base), builders.clean(parts))
        return builders.at(self.device(base), parts, "set", builders.binary(read, self.operator, self.value))

    def _mask(self, target: cst.Subscript) -> Mask | None:
        """Which elements of the target change, where its length varies from one iteration to the next."""
        ragged = self.ctx.slices.ragged(self.update.node)
        return None if ragged is None else ragged.stores.get(target)

    def _where(self, base: cst.BaseExpression, parts: builders.Parts, mask: Mask) -> cst.BaseExpression:
        """A part of varying length: the whole axis, with a mask for the elements that change."""
        test, location, last = masks.condition(mask, self.ctx), self.update.value, self._steps()[-1]
        if mask.selection is not None and isinstance(last, cst.Subscript) and len(builders.flat(last.slice)) == 1:
            parts = parts[:-1]  # without the mask itself: the parts before it select what it masks
        everything = masks.all_slices(parts)
        name = self._accumulating()
        if name in ("add", "subtract", "multiply", "divide") and not everything:
            neutral = cst.Integer("0" if name in ("add", "subtract") else "1")
            return builders.at(self.device(base), parts, name, masks.where(test, self.value, neutral, self.ctx))
        old = base if everything else cst.Subscript(builders.operand(base), builders.clean(parts))
        value = self.value if self.operator is None else builders.binary(old, self.operator, self.value)
        made = masks.where(test, value if self.operator is not None else self._cast(base, value), old, self.ctx)
        if not everything:
            return builders.at(self.device(base), parts, "set", made)
        if dtypes.absorbs(location.dtype, self.stored.dtype) and not isinstance(
            self.operator, (cst.DivideAssign, cst.PowerAssign)
        ):
            return made
        return builders.method(made, "astype", cst.Attribute(builders.operand(base), cst.Name("dtype")))

    def _accumulating(self) -> str | None:
        """The method of `.at[...]` for the operation: JAX has none for bools."""
        bools = dtypes.category(self.update.value.dtype) == 0
        return None if self.operator is None or bools else builders.ACCUMULATE.get(type(self.operator))

    def _as_often(self, base: cst.BaseExpression, parts: builders.Parts) -> cst.BaseExpression:
        """The value; repeated where the target is an element of `.flat`, as NumPy does."""
        before = self.update.steps[-2:-1]
        flat = before and isinstance(before[0], cst.Attribute) and before[0].attr.value == "flat"
        if not flat or self.stored.kind is Kind.SCALAR:
            return self.value
        part = cst.Subscript(builders.operand(base), builders.clean(parts))
        value = builders.call(self.name("jax.numpy.asarray"), self.value)
        return builders.call(self.name("jax.numpy.resize"), value, cst.Attribute(part, cst.Name("shape")))

    def _assigned(self, base: cst.BaseExpression, parts: builders.Parts) -> cst.BaseExpression:
        """A view to which an attribute assigns a new value, such as `x[0].real = v`."""
        return builders.at(self.device(base), parts, "set", self.value)

    def _masked(self, base: cst.BaseExpression, parts: builders.Parts, mask: Value) -> cst.BaseExpression:
        """A boolean mask: `where` if the value is a scalar and the mask has the shape of the array; this also works under jit."""
        location = self.update.value
        one = self.stored.kind is Kind.SCALAR
        same = covers(mask, location) or mask.rank == 0  # one truth value selects all elements, or none
        test = parts[0].slice
        assert isinstance(test, cst.Index)
        if not one or not same or len(self.update.steps) > 1:
            if self.operator is None:
                return builders.at(self.device(base), parts, "set", self.value)
            read = cst.Subscript(builders.operand(base), builders.clean(parts))
            return builders.at(self.device(base), parts, "set", builders.binary(read, self.operator, self.value))
        value = self.value if self.operator is None else builders.binary(base, self.operator, self.value)
        made = builders.call(self.name("jax.numpy.where"), test.value, value, base)
        result = self.stored.dtype if self.operator is None else dtypes.promote(location.dtype, self.stored.dtype)
        if isinstance(self.operator, cst.DivideAssign) and dtypes.category(location.dtype) not in INEXACT:
            result = ""
        if dtypes.absorbs(location.dtype, result):
            return made
        if self.operator is None and _is_integer(self.value) and dtypes.category(location.dtype) > 0:
            return made  # a literal, and the array is not boolean
        return builders.method(made, "astype", cst.Attribute(builders.operand(base), cst.Name("dtype")))

    def _fitted(self, indices: Sequence[Value | None], count: int, value: cst.BaseExpression) -> cst.BaseExpression:
        """A value without the axes that it has beyond those of the target: NumPy drops them, as their length must be 1."""
        rank, kinds = self.update.value.rank, [None if index is None else index.kind for index in indices]
        node = self.update.node
        mine = least_rank(node.value, self.ctx) if isinstance(node, cst.Assign) and len(node.targets) == 1 else self.stored.rank
        if self.stored.kind not in (Kind.ARRAY, Kind.UNKNOWN) or rank < count or len(self.update.steps) > 1:
            return value
        if any(kind not in (None, Kind.SCALAR) for kind in kinds):
            return value
        return without_axes(value, mine - (rank - kinds.count(Kind.SCALAR)))

    def _cast(self, base: cst.BaseExpression, value: cst.BaseExpression) -> cst.BaseExpression:
        """A float stored into an integer array is truncated. The cast is explicit, so that JAX does not warn."""
        mine, other = self.update.value.dtype, self.stored.dtype
        if not mine or not other or dtypes.category(other) <= dtypes.category(mine):
            return value
        return builders.call(self.name("jax.numpy.asarray"), value, cst.Attribute(builders.operand(base), cst.Name("dtype")))

    def _whole(self, base: cst.BaseExpression) -> cst.BaseExpression:
        """The whole array after an augmented assignment or with a new shape."""
        last = self.update.steps[-1] if self.update.steps else None
        if self.operator is None:
            if isinstance(last, cst.Attribute) and last.attr.value in ("real", "imag"):
                return builders.at(self.device(base), [cst.SubscriptElement(cst.Index(cst.Ellipsis()))], "set", self.value)
            return self.value
        return self._computed(base)

    def _computed(self, base: cst.BaseExpression) -> cst.BaseExpression:
        """The operation on the whole array and the value, in the dtype of the array."""
        assert self.operator is not None
        made = builders.binary(base, self.operator, self.value)
        if _keeps_dtype(self.update, self.stored, self.operator):
            return made
        cast = builders.method(made, "astype", cst.Attribute(builders.operand(base), cst.Name("dtype")))
        if not self.update.number:
            return cast
        return cst.IfExp(cst.Attribute(builders.operand(base), cst.Name("ndim")), cast, made.deep_clone())


def least_rank(node: cst.BaseExpression, ctx: Context) -> int:
    """How many axes a value has at least; `x[None, :]` has two, whatever the rank of `x`."""
    known = ctx.value(node).rank
    match node:
        case cst.BinaryOperation(left=left, operator=operator, right=right) if known < 0 and not isinstance(
            operator, cst.MatrixMultiply
        ):
            return max(least_rank(left, ctx), least_rank(right, ctx))
        case cst.Subscript(slice=parts) if known < 0:
            indices = [part.slice.value for part in parts if isinstance(part.slice, cst.Index)]
            kept = [ctx.kind(index) is Kind.NONE or ctx.qualname(index) == "numpy.newaxis" for index in indices]
            return len(parts) - len(indices) + sum(kept) if len(parts) > 1 else known
    return known


def without_axes(value: cst.BaseExpression, count: int) -> cst.BaseExpression:
    """A value without its first axes, whose length must be 1."""
    axes = cst.Integer("0") if count == 1 else cst.Tuple([cst.Element(cst.Integer(str(k))) for k in range(count)])
    return builders.method(value, "squeeze", axes) if count > 0 else value


def _keeps_dtype(update: Update, stored: Value, operator: cst.BaseAugOp) -> bool:
    """Whether `x op v` has the dtype that `x op= v` has in NumPy.

    A Python scalar adopts any dtype, and float64 that of complex128 alone. Otherwise NumPy refuses to store the result into an
    array; for a NumPy scalar, which it rebinds, the result is the same as in JAX.
    """
    mine = update.value
    python = stored.kind is Kind.SCALAR and stored.dtype in ("int", "float") and not stored.device
    if not update.steps and (mine.dtype in dtypes.WIDEST or (python and (update.number or not mine.dtype))):
        return True
    return dtypes.keeps(mine.dtype, stored.dtype, operator)


def is_everything(parts: builders.Parts) -> bool:
    """Whether a subscript selects all of an array: `[...]`, `[:, :]`."""
    return masks.all_slices(parts) or builders.whole(parts)


def _is_integer(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Integer) or (isinstance(node, cst.UnaryOperation) and isinstance(node.expression, cst.Integer))


def rebinding(update: Update, value: cst.BaseExpression, ctx: Context) -> cst.Assign:
    """`access_path = value`."""
    assert update.target is not None
    target = ctx.rewritten(update.target)
    assert isinstance(target, (cst.Name, cst.Attribute, cst.Subscript))
    return cst.Assign([cst.AssignTarget(target)], value)


def refreshed(update: Update, ctx: Context) -> list[cst.Assign]:
    """The views of the access path that are still live, computed again."""
    made = []
    assert update.target is not None
    for name, view in update.refresh:
        expression = ctx.rewritten(update.target)
        for step in view.steps:
            expression = seen_through(expression, as_method(step, ctx))
        target = builders.dotted(name)
        assert isinstance(target, (cst.Name, cst.Attribute))
        made.append(cst.Assign([cst.AssignTarget(target)], expression))
    return made


def as_method(step: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """A rewritten step; `np.swapaxes(x, 0, 1)` as the method `x.swapaxes(0, 1)`, where arrays have it."""
    made = ctx.rewritten(step)
    name = (ctx.qualname(step.func) or "") if isinstance(step, cst.Call) else ""
    short = name.rpartition(".")[2]
    if not name.startswith("numpy.") or numpy_table.method(short) is None or not isinstance(made, cst.Call) or not made.args:
        return made
    first, *rest = made.args
    return made.with_changes(func=cst.Attribute(builders.operand(first.value), cst.Name(short)), args=rest)


def seen_through(base: cst.BaseExpression, step: cst.BaseExpression) -> cst.BaseExpression:
    """`step` with its innermost object replaced: the view of `base` that it returns."""
    match step:
        case cst.Subscript() | cst.Attribute():
            return step.with_changes(value=builders.operand(base))
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name)) as func) if numpy_table.method(name) is not None:
            return step.with_changes(func=func.with_changes(value=builders.operand(base)))
        case cst.Call(args=[first, *rest]):
            return step.with_changes(args=[first.with_changes(value=base), *rest])
    raise TypeError(f"{type(step).__name__} is no view")


def names_read(update: Update) -> set[str]:
    """The variables in the steps from the access path to the part that changes, and in the views that are computed again."""
    found = {name for _name, view in update.refresh for name in view.names}
    stack: list[cst.CSTNode] = [i for s in update.steps for i in _inner(s)]
    if isinstance(update.target, cst.Subscript):
        stack.extend(update.target.slice)
    while stack:
        item = stack.pop()
        if isinstance(item, cst.Name):
            found.add(item.value)
        stack.extend(children(item))
    return found


def _inner(step: cst.BaseExpression) -> Sequence[cst.CSTNode]:
    """The indices and arguments of a step."""
    if isinstance(step, cst.Subscript):
        return step.slice
    return step.args if isinstance(step, cst.Call) else ()


def needed(update: Update, ctx: Context) -> frozenset[str]:
    """The imports that the new value of an access path needs."""
    parts = any(isinstance(s, cst.Attribute) and s.attr.value in ("real", "imag") for s in update.steps)
    lines = ctx.names.name_of("jax.numpy.asarray")[1]
    return lines | ctx.names.name_of("jax.lax.complex")[1] if parts else lines


def line(statement: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([statement])


def several(statements: Sequence[cst.BaseSmallStatement]) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
    return statements[0] if len(statements) == 1 else cst.FlattenSentinel(statements)
