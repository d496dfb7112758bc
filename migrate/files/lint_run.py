"""A run of lint: the findings for files of a project, from the cache or anew, and what `--fix` makes of the files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ..project.discovery import Project
from ..project.driver import CommandLine, analyse, gather
from ..project.linting import analyse_for_lint, by_library, jax_findings, to_convert
from ..project.outcome import Conversion, Options, ProjectFile
from ..project.rule_selection import resolve
from . import lint_cache
from .in_place_writer import Change, changes
from .interruptions import check_whole
from .lint_cache import Lint
from .program_cache import ProgramCache
from .replacements import replaced


class LintRun(NamedTuple):
    """The findings, and the files that they are about, as they were read. `others`: how many files of the project were read besides.
    `cache`: the folder from which the findings come, None if they are new. `changes`: what `--fix` makes of the files."""

    lint: Lint
    files: tuple[ProjectFile, ...]
    others: int = 0
    cache: Path | None = None
    changes: tuple[Change, ...] = ()
    options: Options = Options()


def find(paths: Sequence[Path], command_line: CommandLine, folder: Path | None) -> LintRun:
    """The findings, from the cache in `folder` if nothing has changed; None disables the cache."""
    check_whole(paths)
    return linted(*gather(paths, command_line, whole=True), folder)


def linted(project: Project, options: Options, folder: Path | None) -> LintRun:
    """The findings for a project that has been read, with the options that belong to it: see `find`."""
    everything = project._replace(files=project.every, others=())
    known = None
    keys = []
    if folder is not None:  # what is known of all files is known of these
        keys = [
            lint_cache.key(everything.files, options, wanted) for wanted in ((), *((project.files,) if project.others else ()))
        ]
        known = next(filter(None, (lint_cache.load(folder, *key) for key in keys)), None)
    cached = folder if known is not None else None
    if known is None:
        known = _found(everything, resolve(options), {file.path for file in project.files}, folder)
        if folder is not None:
            lint_cache.store(folder, *keys[-1], known)
    selected = {str(file.path) for file in project.files}
    lint = Lint(
        tuple(item for item in known.diagnostics if item.path in selected),
        tuple(error for error in known.errors if error[0] in selected),
        project.notes,
        bool(project.others),
    )
    return LintRun(lint, project.files, len(project.others), cached, options=options)


def _found(project: Project, options: Options, wanted: Collection[Path], folder: Path | None) -> Lint:
    """The findings in the files that are `wanted`, and the comments that silence none of them."""
    memory = ProgramCache(folder / "programs") if folder is not None else None
    conversion = analyse_for_lint(project, options, wanted=wanted, memory=memory)
    files = [file._replace(diagnostics=(*file.diagnostics, *file.unused)) for file in conversion.files]
    return findings(conversion._replace(files=tuple(files)))


def fixed(paths: Sequence[Path], command_line: CommandLine) -> LintRun:
    """The findings, and the safe changes, of which none is written."""
    project, options = gather(paths, command_line)
    return mended(project, resolve(options))


def mended(project: Project, options: Options) -> LintRun:
    """The findings, and the safe changes to a project that has been read: see `fixed`."""
    numpy, jax = by_library(project, options)
    found = jax_findings(project.every, options)
    conversion = analyse(numpy, options, found, seen=to_convert(numpy, options))
    replacing = replaced(
        analyse(jax, options, found, seen=()), {file.path: file.data for file in jax.files}, unsafe=options.unsafe
    )
    rest = findings(replacing, fixed=True)
    done = findings(conversion, fixed=True)
    said = sorted((*done.diagnostics, *rest.diagnostics), key=place)
    lint = Lint(tuple(said), (*done.errors, *rest.errors), project.notes)
    return LintRun(
        lint, project.files, len(project.others), changes=(*changes(numpy, conversion), *changes(jax, replacing)), options=options
    )


def findings(conversion: Conversion, *, fixed: bool = False) -> Lint:
    """The diagnostics sorted by file and line.

    Unless the conversion has been written, no diagnostic is `fixed`, and unsafe changes are left for the user to decide.
    """
    said = [item for file in conversion.files for item in file.diagnostics]
    said.sort(key=place)
    errors = tuple((str(file.path), file.error) for file in conversion.files if file.error)
    return Lint(tuple(item if fixed else _unwritten(item) for item in said), errors)


def place(item: Diagnostic) -> tuple[str, int, int, int, str]:
    return (item.path, item.cell, item.line, item.column, item.code)


def _unwritten(item: Diagnostic) -> Diagnostic:
    known = item.fixed or item.safety == "unsafe" or item.replacement is not None
    return item._replace(fixed=False, safety=item.safety if known else "manual")
