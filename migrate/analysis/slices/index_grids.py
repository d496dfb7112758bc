"""Index arrays that enumerate all positions in order: `p = np.arange(n)`, `i, j = np.mgrid[0:n, 0:m]`, flattened.

A store at these positions is a store into a block of the array, element by element: no position occurs twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import libcst as cst

from ...syntax.names import bound_by
from ...syntax.source import walk
from ..state.index_expressions import flat
from ..state.interpreter_state import Run

FLATTENED = frozenset("flatten ravel reshape".split())


def grid_sizes(run: Run, names: Sequence[str], loop: cst.For, cut: Collection[str]) -> tuple[cst.BaseExpression, ...]:
    """The sizes of the block that flat index arrays enumerate at the start of a loop, as expressions that still have that value
    there; () for any other index arrays. `cut`: arrays that the loop compacts, which keep their lengths when it is compiled.
    """
    block = list(getattr(run.source.parents.get(loop), "body", ()))
    later = set(bound_by(loop.body)) - {*cut}
    for line in reversed(block[: block.index(loop)]):
        bound = set(bound_by(line)) | {u.access_path for n, _parent in walk(line) for u in run.effects.updates.get(n, ())}
        if not bound & {*names}:
            later |= bound
        elif sizes := _grid(run, names, line):
            used = {n.value for size in sizes for n, _parent in walk(size) if isinstance(n, cst.Name)}
            return () if used & later or not all(map(_size, sizes)) else sizes
        elif not _flattens(line):
            return ()
    return ()


def _grid(run: Run, names: Sequence[str], line: cst.CSTNode) -> tuple[cst.BaseExpression, ...]:
    """The sizes of the grid that a line binds all the names to."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
            pass
        case _:
            return ()
    match target, value:
        case cst.Name(), cst.Call(func=func, args=[cst.Arg(value=size, keyword=None, star="")]) if names == (target.value,):
            return (size,) if run.scopes.qualname(func) == "numpy.arange" else ()
        case cst.Tuple(elements=elements), cst.Subscript(value=maker) if run.scopes.qualname(maker) == "numpy.mgrid":
            if [_name(e) for e in elements] == [*names]:
                return tuple(_stops(value))
        case cst.Tuple(elements=elements), cst.Call(func=func, args=[cst.Arg(value=cst.Tuple(elements=sizes), star="")]):
            if run.scopes.qualname(func) == "numpy.indices" and [_name(e) for e in elements] == [*names]:
                return tuple(e.value for e in sizes)
    return ()


def _name(element: cst.BaseElement) -> str:
    return element.value.value if isinstance(element.value, cst.Name) else ""


def _stops(node: cst.Subscript) -> Iterator[cst.BaseExpression]:
    """The stops of `[0:n, :m]`; an ellipsis stands for anything else, as it is never the size of an index array."""
    for part in flat(node):
        match part:
            case cst.Slice(lower=None | cst.Integer(value="0"), upper=cst.BaseExpression() as upper, step=None):
                yield upper
            case _:
                yield cst.Ellipsis()


def _size(node: cst.BaseExpression) -> bool:
    """Whether an expression is a size that may be evaluated again: a number, a variable, the length or a size of an array."""
    match node:
        case cst.Integer() | cst.Name():
            return True
        case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=cst.Name(), star="")]):
            return True
        case cst.Attribute(value=cst.Name(), attr=cst.Name(value="size")):
            return True
        case cst.Subscript(
            value=cst.Attribute(value=cst.Name(), attr=cst.Name(value="shape")),
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer()))],
        ):
            return True
    return False


def _flattens(line: cst.CSTNode) -> bool:
    """Whether a line only flattens arrays: `i.shape = j.shape = n`, `i = i.ravel()`, or several of these."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]) if not isinstance(
            target, cst.Attribute
        ):
            pairs: list[tuple[cst.BaseExpression, cst.BaseExpression]] = [(target, value)]
            if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and len(target.elements) == len(value.elements):
                pairs = [(t.value, v.value) for t, v in zip(target.elements, value.elements, strict=True)]
            return all(_flat_copy(*pair) for pair in pairs)
        case cst.SimpleStatementLine(body=[cst.Assign(targets=targets)]):
            return all(isinstance(t.target, cst.Attribute) and t.target.attr.value == "shape" for t in targets)
    return False


def _flat_copy(target: cst.BaseExpression, value: cst.BaseExpression) -> bool:
    match target, value:
        case cst.Name(value=name), cst.Call(func=cst.Attribute(value=cst.Name(value=of), attr=cst.Name(value=method)), args=args):
            order = any(a.keyword or a.star for a in args) or (method != "reshape" and bool(args))
            return name == of and method in FLATTENED and not order
    return False
