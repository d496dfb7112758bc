"""What all iterations of a loop read with one subscript, as slices, and sums of their products: `@`, `jnp.dot`, `einsum`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Edit, Kind
from ..facts.parallel_loops import Access, ParallelNest
from ..syntax import builders, loop_ranges
from . import zip_lengths
from .whole_array_parts import nodes


@dataclass(slots=True)
class IterationSlices:
    """The indices of all iterations of one loop nest, and what they read. `imports` collects what that needs."""

    ctx: Context
    found: ParallelNest
    imports: set[str] = field(default_factory=set)
    definitions: set[str] = field(default_factory=set)  # functions that the module needs

    def _deeper(self, made: cst.Name) -> cst.BaseExpression:
        """The values of all iterations of the enclosing loops, with new axes for the indices of the inner ones."""
        enclosing = len(self.found.indices) - self.found.deeper
        first = colon() if enclosing == 1 else cst.SubscriptElement(cst.Index(cst.Ellipsis()))
        return cst.Subscript(made, builders.clean([first, *[none()] * self.found.deeper]))

    def _array(self, array: cst.BaseExpression) -> Edit:
        return lambda _made: builders.operand(self.ctx.rewritten(array))

    def name(self, dotted: str) -> cst.BaseExpression:
        text, lines = self.ctx.names.name_of(dotted)
        self.imports |= lines
        return builders.dotted(text)

    def bounds(self, axis: int) -> tuple[cst.BaseExpression, cst.BaseExpression, int]:
        """The minimum of the index, the bound above its maximum, and the positive step."""
        if self.found.rows:
            count = zip_lengths.count(self.found.nest[0], self.found.rows[0][1], self.ctx)
            first = zip_lengths.first(self.ctx.loops.iteration_space(self.found.nest[0]), self.ctx)
            return builders.integer(first), loop_ranges.plus(count, first), 1
        space = self.ctx.loops.iteration_space(self.found.nest[axis])
        assert space.is_range and space.stop is not None
        step = space.stride or 1
        start = cst.Integer("0") if space.start is None else builders.bare(self.ctx.rewritten(space.start))
        stop = builders.bare(self.ctx.rewritten(space.stop))
        if step == -1:
            return loop_ranges.plus(stop, 1), loop_ranges.plus(start, 1), 1
        return start, stop, step

    def arange(self, axis: int) -> cst.BaseExpression:
        low, high, step = self.bounds(axis)
        given = (
            [high]
            if step == 1 and loop_ranges.is_zero(low)
            else [low, high]
            if step == 1
            else [low, high, builders.integer(step)]
        )
        return builders.call(self.name("jax.numpy.arange"), *given)

    def index(self, axis: int) -> cst.BaseExpression:
        """The values of an index, along its axis."""
        made = self.arange(axis)
        after = len(self.found.indices) - axis - 1
        if not after:
            return made
        return cst.Subscript(made, builders.clean([colon(), *[none()] * after]))

    def sliced(self, access: Access, aligned: bool = True) -> cst.BaseExpression:
        """What all iterations read with one subscript."""
        order = [a for a in access.axes or () if a >= 0]
        if aligned and order != sorted(order):
            return self._transposed(access, order)
        parts = self.parts(access, aligned)
        while parts and builders.whole(parts[-1:]):
            parts.pop()
        return cst.Subscript(cst.Name(access.array), builders.clean(parts)) if parts else cst.Name(access.array)

    def _transposed(self, access: Access, order: list[int]) -> cst.BaseExpression:
        """What all iterations read, with the axes in the order of the loops."""
        made = self.sliced(access, aligned=False)
        if len(order) == 2:
            made = cst.Attribute(made, cst.Name("T"))
        else:
            made = builders.method(made, "transpose", *(cst.Integer(str(order.index(a))) for a in sorted(order)))
        parts = [colon() if k in order else none() for k in range(min(order), len(self.found.indices))]
        while builders.whole(parts[-1:]):
            parts.pop()
        return cst.Subscript(made, builders.clean(parts)) if any(not builders.whole([p]) for p in parts) else made

    def parts(self, access: Access, aligned: bool = True) -> list[cst.SubscriptElement]:
        """The subscript for all iterations; with new axes for the indices between those that it mentions."""
        assert access.axes is not None
        made: list[cst.SubscriptElement] = []
        expected = min((a for a in access.axes if a >= 0), default=0)
        for position, (part, axis) in enumerate(zip(access.parts, access.axes, strict=True)):
            if axis == -1:
                assert isinstance(part.slice, cst.Index)
                made.append(cst.SubscriptElement(cst.Index(self.ctx.rewritten(part.slice.value))))
            elif axis == -2:
                made.append(cst.SubscriptElement(self._own_slice(part)))
            else:
                made += [none()] * (axis - expected if aligned else 0)
                expected = axis + 1
                made.append(colon() if access.full[position] else self._span(access, position))
        return [*made, *[none()] * (len(self.found.indices) - expected if aligned else 0)]

    def _own_slice(self, part: cst.SubscriptElement) -> cst.Slice:
        assert isinstance(part.slice, cst.Slice)
        bounds = (part.slice.lower, part.slice.upper, part.slice.step)
        lower, upper, step = (None if b is None else self.ctx.rewritten(b) for b in bounds)
        return part.slice.with_changes(lower=lower, upper=upper, step=step)

    def _span(self, access: Access, position: int) -> cst.SubscriptElement:
        assert access.axes is not None
        low, high, step = self.bounds(access.axes[position])
        end, offset = access.ends[position], access.offsets[position]
        lower, upper = loop_ranges.plus(low, offset), loop_ranges.plus(high, offset)
        if access.clamped[position]:
            upper = builders.call(cst.Name("max"), upper, cst.Integer("0"))
        last = upper if end is None else None if end == 0 else builders.integer(-end)
        return span(None if loop_ranges.is_zero(lower) else lower, last, None if step == 1 else builders.integer(step))

    def product(
        self, value: cst.BaseExpression, summed: Sequence[int], dtype: cst.BaseExpression | None
    ) -> cst.BaseExpression | None:
        """A sum of products of the elements of two arrays as `x @ y` or `jnp.einsum`; None where it is none.

        `dtype`: that to which one of them is cast where their dtypes are not known: sums of bools, of Python or NumPy, are not
        bool.
        """
        accesses = {a.node: a for a in self.found.reads}
        before: list[cst.BaseExpression] = []
        arrays: list[tuple[cst.BaseExpression, Access]] = []
        known, made = False, ""
        for factor in factors(value):
            access = accesses.get(factor) if isinstance(factor, cst.Subscript) else None
            if access is not None and access.axes is not None and all(a >= -1 for a in access.axes):
                given = self.ctx.value(factor)
                if given.kind is not Kind.SCALAR and not self.found.items:
                    return None
                known |= dtypes.category(given.dtype) >= 2
                if _multiplies_otherwise(made, given.dtype):
                    return None
                made = dtypes.promote(made, given.dtype) if arrays else given.dtype
                arrays.append((self.sliced(access, aligned=False), access))
            elif len(arrays) < 2 and self.ctx.kind(factor) is Kind.SCALAR and not self._moves(factor):
                before.append(self.ctx.rewritten(factor))
            else:
                return None
        if len(arrays) != 2 or (not known and dtype is None):
            return None
        letters = "".join(index_letters(self.found.indices))
        terms = ["".join(letters[a] for a in access.axes or () if a >= 0) for _n, access in arrays]
        mentioned = "".join(terms)
        result = "".join(letter for k, letter in enumerate(letters) if k not in summed)
        if any(letter not in mentioned for letter in letters):
            return None
        if any(letters[k] not in term for k in summed for term in terms):
            return None  # a factor would be summed before the multiplication: infinity times 0 is NaN, and 1 + 0 is 1
        first, second = (node for node, _a in arrays)
        if not known and dtype is not None:
            first = builders.method(first, "astype", dtype)
        for factor in reversed(before):
            first = cst.BinaryOperation(builders.operand(factor), cst.Multiply(), builders.operand(first))
        first = builders.operand(first)
        if terms[0] == terms[1] and not result and len(letters) == 1:
            return builders.call(self.name("jax.numpy.dot"), first, second)
        for (a, x), (b, y) in (((terms[0], first), (terms[1], second)), ((terms[1], second), (terms[0], first))):
            if len(summed) == 1 and a[-1:] == b[:1] == letters[summed[0]] and a[:-1] + b[1:] == result:
                return cst.BinaryOperation(builders.operand(x), cst.MatrixMultiply(), builders.operand(y))
        text = cst.SimpleString(f'"{terms[0]},{terms[1]}->{result}"')
        return builders.call(self.name("jax.numpy.einsum"), text, first, second)

    def _moves(self, node: cst.CSTNode) -> bool:
        """Whether an expression may vary from one iteration to the next."""
        bound = {n for loop in self.found.nest for n in bound_names(loop)}
        return not bound.isdisjoint(builders.names(node))


def _multiplies_otherwise(first: str, second: str) -> bool:
    """Whether the products of NumPy, before they are summed, have another dtype than those of `jnp.einsum`, or overflow in it.

    For the first factor (`first` is ""), only its own dtype counts.
    """
    made = dtypes.promote(first, second) if first else second
    return made == "float16" or (dtypes.category(made) == 1 and dtypes.is_narrow(made)) or dtypes.is_wider_in_numpy(first, second)


def factors(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The factors of a product, from left to right."""
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Multiply(), right=right):
            return [*factors(left), right]
    return [node]


def index_letters(indices: Sequence[str]) -> Sequence[str]:
    """One letter for each index: its name where all names are letters."""
    own = all(len(name) == 1 and name.isascii() and name.islower() for name in indices)
    return indices if own else "ijklmnop"[: len(indices)]


def bound_names(loop: cst.For) -> set[str]:
    """The names that a loop binds."""
    targets = [loop.target, *(n for n in nodes(loop.body) if isinstance(n, cst.AssignTarget))]
    return set().union(*(builders.names(t) for t in targets))


def span(
    lower: cst.BaseExpression | None, upper: cst.BaseExpression | None, step: cst.BaseExpression | None
) -> cst.SubscriptElement:
    """A slice, with spaces around the colon where a bound is more than a name or a number."""
    plain = (cst.Name, cst.Integer, cst.UnaryOperation)
    wide = any(b is not None and not isinstance(b, plain) for b in (lower, upper, step))
    before, after = cst.SimpleWhitespace(" " if wide and lower else ""), cst.SimpleWhitespace(" " if wide and upper else "")
    first = cst.Colon(whitespace_before=before, whitespace_after=after)
    return cst.SubscriptElement(cst.Slice(lower, upper, step, first, cst.Colon() if step else cst.MaybeSentinel.DEFAULT))


def colon() -> cst.SubscriptElement:
    return cst.SubscriptElement(cst.Slice(None, None))


def none() -> cst.SubscriptElement:
    return cst.SubscriptElement(cst.Index(cst.Name("None")))
