"""Follows one call line by line: which lines came after which, and on which side of each comparison the operands were.

`sys.monitoring` where Python has it (3.12), else `sys.settrace`. Only the files of the tree are followed.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ..values.call_tracing import traced_calls
from ..values.snapshot import Array
from .comparisons import CAST, ComparedPair, compared_pairs

MOST_LINES = 20_000  # followed in one call with the operands of comparisons
MOST_REPEATED = 100_000  # followed without them after the last line that was new
MOST_VALUES = 4096  # elements of an operand that are looked at
MOST_PAIRS = 3  # unequal operands kept for each comparison
CLOSE, TINY = 1e-9, 1e-12  # how near operands are that rounding might have parted: relative, and to the largest input
UNSORTED = "the original looks numbers up in an array that is not sorted"
UNTIED = "the original sorts equal items, which NumPy puts into any order"
UNLIMITED = "the original interpolates between numbers that are not finite, of which each library makes others at the neighbours"
UNHELD = "the original casts floats to integers that cannot hold them, for which each processor gives other numbers"
NOISE = "rounding errors decide the original's result: what is left of numbers that cancel is compared with 0, or divides"
SMALLEST_RESIDUE = 1e-30  # relative to the largest input: what falls below it was computed without numbers that cancel
FINEST = 1024.0  # numbers that are multiples of its reciprocal, and not large, are exact in sums and products
LARGEST_EXACT = 1 << 20

NUMBERS = int | float | np.integer | np.floating
Values = np.ndarray[Any, Any]


class LineTrace:
    """What one call did. `features`: arcs "file:line>line" and sides "file#pair<", "==" for an exact tie; `apart`: unequal operands by pair.

    `undefined`: why its result means nothing, "" if it does. `ties`: comparisons of equal operands that every library finds equal;
    `delicate`: comparisons that rounding may decide; `rounds`: it divides by another number than a power of two.
    """

    def __init__(
        self, file_of: Callable[[str], str], top: Path, numbers: Values, constants: Sequence[float], compare: bool
    ) -> None:
        self.file_of, self.top, self.compare = file_of, top, compare
        self.numbers, self.constants = numbers, np.asarray(constants, float)
        self.short, self.rounds = bool(_is_short(numbers).all()), False
        measures = [
            abs(value) for value in constants if not float(value).is_integer()
        ]  # whole numbers limit iterations, as a rule
        self.scale = max(np.max(np.abs(numbers), initial=0.0), max(measures, default=0.0))
        self.features: dict[str, None] = {}
        self.apart: dict[str, list[tuple[float, float]]] = {}
        self.ties = self.delicate = 0
        self.undefined = ""
        self.residues: dict[str, float] = {}  # the smallest number compared with 0 that may be a rounding error, by its place
        self.met: set[tuple[Any, ...]] = set()  # operands of comparisons, where they are numbers
        self.left = MOST_LINES if compare else MOST_REPEATED

    @contextmanager
    def running(self) -> Iterator[None]:
        """Follow what runs inside the context."""
        with _monitored(self) if sys.version_info >= (3, 12) else _settrace(self):
            yield

    def found(self) -> dict[str, Any]:
        """What was seen, as JSON data."""
        sharp = self.ties > 0 and not self.delicate
        return {
            "features": list(self.features),
            "apart": self.apart,
            "sharp": sharp,
            "rounds": self.rounds,
            "undefined": self.undefined or (NOISE if self._noise_decides() else ""),
        }

    def line(self, code: CodeType, before: int, now: int, frame: FrameType | None) -> None:
        """A line is about to run, after the line `before` of the same frame (0: none); `now` 0: the frame returns."""
        file = known_file(self, code)
        self.left -= 1
        if (feature := f"{file}:{before}>{now}") not in self.features:
            self.features[feature] = None
            self.left = self.left if self.compare else MOST_REPEATED
        if self.compare and frame is not None:
            for pair in pairs_of(self.top / file).get(now, ()):
                self._compared(file, pair, frame)

    def _compared(self, file: str, pair: ComparedPair, frame: FrameType) -> None:
        """Look at the operands of a comparison. They may not be numbers, or not be there yet: then there is nothing to see."""
        if pair.right == "decomposed":
            self.delicate += 1
            return
        if pair.right == "unknown":
            self.short, self.rounds = False, True
            return
        try:
            with np.errstate(all="ignore"):
                one = eval(pair.left, frame.f_globals, frame.f_locals)
                other = None if isinstance(pair.right, str) else eval(pair.right, frame.f_globals, frame.f_locals)
                if not self._is_new(file, pair, one, other):
                    return
                left = np.asarray(one)
                if isinstance(pair.right, str):
                    self.undefined = self.undefined or _undefined(left, pair.right)
                    if pair.right == "finite":
                        return
                    left, right = _beside(left, pair.right)  # a rounded number is exact where it was given
                else:
                    right = np.asarray(other)
                if left.dtype.kind not in "iuf" or right.dtype.kind not in "iuf" or max(left.size, right.size) > MOST_VALUES:
                    return
                if (pair.right == "sorted" and not (left <= right).all()) or (
                    pair.right == "increasing" and not (left < right).all()
                ):
                    self.undefined = UNSORTED
                    return
                if pair.divides and not _are_powers_of_two(left):
                    self.short, self.rounds = False, True  # differently where a library multiplies by 1 / x
                whole = left.dtype.kind in "iu" and right.dtype.kind in "iu"
                left, right = np.broadcast_arrays(left.astype(float), right.astype(float))
                self._sides(f"{file}#{pair.place}", left.ravel(), right.ravel(), whole)
        except Exception:  # the expression is evaluated outside of its place
            return

    def _is_new(self, file: str, pair: ComparedPair, left: Any, right: Any) -> bool:
        """Whether these operands were not seen before: loops compare the same numbers again and again."""
        if not isinstance(left, NUMBERS) or not isinstance(right, NUMBERS | None):
            return True
        key = (file, pair.place, type(left), left, type(right), right)
        if key in self.met:
            return False
        self.met.add(key)
        return True

    def _sides(self, name: str, left: Values, right: Values, whole: bool) -> None:
        lower, equal, higher = left < right, left == right, left > right
        for side, where in (("<", lower), ("=", equal), (">", higher), ("?", np.isnan(left) | np.isnan(right))):
            if where.any():
                self.features[f"{name}{side}"] = None
        apart = self.apart.setdefault(name, [])
        unequal = np.flatnonzero((lower | higher) & np.isfinite(left) & np.isfinite(right))
        if unequal.size and len(apart) < MOST_PAIRS:
            nearest = unequal[np.argmin(np.abs(left[unequal] - right[unequal]))]
            apart.append((float(left[nearest]), float(right[nearest])))
        sharp = self._exact(left, right) | whole
        if (equal & sharp).any():
            self.ties += 1
            self.features[f"{name}=="] = None
        close = np.isfinite(left) & np.isfinite(right)
        close &= np.abs(left - right) <= CLOSE * np.maximum(np.abs(left), np.abs(right)) + TINY * self.scale
        self.delicate += int((close & ~sharp).any())
        residues = np.abs(left[close & ~equal & (right == 0) & ~np.isin(left, self.numbers)])
        if residues.size:
            self.residues[name] = min(float(residues.min()), self.residues.get(name, math.inf))

    def _noise_decides(self) -> bool:
        """Whether a rounding error was compared with 0. A number that is halved again and again gets as small, and then smaller."""
        return any(residue > SMALLEST_RESIDUE * self.scale for residue in self.residues.values())

    def _exact(self, left: Values, right: Values) -> Values:
        """Where neither operand carries a rounding error.

        One is a number that was given and the other one, too, or a constant; or all are short binary fractions, and what is
        computed from them. A zero may always be computed, and be one by luck.
        """
        one, other = np.isin(left, self.numbers), np.isin(right, self.numbers)
        given = (one & (other | np.isin(right, self.constants))) | (other & np.isin(left, self.constants))
        given &= (left != 0) | (right != 0) | self.short
        return given | (_is_short(left) & _is_short(right)) if self.short else given


def _beside(values: Values, which: str) -> tuple[Values, Values]:
    """The numbers, and for each the nearest whole number, the one half-way between two, or the next one among them."""
    if which == "half":
        return values, np.floor(values) + 0.5
    if which == "whole" or which.startswith(CAST):
        return values, np.rint(values)
    ordered = np.sort(values, axis=None) if which in ("next", "untied") else values.ravel()
    return ordered[:-1], ordered[1:]


def _undefined(values: Values, which: str) -> str:
    """Why no library has to give the same result for these numbers, "" if all do."""
    if which.startswith(CAST) and values.dtype.kind == "f":
        range_ = np.iinfo(which.removeprefix(CAST))
        return "" if ((np.trunc(values) >= range_.min) & (np.trunc(values) <= range_.max)).all() else UNHELD
    if which == "finite":
        return "" if np.isfinite(values).all() else UNLIMITED
    return UNTIED if which == "untied" and (np.diff(np.sort(values)) == 0).any() else ""


def _is_short(values: Values) -> Values:
    """Which numbers are binary fractions of few digits: their sums and products are exact."""
    return np.asarray((np.abs(values) < LARGEST_EXACT) & (values * FINEST == np.rint(values * FINEST)))


def _are_powers_of_two(values: Values) -> bool:
    """Whether all are powers of two, or 0: only a quotient by such a number is a short fraction, if the dividend is one."""
    return bool(np.isin(np.abs(np.frexp(values.astype(float))[0]), (0.0, 0.5)).all())


def given_numbers(parts: Iterable[Any]) -> Values:
    """The finite numbers among the parts of a call."""
    found: list[float] = []
    for part in parts:
        if isinstance(part, Array) and part.data.dtype.kind in "iuf":
            found += part.data.ravel()[:MOST_VALUES].astype(float).tolist()
        elif isinstance(part, int | float):
            found.append(float(part))
    return np.asarray([value for value in dict.fromkeys(found) if math.isfinite(value)], float)


_FILES: dict[CodeType, str] = {}
_PAIRS: dict[Path, dict[int, list[ComparedPair]]] = {}


def known_file(trace: LineTrace, code: CodeType) -> str:
    """The file of the tree from which the code comes, "" for any other code."""
    if code not in _FILES:
        _FILES[code] = trace.file_of(code.co_filename)
    return _FILES[code]


def pairs_of(path: Path) -> dict[int, list[ComparedPair]]:
    """The compared pairs of a file, which is read once."""
    if path not in _PAIRS:
        try:
            _PAIRS[path] = compared_pairs(ast.parse(path.read_bytes()))
        except (OSError, SyntaxError, ValueError, RecursionError):
            _PAIRS[path] = {}
    return _PAIRS[path]


def _settrace(trace: LineTrace) -> AbstractContextManager[None]:
    def called(frame: FrameType, _event: str, _arg: Any) -> Any:
        if trace.left <= 0 or not known_file(trace, frame.f_code):
            return None
        before = 0

        def local(frame: FrameType, event: str, _arg: Any) -> Any:
            nonlocal before
            if event == "line":
                trace.line(frame.f_code, before, frame.f_lineno, frame)
                before = frame.f_lineno
            elif event == "return":
                trace.line(frame.f_code, before, 0, None)
            if trace.left <= 0:
                sys.settrace(None)
            return local

        return local

    return traced_calls(called)


@contextmanager
def _monitored(trace: LineTrace) -> Iterator[None]:
    monitoring: Any = getattr(sys, "monitoring")  # noqa: B009  absent from the types of Python 3.11
    tool = next((number for number in range(3, 6) if monitoring.get_tool(number) is None), None)
    if tool is None:
        yield
        return
    before: dict[int, int] = {}

    def line(code: CodeType, now: int) -> Any:
        if not known_file(trace, code):
            return monitoring.DISABLE
        if trace.left > 0:
            frame = sys._getframe(1)
            trace.line(code, before.get(id(frame), 0), now, frame)
            before[id(frame)] = now
        return None

    def returned(code: CodeType, _offset: int, _value: Any) -> Any:
        if not known_file(trace, code):
            return monitoring.DISABLE
        if trace.left > 0:
            trace.line(code, before.pop(id(sys._getframe(1)), 0), 0, None)
        return None

    events = monitoring.events
    monitoring.use_tool_id(tool, "np2jax")
    monitoring.register_callback(tool, events.LINE, line)
    monitoring.register_callback(tool, events.PY_RETURN, returned)
    monitoring.set_events(tool, events.LINE | events.PY_RETURN)
    try:
        yield
    finally:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, events.LINE, None)
        monitoring.register_callback(tool, events.PY_RETURN, None)
        monitoring.free_tool_id(tool)
        monitoring.restart_events()
