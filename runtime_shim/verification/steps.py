"""The calls of one function that both versions make: how they are compared, and what came of each."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..values.calls import Arguments, Outcome
from ..values.comparison import Difference


@dataclass(frozen=True, slots=True)
class Settings:
    """How to compare. `timeout`: seconds for one call; `examples`: generated calls for a function."""

    timeout: float
    examples: int
    seed: int
    precision: str
    jit: bool
    platforms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one call.

    `kind`: agrees, rejected (the original raises), refused (it cannot be compared), differs, error or late. `words` say why;
    `want` is the outcome of the original. `in_jax`: the converted function returned arrays of JAX.
    """

    kind: str
    call: Arguments
    words: str = ""
    difference: Difference | None = None
    want: Outcome | None = None
    in_jax: bool = False

    @property
    def failed(self) -> bool:
        """Whether the converted function did not do what the original did."""
        return self.kind in ("differs", "error", "late")


@dataclass(slots=True)
class Tally:
    """The results of the calls so far: how many agreed, which, the one that failed, the last reason for not comparing."""

    counts: dict[str, int] = field(default_factory=lambda: {"recorded": 0, "generated": 0})
    agreed: list[tuple[Arguments, Outcome]] = field(default_factory=list)
    failed: Step | None = None
    reason: str = ""
    uncalled: bool = False  # no call of it is known or could be generated

    def count(self, origin: str, step: Step) -> None:
        """Count a step that agreed; other steps are ignored."""
        if step.kind == "agrees" and step.want is not None:
            self.counts[origin] += 1
            self.agreed.append((step.call, step.want))
