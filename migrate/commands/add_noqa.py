"""`np2jax lint --add-noqa`: comments that silence what is found today."""

from __future__ import annotations

import io
import tokenize
from collections import defaultdict
from collections.abc import Sequence, Set
from pathlib import Path
from typing import NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ..files.git_status import check_committed
from ..files.in_place_writer import Change, write_in_place
from ..files.interruptions import recover
from ..files.lint_run import linted
from ..project.discovery import Project
from ..project.driver import CommandLine, gather
from ..project.outcome import Options
from ..project.silenced import MISSPELT, UNUSED
from ..syntax.suppression_edits import silence

ABOUT_COMMENTS = (MISSPELT, UNUSED)
ROUNDS = 10  # a comment that keeps a function as NumPy may leave findings in the functions that call it


class Added(NamedTuple):
    """The files with their new content, how many comments were added or extended, and the findings that are left, with the reason."""

    changes: tuple[Change, ...]
    comments: int
    left: tuple[tuple[Diagnostic, str], ...]
    errors: tuple[tuple[str, str], ...]


def add_noqa(paths: Sequence[Path], command_line: CommandLine, folder: Path | None, *, allow_dirty: bool) -> Added:
    """Silence all findings by comments, in all files or in none."""
    recover(paths)
    done = with_comments(*gather(paths, command_line, whole=True), folder)
    if not allow_dirty:
        check_committed([change.path for change in done.changes])
    write_in_place(done.changes)
    return done


def with_comments(project: Project, options: Options, folder: Path | None) -> Added:
    """The project with comments that silence all findings. Nothing is written."""
    before = {str(file.path): file.data for file in project.files}
    restored = set[tuple[str, int]]()
    for _ in range(ROUNDS):
        run = linted(project, options, folder)
        found: dict[str, list[Diagnostic]] = defaultdict(list)
        for item in run.lint.diagnostics:
            found[item.path].append(item)
        left: list[tuple[Diagnostic, str]] = []
        files = []
        for file in project.files:
            path = str(file.path)
            if file.notebook:
                left += [(item, "it is in a notebook: write the comment there") for item in found[path]]
                files.append(file)
                continue
            again = {line for line in useless(file.data, before[path], found[path]) if (path, line) not in restored}
            restored.update((path, line) for line in again)
            data, reasons = commented(with_lines_of(file.data, before[path], again), found[path])
            files.append(file._replace(data=data))
            left += reasons
        if tuple(files) == project.files:
            break
        project = project._replace(files=tuple(files))
    changes = [Change(file.path, before[str(file.path)], file.data) for file in project.files]
    changed = tuple(change for change in changes if change.before != change.after)
    comments = sum(len(changed_lines(change.before, change.after)) for change in changed)
    return Added(changed, comments, tuple(left), run.lint.errors)


def useless(data: bytes, before: bytes, found: Sequence[Diagnostic]) -> set[int]:
    """The lines whose new comments silence nothing any more, since other comments keep the function as NumPy."""
    return {item.line for item in found if item.code == UNUSED} & changed_lines(before, data)


def with_lines_of(data: bytes, before: bytes, lines: Set[int]) -> bytes:
    """A file in which some lines are as they were before."""
    pairs = zip(data.split(b"\n"), before.split(b"\n"), strict=True)
    return b"\n".join(old if number in lines else new for number, (new, old) in enumerate(pairs, 1))


def commented(data: bytes, found: Sequence[Diagnostic]) -> tuple[bytes, list[tuple[Diagnostic, str]]]:
    """A file with comments that silence what is found in it, and what cannot be silenced, with the reason."""
    left = [(item, "it is about a comment: mend that") for item in found if item.code in ABOUT_COMMENTS]
    codes: dict[int, set[str]] = defaultdict(set)
    for item in found:
        if item.code not in ABOUT_COMMENTS:
            codes[item.line].add(item.code)
    if not codes:
        return data, left
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    done = silence(data.decode(encoding), codes)
    left += [
        (item, done.impossible[item.line]) for item in found if item.line in done.impossible and item.code not in ABOUT_COMMENTS
    ]
    return done.text.encode(encoding), left


def changed_lines(before: bytes, after: bytes) -> set[int]:
    """The lines with a new or a longer comment. No line is added or removed."""
    pairs = zip(before.split(b"\n"), after.split(b"\n"), strict=True)
    return {number for number, (old, new) in enumerate(pairs, 1) if old != new}
