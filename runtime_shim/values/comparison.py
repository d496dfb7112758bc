"""Compares two snapshots: structure, shape, dtype and values, with a table of tolerances.

Policy. Structure, shapes and integer, boolean and string values must be equal. Floating-point values are compared by dtype: an
element agrees if it is within `rtol` of NumPy's, or within `scale` times the largest finite magnitude in that array (sums of
large numbers that cancel). NaN must be at the same positions, infinities too, with the same sign; a complex number is NaN if a
part is. What still differs may be rounding, which no two libraries share. Then `alternatives` decide: the original's results
for inputs moved by a few units in the last place. A float may differ by as much as the original's results do, and a discrete
result (argmax, a comparison, a rounded index) may differ where the original's does. Each such excused difference is recorded in
`notes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .snapshot import Array, Node, Snapshot, walk


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The tolerance for an element: relative to itself, and to the largest element of its array."""

    rtol: float
    scale: float


TOLERANCES = {
    "float64": Tolerance(1e-9, 1e-11),
    "complex128": Tolerance(1e-9, 1e-11),
    "float32": Tolerance(1e-4, 1e-5),
    "complex64": Tolerance(1e-4, 1e-5),
    "float16": Tolerance(1e-2, 2e-3),
    "bfloat16": Tolerance(5e-2, 1e-2),
}
# Matrix units of GPUs and TPUs use float32 operands with fewer bits (TensorFloat-32, bfloat16) by default.
ACCELERATOR_TOLERANCES = TOLERANCES | {"float32": Tolerance(1e-2, 2e-3), "complex64": Tolerance(1e-2, 2e-3)}
EXACT = Tolerance(0.0, 0.0)
COARSE = Tolerance(1e-4, 1e-6)
SENSITIVITY = 32.0  # an excused difference may be this many times the change in the original's results

COPIES = "np2jax-verify-"  # how the name of the folder begins in which both versions are run
COPY = re.compile(rf"[^\s'\"]*/{COPIES}[^/\s]+/(original|converted)(?=/|\b)")
ADDRESS = re.compile(r"<[^<>]* at 0x[0-9a-f]+>|<[^<> ]*ufunc [^<>]*>")
ROUNDING = "differs from the original no more than rounding its inputs changes the original's own answer"
STATE = "the state of a generator is not compared with the key that replaces it"
PYTHON_SCALAR = "is a 0-d array where the original returns a Python number"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference between two results. `index`: of the element, () for a scalar, None for the whole value."""

    where: str
    reason: str
    index: tuple[int, ...] | None = None
    want: str = ""
    got: str = ""

    @property
    def sort(self) -> str:
        """What kind of difference it is: "dtype", "shape", "random draws", "exception", "output", "value"."""
        first = self.reason.partition(" ")[0]
        return (
            self.where
            if self.where in ("random draws", "exception", "output")
            else first
            if first in ("dtype", "shape")
            else "value"
        )

    def __str__(self) -> str:
        position = self.where + (f"[{', '.join(map(str, self.index))}]" if self.index else "")
        values = f": NumPy {self.want}, converted {self.got}" if self.want or self.got else ""
        return f"{position}: {self.reason}{values}"


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of a comparison.

    `precision`: "float64" compares dtypes exactly, "float32" by kind only, with the tolerance of the narrower. `whole`: the
    inputs are whole numbers, for which ties are exact in every library: a difference in a discrete result is not excused.
    `coarse`: only what is far more than a rounding error counts.
    """

    precision: str = "float64"
    accelerator: bool = False
    whole: bool = False
    coarse: bool = False

    def tolerance(self, want: np.dtype[Any], got: np.dtype[Any]) -> Tolerance:
        """The tolerance for comparing arrays of these dtypes."""
        table = ACCELERATOR_TOLERANCES if self.accelerator else TOLERANCES
        found = [table.get(dtype.name, EXACT) for dtype in ((want,) if self.precision == "float64" else (want, got))]
        return max([*found, *([COARSE] if self.coarse else [])], key=lambda tolerance: tolerance.rtol)


@dataclass(slots=True)
class Comparison:
    """One comparison of two snapshots; `notes` collects what agreed only loosely."""

    policy: Policy = Policy()
    notes: set[str] = field(default_factory=set)
    written_back: dict[int, str] = field(default_factory=dict)  # arrays (by ident) returned to the caller, with their names

    def difference(self, where: str, want: Snapshot, got: Snapshot, alternatives: Sequence[Snapshot] = ()) -> Difference | None:
        """The first difference between NumPy's result and that of the converted code, None if they agree."""
        return next(self._differences(where, _Rooted(want), _Rooted(got), tuple(map(_Rooted, alternatives))), None)

    def _differences(self, where: str, want: _Rooted, got: _Rooted, alternatives: tuple[_Rooted, ...]) -> Iterator[Difference]:
        if isinstance(want.value, Array) and want.value.ident in self.written_back:
            self.notes.add(f"{where} is the array that is returned as `{self.written_back[want.value.ident]}`: not compared")
        elif isinstance(want.value, Node) and isinstance(got.value, Node):
            yield from self._nodes(where, want, got, alternatives)
        elif (left := as_array(want.value)) is not None and (right := as_array(got.value)) is not None:
            yield from self._arrays(where, want.value, left, got.value, right, [as_array(other.value) for other in alternatives])
        elif type(want.value) is not type(got.value) or _told(want.value) != _told(got.value):
            yield Difference(where, "differs", None, describe(want.value), describe(got.value))

    def _nodes(self, where: str, want: _Rooted, got: _Rooted, alternatives: tuple[_Rooted, ...]) -> Iterator[Difference]:
        left, right = want.value, got.value
        assert isinstance(left, Node) and isinstance(right, Node)
        if left.kind == right.kind == "ref":
            return
        if "ref" in (left.kind, right.kind):
            yield from self._differences(where, want.resolved(), got.resolved(), ())
            return
        if left.kind == "random" and right.kind in ("random", "key"):
            if right.kind == "key":
                self.notes.add(STATE)
            return  # the draws were compared one by one; seeding keys from a generator changes its state
        if left.kind == "opaque" and right.kind == "opaque":
            self.notes.add(f"a part of its result is not compared: {left.name}")
            return
        names = None if left.kind in ("global", "object", "namedtuple", "enum", "module") else (left.name, right.name)
        if left.kind != right.kind or (names and names[0] != names[1]) or short(left.name) != short(right.name):
            yield Difference(where, "another kind of result", None, describe(left), describe(right))
        elif left.kind in ("dict", "object", "namedtuple"):
            yield from self._keyed(where, want, got, alternatives)
        elif left.kind in ("set", "frozenset"):
            if {repr(plain(item)) for item in left.items} != {repr(plain(item)) for item in right.items}:
                yield Difference(where, "the elements differ", None, describe(left), describe(right))
        elif len(left.items) != len(right.items):
            yield Difference(where, f"{len(right.items)} elements, the original has {len(left.items)}")
        else:
            peers = [other for other in alternatives if same_form(left, other.value)]
            for position, (one, two) in enumerate(zip(left.items, right.items, strict=True)):
                others = tuple(other.child(position) for other in peers)
                yield from self._differences(f"{where}[{position}]", want.of(one), got.of(two), others)

    def _keyed(self, where: str, want: _Rooted, got: _Rooted, alternatives: tuple[_Rooted, ...]) -> Iterator[Difference]:
        left, right = want.pairs(), got.pairs()
        lost, gained = [key for key in left if key not in right], [key for key in right if key not in left]
        if (generators := _of_kind("random", lost, left)) and (keys := _of_kind("key", gained, right)):
            self.notes.add(STATE)
            lost, gained = [key for key in lost if key not in generators], [key for key in gained if key not in keys]
            left = {key: value for key, value in left.items() if key not in generators}
        if isinstance(want.value, Node) and want.value.kind == "object":  # an object retains the key of a seed that it sets
            gained = [key for key in gained if key not in _of_kind("key", gained, right)]
        if not lost and not gained and [*left] != [*right] and isinstance(want.value, Node) and want.value.kind == "dict":
            yield Difference(where, "the keys come in another order", None, ", ".join(left), ", ".join(right))
            return
        if lost or gained:
            words = [f"{key} is missing" for key in lost] + [f"{key} is new" for key in gained]
            yield Difference(where, ", ".join(words))
            return
        others = [other for other in (alternative.pairs() for alternative in alternatives) if other.keys() >= left.keys()]
        form = f"{where}.{{}}" if isinstance(want.value, Node) and want.value.kind != "dict" else f"{where}[{{}}]"
        for key, value in left.items():
            name = key.strip("'") if form.endswith(".{}") else key
            yield from self._differences(form.format(name), value, right[key], tuple(other[key] for other in others))

    def _arrays(
        self,
        where: str,
        want: Snapshot,
        left: np.ndarray[Any, Any],
        got: Snapshot,
        right: np.ndarray[Any, Any],
        others: list[Any],
    ) -> Iterator[Difference]:
        if left.shape != right.shape:
            if not any(other is not None and other.shape != left.shape for other in others):
                yield Difference(where, f"shape {right.shape}, the original has {left.shape}")
            else:
                self.notes.add(f"{where}'s shape {ROUNDING}")
            return
        python = not isinstance(want, Array)
        if python and isinstance(got, Array) and got.origin != "scalar":
            self.notes.add(f"{where} {PYTHON_SCALAR}")
        if not self._dtypes_agree(left.dtype, right.dtype, python or not isinstance(got, Array)):
            yield Difference(where, f"dtype {right.dtype}, the original has {left.dtype}")
            return
        bad = differing(left, right, self.policy.tolerance(left.dtype, right.dtype))
        if not bad.any():
            return
        peers = [other for other in others if other is not None and other.shape == left.shape]
        discrete = left.dtype.kind not in "fc"
        if peers and not (discrete and self.policy.whole) and not (bad & ~excused(left, right, peers)).any():
            self.notes.add(f"{where} {ROUNDING}")
            return
        index = tuple(int(position) for position in np.argwhere(bad)[0])
        count = f"{int(bad.sum())} of {bad.size} elements differ" if bad.size > 1 else "the values differ"
        yield Difference(where, count, index, show(left[index]), show(right[index]))

    def _dtypes_agree(self, want: np.dtype[Any], got: np.dtype[Any], by_kind: bool) -> bool:
        if want == got:
            return True
        kinds = {"i": "i", "u": "i"} if self.policy.precision == "float32" else {}
        same_kind = kinds.get(want.kind, want.kind) == kinds.get(got.kind, got.kind)
        return same_kind and (by_kind or self.policy.precision == "float32")


@dataclass(frozen=True, slots=True)
class _Rooted:
    """A part of a snapshot and its root, in which a "ref" can be resolved."""

    value: Snapshot
    root: Snapshot = None

    def of(self, part: Snapshot) -> _Rooted:
        return _Rooted(part, self.value if self.root is None else self.root)

    def child(self, position: int) -> _Rooted:
        assert isinstance(self.value, Node)
        return self.of(self.value.items[position])

    def pairs(self) -> dict[str, _Rooted]:
        """The values of a dict or an instance, by the text of their keys."""
        items = self.value.items if isinstance(self.value, Node) and self.value.kind in ("dict", "object", "namedtuple") else ()
        return {repr(plain(key)): self.of(value) for key, value in zip(items[::2], items[1::2], strict=True)}

    def resolved(self) -> _Rooted:
        if not (isinstance(self.value, Node) and self.value.kind == "ref"):
            return self
        ident = self.value.ident
        found = (part for part in walk(self.root) if isinstance(part, Node) and part.ident == ident and part.kind != "ref")
        return _Rooted(next(found, self.value), self.root)


def _told(value: Snapshot) -> Snapshot:
    """The value; a text without the addresses of functions and objects, and the paths of copies, which no two processes share."""
    return COPY.sub("<...>", ADDRESS.sub("<...>", value)) if isinstance(value, str) else value


def _of_kind(kind: str, names: list[str], values: dict[str, _Rooted]) -> list[str]:
    return [name for name in names if isinstance(value := values[name].value, Node) and value.kind == kind]


def differing(want: np.ndarray[Any, Any], got: np.ndarray[Any, Any], tolerance: Tolerance) -> np.ndarray[Any, Any]:
    """Where two arrays of one shape differ: a bool array."""
    if want.dtype.kind not in "fcV" or want.dtype.names:
        return np.asarray(want != got)
    if want.dtype.kind == "V":  # the narrow floats of ml_dtypes
        want, got = want.astype(np.float32), got.astype(np.float32)
    wide = np.complex128 if "c" in (want.dtype.kind, got.dtype.kind) else np.float64
    left, right = want.astype(wide), got.astype(wide)
    with np.errstate(all="ignore"):
        finite = np.isfinite(left)
        largest = np.max(np.abs(left[finite]), initial=0.0)
        near = np.abs(left - right) <= tolerance.rtol * np.abs(left) + tolerance.scale * largest
        if want.dtype.itemsize > 2:  # XLA flushes subnormal numbers to zero
            near |= np.maximum(np.abs(left), np.abs(right)) < np.finfo(want.dtype).tiny
        both_nan = np.isnan(left) & np.isnan(right)
        return np.asarray(~np.where(finite, near, both_nan | (left == right)))


def excused(
    want: np.ndarray[Any, Any], got: np.ndarray[Any, Any], others: Sequence[np.ndarray[Any, Any]]
) -> np.ndarray[Any, Any]:
    """Where a difference is within the variation of the original's own results: a bool array."""
    with np.errstate(all="ignore"):
        if want.dtype.kind in "fc":
            moved = np.max([np.abs(other - want) for other in others], axis=0)
            fickle = np.any([np.isnan(other) != np.isnan(want) for other in others], axis=0)
            return np.asarray((np.abs(got - want) <= SENSITIVITY * moved) | fickle)
        return np.any([other != want for other in others], axis=0)  # type: ignore[no-any-return]


def as_array(value: Snapshot) -> np.ndarray[Any, Any] | None:
    """An array or a number as an array; None for anything else."""
    if isinstance(value, Array):
        return value.data
    if isinstance(value, bool | float | complex):
        return np.asarray(value)
    if isinstance(value, int):
        return np.asarray(value) if abs(value) < 1 << 63 else None
    return None


def same_form(left: Node, other: Snapshot) -> bool:
    """Whether `other` is a container of the same structure as `left`."""
    return isinstance(other, Node) and other.kind == left.kind and len(other.items) == len(left.items)


def identical(one: Snapshot, other: Snapshot) -> bool:
    """Whether two snapshots of one library are identical to the last bit (NaN equals NaN)."""
    if isinstance(one, Array) and isinstance(other, Array):
        kind = one.data.dtype.kind in "fc"
        return one.data.dtype == other.data.dtype and bool(np.array_equal(one.data, other.data, equal_nan=kind))
    if isinstance(one, Node) and isinstance(other, Node):
        if (one.kind, one.name, len(one.items)) != (other.kind, other.name, len(other.items)):
            return False
        return all(map(identical, one.items, other.items))
    return type(one) is type(other) and repr(one) == repr(other)


def short(name: str) -> str:
    """The qualified name in "file.py::C.D" or "module:C.D"."""
    return name.rpartition(":")[2]


def plain(value: Snapshot) -> Any:
    """A key or an element of a set in a form for display and comparison."""
    if isinstance(value, Array):
        return value.data.tolist()
    if isinstance(value, Node):
        return (value.kind, short(value.name), *map(plain, value.items))
    return value


def show(value: Any) -> str:
    """One element, with all its digits."""
    return repr(value.item()) if isinstance(value, np.generic | np.ndarray) and value.dtype.kind != "V" else str(value)


def describe(value: Snapshot) -> str:
    """A value in a few words: dtype and shape for an array, a short repr for anything else."""
    if isinstance(value, Array):
        if value.data.size <= 6:
            text = " ".join(np.array2string(value.data, threshold=6, separator=", ").split())
            return text if value.origin == "scalar" or not value.data.shape else f"{text} {value.data.dtype}"
        return f"{value.data.dtype}{list(value.data.shape)}"
    if isinstance(value, Node):
        if value.kind in ("tuple", "list", "set", "dict"):
            inner = ", ".join(map(describe, value.items[:6])) + (", ..." if len(value.items) > 6 else "")
            return f"{value.kind}({inner})"
        return short(value.name) or value.kind
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
