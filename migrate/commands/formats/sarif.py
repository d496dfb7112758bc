"""SARIF 2.1.0: a log with one run, for code hosts."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ....rules.core.diagnostic import Diagnostic
from .findings_report import FindingsReport, in_file

if TYPE_CHECKING:
    from ....rules.core.refusals import Documented

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: FindingsReport) -> str:
    from ....rules.core.refusals import every_code
    from ....version import __version__

    known, codes = every_code(), sorted({item.code for item in report.diagnostics})
    rules = [{"id": code, **(_described(known[code]) if code in known else {})} for code in codes]
    errors = [
        {
            "level": "error",
            "message": {"text": reason},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(path)}}}],
        }
        for path, reason in report.errors
    ]
    driver = {"name": "np2jax", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not errors, "toolExecutionNotifications": errors}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, codes.index(item.code)) for item in map(in_file, report.diagnostics)],
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _result(item: Diagnostic, rule: int) -> dict[str, Any]:
    region = {
        "startLine": item.line,
        "startColumn": item.column,
        "endLine": item.end_line,
        "endColumn": item.end_column,
    }
    location = {"artifactLocation": {"uri": uri(item.path)}, "region": region}
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


def uri(path: str) -> str:
    """A path as SARIF wants it."""
    whole = PurePath(path)
    return whole.as_uri() if whole.is_absolute() else quote(whole.as_posix())
