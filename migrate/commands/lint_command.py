"""`np2jax lint`: its options, what it prints, and its exit status."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .formats.catalogue import FOR_PEOPLE, NAMES
from .messages import say, say_unreadable
from .options import FINDINGS, WRONG, analysis_options, command_line

if TYPE_CHECKING:
    from .formats.findings_report import FindingsReport
    from .lint import LintRun


@click.command()
@analysis_options
@click.option("--fix", is_flag=True, help="Apply the safe fixes in place.")
@click.option(
    "--output-format", "--format", "form", type=click.Choice(NAMES), default=NAMES[0], show_default=True, help="What to print."
)
@click.option(
    "--output-file", metavar="FILE", type=click.Path(path_type=Path), help="Write the findings into FILE, and print none."
)
@click.option("--statistics", is_flag=True, help="Print how often each code is found, instead of the findings.")
@click.option("-q", "--quiet", is_flag=True, help="Print the findings only: no counts, no notes.")
@click.option("-v", "--verbose", is_flag=True, help="Also say which files are linted, what comes from the cache, and the time.")
@click.option("--allow-dirty", is_flag=True, help="With --fix: also change files that are not committed.")
@click.option(
    "--force-exclude", is_flag=True, help="Apply the exclusions in pyproject.toml even to files that are named; for hooks."
)
@click.option(
    "--cache-dir", metavar="DIR", type=click.Path(path_type=Path), help="Cache results in DIR; default: the user's cache folder."
)
@click.option("--no-cache", is_flag=True, help="Do not cache results.")
def lint(paths: tuple[Path, ...], fix: bool, form: str, output_file: Path | None, allow_dirty: bool, **chosen: Any) -> int:
    """Report what prevents the code from running on JAX; change nothing."""
    from ..files import lint_cache
    from . import lint as linting
    from .formats.findings_report import FindingsReport
    from .formats.output import check_writable, write

    check_writable(output_file)
    check_options(form, **chosen)
    start = time.perf_counter()
    if fix:
        found = linting.fix(paths, command_line(chosen), allow_dirty=allow_dirty)
    else:
        folder = None if chosen["no_cache"] else chosen["cache_dir"] or lint_cache.default_folder()
        found = linting.find(paths, command_line(chosen), folder)
    sources = {str(file.path): file.data for file in found.files}
    report = FindingsReport(found.lint.diagnostics, found.lint.errors, found.lint.partial, sources)
    write(printed(report, form, statistics=chosen["statistics"], quiet=chosen["quiet"]), output_file)
    for line in found.lint.notes if not chosen["quiet"] else ():
        say(line)
    for line in about(found, time.perf_counter() - start) if chosen["verbose"] else ():
        say(line)
    for path, reason in report.errors:
        say_unreadable(path, reason)
    if report.errors:
        return WRONG
    return FINDINGS if any(not item.fixed for item in report.diagnostics) else 0


def check_options(form: str, *, statistics: bool, quiet: bool, verbose: bool, **_others: Any) -> None:
    """Raises click.UsageError for options that exclude each other."""
    from .formats.statistics import FORMATS

    if statistics and form not in FORMATS:
        raise click.UsageError(f"--statistics has the formats {' and '.join(FORMATS)} only, not {form}.")
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other.")


def printed(report: FindingsReport, form: str, *, statistics: bool, quiet: bool) -> str:
    """What the command prints: the findings in a format, and in those for people a line that counts them."""
    from .formats import statistics as frequency
    from .formats.catalogue import render
    from .formats.findings_report import count

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
        yield f"read {found.others} other {'file' if found.others == 1 else 'files'} of the project"
    source = f"from the cache in {found.cache}" if found.cache else "not from the cache"
    yield f"{len(found.files)} {'file' if len(found.files) == 1 else 'files'} in {seconds:.2f} s, {source}"
