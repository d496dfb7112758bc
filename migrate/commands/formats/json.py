"""JSON: `{diagnostics: [...], errors: [{file, reason}]}`; lines and columns from 1, end columns exclusive."""

from __future__ import annotations

import json

from .findings_report import FindingsReport


def render(report: FindingsReport) -> str:
    errors = [{"file": path, "reason": reason} for path, reason in report.errors]
    return json.dumps({"diagnostics": [item._asdict() for item in report.diagnostics], "errors": errors}, indent=1)
