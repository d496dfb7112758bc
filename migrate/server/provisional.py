"""Findings at once: those of unchanged lines from the last analysis, those of edited ones from their statements and what is near.

The analysis of the whole project takes longer than typing a character. Its findings replace these as soon as they are there.
"""

from __future__ import annotations

import io
import time
import tokenize
from collections.abc import Set
from dataclasses import dataclass
from typing import NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ..files.lint_run import findings, place
from ..project.discovery import Project
from ..project.linting import analyse_for_lint
from ..project.outcome import Options, ProjectFile
from ..project.rule_selection import resolve
from ..project.silenced import UNUSED
from .edited_lines import compare
from .statements import Statement, needed, only, source_lines, statements

SECONDS = (
    0.1  # of processor time that an analysis at once may take: with what else is done, an editor shows findings within 0.2 s
)
FEWEST, MOST = 40, 400  # lines that are analysed at once


@dataclass(slots=True)
class Pace:
    """How long a line takes: dense code on a slow computer takes ten times as long as other code."""

    seconds: float = 0.0008

    def lines(self) -> int:
        return max(FEWEST, min(MOST, int(SECONDS / self.seconds)))

    def learn(self, lines: int, seconds: float) -> None:
        self.seconds = (self.seconds + seconds / max(lines, FEWEST)) / 2


class Base(NamedTuple):
    """The last analysis of a file with its project, and the text that it is about. `file`: None if the file is excluded."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    options: Options
    file: ProjectFile | None


def provisional(text: str, base: Base, pace: Pace) -> tuple[Diagnostic, ...]:
    """The findings for a text that was edited since. Raises SyntaxError and ValueError where it is no Python."""
    every = statements(text)
    if base.file is None or text == base.text:
        return base.diagnostics
    edited = compare(source_lines(base.text), source_lines(text))
    found = [_at(item, edited.moved[item.line]) for item in base.diagnostics if item.line in edited.moved]
    kept = needed(edited.new, every, pace.lines())
    if kept:
        start = time.process_time()
        found += [item for item in _among(text, kept, base.file, base.options) if item.line in edited.new]
        pace.learn(sum(len(each.lines) for each in kept), time.process_time() - start)
    return tuple(sorted(found, key=place))


def _among(text: str, kept: Set[Statement], file: ProjectFile, options: Options) -> list[Diagnostic]:
    """The findings in some statements alone. Whether a comment silences nothing is not known yet."""
    project = Project((file._replace(data=encoded(only(text, kept))),))
    found = findings(analyse_for_lint(project, resolve(options), comments=False)).diagnostics
    return [item for item in found if item.code != UNUSED]


def _at(item: Diagnostic, line: int) -> Diagnostic:
    return item._replace(line=line, end_line=line + item.end_line - item.line)


def encoded(text: str) -> bytes:
    """The bytes of a text that an editor shows, in the encoding that its first lines declare."""
    data = text.encode("utf-8", "surrogatepass")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data if encoding.startswith("utf-8") else text.encode(encoding)
    except (SyntaxError, UnicodeEncodeError):  # the file is reported when it is parsed
        return data
