"""Implements `ctx.names`: the names that the output uses, and those that the source binds."""

from __future__ import annotations

import itertools
from functools import cached_property

import libcst as cst

from ..summaries.units import MODULE
from .analysed_unit import AnalysedUnit
from .file_names import FileNames


class UnitNames:
    """Implements rules.context.names.Names."""

    def __init__(self, analysed: AnalysedUnit, names: FileNames) -> None:
        self.analysed, self.module, self.unit = analysed, analysed.module, analysed.unit
        self.names = names

    def imported(self, node: cst.Name) -> bool:
        bindings = self.module.scopes.bindings(node)
        return bool(bindings) and all(isinstance(b, cst.ImportAlias) for b in bindings)

    def stays_numpy(self, node: cst.Name) -> bool:
        of_module = f"{self.module.source.name}.{MODULE}"
        return self.module.scopes.is_module_level(node) and self.analysed.is_refused(of_module)

    def name_of(self, dotted: str) -> tuple[str, frozenset[str]]:
        for module, (alias, line) in self.names.aliases.items():
            if dotted == module or dotted.startswith(module + "."):
                return alias + dotted[len(module) :], frozenset({line} if line else ())
        return dotted, frozenset({f"import {dotted.rpartition('.')[0]}"})

    def fresh(self, stem: str) -> str:
        return self.names.fresh(stem)

    def defined(self, name: str) -> str:
        return self.names.defined(name)

    def local(self, stem: str, *others: str) -> str:
        free = [name for name in (stem, *others) if name not in self._locals]
        number = 2
        while not free:
            numbered = f"{others[-1] if others else stem}_{number}"
            free += [numbered] if numbered not in self._locals else []
            number += 1
        self._locals.add(free[0])
        return free[0]

    def label(self, stem: str) -> str:
        numbered = (f"{stem}_{number}" for number in itertools.count(2))
        return next(n for n in itertools.chain([stem], numbered) if n not in self._written)

    @cached_property
    def _written(self) -> frozenset[str]:
        return frozenset(n.value for n in self.module.nodes[self.unit.name] if type(n) is cst.Name)

    @cached_property
    def _locals(self) -> set[str]:
        return set(self._written)
