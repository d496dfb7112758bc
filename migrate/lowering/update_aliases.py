"""Whether an array that statements change in place may be another array that they read: in a function of their own, these would be
two arrays.

What callers from outside give twice is not considered, here as elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN
from ..analysis.state.access_paths import path_of
from ..analysis.state.interpreter_state import Run
from ..summaries.units import Module
from .outlined_text import Region

NO_ARRAYS = (Kind.SCALAR, Kind.STRING, Kind.NONE)
VIEWS = frozenset({"T", "mT", "real", "imag", "flat"})


def may_alias(module: Module, region: Region, statements: Sequence[cst.BaseStatement], self_name: str) -> bool:
    """Whether one argument of the function may share memory with another one that the function changes in place."""
    run = module.runs[region.unit.name]
    changed = {path for path, node in _changed(run, statements, self_name)}
    arguments = [path for path in region.params.values() if _kind(run, statements, path) not in NO_ARRAYS]
    return any(
        path != other and _share(module, region, statements, path, other, self_name) for path in changed for other in arguments
    )


def _changed(run: Run, statements: Sequence[cst.BaseStatement], self_name: str) -> Iterator[tuple[str, cst.CSTNode]]:
    """The variables and attributes of the object whose arrays change, where the analysis of the unit does not vouch for it."""
    for node, updates in run.effects.updates.items():
        if not any(run.source.inside(node, s) for s in statements):
            continue
        of_object = f"{self_name}."
        for update in updates:
            if update.problem or (self_name and update.access_path.startswith(of_object)):
                yield from ((path, node) for path in _roots(node))


def _roots(node: cst.CSTNode) -> Iterator[str]:
    """The access paths that a statement, or a call, may write to."""
    targets: list[cst.BaseExpression] = []
    match node:
        case cst.Assign():
            targets = [t.target for t in node.targets]
        case cst.AugAssign() | cst.AnnAssign():
            targets = [node.target]
        case cst.Call():
            targets = [a.value for a in node.args]
            targets += [node.func.value] if isinstance(node.func, cst.Attribute) else []
    while targets:
        target = targets.pop()
        if isinstance(target, (cst.Tuple, cst.List)):
            targets += [e.value for e in target.elements]
        elif isinstance(target, cst.Subscript) or (isinstance(target, cst.Attribute) and target.attr.value in VIEWS):
            targets.append(target.value)
        elif (path := path_of(target)) is not None:
            yield path


def _share(module: Module, region: Region, statements: Sequence[cst.BaseStatement], one: str, other: str, self_name: str) -> bool:
    run = module.runs[region.unit.name]
    memory, others = (_memory(run, region, statements, path, self_name) for path in (one, other))
    if (memory & others) - {"?"}:
        return True
    owner, cls = f"{self_name}.", run.facts.root(region.unit.cls)
    attributes = [path.removeprefix(owner) for path in (one, other) if self_name and path.startswith(owner)]
    if len(attributes) == 2:
        return _bound_together(module, cls, *attributes)
    fact = run.facts.classes.get(region.unit.cls)
    held = fact is None or any(a in fact.shared for a in attributes)
    return "?" in memory | others and (held or not attributes)


def _memory(run: Run, region: Region, statements: Sequence[cst.BaseStatement], path: str, self_name: str) -> frozenset[str]:
    if self_name and path.startswith(f"{self_name}."):
        return frozenset({f"attr:{run.facts.root(region.unit.cls)}.{path.partition('.')[2]}"})
    return NOTHING.union(*(run.values[n].memory for n in _uses(run, statements, path) if n in run.values))


def _kind(run: Run, statements: Sequence[cst.BaseStatement], path: str) -> Kind:
    kinds = {run.values.get(n, UNKNOWN).kind for n in _uses(run, statements, path)}
    return kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN


def _uses(run: Run, statements: Sequence[cst.BaseStatement], path: str) -> list[cst.CSTNode]:
    """The places at which statements mention a variable or an attribute."""
    kind: type[cst.CSTNode] = cst.Attribute if "." in path else cst.Name
    return [n for s in statements for n in run.source.among(s, kind) if path_of(n) == path]


def _bound_together(module: Module, cls: str, one: str, other: str) -> bool:
    """Whether some code of the file binds two attributes of an object to the same array."""
    tokens = (f"attr:{cls}.{one}", f"attr:{cls}.{other}")
    kept: set[tuple[str, str]] = set()  # methods and the parameters that they bind to one of these
    for name, run in module.runs.items():
        bound = {a: run.attributes.attrs[a].memory for a in (one, other) if a in run.attributes.attrs}
        memory = list(bound.values())
        if any(token in m for token in tokens for a, m in bound.items() if token != f"attr:{cls}.{a}"):
            return True
        if len(memory) == 2 and memory[0] & memory[1]:
            return True
        kept |= {(name, token[6:]) for m in memory for token in m if token.startswith("param:")}
        for store, value in run.attributes.stored.items():
            if store.rpartition(".")[2] in (one, other, "*") and not value.memory.isdisjoint((*tokens, "?")):
                return True
    for run in module.runs.values():
        for call in run.call_graph.calls.values():
            for parameter, value in call.args:
                if (call.callee, parameter) in kept and not value.memory.isdisjoint(tokens):
                    return True
    return False


__all__ = ["may_alias"]
