"""Integer expressions as affine forms.

An index such as `A.shape[0] - i - 1` is a constant plus multiples of atoms: variables, sizes of arrays, quotients, and minima or
maxima of forms. The facts that hold where it is read (`0 <= i`, `i <= n - 1`) are a list of forms that are at least 0. Whether
another form is at least 0 is then decided by Fourier-Motzkin elimination, one atom after the other (A. Schrijver, Theory of
Linear and Integer Programming, section 12.2). "Not proven" never means "false".

A product of atoms (`i * width`) is itself an atom. The elimination knows what follows for it by multiplication: a form that is at
least 0 stays so when it is multiplied by a factor that is at least 0.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

import libcst as cst

from ..state.access_paths import path_of

_FIRST_SIZE = re.compile(r"([\w.]+)\.shape\[0\]")
SIZE = ".shape["  # in the name of the atom for the size of an array along one axis: "x.shape[0]"
NOT_NEGATIVE = " >= 0"  # the end of a condition that a variable is not negative
MOST_FACTORS = 3  # of a product in the source
NOTHING: Mapping[str, Affine] = {}


@dataclass(frozen=True, slots=True)
class Quotient:
    """`form // divisor`, rounded down as Python does. A constant divisor is positive."""

    form: Affine
    divisor: int | Affine


@dataclass(frozen=True, slots=True)
class Product:
    """The product of two atoms or more, ordered by their texts."""

    factors: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Min:
    """`min(forms)`."""

    forms: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Max:
    """`max(forms)`."""

    forms: tuple[Affine, ...]


Atom = str | Quotient | Product | Min | Max  # a name, "x.shape[0]" (also for `len(x)`), "x.size", "x.ndim", or a derived one


@dataclass(frozen=True, slots=True)
class Affine:
    """`constant + sum(coefficient * atom)`. No coefficient is 0, and equal forms compare equal."""

    constant: int = 0
    terms: tuple[tuple[Atom, int], ...] = ()

    def __add__(self, other: Affine | int) -> Affine:
        return combine(self, 1, other if isinstance(other, Affine) else Affine(other), 1)

    def __sub__(self, other: Affine | int) -> Affine:
        return combine(self, 1, other if isinstance(other, Affine) else Affine(other), -1)

    def __mul__(self, factor: int) -> Affine:
        return combine(self, factor, Affine(), 0)

    def coefficient(self, atom: Atom) -> int:
        """The coefficient of an atom, 0 where the form does not mention it outside of derived atoms."""
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
        """All names and sizes in the form, including those inside quotients and other derived atoms."""
        return frozenset().union(*(_names(a) for a in self.atoms))

    @property
    def number(self) -> int | None:
        """The value of a constant form, None where it has terms."""
        return None if self.terms else self.constant


def atom(name: Atom) -> Affine:
    """The form that consists of one atom."""
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
    """The form with names and sizes replaced by the forms that they stand for."""
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
    return extremum(type(of), [substitute(f, names) for f in of.forms])


def quotient(form: Affine, divisor: int | Affine) -> Affine:
    """`form // divisor`. A constant divisor is positive."""
    number = divisor.number if isinstance(divisor, Affine) else divisor
    if number is None or number <= 0:
        assert isinstance(divisor, Affine)
        whole, rest = _split(form, divisor)
        return whole + atom(Quotient(rest, divisor)) if rest != Affine() else whole
    if all(c % number == 0 for _a, c in form.terms):
        return Affine(form.constant // number, tuple((a, c // number) for a, c in form.terms))
    return atom(Quotient(form, number))


def _split(form: Affine, divisor: Affine) -> tuple[Affine, Affine]:
    """The quotient and the remainder of a form by a variable: i and k for `i * b + k` and b."""
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


def extremum(kind: type[Min] | type[Max], forms: Iterable[Affine]) -> Affine:
    """The minimum or the maximum of forms."""
    distinct = sorted(dict.fromkeys(forms), key=str)
    if len(distinct) == 1:
        return distinct[0]
    numbers = [f.constant for f in distinct if not f.terms]
    if len(numbers) == len(distinct):
        return Affine(min(numbers) if kind is Min else max(numbers))
    return atom(kind(tuple(distinct)))


def text(form: Affine) -> str:
    """The form in Python's syntax: `n - i - 1`."""
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


def shaped(nodes: Iterable[cst.CSTNode]) -> frozenset[str]:
    """The access paths whose shapes are read: "x" for `x.shape`."""
    read = (n.value for n in nodes if isinstance(n, cst.Attribute) and n.attr.value == "shape")
    return frozenset(path for n in read if (path := path_of(n)))


def with_lengths(written: str, read: Collection[str]) -> str:
    """Python's syntax of a form with `len(x)` in place of `x.shape[0]`, which a list does not have, unless `x` is in `read`."""
    return _FIRST_SIZE.sub(lambda found: found[0] if found[1] in read else f"len({found[1]})", written)


def condition(form: Affine) -> str:
    """The condition that the form is at least 0, in Python's syntax: `lags <= n + 1`."""
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
        name = f"{'min' if isinstance(of, Min) else 'max'}({', '.join(text(f) for f in of.forms)})"
    return name if coefficient == 1 else f"{coefficient} * {name}"


def affine(node: cst.BaseExpression | None, names: Mapping[str, Affine] = NOTHING) -> Affine | None:
    """The affine form of an integer expression, None where it has none, or none that is recognised.

    `names`: the forms that variables and sizes stand for. The caller has to know whether a name is an integer at all, whether
    `len` and `min` are Python's, and whether a variable still has the value that it had elsewhere.
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
            return extremum(Min if which == "min" else Max, known) if len(known) == len(forms) else None
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


def is_size(name: str) -> bool:
    return (not name.startswith("<") and SIZE in name) or name.endswith((".size", ".ndim"))
