"""A Code Quality report of GitLab."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from .findings_report import FindingsReport, in_file, one_line, relative_path


def render(report: FindingsReport) -> str:
    root = Path(os.environ.get("CI_PROJECT_DIR") or Path())
    seen = Counter[tuple[str, ...]]()
    issues = []
    for found in report.diagnostics:
        item, path = in_file(found), relative_path(found.path, root)
        # Not the number of the line: GitLab compares the fingerprints of two branches.
        what = (path, item.code, report.line(found).strip())
        issue = _issue(item.code, f"{item.code} {one_line(item.message)}", "major", path, *what, str(seen[what]))
        issue["location"]["lines"] |= {"begin": item.line, "end": item.end_line}
        issues.append(issue)
        seen[what] += 1
    for path, reason in report.errors:
        where = relative_path(path, root)
        issues.append(_issue("unreadable-file", one_line(reason), "critical", where, where, "unreadable-file"))
    return json.dumps(issues, indent=1)


def _issue(check: str, description: str, severity: str, path: str, *identity: str) -> dict[str, Any]:
    digest = hashlib.sha256("\0".join(identity).encode(errors="surrogateescape")).hexdigest()
    return {
        "check_name": check,
        "description": description,
        "severity": severity,
        "fingerprint": digest,
        "location": {"path": path, "lines": {"begin": 1}},
    }
