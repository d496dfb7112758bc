"""Rules for code that is JAX already, and the registry of all of them. Without LibCST: a lint of JAX code does not load it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from .check_table import CheckTable, import_modules
from .diagnostic import Safety

Edit = tuple["str | ast.AST", ...]  # a fix: what replaces the text of the node, in pieces; a node stands for its text
Finding = tuple[ast.AST, str] | tuple[ast.AST, str, Edit]
Check = Callable[[Any], Iterator[Finding]]
FOLDERS = "tracing purity keys retracing devices pitfalls".split()


class LintRule(CheckTable[Check]):
    """A pattern that is reported. The docstring of the module documents it; its two examples, of which the first is wrong, are
    its first test. Its checks are of events (rules.facts.trace_events)."""

    def __init__(self, module: str, code: str, *, default: bool = True, safety: Safety = Safety.MANUAL) -> None:
        """`safety`: that of the fixes that the checks yield with some findings."""
        super().__init__()
        self.module = module
        self.name = module.rpartition(".")[2].replace("_", "-")
        self.code, self.default = code, default
        self.safety = safety
        if code in _FOUND:
            raise ValueError(f"two rules have the code {code}")
        _FOUND[code] = self

    @property
    def doc(self) -> str:
        return sys.modules[self.module].__doc__ or ""

    @property
    def example(self) -> tuple[str, str]:
        """The two fenced blocks of the documentation: the wrong code and the right one."""
        before, after = re.findall(r"```python\n(.*?)```", self.doc, re.S)
        return before, after


_FOUND: dict[str, LintRule] = {}


@cache
def lint_rules() -> dict[str, LintRule]:
    """Every rule for JAX code by its code, in order."""
    for folder in FOLDERS:
        import_modules(folder)
    return dict(sorted(_FOUND.items()))
