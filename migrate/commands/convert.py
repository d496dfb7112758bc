"""Convert files and folders: in place or as a copy, with or without running both versions."""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..files.copy_writer import check_output, parts, write_copy
from ..files.git_status import check_committed
from ..files.in_place_writer import changes, write_in_place
from ..files.interruptions import check_whole, recover
from ..files.notebook_writer import check_notebook, is_notebook, write_notebook
from ..project.discovery import Project
from ..project.driver import CommandLine, analyse, gather
from ..project.failure import Failure
from ..project.outcome import Conversion, FunctionOutcome, Options
from ..project.rule_selection import resolve
from ..project.settings import renamed_trip_counts
from .demotion import Compare, Measure, demote_differing, demote_slower
from .report import as_data, as_markdown
from .reports.document import Document, of_conversion
from .reports.formats import Renders
from .reports.renders import verification_reports

FINDING = ("line", "column", "end_line", "end_column", "code", "message")


@dataclass(frozen=True, slots=True)
class Converted:
    """The result. `recovered`: messages about what an interrupted run had left. `differences`: what still differs."""

    project: Project
    options: Options
    conversion: Conversion
    recovered: tuple[str, ...] = ()
    report: Mapping[str, Any] = field(default_factory=dict)  # of `verify`
    differences: tuple[str, ...] = ()


def convert(
    *paths: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    precision: str | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    unsafe: bool = False,
    jobs: int = 1,
    allow_dirty: bool = False,
    random: str | None = None,
    trip_counts: str | None = None,
    placement: str | None = None,
    turns: str | None = None,
) -> Conversion:
    """Convert NumPy code to JAX: in place, or into the folder `output`. The result lists the outcome for every function.

    The other arguments are the options of `np2jax convert`; pyproject.toml provides those that are not passed.
    Raises Failure, with a message of one line, for invalid usage and for files that cannot be read or written; then nothing has
    changed. A file that does not parse is left unchanged and has its `error` set.
    """
    if turns is not None:
        trip_counts = renamed_trip_counts(turns, "the argument `turns`")
    command_line = CommandLine(
        precision,
        tuple(select),
        tuple(ignore),
        unsafe,
        jobs,
        random=random,
        trip_counts=trip_counts,
        placement=placement,
    )
    places = [Path(path) for path in paths]
    return write(places, command_line, Path(output) if output is not None else None, allow_dirty=allow_dirty).conversion


def preview(paths: Sequence[Path], command_line: CommandLine) -> Converted:
    """Convert in memory, without writing anything. Raises Failure for files that a killed run left half-written."""
    check_whole(paths)
    project, options = gather(paths, command_line)
    options = resolve(options)
    return Converted(project, options, analyse(project, options))


def dump(paths: Sequence[Path], command_line: CommandLine, passes: Sequence[str]) -> tuple[str, Mapping[str, str]]:
    """The state after the named passes, as text, and why files could not be read. Writes nothing."""
    from ..project.pipeline import dump_files

    check_whole(paths)
    project, options = gather(paths, command_line)
    return dump_files(project.every, resolve(options), passes)


def write(
    paths: Sequence[Path],
    command_line: CommandLine,
    output: Path | None,
    *,
    allow_dirty: bool = False,
    compare: Compare | None = None,
    measure: Measure | None = None,
) -> Converted:
    """Convert and write all files or none; no copy where none could be read. Before anything is written, functions are left as NumPy that are not faster (with
    `measure`) or that differ (with `compare`)."""
    recovered = tuple(recover(paths)) if output is None else ()
    if output is not None and is_notebook(output):
        check_notebook(paths, output, force=allow_dirty)
    elif output is not None:
        check_output(paths, output, force=allow_dirty)
    done = preview(paths, command_line)
    if output is None and not allow_dirty:
        check_committed([change.path for change in changes(done.project, done.conversion)])
    if (measure or compare) and (notebook := next((file.path for file in done.project.files if file.notebook), None)):
        raise Failure(f"{notebook}: notebooks are not run; convert it without --verify and --only-if-faster")
    if measure is not None:
        if done.options.placement != "fast":
            raise Failure("--only-if-faster needs --placement fast: with device, what is not faster is converted on purpose")
        settled = demote_slower(paths, done.project, done.options, done.conversion, measure)
        done = replace(done, options=settled[0], conversion=settled[1])
    if compare is not None:
        resolved = demote_differing(paths, done.project, done.options, done.conversion, compare)
        done = replace(
            done, conversion=resolved.conversion, options=resolved.options, report=resolved.report, differences=resolved.left
        )
    if output is None:
        write_in_place(changes(done.project, done.conversion))
    elif is_notebook(output):
        made = changes(done.project, done.conversion)
        for file in done.project.files:
            if not file.error:
                write_notebook(output, made[0].after if made else file.notebook)
    elif any(not file.error for file in done.conversion.files):
        contents = {change.path: change.after for change in changes(done.project, done.conversion)}
        write_copy(paths, output, contents, note(paths, output, done.project, done.options, done.conversion))
    return replace(done, recovered=recovered)


def note(paths: Sequence[Path], output: Path, project: Project, options: Options, conversion: Conversion) -> dict[str, Any]:
    """The note in a converted copy. `verify` reads from it how functions are called, what is said of them, and from what the parts of
    the copy were made."""
    from ...version import __version__

    plain = {**options._asdict(), "public": sorted(options.public), "unjitted": sorted(options.unjitted)}
    del plain["jobs"]
    return {
        "np2jax": __version__,
        "paths": [path.resolve().name for path in paths],
        "sources": {
            part: os.path.relpath(os.path.realpath(path), os.path.realpath(output)) for path, part in parts(paths).items()
        },
        "options": plain,
        "functions": outcomes(conversion),
        "originals": digests(project, conversion),
    }


def in_modules(conversion: Conversion) -> list[FunctionOutcome]:
    """The functions in files of Python: those in notebooks are not run."""
    files = {str(file.path) for file in conversion.files}
    return [function for function in conversion.functions if function.file in files]


def contracts(conversion: Conversion) -> list[dict[str, Any]]:
    """How each converted function is called and what it returns, as plain data."""
    modules = {str(file.path): file.module for file in conversion.files}
    return [
        {
            "file": function.file,
            "module": modules[function.file],
            "name": function.name,
            "params": function.params,
            "returns": function.returns,
            "results": function.results,
            "static": function.static,
            "kinds": dict(function.kinds),
            "label": function.label,
            "transform": function.transform,
            "conditions": [condition._asdict() for condition in function.conditions],
        }
        for function in in_modules(conversion)
    ]


def conversion_reports(done: Converted) -> Renders:
    """The reports of a conversion, by the names of their formats."""

    def document() -> Document:
        return of_conversion(outcomes(done.conversion), done.report, sources(done.project, done.conversion))

    return {
        **verification_reports(document, lambda: as_markdown(done.conversion)),
        "json": lambda: json.dumps(as_data(done.conversion, done.report), indent=1) + "\n",
    }


def outcomes(conversion: Conversion) -> list[dict[str, Any]]:
    """The contract of each function, and what reports say of it: its line, its label with the reason, and the findings in it."""
    findings: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for file in conversion.files:
        for item in file.diagnostics:
            findings[item.function].append({name: getattr(item, name) for name in FINDING})
    return [
        {
            **contract,
            "line": function.line,
            "codes": function.codes,
            "reason": function.reason,
            "findings": findings[function.name],
        }
        for contract, function in zip(contracts(conversion), in_modules(conversion), strict=True)
    ]


def promises(original: Path, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The contracts of functions that someone else converted: those that np2jax would leave as NumPy have the conditions of JAX code, too."""
    if not any(function["label"] == "host" for function in known):
        return known
    compiled = outcomes(preview([original], CommandLine(placement="device")).conversion)
    conditions = {function["name"]: function["conditions"] for function in compiled}
    return [{**one, "conditions": conditions.get(one["name"], [])} if one["label"] == "host" else one for one in known]


def digests(project: Project, conversion: Conversion) -> dict[str, str]:
    """The digest of each converted module's original: findings are shown only beside the code that they are about."""
    modules = {file.path: file.module for file in conversion.files}
    return {modules[file.path]: hashlib.sha256(file.data).hexdigest() for file in project.files if file.path in modules}


def sources(project: Project, conversion: Conversion) -> dict[str, tuple[bytes, bytes]]:
    """The original and the converted text of each file, by the path in the outcomes."""
    before = {file.path: file.data for file in project.files}
    return {
        str(file.path): (before[file.path], before[file.path] if file.data is None else file.data)
        for file in conversion.files
        if file.path in before
    }
