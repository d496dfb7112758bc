"""Keys for converted functions that take one where the original draws, or takes a generator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..draws.numpy_draws import fingerprint
from ..values.calls import Arguments
from ..values.restore import generator_of
from ..values.snapshot import Node


def with_keys(function: Callable[..., Any], arguments: Arguments) -> Callable[..., Any]:
    """The function with a key for each keyword that it requires and the original does not have."""
    import jax

    try:
        params = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function
    needed = [param.name for param in params if param.kind is param.KEYWORD_ONLY and param.default is param.empty]
    missing = [name for name in needed if name not in arguments.keywords]
    return functools.partial(function, **{name: jax.random.key(number) for number, name in enumerate(missing)})


def key_for(node: Node) -> Any:
    """A key in place of a generator: generators that would draw the same get the same key."""
    import jax

    return jax.random.key(int(fingerprint(generator_of(node).plain)[:8], 16))
