"""What a format is given: the findings, and the text of the files that they are about."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ....rules.core.diagnostic import Diagnostic
from ...notebooks.cells import Place, line_at

SPACE = re.compile(r"\s+")


class FindingsReport(NamedTuple):
    """`errors`: the files that could not be read, with the reason. `partial`: about some files of a project only. `sources`: the
    content of each file, as it was when the findings were made."""

    diagnostics: tuple[Diagnostic, ...]
    errors: tuple[tuple[str, str], ...] = ()
    partial: bool = False
    sources: Mapping[str, bytes] = MappingProxyType({})

    def lines(self, path: str) -> tuple[str, ...]:
        """The lines of a file, without their ends; () if the file is not known."""
        data = self.sources.get(path)
        return () if data is None else source_lines(data)

    def line(self, item: Diagnostic) -> str:
        """The line in which a finding begins; "" if it is not known."""
        lines, number = self.lines(item.path), item.line
        if item.cell:
            number = line_at("\n".join(lines), Place(item.cell, item.line))
        return lines[number - 1] if 0 < number <= len(lines) else ""


def in_file(item: Diagnostic) -> Diagnostic:
    """A finding for readers that know lines of files only: in a notebook, the cell and the line stand in its message."""
    if not item.cell:
        return item
    where = item.place.removeprefix(f"{item.path}:").partition(":")
    line = where[2].replace(":", ", column ")
    return item._replace(line=1, column=1, end_line=1, end_column=1, message=f"{where[0]}, line {line}: {item.message}")


@cache
def source_lines(data: bytes) -> tuple[str, ...]:
    """The lines of Python code as Python counts them: only carriage returns and line feeds end one."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding, "replace")
    except (SyntaxError, LookupError):  # an encoding that nobody knows; the file is reported by itself
        text = data.decode("utf-8", "replace")
    return tuple(line.removesuffix("\n") for line in io.StringIO(text, newline=None))


def one_line(text: str) -> str:
    """A message as one line."""
    return SPACE.sub(" ", text.strip())


def mark(item: Diagnostic) -> str:
    """What `--fix` does about a finding, as the end of a line."""
    if item.fixed:
        return " [fixed]"
    return {"safe": " [*]", "unsafe": " [unsafe]"}.get(item.safety, "")


def count(report: FindingsReport) -> str:
    """The last line of the formats for people."""
    if not report.diagnostics:
        return "no findings; not every file could be read" if report.errors else "no findings"
    files = len({item.path for item in report.diagnostics})
    fixable = sum(item.safety == "safe" and not item.fixed for item in report.diagnostics)
    hint = f"; `--fix` changes the {fixable} marked [*]" if fixable else ""
    hint += ", if it gets the whole project" if hint and report.partial else ""
    return f"{_number(report.diagnostics)} in {files} file{'s' * (files > 1)}{hint}"


def _number(items: Iterable[Diagnostic]) -> str:
    number = len(list(items))
    return f"{number} finding{'s' * (number > 1)}"


def relative_path(path: str, root: Path | None = None) -> str:
    """A path below `root` (the current folder) relative to it, with slashes; any other path as it is."""
    whole, root = Path(path).absolute(), (root or Path()).absolute()
    return (whole.relative_to(root) if whole.is_relative_to(root) else Path(path)).as_posix()
