"""Loops of scripts: of the code of a module outside of functions, which Python runs once.

The function that such a loop becomes gets the variables of the module that the loop reads, but for constants: names that are bound once,
to numbers, outside of loops. They remain what they are, so that shapes and trip counts are known when tracing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..analysis.loops import literal_items
from ..summaries.units import MODULE, Module, Unit
from ..syntax import liveness
from ..syntax.source import children
from .region_results import LOOPS

FOR_TRIPS, WHILE_TRIPS = 100.0, 1000.0  # where they are not known
SCALAR, ARRAY = 0.1, 5.0  # microseconds of an operation in NumPy, on numbers and on arrays of a few thousand elements
COMPILING = 1_000_000.0  # microseconds, with the import of JAX
WITHOUT_MEMORY = (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.FUNCTION, Kind.CLASS, Kind.MODULE, Kind.DTYPE)
NUMBERS: Mapping[type, Callable[[float, float], float]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.Divide: operator.truediv,
    cst.FloorDivide: operator.floordiv,
}


def variables_after(module: Module) -> liveness.Liveness:
    """The liveness of the variables of a module, without those at its end that only loops bind, such as indices."""
    scope = module.scopes.opened_by(module.source.module)
    kept = (name for name, bindings in scope.names.items() if not all(_in_loop(module, b) for b in bindings))
    return liveness.live(module.source.module, frozenset(kept))


def is_constant(module: Module, name: str, node: cst.CSTNode) -> bool:
    """Whether a variable of a module has one value, a number or a definition, from before the loops on."""
    bindings = module.scopes.opened_by(module.source.module).names.get(name, ())
    if len(bindings) != 1 or _in_loop(module, bindings[0]):
        return False
    if is_bound_by_function(module, name):
        return False
    return module.runs[f"{module.source.name}.{MODULE}"].values.get(node, UNKNOWN).kind in WITHOUT_MEMORY


def has_several_values(module: Module, name: str, node: cst.Name) -> bool:
    """Whether a variable of a module is bound in several places, in a loop, or by a function."""
    bindings = module.scopes.bindings(node)
    return len(bindings) > 1 or any(_in_loop(module, b) for b in bindings) or is_bound_by_function(module, name)


def is_bound_by_function(module: Module, name: str) -> bool:
    """Whether a function declares a variable of the module as `global`."""
    functions = (u.node for u in module.units.values() if not u.is_module)
    return any(name in module.scopes.opened_by(function).globals for function in functions)


def saves_time(module: Module, unit: Unit, loop: cst.For | cst.While) -> bool:
    """Whether NumPy takes longer for a loop that runs once than compiling takes, as estimated from the trip counts that are known."""
    return _cost(module, unit, loop) > COMPILING


def _cost(module: Module, unit: Unit, node: cst.CSTNode) -> float:
    """Microseconds in NumPy."""
    values = module.runs[unit.name].values
    total = 0.0
    if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Call, cst.Subscript)):
        total = ARRAY if values.get(node, UNKNOWN).kind is Kind.ARRAY else SCALAR
    total += sum(_cost(module, unit, child) for child in children(node))
    return total * (_trips(module, node) if isinstance(node, LOOPS) else 1.0)


def _trips(module: Module, loop: cst.For | cst.While) -> float:
    if isinstance(loop, cst.While):
        return WHILE_TRIPS
    known = literal_items.items(loop.iter, module.scopes)
    if known is not None:
        return known
    if isinstance(loop.iter, cst.Call) and module.scopes.qualname(loop.iter.func) == "builtins.range":
        bounds = [bound for a in loop.iter.args if (bound := _number(module, a.value)) is not None]
        if 0 < len(bounds) == len(loop.iter.args):
            first, last, step = (0.0, *bounds, 1.0) if len(bounds) == 1 else (*bounds, 1.0)[:3]
            return max(0.0, (last - first) / step) if step else 0.0
    return FOR_TRIPS


def _number(module: Module, node: cst.BaseExpression, depth: int = 20) -> float | None:
    """The value of an expression of constants, if it is a number."""
    match node:
        case cst.Integer() | cst.Float():
            return float(node.evaluated_value)
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            value = _number(module, inner, depth)
            return None if value is None else -value
        case cst.Call(func=func, args=[cst.Arg(value=inner, keyword=None, star="")]):
            value = _number(module, inner, depth) if module.scopes.qualname(func) == "builtins.int" else None
            return None if value is None else float(math.trunc(value))
        case cst.BinaryOperation(left=left, operator=made, right=right) if type(made) in NUMBERS:
            one, other = _number(module, left, depth), _number(module, right, depth)
            divides = isinstance(made, (cst.Divide, cst.FloorDivide))
            return None if one is None or other is None or (divides and not other) else NUMBERS[type(made)](one, other)
        case cst.Name(value=name) if depth:
            bindings = module.scopes.opened_by(module.source.module).names.get(name, ())
            line = module.source.parents[bindings[0]] if len(bindings) == 1 else None
            if isinstance(line, cst.AssignTarget):
                line = module.source.parents[line]
            return _number(module, line.value, depth - 1) if isinstance(line, cst.Assign) else None
    return None


def _in_loop(module: Module, binding: cst.CSTNode) -> bool:
    return isinstance(binding, LOOPS) or module.source.in_loop(binding, module.source.module)
