"""Dynamic slices, whose bounds are not known when JAX traces: which indices of an axis they select, and what replaces them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

FIRST = "first"


class Bounds(NamedTuple):
    """The indices of one axis of an array that are selected: `lower <= n < upper`; None means the end of the axis.

    `array`: the variable.
    `rank`: its number of dimensions where only its use implies it, else 0.
    `along`: the length of the axis, in terms of values that are invariant in the whole unit where that is possible.
    `wraps`: a bound may be negative, and then counts from the end.
    `step`: the stride from the first index on, None for 1.
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
        """The expressions that determine the indices."""
        return [part for part in (self.lower, self.upper, self.step) if part is not None]


class Mask(NamedTuple):
    """Which elements of a value are selected. `axes`: (distance from the last axis, bounds of the indices along it).

    `selection`: a mask of the source, instead. `behind`: how many axes of the value follow the one along which it selects.
    `fill` replaces the other elements: "0", "1", "-inf", "inf", "True", "False", the first selected one (FIRST), or an
    expression, "=x[i]"; "nanmin" or "nanmax" of all; "where": they are left out by `where=`.
    """

    axes: tuple[tuple[int, Bounds], ...]
    fill: str = "0"
    selection: cst.BaseExpression | None = None
    behind: int = 0


class Whole(NamedTuple):
    """What a mask selects elements of: `subscript` with the whole axis in place of the mask, which is its part number `part`."""

    subscript: cst.Subscript
    part: int


class Product(NamedTuple):
    """A product of two vectors of which some elements are selected. `typed`: variables that imply its dtype, where nothing
    else does."""

    left: cst.BaseExpression
    right: cst.BaseExpression
    mask: Mask
    typed: tuple[str, ...]


Roll = tuple[int, str]  # the order (1, or -1 for the reversed one) and the shift


class Read(NamedTuple):
    """How a slice is read: what replaces each varying part of the subscript.

    A part becomes the whole axis (None), a slice with static bounds, or an index computed from the indices along another axis:
    (sign, offset), for `offset + n` and `offset - n`.
    `roll`: the slice is the only part, and becomes the whole axis, rolled, in the order of the sign: the elements that wrap
    around are masked.
    """

    parts: Mapping[int, cst.BaseSlice | tuple[int, str, Bounds] | None]
    roll: Roll | None = None


class Window(NamedTuple):
    """A slice of constant length that lies inside the array: its start and its length.

    `short`: the source has this length as a literal of at most a few elements.
    `minimum`: the size of the axis where the slice may be longer than it, in a loop that then has no iterations but is traced all
    the same; else "".
    """

    start: cst.BaseExpression
    length: str
    short: bool
    minimum: str


class Fit(NamedTuple):
    """How many dimensions an array must have: a number, or as many as another array. `axes`: an axis of the one must be as
    long as one of the other."""

    array: cst.BaseExpression
    rank: int | cst.BaseExpression
    axes: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Ragged:
    """What replaces the dynamic slices, `sliced`, of one statement or condition."""

    sliced: Sequence[cst.Subscript] = ()
    reads: dict[cst.Subscript, Read] = field(default_factory=dict)
    masks: dict[cst.BaseExpression, Mask] = field(default_factory=dict)  # masks of operands and arguments
    reductions: dict[cst.Call, Mask] = field(default_factory=dict)  # calls that leave out elements by `where=`
    products: dict[cst.BaseExpression, Product] = field(default_factory=dict)  # products that become a sum with `where=`
    reversals: set[cst.Call | cst.Subscript] = field(default_factory=set)  # np.flip, `[::-1]`, redundant by how the slice is read
    moved: dict[cst.BaseExpression, Roll] = field(default_factory=dict)  # variables bound to slices
    stores: dict[cst.Subscript, Mask] = field(default_factory=dict)
    windows: dict[cst.Subscript, dict[int, Window]] = field(default_factory=dict)  # part of the subscript -> window
    targets: set[cst.Subscript] = field(default_factory=set)  # targets of stores
    selected: dict[cst.BaseExpression, Whole | None] = field(default_factory=dict)  # `x[mask]` or its variable; None: already `x`
    counts: dict[cst.BaseExpression, cst.BaseExpression] = field(default_factory=dict)  # `len(x[mask])` -> mask
    starts: dict[cst.BaseExpression, tuple[cst.Call, str]] = field(
        default_factory=dict
    )  # positions in a slice, maybe plus its start
    axes_left_out: dict[cst.Call, int] = field(default_factory=dict)  # calls -> the argument that names the only axis
    ranks: dict[str, int] = field(default_factory=dict)  # arrays -> numbers of dimensions that they must have
    vectors: list[Bounds] = field(default_factory=list)  # along axes of arrays that must have the given number of dimensions
    fits: dict[str, Fit] = field(default_factory=dict)  # by the source of the arrays
    signs: Mapping[str, Collection[str]] = field(default_factory=dict)  # conditions that must hold, and the variables in them
    unused: bool = False  # the statement is an assignment whose value is no longer read
    indexed: set[cst.Subscript] = field(default_factory=set)  # windows that are an array of indices

    @property
    def selection(self) -> bool:
        """Whether masks of the source select elements."""
        masks = [*self.stores.values(), *self.masks.values(), *self.reductions.values()]
        return bool(self.selected) or bool(self.counts) or self.unused or any(m.selection is not None for m in masks)

    @property
    def changes(self) -> bool:
        """Whether anything is read, masked or stored differently."""
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
