"""The random draws of one run on a tape, from which another run takes them: in order, each checked by name, shape and parameters.

A draw of NumPy is written as the base draws of which it is made, named by the function of jax.random that draws the same
(`normal` as a standard normal one; `negative_binomial` as a gamma and a Poisson one). What is taken must be the next that was
written; inside one draw of NumPy the order is free. Draws that are made together under `vmap` take what one place of the
original's code drew one after the other. The first that does not fit is `trouble`: what follows it says nothing any more.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from .snapshot import Array, Node, Snapshot

Values = np.ndarray[Any, Any]
PLAIN = np.random.Generator  # NumPy's own, whatever stands in its place later
MOST_DRAWS = 100_000  # base draws on one tape
MOST_BYTES = 512 << 20
TOO_MANY = f"it draws more random numbers than are replayed ({MOST_DRAWS} times, {MOST_BYTES >> 20} MiB)"
CLOSE = {4: 1e-3, 2: 1e-1}  # how far a parameter may be off, by the bytes of its dtype


@dataclass(slots=True)
class Base:
    """One base draw.

    `draw`: NumPy's name of the whole draw, `group` its number. `place`: which base draw of it this is. `site`: the line of code.
    `stream`: what the generator was when it was seeded, `epoch`: which seeding that was.
    """

    name: str
    values: Values
    params: Mapping[str, Values]
    draw: str
    group: int
    place: int
    site: str
    stream: str
    epoch: int
    taken: bool = False

    def __str__(self) -> str:
        return f"`{self.draw}` of shape {self.values.shape}{_at(self.site)}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a draw asks the tape for: a base draw of one of `names`, of a shape. `what` and `site` say who asks.

    `event`: what the shape of the whole draw is where it is not that of the base draw (a permutation of rows).
    """

    what: str
    names: tuple[str, ...]
    shape: tuple[int, ...]
    site: str

    def __str__(self) -> str:
        return f"`{self.what}` of shape {self.shape}{_at(self.site)}"


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the draws that are made together: its key, where it has one, and its parameters."""

    key: bytes = b""
    params: Mapping[str, Values] = field(default_factory=dict)


@dataclass(slots=True)
class Tape:
    """What was drawn. `replaying`: draws are taken from it, not written to it.

    `home`: the folder whose lines of code are named. `full`: more was drawn than it holds.
    """

    home: str = ""
    replaying: bool = False
    on: bool = False
    bases: list[Base] = field(default_factory=list)
    trouble: str = ""
    full: bool = False
    held: int = 0  # bytes
    group: int = 0
    place: int = 0
    draw: str = ""
    site: str = ""
    first: int = 0  # all before it are taken
    used: dict[bytes, tuple[Base, Wanted]] = field(default_factory=dict)
    unseeded: int = 0
    spare: Any = field(default_factory=lambda: PLAIN(np.random.PCG64(0)))

    def record(self) -> None:
        """Begin an empty tape that is written."""
        self._begin([], replaying=False)

    def replay(self, bases: list[Base]) -> None:
        """Begin to take from a tape."""
        self._begin(bases, replaying=True)

    def stop(self) -> None:
        """Draw without the tape."""
        self._begin([], replaying=False)
        self.on = False

    def _begin(self, bases: list[Base], replaying: bool) -> None:
        self.bases, self.replaying, self.on = bases, replaying, True
        self.trouble, self.full, self.held = "", False, 0
        self.group = self.first = self.unseeded = 0
        self.used = {}

    def begin_draw(self, draw: str) -> None:
        """A draw of NumPy begins; base draws that follow belong to it."""
        self.group += 1
        self.place = 0
        self.draw = draw
        self.site = "" if self.full or not self.on else where(self.home)

    def note(self, name: str, values: Values, params: Mapping[str, Any], stream: str, epoch: int) -> Values:
        """A base draw of NumPy: it is written, or what the tape has instead is given back."""
        if not self.on or self.full:
            return values
        if self.replaying:
            wanted = Wanted(f"np.random.{self.draw}", (name,), values.shape, self.site)
            return np.asarray(self.take(wanted, [Lane()])[0], values.dtype)
        kept = {key: np.array(value) for key, value in params.items()}
        self.held += values.nbytes + sum(value.nbytes for value in kept.values())
        if len(self.bases) >= MOST_DRAWS or self.held > MOST_BYTES:
            self.full = True
            self.bases = []
            return values
        self.bases.append(Base(name, values.copy(), kept, self.draw, self.group, self.place, self.site, stream, epoch))
        self.place += 1
        return values

    def take(self, wanted: Wanted, lanes: Sequence[Lane]) -> list[Values]:
        """The values of the next base draws, one for each lane. What does not fit is `trouble`, and gets other values."""
        taken: list[Base] = []
        for lane in lanes if self.on and not self.trouble else ():
            base = self._next(wanted, lane, taken[0] if taken else None)
            if base is None or not self._fits(base, wanted, lane):
                break
            base.taken = True
            taken.append(base)
            self._check_key(base, wanted, lane)
        found = [base.values for base in taken]
        return found + [self._other(wanted, lane) for lane in lanes[len(found) :]]

    def _next(self, wanted: Wanted, lane: Lane, leader: Base | None) -> Base | None:
        """The base draw that comes next: of the first draw that is not taken wholly, or of the place of the lane before."""
        while self.first < len(self.bases) and self.bases[self.first].taken:
            self.first += 1
        rest = [] if self.first == len(self.bases) else self._group_at(self.first)
        if leader is not None:
            like = (leader.site, leader.name, leader.place)
            later = (self.bases[number] for number in range(self.first, len(self.bases)))
            found = next((base for base in later if not base.taken and (base.site, base.name, base.place) == like), None)
            if found is None:
                self.trouble = f"the converted code draws {wanted} under vmap more often than the original draws {leader}"
            return found
        if not rest:
            count = f"all {len(self.bases)} draws" if self.bases else "nothing: the original draws no random numbers"
            after = f"after {count} of the original" if self.bases else count
            self.trouble = (
                f"the converted code draws {wanted} {after}"
                if self.bases
                else f"the converted code draws {wanted}, the original {count}"
            )
            return None
        fitting = [base for base in rest if base.name in wanted.names]
        if not fitting:
            self.trouble = f"draw {self._number(rest[0])}: the original draws {rest[0]}, the converted code {wanted}"
            return None
        return next((base for base in fitting if not _misfit(base, wanted, lane)), fitting[0])

    def _group_at(self, start: int) -> list[Base]:
        """What is not taken yet of the draw of NumPy at `start`."""
        found = []
        for number in range(start, len(self.bases)):
            base = self.bases[number]
            if base.group != self.bases[start].group:
                break
            if not base.taken:
                found.append(base)
        return found

    def _number(self, base: Base) -> int:
        return len({other.group for other in self.bases if other.group <= base.group})

    def _fits(self, base: Base, wanted: Wanted, lane: Lane) -> bool:
        if why := _misfit(base, wanted, lane):
            self.trouble = f"draw {self._number(base)}: the original draws {base}, the converted code {wanted}{why}"
        return not why

    def _check_key(self, base: Base, wanted: Wanted, lane: Lane) -> None:
        """A key that draws twice is wrong, unless the original seeded its generators alike, too."""
        if not lane.key:
            return
        before, user = self.used.setdefault(lane.key, (base, wanted))
        if before is base or (before.stream == base.stream and before.epoch != base.epoch):
            return
        self.trouble = self.trouble or f"a key is used twice: by {user} and by {wanted}"

    def _other(self, wanted: Wanted, lane: Lane) -> Values:
        """Values for a draw that the tape does not have, so that the code that asks goes on."""
        params, shape = lane.params, wanted.shape
        match wanted.names[0] if wanted.names else "":
            case "normal":
                return np.asarray(self.spare.standard_normal(shape))
            case "permutation":
                return np.asarray(self.spare.permutation(shape[0]) if shape else np.zeros((), int))
            case "choice":
                return np.asarray(self.spare.integers(0, max(1, int(np.min(params.get("n", np.array(1))))), shape))
            case "randint" if "low" in params and np.all(params["low"] < params["high"]):
                return np.asarray(self.spare.integers(params["low"], params["high"], shape))
        return np.asarray(self.spare.random(shape))

    def finish(self) -> str:
        """What did not fit, or what was left, in words; "" when all that was drawn was taken."""
        left = [base for base in self.bases if not base.taken] if self.replaying else []
        if left and not self.trouble:
            count = len({base.group for base in left})
            self.trouble = f"the converted code leaves out {count} of the original's draws, the first is {left[0]}"
        return self.trouble


TAPE = Tape()


def _at(site: str) -> str:
    return f" ({site})" if site else ""


def _misfit(base: Base, wanted: Wanted, lane: Lane) -> str:
    """Why a base draw is not the one that is asked for; "" when it is."""
    if base.values.shape != wanted.shape:
        return f": the base draw of shape {wanted.shape}, not {base.values.shape}" if base.place else ": another shape"
    for name, got in lane.params.items():
        if name in base.params and not _close(base.params[name], got):
            return f" with {name} {_short(got)}, not {_short(base.params[name])}"
    return ""


def _close(want: Values, got: Values) -> bool:
    got = np.asarray(got)
    try:
        want, wide = np.broadcast_arrays(want, got)
    except ValueError:
        return False
    rtol = CLOSE.get(got.dtype.itemsize, 1e-6) if got.dtype.kind == "f" else 1e-6
    largest = float(np.max(np.abs(want), initial=0.0))
    return bool(np.allclose(wide.astype(float), want.astype(float), rtol, 1e-9 * largest + 1e-300, equal_nan=True))


def _short(values: Values) -> str:
    text = " ".join(np.array2string(np.asarray(values), threshold=6, precision=6).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def where(home: str) -> str:
    """The line of the project's code that is running, "" when it is none of it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and home:
        name = frame.f_code.co_filename
        if name.startswith(home):
            return f"{os.path.relpath(name, home)}, line {frame.f_lineno}"
        frame = frame.f_back
    return ""


def to_node(tape: Tape) -> Snapshot:
    """The tape as a snapshot: a list of what is on it, and all its arrays as one of bytes. None for an empty one."""
    if not tape.bases and not tape.full:
        return None
    data = bytearray()

    def stored(array: Values) -> list[Any]:
        start = len(data)
        data.extend(np.ascontiguousarray(array).tobytes())
        return [array.dtype.str, list(array.shape), start]

    rows = [
        [
            base.name,
            stored(base.values),
            {key: stored(value) for key, value in base.params.items()},
            base.draw,
            base.group,
            base.place,
            base.site,
            base.stream,
            base.epoch,
        ]
        for base in tape.bases
    ]
    text = json.dumps({"full": tape.full, "bases": rows})
    return Node("tape", text, (Array(np.frombuffer(bytes(data), np.uint8)),))


def from_node(node: Snapshot) -> list[Base]:
    """The base draws of a tape that `to_node` stored."""
    if not isinstance(node, Node):
        return []
    (blob,) = node.items
    assert isinstance(blob, Array)
    data = blob.data.tobytes()

    def loaded(row: Iterable[Any]) -> Values:
        dtype, shape, start = row
        kind = np.dtype(dtype)
        count = int(np.prod(shape, dtype=int))
        return np.frombuffer(data, kind, count, start if count else 0).reshape(shape).copy()

    rows = json.loads(node.name)["bases"]
    return [Base(row[0], loaded(row[1]), {key: loaded(value) for key, value in row[2].items()}, *row[3:]) for row in rows]


def is_full(node: Snapshot) -> bool:
    """Whether a stored tape could not hold all that was drawn."""
    return isinstance(node, Node) and bool(json.loads(node.name)["full"])
