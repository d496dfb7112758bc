"""What is said about a notebook, with its cells: findings, functions and errors count lines in the text of all cells together."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...rules.core.diagnostic import Diagnostic
from ..notebooks.cells import place
from .outcome import Conversion, FileOutcome, FunctionOutcome, ProjectFile

LINE = re.compile(r"\bin line (\d+)(?! of \S*\.py)")  # of the same file, in a message


def in_cells(conversion: Conversion, files: Sequence[ProjectFile]) -> Conversion:
    """The conversion, with the places in notebooks as code cells, and lines in these."""
    texts = {str(file.path): file.data.decode() for file in files if file.notebook}
    if not texts:
        return conversion
    outcomes = tuple(_outcome(each, texts[str(each.path)]) if str(each.path) in texts else each for each in conversion.files)
    functions = tuple(_function(each, texts[each.file]) if each.file in texts else each for each in conversion.functions)
    return conversion._replace(files=outcomes, functions=functions)


def _outcome(outcome: FileOutcome, text: str) -> FileOutcome:
    return outcome._replace(
        diagnostics=tuple(_finding(item, text) for item in outcome.diagnostics),
        unused=tuple(_finding(item, text) for item in outcome.unused),
        error=_error(outcome.error, str(outcome.path), text),
    )


def _finding(item: Diagnostic, text: str) -> Diagnostic:
    where = place(text, item.line)

    def named(line: re.Match[str]) -> str:
        other = place(text, int(line[1]))
        return f"in line {other.line}" if other.cell == where.cell else f"in line {other.line} of cell {other.cell}"

    message = LINE.sub(named, item.message)
    return item._replace(message=message, cell=where.cell, line=where.line, end_line=where.line + item.end_line - item.line)


def _function(function: FunctionOutcome, text: str) -> FunctionOutcome:
    where = place(text, function.line)
    conditions = tuple(each._replace(line=place(text, each.line).line) for each in function.conditions)
    return function._replace(file=f"{function.file}:cell {where.cell}", line=where.line, conditions=conditions)


def _error(error: str, path: str, text: str) -> str:
    found = re.match(r":(\d+):", error.removeprefix(path)) if error.startswith(path) else None
    if found is None:
        return error
    where = place(text, int(found[1]))
    return f"{path}:cell {where.cell}:{where.line}:{error.removeprefix(path)[found.end() :]}"
