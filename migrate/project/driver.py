"""Conversion in memory from paths: settings, discovery, the pipeline, suppression. Writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ..syntax.file_syntax import newer_syntax, syntax_of
from . import recorded_calls
from . import settings as config
from .discovery import Project, discover
from .failure import Failure
from .import_graph import near_arrays
from .notebook_places import in_cells
from .outcome import Conversion, FileOutcome, Options, ProjectFile, RuleChoice
from .path_patterns import from_here, in_settings
from .per_file_ignores import PerFile, with_ignored
from .silenced import without_silenced
from .surroundings import around

if TYPE_CHECKING:
    from .pass_manager import Observer
    from .programs import Memory


class StandardInput(NamedTuple):
    """Source from standard input in place of the file at `path`. `named`: the user says that it is this file of the project."""

    path: Path
    data: bytes
    named: bool


class CommandLine(NamedTuple):
    """The command-line options; None and () defer to pyproject.toml. `force_exclude`: exclude even files that are named.
    `exclude`: patterns instead of those in the settings; `extend_exclude`: further ones. `config`: the file with the settings."""

    precision: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe: bool = False
    jobs: int = 1
    force_exclude: bool = False
    random: str | None = None
    trip_counts: str | None = None
    placement: str | None = None
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    config: Path | None = None
    standard_input: StandardInput | None = None
    extend_select: tuple[str, ...] = ()
    per_file_ignores: PerFile = ()
    target_jax: str | None = None
    evidence: Path | None = None


def gather(paths: Sequence[Path], command_line: CommandLine, *, whole: bool = False) -> tuple[Project, Options]:
    """The files and the options, with rule codes as the user wrote them: see `rule_selection.resolve`. `whole`: see `surroundings.around`.

    Raises Failure for invalid settings and for paths that cannot be found or opened.
    """
    text = command_line.standard_input
    given = {text.path: text.data} if text else {}
    for path in paths:
        if path not in given and not path.exists() and not path.is_symlink():
            raise Failure(f"{path}: no such file or folder")
    settings = config.read(command_line.config) if command_line.config else config.load(paths)
    config.check_version(command_line.target_jax or "", "--target-jax")
    force = command_line.force_exclude
    exclude = from_here(command_line.exclude) or in_settings(settings.exclude, settings.base)
    exclude = (*exclude, *from_here(command_line.extend_exclude))
    project = discover(paths, exclude, force=force, given=given)
    if text is None or text.named:
        project = around(project, paths, exclude, force=force, whole=whole)
    options = Options(
        precision=command_line.precision or settings.precision,
        unsafe=command_line.unsafe or settings.unsafe,
        jobs=command_line.jobs,
        public=frozenset((*settings.public, *(f"{file.module}.{name}" for file in project.every for name in file.public))),
        random=command_line.random or settings.random,
        trip_counts=command_line.trip_counts or settings.trip_counts,
        placement=command_line.placement or settings.placement,
        choices=(
            RuleChoice(settings.select, settings.extend_select, settings.ignore),
            RuleChoice(command_line.select, command_line.extend_select, command_line.ignore),
        ),
        per_file_ignores=command_line.per_file_ignores or settings.per_file_ignores,
        target_jax=command_line.target_jax or settings.target_jax,
        recorded=recorded_calls.read(command_line.evidence) if command_line.evidence else (),
    )
    base = settings.base if not command_line.per_file_ignores else None
    return with_ignored(project, options.per_file_ignores, base), options


def analyse(
    project: Project,
    options: Options,
    found: Mapping[str, Sequence[Diagnostic]] = MappingProxyType({}),
    *,
    seen: Collection[Path] | None = None,
    observe: Observer | None = None,
    memory: Memory | None = None,
) -> Conversion:
    """Convert all files in memory. Findings that were not selected, or that a comment suppresses, are dropped. `found`: other findings,
    by path; `seen`: the files that the conversion reads, None for those that arrays get to. `observe`, `memory`: see
    `pipeline.convert_files`."""
    if seen is None:
        seen = near_arrays({file.path: file.data for file in project.every})
    conversion = Conversion(())
    if seen and project.files:  # without a file to convert, nothing would be said about what the others call
        from .pipeline import convert_files

        wanted = {file.path for file in project.files}
        read = [file for file in project.every if file.path in seen]
        conversion = convert_files(read, options, observe, wanted=wanted, memory=memory)
    if project.others:
        conversion = only(conversion, {file.path for file in project.files})
    outcomes = {outcome.path: outcome for outcome in conversion.files}
    files = []
    for file in project.files:
        outcome = outcomes.get(file.path) or FileOutcome(file.path, file.module, None, error=file.error or _unreadable(file))
        outcome = outcome._replace(diagnostics=(*outcome.diagnostics, *found.get(str(file.path), ())))
        files.append(outcome if outcome.error else without_silenced(file, outcome, options))
    return in_cells(conversion._replace(files=tuple(files)), project.files)


def only(conversion: Conversion, paths: Collection[Path]) -> Conversion:
    """The part of a conversion that is about these files."""
    shown = {str(path) for path in paths}
    return Conversion(
        tuple(outcome for outcome in conversion.files if outcome.path in paths),
        tuple(function for function in conversion.functions if function.file in shown),
        conversion.unread,
    )


def _unreadable(file: ProjectFile) -> str:
    """Why a file that no array gets to is not valid Python, or ""."""
    if syntax_of(file.data).valid:
        return ""
    from ..syntax.source import SourceError, parse
    from ..tracing.linter import imports_jax

    try:
        parse(str(file.path), file.module, False, file.data)
    except SourceError as error:
        return str(error)
    return newer_syntax(str(file.path), file.data) if imports_jax(file.data) else ""
