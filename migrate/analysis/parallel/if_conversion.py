"""If-conversion: branches of an iteration that only store into arrays, or add to variables.

Each arm stores into one location of an array, the same in all arms, or not at all.
All iterations run in parallel then: `jnp.where` selects what is stored, and what is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from ....rules.facts.parallel_loops import Predication, PrivateVariable, Put, Reduction, Store
from ....rules.facts.values import UNKNOWN
from ....rules.syntax.source_text import verbatim
from ...syntax.liveness import uses
from ...syntax.source import walk
from ..branches import binding_nodes, speculation

if TYPE_CHECKING:
    from .parallel_loops import ParallelNestAnalysis

MOST_GUARDED = 4  # operations that are undefined for some values: with more, `lax.cond` reads better


class PredicatedStores(NamedTuple):
    """What a branch stores, by array, and what it reduces, by variable."""

    stores: tuple[Store, ...] = ()
    reductions: tuple[Reduction, ...] = ()


@dataclass(slots=True)
class _Found:
    """What was found in a branch, by statement. `first`: the private variables of its arms."""

    stores: dict[cst.CSTNode, Store] = field(default_factory=dict)
    reductions: dict[cst.CSTNode, Reduction] = field(default_factory=dict)
    first: list[PrivateVariable] = field(default_factory=list)


def predicated_stores(iterations: ParallelNestAnalysis, statement: cst.CSTNode) -> PredicatedStores:
    """The stores and reductions of an `if`; nothing where it does anything else."""
    if not isinstance(statement, cst.If) or any(node in iterations.run.slices.ragged for node, _parent in walk(statement)):
        return PredicatedStores()  # what masks need is asserted before statements, which would be gone
    found = _Found()
    predications = _predications(iterations, statement, found) or {}
    made = [_output(statement, predication, found) for predication in predications.values()]
    kept = [each for each in made if each is not None]
    if not kept or None in made:
        return PredicatedStores()
    trapping_operands = sum(own.trapping for own in found.first)
    if trapping_operands and (
        trapping_operands > MOST_GUARDED
        or any(isinstance(node, cst.If) for node, _parent in walk(statement) if node is not statement)
    ):
        return PredicatedStores()  # the test that protects an operation that may trap is clear for one branch only
    kept.sort(key=lambda each: isinstance(each, Reduction))  # in source order
    kept[0] = kept[0]._replace(first=tuple(found.first))
    stores = tuple(each for each in kept if isinstance(each, Store))
    return PredicatedStores(stores, tuple(each for each in kept if isinstance(each, Reduction)))


def _output(statement: cst.If, predication: Predication, found: _Found) -> Store | Reduction | None:
    puts = predication.puts
    if puts[0].target is None:
        return _reduction(statement, predication, [found.reductions[put.node] for put in puts])
    return _store(statement, predication, puts, found.stores[puts[0].node])


def _reduction(statement: cst.If, predication: Predication, terms: list[Reduction]) -> Reduction | None:
    """All that a branch adds to one variable, or multiplies it by."""
    if len({term.how for term in terms}) > 1 or terms[0].how not in ("sum", "prod"):
        return None
    minus = all(term.minus for term in terms)
    return terms[0]._replace(branch=statement, predication=predication, minus=minus)


def _store(statement: cst.If, predication: Predication, puts: Sequence[Put], store: Store) -> Store | None:
    """All that a branch stores into one array, where it is one location; a sum, where there is no other arm."""
    if len({"".join(verbatim(put.target).split()) for put in puts if put.target is not None}) > 1:
        return None
    if store.summed:
        return (
            store._replace(branch=statement, predication=predication)
            if predication.yes is puts[0] and predication.no is None
            else None
        )
    return store._replace(operator=None, own=None, branch=statement, predication=predication)


def _predications(iterations: ParallelNestAnalysis, node: cst.If, found: _Found) -> dict[str, Predication] | None:
    """The stores of a branch, by location; None where they are not understood, or an arm is expensive."""
    other = node.orelse.body if isinstance(node.orelse, cst.Else) else node.orelse
    if not _asks(iterations, node.test):
        return None
    lengths = not _of_indices(iterations, node.test)
    yes = _arm(iterations, node.body, found, True, lengths)
    no = {} if other is None else _arm(iterations, other, found, False, lengths)
    if yes is None or no is None:
        return None
    made = {}
    for location in {**yes, **no}:
        arms = yes.get(location), no.get(location)
        puts = [arm for arm in arms if isinstance(arm, Put)]
        trapping = speculation.trapping(iterations.run, [put.node for put in puts])
        if trapping > MOST_GUARDED or (trapping and any(isinstance(arm, Predication) for arm in arms)):
            return None
        made[location] = Predication(node.test, *arms, trapping)
    return made


def _arm(
    iterations: ParallelNestAnalysis, block: cst.CSTNode, found: _Found, taken: bool, lengths: bool
) -> dict[str, Predication | Put] | None:
    """The stores of one arm, by location. `taken`: the arm for which the test holds; `lengths`: norms of vectors count as
    expensive.
    """
    made: dict[str, Predication | Put] = {}
    stored: set[str] = set()
    for small in _statements(block):
        more: Mapping[str, Predication | Put] | None = None
        if isinstance(small, cst.If):
            more = _predications(iterations, small, found)
        elif (store := iterations.store(small)) is not None and _is_value(iterations, store, lengths):
            found.stores[small] = store
            location = "".join(verbatim(store.target.node).split())
            more = {location: Put(store.node, store.target.node, store.value, store.operator)}
        elif (term := iterations.reduction(small)) is not None and _is_number(iterations, term, lengths):
            assert isinstance(term.node, (cst.Assign, cst.AugAssign))
            found.reductions[small] = term
            more = {term.name: Put(term.node, None, term.value, cst.SubtractAssign() if term.minus else None)}
        elif isinstance(small, cst.Assign) and _is_private(iterations, small, block, lengths):
            found.first.append(PrivateVariable(small, taken, speculation.trapping(iterations.run, (small,))))
            more = {}
        if more is None or not made.keys().isdisjoint(more) or not stored.isdisjoint(_read(small)):
            return None  # it reads what the arm has stored already
        made |= more
        stored.update(location.partition("[")[0] for location in more)
    return made


def _read(small: cst.CSTNode) -> set[str]:
    """The variables that a statement reads, except for the array in which it stores."""
    match small:
        case (
            cst.AugAssign(target=cst.Subscript(slice=parts), value=value)
            | cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(slice=parts))], value=value)
        ):
            return {name for node in (*parts, value) for name in uses(node)[0]}
    return set(uses(small)[0])


def _is_private(iterations: ParallelNestAnalysis, line: cst.Assign, block: cst.CSTNode, lengths: bool) -> bool:
    """Whether a variable is bound to a number or an array that may be computed in any iteration, and is not read elsewhere."""
    match line.targets:
        case [cst.AssignTarget(target=cst.Name(value=name))]:
            pass
        case _:
            return False
    if (
        iterations.run.effects.updates.get(line)
        or not iterations.run.values.get(line.value, UNKNOWN).numeric
        or name not in iterations.private
    ):
        return False
    if speculation.expensive(iterations.run, (line,), lengths):
        return False
    nodes = [node for node, _parent in walk(iterations.body) if isinstance(node, cst.Name) and node.value == name]
    inside = {node for node in iterations.run.source.among(block, cst.Name) if node.value == name}
    bound = [node for node in nodes if isinstance(iterations.run.source.parents[node], (cst.AssignTarget, cst.AugAssign))]
    return len(bound) == 1 and all(node in inside for node in nodes)


def _statements(block: cst.CSTNode) -> Iterator[cst.CSTNode]:
    lines = block.body if isinstance(block, cst.IndentedBlock) else (block,)
    for line in lines:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else (line,):
            if not isinstance(small, cst.Pass):
                yield small


def _is_value(iterations: ParallelNestAnalysis, store: Store, lengths: bool) -> bool:
    """Whether a number or an array is stored that is cheap to compute speculatively."""
    number = iterations.run.values.get(store.value, UNKNOWN).numeric
    return (
        number
        and not isinstance(store.value, (cst.List, cst.Tuple))
        and not speculation.expensive(iterations.run, (store.node,), lengths)
    )


def _is_number(iterations: ParallelNestAnalysis, term: Reduction, lengths: bool) -> bool:
    number = iterations.run.values.get(term.value, UNKNOWN).numeric
    return number and term.how in ("sum", "prod") and not speculation.expensive(iterations.run, (term.node,), lengths)


def _asks(iterations: ParallelNestAnalysis, test: cst.BaseExpression) -> bool:
    """Whether Python knows all of a test, or nothing of it, and what is computed is as cheap as what is stored."""
    if iterations.is_static(test):
        return not iterations.mentions(test)
    return not speculation.expensive(iterations.run, (test,)) and not any(iterations.is_static(part) for part in _parts(test))


def _of_indices(iterations: ParallelNestAnalysis, test: cst.BaseExpression) -> bool:
    """Whether a test depends only on the indices of loops: it selects iterations, `j > i`, or excludes some, `j != i`."""
    names = [node for node, _parent in walk(test) if isinstance(node, cst.Name)]
    return all(n.value in iterations.names or iterations.is_static(n) or _is_index(iterations, n) for n in names)


def _is_index(iterations: ParallelNestAnalysis, node: cst.Name) -> bool:
    bound = binding_nodes.bindings(iterations.run, node.value)
    return bool(bound) and all(isinstance(each, cst.For) for each in bound)


def _parts(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    match test:
        case cst.BooleanOperation(left=left, right=right):
            yield from (*_parts(left), *_parts(right))
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            yield from _parts(inner)
        case _:
            yield test
