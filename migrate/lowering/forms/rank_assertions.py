"""Arrays with elements that are used as scalars: `s = b[i]`, after which `s -= x` would change a row of `b`, if it had rows.

Nothing tells the rank of such an array. An `assert` states it if the elements are never used as arrays: then they are scalars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from ...analysis.state.ranks import asserted_rank
from ...syntax.bindings import parameters
from .form import Body, DesugaredStatement

PLAIN = ("builtins.abs", "builtins.float", "builtins.int", "builtins.max", "builtins.min", "builtins.round", "builtins.bool")


def desugar(owner: cst.FunctionDef, body: Body) -> DesugaredStatement | None:
    """An `assert` at the start of the function for each parameter with elements that must be scalars."""
    if not isinstance(owner.body, cst.IndentedBlock):
        return None
    ranks = scalar_ranks(owner, body)
    lines = [line for line in owner.body.body if not is_docstring(line)]
    if not ranks or not lines:
        return None
    asserted = [cst.parse_statement(f"assert {name}.ndim == {rank}") for name, rank in ranks.items()]

    def edit(made: cst.BaseStatement) -> cst.FlattenSentinel[cst.BaseStatement]:
        return cst.FlattenSentinel([*asserted, made])

    return DesugaredStatement(f"the number of dimensions of {', '.join(f'`{name}`' for name in ranks)}", {lines[0]: edit})


def is_docstring(line: cst.BaseStatement) -> bool:
    match line:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString())]):
            return True
    return False


def scalar_ranks(owner: cst.FunctionDef, body: Body) -> dict[str, int]:
    """The parameters of unknown rank with elements that must be scalars, and how many indices select one."""
    found = ((name, _rank(name, reads, body)) for name, _held, reads in open_arrays(owner, body, lambda name: {name}))
    return {name: rank for name, rank in found if rank}


def open_arrays(
    owner: cst.FunctionDef, body: Body, slice_aliases: Callable[[str], set[str]]
) -> Iterator[tuple[str, set[str], list[cst.Name]]]:
    """The array parameters of unknown rank, with their aliases (`slice_aliases`) and the reads of these."""
    names = body.source.among(owner.body, cst.Name)
    said = {name for node in body.source.among(owner.body, cst.Assert) if (name := asserted_rank(node.test)[0])}
    for parameter in parameters(owner.params):
        name = parameter.name.value
        held = slice_aliases(name)
        reads = [n for n in names if n.value in held and not body.source.is_label(n)]
        values = [body.values.get(n, UNKNOWN) for n in reads]
        known = name in said or any(v.rank >= 0 for v in values)
        if not known and not held & body.captured and any(v.kind is Kind.ARRAY for v in values):
            yield name, held, reads


def subscripts_of(reads: Iterable[cst.Name], body: Body) -> dict[cst.Subscript, list[cst.BaseSlice]]:
    """The subscripts of variables, with their indices."""
    found = [above for n in reads if isinstance(above := body.source.parents[n], cst.Subscript) and above.value is n]
    return {node: [part.slice for part in builders.flat(node.slice)] for node in found}


def _rank(name: str, reads: list[cst.Name], body: Body) -> int:
    """The number of indices that select an element of an array, if all its elements are used as scalars; otherwise 0."""
    parts = subscripts_of(reads, body)
    if any(isinstance(p, cst.Index) and not is_number(p.value, body) for each in parts.values() for p in each):
        return 0
    rank = max(map(len, parts.values()), default=0)
    items = [node for node, each in parts.items() if len(each) == rank and all(isinstance(p, cst.Index) for p in each)]
    if not items or any(isinstance(p, cst.Index) for each in parts.values() if len(each) < rank for p in each):
        return 0  # a row of it is read, too
    if any(_goes_through(n, body) for n in reads):
        return 0
    held = [(item, holder) for item in items if (holder := _holder(item, body))]
    aliases = {holder for _item, holder in held}
    uses = [n for n in body.source.among(body.owner.body, cst.Name) if n.value in aliases and not body.source.is_label(n)]
    if not held or body.captured & aliases or not all(as_number(node, body) for node in [*items, *uses]):
        return 0
    if all(_is_bound_or_returned(node, body) for node in [*items, *uses]):
        return 0  # nothing proves that it is a scalar
    changed = Counter(n.value for n in uses if _is_changed(n, body))
    read = Counter(n.value for n in uses if not _is_changed(n, body) and not isinstance(body.source.parents[n], cst.AssignTarget))
    return rank if all(read[alias] for alias in changed) else 0  # to change a scalar that is never read has no effect


def is_number(index: cst.BaseExpression, body: Body) -> bool:
    return body.values.get(index, UNKNOWN).kind is Kind.SCALAR or isinstance(index, cst.Integer)


def _goes_through(node: cst.CSTNode, body: Body) -> bool:
    """Whether a loop iterates over the array itself: then nothing is known about the uses of its rows."""
    above = body.source.parents[node]
    return isinstance(above, (cst.For, cst.CompFor)) and above.iter is node


def _holder(item: cst.CSTNode, body: Body) -> str:
    """The variable that an element is bound to, alone or beside others (`a, b = A[k, p], A[k, q]`); "" if there is none."""
    whole, above = body.with_tuple(item)
    if not isinstance(above, cst.Assign) or above.value is not whole:
        return ""
    for target in (each.target for each in above.targets):
        if isinstance(target, cst.Name) and whole is item:
            return target.value
        if isinstance(target, cst.Tuple) and isinstance(whole, cst.Tuple) and len(target.elements) == len(whole.elements):
            place = next(k for k, element in enumerate(whole.elements) if element.value is item)
            held = target.elements[place].value
            return held.value if isinstance(held, cst.Name) else ""
    return ""


def _is_changed(node: cst.Name, body: Body) -> bool:
    above = body.source.parents[node]
    return isinstance(above, cst.AugAssign) and above.target is node


def _is_bound_or_returned(node: cst.CSTNode, body: Body) -> bool:
    whole, above = body.with_tuple(node)
    if isinstance(above, cst.Assign) and above.value is whole:
        beside = whole is not node and bool(_holder(node, body))
        return beside or all(isinstance(t.target, cst.Name) for t in above.targets)
    changed = isinstance(above, cst.AugAssign) and above.target is whole and isinstance(node, cst.Subscript)
    return changed or isinstance(above, (cst.AssignTarget, cst.Return))


def as_number(node: cst.CSTNode, body: Body) -> bool:
    """Whether an expression may be a scalar here: nothing reads an attribute or an element of it, or iterates over it."""
    above = body.source.parents[node]
    if isinstance(above, cst.Attribute):
        return above.value is not node
    if isinstance(above, cst.Subscript):
        return above.value is not node
    if isinstance(above, (cst.For, cst.CompFor, cst.StarredElement)):
        return not (isinstance(above, (cst.For, cst.CompFor)) and above.iter is node)
    if isinstance(above, cst.BinaryOperation):
        return not isinstance(above.operator, cst.MatrixMultiply)
    if isinstance(above, cst.Arg):
        call = body.source.parents[above]
        called = body.calls(call)
        entry = numpy_table.function(called) if called.startswith("numpy.") else None
        return called in PLAIN or called.startswith("math.") or (entry is not None and bool(entry.ufunc))
    return True
