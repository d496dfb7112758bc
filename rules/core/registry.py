"""Rules, and the registry of all of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache

import libcst as cst

from .check_table import CheckTable, import_modules
from .findings import Finding, Safety

Check = Callable[..., Iterator[Finding]]


class Rule(CheckTable[Check]):
    """A pattern that is reported and fixed. The docstring of the module documents it; its example is its first test."""

    def __init__(
        self,
        module: str,
        code: str,
        safety: Safety = Safety.SAFE,
        for_numpy_code: bool = False,
        optional: bool = False,
        faster: bool = False,
    ) -> None:
        super().__init__()
        self.module = module
        self.name = module.rpartition(".")[2].replace("_", "-")
        self.code, self.safety = code, safety
        self.for_numpy_code = for_numpy_code  # its edits also apply in functions left as NumPy: to calls of converted functions
        self.optional = optional  # the code is correct without its edits
        self.faster = faster  # its edits only make code faster: those of other rules take precedence
        self.of_numpy: set[Check] = set()  # the checks of names and attributes that refer to NumPy
        if code in _FOUND:
            raise ValueError(f"two rules have the code {code}")
        _FOUND[code] = self

    @property
    def doc(self) -> str:
        return sys.modules[self.module].__doc__ or ""

    @property
    def example(self) -> tuple[str, str]:
        """The two fenced blocks of the documentation: before and after."""
        before, after = re.findall(r"```python\n(.*?)```", self.doc, re.S)
        return before, after

    def on_numpy(self, check: Check) -> Check:
        """Register a check for names and attributes that refer to NumPy, which are few of all names and attributes."""
        self.of_numpy.add(check)
        return self.on(cst.Name, cst.Attribute)(check)


_FOUND: dict[str, Rule] = {}
FOLDERS = "api branches compilation dtypes host loops mutation parallel random slices".split()


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by its code, in order. Imports the modules of the folders that contain rules."""
    for folder in FOLDERS:
        import_modules(folder)
    return dict(sorted(_FOUND.items()))
