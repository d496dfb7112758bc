"""The forms that arguments may have: for each parameter an array of some shape and dtype, a number, or the default."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..values.snapshot import Node, Snapshot
from .parameter_hints import Dim, Hint

LENGTHS = ((4, 3, 5, 2, 6, 7, 8, 9), (3, 5, 2, 6, 4, 8, 7, 9))  # for the named dimensions of a model, in order
APART = (0, 3, 1, 5, 2, 7, 4, 6)  # how much longer each named dimension of a first attempt is, in order
TEXT = "abc 101"  # for a parameter of which only is known that it is a text

SQUARE = (4, 3, 2, 7)  # if all dimensions are equal: vectors of three, quaternions of four, pairs


@dataclass(frozen=True, slots=True)
class Form:
    """What one parameter gets. `kind`: array, float, int, complex, flag, random (a generator), choice (one of `values`) or omit.

    `dims`: lengths or names of dimensions; an int with one dimension is that length itself. `index`: values are indices.
    """

    kind: str
    dtype: str = "float64"
    rank: int = 0
    dims: tuple[Dim, ...] = ()
    values: tuple[Snapshot, ...] = ()
    index: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """One way to call a function: a form for each parameter, lengths for the named dimensions, and the style of values.

    `others`: alternative lengths that the original accepts, too.
    """

    forms: tuple[tuple[str, Form], ...]
    sizes: tuple[tuple[str, int], ...]
    style: str = "normal"
    others: tuple[tuple[tuple[str, int], ...], ...] = ()

    def shape(self, form: Form) -> tuple[int, ...]:
        """The shape of an array of this form."""
        known = dict(self.sizes)
        return tuple(dim if isinstance(dim, int) else known[dim] for dim in form.dims)

    def smallest(self) -> int:
        """The length of the shortest dimension of any array, at least 1: every index below it is in range, if any is."""
        lengths = [length for _, form in self.forms if form.kind == "array" and not form.index for length in self.shape(form)]
        return max(1, min(lengths, default=3))

    def with_form(self, position: int, form: Form) -> Model:
        """The model with a different form for one parameter."""
        forms = [*self.forms[:position], (self.forms[position][0], form), *self.forms[position + 1 :]]
        return square(forms, dict(self.sizes).get("n", 4), self.style)


def square(forms: Sequence[tuple[str, Form]], length: int, style: str = "normal", distinct: bool = True) -> Model:
    """The model in which all undocumented dimensions have the same length, which is the likeliest to be accepted.

    Dimensions that the source names ("@N") get one length each, or also the same one if not `distinct`.
    """
    shaped = tuple((name, replace(form, dims=form.dims or ("n",) * form.rank)) for name, form in forms)
    told = dict.fromkeys(dim for _, form in shaped for dim in form.dims if isinstance(dim, str) and dim != "n")
    lengths = [length + (APART[position % 8] if distinct and name.startswith("@") else 0) for position, name in enumerate(told)]
    return Model(shaped, (("n", length), *zip(told, lengths, strict=True)), style)


def is_told(model: Model) -> bool:
    """Whether the source names a dimension."""
    return any(name.startswith("@") for name, _ in model.sizes)


def options(hint: Hint, default: Snapshot, has_default: bool) -> list[Form]:
    """The forms that a parameter may take, the likeliest first. Empty if no value can be generated for it."""
    sequences = _sequences(hint.sequence) if hint.kind in ("array", "unknown", "scalar") else []
    return [*_plain(hint, default, has_default), *sequences]


def _sequences(count: int) -> list[Form]:
    """Lists and tuples of numbers: where the code unpacks them, as many as it does."""
    if count < 0:
        return []
    lengths = [count] if count else [2, 3]
    made = [Node("tuple", items=tuple(range(1, length + 1))) for length in lengths]
    made += [Node("list", items=tuple(0.5 * (number + 1) for number in range(length))) for length in lengths]
    return [Form("choice", values=(one,)) for one in made]


def _plain(hint: Hint, default: Snapshot, has_default: bool) -> list[Form]:
    given = [Form("omit")] if has_default else []
    match hint.kind:
        case "array":
            return [*(given if default is None else []), *_arrays(hint), *([] if hint.sure else [Form("float")])]
        case "random":
            return [*given, Form("random")]
        case "scalar" | "size" if has_default:
            near = _near(default)
            return [*given, *([Form("choice", values=near)] if near else [])]
        case "scalar" if hint.sizelike and not hint.dtype:
            return [Form("int"), Form("int", dims=("n",)), Form("float")]
        case "scalar":
            known = {"float": ["float"], "int": ["int"], "complex": ["complex"]}
            return [Form(kind) for kind in known.get(hint.dtype.rstrip("0123456789"), ["float", "int"])]
        case "size":
            return [Form("int"), Form("int", dims=("n",))]
        case "flag":
            return [*given, Form("flag")]
        case "string":
            if not hint.literals:
                return given or [Form("choice", values=(TEXT,))]
            return [*given, Form("choice", values=tuple(dict.fromkeys([*hint.literals, "other"])))]
        case "callable":
            return [*given, *(Form("choice", values=(function,)) for function in hint.literals)]
        case "fixed" | "object":
            return [*given, *(_arrays(Hint("array")) if default is None and hint.used_as_array else [])]
    if hint.index:
        return [*given, Form("int", index=True), *_arrays(Hint("array", "int64", 1, index=True))]
    sizes = [Form("int"), Form("int", dims=("n",))]
    return [*given, *sizes, Form("float"), *_arrays(hint)] if hint.sizelike else [*given, *_arrays(hint), Form("float"), *sizes]


def _arrays(hint: Hint) -> list[Form]:
    dtypes = [hint.dtype] if hint.dtype else ["int64", "float64"] if hint.index else ["float64", "int64"]
    if hint.shape:
        dims = tuple(f"@{dim}" if isinstance(dim, str) else dim for dim in hint.shape)
        return [Form("array", dtype, len(dims), dims, index=hint.index) for dtype in dtypes]
    ranks = [hint.rank] if hint.rank >= 0 else list(range(hint.minimum, max(hint.minimum, 2) + 2))
    ranks = list(dict.fromkeys([*ranks, *hint.tested]))
    return [Form("array", dtype, rank, index=hint.index) for dtype in dtypes for rank in ranks]


def _near(default: Snapshot) -> tuple[Snapshot, ...]:
    """Other values similar to a default: a tolerance stays small, a number of steps does not grow."""
    match default:
        case bool():
            return (not default,)
        case int():
            return (default - 1, 1) if default > 2 else ()
        case float():
            return (default / 2,)
    return ()


def uniform(params: Sequence[tuple[str, list[Form]]]) -> Iterator[list[tuple[str, Form]]]:
    """Combinations of forms to begin with: the likeliest of each parameter, then equal ones for all parameters of unknown form."""
    yield [(name, forms[0]) for name, forms in params]
    wanted = [("array", 1), ("array", 2), ("int", 0), ("float", 0), ("array", 3), ("array", 4)]
    for first, second in itertools.chain(((one, one) for one in wanted), itertools.permutations(wanted[:4], 2)):
        chosen = []
        for name, forms in params:
            found = [form for form in forms if (form.kind, form.rank) in (first, second)]
            found.sort(key=lambda form: (form.kind, form.rank) != first)
            chosen.append((name, found[0] if found and forms[0].kind != "omit" else forms[0]))
        yield chosen
