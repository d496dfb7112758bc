"""Dicts that are arguments or results of a function: a compiled function receives and returns them with sorted keys.

https://docs.jax.dev/en/latest/pytrees.html: dicts are flattened by sorted keys, and rebuilt.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, Value
from ..state.interpreter_state import Run
from ..state.lattice import givers, parameters_in

REORDERED = "it returns a dict, and JAX would sort its keys: write them in the order of the alphabet"
MAY_RETURN = "it may return a dict from its caller, and JAX would sort its keys: annotate the parameters that are arrays"
DICT_KEYS = "JAX sorts the keys of a dict that is an argument: iterate over `sorted(d)`, or name the keys"
GOING = frozenset(f"builtins.{name}" for name in "list tuple iter map filter enumerate zip reversed".split())
MAY_BE_DICT = (Kind.UNKNOWN, Kind.DICT)
ANY_ORDER = frozenset(f"builtins.{name}" for name in "sum max min any all len sorted set frozenset".split())


def reordered(run: Run) -> str:
    """Why the dicts that a function returns forbid compiling it; "" if the keys of all of them are sorted."""
    for node in run.flow.returns:
        if isinstance(node, cst.Return) and node.value is not None and not _in_order(run, node.value):
            return REORDERED if run.values.get(node.value, UNKNOWN).kind is Kind.DICT else MAY_RETURN
    return ""


def goes_through(run: Run, node: cst.Call, dicts: Sequence[Value]) -> None:
    """Record that a call iterates over dicts, `d.values()` or `list(d)`: harmless if the order does not matter."""
    for value in dicts:
        items(run, value)
    if any(d.kind is Kind.DICT and not d.fresh for d in dicts) and not _in_any_order(run, node):
        run.constraints.impure[node] = DICT_KEYS


def _in_any_order(run: Run, node: cst.Call) -> bool:
    argument = run.source.parents.get(node)
    enclosing = run.source.parents.get(argument) if isinstance(argument, cst.Arg) else None
    return isinstance(enclosing, cst.Call) and run.scopes.qualname(enclosing.func) in ANY_ORDER


def items(run: Run, value: Value) -> None:
    """Record an iteration over a value that may be a dict argument: its items may be keys, in the order of the dict."""
    if value.kind in MAY_BE_DICT and not value.fresh:
        run.unit.gone_through |= givers(value)


def by_items(run: Run, node: cst.BaseExpression, base: Value, index: Value) -> None:
    """Record that what may be a dict is indexed with an item of a dict, itself or another: its first key, or each key in turn."""
    if (
        base.kind in MAY_BE_DICT
        and index.kind is Kind.UNKNOWN
        and not givers(index).isdisjoint(givers(base) | run.unit.gone_through)
    ):
        run.constraints.impure[node] = DICT_KEYS


def _holds_dict(run: Run, value: Value) -> bool:
    """Whether a value may be or contain a dict: so may a part of a parameter of unknown type."""
    if value.kind is Kind.DICT:
        return True
    if value.elements is not None:
        return any(_holds_dict(run, inner) for inner in value.elements)
    if value.numeric:
        return False
    return any(_may_hold_dict(run, parameter) for parameter in parameters_in(value.memory))


def _may_hold_dict(run: Run, parameter: str) -> bool:
    known = (run.unit.evidence.get(parameter, UNKNOWN), run.facts.params.get(run.name, {}).get(parameter, UNKNOWN))
    if any(k.numeric for k in known) or run.unit.owner is None:
        return False
    named = (n for n in run.source.among(run.unit.owner, cst.Name) if n.value == parameter)
    return not any(_is_computed_with(run, n) for n in named)


def _is_computed_with(run: Run, node: cst.Name) -> bool:
    """Whether a variable is an operand of arithmetic, or an argument of NumPy: dicts support only `|`."""
    match run.source.parents.get(node):
        case cst.BinaryOperation(operator=operator):
            return not isinstance(operator, cst.BitOr)
        case cst.AugAssign(operator=operator):
            return not isinstance(operator, cst.BitOrAssign)
        case cst.UnaryOperation(operator=operator):
            return not isinstance(operator, cst.Not)
        case cst.Arg() as argument:
            call = run.source.parents.get(argument)
            return isinstance(call, cst.Call) and (run.scopes.qualname(call.func) or "").startswith("numpy.")
    return False


def _in_order(run: Run, node: cst.BaseExpression) -> bool:
    """Whether the dicts in a value have the key order that JAX uses."""
    if not _holds_dict(run, run.values.get(node, UNKNOWN)):
        return True
    match node:
        case cst.Dict(elements=elements):
            keys = [_key(e.key) if isinstance(e, cst.DictElement) else None for e in elements]
            return _sorted(keys) and all(_in_order(run, e.value) for e in elements)
        case cst.Call(func=func, args=args) if run.scopes.qualname(func) == "builtins.dict":
            named = [None if a.keyword is None else a.keyword.value for a in args]
            return _sorted(named) and all(_in_order(run, a.value) for a in args)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return all(_in_order(run, e.value) for e in elements)
        case cst.Name(value=name):
            bound = _bound(run, name)
            return bound is not None and _in_order(run, bound)
    return False


def _key(node: cst.BaseExpression) -> str | None:
    """The string of a key that is a literal; None for any other key."""
    text = node.evaluated_value if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)) else None
    return text if isinstance(text, str) else None


def _sorted(keys: Sequence[str | None]) -> bool:
    known = [key for key in keys if key is not None]
    return len(keys) < 2 or (len(known) == len(keys) and all(a < b for a, b in pairwise(known)))


def _bound(run: Run, name: str) -> cst.BaseExpression | None:
    """What a variable is bound to if it is bound once and otherwise only returned; None for any other."""
    found: list[cst.BaseExpression] = []
    for node in run.source.among(run.unit.owner, cst.Name) if run.unit.owner is not None else ():
        if node.value != name:
            continue
        parent = run.source.parents.get(node)
        match run.source.parents.get(parent) if isinstance(parent, cst.AssignTarget) else None:
            case cst.Assign(value=value):
                found.append(value)
            case _ if not isinstance(parent, cst.Return):
                return None
    return found[0] if len(found) == 1 else None
