"""The names by which files import others of the project: a folder on `sys.path` makes shorter ones of those in it."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from .outcome import ProjectFile
from .search_path import added_folders, is_script

LIBRARIES = frozenset({"numpy", "scipy", "jax"})


def uniquely_named(files: Sequence[ProjectFile]) -> list[ProjectFile]:
    """The files with unique module names: two folders may each contain a `main.py`."""
    seen: dict[str, int] = {}
    found = []
    for file in files:
        seen[file.module] = seen.get(file.module, 0) + 1
        found.append(file if seen[file.module] == 1 else file._replace(module=f"{file.module}@{seen[file.module]}"))
    return found


def with_siblings(files: Sequence[ProjectFile]) -> list[ProjectFile]:
    """The files with the import names of sibling scripts: `import util` in one/main.py is one/util.py, not two/util.py. So are the
    modules in the folder of a script of a package, and in folders that the project adds to `sys.path`."""
    whole = [Path(os.path.abspath(file.path)) for file in files]
    packages = {path.parent for path in whole if path.name == "__init__.py"}
    roots = []
    for path in whole:
        root = path.parent
        while root in packages:
            root = root.parent
        roots.append(root)
    added = {folder for file, path in zip(files, whole, strict=True) for folder in added_folders(file.data, path)}
    folders = {path.parent for file, path in zip(files, whole, strict=True) if path.parent in packages and is_script(file.data)}
    beside, inside = _beside(files, whole, roots), _inside(files, whole, added | folders)
    everywhere = _agreed(inside[folder] for folder in added)
    taken = {file.module.partition(".")[0] for file in files} | LIBRARIES | sys.stdlib_module_names
    found = []
    for file, path, root in zip(files, whole, roots, strict=True):
        own = _agreed([inside[path.parent]]) if path.parent in folders and is_script(file.data) else {}
        names = {name: known for name, known in {**everywhere, **own}.items() if name not in taken}
        found.append(file._replace(siblings=tuple({**names, **beside.get(root, {})}.items())))
    return found


def _beside(files: Sequence[ProjectFile], whole: Sequence[Path], roots: Sequence[Path]) -> dict[Path, dict[str, str]]:
    """For the folder of each script, or of its package: the shorter names, and those in the project."""
    found: dict[Path, dict[str, str]] = {}
    for file, path, root in zip(files, whole, roots, strict=True):
        inside = dotted(path, root)
        name = file.module.partition("@")[0]
        if file.module != inside and (name == inside or name.endswith(f".{inside}")):
            known = file.module if "." not in inside else name.removesuffix(inside.partition(".")[2]).rstrip(".")
            found.setdefault(root, {})[inside.partition(".")[0]] = known
    return found


def _inside(files: Sequence[ProjectFile], whole: Sequence[Path], folders: set[Path]) -> Mapping[Path, Mapping[str, set[str]]]:
    """For each of the folders the names by which it can be imported what is below it, and those in the project."""
    found: dict[Path, dict[str, set[str]]] = {folder: defaultdict(set) for folder in folders}
    for file, path in zip(files, whole, strict=True):
        name = file.module.partition("@")[0]
        for folder in folders.intersection(path.parents):
            inside = dotted(path, folder)
            if inside and name.endswith(f".{inside}"):
                first, _dot, rest = inside.partition(".")
                found[folder][first].add(name.removesuffix(rest).rstrip("."))
    return found


def dotted(path: Path, folder: Path) -> str:
    """The name by which a file is imported from a folder on `sys.path`."""
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _agreed(several: Iterable[Mapping[str, set[str]]]) -> dict[str, str]:
    """The names that mean one module or package."""
    found = defaultdict[str, set[str]](set)
    for names in several:
        for name, known in names.items():
            found[name] |= known
    return {name: min(known) for name, known in found.items() if len(known) == 1}
