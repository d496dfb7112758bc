"""`r = range(len(x))` and loops over r: the range is written in the loops."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Edit, Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from ....rules.syntax.tree import walk
from .form import Body, DesugaredStatement

SIZES = ("builtins.len", "builtins.min", "builtins.max")
PLAIN = (cst.Name, cst.Integer, cst.Arg, cst.BinaryOperation, cst.UnaryOperation, cst.Index, cst.SubscriptElement)


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name() as target)], value=cst.Call() as held)]
        ) if body.calls(held) == "builtins.range":
            pass
        case _:
            return None
    if body.source.parents[statement] is not body.owner.body:  # in a loop, it may be the range of the previous iteration
        return None
    if (
        any(a.star or a.keyword is not None for a in held.args)
        or not _is_unchanged(held, body)
        or not _bound_once(target.value, body)
    ):
        return None
    reads = [n for n in body.source.among(body.owner, cst.Name) if n.value == target.value and n is not target]
    loops = [n for n in reads if _is_gone_through(n, body)]
    if not loops:
        return None
    edits: dict[cst.CSTNode, Edit] = {node: lambda _made: held.deep_clone() for node in loops}
    if len(loops) == len(reads):
        edits[statement] = builders.gone
    return DesugaredStatement(f"the range `{target.value}`", edits)


def _is_gone_through(node: cst.Name, body: Body) -> bool:
    enclosing = body.source.parents[node]
    return isinstance(enclosing, cst.For) and enclosing.iter is node


def _is_unchanged(held: cst.Call, body: Body) -> bool:
    """Whether a range is the same anywhere in the function: it depends only on numbers, and on scalars and array lengths of
    variables bound once."""
    if _reshapes(body):
        return False
    functions = {call.func for call in body.source.among(held, cst.Call)}
    if any(body.calls(call) not in SIZES for call in body.source.among(held, cst.Call) if call is not held):
        return False
    for node, parent in walk(held):
        match node:
            case cst.Name() if node in functions or (isinstance(parent, cst.Attribute) and parent.attr is node):
                pass
            case cst.Name(value=name):
                if body.values.get(node, UNKNOWN).kind not in (Kind.ARRAY, Kind.SCALAR) or not _bound_once(name, body):
                    return False
            case (
                cst.Call()
                | cst.Attribute(value=cst.Name(), attr=cst.Name(value="shape" | "size"))
                | cst.Subscript(value=cst.Attribute())
            ):
                pass
            case _ if not isinstance(node, PLAIN):
                return False
    return True


def _reshapes(body: Body) -> bool:
    """Whether the function changes the shape of an array in place."""
    for node in body.source.among(body.owner, cst.Attribute):
        if node.attr.value == "resize" or (
            node.attr.value == "shape" and isinstance(body.source.parents[node], cst.AssignTarget)
        ):
            return True
    return False


def _bound_once(name: str, body: Body) -> bool:
    """Whether a variable of the function is bound in one place, and no nested function captures it."""
    bound = body.scopes.opened_by(body.owner).names.get(name, ())
    return name not in body.captured and len(bound) == 1


__all__ = ["desugar"]
