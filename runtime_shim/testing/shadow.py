"""`shadow`: a converted function runs as it is, and in a share of its calls the original runs beside it."""

from __future__ import annotations

import functools
import logging
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ..values.errors import require

if TYPE_CHECKING:
    from ..verification.equivalence import LiveCall

P = ParamSpec("P")
R = TypeVar("R")

logger = logging.getLogger("np2jax.shadow")


def shadow(
    original: Callable[..., Any], share: float = 0.01, *, returns: Sequence[str] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a converted function, so that the original runs beside it in a share of the calls, drawn at random.

        @shadow(before.solve, share=0.01)
        def solve(a, b): ...

    The caller gets what the converted function returns or raises, whatever the original does. The original gets copies of the
    arguments, with NumPy arrays, and leaves the state of `numpy.random` as it was; effects outside of its arguments, such as files,
    happen twice. A difference is logged as a warning of the logger "np2jax.shadow"; calls that cannot be compared (under `jit`, or
    with arguments that cannot be copied) are logged for debugging. `returns`: the parameters that the original changes in place and
    the converted function returns after its results; by default, what the original changes.

    Raises ValueError if `share` is not in [0, 1], MissingExtra if numpy or jax is not installed.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share={share!r}: the share of the calls lies between 0 and 1")
    require("numpy", "jax", purpose="shadow")
    expected = None if returns is None else tuple(returns)
    chance = random.Random()  # the program's own random numbers stay as they are

    def decorate(converted: Callable[P, R]) -> Callable[P, R]:
        name = getattr(converted, "__qualname__", repr(converted))

        @functools.wraps(converted)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            if chance.random() >= share:
                return converted(*args, **kwargs)
            call = _copied(name, original, args, kwargs, expected)  # before the converted function may change an argument
            try:
                result = converted(*args, **kwargs)
            except Exception as error:
                if call is not None:
                    _compare_error(name, call, error)
                raise
            if call is not None:
                _compare(name, call, result, args, kwargs)
            return result

        return run

    return decorate


def _copied(
    name: str, original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], returns: tuple[str, ...] | None
) -> LiveCall | None:
    """The call with copies of its arguments, None if it cannot be compared. Raises nothing."""
    from ..verification.equivalence import live_call

    try:
        return live_call(original, args, kwargs, returns)
    except Exception as problem:  # production goes on, whatever an unusual argument does when it is copied
        logger.debug("%s: not compared: %s", name, problem)
        return None


def _compare(name: str, call: LiveCall, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Run the original, and log how the result differs from its own. Raises nothing."""
    from ..values.calls import Arguments, Outcome
    from ..values.snapshot import Freezer, Node
    from ..verification.equivalence import difference

    try:
        freezer = Freezer(call.live.locate)
        after = freezer.take_snapshot([tuple(args), dict(kwargs)])
        assert isinstance(after, Node)
        got = Outcome("returned", freezer.take_snapshot(result), Arguments(Node("call", items=after.items)))
        with _random_state_kept():
            try:
                want = call.run()
            except Exception as error:
                text = "%s differs from the original, which raises %s: %s, on %s"
                logger.warning(text, name, type(error).__name__, error, call.summary())
                return
            found = difference(call, want, got)
        if found is not None:
            logger.warning("%s differs from the original: %s, on %s", name, found, call.summary())
    except Exception as problem:
        logger.debug("%s: not compared: %s: %s", name, type(problem).__name__, problem)


def _compare_error(name: str, call: LiveCall, error: Exception) -> None:
    """Log an error of the converted function that the original does not raise. Raises nothing."""
    try:
        with _random_state_kept():
            call.run()
    except Exception as problem:
        logger.debug("%s: both versions raise: %s, the original %s", name, error, problem)
        return
    text = "%s differs from the original: it raises %s: %s, on %s"
    logger.warning(text, name, type(error).__name__, error, call.summary())


@contextmanager
def _random_state_kept() -> Iterator[None]:
    """What the original draws from the global generators is not missing in the program."""
    import numpy as np

    numpy_state, python_state = np.random.get_state(), random.getstate()
    try:
        yield
    finally:
        np.random.set_state(numpy_state)
        random.setstate(python_state)
