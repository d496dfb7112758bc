"""`-o DIR`: a converted copy that is written completely or not at all, with a note of the files that np2jax wrote."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..project.discovery import FOREIGN, MARKER
from ..project.failure import Failure

UNCOPIED = FOREIGN | {".git", ".hg", ".svn", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache"}


def write_copy(sources: Sequence[Path], output: Path, contents: Mapping[Path, bytes], note: Mapping[str, Any]) -> None:
    """Make `output` a copy of the source, with `contents` in place of some files; several sources keep their names in it.

    A folder that np2jax made before is replaced, except for files that were added since. `note` is stored in it as
    .np2jax.json. Raises Failure if writing fails (full disk); then `output` is unchanged. Call `check_output` before.
    """
    given, output = output, Path(os.path.realpath(output))
    fresh = _temporary_beside(output, "new")
    try:
        undo_interrupted(output)
        made = copy_tree(sources, fresh, contents)
        for path in _added(output, made):
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(output / path, fresh / path, follow_symlinks=False)
        (fresh / MARKER).write_text(json.dumps({**note, "files": made}, indent=1) + "\n")
        _swap(fresh, output)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        place = Path(error.filename or output)
        place = given / place.relative_to(fresh) if place.is_relative_to(fresh) else place
        rest = f"; {given} is as it was" if place != given else ""
        raise Failure(f"{place}: cannot be written ({error.strerror}){rest}") from error
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def check_output(sources: Sequence[Path], output: Path, *, force: bool) -> None:
    """Raises Failure if the output cannot be replaced safely.

    That is: if it is, contains or lies in a source, is not a folder or would be one called `name.py`, contains files that np2jax did not make and no
    note of np2jax, or contains files that np2jax made and someone changed since (unless `force`).
    """
    whole = Path(os.path.realpath(output))
    for source in sources:
        original = Path(os.path.realpath(source))
        if whole == original or original in whole.parents or whole in original.parents:
            raise Failure(f"{output}: the output must lie outside of {source}, and not around it")
    if len({_name(source) for source in sources}) < len(sources):
        raise Failure(f"{output}: two of the paths have the same name, so that they cannot both be copied there")
    if not os.path.lexists(whole):
        if output.suffix == ".py":
            raise Failure(f"{output}: the output is a folder, in which the files keep their names; try -o {output.stem or 'out'}")
        return
    if not whole.is_dir():
        raise Failure(f"{output}: the output must be a folder, not a file")
    note = read_note(whole)
    if note is None and any(whole.iterdir()):
        raise Failure(f"{output}: is not empty and was not made by np2jax; name another folder")
    for path, digest in (note or {}).get("files", {}).items():
        if not force and (whole / path).is_file() and _digest(whole / path) != digest:
            raise Failure(f"{output / path}: was changed since np2jax made it; --allow-dirty replaces it all the same")


def read_note(folder: Path) -> dict[str, Any] | None:
    """The note that np2jax left in a folder: version, paths, options, functions and the digest of each file; else None."""
    try:
        note = json.loads((folder / MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    return note if isinstance(note, dict) else None


def note_about(path: Path) -> dict[str, Any] | None:
    """The note about a file or folder: its own, or that of the nearest folder around it with one, if that lists it; else None."""
    whole = Path(os.path.realpath(path))
    for folder in (whole, *whole.parents):
        if (note := read_note(folder)) is not None:
            inside = whole.relative_to(folder)
            listed = any(Path(file).is_relative_to(inside) for file in note.get("files", ()))
            return note if folder == whole or listed else None
    return None


def copy_tree(sources: Sequence[Path], target: Path, contents: Mapping[Path, bytes]) -> dict[str, str]:
    """Copy all but caches, virtual environments and the history; return the digest of every file, by its path in `target`.

    Links stay links; a link that points out of the source points to the same file as before.
    """
    made: dict[str, str] = {}
    target.mkdir(parents=True)
    for source, inside in parts(sources).items():
        for path, relative in _everything(source):
            copy = target / inside / relative
            if path in contents:
                copy.write_bytes(contents[path])
                shutil.copymode(path, copy)
            elif path.is_symlink():
                copy.symlink_to(_same_file(path, source))
                continue
            elif path.is_dir():
                copy.mkdir(parents=True, exist_ok=True)
                continue
            elif path.is_file():
                shutil.copy2(path, copy)
            made[Path(inside, relative).as_posix()] = _digest(copy)
    return made


def parts(sources: Sequence[Path]) -> dict[Path, str]:
    """The place of each source in a copy: a single folder is the whole copy."""
    return {source: "." if len(sources) == 1 and source.is_dir() else _name(source) for source in sources}


def _everything(source: Path) -> Iterator[tuple[Path, Path]]:
    """All paths below a source, folders before their contents, each with its path relative to the source."""
    if not source.is_dir():
        yield source, Path()
        return
    for folder, folders, files in os.walk(source):
        here = Path(folder)
        yield here, here.relative_to(source)
        folders[:] = sorted(name for name in folders if name not in UNCOPIED and not _is_made(here / name))
        links = [name for name in folders if (here / name).is_symlink()]
        for name in sorted(files) + links:
            if name != MARKER:
                yield here / name, (here / name).relative_to(source)


def _is_made(folder: Path) -> bool:
    """Whether a folder was made by a tool: a virtual environment, or a conversion."""
    return (folder / "pyvenv.cfg").exists() or (folder / MARKER).exists()


def _same_file(link: Path, source: Path) -> str:
    leads_to = os.readlink(link)
    real = Path(os.path.realpath(link))
    inside = not os.path.isabs(leads_to) and real.is_relative_to(os.path.realpath(source))
    return leads_to if inside else str(real)


def _added(output: Path, made: Mapping[str, str]) -> Iterator[Path]:
    """Files in the old output that np2jax did not write and does not write now, such as the results of a run."""
    before = (read_note(output) or {}).get("files", {})
    for path, relative in _everything(output) if output.is_dir() else ():
        if not path.is_dir() and relative.as_posix() not in {**before, **made}:
            yield relative


def _swap(fresh: Path, output: Path) -> None:
    if not output.exists():
        fresh.rename(output)
        return
    old = _temporary_beside(output, "old")
    output.rename(old)
    try:
        fresh.rename(output)
    except OSError:
        old.rename(output)
        raise
    shutil.rmtree(old)


def left_behind(output: Path) -> bool:
    """Whether a killed run was about to replace the output, which is away under another name."""
    output = Path(os.path.realpath(output))
    return not output.exists() and bool(output.name) and _temporary_beside(output, "old").exists()


def undo_interrupted(output: Path) -> None:
    """Remove or restore what a killed run may have left next to the output."""
    shutil.rmtree(_temporary_beside(output, "new"), ignore_errors=True)
    old = _temporary_beside(output, "old")
    if old.exists() and not output.exists():
        old.rename(output)
    with suppress(FileNotFoundError):
        shutil.rmtree(old)


def _temporary_beside(output: Path, what: str) -> Path:
    return output.with_name(f".{output.name}.np2jax-{what}")


def _name(source: Path) -> str:
    return os.path.basename(os.path.realpath(source))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
