"""Loops of scripts: of the code of a module outside of functions, which Python runs once.

The function that such a loop becomes gets the variables of the module that the loop reads, but for constants: names that are bound once,
to numbers, outside of loops. They remain what they are, so that shapes and trip counts are known when tracing.
"""

from __future__ import annotations

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..summaries.iteration_counts import iterations
from ..summaries.units import MODULE, Module, Unit
from ..syntax import liveness
from ..syntax.source import children
from .region_results import LOOPS

FOR_TRIPS, WHILE_TRIPS = 100.0, 1000.0  # where they are not known
SCALAR, ARRAY = 0.1, 5.0  # microseconds of an operation in NumPy, on numbers and on arrays of a few thousand elements
COMPILING = 1_000_000.0  # microseconds, with the import of JAX
WITHOUT_MEMORY = (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.FUNCTION, Kind.CLASS, Kind.MODULE, Kind.DTYPE)


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
    known = iterations(module.source, module.scopes, loop)
    return known if known is not None else WHILE_TRIPS if isinstance(loop, cst.While) else FOR_TRIPS


def _in_loop(module: Module, binding: cst.CSTNode) -> bool:
    return isinstance(binding, LOOPS) or module.source.in_loop(binding, module.source.module)
