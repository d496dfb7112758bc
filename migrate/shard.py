"""The files that one process looks after: their syntax stays there, only plain data leaves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ..rules.facts import NOTHING
from .analysis.state import Facts
from .desugar.text import Desugared, desugared
from .outcome import ProjectFile
from .outline import Moved, Outlined, outlined
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
    originals: dict[str, Module] = field(default_factory=dict)  # the files themselves, as they were first understood
    understood: tuple[dict[str, UnitSummary], dict[str, ModuleSummary]] = field(
        default_factory=lambda: ({}, {})
    )  # what was known
    eager: frozenset[str] = NOTHING  # units that jit did not compile then
    sugary: frozenset[str] = NOTHING  # units whose loops and branches may be written plainly
    as_written: tuple[dict[str, Module], dict[str, UnitSummary], dict[str, ModuleSummary]] = field(
        default_factory=lambda: ({}, {}, {})
    )  # all files before that, and what was known of them

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
            self._begin(file.module, module)

    def _begin(self, name: str, module: Module) -> None:
        """Nothing is known of a file yet."""
        self.modules[name] = module
        for unit in module.units.values():
            self.summaries[unit.name] = UnitSummary(unit.name, name, unit.params, cls=unit.cls)
        self.files[name] = module_summary(module, self._of(module))

    def sugared(self, facts: Facts, unjitted: frozenset[str]) -> bool:
        """Whether functions that jit does not compile hold loops and branches that can be written plainly."""
        self.as_written = dict(self.modules), dict(self.summaries), dict(self.files)
        self.sugary = frozenset(p.name for p in facts.plans.values() if not (p.jit or p.jax or p.refused)) - unjitted
        return on_deep_stack(lambda: any(self._desugared(name, ()) is not None for name in self.modules))

    def _desugared(self, name: str, without: Collection[str]) -> Desugared | None:
        return None if self.files[name].tests else desugared(self.as_written[0][name], self.sugary.difference(without))

    def desugar(self, without: Collection[str]) -> tuple[list[ModuleSummary], list[str]]:
        """Begin anew, with loops and branches written plainly but for the units in `without`. The summaries of all files, and the
        units in which there were some."""
        return on_deep_stack(self._desugar, without)

    def _desugar(self, without: Collection[str]) -> tuple[list[ModuleSummary], list[str]]:
        self.summaries.clear()
        self.ordered.clear()
        units: list[str] = []
        for name, module in self.as_written[0].items():
            found = self._desugared(name, without)
            made = read(module.source if found is None else found.source)
            if found is not None:
                made.lines, made.forms = found.lines, found.forms
                units += found.forms
            self._begin(name, made)
        return list(self.files.values()), units

    def resugar(self) -> None:
        """Go back to all files as they are written."""
        modules, summaries, files = self.as_written
        self.modules, self.summaries, self.files = dict(modules), dict(summaries), dict(files)
        self.ordered.clear()

    def movable(self, facts: Facts, unjitted: frozenset[str]) -> bool:
        """Whether loops stand where jit does not, and could be moved; those of `unjitted` functions are not wanted to be."""
        self.originals = dict(self.modules)
        self.understood = dict(self.summaries), dict(self.files)
        eager = (p.name for p in facts.plans.values() if not (p.jit or p.jax or p.refused_code == "NJ501"))
        self.eager = frozenset(eager) - unjitted
        return on_deep_stack(lambda: any(self._outlined(name, (), None) is not None for name in self.originals))

    def outline(
        self, without: Collection[tuple[str, int]], only: Collection[tuple[str, int]] | None
    ) -> tuple[list[ModuleSummary], list[Moved]]:
        """Begin anew, with loops moved into functions of their own: `only` these, all others where it is None; not those in
        `without`. The summaries of all files, and what was moved."""
        return on_deep_stack(self._outline, without, only)

    def _outlined(
        self, name: str, without: Collection[tuple[str, int]], only: Collection[tuple[str, int]] | None
    ) -> Outlined | None:
        return None if self.files[name].tests else outlined(self.originals[name], self.eager, without, only)

    def _outline(
        self, without: Collection[tuple[str, int]], only: Collection[tuple[str, int]] | None
    ) -> tuple[list[ModuleSummary], list[Moved]]:
        self.summaries.clear()
        self.ordered.clear()
        moved: list[Moved] = []
        for name, module in self.originals.items():
            source, found = module.source, self._outlined(name, without, only)
            if found is None:
                same = read(source)
                same.lines, same.forms = module.lines, module.forms
                self._begin(name, same)
                continue
            text = found.text.encode(source.module.encoding)
            made = read(parse(source.path, source.name, source.package == source.name, text, dict(source.siblings)))
            made.lines, made.owners = _through(module.lines, found.lines), {m.function: m.owner for m in found.moved}
            made.forms = module.forms
            self._begin(name, made)
            moved += found.moved
        return list(self.files.values()), moved

    def restore(self) -> None:
        """Go back to the files themselves, as they were first understood."""
        self.modules = dict(self.originals)
        summaries, files = self.understood
        self.summaries, self.files = dict(summaries), dict(files)
        self.ordered.clear()

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


def _through(first: Sequence[int], then: Sequence[int]) -> tuple[int, ...]:
    """For each line of a text that was made of a text that was made of a file, the line of the file."""
    return tuple(first[min(line, len(first)) - 1] for line in then) if first else tuple(then)
