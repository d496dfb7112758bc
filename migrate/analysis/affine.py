"""Integer expressions as linear forms, and what can be proven of them.

An index such as `A.shape[0] - i - 1` is a constant plus multiples of atoms: variables, sizes of arrays, quotients and least or
greatest of forms. What holds where it is read (`0 <= i`, `i <= n - 1`) is a list of forms that are at least 0; whether a form
is at least 0 then follows, or not, by the elimination of one atom after the other (Fourier and Motzkin; see A. Schrijver,
Theory of Linear and Integer Programming, section 12.2). Not proven never means false.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import gcd

import libcst as cst

from .paths import path_of

SIZE = ".shape["  # in the name of the atom that is the size of an array along one axis: "x.shape[0]"
NOT_NEGATIVE = " >= 0"  # how a condition ends that a variable is not negative
MOST_ATOMS = 12
MOST_FORMS = 300
MOST_CASES = 16
NOTHING: Mapping[str, Affine] = {}


@dataclass(frozen=True, slots=True)
class Quotient:
    """`form // divisor`, rounded down as Python does; the divisor is positive."""

    form: Affine
    divisor: int


@dataclass(frozen=True, slots=True)
class Least:
    """`min(forms)`."""

    forms: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Greatest:
    """`max(forms)`."""

    forms: tuple[Affine, ...]


Atom = str | Quotient | Least | Greatest  # a name, "x.shape[0]" (also for `len(x)`), "x.size", "x.ndim", or a derived one


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
    forms = (of.form,) if isinstance(of, Quotient) else of.forms
    return frozenset().union(*(f.names for f in forms))


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
    if isinstance(of, Quotient):
        return quotient(substitute(of.form, names), of.divisor)
    return extreme(type(of), [substitute(f, names) for f in of.forms])


def quotient(form: Affine, divisor: int) -> Affine:
    """`form // divisor` for a positive divisor."""
    if all(c % divisor == 0 for _a, c in form.terms):
        return Affine(form.constant // divisor, tuple((a, c // divisor) for a, c in form.terms))
    return atom(Quotient(form, divisor))


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
    elif isinstance(of, Quotient):
        inner = text(of.form)
        name = f"{inner if inner.isidentifier() else f'({inner})'} // {of.divisor}"
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
            if (factor := right.number) is not None:
                return left * factor
            return None if (factor := left.number) is None else right * factor
        case cst.FloorDivide() | cst.Modulo():
            divisor = right.number
            if divisor is None or divisor <= 0:
                return None
            whole = quotient(left, divisor)
            return whole if isinstance(node.operator, cst.FloorDivide) else left - whole * divisor
        case cst.Power():
            base, exponent = left.number, right.number
            small = base is not None and exponent is not None and abs(base) < 1_000 and 0 <= exponent < 20
            return Affine(base**exponent) if small and base is not None and exponent is not None else None
        case cst.LeftShift():
            return left * (1 << right.constant) if right.number is not None and 0 <= right.constant < 60 else None
    return None


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
            made = _implied(each)
            found += made
            reached |= {a for f in made for a in f.atoms}
        touching = [f for f in open_facts if f.atoms & seen]
        open_facts = [f for f in open_facts if not f.atoms & seen]
        found += touching
        reached |= {a for f in touching for a in f.atoms}
    return list(dict.fromkeys(_tight(f) for f in [*found, *(f for f in open_facts if not f.terms)]))


def _implied(of: Atom) -> list[Affine]:
    """What an atom's meaning says: forms that are at least 0."""
    if isinstance(of, str):
        return [atom(of)] if (not of.startswith("<") and SIZE in of) or of.endswith((".size", ".ndim")) else []
    if isinstance(of, Quotient):
        rest = of.form - atom(of) * of.divisor
        return [rest, rest * -1 + (of.divisor - 1)]
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
