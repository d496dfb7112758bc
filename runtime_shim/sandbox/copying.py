"""Copies of trees, and what the parts of a converted tree were made from."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

MADE = ".np2jax.json"  # the note in a folder that `np2jax convert -o` made
SKIPPED = {"__pycache__", "node_modules", "build", "dist", "venv", "site-packages"}
LARGE = 4 << 20  # larger data files are linked, not copied


def note(converted: Path) -> dict[str, Any]:
    """The note that `np2jax convert` left in a folder; {} if there is none."""
    try:
        noted = json.loads((converted / MADE).read_bytes())
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def sources(converted: Path) -> dict[Path, Path]:
    """What `np2jax convert` made the parts of a folder from: a path in it -> the original. Empty if nothing is known."""
    try:
        found = {converted / part: (converted / source).resolve() for part, source in note(converted)["sources"].items()}
    except (KeyError, TypeError, AttributeError):
        return {}
    return {part: source for part, source in found.items() if source.exists()}


def counterpart(original: Path, converted: Path) -> Path:
    """What to compare with the original: the folder, or the part of it that was made from what contains the original."""
    for part, source in sources(converted).items():
        if original.is_relative_to(source) and (part / original.relative_to(source)).exists():
            return part / original.relative_to(source)
    return converted


def selected(original: Path, converted: Path) -> dict[Path, Path]:
    """If only parts of the original were converted: their paths in it, and the conversion of each."""
    found = sources(converted).items()
    return {
        source.relative_to(original): part for part, source in found if source != original and source.is_relative_to(original)
    }


def place(parts: Mapping[Path, Path], tree: Path) -> None:
    """Put the converted parts into a copy of the original."""
    for where, part in parts.items():
        remove(tree / where)
        if part.exists():
            copy(part, tree / where)


def copy(source: Path, target: Path, without: Collection[Path] = ()) -> None:
    """Copy a file or a tree, except for what is no code of the project, such as conversions of it, and for `without`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not source.is_dir():
        shutil.copyfile(source, target)
        return
    for folder, folders, files in os.walk(source):
        here = Path(folder)
        folders[:] = [name for name in folders if _belongs(here / name, without)]
        there = target / here.relative_to(source)
        there.mkdir(parents=True, exist_ok=True)
        for name in folders:
            if (link := here / name).is_symlink():
                (there / name).symlink_to(link.resolve())
        for name in files:
            _copy_file(here / name, there / name)


def _belongs(folder: Path, without: Collection[Path]) -> bool:
    if folder.name in SKIPPED or folder.name.startswith("."):
        return False
    return folder not in without and not (folder / MADE).exists()


def _copy_file(source: Path, target: Path) -> None:
    if not source.is_file():
        return  # a socket or a broken link
    if source.stat().st_size > LARGE and source.suffix != ".py":
        target.symlink_to(source.resolve())
    else:
        shutil.copyfile(source, target)


def remove(path: Path) -> None:
    """Remove a file or a tree, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
