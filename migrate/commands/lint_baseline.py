"""`np2jax lint --baseline` and `--write-baseline`: findings that are known."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ..files.baseline import Entry, as_text, compare, entry, judged, read
from ..project.outcome import Options
from ..project.rule_selection import running
from .formats.findings_report import FindingsReport
from .messages import plural


def load(path: Path | None) -> Counter[Entry] | None:
    """The known findings, None without a baseline. Raises Failure for a file that is none."""
    return None if path is None else read(path)


def written(report: FindingsReport, path: Path) -> str:
    """The content of a baseline with these findings."""
    return as_text([entry(item, report.line(item), path) for item in report.diagnostics])


def without_known(
    report: FindingsReport, known: Counter[Entry], path: Path, options: Options
) -> tuple[FindingsReport, list[str]]:
    """The report without the known findings, and how many these are."""
    found = [(entry(item, report.line(item), path), item) for item in report.diagnostics]
    done = compare(known, found)
    gone = judged(done.gone, path, tuple(report.sources), running(options)) if done.gone else Counter()
    said = []
    if hidden := len(report.diagnostics) - len(done.new):
        said.append(f"{plural(hidden, 'known finding')} not reported")
    if gone:
        said.append(f"{plural(gone.total(), 'known finding')} no longer there: --write-baseline {path} drops them")
    return report._replace(diagnostics=done.new), [f"{path}: {', '.join(said)}"] if said else []
