"""Which functions a unit hands to a compiler for NumPy code, such as Numba."""

from __future__ import annotations

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..analysis.state.interpreter_state import Run
from .units import Module, Unit

COMPILERS = ("numba", "nb", "njit", "cython", "torch", "tensorflow")
COMPILES = frozenset("cfunc compile function guvectorize jit njit overload script stencil trace vectorize".split())


def compiler_of(decorators: tuple[str, ...]) -> str:
    """The decorator that compiles a function, "" if none does."""
    return next((name for name in decorators if name.partition(".")[0] in COMPILERS), "")


def compiled_elsewhere(module: Module, unit: Unit, run: Run) -> tuple[tuple[str, str], ...]:
    """Functions of the project, each with its compiler: `fast = numba.njit(f)`, and what a compiled function names, such as the
    implementation that one with `@numba.extending.overload` returns."""
    whole = compiler_of(unit.decorators)
    found: dict[str, str] = {}
    for node in module.nodes[unit.name]:
        if isinstance(node, cst.Call):
            compiler = _compiler(node, module)
            for argument in node.args if compiler else ():
                value = run.values.get(argument.value, UNKNOWN)
                if value.kind is Kind.FUNCTION and value.name in run.facts.functions:
                    found.setdefault(value.name, compiler)
        elif whole and isinstance(node, (cst.Name, cst.Attribute)):
            value = run.values.get(node, UNKNOWN)
            if value.kind is Kind.FUNCTION and value.name in run.facts.functions and value.name != unit.name:
                found.setdefault(value.name, whole)
    return tuple(sorted(found.items()))


def _compiler(call: cst.Call, module: Module) -> str:
    """The compiler that a call gives its arguments to: `njit(f)`, `jit(nopython=True)(f)`; "" if it is none."""
    function: cst.BaseExpression = call.func
    while isinstance(function, cst.Call):
        function = function.func
    name = module.scopes.qualname(function) or ""
    return name if name.partition(".")[0] in COMPILERS and name.rpartition(".")[2] in COMPILES else ""
