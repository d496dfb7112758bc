"""`np2jax lint`: what it does in which order, and its exit status."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .lint_options import lint_options
from .messages import plural, say, say_unreadable
from .options import FINDINGS, WRONG, command_line

if TYPE_CHECKING:
    from ..project.driver import CommandLine


@click.command()
@lint_options
def lint(paths: tuple[Path, ...], fix: bool, form: str, output_file: Path | None, allow_dirty: bool, **chosen: Any) -> int:
    """Report what prevents the code from running on JAX; change nothing. PATH may be - for standard input."""
    from ..files import lint_cache
    from ..files.lint_run import find, fixed
    from . import lint_baseline as baseline
    from .formats.findings_report import FindingsReport
    from .formats.output import check_writable, print_source, write
    from .lint import fix as in_place
    from .lint_printing import about, printed
    from .lint_usage import check_options, with_source, with_standard_input

    form = with_source(form, chosen["show_source"])
    check_options(paths, form, fix=fix, **chosen)
    quiet, known, to_write = chosen["quiet"], chosen["baseline"], chosen["write_baseline"]
    check_writable(output_file)
    check_writable(to_write)
    listed = baseline.load(known)
    start = time.perf_counter()
    paths, asked = with_standard_input(paths, command_line(chosen), chosen["stdin_filename"])
    piped = asked.standard_input
    folder = None if chosen["no_cache"] else chosen["cache_dir"] or lint_cache.default_folder()
    if chosen["add_noqa"]:
        return silence(paths, asked, folder, allow_dirty=allow_dirty, quiet=quiet)
    if fix:
        found = fixed(paths, asked) if piped else in_place(paths, asked, allow_dirty=allow_dirty)
    else:
        found = find(paths, asked, folder)
    sources = {str(file.path): file.data for file in found.files}
    report = FindingsReport(found.lint.diagnostics, found.lint.errors, found.lint.partial, sources)
    notes = [] if quiet else [*found.lint.notes]
    if to_write is not None:
        write(baseline.written(report, to_write), to_write)
        notes.append(f"{to_write}: {plural(len(report.diagnostics), 'known finding')}")
    else:
        if listed is not None:
            report, about_it = baseline.without_known(report, listed, known, found.options)
            notes += about_it if not quiet else []
        if fix and piped:
            print_source(found.changes[0].after if found.changes else piped.data)
        text = printed(report, form, statistics=chosen["statistics"], quiet=quiet)
        write(text, output_file, err=fix and piped is not None)
    notes += about(found, time.perf_counter() - start) if chosen["verbose"] else []
    for line in notes:
        say(line)
    for path, reason in report.errors:
        say_unreadable(path, reason)
    if report.errors:
        return WRONG
    return FINDINGS if to_write is None and any(not item.fixed for item in report.diagnostics) else 0


def silence(paths: tuple[Path, ...], asked: CommandLine, folder: Path | None, *, allow_dirty: bool, quiet: bool) -> int:
    """Add comments, and say what they cannot silence."""
    from .add_noqa import add_noqa

    done = add_noqa(paths, asked, folder, allow_dirty=allow_dirty)
    for item, reason in done.left:
        click.echo(f"{item.place}: {item.code} cannot be silenced: {reason}")
    if not quiet:
        files = len(done.changes)
        click.echo(f"{plural(done.comments, 'comment')} in {plural(files, 'file')}" if files else "no comments were needed")
    for path, reason in done.errors:
        say_unreadable(path, reason)
    return WRONG if done.errors else FINDINGS if done.left else 0
