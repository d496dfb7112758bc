"""`np2jax lint`: its options, what it prints, and its exit status."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .formats.catalogue import FOR_PEOPLE, NAMES
from .messages import say, say_unreadable
from .options import FINDINGS, WRONG, analysis_options, command_line


@click.command()
@analysis_options
@click.option("--fix", is_flag=True, help="Apply the safe fixes in place.")
@click.option(
    "--output-format", "--format", "form", type=click.Choice(NAMES), default=NAMES[0], show_default=True, help="What to print."
)
@click.option(
    "--output-file", metavar="FILE", type=click.Path(path_type=Path), help="Write the findings into FILE, and print none."
)
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
    from .formats.catalogue import render
    from .formats.findings_report import FindingsReport, count
    from .formats.output import check_writable, write

    check_writable(output_file)
    if fix:
        found = linting.fix(paths, command_line(chosen), allow_dirty=allow_dirty)
    else:
        folder = None if chosen["no_cache"] else chosen["cache_dir"] or lint_cache.default_folder()
        found = linting.find(paths, command_line(chosen), folder)
    sources = {str(file.path): file.data for file in found.files}
    report = FindingsReport(found.lint.diagnostics, found.lint.errors, found.lint.partial, sources)
    text = [render(form, report)]
    if form in FOR_PEOPLE:
        text = [*filter(None, text), *([""] if form == "text" and report.diagnostics else []), count(report)]
    write("\n".join(text), output_file)
    for line in found.lint.notes:
        say(line)
    for path, reason in report.errors:
        say_unreadable(path, reason)
    if report.errors:
        return WRONG
    return FINDINGS if any(not item.fixed for item in report.diagnostics) else 0
