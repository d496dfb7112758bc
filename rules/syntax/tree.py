"""Walks over LibCST trees that skip white space and comments, and caches of facts about nodes."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import TypeVar

import libcst as cst

T = TypeVar("T")
Node = TypeVar("Node", bound=cst.CSTNode)
_forgetting: list[Callable[[], None]] = []

# Children that are tokens, not code: white space, punctuation, operators. Their parent node implies all that matters about them.
TOKENS = frozenset(
    "asynchronous body_separator colon comma conversion dot end equal first_colon footer header indent lbrace lbracket "
    "leading_lines lines_after_decorators lpar lines operator posonly_ind rbrace rbracket relative rpar second_colon "
    "semicolon separator start star trailing_comma trailing_whitespace encoding default_indent default_newline "
    "has_trailing_newline".split()
)

# LibCST lists some fields in an order other than that of the source.
SOURCE_ORDER: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.ClassDef: ("decorators", "name", "type_parameters", "bases", "keywords", "body"),
    cst.ExceptHandler: ("type", "name", "body"),
    cst.ExceptStarHandler: ("type", "name", "body"),
    cst.FunctionDef: ("decorators", "name", "type_parameters", "params", "returns", "body"),
    cst.IfExp: ("body", "test", "orelse"),
    cst.Arg: ("keyword", "value"),
    cst.MatchCase: ("pattern", "guard", "body"),
    cst.Parameters: ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
    cst.TypeAlias: ("name", "type_parameters", "value"),
}

LEAVES = (
    cst.BaseNumber,
    cst.Ellipsis,
    cst.FormattedStringText,
    cst.ImportStar,
    cst.Name,
    cst.SimpleString,
    cst.TemplatedStringText,
)


def _kinds(above: type[cst.CSTNode]) -> Iterator[type[cst.CSTNode]]:
    yield above
    for kind in above.__subclasses__():
        yield from _kinds(kind)


NODES = frozenset(_kinds(cst.CSTNode))  # type: ignore[type-abstract]
EXPRESSIONS = frozenset(_kinds(cst.BaseExpression))  # type: ignore[type-abstract]
COMPOUND = frozenset(_kinds(cst.BaseCompoundStatement))  # type: ignore[type-abstract]
STATEMENTS = COMPOUND | {cst.SimpleStatementLine}
SUITES = STATEMENTS | {cst.SimpleStatementSuite}  # also what contains small statements


class _Asked(ABCMeta):
    """The metaclass of LibCST node types, which are abstract: an isinstance test of those runs in Python, and no class is
    registered with them."""

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__


for _kind in NODES:
    setattr(_kind, "__hash__", object.__hash__)  # noqa: B010  # nodes are keys of most tables: that of LibCST is slow
    setattr(_kind, "__class__", _Asked)  # noqa: B010  # and every pattern tests their types


@cache
def child_fields(node_type: type[cst.CSTNode]) -> tuple[str, ...]:
    """The fields of a node type that contain code, in the order of the source."""
    if issubclass(node_type, LEAVES):
        return ()
    if node_type in SOURCE_ORDER:
        return SOURCE_ORDER[node_type]
    return tuple(f.name for f in fields(node_type) if f.name not in TOKENS and "whitespace" not in f.name)


@cache
def _reader(node_type: type[cst.CSTNode]) -> Callable[[cst.CSTNode], tuple[object, ...]] | None:
    """A function that fetches the values of the child fields, last first, in one call; None for a leaf."""
    names = child_fields(node_type)[::-1]
    if len(names) == 1:
        get = attrgetter(names[0])
        return lambda node: (get(node),)
    return attrgetter(*names) if names else None


def walk(root: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode | None]]:
    """Yield (node, parent) for `root` and all code below it, parents first, in source order. The parent of `root` is None."""
    stack: list[tuple[cst.CSTNode, cst.CSTNode | None]] = [(root, None)]
    pop, push = stack.pop, stack.append
    readers: dict[type[cst.CSTNode], Callable[[cst.CSTNode], tuple[object, ...]] | None] = {}
    while stack:
        item = pop()
        yield item
        node = item[0]
        kind = type(node)
        try:
            read = readers[kind]
        except KeyError:
            read = readers[kind] = _reader(kind)
        if read is None:
            continue
        for value in read(node):
            held = value.__class__
            if held is tuple or held is list:
                for child in reversed(value):  # type: ignore[call-overload]
                    push((child, node))
            elif held in NODES:
                push((value, node))  # type: ignore[arg-type]


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes directly below `node`, in source order."""
    found: list[cst.CSTNode] = []
    read = _reader(type(node))
    for value in () if read is None else reversed(read(node)):
        held = value.__class__
        if held is tuple or held is list:
            found.extend(value)  # type: ignore[arg-type]
        elif held in NODES:
            found.append(value)  # type: ignore[arg-type]
    return found


def remembered(question: Callable[[Node], T]) -> Callable[[Node], T]:
    """Cache a function of syntax alone, which every iteration of a loop and every worklist pass calls, for one conversion."""
    kept = cache(question)
    _forgetting.append(kept.cache_clear)
    return kept


def mentions(root: cst.CSTNode, name: str) -> list[tuple[cst.CSTNode, cst.CSTNode | None]]:
    """Where code reads or binds a variable, with the parent of each name: not attributes and keywords of that name."""
    return [
        (node, above) for node, above in walk(root) if type(node) is cst.Name and node.value == name and not _label(node, above)
    ]


def _label(node: Node, above: Node | None) -> bool:
    return (isinstance(above, cst.Attribute) and above.attr is node) or (isinstance(above, cst.Arg) and above.keyword is node)


def last_mention(statements: Sequence[cst.CSTNode], name: str) -> cst.CSTNode | None:
    """The last of several statements that reads or binds a variable."""
    return next((statement for statement in reversed(statements) if mentions(statement, name)), None)


def is_callee(node: Node, above: Node | None) -> bool:
    """Whether a node is the function that its parent calls."""
    return isinstance(above, cst.Call) and above.func is node


@contextmanager
def remembering() -> Iterator[None]:
    """Clear the caches at the end of a conversion, and release its nodes with them."""
    try:
        yield
    finally:
        for forget in _forgetting:
            forget()


def is_negated(node: cst.CSTNode | None) -> bool:
    """Whether it is a negated expression other than a number, such as `-k`."""
    return (
        isinstance(node, cst.UnaryOperation)
        and isinstance(node.operator, cst.Minus)
        and not isinstance(node.expression, (cst.Integer, cst.Float))
    )


def transposed(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The array of which `x.T` or `x.transpose()` reverses the axes; None for anything else."""
    match node:
        case cst.Attribute(value=array, attr=cst.Name(value="T")):
            return array
        case cst.Call(func=cst.Attribute(value=array, attr=cst.Name(value="transpose")), args=[]):
            return array
    return None


def assigned_values(target: cst.CSTNode, value: cst.BaseExpression) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The variables that an assignment binds to expressions, also one by one: `a, b = x, y`."""
    match target, value:
        case cst.Name(value=name), _:
            yield name, value
        case cst.Tuple(elements=targets), cst.Tuple(elements=values) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                yield from assigned_values(one.value, other.value)
