"""A loop nest under analysis: its indices, and the rows and subscripts that its iterations read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.dynamic_slices import Ragged
from ....rules.facts.iteration_space import IterationSpace
from ....rules.facts.loops import Loop
from ....rules.facts.parallel_loops import FIRST, NOTHING, Access, MaskedProduct, Reduction, Segment, Store
from ....rules.facts.values import UNKNOWN
from ...syntax.source import children, walk
from ..loops.zip_loops import measured, rows_of, sliced_rows
from ..slices.mask_selection import commented
from ..state.interpreter_state import Run
from ..symbolic.affine import Affine, atom, size
from ..symbolic.dependence import Index
from ..symbolic.inequalities import nonnegative
from ..symbolic.scalar_evolution import ScalarEvolution

SIZES = ("shape", "dtype", "ndim", "size")
ROWS = "<rows>"  # the name of the iterable where its length is not known


class Nest:
    """The loops, from the outermost, and what is read in their iterations."""

    def __init__(
        self,
        run: Run,
        evolution: ScalarEvolution,
        nest: list[cst.For],
        loop: Loop,
        is_static: Callable[[cst.CSTNode], bool],
        body: cst.BaseSuite | None = None,
    ) -> None:
        self.run, self.evolution, self.nest, self.loop, self.is_static = run, evolution, nest, loop, is_static
        self.body = nest[-1].body if body is None else body  # of an iteration, or the part of it that is analysed
        self.names: list[str] = []
        self.order: list[Index] = []
        self.bounds: list[tuple[Affine | None, Affine | None]] = []
        self.private: frozenset[str] = frozenset()
        self.accesses: dict[cst.CSTNode, Access] = {}
        self.rows: tuple[tuple[str, cst.BaseExpression], ...] = ()
        self.products: dict[cst.CSTNode, MaskedProduct] = {}
        self.segments: dict[cst.CSTNode, Segment] = {}
        self.numbers = False  # what is stored shows that an iteration computes scalars
        self.inner: Loop | None = None  # the analysed loop inside the iterations of others, as a part of these
        self.first = nest[0]  # that loop, or all of the nest
        self.depth: tuple[cst.For, ...] = ()  # that loop, and the nested loops each of which is the whole body of the one before
        self.spans: dict[str, frozenset[int]] = {}  # the indices along which the variables of an iteration vary
        self.sure: set[str] | None = None  # in a part of an iteration: the variables of an iteration that certainly are scalars
        self.certain = False  # what the part computes certainly are scalars
        self.varying: dict[cst.CSTNode, frozenset[int]] = {}  # statements, and the indices along which their values vary

    def counted(self, loop: cst.For) -> bool:
        """Whether a loop of the nest is a range whose bounds are known when tracing, or iterates over the rows of an array."""
        found = self.run.loops.compiled.get(loop)
        if found is None or found.why or (found.exits.guards and not self._searches(loop)):
            return False
        if found.form == "rows":
            return len(self.nest) == 1 and self._through_rows(loop)
        if not isinstance(loop.target, cst.Name):
            return False
        self.names.append(loop.target.value)
        space = self.run.scopes.iteration_space(loop)
        step = space.stride
        if not space.is_range or not all(map(self.is_static, space.bounds)) or step is None or step < -1:
            return False
        of = self.evolution.ranges_of(loop)
        if len(of) != 1:
            return False
        self.order.append(Index(loop.target.value, step))
        low, high = of[0].start, of[0].stop
        if step == -1:
            low, high = None if high is None else high + 1, None if low is None else low + 1
        self.bounds.append((low, high))
        return True

    def _searches(self, loop: cst.For) -> bool:
        """Whether the only early exit of a loop is one `if` at the end of its body, which leaves the loop."""
        guards = self.run.loops.compiled[loop].exits.guards
        return len(self.nest) == 1 and self.loop.exits.breaks and guards == (getattr(self.body, "body", (None,))[-1],)

    def _through_rows(self, loop: cst.For) -> bool:
        """Record the rows of `for x in xs`, `for x, y in zip(xs, ys)`, and these enumerated; not reversed."""
        space = inner = self.run.scopes.iteration_space(loop)
        first = 0
        if space.function == "enumerate":
            if not space.index or space.first is None:
                return False
            inner, first = space.parts[0], space.first
        parts = inner.parts if inner.function == "zip" else (inner,)
        for part in parts:
            if not isinstance(part.target, cst.Name) or self.run.values.get(part.iterable, UNKNOWN).kind is not Kind.ARRAY:
                return False
            if self._calls(part.iterable).startswith("builtins."):
                return False
            if part.target.value == space.index or part.target.value in dict(self.rows):
                return False
            self.rows = (*self.rows, (part.target.value, part.iterable))
        self.names.append(space.index)
        self.order.append(Index(space.index))
        self.bounds.append((Affine(first), self._row_count() + first))
        return bool(parts)

    def _row_count(self) -> Affine:
        """The number of rows that the loop iterates over, or a negative number where there are none."""
        alone = self.rows[0][1]
        zipped, known = measured(self.run, self.evolution, self.nest[0], self.nest[0])
        if zipped is None:
            known = rows_of(self.run, self.evolution, IterationSpace(alone), self.nest[0])
        return atom(size(ROWS, 0)) if known is None else known

    def _calls(self, node: cst.BaseExpression) -> str:
        return self.run.scopes.qualname(node.func) or "" if isinstance(node, cst.Call) else ""

    def _written_again(self) -> bool:
        """Whether the expressions for the iterated arrays may be repeated wherever an iteration reads one of their rows."""
        return len(self.rows) < 2 or all(sliced_rows(array) is not None for _name, array in self.rows)

    def _small(self, line: cst.CSTNode) -> Iterator[cst.CSTNode]:
        if isinstance(line, cst.SimpleStatementLine):
            yield from line.body
        else:
            yield line

    def access(self, node: cst.Subscript, masked: Mapping[int, cst.BaseSlice] = NOTHING) -> Access | None:
        """A subscript of an array that the loop does not rebind, with the loop indices that occur in it.

        `masked`: the replacements of slices that vary between iterations, where a mask selects the valid elements.
        """
        if not isinstance(node.value, cst.Name) or self.run.values.get(node.value, UNKNOWN).kind is not Kind.ARRAY:
            return None
        array = node.value.value
        if array in self.private or array in self.names or array in dict(self.rows):
            return None
        parts = flat(node)
        parts = tuple(cst.SubscriptElement(masked[k]) if k in masked else p for k, p in enumerate(parts))
        axes: list[int] = []
        offsets: list[int] = []
        ends: list[int | None] = []
        full: list[bool] = []
        clamped: list[bool] = []
        for axis, part in enumerate(parts):
            axes.append(-1)
            offsets.append(0)
            ends.append(None)
            full.append(False)
            clamped.append(False)
            mentioned = self.mentions(part)
            if isinstance(part.slice, cst.Slice):
                if mentioned or part.slice in self.run.slices.sliced:
                    return Access(node, array, parts, None)
                axes[-1] = -2
                continue
            index = integer(part)
            if index is None or self.run.values.get(index, UNKNOWN).kind is not Kind.SCALAR:
                return Access(node, array, parts, None)
            if not mentioned:
                continue
            form = self.evolution.form(index)
            held = [k for k, n in enumerate(self.names) if form is not None and n in form.names]
            if form is None or len(held) != 1 or held[0] in axes:
                return Access(node, array, parts, None)
            offset = (form - atom(self.names[held[0]])).number
            low, high = self.bounds[held[0]]
            if offset is None or low is None or high is None:
                return Access(node, array, parts, None)
            facts = self.evolution.facts(self.nest[0])
            extent = self.extent_of(array, axis)
            short = None if extent is None else (extent - high - offset).number
            short = short if short is not None and short >= 0 else None
            if short is None and not self.always(node, offset):
                return Access(node, array, parts, None)
            counted = bool(self.rows) or nonnegative(high + offset, facts)  # the number of rows of an array is not negative
            if not nonnegative(low + offset, facts):
                return Access(node, array, parts, None)
            clamped[-1] = short is None and not counted
            unit = abs(self.order[held[0]].step) == 1
            axes[-1], offsets[-1], ends[-1] = held[0], offset, short
            full[-1] = unit and low + offset == Affine() and short == 0
        return Access(node, array, parts, tuple(axes), tuple(offsets), tuple(ends), tuple(full), tuple(clamped))

    def always(self, node: cst.Subscript, offset: int) -> bool:
        """Whether every iteration reads what a subscript selects, or could, since no enclosing test depends on the value of an
        index.
        """
        at: cst.CSTNode | None = node
        while at is not None and at is not self.nest[-1].body:
            above = self.run.source.parents.get(at)
            match above:
                case cst.If(test=test) | cst.IfExp(test=test) if at is not test and above not in self.run.unit.reached:
                    holds = at is above.body
                case cst.BooleanOperation(left=test, operator=operator, right=right) if at is right:
                    holds = isinstance(operator, cst.And)
                case _:
                    at = above
                    continue
            if offset or (not _leaves_one_out(test, holds) and any(self._is_index(n) for n in self._bare(test))):
                return False
            at = above
        return True

    def _is_index(self, node: cst.CSTNode) -> bool:
        return isinstance(node, cst.Name) and node.value in self.names

    def _bare(self, root: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes of an expression, without those in subscripts."""
        stack = [root]
        while stack:
            node = stack.pop()
            yield node
            stack += () if isinstance(node, cst.Subscript) else children(node)

    def extent_of(self, array: str, axis: int) -> Affine | None:
        return self.evolution.extent(array, axis, self.nest[0]) if array.isidentifier() else None

    def mentions(self, node: cst.CSTNode) -> bool:
        moving = {*self.names, *dict(self.rows), *self.private}
        return any(isinstance(n, cst.Name) and n.value in moving for n, _p in walk(node))

    def ragged(self, root: cst.CSTNode) -> Ragged | None:
        """The conversion of the slices of a statement, where their bounds are not known when tracing."""
        plan = self.run.slices.ragged.get(root)
        cut = (part.slice for node in (plan.sliced if plan is not None else ()) for part in flat(node))
        bounds = [b for part in cut if isinstance(part, cst.Slice) for b in (part.lower, part.upper, part.step) if b is not None]
        return None if all(self.is_static(b) for b in bounds) else plan

    @cached_property
    def plans(self) -> Mapping[cst.CSTNode, Ragged]:
        """The conversion of the slices of an iteration's statements and conditions, by these, in their order."""
        if not self.run.slices.ragged:
            return {}
        return {root: plan for root, _parent in walk(self.body) if (plan := self.ragged(root)) is not None}

    def _read_whole(self) -> dict[cst.Subscript, dict[int, cst.BaseSlice]]:
        """The subscripts with slices that vary between iterations, where every iteration reads the same part of an axis."""
        found: dict[cst.Subscript, dict[int, cst.BaseSlice]] = {}
        for plan in self.plans.values():
            if plan.selection:
                continue
            for node, read in plan.reads.items():
                masked = node in plan.masks or node in plan.windows
                if read.roll is None and not masked and not any(isinstance(p, tuple) for p in read.parts.values()):
                    found[node] = {k: p if isinstance(p, cst.BaseSlice) else cst.Slice(None, None) for k, p in read.parts.items()}
        return found

    def _reads(self, stored: set[cst.Subscript]) -> Iterator[Access]:
        cut = self._read_whole()
        for node, _parent in walk(self.body):
            if isinstance(node, cst.Subscript) and node not in stored and self.mentions(node):
                access = self.access(node)
                if access is not None and access.axes is None and node in cut:
                    access = self.access(node, cut[node])
                if access is not None:
                    self.accesses[node] = access
                    yield access

    def _numbers(
        self, reads: tuple[Access, ...], stores: list[Store], reductions: list[Reduction], others: tuple[cst.CSTNode, ...] = ()
    ) -> set[str]:
        """Names that are used other than as an index which becomes a slice."""
        sliced: set[cst.CSTNode] = {a.node for a in reads if a.axes is not None}
        sliced |= {target for s in stores if s.target.axes is not None for target in s.targets}
        sliced |= {*others, *(part for s in self.segments.values() for part in s.sliced)}
        sliced |= {r.whole for r in reductions if (r.positions or r.how == FIRST) and not self._uses_index(r.value)}
        found: set[str] = set()
        stack: list[cst.CSTNode] = [self.body]
        while stack:
            node = stack.pop()
            if node in sliced:
                continue
            if isinstance(node, cst.Name):
                found.add(node.value)
            stack += children(node)
        return found

    def _uses_index(self, node: cst.CSTNode) -> bool:
        """Whether a loop index occurs in an expression, other than in a subscript that becomes a slice."""
        stack = [node]
        while stack:
            at = stack.pop()
            access = self.accesses.get(at)
            if access is not None and access.axes is not None:
                continue
            if isinstance(at, cst.Name) and at.value in self.names:
                return True
            stack += children(at)
        return False

    def _carried(self, node: cst.CSTNode) -> bool:
        return any(isinstance(n, cst.Name) and n.value in self.loop.carry for n, _p in walk(node))


def _leaves_one_out(test: cst.BaseExpression, holds: bool) -> bool:
    """Whether the outcome of a test only implies that two numbers differ."""
    match test:
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.NotEqual())]):
            return holds
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.Equal())]):
            return not holds
    return False


def flat(node: cst.Subscript) -> tuple[cst.SubscriptElement, ...]:
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Tuple(elements=elements)))]:
            return tuple(cst.SubscriptElement(cst.Index(e.value)) for e in elements)
    return tuple(node.slice)


def integer(part: cst.SubscriptElement) -> cst.BaseExpression | None:
    """The index in a part of a subscript, None where it is a slice, an ellipsis, None, or a list."""
    index = part.slice.value if isinstance(part.slice, cst.Index) else None
    none = isinstance(index, cst.Name) and index.value == "None"
    return None if none or isinstance(index, (cst.Ellipsis, cst.Tuple, cst.List)) else index


def is_whole(part: cst.SubscriptElement) -> bool:
    return isinstance(part.slice, cst.Slice) and part.slice.lower is None and part.slice.upper is None and part.slice.step is None


def is_size(node: cst.Name, parent: cst.CSTNode | None) -> bool:
    """Whether only the shape or the dtype of an array is read, which stores do not change."""
    return isinstance(parent, cst.Attribute) and parent.value is node and parent.attr.value in SIZES


def binds_only(nest: Nest, binder: cst.CSTNode, inside: set[cst.CSTNode]) -> bool:
    """Whether the variables of an assignment in an iteration are read in these nodes only, so that it may be removed with them:
    it has no comment, and no side effect.
    """
    if not isinstance(binder, cst.Assign) or commented(nest.run, binder):
        return False
    bound = {n.value for t in binder.targets for n, _parent in walk(t) if isinstance(n, cst.Name)}
    if not bound <= nest.private or not all(_plain(n, nest) for n, _parent in walk(binder)):
        return False
    own = {n for n, _parent in walk(binder)}
    reads = (n for n, _parent in walk(nest.body) if isinstance(n, cst.Name) and n.value in bound)
    return all(n in inside or n in own for n in reads)


def _plain(node: cst.CSTNode, nest: Nest) -> bool:
    """Whether a node has no side effect, and binds no element of an array or attribute of an object."""
    if isinstance(node, cst.Call):
        return (nest.run.scopes.qualname(node.func) or "") in ("builtins.min", "builtins.max", "builtins.len", "builtins.int")
    if isinstance(node, cst.AssignTarget):
        return isinstance(node.target, (cst.Name, cst.Tuple))
    return not isinstance(node, (cst.NamedExpr, cst.Await, cst.Yield, cst.Lambda))
