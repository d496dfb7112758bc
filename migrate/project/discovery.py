"""The files that make up the project, and the name under which each is imported."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ..notebooks import contents as notebook
from .failure import Failure
from .outcome import ProjectFile
from .path_patterns import PathPattern

# Never searched: these folders contain no code of the project itself.
FOREIGN = frozenset({"node_modules", "__pycache__", "__pypackages__", "site-packages"})
BUILT = frozenset({"build", "dist"})  # not searched unless it is a package
NEEDS_NBFORMAT = "notebooks need nbformat; install it with: pip install 'np2jax[notebook]'"
MARKER = ".np2jax.json"  # in a converted copy
DEFINITION = re.compile(r"^def[ \t]+(\w+)", re.MULTILINE)
IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


class Project(NamedTuple):
    """The result of discovery: Python files and notebooks sorted by path. `notebooks`: those that cannot be read for want of nbformat."""

    files: tuple[ProjectFile, ...]
    notebooks: tuple[Path, ...] = ()
    others: tuple[ProjectFile, ...] = ()  # files of the same project that the user did not select: see surroundings
    notes: tuple[str, ...] = ()  # what is not known of them, for the user

    @property
    def every(self) -> tuple[ProjectFile, ...]:
        """All files that are analysed together, in the order in which a conversion of the whole project has them."""
        if not self.others:
            return self.files
        return tuple(sorted((*self.files, *self.others), key=lambda file: Path(os.path.abspath(file.path))))


def discover(
    paths: Sequence[Path],
    exclude: Sequence[PathPattern] = (),
    *,
    force: bool = False,
    given: Mapping[Path, bytes] = MappingProxyType({}),
) -> Project:
    """Find the Python files among the given files and folders and read them. `given`: the content of those that are not to be read.

    A path named in `paths` is included even if a pattern in `exclude` matches it, unless `force`. Raises Failure for a path that does not exist, a folder without
    Python files, a file that cannot be opened, and a notebook if nbformat is not installed.
    """
    roots: dict[Path, Path] = {}
    notebooks: list[Path] = []
    for path in paths:
        if path not in given and not os.path.lexists(path):
            raise Failure(f"{path}: no such file or folder")
        if path.is_dir():
            found = [child for child in walk(path) if child.suffix in {".py", notebook.SUFFIX}]
            if not any(child.suffix == ".py" or notebook.installed() for child in found):
                raise Failure(f"{path}: no Python files in this folder")
            found = [child for child in found if not is_excluded(child, exclude, None if force else path)]
            if not notebook.installed():
                notebooks += [child for child in found if child.suffix == notebook.SUFFIX]
                found = [child for child in found if child.suffix == ".py"]
            roots.update((child, path) for child in found if child not in roots)
        elif path.suffix == notebook.SUFFIX and not notebook.installed():
            raise Failure(f"{path}: {NEEDS_NBFORMAT}")
        elif path not in given and not path.is_file():
            raise Failure(f"{path}: neither a file nor a folder")
        elif not (force and is_excluded(path, exclude, None)):
            roots.setdefault(path, path.parent)
    once: dict[str, Path] = {}
    for path in sorted(roots, key=lambda path: (path.is_symlink(), path)):
        once.setdefault(os.path.realpath(path), path)
    data = {path: given[path] if path in given else read_bytes(path) for path in sorted(once.values())}
    files = {path: ProjectFile(path, "", content) for path, content in data.items()}
    for path in [path for path in files if path.suffix == notebook.SUFFIX]:
        try:
            files[path] = of_notebook(files[path])
        except notebook.OtherLanguage as error:
            if path in paths:
                raise Failure(f"{path}: {error}") from error
            del files[path]
    names = module_names({path: roots[path] for path in files}, {path: file.data for path, file in files.items()})
    return Project(tuple(file._replace(module=names[path]) for path, file in files.items()), tuple(notebooks))


def of_notebook(file: ProjectFile) -> ProjectFile:
    """The code cells of a notebook in place of its content, or why they cannot be read. Raises OtherLanguage for one of R, say."""
    try:
        code = notebook.code(file.data)
        defined = {name for name in DEFINITION.findall(code.text) if name in code.words}
        return file._replace(data=code.text.encode(), notebook=file.data, public=tuple(sorted(defined)))
    except notebook.OtherLanguage:
        raise
    except notebook.NotebookError as error:
        return file._replace(data=b"", notebook=file.data, error=f"{file.path}: {error}")


def walk(root: Path) -> Iterator[Path]:
    """Every file below a folder that may belong to the project. Links to folders are not followed, so links cannot form a cycle.

    Raises Failure for a folder that cannot be opened.
    """
    for folder, folders, files in os.walk(root, onerror=_cannot_open):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not is_foreign(here / name))
        for name in sorted(files):
            path = here / name
            if not name.startswith(".") and path.is_file():
                yield path


def is_foreign(folder: Path) -> bool:
    """Whether a folder contains no code of the project itself: hidden folders, virtual environments, built or installed files, and
    converted copies."""
    name = folder.name
    if name.startswith(".") or name in FOREIGN or (folder / "pyvenv.cfg").exists() or (folder / MARKER).exists():
        return True
    return name in BUILT and not (folder / "__init__.py").exists()


def is_excluded(path: Path, patterns: Sequence[PathPattern], root: Path | None) -> bool:
    """Whether a pattern excludes a path, or one of its parent folders below `root`; without a root, any of them."""
    if not patterns:
        return False
    absolute = Path(os.path.abspath(path))
    start = Path(os.path.abspath(root)) if root else Path(absolute.anchor)
    outside = root is not None
    matched = any(pattern.matches(absolute, outside=outside) for pattern in patterns)
    return absolute != start and (matched or _is_folder_excluded(absolute.parent, tuple(patterns), start, outside))


@lru_cache(4096)
def _is_folder_excluded(folder: Path, patterns: tuple[PathPattern, ...], start: Path, outside: bool) -> bool:
    """The same for a folder and those around it, up to `start`: a project has many files in each."""
    if folder == start:
        return False
    if any(pattern.matches(folder, outside=outside) for pattern in patterns):
        return True
    return folder != folder.parent and _is_folder_excluded(folder.parent, patterns, start, outside)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file. Raises Failure if it cannot be opened."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"{path}: cannot be read ({error.strerror})") from error


def module_names(roots: Mapping[Path, Path], data: Mapping[Path, bytes]) -> dict[Path, str]:
    """The name under which each file is imported; names are unique. `roots`: for each file the folder on the command line.

    A file in a package is named relative to the parent of the topmost folder with an __init__.py. Any other file is named
    relative to the folder on the command line, or to its own folder if another file there imports it by its bare name, as
    scripts do. Files that would share a name are named relative to the folder on the command line ("one.main", "two.main").
    """
    whole = {path: Path(os.path.abspath(path)) for path in roots}
    given = {path: Path(os.path.abspath(root)) for path, root in roots.items()}

    @cache
    def is_package(folder: Path) -> bool:
        return (folder / "__init__.py").exists()

    importable = {(path.parent, path.stem) for path in whole.values()}
    scripts = {
        whole[path].parent
        for path, content in data.items()
        if any((whole[path].parent, name.decode()) in importable for name in IMPORT.findall(content))
    }

    def top(path: Path) -> Path:
        folder = whole[path].parent
        if not is_package(folder):
            return folder if folder in scripts else given[path]
        while is_package(folder) and folder != folder.parent:
            folder = folder.parent
        return folder

    names = {path: _dotted(whole[path], top(path)) for path in roots}
    owners: dict[str, set[Path]] = {}
    for path, name in names.items():
        owners.setdefault(name.partition(".")[0], set()).add(top(path))
    names = {  # the whole package, even if only one of its modules has a conflicting name
        path: name if len(owners[name.partition(".")[0]]) == 1 else _dotted(whole[path], given[path])
        for path, name in names.items()
    }
    for longer in ({path: _dotted(whole[path], given[path]) for path in roots}, {path: _dotted(whole[path]) for path in roots}):
        count = Counter(names.values())
        names = {path: name if count[name] == 1 else longer[path] for path, name in names.items()}
    return names


def _dotted(path: Path, root: Path | None = None) -> str:
    inside = path.relative_to(root or path.anchor)
    # No module is called like a notebook: nothing can import one.
    inside = inside.with_suffix("") if path.suffix != notebook.SUFFIX else inside.with_name(f"{path.stem}_ipynb")
    parts = inside.parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _cannot_open(error: OSError) -> None:
    raise Failure(f"{error.filename}: cannot be opened ({error.strerror})") from error
