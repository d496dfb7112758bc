"""What code of the project tells besides its result: warnings, messages of `logging`, and text on the standard error output.

Warnings and messages of libraries do not count: NumPy and JAX warn about different things.
"""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

plain_warn: Any = warnings.warn
plain_handle = logging.Logger.callHandlers


class Messages:
    """Those of one call at a time. `relative`: the path of a file in the project, "" for any other file."""

    def __init__(self, relative: Callable[[str], str]) -> None:
        self.relative = relative
        self.listening = False
        self.own: list[Warning] = []
        self.logged: list[str] = []
        self.errors = io.StringIO()

    def install(self) -> None:
        """Listen in this process, also to modules that are imported later. Messages of every level count unless the code sets one."""
        warnings.warn = self._warn
        setattr(logging.Logger, "callHandlers", lambda logger, record: self._handle(logger, record))  # noqa: B010  mypy takes no assignment to a method
        logging.getLogger().setLevel(1)
        logging.getLogger("jax").setLevel(logging.WARNING)

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Keep what is told inside the context."""
        self.own, self.logged, self.errors = [], [], io.StringIO()
        self.listening = True
        try:
            with contextlib.redirect_stderr(self.errors):
                yield
        finally:
            self.listening = False

    def is_own(self, warning: Warning | str) -> bool:
        """Whether code of the project issued a warning."""
        return any(one is warning for one in self.own)

    def text(self, issued: list[str]) -> str:
        """Everything that was kept, and the warnings that no code caught, each once."""
        return "\n".join([*dict.fromkeys(issued), *self.logged, self.errors.getvalue()]).strip()

    def _warn(self, message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **others: Any) -> None:
        if self.listening and self.relative(sys._getframe(1).f_code.co_filename):
            message = message if isinstance(message, Warning) else (category or UserWarning)(message)
            self.own.append(message)
        plain_warn(message, category, stacklevel + 1, source, **others)

    def _handle(self, logger: logging.Logger, record: logging.LogRecord) -> None:
        if self.listening and self.relative(record.pathname):
            self.logged.append(f"{record.levelname}: {record.getMessage()}")
        if not self.listening or logger.hasHandlers():
            plain_handle(logger, record)
