"""The seed of a generator that spawns others, if it splits the same keys for them whenever it is created.

`rng.spawn(n)` splits a key of the generator. Another generator with that seed may split its key for draws, and a key would be
used twice, though in NumPy the children are independent of both. This cannot happen if only one location creates generators with
the seed, and splits keys for the children and for draws in one statement, so that each has its own position.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ..state.interpreter_state import Run
from .generators import is_generator
from .key_plan import COMPREHENSIONS, bound_names

SYSTEM = "system"  # a seed from the operating system: no two generators have the same
REPEATED = (cst.For, cst.While, cst.CompFor, cst.Lambda, cst.FunctionDef, *COMPREHENSIONS)


def shown(seed: cst.BaseExpression) -> str:
    """A seed for the linker: a literal number, or "?"."""
    return seed.value if isinstance(seed, cst.Integer) else "?"


def origin(run: Run, call: cst.Call, binds: Mapping[cst.CSTNode, frozenset[str]]) -> str:
    """The seed of the generator that a call of `spawn` splits; "" if it is unknown. `binds`: the streams that statements bind."""
    return _seed(run, cst.ensure_type(call.func, cst.Attribute).value, binds)


def _seed(run: Run, generator: cst.BaseExpression, binds: Mapping[cst.CSTNode, frozenset[str]]) -> str:
    if isinstance(generator, cst.Call):
        if generator in run.random.spawns:
            return origin(run, generator, binds)
        if generator not in run.random.makers:
            return ""
        seed = run.random.makers[generator]
        value = UNKNOWN if seed is None else run.values.get(seed, UNKNOWN)
        if seed is None or value.kind is Kind.NONE:
            return SYSTEM
        if is_generator(value):
            return "" if seed in run.random.either else _seed(run, seed, binds)
        return shown(seed)
    made = _bound(run, generator, binds) if isinstance(generator, cst.Name) else None
    return "" if made is None else _seed(run, made, binds)


def _bound(run: Run, name: cst.Name, binds: Mapping[cst.CSTNode, frozenset[str]]) -> cst.BaseExpression | None:
    """The value that the only statement binding a variable assigns, if the use is in the same block, and not in a loop in it."""
    statements = [s for s, streams in binds.items() if name.value in streams]
    match statements:
        case [cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]) as only] if (
            name.value in bound_names(target) and name.value not in run.params
        ):
            if isinstance(target, cst.Name) or (isinstance(value, cst.Call) and value in run.random.spawns):
                return value if _beside(run, name, only) else None
    return None


def _beside(run: Run, node: cst.CSTNode, statement: cst.CSTNode) -> bool:
    """Whether a node is evaluated at most once for each execution of a statement in the same block."""
    block = run.source.parents.get(statement)
    at = run.source.parents.get(node)
    while at is not None and at is not block:
        if isinstance(at, REPEATED):
            return False
        at = run.source.parents.get(at)
    return at is not None
