"""Pausing Python's cyclic garbage collector during a conversion."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

FEW = 300_000  # objects: about 30 MB


@contextmanager
def paused() -> Iterator[None]:
    """Pause the cyclic garbage collector; `collect` replaces it.

    Syntax trees and tables of facts are many objects that live until the end and contain hardly any cycles. Scanning them
    repeatedly takes a fifth of a conversion.
    """
    was_on = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_on:
            gc.enable()


def exempt() -> None:
    """Exempt everything that exists from `collect`."""
    gc.freeze()


def collect() -> None:
    """Collect the cycles created since the last call, and exempt the rest from later calls.

    Passes leave facts in cycles, of closures for example, which would be a quarter of the peak memory. Few objects wait for the next
    pass: a small program has sixty passes.
    """
    if gc.get_count()[0] < FEW:
        return
    gc.collect()
    exempt()


@contextmanager
def ending() -> Iterator[None]:
    """Skip the final garbage collection: the process ends after this, and the collection took a tenth of a conversion."""
    with paused():
        try:
            yield
        finally:
            gc.freeze()
