"""Copies of both trees: the converted one gets the names of the original, and runs change neither of the user's trees.

A package keeps its name whatever folder its conversion was written to. A single file is staged with the rest of its package or
folder.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..values.contract import Contract
from ..values.errors import ShimError
from .attributes import names_of_jax, uses_jax
from .copying import copy, counterpart, place, remove, selected

RELATIVE = re.compile(rb"^\s*from\s+\.", re.M)

Function = ast.FunctionDef | ast.AsyncFunctionDef
Sources = tuple[Function, ...]


@dataclass(frozen=True, slots=True)
class FunctionPair:
    """One function of the original: its file (relative to the staged tree) and its name inside the module."""

    file: str
    name: str
    line: int
    source: Function
    contract: Contract
    analysed: bool  # the contract comes from the analysis
    unchanged: bool = False  # the converted function is the same, except for comments and formatting
    sources: tuple[Sources, Sources] = ((), ())  # of both versions: the function, then those of its file that it calls


@dataclass(frozen=True, slots=True)
class Staged:
    """The two staged trees. `modules`: file -> (import root, module name); `errors`: file -> why it cannot be read."""

    original: Path
    converted: Path
    modules: Mapping[str, tuple[str, str]]
    files: tuple[str, ...]  # the files to compare
    prefix: str  # the position of the given tree in the staged one: "" or "pkg/sub"
    paths: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # further import paths of both
    scripts: tuple[str, ...] = ()  # files that run as programs
    tests: tuple[str, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)


def stage(original: Path, converted: Path, into: Path) -> Staged:
    """Copy both trees below `into`. Raises ShimError if a path is missing, if both are the same, or if one is a file and the other
    a folder.

    If only parts of the original were converted, the rest of both trees is the original, and only these parts are compared.
    """
    for path in (original, converted):
        if not path.exists():
            raise ShimError(f"{path}: no such file or folder")
    if original.resolve() == converted.resolve():
        raise ShimError(f"{original}: a version cannot be compared with itself")
    converted = counterpart(original.resolve(), converted.resolve())
    if original.is_dir() != converted.is_dir():
        raise ShimError(f"{original} and {converted}: compare two files or two folders")
    original, converted = original.resolve(), converted.resolve()
    top = package_top(original)
    left, right = into / "original", into / "converted"
    try:
        return _staged(original, converted, top, left, right)
    except OSError as problem:
        raise ShimError(f"{problem.filename}: cannot be copied for the comparison: {problem.strerror}") from problem


def _staged(original: Path, converted: Path, top: Path, left: Path, right: Path) -> Staged:
    relative = original.relative_to(top)
    paths: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    parts = selected(original, converted)
    if top == original or (not original.is_dir() and not _in_package(original)):
        inside = "" if original.is_dir() else original.name
        copy(original, left / inside, {converted})
        copy(original if parts else converted, right / inside, {converted if parts else original})
        if not original.is_dir():
            paths = ((str(original.parent),), (str(converted.parent), str(original.parent)))
        prefix = ""
    else:
        # Inside a package: the rest of it comes from the converted package if that is complete, else from the original.
        package = relative.parts[0]
        copy(top / package, left / package, {converted})
        twin = Path(*converted.parts[: len(converted.parts) - len(relative.parts) + 1])
        whole = not parts and converted.parts[-len(relative.parts) :] == relative.parts and (twin / "__init__.py").exists()
        copy(twin if whole else top / package, right / package, {converted})
        if not whole and not parts:
            remove(right / relative)
            copy(converted, right / relative, {original})
        prefix = relative.as_posix()
    place(parts, right / prefix)
    everything = _python_files(left)
    if not everything:
        raise ShimError(f"{original}: no Python files in this folder")
    chosen = [path for path in everything if path == prefix or path.startswith(f"{prefix}/") or not prefix]
    trees, errors = _parsed(left, chosen)
    tests = tuple(path for path in chosen if Path(path).name.startswith("test_") or Path(path).name.endswith("_test.py"))
    within = [(Path(prefix) / part).as_posix() for part in parts]
    ours = [path for path in chosen if not within or any(path == part or path.startswith(f"{part}/") for part in within)]
    compared = tuple(path for path in ours if path in trees and not _is_test(path))
    modules = {path: _module(left, path) for path in everything}
    using = reaching(ours, trees, modules)
    scripts = tuple(path for path, tree in trees.items() if path in using and path not in tests and _runs(path, tree))
    tests = tuple(path for path in tests if path in using)
    return Staged(left, right, modules, compared, prefix, paths, _chosen_scripts(scripts), tests, errors)


def pairs(staged: Staged, contracts: Mapping[tuple[str, str], Contract]) -> Iterator[FunctionPair]:
    """The functions of the original's files, in order; `contracts` by (file, name inside the module)."""
    for file in staged.files:
        here, there = functions_of(staged.original / file), functions_of(staged.converted / file)
        module, jax = staged.modules[file][1], names_of_jax(staged.converted / file)
        for name, node in here.items():
            contract = contracts.get((file, name))
            same = name in there and ast.dump(node) == ast.dump(there[name])
            same = same and not uses_jax(name, node, there, jax)
            known = contract or Contract(file, module, f"{module}.{name}")
            both = (_with_callees(name, here), _with_callees(name, there))
            yield FunctionPair(file, name, node.lineno, node, known, contract is not None, same, both)


def _with_callees(name: str, known: Mapping[str, Function]) -> Sources:
    """The function and the functions and methods of its file whose names occur in it, directly or through others."""
    by_last = {one.rpartition(".")[2]: one for one in known}
    found: dict[str, None] = {}
    waiting = [name] if name in known else []
    while waiting:
        one = waiting.pop()
        found[one] = None
        for node in ast.walk(known[one]):
            used = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if used in by_last and by_last[used] not in found:
                waiting.append(by_last[used])
    return tuple(known[one] for one in found)


def functions_of(path: Path) -> dict[str, Function]:
    """The functions of a file by their names; none if it is not there, or does not parse."""
    try:
        return dict(functions(ast.parse(path.read_bytes())))
    except (OSError, SyntaxError, ValueError):
        return {}


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """The functions and methods reachable by name, also under `if` and `try`, with their qualified names."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, Function):
            yield f"{prefix}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from functions(child, prefix)


def contracts_by_place(contracts: Sequence[Contract], staged: Staged, original: Path) -> dict[tuple[str, str], Contract]:
    """The contracts by staged file and name, whatever folder their paths are relative to."""
    by_module = {module: file for file, (_, module) in staged.modules.items()}
    found = {}
    for contract in contracts:
        file = staged_file(contract.file, staged, original) or by_module.get(contract.module, "")
        if file:
            found[file, contract.qualname] = contract
    return found


def staged_file(path: str, staged: Staged, original: Path) -> str:
    """The staged file for a path of the original, "" for none."""
    top = original.resolve()
    for candidate in (Path(path), original / path):
        full = candidate.resolve()
        inside = "" if full == top else full.relative_to(top).as_posix() if full.is_relative_to(top) else None
        if inside is None:
            continue
        file = f"{staged.prefix}/{inside}".strip("/") if staged.prefix else inside or top.name
        if file in staged.modules:
            return file
    return ""


def _parsed(top: Path, files: list[str]) -> tuple[dict[str, ast.Module], dict[str, str]]:
    trees, errors = {}, {}
    for file in files:
        try:
            trees[file] = ast.parse((top / file).read_bytes())
        except (SyntaxError, ValueError) as problem:
            errors[file] = f"it does not parse: {problem}"
    return trees, errors


def reaching(files: Sequence[str], trees: Mapping[str, ast.Module], modules: Mapping[str, tuple[str, str]]) -> set[str]:
    """The given files, and those that import one of them, directly or through others."""
    imported = {path: set(_imported(tree)) for path, tree in trees.items()}
    found, waiting = set(files), list(files)
    while waiting:
        last = modules[waiting.pop()][1].rpartition(".")[2]
        more = [path for path, names in imported.items() if last in names and path not in found]
        found.update(more)
        waiting += more
    return found


def _imported(tree: ast.Module) -> Iterator[str]:
    """All parts of the names that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in (getattr(node, "module", None) or "", *(alias.name for alias in node.names)):
                yield from name.split(".")


def _runs(file: str, tree: ast.Module) -> bool:
    """Whether the file is a program: it has an `if __name__ == "__main__"`, prints when loaded, or is a __main__.py."""
    if any(_prints(node) for node in tree.body):
        return True
    guards = (node.test for node in tree.body if isinstance(node, ast.If))
    return Path(file).name == "__main__.py" or any(
        "__name__" in ast.dump(test) and "__main__" in ast.dump(test) for test in guards
    )


def _prints(node: ast.AST) -> bool:
    """Whether a statement at module level prints; the bodies of functions and classes do not count."""
    if isinstance(node, Function | ast.ClassDef | ast.Lambda):
        return False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
        return True
    return any(map(_prints, ast.iter_child_nodes(node)))


def _chosen_scripts(scripts: tuple[str, ...]) -> tuple[str, ...]:
    """The programs to run: the main.py of a folder takes precedence over the other scripts there."""
    mains = {Path(path).parent for path in scripts if Path(path).name in ("main.py", "__main__.py")}
    return tuple(path for path in scripts if Path(path).name in ("main.py", "__main__.py") or Path(path).parent not in mains)


def _is_test(file: str) -> bool:
    name = Path(file).name
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"


def _in_package(path: Path) -> bool:
    return (path.parent / "__init__.py").exists()


def package_top(path: Path) -> Path:
    """The folder that contains the outermost package of `path`; `path` itself (or its folder) if there is none."""
    if path.is_dir() and not (path / "__init__.py").exists():
        return path
    folder = path if path.is_dir() else path.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def _module(top: Path, file: str) -> tuple[str, str]:
    """The import root (relative to `top`, "" for itself) and the dotted name of a module."""
    path = Path(file)
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    if folder != Path() and not (top / folder / "__init__.py").exists() and RELATIVE.search((top / path).read_bytes()):
        return "", ".".join(path.with_suffix("").parts)  # a package without __init__.py
    while folder != Path() and (top / folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ("" if folder == Path() else folder.as_posix()), ".".join(parts) or path.stem


def _python_files(top: Path) -> list[str]:
    return sorted(path.relative_to(top).as_posix() for path in top.rglob("*.py") if path.is_file())
