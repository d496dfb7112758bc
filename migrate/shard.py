"""The files that one process looks after: their syntax stays there, only plain data leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .analysis.state import Facts
from .outcome import ProjectFile
from .rewrite import Choice, Rewritten, rewrite
from .round import Round
from .source import SourceError, deep, on_deep_stack, parse
from .summarise import (
    Module,
    ModuleSummary,
    UnitSummary,
    module_summary,
    read,
    syntactic_callees,
)


@dataclass(slots=True)
class Shard:
    """The files that one process looks after: their syntax stays here, only plain data leaves."""

    modules: dict[str, Module] = field(default_factory=dict)
    summaries: dict[str, UnitSummary] = field(default_factory=dict)
    files: dict[str, ModuleSummary] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    ordered: list[str] = field(default_factory=list)

    def read(self, files: Sequence[ProjectFile]) -> list[ModuleSummary]:
        """Parse; the summaries name what is there, without anything known of it."""
        on_deep_stack(self._read, files)
        return list(self.files.values())

    def _read(self, files: Sequence[ProjectFile]) -> None:
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

    def unread(self) -> dict[str, str]:
        """Why files could not be read, by path."""
        return self.errors

    def _of(self, module: Module) -> tuple[UnitSummary, ...]:
        return tuple(self.summaries[name] for name in module.units)

    def summarise(self, facts: Facts) -> list[ModuleSummary]:
        """Look at the units again whose facts changed; the files of which something else is known now."""
        units = {u.name: (module, u) for module in self.modules.values() for u in module.units.values()}
        round_ = Round(units, self.summaries, facts)
        for name in self.order(facts):
            round_.look(name)
        for name in round_.changed:
            self.files[name] = module_summary(self.modules[name], self._of(self.modules[name]))
        return [self.files[name] for name in round_.changed]

    def order(self, facts: Facts) -> list[str]:
        """The units, modules' own code first, callers before callees as far as that can be."""
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
            self.ordered = [name for name, (_m, unit) in units.items() if unit.is_module] + list(done)[::-1]
        return self.ordered

    def rewrite(self, facts: Facts, choices: Mapping[str, Choice]) -> dict[str, Rewritten]:
        return {
            name: Rewritten(None) if self.files[name].tests else deep(rewrite, module, facts, facts.plans, choices[name])
            for name, module in self.modules.items()
        }
