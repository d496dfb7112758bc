"""What a killed run left half-written: found by every command, finished or undone by `np2jax recover`."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..project.discovery import is_foreign
from ..project.failure import Failure
from . import copy_writer
from .in_place_writer import COMMITTED, JOURNAL, digest_of, locked, new_version, old_version, remove_versions


class Entry(NamedTuple):
    """A file that a killed run was replacing, and the digests of its old and its new content."""

    target: Path
    before: str
    after: str

    @property
    def written(self) -> bool:
        """Whether it has its new content."""
        return not new_version(self.target).exists()

    @property
    def edited(self) -> bool:
        """Whether somebody else changed the file, or the new content that was to replace it."""
        now, new = digest_of(self.target), digest_of(new_version(self.target))
        return (now, new) != ((self.after, "") if self.written else (self.before, self.after))


class Interruption(NamedTuple):
    """The journal of a killed run. `committed`: whether it had begun to replace files."""

    journal: Path
    entries: tuple[Entry, ...]
    committed: bool

    @property
    def half_written(self) -> bool:
        """Whether some files are new and others old."""
        return self.committed and not all(entry.written for entry in self.entries)


def check_whole(paths: Sequence[Path]) -> None:
    """Raises Failure if a killed run left files at, above or below the paths half-written: some are converted, others are not.

    Warns of what it left otherwise.
    """
    for path in paths:
        if copy_writer.left_behind(path):
            raise Failure(f"{path}: a conversion into this folder was interrupted; `np2jax recover {path}` restores it")
    for found in interruptions(paths):
        where = _shown(found.journal.parent)
        if found.half_written:
            done = sum(entry.written for entry in found.entries)
            raise Failure(
                f"{where}: a conversion was interrupted after {done} of {len(found.entries)} files; "
                f"`np2jax recover {where}` finishes it, `np2jax recover --undo {where}` undoes it"
            )
        warnings.warn(
            f"{where}: an interrupted conversion left temporary files; `np2jax recover {where}` removes them", stacklevel=2
        )


def interruptions(paths: Sequence[Path]) -> Iterator[Interruption]:
    """What killed runs left. Raises Failure if another run is writing there at the moment."""
    for journal in sorted(set(_journals(paths))):
        with suppress(FileNotFoundError), journal.open("rb") as log, locked(log.fileno(), journal):
            if journal.exists():  # a run that was about to end may have removed it before the lock was acquired
                yield _read(journal, log.read())


def recover(paths: Sequence[Path], *, undo: bool = False) -> list[str]:
    """Finish or undo what a killed run left at, above or below the paths; return a message for each.

    Raises Failure if another run is writing there at the moment.
    """
    said = []
    for path in paths:
        if copy_writer.left_behind(path):
            copy_writer.undo_interrupted(Path(os.path.realpath(path)))
            said.append(f"{path}: the folder is as it was before an interrupted conversion into it")
    for found in interruptions(paths):
        said.append(f"{found.journal.parent}: {_undone(found) if undo else _finished(found)}")
        for entry in found.entries:
            remove_versions(entry.target)
        found.journal.unlink()
    return said


def _finished(found: Interruption) -> str:
    if not found.entries:
        return "an interrupted conversion had changed nothing"
    if not found.committed:
        return "an interrupted conversion had changed nothing; its temporary files are removed"
    if edited := [entry.target for entry in found.entries if entry.edited]:
        return f"an interrupted conversion is not completed, because {edited[0]} was changed since; look at its other files too"
    for entry in found.entries:
        if not entry.written:
            os.replace(new_version(entry.target), entry.target)
    return f"an interrupted conversion of {len(found.entries)} files has been completed"


def _undone(found: Interruption) -> str:
    if not found.half_written:
        return _finished(found)  # all files are old, or all are new
    done = [entry for entry in found.entries if entry.written]
    for entry in found.entries:
        if entry.edited or (entry in done and digest_of(old_version(entry.target)) != entry.before):
            return (
                f"an interrupted conversion is not undone, because {entry.target} was changed since; look at its other files too"
            )
    for entry in done:
        os.replace(old_version(entry.target), entry.target)
    return f"an interrupted conversion of {len(found.entries)} files has been undone"


def _read(journal: Path, log: bytes) -> Interruption:
    header, end, rest = log.partition(b"\n")
    if not end:
        return Interruption(journal, (), False)
    entries = tuple(Entry(Path(target), before, after) for target, before, after in json.loads(header))
    return Interruption(journal, entries, rest == COMMITTED)


def _journals(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        whole = Path(os.path.realpath(path))
        yield from (folder / JOURNAL for folder in (whole, *whole.parents) if (folder / JOURNAL).is_file())
        for folder, folders, files in os.walk(whole):
            folders[:] = [name for name in folders if not is_foreign(Path(folder, name))]
            if JOURNAL in files:
                yield Path(folder, JOURNAL)


def _shown(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
