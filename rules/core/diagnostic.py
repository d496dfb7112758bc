"""What is said about a piece of code once its syntax is gone. Apart from the model so that a cached lint needs no LibCST."""

from __future__ import annotations

from typing import NamedTuple


class Diagnostic(NamedTuple):
    """A finding without its syntax: plain data that crosses processes. Lines from 1, columns from 0."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    message: str
    safety: str
    fixed: bool
    function: str = ""  # qualified name of the function around it, "" at module level
