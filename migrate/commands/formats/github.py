"""Workflow commands of GitHub Actions, which annotate the lines of a pull request."""

from __future__ import annotations

from ....rules.core.diagnostic import Diagnostic
from .findings_report import FindingsReport, in_file


def render(report: FindingsReport) -> str:
    lines = [
        _command("warning", item.message, **_place(item), title=f"np2jax {item.code}")
        for item in map(in_file, report.diagnostics)
    ]
    return "\n".join([*lines, *(_command("error", reason, file=path, title="np2jax") for path, reason in report.errors)])


def _place(item: Diagnostic) -> dict[str, object]:
    """GitHub takes columns only for an annotation of a single line."""
    lines = {"file": item.path, "line": item.line, "endLine": item.end_line}
    return lines if item.end_line != item.line else {**lines, "col": item.column, "endColumn": item.end_column}


def _command(kind: str, message: str, **properties: object) -> str:
    said = ",".join(f"{key}={_escaped(str(value), ',:')}" for key, value in properties.items())
    return f"::{kind} {said}::{_escaped(message, '')}"


def _escaped(value: str, also: str) -> str:
    for character in "%\r\n" + also:
        value = value.replace(character, f"%{ord(character):02X}")
    return value
