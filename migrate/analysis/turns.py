"""Loops whose turns do not depend on each other: each stores into places of its own, or adds to what no turn reads.

All turns can be taken at once then: by `jax.vmap` of one turn, or by code on whole arrays where a turn works on numbers only,
element by element. A loop is looked at together with the loops in it that are all of its body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from ...rules import loop_ranges, numpy_table
from ...rules.dtypes import category
from ...rules.facts import UNKNOWN, Value, replace
from ...rules.model import Kind
from ..source import children, walk
from .affine import Affine, atom, nonnegative
from .dependence import Index, Part, Relation, Span, injective, relation
from .loops import Loop, bound_in
from .places import Places
from .state import Run

SUM, PRODUCT, MOST, LEAST = "sum", "prod", "max", "min"
AUGMENTED: dict[type[cst.BaseAugOp], str] = {cst.AddAssign: SUM, cst.SubtractAssign: SUM, cst.MultiplyAssign: PRODUCT}
OPERATORS: dict[type[cst.BaseBinaryOp], str] = {cst.Add: SUM, cst.Subtract: SUM, cst.Multiply: PRODUCT}
EXTREMES = {"numpy.maximum": MOST, "numpy.minimum": LEAST, "builtins.max": MOST, "builtins.min": LEAST}
NUMBER = "<number>"  # the family of operands that are numbers in each turn; other families have the shape of an array's rows
ELEMENTWISE_MATH = frozenset("sqrt sin cos tan exp log log10 log2 log1p expm1 sinh cosh tanh atan atan2 fabs hypot".split())


@dataclass(frozen=True, slots=True)
class Access:
    """One subscript of an array in a turn. `axes`: for each part the number of the index in the nest, -1 where no index stands
    in it, -2 for a slice; None where all turns together read no slice of the array. `offsets`: added to the index. `ends`: by
    how many items the greatest index and one fall short of the axis, None where that is not known. `full`: the index goes
    through all of the axis."""

    node: cst.Subscript
    array: str
    parts: tuple[cst.SubscriptElement, ...]
    axes: tuple[int, ...] | None
    offsets: tuple[int, ...] = ()
    ends: tuple[int | None, ...] = ()
    full: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Store:
    """`array[...] = value`, or `array[...] op= value` with an `operator`. `maker`: the statement before the loop that makes the
    array, all of which the loop stores. `fits`: the value certainly has the shape of the place. `open`: the array may have more
    axes than the subscript has parts. `summed`: the indices of the nest that the place does not mention: what turns add to one
    place is summed along them. `own`: the read of the place in `array[...] = array[...] + value`."""

    node: cst.Assign | cst.AugAssign
    target: Access
    value: cst.BaseExpression
    operator: cst.BaseAugOp | None = None
    maker: cst.SimpleStatementLine | None = None
    fits: bool = False
    open: bool = True
    summed: tuple[int, ...] = ()
    own: cst.BaseExpression | None = None


@dataclass(frozen=True, slots=True)
class Reduction:
    """`name op= value`. `how`: "sum", "prod", "max", "min". `operator`: how the result is joined to what there was."""

    node: cst.Assign | cst.AugAssign
    name: str
    value: cst.BaseExpression
    how: str
    minus: bool = False
    python: bool = False  # Python's `max`, which goes past NaN
    start: str = ""  # the dtype that there is before the loop
    into: str = ""  # an array of floating-point numbers that it is stored in after the loop


@dataclass(frozen=True, slots=True)
class Turns:
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

    @property
    def statements(self) -> frozenset[cst.CSTNode]:
        return frozenset([*(s.node for s in self.stores), *(r.node for r in self.reductions)])


def classify(run: Run, places: Places, node: cst.For, loop: Loop, is_static: Callable[[cst.CSTNode], bool]) -> Turns | None:
    """The turns of a loop that jit compiles, where all can be taken at once; of the largest nest of loops for which that holds.

    `is_static`: whether the bounds of a range are known when tracing, as the shapes of arrays must be.
    """
    nest = [node]
    while (inner := _only_loop(nest[-1])) is not None and inner in run.compiled:
        nest.append(inner)
    for depth in range(len(nest), 0, -1):
        found = _Nest(run, places, nest[:depth], loop, is_static).turns()
        if found is not None:
            return found
    return None


def _only_loop(node: cst.For) -> cst.For | None:
    body = node.body.body
    return body[0] if len(body) == 1 and isinstance(body[0], cst.For) else None


class _Nest:
    """The nest that is looked at; `turns` says what becomes of it."""

    def __init__(
        self, run: Run, places: Places, nest: list[cst.For], loop: Loop, is_static: Callable[[cst.CSTNode], bool]
    ) -> None:
        self.run, self.places, self.nest, self.loop, self.is_static = run, places, nest, loop, is_static
        self.body = nest[-1].body
        self.names: list[str] = []
        self.order: list[Index] = []
        self.bounds: list[tuple[Affine | None, Affine | None]] = []
        self.private: frozenset[str] = frozenset()
        self.accesses: dict[cst.CSTNode, Access] = {}
        self.rows: tuple[tuple[str, cst.BaseExpression], ...] = ()
        self.numbers = False  # what is stored shows that a turn works with numbers

    def turns(self) -> Turns | None:
        if self.loop.index_after or not all(self._counted(f) for f in self.nest) or len(set(self.names)) < len(self.names):
            return None
        if not isinstance(self.body, cst.IndentedBlock) or any(
            bound_in(self.run, f) & {*self.names, *dict(self.rows)} for f in self.nest[-1:]
        ):
            return None
        bound = bound_in(self.run, self.nest[0]) - {*self.names, *dict(self.rows)}
        self.private = bound - set(self.loop.carry)
        statements = [s for line in self.body.body for s in self._small(line)]
        stores, reductions = [], []
        for statement in statements:
            if (store := self._store(statement)) is not None:
                stores.append(store)
            elif (reduction := self._reduction(statement)) is not None:
                reductions.append(reduction)
        kept = [*(s.target.array for s in stores), *(r.name for r in reductions)]
        if not kept or set(kept) != set(self.loop.carry) or len(set(kept)) < len(kept):
            return None
        if not all(self._independent(s, statements) for s in stores) or not all(self._unread(r) for r in reductions):
            return None
        if not self._changes_nothing_else({*(s.node for s in stores), *(r.node for r in reductions)}):
            return None
        reads = tuple(self._reads({s.target.node for s in stores}))
        elementwise = self._elementwise(statements, stores, reductions)
        if not elementwise and any(s.summed for s in stores):
            return None
        stores = [self._described(s, elementwise) for s in stores]
        if any(not _is_whole(p) for s in stores if not s.fits for p in s.target.parts if isinstance(p.slice, cst.Slice)):
            return None
        dear = "" if elementwise else self._dear()
        if dear and (reductions or len(self.nest) > 1 or not stores or self.rows):
            return None
        if dear and any(-2 in (s.target.axes or ())[: (s.target.axes or ()).index(0)] for s in stores):
            return None
        plain = frozenset(self.names) & self._numbers(reads, stores)
        return Turns(
            tuple(self.nest),
            tuple(self.names),
            tuple(stores),
            tuple(reductions),
            reads,
            elementwise,
            dear,
            plain,
            self.numbers or all(self.run.values.get(r.value, UNKNOWN).kind is Kind.SCALAR for r in reductions),
            self.rows,
            self.numbers,
        )

    # --- the loops ---

    def _counted(self, loop: cst.For) -> bool:
        """Whether a loop of the nest is a range whose bounds are known when tracing, or goes through the rows of an array."""
        found = self.run.compiled.get(loop)
        if found is None or found.why or found.exits.guards:
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

    def _through_rows(self, loop: cst.For) -> bool:
        """`for x in xs`, `for x, y in zip(xs, ys)`, and these enumerated from 0."""
        target: cst.BaseExpression = loop.target
        iterable, index = loop.iter, ""
        if self._calls(iterable) == "builtins.enumerate":
            assert isinstance(iterable, cst.Call)
            if len(iterable.args) != 1 or not isinstance(target, cst.Tuple) or len(target.elements) != 2:
                return False
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
            if variable.value == index or variable.value in dict(self.rows):
                return False
            self.rows = (*self.rows, (variable.value, array))
        self.names.append(index)
        self.order.append(Index(index))
        first = pairs[0][1]
        length = self._extent(first.value, 0) if isinstance(first, cst.Name) else None
        self.bounds.append((Affine(), length))
        return bool(pairs)

    def _calls(self, node: cst.BaseExpression) -> str:
        return self.run.scopes.qualname(node.func) or "" if isinstance(node, cst.Call) else ""

    def _as_long(self) -> bool:
        """Whether all arrays whose rows the loop goes through certainly have as many."""
        lengths = [self._extent(a.value, 0) if isinstance(a, cst.Name) else None for _name, a in self.rows]
        return len(self.rows) < 2 or (None not in lengths and len(set(lengths)) == 1)

    def _small(self, line: cst.CSTNode) -> Iterator[cst.CSTNode]:
        if isinstance(line, cst.SimpleStatementLine):
            yield from line.body
        else:
            yield line

    # --- what a turn leaves behind ---

    def _store(self, statement: cst.CSTNode) -> Store | None:
        operator: cst.BaseAugOp | None = None
        match statement:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript() as target)], value=value):
                pass
            case cst.AugAssign(target=cst.Subscript() as target, operator=operator, value=value):
                pass
            case _:
                return None
        updates = self.run.updates.get(statement, [])
        if len(updates) != 1 or not isinstance(target.value, cst.Name) or target.value.value not in self.loop.carry:
            return None
        update = updates[0]
        plain = update.place == target.value.value and len(update.steps) == 1 and not update.problem and not update.refresh
        access = self._access(target) if plain and update.steps[0] is target else None
        if access is None or access.axes is None or not isinstance(statement, (cst.Assign, cst.AugAssign)):
            return None
        summed = tuple(k for k in range(len(self.names)) if k not in access.axes)
        own: cst.BaseExpression | None = None
        if summed and not self._adds_up(target, value):
            return None
        if summed:
            match statement:
                case cst.Assign(value=cst.BinaryOperation(left=own, operator=cst.Add(), right=value)) if own.deep_equals(target):
                    operator = cst.AddAssign()
        if type(operator) not in (*((type(None), cst.MultiplyAssign) if not summed else ()), cst.AddAssign, cst.SubtractAssign):
            return None
        return Store(statement, access, value, operator, summed=summed, own=own if operator is not None else None)

    def _adds_up(self, target: cst.Subscript, value: cst.BaseExpression) -> bool:
        """Whether an item of an array gets the same sum at once as bit by bit: integers are truncated after each addition."""
        given = category(self.run.values.get(value, UNKNOWN).dtype)
        kept = category(self.run.values.get(target.value, UNKNOWN).dtype)
        return kept >= 2 or 0 <= given <= kept

    def _reduction(self, statement: cst.CSTNode) -> Reduction | None:
        match statement:
            case cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value) if type(operator) in AUGMENTED:
                found = Reduction(statement, name, value, AUGMENTED[type(operator)], isinstance(operator, cst.SubtractAssign))
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                made = self._joined(statement, name, value)
                if made is None:
                    return None
                found = made
            case _:
                return None
        if name not in self.loop.carry:
            return None
        updates = self.run.updates.get(statement, [])
        if len(updates) > 1 or any(u.place != name or u.steps or u.problem or u.refresh for u in updates):
            return None
        given = self.run.values.get(found.value, UNKNOWN)
        if not given.numeric or not self._sure_dtype(found, given, bool(updates)):
            return None
        into = self._stored_later(name)
        wide = into is not None and category(self.run.values.get(into, UNKNOWN).dtype) >= 2
        return replace(found, start=self._start(name).dtype, into=into.value if wide and isinstance(into, cst.Name) else "")

    def _joined(self, statement: cst.Assign, name: str, value: cst.BaseExpression) -> Reduction | None:
        match value:
            case cst.BinaryOperation(left=cst.Name(value=left), operator=operator, right=right) if left == name:
                how = OPERATORS.get(type(operator))
                return None if how is None else Reduction(statement, name, right, how, isinstance(operator, cst.Subtract))
            case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Multiply() as operator, right=cst.Name(value=right)):
                return Reduction(statement, name, left, OPERATORS[type(operator)]) if right == name else None
            case cst.Call(
                func=func, args=[cst.Arg(value=first, keyword=None, star=""), cst.Arg(value=second, keyword=None, star="")]
            ):
                called = self.run.scopes.qualname(func) or ""
                how = EXTREMES.get(called)
                mine = [isinstance(a, cst.Name) and a.value == name for a in (first, second)]
                python = called.startswith("builtins.")
                if how is None or mine[0] == mine[1] or (python and not mine[0]):
                    return None
                if self.run.values.get(second if mine[0] else first, UNKNOWN).kind is not Kind.SCALAR:
                    return None
                return Reduction(statement, name, second if mine[0] else first, how, python=python)
        return None

    def _sure_dtype(self, found: Reduction, value: Value, in_place: bool) -> bool:
        """Whether an array that is changed in place certainly keeps its dtype: it is no narrower than what is added."""
        before = self._start(found.name)
        if not in_place or before.kind is Kind.SCALAR:
            return True
        wide = before.dtype == "float64" and 0 <= category(value.dtype) <= 2
        return wide or before.dtype == "complex128" or (value.dtype == before.dtype and category(value.dtype) >= 2)

    def _start(self, name: str) -> Value:
        """What a variable holds before the loop, as far as the statements before it say."""
        block = list(getattr(self.run.source.parents.get(self.nest[0]), "body", ()))
        for line in reversed(block[: block.index(self.nest[0])]):
            for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
                match small:
                    case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=bound))], value=value) if bound == name:
                        return self.run.values.get(value, UNKNOWN)
            if any(isinstance(n, cst.Name) and n.value == name for n, _p in walk(line)):
                return UNKNOWN
        return UNKNOWN

    # --- independence ---

    def _subscript(self, node: cst.Subscript) -> list[Part]:
        parts: list[Part] = []
        for part in _flat(node):
            if isinstance(part.slice, cst.Slice):
                step = part.slice.step
                if step is not None and loop_ranges.number(step) != 1:
                    parts.append(None)
                    continue
                low, high = part.slice.lower, part.slice.upper
                parts.append(
                    Span(Affine() if low is None else self.places.form(low), None if high is None else self.places.form(high))
                )
            elif (index := _integer(part)) is None:
                return [*parts, *[None] * 8]
            else:
                number = self.run.values.get(index, UNKNOWN).kind is Kind.SCALAR
                parts.append(self.places.form(index) if number else None)
        return parts

    def _independent(self, store: Store, statements: list[cst.CSTNode]) -> bool:
        """Whether no turn writes or reads what another one writes, other than what it finds as it was before the loop."""
        place = self._subscript(store.target.node)
        facts = self.places.facts(store.target.node)
        if not injective(place, [index for k, index in enumerate(self.order) if k not in store.summed], facts):
            return False
        for node, parent in walk(self.body):
            if not (isinstance(node, cst.Name) and node.value == store.target.array) or node is store.target.node.value:
                continue
            if (
                isinstance(parent, cst.Attribute)
                and parent.attr.value in ("shape", "dtype", "ndim", "size")
                and parent.value is node
            ):
                continue
            if not isinstance(parent, cst.Subscript) or parent.value is not node:
                return False
            if parent is store.own:
                continue
            if store.summed:
                return False
            found = relation(place, self._subscript(parent), self.order, self.places.facts(parent))
            if found is Relation.MAYBE or (found is Relation.SAME and not self._before(parent, store, statements)):
                return False
        return True

    def _before(self, read: cst.CSTNode, store: Store, statements: list[cst.CSTNode]) -> bool:
        """Whether a turn reads something before it stores."""
        for statement in statements:
            if any(n is read for n, _p in walk(statement)):
                return True
            if statement is store.node:
                return False
        return False

    def _unread(self, found: Reduction) -> bool:
        """Whether a turn reads what it adds to nowhere else."""
        mentions = sum(isinstance(n, cst.Name) and n.value == found.name for f in self.nest for n, _p in walk(f.iter))
        mentions += sum(isinstance(n, cst.Name) and n.value == found.name for n, _p in walk(self.body))
        return mentions == (2 if isinstance(found.node, cst.Assign) else 1)

    def _changes_nothing_else(self, known: set[cst.CSTNode]) -> bool:
        """Whether all else that a turn changes in place is its own; and no other variable shares memory with what it stores."""
        written = {m for s in known for u in self.run.updates.get(s, ()) for m in u.value.memory}
        for node, _parent in walk(self.body):
            for update in self.run.updates.get(node, ()):
                if node not in known and (update.place not in self.private or update.refresh):
                    return False
            if isinstance(node, cst.Name) and node.value not in self.loop.carry:
                if written & self.run.values.get(node, UNKNOWN).memory:
                    return False
        return True

    # --- arrays ---

    def _access(self, node: cst.Subscript) -> Access | None:
        """A subscript of an array that the loop does not bind anew, with the indices that stand in it."""
        if not isinstance(node.value, cst.Name) or self.run.values.get(node.value, UNKNOWN).kind is not Kind.ARRAY:
            return None
        array = node.value.value
        if array in self.private or array in self.names or array in dict(self.rows):
            return None
        parts = _flat(node)
        axes: list[int] = []
        offsets: list[int] = []
        ends: list[int | None] = []
        full: list[bool] = []
        for axis, part in enumerate(parts):
            axes.append(-1)
            offsets.append(0)
            ends.append(None)
            full.append(False)
            mentioned = self._mentioned(part)
            if isinstance(part.slice, cst.Slice):
                if mentioned:
                    return Access(node, array, parts, None)
                axes[-1] = -2
                continue
            index = _integer(part)
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
            extent = self._extent(array, axis)
            short = None if extent is None else (extent - high - offset).number
            short = short if short is not None and short >= 0 else None
            if not nonnegative(low + offset, facts) or (short is None and not nonnegative(high + offset, facts)):
                return Access(node, array, parts, None)
            unit = abs(self.order[held[0]].step) == 1
            axes[-1], offsets[-1], ends[-1] = held[0], offset, short
            full[-1] = unit and low + offset == Affine() and short == 0
        return Access(node, array, parts, tuple(axes), tuple(offsets), tuple(ends), tuple(full))

    def _extent(self, array: str, axis: int) -> Affine | None:
        name = cst.parse_expression(f"{array}.shape[{axis}]")
        return self.places.form(name, self.nest[0])

    def _mentioned(self, node: cst.CSTNode) -> bool:
        moving = {*self.names, *dict(self.rows), *self.private}
        return any(isinstance(n, cst.Name) and n.value in moving for n, _p in walk(node))

    def _reads(self, stored: set[cst.Subscript]) -> Iterator[Access]:
        for node, _parent in walk(self.body):
            if isinstance(node, cst.Subscript) and node not in stored and self._mentioned(node):
                access = self._access(node)
                if access is not None:
                    self.accesses[node] = access
                    yield access

    def _numbers(self, reads: tuple[Access, ...], stores: list[Store]) -> set[str]:
        """Names that are used other than as an index which becomes a slice."""
        sliced = {a.node for a in (*reads, *(s.target for s in stores)) if a.axes is not None}
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

    # --- element by element ---

    def _elementwise(self, statements: list[cst.CSTNode], stores: list[Store], reductions: list[Reduction]) -> bool:
        """Whether a turn computes numbers of numbers, so that the same code computes arrays of arrays."""
        if any(a.axes is None or -2 in a.axes for a in (s.target for s in stores)) or not self._as_long():
            return False
        families: set[str] = set()
        spans: dict[str, frozenset[int]] = {}
        ranks = {s: self.run.values.get(s.target.node.value, UNKNOWN).rank for s in stores}
        terms: dict[cst.CSTNode, cst.BaseExpression] = {s.node: s.value for s in stores}
        terms.update({r.node: r.value for r in reductions})
        self.numbers = bool(stores or reductions) and all(rank == len(s.target.parts) for s, rank in ranks.items())
        self.numbers = self.numbers and all(self._stored_later(r.name) is not None for r in reductions)
        for statement in statements:
            match statement:
                case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value) if isinstance(
                    target, cst.Name
                ) or statement in {s.node for s in stores}:
                    pass
                case cst.AugAssign(value=value) if statement in terms:
                    target = statement.target
                case _:
                    return False
            kept = terms.get(statement, value)
            span = self._spanned(kept, families, spans)
            if span is None or any(not span.issuperset(s.summed) for s in stores if s.node is statement):
                return False
            if isinstance(target, cst.Name):
                spans[target.value] = span
                if target.value in {r.name for r in reductions} and span != set(range(len(self.names))):
                    return False
        single = len(self.names) == 1
        for store in stores:
            rank = ranks[store]
            if rank != len(store.target.parts) and not (single and families <= {self._family(store.target)}):
                return False
            order = [a for a in store.target.axes or () if a >= 0]
            if order != sorted(order) or (rank != len(store.target.parts) and store.target.axes != (0,)):
                return False
        if reductions and families - {NUMBER}:
            return single and len(families) == 1 and self._scalar_invariants(reductions)
        return not reductions or self.numbers or self._scalar_invariants(reductions)

    def _stored_later(self, name: str) -> cst.BaseExpression | None:
        """The array an item of which a variable becomes after the loop: it certainly is a number then."""
        block = list(getattr(self.run.source.parents.get(self.nest[0]), "body", ()))
        for line in block[block.index(self.nest[0]) + 1 :]:
            match line:
                case cst.SimpleStatementLine(
                    body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(value=base) as place)], value=value)]
                ) if _plainly(value, name):
                    parts = [_integer(part) for part in _flat(place)]
                    number = all(p is not None and self.run.values.get(p, UNKNOWN).kind is Kind.SCALAR for p in parts)
                    return base if number and self.run.values.get(base, UNKNOWN).rank == len(parts) else None
            if any(isinstance(n, cst.Name) and n.value == name for n, _p in walk(line)):
                return None
        return None

    def _scalar_invariants(self, reductions: list[Reduction]) -> bool:
        """Whether all that a sum is made of, beside the items of arrays, certainly are numbers."""
        inside = {n for access in self.accesses for n, _parent in walk(access)}
        for node, parent in walk(self.body):
            if not isinstance(node, cst.Name) or node.value in {*self.names, *dict(self.rows), *self.private}:
                continue
            attribute = isinstance(parent, cst.Attribute) and parent.attr is node
            if node not in inside and not attribute and node.value not in {r.name for r in reductions}:
                if self.run.values.get(node, UNKNOWN).kind not in (Kind.SCALAR, Kind.FUNCTION, Kind.MODULE):
                    return False
        return True

    def _family(self, access: Access) -> str:
        value = self.run.values.get(access.node.value, UNKNOWN)
        return value.shape or access.array

    def _spanned(self, node: cst.BaseExpression, families: set[str], spans: dict[str, frozenset[int]]) -> frozenset[int] | None:
        """The indices along which an expression varies, as an array of all turns; None where it is not elementwise."""

        def several(*nodes: cst.BaseExpression) -> frozenset[int] | None:
            found = [self._spanned(n, families, spans) for n in nodes]
            return None if any(f is None for f in found) else frozenset().union(*(f for f in found if f is not None))

        match node:
            case cst.Integer() | cst.Float() | cst.Imaginary():
                return frozenset()
            case cst.Name(value=name):
                if name in dict(self.rows):
                    array = dict(self.rows)[name]
                    families.add(self._number(node) or self.run.values.get(array, UNKNOWN).shape or _code(array))
                    return frozenset({0})
                if name in self.names:
                    families.add(NUMBER)
                    return frozenset({self.names.index(name)})
                if name in self.private:
                    return spans.get(name)
                return frozenset() if name not in self.loop.carry else None
            case cst.Subscript() if (access := self._access_of(node)) is not None:
                if access.axes is None or -2 in access.axes:
                    return self._gathered(node, families, spans)
                if not self._number(node) and access.axes != (0,):
                    return None
                families.add(self._number(node) or self._family(access))
                return frozenset(a for a in access.axes if a >= 0)
            case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(
                operator, (cst.MatrixMultiply, cst.LeftShift, cst.RightShift)
            ):
                return several(left, right)
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
                return several(inner)
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
                plain = isinstance(
                    operator,
                    (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal, cst.NotEqual),
                )
                return several(left, right) if plain else None
            case cst.Call(func=func, args=args) if not any(a.keyword or a.star for a in args):
                name = self.run.scopes.qualname(func) or ""
                entry = numpy_table.function(name)
                ufunc = entry is not None and entry.ufunc == len(args)
                short = name.removeprefix("math.")
                if ufunc or (name == "numpy.where" and len(args) == 3) or name == "builtins.abs":
                    return several(*(a.value for a in args))
                if name.startswith("math.") and short in ELEMENTWISE_MATH and self.run.values.get(node, UNKNOWN).device:
                    return several(*(a.value for a in args))
        return frozenset() if not self._mentioned(node) and not self._carried(node) else None

    def _number(self, node: cst.CSTNode) -> str:
        """The family of what certainly is a number in each turn, "" where it may be a row."""
        return NUMBER if self.numbers or self.run.values.get(node, UNKNOWN).kind is Kind.SCALAR else ""

    def _gathered(self, node: cst.Subscript, families: set[str], spans: dict[str, frozenset[int]]) -> frozenset[int] | None:
        """`a[i, i]`, `x[index[i]]` with one index: an index that is an array reads one item for each turn."""
        if len(self.names) > 1 or self.run.values.get(node.value, UNKNOWN).kind is not Kind.ARRAY:
            return None
        parts = _flat(node)
        for part in parts:
            index = _integer(part)
            if index is None or self.run.values.get(index, UNKNOWN).kind is not Kind.SCALAR:
                return None
            if self._spanned(index, set(), spans) is None:
                return None
        if len({self._mentioned(p) for p in parts}) > 1:
            return None
        array = self.run.values.get(node.value, UNKNOWN).shape or _code(node.value)
        families.add(self._number(node) or f"{array}:{len(parts)}")
        return frozenset({0}) if self._mentioned(node) else frozenset()

    def _access_of(self, node: cst.Subscript) -> Access | None:
        return self.accesses.get(node)

    def _carried(self, node: cst.CSTNode) -> bool:
        return any(isinstance(n, cst.Name) and n.value in self.loop.carry for n, _p in walk(node))

    # --- shapes of what is stored, and what it costs ---

    def _described(self, store: Store, elementwise: bool) -> Store:
        """With what is known of the array: the statement that makes it, where all of it is stored; whether the value fits."""
        target = self.run.values.get(store.target.node.value, UNKNOWN)
        value = self.run.values.get(store.value, UNKNOWN)
        slices = sum(a == -2 for a in store.target.axes or ())
        if elementwise or (target.rank == len(store.target.parts) and not slices):
            fits = True  # a number: NumPy raises for anything else
        else:
            rank = 0 if value.kind is Kind.SCALAR else value.rank
            fits = target.rank >= 0 and rank == target.rank - len(store.target.parts) + slices
        sure = value.kind is Kind.SCALAR or (elementwise and not self.numbers) or (not elementwise and value.rank >= 0)
        maker = self._made(store) if store.operator is None and not store.summed and fits and sure else None
        return replace(store, maker=maker, fits=fits, open=target.rank != len(store.target.parts))

    def _made(self, store: Store) -> cst.SimpleStatementLine | None:
        """`out = np.empty(n)` before the loop, where the loop stores all of `out` and nothing reads it in between."""
        axes = store.target.axes or ()
        if not all(f or a == -2 for f, a in zip(store.target.full, axes, strict=True)):
            return None
        if any(not _is_whole(p) for p, a in zip(store.target.parts, axes, strict=True) if a == -2):
            return None
        array = store.target.array
        block = list(getattr(self.run.source.parents.get(self.nest[0]), "body", ()))
        position = block.index(self.nest[0])
        for line in reversed(block[:position]):
            if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
                return None
            match line.body[0]:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Call(func=func)) if (
                    name == array
                ):
                    maker = (self.run.scopes.qualname(func) or "").removeprefix("numpy.")
                    return line if maker in ("empty", "zeros", "ones", "empty_like", "zeros_like", "ones_like") else None
            if any(isinstance(n, cst.Name) and n.value == array for n, _p in walk(line)):
                return None
        return None

    def _dear(self) -> str:
        """What makes the arrays of a turn too large to be made for all turns at once, "" when nothing does."""
        for node, _parent in walk(self.body):
            if not isinstance(node, (cst.BinaryOperation, cst.Comparison, cst.Call)):
                continue
            match node:
                case cst.BinaryOperation(left=left, operator=operator, right=right):
                    parts = [] if isinstance(operator, cst.MatrixMultiply) else [left, right]
                case cst.Comparison(left=left, comparisons=[one, *_rest]):
                    parts = [left, one.comparator]
                case cst.Call(func=func, args=args):
                    entry = numpy_table.function(self.run.scopes.qualname(func) or "")
                    parts = [a.value for a in args] if entry is not None and entry.ufunc else []
                case _:
                    parts = []
            fixed = [p for p in parts if not self._mentioned(p) and not self._carried(p)]
            large = [p for p in fixed if (v := self.run.values.get(p, UNKNOWN)).kind is Kind.ARRAY and not v.number]
            moving = [self.run.values.get(p, UNKNOWN).kind for p in parts if self._mentioned(p)]
            if large and moving and all(kind is Kind.SCALAR for kind in moving):
                return f"every turn makes an array as large as `{_code(large[0])}`"
        return ""


def _flat(node: cst.Subscript) -> tuple[cst.SubscriptElement, ...]:
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Tuple(elements=elements)))]:
            return tuple(cst.SubscriptElement(cst.Index(e.value)) for e in elements)
    return tuple(node.slice)


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def _integer(part: cst.SubscriptElement) -> cst.BaseExpression | None:
    """The index that a part of a subscript is, None where it is a slice, an ellipsis, None, or a list."""
    index = part.slice.value if isinstance(part.slice, cst.Index) else None
    none = isinstance(index, cst.Name) and index.value == "None"
    return None if none or isinstance(index, (cst.Ellipsis, cst.Tuple, cst.List)) else index


def _plainly(value: cst.BaseExpression, name: str) -> bool:
    """Whether an expression is a variable, or arithmetic with it."""
    if isinstance(value, cst.BinaryOperation) and not isinstance(value.operator, cst.MatrixMultiply):
        return _plainly(value.left, name) or _plainly(value.right, name)
    return isinstance(value, cst.Name) and value.value == name


def _is_whole(part: cst.SubscriptElement) -> bool:
    return isinstance(part.slice, cst.Slice) and part.slice.lower is None and part.slice.upper is None and part.slice.step is None
