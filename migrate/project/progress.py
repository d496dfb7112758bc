"""The progress of a conversion, reported to a listener if `shown` installs one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
_listeners: list[Callable[[str], None] | None] = [None]  # the last one is called; no context variable: files are read in a thread


@contextmanager
def shown(show: Callable[[str], None] | None) -> Iterator[None]:
    """Call `show` with a description of each step."""
    _listeners.append(show)
    try:
        yield
    finally:
        _listeners.pop()


def silence() -> None:
    """Call no listener from now on: this process is not the one that the user sees."""
    _listeners.append(None)


def say(what: str) -> None:
    if (show := _listeners[-1]) is not None:
        show(what)


def each(what: str, things: Collection[T]) -> Iterator[T]:
    """Iterate over the things and report the progress."""
    if _listeners[-1] is None:
        yield from things
        return
    for number, thing in enumerate(things, 1):
        say(f"{what}, {number:,} of {len(things):,}")
        yield thing
