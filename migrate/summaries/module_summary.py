"""The summary of one file: its exports, variables and classes, with the summaries of its units."""

from __future__ import annotations

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, Value, replace
from ..analysis.state.interpreter_state import Run
from ..analysis.state.lattice import join
from ..syntax.decorators import effects, renamed
from ..syntax.file_text import is_test, sets_precision
from ..syntax.suppressions import is_suppressed, suppressed
from .unit_discovery import walk_definitions
from .unit_results import plain
from .units import MODULE, Module, ModuleSummary, ModuleText, UnitSummary


def module_summary(module: Module, summaries: tuple[UnitSummary, ...]) -> ModuleSummary:
    """The summary of a file: its exports, variables and classes, with the given summaries of its units."""
    source, scopes = module.source, module.scopes
    run = module.runs.get(f"{source.name}.{MODULE}")
    variables: dict[str, Value] = {}
    rebound: set[str] = set()
    top = scopes.opened_by(source.module)
    if run is not None:
        env = run.flow.end or {}
        for name, value in env.items():
            if name.isidentifier() and value.kind not in (Kind.FUNCTION, Kind.CLASS, Kind.MODULE):
                several = len(top.names.get(name, ())) != 1
                variables[name] = plain(join(run.attributes.bindings.get(name, value), value) if several else value)
                if several or name in module_updates(run):
                    rebound.add(name)
    for unit in module.units.values():
        if not unit.is_module:
            declared = scopes.opened_by(unit.node).globals
            variables.update(
                {name: replace(variables[name], dtype="", rank=-1, shape="") for name in declared & variables.keys()}
            )
            rebound |= declared
    classes = []
    for node, _parent in walk_definitions(source.module):
        if isinstance(node, cst.ClassDef):
            owner = scopes.qualname(node.name) or f"{source.name}.{node.name.value}"
            bases = tuple(scopes.qualname(b.value) or "?" for b in node.bases)
            methods = tuple((u.name.rpartition(".")[2], u.name) for u in module.units.values() if u.cls == owner)
            classes.append((owner, bases, methods))
    exports = tuple(sorted(scopes.exports().items()))
    silenced = suppressed(source.text)
    return ModuleSummary(
        source.name,
        source.package,
        summaries,
        exports,
        tuple(variables.items()),
        frozenset(rebound),
        tuple(classes),
        text=ModuleText(
            pandas=any(target.partition(".")[0] in ("pandas", "xarray", "polars") for _n, target in exports),
            script=any(is_main_guard(s) for s in source.module.body),
            tests=is_test(source.path),
            selected=module.selected,
            mentioned=module.mentioned,
            seeds="seed" in source.text,
            makes_generators=any(name in source.text for name in ("default_rng", "RandomState", "Generator")),
            narrow=module.narrow,
            sets_precision=sets_precision(source.text),
            unmarked=any(is_suppressed(silenced, line, code) for line in silenced for code in ("NJ501", "NJ505")),
        ),
        imports=module.imports,
        class_values=tuple(
            (c, tuple((k, plain(v)) for k, v in found.items()))
            for c, found in (run.attributes.class_values.items() if run is not None else ())
        ),
        fields=tuple(run.attributes.fields.items()) if run is not None else (),
        frozen=frozenset(run.attributes.frozen) if run is not None else NOTHING,
        decorators=effects(source, scopes),
        renamed=renamed(source, scopes),
        stars=tuple(star for star in scopes.star_imports if star is not None),
        unsure=module.unsure,
        names=frozenset(top.names),
        clones=tuple((name, module.derived.owners[name]) for name in sorted(module.derived.clones)),
    )


def is_main_guard(statement: cst.CSTNode) -> bool:
    match statement:
        case cst.If(
            test=cst.Comparison(
                left=cst.Name(value="__name__"), comparisons=[cst.ComparisonTarget(comparator=cst.SimpleString())]
            )
        ):
            return True
    return False


def module_updates(run: Run) -> frozenset[str]:
    return frozenset(u.access_path for found in run.effects.updates.values() for u in found)
