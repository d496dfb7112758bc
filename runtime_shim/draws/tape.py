"""The random draws of one run on a tape, from which another run takes them: in order, each checked by name, shape and parameters.

A draw of NumPy is written as the base draws of which it is made, named by the function of jax.random that draws the same
(`normal` as a standard normal one; `negative_binomial` as a gamma and a Poisson one). What is taken must be the next that was
written; inside one draw of NumPy the order is free. Draws that are made together under `vmap` take what one place of the
original's code drew one after the other. The first that does not fit is `trouble`: what follows it says nothing any more.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
import threading
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

Values = np.ndarray[Any, Any]
PLAIN = np.random.Generator  # NumPy's own, whatever stands in its place later
MOST_DRAWS = 100_000  # base draws on one tape
MOST_BYTES = 512 << 20
TOO_MANY = f"it draws more random numbers than are replayed ({MOST_DRAWS} times, {MOST_BYTES >> 20} MiB)"
NONE_AT_ALL = "where the original draws no random numbers"
IMPORTING = "<frozen importlib._bootstrap>"  # the file of the code that imports
CLOSE = {4: 1e-3, 2: 1e-1}  # how far a parameter may be off, by the bytes of its dtype


@dataclass(slots=True)
class Base:
    """One base draw.

    `draw`: NumPy's name of the whole draw, `group` its number. `position`: which base draw of it this is. `site`: the line of code.
    `stream`: what the generator was when it was seeded, `epoch`: which seeding that was.
    """

    name: str
    values: Values
    params: Mapping[str, Values]
    draw: str
    group: int
    position: int
    site: str
    stream: str
    epoch: int
    module: str = ""  # on import, the module that was running
    taken: bool = False

    def __str__(self) -> str:
        return f"`{self.draw}` of shape {self.values.shape}{_at(self.site)}"


@dataclass(frozen=True, slots=True)
class DrawRequest:
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
    stored_bytes: int = 0  # bytes
    group: int = 0
    position: int = 0
    draw: str = ""
    site: str = ""
    foreign: bool = False  # the draw is not one of the project
    first: int = 0  # all before it are taken
    used: dict[bytes, tuple[Base, DrawRequest]] = field(default_factory=dict)
    unseeded: int = 0
    importing: bool = False
    known: frozenset[str] = frozenset()  # modules whose draws on import are replayed
    spare: Any = field(default_factory=lambda: PLAIN(np.random.PCG64(0)))

    def record(self) -> None:
        """Begin an empty tape that is written."""
        self._begin([], replaying=False)

    def replay(self, bases: list[Base]) -> None:
        """Begin to take from a tape."""
        self._begin(bases, replaying=True)

    def begin_import(self, bases: list[Base], replaying: bool) -> None:
        """Begin to import: what each module draws is replayed when `bases` has it (and always when `replaying`), else written."""
        self._begin(bases, replaying)
        self.importing, self.known = True, frozenset(base.module for base in bases)

    def stop(self) -> None:
        """Draw without the tape."""
        self._begin([], replaying=False)
        self.on = False

    def _begin(self, bases: list[Base], replaying: bool) -> None:
        self.bases, self.replaying, self.on = bases, replaying, True
        self.trouble, self.full, self.stored_bytes = "", False, 0
        self.group = self.first = self.unseeded = 0
        self.used, self.importing, self.known = {}, False, frozenset()

    def begin_draw(self, draw: str) -> None:
        """A draw of NumPy begins; base draws that follow belong to it."""
        self.group += 1
        self.position = 0
        self.draw = draw
        self.site = where(self.home) if self.on and not self.full else ""
        self.foreign = bool(self.home) and not self.site

    def note(self, name: str, values: Values, params: Mapping[str, Any], stream: str, epoch: int) -> Values:
        """A base draw of NumPy: it is written, or what the tape has instead is given back."""
        if not self.on or self.full or self.foreign:
            return values
        module = running_module(self.home) if self.importing else ""
        if self.replaying or module in self.known:
            request = DrawRequest(f"np.random.{self.draw}", (name,), values.shape, self.site)
            return np.asarray(self.take(request, [Lane()])[0], values.dtype)
        kept = {key: np.array(value) for key, value in params.items()}
        self.stored_bytes += values.nbytes + sum(value.nbytes for value in kept.values())
        if len(self.bases) >= MOST_DRAWS or self.stored_bytes > MOST_BYTES:
            self.full = True
            self.bases = []
            return values
        position = (self.draw, self.group, self.position, self.site)
        self.bases.append(Base(name, values.copy(), kept, *position, stream, epoch, module))
        self.position += 1
        return values

    def take(self, request: DrawRequest, lanes: Sequence[Lane]) -> list[Values]:
        """The values of the next base draws, one for each lane. What does not fit is `trouble`, and gets other values."""
        taken: list[Base] = []
        alike: Iterator[Base] = iter(())
        for lane in lanes if self.on and not self.trouble else ():
            base = self._next(request, lane) if not taken else next(alike, None)
            if base is None:
                self.trouble = (
                    self.trouble or f"the converted code draws {request} under vmap more often than the original draws {taken[0]}"
                )
            if base is None or not self._fits(base, request, lane):
                break
            base.taken = True
            if not taken:
                alike = self._like(base)
            taken.append(base)
            self._check_key(base, request, lane)
        found = [base.values for base in taken]
        return found + [self._other(request, lane) for lane in lanes[len(found) :]]

    def _upcoming(self) -> Iterator[Base]:
        """The base draws that are not taken, in order; on import, those of the module that is running."""
        while self.first < len(self.bases) and self.bases[self.first].taken:
            self.first += 1
        module = running_module(self.home) if self.importing else ""
        return (base for base in itertools.islice(self.bases, self.first, None) if not base.taken and base.module == module)

    @property
    def upcoming(self) -> str:
        """The name of the base draw that comes next, "" for none."""
        base = next(self._upcoming(), None)
        return "" if base is None else base.name

    def is_seed(self, high: Any, seeds: int) -> bool:
        """Whether converted code draws the seed of a key for a function that took the generator itself: no draw of the original."""
        if not (self.replaying and isinstance(high, int) and high == seeds):
            return False
        base = next(self._upcoming(), None)
        return base is None or base.name != "randint" or not _close(base.params["high"], np.asarray(seeds))

    def _like(self, leader: Base) -> Iterator[Base]:
        """What the original drew later at the same place of its code."""
        like = (leader.site, leader.name, leader.position)
        return (base for base in self._upcoming() if (base.site, base.name, base.position) == like)

    def _next(self, request: DrawRequest, lane: Lane) -> Base | None:
        """The base draw that comes next, of the first draw that is not taken wholly."""
        upcoming = self._upcoming()
        first = next(upcoming, None)
        if first is None:
            before = f"after all {self._number(self.bases[-1])} draws of the original" if self.bases else NONE_AT_ALL
            self.trouble = f"the converted code draws {request} {before}"
            return None
        rest = [first, *itertools.takewhile(lambda base: base.group == first.group, upcoming)]
        fitting = [base for base in rest if base.name in request.names]
        if not fitting:
            self.trouble = f"draw {self._number(first)}: the original draws {first}, the converted code {request}"
            return None
        return next((base for base in fitting if not _misfit(base, request, lane)), fitting[0])

    def _number(self, base: Base) -> int:
        return len({other.group for other in self.bases if other.group <= base.group})

    def _fits(self, base: Base, request: DrawRequest, lane: Lane) -> bool:
        if why := _misfit(base, request, lane):
            self.trouble = f"draw {self._number(base)}: the original draws {base}, the converted code {request}{why}"
        return not why

    def _check_key(self, base: Base, request: DrawRequest, lane: Lane) -> None:
        """A key that draws twice is wrong, unless the original seeded its generators alike, too."""
        if not lane.key:
            return
        before, user = self.used.setdefault(lane.key, (base, request))
        if before is base or (before.stream == base.stream and before.epoch != base.epoch):
            return
        self.trouble = self.trouble or f"a key is used twice: by {user} and by {request}"

    def _other(self, request: DrawRequest, lane: Lane) -> Values:
        """Values for a draw that the tape does not have, so that the code that asks goes on."""
        params, shape = lane.params, request.shape
        match request.names[0] if request.names else "":
            case "normal":
                return np.asarray(self.spare.standard_normal(shape))
            case "permutation":
                return np.asarray(self.spare.permutation(shape[0]) if shape else np.zeros((), int))
            case "choice":
                return np.asarray(self.spare.integers(0, max(1, int(np.min(params.get("n", np.array(1))))), shape))
            case "randint" if "low" in params and np.all(params["low"] < params["high"]):
                return np.asarray(self.spare.integers(params["low"], params["high"], shape))
        return np.asarray(self.spare.random(shape))

    def finish(self, modules: Container[str] | None = None) -> str:
        """What did not fit, or what was left (in these modules), in words; "" when all that was drawn was taken."""
        left = [base for base in self.bases if not base.taken and (modules is None or base.module in modules)]
        if left and not self.trouble:
            count = len({base.group for base in left})
            self.trouble = f"the converted code leaves out {count} of the original's draws, the first is {left[0]}"
        return self.trouble


TAPE = Tape()


def _at(site: str) -> str:
    return f" ({site})" if site else ""


def _misfit(base: Base, request: DrawRequest, lane: Lane) -> str:
    """Why a base draw is not the one that is asked for; "" when it is."""
    if base.values.shape != request.shape:
        return f": the base draw of shape {request.shape}, not {base.values.shape}" if base.position else ": another shape"
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


def running_module(home: str) -> str:
    """The module of the project whose body is running, relative to `home`; "" for none."""
    frame: FrameType | None = sys._getframe(1)
    if threading.current_thread() is not threading.main_thread():  # a callback of JAX
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if frame.f_code.co_name == "<module>" and (file := file_in(home, frame.f_code.co_filename)):
            return file
        frame = frame.f_back
    return ""


@functools.cache
def file_in(home: str, path: str) -> str:
    """A path relative to `home`, "" for one that is not in it. A script is known by the path that it was started with."""
    full = os.path.realpath(path)
    return os.path.relpath(full, home) if not path.startswith("<") and full.startswith(os.path.join(home, "")) else ""


def where(home: str) -> str:
    """The line of the project's code that is running, "" when it is none of it: a library that it imports may draw, too."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and home:
        name = frame.f_code.co_filename
        if name == IMPORTING:
            return ""
        if file := file_in(home, name):
            return f"{file}, line {frame.f_lineno}"
        frame = frame.f_back
    return ""
