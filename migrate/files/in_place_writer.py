"""Write all files or none: new versions are written next to the old ones, then renamed over them under a journal.

A run that is killed before the journal says "committed" has changed nothing, and the next run removes its temporary files.
If it is killed after that, the next run finishes the renaming.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..project.discovery import is_foreign
from ..project.failure import Failure

if sys.platform != "win32":
    import fcntl

JOURNAL = ".np2jax-journal"
COMMITTED = b"committed\n"


class Change(NamedTuple):
    """New content for an existing file; `before` is its content when it was read."""

    path: Path
    before: bytes
    after: bytes


def write_in_place(changes: Sequence[Change]) -> None:
    """Replace the content of every file, or of none. Modes and owners are preserved, links are followed.

    Raises Failure for a file that is read-only, missing or changed since it was read, and if writing fails (full disk).
    """
    targets = {Path(os.path.realpath(change.path)): change for change in changes}
    if not targets:
        return
    for target, change in targets.items():
        _check_writable(target, change)
    journal = Path(os.path.commonpath([target.parent for target in targets])) / JOURNAL
    try:
        log = journal.open("xb")
    except FileExistsError as error:
        raise Failure(f"{journal}: another np2jax is writing here; wait for it to end") from error
    except OSError as error:
        raise Failure(f"{journal}: cannot be written ({error.strerror}); no file was changed") from error
    with log, _lock(log.fileno(), journal):
        try:
            _prepare(targets, log)
            _rename_all(targets)
        except _HalfDone as error:
            raise Failure(
                f"{error}: cannot be replaced, and the other files cannot be restored; free some disk space and run np2jax again"
            ) from error
        except OSError as error:
            _clean(targets, journal)
            raise Failure(f"{error.filename}: cannot be written ({error.strerror}); no file was changed") from error
        except BaseException:
            _clean(targets, journal)
            raise
        journal.unlink()


class _HalfDone(Exception):
    """Some files are renamed and cannot be restored. The journal remains, so that the next run finishes the renaming."""


def _prepare(targets: Mapping[Path, Change], log: BinaryIO) -> None:
    entries = [(str(target), _digest(change.before), _digest(change.after)) for target, change in targets.items()]
    _append(log, json.dumps(entries).encode() + b"\n")
    for target, change in targets.items():
        _write_beside(target, change.after)
    _append(log, COMMITTED)


def _rename_all(targets: Mapping[Path, Change]) -> None:
    done: list[Path] = []
    try:
        for target in targets:
            os.replace(_temporary_beside(target), target)
            done.append(target)
    except BaseException:
        try:
            for target in done:
                _write_beside(target, targets[target].before)
                os.replace(_temporary_beside(target), target)
        except OSError as error:
            raise _HalfDone(str(error.filename)) from error
        raise


def _clean(targets: Iterable[Path], journal: Path) -> None:
    for target in targets:
        _temporary_beside(target).unlink(missing_ok=True)
    journal.unlink()


def recover(paths: Sequence[Path]) -> list[str]:
    """Finish or undo what a killed run left at, above or below the paths; return a message for each journal.

    Raises Failure if another run is writing there at the moment.
    """
    said = []
    for journal in sorted(set(_journals(paths))):
        with suppress(FileNotFoundError), journal.open("rb") as log, _lock(log.fileno(), journal):
            if journal.exists():  # a run that was about to end may have removed it before the lock was acquired
                said.append(f"{journal.parent}: {_finish_or_undo(log.read())}")
                journal.unlink()
    return said


def _finish_or_undo(log: bytes) -> str:
    if not log.endswith(b"\n"):
        return "an interrupted conversion had changed nothing"
    header, _, rest = log.partition(b"\n")
    entries = [(Path(target), before, after) for target, before, after in json.loads(header)]
    pending = [target for target, _, _ in entries if _temporary_beside(target).exists()]
    changed = []
    for target, before, after in entries:
        expected = (before, after) if target in pending else (after, "")
        if (_digest_of(target), _digest_of(_temporary_beside(target))) != expected:
            changed.append(target)
    if rest == COMMITTED and not changed:
        for target in pending:
            os.replace(_temporary_beside(target), target)
        return f"an interrupted conversion of {len(entries)} files has been completed"
    for target in pending:
        _temporary_beside(target).unlink()
    if rest != COMMITTED:
        return "an interrupted conversion had changed nothing; its temporary files are removed"
    return f"an interrupted conversion is not completed, because {changed[0]} was changed since; look at its other files too"


def _journals(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        whole = Path(os.path.realpath(path))
        yield from (folder / JOURNAL for folder in (whole, *whole.parents) if (folder / JOURNAL).is_file())
        for folder, folders, files in os.walk(whole):
            folders[:] = [name for name in folders if not is_foreign(Path(folder, name))]
            if JOURNAL in files:
                yield Path(folder, JOURNAL)


@contextmanager
def _lock(descriptor: int, journal: Path) -> Iterator[None]:
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Failure(f"{journal}: another np2jax is writing here; wait for it to end") from error
    yield


def _check_writable(target: Path, change: Change) -> None:
    try:
        mode, now = target.stat().st_mode, target.read_bytes()
    except OSError as error:
        raise Failure(f"{change.path}: cannot be read ({error.strerror}); no file was changed") from error
    if not mode & stat.S_IWUSR or not os.access(target, os.W_OK) or not os.access(target.parent, os.W_OK):
        raise Failure(f"{change.path}: is read-only; make it writable or use -o DIR. No file was changed")
    if now != change.before:
        raise Failure(f"{change.path}: was changed while np2jax was at work; run it again. No file was changed")


def _write_beside(target: Path, data: bytes) -> None:
    before, beside = target.stat(), _temporary_beside(target)
    try:
        with beside.open("wb") as file:
            _append(file, data)
    except OSError as error:  # the error of a full disk does not name the file
        raise OSError(error.errno, error.strerror, str(target)) from error
    os.chmod(beside, stat.S_IMODE(before.st_mode))
    if sys.platform != "win32" and before.st_uid != os.geteuid():
        os.chown(beside, before.st_uid, before.st_gid)


def _temporary_beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.np2jax-new")


def _append(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digest_of(path: Path) -> str:
    try:
        return _digest(path.read_bytes())
    except OSError:
        return ""
