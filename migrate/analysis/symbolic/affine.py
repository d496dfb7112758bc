"""Integer expressions as linear forms, and what can be proven of them.

An index such as `A.shape[0] - i - 1` is a constant plus multiples of atoms: variables, sizes of arrays, quotients and least or
greatest of forms. What holds where it is read (`0 <= i`, `i <= n - 1`) is a list of forms that are at least 0; whether a form
is at least 0 then follows, or not, by the elimination of one atom after the other (Fourier and Motzkin; see A. Schrijver,
Theory of Linear and Integer Programming, section 12.2). Not proven never means false.

A product of atoms (`i * width`) is an atom of its own, of which the elimination knows what follows by multiplication: what is at least
0 stays so times a factor that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import gcd

import libcst as cst

from ..state.access_paths import path_of

SIZE = ".shape["  # in the name of the atom that is the size of an array along one axis: "x.shape[0]"
NOT_NEGATIVE = " >= 0"  # how a condition ends that a variable is not negative
MOST_ATOMS = 12
MOST_FORMS = 300
MOST_CASES = 16
MOST_FACTORS = 3  # of a product that is written
NOTHING: Mapping[str, Affine] = {}


@dataclass(frozen=True, slots=True)
class Quotient:
    """`form // divisor`, rounded down as Python does; a divisor that is a number is positive."""

    form: Affine
    divisor: int | Affine


@dataclass(frozen=True, slots=True)
class Product:
    """Two atoms or more, in the order of their texts."""

    factors: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Least:
    """`min(forms)`."""

    forms: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Greatest:
    """`max(forms)`."""

    forms: tuple[Affine, ...]


Atom = (
    str | Quotient | Product | Least | Greatest
)  # a name, "x.shape[0]" (also for `len(x)`), "x.size", "x.ndim", or a derived one


@dataclass(frozen=True, slots=True)
class Affine:
    """`constant + sum(coefficient * atom)`; no coefficient is 0, and equal forms are equal."""

    constant: int = 0
    terms: tuple[tuple[Atom, int], ...] = ()

    def __add__(self, other: Affine | int) -> Affine:
        return combine(self, 1, other if isinstance(other, Affine) else Affine(other), 1)

    def __sub__(self, other: Affine | int) -> Affine:
        return combine(self, 1, other if isinstance(other, Affine) else Affine(other), -1)

    def __mul__(self, factor: int) -> Affine:
        return combine(self, factor, Affine(), 0)

    def coefficient(self, atom: Atom) -> int:
        """How often the form holds an atom, 0 where it does not mention it outside of derived atoms."""
        for name, coefficient in self.terms:
            if name == atom:
                return coefficient
        return 0

    @property
    def atoms(self) -> frozenset[Atom]:
        """The atoms of the terms."""
        return frozenset(a for a, _c in self.terms)

    @property
    def names(self) -> frozenset[str]:
        """All names and sizes in the form, those inside of quotients and the like, too."""
        return frozenset().union(*(_names(a) for a in self.atoms))

    @property
    def number(self) -> int | None:
        """The constant that the form is, None where it has terms."""
        return None if self.terms else self.constant


def atom(name: Atom) -> Affine:
    """The form that is one atom."""
    return Affine(0, ((name, 1),))


def combine(left: Affine, a: int, right: Affine, b: int) -> Affine:
    """`a * left + b * right`."""
    terms: dict[Atom, int] = {n: a * c for n, c in left.terms}
    for name, coefficient in right.terms:
        terms[name] = terms.get(name, 0) + b * coefficient
    kept = [(n, c) for n, c in terms.items() if c]
    kept.sort(key=lambda term: str(term[0]))
    return Affine(a * left.constant + b * right.constant, tuple(kept))


def _names(of: Atom) -> frozenset[str]:
    if isinstance(of, str):
        return frozenset({of})
    if isinstance(of, Product):
        return frozenset().union(*map(_names, of.factors))
    if isinstance(of, Quotient):
        return of.form.names | (of.divisor.names if isinstance(of.divisor, Affine) else frozenset())
    return frozenset().union(*(f.names for f in of.forms))


def times(left: Affine, right: Affine) -> Affine:
    """The product of two forms."""
    made = left * right.constant + Affine(0, right.terms) * left.constant
    for a, factor in left.terms:
        for b, other in right.terms:
            factors = [f for each in (a, b) for f in (each.factors if isinstance(each, Product) else (each,))]
            made = made + Affine(0, ((Product(tuple(sorted(factors, key=str))), factor * other),))
    return made


def substitute(form: Affine, names: Mapping[str, Affine]) -> Affine:
    """The form with names and sizes replaced by what they are."""
    if not form.names & names.keys():
        return form
    made = Affine(form.constant)
    for name, coefficient in form.terms:
        made = made + _substituted(name, names) * coefficient
    return made


def _substituted(of: Atom, names: Mapping[str, Affine]) -> Affine:
    if isinstance(of, str):
        return names.get(of, atom(of))
    if isinstance(of, Product):
        return reduce(times, (_substituted(f, names) for f in of.factors))
    if isinstance(of, Quotient):
        divisor = substitute(of.divisor, names) if isinstance(of.divisor, Affine) else of.divisor
        return quotient(substitute(of.form, names), divisor)
    return extreme(type(of), [substitute(f, names) for f in of.forms])


def quotient(form: Affine, divisor: int | Affine) -> Affine:
    """`form // divisor`; a divisor that is a number is positive."""
    number = divisor.number if isinstance(divisor, Affine) else divisor
    if number is None or number <= 0:
        assert isinstance(divisor, Affine)
        whole, rest = _split(form, divisor)
        return whole + atom(Quotient(rest, divisor)) if rest != Affine() else whole
    if all(c % number == 0 for _a, c in form.terms):
        return Affine(form.constant // number, tuple((a, c // number) for a, c in form.terms))
    return atom(Quotient(form, number))


def _split(form: Affine, divisor: Affine) -> tuple[Affine, Affine]:
    """How often a form holds the variable that a divisor is, and what else it holds: i and k of `i * b + k` and b."""
    match divisor:
        case Affine(constant=0, terms=((by, 1),)):
            pass
        case _:
            return Affine(), form
    whole, rest = Affine(), Affine(form.constant)
    for a, c in form.terms:
        factors: list[Atom] = [*a.factors] if isinstance(a, Product) else [a]
        if by in factors:
            factors.remove(by)
            whole = whole + reduce(times, map(atom, factors), Affine(c))
        else:
            rest = rest + atom(a) * c
    return whole, rest


def extreme(kind: type[Least] | type[Greatest], forms: Iterable[Affine]) -> Affine:
    """The least or the greatest of forms."""
    distinct = sorted(dict.fromkeys(forms), key=str)
    if len(distinct) == 1:
        return distinct[0]
    numbers = [f.constant for f in distinct if not f.terms]
    if len(numbers) == len(distinct):
        return Affine(min(numbers) if kind is Least else max(numbers))
    return atom(kind(tuple(distinct)))


def text(form: Affine) -> str:
    """The form as Python writes it: `n - i - 1`."""
    ordered = sorted(form.terms, key=lambda term: term[1] < 0)
    if not ordered:
        return str(form.constant)
    signed = [(c < 0, _factor(a, abs(c))) for a, c in ordered]
    if form.constant:
        signed.append((form.constant < 0, str(abs(form.constant))))
    if signed[0][0] and form.constant > 0:
        signed = [signed[-1], *signed[:-1]]
    first = signed[0][1]
    if signed[0][0]:
        first = f"-({first})" if " // " in first else f"-{first}"
    return first + "".join(f" {'-' if minus else '+'} {part}" for minus, part in signed[1:])


def condition(form: Affine) -> str:
    """That the form is at least 0, as Python writes it: `lags <= n + 1`."""
    more, less = (Affine(0, tuple((a, sign * c) for a, c in form.terms if sign * c > 0)) for sign in (1, -1))
    strict = form.constant == -1
    if not less.terms:
        return f"{text(more)} {'>' if strict else '>='} {0 if strict else -form.constant}"
    return f"{text(less)} < {text(more)}" if strict else f"{text(less)} <= {text(more + form.constant)}"


def _factor(of: Atom, coefficient: int) -> str:
    if isinstance(of, str):
        name = of
    elif isinstance(of, Product):
        name = " * ".join(f"({made})" if isinstance(f, Quotient) else made for f in of.factors if (made := _factor(f, 1)))
    elif isinstance(of, Quotient):
        divisor = str(of.divisor) if isinstance(of.divisor, int) else text(of.divisor)
        inner, divisor = (t if t.isidentifier() or t.isdecimal() else f"({t})" for t in (text(of.form), divisor))
        name = f"{inner} // {divisor}"
        name = name if coefficient == 1 else f"({name})"
    else:
        name = f"{'min' if isinstance(of, Least) else 'max'}({', '.join(text(f) for f in of.forms)})"
    return name if coefficient == 1 else f"{coefficient} * {name}"


# --- from syntax ---------------------------------------------------------------------------------------------------------


def affine(node: cst.BaseExpression | None, names: Mapping[str, Affine] = NOTHING) -> Affine | None:
    """The linear form of an integer expression, None where it is none or not seen to be.

    `names`: what variables and sizes stand for. Whether a name is an integer at all, whether `len` and `min` are Python's,
    and whether a variable still holds what it held elsewhere, is for the caller to know.
    """
    match node:
        case cst.Integer():
            return Affine(int(node.evaluated_value))
        case cst.Name(value=name):
            return None if name in ("None", "True", "False") else names.get(name, atom(name))
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return None if (form := affine(inner, names)) is None else form * -1
        case cst.UnaryOperation(operator=cst.Plus(), expression=inner):
            return affine(inner, names)
        case cst.BinaryOperation():
            return _binary(node, names)
        case cst.Attribute(attr=cst.Name(value="size" | "ndim")) if (path := path_of(node)) is not None:
            return names.get(path, atom(path))
        case cst.Attribute() if (path := path_of(node)) is not None:
            return names.get(path, atom(path))
        case cst.Subscript(value=cst.Attribute(value=base, attr=cst.Name(value="shape")), slice=[part]):
            axis = affine(part.slice.value) if isinstance(part.slice, cst.Index) else None
            path = path_of(base)
            return None if axis is None or axis.terms or path is None else _named(size(path, axis.constant), names)
        case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=base, keyword=None, star="")]):
            return None if (path := path_of(base)) is None else _named(size(path, 0), names)
        case cst.Call(func=cst.Name(value="min" | "max" as which), args=args) if len(args) > 1:
            if any(a.keyword is not None or a.star for a in args):
                return None
            forms = [affine(a.value, names) for a in args]
            known = [f for f in forms if f is not None]
            return extreme(Least if which == "min" else Greatest, known) if len(known) == len(forms) else None
    return None


def size(array: str, axis: int) -> str:
    """The name of the size of an array along an axis."""
    return f"{array}{SIZE}{axis}]"


def _named(name: str, names: Mapping[str, Affine]) -> Affine:
    return names.get(name, atom(name))


def _binary(node: cst.BinaryOperation, names: Mapping[str, Affine]) -> Affine | None:
    left, right = affine(node.left, names), affine(node.right, names)
    if left is None or right is None:
        return None
    match node.operator:
        case cst.Add():
            return left + right
        case cst.Subtract():
            return left - right
        case cst.Multiply():
            made = times(left, right)
            return made if all(_degree(a) <= MOST_FACTORS for a in made.atoms) else None
        case cst.FloorDivide() | cst.Modulo():
            if right.number is not None and right.number <= 0:
                return None
            whole = quotient(left, right)
            return whole if isinstance(node.operator, cst.FloorDivide) else left - times(whole, right)
        case cst.Power():
            base, exponent = left.number, right.number
            small = base is not None and exponent is not None and abs(base) < 1_000 and 0 <= exponent < 20
            return Affine(base**exponent) if small and base is not None and exponent is not None else None
        case cst.LeftShift():
            return left * (1 << right.constant) if right.number is not None and 0 <= right.constant < 60 else None
    return None


def _degree(of: Atom) -> int:
    return len(of.factors) if isinstance(of, Product) else 1


# --- proofs --------------------------------------------------------------------------------------------------------------


def nonnegative(form: Affine, facts: Iterable[Affine] = ()) -> bool:
    """Whether `form >= 0` follows from `fact >= 0` for all facts, sizes being at least 0.

    A least of forms is at least 0 where each of them is.
    """
    known = [*facts]
    return all(_follows(each, known) for each in _cases(form))


def _follows(form: Affine, facts: list[Affine]) -> bool:
    return _contradictory(form * -1 - 1, facts) if form.terms else form.constant >= 0


def _cases(form: Affine) -> list[Affine]:
    """Forms, the least of which is the form: one for each of the forms of which it adds the least, or subtracts the greatest."""
    done, found = [form], list[Affine]()
    while done:
        form = done.pop()
        bound = next(((a, c) for a, c in form.terms if isinstance(a, Least if c > 0 else Greatest)), None)
        if bound is None or len(done) + len(found) > MOST_CASES:
            found.append(form)
            continue
        of, coefficient = bound
        assert isinstance(of, (Least, Greatest))
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
    """Whether no integers make `assumed` and all facts at least 0. False may also mean: not found out."""
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
    """The facts that say something about the atoms of a form, or about atoms that these mention."""
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
    """What facts say about products: a form that is at least 0 times a factor that is."""
    made: dict[Affine, None] = {}
    for product in sorted(products, key=str):
        for k, factor in enumerate(product.factors):
            others = {*product.factors[:k], *product.factors[k + 1 :]}
            if len(others) == 1 and _not_negative(atom(factor), facts):
                made |= dict.fromkeys(times(fact, atom(factor)) for fact in facts[1:] if fact.atoms & others)
    return [*made][:MOST_FORMS]


def _not_negative(form: Affine, facts: Iterable[Affine]) -> bool:
    """Whether one of the facts says that a form is not negative, or its being a size."""
    sized = form.constant >= 0 and all(c > 0 and isinstance(a, str) and _is_size(a) for a, c in form.terms)
    return sized or any(f.terms == form.terms and f.constant <= form.constant for f in facts)


def _is_size(name: str) -> bool:
    return (not name.startswith("<") and SIZE in name) or name.endswith((".size", ".ndim"))


def _implied(of: Atom, facts: list[Affine]) -> list[Affine]:
    """What an atom's meaning says, given facts: forms that are at least 0."""
    if isinstance(of, str):
        return [atom(of)] if _is_size(of) else []
    if isinstance(of, Product):
        return []
    if isinstance(of, Quotient):
        divisor = of.divisor if isinstance(of.divisor, Affine) else Affine(of.divisor)
        if not _not_negative(divisor, facts):  # by 0 nothing is divided
            return []
        rest = of.form - times(atom(of), divisor)
        return [rest, rest * -1 + divisor - 1]
    return [(f - atom(of)) * (1 if isinstance(of, Least) else -1) for f in of.forms]


def _tight(form: Affine) -> Affine:
    """The same fact about integers with the smallest coefficients: 2 i - 3 >= 0 is i - 2 >= 0."""
    common = gcd(*(c for _a, c in form.terms)) if form.terms else 1
    if common <= 1:
        return form
    return Affine(form.constant // common, tuple((a, c // common) for a, c in form.terms))


def _growth(forms: list[Affine]) -> dict[Atom, int]:
    """How many forms more there are once an atom is eliminated, for each atom."""
    above: dict[Atom, int] = {}
    below_zero: dict[Atom, int] = {}
    for form in forms:
        for name, coefficient in form.terms:
            signs = above if coefficient > 0 else below_zero
            signs[name] = signs.get(name, 0) + 1
    counts = {a: (above.get(a, 0), below_zero.get(a, 0)) for a in (*above, *below_zero)}
    return {a: up * down - up - down for a, (up, down) in counts.items()}


def _eliminated(of: Atom, forms: list[Affine]) -> list[Affine]:
    """What the forms say without an atom: every lower bound of it is at most every upper bound."""
    lower = [f for f in forms if f.coefficient(of) > 0]
    upper = [f for f in forms if f.coefficient(of) < 0]
    made = [f for f in forms if not f.coefficient(of)]
    made += [_tight(combine(a, -b.coefficient(of), b, a.coefficient(of))) for a in lower for b in upper]
    return list(dict.fromkeys(made))
