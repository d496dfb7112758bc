"""`super().method(...)`: which class defines the method."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, Value
from ..state.arguments import Arguments
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.project_facts import Facts
from . import calls, project_calls

PLAIN_BASES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})


def is_super(run: Run, node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and run.scopes.qualname(node.func) == "builtins.super"


def call(run: Run, env: Env, node: cst.Call, func: cst.Attribute) -> Value:
    """The call of a method of `super()`."""
    arguments = calls.evaluate_arguments(run, env, node.args)
    name, own = func.attr.value, env.get(run.unit.self_name, UNKNOWN)
    base = next_class(run, func.value) if own.kind is Kind.OBJECT else None
    found = None if base is None else run.facts.method(base, name, frozenset({run.unit.cls}))
    if found is not None and found in run.facts.functions:
        run.values[func.value], run.values[func] = own, Value(Kind.FUNCTION, name=found)
        given = arguments.positional
        if run.facts.functions[found].receives(own.kind):
            given = ((cst.Name(run.unit.self_name), own), *given)
        return project_calls.project_call(run, env, node, found, Arguments(given, arguments.keywords, arguments.starred))
    if name == "__init__" and base is not None and ends_in_object(run.facts, base):
        return Value(Kind.NONE)
    run.call_graph.unresolved.add(name)
    run.call_graph.blind[node] = name
    run.call_graph.escapes |= above(run.facts, run.unit.cls) & run.facts.classes.keys()  # their methods have unknown callers
    return calls.unknown(run, env, node, Value(), arguments)


def next_class(run: Run, node: cst.BaseExpression) -> str | None:
    """The class in which `super()` looks up methods; None if it is unknown: with several bases, it depends on the object."""
    assert isinstance(node, cst.Call)
    owner = run.unit.cls
    match node.args:
        case []:
            known = not run.flow.depth
        case [cst.Arg(value=named), cst.Arg(value=cst.Name(value=self))]:
            owner = run.facts.canonical(run.scopes.qualname(named) or "")
            known = self == run.unit.self_name and owner in {run.unit.cls, *above(run.facts, run.unit.cls)}
        case _:
            known = False
    if not known or owner not in run.facts.classes:
        return None
    if owner in run.facts.hierarchy.mixed:
        return None
    return next((b for b in run.facts.classes[owner].bases if b not in PLAIN_BASES), "builtins.object")


def mixed(facts: Facts) -> frozenset[str]:
    """Classes with several bases, or related to such a class: the class that follows in its method resolution order may not be
    their own base."""
    found: set[str] = set()
    for name in facts.classes:
        line = {name, *above(facts, name)} & facts.classes.keys()
        if any(len({*facts.classes[c].bases} - PLAIN_BASES) > 1 for c in line):
            found |= line
    return frozenset(found)


def above(facts: Facts, cls: str) -> set[str]:
    """The direct and indirect bases of a class."""
    found: set[str] = set()
    work = [cls]
    while work:
        fact = facts.classes.get(work.pop())
        more = set(fact.bases) - found if fact is not None else set()
        found |= more
        work += more
    return found


def ends_in_object(facts: Facts, cls: str) -> bool:
    """Whether all bases of a class are classes of the project, or Python's `object`."""
    return all(c in facts.classes or c in PLAIN_BASES for c in (cls, *above(facts, cls)))
