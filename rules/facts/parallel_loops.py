"""What the analysis finds out about the iterations of a loop nest: what they store, reduce and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import libcst as cst

from .dynamic_slices import Mask, Product
from .loops import Returned

NOTHING: Mapping[Any, Any] = {}
FIRST = "first"


class Access(NamedTuple):
    """One subscript of an array in an iteration.

    `axes`: for each part the position of its index in the nest, -1 where it has no index, -2 for a slice; None where all
    iterations together read no slice of the array.
    `offsets`: the constants added to the indices.
    `ends`: how many elements of the axis follow the bound above the index plus its offset, None where that is not known.
    `full`: the index covers the whole axis.
    `clamped`: the bound above the index may be negative, where there are no iterations.
    """

    node: cst.Subscript
    array: str
    parts: tuple[cst.SubscriptElement, ...]
    axes: tuple[int, ...] | None
    offsets: tuple[int, ...] = ()
    ends: tuple[int | None, ...] = ()
    full: tuple[bool, ...] = ()
    clamped: tuple[bool, ...] = ()


class Put(NamedTuple):
    """A store, or an operand of a sum, in one arm of a branch.

    `value`: what is stored; None as `operator` replaces the previous value.
    `target`: the subscript, None for a variable.
    """

    node: cst.Assign | cst.AugAssign
    target: cst.Subscript | None
    value: cst.BaseExpression
    operator: cst.BaseAugOp | None


class Predication(NamedTuple):
    """What is stored or added where a test holds, and where it does not: another predication, a store, or None for nothing.

    `trapping`: how many operations in its arms may trap.
    """

    test: cst.BaseExpression
    yes: Predication | Put | None
    no: Predication | Put | None
    trapping: int = 0

    @property
    def puts(self) -> tuple[Put, ...]:
        """What is stored or added at the ends of all paths through it."""
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
        """Whether it needs the previous value."""
        return any(end is None or end.operator is not None for end in self._ends)


class PrivateVariable(NamedTuple):
    """A variable that one arm of a branch binds for itself. `taken`: in the arm for a true test. `trapping`: how many of its
    operations may trap."""

    line: cst.Assign
    taken: bool = True
    trapping: int = 0


class Store(NamedTuple):
    """`array[...] = value`, or `array[...] op= value` with an `operator`.

    `maker`: the statement before the loop that creates the array, all of which the loop stores.
    `fits`: the value certainly has the shape of the target.
    `open`: the array may have more axes than the subscript has parts.
    `summed`: the indices of the nest that do not occur in the target: what iterations add to one element is summed along them.
    `own`: the read of the target in `array[...] = array[...] + value`.
    `masks`: for each target of `a[i, i:] = a[i:, i] = value`, whose slices vary from one iteration to the next, the target with
    whole axes and the elements that are selected.
    `again`: statements after it that store the same value into the other targets.
    `branch`: the `if` whose arms store into the target; `predication`: what they do; `node` and `value` are then those of one
    arm.
    `first`: what the arms bind before they store.
    `unsure`: nothing but an `assert` ensures that the dtype of the array can hold the sum of what iterations add.
    """

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
        """The statement of the iteration that contains it."""
        return self.node if self.branch is None else self.branch

    @property
    def nodes(self) -> tuple[cst.CSTNode, ...]:
        """All statements that store."""
        return (self.node, *self.again, *(put.node for put in self.puts))

    @property
    def targets(self) -> tuple[cst.Subscript, ...]:
        """The subscripts that are the targets of these statements."""
        puts = (put.target for put in self.puts if put.target is not None)
        return (self.target.node, *(access.node for access, _mask in self.masks), *puts)

    @property
    def puts(self) -> tuple[Put, ...]:
        """What the arms of the branch store."""
        return () if self.predication is None else self.predication.puts


class Reduction(NamedTuple):
    """`name op= value`, or `name.append(value)`.

    `how`: "sum", "prod", "max", "min", "stack", "first".
    `maker`: the statement before the loop that creates the accumulated list; `arrays`: the calls that convert it to an array.
    `branch`: the enclosing `if` of the statement; `predication`: what its arms add; `first`: what they bind before.
    `positions`: variables bound to the index of the last iteration with a new maximum or minimum.
    `along`: the indices of the nest whose iterations reduce to one variable, while the others have one each; () for all.
    `taken`: what the first iteration in which the `test` holds binds before it ends the loop ("first"); `flag`: a variable that
    only tells that there was one; `returned`: what it returns, if it does.
    """

    node: cst.Assign | cst.AugAssign | cst.Expr | cst.If
    name: str
    value: cst.BaseExpression
    how: str
    minus: bool = False
    python: bool = False  # `max` of Python, which ignores NaN
    start: str = ""  # the dtype before the loop
    into: str = ""  # a floating-point array into which it is stored after the loop
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
        """All statements that update it."""
        return (self.node, *(put.node for put in self.predication.puts)) if self.predication is not None else (self.node,)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that it binds."""
        return tuple(name for name, _value in self.taken) if self.how == FIRST else (self.name, *self.positions)

    @property
    def whole(self) -> cst.CSTNode:
        """The statement of the iteration that contains it."""
        return self.node if self.branch is None else self.branch


class MaskedProduct(NamedTuple):
    """A product of two vectors of an iteration, of which the same elements are selected: for all iterations, `jnp.where(mask,
    left, 0) @ right`.

    `row`: the position of the index that selects the row of `left` and of the mask; `right` is a vector, or a column of each
    iteration.
    """

    node: cst.BaseExpression
    left: Access
    right: Access
    mask: Mask
    row: int


class Segment(NamedTuple):
    """A sum over the elements of vectors between two bounds of an iteration, `p[i]` and the one after it.

    `node`: the `product` of two vectors, or a call of np.sum (then `product` is None).
    `root`: the statement that contains it.
    `sliced`: the subscripts in it that select these elements.
    `last`: the read of the second bound.
    `binders`: assignments that bind variables to the bounds, and to nothing else.
    """

    node: cst.BaseExpression
    root: cst.CSTNode
    product: Product | None
    sliced: tuple[cst.Subscript, ...]
    last: Access
    binders: tuple[cst.CSTNode, ...] = ()


class WindowRead(NamedTuple):
    """A subscript with slices of constant length, `windows`, whose starts are an index of the nest plus an offset: the slice of
    an iteration is one of all such windows.

    `access`: all of their axes, and no new ones.
    `starts`: position in it -> index, and the offset (None: not a literal).
    `sizes`: position -> length.
    `along`: the axes of all windows, each axis of a window after that of its starts.
    """

    node: cst.Subscript
    access: Access
    starts: Mapping[int, tuple[int, int | None]]
    sizes: Mapping[int, str]
    along: Access


class Prefix(NamedTuple):
    """The loop stores the prefix sums, products, maxima or minima of the operands: `how` as in a reduction.

    `name`: the variable with the initial value; "" where that is the element before the first one that is stored.
    `wide`: the operands must be as wide as the array, or as the promotion of the variable and an operand.
    """

    how: str
    term: cst.BaseExpression
    minus: bool = False
    name: str = ""
    wide: bool = False


class ParallelNest(NamedTuple):
    """A loop nest whose iterations can run in parallel.

    `elementwise`: as code on whole arrays.
    `expensive`: why the arrays of an iteration should not be computed for all iterations in parallel, "" where they may.
    """

    nest: tuple[cst.For, ...]
    indices: tuple[str, ...]
    stores: tuple[Store, ...]
    reductions: tuple[Reduction, ...]
    reads: tuple[Access, ...]
    elementwise: bool
    expensive: str = ""
    plain: frozenset[str] = frozenset()  # indices that are used as scalars
    numbers: bool = True  # the elements of arrays are scalars, as far as an iteration reduces them
    rows: tuple[tuple[str, cst.BaseExpression], ...] = ()  # variables that are rows of arrays, and the arrays
    items: bool = False  # what an iteration reads of arrays are scalars, as its stores imply
    carry: tuple[str, ...] = ()  # the loop-carried variables of a `lax.scan` (see recurrences)
    unset: frozenset[str] = frozenset()  # those of them that are scalars with no value before the loop
    before: tuple[tuple[cst.Subscript, str], ...] = ()  # reads of what the previous iteration stored, and the arrays
    prefix: Prefix | None = None
    products: tuple[MaskedProduct, ...] = ()  # in code on whole arrays
    windows: tuple[WindowRead, ...] = ()  # parameters of the function of an iteration
    segments: tuple[Segment, ...] = ()  # in code on whole arrays
    signs: Mapping[str, int] = NOTHING  # the minima that scalars must have
    gone: tuple[cst.CSTNode, ...] = ()  # assignments of slice bounds that iterations no longer read
    part: tuple[cst.CSTNode, ...] = ()  # the statements of the body, where these are not all (see distribution)
    shared: tuple[cst.Name, ...] = ()  # reads of variables that vary with the loops enclosing those of this part alone
    deeper: int = 0  # how many loops belong to this part alone

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
    """A branch and those nested in it."""
    found, left = list[cst.CSTNode](), list[cst.CSTNode]([branch])
    while left:
        node = left.pop()
        left += node.children
        found += [node] if isinstance(node, cst.If) else []
    return found
