"""Loops over grids: `itertools.product` and `itertools.combinations` of ranges, `np.ndindex` and `np.ndenumerate` become nests of loops
over ranges.

Such a loop binds its variables together, but in the nest only the innermost loop has bound all of them. So they must not be read
after the loop. `break` leaves the whole nest: a flag ends the outer loops.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.facts.iteration_space import IterationSpace, iteration_space
from ....rules.syntax import builders
from ....rules.syntax.tree import walk
from ...syntax.break_statements import breaks, flagged_by
from ...syntax.names import bound_by, collect
from .form import Body, DesugaredStatement, flagged, with_comments

SIZES = ("size", "ndim", "shape")
INDICES = ("i", "j", "k", "ii", "jj", "kk", "index")
COMBINATIONS = {"itertools.combinations": 1, "itertools.combinations_with_replacement": 0}  # how far each index is above the last
LENGTHS = ("n", "m", "p", "q", "rows", "columns", "length")


@dataclass(slots=True)
class _Grid:
    """`ranges`: the iterable of each index, outermost first. `first`: statements before the nest. `array`, `value`: the array
    whose element is bound to the variable `value` at the start of the innermost iteration, if any."""

    ranges: list[cst.BaseExpression]
    first: list[cst.BaseStatement] = field(default_factory=list)
    array: str = ""
    value: str = ""


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.For) or statement.orelse is not None or statement.asynchronous is not None:
        return None
    called = body.calls(statement.iter)
    if called not in ("itertools.product", "numpy.ndindex", "numpy.ndenumerate", *COMBINATIONS):
        return None
    assert isinstance(statement.iter, cst.Call)
    target: cst.BaseExpression = statement.target
    value = ""
    if called == "numpy.ndenumerate":
        match target:
            case cst.Tuple(elements=[cst.Element(value=index), cst.Element(value=cst.Name(value=value))]):
                target = index
            case _:
                return None
    whole = target.value if isinstance(target, cst.Name) else ""
    gone = _is_unpacked(statement, whole)
    if gone is not None:
        target = gone.targets[0].target
    names = _names(target)
    if names is None or len({*names, value}) <= len(names):
        return None
    if called == "itertools.product":
        grid = _product(statement.iter, names, target, body)
    elif called in COMBINATIONS:
        grid = _combinations(statement.iter, names, COMBINATIONS[called], body)
    else:
        grid = _positions(statement.iter, names, target, value, body)
    if grid is None or not _free(statement, _every_name(statement.target), gone, value, body):
        return None
    return _nest(statement, grid, whole, names, gone, f"`{called.replace('numpy', 'np')}`", body)


def _is_unpacked(loop: cst.For, index: str) -> cst.Assign | None:
    """`i, j = index` at the start of an iteration."""
    first, *rest = builders.lines(loop.body)
    match first:
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple())], value=cst.Name(value=read)) as found]
        ) if read == index and rest and _names(found.targets[0].target):
            return found
    return None


def _every_name(target: cst.BaseExpression) -> set[str]:
    return {n.value for n, _p in walk(target) if isinstance(n, cst.Name)}


def _names(target: cst.BaseExpression) -> list[str] | None:
    """The names of the indices; empty if the target is one name for all of them."""
    if isinstance(target, cst.Name):
        return []
    if not isinstance(target, (cst.Tuple, cst.List)) or not target.elements:
        return None
    parts = [e.value for e in target.elements if isinstance(e, cst.Element)]
    names = [p.value for p in parts if isinstance(p, cst.Name)]
    return names if len(names) == len(target.elements) and len({*names}) == len(names) else None


def _free(loop: cst.For, targets: set[str], gone: cst.Assign | None, value: str, body: Body) -> bool:
    """Whether one loop and a nest are indistinguishable: nothing else binds the loop variables, and nothing reads them after the
    loop."""
    lines = builders.lines(loop.body)
    inner = collect(lines if gone is None else lines[1:])
    if gone is not None:
        targets = targets | _every_name(gone.targets[0].target)
    targets = targets - {value}
    if inner.dynamic or targets & {*inner.bound, *body.captured} or value in body.captured:
        return False
    own = body.scopes.opened_by(body.owner)
    names = [n for n in body.source.among(loop.body, cst.Name) if n.value in targets]
    if any(body.scopes.lookup(body.scopes.scope_of(n), n.value) is not own for n in names):  # a comprehension has one, too
        return False
    return not targets & body.live.after[loop]


def _stable(node: cst.BaseExpression, loop_bound: Collection[str], body: Body) -> bool:
    """Whether an expression is loop-invariant, as sizes of arrays are, and can be evaluated in each iteration."""
    match node:
        case cst.Integer():
            return True
        case cst.Name(value=name):
            return name not in loop_bound and name not in body.captured
        case cst.Attribute(value=cst.Name() as base, attr=cst.Name(value=name)) if name in SIZES:
            return _stable(base, loop_bound, body)
        case cst.Subscript(value=cst.Attribute() as base, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer()))]):
            return _stable(base, loop_bound, body)
        case cst.Call(args=[cst.Arg(value=cst.Name() as base, star="", keyword=None)]) if body.calls(node) == "builtins.len":
            return base.value in body.ranks and _stable(base, loop_bound, body)
        case cst.BinaryOperation(
            left=left, operator=cst.Add() | cst.Subtract() | cst.Multiply() | cst.FloorDivide(), right=right
        ):
            return _stable(left, loop_bound, body) and _stable(right, loop_bound, body)
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return _stable(inner, loop_bound, body)
    return False


def _product(call: cst.Call, names: Sequence[str], target: cst.BaseExpression, body: Body) -> _Grid | None:
    """`product(range(n), range(m))`, `product(range(n), repeat=2)`."""
    loop = body.source.parents[call]
    assert isinstance(loop, cst.For)
    ranges = body.scopes.iteration_space(loop).parts
    if not ranges or not all(_is_stable_range(part, loop, body) for part in ranges):
        return None
    if not isinstance(target, cst.Name) and len(names) != len(ranges):
        return None
    return _Grid([part.iterable.deep_clone() for part in ranges])


def _is_stable_range(space: IterationSpace, loop: cst.For, body: Body) -> bool:
    """Whether an operand is a range that every iteration of the loop may evaluate again."""
    return space.is_range and all(_stable(bound, bound_by(loop), body) for bound in space.bounds)


def _combinations(call: cst.Call, names: Sequence[str], above: int, body: Body) -> _Grid | None:
    """`combinations(range(n), 2)`: each index starts `above` the one before it. Those that come too late have no iterations."""
    loop = body.source.parents[call]
    assert isinstance(loop, cst.For)
    match call.args:
        case [cst.Arg(keyword=None, star="", value=first), cst.Arg(keyword=None, star="", value=cst.Integer() as count)] if (
            count.evaluated_value == len(names)
        ):
            space = iteration_space(None, first, body.scopes.qualname)
        case _:
            return None
    if not _is_stable_range(space, loop, body) or space.stop is None or space.step is not None:
        return None
    stop = builders.bare(space.stop)
    starts = [cst.parse_expression(f"{name} + {above}" if above else name) for name in names[:-1]]
    return _Grid([first.deep_clone(), *(builders.call(cst.Name("range"), start, stop.deep_clone()) for start in starts)])


def _positions(call: cst.Call, names: Sequence[str], target: cst.BaseExpression, value: str, body: Body) -> _Grid | None:
    """`np.ndindex(n, m)`, `np.ndindex((n, m))`, `np.ndindex(x.shape)`, `np.ndindex(*x.shape)`, `np.ndenumerate(x)`."""
    loop = body.source.parents[call]
    assert isinstance(loop, cst.For)
    bound = bound_by(loop)
    if any(a.keyword for a in call.args) or not call.args or (any(a.star for a in call.args) and len(call.args) > 1):
        return None
    lengths: list[cst.BaseExpression] = [a.value for a in call.args]
    if len(lengths) == 1 and isinstance(lengths[0], cst.Tuple) and all(isinstance(e, cst.Element) for e in lengths[0].elements):
        lengths = [e.value for e in lengths[0].elements]
    elif len(lengths) == 1:
        array = call.args[0].value
        if not value:
            match array:
                case cst.Attribute(value=cst.Name() as array, attr=cst.Name(value="shape")):
                    pass
                case _:
                    return None
        if not isinstance(array, cst.Name):
            return None
        return _along(array, names, target, value, bound, body)
    if value or not all(_stable(length, bound, body) for length in lengths):
        return None
    if not isinstance(target, cst.Name) and len(names) != len(lengths):
        return None
    return _Grid([_range(length) for length in lengths])


def _along(
    array: cst.Name, names: Sequence[str], target: cst.BaseExpression, value: str, bound: Collection[str], body: Body
) -> _Grid | None:
    """All positions of an array. Its rank is known, or follows from the number of index names: then the shape is unpacked, which
    raises for any other rank."""
    rank = body.rank(array)
    count = rank if isinstance(target, cst.Name) else len(names)
    if count < 1 or (value and array.value in bound):
        return None
    shape = cst.Attribute(cst.Name(array.value), cst.Name("shape"))
    if rank == count and array.value not in bound:
        sizes = [cst.Subscript(shape, [cst.SubscriptElement(cst.Index(cst.Integer(str(k))))]) for k in range(count)]
        return _Grid([_range(size) for size in sizes], [], array.value, value)
    lengths = [body.fresh(*LENGTHS) for _axis in range(count)]
    parts = cst.Tuple([cst.Element(cst.Name(n)) for n in lengths], lpar=[], rpar=[])
    return _Grid([_range(cst.Name(n)) for n in lengths], [builders.bound(parts, shape)], array.value, value)


def _range(stop: cst.BaseExpression) -> cst.Call:
    return builders.call(cst.Name("range"), stop.deep_clone())


def _nest(
    loop: cst.For,
    grid: _Grid,
    whole: str,
    names: Sequence[str],
    gone: cst.Assign | None,
    what: str,
    body: Body,
) -> DesugaredStatement | None:
    if body.scopes.lookup(body.scopes.scope_of(loop), "range") is not None:
        return None
    indices = [*names] or [body.fresh(*INDICES) for _axis in grid.ranges]
    if len(indices) != len(grid.ranges):
        return None
    edits: dict[cst.CSTNode, Edit] = {}
    if whole:
        edits.update(_with_indices(loop, whole, indices, body))
    if gone is not None:
        edits.pop(gone.value, None)
        edits[gone] = lambda _made: cst.RemoveFromParent()
    ends = list(breaks(loop.body))
    flag = ""
    if ends and len(grid.ranges) > 1:
        flag = next((n for n in sorted(body.taken) if flagged_by(loop, n, body.source)), "")
        if not flag:
            flag = body.fresh("stopped")
            for end in ends:
                edits.update(flagged(end, flag))

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        inner = builders.lines(made.body)
        if grid.value:
            place = [cst.SubscriptElement(cst.Index(cst.Name(index))) for index in indices]
            inner = [builders.assigned((grid.value,), cst.Subscript(cst.Name(grid.array), place)), *inner]
        for level, (index, ranges) in reversed([*enumerate(zip(indices, grid.ranges, strict=True))]):
            nested = cst.For(cst.Name(index), ranges, cst.IndentedBlock(inner))
            inner = [nested]
            if flag and level:
                leave = cst.If(cst.Name(flag), cst.IndentedBlock([cst.SimpleStatementLine([cst.Break()])]))
                inner = [builders.assigned((flag,), cst.Name("False")), nested, leave]
        return with_comments([*grid.first, *inner], made)

    edits[loop] = edit
    return DesugaredStatement(what, edits)


def _with_indices(loop: cst.For, name: str, indices: Sequence[str], body: Body) -> dict[cst.CSTNode, Edit]:
    """Replace `name[0]` by its index, `x[name]` by a subscript with all indices, and other reads by a tuple."""
    edits: dict[cst.CSTNode, Edit] = {}
    parents = body.source.parents
    listed = [cst.Name(index) for index in indices]
    for node in body.source.among(loop.body, cst.Name):
        if node.value != name or not _is_use(node, parents[node]):
            continue
        enclosing = parents[node]
        match enclosing:
            case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer() as at))]) if (
                base is node and at.evaluated_value < len(indices)
            ):
                edits[enclosing] = _copied(listed[at.evaluated_value])
                continue
        element = parents[enclosing] if isinstance(enclosing, cst.Index) else None
        subscript = None if element is None else parents[element]
        if isinstance(subscript, cst.Subscript) and len(subscript.slice) == 1:
            edits[subscript] = lambda made: made.with_changes(
                slice=[cst.SubscriptElement(cst.Index(index.deep_clone())) for index in listed]
            )
        else:
            edits[node] = lambda _made: cst.Tuple([cst.Element(index.deep_clone()) for index in listed])
    return edits


def _copied(index: cst.BaseExpression) -> Edit:
    return lambda _made: index.deep_clone()


def _is_use(node: cst.Name, enclosing: cst.CSTNode | None) -> bool:
    """Whether a name is read as a variable, and is no attribute or keyword."""
    if isinstance(enclosing, cst.Attribute):
        return enclosing.value is node
    return not (isinstance(enclosing, cst.Arg) and enclosing.keyword is node)


__all__ = ["desugar"]
