"""Lower bounds of slice bounds over the iterations of loops: they must not be negative, or the slice would count from the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import libcst as cst

from ..state.interpreter_state import Run
from .affine import Affine, text
from .inequalities import nonnegative
from .scalar_evolution import ScalarEvolution
from .sign_analysis import open_signs

MOST_INDICES = 8  # of loops that enclose a slice, on which a bound depends


@dataclass(frozen=True, slots=True)
class Form:
    """An integer in two forms: as the text writes it, and as it is resolved."""

    written: Affine
    known: Affine

    def __add__(self, other: Form | int) -> Form:
        other = other if isinstance(other, Form) else Form(Affine(other), Affine(other))
        return Form(self.written + other.written, self.known + other.known)

    def __sub__(self, other: Form | int) -> Form:
        other = other if isinstance(other, Form) else Form(Affine(other), Affine(other))
        return Form(self.written - other.written, self.known - other.known)


def minimum_bounds(
    run: Run, evolution: ScalarEvolution, bounds: Iterable[Form], at: cst.Subscript, moving: frozenset[str]
) -> frozenset[Form]:
    """The minimum of bounds over all iterations, where it depends on loop-invariant numbers only: `n - (lags - 1)` of `n - k`, in
    `range(lags)`.

    `moving`: the variables that are not known when JAX traces.
    """
    facts = evolution.facts(at)
    found: set[Form] = set()
    for bound in bounds:
        if not bound.written.names & moving or nonnegative(bound.known, facts):
            continue
        form: Form | None = bound
        for _index in range(MOST_INDICES):
            if form is None or not (names := form.written.names & moving):
                break
            form = next((minimum for name in sorted(names) if (minimum := _without(name, form, facts)) is not None), None)
        if form is None or form.written.names & moving or not any(factor > 0 for _atom, factor in form.written.terms):
            continue
        if nonnegative(form.known * -1, facts):
            continue  # it counts from the end, at least in some iterations
        named = {n for n in form.written.names if n.isidentifier()}
        if named == open_signs(run, evolution, [form.written]) and not any(n.startswith("<") for n in form.written.names):
            found.add(form)
    return frozenset(found)


def _without(name: str, form: Form, facts: Sequence[Affine]) -> Form | None:
    """The minimum of a form over a variable, by the fact that bounds the variable in that direction."""
    factor = form.written.coefficient(name)
    for fact in facts:
        if fact.coefficient(name) * factor > 0 and abs(fact.coefficient(name)) == 1:
            taken = Form(fact * abs(factor), fact * abs(factor))
            return form - taken
    return None


def known_of(forms: Iterable[Form]) -> list[Affine]:
    """The resolved forms, always in the same order."""
    return [form.known for form in by_text(forms)]


def by_text(forms: Iterable[Form]) -> list[Form]:
    """The forms, sorted by their text."""
    return sorted(forms, key=lambda form: text(form.written))
