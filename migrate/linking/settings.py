"""The user's decisions for a whole project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...rules.facts.recorded_calls import RecordedCalls
from ...rules.facts.values import NOTHING, Value

Refusal = tuple[str, str]  # code, reason


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's options as far as linking needs them, and what was found out about them.

    `vain`: assumptions that failed: attributes, by class and name, with values that they do not have (see class_hierarchy.find).
    """

    kept: Mapping[str, Refusal] = field(default_factory=dict)
    unjitted: frozenset[str] = NOTHING
    public: frozenset[str] = NOTHING
    random_on_host: bool = False
    static_trip_counts: bool = False  # jit recompiles for each trip count that depends on an argument
    float64: bool = True  # converted code computes with 64 bits
    fast: bool = False  # what is not compiled stays NumPy
    donates: bool = True  # arrays may be donated: the output contains `jit`, and NJ505 is selected
    vain: frozenset[tuple[tuple[str, str], Value]] = frozenset()
    recorded: Mapping[str, Sequence[RecordedCalls]] = field(default_factory=dict)  # by the name of the function in its file
    slower: Mapping[str, str] = field(default_factory=dict)  # not worth compiling, as measured, unless compiled code calls them
