"""A tape with the random draws of one run, from which another run takes them in order, checked by name, shape and parameters.

A NumPy draw is recorded as the base draws that compose it, each named by the function of jax.random that draws the same
(`normal` as a standard normal draw; `negative_binomial` as a gamma and a Poisson draw). The draw taken must be the next one
recorded; within one NumPy draw the order is free. Draws made in parallel under `vmap` take the values that one line of the
original drew in sequence. The first mismatch is stored as `trouble`; what follows it has no meaning any more.
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
PLAIN = np.random.Generator  # NumPy's own class, even if the name is replaced later
MOST_DRAWS = 100_000  # base draws on one tape
MOST_BYTES = 512 << 20
TOO_MANY = f"it draws more random numbers than are replayed ({MOST_DRAWS} times, {MOST_BYTES >> 20} MiB)"
NONE_AT_ALL = "where the original draws no random numbers"
IMPORTING = "<frozen importlib._bootstrap>"  # the file name of the import machinery
SEEDS = 2**63 - 1  # the bound of the whole numbers that converted code draws as seeds of keys
CLOSE = {4: 1e-3, 2: 1e-1}  # relative tolerance for a parameter, by the item size of its dtype


@dataclass(slots=True)
class Base:
    """One base draw.

    `draw`: NumPy's name for the whole draw; `group`: its number. `position`: the index of this base draw within it. `site`: the
    line of code. `stream`: the identity of the generator's state after seeding; `epoch`: the number of that seeding.
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
    module: str = ""  # during import, the module being imported
    taken: bool = False

    def __str__(self) -> str:
        return f"`{self.draw}` of shape {self.values.shape}{_at(self.site)}"


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """A request to the tape: a base draw with one of `names` and a given shape. `what` and `site` describe the caller."""

    what: str
    names: tuple[str, ...]
    shape: tuple[int, ...]
    site: str

    def __str__(self) -> str:
        return f"`{self.what}` of shape {self.shape}{_at(self.site)}"


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the draws made in parallel: its key, if it has one, or the stream of NumPy's generator, and its parameters."""

    key: bytes = b""
    params: Mapping[str, Values] = field(default_factory=dict)
    stream: str = ""


@dataclass(slots=True)
class Tape:
    """The recorded draws. `replaying`: draws are taken from the tape, not recorded.

    `home`: the folder whose lines of code are named. `full`: more was drawn than the tape stores.
    """

    home: str = ""
    replaying: bool = False
    on: bool = False
    bases: list[Base] = field(default_factory=list)
    trouble: str = ""
    full: bool = False
    stored_bytes: int = 0
    group: int = 0
    position: int = 0
    draw: str = ""
    site: str = ""
    foreign: bool = False  # the draw was not made by the project
    first: int = 0  # all draws before this index are taken
    used: dict[bytes, tuple[Base, DrawRequest]] = field(default_factory=dict)
    seeds: dict[str, tuple[str, bool]] = field(default_factory=dict)  # by the stream of the original: see Seeding
    reseeded: bool = False  # a key seeds a generator of NumPy
    unseeded: int = 0
    importing: bool = False
    known: frozenset[str] = frozenset()  # modules whose draws during import are replayed
    spare: Any = field(default_factory=lambda: PLAIN(np.random.PCG64(0)))

    def record(self) -> None:
        """Start recording on an empty tape."""
        self._begin([], replaying=False)

    def replay(self, bases: list[Base]) -> None:
        """Start replaying a tape."""
        self._begin(bases, replaying=True)

    def begin_import(self, bases: list[Base], replaying: bool) -> None:
        """Start an import: the draws of a module are replayed if `bases` has any (always if `replaying`), else recorded."""
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
        self.used, self.seeds, self.reseeded = {}, {}, False
        self.importing, self.known = False, frozenset()

    def begin_draw(self, draw: str) -> None:
        """Begin a NumPy draw; the base draws that follow belong to it."""
        self.group += 1
        self.position = 0
        self.draw = draw
        self.site = where(self.home) if self.on and not self.full else ""
        self.foreign = bool(self.home) and not self.site

    def note(self, name: str, values: Values, params: Mapping[str, Any], stream: str, epoch: int) -> Values:
        """Record a base draw of NumPy and return its values, or return those on the tape instead."""
        if not self.on or self.full or self.foreign:
            return values
        module = running_module(self.home) if self.importing else ""
        kept = {key: _plain(value) for key, value in params.items()}
        if self.replaying or module in self.known:
            request = DrawRequest(f"np.random.{self.draw}", (name,), values.shape, self.site)
            return np.asarray(self.take(request, [Lane(b"", kept, stream)])[0], values.dtype)
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
        """The values of the next base draws, one for each lane. A mismatch sets `trouble` and yields substitute values."""
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
            self.seeds.setdefault(base.stream, (lane.stream or lane.key.hex(), bool(lane.stream) and not self.reseeded))
            self._check_key(base, request, lane)
        found = [base.values for base in taken]
        return found + [self._other(request, lane) for lane in lanes[len(found) :]]

    def _upcoming(self) -> Iterator[Base]:
        """The base draws not taken yet, in order; during import, only those of the module being imported."""
        while self.first < len(self.bases) and self.bases[self.first].taken:
            self.first += 1
        module = running_module(self.home) if self.importing else ""
        return (base for base in itertools.islice(self.bases, self.first, None) if not base.taken and base.module == module)

    @property
    def upcoming(self) -> str:
        """The name of the next base draw, "" if there is none."""
        base = next(self._upcoming(), None)
        return "" if base is None else base.name

    def is_seed(self, high: Any) -> bool:
        """Whether a draw of a whole number is the seed of a key, by its bound: the original has no such draw."""
        if not (self.replaying and isinstance(high, int) and high == SEEDS):
            return False
        base = next(self._upcoming(), None)
        return base is None or base.name != "randint" or not _close(base.params["high"], np.asarray(SEEDS))

    def _like(self, leader: Base) -> Iterator[Base]:
        """The later draws of the original at the same line of code."""
        like = (leader.site, leader.name, leader.position)
        return (base for base in self._upcoming() if (base.site, base.name, base.position) == like)

    def _next(self, request: DrawRequest, lane: Lane) -> Base | None:
        """The next base draw, from the first NumPy draw that is not completely taken."""
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
        """Report a key that is used twice, unless the original seeded its generators equally, too."""
        if not lane.key:
            return
        before, user = self.used.setdefault(lane.key, (base, request))
        if before is base or (before.stream == base.stream and before.epoch != base.epoch):
            return
        self.trouble = self.trouble or f"a key is used twice: by {user} and by {request}"

    def _other(self, request: DrawRequest, lane: Lane) -> Values:
        """Substitute values for a draw that is not on the tape, so that the caller can continue."""
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
        """The mismatch, or the draws that were left out (by these modules), in words; "" if every draw was taken."""
        left = [base for base in self.bases if not base.taken and (modules is None or base.module in modules)]
        if left and not self.trouble:
            count = len({base.group for base in left})
            self.trouble = f"the converted code leaves out {count} of the original's draws, the first is {left[0]}"
        return self.trouble


TAPE = Tape()


def _at(site: str) -> str:
    return f" ({site})" if site else ""


def _misfit(base: Base, request: DrawRequest, lane: Lane) -> str:
    """Why a base draw does not match the request; "" if it does."""
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


def _plain(value: Any) -> Values:
    """A parameter as an array of numbers: the bound 2**64 is no integer of NumPy."""
    array = np.array(value)
    return array.astype(float) if array.dtype == object else array


def _short(values: Values) -> str:
    text = " ".join(np.array2string(np.asarray(values), threshold=6, precision=6).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def running_module(home: str) -> str:
    """The module of the project whose body is being executed, relative to `home`; "" for none."""
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
    """A path relative to `home`, "" if it is outside. A script is known by the path with which it was started."""
    full = os.path.realpath(path)
    return os.path.relpath(full, home) if not path.startswith("<") and full.startswith(os.path.join(home, "")) else ""


def where(home: str) -> str:
    """The line of the project's code that is running; "" outside the project, since a library that it imports may draw, too."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and home:
        name = frame.f_code.co_filename
        if name == IMPORTING:
            return ""
        if file := file_in(home, name):
            return f"{file}, line {frame.f_lineno}"
        frame = frame.f_back
    return ""
