"""The findings of lint as text, as JSON, as SARIF 2.1.0 for code hosts, and as commands for GitHub Actions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ...rules.core.diagnostic import Diagnostic
from ..files.lint_cache import Lint

if TYPE_CHECKING:
    from ...rules.core.refusals import Documented

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def text(lint: Lint) -> str:
    """One line for each finding, then a line with the counts."""
    lines = [f"{item.path}:{item.line}:{item.column}: {item.code} {item.message}{_mark(item)}" for item in lint.diagnostics]
    skipped = "; not every file could be read" if lint.errors and not lines else ""
    return "\n".join([*lines, _count(lint.diagnostics, lint.partial) + skipped])


def as_json(lint: Lint) -> str:
    """`{diagnostics: [...], errors: [{file, reason}]}`; lines and columns from 1, end columns exclusive."""
    errors = [{"file": path, "reason": reason} for path, reason in lint.errors]
    return json.dumps({"diagnostics": [item._asdict() for item in lint.diagnostics], "errors": errors}, indent=1)


def sarif(lint: Lint) -> str:
    """A SARIF 2.1.0 log with one run."""
    from ...rules.core.refusals import every_code
    from ...version import __version__

    known, codes = every_code(), sorted({item.code for item in lint.diagnostics})
    rules = [{"id": code, **(_described(known[code]) if code in known else {})} for code in codes]
    errors = [
        {
            "level": "error",
            "message": {"text": reason},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(path)}}}],
        }
        for path, reason in lint.errors
    ]
    driver = {"name": "np2jax", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not errors, "toolExecutionNotifications": errors}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, codes.index(item.code)) for item in lint.diagnostics],
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def github(lint: Lint) -> str:
    """Workflow commands that annotate the lines of a pull request."""
    lines = [
        _command("warning", item.message, file=item.path, line=item.line, endLine=item.end_line, col=item.column,
                 endColumn=item.end_column, title=f"np2jax {item.code}")
        for item in lint.diagnostics
    ]  # fmt: skip
    return "\n".join([*lines, *(_command("error", reason, file=path, title="np2jax") for path, reason in lint.errors)])


FORMATS: Mapping[str, Callable[[Lint], str]] = {"text": text, "json": as_json, "sarif": sarif, "github": github}


def _mark(item: Diagnostic) -> str:
    if item.fixed:
        return " [fixed]"
    return {"safe": " [*]", "unsafe": " [unsafe]"}.get(item.safety, "")


def _count(items: Iterable[Diagnostic], partial: bool) -> str:
    items = list(items)
    if not items:
        return "no findings"
    files = len({item.path for item in items})
    fixable = sum(item.safety == "safe" and not item.fixed for item in items)
    hint = f"; `--fix` changes the {fixable} marked [*]" if fixable else ""
    hint += ", if it gets the whole project" if hint and partial else ""
    return f"{len(items)} finding{'s' * (len(items) > 1)} in {files} file{'s' * (files > 1)}{hint}"


def _result(item: Diagnostic, rule: int) -> dict[str, Any]:
    region = {
        "startLine": item.line,
        "startColumn": item.column,
        "endLine": item.end_line,
        "endColumn": item.end_column,
    }
    location = {"artifactLocation": {"uri": _uri(item.path)}, "region": region}
    return {
        "ruleId": item.code,
        "ruleIndex": rule,
        "level": "warning",
        "message": {"text": item.message},
        "locations": [{"physicalLocation": location}],
    }


def _described(rule: Documented) -> dict[str, Any]:
    doc = rule.doc.strip()
    return {"name": rule.name, "shortDescription": {"text": doc.partition("\n")[0]}, "fullDescription": {"text": doc}}


def _uri(path: str) -> str:
    whole = PurePath(path)
    return whole.as_uri() if whole.is_absolute() else quote(whole.as_posix())


def _command(kind: str, message: str, **properties: object) -> str:
    said = ",".join(f"{key}={_escaped(str(value), ',:')}" for key, value in properties.items())
    return f"::{kind} {said}::{_escaped(message, '')}"


def _escaped(value: str, also: str) -> str:
    for character in "%\r\n" + also:
        value = value.replace(character, f"%{ord(character):02X}")
    return value
