"""What `np2jax lint` prints: the findings, and what `--verbose` says of a run."""

from __future__ import annotations

from collections.abc import Iterator

from ..files.lint_run import LintRun
from .formats import statistics as frequency
from .formats.catalogue import FOR_PEOPLE, render
from .formats.findings_report import FindingsReport, count
from .messages import plural


def printed(report: FindingsReport, form: str, *, statistics: bool, quiet: bool) -> str:
    """What the command prints: the findings in a format, and in those for people a line that counts them."""
    text = frequency.render(report, form) if statistics else render(form, report)
    if quiet or form not in FOR_PEOPLE:
        return text
    gap = "\n" if form == "text" and not statistics else ""
    return f"{text}\n{gap}{count(report)}" if text else count(report)


def about(found: LintRun, seconds: float) -> Iterator[str]:
    """What `--verbose` says of a run."""
    for file in found.files:
        yield f"linted {file.path}"
    if found.others:
        yield f"read {plural(found.others, 'other file')} of the project"
    source = f"from the cache in {found.cache}" if found.cache else "not from the cache"
    yield f"{plural(len(found.files), 'file')} in {seconds:.2f} s, {source}"
