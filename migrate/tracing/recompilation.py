"""Functions that compile another function in each call, and the loops that call them."""

from __future__ import annotations

import ast
import os

from ...rules.facts.trace_events import Recompilation
from ...rules.facts.traced_values import FUNCTION, TRANSFORMED, Traced
from .machine import Machine
from .program import Closure, Frame, positions
from .queries import assigned, made_on_demand, names_in, remembered, walk


def compiles_anew(machine: Machine, closure: Closure, node: ast.Call, frame: Frame) -> None:
    """A call in a loop of a function that compiles another function each time."""
    line, compiled = machine.made_anew.get(closure.info.node, (0, frozenset[str]()))
    if not line or frame.trace.level or getattr(closure.info.node, "decorator_list", []):
        return
    code = machine.active[-1] if machine.active else frame.file.tree
    bound = frame.changing() | bound_around(code, node)
    given = dict(zip(positions(closure), node.args, strict=False)) | {word.arg: word.value for word in node.keywords if word.arg}
    if any(name in compiled and names_in(value) & bound for name, value in given.items()):
        return  # each iteration gives it another function
    if node in made_on_demand(code):
        return
    if frame.loops and (frame.turn is None or not frame.turn.tested):
        path = closure.info.file.path
        place = f"in line {line}" if path == frame.file.path else f"in line {line} of {os.path.basename(path)}"
        machine.emit(Recompilation, frame, node, closure.info.name, place)


@remembered
def bound_around(code: ast.AST, node: ast.AST) -> frozenset[str]:
    """The names that the loops around a call bind."""
    loops = [each for each in walk(code) if isinstance(each, ast.For | ast.While) and any(inner is node for inner in walk(each))]
    return frozenset().union(*(assigned(loop.body) for loop in loops))


def functions_in(node: ast.expr, function: Traced) -> frozenset[str]:
    """The names of the functions that a transformation compiles: those that it gets, and those that these call."""
    while function.kind == TRANSFORMED:
        function = function.what.function
    body = function.what.info.node if function.kind == FUNCTION else None
    called = [each.func for each in walk(body) if isinstance(each, ast.Call)] if body is not None else []
    return frozenset(each.id for each in (*called, *given_to(node)) if isinstance(each, ast.Name))


def given_to(node: ast.expr) -> list[ast.expr]:
    """What a transformation gets, through others: `f` for `jit(grad(f))`."""
    if not isinstance(node, ast.Call):
        return [node]
    return [inner for argument in node.args for inner in given_to(argument)]
