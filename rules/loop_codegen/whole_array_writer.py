"""How all iterations of a loop become code on whole arrays: slices for subscripts, sums and products for reductions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import libcst as cst

from ..core import dtypes
from ..core.findings import Edit, Kind, Statement
from ..dtypes import path_dtypes
from ..dtypes.jax_dtypes import dtype_name, keeps_width
from ..facts.loop_plan import vectorized
from ..facts.parallel_loops import Access, Reduction, Store
from ..slices import masks
from ..syntax import builders, loop_ranges
from . import if_conversion
from .iteration_slices import IterationSlices, colon, none
from .loop_functions import leads
from .whole_array_parts import accumulated, bound_to, in_place_of, is_cast, is_slice, line_of, made_dtype, several, tuple_display

Lines = list[Statement]
LoopOutput = Store | Reduction


@dataclass(slots=True)
class WholeArrays(IterationSlices):
    """Writes the parts of one loop. `imports` collects what that needs."""

    @property
    def outputs(self) -> list[LoopOutput]:
        return [*self.found.stores, *(each for r in self.found.reductions for each in if_conversion.signed(r, self.ctx))]

    def _sliced(self, access: Access) -> Edit:
        return lambda _made: self.sliced(access)

    def _stored(self, store: Store) -> Edit:
        return lambda _made: several(self.stored(store, self.added(store)))

    def selection(
        self,
        group: Sequence[LoopOutput],
        before: Callable[[Access], cst.BaseExpression],
        done: Callable[[LoopOutput, cst.BaseExpression], Sequence[cst.Assign]],
    ) -> Edit:
        """What the arms of a branch store and add up, in place of the branch. `before`: the previous value of a target;
        `done`: the assignments for what is stored or added."""

        def value(output: LoopOutput, test: cst.BaseExpression | None) -> tuple[list[cst.Assign], cst.BaseExpression]:
            if is_store(output):
                base = functools.partial(self._prior, output, before)
                return if_conversion.stored(output, base, functools.partial(self._dtype, output), self.ctx, test)
            assert is_reduction(output)
            return if_conversion.added(output, self.ctx, test)

        def edit(branch: cst.CSTNode) -> object:
            made = if_conversion.asked(group, self.ctx)
            test = made[0].targets[0].target if made else None
            for output in group:
                lines, selected = value(output, test)
                made += [*lines, *done(output, selected)]
            return in_place_of(branch, made)

        return edit

    def finished(self, output: LoopOutput, value: cst.BaseExpression) -> list[cst.Assign]:
        """The assignments for the values of all iterations."""
        if is_store(output):
            return self.stored(output, self.summed(output, value) if output.summed else value)
        assert is_reduction(output)
        return self.reduced(output, value)

    def _dtype(self, store: Store) -> cst.BaseExpression:
        """The dtype of the array that is stored to."""
        own = cst.Attribute(cst.Name(store.target.array), cst.Name("dtype"))
        return own if store.maker is None else made_dtype(store.maker, self.ctx)

    def _dtype_into(self, array: str) -> cst.BaseExpression:
        """The dtype of an array into which a scalar is stored after the loop; an enclosing loop that runs in parallel may
        create it."""
        at: cst.CSTNode | None = self.found.nest[0]
        while at is not None and not isinstance(at, cst.FunctionDef):
            together = vectorized(self.ctx.loops.loop_plan(at)) if isinstance(at, cst.For) else ()
            for store in (store for found in together for store in found.stores):
                if store.target.array == array:
                    return self._dtype(store)
            at = self.ctx.parent(at)
        return cst.Attribute(cst.Name(array), cst.Name("dtype"))

    def _prior(self, store: Store, before: Callable[[Access], cst.BaseExpression]) -> cst.BaseExpression:
        """The previous value of a target; the initial value where the loop creates the array."""
        return before(store.target) if store.maker is None else if_conversion.start(store.maker, self.ctx)

    def _reduced(self, reduction: Reduction) -> Edit:
        branch = reduction.whole is not reduction.node

        def edit(before: cst.CSTNode) -> object:
            made = self.reduced(reduction, self.ctx.rewritten(reduction.value))
            return in_place_of(before, made) if branch else several(made)

        return edit

    def whole(self, made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        """The statements of an iteration, for all iterations."""
        used = [k for k, name in enumerate(self.found.indices) if name in self.found.plain]
        lines: Lines = [line_of(bound_to(self.found.indices[k], self.index(k))) for k in used]
        return self.replacement(made, [*lines, *self._body(made)], spaced=False)

    def _body(self, made: cst.For) -> Lines:
        body = made
        for _loop in self.found.nest[1:]:
            inner = builders.lines(body.body)[0]
            assert isinstance(inner, cst.For)
            body = inner
        return [
            line for line in builders.lines(body.body) if isinstance(line, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        ]

    def replacement(self, made: cst.For, lines: Lines, spaced: bool) -> cst.FlattenSentinel[cst.BaseStatement]:
        """The statements that replace the loop, below its comments. `spaced`: with an empty line before them."""
        gone = list(dict.fromkeys(output.maker for output in self.outputs if output.maker is not None))
        leading = [line for statement in gone for line in statement.leading_lines]
        leading += [line for line in made.leading_lines if line.comment is not None or not leading]
        outer = self.found.nest[0]
        first_line = leads(outer, gone, self.ctx)
        if spaced and not first_line and not any(line.comment is None for line in leading[:1]):
            leading.insert(0, cst.EmptyLine(indent=False))
        first = lines[0]
        return cst.FlattenSentinel([first.with_changes(leading_lines=[*leading, *first.leading_lines]), *lines[1:]])

    def masked(self, store: Store, value: cst.BaseExpression) -> list[cst.Assign]:
        """The rows and columns of all iterations, each up to the index of its iteration or from there on; the rows of `value`
        are their values."""
        lines: list[cst.Assign] = []
        values = value if isinstance(value, cst.Name) else self._bound_value(value, ("values",), lines)
        column = cst.Subscript(self.arange(0), builders.clean([colon(), none()]))
        lines.append(bound_to(self.found.indices[0], column))
        stored = self._bound_value(masks.condition(store.masks[0][1], self.ctx), ("stored",), lines)
        array, known = cst.Name(store.target.array), self.ctx.value(store.target.node.value)
        same = dtypes.absorbs(known.dtype, self.ctx.value(store.value).dtype)
        for access, _mask in store.masks:
            parts = self.parts(access, aligned=False)
            while len(parts) > 1 and builders.whole(parts[-1:]):
                parts.pop()
            turned = (access.axes or ())[0] != 0
            test, made = (cst.Attribute(node, cst.Name("T")) if turned else node for node in (stored, values))
            if builders.whole(parts):
                new = masks.where(test, made, array, self.ctx)
                new = new if same else builders.method(new, "astype", cst.Attribute(array, cst.Name("dtype")))
            else:
                before = cst.Subscript(array, builders.clean(parts))
                new = builders.at(array, parts, "set", masks.where(test, made, before, self.ctx))
            lines.append(bound_to(store.target.array, new))
        return lines

    def _bound_value(self, value: cst.BaseExpression, names: tuple[str, ...], lines: list[cst.Assign]) -> cst.Name:
        """A variable for a value that is used several times."""
        name = self.ctx.names.local(*names)
        lines.append(bound_to(name, value))
        return cst.Name(name)

    def stored(self, store: Store, value: cst.BaseExpression) -> list[cst.Assign]:
        """`out = out.at[...].set(value)`, or `out = value` where all of it is stored."""
        if store.masks:
            return self.masked(store, value)
        array = cst.Name(store.target.array)
        known = self.ctx.value(store.target.node.value)
        given = if_conversion.given(store, self.ctx)
        if store.maker is not None:
            required = made_dtype(store.maker, self.ctx)
            same = given.dtype == known.dtype and dtypes.absorbs(known.dtype, given.dtype)
            return [bound_to(store.target.array, value if same else builders.method(value, "astype", required))]
        if store.operator is None and dtypes.category(given.dtype) > dtypes.category(known.dtype) >= 0:
            value = builders.call(self.name("jax.numpy.asarray"), value, cst.Attribute(array, cst.Name("dtype")))
        parts = self.parts(store.target, aligned=False)
        while len(parts) > 1 and builders.whole(parts[-1:]):
            parts.pop()
        base: cst.BaseExpression = (
            array if self.ctx.host.is_device_value(known) else builders.call(self.name("jax.numpy.asarray"), array)
        )
        how = "set"
        wider = bool(given.dtype) and not dtypes.absorbs(known.dtype, given.dtype)
        fits = not wider and (dtypes.category(known.dtype) >= 2 or (dtypes.category(known.dtype) == 1 and bool(given.dtype)))
        if store.operator is not None and fits:
            how = builders.ACCUMULATE[type(store.operator)]
        elif store.operator is not None:  # NumPy truncates the result
            dtype, whole = cst.Attribute(array, cst.Name("dtype")), builders.whole(parts)
            value = builders.binary(array if whole else cst.Subscript(array, builders.clean(parts)), store.operator, value)
            if store.unsure:  # the sum has the dtype of the array; `.at[...].add` takes no bools
                return [bound_to(store.target.array, value if whole else builders.at(base, parts, "set", value))]
            if whole:
                return [bound_to(store.target.array, builders.method(value, "astype", dtype))]
            value = builders.call(self.name("jax.numpy.asarray"), value, dtype)
        return [bound_to(store.target.array, builders.at(base, parts, how, value))]

    def added(self, store: Store) -> cst.BaseExpression:
        """The (rewritten) value of all iterations; the sum of what several of them add to one element."""
        value = self.ctx.rewritten(store.value)
        if not store.summed:
            return value
        product = self.product(store.value, store.summed, cst.Attribute(cst.Name(store.target.array), cst.Name("dtype")))
        if product is not None:
            return product
        return self.summed(store, value)

    def summed(self, store: Store, value: cst.BaseExpression) -> cst.BaseExpression:
        """The sum of what several iterations add to one element."""
        last = (
            len(self.found.indices) if self.found.elementwise else 0
        )  # the arrays of an iteration have axes after those of the indices
        axes = [builders.integer(k - last) for k in store.summed]
        arguments = [cst.Arg(builders.bare(value))]
        arguments.append(builders.keyword("axis", axes[0] if len(axes) == 1 else tuple_display(axes)))
        known = self.ctx.value(store.target.node.value).dtype
        given = if_conversion.given(store, self.ctx).dtype
        dtype = self._dtype(store) if store.unsure else accumulated(known, given, self.ctx)
        if dtype is not None and not is_cast(value, dtype):
            arguments.append(builders.keyword("dtype", dtype))
        return cst.Call(self.name("jax.numpy.sum"), arguments)

    def reduced(self, reduction: Reduction, terms: cst.BaseExpression) -> list[cst.Assign]:
        """`total = total + jnp.sum(terms)`, in the dtype with which the loop would end."""
        before = cst.Name(reduction.name)
        if reduction.how == "stack":
            return [bound_to(reduction.name, self._items(reduction, terms))]
        if reduction.how in ("max", "min"):
            return self._extremum(reduction, terms)
        lines: list[cst.Assign] = []
        known = if_conversion.of_terms(reduction, self.ctx)
        number = reduction.predication is not None and known.kind is Kind.SCALAR  # even if Python tests an array
        arguments = self._axis(reduction.along) if reduction.along or not number else []
        dtype = accumulated(reduction.start, known.dtype, self.ctx)
        if dtype is not None and not is_cast(terms, dtype):
            arguments.append(builders.keyword("dtype", dtype))
        elif dtype is None and not self._promotes_identically(reduction):
            if dtypes.is_weak(known.dtype):
                required = self._beside(reduction, known.dtype)
            else:
                terms = terms if is_slice(terms) else self._named(terms, lines)
                typed = terms.value if isinstance(terms, cst.Subscript) else terms
                required = builders.call(self.name("jax.numpy.result_type"), before, typed)
            arguments.append(builders.keyword("dtype", required))
        product: cst.BaseExpression | None = None
        if self.found.elementwise and reduction.how == "sum" and reduction.predication is None:
            into = self._dtype_into(reduction.into) if reduction.into else None
            product = self.product(reduction.value, reduction.along or range(len(self.found.indices)), into)
        if product is not None:
            total = product
        elif self.found.elementwise:
            total = cst.Call(self.name(f"jax.numpy.{reduction.how}"), [cst.Arg(builders.bare(terms)), *arguments])
        else:
            total = cst.Call(cst.Attribute(builders.operand(terms), cst.Name(reduction.how)), arguments)
        operator = cst.Multiply() if reduction.how == "prod" else cst.Subtract() if reduction.minus else cst.Add()
        right = total if isinstance(total, cst.Call) or not isinstance(operator, cst.Multiply) else builders.operand(total)
        return [*lines, bound_to(reduction.name, cst.BinaryOperation(before, operator, right))]

    def _items(self, reduction: Reduction, terms: cst.BaseExpression) -> cst.BaseExpression:
        """The items of all iterations, in the dtype that NumPy gives Python scalars."""
        dtype = self.typed(reduction)
        return builders.call(self.name("jax.numpy.asarray"), terms, cst.Name(dtype)) if dtype else terms

    def typed(self, output: LoopOutput) -> str:
        """The dtype of a list of Python scalars, or of some, which JAX must be told; "" where that is the default."""
        known = self.ctx.value(output.value)
        if made := path_dtypes.of_items(output.value, self.ctx):
            return made
        return known.dtype if known.kind is Kind.SCALAR and dtypes.is_weak(known.dtype) else ""

    def _beside(self, reduction: Reduction, scalar: str) -> cst.BaseExpression:
        """The dtype of a sum of Python scalars, which adopt that of the value before the loop."""
        made = dtypes.promote(reduction.start, scalar)
        if made in dtypes.BITS and keeps_width(made, self.ctx):
            return builders.dotted(dtype_name(made, self.ctx))
        return builders.call(self.name("jax.numpy.result_type"), cst.Name(reduction.name), cst.Name(scalar))

    def _promotes_identically(self, reduction: Reduction) -> bool:
        """Whether a 64-bit sum, which `jnp.sum` computes for integers, ends with the dtype of the loop."""
        given = if_conversion.of_terms(reduction, self.ctx).dtype
        if dtypes.is_weak(given) and not dtypes.is_default(reduction.start):  # NumPy adds it to what may be narrow
            return False
        if reduction.how == "prod" and dtypes.category(given) < 2:  # a product of integers may overflow
            return dtypes.strong(given) == "int64" and dtypes.category(reduction.start) == 1
        wide = dtypes.category(given) in (2, 3) or dtypes.strong(given) == "int64"
        if dtypes.category(given) == 0:  # NumPy counts bools only when the sum starts from a number
            wide = dtypes.strong(reduction.start) == "int64"
        return wide or (dtypes.category(reduction.start) >= 2 and (bool(given) or dtypes.is_weak(reduction.start)))

    def _named(self, terms: cst.BaseExpression, lines: list[cst.Assign]) -> cst.BaseExpression:
        if isinstance(terms, cst.Name):
            return terms
        name = self.ctx.names.local("terms")
        lines.append(bound_to(name, terms))
        return cst.Name(name)

    def _axis(self, along: Sequence[int] = ()) -> list[cst.Arg]:
        """The axes that are summed; none for all. `along`: the last indices of the nest only."""
        if along:
            last = [cst.Element(builders.integer(k - len(self.found.indices))) for k in along]
            return [builders.keyword("axis", last[0].value if len(last) == 1 else cst.Tuple(last))]
        if self.found.numbers:
            return []
        axes = [cst.Element(cst.Integer(str(k))) for k in range(len(self.found.indices))]
        return [builders.keyword("axis", cst.Integer("0") if len(axes) == 1 else cst.Tuple(axes))]

    def _extremum(self, reduction: Reduction, terms: cst.BaseExpression) -> list[cst.Assign]:
        """The maximum or minimum, starting from the previous value. `max` of Python ignores NaN, that of NumPy does not."""
        before = cst.Name(reduction.name)
        lines: list[cst.Assign] = []
        if reduction.positions:
            return self._best(reduction, terms)
        if reduction.python:
            terms = self._named(terms, lines)
            compared = cst.GreaterThan() if reduction.how == "max" else cst.LessThan()
            better = cst.Comparison(terms, [cst.ComparisonTarget(compared, before)])
            selected = builders.call(self.name("jax.numpy.where"), better, terms, before)
        else:
            selected = builders.call(self.name(f"jax.numpy.{reduction.how}imum"), before, terms)
        value = cst.Call(cst.Attribute(selected, cst.Name(reduction.how)), [*self._axis(), builders.keyword("initial", before)])
        return [*lines, bound_to(reduction.name, value)]

    def _best(self, reduction: Reduction, terms: cst.BaseExpression) -> list[cst.Assign]:
        """The first maximum or minimum, and its index. The previous value comes last, and is the result where no element is
        better."""
        lines: list[cst.Assign] = []
        terms = self._named(terms, lines)
        before, most = cst.Name(reduction.name), reduction.how == "max"
        better = [cst.ComparisonTarget(cst.GreaterThan() if most else cst.LessThan(), before)]
        selected = builders.call(self.name("jax.numpy.where"), cst.Comparison(terms, better), terms, before)
        every, location = self.ctx.names.local("candidates"), self.ctx.names.local("k", "place")
        lines.append(bound_to(every, builders.call(self.name("jax.numpy.append"), selected, before)))
        lines.append(
            bound_to(location, builders.call(self.name("jax.numpy.argmax" if most else "jax.numpy.argmin"), cst.Name(every)))
        )
        best = cst.Subscript(cst.Name(every), [cst.SubscriptElement(cst.Index(cst.Name(location)))])
        index = loop_ranges.added(self.bounds(0)[0], cst.Name(location))
        for name in reduction.positions:
            where = builders.call(self.name("jax.numpy.where"), cst.Comparison(best, better), index, cst.Name(name))
            lines.append(bound_to(name, where))
        return [*lines, bound_to(reduction.name, best)]


def is_store(output: LoopOutput) -> TypeGuard[Store]:
    return hasattr(output, "target")


def is_reduction(output: LoopOutput) -> TypeGuard[Reduction]:
    return not hasattr(output, "target")
