"""Whether the original's result means anything: rounding errors, or equal items that are sorted, may decide it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..values.calls import Arguments, Outcome


@dataclass(slots=True)
class Meaning:
    """What is known of it. `follow`: follows the original line by line; `refused`: the calls that do not count for this reason."""

    follow: Callable[[Arguments], Outcome | None]
    refused: int = 0
    last: tuple[Arguments, str] | None = None  # the last call of which this was asked, and the answer

    def undefined(self, arguments: Arguments) -> str:
        """Why the original's result means nothing for these arguments, "" if it does."""
        if self.last is None or self.last[0] is not arguments:
            followed = self.follow(arguments)
            self.last = (arguments, str(followed.path.get("undefined", "")) if followed is not None else "")
        return self.last[1]
