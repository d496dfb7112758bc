"""The files that one process looks after: their syntax stays there, only plain data leaves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ...rules.core.facts import NOTHING
from ..analysis.state.interpreter_state import Facts
from ..linking.worklist import Round
from ..lowering.desugaring import UNCLEAR, desugared
from ..lowering.loop_outlining import Moved, Outlined, outlined
from ..lowering.rectangular_loops import Place, one_by_one, rectangles, tests_reached
from ..rewriting.rewriter import Choice, Rewritten, rewrite
from ..summaries.module_summary import module_summary
from ..summaries.unit_analysis import syntactic_callees
from ..summaries.unit_discovery import read
from ..summaries.units import Module, ModuleSummary, UnitSummary
from ..syntax.source import SourceError, deep, on_deep_stack, parse, parse_again
from .outcome import ProjectFile
from .progress import each
from .reparse import reread


@dataclass(slots=True)
class Shard:
    """The files that one process looks after: their syntax stays here, only plain data leaves."""

    modules: dict[str, Module] = field(default_factory=dict)
    summaries: dict[str, UnitSummary] = field(default_factory=dict)
    files: dict[str, ModuleSummary] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    ordered: list[str] = field(default_factory=list)
    known: dict[str, UnitSummary] = field(default_factory=dict)  # of the files as they are written
    as_written: dict[str, Module] = field(default_factory=dict)
    plain: dict[str, Module] = field(default_factory=dict)  # the same, with what was written plainly; no loop moved
    moved: dict[str, tuple[Moved, ...]] = field(default_factory=dict)  # the loops that are moved now, by file
    sugary: frozenset[str] = NOTHING  # units whose loops and branches may be written plainly
    unclear: frozenset[str] = NOTHING  # units that are kept since it is not known what is a number
    compiled: frozenset[str] = NOTHING  # units that jit compiles, with no static arguments
    eager: frozenset[str] = NOTHING  # units whose loops may be moved
    traceable: frozenset[str] = NOTHING  # units that jit can trace
    moved_apart: dict[str, Module] = field(default_factory=dict)  # the files with loops moved; no loop a rectangle
    facts: Facts = field(default_factory=Facts)  # what was known of them

    def read(self, files: Sequence[ProjectFile]) -> list[ModuleSummary]:
        """Parse; the summaries name what is there, without anything known of it."""
        on_deep_stack(self._read, files)
        return list(self.files.values())

    def _read(self, files: Sequence[ProjectFile]) -> None:
        for file in each("reading files", files):
            package = file.path.name == "__init__.py"
            try:
                module = read(parse(str(file.path), file.module, package, file.data, dict(file.siblings)))
            except SourceError as error:
                self.errors[str(file.path)] = str(error)
                continue
            self._begin(file.module, module)

    def _begin(self, name: str, module: Module) -> None:
        """Look at a file; what its units do is known of those that were looked at, of others what they did as they were written."""
        self.modules[name] = module
        for unit in module.units.values():
            known = module.summaries.get(unit.name) or self.known.get(unit.name)
            self.summaries[unit.name] = known or UnitSummary(unit.name, name, unit.params, cls=unit.cls, receiver=unit.receiver)
        self.files[name] = module_summary(module, self._of(module))

    def _replace(self, name: str, module: Module) -> list[ModuleSummary]:
        """Another text in a file's place; its summary, where it is another."""
        if self.modules[name] is module:
            return []
        for unit in self.modules[name].units:
            del self.summaries[unit]
        self.ordered.clear()
        self._begin(name, module)
        return [self.files[name]]

    def before_desugaring(self, facts: Facts, unjitted: frozenset[str]) -> None:
        """Remember the files as they are, and the units that jit does not compile; `unjitted` are not wanted to be compiled."""
        self.as_written, self.plain, self.known = dict(self.modules), dict(self.modules), dict(self.summaries)
        wanted = (p.name for p in facts.plans.values() if not (p.jax or p.refused) and (p.static_args or not p.jit))
        self.sugary = frozenset(wanted) - unjitted
        self.unclear = frozenset(p.name for p in facts.plans.values() if p.refused_code in UNCLEAR) - unjitted
        self.compiled = frozenset(p.name for p in facts.plans.values() if p.jit and not (p.jax or p.static_args))

    def desugar(self, without: Collection[str]) -> tuple[list[ModuleSummary], list[str]]:
        """Write loops and branches plainly but for the units in `without`, and move loops back. The summaries of the files that
        change by it, and the units in which something is written plainly now."""
        return on_deep_stack(self._desugar, without)

    def _desugar(self, without: Collection[str]) -> tuple[list[ModuleSummary], list[str]]:
        changed: list[ModuleSummary] = []
        units: list[str] = []
        for name, module in self.as_written.items():
            found = (
                None
                if self.files[name].tests
                else desugared(module, *(units.difference(without) for units in (self.sugary, self.unclear, self.compiled)))
            )
            forms = {} if found is None else found.forms
            units += forms
            if forms != self.plain[name].forms:
                self.plain[name] = module
                if found is not None:
                    rewritten = {module.source.topmost(module.units[unit].node) for unit in forms}
                    made = self.plain[name] = reread(module, found.source, rewritten)
                    made.lines, made.forms = found.lines, found.forms
            changed += self._replace(name, self.plain[name])
        return changed, units

    def before_moving(self, facts: Facts, unjitted: frozenset[str]) -> None:
        """Remember the files as they are, and the units that jit does not compile; `unjitted` are not wanted to be compiled."""
        self.plain, self.moved = dict(self.modules), {}
        eager = (p.name for p in facts.plans.values() if not (p.jit or p.jax or p.refused_code == "NJ501"))
        self.eager = frozenset(eager) - unjitted
        self.traceable = frozenset(p.name for p in facts.plans.values() if p.traceable)

    def outline(
        self, without: Collection[tuple[str, int]], only: Collection[tuple[str, int]] | None
    ) -> tuple[list[ModuleSummary], list[Moved]]:
        """Move loops into functions of their own: `only` these, all others where it is None; not those in `without`.

        The summaries of the files that change by it, or that get loops back, and all that is moved now.
        """
        return on_deep_stack(self._outline, without, only)

    def _outline(
        self, without: Collection[tuple[str, int]], only: Collection[tuple[str, int]] | None
    ) -> tuple[list[ModuleSummary], list[Moved]]:
        changed: list[ModuleSummary] = []
        moved: list[Moved] = []
        for name, module in self.plain.items():
            found = None if self.files[name].tests else outlined(module, self.eager, self.traceable, without, only)
            loops = () if found is None else found.moved
            moved += loops
            if loops != self.moved.get(name, ()):
                self.moved[name] = loops
                changed += self._replace(name, module if found is None else _with_loops_moved(module, found))
        return changed, moved

    def before_rectangles(self, facts: Facts) -> None:
        """Remember the files as they are, and what becomes of the units."""
        self.moved_apart, self.facts = dict(self.modules), facts

    def make_rectangles(self, without: Collection[Place]) -> tuple[list[ModuleSummary], list[Place]]:
        """Write loops as rectangles but for those in `without`, see `rectangles`. The summaries of the files that change by it, and the
        loops that are written so now."""
        return on_deep_stack(self._make_rectangles, without)

    def _make_rectangles(self, without: Collection[Place]) -> tuple[list[ModuleSummary], list[Place]]:
        changed: list[ModuleSummary] = []
        loops: list[Place] = []
        for name, module in self.moved_apart.items():
            found = None if self.files[name].tests else rectangles(module, self.facts, without)
            made = module
            if found is not None:
                loops += found.loops
                made = reread(module, found.source, found.changed)
                made.reached = tests_reached(made, found)
                made.lines, made.owners, made.forms = _through(module.lines, found.lines), module.owners, module.forms
            changed += self._replace(name, made)
        return changed, loops

    def one_by_one(self, facts: Facts, units: Collection[str]) -> list[Place]:
        """The loops in some units whose turns are not taken at once."""
        return on_deep_stack(lambda: [place for module in self.modules.values() for place in one_by_one(module, facts, units)])

    def unread(self) -> dict[str, str]:
        """Why files could not be read, by path."""
        return self.errors

    def _of(self, module: Module) -> tuple[UnitSummary, ...]:
        return tuple(self.summaries[name] for name in module.units)

    def summarise(self, facts: Facts) -> list[ModuleSummary]:
        """Look at the units again whose facts changed; the files of which something else is known now."""
        units = {u.name: (module, u) for module in self.modules.values() for u in module.units.values()}
        round_ = Round(units, self.summaries, facts)
        for name in each("analysing functions", self.order(facts)):
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
            for name, module in each("rewriting files", self.modules.items())
        }


def _with_loops_moved(module: Module, found: Outlined) -> Module:
    added = {m.function.rpartition(".")[2] for m in found.moved}
    now = parse_again(module.source, found.text.encode(module.source.module.encoding))
    made = reread(module, now, found.changed, added)
    made.lines, made.owners = _through(module.lines, found.lines), {m.function: m.owner for m in found.moved}
    made.forms = module.forms
    return made


def _through(first: Sequence[int], then: Sequence[int]) -> tuple[int, ...]:
    """For each line of a text that was made of a text that was made of a file, the line of the file."""
    return tuple(first[min(line, len(first)) - 1] for line in then) if first else tuple(then)
