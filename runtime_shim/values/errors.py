"""The errors that users see: one clear line each."""

from __future__ import annotations

from importlib.util import find_spec


class ShimError(Exception):
    """The request cannot be fulfilled; the message says what, where, and what to do."""


class MissingExtra(ShimError):
    """A library that only `verify` and `record` need is not installed."""


def require(*names: str, purpose: str = "verify") -> None:
    """Raise MissingExtra unless every library of `names` can be imported."""
    if all(find_spec(name) is not None for name in names):
        return
    raise MissingExtra(f"{purpose} needs {_listed(names)}: pip install 'np2jax[verify]'")


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
