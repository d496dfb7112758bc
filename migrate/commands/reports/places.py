"""Where a function of a report lies, for tools that look the file up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..formats.findings_report import relative_path


def path_of(data: Mapping[str, Any], file: str) -> str:
    """The path of a file of the report, relative to the current folder if it lies in it.

    `verify` names files relative to what it compared, a package relative to the folder around it.
    """
    if "original" not in data:
        return relative_path(file)
    whole = Path(data["original"]).absolute()
    found = next((base / file for base in (whole, *whole.parents) if (base / file).is_file()), None)
    return relative_path(str(found)) if found is not None else file
