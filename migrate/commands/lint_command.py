"""`np2jax lint`: its options, what it prints, and its exit status."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .formats.catalogue import FOR_PEOPLE
from .lint_options import lint_options
from .messages import say, say_unreadable
from .options import FINDINGS, WRONG, command_line

if TYPE_CHECKING:
    from ..project.driver import CommandLine
    from .formats.findings_report import FindingsReport
    from .lint import LintRun

STDIN = Path("-")


@click.command()
@lint_options
def lint(paths: tuple[Path, ...], fix: bool, form: str, output_file: Path | None, allow_dirty: bool, **chosen: Any) -> int:
    """Report what prevents the code from running on JAX; change nothing. PATH may be - for standard input."""
    from ..files import lint_cache
    from . import lint as linting
    from .formats.findings_report import FindingsReport
    from .formats.output import check_writable, print_source, write

    check_options(form, fix=fix, from_stdin=STDIN in paths, **chosen)
    check_writable(output_file)
    start = time.perf_counter()
    paths, asked = with_standard_input(paths, command_line(chosen), chosen["stdin_filename"])
    folder = None if chosen["no_cache"] else chosen["cache_dir"] or lint_cache.default_folder()
    if chosen["add_noqa"]:
        return silence(paths, asked, folder, allow_dirty=allow_dirty, quiet=chosen["quiet"])
    if fix:
        found = linting.fixed(paths, asked) if asked.standard_input else linting.fix(paths, asked, allow_dirty=allow_dirty)
    else:
        found = linting.find(paths, asked, folder)
    sources = {str(file.path): file.data for file in found.files}
    report = FindingsReport(found.lint.diagnostics, found.lint.errors, found.lint.partial, sources)
    text = printed(report, form, statistics=chosen["statistics"], quiet=chosen["quiet"])
    if fix and asked.standard_input:
        print_source(found.changes[0].after if found.changes else asked.standard_input.data)
    write(text, output_file, err=fix and asked.standard_input is not None)
    for line in found.lint.notes if not chosen["quiet"] else ():
        say(line)
    for line in about(found, time.perf_counter() - start) if chosen["verbose"] else ():
        say(line)
    for path, reason in report.errors:
        say_unreadable(path, reason)
    if report.errors:
        return WRONG
    return FINDINGS if any(not item.fixed for item in report.diagnostics) else 0


def with_standard_input(paths: tuple[Path, ...], asked: CommandLine, name: Path | None) -> tuple[tuple[Path, ...], CommandLine]:
    """The paths, and the options with the source from standard input if the path is `-`."""
    from ..project.driver import StandardInput

    if STDIN not in paths:
        if name is not None:
            raise click.UsageError("--stdin-filename needs - as the path.")
        return paths, asked
    if len(paths) > 1:
        raise click.UsageError("- stands for standard input, and for no other path beside it.")
    if name is not None and name.is_dir():
        raise click.UsageError(f"--stdin-filename: {name} is a folder.")
    path = name or STDIN
    given = StandardInput(path, sys.stdin.buffer.read(), named=name is not None)
    return (path,), asked._replace(standard_input=given)


def silence(paths: tuple[Path, ...], asked: CommandLine, folder: Path | None, *, allow_dirty: bool, quiet: bool) -> int:
    """Add comments, and say what they cannot silence."""
    from .add_noqa import add_noqa

    done = add_noqa(paths, asked, folder, allow_dirty=allow_dirty)
    for item, reason in done.left:
        click.echo(f"{item.path}:{item.line}:{item.column}: {item.code} cannot be silenced: {reason}")
    if not quiet:
        files = len(done.changes)
        click.echo(f"{_plural(done.comments, 'comment')} in {_plural(files, 'file')}" if files else "no comments were needed")
    for path, reason in done.errors:
        say_unreadable(path, reason)
    return WRONG if done.errors else FINDINGS if done.left else 0


def check_options(
    form: str, *, fix: bool, add_noqa: bool, from_stdin: bool, statistics: bool, quiet: bool, verbose: bool, **_others: Any
) -> None:
    """Raises click.UsageError for options that exclude each other."""
    from .formats.statistics import FORMATS

    if add_noqa and fix:
        raise click.UsageError("--add-noqa and --fix exclude each other.")
    if add_noqa and from_stdin:
        raise click.UsageError("--add-noqa changes files, not standard input.")

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
        yield f"read {_plural(found.others, 'other file')} of the project"
    source = f"from the cache in {found.cache}" if found.cache else "not from the cache"
    yield f"{_plural(len(found.files), 'file')} in {seconds:.2f} s, {source}"


def _plural(number: int, what: str) -> str:
    return f"{number} {what}" + "s" * (number != 1)
