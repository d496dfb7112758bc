"""Dicts that a function is given, or returns: what is compiled gets them, and hands them back, with their keys sorted.

https://docs.jax.dev/en/latest/pytrees.html: dicts are flattened by sorted keys, and made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import libcst as cst

from ...rules.facts import UNKNOWN, Value
from ...rules.model import Kind
from .domain import whole
from .state import Run

REORDERED = "it returns a dict, and JAX would sort its keys: write them in the order of the alphabet"
GIVEN = "the keys of a dict that is given come sorted in JAX: go through `sorted(d)`, or name the keys"
GOING = frozenset(f"builtins.{name}" for name in "list tuple iter map filter enumerate zip reversed".split())
ANY_ORDER = frozenset(f"builtins.{name}" for name in "sum max min any all len sorted set frozenset".split())


def reordered(run: Run) -> str:
    """Why a function must not be compiled for the dicts that it returns, "" where all have their keys in order."""
    for node in run.returns:
        if isinstance(node, cst.Return) and node.value is not None and not _in_order(run, node.value):
            return REORDERED
    return ""


def goes_through(run: Run, node: cst.Call, dicts: Iterable[Value]) -> None:
    """A call gives the items of dicts one after the other, `d.values()` or `list(d)`: no matter where any order will do."""
    if any(d.kind is Kind.DICT and not d.fresh for d in dicts) and not _in_any_order(run, node):
        run.impure[node] = GIVEN


def _in_any_order(run: Run, node: cst.Call) -> bool:
    argument = run.source.parents.get(node)
    around = run.source.parents.get(argument) if isinstance(argument, cst.Arg) else None
    return isinstance(around, cst.Call) and run.scopes.qualname(around.func) in ANY_ORDER


def by_own_items(run: Run, node: cst.Subscript, base: Value) -> None:
    """What may be a dict is indexed by what it holds: its first key, or one key after the other."""
    if base.kind not in (Kind.UNKNOWN, Kind.DICT):
        return
    own = {whole(d) for d in base.deps} | {m.removeprefix("param:") for m in base.memory}
    indices = (run.values.get(p.slice.value, UNKNOWN) for p in node.slice if isinstance(p.slice, cst.Index))
    if any(i.kind is Kind.UNKNOWN and any(whole(d) in own for d in i.deps) for i in indices):
        run.impure[node] = GIVEN


def _holds_dict(value: Value) -> bool:
    return value.kind is Kind.DICT or any(_holds_dict(inner) for inner in value.elements or ())


def _in_order(run: Run, node: cst.BaseExpression) -> bool:
    """Whether the dicts in a value have the order that JAX gives them."""
    if not _holds_dict(run.values.get(node, UNKNOWN)):
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
    """The text of a key; None for any other key."""
    text = node.evaluated_value if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)) else None
    return text if isinstance(text, str) else None


def _sorted(keys: Sequence[str | None]) -> bool:
    known = [key for key in keys if key is not None]
    return len(keys) < 2 or (len(known) == len(keys) and all(a < b for a, b in pairwise(known)))


def _bound(run: Run, name: str) -> cst.BaseExpression | None:
    """What a variable is bound to that is bound once and never looked into, None for any other."""
    found: list[cst.BaseExpression] = []
    for node in run.source.among(run.owner, cst.Name) if run.owner is not None else ():
        if node.value != name:
            continue
        parent = run.source.parents.get(node)
        match run.source.parents.get(parent) if isinstance(parent, cst.AssignTarget) else None:
            case cst.Assign(value=value):
                found.append(value)
            case _ if not isinstance(parent, cst.Return):
                return None
    return found[0] if len(found) == 1 else None
