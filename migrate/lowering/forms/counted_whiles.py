"""`while i + size <= n: ...; i += stride`: a `for` over a range, of which `i` and other counters are functions.

A counter (an induction variable) is an integer that every iteration increments by the same number. The test bounds one of them, so
that the trip count is known before the loop. A step that is not a literal is asserted to be positive: the loop would not end otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.syntax import builders
from ...analysis.branches.branch_arms import jumps
from ...analysis.symbolic.affine import (
    Affine,
    Max,
    affine,
    atom,
    condition,
    extremum,
    quotient,
    shaped,
    text,
    times,
    with_lengths,
)
from ...analysis.symbolic.inequalities import nonnegative
from ...syntax.names import bound_by, uses
from ...syntax.updates import updated
from .form import Body, DesugaredStatement, with_comments
from .list_growth import fills_lists
from .loop_invariants import Invariants

STRICT = (cst.LessThan, cst.GreaterThan)
UPWARDS = (cst.LessThan, cst.LessThanEqual)
COMPARED = (*STRICT, cst.LessThanEqual, cst.GreaterThanEqual)
GUARDED = (cst.Try, cst.TryStar, cst.With)


@dataclass(frozen=True, slots=True)
class Counter:
    """A variable that `bound` binds to `start` before a loop, and that the statement `line` of its body increments by `step`.

    `early`: it is incremented before it is read, so that an iteration reads the next value. `used`: the body reads it.
    """

    name: str
    start: Affine
    bound: cst.Assign | None  # None where the value is read before the loop
    line: cst.SimpleStatementLine
    step: Affine
    early: bool
    used: bool

    def after(self, count: Affine) -> Affine:
        """The value after a number of iterations."""
        return self.start + times(count, self.step)

    def during(self, count: Affine) -> Affine:
        """The value that an iteration reads which follows a number of others."""
        return self.after(count + 1 if self.early else count)


@dataclass(frozen=True, slots=True)
class Counted:
    """A loop that counts. `index`, `header`: the variable of the `for`, and the arguments of its range; `count`: the number of previous
    iterations in terms of the index; `total`: the trip count, where that is not negative.

    `counters`: those that become functions of the index. `live`: those that are read after the loop. `check`: what is asserted of the
    step, None where it is known to have the right sign.
    """

    loop: cst.While
    index: str
    header: Sequence[Affine]
    count: Affine
    total: Affine
    counters: Sequence[Counter]
    live: frozenset[str]
    check: Affine | None

    def edits(self, read: Collection[str]) -> dict[cst.CSTNode, Edit]:
        """`read`: the variables whose shapes the function reads."""
        total = self.total if nonnegative(self.total) else extremum(Max, (self.total, Affine()))
        inner = [_bound(c.name, c.during(self.count), read) for c in self.counters if c.used and c.name != self.index]
        outer = [_bound(c.name, c.after(total), read) for c in self.counters if c.name in self.live]

        def counted(made: cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
            lines = [*inner, *builders.lines(made.body)] or [cst.SimpleStatementLine([cst.Pass()])]
            through = builders.call(cst.Name("range"), *(_written(form, read) for form in self.header))
            loop = cst.For(cst.Name(self.index), through, made.body.with_changes(body=lines), leading_lines=made.leading_lines)
            return cst.FlattenSentinel([loop, *outer])

        return {**dict.fromkeys((c.line for c in self.counters), builders.gone), self.loop: counted}


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.While):
        return None
    # inner loops at once: what is known of values is known of the nodes before any edit
    loops = [found for loop in body.source.among(statement, cst.While) if (found := _counted(loop, body)) is not None]
    if not any(found.loop is statement for found in loops):
        return None
    read = shaped(body.source.among(body.owner, cst.Attribute))
    edits: dict[cst.CSTNode, Edit] = {}
    dead: dict[cst.Assign, set[str]] = {}
    checks: dict[cst.CSTNode, dict[str, None]] = {}
    for found in loops:
        edits |= found.edits(read)
        for counter in found.counters:
            if counter.bound is not None:
                dead.setdefault(counter.bound, set()).add(counter.name)
        if found.check is not None:
            at = _outermost(found.loop, found.check.names, statement, body)
            said = with_lengths(condition(found.check), read)
            if not _is_said(at, said, body):
                checks.setdefault(at, {})[said] = None
    edits |= {bound: _without(bound, frozenset(names)) for bound, names in dead.items()}
    edits |= {at: _checked(edits.get(at), [*conditions]) for at, conditions in checks.items()}
    return DesugaredStatement("a `while` that counts", edits)


def _counted(loop: cst.While, body: Body) -> Counted | None:
    """How a loop counts; None if it does not. Counters that are read after a loop that may end early stay variables: a loop is only worth
    that where it fills a list."""
    match loop:
        case cst.While(
            test=cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]),
            body=cst.IndentedBlock(),
            orelse=None,
        ) if isinstance(operator, COMPARED):
            pass
        case _:
            return None
    around = list(takewhile(lambda node: node is not body.owner, body.source.above(loop)))
    if any(isinstance(node, (*GUARDED, cst.FunctionDef, cst.ClassDef)) for node in around):
        return None
    invariants = Invariants(body, loop)
    counters = list(_counters(loop, body, invariants))
    ends = cst.Break in jumps(loop.body)
    live = body.live.after.get(loop, frozenset()) & {c.name for c in counters}
    tested = [c for c in counters if invariants.form(left, c.name) is not None and invariants.form(right, c.name) is not None]
    forms = affine(left), affine(right)
    if len(tested) != 1 or forms[0] is None or forms[1] is None:
        return None
    (counter,) = tested
    if ends and counter.name in live and not fills_lists(loop, body):
        return None
    rest = forms[1] - forms[0] if isinstance(operator, UPWARDS) else forms[0] - forms[1]  # at least 0, or 1
    rest = rest - (1 if isinstance(operator, STRICT) else 0)
    factor = rest.coefficient(counter.name)
    if abs(factor) != 1 or counter.name in (rest - atom(counter.name) * factor).names:
        return None
    step = counter.step * -factor  # the distance by which each iteration approaches the end
    if step.number is not None and step.number <= 0:
        return None
    room = rest + (atom(counter.name) - counter.start) * -factor  # at the start
    total = quotient(room, step) + 1 if step.number is None else quotient(room + step, step)
    counters = [c for c in counters if not (ends and c.name in live)]
    return _indexed(loop, counter, counters, room, total, -factor, live, body)


def _indexed(
    loop: cst.While,
    counter: Counter,
    counters: list[Counter],
    room: Affine,
    total: Affine,
    sign: int,
    live: frozenset[str],
    body: Body,
) -> Counted:
    """The range: of the counter in the test where it goes from number to number, else of one that counts the iterations.

    `room`: how far the counter may go from its start in the direction of `sign`.
    """
    others = [c for c in counters if c is not counter]
    first = counter.during(Affine())
    number = counter.step.number
    unit = next((c.name for c in others if c.during(Affine()) == Affine() and c.step == Affine(1)), "")
    check = counter.step * sign - 1 if number is None else None
    if counter in counters and (number in (1, -1) or (number is not None and not any(c.used for c in others))):
        assert number is not None
        stop = first + (room + 1) * sign
        header = [stop] if first == Affine() and number == 1 else [first, stop] if number == 1 else [first, stop, counter.step]
        count = (atom(counter.name) - first) * number  # where others need it, the number is 1 or -1
        return Counted(loop, counter.name, header, count, total, counters, live, check)
    index = unit or body.fresh("k", f"{counter.name}_turn")
    return Counted(loop, index, [total], atom(index), total, counters, live, check)


def _counters(loop: cst.While, body: Body, invariants: Invariants) -> Iterator[Counter]:
    """The counters of a loop: incremented once in each iteration, and read only before that or only after it."""
    lines = builders.lines(loop.body)
    for position, line in enumerate(lines):
        found = incremented(line)
        if found is None or not isinstance(line, cst.SimpleStatementLine):
            continue
        name, by, sign = found
        before, after = lines[:position], lines[position + 1 :]
        if name in body.captured or any(name in bound_by(other) for other in (*before, *after)):
            continue
        if any(cst.Continue in jumps(other) for other in before):
            continue
        read, early = (any(name in uses(other)[0] for other in some) for some in (before, after))
        step = invariants.form(by)
        start = _start(loop, name, body, invariants)
        if (read and early) or step is None or start is None:
            continue
        yield Counter(name, *start, line, step * sign, early, read or early)


def incremented(line: cst.BaseStatement) -> tuple[str, cst.BaseExpression, int] | None:
    """The variable that a statement increments, the number, and its sign."""
    update = updated(line)
    sign = 0 if update is None else 1 if update[1] is cst.Add else -(update[1] is cst.Subtract)
    return (update[0], update[2], sign) if update is not None and sign else None


def _start(loop: cst.While, name: str, body: Body, invariants: Invariants) -> tuple[Affine, cst.Assign | None] | None:
    """The value of a variable before a loop, and the statement that binds it, None where that is also read otherwise."""
    passed: list[cst.CSTNode] = []
    for line in body.before(loop):
        if name not in bound_by(line):
            passed.append(line)
            continue
        match line:
            case cst.SimpleStatementLine(body=[cst.Assign() as bound]) if (value := _value(bound, name)) is not None:
                form = invariants.form(value)
                names = {n.value for n in body.source.among(value, cst.Name)}
                if form is None or any(not names.isdisjoint(bound_by(other)) for other in (line, *passed)):
                    return None
                return form, None if any(name in uses(other)[0] for other in passed) else bound
        return None
    return None


def _value(bound: cst.Assign, name: str) -> cst.BaseExpression | None:
    """The value that an assignment gives to a variable: `i = j = 0`, `i, x = 0, 1.0`."""
    targets = [t.target for t in bound.targets]
    if all(isinstance(t, cst.Name) for t in targets):
        return bound.value
    match targets, bound.value:
        case [cst.Tuple(elements=names)], cst.Tuple(elements=values) if len(names) == len(values):
            if all(isinstance(e, cst.Element) for e in (*names, *values)):
                pairs = zip(names, values, strict=True)
                found = [v.value for n, v in pairs if isinstance(n.value, cst.Name) and n.value.value == name]
                return found[0] if len(found) == 1 else None
    return None


def _without(bound: cst.Assign, names: frozenset[str]) -> Edit:
    """The edit of an assignment that leaves out some of its variables."""

    def edit(made: cst.Assign) -> cst.Assign | cst.RemovalSentinel:
        match made:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple() as target)], value=cst.Tuple() as value):
                pairs = zip(target.elements, value.elements, strict=True)
                kept = [(n.value, v.value) for n, v in pairs if not (isinstance(n.value, cst.Name) and n.value.value in names)]
                if not kept:
                    return cst.RemoveFromParent()
                left, right = (
                    side[0] if len(side) == 1 else whole.with_changes(elements=[cst.Element(e) for e in side])
                    for whole, side in zip((target, value), map(list, zip(*kept, strict=True)), strict=True)
                )
                return made.with_changes(targets=[cst.AssignTarget(left)], value=right)
        targets = [t for t in made.targets if not (isinstance(t.target, cst.Name) and t.target.value in names)]
        return made.with_changes(targets=targets) if targets else cst.RemoveFromParent()

    return edit


def _outermost(loop: cst.While, names: frozenset[str], group: cst.While, body: Body) -> cst.CSTNode:
    """The outermost loop around a loop in which some variables are invariant, and which certainly reaches it."""
    found: cst.CSTNode = loop
    for node in body.source.above(loop):
        if found is group or isinstance(node, cst.If):
            break
        if isinstance(node, (cst.For, cst.While)):
            if not names.isdisjoint(bound_by(node)):
                break
            found = node
    return found


def _is_said(at: cst.CSTNode, condition: str, body: Body) -> bool:
    """Whether a statement before a loop asserts a condition, and no later one may rebind what is in it."""
    for line in body.before(at):
        match line:
            case cst.SimpleStatementLine(body=[cst.Assert(test=test)]) if cst.Module([]).code_for_node(test) == condition:
                return True
        if not builders.names(cst.parse_expression(condition)).isdisjoint(bound_by(line)):
            return False
    return False


def _checked(edit: Edit | None, conditions: Sequence[str]) -> Edit:
    """The edit that asserts conditions before a statement."""

    def checked(made: cst.BaseStatement) -> cst.FlattenSentinel[cst.BaseStatement]:
        result = made if edit is None else edit(made)
        lines: list[cst.BaseStatement] = list(result) if isinstance(result, cst.FlattenSentinel) else [result]
        said = [cst.SimpleStatementLine([cst.Assert(cst.parse_expression(each))]) for each in conditions]
        return with_comments([*said, lines[0].with_changes(leading_lines=()), *lines[1:]], lines[0])

    return checked


def _bound(name: str, form: Affine, read: Collection[str]) -> cst.SimpleStatementLine:
    return builders.assigned((name,), _written(form, read))


def _written(form: Affine, read: Collection[str]) -> cst.BaseExpression:
    return cst.parse_expression(with_lengths(text(form), read))


__all__ = ["desugar"]
