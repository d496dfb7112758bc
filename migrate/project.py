"""Convert a project in memory: read all files, understand them together, rewrite them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..rules.diagnostic import Diagnostic
from ..rules.facts import UNKNOWN, FunctionPlan
from .analysis.state import Facts
from .link import function_fact, link
from .outcome import Conversion, FileOutcome, FunctionOutcome, Options, ProjectFile
from .refuse import Settings
from .rewrite import Choice, Rewritten, rewrite
from .source import SourceError, deep, parse
from .summarise import (
    MODULE,
    Module,
    ModuleSummary,
    Unit,
    UnitSummary,
    given_otherwise,
    module_summary,
    read,
    run_unit,
    summary_of,
    syntactic_callees,
)

MOST_ROUNDS = 12


@dataclass(slots=True)
class Shard:
    """The files that one process looks after: their syntax stays here, only plain data leaves."""

    modules: dict[str, Module] = field(default_factory=dict)
    summaries: dict[str, UnitSummary] = field(default_factory=dict)
    files: dict[str, ModuleSummary] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    ordered: list[tuple[str, Unit]] = field(default_factory=list)
    missed: frozenset[str] = frozenset()

    def read(self, files: Sequence[ProjectFile]) -> list[ModuleSummary]:
        """Parse; the summaries name what is there, without anything known of it."""
        for file in files:
            package = file.path.name == "__init__.py"
            try:
                module = read(parse(str(file.path), file.module, package, file.data))
            except SourceError as error:
                self.errors[str(file.path)] = str(error)
                continue
            self.modules[file.module] = module
            for unit in module.units.values():
                self.summaries[unit.name] = UnitSummary(unit.name, file.module, unit.params, cls=unit.cls)
            self.files[file.module] = module_summary(module, self._of(module))
        return list(self.files.values())

    def _of(self, module: Module) -> tuple[UnitSummary, ...]:
        return tuple(self.summaries[name] for name in module.units)

    def summarise(self, facts: Facts, stale: frozenset[str] | None) -> list[ModuleSummary]:
        """Look at the units again whose facts changed (all, where `stale` is None), callees first; the files that changed.

        What is found out about a function is known at once to the units that are looked at after it; `missed` are the
        functions of which more was found out after units that use them.
        """
        changed: set[str] = set()
        fresh: set[str] = set()
        used: set[str] = set()
        missed: set[str] = set()
        for name, unit in self.order(facts):
            module = self.modules[name]
            summary = self.summaries[unit.name]
            others = stale is None or not summary.read.isdisjoint(stale | fresh)
            if others or (unit.name in (stale or ()) and given_otherwise(module, unit, facts)):
                summary = summary_of(module, unit, deep(run_unit, module, unit, facts))
            used |= summary.read
            if summary != self.summaries[unit.name]:
                self.summaries[unit.name] = summary
                changed.add(name)
                if not unit.is_module:
                    facts.functions[unit.name] = function_fact(summary)
                    fresh.add(unit.name)
                    if unit.name in used:
                        missed.add(unit.name)
        self.missed = frozenset(missed)
        for name in self.modules if stale is None else changed:
            self.files[name] = module_summary(self.modules[name], self._of(self.modules[name]))
        return [self.files[name] for name in (self.modules if stale is None else changed)]

    def order(self, facts: Facts) -> list[tuple[str, Unit]]:
        """The units, callees before callers as far as that can be, modules' own code last."""
        if not self.ordered:
            units = {u.name: (name, u) for name, module in self.modules.items() for u in module.units.values()}
            done: dict[str, None] = {}
            for start in [n for n, (_m, u) in units.items() if not u.is_module]:
                stack = [start]
                path: set[str] = set()
                while stack:
                    at = stack[-1]
                    if at in done or at in path:
                        done.setdefault(stack.pop())
                        continue
                    path.add(at)
                    module, unit = units[at]
                    stack += [c for c in syntactic_callees(self.modules[module], unit, facts) if c in units and c not in done and c not in path]
            self.ordered = [units[n] for n in done] + [pair for pair in units.values() if pair[1].is_module]
        return self.ordered

    def rewrite(self, facts: Facts, choices: Mapping[str, Choice]) -> dict[str, Rewritten]:
        plans = all_plans(facts)
        return {
            name: Rewritten(None) if self.files[name].tests else deep(rewrite, module, facts, plans, choices[name])
            for name, module in self.modules.items()
        }


def all_plans(facts: Facts) -> dict[str, FunctionPlan]:
    return facts.plans


def convert_files(files: Sequence[ProjectFile], options: Options) -> Conversion:
    """Convert all files together. Nothing is written; a file that cannot be read is reported, the others are converted."""
    shard = Shard()
    summaries = {s.name: s for s in shard.read(files)}
    settings = Settings(
        {name: ("NJ000", reason) for name, reason in options.kept}, options.unjitted, options.public
    )
    facts = link(summaries.values(), settings)
    facts = settle(shard, summaries, facts, settings, None)
    entries = entry_points(files, summaries)
    while True:
        choices = {
            name: Choice(options.select, options.ignore, options.unsafe, options.precision, name in entries, options.strict) for name in summaries
        }
        rewritten = shard.rewrite(facts, choices)
        refused = {name: why for r in rewritten.values() for name, why in r.refused.items() if not facts.plans[name].refused}
        if not refused:
            break
        settings = replace(settings, kept={**settings.kept, **refused})
        before = facts
        facts = link(summaries.values(), settings)
        facts = settle(shard, summaries, facts, settings, difference(before, facts))
    return outcome(files, shard, facts, rewritten)


def settle(shard: Shard, summaries: dict[str, ModuleSummary], facts: Facts, settings: Settings, stale: frozenset[str] | None) -> Facts:
    """Summarise and link until nothing changes. Facts only become surer, but for effects, which only grow."""
    for _round in range(MOST_ROUNDS):
        for summary in shard.summarise(facts, stale):
            summaries[summary.name] = summary
        linked = link(summaries.values(), settings)
        stale = difference(facts, linked) | shard.missed
        facts = linked
        if not stale:
            return facts
    unstable = {name: ("NJ214", "what it does could not be settled") for name in stale or () if name in facts.functions}
    last = replace(settings, kept={**settings.kept, **unstable})
    facts = link(summaries.values(), last)
    shard.summarise(facts, stale)
    return facts


def difference(before: Facts, after: Facts) -> frozenset[str]:
    """Names of the facts that differ."""
    stale: set[str] = set()
    for old, new in (
        (before.functions, after.functions),
        (before.classes, after.classes),
        (before.variables, after.variables),
        (before.params, after.params),
    ):
        for name in old.keys() | new.keys():
            if old.get(name) != new.get(name):
                stale.add(name)
    return frozenset(stale)


def entry_points(files: Sequence[ProjectFile], summaries: Mapping[str, ModuleSummary]) -> frozenset[str]:
    """Modules that a program starts with: top-level packages, scripts, and modules that no other module imports."""
    imported = {target for s in summaries.values() for _n, target in s.exports} | {i for s in summaries.values() for i in s.imports}
    found = set()
    packages = {f.module for f in files if f.path.name == "__init__.py"}
    for file in files:
        if file.module not in summaries:
            continue
        top = file.module.partition(".")[0]
        if top in packages:
            summary = summaries[file.module]
            own = any(i == top or i.startswith(top + ".") for i in summary.imports)
            if file.module == top or (summary.script and not own):  # a script that imports its package has run its __init__
                found.add(file.module)
        elif summaries[file.module].script or not any(i == file.module or i.startswith(file.module + ".") for i in imported):
            found.add(file.module)
    converted = {s.name for s in summaries.values() if any(i.partition(".")[0] == "numpy" for i in s.imports)}
    tops = {c.partition(".")[0] for c in converted}
    return frozenset(f for f in found if f in converted or f.partition(".")[0] in tops or reaches(f, summaries, converted))


def reaches(name: str, summaries: Mapping[str, ModuleSummary], wanted: set[str]) -> bool:
    """Whether a module imports, directly or not, one of the modules that are wanted."""
    seen, work = {name}, [name]
    while work:
        at = work.pop()
        if at in wanted:
            return True
        for target in (*summaries[at].imports, *(t for _n, t in summaries[at].exports)):
            while target and target not in summaries:
                target = target.rpartition(".")[0]
            if target and target not in seen:
                seen.add(target)
                work.append(target)
    return False


def outcome(files: Sequence[ProjectFile], shard: Shard, facts: Facts, rewritten: Mapping[str, Rewritten]) -> Conversion:
    done: list[FileOutcome] = []
    functions: list[FunctionOutcome] = []
    for file in files:
        error = shard.errors.get(str(file.path), "")
        if error:
            done.append(FileOutcome(file.path, file.module, None, error=error))
            continue
        module, result = shard.modules[file.module], rewritten[file.module]
        data = None if result.text is None else encoded(module, result.text)
        done.append(FileOutcome(file.path, file.module, data, tuple(sorted(result.diagnostics, key=by_place))))
        lines = result.lines
        for unit in module.units.values():
            summary, plan = shard.summaries[unit.name], facts.plans[unit.name]
            if shard.files[file.module].tests or (unit.is_module and not summary.numpy_used):
                continue
            functions.append(function_outcome(file, summary, plan, result, lines.get(unit.name, 1)))
    return Conversion(tuple(done), tuple(functions))


def function_outcome(file: ProjectFile, summary: UnitSummary, plan: FunctionPlan, result: Rewritten, line: int) -> FunctionOutcome:
    codes = tuple(sorted(result.codes.get(summary.name, ())))
    transform = "" if plan.refused else "jit" if plan.jit and "NJ501" in codes else "eager"
    if plan.refused:
        codes = (plan.refused_code,)
    return FunctionOutcome(
        str(file.path), line, summary.name, "kept" if plan.refused else "proved", transform, codes, plan.refused,
        plan.returns, plan.results, plan.static_args if plan.jit else (), summary.kinds, summary.numpy_used, summary.params, plan.already,
    )


def encoded(module: Module, text: str) -> bytes:
    return text.encode(module.source.module.encoding)


def by_place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    return diagnostic.line, diagnostic.column, diagnostic.code


__all__ = ["MODULE", "UNKNOWN", "convert_files"]
