"""How far a conversion is, for whoever shows it: nobody, unless `shown` says who."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
_listeners: list[Callable[[str], None] | None] = [None]  # the last one is told; no context variable: files are read in a thread


@contextmanager
def shown(show: Callable[[str], None] | None) -> Iterator[None]:
    """Tell `show` what is being done, in words."""
    _listeners.append(show)
    try:
        yield
    finally:
        _listeners.pop()


def say(what: str) -> None:
    if (show := _listeners[-1]) is not None:
        show(what)


def each(what: str, things: Collection[T]) -> Iterator[T]:
    """The things one after the other, counted."""
    if _listeners[-1] is None:
        yield from things
        return
    for number, thing in enumerate(things, 1):
        say(f"{what}, {number:,} of {len(things):,}")
        yield thing
