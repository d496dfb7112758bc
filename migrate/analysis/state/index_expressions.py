"""What an index reads: whether it may be read again later, and whether it is safe to evaluate it twice."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ....rules.numpy_table.entry import Verdict
from ...syntax.source import children, walk
from .access_paths import path_of
from .interpreter_state import Run

FIXED = (Kind.SCALAR, Kind.NONE, Kind.DTYPE, Kind.UNKNOWN, Kind.TUPLE, Kind.FUNCTION, Kind.MODULE)
PURE = frozenset(
    "len int float bool complex abs min max range slice tuple list round sum sorted str divmod pow isinstance any all".split()
)


UNSTEADY = frozenset({cst.NamedExpr, cst.Yield, cst.Await, cst.List, cst.ListComp, cst.Dict, cst.Lambda, cst.IfExp})


def has_slice(step: cst.CSTNode) -> bool:
    """Whether a subscript of an array certainly is an array (or fails)."""
    return isinstance(step, cst.Subscript) and any(isinstance(p.slice, cst.Slice) for p in step.slice)


def steady(run: Run, nodes: Iterable[cst.CSTNode]) -> frozenset[str] | None:
    """The variables and access paths that determine the value of these expressions; None where something else may change it.

    A view through them can be computed again as long as none of these variables is rebound.
    """
    names: set[str] = set()
    for node in nodes:
        found = _steady(run, node)
        if found is None:
            return None
        names |= found
    return frozenset(names)


def _steady(run: Run, node: cst.CSTNode) -> frozenset[str] | None:
    value = run.values.get(node, UNKNOWN)
    match node:
        case cst.Name(value=name):
            fixed = value.kind in FIXED or value.name == "slice" or name in ("None", "True", "False")
            return frozenset({name}) if fixed else None
        case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape" | "ndim" | "size" | "T")):
            return frozenset({name})
        case cst.Attribute():
            path = path_of(node)
            return frozenset({path}) if path is not None and value.kind is Kind.SCALAR else None
        case cst.Call(func=func, args=args):
            if run.scopes.qualname(func) == "builtins.len" and len(args) == 1 and isinstance(args[0].value, cst.Name):
                return frozenset({args[0].value.value}) if run.values.get(args[0].value, UNKNOWN).kind is Kind.ARRAY else None
            name = run.scopes.qualname(func) or ""
            pure = name.startswith("math.") or name in (
                "builtins.int",
                "builtins.min",
                "builtins.max",
                "builtins.abs",
                "builtins.slice",
            )
            return steady(run, [a.value for a in args]) if pure else None
        case cst.Subscript(value=base) if run.values.get(base, UNKNOWN).name != "shape":
            return None
    if type(node) in UNSTEADY:
        return None
    return steady(run, children(node))


def inner(step: cst.BaseExpression) -> Iterable[cst.CSTNode]:
    """The indices or arguments of one step of a view."""
    return step.slice if isinstance(step, cst.Subscript) else step.args if isinstance(step, cst.Call) else ()


def effects(run: Run, nodes: Iterable[cst.CSTNode]) -> str:
    """The code in these expressions that must not be evaluated twice, nor in another order; "" where there is none."""
    for root in nodes:
        for node, _parent in walk(root):
            if isinstance(node, (cst.NamedExpr, cst.Yield, cst.Await)) or (isinstance(node, cst.Call) and not _pure(run, node)):
                return " ".join(cst.Module([]).code_for_node(node).split())
    return ""


def _pure(run: Run, call: cst.Call) -> bool:
    name = run.scopes.qualname(call.func) or ""
    if run.effects.updates.get(call):
        return False
    if name.startswith("numpy."):
        entry = numpy_table.function(name) or numpy_table.ufunc_method(name)
        return (
            entry is not None
            and not name.startswith("numpy.random")
            and (entry.verdict is not Verdict.HOST or entry.kind == "dtype")
        )
    if name.startswith("math.") or (name.removeprefix("builtins.") in PURE and name.startswith("builtins.")):
        return True
    if isinstance(call.func, cst.Attribute):
        receiver = run.values.get(call.func.value, UNKNOWN)
        entry = numpy_table.method(call.func.attr.value)
        if receiver.kind is Kind.ARRAY and entry is not None and not entry.writes:
            return True
    return False


def flat(node: cst.Subscript) -> list[cst.BaseSlice]:
    """The parts of a subscript, with a tuple flattened."""
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Tuple(elements=elements)))]:
            return [cst.Index(e.value) for e in elements]
    return [p.slice for p in node.slice]


def is_sign(node: cst.BaseExpression) -> bool:
    """Whether a node is the literal 1 or -1, no power of which is large."""
    match node:
        case cst.Integer(value="1") | cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer(value="1")):
            return True
    return False
