"""Whether a call binds its result to the only name of the array that it may return: `x = f(x)`.

Then nobody sees whether what is written into `x` afterwards is the array that `f` was given or another one.
"""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ..state.interpreter_state import Run

LOOPS = (cst.For, cst.While)
READERS = (
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.Comparison,
    cst.ComparisonTarget,
    cst.BooleanOperation,
    cst.Subscript,
    cst.Index,
    cst.Slice,
    cst.AugAssign,
    cst.If,
    cst.While,
    cst.IfExp,
)


def rebinds_all(run: Run, call: cst.CSTNode) -> bool:
    """Whether each array that the unit has created and that the call may return has no name but those to which the call's statement
    binds its result. After the call, these are names of the result."""
    source = run.source
    line, owner = source.parents[call], run.unit.owner
    if not isinstance(line, cst.Assign) or line.value is not call or not isinstance(owner, cst.FunctionDef):
        return False
    made = run.effects.tokens.get(call, "")
    tokens = {t for t in run.values.get(call, UNKNOWN).memory if t.partition(".")[0] != made}
    if not tokens:
        return True
    names = {name for target in line.targets for name in _names(target.target)}
    if not all(t.startswith("new:") for t in tokens) or names & run.scopes.captured(owner):
        return False
    named: dict[str, str] = {}
    repeated = [n for n in source.above(call) if isinstance(n, LOOPS) and source.inside(n, owner)]
    for node, value in run.values.items():
        if tokens.isdisjoint(value.memory) or node is call or any(t.partition(".")[0] == made for t in value.memory):
            continue
        if isinstance(node, cst.Name):
            held = tokens.intersection(value.memory)
            if node.value not in names or any(named.setdefault(token, node.value) != node.value for token in held):
                return False
        after = node in source.spans and source.spans[node][0] > source.spans[call][0] and not source.inside(node, call)
        if not (after and not any(source.inside(node, loop) for loop in repeated)) and not _is_read(run, node, call, names):
            return False
    return True


def _names(target: cst.BaseExpression) -> list[str]:
    elements = target.elements if isinstance(target, (cst.Tuple, cst.List)) else ()
    return [target.value] if isinstance(target, cst.Name) else [name for e in elements for name in _names(e.value)]


def _is_read(run: Run, node: cst.CSTNode, call: cst.CSTNode, names: set[str]) -> bool:
    """Whether what surrounds an expression gives its array no further name: it computes with it, or binds it to one of `names`. What
    results may be the array itself, and is looked at, too."""
    parent = run.source.parents[node]
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=targets))], value=cst.Tuple(elements=values)) if (
            parent.value is node
        ):
            return len(targets) == len(values)  # its elements are looked at, too
        case cst.Assign(value=value) if value is node:
            return all(isinstance(t.target, cst.Name) and t.target.value in names for t in parent.targets)
        case cst.Element():
            target = _target_of(run, parent)
            return isinstance(target, cst.Name) and target.value in names
        case cst.AssignTarget() | cst.Attribute():
            return True
        case cst.Call(func=cst.Attribute(value=base) as method) if method is node:
            return run.values.get(base, UNKNOWN).kind is Kind.ARRAY
        case cst.Arg():
            called = run.source.parents[parent]
            if called is call or not isinstance(called, cst.Call):
                return called is call
            if called in run.call_graph.calls:
                fact = run.facts.functions.get(run.call_graph.calls[called].callee)
                return fact is not None and not fact.retains
            return numpy_table.function(run.scopes.qualname(called.func) or "") is not None
    return isinstance(parent, READERS)


def _target_of(run: Run, element: cst.Element) -> cst.BaseExpression | None:
    """What an element of `a, b = x, y` is bound to; None for elsewhere."""
    display = run.source.parents[element]
    match None if display is None else run.source.parents[display]:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=targets))], value=value) if value is display:
            assert isinstance(display, cst.Tuple)
            pairs = zip(display.elements, targets, strict=False)
            return next((target.value for one, target in pairs if one is element and isinstance(target, cst.Element)), None)
    return None


__all__ = ["rebinds_all"]
