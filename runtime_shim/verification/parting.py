"""The first statement at which two versions of a function part.

Both run once more, the converted one without jit, and every value that a name gets is kept. A name that both versions use should
get the same values in the same order. A conversion may compute more than the original (both arms of a branch, a whole array at
once), so a statement counts only if it agrees in a call on which the versions agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..sandbox.process import Ended
from ..sandbox.session import COMPILING, Side
from ..sandbox.statement_trace import RETURNED
from ..values.calls import Arguments
from ..values.comparison import TOLERANCES, describe, differing
from ..values.snapshot import Array, Node
from .differential_run import DifferentialRun

CALLS_THAT_AGREE = 2
Place = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Parting:
    """Where the versions part: the line of each (0: not known), the name, and its value in both."""

    name: str
    original_line: int
    converted_line: int
    original: str
    converted: str

    def __str__(self) -> str:
        what = "the result" if self.name == RETURNED else f"`{self.name}`"
        return (
            f"{what} is {self.original} in NumPy (line {self.original_line}) and {self.converted} in the converted version "
            f"(line {self.converted_line})"
        )


def parting(run: DifferentialRun, call: Arguments, agreed: Sequence[Arguments]) -> Parting | None:
    """Where the versions part on this call; None if the names that both use do not show it."""
    usual: set[tuple[int, str]] = set()
    for other in agreed[:CALLS_THAT_AGREE]:
        sides = _both(run, other)
        usual |= {(line, name) for _, (_, line, name), _, _ in _apart(*sides)} if sides else set()
    sides = _both(run, call)
    for first, second, want, got in _apart(*sides) if sides else ():
        if (second[1], second[2]) not in usual:
            return Parting(second[2], first[1], second[1], _words(want), _words(got))
    return None


def _words(value: Array) -> str:
    return str(value.data) if not value.data.shape else describe(value)


@dataclass(frozen=True, slots=True)
class _Followed:
    places: list[Place]
    values: list[Array]


def _both(run: DifferentialRun, call: Arguments) -> tuple[_Followed, _Followed] | None:
    tape = run.original.call(
        run.pair.file, run.pair.name, call, run.settings.timeout, {"guarded": True, "seed": run.settings.seed}
    ).tape
    how: dict[str, object] = {"statements": True, "seed": run.settings.seed}
    converted = run.how(False) | {"eager": not run.host} | how
    one = _follow(run, run.original, call, {"guarded": True} | how, None)
    two = _follow(run, run.converted, call, converted, tape)
    return (one, two) if one and two else None


def _follow(run: DifferentialRun, side: Side, call: Arguments, how: dict[str, object], tape: object) -> _Followed | None:
    try:
        outcome = side.call(run.pair.file, run.pair.name, call, COMPILING * run.settings.timeout, how, tape)  # type: ignore[arg-type]
    except Ended:
        return None
    values = outcome.steps.items if isinstance(outcome.steps, Node) else ()
    places = [(str(function), int(line), str(name)) for function, line, name in outcome.path.get("places", ())]
    return _Followed(places, [value for value in values if isinstance(value, Array)])


def _apart(one: _Followed, two: _Followed) -> Iterator[tuple[Place, Place, Array, Array]]:
    """The values of the second version that the first does not have at this point, each with the value that was due."""
    due: dict[str, list[tuple[Place, Array]]] = defaultdict(list)
    for place, value in zip(one.places, one.values, strict=True):
        due[_name(place)].append((place, value))
    at: dict[str, int] = defaultdict(int)
    for place, value in zip(two.places, two.values, strict=True):
        name = _name(place)
        if not (expected := due.get(name)):
            continue
        position = next((k for k in range(at[name], len(expected)) if _agree(expected[k][1], value)), None)
        if position is not None:
            at[name] = position + 1
        elif at[name] and _agree(expected[at[name] - 1][1], value):
            continue  # the same value once more
        else:
            missing, want = expected[min(at[name], len(expected) - 1)]
            yield missing, place, want, value


def _name(place: Place) -> str:
    """The name; for a result with that of its function, without what a conversion puts around it."""
    function, _, name = place
    return f"{RETURNED} {function.strip('_')}" if name == RETURNED else name


def _agree(want: Array, got: Array) -> bool:
    left, right = want.data, got.data
    if left.shape != right.shape:
        return False
    wide = complex if "c" in (left.dtype.kind, right.dtype.kind) else float
    return not differing(left.astype(wide), right.astype(wide), TOLERANCES["float64"]).any()
