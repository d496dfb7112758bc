"""Runs one call, from a snapshot of its arguments to a snapshot of its outcome."""

from __future__ import annotations

import itertools
import time
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

import numpy as np

from ..values.calls import Arguments, Outcome
from ..values.restore import Thawer
from ..values.snapshot import Array, Find, Freezer, Locate, Node
from .messages import Messages

MOST_ITEMS = 64  # of what a generator yields
MOST_ARRAYS = 20  # of a result or an argument, that may share memory
MOST_PARTS = 100  # of one container, in which they are sought
DEPTH = 3  # of containers and attributes in which they are sought


def perform(
    function: Callable[..., Any],
    arguments: Arguments,
    *,
    find: Find,
    locate: Locate,
    array: Callable[[Array], Any],
    generator: Callable[[Node], Any] | None = None,
    context: AbstractContextManager[Any] | None = None,
    messages: Messages | None = None,
) -> Outcome:
    """Call `function` with arguments restored from snapshots, inside `context`. Raises what the function raises.

    `generator` makes the replacement for a NumPy generator; without it, NumPy generators are restored as such. `messages` keeps what is
    told besides.
    """
    thawer = Thawer(find, array, generator)
    positional, keywords = (thawer.restore(part) for part in arguments.node.items)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        with context or nullcontext(), messages.kept() if messages else nullcontext():
            result = _drawn(function(*positional, **keywords))
        freezer = Freezer(locate)
        after = freezer.take_snapshot([positional, keywords])
        assert isinstance(after, Node)
        own = [one for one in caught if messages is not None and messages.is_own(one.message)]
        issued = [f"{one.category.__name__}: {one.message}" for one in own]
        return Outcome(
            "returned",
            freezer.take_snapshot(result),
            Arguments(Node("call", items=after.items)),
            warned=any(issubclass(one.category, RuntimeWarning) for one in caught if one not in own),
            messages=messages.text(issued) if messages else "",
            seconds=time.perf_counter() - start,
            shares=tuple(where for where, value in [*enumerate(positional), *keywords.items()] if _share(result, value)),
        )


def _drawn(result: Any) -> Any:
    """The first items of a generator, each as it was when it was yielded; any other result as it is."""
    if not isinstance(result, types.GeneratorType):
        return result
    return [_kept(item) for item in itertools.islice(result, MOST_ITEMS)]


def _kept(item: Any) -> Any:
    if type(item) in (tuple, list):
        return type(item)(map(_kept, item))
    return item.copy() if isinstance(item, np.ndarray) else item


def _share(result: Any, argument: Any) -> bool:
    """Whether an array of NumPy in a result may have memory in common with one in an argument, or in its attributes."""
    ours, theirs = (list(itertools.islice(_arrays(value, DEPTH), MOST_ARRAYS)) for value in (result, argument))
    return any(np.may_share_memory(one, other) for one in ours for other in theirs)


def _arrays(value: Any, depth: int) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, np.ndarray):
        if value.flags.writeable and value.size:
            yield value
    elif depth:
        inside = vars(value).values() if hasattr(value, "__dict__") else ()
        inside = value if isinstance(value, tuple | list) else value.values() if isinstance(value, dict) else inside
        for part in itertools.islice(inside, MOST_PARTS):
            yield from _arrays(part, depth - 1)


def as_numpy(array: Array) -> Any:
    """A fresh NumPy array: the snapshot is unaffected by what the function does to its argument."""
    return array.data.copy(order="K")


def as_jax(array: Array) -> Any:
    """A JAX array, if JAX has the dtype; strings and dates stay NumPy arrays."""
    import jax

    if array.data.dtype.kind not in "biufcV" or array.data.dtype.names:
        return array.data
    return jax.numpy.array(array.data)


@contextmanager
def marked_memory(pattern: int) -> Iterator[None]:
    """Fill the results of np.empty and np.empty_like with a pattern, so that results that depend on them change."""

    def filled(make: Callable[..., Any]) -> Callable[..., Any]:
        def marked(*args: Any, **kwargs: Any) -> Any:
            array = make(*args, **kwargs)
            if array.dtype.kind in "biufc":
                array.fill(pattern)
            return array

        return marked

    with patch.multiple(np, empty=filled(np.empty), empty_like=filled(np.empty_like)):
        yield


def jax64() -> bool:
    """Whether 64-bit types of JAX are enabled."""
    import jax

    return bool(jax.config.read("jax_enable_x64"))  # type: ignore[no-untyped-call,unused-ignore]


def set_jax64(enabled: bool) -> None:
    """Enable or disable 64-bit types of JAX."""
    import jax

    jax.config.update("jax_enable_x64", enabled)  # type: ignore[no-untyped-call,unused-ignore]
