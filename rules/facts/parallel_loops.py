"""What is found out about the iterations of a loop: what they store, add up and read, and how all of it is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import libcst as cst

from .dynamic_slices import Mask, Product
from .loops import Returned

NOTHING: Mapping[Any, Any] = {}
FIRST = "first"


class Access(NamedTuple):
    """One subscript of an array in an iteration. `axes`: for each part the number of the index in the nest, -1 where no index stands
    in it, -2 for a slice; None where all iterations together read no slice of the array. `offsets`: added to the index. `ends`: by
    how many items the greatest index and one fall short of the axis, None where that is not known. `full`: the index goes
    through all of the axis. `clamped`: the bound above the index may be negative, where there are no iterations."""

    node: cst.Subscript
    array: str
    parts: tuple[cst.SubscriptElement, ...]
    axes: tuple[int, ...] | None
    offsets: tuple[int, ...] = ()
    ends: tuple[int | None, ...] = ()
    full: tuple[bool, ...] = ()
    clamped: tuple[bool, ...] = ()


class Put(NamedTuple):
    """A store, or a term of a sum, on one side of a branch: `value`, with an `operator` at its place, None where it takes the place of
    what was there. `target`: the place, None for a variable."""

    node: cst.Assign | cst.AugAssign
    target: cst.Subscript | None
    value: cst.BaseExpression
    operator: cst.BaseAugOp | None


class Predication(NamedTuple):
    """What is stored where a test holds, and where it does not, or added: another choice, a store, or None for nothing. `partial`: how
    many operations on its sides are undefined for some values."""

    test: cst.BaseExpression
    yes: Predication | Put | None
    no: Predication | Put | None
    trapping: int = 0

    @property
    def puts(self) -> tuple[Put, ...]:
        """What is stored or added at the ends of all ways through it."""
        return tuple(end for end in self._ends if end is not None)

    @property
    def _ends(self) -> tuple[Put | None, ...]:
        sides = (self.yes, self.no)
        return tuple(end for side in sides for end in (side._ends if isinstance(side, Predication) else (side,)))

    @property
    def tests(self) -> tuple[cst.BaseExpression, ...]:
        return (self.test, *(test for side in (self.yes, self.no) if isinstance(side, Predication) for test in side.tests))

    @property
    def keeps(self) -> bool:
        """Whether it needs what was there."""
        return any(end is None or end.operator is not None for end in self._ends)


class PrivateVariable(NamedTuple):
    """A variable that one side of a branch binds for itself. `taken`: the side for which the test holds. `partial`: how many operations
    in it are undefined for some values."""

    line: cst.Assign
    taken: bool = True
    trapping: int = 0


class Store(NamedTuple):
    """`array[...] = value`, or `array[...] op= value` with an `operator`. `maker`: the statement before the loop that makes the
    array, all of which the loop stores. `fits`: the value certainly has the shape of the place. `open`: the array may have more
    axes than the subscript has parts. `summed`: the indices of the nest that the place does not mention: what iterations add to one
    place is summed along them. `own`: the read of the place in `array[...] = array[...] + value`. `masks`: for each place of
    `a[i, i:] = a[i:, i] = value`, whose slices differ from one iteration to the next, the place with whole axes and which items count;
    `again`: statements after it that store the same value into the other places. `branch`: the `if` whose sides store into the place,
    `choice`: what they do; `node` and `value` are those of one side then. `first`: what sides bind before they store. `unsure`: nothing
    says that the array can hold the sum of what iterations add, other than an `assert`."""

    node: cst.Assign | cst.AugAssign
    target: Access
    value: cst.BaseExpression
    operator: cst.BaseAugOp | None = None
    maker: cst.SimpleStatementLine | None = None
    fits: bool = False
    open: bool = True
    summed: tuple[int, ...] = ()
    own: cst.BaseExpression | None = None
    masks: tuple[tuple[Access, Mask], ...] = ()
    again: tuple[cst.Assign, ...] = ()
    same: bool = False
    branch: cst.If | None = None
    predication: Predication | None = None
    first: tuple[PrivateVariable, ...] = ()
    unsure: bool = False

    @property
    def whole(self) -> cst.CSTNode:
        """The statement of the iteration that it is."""
        return self.node if self.branch is None else self.branch

    @property
    def nodes(self) -> tuple[cst.CSTNode, ...]:
        """All statements that store."""
        return (self.node, *self.again, *(put.node for put in self.puts))

    @property
    def targets(self) -> tuple[cst.Subscript, ...]:
        """The places as they stand in these statements."""
        puts = (put.target for put in self.puts if put.target is not None)
        return (self.target.node, *(access.node for access, _mask in self.masks), *puts)

    @property
    def puts(self) -> tuple[Put, ...]:
        """What the sides of the branch store."""
        return () if self.predication is None else self.predication.puts


class Reduction(NamedTuple):
    """`name op= value`, or `name.append(value)`. `how`: "sum", "prod", "max", "min", "stack", "first". `maker`: the statement before the
    loop that makes the list which is filled; `arrays`: the calls that make an array of it. `branch`: the `if` around the statement;
    `choice`: what its sides add, and `first`, what they bind before. `positions`: variables that get the index of the iteration in which
    there was something greater or less for the last time. `along`: the indices of the nest whose iterations add to one variable, where the
    others have one each; () for all. `taken`: what the first iteration in which the `test` holds binds, and ends the
    loop ("first"); `flag`: one that says no more than that; `returned`: what it returns, if it does."""

    node: cst.Assign | cst.AugAssign | cst.Expr | cst.If
    name: str
    value: cst.BaseExpression
    how: str
    minus: bool = False
    python: bool = False  # Python's `max`, which goes past NaN
    start: str = ""  # the dtype that there is before the loop
    into: str = ""  # an array of floating-point numbers that it is stored in after the loop
    maker: cst.SimpleStatementLine | None = None
    arrays: tuple[cst.Call, ...] = ()
    branch: cst.If | None = None
    test: cst.BaseExpression | None = None
    positions: tuple[str, ...] = ()
    taken: tuple[tuple[str, cst.BaseExpression], ...] = ()
    flag: str = ""
    returned: Returned | None = None
    predication: Predication | None = None
    first: tuple[PrivateVariable, ...] = ()
    along: tuple[int, ...] = ()

    @property
    def nodes(self) -> tuple[cst.CSTNode, ...]:
        """All statements that add to it."""
        return (self.node, *(put.node for put in self.predication.puts)) if self.predication is not None else (self.node,)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that it binds."""
        return tuple(name for name, _value in self.taken) if self.how == FIRST else (self.name, *self.positions)

    @property
    def whole(self) -> cst.CSTNode:
        """The statement of the iteration that it is."""
        return self.node if self.branch is None else self.branch


class MaskedProduct(NamedTuple):
    """A product of two vectors of an iteration, of which the same elements count: for all iterations, `jnp.where(mask, left, 0) @ right`.

    `row`: the number of the index that tells the row of `left`, and of the mask; `right` is a vector, or each iteration's is a column."""

    node: cst.BaseExpression
    left: Access
    right: Access
    mask: Mask
    row: int


class Segment(NamedTuple):
    """A sum over the items of vectors between two bounds of an iteration, `p[i]` and the one after it. `node`: the `product` of two vectors, or
    a call of np.sum (then that is None); `root`: the statement that it stands in; `cut`: the subscripts in it that select these
    items; `last`: the read of the second bound; `binders`: assignments that bind variables to the bounds, and to nothing else."""

    node: cst.BaseExpression
    root: cst.CSTNode
    product: Product | None
    sliced: tuple[cst.Subscript, ...]
    last: Access
    binders: tuple[cst.CSTNode, ...] = ()


class WindowRead(NamedTuple):
    """A subscript with slices of constant length, `windows`, whose starts are an index of the nest and what is added to it: a
    iteration's part of an array is one of all such parts. `access`: all of their axes, and no new ones; `starts`: position in it -> index,
    and the number that is added (None: no number that is written there); `sizes`: position -> length; `along`: the axes of all
    parts, each of a window after that of its starts."""

    node: cst.Subscript
    access: Access
    starts: Mapping[int, tuple[int, int | None]]
    sizes: Mapping[int, str]
    along: Access


class Prefix(NamedTuple):
    """What a loop stores are the sums, products, or greatest or least of all terms so far: `how` as in a reduction. `name`: the
    variable that holds it before the loop; "" where the item before the first one that is stored does. `wide`: the terms have to
    be as wide as the array, or as what the variable and a term give."""

    how: str
    term: cst.BaseExpression
    minus: bool = False
    name: str = ""
    wide: bool = False


class ParallelNest(NamedTuple):
    """A nest of loops whose iterations can be taken at once. `elementwise`: as code on whole arrays. `dear`: why an iteration's arrays
    should not be made for all iterations in parallel, "" where they may."""

    nest: tuple[cst.For, ...]
    indices: tuple[str, ...]
    stores: tuple[Store, ...]
    reductions: tuple[Reduction, ...]
    reads: tuple[Access, ...]
    elementwise: bool
    expensive: str = ""
    plain: frozenset[str] = frozenset()  # indices that are used as numbers
    numbers: bool = True  # the items of arrays are numbers, as far as an iteration adds them up
    rows: tuple[tuple[str, cst.BaseExpression], ...] = ()  # variables that are rows of arrays, and the arrays
    items: bool = False  # what an iteration reads of arrays are numbers, as what it stores shows
    carry: tuple[str, ...] = ()  # what a loop carries whose iterations `lax.scan` takes (see recurrences)
    unset: frozenset[str] = frozenset()  # of that, numbers that have no value before the loop
    before: tuple[tuple[cst.Subscript, str], ...] = ()  # reads of what the iteration before stored, and the arrays
    prefix: Prefix | None = None
    products: tuple[MaskedProduct, ...] = ()  # in code on whole arrays
    windows: tuple[WindowRead, ...] = ()  # parameters of the function of an iteration
    segments: tuple[Segment, ...] = ()  # in code on whole arrays
    signs: Mapping[str, int] = NOTHING  # the least that numbers must be
    gone: tuple[cst.CSTNode, ...] = ()  # assignments of what only bounded slices that iterations do not read themselves any more
    part: tuple[cst.CSTNode, ...] = ()  # the statements of an iteration that these are, where they are not all (see distribution)
    shared: tuple[
        cst.Name, ...
    ] = ()  # reads of variables that differ from one iteration to the next of the loops around those of this part alone
    deeper: int = 0  # how many loops are those of this part alone

    @property
    def rows_read(self) -> tuple[Access, ...]:
        """The reads that are parameters of the function of an iteration."""
        return tuple(
            a for a in self.reads if any(axis >= 0 for axis in a.axes or ()) and not self.elementwise and not self.expensive
        )

    @property
    def statements(self) -> frozenset[cst.CSTNode]:
        kept: list[Store | Reduction] = [*self.stores, *self.reductions]
        branches = dict.fromkeys(k.branch for k in kept if k.predication is not None and k.branch is not None)
        inside = [node for branch in branches for node in _branches(branch)]
        return frozenset([*inside, *(node for k in kept for node in (*k.nodes, k.whole))])


def _branches(branch: cst.If) -> list[cst.CSTNode]:
    """A branch and those in it."""
    found, left = list[cst.CSTNode](), list[cst.CSTNode]([branch])
    while left:
        node = left.pop()
        left += node.children
        found += [node] if isinstance(node, cst.If) else []
    return found
