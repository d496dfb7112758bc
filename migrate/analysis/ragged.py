"""Slices of varying length: how the values that are made of them are put together, so that whole axes with a mask do.

An axis that is cut to a varying length is a Span of positions. Operands that meet must hold as many of them; those of one, the
reference, decide which position stands where, and the others are read so that theirs meet them. What lies outside of the span
is some number until a mask takes it out: where the axis is summed over, and where the result is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ...rules import numpy_table
from ...rules.facts import UNKNOWN, Value, replace
from ...rules.model import Kind
from ...rules.spans import Bounds, Mask, Ragged, Read
from ..source import children
from . import selections
from .affine import nonnegative, text
from .cuts import ONE, Cut, Form, Span, Unclear, cut, flat, rank_of, ranks_by_use, slices
from .domain import category
from .places import Places
from .selections import Selection
from .state import MASKED, Need, Run

FILLS = {
    "sum": "0",
    "prod": "1",
    "any": "False",
    "all": "True",
    "count_nonzero": "0",
    "mean": "where",
    "std": "where",
    "var": "where",
}
EXTREMES = {"max": "-inf", "amax": "-inf", "min": "inf", "amin": "inf"}
PRODUCTS = ("dot", "matmul", "inner", "vdot")
SAME = ("copy", "astype", "conj", "conjugate")
FLIPS = {"flip": None, "flipud": 0, "fliplr": 1}
PARTIAL = frozenset("sqrt log log2 log10 log1p arcsin arccos arccosh arctanh reciprocal power divide tan".split())
WHY = "it bounds a slice"


Axis = Span | Selection | str | None  # of a value: of a varying length, what a mask selects, of length 1 (ONE), any other
Axes = tuple[Axis, ...]


def settle(run: Run, nodes: list[cst.CSTNode]) -> None:
    """Decide on every slice of a unit whose bounds vary; Python needs those of which nothing better is known."""
    found = selections.selected(run, nodes)
    if not run.cut and not found:
        return
    assert run.owner is not None
    places = Places(
        run.owner,
        run.scopes,
        run.source.parents,
        lambda n: _value(run, n).kind is Kind.ARRAY,
        lambda n: _value(run, n).dtype.startswith(("int", "uint")),
    )
    ranks = ranks_by_use(run, nodes)
    slices_of: dict[cst.CSTNode, list[cst.Subscript]] = {}
    for part in run.cut:
        subscript = _above(run, part)
        slices_of.setdefault(_root(run, subscript), []).append(subscript)
    held = holders(run, places, nodes, [*slices_of, *(run.source.parents[n] for n in found)])
    while True:
        done, failed = all_decided(run, places, ranks, slices_of, found, held)
        broken = [made for made, reads in held.items() if any(_root(run, r) in failed for r in reads)]
        if not broken:
            break
        for made in broken:
            del held[made]
    run.ragged.update(done)
    for root, subscripts in slices_of.items():
        for part in (p for s in subscripts for p in flat(s) if isinstance(p, cst.Slice)):
            for bound in slices(part):
                if bound is not None and (value := _value(run, bound)).deps | {value.traced} - {False}:
                    _ask(run, bound, value, failed.get(root, ""))
    for node in found:
        root = _root(run, node)
        if root in done:
            run.impure.pop(node, None)
            if run.impure.get(root) == MASKED:
                del run.impure[root]
    for root, plan in run.ragged.items():
        for bounds in plan.bounds:
            run.positions[root, bounds.array] = anchor(run, places, bounds.array, root)


def holders(
    run: Run, places: Places, nodes: list[cst.CSTNode], made: Iterable[cst.CSTNode | None]
) -> dict[cst.Assign, list[cst.Name]]:
    """The assignments of what is made of slices and selections to variables, and of what is made of these, with their reads."""
    held: dict[cst.Assign, list[cst.Name]] = {}
    work: list[cst.CSTNode] = [m for m in made if m is not None]
    while work:
        new = {m: reads for m, reads in selections.held(run, places, nodes, work).items() if m not in held}
        held |= new
        work = [_root(run, read) for reads in new.values() for read in reads]
    return held


def all_decided(
    run: Run,
    places: Places,
    ranks: dict[str, int],
    slices_of: Mapping[cst.CSTNode, list[cst.Subscript]],
    found: Mapping[cst.CSTNode, Selection],
    held: Mapping[cst.Assign, list[cst.Name]],
) -> tuple[dict[cst.CSTNode, Ragged], dict[cst.CSTNode, str]]:
    """What becomes of each statement or condition, and why nothing does."""
    done: dict[cst.CSTNode, Ragged] = {}
    failed: dict[cst.CSTNode, str] = {}
    chosen: dict[cst.CSTNode, dict[cst.CSTNode, Selection]] = {}
    for node, each in found.items():
        chosen.setdefault(_root(run, node), {})[node] = each
    for made, reads in held.items():
        if made.value not in found:
            continue
        selection = found[made.value]
        if selections.commented(run, made):  # the line stays, and holds the whole array
            done[made] = Ragged(selected={made.value: selection.subscript.value})
            selection = replace(selection, named=True)
        else:
            done[made] = Ragged(unused=True)
        for read in reads:
            chosen.setdefault(_root(run, read), {})[read] = selection
    proven: set[str] = set()
    named: dict[cst.CSTNode, dict[cst.CSTNode, Holder]] = {}
    roots = dict.fromkeys([*slices_of, *chosen, *(_root(run, r) for reads in held.values() for r in reads)])
    for root in sorted(roots, key=places.start):
        if root in done:
            continue
        told: set[str] = set()
        try:
            own = slices_of.get(root, ())
            given = (run, places, ranks, root, own, chosen.get(root, {}), named.get(root, {}), told, root in held)
            try:
                reader = decided(*given)
            except Unclear:  # where a slice of constant length meets others, it is one of them
                reader = decided(*given, windowed=False)
        except Unclear as unclear:
            failed[root] = str(unclear)
            continue
        done[root] = reader.plan
        if root in held:
            assert isinstance(root, cst.Assign)
            holder = Holder(reader.shape(root.value), reader.plan.cut)
            if not any(isinstance(a, Span) for a in holder.axes or ()):
                continue  # an ordinary value
            for read in held[root]:
                named.setdefault(_root(run, read), {})[read] = holder
        proven |= told if certain_to_run(run, root) else set()
    run.proven = frozenset(proven)
    return done, failed


def certain_to_run(run: Run, root: cst.CSTNode) -> bool:
    """Whether no test decides on whether a statement runs."""
    at: cst.CSTNode | None = run.source.parents[root]
    while at is not None and at is not run.owner:
        if isinstance(at, (cst.If, cst.Try, cst.Match)):
            return False
        at = run.source.parents[at]
    return True


def _value(run: Run, node: cst.CSTNode) -> Value:
    return run.values.get(node, UNKNOWN)


def _ask(run: Run, bound: cst.BaseExpression, value: Value, why: str) -> None:
    run.needs.pop(bound, None)
    if why:
        run.needs[bound] = Need(bound, value, f"{WHY}, and {why}")
        return
    known = frozenset(d for d in value.deps if not d.startswith("loop:") and not d.endswith("[]"))
    if known and not value.traced:  # a parameter in it stays static, as in every slice
        run.needs[bound] = Need(bound, replace(value, deps=known), WHY)


def _above(run: Run, part: cst.CSTNode) -> cst.Subscript:
    at: cst.CSTNode | None = part
    while not isinstance(at, cst.Subscript):
        assert at is not None
        at = run.source.parents[at]
    return at


def _root(run: Run, node: cst.CSTNode) -> cst.CSTNode:
    """The small statement around an expression, or the whole expression in the head of a compound statement."""
    at, above = node, run.source.parents[node]
    while above is not None and not isinstance(at, cst.BaseSmallStatement) and not isinstance(above, cst.BaseCompoundStatement):
        at, above = above, run.source.parents[above]
    return at


def decided(
    run: Run,
    places: Places,
    ranks: dict[str, int],
    root: cst.CSTNode,
    subscripts: Sequence[cst.Subscript],
    chosen: Mapping[cst.CSTNode, Selection],
    named: Mapping[cst.CSTNode, Holder],
    proven: set[str],
    held: bool,
    windowed: bool = True,
) -> Reader:
    """What becomes of the slices and selections of one statement or condition; `proven` collects arrays.

    `named`: variables that hold what slices were read for. `held`: it is bound to such a variable here. Raises Unclear.
    """
    cuts = {s: cut(run, places, s, ranks, windowed) for s in subscripts}
    touched: set[cst.CSTNode] = set()
    for node in [*(s for s, c in cuts.items() if any(isinstance(a, Span) for a in c.axes)), *chosen, *named]:
        at: cst.CSTNode | None = node
        while at is not None and at is not run.source.parents[root]:
            if isinstance(at, (cst.Lambda, cst.GeneratorExp)):
                raise Unclear("it stands in a function or a generator, which may run later")
            touched.add(at)
            at = run.source.parents[at]
    cut_there = [*subscripts, *(s for holder in named.values() for s in holder.cut)]
    reader = Reader(root, run, places, ranks, frozenset(touched), cuts, chosen, named, Ragged(cut_there), proven)
    reader.plan.windows = {s: dict(found.windows) for s, found in cuts.items() if found.windows}
    if held and isinstance(root, cst.Assign):
        reader.place(root.value, reader.shape(root.value) or ())
    else:
        statement(reader, root)
    reader.plan.indexed = {s for s in reader.plan.windows if s in reader.plan.targets or reader.looked_up(s)}
    return reader


def statement(reader: Reader, root: cst.CSTNode) -> None:
    match root:
        case cst.Assign(targets=targets, value=value):
            stores = [t.target for t in targets if t.target in reader.cuts]
            if len(targets) == 1 and (selection := reader.chosen.get(targets[0].target)) is not None:
                reader.stored_where(targets[0].target, selection, value)
                return
            for target in targets:
                if target.target not in reader.cuts:
                    reader.whole(target.target)
            if stores:
                reader.stored([s for s in stores if isinstance(s, cst.Subscript)], value)
            else:
                reader.whole(value)
        case cst.AugAssign(target=target, value=value):
            if isinstance(target, cst.Subscript) and target in reader.cuts:
                reader.stored([target], value)
            elif (selection := reader.chosen.get(target)) is not None:
                reader.stored_where(target, selection, value)
            else:
                reader.whole(target)
                reader.whole(value)
        case cst.Del():
            raise Unclear("it is deleted")
        case cst.BaseExpression():
            reader.whole(root)
        case _:
            reader.consumed(root)


def anchor(run: Run, places: Places, array: str, root: cst.CSTNode) -> cst.CSTNode:
    """The statement before which the positions along an axis are made: the outermost loop in which the array stays."""
    found: cst.CSTNode | None = None
    at: cst.CSTNode | None = root
    while at is not None and at is not run.owner:
        above = run.source.parents[at]
        block = isinstance(above, (cst.IndentedBlock, cst.Module))
        if block and (found is None or (isinstance(at, (cst.For, cst.While)) and not places.binds(array, at))):
            found = at
        at = above
    return root if found is None else found


@dataclass(frozen=True, slots=True)
class Holder:
    """What a variable holds that is read later: the axes of it, and the slices that it was read by."""

    axes: Axes | None
    cut: Sequence[cst.Subscript]


@dataclass(slots=True)
class Reader:
    """Puts together the axes of the values of one statement: first what they are, then how each slice is read."""

    root: cst.CSTNode
    run: Run
    places: Places
    ranks: dict[str, int]
    touched: frozenset[cst.CSTNode]  # what has a slice in it whose bounds vary
    cuts: Mapping[cst.Subscript, Cut]
    chosen: Mapping[cst.CSTNode, Selection]  # what masks select, and variables that hold it
    named: Mapping[cst.CSTNode, Holder]
    plan: Ragged
    proven: set[str]  # arrays whose number of dimensions a product tells
    shapes: dict[cst.CSTNode, Axes | None] = field(default_factory=dict)

    # --- what the axes are ---

    def shape(self, node: cst.BaseExpression) -> Axes | None:
        """The axes of a value, None where their number is not known. Raises Unclear."""
        if node not in self.shapes:
            self.shapes[node] = self._shape(node) if node in self.touched else self.plain(node)
        return self.shapes[node]

    def plain(self, node: cst.BaseExpression) -> Axes | None:
        value = _value(self.run, node)
        if value.kind is Kind.SCALAR:
            return ()
        if isinstance(node, cst.Subscript) and not (value.kind is Kind.ARRAY and value.rank >= 0):
            return self._selected(node)
        rank, _certain = rank_of(self.run, node, self.ranks)
        if rank < 0 and (operands := self.operands(node)):
            return self._meeting(operands)
        return None if rank < 0 else (None,) * rank

    def _selected(self, node: cst.Subscript) -> Axes | None:
        """The axes of what a subscript selects of an array whose number of dimensions only its use tells."""
        rank, _certain = rank_of(self.run, node.value, self.ranks)
        parts = flat(node)
        for part in parts:
            if isinstance(part, cst.Index):
                if _value(self.run, part.value).kind is not Kind.SCALAR:
                    return None
                rank -= 1
        return None if rank < 0 else (None,) * rank

    def _shape(self, node: cst.BaseExpression) -> Axes | None:
        if node in self.chosen:
            return (self.chosen[node],)
        if node in self.named:
            return self.named[node].axes
        match node:
            case cst.Subscript() if node in self.cuts:
                return self._axes(node)
            case cst.Subscript(value=base) if (kept := widened(self.run, node)) is not None and base in self.touched:
                own = iter(self.shape(base) or ())
                return (*(next(own, None) if k else ONE for k in kept), *own)
            case cst.BinaryOperation(operator=cst.MatrixMultiply(), left=left, right=right):
                return self._product(left, right)
            case cst.Call():
                if (pair := self.factors(node)) is not None:
                    return self._product(*pair)
                if (pair := self.outer(node)) is not None:
                    return (*(self.shape(pair[0]) or ()), *(self.shape(pair[1]) or ()))
                if (reduced := self.reduction(node)) is not None:
                    return self._reduced(*reduced)
                if (flipped := self.flipped(node)) is not None:
                    axes = self.shape(flipped[0])
                    assert axes is not None
                    return tuple(turned(a) if k in flipped[1] else a for k, a in enumerate(axes))
        if operands := self.operands(node):
            return self._meeting(operands)
        self.consumed(node)
        return self.plain(node)

    def _axes(self, node: cst.Subscript) -> Axes:
        for part in flat(node):
            if isinstance(part, cst.Index):
                self.whole(part.value)
        return self.cuts[node].axes

    def whole(self, node: cst.BaseExpression) -> None:
        """A value that must have no axis of varying length: others than the operations that are known here use it."""
        if node not in self.touched:
            return
        axes = self.shape(node)
        if axes is not None and any(isinstance(a, (Span, Selection)) for a in axes):
            raise Unclear(f"what uses `{_code(node)}`, of a length that varies, is not known to do with a mask")
        self.place(node, axes or ())

    def consumed(self, node: cst.CSTNode) -> None:
        for child in children(node):
            if isinstance(child, cst.BaseExpression):
                self.whole(child)
            elif child in self.touched:
                self.consumed(child)

    def operands(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        """What an operation takes element by element; empty where it is another one."""
        match node:
            case cst.BinaryOperation(operator=operator, left=left, right=right):
                return [] if isinstance(operator, cst.MatrixMultiply) else [left, right]
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus() | cst.BitInvert(), expression=inner):
                return [inner]
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
                return [] if isinstance(operator, (cst.In, cst.NotIn, cst.Is, cst.IsNot)) else [left, right]
            case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value=name))) if name in SAME and base in self.touched:
                return [base] if not any(a.value in self.touched for a in node.args) else []
            case cst.Call(args=args) if not any(a.keyword is not None or a.star for a in args):
                name = self.run.scopes.qualname(node.func) or ""
                entry = numpy_table.function(name) if name.startswith("numpy.") else None
                if name == "numpy.where" and len(args) == 3:
                    return [a.value for a in args]
                if entry is not None and entry.ufunc and len(args) == entry.ufunc:
                    return [a.value for a in args]
        return []

    def factors(self, call: cst.Call) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
        """The two operands of a call that multiplies and sums up."""
        if any(a.keyword is not None or a.star for a in call.args):
            return None
        name = self.run.scopes.qualname(call.func) or ""
        if name.removeprefix("numpy.") in PRODUCTS and name.startswith("numpy.") and len(call.args) == 2:
            left, right = call.args[0].value, call.args[1].value
            flat_only = name in ("numpy.inner", "numpy.vdot")
            if flat_only and any(len(self.shape(side) or ()) != 1 for side in (left, right)):
                return None
            return left, right
        match call:
            case cst.Call(func=cst.Attribute(value=left, attr=cst.Name(value="dot")), args=[argument]) if not name:
                return left, argument.value
        return None

    def outer(self, call: cst.Call) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
        """The vectors of which each element of one is multiplied by each of the other."""
        match call:
            case cst.Call(args=[cst.Arg(value=left, keyword=None), cst.Arg(value=right, keyword=None)]):
                if self.run.scopes.qualname(call.func) in ("numpy.outer", "numpy.multiply.outer"):
                    one = all(len(self.shape(side) or ()) == 1 for side in (left, right))
                    return (left, right) if one else None
        return None

    def flipped(self, call: cst.Call) -> tuple[cst.BaseExpression, tuple[int, ...]] | None:
        """What np.flip turns round, and along which axes."""
        name = self.run.scopes.qualname(call.func) or ""
        short = name.removeprefix("numpy.")
        if short not in FLIPS or not name.startswith("numpy.") or not call.args or call.args[0].keyword is not None:
            return None
        operand = call.args[0].value
        axes = self.shape(operand)
        if axes is None:
            return None
        if short == "flip" and len(call.args) == 1 and len(axes) == 1:
            return operand, (0,)
        if short == "flip" and len(call.args) == 2 and (axis := _integer(call.args[1].value)) is not None:
            one = (axis % len(axes),) if -len(axes) <= axis < len(axes) else ()
            return (operand, one) if one and isinstance(axes[one[0]], Span) else None
        fixed = FLIPS[short]
        return (operand, (fixed,)) if fixed is not None and len(axes) > fixed and isinstance(axes[fixed], Span) else None

    def reduction(self, call: cst.Call) -> tuple[cst.BaseExpression, tuple[int, ...], str] | None:
        """What a call sums up (or the like), along which axes, and its name."""
        name = self.run.scopes.qualname(call.func) or ""
        args = list(call.args)
        if name.startswith("numpy."):
            short = name.removeprefix("numpy.")
            if not args or args[0].keyword is not None or args[0].star:
                return None
            operand, args = args[0].value, args[1:]
        elif isinstance(call.func, cst.Attribute) and not name:
            short, operand = call.func.attr.value, call.func.value
        else:
            return None
        if short not in FILLS and short not in EXTREMES:
            return None
        axes = self.shape(operand)
        if axes is None:
            raise Unclear(f"the number of dimensions of `{_code(operand)}` is not known")
        along: tuple[int, ...] = tuple(range(len(axes)))
        if any(isinstance(a, Selection) for a in axes) and any(a.keyword is None or a.keyword.value == "axis" for a in args):
            raise Unclear("an axis of what a mask selects is summed over")
        for position, argument in enumerate(args):
            keyword = argument.keyword.value if argument.keyword is not None else "axis" if position == 0 else ""
            if keyword == "axis" and _code(argument.value) != "None":
                axis = _integer(argument.value)
                if axis is None or not -len(axes) <= axis < len(axes):
                    raise Unclear("the axis is not written there")
                along = (axis % len(axes),)
            elif keyword not in ("axis", "dtype", "ddof"):
                raise Unclear(f"`{short}` has more arguments than an axis")
        return operand, along, short

    def _reduced(self, operand: cst.BaseExpression, along: tuple[int, ...], name: str) -> Axes:
        axes = self.shape(operand)
        assert axes is not None
        return tuple(a for k, a in enumerate(axes) if k not in along)

    def _meeting(self, operands: Sequence[cst.BaseExpression]) -> Axes | None:
        """The axes of what an operation makes of operands, element by element."""
        shapes = [self.shape(o) for o in operands]
        if not operands:
            return None
        known = [s for s in shapes if s is not None]
        if any(isinstance(a, Selection) for s in known for a in s):
            return self._chosen_alike(shapes)
        if not any(isinstance(a, Span) for s in known for a in s):
            made = self._broadcast(known)
            return made if made or len(known) == len(shapes) else None
        return self._broadcast(known)

    def _chosen_alike(self, shapes: Sequence[Axes | None]) -> Axes:
        """What a mask selects meets numbers, and what the same mask selects of other arrays."""
        found = {a.text: a for s in shapes for a in s or () if isinstance(a, Selection)}
        if len(found) > 1 or any(s is None or not (s == () or isinstance(s[0], Selection)) for s in shapes):
            raise Unclear("what a mask selects meets something else than numbers")
        return tuple(found.values())

    def _broadcast(self, shapes: Sequence[Axes]) -> Axes:
        rank = max(map(len, shapes), default=0)
        made: list[Axis] = []
        for back in range(1, rank + 1):
            met = [s[-back] for s in shapes if len(s) >= back and s[-back] != ONE]
            spans = [a for a in met if isinstance(a, Span)]
            if not spans:
                made.append(None if met else ONE)
                continue
            if len(spans) < len(met):
                raise Unclear("a slice of a length that varies meets an axis of another length")
            made.append(self.agreed(spans))
        return tuple(reversed(made))

    def agreed(self, spans: Sequence[Span]) -> Span:
        """The span that decides on the positions, of several that are as long."""
        first = spans[0]
        for other in spans[1:]:
            if other.length != first.length and not (other.upper is None or first.upper is None):
                raise Unclear("slices that meet are not known to be of one length")
        forward = [s for s in spans if not s.backward] or [turned(s) for s in spans]  # type: ignore[misc]
        return next((s for s in forward if s.inside), forward[0])

    def _product(self, left: cst.BaseExpression, right: cst.BaseExpression) -> Axes:
        a, b = self.shape(left), self.shape(right)
        if not a or not b or len(a) > 2 or len(b) > 2:
            raise Unclear("the number of dimensions of the factors is not known")
        x, y = a[-1], b[-2] if len(b) == 2 else b[0]
        if isinstance(x, Selection) or isinstance(y, Selection):
            return self._product_of_chosen(left, right, x, y)
        if isinstance(x, Span) != isinstance(y, Span):
            raise Unclear("a slice of a length that varies is multiplied by one that does not")
        if isinstance(x, Span) and isinstance(y, Span):
            self.agreed([x, y])
            self.proven |= {x.array, y.array}  # with more dimensions, other axes would meet, of which only one varies
        elif len(b) == 2 and isinstance(b[-1], Span):
            self.proven.add(b[-1].array)
        return (*a[:-1], *b[:-2], *(b[-1:] if len(b) == 2 else ()))

    def _product_of_chosen(self, left: cst.BaseExpression, right: cst.BaseExpression, x: Axis, y: Axis) -> Axes:
        alike = isinstance(x, Selection) and isinstance(y, Selection) and x.text == y.text
        flat_only = all(isinstance(s, Selection) and _value(self.run, s.subscript.value).rank == 1 for s in (x, y))
        if not alike or not flat_only:
            raise Unclear("what a mask selects is multiplied by something else than a vector under the same mask")
        return ()

    # --- how each slice is read ---

    def place(self, node: cst.BaseExpression, wanted: Axes) -> None:
        """Read the slices in an expression so that its axes hold the positions that `wanted` holds."""
        if node not in self.touched:
            return
        if node in self.chosen:
            self._select(node, self.chosen[node])
            return
        if node in self.named:
            for own, want in zip(self.named[node].axes or (), wanted, strict=True):
                if isinstance(own, Span) and isinstance(want, Span) and shifted(own, want)[1].known.number != 0:
                    raise Unclear("what a variable holds is shifted against what it meets")
                if isinstance(own, Span) and isinstance(want, Span) and own.backward != want.backward:
                    raise Unclear("what a variable holds runs the other way")
            return
        match node:
            case cst.Subscript() if node in self.cuts:
                self._read(node, wanted)
                return
            case cst.Subscript(value=base) if (kept := widened(self.run, node)) is not None:
                self.place(base, (*(w for k, w in zip(kept, wanted, strict=False) if k), *wanted[len(kept) :]))
                return
            case cst.BinaryOperation(operator=cst.MatrixMultiply(), left=left, right=right):
                self._place_product(left, right, wanted)
                return
            case cst.Call():
                if (pair := self.factors(node)) is not None:
                    self._place_product(*pair, wanted)
                    return
                if (pair := self.outer(node)) is not None:
                    self.place(pair[0], wanted[:1])
                    self.place(pair[1], wanted[1:])
                    return
                if (reduced := self.reduction(node)) is not None:
                    self._place_reduction(node, *reduced, wanted)
                    return
                if (flipped := self.flipped(node)) is not None:
                    self.plan.reversals.add(node)
                    self.place(flipped[0], tuple(turned(a) if k in flipped[1] else a for k, a in enumerate(wanted)))
                    return
        for operand in self.operands(node):
            if operand in partial(self.run, node) and (chosen := self._only(operand)) is not None:
                self.plan.masks[operand] = Mask((), "1", chosen.mask)  # not even the derivative sees what does not count
            self.place(operand, last(wanted, self.shape(operand) or ()))

    def _place_product(self, left: cst.BaseExpression, right: cst.BaseExpression, wanted: Axes) -> None:
        a, b = self.shape(left), self.shape(right)
        assert a and b
        x, y = a[-1], b[-2] if len(b) == 2 else b[0]
        met: Axis = None
        if isinstance(x, Span) and isinstance(y, Span):
            met = self.agreed([x, y])
            self.masked(left, 0, met)
            self.masked(right, len(b) - 1, met)
        elif isinstance(x, Selection):
            self.plan.masks[left] = self.plan.masks[right] = Mask((), "0", x.mask)
            met = x
        rows = len(a) - 1
        self.place(left, (*wanted[:rows], met))
        self.place(right, (met, *wanted[rows:]))

    def _place_reduction(
        self, call: cst.Call, operand: cst.BaseExpression, along: tuple[int, ...], name: str, wanted: Axes
    ) -> None:
        axes = self.shape(operand)
        assert axes is not None
        rest = iter(wanted)
        placed: list[Axis] = []
        masks: list[tuple[int, Span]] = []
        for k, axis in enumerate(axes):
            if k not in along:
                placed.append(next(rest, None))
            elif isinstance(axis, Selection):
                placed.append(axis)
                mask = Mask((), self.fill(call, operand, name, []), axis.mask)
                if mask.fill == "where":
                    self.plan.reductions[call] = mask
                else:
                    self.plan.masks[operand] = mask
            elif isinstance(axis, Span):
                placed.append(self.agreed([axis]))
                masks.append((len(axes) - 1 - k, self.agreed([axis])))
            else:
                placed.append(axis)
        self.place(operand, tuple(placed))
        if not masks:
            return
        mask = Mask(tuple((back, self.bounds(s)) for back, s in masks), self.fill(call, operand, name, masks))
        if mask.fill == "where":
            self.plan.reductions[call] = mask
        else:
            self.plan.masks[operand] = mask

    def fill(self, call: cst.Call, operand: cst.BaseExpression, name: str, masks: list[tuple[int, Span]]) -> str:
        """What stands in the place of elements that do not count."""
        if name in FILLS:
            return FILLS[name]
        if category(_value(self.run, operand).dtype) == 2:
            return EXTREMES[name]
        facts = self.places.facts(call)
        direct = (
            bool(masks) and operand in self.cuts and isinstance(operand, cst.Subscript) and len(self.shape(operand) or ()) == 1
        )
        if direct and nonnegative(masks[0][1].length - 1, facts):
            return f"[{text(masks[0][1].low.written)}]"
        raise Unclear(f"the dtype of what `{name}` compares is not known")

    def masked(self, node: cst.BaseExpression, back: int, span: Span) -> None:
        before = self.plan.masks.get(node)
        self.plan.masks[node] = Mask((*(before.axes if before else ()), (back, self.bounds(span))))

    def bounds(self, span: Span) -> Bounds:
        bounds = span.bounds
        known = span.size.known
        stays = self.places.fixed(known, self.root)
        along = text(known) if stays else f"{span.array}.shape[{span.axis}]"
        return replace(bounds, along=along, rank=0 if span.array in self.proven else bounds.rank)

    def _read(self, node: cst.Subscript, wanted: Axes) -> None:
        found = self.cuts[node]
        parts: dict[int, object] = {}
        for own, want, part in zip(found.axes, wanted, found.parts, strict=True) if wanted else ():
            if isinstance(own, Span):
                assert isinstance(want, Span)
                sign, offset = shifted(own, want)
                if sign > 0 and offset.known.number == 0:
                    parts[part] = self._kept(own, want)
                else:
                    parts[part] = (sign, text(offset.written), self.bounds(want))
        gathered = [p for p, how in parts.items() if isinstance(how, tuple)]
        if gathered and not self._in_place(node, gathered):
            raise Unclear("slices are shifted against each other along several axes")
        if parts:
            self.plan.reads[node] = Read(parts)  # type: ignore[arg-type]

    def _kept(self, own: Span, want: Span) -> cst.BaseSlice | None:
        """A bound that does not vary stays where it makes the axis as long as the one that it meets."""
        if own.fixed and own.size.known != want.size.known and own.high.known == want.size.known:
            return cst.Slice(None, own.upper)
        return None

    def _in_place(self, node: cst.Subscript, gathered: list[int]) -> bool:
        """Whether indices that are arrays leave the axes in their order."""
        arrays = [k for k, p in enumerate(flat(node)) if k in gathered or isinstance(p, cst.Index)]
        return len(gathered) == 1 and (arrays[-1] - arrays[0] + 1 == len(arrays) or gathered[0] == 0)

    def _only(self, node: cst.BaseExpression) -> Selection | None:
        axes = self.shape(node) or ()
        return axes[0] if axes and isinstance(axes[0], Selection) else None

    def _select(self, node: cst.BaseExpression, selection: Selection) -> None:
        """Read the whole array; it must have as many dimensions as the mask."""
        source = selection.subscript.value
        self.whole(source)
        self.plan.selected[node] = node if selection.named else source
        if not selection.same:
            if not isinstance(source, cst.Name) or not isinstance(selection.mask, cst.Name):
                raise Unclear("it is not known whether the mask has as many dimensions as the array")
            self.plan.same_rank[source.value] = selection.mask.value

    def stored_where(self, target: cst.BaseExpression, selection: Selection, value: cst.BaseExpression) -> None:
        """`x[mask] = value`, `x[mask] op= value`."""
        shape = self.shape(value)
        found = self._only(value)
        if shape is None or (shape and (found is None or found.text != selection.text)):
            raise Unclear("what a mask selects is given a value of another length")
        if not selection.same:
            raise Unclear("it is not known whether the mask has as many dimensions as the array")
        assert isinstance(target, cst.Subscript)
        self.plan.stores[target] = Mask((), "0", selection.mask)
        self.place(value, shape)

    def looked_up(self, node: cst.Subscript) -> bool:
        """Whether a slice that moves is short, and alone among the axes."""
        windows = self.cuts[node].windows
        return all(w.short for w in windows.values()) and len(windows) == 1 and self._in_place(node, list(windows))

    # --- stores ---

    def stored(self, targets: Sequence[cst.Subscript], value: cst.BaseExpression) -> None:
        """`target = value`, `target op= value`: the value at the positions of the target."""
        shape = self.shape(value) if value in self.touched else self.plain(value)
        first: Axes | None = None
        for target in targets:
            axes, windows = self._axes(target), self.cuts[target].windows
            self.plan.targets.add(target)
            if windows and (len(windows) > 1 or not self._in_place(target, list(windows))):
                raise Unclear("the indices of the target would bring its axes into another order")
            spans = tuple((len(axes) - 1 - k, a) for k, a in enumerate(axes) if isinstance(a, Span))
            if not spans and value not in self.touched:
                continue
            if any(s.backward for _k, s in spans):
                raise Unclear("it is stored backwards")
            if shape is not None:
                self._fits(shape, axes)
            if first is not None and [a.low.known for a in first if isinstance(a, Span)] != [s.low.known for _k, s in spans]:
                raise Unclear("it is stored at several positions")
            first = axes if first is None else first
            self.plan.stores[target] = Mask(tuple((back, self.bounds(s)) for back, s in spans))
            found = self.cuts[target]
            self.plan.reads[target] = Read({p: None for p, a in zip(found.parts, axes, strict=True) if isinstance(a, Span)})
        if value in self.touched:
            assert first is not None
            self.place(value, last(first, shape or ()))

    def _fits(self, value: Axes, target: Axes) -> None:
        if len(value) > len(target):
            raise Unclear("a value of more dimensions is stored")
        for back in range(1, len(value) + 1):
            own, place = value[-back], target[-back]
            if own == ONE or (own is None and place is None):
                continue
            if not isinstance(own, Span) or not isinstance(place, Span):
                raise Unclear("a slice of a length that varies meets an axis of another length")
            self.agreed([place, own])
            if back == 1 and (own.array in self.proven or not own.rank):
                self.proven.add(place.array)  # an array of more dimensions would meet this value with another axis


def partial(run: Run, node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The operands for which an operation is not defined everywhere."""
    match node:
        case cst.BinaryOperation(operator=cst.Divide() | cst.FloorDivide() | cst.Modulo(), right=right):
            return [right]
        case cst.BinaryOperation(operator=cst.Power(), left=left):
            return [left]
        case cst.Call(args=args) if (run.scopes.qualname(node.func) or "").removeprefix("numpy.") in PARTIAL:
            return [a.value for a in args]
    return []


def last(wanted: Axes, axes: Axes) -> Axes:
    """As many of the axes wanted of a result as an operand has; its own where the result's are not known."""
    return wanted[len(wanted) - len(axes) :] if len(wanted) >= len(axes) else axes


def widened(run: Run, node: cst.Subscript) -> list[bool] | None:
    """For each part of a subscript that only adds axes, whether it is an axis of the array; None for any other subscript."""
    found = []
    for part in flat(node):
        whole = isinstance(part, cst.Slice) and part.lower is part.upper is part.step is None
        if not whole and not (isinstance(part, cst.Index) and _value(run, part.value).kind is Kind.NONE):
            return None
        found.append(whole)
    return found


def turned(axis: Axis) -> Axis:
    """The same positions in the opposite order."""
    return replace(axis, backward=not axis.backward) if isinstance(axis, Span) else axis


def shifted(own: Span, want: Span) -> tuple[int, Form]:
    """The position of `own` that meets the position n of `want`: n times the sign, plus the offset."""
    if own.backward:
        return (1, own.high - want.high) if want.backward else (-1, own.high - 1 + want.low)
    return (-1, own.low + want.high - 1) if want.backward else (1, own.low - want.low)


def _integer(node: cst.BaseExpression) -> int | None:
    match node:
        case cst.Integer():
            return int(node.evaluated_value)
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as inner):
            return -int(inner.evaluated_value)
    return None


def _code(node: cst.BaseExpression) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())
