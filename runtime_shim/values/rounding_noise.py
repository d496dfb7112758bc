"""Follows one call and moves what its variables get by a rounding error: a result that jumps then is decided by rounding.

Only numbers that carry such an error are moved. What was given, the constants of the code, and short binary fractions, whose sums
and products are exact, stay: a tie of them is the same for every library.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import CodeType, FrameType
from typing import Any

import numpy as np

from .call_tracing import traced_calls

MOST_LINES = 20_000
STEPS = 2  # how many units in the last place
FINEST = 1024.0  # multiples of its reciprocal are short fractions
LARGEST = 1 << 20

Values = np.ndarray[Any, Any]


class RoundingNoise:
    """The noise of one call. `numbers`: those that were given; `seed`: other errors for each.

    `everywhere`: all that is computed is moved, and by errors of the size that the largest number of its array has: they show what
    is left of numbers that cancel, for instance of `sin(2 * pi)`.
    """

    def __init__(
        self, file_of: Callable[[str], str], numbers: Values, constants: Sequence[float], seed: int, everywhere: bool
    ) -> None:
        self.file_of, self.everywhere = file_of, everywhere
        self.exact = np.concatenate([numbers, np.asarray(constants, float)])
        self.random = np.random.Generator(np.random.PCG64(seed))
        self.left = MOST_LINES
        self.known: dict[CodeType, bool] = {}
        self.changes: list[tuple[Values, Values, Values]] = []  # an array, its values before, and as they were moved

    def running(self) -> AbstractContextManager[None]:
        """Move what runs inside the context."""
        return traced_calls(self._called)

    def found(self) -> dict[str, Any]:
        """Nothing: the result says it all. Arrays that outlive the call, such as those of modules, get their values back."""
        for array, before, moved in reversed(self.changes):
            array[...] = np.where(array == moved, before, array)
        self.changes.clear()
        return {}

    def _called(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        code = frame.f_code
        if code not in self.known:
            self.known[code] = bool(self.file_of(code.co_filename))
        if not self.known[code] or code.co_name == "<module>":
            return None
        seen = dict(frame.f_locals)  # the objects, so that no other one gets the address of one that is gone

        def local(frame: FrameType, event: str, _arg: Any) -> Any:
            self.left -= 1
            if self.left <= 0:
                sys.settrace(None)
                return None
            if event == "line":
                self._move(frame, seen)
            return local

        return local

    def _move(self, frame: FrameType, seen: dict[str, Any]) -> None:
        """Move the floats that the last line bound to the names of a frame."""
        new = {name: value for name, value in frame.f_locals.items() if value is not seen.get(name, frame)}
        for name, value in new.items():
            if isinstance(value, float | np.floating):
                value = type(value)(self._moved(np.asarray(value)))
                _bind(frame, name, value)
            elif isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.flags.writeable:
                before, moved = value.copy(), self._moved(value)
                self.changes.append((value, before, moved))
                value[...] = moved
            seen[name] = value

    def _moved(self, values: Values) -> Values:
        steps = self.random.integers(-STEPS, STEPS + 1, values.shape) * np.finfo(values.dtype).eps
        finite = np.isfinite(values)
        if self.everywhere:
            largest = np.max(np.abs(values), where=finite, initial=0.0)
            return np.asarray(np.where(finite, values + steps * largest, values), values.dtype)
        with np.errstate(all="ignore"):
            short = (np.abs(values) < LARGEST) & (values * FINEST == np.rint(values * FINEST))
            kept = short | ~finite | np.isin(values, self.exact)
            return np.asarray(np.where(kept, values, values * (1 + steps)), values.dtype)


def _bind(frame: FrameType, name: str, value: Any) -> None:
    """Bind a local variable of a frame that runs."""
    frame.f_locals[name] = value
    if sys.version_info < (3, 13):
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
