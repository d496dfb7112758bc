"""The files that one process looks after: their syntax stays there, only plain data leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .analysis.state import Facts
from .link import function_fact
from .outcome import ProjectFile
from .rewrite import Choice, Rewritten, rewrite
from .source import SourceError, deep, parse
from .summarise import (
    Module,
    ModuleSummary,
    Unit,
    UnitSummary,
    is_stale,
    module_summary,
    read,
    run_unit,
    summary_of,
    syntactic_callees,
)


@dataclass(slots=True)
class Shard:
    """The files that one process looks after: their syntax stays here, only plain data leaves."""

    modules: dict[str, Module] = field(default_factory=dict)
    summaries: dict[str, UnitSummary] = field(default_factory=dict)
    files: dict[str, ModuleSummary] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    ordered: list[tuple[str, Unit]] = field(default_factory=list)

    def read(self, files: Sequence[ProjectFile]) -> list[ModuleSummary]:
        """Parse; the summaries name what is there, without anything known of it."""
        for file in files:
            package = file.path.name == "__init__.py"
            try:
                module = read(parse(str(file.path), file.module, package, file.data, dict(file.siblings)))
            except SourceError as error:
                self.errors[str(file.path)] = str(error)
                continue
            self.modules[file.module] = module
            for unit in module.units.values():
                self.summaries[unit.name] = UnitSummary(unit.name, file.module, unit.params, cls=unit.cls)
            self.files[file.module] = module_summary(module, self._of(module))
        return list(self.files.values())

    def unread(self) -> dict[str, str]:
        """Why files could not be read, by path."""
        return self.errors

    def _of(self, module: Module) -> tuple[UnitSummary, ...]:
        return tuple(self.summaries[name] for name in module.units)

    def summarise(self, facts: Facts) -> list[ModuleSummary]:
        """Look at the units again whose facts changed, callees first; the files of which something else is known now.

        What is found out about a function is known at once to the units that are looked at after it.
        """
        changed: set[str] = set()
        for name, unit in self.order(facts):
            module = self.modules[name]
            if not is_stale(module, unit, facts):
                continue
            first = unit.name not in module.runs
            summary = summary_of(module, unit, deep(run_unit, module, unit, facts))
            if first or summary != self.summaries[unit.name]:
                self.summaries[unit.name] = summary
                changed.add(name)
                if not unit.is_module:
                    facts.functions[unit.name] = function_fact(summary)
        for name in changed:
            self.files[name] = module_summary(self.modules[name], self._of(self.modules[name]))
        return [self.files[name] for name in changed]

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
                    stack += [
                        c
                        for c in syntactic_callees(self.modules[module], unit, facts)
                        if c in units and c not in done and c not in path
                    ]
            self.ordered = [units[n] for n in done] + [pair for pair in units.values() if pair[1].is_module]
        return self.ordered

    def rewrite(self, facts: Facts, choices: Mapping[str, Choice]) -> dict[str, Rewritten]:
        return {
            name: Rewritten(None) if self.files[name].tests else deep(rewrite, module, facts, facts.plans, choices[name])
            for name, module in self.modules.items()
        }
