"""What follows from linear inequalities between integer expressions (Fourier-Motzkin elimination)."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from .affine import Affine, Atom, Max, Min, Product, Quotient, atom, combine, is_size, times

MOST_ATOMS = 12
MOST_FORMS = 300
MOST_CASES = 16


def nonnegative(form: Affine, facts: Iterable[Affine] = ()) -> bool:
    """Whether `form >= 0` follows from `fact >= 0` for all facts, where sizes are at least 0.

    A minimum of forms is at least 0 where each of them is.
    """
    known = [*facts]
    return all(_follows(each, known) for each in _cases(form))


def _follows(form: Affine, facts: list[Affine]) -> bool:
    return _contradictory(form * -1 - 1, facts) if form.terms else form.constant >= 0


def _cases(form: Affine) -> list[Affine]:
    """Forms whose minimum is the form: one for each operand of a minimum that it adds, or of a maximum that it subtracts."""
    done, found = [form], list[Affine]()
    while done:
        form = done.pop()
        bound = next(((a, c) for a, c in form.terms if isinstance(a, Min if c > 0 else Max)), None)
        if bound is None or len(done) + len(found) > MOST_CASES:
            found.append(form)
            continue
        of, coefficient = bound
        assert isinstance(of, (Min, Max))
        rest = form - atom(of) * coefficient
        done += [rest + each * coefficient for each in of.forms]
    return found


def at_most(form: Affine, other: Affine, facts: Iterable[Affine] = ()) -> bool:
    """Whether `form <= other` follows."""
    return nonnegative(other - form, facts)


def below(form: Affine, other: Affine, facts: Iterable[Affine] = ()) -> bool:
    """Whether `form < other` follows."""
    return nonnegative(other - form - 1, facts)


def _contradictory(assumed: Affine, facts: list[Affine]) -> bool:
    """Whether no integers satisfy `assumed >= 0` and all facts. False may also mean: not found out."""
    forms = _connected(assumed, facts)
    while True:
        if any(f.constant < 0 for f in forms if not f.terms):
            return True
        forms = [f for f in forms if f.terms]
        growth = _growth(forms)
        if not growth or len(growth) > MOST_ATOMS or len(forms) > MOST_FORMS:
            return False
        fewest = min(growth.values())
        forms = _eliminated(min((a for a, n in growth.items() if n == fewest), key=str), forms)


def _connected(assumed: Affine, facts: list[Affine]) -> list[Affine]:
    """The facts about the atoms of a form, and about atoms that these facts mention."""
    found, seen, open_facts = [assumed], set[Atom](), list(facts)
    reached = set(assumed.atoms)
    while new := reached - seen:
        seen |= new
        for each in sorted(new, key=str):
            made = _implied(each, facts)
            found += made
            reached |= {a for f in made for a in f.atoms} | {*(each.factors if isinstance(each, Product) else ())}
        touching = [f for f in open_facts if f.atoms & seen]
        open_facts = [f for f in open_facts if not f.atoms & seen]
        found += touching
        reached |= {a for f in touching for a in f.atoms}
    found += _multiplied(found, [a for a in seen if isinstance(a, Product)])
    return list(dict.fromkeys(_tight(f) for f in [*found, *(f for f in open_facts if not f.terms)]))


def _multiplied(facts: list[Affine], products: list[Product]) -> list[Affine]:
    """What facts imply for products: a form that is at least 0, times a factor that is."""
    made: dict[Affine, None] = {}
    for product in sorted(products, key=str):
        for k, factor in enumerate(product.factors):
            others = {*product.factors[:k], *product.factors[k + 1 :]}
            if len(others) == 1 and _not_negative(atom(factor), facts):
                made |= dict.fromkeys(times(fact, atom(factor)) for fact in facts[1:] if fact.atoms & others)
    return [*made][:MOST_FORMS]


def _not_negative(form: Affine, facts: Iterable[Affine]) -> bool:
    """Whether a form is not negative according to one of the facts, or because it is a size."""
    sized = form.constant >= 0 and all(c > 0 and isinstance(a, str) and is_size(a) for a, c in form.terms)
    return sized or any(f.terms == form.terms and f.constant <= form.constant for f in facts)


def _implied(of: Atom, facts: list[Affine]) -> list[Affine]:
    """What the definition of an atom implies, given facts: forms that are at least 0."""
    if isinstance(of, str):
        return [atom(of)] if is_size(of) else []
    if isinstance(of, Product):
        return []
    if isinstance(of, Quotient):
        divisor = of.divisor if isinstance(of.divisor, Affine) else Affine(of.divisor)
        if not _not_negative(divisor, facts):  # the divisor is never 0
            return []
        rest = of.form - times(atom(of), divisor)
        return [rest, rest * -1 + divisor - 1]
    return [(f - atom(of)) * (1 if isinstance(of, Min) else -1) for f in of.forms]


def _tight(form: Affine) -> Affine:
    """The same fact about integers with the smallest coefficients: 2 i - 3 >= 0 becomes i - 2 >= 0."""
    common = gcd(*(c for _a, c in form.terms)) if form.terms else 1
    if common <= 1:
        return form
    return Affine(form.constant // common, tuple((a, c // common) for a, c in form.terms))


def _growth(forms: list[Affine]) -> dict[Atom, int]:
    """For each atom, the increase in the number of forms when it is eliminated."""
    above: dict[Atom, int] = {}
    below_zero: dict[Atom, int] = {}
    for form in forms:
        for name, coefficient in form.terms:
            signs = above if coefficient > 0 else below_zero
            signs[name] = signs.get(name, 0) + 1
    counts = {a: (above.get(a, 0), below_zero.get(a, 0)) for a in (*above, *below_zero)}
    return {a: up * down - up - down for a, (up, down) in counts.items()}


def _eliminated(of: Atom, forms: list[Affine]) -> list[Affine]:
    """The forms without an atom: every lower bound of it is at most every upper bound."""
    lower = [f for f in forms if f.coefficient(of) > 0]
    upper = [f for f in forms if f.coefficient(of) < 0]
    made = [f for f in forms if not f.coefficient(of)]
    made += [_tight(combine(a, -b.coefficient(of), b, a.coefficient(of))) for a in lower for b in upper]
    return list(dict.fromkeys(made))
