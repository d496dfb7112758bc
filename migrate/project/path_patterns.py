"""Glob patterns for files and folders: those in pyproject.toml, and those on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import NamedTuple


class PathPattern(NamedTuple):
    """A pattern for paths below `base`, or for absolute paths. `named`: without a slash it matches a name at any depth."""

    text: str
    base: Path
    named: bool = False

    def matches(self, path: Path, *, outside: bool) -> bool:
        """Whether it matches an absolute path. `outside`: a name counts also where the path is not below `base`."""
        whole, below = path.as_posix(), path.is_relative_to(self.base)
        if PurePath(self.text).is_absolute():
            return fnmatch(whole, self.text)
        if self.named and "/" not in self.text:
            return (below or outside) and fnmatch(path.name, self.text)
        return fnmatch(path.relative_to(self.base).as_posix() if below else whole, self.text)


def in_settings(texts: Iterable[str], base: Path | None) -> tuple[PathPattern, ...]:
    """The patterns in a pyproject.toml in the folder `base`."""
    return tuple(PathPattern(text, base or Path.cwd()) for text in texts)


def from_here(texts: Iterable[str]) -> tuple[PathPattern, ...]:
    """The patterns on the command line: names at any depth, and paths from the current folder."""
    return tuple(PathPattern(text.removeprefix("./").rstrip("/"), Path.cwd(), named=True) for text in texts)
