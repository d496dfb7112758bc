"""What a boolean mask selects: `x[mask]`, also through a variable that is only read where a mask on the whole array does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import libcst as cst

from ...rules.facts import UNKNOWN, covers
from ...rules.model import Kind
from ..source import walk
from .domain import category
from .places import Places
from .state import MASKED, Run, handed_back


@dataclass(frozen=True, slots=True)
class Selection:
    """The elements of an array where a mask holds, in one axis. `same`: array and mask certainly have as many dimensions.
    `named`: a variable holds the whole array where the text has it hold the selection."""

    subscript: cst.Subscript
    mask: cst.BaseExpression
    text: str
    same: bool
    named: bool = False


def selection(run: Run, node: cst.CSTNode) -> Selection | None:
    """What a subscript with a mask as its only index selects; None for any other."""
    match node:
        case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=mask))]):
            array, given = run.values.get(base, UNKNOWN), run.values.get(mask, UNKNOWN)
            if array.kind is not Kind.ARRAY or given.kind is not Kind.ARRAY or category(given.dtype) != 0:
                return None
            return Selection(node, mask, " ".join(cst.Module([]).code_for_node(mask).split()), covers(given, array))
    return None


def selected(run: Run, nodes: Iterable[cst.CSTNode]) -> dict[cst.CSTNode, Selection]:
    """All subscripts of a unit with a mask; empty where none of them keeps jit away."""
    if MASKED not in run.impure.values():
        return {}
    return {node: found for node in nodes if isinstance(node, cst.Subscript) and (found := selection(run, node)) is not None}


def held(run: Run, places: Places, nodes: list[cst.CSTNode], made: Iterable[cst.CSTNode]) -> dict[cst.Assign, list[cst.Name]]:
    """Those of some statements that are `v = ...`, with all places where v is read, what it is made of then being the same."""
    found: dict[cst.Assign, list[cst.Name]] = {}
    for node in made:
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name) as target)]):
                reads = [n for n in nodes if isinstance(n, cst.Name) and n.value == name and n is not target]
                reads = [n for n in reads if not _is_label(run, n)]
                if _narrows(run, places, node, name):  # what was the whole array up to here is read as one after it
                    reads = [n for n in reads if places.start(n) > places.start(node) and not run.source.inside(n, node)]
                    alone = not commented(run, node)
                else:
                    alone = len(places.bound(name, node) or ()) == 1
                if alone and reads and all(places.follows(node, r) for r in reads) and _stays(run, places, node, reads):
                    found[node] = reads
    return found


def _narrows(run: Run, places: Places, node: cst.Assign, name: str) -> bool:
    """Whether a statement is `x = x[mask]`, after which nothing binds x, and which is no argument that is handed back."""
    match node.value:
        case cst.Subscript(value=cst.Name(value=base)) if base == name:
            return selection(run, node.value) is not None and places.narrowed(name, node) and name not in handed_back(run)
    return False


def commented(run: Run, made: cst.Assign) -> bool:
    """Whether a comment stands at a statement."""
    line = run.source.parents[made]
    if not isinstance(line, cst.SimpleStatementLine):
        return True
    return line.trailing_whitespace.comment is not None or any(above.comment is not None for above in line.leading_lines)


def _is_label(run: Run, node: cst.Name) -> bool:
    """An attribute's name or a keyword, which is no variable."""
    above = run.source.parents[node]
    return (isinstance(above, cst.Attribute) and above.attr is node) or (isinstance(above, cst.Arg) and above.keyword is node)


def _stays(run: Run, places: Places, made: cst.Assign, reads: list[cst.Name]) -> bool:
    """Whether nothing that the selection is made of, nor the selection itself, changes before the last of the reads."""
    names = variables(run, made.value) | {reads[0].value}
    value = run.values.get(made.value, UNKNOWN)
    own = bool(value.memory) and all(m.startswith(("new:", "old:")) for m in value.memory)
    computed = own and not isinstance(made.value, cst.Subscript)  # and stays as it is, whatever it was made of
    bounds = (b for n, _p in walk(made.value) if isinstance(n, cst.Slice) for b in (n.lower, n.upper) if b is not None)
    changing = {reads[0].value}.union(*(variables(run, b) for b in bounds)) if computed else names
    return stays(run, places, made, reads, names - {reads[0].value}, changing)


def stays(
    run: Run, places: Places, made: cst.Assign, reads: list[cst.Name], names: set[str], changing: set[str] | None = None
) -> bool:
    """Whether no variable of some names is bound anew between a statement and the last of the reads, nor changed in place."""
    changing = names if changing is None else changing
    for read in reads:
        begin, end = places.between(made, read)
        changes = (n for n, updates in run.updates.items() for u in updates if _root_of(u.place) in changing)
        if any(begin <= places.start(n) <= end for n in changes):
            return False
        if not all(places.unchanged(name, read, begin, end) for name in names):
            return False
    return True


def variables(run: Run, node: cst.BaseExpression) -> set[str]:
    """The variables that an expression reads; Python's own functions are none."""
    found = {n.value for n, above in walk(node) if type(n) is cst.Name and not (type(above) is cst.Attribute and above.attr is n)}
    scope = run.scopes.scope_of(node)
    return {name for name in found if run.scopes.lookup(scope, name) is not None}


def _root_of(place: str) -> str:
    return place.partition(".")[0].partition("[")[0]
