"""Write all files or none: new versions are written next to the old ones, then renamed over them under a journal.

A run that is killed before the journal says "committed" has changed nothing, and its temporary files are removed later. If it is
killed after that, the renaming can be finished, or undone: the old versions are still there under another name. `interruptions`
does so.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..notebooks.contents import NotebookError
from ..notebooks.writing import with_code
from ..project.discovery import Project
from ..project.failure import Failure
from ..project.outcome import Conversion, ProjectFile

if sys.platform != "win32":
    import fcntl

JOURNAL = ".np2jax-journal"
COMMITTED = b"committed\n"


class Change(NamedTuple):
    """New content for an existing file; `before` is its content when it was read."""

    path: Path
    before: bytes
    after: bytes


def changes(project: Project, conversion: Conversion) -> list[Change]:
    """The files whose content changes. Raises Failure for a notebook whose cells cannot be told apart any more."""
    before = {file.path: file for file in project.files}
    new = [(before[outcome.path], outcome.data) for outcome in conversion.files]
    return [_change(file, data) for file, data in new if data is not None and data != file.data]


def _change(file: ProjectFile, data: bytes) -> Change:
    if not file.notebook:
        return Change(file.path, file.data, data)
    try:
        return Change(file.path, file.notebook, with_code(file.notebook, data.decode()))
    except NotebookError as error:
        raise Failure(f"{file.path}: {error}; leave it out by `exclude` in pyproject.toml") from error


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
    with log, locked(log.fileno(), journal):
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
        _clean(targets, journal)


class _HalfDone(Exception):
    """Some files are renamed and cannot be restored. The journal remains, so that the next run finishes the renaming."""


def _prepare(targets: Mapping[Path, Change], log: BinaryIO) -> None:
    entries = [(str(target), _digest(change.before), _digest(change.after)) for target, change in targets.items()]
    _append(log, json.dumps(entries).encode() + b"\n")
    for target, change in targets.items():
        _write_beside(target, change.after)
        _keep_beside(target)
    _append(log, COMMITTED)


def _rename_all(targets: Mapping[Path, Change]) -> None:
    done: list[Path] = []
    try:
        for target in targets:
            os.replace(new_version(target), target)
            done.append(target)
    except BaseException:
        try:
            for target in done:
                os.replace(old_version(target), target)
        except OSError as error:
            raise _HalfDone(str(error.filename)) from error
        raise


def _clean(targets: Iterable[Path], journal: Path) -> None:
    for target in targets:
        remove_versions(target)
    journal.unlink()


@contextmanager
def locked(descriptor: int, journal: Path) -> Iterator[None]:
    """Raises Failure if the run that wrote the journal is still at work."""
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
    before, beside = target.stat(), new_version(target)
    try:
        with beside.open("wb") as file:
            _append(file, data)
    except OSError as error:  # the error of a full disk does not name the file
        raise OSError(error.errno, error.strerror, str(target)) from error
    os.chmod(beside, stat.S_IMODE(before.st_mode))
    if sys.platform != "win32" and before.st_uid != os.geteuid():
        os.chown(beside, before.st_uid, before.st_gid)


def _keep_beside(target: Path) -> None:
    """Give the old version a second name, under which it stays when it is replaced."""
    old = old_version(target)
    old.unlink(missing_ok=True)
    try:
        os.link(target, old)
    except OSError:  # not every file system has links
        shutil.copy2(target, old)


def new_version(target: Path) -> Path:
    """Where the new version of a file is written before it gets its name."""
    return target.with_name(f".{target.name}.np2jax-new")


def old_version(target: Path) -> Path:
    """Where the old version of a file is kept until all files are replaced."""
    return target.with_name(f".{target.name}.np2jax-old")


def remove_versions(target: Path) -> None:
    """Remove what was written beside a file."""
    new_version(target).unlink(missing_ok=True)
    old_version(target).unlink(missing_ok=True)


def _append(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_of(path: Path) -> str:
    try:
        return _digest(path.read_bytes())
    except OSError:
        return ""
