"""Branches of a turn that do nothing but store, each side into one place of an array, the same on all sides, or not at all; and
that add to variables.

All turns are taken at once then: `jnp.where` chooses what is stored, and what is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from ....rules.facts.parallel_loops import Choice, Own, Put, Reduction, Store
from ....rules.facts.values import UNKNOWN
from ...syntax.liveness import uses
from ...syntax.source import walk
from ..branches import conditions, speculation
from .loop_nest import code

if TYPE_CHECKING:
    from .parallel_loops import AtOnce

MOST_GUARDED = 4  # operations that are undefined for some values: with more, `lax.cond` reads better


class Chosen(NamedTuple):
    """What a branch stores, by array, and what it adds up, by variable."""

    stores: tuple[Store, ...] = ()
    reductions: tuple[Reduction, ...] = ()


@dataclass(slots=True)
class _Found:
    """What was found in a branch, by the statements. `first`: what its sides bind for themselves."""

    stores: dict[cst.CSTNode, Store] = field(default_factory=dict)
    reductions: dict[cst.CSTNode, Reduction] = field(default_factory=dict)
    first: list[Own] = field(default_factory=list)


def chosen_by(turns: AtOnce, statement: cst.CSTNode) -> Chosen:
    """What an `if` stores and adds up; nothing where it does anything else."""
    if not isinstance(statement, cst.If) or any(node in turns.run.slices.ragged for node, _parent in walk(statement)):
        return Chosen()  # what masks need is said ahead of statements, which would be gone
    found = _Found()
    choices = _choices(turns, statement, found) or {}
    made = [_kept(statement, choice, found) for choice in choices.values()]
    kept = [each for each in made if each is not None]
    if not kept or None in made:
        return Chosen()
    guarded = sum(own.partial for own in found.first)
    if guarded and (
        guarded > MOST_GUARDED or any(isinstance(node, cst.If) for node, _parent in walk(statement) if node is not statement)
    ):
        return Chosen()  # which test keeps an operation from what it is undefined for is clear for one branch
    kept.sort(key=lambda each: isinstance(each, Reduction))  # as they are written
    kept[0] = kept[0]._replace(first=tuple(found.first))
    stores = tuple(each for each in kept if isinstance(each, Store))
    return Chosen(stores, tuple(each for each in kept if isinstance(each, Reduction)))


def _kept(statement: cst.If, choice: Choice, found: _Found) -> Store | Reduction | None:
    puts = choice.puts
    if puts[0].target is None:
        return _reduction(statement, choice, [found.reductions[put.node] for put in puts])
    return _store(statement, choice, puts, found.stores[puts[0].node])


def _reduction(statement: cst.If, choice: Choice, terms: list[Reduction]) -> Reduction | None:
    """All that a branch adds to one variable, or multiplies it with."""
    if len({term.how for term in terms}) > 1 or terms[0].how not in ("sum", "prod"):
        return None
    minus = all(term.minus for term in terms)
    return terms[0]._replace(branch=statement, choice=choice, minus=minus)


def _store(statement: cst.If, choice: Choice, puts: Sequence[Put], store: Store) -> Store | None:
    """All that a branch stores into one array, where it is one place; what it adds up, where there is no other side."""
    if len({"".join(code(put.target).split()) for put in puts if put.target is not None}) > 1:
        return None
    if store.summed:
        return store._replace(branch=statement, choice=choice) if choice.yes is puts[0] and choice.no is None else None
    return store._replace(operator=None, own=None, branch=statement, choice=choice)


def _choices(turns: AtOnce, node: cst.If, found: _Found) -> dict[str, Choice] | None:
    """What a branch stores, by place; None where that is not understood, or a side is dear."""
    other = node.orelse.body if isinstance(node.orelse, cst.Else) else node.orelse
    if not _asks(turns, node.test):
        return None
    lengths = not _of_indices(turns, node.test)
    yes = _side(turns, node.body, found, True, lengths)
    no = {} if other is None else _side(turns, other, found, False, lengths)
    if yes is None or no is None:
        return None
    made = {}
    for place in {**yes, **no}:
        sides = yes.get(place), no.get(place)
        puts = [side for side in sides if isinstance(side, Put)]
        partial = speculation.partial(turns.run, [put.node for put in puts])
        if partial > MOST_GUARDED or (partial and any(isinstance(side, Choice) for side in sides)):
            return None
        made[place] = Choice(node.test, *sides, partial)
    return made


def _side(turns: AtOnce, block: cst.CSTNode, found: _Found, taken: bool, lengths: bool) -> dict[str, Choice | Put] | None:
    """What one side stores, by place. `taken`: the one for which the test holds; `lengths`: those of vectors are dear."""
    made: dict[str, Choice | Put] = {}
    stored: set[str] = set()
    for small in _statements(block):
        more: Mapping[str, Choice | Put] | None = None
        if isinstance(small, cst.If):
            more = _choices(turns, small, found)
        elif (store := turns.store(small)) is not None and _is_value(turns, store, lengths):
            found.stores[small] = store
            place = "".join(code(store.target.node).split())
            more = {place: Put(store.node, store.target.node, store.value, store.operator)}
        elif (term := turns.reduction(small)) is not None and _is_number(turns, term, lengths):
            assert isinstance(term.node, (cst.Assign, cst.AugAssign))
            found.reductions[small] = term
            more = {term.name: Put(term.node, None, term.value, cst.SubtractAssign() if term.minus else None)}
        elif isinstance(small, cst.Assign) and _is_own(turns, small, block, lengths):
            found.first.append(Own(small, taken, speculation.partial(turns.run, (small,))))
            more = {}
        if more is None or not made.keys().isdisjoint(more) or not stored.isdisjoint(_read(small)):
            return None  # it reads what the side has stored by then
        made |= more
        stored.update(place.partition("[")[0] for place in more)
    return made


def _read(small: cst.CSTNode) -> set[str]:
    """The variables that a statement reads, but for the array in which it stores."""
    match small:
        case (
            cst.AugAssign(target=cst.Subscript(slice=parts), value=value)
            | cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(slice=parts))], value=value)
        ):
            return {name for node in (*parts, value) for name in uses(node)[0]}
    return set(uses(small)[0])


def _is_own(turns: AtOnce, line: cst.Assign, block: cst.CSTNode, lengths: bool) -> bool:
    """Whether a variable is bound to a number or an array that may be computed in any turn, and nobody reads it elsewhere."""
    match line.targets:
        case [cst.AssignTarget(target=cst.Name(value=name))]:
            pass
        case _:
            return False
    if turns.run.effects.updates.get(line) or not turns.run.values.get(line.value, UNKNOWN).numeric or name not in turns.private:
        return False
    if speculation.dear(turns.run, (line,), lengths):
        return False
    nodes = [node for node, _parent in walk(turns.body) if isinstance(node, cst.Name) and node.value == name]
    inside = {node for node in turns.run.source.among(block, cst.Name) if node.value == name}
    bound = [node for node in nodes if isinstance(turns.run.source.parents[node], (cst.AssignTarget, cst.AugAssign))]
    return len(bound) == 1 and all(node in inside for node in nodes)


def _statements(block: cst.CSTNode) -> Iterator[cst.CSTNode]:
    lines = block.body if isinstance(block, cst.IndentedBlock) else (block,)
    for line in lines:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else (line,):
            if not isinstance(small, cst.Pass):
                yield small


def _is_value(turns: AtOnce, store: Store, lengths: bool) -> bool:
    """Whether a number or an array is stored, which is cheap to compute where it is not wanted, too."""
    number = turns.run.values.get(store.value, UNKNOWN).numeric
    return (
        number and not isinstance(store.value, (cst.List, cst.Tuple)) and not speculation.dear(turns.run, (store.node,), lengths)
    )


def _is_number(turns: AtOnce, term: Reduction, lengths: bool) -> bool:
    number = turns.run.values.get(term.value, UNKNOWN).numeric
    return number and term.how in ("sum", "prod") and not speculation.dear(turns.run, (term.node,), lengths)


def _asks(turns: AtOnce, test: cst.BaseExpression) -> bool:
    """Whether Python knows all of a test, or nothing: what is computed of it is as cheap as what is stored."""
    if turns.is_static(test):
        return not turns.mentions(test)
    return not speculation.dear(turns.run, (test,)) and not any(turns.is_static(part) for part in _parts(test))


def _of_indices(turns: AtOnce, test: cst.BaseExpression) -> bool:
    """Whether a test asks of nothing but the indices of loops: which turns there are, `j > i`, or are left out, `j != i`."""
    names = [node for node, _parent in walk(test) if isinstance(node, cst.Name)]
    return all(n.value in turns.names or turns.is_static(n) or _is_index(turns, n) for n in names)


def _is_index(turns: AtOnce, node: cst.Name) -> bool:
    bound = conditions.bindings(turns.run, node.value)
    return bool(bound) and all(isinstance(each, cst.For) for each in bound)


def _parts(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    match test:
        case cst.BooleanOperation(left=left, right=right):
            yield from (*_parts(left), *_parts(right))
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            yield from _parts(inner)
        case _:
            yield test
