"""Exceptions and warnings that NumPy raises and JAX does not: which of them a unit may raise, and in which of its calls it waits for one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import libcst as cst

from ...rules import numpy_table
from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN
from ...rules.numpy_table import math_names
from ..analysis.state.call_signatures import CallShape, shape_of
from ..analysis.state.interpreter_state import Run
from ..syntax.source import walk
from .units import AwaitedException, Module, Unit, UnitExceptions

NAMED = {  # what handlers catch that name the exception, or a narrow class of exceptions
    "LinAlgError": ("LinAlgError",),
    "IndexError": ("IndexError", "LookupError"),
    "FloatingPointError": ("FloatingPointError", "ArithmeticError"),
    "ZeroDivisionError": ("ZeroDivisionError", "ArithmeticError"),
    "OverflowError": ("OverflowError", "ArithmeticError"),
    "RuntimeWarning": ("RuntimeWarning", "Warning"),
}
CATCHING = frozenset("assertRaises assertRaisesRegex assertWarns assertWarnsRegex assert_raises raises suppress warns".split())
UNSPECIFIC = frozenset({"ValueError", "Exception", "BaseException", ""})
CATCHING_ALL = frozenset({"LinAlgError", "ValueError"})  # what handlers for `UNSPECIFIC` are likely to wait for
OF_ARITHMETIC = frozenset({"FloatingPointError", "RuntimeWarning"})  # of any operation on floats
DIVISIONS = (cst.Divide, cst.FloorDivide, cst.Modulo)


def exceptions_of(module: Module, unit: Unit, run: Run, tests: bool) -> UnitExceptions:
    """`tests`: the module contains tests, which promise what `raises` names alone."""
    found = [*_required(module, unit, run), *(() if tests else _awaited(module, unit, run))]
    everywhere = not tests and _raises_everywhere(module, unit, run)
    return UnitExceptions(_raised(module, unit, run), tuple(dict.fromkeys(found)), everywhere)


def _raised(module: Module, unit: Unit, run: Run) -> frozenset[str]:
    """The names of the exceptions that NumPy, or Python for numbers, may raise in a unit and JAX does not."""
    found = set(OF_ARITHMETIC) if run.host.numpy_used or any(v.kind is Kind.ARRAY for v in run.values.values()) else set[str]()
    for node in module.nodes[unit.name]:
        match node:
            case cst.Subscript(value=array) if any(_selects(part) for part in node.slice):
                if run.values.get(array, UNKNOWN).kind in (Kind.ARRAY, Kind.UNKNOWN):
                    found.add("IndexError")
            case cst.BinaryOperation(operator=operator) if isinstance(operator, DIVISIONS):
                if run.values.get(node, UNKNOWN).kind is not Kind.ARRAY:
                    found.add("ZeroDivisionError")
            case cst.Call():
                found |= _of_call(node, run)
    return frozenset(found)


def _selects(part: cst.SubscriptElement) -> bool:
    return isinstance(part.slice, cst.Index) and not isinstance(part.slice.value, (cst.Ellipsis, cst.SimpleString))


def _of_call(node: cst.Call, run: Run) -> set[str]:
    name = run.scopes.qualname(node.func) or ""
    if math_names.jax_name(name, len(node.args)):
        return {"ValueError", "OverflowError"}
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    if entry is None or not entry.lenient:
        return set()
    return {error for error in NAMED if error in entry.lenient} or {"IndexError", "ValueError"}


def _required(module: Module, unit: Unit, run: Run) -> Iterator[AwaitedException]:
    """What tests require, as in `with pytest.raises(LinAlgError):` and `self.assertRaises(LinAlgError, f, x)`, or is suppressed."""
    for node in module.nodes[unit.name]:
        match node:
            case cst.With(items=items, body=body):
                calls = [item.item for item in items if isinstance(item.item, cst.Call) and _called(item.item) in CATCHING]
                yield from _in_calls(body, _named({name for call in calls for name in _names(call.args, run)}), NOTHING, run)
            case cst.Call(args=[error, cst.Arg(value=function), *_]) if _called(node) in CATCHING:
                value = run.values.get(function, UNKNOWN)
                if value.kind is Kind.FUNCTION and (named := _named(set(_names([error], run)))):
                    yield AwaitedException(named, NOTHING, frozenset({value.name}))


def _awaited(module: Module, unit: Unit, run: Run) -> Iterator[AwaitedException]:
    """The exceptions for which a unit waits while it calls others."""
    for node in module.nodes[unit.name]:
        match node:
            case cst.Try() | cst.TryStar():
                types = [cst.Arg(handler.type) if handler.type is not None else None for handler in node.handlers]
                caught = {name for each in types for name in ([""] if each is None else _names([each], run))}
                direct = CATCHING_ALL if caught & UNSPECIFIC else NOTHING
                yield from _in_calls(node.body, _named(caught), direct, run)
            case cst.With() if any(_told_to_raise(item.item, run) for item in node.items):
                yield from _in_calls(node.body, frozenset({"FloatingPointError"}), NOTHING, run)
            case cst.With() if any(_records(item.item, run) for item in node.items):
                yield from _in_calls(node.body, frozenset({"RuntimeWarning"}), NOTHING, run)
            case cst.Call() if _told_to_raise(node, run, "numpy.seterr"):
                yield from _in_calls(unit.node.body, frozenset({"FloatingPointError"}), NOTHING, run)


def _raises_everywhere(module: Module, unit: Unit, run: Run) -> bool:
    """Whether a module tells NumPy to raise for invalid values in all code that runs after it."""
    calls = (node for node in module.nodes[unit.name] if isinstance(node, cst.Call))
    return unit.is_module and any(_told_to_raise(call, run, "numpy.seterr") for call in calls)


def _in_calls(
    body: cst.BaseSuite | Iterable[cst.CSTNode], named: frozenset[str], direct: frozenset[str], run: Run
) -> Iterator[AwaitedException]:
    if not named and not direct:
        return
    callees, methods, shapes = set[str](), set[str](), set[CallShape]()
    for part in [body] if isinstance(body, cst.CSTNode) else body:
        for node, _parent in walk(part):
            if not isinstance(node, cst.Call):
                continue
            if (call := run.call_graph.calls.get(node)) is not None:
                callees.add(call.callee)
            elif isinstance(node.func, cst.Attribute) and not run.scopes.qualname(node.func):
                methods.add(node.func.attr.value)
            elif run.values.get(node.func, UNKNOWN).kind in (Kind.UNKNOWN, Kind.FUNCTION):
                shapes.add(shape_of(node))
    methods &= run.call_graph.unresolved
    shapes &= run.call_graph.unknown_calls
    if callees or methods or shapes:
        yield AwaitedException(named, direct, frozenset(callees), frozenset(methods), frozenset(shapes))


def _names(arguments: Sequence[cst.Arg], run: Run) -> Iterator[str]:
    """The last names of the classes of exceptions, also in tuples."""
    for argument in arguments:
        value = argument.value
        for each in [e.value for e in value.elements] if isinstance(value, cst.Tuple) else [value]:
            yield (run.scopes.qualname(each) or "?").rpartition(".")[2]


def _named(caught: Collection[str]) -> frozenset[str]:
    """The exceptions of NumPy that handlers for some classes wait for."""
    return frozenset(error for error, names in NAMED.items() if not set(names).isdisjoint(caught))


def _called(node: cst.Call) -> str:
    func = node.func
    return func.attr.value if isinstance(func, cst.Attribute) else func.value if isinstance(func, cst.Name) else ""


def _told_to_raise(node: cst.BaseExpression, run: Run, name: str = "numpy.errstate") -> bool:
    return (
        isinstance(node, cst.Call)
        and run.scopes.qualname(node.func) == name
        and any(isinstance(a.value, cst.SimpleString) and a.value.evaluated_value == "raise" for a in node.args)
    )


def _records(node: cst.BaseExpression, run: Run) -> bool:
    """Whether warnings are recorded."""
    return (
        isinstance(node, cst.Call)
        and run.scopes.qualname(node.func) == "warnings.catch_warnings"
        and any(isinstance(a.value, cst.Name) and a.value.value == "True" for a in node.args)
    )
