"""The forms that arguments may take: which parameter gets an array of which shape and dtype, a number, or its default."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .hints import Dim, Hint
from .snapshot import Snapshot

SIZES: tuple[Mapping[str, int], ...] = (
    {"n": 4, "m": 3, "k": 5, "l": 2},
    {"n": 6, "m": 2, "k": 3, "l": 4},
    {"n": 2, "m": 4, "k": 2, "l": 3},
)
SQUARE_SIZES = (4, 3, 2, 7)  # vectors of three, quaternions of four, pairs
MOST_FORMS = 160


@dataclass(frozen=True, slots=True)
class Form:
    """What one parameter gets. `kind`: array, float, int, complex, flag or choice (one of `values`)."""

    kind: str
    dtype: str = "float64"
    rank: int = 0
    dims: tuple[Dim, ...] = ()
    values: tuple[Snapshot, ...] = ()
    index: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """One way to call a function: a form for each parameter, lengths for the named dimensions, and what values look like."""

    forms: tuple[tuple[str, Form], ...]
    sizes: tuple[tuple[str, int], ...]
    style: str = "normal"

    def shape(self, form: Form) -> tuple[int, ...]:
        """The shape of an array of this form."""
        known = dict(self.sizes)
        return tuple(dim if isinstance(dim, int) else known.get(dim, 4) for dim in form.dims)

    def smallest(self) -> int:
        """The shortest dimension of any array: every index below it is in range."""
        lengths = [length for _, form in self.forms for length in self.shape(form) if not form.index]
        return min(lengths, default=3)


def options(hint: Hint, default: Snapshot, has_default: bool) -> list[Form]:
    """The forms that a parameter may take, the likeliest first. Empty when nothing can be made up for it."""
    given = (Form("choice", values=(default,)),) if has_default else ()
    match hint.kind:
        case "array":
            return [*_arrays(hint), *([Form("float")] if not hint.sure else []), *given]
        case "scalar" | "size" if has_default:
            return [Form("choice", values=_near(default))]
        case "scalar":
            kinds = {"float": ["float"], "int": ["int"], "complex": ["complex"]}.get(
                hint.dtype.rstrip("0123456789"), ["float", "int"]
            )
            return [Form(kind) for kind in kinds]
        case "size":
            return [Form("int")]
        case "flag":
            return [Form("flag")]
        case "string":
            values = tuple(dict.fromkeys([*((default,) if has_default else ()), *hint.literals]))
            return [Form("choice", values=values)] if values else []
        case "fixed" | "object":
            return list(given)
    if hint.index:
        return [Form("int", index=True), *_arrays(Hint("array", "int64", 1, index=True)), *given]
    return [*given, *_arrays(hint), Form("float"), Form("int")]


def _arrays(hint: Hint) -> list[Form]:
    dtypes = [hint.dtype] if hint.dtype else ["int64", "float64"] if hint.index else ["float64", "int64"]
    if hint.shape:
        return [Form("array", dtype, len(hint.shape), hint.shape, index=hint.index) for dtype in dtypes]
    ranks = [hint.rank] if hint.rank >= 0 else [1, 2, 3]
    return [Form("array", dtype, rank, index=hint.index) for dtype in dtypes for rank in ranks]


def _near(default: Snapshot) -> tuple[Snapshot, ...]:
    """Values like a default: a tolerance stays small, a number of steps does not grow."""
    match default:
        case bool():
            return (default, not default)
        case int():
            return (default, default - 1, 1) if default > 2 else (default,)
        case float():
            return (default, default / 2)
    return (default,)


def models(params: Sequence[tuple[str, list[Form]]]) -> Iterator[Model]:
    """Ways to call a function, the likeliest first: all choices of forms, each with the shape relations that are common."""
    ranked = [list(enumerate(forms)) for _, forms in params]
    choices = itertools.islice(itertools.product(*ranked), 20_000)
    for choice in sorted(choices, key=lambda picked: sum(cost for cost, _ in picked))[:MOST_FORMS]:
        forms = [(name, form) for (name, _), (_, form) in zip(params, choice, strict=True)]
        yield from _shaped(forms)


def _shaped(forms: list[tuple[str, Form]]) -> Iterator[Model]:
    """One choice of forms under each relation between shapes that makes a difference for it."""
    seen = set()
    ranks = [form.rank for _, form in forms if form.kind == "array" and not form.dims]
    for relation in ("rectangular", "tall", "chain", "free", "square"):
        dims = iter(_relation(relation, ranks))
        shaped = tuple(
            (name, _with_dims(form, next(dims)) if form.kind == "array" and not form.dims else form) for name, form in forms
        )
        if shaped in seen:
            continue
        seen.add(shaped)
        named = any(isinstance(dim, str) for _, form in shaped for dim in form.dims)
        if relation == "square":
            for length in SQUARE_SIZES:
                yield Model(shaped, (("n", length),))
        else:
            yield Model(shaped, tuple(SIZES[0].items()) if named else ())


def _relation(name: str, ranks: list[int]) -> list[tuple[Dim, ...]]:
    """Dimensions for arrays of these ranks."""
    letters = "nmkl"
    match name:
        case "rectangular":  # (n, m) everywhere, vectors along the last axis
            return [tuple(letters[max(0, 2 - rank) :][:rank]) if 2 in ranks else tuple(letters[:rank]) for rank in ranks]
        case "tall":  # (n, m) everywhere, vectors along the first axis
            return [tuple(letters[:rank]) for rank in ranks]
        case "chain":  # (n, m) @ (m, k), vectors along the last
            found: list[tuple[Dim, ...]] = []
            place = 0
            for rank in ranks:
                found.append(tuple(letters[(place + step) % 4] for step in range(rank)))
                place += max(0, rank - 1)
            return found
        case "free":  # every dimension its own length
            lengths = itertools.cycle(letters)
            return [tuple(itertools.islice(lengths, rank)) for rank in ranks]
    return [("n",) * rank for rank in ranks]


def _with_dims(form: Form, dims: tuple[Dim, ...]) -> Form:
    return Form(form.kind, form.dtype, form.rank, dims, form.values, form.index)
