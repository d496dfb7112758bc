"""The programs of a project: files that imports connect, in whichever direction. No value gets from one program to another, so that
each is converted on its own, and a change in one changes nothing in the others."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from .import_graph import components, imports
from .outcome import Conversion, Options, ProjectFile


class Memory(Protocol):
    """Conversions of programs that are known from earlier runs."""

    def recall(self, program: Sequence[ProjectFile], options: Options) -> Conversion | None: ...

    def keep(self, program: Sequence[ProjectFile], options: Options, conversion: Conversion) -> None: ...


def programs(files: Sequence[ProjectFile]) -> list[list[ProjectFile]]:
    """The files by program, in their order, and the programs in the order of their first files. The files know their siblings."""
    anchors = {file.path: Path(Path(os.path.abspath(file.path)).anchor) for file in files}
    component = components({file.path: file.data for file in files}, anchors, by_end=True)
    leaders = {leader: leader for leader in component.values()}

    def leader(path: Path) -> Path:
        while leaders[path] != path:
            leaders[path] = path = leaders[leaders[path]]
        return path

    for one, other in _by_shorter_names(files):
        leaders[leader(component[one])] = leader(component[other])
    found = defaultdict[Path, list[ProjectFile]](list)
    for file in files:
        found[leader(component[file.path])].append(file)
    return list(found.values())


def _by_shorter_names(files: Sequence[ProjectFile]) -> Iterator[tuple[Path, Path]]:
    """Files with the modules that they import by shorter names than those in the project."""
    paths = {file.module: file.path for file in files}
    for file in files:
        longer = dict(file.siblings)
        for name in imports(file.data, file.path, file.path) if longer else ():  # no relative ones: these have no other names
            if name and name[0] in longer:
                known = longer[name[0]]
                for part in ("", *name[1:]):
                    known = f"{known}.{part}" if part else known
                    if known in paths:
                        yield file.path, paths[known]
