"""Arrays to which each iteration of a loop appends: a list accumulates the elements, and the array is extended with them after
the loop.

`np.append` copies the whole array in every iteration, and each time its length changes. How lists become arrays is decided as for
any other list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from ....rules.core.dtypes import strong
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from ....rules.syntax.tree import walk
from .form import Body, DesugaredStatement, with_comments

EMPTY = ("numpy.array", "numpy.empty", "numpy.zeros", "numpy.ones")
ROWS = ("numpy.vstack", "numpy.row_stack")
WIDE = frozenset(  # dtypes with the same promotion in NumPy and JAX
    ["builtins.float", "builtins.int", "builtins.complex", "numpy.float64", "numpy.int64", "numpy.complex128"]
)


class _Append(NamedTuple):
    """`statement` appends `item` to the array `name`, as a row if `rows`. `numpy`: NumPy's module as the statement writes it."""

    statement: cst.Assign
    name: str
    item: cst.BaseExpression
    numpy: cst.BaseExpression
    rows: bool = False


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.For) or statement.orelse is not None or statement.asynchronous is not None:
        return None
    for growth in _growths(statement, body):
        if growth.name in body.captured or not _starts_known(statement, growth, body):
            continue
        mentioned = [n for n in body.source.among(statement, cst.Name) if n.value == growth.name]
        if len(mentioned) != 2 or growth.name in {n.value for n, _p in walk(growth.item) if isinstance(n, cst.Name)}:
            continue
        return _with_list(statement, growth, body)
    return None


def _growths(loop: cst.For, body: Body) -> Iterator[_Append]:
    """The statements directly in the body of a loop that append to an array."""
    for line in builders.lines(loop.body):
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            match small:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                    found = _grown(small, name, value, body)
                    if found is not None:
                        yield found


def _grown(statement: cst.Assign, name: str, value: cst.BaseExpression, body: Body) -> _Append | None:
    match value:
        case cst.Call(
            func=cst.Attribute(value=numpy),
            args=[cst.Arg(value=cst.Name(value=first), keyword=None, star=""), cst.Arg(value=item, keyword=None, star="")],
        ) if body.calls(value) == "numpy.append":
            return _Append(statement, name, item, numpy) if first == name else None
        case cst.Call(
            func=cst.Attribute(value=numpy),
            args=[
                cst.Arg(
                    value=cst.Tuple(elements=[first_part, last_part]) | cst.List(elements=[first_part, last_part]),
                    keyword=None,
                    star="",
                )
            ],
        ) if isinstance(first_part.value, cst.Name) and first_part.value.value == name:
            called, item = body.calls(value), last_part.value
            if called in ROWS:
                return _Append(statement, name, item, numpy, rows=True)
            match item:
                case cst.List(elements=[cst.Element(value=inner)]) if called in ("numpy.concatenate", "numpy.hstack"):
                    return _Append(statement, name, inner, numpy)
                case cst.Call(args=[cst.Arg(value=cst.List(elements=[cst.Element(value=inner)]), keyword=None, star="")]) if (
                    called in ("numpy.concatenate", "numpy.hstack") and body.calls(item) == "numpy.array"
                ):
                    return _Append(statement, name, inner, numpy)
        case cst.Subscript(
            value=cst.Attribute(value=numpy) as row,
            slice=[
                cst.SubscriptElement(slice=cst.Index(value=cst.Name(value=first))),
                cst.SubscriptElement(slice=cst.Index(value=item)),
            ],
        ) if body.scopes.qualname(row) == "numpy.r_":
            return _Append(statement, name, item, numpy) if first == name else None
    return None


def _starts_known(loop: cst.For, growth: _Append, body: Body) -> bool:
    """Whether the array is known where the loop starts: it is empty, or of a dtype with the same promotion in NumPy and JAX. If
    it is bound before enclosing loops, this loop must contain all its mentions in them."""
    at: cst.CSTNode = loop
    while True:
        for line in body.before(at):
            if not any(n.value == growth.name for n in body.source.among(line, cst.Name)):
                continue
            match line:
                case cst.SimpleStatementLine(
                    body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=made)]
                ) if name == growth.name:
                    empty = isinstance(made, cst.Call) and _is_empty(made, growth.rows, body)
                    return empty or _is_wide(made, growth, body)
            return False
        if growth.rows:  # an inner loop creates several rows
            return False
        block = body.source.parents[at]
        enclosing = None if block is None else body.source.parents[block]
        if not isinstance(enclosing, cst.For) or block is not enclosing.body:
            return False
        inside = sum(n.value == growth.name for n in body.source.among(at, cst.Name))
        if sum(n.value == growth.name for n in body.source.among(enclosing, cst.Name)) != inside:
            return False
        at = enclosing


def _is_wide(made: cst.BaseExpression, growth: _Append, body: Body) -> bool:
    """Whether the rank of the array is known, and its dtype is known and not changed by the appended elements, as far as they are
    real."""
    value, item = (body.values.get(node, UNKNOWN) for node in (made, growth.item))
    if value.kind is not Kind.ARRAY or value.number or value.rank != (2 if growth.rows else 1):
        return False
    return value.dtype == "float64" or (value.dtype == "int64" and strong(item.dtype) == "int64")


def _is_empty(made: cst.Call, rows: bool, body: Body) -> bool:
    """`np.array([])`, `np.empty(0)`, `np.empty((0, k))` for rows."""
    called = body.calls(made)
    first = made.args[0].value if made.args and made.args[0].keyword is None and not made.args[0].star else None
    others = made.args[1:]
    if called not in EMPTY or len(others) > 1 or any(a.star or (a.keyword and a.keyword.value != "dtype") for a in others):
        return False
    if any(body.scopes.qualname(a.value) not in WIDE for a in others):
        return False
    match first:
        case cst.List(elements=[]) if called == "numpy.array":
            return not rows
        case cst.Integer(value="0") if called != "numpy.array":
            return not rows
        case cst.Tuple(elements=[cst.Element(value=cst.Integer(value="0"))]) if called != "numpy.array":
            return not rows
        case cst.Tuple(elements=[cst.Element(value=cst.Integer(value="0")), cst.Element()]) if called != "numpy.array":
            return rows
    return False


def _with_list(loop: cst.For, growth: _Append, body: Body) -> DesugaredStatement:
    items = body.fresh(f"{growth.name}_rows" if growth.rows else f"{growth.name}_items")
    added = builders.call(cst.Attribute(growth.numpy.deep_clone(), cst.Name("array")), cst.Name(items))
    array = cst.Name(growth.name)
    if growth.rows:
        both = cst.List([cst.Element(array), cst.Element(added)])
        grown = builders.call(cst.Attribute(growth.numpy.deep_clone(), cst.Name("vstack")), both)
    else:
        grown = builders.call(cst.Attribute(growth.numpy.deep_clone(), cst.Name("append")), array, added)
    put = cst.Expr(builders.call(cst.Attribute(cst.Name(items), cst.Name("append")), growth.item.deep_clone()))

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        alone = made.with_changes(leading_lines=())
        lines = [builders.assigned((items,), cst.List([])), alone, builders.assigned((growth.name,), grown)]
        return with_comments(lines, made)

    return DesugaredStatement(f"the array `{growth.name}` that grows", {loop: edit, growth.statement: lambda _made: put})
