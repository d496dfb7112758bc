"""A nest of loops whose turns are looked at: its indices, the rows and subscripts that its turns read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import libcst as cst

from ...rules import loop_ranges
from ...rules.facts import UNKNOWN
from ...rules.model import Kind
from ...rules.spans import Mask, Product, Ragged
from ..source import children, walk
from .affine import Affine, atom, nonnegative, size
from .dependence import Index
from .loop_returns import Returned
from .loops import Loop
from .places import Places
from .selections import commented
from .sequences import first_counted
from .state import Run
from .zipped import Zipped, rows_of, sliced_rows, zipped

NOTHING: Mapping[Any, Any] = {}
FIRST = "first"
SIZES = ("shape", "dtype", "ndim", "size")
ROWS = "<rows>"  # stands for what the loop goes through, where nobody knows how long that is


class Access(NamedTuple):
    """One subscript of an array in a turn. `axes`: for each part the number of the index in the nest, -1 where no index stands
    in it, -2 for a slice; None where all turns together read no slice of the array. `offsets`: added to the index. `ends`: by
    how many items the greatest index and one fall short of the axis, None where that is not known. `full`: the index goes
    through all of the axis. `clamped`: the bound above the index may be negative, where there are no turns."""

    node: cst.Subscript
    array: str
    parts: tuple[cst.SubscriptElement, ...]
    axes: tuple[int, ...] | None
    offsets: tuple[int, ...] = ()
    ends: tuple[int | None, ...] = ()
    full: tuple[bool, ...] = ()
    clamped: tuple[bool, ...] = ()


class Put(NamedTuple):
    """A store, or a term of a sum, on one side of a branch: `value`, with an `operator` at its place, None where it takes the place of
    what was there. `target`: the place, None for a variable."""

    node: cst.Assign | cst.AugAssign
    target: cst.Subscript | None
    value: cst.BaseExpression
    operator: cst.BaseAugOp | None


class Choice(NamedTuple):
    """What is stored where a test holds, and where it does not, or added: another choice, a store, or None for nothing. `partial`: how
    many operations on its sides are undefined for some values."""

    test: cst.BaseExpression
    yes: Choice | Put | None
    no: Choice | Put | None
    partial: int = 0

    @property
    def puts(self) -> tuple[Put, ...]:
        """What is stored or added at the ends of all ways through it."""
        return tuple(end for end in self._ends if end is not None)

    @property
    def _ends(self) -> tuple[Put | None, ...]:
        sides = (self.yes, self.no)
        return tuple(end for side in sides for end in (side._ends if isinstance(side, Choice) else (side,)))

    @property
    def tests(self) -> tuple[cst.BaseExpression, ...]:
        return (self.test, *(test for side in (self.yes, self.no) if isinstance(side, Choice) for test in side.tests))

    @property
    def keeps(self) -> bool:
        """Whether it needs what was there."""
        return any(end is None or end.operator is not None for end in self._ends)


class Store(NamedTuple):
    """`array[...] = value`, or `array[...] op= value` with an `operator`. `maker`: the statement before the loop that makes the
    array, all of which the loop stores. `fits`: the value certainly has the shape of the place. `open`: the array may have more
    axes than the subscript has parts. `summed`: the indices of the nest that the place does not mention: what turns add to one
    place is summed along them. `own`: the read of the place in `array[...] = array[...] + value`. `masks`: for each place of
    `a[i, i:] = a[i:, i] = value`, whose slices differ from turn to turn, the place with whole axes and which items count;
    `again`: statements after it that store the same value into the other places. `branch`: the `if` whose sides store into the place,
    `choice`: what they do; `node` and `value` are those of one side then. `first`: what sides bind before they store."""

    node: cst.Assign | cst.AugAssign
    target: Access
    value: cst.BaseExpression
    operator: cst.BaseAugOp | None = None
    maker: cst.SimpleStatementLine | None = None
    fits: bool = False
    open: bool = True
    summed: tuple[int, ...] = ()
    own: cst.BaseExpression | None = None
    masks: tuple[tuple[Access, Mask], ...] = ()
    again: tuple[cst.Assign, ...] = ()
    same: bool = False
    branch: cst.If | None = None
    choice: Choice | None = None
    first: tuple[cst.Assign, ...] = ()

    @property
    def whole(self) -> cst.CSTNode:
        """The statement of the turn that it is."""
        return self.node if self.branch is None else self.branch

    @property
    def nodes(self) -> tuple[cst.CSTNode, ...]:
        """All statements that store."""
        return (self.node, *self.again, *(put.node for put in self.puts))

    @property
    def targets(self) -> tuple[cst.Subscript, ...]:
        """The places as they stand in these statements."""
        puts = (put.target for put in self.puts if put.target is not None)
        return (self.target.node, *(access.node for access, _mask in self.masks), *puts)

    @property
    def puts(self) -> tuple[Put, ...]:
        """What the sides of the branch store."""
        return () if self.choice is None else self.choice.puts


class Reduction(NamedTuple):
    """`name op= value`, or `name.append(value)`. `how`: "sum", "prod", "max", "min", "stack", "first". `maker`: the statement before the
    loop that makes the list which is filled; `arrays`: the calls that make an array of it. `branch`: the `if` around the statement,
    `test`: what it asks, None where it only asks for something greater or less than there was. `positions`: variables that get the
    index of the turn in which that was so for the last time. `taken`: what the first turn in which the test holds binds, and ends
    the loop ("first"); `flag`: one that says no more than that; `returned`: what it returns, if it does. `choice`: what the sides of
    the branch add, where that is more than one term; `first`: what they bind before."""

    node: cst.Assign | cst.AugAssign | cst.Expr | cst.If
    name: str
    value: cst.BaseExpression
    how: str
    minus: bool = False
    python: bool = False  # Python's `max`, which goes past NaN
    start: str = ""  # the dtype that there is before the loop
    into: str = ""  # an array of floating-point numbers that it is stored in after the loop
    maker: cst.SimpleStatementLine | None = None
    arrays: tuple[cst.Call, ...] = ()
    branch: cst.If | None = None
    test: cst.BaseExpression | None = None
    positions: tuple[str, ...] = ()
    taken: tuple[tuple[str, cst.BaseExpression], ...] = ()
    flag: str = ""
    returned: Returned | None = None
    choice: Choice | None = None
    first: tuple[cst.Assign, ...] = ()

    @property
    def nodes(self) -> tuple[cst.CSTNode, ...]:
        """All statements that add to it."""
        return (self.node, *(put.node for put in self.choice.puts)) if self.choice is not None else (self.node,)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that it binds."""
        return tuple(name for name, _value in self.taken) if self.how == FIRST else (self.name, *self.positions)

    @property
    def whole(self) -> cst.CSTNode:
        """The statement of the turn that it is."""
        return self.node if self.branch is None else self.branch


class MaskedProduct(NamedTuple):
    """A product of two vectors of a turn, of which the same elements count: for all turns, `jnp.where(mask, left, 0) @ right`.

    `row`: the number of the index that tells the row of `left`, and of the mask; `right` is a vector, or each turn's is a column."""

    node: cst.BaseExpression
    left: Access
    right: Access
    mask: Mask
    row: int


class Segment(NamedTuple):
    """A sum over the items of vectors between two bounds of a turn, `p[i]` and the one after it. `node`: the `product` of two vectors, or
    a call of np.sum (then that is None); `root`: the statement that it stands in; `cut`: the subscripts in it that select these
    items; `last`: the read of the second bound; `binders`: assignments that bind variables to the bounds, and to nothing else."""

    node: cst.BaseExpression
    root: cst.CSTNode
    product: Product | None
    cut: tuple[cst.Subscript, ...]
    last: Access
    binders: tuple[cst.CSTNode, ...] = ()


class WindowRead(NamedTuple):
    """A subscript with slices of constant length, `windows`, whose starts are an index of the nest and what is added to it: a
    turn's part of an array is one of all such parts. `access`: all of their axes, and no new ones; `starts`: position in it -> index,
    and the number that is added (None: no number that is written there); `sizes`: position -> length; `along`: the axes of all
    parts, each of a window after that of its starts."""

    node: cst.Subscript
    access: Access
    starts: Mapping[int, tuple[int, int | None]]
    sizes: Mapping[int, str]
    along: Access


class Prefix(NamedTuple):
    """What a loop stores are the sums, products, or greatest or least of all terms so far: `how` as in a reduction. `name`: the
    variable that holds it before the loop; "" where the item before the first one that is stored does. `wide`: the terms have to
    be as wide as the array, or as what the variable and a term give."""

    how: str
    term: cst.BaseExpression
    minus: bool = False
    name: str = ""
    wide: bool = False


class Turns(NamedTuple):
    """A nest of loops whose turns can be taken at once. `elementwise`: as code on whole arrays. `dear`: why a turn's arrays
    should not be made for all turns at once, "" where they may."""

    nest: tuple[cst.For, ...]
    indices: tuple[str, ...]
    stores: tuple[Store, ...]
    reductions: tuple[Reduction, ...]
    reads: tuple[Access, ...]
    elementwise: bool
    dear: str = ""
    plain: frozenset[str] = frozenset()  # indices that are used as numbers
    numbers: bool = True  # the items of arrays are numbers, as far as a turn adds them up
    rows: tuple[tuple[str, cst.BaseExpression], ...] = ()  # variables that are rows of arrays, and the arrays
    items: bool = False  # what a turn reads of arrays are numbers, as what it stores shows
    carry: tuple[str, ...] = ()  # what a loop carries whose turns `lax.scan` takes (see trajectories)
    unset: frozenset[str] = frozenset()  # of that, numbers that have no value before the loop
    before: tuple[tuple[cst.Subscript, str], ...] = ()  # reads of what the turn before stored, and the arrays
    prefix: Prefix | None = None
    products: tuple[MaskedProduct, ...] = ()  # in code on whole arrays
    windows: tuple[WindowRead, ...] = ()  # parameters of the function of a turn
    segments: tuple[Segment, ...] = ()  # in code on whole arrays
    signs: Mapping[str, int] = NOTHING  # the least that numbers must be
    gone: tuple[cst.CSTNode, ...] = ()  # assignments of what only bounded slices that turns do not read themselves any more
    part: tuple[cst.CSTNode, ...] = ()  # the statements of a turn that these are, where they are not all (see distribution)

    @property
    def rows_read(self) -> tuple[Access, ...]:
        """The reads that are parameters of the function of a turn."""
        return tuple(a for a in self.reads if any(axis >= 0 for axis in a.axes or ()) and not self.elementwise and not self.dear)

    @property
    def statements(self) -> frozenset[cst.CSTNode]:
        kept: list[Store | Reduction] = [*self.stores, *self.reductions]
        branches = dict.fromkeys(k.branch for k in kept if k.choice is not None and k.branch is not None)
        inside = [node for branch in branches for node, _parent in walk(branch) if isinstance(node, cst.If)]
        return frozenset([*inside, *(node for k in kept for node in (*k.nodes, k.whole))])


class Nest:
    """The loops, from the outermost, and what is read in their turns."""

    def __init__(
        self,
        run: Run,
        places: Places,
        nest: list[cst.For],
        loop: Loop,
        is_static: Callable[[cst.CSTNode], bool],
        body: cst.BaseSuite | None = None,
    ) -> None:
        self.run, self.places, self.nest, self.loop, self.is_static = run, places, nest, loop, is_static
        self.body = nest[-1].body if body is None else body  # of a turn, or the part of it that is looked at
        self.names: list[str] = []
        self.order: list[Index] = []
        self.bounds: list[tuple[Affine | None, Affine | None]] = []
        self.private: frozenset[str] = frozenset()
        self.accesses: dict[cst.CSTNode, Access] = {}
        self.rows: tuple[tuple[str, cst.BaseExpression], ...] = ()
        self.products: dict[cst.CSTNode, MaskedProduct] = {}
        self.segments: dict[cst.CSTNode, Segment] = {}
        self.numbers = False  # what is stored shows that a turn works with numbers
        self.varying: dict[cst.CSTNode, frozenset[int]] = {}  # statements, and the indices along which their values vary

    def counted(self, loop: cst.For) -> bool:
        """Whether a loop of the nest is a range whose bounds are known when tracing, or goes through the rows of an array."""
        found = self.run.compiled.get(loop)
        if found is None or found.why or (found.exits.guards and not self._searches(loop)):
            return False
        if found.form == "rows":
            return len(self.nest) == 1 and self._through_rows(loop)
        if not isinstance(loop.target, cst.Name):
            return False
        self.names.append(loop.target.value)
        if (
            found.form != "range"
            or not isinstance(loop.iter, cst.Call)
            or self.run.scopes.qualname(loop.iter.func) != "builtins.range"
        ):
            return False
        if (
            not all(self.is_static(a.value) for a in loop.iter.args)
            or (step := loop_ranges.step_of(loop.iter)) is None
            or step < -1
        ):
            return False
        of = self.places.ranges_of(loop)
        if len(of) != 1:
            return False
        self.order.append(Index(loop.target.value, step))
        low, high = of[0].start, of[0].stop
        if step == -1:
            low, high = None if high is None else high + 1, None if low is None else low + 1
        self.bounds.append((low, high))
        return True

    def _searches(self, loop: cst.For) -> bool:
        """Whether all that ends the turns of a loop early is one `if` at their end, which ends the loop."""
        guards = self.run.compiled[loop].exits.guards
        return len(self.nest) == 1 and self.loop.exits.breaks and guards == (getattr(self.body, "body", (None,))[-1],)

    def _through_rows(self, loop: cst.For) -> bool:
        """`for x in xs`, `for x, y in zip(xs, ys)`, and these enumerated; not from the last to the first."""
        target: cst.BaseExpression = loop.target
        iterable, index, first = loop.iter, "", 0
        if self._calls(iterable) == "builtins.enumerate":
            assert isinstance(iterable, cst.Call)
            start = first_counted(self.run, iterable)
            if start is None or not isinstance(target, cst.Tuple) or len(target.elements) != 2:
                return False
            first = start
            counter, target, iterable = target.elements[0].value, target.elements[1].value, iterable.args[0].value
            if not isinstance(counter, cst.Name):
                return False
            index = counter.value
        pairs: list[tuple[cst.BaseExpression, cst.BaseExpression]] = [(target, iterable)]
        if self._calls(iterable) == "builtins.zip":
            assert isinstance(iterable, cst.Call)
            if not isinstance(target, cst.Tuple) or len(target.elements) != len(iterable.args):
                return False
            if any(a.star or a.keyword for a in iterable.args):
                return False
            pairs = [(t.value, a.value) for t, a in zip(target.elements, iterable.args, strict=True)]
        for variable, array in pairs:
            if not isinstance(variable, cst.Name) or self.run.values.get(array, UNKNOWN).kind is not Kind.ARRAY:
                return False
            if self._calls(array).startswith("builtins."):
                return False
            if variable.value == index or variable.value in dict(self.rows):
                return False
            self.rows = (*self.rows, (variable.value, array))
        self.names.append(index)
        self.order.append(Index(index))
        self.bounds.append((Affine(first), self._row_count() + first))
        return bool(pairs)

    @cached_property
    def zipped(self) -> Zipped | None:
        """How the arrays that the loop goes through together become equally long."""
        return zipped(self.run, self.places, self.nest[0].iter, self.nest[0])

    def _row_count(self) -> Affine:
        """How many rows the loop goes through, or a number below 0 where there are none."""
        alone = self.rows[0][1]
        known = rows_of(self.run, self.places, alone, self.nest[0]) if self.zipped is None else self.zipped.length
        return atom(size(ROWS, 0)) if known is None else known

    def _calls(self, node: cst.BaseExpression) -> str:
        return self.run.scopes.qualname(node.func) or "" if isinstance(node, cst.Call) else ""

    def _written_again(self) -> bool:
        """Whether the arrays whose rows the loop goes through may be written wherever a turn reads one of them."""
        return len(self.rows) < 2 or all(sliced_rows(array) is not None for _name, array in self.rows)

    def _small(self, line: cst.CSTNode) -> Iterator[cst.CSTNode]:
        if isinstance(line, cst.SimpleStatementLine):
            yield from line.body
        else:
            yield line

    def access(self, node: cst.Subscript, masked: Mapping[int, cst.BaseSlice] = NOTHING) -> Access | None:
        """A subscript of an array that the loop does not bind anew, with the indices that stand in it.

        `masked`: what stands for slices that differ from turn to turn, where a mask takes what counts.
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
                if mentioned or part.slice in self.run.cut:
                    return Access(node, array, parts, None)
                axes[-1] = -2
                continue
            index = integer(part)
            if index is None or self.run.values.get(index, UNKNOWN).kind is not Kind.SCALAR:
                return Access(node, array, parts, None)
            if not mentioned:
                continue
            form = self.places.form(index)
            held = [k for k, n in enumerate(self.names) if form is not None and n in form.names]
            if form is None or len(held) != 1 or held[0] in axes:
                return Access(node, array, parts, None)
            offset = (form - atom(self.names[held[0]])).number
            low, high = self.bounds[held[0]]
            if offset is None or low is None or high is None:
                return Access(node, array, parts, None)
            facts = self.places.facts(self.nest[0])
            extent = self.extent_of(array, axis)
            short = None if extent is None else (extent - high - offset).number
            short = short if short is not None and short >= 0 else None
            if short is None and not self.always(node, offset):
                return Access(node, array, parts, None)
            counted = bool(self.rows) or nonnegative(high + offset, facts)  # as many rows as an array has are not less than none
            if not nonnegative(low + offset, facts):
                return Access(node, array, parts, None)
            clamped[-1] = short is None and not counted
            unit = abs(self.order[held[0]].step) == 1
            axes[-1], offsets[-1], ends[-1] = held[0], offset, short
            full[-1] = unit and low + offset == Affine() and short == 0
        return Access(node, array, parts, tuple(axes), tuple(offsets), tuple(ends), tuple(full), tuple(clamped))

    def always(self, node: cst.Subscript, offset: int) -> bool:
        """Whether every turn reads what a subscript selects, or would, since no test around it asks where an index stands."""
        at: cst.CSTNode | None = node
        while at is not None and at is not self.nest[-1].body:
            above = self.run.source.parents.get(at)
            match above:
                case cst.If(test=test) | cst.IfExp(test=test) if at is not test:
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
        return self.places.extent(array, axis, self.nest[0]) if array.isidentifier() else None

    def mentions(self, node: cst.CSTNode) -> bool:
        moving = {*self.names, *dict(self.rows), *self.private}
        return any(isinstance(n, cst.Name) and n.value in moving for n, _p in walk(node))

    def ragged(self, root: cst.CSTNode) -> Ragged | None:
        """What becomes of the slices of a statement, where their bounds are not known when tracing."""
        plan = self.run.ragged.get(root)
        cut = (part.slice for node in (plan.cut if plan is not None else ()) for part in flat(node))
        bounds = [b for part in cut if isinstance(part, cst.Slice) for b in (part.lower, part.upper, part.step) if b is not None]
        return None if all(self.is_static(b) for b in bounds) else plan

    @cached_property
    def plans(self) -> Mapping[cst.CSTNode, Ragged]:
        """What becomes of the slices of the statements and conditions of a turn, by these, in their order."""
        if not self.run.ragged:
            return {}
        return {root: plan for root, _parent in walk(self.body) if (plan := self.ragged(root)) is not None}

    def _read_whole(self) -> dict[cst.Subscript, dict[int, cst.BaseSlice]]:
        """The subscripts with slices that differ from turn to turn, of which the same part of an axis is read in every turn."""
        found: dict[cst.Subscript, dict[int, cst.BaseSlice]] = {}
        for plan in self.plans.values():
            if plan.chosen:
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
        sliced |= {*others, *(part for s in self.segments.values() for part in s.cut)}
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
        """Whether an index stands in an expression, other than in a subscript that becomes a slice."""
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
    """Whether a test that holds, or not, says no more than that two numbers differ."""
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


def code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def integer(part: cst.SubscriptElement) -> cst.BaseExpression | None:
    """The index that a part of a subscript is, None where it is a slice, an ellipsis, None, or a list."""
    index = part.slice.value if isinstance(part.slice, cst.Index) else None
    none = isinstance(index, cst.Name) and index.value == "None"
    return None if none or isinstance(index, (cst.Ellipsis, cst.Tuple, cst.List)) else index


def is_whole(part: cst.SubscriptElement) -> bool:
    return isinstance(part.slice, cst.Slice) and part.slice.lower is None and part.slice.upper is None and part.slice.step is None


def is_size(node: cst.Name, parent: cst.CSTNode | None) -> bool:
    """Whether an array is only asked for its shape or its dtype, which stores do not change."""
    return isinstance(parent, cst.Attribute) and parent.value is node and parent.attr.value in SIZES


def binds_only(nest: Nest, binder: cst.CSTNode, inside: set[cst.CSTNode]) -> bool:
    """Whether what an assignment in a turn binds is read in these nodes only, and it may be left out with them: no comment stands by it,
    and to compute it does nothing else."""
    if not isinstance(binder, cst.Assign) or commented(nest.run, binder):
        return False
    bound = {n.value for t in binder.targets for n, _parent in walk(t) if isinstance(n, cst.Name)}
    if not bound <= nest.private or not all(_plain(n, nest) for n, _parent in walk(binder)):
        return False
    own = {n for n, _parent in walk(binder)}
    reads = (n for n, _parent in walk(nest.body) if isinstance(n, cst.Name) and n.value in bound)
    return all(n in inside or n in own for n in reads)


def _plain(node: cst.CSTNode, nest: Nest) -> bool:
    """No part of an expression that changes anything, or binds a place in an array or an object."""
    if isinstance(node, cst.Call):
        return (nest.run.scopes.qualname(node.func) or "") in ("builtins.min", "builtins.max", "builtins.len", "builtins.int")
    if isinstance(node, cst.AssignTarget):
        return isinstance(node.target, (cst.Name, cst.Tuple))
    return not isinstance(node, (cst.NamedExpr, cst.Await, cst.Yield, cst.Lambda))
