"""Where slices and their aliases are used, and whether a statement certainly runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ..state.interpreter_state import Run
from ..symbolic.scalar_evolution import ScalarEvolution
from . import mask_selection
from .meeting_axes import value_of


def uses(run: Run, aliases: Mapping[cst.Assign, list[cst.Name]], node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node, and the reads of variables whose values are computed from it element by element."""
    work, seen = [node], set[cst.CSTNode]()
    while work:
        at = work.pop()
        yield at
        root = statement_of(run, at)
        if isinstance(root, cst.Assign) and root in aliases and root not in seen and mask_selection.is_operand(run, at, root):
            seen.add(root)
            work += aliases[root]


def unchanged_since(evolution: ScalarEvolution, said: cst.CSTNode, root: cst.CSTNode, names: Collection[str]) -> bool:
    """Whether a statement certainly runs before another one, and none of some variables is bound between them."""
    if not evolution.follows(said, root):
        return False
    begin, end = evolution.between(said, root)
    return all(evolution.unchanged(name, root, begin, end) for name in names)


def outside(run: Run, evolution: ScalarEvolution, names: Collection[str], root: cst.CSTNode) -> cst.CSTNode:
    """The statement before which a condition on variables is asserted once: the outermost loop in which they are invariant."""
    at, above = root, run.source.parents[root]
    found: cst.CSTNode | None = None
    while above is not None and at is not run.unit.owner:
        if isinstance(above, (cst.IndentedBlock, cst.Module)):
            if found is not None and (not isinstance(at, (cst.For, cst.While)) or any(evolution.binds(n, at) for n in names)):
                return found
            found = at
        at, above = above, run.source.parents[above]
    return root if found is None else found


def slice_aliases(
    run: Run, evolution: ScalarEvolution, nodes: list[cst.CSTNode], made: Iterable[cst.CSTNode | None]
) -> dict[cst.Assign, list[cst.Name]]:
    """The assignments to variables of values that are computed from slices and selections, or from such variables, with their
    reads.
    """
    aliases: dict[cst.Assign, list[cst.Name]] = {}
    work: list[cst.CSTNode] = [m for m in made if m is not None]
    while work:
        new = {m: reads for m, reads in mask_selection.selected_aliases(run, evolution, nodes, work).items() if m not in aliases}
        aliases |= new
        work = [statement_of(run, read) for reads in new.values() for read in reads]
    return aliases


def is_added(run: Run, root: cst.CSTNode, subscripts: Sequence[cst.Subscript]) -> bool:
    """Whether one of the slices is an operand of an augmented assignment to an array, element by element: `out += k[j] * x[j : j
    + n]`.
    """
    if not isinstance(root, cst.AugAssign) or not isinstance(root.target, cst.Name):
        return False
    target = value_of(run, root.target)
    if target.kind is not Kind.ARRAY or target.number or target.rank == 0:
        return False
    for node in subscripts:
        at = run.source.parents[node]
        while isinstance(at, (cst.BinaryOperation, cst.UnaryOperation)):
            at = run.source.parents[at]
        if at is root:
            return True
    return False


def certain_to_run(run: Run, root: cst.CSTNode) -> bool:
    """Whether a statement runs unconditionally."""
    at: cst.CSTNode | None = run.source.parents[root]
    while at is not None and at is not run.unit.owner:
        if isinstance(at, (cst.If, cst.Try, cst.Match)):
            return False
        at = run.source.parents[at]
    return True


def anchor(run: Run, evolution: ScalarEvolution, array: str, root: cst.CSTNode) -> cst.CSTNode:
    """The statement before which the positions along an axis are computed: the outermost loop in which the array is invariant."""
    found: cst.CSTNode | None = None
    at: cst.CSTNode | None = root
    while at is not None and at is not run.unit.owner:
        above = run.source.parents[at]
        block = isinstance(above, (cst.IndentedBlock, cst.Module))
        if block and (found is None or (isinstance(at, (cst.For, cst.While)) and not evolution.binds(array, at))):
            found = at
        at = above
    return root if found is None else found


def statement_of(run: Run, node: cst.CSTNode) -> cst.CSTNode:
    """The small statement that contains an expression, or the whole expression in the head of a compound statement."""
    at, above = node, run.source.parents[node]
    while above is not None and not isinstance(at, cst.BaseSmallStatement) and not isinstance(above, cst.BaseCompoundStatement):
        at, above = above, run.source.parents[above]
    return at
