"""The lists to which a loop appends, and that it uses for nothing else but to read the last items, and the length."""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

import libcst as cst

from ....rules.facts.values import UNKNOWN, Value
from ....rules.syntax import builders
from ....rules.syntax.source_text import code
from ...analysis.loops.list_accumulation import appended_item, is_python
from ...syntax.bindings import parameters
from ...syntax.break_statements import breaks
from .form import Body
from .list_items import Unwrapped, known, unwrapped
from .list_reads import Reads, has_items, reads_of

BLOCKS = (cst.IndentedBlock, cst.If, cst.Else)
MAKERS = ("numpy.array", "numpy.asarray", "numpy.stack", "numpy.vstack", "numpy.concatenate")


class Growth(NamedTuple):
    """The statement that appends, in a line of its own, to a list, which another line starts.

    `owner`: the variable or the attribute that holds the list; `name`: its name. `unwrapped`: makes `item` of what is appended.
    `regular`: each iteration appends one item. `reads`: what the loop reads of it; `carried`: the last item before it appends one.
    `started`: how many items it has before the loop. `value`: what is known of the items; `python`: they are numbers of Python.
    """

    line: cst.SimpleStatementLine
    owner: cst.Name | cst.Attribute
    name: str
    item: cst.BaseExpression
    unwrapped: Unwrapped
    start: cst.SimpleStatementLine
    regular: bool
    reads: Reads
    carried: bool
    started: int
    value: Value
    python: bool


def fills_lists(statement: cst.CSTNode, body: Body) -> bool:
    """Whether a statement appends to a list, at any depth."""
    return any(appended_item(line) is not None for line in body.source.among(statement, cst.SimpleStatementLine))


def growth_of(line: cst.SimpleStatementLine, loop: cst.For, body: Body, interrupted: bool) -> Growth | None:
    """What a line appends to a list that the function itself starts, and that the loop uses for nothing else. `interrupted`: code that
    stays Python runs between some iterations."""
    appended = appended_item(line)
    if appended is None:
        return None
    owner, item = appended
    above = list(takewhile(lambda n: n is not loop, body.source.above(line)))
    name = owner.value if isinstance(owner, cst.Name) else owner.attr.value
    if isinstance(owner, cst.Name) and name in body.captured:
        return None
    reads = reads_of(_mentions(owner, loop, body), line, body)
    if not all(isinstance(n, BLOCKS) for n in above) or reads is None:
        return None
    siblings = above[0].body if isinstance(above[0], cst.IndentedBlock) else ()
    after = siblings[next((k for k, s in enumerate(siblings) if s is line), len(siblings)) + 1 :]
    early = [read for read in reads.lasts if not any(body.source.inside(read, s) for s in after)]
    before = list(takewhile(lambda s: not _starts(s, owner), body.before(loop)))
    start = next(iter(body.before(loop)[len(before) :]), None)
    if any(_mentions(owner, s, body) for s in before) or (
        isinstance(owner, cst.Attribute) and not all(is_plain(owner, s, body) for s in (*before, loop))
    ):
        return None
    match start:
        case cst.SimpleStatementLine(body=[cst.Assign(value=value)]) if not _mentions(owner, value, body):
            own = _start_of(owner, start)
            started = len(own.elements) if isinstance(own, cst.List) else 0
            asked = [*((read, 1) for read in early), *((read, 2) for read in reads.previous)]
            if not all(has_items(read, least, owner, line, loop, body, started) for read, least in asked):
                return None
            regular = len(above) == 1 and not any(breaks(loop.body)) and not body.source.among(loop.body, cst.Continue)
            if (
                regular
                and not interrupted
                and all(isinstance(t, cst.Name) and _becomes_array(t.value, loop, body) for t in _targets(start))
            ):
                return None
            bare = unwrapped(item, loop, body)
            inner = item if bare is None else bare(item)
            first = own.elements[-1].value if isinstance(own, cst.List) and own.elements else None
            value_of_item = known(
                inner, [*reads.lasts, *reads.previous], UNKNOWN if first is None else body.values.get(first, UNKNOWN), body
            )
            python = bare is not None or is_python(value_of_item)
            given = bare or (lambda made: made)
            return Growth(line, owner, name, inner, given, start, regular, reads, bool(early), started, value_of_item, python)
    return None


def _mentions(owner: cst.Name | cst.Attribute, node: cst.CSTNode, body: Body) -> list[cst.CSTNode]:
    """Where a variable or an attribute occurs."""
    if isinstance(owner, cst.Name):
        return [n for n in body.source.among(node, cst.Name) if n.value == owner.value]
    return [n for n in body.source.among(node, cst.Attribute) if code(n) == code(owner)]


def _starts(statement: cst.CSTNode, owner: cst.Name | cst.Attribute) -> bool:
    """Whether a statement binds a list to a variable or an attribute, or lists to several, and does nothing else."""
    return _start_of(owner, statement) is not None


def _start_of(owner: cst.Name | cst.Attribute, statement: cst.CSTNode | None) -> cst.BaseExpression | None:
    """The list that such a statement binds to a variable or an attribute."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
            targets, values = _parts(target), _parts(value)
            if len(targets) == len(values) and all(map(_is_list, values)):
                return next(
                    (v for t, v in zip(targets, values, strict=True) if type(t) is type(owner) and code(t) == code(owner)), None
                )
    return None


def _targets(start: cst.SimpleStatementLine) -> list[cst.BaseExpression]:
    return [
        part for node in start.body if isinstance(node, cst.Assign) for target in node.targets for part in _parts(target.target)
    ]


def _parts(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    return [e.value for e in node.elements] if isinstance(node, cst.Tuple) else [node]


def _is_list(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.List) or (isinstance(node, cst.Call) and code(node) == "list()")


def is_empty(start: cst.SimpleStatementLine) -> bool:
    """Whether a list alone starts empty, and nothing is said about it."""
    match start.body[0]:
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Name() | cst.Attribute())], value=cst.List(elements=[]) | cst.Call()
        ):
            return start.trailing_whitespace.comment is None and not any(line.comment for line in start.leading_lines)
    return False


def is_plain(owner: cst.Attribute, node: cst.CSTNode, body: Body) -> bool:
    """Whether nothing but its own attributes is read and bound of the object of a method: no method is called that might look at the
    list, but static ones, which do not get the object."""
    receiver, given = owner.value, parameters(body.owner.params)
    if not isinstance(receiver, cst.Name) or not given or receiver.value != given[0].name.value:
        return False
    for name in (n for n in body.source.among(node, cst.Name) if n.value == receiver.value):
        attribute = body.source.parents[name]
        call = body.source.parents[attribute] if attribute is not None else None
        if not isinstance(attribute, cst.Attribute) or attribute.value is not name:
            return False
        if isinstance(call, cst.Call) and call.func is attribute and attribute.attr.value not in _static_methods(body):
            return False
    return True


def _static_methods(body: Body) -> set[str]:
    around = next((node for node in body.source.above(body.owner) if isinstance(node, cst.ClassDef)), None)
    methods = [] if around is None else [line for line in builders.lines(around.body) if isinstance(line, cst.FunctionDef)]
    return {m.name.value for m in methods if any(code(d.decorator) == "staticmethod" for d in m.decorators)}


def _becomes_array(name: str, loop: cst.For, body: Body) -> bool:
    """Whether a list is only made an array after the loop."""
    position = body.source.spans[loop][1]
    later = [n for n in body.source.among(body.owner, cst.Name) if n.value == name and body.source.spans[n][0] >= position]
    calls = [
        call for n in later if isinstance(argument := body.source.parents[n], cst.Arg) and (call := body.source.parents[argument])
    ]
    return bool(later) and len(calls) == len(later) and all(body.calls(call) in MAKERS for call in calls)
