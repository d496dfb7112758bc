"""Variables of the module that become arguments of the function that a loop becomes: those whose elements the loop sets, and those that
the module binds or changes several times, of which jit would only see the first value.

An array that the loop changes must not be a view of another one, or another name of it: jit would read what that held before the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..summaries.units import MODULE, Module, Unit
from .script_loops import WITHOUT_MEMORY, has_several_values, is_bound_by_function


def filled(module: Module, unit: Unit, statements: Sequence[cst.CSTNode]) -> frozenset[str]:
    """The variables of the module, arrays, whose elements the statements set; none if other arrays may share their memory, or if the
    statements call functions of the project, which may read the variables."""
    source, run, scopes = module.source, module.runs[unit.name], module.scopes
    if unit.is_module or any(source.inside(node, s) for node in run.call_graph.calls for s in statements):
        return frozenset()
    stored = set(_stored(module, statements))
    found = {name.value for name in stored if scopes.is_module_level(name)}
    memory: dict[str, frozenset[str]] = {}
    for node in (n for s in statements for n in source.among(s, cst.Name)) if found else ():
        value = run.values.get(node, UNKNOWN)
        if source.is_label(node) or node not in run.values or value.kind in WITHOUT_MEMORY:
            continue
        if not scopes.is_module_level(node):
            own = value.memory and all(token.startswith(("new:", "old:")) for token in value.memory)
        else:
            memory[node.value] = own = _allocated(module, node.value)
        if not own:
            return frozenset()
    aliases = any(one & other and {a, b} & found for (a, one), (b, other) in combinations(memory.items(), 2))
    return frozenset() if aliases else frozenset(found & memory.keys())


def varying(module: Module, unit: Unit, statements: Sequence[cst.CSTNode]) -> frozenset[str]:
    """The variables of the module, arrays and numbers, that the statements read and that have several values; none if the statements
    call functions of the project, which may change them."""
    source, run, scopes = module.source, module.runs[unit.name], module.scopes
    if unit.is_module or any(source.inside(node, s) for node in run.call_graph.calls for s in statements):
        return frozenset()
    found: dict[str, cst.Name] = {}
    for node in (n for s in statements for n in source.among(s, cst.Name)):
        if run.values.get(node, UNKNOWN).kind in (Kind.ARRAY, Kind.SCALAR) and scopes.is_module_level(node):
            found[node.value] = node
    arrays = any(run.values[node].kind is Kind.ARRAY for node in found.values())
    changed = {name.value for name in _stored(module, [source.module]) if scopes.is_module_level(name)} if arrays else set()
    several = {name for name, node in found.items() if name in changed or has_several_values(module, name, node)}
    here = {name.value for name in _stored(module, statements)}
    changes = any(source.inside(node, s) for node in run.effects.updates for s in statements)
    passed = _passed(module, unit) if several and changes else frozenset()
    return frozenset(n for n in several - here if not _may_share(passed, _memory(module, n)))


def _passed(module: Module, unit: Unit) -> frozenset[str]:
    """The memory of what the file passes to a function, which may change it."""
    calls = (call for run in module.runs.values() for call in run.call_graph.calls.values() if call.callee == unit.name)
    return frozenset().union(*(value.memory for call in calls for _parameter, value in call.args))


def _may_share(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one & other) or (bool(one and other) and "?" in one | other)


def _memory(module: Module, name: str) -> frozenset[str]:
    value = module.runs[f"{module.source.name}.{MODULE}"].attributes.bindings.get(name, UNKNOWN)
    return value.memory | {f"global:{module.source.name}.{name}"}


def _stored(module: Module, statements: Sequence[cst.CSTNode]) -> Iterator[cst.Name]:
    """The names of what `x[i] = v` and `x[i] += v` write into."""
    for statement in statements:
        for node in module.source.below(statement):
            if isinstance(node, (cst.AssignTarget, cst.AugAssign)) and isinstance(node.target, cst.Subscript):
                if isinstance(node.target.value, cst.Name):
                    yield node.target.value


def _allocated(module: Module, name: str) -> frozenset[str]:
    """The memory of an array of the module, by where it is allocated; nothing if that is not known, or if a function binds it anew."""
    value = module.runs[f"{module.source.name}.{MODULE}"].attributes.bindings.get(name, UNKNOWN)
    if value.kind is not Kind.ARRAY or is_bound_by_function(module, name):
        return frozenset()
    return value.memory if all(token.startswith("new:") for token in value.memory) else frozenset()
