"""Compiles many small JAX calls as one program: XLA takes hardly longer for it than for one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

AsJax = Callable[[Any], jax.Array]


def outcomes(calls: Sequence[Callable[[AsJax], Any]], arrays: Sequence[Any]) -> list[Any]:
    """The result of each call, or the exception that it raises.

    A call receives the function that converts a NumPy array to a JAX array. The `arrays` (of any shape and dtype) become
    parameters of the program; equal ones become a single parameter, so that equal calls are compiled once. A call that cannot
    be traced is executed separately, as are all calls if XLA rejects one of them.
    """
    parameters = {_content(array): array for array in arrays}
    traced: dict[int, tuple[list[Any], Any]] = {}

    def every(given: list[jax.Array]) -> list[jax.Array]:
        found = dict(zip(parameters, given, strict=True))
        computed: list[jax.Array] = []
        for position, call in enumerate(calls):
            try:
                result = call(lambda array: found[_content(array)] if _content(array) in found else jnp.asarray(array))
            except Exception:  # it needs concrete values, or is wrong: a separate execution tells
                continue
            leaves, structure = jax.tree.flatten(result, is_leaf=lambda leaf: leaf is None)
            traced[position] = leaves, structure
            computed += [leaf for leaf in leaves if isinstance(leaf, jax.Array)]
        return computed

    values: Iterator[jax.Array] = iter(())
    if parameters:
        try:
            values = iter(jax.jit(every)(list(parameters.values())))
        except Exception:  # one of them cannot be compiled: separate executions tell which
            traced.clear()
    made = {
        position: structure.unflatten([next(values) if isinstance(leaf, jax.Array) else leaf for leaf in leaves])
        for position, (leaves, structure) in traced.items()
    }
    return [made[position] if position in made else _alone(call) for position, call in enumerate(calls)]


def _alone(call: Callable[[AsJax], Any]) -> Any:
    try:
        return call(jnp.asarray)
    except Exception as problem:  # the caller judges
        return problem


def _content(array: Any) -> tuple[str, tuple[int, ...], bytes]:
    return str(array.dtype), array.shape, array.tobytes()
