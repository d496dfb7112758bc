"""The one error that users see: a single line that says what, where and what to do. The command line exits with 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Failure(Exception):
    """Invalid usage, or input that cannot be read or written. The message is a single line for the user."""


class InternalError(Exception):
    """np2jax failed on the file at `path`; `why` is the exception in words. The rest of the project is converted without it."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(path, why)
        self.path, self.why = path, why

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


@contextmanager
def working_on(path: str) -> Iterator[None]:
    """Say of an exception inside on which file it happened. A RecursionError passes: the work starts again with more stack."""
    try:
        yield
    except (InternalError, RecursionError):
        raise
    except Exception as error:
        raise InternalError(path, f"{type(error).__name__}: {error}") from error
