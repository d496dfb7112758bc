"""The last results of lint for the same files: plain JSON in the user's cache folder, so that a repeated lint is fast."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ..project.outcome import Options, ProjectFile

ENTRIES = 200  # stored results; the oldest are removed first
PLACE = (str, int, int, int, int)
SHAPES = {(*PLACE, str, str, str, bool, str, replacement, int) for replacement in (str, type(None))}  # of a diagnostic, by field


class Lint(NamedTuple):
    """The result of lint: the findings, and the files that could not be read, with the reason."""

    diagnostics: tuple[Diagnostic, ...]
    errors: tuple[tuple[str, str], ...]  # path, reason
    notes: tuple[str, ...] = ()  # what is not known of the project, in words
    partial: bool = False  # about some files of a project only


def default_folder() -> Path:
    """The folder for caches: $NP2JAX_CACHE_DIR, or the platform's default."""
    if chosen := os.environ.get("NP2JAX_CACHE_DIR"):
        return Path(chosen)
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home) / "np2jax" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "np2jax"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "np2jax"


def key(files: Sequence[ProjectFile], options: Options, wanted: Sequence[ProjectFile] = ()) -> tuple[str, str]:
    """A key for the request (these paths, these options) and a digest of everything that the result depends on. `wanted`: the files
    that the result is about, () for all."""
    question = hashlib.blake2b(said(options).encode(), digest_size=16)
    for file in (*files, *wanted):
        question.update(identity(file).encode(errors="surrogateescape"))
    answer = question.copy()
    for part in (*(hashlib.blake2b(file.data).digest() for file in files), tool()):
        answer.update(part)
    return question.hexdigest(), answer.hexdigest()


def said(options: Options) -> str:
    """The options as text, the same in each process: sets have no order."""
    return repr([sorted(value) if isinstance(value, frozenset) else value for value in options._replace(jobs=1)])


def identity(file: ProjectFile) -> str:
    return f"{os.path.abspath(file.path)}\0{file.path}\0{file.module}\0{','.join(file.ignored)}\0{file.error}\0"


def load(folder: Path, question: str, answer: str) -> Lint | None:
    """The stored result, or None if there is none, it is out of date, or the file is damaged."""
    try:
        cached = json.loads((folder / f"{question}.json").read_bytes())
        if cached["answer"] != answer:
            return None
        return Lint(
            diagnostics(cached["diagnostics"]),
            tuple((str(path), str(reason)) for path, reason in cached["errors"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def diagnostics(items: Iterable[dict[str, Any]]) -> tuple[Diagnostic, ...]:
    """The findings that a file holds. Raises TypeError or KeyError if it holds something else."""
    found = tuple(Diagnostic(**item) for item in items)
    if not SHAPES.issuperset(tuple(map(type, item)) for item in found):
        raise TypeError
    return found


def store(folder: Path, question: str, answer: str, lint: Lint) -> None:
    """Store a result. A cache that cannot be written is not an error."""
    cached = {"answer": answer, "diagnostics": [item._asdict() for item in lint.diagnostics], "errors": lint.errors}
    temporary = folder / f"{question}.{os.getpid()}.tmp"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(cached))
        temporary.replace(folder / f"{question}.json")
        oldest_first = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in oldest_first[:-ENTRIES]:
            path.unlink()


@cache
def tool() -> bytes:
    """The identity of the tool: changes with np2jax, the location of LibCST, and Python."""
    home = Path(__file__).parents[2]
    found = [repr((sys.version_info[:3], sys.prefix)).encode()]
    for folder in ("migrate", "rules"):
        for path in sorted((home / folder).rglob("*.py")):
            state = path.stat()
            found.append(f"{path.name} {state.st_size} {state.st_mtime_ns}".encode())
    return b"".join(found)
