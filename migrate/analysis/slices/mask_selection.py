"""Boolean mask selections: `x[mask]`, also through a variable all of whose reads allow a mask on the whole array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, covers, replace
from ....rules.numpy_table.entry import Entry
from ...syntax.source import walk
from ..state.index_expressions import flat
from ..state.interpreter_state import Run
from ..state.lattice import whole
from ..state.memory import written_back
from ..state.node_facts import MASKED
from ..symbolic.scalar_evolution import ScalarEvolution
from .sliced_axes import slices


class Selection(NamedTuple):
    """The elements of an array that a mask selects, in one axis.

    `same`: array and mask certainly have the same rank. `named`: a variable has the whole array as its value where the source has
    it bound to the selection. `part`: the position of the mask in the subscript. `surrounding`: the number of axes before and
    after the axis along which a one-dimensional mask selects; None where the mask selects from all axes of the array. `rank`: the
    rank that the array must have for that, 0 where it certainly has. `vector`: what must have one dimension, None where it
    certainly has.
    """

    subscript: cst.Subscript
    mask: cst.BaseExpression
    text: str
    same: bool
    named: bool = False
    part: int = 0
    surrounding: tuple[int, int] | None = None
    rank: int = 0
    vector: cst.BaseExpression | None = None


def selection(run: Run, node: cst.CSTNode) -> Selection | None:
    """The selection by a subscript with one mask, whose other indices are numbers and slices; None for any other subscript."""
    if not isinstance(node, cst.Subscript) or run.values.get(node.value, UNKNOWN).kind is not Kind.ARRAY:
        return None
    parts = flat(node)
    masks = [k for k, p in enumerate(parts) if isinstance(p, cst.Index) and _is_mask(run, p.value)]
    if len(masks) != 1:
        return None
    part = parts[masks[0]]
    assert isinstance(part, cst.Index)
    others = [p for p in parts if p is not part]
    # NumPy moves the axis to the front where a slice separates them
    numbers = [k for k, p in enumerate(parts) if isinstance(p, cst.Index)]
    if any(p in run.slices.sliced or not _is_plain(run, p) for p in others) or numbers[-1] - numbers[0] + 1 != len(numbers):
        return None
    same = covers(run.values.get(part.value, UNKNOWN), run.values.get(node.value, UNKNOWN)) or _made_of(
        run, part.value, node.value
    )
    same = same and not others
    return Selection(node, part.value, " ".join(cst.Module([]).code_for_node(part.value).split()), same, part=masks[0])


def _is_mask(run: Run, node: cst.BaseExpression) -> bool:
    given = run.values.get(node, UNKNOWN)
    return given.kind is Kind.ARRAY and category(given.dtype) == 0


def _made_of(run: Run, mask: cst.BaseExpression, array: cst.BaseExpression) -> bool:
    """Whether a mask is computed from the array itself, element by element, so that it has no fewer dimensions."""
    return isinstance(array, cst.Name) and array.value in arrays_in(run, mask)


def arrays_in(run: Run, mask: cst.BaseExpression) -> set[str]:
    """The variables from which a mask is computed element by element, except scalars."""
    if isinstance(mask, cst.Name):
        return {mask.value} if run.values.get(mask, UNKNOWN).kind is not Kind.SCALAR else set()
    return {name for part in operands(run, mask) for name in arrays_in(run, part)}


def made_otherwise(run: Run, array: cst.BaseExpression, mask: cst.BaseExpression) -> bool:
    """Whether a mask is computed from an array, but not element by element (`np.diagonal(x) > 0`): it may have another rank."""
    value, given = run.values.get(array, UNKNOWN), run.values.get(mask, UNKNOWN)
    if {*map(whole, value.deps)}.isdisjoint(map(whole, given.deps)):
        return False
    made = [mask]
    if isinstance(mask, cst.Name) and run.unit.owner is not None:
        for node in run.source.among(run.unit.owner, cst.Assign):
            match node:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=bound) if name == mask.value:
                    made.append(bound)
    return not (isinstance(array, cst.Name) and any(array.value in arrays_in(run, each) for each in made))


def operands(run: Run, mask: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The elementwise operands of a mask."""
    match mask:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(comparator=right)]):
            return [left, right]
        case cst.BinaryOperation(operator=operator, left=left, right=right) if not isinstance(operator, cst.MatrixMultiply):
            return [left, right]
        case cst.UnaryOperation(expression=inner):
            return [inner]
        case cst.Call(func=func, args=args) if not any(a.keyword is not None or a.star for a in args):
            name = run.scopes.qualname(func) or ""
            entry = numpy_table.function(name) if name.startswith("numpy.") else None
            return [a.value for a in args] if entry is not None and entry.ufunc == len(args) else []
    return []


def _is_plain(run: Run, part: cst.BaseSlice) -> bool:
    """Whether a part of a subscript is a slice, or one number that is not a bool."""
    if isinstance(part, cst.Slice):
        return True
    value = run.values.get(part.value, UNKNOWN) if isinstance(part, cst.Index) else UNKNOWN
    return value.kind is Kind.SCALAR and category(value.dtype) == 1


def along_axis(run: Run, found: Selection, rank: int, certain: bool, told: bool) -> Selection:
    """The selection as one along an axis, where the ranks of mask and array show that, or where it is `told` by a use of this or
    of another selection by the mask: the use names an axis, or indexes one. `rank`: the rank of the array, -1 where it is not
    known; where it is not `certain`, it is known from the use of the array only.
    """
    given = run.values.get(found.mask, UNKNOWN)
    parts = flat(found.subscript)
    vector = None if given.rank == 1 else compared(run, found.mask)
    if len(parts) == 1:
        known = given.rank == 1 and (certain or rank == 1)
        if found.same and not (known and rank == 1):
            return found
        if not known and not told:
            return found
    if given.rank > 1 or rank < max(len(parts), 1) or not (certain or isinstance(found.subscript.value, cst.Name)):
        return found
    ahead = sum(isinstance(p, cst.Slice) for p in parts[: found.part])
    behind = sum(isinstance(p, cst.Slice) for p in parts[found.part :]) + rank - len(parts)
    return replace(found, surrounding=(ahead, behind), rank=0 if certain else rank, vector=vector)


def compared(run: Run, mask: cst.BaseExpression) -> cst.BaseExpression:
    """The array that a mask compares with scalars, or else the mask: both have the same rank."""
    found: dict[str, cst.Name] = {}
    work = [mask]
    while work:
        node = work.pop()
        if run.values.get(node, UNKNOWN).kind is Kind.SCALAR:
            continue
        if isinstance(node, cst.Name) and run.values.get(node, UNKNOWN).kind is Kind.ARRAY:
            found[node.value] = node
        elif parts := operands(run, node):
            work += parts
        else:
            return mask
    return next(iter(found.values())) if len(found) == 1 else mask


def names_axis(run: Run, use: cst.CSTNode) -> bool:
    """Whether a value that is computed from a selection element by element is reduced along an axis, multiplied as a matrix, or
    indexed by several axes.
    """
    at, above = use, run.source.parents[use]
    while isinstance(above, (cst.BaseExpression, cst.Arg)):
        match above:
            case cst.Call(func=func, args=args):
                name = run.scopes.qualname(func) or ""
                of_numpy = name.startswith("numpy.")
                short = func.attr.value if isinstance(func, cst.Attribute) else ""
                entry = numpy_table.function(name) if of_numpy else numpy_table.method(short) if at is func else None
                if entry is None or (of_numpy and not entry.ufunc and name != "numpy.where" and at is not args[0]):
                    return False
                if not entry.ufunc and "axis" in _arguments(entry, args):
                    return True
                if not entry.ufunc and name != "numpy.where" and short not in ("astype", "copy"):
                    return False
            case cst.Subscript(value=base):
                axes = [p for p in flat(above) if not isinstance(p, cst.Index) or not _is_new(run, p.value)]
                return base is at and len(axes) > 1
            case cst.Attribute(attr=cst.Name(value="T")):
                return True
            case cst.BinaryOperation(operator=cst.MatrixMultiply(), left=left, right=right):
                return not _is_transposed(left) if at is right else not _selects(run, right)
        at, above = above, run.source.parents[above]
    return False


def is_operand(run: Run, node: cst.CSTNode, root: cst.Assign) -> bool:
    """Whether a statement binds a node, or a value that is computed from it element by element."""
    at, above = node, run.source.parents[node]
    while above is not root:
        match above:
            case cst.Arg() | cst.ComparisonTarget() | cst.UnaryOperation() | cst.Comparison():
                pass
            case cst.BinaryOperation(operator=operator) if not isinstance(operator, cst.MatrixMultiply):
                pass
            case cst.Subscript(value=base) | cst.Attribute(value=base) if base is at:
                pass
            case cst.Call(func=func):
                name = run.scopes.qualname(func) or ""
                entry = numpy_table.function(name) if name.startswith("numpy.") else None
                same = isinstance(func, cst.Attribute) and func.attr.value in ("astype", "copy")
                if not same and name != "numpy.where" and (entry is None or not entry.ufunc):
                    return False
            case _:
                return False
        at, above = above, run.source.parents[above]
    return True


def _is_transposed(node: cst.BaseExpression) -> bool:
    """Whether a node is `X[m].T`: the other factor (`X[m].T @ y[m]`) may have one dimension as well."""
    return isinstance(node, cst.Attribute) and node.attr.value == "T"


def _selects(run: Run, node: cst.BaseExpression) -> bool:
    """Whether a node is `X[m]`: the last axis of the other factor (`y[m] @ X[m]`) is the one along which the mask selects."""
    return selection(run, node) is not None


def _is_new(run: Run, index: cst.BaseExpression) -> bool:
    return run.values.get(index, UNKNOWN).kind is Kind.NONE


def _arguments(entry: Entry, args: Sequence[cst.Arg]) -> set[str]:
    """The names of the parameters to which a call passes arguments."""
    named = {a.keyword.value for a in args if a.keyword is not None}
    return named.union(entry.params[: sum(a.keyword is None for a in args)])


def selected(run: Run, nodes: Iterable[cst.CSTNode]) -> dict[cst.CSTNode, Selection]:
    """All subscripts of a unit with a mask; empty where none of them prevents jit."""
    if MASKED not in run.constraints.impure.values():
        return {}
    return {node: found for node in nodes if type(node) is cst.Subscript and (found := selection(run, node)) is not None}


def selected_aliases(
    run: Run, evolution: ScalarEvolution, nodes: list[cst.CSTNode], made: Iterable[cst.CSTNode]
) -> dict[cst.Assign, list[cst.Name]]:
    """The statements `v = ...` among some statements, with all reads of v, where the operands of v have the same values at the
    reads.
    """
    found: dict[cst.Assign, list[cst.Name]] = {}
    for node in made:
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name) as target)]):
                reads = [n for n in nodes if type(n) is cst.Name and n.value == name and n is not target]
                reads = [n for n in reads if not run.source.is_label(n)]
                # only what follows reads the selection; before, the name is the whole array
                if _narrows(run, evolution, node, name):
                    reads = [n for n in reads if evolution.start(n) > evolution.start(node) and not run.source.inside(n, node)]
                    alone = not commented(run, node)
                else:
                    alone = len(evolution.bound(name, node) or ()) == 1
                if (
                    alone
                    and reads
                    and all(evolution.follows(node, r) for r in reads)
                    and _is_unchanged(run, evolution, node, reads)
                ):
                    found[node] = reads
    return found


def _narrows(run: Run, evolution: ScalarEvolution, node: cst.Assign, name: str) -> bool:
    """Whether a statement is `x = x[mask]`, after which nothing binds x, and x is not an argument that is returned."""
    match node.value:
        case cst.Subscript(value=cst.Name(value=base)) if base == name:
            return selection(run, node.value) is not None and evolution.narrowed(name, node) and name not in written_back(run)
    return False


def commented(run: Run, made: cst.Assign) -> bool:
    """Whether a statement has a comment."""
    line = run.source.parents[made]
    if not isinstance(line, cst.SimpleStatementLine):
        return True
    return line.trailing_whitespace.comment is not None or any(above.comment is not None for above in line.leading_lines)


def _is_unchanged(run: Run, evolution: ScalarEvolution, made: cst.Assign, reads: list[cst.Name]) -> bool:
    """Whether neither the operands of a selection, nor the selection itself, change before the last of the reads."""
    names = variables(run, made.value) | {reads[0].value}
    value = run.values.get(made.value, UNKNOWN)
    own = bool(value.memory) and all(m.startswith(("new:", "old:")) for m in value.memory)
    computed = own and not isinstance(made.value, cst.Subscript)  # and its value is independent of later changes to its operands
    bounds = (b for n, _p in walk(made.value) if isinstance(n, cst.Slice) for b in slices(n) if b is not None)
    changing = {reads[0].value}.union(*(variables(run, b) for b in bounds)) if computed else names
    return is_unchanged(run, evolution, made, reads, names - {reads[0].value}, changing)


def is_unchanged(
    run: Run,
    evolution: ScalarEvolution,
    made: cst.Assign,
    reads: list[cst.Name],
    names: set[str],
    changing: set[str] | None = None,
) -> bool:
    """Whether none of some variables is rebound or changed in place between a statement and the last of the reads."""
    changing = names if changing is None else changing
    for read in reads:
        begin, end = evolution.between(made, read)
        changes = (n for n, updates in run.effects.updates.items() for u in updates if _root_of(u.access_path) in changing)
        if any(begin <= evolution.start(n) <= end for n in changes):
            return False
        if not all(evolution.unchanged(name, read, begin, end) for name in names):
            return False
    return True


def variables(run: Run, node: cst.BaseExpression) -> set[str]:
    """The variables that an expression reads, without Python's builtins."""
    found = {n.value for n, above in walk(node) if type(n) is cst.Name and not (type(above) is cst.Attribute and above.attr is n)}
    scope = run.scopes.scope_of(node)
    return {name for name in found if run.scopes.lookup(scope, name) is not None}


def _root_of(place: str) -> str:
    return place.partition(".")[0].partition("[")[0]
