"""How generators are seeded: a seed that the original uses must reach the converted version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..values.comparison import Difference

OTHERWISE = "the converted code seeds generator {number} of the call in another way than the original, which stays NumPy"
IGNORED = "the converted code seeds generator {number} of the call as in another call, in which the original seeds it otherwise"


@dataclass(slots=True)
class Seeding:
    """The generators of all calls so far, by their place in the call and by what the converted version draws with."""

    known: dict[tuple[int, str], str] = field(default_factory=dict)

    def difference(self, seeds: Sequence[tuple[str, str, bool]], host: bool) -> Difference | None:
        """A generator of one call that the converted version seeds otherwise; None if there is none.

        `seeds`: for each stream of the original the stream or the first key that replays it, and whether it is a stream of NumPy.
        `host`: the function is still NumPy, so that the streams must be the same.
        """
        for number, (ours, theirs, is_stream) in enumerate(seeds, 1):
            if host and is_stream and ours != theirs:
                return Difference("random draws", OTHERWISE.format(number=number))
            if theirs and self.known.setdefault((number, theirs), ours) != ours:
                return Difference("random draws", IGNORED.format(number=number))
        return None
