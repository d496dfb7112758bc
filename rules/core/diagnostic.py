"""A diagnostic: what remains of a finding once its syntax is gone. Separate from findings so that a cached lint needs no
LibCST."""

from __future__ import annotations

from typing import NamedTuple


class Diagnostic(NamedTuple):
    """A finding without its syntax: plain data that can be sent to other processes. Lines count from 1, columns from 0."""

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
