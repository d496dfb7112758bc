"""Cloning of functions that NumPy runs faster, and that compiled code calls, or may call: each gets a copy, which jit compiles.

The function keeps its name and stays NumPy: what calls it from Python notices nothing. Compiled code of the project calls the copy.
Calls from outside of the project with arrays of JAX get there as well (NJ508).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Edit
from ...rules.facts.function_plan import FunctionPlan
from ..analysis.state.project_facts import Facts
from ..linking.cloning import chosen_from_outside
from ..linking.placement import called_from
from ..summaries.units import Module, Unit
from ..syntax.edits import Edits, apply
from .revision import Versions
from .speculation import Proposal, Speculation, Trial

Clones = Mapping[str, str]  # the functions that are cloned, and the names of their clones in the same files


class Candidates(NamedTuple):
    """The functions that may be cloned, with names for the clones; and the units whose calls of them are compiled."""

    clones: Clones
    compiled: frozenset[str]


class Cloned(NamedTuple):
    """A function, and its clone."""

    owner: str
    function: str


def candidates(facts: Facts, unjitted: frozenset[str]) -> Candidates:
    taken = facts.functions.keys() | facts.variables.keys() | facts.classes.keys() | facts.aliases.keys()
    clones = {}
    for plan in facts.plans.values():
        owner, _dot, name = plan.name.rpartition(".")
        clone = f"_{name.lstrip('_')}_jax"
        if plan.versions.may_clone and plan.name not in unjitted and f"{owner}.{clone}" not in taken and "@" not in name:
            clones[plan.name] = clone
    return Candidates(clones, frozenset(p.name for p in facts.plans.values() if p.versions.calls_clones and not p.jax))


def cloned(
    module: Module, versions: Versions, names: Candidates, rejected: Collection[Hashable], only: Collection[Hashable] | None
) -> Proposal | None:
    """Clone functions of a file, and let compiled code call the clones. None if it has neither."""
    source, top = module.source, frozenset[cst.CSTNode](module.source.module.body)
    clones = {name: clone for name, clone in names.clones.items() if name not in rejected}
    units = [
        unit
        for unit in module.units.values()
        if unit.name in clones and unit.node in top and (only is None or unit.name in only) and not _decorated(unit)
    ]
    calling = [unit for unit in module.units.values() if unit.name in names.compiled and not unit.is_module]
    in_place, imports = _redirected(module, calling, clones)
    in_clones, more = _redirected(module, units, clones)
    if not (units or in_place):
        return None
    made: dict[cst.CSTNode, Cloned] = {unit.node: Cloned(unit.name, f"{source.name}.{clones[unit.name]}") for unit in units}
    own = apply(source.module, source.parents, _edits(in_place | _importing(module, imports | more)))
    copies = apply(source.module, source.parents, _edits(in_clones))
    parts: dict[cst.CSTNode, tuple[cst.CSTNode, ...]] = {}
    for old, new, copy in zip(source.module.body, own.body, copies.body, strict=True):
        if old in made and isinstance(new, cst.FunctionDef) and isinstance(copy, cst.FunctionDef):
            parts[old] = _both(new, copy, made[old].function)
        elif new is not old:
            parts[old] = (new,)
    after, lines = versions.expanded(source, parts)

    def note(new: Module) -> None:
        new.derived.owners = {**module.derived.owners, **{m.function: m.owner for m in made.values()}}
        new.derived.clones = frozenset(m.function for m in made.values())

    return Proposal(after, lines, tuple(made.values()), note)


def rejects(trial: Trial) -> set[str]:
    """The functions whose clones are not compiled or not used, those that are compiled themselves, and those that are called by what
    is not compiled, or not any longer."""
    now, before = trial.now.plans, trial.before.plans
    made: Collection[Cloned] = trial.changes
    clones = {m.function for m in made}
    compiled = {name for name, plan in now.items() if plan.jit}
    compiled |= called_from(trial.units, compiled)
    lost = [u for name, u in trial.units.items() if name not in compiled and not u.call_graph.callees.isdisjoint(clones)]
    lost += [u for name, u in trial.units.items() if name in before and was_compiled(before[name]) and not now[name].jit]
    called = frozenset[str]().union(*(unit.call_graph.callees for unit in lost))
    used = frozenset[str]().union(*(unit.call_graph.callees for unit in trial.units.values()))
    used |= chosen_from_outside(trial.units, now, {m.function: m.owner for m in made}, trial.now.outside).keys()
    return {
        m.owner
        for m in made
        if m.function not in used or not is_called_alike(now[m.function]) or now[m.owner].jit or {m.owner, m.function} & called
    }


def was_compiled(plan: FunctionPlan) -> bool:
    return plan.jit and not plan.versions.may_clone


def is_called_alike(plan: FunctionPlan) -> bool:
    """Whether a function is compiled, and takes and returns what it did: compiled code calls it without a shell."""
    shell = plan.inputs.shell
    return plan.jit and not (plan.returns or plan.random.key or plan.random.generators or shell.floated or shell.shapes)


CLONE_FUNCTIONS = Speculation("clone-functions", ("NJ508",), candidates, cloned, rejects, key=lambda made: made.owner)


def _decorated(unit: Unit) -> bool:
    return not isinstance(unit.node, cst.FunctionDef) or bool(unit.node.decorators) or unit.node.asynchronous is not None


def _redirected(
    module: Module, units: Collection[Unit], clones: Clones
) -> tuple[dict[cst.CSTNode, cst.CSTNode], dict[cst.ImportAlias, str]]:
    """The names of cloned functions in some units, with those of their clones; and the imports that must import these as well."""
    found: dict[cst.CSTNode, cst.CSTNode] = {}
    imports: dict[cst.ImportAlias, str] = {}
    for unit in units:
        canonical = module.runs[unit.name].facts.canonical
        for node in module.nodes[unit.name]:
            if not isinstance(node, (cst.Name, cst.Attribute)):
                continue
            name = module.scopes.qualname(node)
            clone = clones.get(canonical(name)) if name is not None else None
            if name is None or clone is None:
                continue
            owner = canonical(name).rpartition(".")[0]
            match node:
                case cst.Attribute(attr=cst.Name()) if name.rpartition(".")[0] == owner:
                    found[node] = node.with_changes(attr=cst.Name(clone))
                case cst.Name() if owner == module.source.name:
                    found[node] = cst.Name(clone)
                case cst.Name():
                    for alias in _imported_by(module, node):
                        if module.scopes.imported(alias) == canonical(name):
                            found[node], imports[alias] = cst.Name(clone), clone
    return found, imports


def _imported_by(module: Module, node: cst.Name) -> Iterator[cst.ImportAlias]:
    """The import that binds a name, where there is just one and it stands in the file's own scope."""
    bindings = module.scopes.bindings(node)
    for binding in bindings:
        statement = module.source.parents[binding] if isinstance(binding, cst.ImportAlias) else None
        if len(bindings) == 1 and isinstance(binding, cst.ImportAlias) and isinstance(statement, cst.ImportFrom):
            if isinstance(module.source.parents[module.source.topmost(binding)], cst.Module):
                yield binding


def _importing(module: Module, aliases: Mapping[cst.ImportAlias, str]) -> dict[cst.CSTNode, cst.CSTNode]:
    """The import statements, with the clones of what they import."""
    wanted: dict[cst.ImportFrom, dict[str, None]] = {}
    for alias, clone in aliases.items():
        statement = module.source.parents[alias]
        assert isinstance(statement, cst.ImportFrom)
        wanted.setdefault(statement, {})[clone] = None
    found: dict[cst.CSTNode, cst.CSTNode] = {}
    for statement, clones in wanted.items():
        assert not isinstance(statement.names, cst.ImportStar)
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        last = statement.names[-1]
        names = [*statement.names[:-1], last.with_changes(comma=comma)]
        names += [cst.ImportAlias(cst.Name(clone), comma=comma) for clone in clones]
        found[statement] = statement.with_changes(names=[*names[:-1], names[-1].with_changes(comma=last.comma)])
    return found


def _edits(replacements: Mapping[cst.CSTNode, cst.CSTNode]) -> Edits:
    def by(new: cst.CSTNode) -> Edit:
        return lambda _old: new

    return Edits({node: [by(new)] for node, new in replacements.items()})


def _both(function: cst.FunctionDef, copy: cst.FunctionDef, clone: str) -> tuple[cst.FunctionDef, cst.FunctionDef]:
    """The clone, and below it the function with its comments."""
    blank = [cst.EmptyLine(indent=False)] * 2
    above = copy.with_changes(name=cst.Name(clone.rpartition(".")[2]), leading_lines=blank if function.leading_lines else ())
    comments = [line for line in function.leading_lines if line.comment is not None]
    return above, function.with_changes(leading_lines=[*blank, *comments])


__all__ = ["CLONE_FUNCTIONS"]
