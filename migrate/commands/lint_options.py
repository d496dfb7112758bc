"""The options of `np2jax lint`, besides those that it shares with `np2jax convert`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .formats.catalogue import NAMES
from .options import F, analysis_options, codes

if TYPE_CHECKING:
    from ..project.per_file_ignores import PerFile

PATH = click.Path(path_type=Path)


def lint_options(command: F) -> F:
    """All options of the command, in the order of its help."""
    groups = (cache_options, exclusion_options, baseline_options, output_options, change_options, rule_options, analysis_options)
    for group in groups:
        command = group(command)
    return command


def _per_file(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> PerFile:
    from ..project.per_file_ignores import parse

    return parse(values)


def rule_options(command: F) -> F:
    """The options for which rules run, besides those of `convert`."""
    for option in (
        click.option(
            "--target-jax",
            metavar="VERSION",
            help="The version of JAX that the code is for; default: the newest. Names that later versions remove are not reported.",
        ),
        click.option(
            "--per-file-ignores",
            metavar="PATTERN:CODES",
            multiple=True,
            callback=_per_file,
            help="Skip rules in some files, not as pyproject.toml says: 'tests/*:NJ1,NJ201'; may repeat.",
        ),
        click.option(
            "--extend-select",
            metavar="CODES",
            multiple=True,
            callback=codes,
            help="Also run these rules, which are off by default or ignored.",
        ),
    ):
        command = option(command)
    return command


def change_options(command: F) -> F:
    """The options that change files."""
    for option in (
        click.option("--allow-dirty", is_flag=True, help="Also change files that are not committed."),
        click.option(
            "--add-noqa", is_flag=True, help="Add comments that silence what is found, in place: # np2jax: ignore[NJ201]"
        ),
        click.option("--fix", is_flag=True, help="Apply the safe fixes in place; those to standard input are printed."),
    ):
        command = option(command)
    return command


def output_options(command: F) -> F:
    """The options for what is printed, and where."""
    form = click.Choice(NAMES)
    for option in (
        click.option(
            "-v", "--verbose", is_flag=True, help="Also say which files are linted, what comes from the cache, and the time."
        ),
        click.option("-q", "--quiet", is_flag=True, help="Print the findings only: no counts, no notes."),
        click.option(
            "--show-source/--no-show-source",
            default=None,
            help="With each finding its line, as --output-format text does, or not, as concise does.",
        ),
        click.option("--statistics", is_flag=True, help="Print how often each code is found, instead of the findings."),
        click.option("--output-file", metavar="FILE", type=PATH, help="Write the findings into FILE, and print none."),
        click.option(
            "--output-format", "--format", "form", type=form, default=NAMES[0], show_default=True, help="What to print."
        ),
    ):
        command = option(command)
    return command


def baseline_options(command: F) -> F:
    """The options for the findings that are known."""
    for option in (
        click.option("--write-baseline", metavar="FILE", type=PATH, help="Write what is found into FILE, as known findings."),
        click.option("--baseline", metavar="FILE", type=PATH, help="Report only what FILE does not list as known."),
    ):
        command = option(command)
    return command


def exclusion_options(command: F) -> F:
    """The options for which files are linted, and with which settings."""
    for option in (
        click.option(
            "--stdin-filename", metavar="NAME", type=PATH, help="The file that standard input stands for, if PATH is -."
        ),
        click.option("--config", metavar="FILE", type=PATH, help="Take the settings from [tool.np2jax] in FILE."),
        click.option(
            "--force-exclude", is_flag=True, help="Apply the exclusions even to files that are named; for hooks and editors."
        ),
        click.option("--extend-exclude", metavar="PATTERN", multiple=True, help="Exclude these, too; may repeat."),
        click.option(
            "--exclude",
            metavar="PATTERN",
            multiple=True,
            help="Exclude these files and folders, not those in pyproject.toml: names, or paths from here; may repeat.",
        ),
    ):
        command = option(command)
    return command


def cache_options(command: F) -> F:
    """The options for the cache."""
    for option in (
        click.option("--no-cache", is_flag=True, help="Do not cache results."),
        click.option("--cache-dir", metavar="DIR", type=PATH, help="Cache results in DIR; default: the user's cache folder."),
    ):
        command = option(command)
    return command
