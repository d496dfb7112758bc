"""Ctrl-C while several threads work: a question that is asked now and then, not an exception between any two bytecodes.

A KeyboardInterrupt inside a lock leaves that lock closed for ever, and one that arrives as the main thread begins to wait is only raised
when the wait is over.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def deferred() -> Iterator[Callable[[], bool]]:
    """Yields the question whether Ctrl-C was pressed; at the end, what Ctrl-C does otherwise is done. Only the main thread gets it."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield lambda: False
        return
    pressed = list[FrameType | None]()
    signal.signal(signal.SIGINT, lambda _number, frame: pressed.append(frame))
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, usual)
    if pressed:
        usual(signal.SIGINT, pressed[0])
