"""The project to which the selected files belong: the other files that call them, or that they call.

A project is the nearest folder at or above a path with a pyproject.toml, setup.py or setup.cfg, else the git repository. Without
either it is a package with the scripts beside it, or the scripts of a folder that import each other.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..notebooks import contents as notebook
from .discovery import Project, is_excluded, is_foreign, module_names, of_notebook, read_bytes
from .failure import Failure
from .import_graph import related
from .outcome import ProjectFile
from .path_patterns import PathPattern

MARKERS = ("pyproject.toml", "setup.py", "setup.cfg")
MOST_FILES = 5_000  # Python files that are read for what they call
MOST_ENTRIES = 200_000  # names of files and folders that are looked at to find them
MOST_BYTES = 64 * 2**20
MOST_SCRIPTS = 1_000  # in a folder that belongs to no project


class Found(NamedTuple):
    """Python files around a path, and the folder relative to which they are named. `cut`: what a bound left out, in words."""

    files: tuple[Path, ...]
    root: Path
    cut: str = ""


def around(
    project: Project,
    paths: Sequence[Path],
    exclude: Sequence[PathPattern],
    *,
    force: bool = False,
    whole: bool = False,
) -> Project:
    """The project with the files around those that the user selected. `whole`: all of them and notebooks, as if the user had selected
    them, too; otherwise those that are connected with the selected ones by imports, of which nothing is converted."""
    known = {os.path.realpath(file.path) for file in project.files}
    others = list[Path]()
    roots: dict[Path, Path] = {}
    notes = dict[str, None]()
    found, absolute = by_root(paths), bool(paths) and all(path.is_absolute() for path in paths)
    endings = (".py", notebook.SUFFIX) if whole and notebook.installed() else (".py",)
    for root, starts in found.items():
        near = in_project(root.folder, starts, endings) if root.marked else beside(root.folder, starts)
        if near.cut:
            notes[near.cut] = None
        for path in near.files:
            real = os.path.realpath(path)
            if real not in known and not is_excluded(path, exclude, None if force else near.root):
                known.add(real)
                others.append(shown := path if absolute else _shown(path))
                roots[shown] = near.root
        for file in project.files:
            if Path(os.path.abspath(file.path)).is_relative_to(near.root):
                roots.setdefault(file.path, near.root)
    read = _read(others, notes)
    data = {path: file.data for path, file in read.items()}
    selected = {file.path: file.data for file in project.files}
    if data and not (whole and all(root.marked for root in found)):
        connected = related(selected, data, roots)
        data = {path: content for path, content in data.items() if path in connected}
    if not data:
        return project._replace(notes=tuple(notes))
    every = selected | data
    names = module_names({path: roots.get(path, path.parent) for path in every}, every)
    files = tuple(file._replace(module=names[file.path]) for file in project.files)
    around = tuple(read[path]._replace(module=names[path], selected=whole) for path in data)
    return project._replace(files=files, others=around, notes=tuple(notes))


class Root(NamedTuple):
    """The folder of a project. `marked`: a file or a repository says that it is one."""

    folder: Path
    marked: bool


def by_root(paths: Iterable[Path]) -> dict[Root, list[Path]]:
    """The folders of the given paths, by the project to which they belong; no project that is selected as a whole."""
    found: dict[Root, list[Path]] = {}
    for path in paths:
        start = Path(os.path.abspath(path if path.is_dir() else path.parent))
        found.setdefault(root_of(start), []).append(start)
    selected = {os.path.abspath(path) for path in paths if path.is_dir()}
    return {root: starts for root, starts in found.items() if str(root.folder) not in selected}


def root_of(start: Path) -> Root:
    """The project to which a folder belongs. The home folder is none because it is a repository."""
    for folder in (start, *start.parents):
        if any((folder / marker).is_file() for marker in MARKERS):
            return Root(folder, True)
        if (folder / ".git").exists() and folder != _home():
            return Root(folder, True)
        if is_foreign(folder):
            break
    folder = start
    while (folder / "__init__.py").exists() and folder != folder.parent:
        folder = folder.parent
    return Root(folder, False)


def in_project(root: Path, starts: Sequence[Path], endings: tuple[str, ...] = (".py",)) -> Found:
    """The Python files of a project, searched outwards from the given folders: a bound leaves out what is farthest away."""
    start = Path(os.path.commonpath(starts))
    files, entries, searched = list[Path](), 0, None
    for top in (start, *start.parents):
        more = list[Path]()
        for path in python_files(top, searched, endings):
            entries += 1
            if path is not None:
                more.append(path)
            if entries > MOST_ENTRIES or len(files) + len(more) > MOST_FILES:
                bound = f"{MOST_ENTRIES:,} files and folders" if entries > MOST_ENTRIES else f"{MOST_FILES:,} Python files"
                return Found(tuple(files), root, cut(root, bound, searched))
        files += more
        searched = top
        if top == root:
            break
    return Found(tuple(files), root)


def beside(root: Path, starts: Sequence[Path]) -> Found:
    """The Python files that may belong together where nothing says so: packages, the scripts beside them, and those in the two
    folders above, which may be the programs that import them."""
    files = dict[Path, None]()
    for start in starts:
        if start != root:
            inside = in_project(root / start.relative_to(root).parts[0], [start])
            files.update(dict.fromkeys(inside.files))
            if inside.cut:
                return inside._replace(root=root)
    top = root
    for folder in (root, *root.parents[:2]):
        if folder != root and folder in (_home(), Path(tempfile.gettempdir()), Path(folder.anchor)):
            break
        scripts = [child for child in _children(folder) if child.suffix == ".py" and not child.name.startswith(".")]
        if len(scripts) > MOST_SCRIPTS:
            return Found(tuple(files), root, cut(folder, f"{MOST_SCRIPTS:,} Python files", None))
        files.update(dict.fromkeys(scripts))
        top = folder if scripts else top
    return Found(tuple(files), top)


def python_files(top: Path, known: Path | None, endings: tuple[str, ...]) -> Iterator[Path | None]:
    """The files with some endings below a folder, and None for each other name; without the folder that is `known`."""
    for folder, folders, files in os.walk(top):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if here / name != known and not is_foreign(here / name))
        yield from (None for _name in folders)
        for name in sorted(files):
            yield here / name if name.endswith(endings) and not name.startswith(".") and (here / name).is_file() else None


def cut(root: Path, bound: str, searched: Path | None) -> str:
    """What to tell the user where a bound ended the search."""
    known = f"calls from outside of {_shown(searched)} are not known" if searched else "calls from other files are not known"
    return f"{_shown(root)}: has more than {bound}; {known}. Leave folders out by `exclude` in pyproject.toml"


def _read(paths: Iterable[Path], notes: dict[str, None]) -> dict[Path, ProjectFile]:
    """Files, without the names of their modules. One that cannot be read is left out: Python cannot import it either."""
    found, size = dict[Path, ProjectFile](), 0
    for path in paths:
        try:
            file = ProjectFile(path, "", read_bytes(path))
            found[path] = of_notebook(file) if path.suffix == notebook.SUFFIX else file
        except notebook.OtherLanguage:
            continue
        except Failure as error:
            notes[f"{error}; what it calls is not known"] = None
            continue
        size += len(found[path].data)
        if size > MOST_BYTES:
            notes[f"{path.parent}: more than {MOST_BYTES >> 20} MB of Python; callers in other files are not known"] = None
            return {}
    return found


def _home() -> Path:
    return Path(os.path.expanduser("~"))


def _children(folder: Path) -> Sequence[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return ()


def _shown(path: Path) -> Path:
    """A path as the user would write it: relative to the current folder."""
    try:
        return Path(os.path.relpath(path))
    except ValueError:  # another drive
        return path
