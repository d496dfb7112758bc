"""JSON: `{diagnostics: [...], errors: [{file, reason}]}`; lines and columns from 1, end columns exclusive; in a notebook `cell` from 1."""

from __future__ import annotations

import json

from ....rules.core.diagnostic import Diagnostic
from .findings_report import FindingsReport


def _plain(item: Diagnostic) -> dict[str, object]:
    """The fields of a finding; the cell only in a notebook."""
    return {name: value for name, value in item._asdict().items() if name != "cell" or value}


def render(report: FindingsReport) -> str:
    errors = [{"file": path, "reason": reason} for path, reason in report.errors]
    return json.dumps({"diagnostics": [_plain(item) for item in report.diagnostics], "errors": errors}, indent=1)
