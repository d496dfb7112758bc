"""Which files may run the code of some others: those that import them, also through further files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from .import_graph import import_statements, listed

ATTRIBUTE = re.compile(rb"\.[ \t]*([A-Za-z_]\w*)")
WORD = re.compile(rb"[A-Za-z_]\w*")
DEFINES = re.compile(rb"\b(?:def|class|lambda)\b")
GLOBAL = re.compile(rb"^[ \t]+global[ \t]", re.MULTILINE)
STAR = "*"


class Module(NamedTuple):
    """A file under the name by which it is imported. `package`: the base of its relative imports. `siblings`: other names by which it
    imports files, and those in the project."""

    name: str
    package: str
    data: bytes
    siblings: tuple[tuple[str, str], ...] = ()


class _Import(NamedTuple):
    """One module that a file imports. `said`: the names that it gets from there, () where it gets the module itself."""

    module: str
    said: tuple[str, ...] = ()


def importing(modules: Sequence[Module], wanted: Iterable[str]) -> set[str]:
    """The names of the modules that are wanted, of all that may reach them, and of those that bind the variables of modules."""
    names = {module.name: module for module in modules}
    inside = defaultdict[str, list[str]](list)
    for name in names:
        inside[name.rpartition(".")[0]].append(name)
    imports = {module.name: [each for each in _imports(module) if each.module in names] for module in modules}
    only_imports = {name for name, module in names.items() if not DEFINES.search(module.data)}
    importers = defaultdict[str, list[str]](list)
    for module in modules:
        for name in _reached(module, imports, inside, only_imports):
            importers[name].append(module.name)
    found, stack = set[str](), [*wanted]
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack += importers[name]
    return found | {module.name for module in modules if GLOBAL.search(module.data)}


def _reached(
    module: Module, imports: Mapping[str, Sequence[_Import]], inside: Mapping[str, Sequence[str]], only_imports: Set[str]
) -> set[str]:
    """The modules whose code a module may run: those that it imports, and those inside of packages that it has as values. Of a module
    that only imports, as the `__init__` of a package does, those from which it gets a name that this one says."""
    stack = [each.module for each in imports[module.name]]
    found = set[str]()
    if any(name in inside or name in only_imports for name in stack):
        attributes, words = {*ATTRIBUTE.findall(module.data)}, {*WORD.findall(module.data)}
    while stack:
        name = stack.pop()
        if name in found:
            continue
        found.add(name)
        stack += [inner for inner in inside.get(name, ()) if inner.rpartition(".")[2].encode() in attributes]
        for each in imports[name] if name in only_imports else ():
            if not each.said or STAR in each.said or any(word.encode() in words for word in each.said):
                stack.append(each.module)
    return found - only_imports


def _imports(module: Module) -> list[_Import]:
    """What a file imports, as the analysis of JAX code reads it: `import a.b` gives `a`, `import a.b as c` only `a.b`, and
    `from a.b import c` both `a.b` and `a.b.c`."""
    found = []
    siblings = dict(module.siblings)

    def absolute(name: str) -> str:
        top, dot, rest = name.partition(".")
        return f"{siblings[top]}{dot}{rest}" if top in siblings else name

    for dotted, imported, plain in import_statements(module.data):
        if plain:
            for name in listed(plain):
                found += [_Import(absolute(name)), _Import(absolute(name.partition(".")[0]))]
            continue
        base = dotted.decode(errors="replace")
        level = len(base) - len(base := base.lstrip("."))
        if level:
            parts = module.package.split(".") if module.package else []
            base = ".".join([*parts[: len(parts) - level + 1], *([base] if base else [])])
        else:
            base = absolute(base)
        words = tuple(listed(imported.strip(b"() \t\n")))
        renamed = b" as " in imported
        found += [_Import(base, (STAR,) if renamed else words), *(_Import(f"{base}.{name}") for name in words)]
    return found
