"""Slices whose bounds are not known when JAX traces: which positions of an axis they hold, and what becomes of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

FIRST = "first"


class Bounds(NamedTuple):
    """The positions of one axis of an array that count: `lower <= n < upper`, each None where the axis' own end is meant.

    `step`: of these only every so-many-th, from the first on; None for all. `array`: the variable; `rank`: its number of dimensions where nothing but the use of it tells, else 0. `along`: the length
    of the axis, in terms of what stays the same in the whole unit where that is possible. `wraps`: a bound may be negative, and
    then counts from the end.
    """

    array: str
    axis: int
    lower: cst.BaseExpression | None
    upper: cst.BaseExpression | None
    rank: int = 0
    along: str = ""
    wraps: bool = False
    step: cst.BaseExpression | None = None

    @property
    def written(self) -> list[cst.BaseExpression]:
        """The expressions that tell the positions."""
        return [part for part in (self.lower, self.upper, self.step) if part is not None]


class Mask(NamedTuple):
    """Which elements of a value count. `axes`: (distance from the last axis, bounds of the positions along it).

    `chosen`: a mask that the text has, instead; `behind`: how many axes of the value stand behind the one that it selects along.
    `fill` stands for the others: "0", "1", "-inf", "inf", "True", "False", or the first one that counts (FIRST), an expression, "=x[i]"; "nanmin" or "nanmax"
    of all; "where": they are left out by `where=`.
    """

    axes: tuple[tuple[int, Bounds], ...]
    fill: str = "0"
    selection: cst.BaseExpression | None = None
    behind: int = 0


class Whole(NamedTuple):
    """What a mask selects elements of: `subscript`, all of the axis being read where its part number `part` is the mask."""

    subscript: cst.Subscript
    part: int


class Product(NamedTuple):
    """A product of two vectors, of which some elements count; `typed`: variables that tell its dtype, where nothing else does."""

    left: cst.BaseExpression
    right: cst.BaseExpression
    mask: Mask
    typed: tuple[str, ...]


Roll = tuple[int, str]  # the order, 1 or -1 for the opposite one, and how far around


class Read(NamedTuple):
    """How a slice is read: for each part of the subscript that varies, what stands there instead.

    A part becomes the whole axis (None), a slice with bounds that are known when tracing, or an index that is built of the
    positions along another axis: (sign, offset), for `offset + n` and `offset - n`. `roll`: the whole axis, which is the only
    part, as far around instead, in the order of the sign: what comes around again does not count.
    """

    parts: Mapping[int, cst.BaseSlice | tuple[int, str, Bounds] | None]
    roll: Roll | None = None


class Window(NamedTuple):
    """A slice of constant length that lies inside of the array: where it starts, how long it is.

    `short`: so long in the text, and no longer than a few elements. `least`: the size of the axis where the slice may be longer,
    in a loop that then has no iterations, but is traced all the same; else "".
    """

    start: cst.BaseExpression
    length: str
    short: bool
    minimum: str


class Fit(NamedTuple):
    """How many dimensions an array must have: so many, or as many as another one; with `axes`, that an axis of it must be as long
    as one of the other."""

    array: cst.BaseExpression
    rank: int | cst.BaseExpression
    axes: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Ragged:
    """What becomes of the slices of one statement or condition, `cut`."""

    sliced: Sequence[cst.Subscript] = ()
    reads: dict[cst.Subscript, Read] = field(default_factory=dict)
    masks: dict[cst.BaseExpression, Mask] = field(default_factory=dict)  # of operands and arguments
    reductions: dict[cst.Call, Mask] = field(default_factory=dict)  # calls that leave elements out by `where=`
    products: dict[cst.BaseExpression, Product] = field(default_factory=dict)  # that become a sum with `where=`
    reversals: set[cst.Call] = field(default_factory=set)  # calls of np.flip that are seen to by how the slice is read
    moved: dict[cst.BaseExpression, Roll] = field(default_factory=dict)  # variables that hold slices
    stores: dict[cst.Subscript, Mask] = field(default_factory=dict)
    windows: dict[cst.Subscript, dict[int, Window]] = field(default_factory=dict)  # part of the subscript -> window
    targets: set[cst.Subscript] = field(default_factory=set)  # what is stored into
    selected: dict[cst.BaseExpression, Whole | None] = field(default_factory=dict)  # `x[mask]`, or what holds it; None: x already
    counts: dict[cst.BaseExpression, cst.BaseExpression] = field(default_factory=dict)  # `len(x[mask])` -> mask
    axes_left_out: dict[cst.Call, int] = field(
        default_factory=dict
    )  # calls -> which argument names the only axis of what is chosen
    ranks: dict[str, int] = field(default_factory=dict)  # arrays -> numbers of dimensions that they must have
    vectors: list[Bounds] = field(default_factory=list)  # along axes of arrays that must have the number of dimensions told
    fits: dict[str, Fit] = field(default_factory=dict)  # by their text
    signs: Mapping[str, Collection[str]] = field(default_factory=dict)  # conditions that must hold, and the variables in them
    unused: bool = False  # an assignment whose value is not read any more
    indexed: set[cst.Subscript] = field(default_factory=set)  # windows that are an array of indices

    @property
    def selection(self) -> bool:
        """Whether masks of the text select elements."""
        masks = [*self.stores.values(), *self.masks.values(), *self.reductions.values()]
        return bool(self.selected) or bool(self.counts) or self.unused or any(m.selection is not None for m in masks)

    @property
    def changes(self) -> bool:
        """Whether anything is read, masked or stored otherwise."""
        own = (self.reads, self.moved, self.masks, self.reductions, self.products, self.reversals, self.stores)
        return any(own)

    @property
    def bounds(self) -> list[Bounds]:
        """All bounds, in the order in which they were found."""
        masks = [
            *self.masks.values(),
            *self.reductions.values(),
            *(p.mask for p in self.products.values()),
            *self.stores.values(),
        ]
        found = [b for m in masks for _axis, b in m.axes]
        return found + [p[2] for r in self.reads.values() for p in r.parts.values() if isinstance(p, tuple)]
