"""Follows one call statement by statement and keeps every value that a name gets, so that two versions can be laid side by side."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ..values.call_tracing import traced_calls
from ..values.snapshot import Array, Node, is_jax

MOST_VALUES = 3000
MOST_ELEMENTS = 1024  # of an array that is kept
MOST_LINES = 20_000
RETURNED = "return"


class StatementTrace:
    """What the names of a file's functions were bound to, in order. `places`: the function, the line, and the name of each value."""

    def __init__(self, file_of: Callable[[str], str], file: str) -> None:
        self.file_of, self.file = file_of, file
        self.places: list[tuple[str, int, str]] = []
        self.values: list[Array] = []
        self.left = MOST_LINES
        self.known: dict[CodeType, bool] = {}

    def running(self) -> AbstractContextManager[None]:
        """Follow what runs inside the context."""
        return traced_calls(self._called)

    def found(self) -> dict[str, Any]:
        """Where the values were bound, as JSON data."""
        return {"places": self.places}

    def node(self) -> Node:
        """The values."""
        return Node("list", items=tuple(self.values))

    def _called(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        code = frame.f_code
        if code not in self.known:
            self.known[code] = self.file_of(code.co_filename) == self.file
        if not self.known[code] or code.co_name == "<module>":
            return None
        before: dict[str, bytes] = {}
        line = 0

        def local(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal line
            self.left -= 1
            if self.left <= 0 or len(self.values) >= MOST_VALUES:
                sys.settrace(None)
                return None
            if event in ("line", "return"):
                self._changes(frame, before, line)
                line = frame.f_lineno
            if event == "return":
                self._keep(code.co_name, line, RETURNED, arg)
            return local

        return local

    def _changes(self, frame: FrameType, before: dict[str, bytes], line: int) -> None:
        """Keep the values of the names that the statement at `line` bound or changed; 0: the arguments."""
        for name, value in frame.f_locals.items():
            if (data := _as_data(value)) is None:
                continue
            mark = data.tobytes() + repr((data.shape, data.dtype.kind)).encode()
            if before.get(name) != mark:
                before[name] = mark
                if line:
                    self._keep(frame.f_code.co_name, line, name, value)

    def _keep(self, function: str, line: int, name: str, value: Any) -> None:
        items = value if isinstance(value, tuple) and name == RETURNED else (value,)
        for item in items:
            if (data := _as_data(item)) is not None:
                self.places.append((function, line, name))
                self.values.append(Array(data))


def _as_data(value: Any) -> np.ndarray[Any, Any] | None:
    """A number or a small array as an array; None for anything else, tracers and keys among it."""
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return None
    if is_jax(value):
        import jax

        keys = jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key)
        if keys or isinstance(value, jax.core.Tracer) or value.is_deleted():
            return None
    elif not isinstance(value, bool | int | float | complex | np.generic | np.ndarray):
        return None
    if getattr(value, "size", 1) > MOST_ELEMENTS:
        return None
    data = np.array(value)
    return data if data.dtype.kind in "biufc" else None
