"""The files that a program writes in its tree: the converted version must write the same ones.

Text is compared as printed lines are, arrays in .npy and .npz files as results are. Of other files only the names are compared.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..values.comparison import COPY, Comparison, Policy
from ..values.serialization import from_npy
from ..values.snapshot import Array
from .printed_output import PRINTED, compare_output

LARGEST = 4 << 20  # bytes of a file whose content is compared

Contents = Mapping[str, bytes | None]  # by the path; None for a file that is too large


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a tree at one time, with their sizes and when they were changed."""

    top: Path
    known: Mapping[str, tuple[int, int]]

    def written(self) -> Contents:
        """What has been written since then."""
        now = files_of(self.top).known
        names = [name for name, state in now.items() if self.known.get(name) != state]
        return {name: (self.top / name).read_bytes() if now[name][1] <= LARGEST else None for name in sorted(names)}


def files_of(top: Path) -> Files:
    """The files of a tree now, without those that Python keeps for itself."""
    found = {}
    for path in top.rglob("*"):
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
            about = path.stat()
            found[path.relative_to(top).as_posix()] = (about.st_mtime_ns, about.st_size)
    return Files(top, found)


def files_differ(want: Contents, got: Contents, precision: str) -> str:
    """The first difference between the files that two runs wrote, in words; "" for none."""
    for name in sorted({*want, *got}):
        if name not in got:
            return f"it does not write the file {name}, as the original does"
        if name not in want:
            return f"it writes the file {name}, which the original does not do"
        ours, theirs = want[name], got[name]
        if ours is not None and theirs is not None and ours != theirs and (why := _differ(ours, theirs, precision)):
            return f"the file {name}: {why}"
    return ""


def _archived(data: bytes) -> Contents:
    """The arrays in an .npz file, by their names."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            arrays = [about for about in archive.infolist() if about.filename.endswith(".npy")]
            return {about.filename: archive.read(about) if about.file_size <= LARGEST else None for about in arrays}
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
    ):  # the last two: in a way that Python does not know, or encrypted
        return {}


def _differ(want: bytes, got: bytes, precision: str) -> str:
    if (ours := _archived(want)) and (theirs := _archived(got)):
        return files_differ(ours, theirs, precision)
    try:
        left, right = Array(from_npy(want)), Array(from_npy(got))
    except ValueError:
        try:
            one, two = (COPY.sub("", text.decode()) for text in (want, got))
            return compare_output(one, two, PRINTED[precision]).reason.replace("its output", "it")
        except UnicodeDecodeError:
            return ""
    return str(Comparison(Policy(precision)).difference("array", left, right) or "")
