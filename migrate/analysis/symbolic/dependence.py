"""Whether the iterations of a loop access the same elements of an array: a dependence test for linear subscripts.

An iteration that writes `x[i + 1]` and reads `x[i]` reads what the previous iteration wrote: the dependence distance is -1.
Distances are computed along each index of a nest. The first that is not 0, in the order of the iterations, decides which
iteration comes first; see U. Banerjee, Dependence Analysis for Supercomputing, and the strong SIV test of G. Goff, K. Kennedy and
C.-W. Tseng, "Practical dependence testing", PLDI 1991. "Not proven" always means that there may be a dependence.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .affine import Affine, atom, substitute
from .inequalities import nonnegative


class Section(NamedTuple):
    """The part of an axis from `low` (inclusive) to `high` (exclusive); None where it extends to the end of the axis."""

    low: Affine | None = None
    high: Affine | None = None


class Index(NamedTuple):
    """One index of a nest, outermost first. `rising`: its values increase."""

    name: str
    step: int = 1

    @property
    def rising(self) -> bool:
        return self.step > 0


Part = Affine | Section | None  # part of a subscript; None where it is not understood
Subscript = Sequence[Part]


class Relation(enum.Enum):
    """Which iteration writes what an iteration reads."""

    NEVER = "never"  # none does
    SAME = "same"  # the iteration that reads it
    LATER = "later"  # only later iterations: it reads the value from before the loop
    MAYBE = "maybe"  # an earlier iteration, or it is unknown


class Sign(enum.Enum):
    ZERO = 0
    PLUS = 1
    MINUS = -1
    ANY = None


def injective(place: Subscript, nest: Sequence[Index], facts: Sequence[Affine]) -> bool:
    """Whether no two iterations of a nest write to the same element: the subscript determines every index.

    Negative indices count from the end: each subscript must be non-negative in all iterations, or negative in all.
    """
    names = {index.name for index in nest}
    solved: set[str] = set()
    forms = [p for p in place if isinstance(p, Affine) and p.names & names]
    if any(not nonnegative(form, facts) and not nonnegative(form * -1 - 1, facts) for form in forms):
        return False
    while True:
        unsolved = [(form.names & names) - solved for form in forms if _linear(form, names)]
        found = frozenset().union(*(n for n in unsolved if len(n) == 1))
        if not found:
            return solved == names
        solved |= found


def disjoint(one: Subscript, other: Subscript, index: Index, facts: Sequence[Affine]) -> bool:
    """Whether no element is written by one iteration at the subscript `one` and by a different iteration at the subscript
    `other`.

    The atoms "<0>", "<1>", ... are the indices of an element that both iterations write. This must contradict the facts,
    whichever of the two iterations comes first.
    """
    mine, moved = atom(index.name), {index.name: atom("<other turn>")}
    known = [*facts, *(substitute(fact, moved) for fact in facts)]
    for axis, (first, second) in enumerate(zip(one, other, strict=True)):
        known += _holding(first, axis, {})
        known += _holding(second, axis, moved)
    theirs = moved[index.name]
    return nonnegative(mine - theirs, known) and nonnegative(theirs - mine, known)


def _holding(part: Part, axis: int, moved: Mapping[str, Affine]) -> list[Affine]:
    """The forms that are at least 0 where the index `<axis>` of an element is selected by a part of a subscript."""
    item = atom(f"<{axis}>")
    if isinstance(part, Affine):
        form = substitute(part, moved)
        return [item - form, form - item]
    if part is None:
        return []
    low = [] if part.low is None else [item - substitute(part.low, moved)]
    return low if part.high is None else [*low, substitute(part.high, moved) - item - 1]


def _linear(form: Affine, names: set[str]) -> bool:
    """Whether the indices occur in the form as they are, not inside quotients or other derived atoms."""
    return all(isinstance(a, str) or not Affine(0, ((a, 1),)).names & names for a, _c in form.terms)


def relation(write: Subscript, read: Subscript, nest: Sequence[Index], facts: Sequence[Affine]) -> Relation:
    """Which iteration, if any, writes what an iteration reads. Both are subscripts of one array, in terms of the indices of the
    reading iteration.
    """
    names = {index.name for index in nest}
    signs: dict[str, Sign] = {}
    exact: dict[str, int] = {}
    for mine, other in zip(write, read, strict=False):
        if not isinstance(mine, Affine) or other is None:
            continue
        bound = mine.names & names
        if isinstance(other, Section):
            if len(bound) == 1 and (name := next(iter(bound))) and mine.coefficient(name) == 1:
                signs.setdefault(name, _section_sign(mine, other, facts))
            continue
        difference = other - mine
        if difference == Affine():
            if len(bound) == 1 and _linear(mine, names):
                signs[(name := next(iter(bound)))] = Sign.ZERO
                if exact.setdefault(name, 0):
                    return Relation.NEVER
            continue
        if not nonnegative(mine, facts) or not nonnegative(other, facts):
            continue  # an index that counts from the end may be the same element
        if not bound and not other.names & names:
            if _sign(difference, facts) is not Sign.ANY:
                return Relation.NEVER
            continue
        if difference.names & names or len(bound) != 1 or not _linear(mine, names):
            continue
        name = next(iter(bound))
        factor = mine.coefficient(name)
        if (known := difference.number) is not None:
            if known % (factor * next(index.step for index in nest if index.name == name)):
                return Relation.NEVER
            if exact.setdefault(name, known // factor) != known // factor:
                return Relation.NEVER
            signs[name] = Sign.PLUS if known * factor > 0 else Sign.MINUS
        elif name not in exact:
            signs[name] = _sign(difference * (1 if factor > 0 else -1), facts)
    for index in nest:
        sign = signs.get(index.name, Sign.ANY)
        if sign is Sign.ZERO:
            continue
        return Relation.LATER if sign is (Sign.PLUS if index.rising else Sign.MINUS) else Relation.MAYBE
    return Relation.SAME


def _section_sign(write: Affine, read: Section, facts: Sequence[Affine]) -> Sign:
    """The sign of the distance from the element that an iteration writes to all elements that it reads."""
    if read.low is not None and nonnegative(read.low, facts) and nonnegative(read.low - write - 1, facts):
        return Sign.PLUS
    if read.high is not None and nonnegative(read.high, facts) and nonnegative(write - read.high, facts):
        return Sign.MINUS
    return Sign.ANY


def _sign(difference: Affine, facts: Sequence[Affine]) -> Sign:
    if nonnegative(difference - 1, facts):
        return Sign.PLUS
    return Sign.MINUS if nonnegative(difference * -1 - 1, facts) else Sign.ANY
