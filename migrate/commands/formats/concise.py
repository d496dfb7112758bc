"""One line for each finding: `path:line:column: code message`, as editors and scripts read it; in a notebook `path:cell n:line:column`."""

from __future__ import annotations

import click

from ....rules.core.diagnostic import Diagnostic
from .findings_report import FindingsReport, mark, one_line


def render(report: FindingsReport) -> str:
    return "\n".join(map(heading, report.diagnostics))


def heading(item: Diagnostic) -> str:
    """The line of one finding. The colours are dropped where there is no terminal."""
    place = f"{click.style(item.path, bold=True)}{item.place.removeprefix(item.path)}:"
    return f"{place} {click.style(item.code, fg='red', bold=True)} {one_line(item.message)}{click.style(mark(item), fg='cyan')}"
