"""The keys that the draws of a unit use, and where they are split."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst


class Split(NamedTuple):
    """`stream, *names = split(stream, n)` before a statement; without the stream where it is not live afterwards."""

    anchor: cst.CSTNode
    stream: str
    names: tuple[str, ...]
    carried: bool


@dataclass(frozen=True, slots=True)
class Fold:
    """A clause of a comprehension whose index is folded into keys: `index` counts the iterations, by `enumerate` where
    necessary."""

    index: str
    enumerated: bool


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one unit. `names`: the keys of each site, in the order of `Site.keys`, as source."""

    names: dict[cst.CSTNode, tuple[str, ...]] = field(default_factory=dict)
    splits: list[Split] = field(default_factory=list)
    folds: dict[cst.CompFor, Fold] = field(default_factory=dict)
    counted: dict[cst.For, str] = field(default_factory=dict)  # loops -> the index of the `enumerate` that counts
    roots: list[cst.CSTNode] = field(default_factory=list)  # statements before which a stream of NumPy's state must be created
    problems: dict[cst.CSTNode, str] = field(default_factory=dict)
    conditions: dict[cst.While, list[Split]] = field(default_factory=dict)  # loops that draw in their conditions
    inner: dict[cst.CSTNode, str] = field(default_factory=dict)  # nested functions -> the keyword for their keys
    inner_calls: dict[cst.CSTNode, str] = field(default_factory=dict)  # their calls
