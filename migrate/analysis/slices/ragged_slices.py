"""Slices of varying length and masked selections: how each statement that contains some is converted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.dynamic_slices import Ragged, Whole
from ....rules.facts.values import Value, replace
from ...syntax.source import walk
from ..state.index_expressions import flat
from ..state.interpreter_state import Run
from ..state.node_facts import MASKED, Need
from ..state.ranks import rank_of, ranks_by_use
from ..symbolic.affine import condition
from ..symbolic.lower_bounds import Form, by_text
from ..symbolic.scalar_evolution import ScalarEvolution, evolution_in
from . import mask_selection
from .axis_alignment import Reader
from .mask_selection import Selection
from .meeting_axes import SliceAlias, value_of
from .slice_bounds import sliced_subscript
from .slice_uses import anchor, certain_to_run, is_added, outside, slice_aliases, statement_of, unchanged_since, uses
from .sliced_axes import How, Unclear, Unlike, Varying, slices

WHY = "it bounds a slice"
# where a slice of constant length is combined with others, it is one of them; what must hold of bounds is asserted as the last
# resort
WAYS = (How(), How(windowed=False), How(inside=True), How(supposed=True), How(windowed=False, supposed=True))
GUARDED_WAYS = (How(inside=True, guarded=True), How(supposed=True, guarded=True))
ALIAS_WAYS = (*WAYS[3:], *WAYS[:3])  # for values of variables, which are combined with something later


def resolve(run: Run, nodes: list[cst.CSTNode]) -> None:
    """Decide how to convert every slice with varying bounds. Python needs the bounds for which nothing better is known."""
    found = mask_selection.selected(run, nodes)
    if not run.slices.sliced and not found:
        return
    evolution = evolution_in(run)
    ranks = ranks_by_use(run, nodes)
    slices_of: dict[cst.CSTNode, list[cst.Subscript]] = {}
    for part in run.slices.sliced:
        subscript = _above(run, part)
        slices_of.setdefault(statement_of(run, subscript), []).append(subscript)
    aliases = slice_aliases(run, evolution, nodes, [*slices_of, *(statement_of(run, n) for n in found)])
    told = {node for node in found if any(mask_selection.names_axis(run, use) for use in uses(run, aliases, node))}
    vectors = {text for node in told for text in mask_selection.arrays_in(run, found[node].mask)}
    arrays = {_variable(found[node]) for node in told} - {""}
    told |= {node for node, each in found.items() if _variable(each) in arrays}
    for node, each in found.items():
        rank, certain = rank_of(run, each.subscript.value, ranks)
        if not certain and rank < 2:  # one index is that of the mask itself
            rank = 2 if node in told else 1 if _is_vector(run, each) else -1
        by_other = not vectors.isdisjoint(mask_selection.arrays_in(run, each.mask))
        found[node] = mask_selection.along_axis(run, each, rank, certain, node in told or by_other)
    found = {node: each for node, each in found.items() if each.surrounding is not None or len(flat(each.subscript)) == 1}
    while True:
        done, failed = all_decided(run, evolution, ranks, slices_of, found, aliases)
        broken = [made for made, reads in aliases.items() if any(statement_of(run, r) in failed for r in reads)]
        if not broken:
            break
        for made in broken:
            del aliases[made]
    run.slices.ragged.update(done)
    for root, subscripts in slices_of.items():
        for part in (p for s in subscripts for p in flat(s) if isinstance(p, cst.Slice)):
            for bound in slices(part):
                if bound is not None and (value := value_of(run, bound)).deps | {value.traced} - {False}:
                    _ask(run, bound, value, failed.get(root, ""))
    for node in found:
        root = statement_of(run, node)
        if root in failed:
            run.slices.unmasked[node] = run.slices.unmasked[root] = failed[root]
        if root in done:
            run.constraints.impure.pop(node, None)
            if run.constraints.impure.get(root) == MASKED:
                del run.constraints.impure[root]
    for root, plan in run.slices.ragged.items():
        for bounds in (*plan.bounds, *plan.vectors):
            run.slices.positions[root, bounds.array] = anchor(run, evolution, bounds.array, root)
    said: dict[str, list[cst.CSTNode]] = {}
    for root, plan in run.slices.ragged.items():
        for text, fit in plan.fits.items():
            names = mask_selection.variables(run, fit.array)
            if not isinstance(fit.rank, int):
                names |= mask_selection.variables(run, fit.rank)
            run.slices.fits[root, text] = _said_at(run, evolution, said.setdefault(text, []), names, root)
        for text, numbers in plan.signs.items():
            run.slices.fits[root, text] = _said_at(run, evolution, said.setdefault(text, []), numbers, root)
            _ask_bounds(run, numbers, root)


def _said_at(
    run: Run, evolution: ScalarEvolution, said: list[cst.CSTNode], names: Collection[str], root: cst.CSTNode
) -> cst.CSTNode:
    """The statement before which a condition on some variables is asserted for `root`; `said`: the statements that assert it
    already.
    """
    before = (at for at in said if unchanged_since(evolution, at, root, names))
    at = next(before, None) or outside(run, evolution, names, root)
    said.append(at)
    return at


def _is_vector(run: Run, found: Selection) -> bool:
    """Whether a one-dimensional mask selects from a vector, as far as is known."""
    return value_of(run, found.mask).rank == 1 and not mask_selection.made_otherwise(run, found.subscript.value, found.mask)


def _variable(found: Selection) -> str:
    """The variable that a mask selects from."""
    array = found.subscript.value
    return array.value if isinstance(array, cst.Name) else ""


def all_decided(
    run: Run,
    evolution: ScalarEvolution,
    ranks: dict[str, int],
    slices_of: Mapping[cst.CSTNode, list[cst.Subscript]],
    found: Mapping[cst.CSTNode, Selection],
    aliases: Mapping[cst.Assign, list[cst.Name]],
) -> tuple[dict[cst.CSTNode, Ragged], dict[cst.CSTNode, str]]:
    """How each statement or condition is converted, and why others are not."""
    done: dict[cst.CSTNode, Ragged] = {}
    failed: dict[cst.CSTNode, str] = {}
    selected: dict[cst.CSTNode, dict[cst.CSTNode, Selection]] = {}
    for node, each in found.items():
        selected.setdefault(statement_of(run, node), {})[node] = each
    named_reads = {read for reads in aliases.values() for read in reads}
    for made, reads in aliases.items():
        if made.value not in found or any(n in named_reads for n, _above in walk(found[made.value].mask)):
            continue
        selection = found[made.value]
        if mask_selection.commented(run, made):  # the line stays, and binds the whole array
            done[made] = Ragged(selected={made.value: Whole(selection.subscript, selection.part)})
            selection = replace(selection, named=True)
        else:
            done[made] = Ragged(unused=True)
        for read in reads:
            selected.setdefault(statement_of(run, read), {})[read] = selection
    first = GUARDED_WAYS if run.unit.outlined and run.facts.program.fast else ()
    proven: set[str] = set()
    named: dict[cst.CSTNode, dict[cst.CSTNode, SliceAlias]] = {}
    roots = dict.fromkeys([*slices_of, *selected, *(statement_of(run, r) for reads in aliases.values() for r in reads)])
    for root in sorted(roots, key=evolution.start):
        if root in done:
            continue
        told: set[str] = set()
        try:
            own = slices_of.get(root, ())
            given = (run, evolution, ranks, root, own, selected.get(root, {}), named.get(root, {}), told, root in aliases)
            ways = ALIAS_WAYS if root in aliases else WAYS
            reader = first_clear(partial(decided, *given), (*first, *ways), is_added(run, root, own))
        except Unclear as unclear:
            failed[root] = str(unclear)
            continue
        done[root] = reader.plan
        if root in aliases:
            assert isinstance(root, cst.Assign)
            alias = SliceAlias(reader.shape(root.value), reader.plan.sliced)
            masks = [a.mask for a in alias.axes or () if isinstance(a, Selection)]
            if not masks and not any(isinstance(a, Varying) for a in alias.axes or ()):
                if reader.plan.selection:  # an ordinary value, whose axes other statements need
                    for read in aliases[root]:
                        named.setdefault(statement_of(run, read), {})[read] = alias
                continue
            if not all(
                mask_selection.is_unchanged(run, evolution, root, aliases[root], mask_selection.variables(run, m)) for m in masks
            ):
                failed[root] = "the mask changes before the selection is read"
                del done[root]
                continue
            for read in aliases[root]:
                named.setdefault(statement_of(run, read), {})[read] = alias
        proven |= told if certain_to_run(run, root) else set()
    run.slices.proven = frozenset(proven)
    return done, failed


def first_clear(taken: Callable[[How], Reader], ways: Sequence[How], meets: bool) -> Reader:
    """The conversion of the slices of one statement or condition by the first of several strategies that succeeds, see `decided`.
    Raises Unclear.

    That no slice ends beyond its array is supposed only where NumPy would raise otherwise, or where the original runs otherwise: `meets`
    tells that it is combined with something longer.
    """
    found: Unclear | None = None
    for how in ways:
        if how.inside and not (meets or how.guarded):
            continue
        try:
            return taken(how)
        except Unclear as unclear:
            found, meets = unclear, meets or isinstance(unclear, Unlike)
    assert found is not None
    raise found


def _ask(run: Run, bound: cst.BaseExpression, value: Value, why: str) -> None:
    run.constraints.needs.pop(bound, None)
    if why:
        run.constraints.needs[bound] = Need(bound, value, f"{WHY}, and {why}")
        return
    known = frozenset(d for d in value.deps if not d.startswith("loop:") and not d.endswith("[]"))
    if known and not value.traced:  # a parameter in it stays static, as in every slice
        run.constraints.needs[bound] = Need(bound, replace(value, deps=known), WHY)


def _ask_bounds(run: Run, names: Collection[str], root: cst.CSTNode) -> None:
    """Python needs the numbers in an asserted condition, where the ranges of enclosing loops end with them."""
    at = run.source.parents[root]
    while at is not None and at is not run.unit.owner:
        for node, _parent in walk(at.iter) if isinstance(at, cst.For) else ():
            if isinstance(node, cst.Name) and node.value in names and value_of(run, node).kind is Kind.SCALAR:
                run.constraints.needs.setdefault(node, Need(node, value_of(run, node), WHY))
        at = run.source.parents[at]


def _above(run: Run, part: cst.CSTNode) -> cst.Subscript:
    at: cst.CSTNode | None = part
    while not isinstance(at, cst.Subscript):
        assert at is not None
        at = run.source.parents[at]
    return at


def decided(
    run: Run,
    evolution: ScalarEvolution,
    ranks: dict[str, int],
    root: cst.CSTNode,
    subscripts: Sequence[cst.Subscript],
    selected: Mapping[cst.CSTNode, Selection],
    named: Mapping[cst.CSTNode, SliceAlias],
    proven: set[str],
    aliases: bool,
    how: How,
) -> Reader:
    """The conversion of the slices and selections of one statement or condition; `proven` collects arrays.

    `named`: variables whose values are computed from slices. `aliases`: the statement binds such a variable. Raises Unclear.
    """
    if selected and isinstance(run.source.parents[root], (cst.For, cst.With)):
        raise Unclear("a loop or a `with` begins with it")
    sliced_subscripts = {s: sliced_subscript(run, evolution, s, ranks, how) for s in subscripts}
    touched: set[cst.CSTNode] = set()
    varying = [s for s, found in sliced_subscripts.items() if any(isinstance(a, Varying) for a in found.axes)]
    if how.guarded and (varying or copies(root, subscripts)):
        raise Unclear("NumPy copies slices in less time")
    for node in [*varying, *selected, *named]:
        at: cst.CSTNode | None = node
        while at is not None and at is not run.source.parents[root]:
            if isinstance(at, (cst.Lambda, cst.GeneratorExp)):
                raise Unclear("it stands in a function or a generator, which may run later")
            touched.add(at)
            at = run.source.parents[at]
    cut_there = [*subscripts, *(s for alias in named.values() for s in alias.sliced)]
    signs = by_text(frozenset[Form]().union(*(found.signs for found in sliced_subscripts.values())))
    evolution = evolution.where(form.known for form in signs) if signs else evolution
    windows = {s: dict(found.windows) for s, found in sliced_subscripts.items() if found.windows}
    conditions = {condition(f.written): {n.partition(".")[0] for n in f.written.names} for f in signs}
    plan = Ragged(cut_there, windows=windows, signs=conditions)
    reader = Reader(root, run, evolution, ranks, frozenset(touched), sliced_subscripts, selected, named, plan, proven)
    for node, selection in selected.items():
        if node is selection.subscript and selection.mask in touched:
            raise Unclear("the mask is computed from the selection of another mask")
    if aliases and isinstance(root, cst.Assign):
        reader.align(root.value, reader.shape(root.value) or ())
    else:
        statement(reader, root)
    reader.plan.indexed.update(s for s in windows if s in plan.targets or reader.looked_up(s))
    if how.guarded and conditions:
        run.slices.guarded.add(root)
    return reader


def copies(root: cst.CSTNode, subscripts: Sequence[cst.Subscript]) -> bool:
    """Whether a statement only stores a slice in an array, `stack[k] = x[i : i + n]`."""
    match root:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript())], value=value):
            return value in subscripts
    return False


def statement(reader: Reader, root: cst.CSTNode) -> None:
    match root:
        case cst.Assign(targets=targets, value=value):
            stores = [t.target for t in targets if t.target in reader.sliced_subscripts]
            if len(targets) == 1 and (selection := reader.selection.get(targets[0].target)) is not None:
                reader.stored_where(targets[0].target, selection, value)
                return
            for target in targets:
                if target.target not in reader.sliced_subscripts:
                    reader.whole(target.target)
            if stores:
                reader.stored([s for s in stores if isinstance(s, cst.Subscript)], value)
            else:
                reader.whole(value)
        case cst.AugAssign(target=target, value=value):
            if isinstance(target, cst.Subscript) and target in reader.sliced_subscripts:
                reader.stored([target], value)
            elif (selection := reader.selection.get(target)) is not None:
                reader.stored_where(target, selection, value)
            else:
                reader.whole(target)
                reader.whole(value)
        case cst.Del():
            raise Unclear("it is deleted")
        case cst.BaseExpression():
            reader.whole(root)
        case _:
            reader.consumed(root)
