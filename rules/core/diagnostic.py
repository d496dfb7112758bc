"""A diagnostic: what remains of a finding once its syntax is gone. Separate from findings so that a cached lint needs no
LibCST."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Safety(enum.Enum):
    """How far an automatic edit of a rule can be trusted."""

    SAFE = "safe"  # same results, applied by default
    UNSAFE = "unsafe"  # applied only with --unsafe
    MANUAL = "manual"  # never applied: the user decides


class Diagnostic(NamedTuple):
    """A finding without its syntax: plain data that can be sent to other processes. Lines and columns count from 1, as in
    editors and in SARIF; the end column is the one after the last character."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    message: str
    safety: str
    fixed: bool
    function: str = ""  # qualified name of the enclosing function, "" at module level
    replacement: str | None = None  # what a fix writes in place of the text of the finding, in code that is JAX already
    cell: int = 0  # in a notebook, the code cell, from 1: the lines count in it

    @property
    def place(self) -> str:
        """Where it begins, as people and editors read it."""
        return f"{self.path}{f':cell {self.cell}' if self.cell else ''}:{self.line}:{self.column}"
