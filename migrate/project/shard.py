"""The files that one process is responsible for. Their syntax trees remain in that process; only plain data leaves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import libcst as cst

from ..analysis.state.project_facts import Facts
from ..linking.worklist import WorklistPass
from ..lowering.catalogue import SPECULATIONS
from ..lowering.rectangular_loops import assumed_by, one_by_one
from ..lowering.revision import Versions
from ..lowering.speculation import Assumed, Place, Proposal
from ..rewriting.rewriter import RewriteOptions, Rewritten, rewrite
from ..summaries.module_summary import module_summary
from ..summaries.unit_analysis import syntactic_callees
from ..summaries.unit_discovery import read
from ..summaries.units import MODULE, Module, ModuleSummary, Signature, UnitSummary
from ..syntax.source import SourceError, deep, on_deep_stack, parse
from . import garbage_collection
from .assertions import asserted
from .describe import described
from .failure import working_on
from .outcome import ProjectFile
from .progress import each
from .reparse import reread
from .values_at import ValueAt, values_at

Counts = Mapping[str, tuple[int, int]]  # by unit


@dataclass(slots=True)
class Base:
    """The files before a transformation, and their last transformed versions.

    `candidates`: see Speculation. `resolved`: for each file that the transformation has seen before in this state, the
    changes that it made then; only these are allowed now.
    """

    files: dict[str, Module]
    candidates: Any
    resolved: Mapping[str, Collection[Hashable]]
    made: dict[str, Module] = field(default_factory=dict)
    changes: dict[str, Sequence[Any]] = field(default_factory=dict)


@dataclass(slots=True)
class Shard:
    """The files that one process is responsible for. Their syntax trees remain here; only plain data leaves."""

    modules: dict[str, Module] = field(default_factory=dict)
    summaries: dict[str, UnitSummary] = field(default_factory=dict)
    files: dict[str, ModuleSummary] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    ordered: list[str] = field(default_factory=list)
    known: dict[str, UnitSummary] = field(default_factory=dict)  # the last known summary of each unit, in any version
    versions: dict[str, Versions] = field(default_factory=dict)
    interpreted: dict[cst.CSTNode, Module] = field(default_factory=dict)  # the version in which each unit was last interpreted
    bases: dict[str, Base] = field(default_factory=dict)  # by transformation
    interpretations: Counter[str] = field(default_factory=Counter)  # by unit
    latest: Counter[str] = field(default_factory=Counter)  # those of the last round

    def read(self, files: Sequence[ProjectFile]) -> list[ModuleSummary]:
        """Parse the files. The summaries list the definitions; nothing has been interpreted yet."""
        on_deep_stack(self._read, files)
        garbage_collection.exempt()  # syntax trees contain no cycles
        return list(self.files.values())

    def _read(self, files: Sequence[ProjectFile]) -> None:
        for file in each("reading files", files):
            package = file.path.name == "__init__.py"
            try:
                module = read(parse(str(file.path), file.module, package, file.data, dict(file.siblings)))
            except SourceError as error:
                self.errors[str(file.path)] = str(error)
                continue
            module.selected = file.selected
            versions = self.versions[file.module] = Versions()
            versions.count(module.source.module.body)
            self._begin(file.module, module)

    def _begin(self, name: str, module: Module) -> None:
        """Register a version of a file. Units interpreted before keep their last summary; others get an empty one."""
        self.modules[name] = module
        for unit in module.units.values():
            known = module.summaries.get(unit.name) or self.known.get(unit.name)
            self.summaries[unit.name] = known or UnitSummary(
                unit.name, name, unit.params, cls=unit.cls, signature=Signature(receiver=unit.receiver)
            )
        found, before = module_summary(module, self._of(module)), self.files.get(name)
        if (
            before is not None and f"{name}.{MODULE}" not in module.runs
        ):  # module-level bindings keep their last known values until the code is interpreted
            rebound = found.rebound | before.rebound
            found = found._replace(variables=before.variables, rebound=rebound, class_values=before.class_values)
            found = found._replace(fields=before.fields, frozen=before.frozen)
        self.files[name] = found

    def _replace(self, name: str, module: Module) -> list[ModuleSummary]:
        """Replace a file by another version; return its summary if the version differs."""
        before = self.modules[name]
        if before is module:
            return []
        for unit in before.units:
            del self.summaries[unit]
        self.ordered.clear()
        self._begin(name, module)
        return [self.files[name]]

    def _remember(self) -> None:
        for module in self.modules.values():
            self.interpreted.update((module.units[name].node, module) for name in module.runs)

    def begin(self, name: str, candidates: Any) -> None:
        """Remember the state of the files before a transformation, and its candidates."""
        before, key = self.bases.get(name), SPECULATIONS[name].key
        resolved = {
            file: frozenset(map(key, before.changes.get(file, ())))
            for file, module in self.modules.items()
            if before is not None and _same(before.files[file], module)
        }
        self.bases[name] = Base(dict(self.modules), candidates, resolved)
        self.known.update(self.summaries)

    def propose(
        self, name: str, rejected: Collection[Hashable], only: Collection[Hashable] | None
    ) -> tuple[list[ModuleSummary], list[Any]]:
        """Apply the changes of a transformation (see `Speculation`) to the files as they were before it.

        Returns the summaries of the files that change, or change back, and all changes now in effect.
        """
        return on_deep_stack(self._propose, name, rejected, only)

    def _propose(
        self, name: str, rejected: Collection[Hashable], only: Collection[Hashable] | None
    ) -> tuple[list[ModuleSummary], list[Any]]:
        base = self.bases[name]
        changed: list[ModuleSummary] = []
        changes: list[Any] = []
        self._remember()
        for file, module in base.files.items():
            with working_on(module.source.path):
                found = None
                if not self.files[file].text.unchanged:
                    may = base.resolved.get(file, only)
                    found = SPECULATIONS[name].propose(module, self.versions[file], base.candidates, rejected, may)
                base.changes[file] = () if found is None else found.changes
                changes += base.changes[file]
                made = module if found is None else base.made.get(file)
                if found is not None and (made is None or not _same(made, found)):
                    made = base.made[file] = reread(found.source, self.modules[file], self.interpreted)
                    made.lines, made.derived, made.forms = (
                        _through(module.lines, found.lines),
                        replace(module.derived),
                        module.forms,
                    )
                    made.written = module.written or module.source.text
                    found.note(made)
                assert made is not None
                changed += self._replace(file, made)
        return changed, changes

    def restore(self, name: str) -> list[ModuleSummary]:
        """Restore the files as they were before a transformation. Returns the summaries of those that change."""
        return [summary for file, module in self.bases[name].files.items() for summary in self._replace(file, module)]

    def dump(self, shows: str, facts: Facts) -> dict[str, str]:
        """The files by path, as code or as the facts about them."""
        show = described if shows == "facts" else (lambda module, _facts: module.source.text)
        return {module.source.path: show(module, facts) for module in self.modules.values()}

    def values(self, path: str) -> list[ValueAt]:
        """What is known about the variables of one file, where they occur."""
        return [value for module in self.modules.values() if module.source.path == path for value in values_at(module)]

    def names(self) -> dict[str, str]:
        return {module.source.path: name for name, module in self.modules.items()}

    def counts(self) -> dict[str, Counts]:
        """How often each unit was parsed and interpreted, by file."""
        found = dict[str, Counts]()
        for name, module in self.modules.items():
            parses = self.versions[name].parses
            found[module.source.path] = {
                unit: (parses[short] if (short := unit.removeprefix(f"{name}.")) in parses else 1, self.interpretations[unit])
                for unit in module.units
            }
        return found

    def one_by_one(self, facts: Facts, units: Collection[str]) -> list[Place]:
        """The loops in the given units whose iterations do not run in parallel."""
        return on_deep_stack(
            lambda: [location for module in self.modules.values() for location in one_by_one(module, facts, units)]
        )

    def assumed(self, facts: Facts, options: Mapping[str, RewriteOptions], units: Collection[str]) -> dict[str, Assumed]:
        """What the converted forms of some units assume of their arguments."""
        return on_deep_stack(self._assumed, facts, options, units)

    def _assumed(self, facts: Facts, options: Mapping[str, RewriteOptions], units: Collection[str]) -> dict[str, Assumed]:
        found = dict[str, Assumed]()
        for name, module in self.modules.items():
            functions = {unit.removeprefix(f"{name}."): unit for unit in module.units if unit in units}
            data = (
                rewrite(module, facts, facts.plans, options[name]._replace(conditions=False, text=True)).data
                if functions
                else None
            )
            if data is not None:
                said = asserted(data.decode(module.source.module.encoding), functions)
                found.update((unit, assumed_by(module, facts, unit, each.conditions, each.others)) for unit, each in said.items())
        return found

    def unread(self) -> dict[str, str]:
        """Why files could not be read, by path."""
        return self.errors

    def _of(self, module: Module) -> tuple[UnitSummary, ...]:
        return tuple(self.summaries[name] for name in module.units)

    def summarise(self, facts: Facts) -> list[ModuleSummary]:
        """Reinterpret the units whose facts changed. Returns the summaries of the files with changed results."""
        units = {u.name: (module, u) for module in self.modules.values() for u in module.units.values()}
        round_ = WorklistPass(units, self.summaries, facts)
        for name in each("analysing functions", self.order(facts)):
            with working_on(units[name][0].source.path):
                round_.look(name)
        self.latest = round_.interpretations
        self.interpretations += self.latest
        for name in round_.changed:
            self.files[name] = module_summary(self.modules[name], self._of(self.modules[name]))
        return [self.files[name] for name in round_.changed]

    def last_interpreted(self) -> Counter[str]:
        """How often the last round interpreted each unit."""
        return self.latest

    def order(self, facts: Facts) -> list[str]:
        """The units: module-level code first, then callers before callees as far as possible."""
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

    def rewrite(self, facts: Facts, rewrite_options: Mapping[str, RewriteOptions]) -> dict[str, Rewritten]:
        return {
            name: Rewritten(None)
            if self.files[name].text.unchanged
            else deep(rewrite, module, facts, facts.plans, rewrite_options[name])
            for name, module in each("rewriting files", self.modules.items())
        }


def _same(one: Module | Proposal, other: Module | Proposal) -> bool:
    """Whether two versions of a file have the same text. Nodes compare by identity."""
    return [*one.source.module.body] == [*other.source.module.body]


def _through(first: Sequence[int], then: Sequence[int]) -> tuple[int, ...]:
    """Compose two line maps: for each line after both changes, the line of the original file."""
    return tuple(first[min(line, len(first)) - 1] for line in then) if first else tuple(then)
