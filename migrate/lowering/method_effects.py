"""What a method does to its object, and whether its statements mean the same in another method."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from ...rules.syntax import builders
from ..syntax.bindings import parameters
from ..syntax.names import collect
from ..syntax.source import walk
from .concrete_classes import Concrete, Method, elements, receiver

MOVABLE = (cst.SimpleStatementLine, cst.If, cst.For, cst.While)
SMALL = (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.Expr, cst.Pass, cst.Return, cst.Break, cst.Continue)
NOT_MOVABLE = (
    cst.Lambda,
    cst.NamedExpr,
    cst.GeneratorExp,
    cst.Yield,
    cst.Await,
    cst.FormattedString,
    cst.StarredElement,
    cst.FunctionDef,
)
REFERENCES = (cst.Name, cst.Attribute, cst.BaseNumber, cst.Tuple)


class Effects(NamedTuple):
    """The attributes of its object that a method binds, and whether it may change something in place."""

    binds: frozenset[str]
    in_place: bool


def is_plain(method: Method, local: Collection[str], cls: str) -> bool:
    """Whether the statements of a method mean the same in a method of the class `cls` that has the variables `local`."""
    node = method.node
    if any(isinstance(inner, NOT_MOVABLE) for inner, _parent in walk(node.body)):
        return False
    for statement in (inner for inner, _p in walk(node.body) if isinstance(inner, cst.BaseStatement)):
        if not isinstance(statement, MOVABLE):
            return False
        if isinstance(statement, cst.SimpleStatementLine) and not all(isinstance(s, SMALL) for s in statement.body):
            return False
    used = collect([node.body])
    if used.dynamic or used.declared or used.captured:
        return False
    owner = receiver(node) if method.kind != "static" else ""
    if owner in used.bound or (used.read - own_names(node) - {owner}) & set(local):
        return False
    names = (n.value for n, _p in walk(node.body) if isinstance(n, cst.Name))
    private = any(name.startswith("__") and not name.endswith("__") for name in names)
    return method.owner == cls or not private  # Python adds the name of the class to private names


def own_names(node: cst.FunctionDef) -> set[str]:
    """The variables of a method, its parameters among them, and those of its comprehensions."""
    own = {p.name.value for p in parameters(node.params)} | collect([node.body]).bound
    for inner, _parent in walk(node.body):
        if isinstance(inner, cst.CompFor):
            own |= builders.names(inner.target)
    return own - {receiver(node)}


def find(on: Concrete, method: Method, above: tuple[str, ...] = ()) -> Effects | None:
    """What a method, and the methods that it calls, bind and change; None if they call each other."""
    binds: set[str] = set()
    in_place = False
    for node, _parent in walk(method.node.body):
        targets: list[cst.BaseExpression] = []
        match node:
            case cst.AssignTarget(target=target) | cst.AnnAssign(target=target) | cst.For(target=target):
                targets = elements(target)
            case cst.AugAssign(target=target):
                targets = [target]
                in_place |= not (isinstance(target, cst.Attribute) and on.is_number(target.attr.value))
            case cst.Arg(keyword=cst.Name(value="out")):
                in_place = True
            case cst.Expr(value=cst.Call(func=func)):
                in_place |= not any(_called(on, func, method))
        binds |= {t.attr.value for t in targets if isinstance(t, cst.Attribute)}
        in_place |= any(isinstance(t, cst.Subscript) for t in targets)
        for called in _called(on, node, method):
            inner = None if called.key in above else find(on, called, (*above, method.key))
            if inner is None:
                return None
            binds, in_place = binds | inner.binds, in_place or inner.in_place
    return Effects(frozenset(binds), in_place)


def _called(on: Concrete, node: cst.CSTNode, method: Method) -> Iterator[Method]:
    """The method of the object that an expression in one of its methods calls, or the property that it reads."""
    owner = receiver(method.node) if method.kind != "static" else ""
    found: Method | None
    match node:
        case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attr)) if name == owner:
            found = on.method(attr)
        case cst.Attribute(value=cst.Call(func=cst.Name(value="super")), attr=cst.Name(value=attr)):
            found = on.method(attr, method.owner)
        case _:
            return
    if found is not None:
        yield found


def may_move(effects: Effects, nodes: Sequence[cst.CSTNode], self_name: str, pure: Collection[str]) -> bool:
    """Whether the statements of a method may run ahead of some expressions instead of after them."""
    for node, _parent in (pair for each in nodes for pair in walk(each)):
        match node:
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attr)) if name == self_name:
                if attr in effects.binds:
                    return False
            case cst.Call(func=func):
                root: cst.BaseExpression = func
                while isinstance(root, cst.Attribute):
                    root = root.value
                if effects.in_place or not (isinstance(root, cst.Name) and root.value in pure):
                    return False
            case cst.BaseExpression() if effects.in_place and not isinstance(node, REFERENCES):
                return False
    return True
