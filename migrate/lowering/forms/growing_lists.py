"""A list to which a loop appends numbers, and which stays a list: an array with room for all iterations takes them, and the list is
made of those that were stored. It is in a variable, or in an attribute of the object, `self.losses`.

Lists of which only arrays are made, one element in each iteration, are left: the loop may accumulate these as they are.
"""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category, is_default
from ....rules.core.findings import Edit, Kind
from ....rules.facts.iteration_space import integer, iteration_space
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from ....rules.syntax.source_text import code
from ...syntax.bindings import parameters
from ...syntax.break_statements import breaks
from .form import Body, DesugaredStatement, with_comments

BLOCKS = (cst.IndentedBlock, cst.If, cst.Else)
MAKERS = ("numpy.array", "numpy.asarray", "numpy.stack", "numpy.vstack", "numpy.concatenate")
INEXACT = ("float", "mean", "size")  # the rules for the dtypes of results that are no integers
ELEMENTS = {0: "bool", 1: "int", 2: ""}  # the dtype to allocate, by category; that of floats is NumPy's default
COMPLEX = frozenset("complex complex64 complex128 csingle cdouble imag conj conjugate angle fft roots eig eigvals".split())
ROOM = 10_000_000  # iterations of a literal number, for which memory is allocated


class _Growth(NamedTuple):
    """The statement that appends, in a line of its own, to a list, which another line starts. `owner`: the variable or the attribute
    that holds the list; `name`: its name."""

    line: cst.SimpleStatementLine
    owner: cst.Name | cst.Attribute
    name: str
    item: cst.BaseExpression
    start: cst.SimpleStatementLine


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.For) or statement.orelse is not None or statement.asynchronous is not None:
        return None
    if body.source.among(statement.body, cst.Return, cst.Raise, cst.Yield, cst.Await) or (numpy := _numpy(body)) is None:
        return None
    growth = next(
        (g for line in body.source.among(statement.body, cst.SimpleStatementLine) if (g := _growth(line, statement, body))), None
    )
    room = None if growth is None else _room(statement, body)
    if growth is None or room is None or (key := f"{code(growth.owner)}.append") in body.kept:
        return None
    kind = _category(growth.item, statement, body)
    if kind is None:
        return None
    stem = growth.name.strip("_") or "list"
    items, count = body.fresh(f"{stem}_items"), body.fresh(f"{stem}_count")

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        dtype = [cst.Name(ELEMENTS[kind])] if ELEMENTS[kind] else []
        array = builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("empty")), room, *dtype)
        starts = [builders.assigned((items,), array), builders.assigned((count,), cst.Integer("0"))]
        return with_comments([*starts, made.with_changes(leading_lines=()), _listed(growth, items, count, body)], made)

    def stored(made: cst.SimpleStatementLine) -> cst.FlattenSentinel[cst.BaseStatement]:
        place = cst.Subscript(cst.Name(items), [cst.SubscriptElement(cst.Index(cst.Name(count)))])
        store = made.with_changes(body=[cst.Assign([cst.AssignTarget(place)], builders.bare(growth.item))])
        counted = cst.AugAssign(cst.Name(count), cst.AddAssign(), cst.Integer("1"))
        return cst.FlattenSentinel([store, cst.SimpleStatementLine([counted])])

    edits: dict[cst.CSTNode, Edit] = {statement: edit, growth.line: stored}
    if _is_empty(growth.start):
        edits[growth.start] = builders.gone
    return DesugaredStatement("a list of numbers that grows", edits, key, (items,))


def _growth(line: cst.SimpleStatementLine, loop: cst.For, body: Body) -> _Growth | None:
    """What a line appends to a list that the function itself starts, and that the loop uses for nothing else."""
    match line:
        case cst.SimpleStatementLine(
            body=[
                cst.Expr(
                    value=cst.Call(
                        func=cst.Attribute(value=cst.Name() | cst.Attribute() as owner, attr=cst.Name(value="append")),
                        args=[cst.Arg(value=item, keyword=None, star="")],
                    )
                )
            ]
        ):
            pass
        case _:
            return None
    above = list(takewhile(lambda n: n is not loop, body.source.above(line)))
    name = owner.value if isinstance(owner, cst.Name) else owner.attr.value
    if isinstance(owner, cst.Name) and name in body.captured:
        return None
    if not all(isinstance(n, BLOCKS) for n in above) or len(_mentions(owner, loop, body)) != 1:
        return None
    before = list(takewhile(lambda s: not _starts(s, owner), body.before(loop)))
    start = next(iter(body.before(loop)[len(before) :]), None)
    if any(_mentions(owner, s, body) for s in before) or (
        isinstance(owner, cst.Attribute) and not all(_is_plain(owner, s, body) for s in (*before, loop))
    ):
        return None
    match start:
        case cst.SimpleStatementLine(body=[cst.Assign(value=cst.List() as value)]) if not _mentions(owner, value, body):
            regular = len(above) == 1 and not any(breaks(loop.body)) and not body.source.among(loop.body, cst.Continue)
            if regular and isinstance(owner, cst.Name) and _becomes_array(name, loop, body):
                return None
            return _Growth(line, owner, name, item, start)
    return None


def _mentions(owner: cst.Name | cst.Attribute, node: cst.CSTNode, body: Body) -> list[cst.CSTNode]:
    """Where a variable or an attribute occurs."""
    if isinstance(owner, cst.Name):
        return [n for n in body.source.among(node, cst.Name) if n.value == owner.value]
    return [n for n in body.source.among(node, cst.Attribute) if code(n) == code(owner)]


def _starts(statement: cst.CSTNode, owner: cst.Name | cst.Attribute) -> bool:
    """Whether a statement binds a list to a variable or an attribute, and does nothing else."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=cst.List())]):
            return type(target) is type(owner) and code(target) == code(owner)
    return False


def _is_plain(owner: cst.Attribute, node: cst.CSTNode, body: Body) -> bool:
    """Whether nothing but its own attributes is read and bound of the object of a method: no method is called, which might look at the
    list."""
    receiver, given = owner.value, parameters(body.owner.params)
    if not isinstance(receiver, cst.Name) or not given or receiver.value != given[0].name.value:
        return False
    for name in (n for n in body.source.among(node, cst.Name) if n.value == receiver.value):
        attribute = body.source.parents[name]
        call = body.source.parents[attribute] if attribute is not None else None
        if not isinstance(attribute, cst.Attribute) or attribute.value is not name:
            return False
        if isinstance(call, cst.Call) and call.func is attribute:
            return False
    return True


def _becomes_array(name: str, loop: cst.For, body: Body) -> bool:
    """Whether a list is only made an array after the loop."""
    position = body.source.spans[loop][1]
    later = [n for n in body.source.among(body.owner, cst.Name) if n.value == name and body.source.spans[n][0] >= position]
    calls = [
        call for n in later if isinstance(argument := body.source.parents[n], cst.Arg) and (call := body.source.parents[argument])
    ]
    return bool(later) and len(calls) == len(later) and all(body.calls(call) in MAKERS for call in calls)


def _room(loop: cst.For, body: Body) -> cst.BaseExpression | None:
    """The number of iterations of a loop, unless something ends it; at least 1, as JAX selects nothing from empty arrays."""
    space = iteration_space(loop.target, loop.iter, body.scopes.qualname)
    if space.function == "enumerate":
        space = space.parts[0]
    if space.function == "" and isinstance(space.iterable, cst.Name):
        if body.values.get(space.iterable, UNKNOWN).kind is not Kind.ARRAY:
            return None
        count: cst.BaseExpression = builders.call(cst.Name("len"), space.iterable)
    elif not space.is_range or space.stop is None:
        return None
    elif (number := integer(space.stop)) is not None and len(space.bounds) == 1:
        return cst.Integer(str(max(number, 1))) if number <= ROOM else None
    else:
        count = space.stop if len(space.bounds) == 1 else builders.call(cst.Name("len"), space.iterable)
    return builders.call(cst.Name("max"), count.deep_clone(), cst.Integer("1"))


def _category(item: cst.BaseExpression, loop: cst.For, body: Body) -> int | None:
    """The category of the dtype of a number, see `dtypes.category`; None if it may be narrow or is no real number."""
    value = body.values.get(item, UNKNOWN)
    if value.kind is Kind.SCALAR and is_default(value.dtype):
        return category(value.dtype) if category(value.dtype) in ELEMENTS else None
    unknown = value.kind is Kind.SCALAR and not value.dtype and not _names_complex(body)
    return 2 if unknown and _is_inexact(item, loop, body) else None


def _names_complex(body: Body) -> bool:
    """Whether the file has complex numbers, as far as it names them."""
    names = (n.value for n in body.source.among(body.source.module, cst.Name))
    return bool(body.source.among(body.source.module, cst.Imaginary)) or not COMPLEX.isdisjoint(names)


def _is_inexact(node: cst.BaseExpression, loop: cst.For, body: Body) -> bool:
    """Whether an expression certainly gives no integers."""
    match node:
        case cst.Float() | cst.BinaryOperation(operator=cst.Divide()):
            return True
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract() | cst.Multiply(), right=right):
            return _is_inexact(left, loop, body) or _is_inexact(right, loop, body)
        case cst.BinaryOperation(left=left, operator=cst.Power()):
            return _is_inexact(left, loop, body)
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return _is_inexact(inner, loop, body)
        case cst.Name(value=name):
            bound = [
                n for n in body.source.among(loop, cst.AssignTarget) if isinstance(n.target, cst.Name) and n.target.value == name
            ]
            made = body.source.parents[bound[0]] if len(bound) == 1 else None
            return isinstance(made, cst.Assign) and name not in _names(made.value, body) and _is_inexact(made.value, loop, body)
        case cst.Call(func=func):
            entry = numpy_table.function(name) if (name := body.calls(node)).startswith("numpy.") else None
            if not name and isinstance(func, cst.Attribute):
                entry = numpy_table.method(func.attr.value)
            return entry is not None and entry.dtype in INEXACT
    return False


def _names(node: cst.CSTNode, body: Body) -> set[str]:
    return {n.value for n in body.source.among(node, cst.Name)}


def _listed(growth: _Growth, items: str, count: str, body: Body) -> cst.BaseStatement:
    """The statement that makes the list of what was stored, or adds it to what the list starts with."""
    stored: cst.BaseExpression = cst.Subscript(
        cst.Name(items), [cst.SubscriptElement(cst.Slice(lower=None, upper=cst.Name(count)))]
    )
    value = body.values.get(growth.item, UNKNOWN)
    if value.dtype in ("bool", "int", "float"):  # numbers of Python
        stored = builders.method(stored, "tolist")
        whole = stored
    else:
        whole = builders.call(cst.Name("list"), stored)
    if _is_empty(growth.start):
        return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(growth.owner.deep_clone())], whole)])
    return cst.SimpleStatementLine([cst.Expr(builders.method(growth.owner.deep_clone(), "extend", stored))])


def _is_empty(start: cst.SimpleStatementLine) -> bool:
    """Whether a list starts empty, and nothing is said about it."""
    match start.body[0]:
        case cst.Assign(value=cst.List(elements=[])):
            return start.trailing_whitespace.comment is None and not any(line.comment for line in start.leading_lines)
    return False


def _numpy(body: Body) -> cst.BaseExpression | None:
    """NumPy's module as the function writes it; None if it uses JAX already."""
    modules = {body.scopes.qualname(n.value) or "": n.value for n in body.source.among(body.owner, cst.Attribute)}
    return None if any(name.partition(".")[0] == "jax" for name in modules) else modules.get("numpy")


__all__ = ["desugar"]
