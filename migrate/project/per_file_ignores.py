"""Codes that are ignored in some files: `per-file-ignores` in pyproject.toml, `--per-file-ignores` on the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .discovery import Project
from .failure import Failure
from .outcome import ProjectFile
from .path_patterns import PathPattern

PerFile = tuple[tuple[str, tuple[str, ...]], ...]


def parse(values: Sequence[str]) -> PerFile:
    """Patterns with their codes from `PATTERN:CODE,CODE,...`. Raises Failure for a value without a pattern or a code."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for value in values:
        for part in value.split(","):
            pattern, colon, code = (word.strip() for word in part.rpartition(":"))
            if colon and pattern and code:
                found.append((pattern, (code,)))
            elif not colon and code and found:
                found.append((found[-1][0], (code,)))
            else:
                raise Failure(f"--per-file-ignores: {value!r} is no pattern with codes, such as tests/*:NJ1,NJ201")
    return tuple(found)


def with_ignored(project: Project, per_file: PerFile, base: Path | None) -> Project:
    """The project, with the codes that are ignored in each file. `base`: the folder to which the patterns are relative."""
    if not per_file:
        return project
    root = Path(os.path.abspath(base or Path()))
    files, others = (
        tuple(file._replace(ignored=ignored(file, per_file, root)) for file in some) for some in (project.files, project.others)
    )
    return project._replace(files=files, others=others)


def ignored(file: ProjectFile, per_file: PerFile, root: Path) -> tuple[str, ...]:
    """The codes, or families of codes, that are ignored in a file."""
    codes = [code for pattern, codes in per_file if matches(file.path, pattern, root) for code in codes]
    return tuple(dict.fromkeys(codes))


def matches(path: Path, pattern: str, root: Path) -> bool:
    """Whether a pattern names a file, or a folder around it: by its path from `root`, or by its name. After `!`: whether not."""
    if pattern.startswith("!"):
        return not matches(path, pattern[1:], root)
    known = PathPattern(pattern.removeprefix("./").rstrip("/"), root, named=True)
    whole = Path(os.path.abspath(path))
    folders = [folder for folder in whole.parents if folder != root and folder.is_relative_to(root)]
    return any(known.matches(part, outside=True) for part in (whole, *folders))
