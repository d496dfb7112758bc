"""Slices whose bounds depend on a loop index or on a traced value: the positions that each of them selects."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.dynamic_slices import Window
from ....rules.facts.values import UNKNOWN, replace
from ....rules.syntax.source_text import verbatim
from ..state.index_expressions import flat
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC
from ..state.ranks import rank_of
from ..symbolic.affine import Affine, affine, atom, size, text
from ..symbolic.inequalities import at_most, nonnegative
from ..symbolic.lower_bounds import Form, by_text, known_of, minimum_bounds
from ..symbolic.scalar_evolution import ScalarEvolution
from ..symbolic.sign_analysis import at_least, open_signs
from .sliced_axes import Axis, DynamicSlice, How, SlicedSubscript, Stride, Unclear, Varying, slices, varies

SHORT = 16  # elements of a moving slice: JAX gathers them one by one
ONE = "one"  # an axis of length 1 that `None` adds


def sliced_subscript(
    run: Run, evolution: ScalarEvolution, node: cst.Subscript, ranks: Mapping[str, int], how: How
) -> SlicedSubscript:
    """The selection by a subscript with a varying slice. Raises Unclear."""
    base = node.value
    if not isinstance(base, cst.Name) or run.values.get(base, UNKNOWN).kind is not Kind.ARRAY:
        raise Unclear("a slice with varying bounds is taken of something other than an array variable")
    made = selected(run, evolution, node, base.value, ranks, how)
    if made.windows and any(isinstance(a, Varying) for a in made.axes):
        made = selected(run, evolution, node, base.value, ranks, replace(how, windowed=False))
    return made


def selected(
    run: Run, evolution: ScalarEvolution, node: cst.Subscript, array: str, ranks: Mapping[str, int], how: How
) -> SlicedSubscript:
    """The axes of the selection by a subscript of a variable."""
    rank, certain = rank_of(run, node.value, ranks)
    signs: frozenset[Form] = frozenset()
    parts = flat(node)
    axes: list[Axis] = []
    sources: list[int] = []
    windows: dict[int, Window] = {}
    axis = 0
    for position, part in enumerate(parts):
        if isinstance(part, cst.Slice):
            if any(varies(run, bound) for bound in slices(part)):
                if how.supposed and rank == 1 and not (certain or how.guarded):  # rows may be sliced as well as numbers
                    raise Unclear(f"the number of dimensions of `{array}` is not known")
                found, assumed = span(run, evolution, array, axis, part, node, 0 if certain else rank, how)
                signs |= assumed
                if isinstance(found, Window):
                    windows[position] = found
                axes.append(None if isinstance(found, Window) else found)
            else:
                axes.append(None)
            sources.append(position)
            axis += 1
            continue
        assert isinstance(part, cst.Index)
        value = run.values.get(part.value, UNKNOWN)
        if value.kind is Kind.NONE:
            axes.append(ONE)
            sources.append(-1)
        elif value.kind is Kind.SCALAR:
            axis += 1
        else:
            raise Unclear("an index next to a slice with varying bounds may not be a number")
    if rank >= 0:
        axes += [None] * (rank - axis)
        sources += [-1] * (rank - axis)
    elif any(isinstance(a, Varying) for a in axes):
        raise Unclear(f"the number of dimensions of `{array}` is not known")
    return SlicedSubscript(tuple(axes), tuple(sources), windows, signs)


def span(
    run: Run, evolution: ScalarEvolution, array: str, axis: int, part: cst.Slice, at: cst.Subscript, rank: int, how: How
) -> tuple[Varying | Window, frozenset[Form]]:
    """The positions that a varying slice selects, and what must not be negative for that: for example the length of a window, or
    the minimum of a bound over all iterations.

    Raises Unclear where a bound may be negative even so, which counts from the end.
    """

    def selects(signs: frozenset[Form]) -> Varying | Window:
        facts = [*evolution.facts(at), *known_of(signs)]
        return _selects(
            run,
            evolution,
            DynamicSlice(array, axis, whole, whole, whole, None, None, False, rank, False),
            part,
            at,
            how.windowed,
            facts,
        )

    def resolved(signs: frozenset[Form], window: bool) -> Varying | Window | None:
        try:
            found = selects(signs)
        except Unclear:
            return None
        return found if isinstance(found, Window) or not (window or found.bounds.wraps) else None

    whole = Form(atom(size(array, axis)), evolution.extent(array, axis, at))
    bounds = {k: form for k, node in enumerate(slices(part)) if (form := _form(evolution, node)) is not None}
    moving = moving_names(run, evolution)
    numbers = open_signs(run, evolution, (form.known for form in bounds.values())) - moving
    named = frozenset(Form(atom(name), atom(name)) for name in numbers)
    ways: list[tuple[frozenset[Form], bool]] = [(frozenset(), False), (named, False)]
    if how.supposed:
        ways.append((named | minimum_bounds(run, evolution, bounds.values(), at, moving), False))
    if how.inside and 1 in bounds:
        minimum = minimum_bounds(run, evolution, [*bounds.values(), whole - bounds[1]], at, moving)
        ways = [(frozenset(), True), (named | minimum, True), *ways]
    for needed, window in ways:
        if resolved(needed, window) is None:
            continue
        for each in by_text(needed):
            if resolved(needed - {each}, window) is not None:
                needed -= {each}
        return selects(needed), needed
    return selects(frozenset()), frozenset()


def _form(evolution: ScalarEvolution, node: cst.BaseExpression | None) -> Form | None:
    written, known = affine(node), None if node is None else evolution.form(node)
    return None if written is None or known is None else Form(written, known)


def _selects(
    run: Run,
    evolution: ScalarEvolution,
    axis: DynamicSlice,
    part: cst.Slice,
    at: cst.Subscript,
    windowed: bool,
    facts: list[Affine],
) -> Varying | Window:
    """The positions along an axis that a varying slice selects. `facts`: what is known at the subscript. Raises Unclear."""
    step = 1 if part.step is None else _number(part.step)
    if step == -1:
        return _backward(evolution, axis, part, at, facts)
    if part.step is not None and step != 1:
        return _stride(run, evolution, axis, part, part.step, at, facts)
    whole, wraps = axis.size, False
    try:
        low, lower = _bound(evolution, part.lower, whole, facts, at)
        high, upper = _bound(evolution, part.upper, whole, facts, at)
    except Unclear:
        if not all(_integer(run, bound) for bound in (part.lower, part.upper)):
            raise
        wraps = True
        (low, lower), (high, upper) = (_opaque(bound) for bound in (part.lower, part.upper))
    low, high = low or Form(Affine(), Affine()), high or whole
    inside = at_most(high.known, whole.known, facts)
    moving = moving_names(run, evolution)
    length = high - low
    if windowed and inside and nonnegative(length.known, facts) and not length.known.names & moving and part.lower is not None:
        number = length.known.number
        fits = at_most(length.known, whole.known)
        written = text(length.written if not length.written.names & moving else length.known)
        minimum = "" if fits else size(axis.array, axis.axis)
        return Window(part.lower, written, number is not None and number <= SHORT, minimum)
    if upper is not None and inside and at_most(whole.known, high.known, facts):
        upper = None
    fixed = upper is not None and not high.known.names & moving
    return replace(axis, low=low, high=high, lower=lower, upper=upper, inside=inside, fixed=fixed, wraps=wraps)


def _stride(
    run: Run,
    evolution: ScalarEvolution,
    axis: DynamicSlice,
    part: cst.Slice,
    step: cst.BaseExpression,
    at: cst.Subscript,
    known: list[Affine],
) -> Stride:
    """`x[i::k]`, of all positions of an axis. Raises Unclear where the step may be negative, or 0, for which NumPy raises."""
    facts = [*known, axis.size.known]  # which is a size
    if not at_least(evolution, step, 1, facts):
        raise Unclear(f"the step `{verbatim(step)}` may be negative or 0")
    wraps = False
    try:
        low, lower = _counted(run, evolution, part.lower, axis.size, facts, at)
        high, upper = _counted(run, evolution, part.upper, axis.size, facts, at)
        if low is not None and lower is not part.lower and not nonnegative(low.known, facts):
            raise Unclear("the slice may start before the axis does")
    except Unclear:
        if not all(_integer(run, bound) for bound in (part.lower, part.upper)):
            raise
        wraps = True
        (low, lower), (high, upper) = (_opaque(bound) for bound in (part.lower, part.upper))
    low, high = low or Form(Affine(), Affine()), high or axis.size
    if high.known == axis.size.known:
        upper = None
    inside = at_most(high.known, axis.size.known, facts)
    span = replace(axis, low=low, high=high, lower=lower, upper=upper, inside=inside, wraps=wraps)
    by = evolution.form(step)
    return Stride(span, step, _same(step) if by is None else by, varies(run, step))


def _counted(
    run: Run, evolution: ScalarEvolution, node: cst.BaseExpression | None, whole: Form, facts: list[Affine], at: cst.Subscript
) -> tuple[Form | None, cst.BaseExpression | None]:
    """A bound of a slice, counted from the start of the axis. One that is not affine may be a product of positive numbers."""
    try:
        return _bound(evolution, node, whole, facts, at)
    except Unclear:
        if node is None or not _integer(run, node) or not at_least(evolution, node, 0, facts):
            raise
        return _opaque(node)


def _integer(run: Run, bound: cst.BaseExpression | None) -> bool:
    """Whether a bound is omitted, or is an integer that may be negative; not None in some iterations."""
    value = run.values.get(bound, UNKNOWN) if bound is not None else UNKNOWN
    number = value.kind in NUMERIC and value.rank == 0 and (not value.dtype or category(value.dtype) == 1)
    return bound is None or number or isinstance(bound, cst.Subscript)


def _opaque(bound: cst.BaseExpression | None) -> tuple[Form | None, cst.BaseExpression | None]:
    """A bound that is only known to be equal to one with the same text."""
    if bound is None:
        return None, None
    same = _same(bound)
    return Form(same, same), bound


def _same(node: cst.BaseExpression) -> Affine:
    return atom(f"<{verbatim(node)}>")


def _backward(
    evolution: ScalarEvolution, axis: DynamicSlice, part: cst.Slice, at: cst.Subscript, facts: list[Affine]
) -> DynamicSlice:
    """`x[k::-1]`, `x[k:j:-1]`: from k down to j + 1."""
    whole = axis.size
    first, _node = _bound(evolution, part.lower, whole, facts, at)
    last, _node = _bound(evolution, part.upper, whole, facts, at)
    high = whole if first is None else first + 1
    low = Form(Affine(), Affine()) if last is None else last + 1
    if not at_most(high.known, whole.known, facts):
        raise Unclear("a slice that runs backwards may start beyond the end")
    lower = None if last is None else cst.parse_expression(text(low.written))
    upper = cst.parse_expression(text(high.written))
    return replace(axis, low=low, high=high, lower=lower, upper=upper, inside=True, backward=True)


def _number(node: cst.BaseExpression) -> int | None:
    form = affine(node)
    return None if form is None else form.number


def _bound(
    evolution: ScalarEvolution, node: cst.BaseExpression | None, whole: Form, facts: list[Affine], at: cst.Subscript
) -> tuple[Form | None, cst.BaseExpression | None]:
    """A bound of a slice, counted from the start of the axis, with its text."""
    if node is None or (isinstance(node, cst.Name) and node.value == "None"):
        return None, None
    known, written = evolution.form(node), affine(node)
    if known is None or written is None:
        raise Unclear(f"the bound `{verbatim(node)}` is no sum of variables and sizes")
    form = Form(written, known)
    if nonnegative(known, facts):
        return (None, None) if known.number == 0 else (form, node)
    if nonnegative(known * -1 - 1, facts):  # counts from the end; before the start of the axis there is nothing to select
        form = whole + form
        return form, cst.parse_expression(text(form.written))
    raise Unclear(f"the bound `{verbatim(node)}` may be negative, and count from the end")


def moving_names(run: Run, evolution: ScalarEvolution) -> frozenset[str]:
    """The variables of a unit that are unknown when JAX traces, where its loops are compiled."""
    if run.slices.moving is None:
        run.slices.moving = frozenset(n.value for n in run.source.below(evolution.unit) if type(n) is cst.Name and varies(run, n))
    return run.slices.moving
