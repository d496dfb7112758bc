"""Checks with git that files are committed, so that a change can be undone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..project.failure import Failure

AT_ONCE = 500  # paths in one command line


def check_committed(paths: Sequence[Path]) -> None:
    """Raises Failure for a file with uncommitted changes, or one outside version control."""
    folders: dict[Path, list[Path]] = {}
    for path in (Path(os.path.realpath(path)) for path in paths):
        folders.setdefault(path.parent, []).append(path)
    repositories: dict[Path, list[Path]] = {}
    for folder, files in folders.items():
        repositories.setdefault(_repository(folder, files[0]), []).extend(files)
    for repository, files in repositories.items():
        for start in range(0, len(files), AT_ONCE):
            _check_clean(repository, files[start : start + AT_ONCE])


def _repository(folder: Path, file: Path) -> Path:
    top = next((location for location in (folder, *folder.parents) if (location / ".git").exists()), None)
    if top is None:
        raise Failure(f"{_shown(file)}: is not under version control; commit it first, or use -o DIR or --allow-dirty")
    return top


def _check_clean(repository: Path, files: Sequence[Path]) -> None:
    command = ["git", "status", "--porcelain=v1", "-z", "--ignored", "--untracked-files=all", "--", *map(str, files)]
    try:
        done = subprocess.run(command, cwd=repository, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    except FileNotFoundError as error:
        raise Failure("git is not installed, so that nothing is known about uncommitted changes; use --allow-dirty") from error
    if done.returncode:
        raise Failure(f"{_shown(repository)}: git says: {os.fsdecode(done.stderr).strip().splitlines()[0]}")
    for entry in os.fsdecode(done.stdout).split("\0"):
        path = _shown(repository / entry[3:])
        if entry[:2] in {"??", "!!"}:
            raise Failure(f"{path}: is not under version control; commit it first, or use -o DIR or --allow-dirty")
        if entry:
            raise Failure(f"{path}: has uncommitted changes; commit or stash them first, or use -o DIR or --allow-dirty")


def _shown(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
