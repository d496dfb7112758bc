"""What the user decided for a whole project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...rules.facts.values import NOTHING, Value

Refusal = tuple[str, str]  # code, reason


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for, as far as linking is concerned, and what was found out about that.

    `vain`: attributes, by class and name, and what they are not, though it was hoped (see classes.find).
    """

    kept: Mapping[str, Refusal] = field(default_factory=dict)
    unjitted: frozenset[str] = NOTHING
    public: frozenset[str] = NOTHING
    random_on_host: bool = False
    static_trip_counts: bool = False  # jit compiles anew for each trip count that an argument says
    donates: bool = True  # arrays may be donated: jit is written at functions, and NJ505 is selected
    vain: frozenset[tuple[tuple[str, str], Value]] = frozenset()
