"""Findings without changes: what the pre-commit hook runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..files import lint_cache
from ..files.git_status import check_committed
from ..files.in_place_writer import write_in_place
from ..files.interruptions import recover
from ..files.lint_cache import Lint
from ..files.lint_run import LintRun, find, fixed
from ..project.driver import CommandLine


def lint(
    *paths: str | os.PathLike[str],
    precision: str | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    jobs: int = 1,
    cache_folder: str | os.PathLike[str] | None = None,
) -> Lint:
    """The findings of np2jax for files and folders. Nothing is changed; results for unchanged files come from a cache.

    Raises Failure, with a message of one line, for invalid usage and for paths that cannot be found or opened.
    """
    command_line = CommandLine(precision, tuple(select), tuple(ignore), jobs=jobs, placement="device")
    folder = Path(cache_folder) if cache_folder is not None else lint_cache.default_folder()
    return find([Path(path) for path in paths], command_line, folder).lint


def fix(paths: Sequence[Path], command_line: CommandLine, *, allow_dirty: bool) -> LintRun:
    """Apply the safe changes in place. Returns the findings, those that it mended with `fixed`."""
    recover(paths)
    done = fixed(paths, command_line)
    if not allow_dirty:
        check_committed([change.path for change in done.changes])
    write_in_place(done.changes)
    return done
