"""How a unit uses functions as values: what it passes to those that it calls without knowing them, and to whom it passes them."""

from __future__ import annotations

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..analysis.state.call_signatures import CallShape, shape_of
from ..analysis.state.interpreter_state import Run
from .call_order import LOOPS, enclosing
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


def repeated(run: Run) -> frozenset[CallShape]:
    """The calls of unknown functions in loops: `self.kernel(x[i], x[j])`, `METRICS[name](a, b)`."""
    return frozenset(shape_of(call) for call in run.call_graph.blind if any(calls_again(at, call) for at in enclosing(run, call)))


def calls_again(loop: cst.CSTNode, call: cst.Call) -> bool:
    """Whether a node is a loop that may call the same function many times: neither over the functions nor over a few written items."""
    match loop:
        case (
            cst.For(target=target, iter=over)
            | cst.ListComp(for_in=cst.CompFor(target=target, iter=over))
            | cst.GeneratorExp(for_in=cst.CompFor(target=target, iter=over))
        ):
            return not isinstance(over, (cst.Tuple, cst.List)) and not target.deep_equals(call.func)
    return type(loop) in LOOPS


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
