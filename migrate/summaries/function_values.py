"""How a unit uses functions as values: what it passes to those that it calls without knowing them, and to whom it passes them."""

from __future__ import annotations

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..analysis.state.call_signatures import CallShape, shape_of
from ..analysis.state.interpreter_state import Run
from .call_order import LOOPS, inside
from .units import Module

LIBRARIES = ("numpy", "jax")  # they call functions with arrays and numbers, and compiled code may call them


def opaque_calls(run: Run) -> frozenset[tuple[str, CallShape]]:
    """Calls of unknown functions that pass something else than arrays and numbers, to which compiled code is limited: the attribute
    that holds the function, or "", and how it is called. An argument about which nothing is known says no more than other projects do,
    which may call any function."""
    return frozenset(
        (name, shape_of(call))
        for call, name in run.call_graph.blind.items()
        if name not in run.facts.hierarchy.methods and not all(_may_be_traced(run, argument) for argument in call.args)
    )


def _may_be_traced(run: Run, argument: cst.Arg) -> bool:
    value = run.values.get(argument.value, UNKNOWN)
    return argument.star == "" and (value.kind is Kind.UNKNOWN or value.numeric)


def repeated(run: Run) -> frozenset[str]:
    """The attributes that hold unknown functions which a unit calls in loops: `self.kernel(x[i], x[j])`."""
    return frozenset(name for call, name in run.call_graph.blind.items() if name and inside(run, call, LOOPS) is not None)


def given_away(module: Module, run: Run) -> frozenset[str]:
    """Functions of the project that are passed to code outside of it, which may call them with anything, and again and again."""
    found = set()
    for node, value in run.values.items():
        argument = module.source.parents.get(node) if value.kind is Kind.FUNCTION and value.name in run.facts.functions else None
        call = module.source.parents.get(argument) if isinstance(argument, cst.Arg) else None
        if not isinstance(call, cst.Call) or call.func is node or call in run.call_graph.calls:
            continue
        if (run.scopes.qualname(call.func) or "").partition(".")[0] not in LIBRARIES and call not in run.call_graph.blind:
            found.add(value.name)
    return frozenset(found)
