"""Each finding with its line of code, underlined: for reading on a terminal."""

from __future__ import annotations

import unicodedata

import click

from ....rules.core.diagnostic import Diagnostic
from .concise import heading
from .findings_report import FindingsReport

TAB = 4
WIDEST = 160  # characters of a line that are shown
BEFORE = 40  # characters before the finding, in a longer line


def render(report: FindingsReport) -> str:
    return "\n\n".join(_block(report, item) for item in report.diagnostics)


def _block(report: FindingsReport, item: Diagnostic) -> str:
    line = report.line(item)
    if not line:
        return heading(item)
    number, blank = f"{item.line} ", " " * (len(str(item.line)) + 1)
    code, carets = excerpt(line, item.column, item.end_column if item.end_line == item.line else None)
    bar = click.style("|", fg="blue", bold=True)
    return (
        f"{heading(item)}\n{blank}{bar}\n{click.style(number, fg='blue', bold=True)}{bar} {code}\n"
        f"{blank}{bar} {click.style(carets, fg='red', bold=True)}"
    )


def excerpt(line: str, column: int, end: int | None) -> tuple[str, str]:
    """A line, and carets below the characters from `column` up to `end` (from 1, exclusive), or up to the end of the line."""
    line = line.rstrip()
    start = min(column - 1, len(line))
    stop = max(start + 1, min(len(line), len(line) if end is None else end - 1))
    cut, after = 0, ""
    if len(line) > WIDEST:
        cut = max(0, start - BEFORE)
        stop = min(stop, max(start + 1, cut + WIDEST))
        after = "…" if len(line) > cut + WIDEST else ""
    ahead = "…" if cut else ""
    code = ahead + shown(line[cut : cut + WIDEST] if after else line[cut:]) + after
    return code, " " * width(ahead + shown(line[cut:start])) + "^" * max(1, width(shown(line[start:stop])))


def shown(text: str) -> str:
    """Text that a terminal prints as it stands: spaces for tabs, symbols for control characters."""
    return text if text.isprintable() else "".join(" " * TAB if c == "\t" else _symbol(c) for c in text)


def width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _symbol(character: str) -> str:
    if character < " ":
        return chr(0x2400 + ord(character))
    return character if character.isprintable() else "\ufffd"
