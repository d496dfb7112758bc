"""Which format each report file gets: by its ending, or the one that `--report-format` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...project.failure import Failure
from ...project.settings import suggestion
from ..formats.output import check_writable

FORMATS = {"html": ".html", "json": ".json", "markdown": ".md", "junit": ".xml", "sarif": ".sarif"}

Renders = Mapping[str, Callable[[], str]]


class Target(NamedTuple):
    """A file that gets a report, and the format of it."""

    path: Path
    form: str


def targets(paths: Sequence[Path], form: str | None) -> list[Target]:
    """The files with their formats. Raises Failure if an ending names no format, if a file cannot be written, or if what a format
    needs is not installed: before anything is run."""
    found = [Target(path, form or _format_of(path)) for path in paths]
    for target in found:
        check_writable(target.path)
        if target.form == "html":
            from .html import require_jinja  # `--help` needs only the names of the formats

            require_jinja()
    return found


def _format_of(path: Path) -> str:
    by_suffix = {suffix: name for name, suffix in FORMATS.items()}
    if path.suffix not in by_suffix:
        *most, last = FORMATS.values()
        known = f"{', '.join(most)} or {last}"
        raise Failure(
            f"{path}: a report must end in {known}, or --report-format must name its format{suggestion(path.suffix, [*by_suffix])}"
        )
    return by_suffix[path.suffix]


def write_reports(reports: Sequence[Target], renders: Renders) -> None:
    """Write each report. Raises Failure if one cannot be written."""
    for path, form in reports:
        try:
            path.write_text(renders[form](), encoding="utf-8")
        except OSError as error:
            raise Failure(f"{path}: the report cannot be written ({error.strerror})") from error
