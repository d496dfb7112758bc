"""Which files are connected by imports, judged by their text, before any is parsed."""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from ..syntax.file_syntax import MOST, syntax_of

IMPORT = re.compile(
    rb"(?:^(?:\xef\xbb\xbf)?|[;:])[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n#;]*)|import[ \t]+([^\n#;]+))",
    re.MULTILINE,
)
KNOWN = {*sys.stdlib_module_names, "numpy", "scipy", "jax"}
CONTINUED = re.compile(rb"\\\r?\n")
ARRAYS = ("numpy", "jax", "autograd")
CALL = re.compile(rb"\b(?:import_module|__import__|importorskip)\(\s*[\"'](\w+)")


def near_arrays(data: Mapping[Path, bytes]) -> set[Path]:
    """The files that import NumPy or JAX, and those that imports connect with one that does: no array gets to the others."""
    return set(array_programs(data))


def array_programs(data: Mapping[Path, bytes]) -> dict[Path, Path]:
    """The same, each with a file that stands for all that imports connect with it."""
    using = [path for path, content in data.items() if imports_any(content, ARRAYS)]
    if not using:
        return {}
    component = components(data, {path: Path(Path(os.path.abspath(path)).anchor) for path in data})
    reached = {component[path] for path in using}
    return {path: leader for path, leader in component.items() if leader in reached}


def imports_any(content: bytes, libraries: Collection[str]) -> bool:
    """Whether a file may import one of some libraries, itself or by a call. Examples in its documentation do not count."""
    if not any(name.encode() in content for name in libraries):
        return False
    if any(name.decode() in libraries for name in CALL.findall(content)):
        return True
    syntax = syntax_of(content)
    return not syntax.valid or not syntax.imported.isdisjoint(libraries)


def related(selected: Mapping[Path, bytes], others: Mapping[Path, bytes], roots: Mapping[Path, Path]) -> set[Path]:
    """The files among the `others` that imports connect with a selected one, in whichever direction, also through further files.
    `roots`: the folder of its project for each file."""
    component = components({**selected, **others}, roots)
    reached = {component[path] for path in selected}
    return {path for path in others if component[path] in reached}


def components(data: Mapping[Path, bytes], roots: Mapping[Path, Path], *, by_end: bool = False) -> dict[Path, Path]:
    """For each file one that stands for all that imports connect with it, in whichever direction.

    `roots`: see `related`. A package is connected with its modules, since importing these runs it. `by_end`: what is not found under its
    name may be any file whose place ends so, since its folder may be on `sys.path`.
    """
    whole = {path: Path(os.path.abspath(path)) for path in data}
    packages = {path.parent for path in whole.values() if path.name == "__init__.py"}
    tops = {path: _top(roots.get(path, whole[path].parent), packages) for path in data}
    endings: dict[tuple[str, ...], list[Path]] = defaultdict(list)
    for path in data:
        for name in names(whole[path], tops[path], packages):
            endings[name].append(path)
    ends: dict[tuple[str, ...], list[Path]] = defaultdict(list)
    for path in data if by_end else ():
        parts = (whole[path].parent if path.name == "__init__.py" else whole[path].with_suffix("")).parts
        for start in range(1, len(parts)):
            ends[parts[start:]].append(path)
    leaders = {path: path for path in data}

    def leader(path: Path) -> Path:
        while leaders[path] != path:
            leaders[path] = path = leaders[leaders[path]]
        return path

    inside = {whole[path]: path for path in data}
    for path, content in data.items():
        package = inside.get(whole[path].parent / "__init__.py")
        if package == path:
            package = inside.get(whole[path].parent.parent / "__init__.py")
        found = {package} if package is not None else set()
        for name in imports(content, whole[path], _top(whole[path].parent, packages)):
            meant = {other for length in range(1, len(name) + 1) for other in endings.get(name[:length], ())}
            if not meant and by_end and name and name[0] not in KNOWN:
                meant = {other for length in range(1, len(name) + 1) for other in ends.get(name[:length], ())}
            found |= meant
        for other in found:
            leaders[leader(other)] = leader(path)
    return {path: leader(path) for path in data}


def names(path: Path, root: Path, packages: Collection[Path]) -> Iterator[tuple[str, ...]]:
    """The dotted names under which a file may be imported: relative to any folder below the root that is in no package."""
    parts = path.with_suffix("").parts
    folder = path.parent
    if path.name == "__init__.py":
        parts, folder = parts[:-1], folder.parent
    length = 1
    while length <= len(parts):
        if folder not in packages:
            yield parts[-length:]
        if folder == root or folder == folder.parent:
            return
        folder, length = folder.parent, length + 1


def imports(content: bytes, path: Path, top: Path) -> Iterator[tuple[str, ...]]:
    """The dotted names that a file may import; each name after `from ... import` may be a module. `top`: the folder that contains
    its topmost package."""
    for module, imported, plain in import_statements(content):
        if plain:
            for name in listed(plain):
                yield tuple(name.split("."))
            continue
        dotted = module.decode(errors="replace")
        level = len(dotted) - len(dotted.lstrip("."))
        base = tuple(part for part in dotted.split(".") if part)
        if level:
            folder = path.parents[min(level, len(path.parents)) - 1]
            if not folder.is_relative_to(top):
                continue
            base = (*folder.relative_to(top).parts, *base)
        yield base
        for name in listed(imported.strip(b"() \t\n")):
            yield (*base, name)


@lru_cache(maxsize=MOST)
def import_statements(content: bytes) -> list[tuple[bytes, bytes, bytes]]:
    """The module and the names after `from`, and what is after `import` alone: several passes of a lint ask for it."""
    return IMPORT.findall(CONTINUED.sub(b" ", content))


def listed(names: bytes) -> Iterator[str]:
    for part in names.decode(errors="replace").split(","):
        if words := re.sub(r"#.*", "", part).split():
            yield words[0]


def _top(folder: Path, packages: Collection[Path]) -> Path:
    """The folder that contains the topmost package to which a folder belongs; the folder itself if it is no package."""
    while folder in packages and folder != folder.parent:
        folder = folder.parent
    return folder
