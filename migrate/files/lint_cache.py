"""The last results of lint for the same files: plain JSON in the user's cache folder, so that a repeated lint is fast."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ..project.outcome import ProjectFile

ENTRIES = 200  # stored results; the oldest are removed first


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


def key(files: Sequence[ProjectFile], options: object) -> tuple[str, str]:
    """A key for the request (these paths, these options) and a digest of everything that the result depends on."""
    question = hashlib.blake2b(repr(options).encode(), digest_size=16)
    for file in files:
        identity = f"{os.path.abspath(file.path)}\0{file.path}\0{file.module}\0{','.join(file.ignored)}\0{file.error}\0"
        question.update(identity.encode(errors="surrogateescape"))
    answer = question.copy()
    for part in (*(hashlib.blake2b(file.data).digest() for file in files), *_tool()):
        answer.update(part)
    return question.hexdigest(), answer.hexdigest()


def load(folder: Path, question: str, answer: str) -> Lint | None:
    """The stored result, or None if there is none, it is out of date, or the file is damaged."""
    try:
        cached = json.loads((folder / f"{question}.json").read_bytes())
        if cached["answer"] != answer:
            return None
        return Lint(
            tuple(Diagnostic(**item) for item in cached["diagnostics"]),
            tuple((path, reason) for path, reason in cached["errors"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


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


def _tool() -> Iterable[bytes]:
    """The identity of the tool: changes with np2jax, the location of LibCST, and Python."""
    home = Path(__file__).parents[2]
    yield repr((sys.version_info[:3], sys.prefix)).encode()
    for folder in ("migrate", "rules"):
        for path in sorted((home / folder).rglob("*.py")):
            state = path.stat()
            yield f"{path.name} {state.st_size} {state.st_mtime_ns}".encode()
