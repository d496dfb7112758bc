"""What `np2jax lint` checks before it begins: options that exclude each other, and standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ..project.driver import CommandLine, StandardInput
from .formats.statistics import FORMATS

STDIN = Path("-")
EXCLUSIVE = (
    ("add_noqa", "fix"),
    ("add_noqa", "baseline"),
    ("add_noqa", "write_baseline"),
    ("write_baseline", "fix"),
    ("write_baseline", "baseline"),
    ("quiet", "verbose"),
)
WITH_SOURCE = {True: "text", False: "concise"}
FOR_FILES = ("add_noqa", "write_baseline")  # of no use for standard input


def check_options(paths: tuple[Path, ...], form: str, *, statistics: bool, **chosen: Any) -> None:
    """Raises click.UsageError for options that exclude each other."""
    for one, other in EXCLUSIVE:
        if chosen[one] and chosen[other]:
            raise click.UsageError(f"{_option(one)} and {_option(other)} exclude each other.")
    for name in FOR_FILES:
        if chosen[name] and STDIN in paths:
            raise click.UsageError(f"{_option(name)} is for files, not for standard input.")
    if statistics and form not in FORMATS:
        raise click.UsageError(f"--statistics has the formats {' and '.join(FORMATS)} only, not {form}.")


def with_source(form: str, shown: bool | None) -> str:
    """The format, with or without the lines of code of the findings."""
    if shown is None:
        return form
    if form not in WITH_SOURCE.values():
        raise click.UsageError(f"--show-source has the formats {' and '.join(WITH_SOURCE.values())} only, not {form}.")
    return WITH_SOURCE[shown]


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def with_standard_input(paths: tuple[Path, ...], asked: CommandLine, name: Path | None) -> tuple[tuple[Path, ...], CommandLine]:
    """The paths, and the options with the source from standard input if the path is `-`."""
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
