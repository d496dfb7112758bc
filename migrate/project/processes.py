"""Independent work in several processes: programs of a project, between which nothing is exchanged."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from . import garbage_collection, progress
from .failure import Failure

Item = TypeVar("Item")
Result = TypeVar("Result")
WORTH = 200_000  # bytes of source: with less, starting a process costs more than it saves
MOST = 8  # processes, unless the user asks for more: each has its own copy of what it imports


def in_processes(work: Callable[[Item], Result], items: Sequence[Item], sizes: Sequence[int], jobs: int) -> list[Result]:
    """The results in order. `work` is a function of a module, or a `partial` of one. `sizes`: bytes of source; `jobs`: the number of
    processes, 0 for one on each processor."""
    jobs = min(jobs or min(processors(), MOST), len(items))
    if jobs < 2 or sum(sizes) - max(sizes) < WORTH:
        return [work(item) for item in items]
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    longest_first = sorted(range(len(items)), key=lambda place: -sizes[place])
    try:
        with ProcessPoolExecutor(jobs, context(), _prepare) as pool:
            pending = {place: pool.submit(work, items[place]) for place in longest_first}
            return [pending[place].result() for place in range(len(items))]
    except BrokenProcessPool:
        raise Failure("a worker process ended while it converted (out of memory?); try -j 1") from None


def balanced(groups: Sequence[tuple[Item, int]], jobs: int) -> list[list[Item]]:
    """Groups with their sizes, in not many more parts than there are processes, none much larger than the largest group."""
    parts: list[list[Item]] = [[] for _ in range(4 * (jobs or min(processors(), MOST)))]
    sizes = [0] * len(parts)
    for group, size in sorted(groups, key=lambda each: -each[1]):
        smallest = sizes.index(min(sizes))
        parts[smallest].append(group)
        sizes[smallest] += size
    return [part for part in parts if part]


def context() -> Any:
    """How processes start: fork is fast, but a lock that another thread holds stays locked for ever in the child, and JAX has threads."""
    import multiprocessing  # slow to import, and most runs need no process

    return multiprocessing.get_context("fork" if sys.platform == "linux" and "jax" not in sys.modules else "spawn")


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _prepare() -> None:
    progress.silence()
    garbage_collection.exempt()
