"""The modules with which a program starts, where float64 is enabled."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from ..summaries.units import ModuleSummary
from ..syntax.file_syntax import syntax_of
from .outcome import ProjectFile

LIBRARIES = ("numpy", "scipy", "jax")


def entry_points(files: Sequence[ProjectFile], summaries: Mapping[str, ModuleSummary], left: Collection[str]) -> frozenset[str]:
    """The modules with which a program starts: top-level packages, scripts, and modules that no other module imports. Only those
    that import a converted module: none of those in `left`. Nothing is written into tests and into files that were not selected: what
    these import is where the converted program starts."""
    unchanged = {s.name for s in summaries.values() if s.text.unchanged}
    by_unchanged, imported = (
        {name for s in summaries.values() if (s.name in unchanged) is stays for name in targets(s)} for stays in (True, False)
    )

    def is_among(module: str, names: Collection[str]) -> bool:
        return any(name == module or name.startswith(module + ".") for name in names)

    converted = {
        s.name for s in summaries.values() if s.name not in left and any(i.partition(".")[0] == "numpy" for i in s.imports)
    }
    apart, shorter = outside_packages(summaries), {f.module: by_shorter_names(f) for f in files}
    short = {
        name: {t for t in targets(summaries[name]) if under(t, known)} for name, known in shorter.items() if name in summaries
    }
    shortly = {module for found in (*apart.values(), *short.values()) for module in found}
    found = set()
    packages = {f.module for f in files if f.path.name == "__init__.py" and f.module not in unchanged}
    for file in files:
        if file.module not in summaries or file.module in unchanged:
            continue
        top = file.module.partition(".")[0]
        if top in packages:
            summary = summaries[file.module]
            own = any(under(i, (top,)) for i in summary.imports - short[file.module])
            if (
                file.module == top
                or ((summary.text.script or short[file.module]) and not own)  # one that imports its package has run its __init__
                or (file.module in converted and is_among(file.module, shortly))
            ):
                found.add(file.module)
        elif (
            summaries[file.module].text.script
            or not is_among(file.module, imported)
            or (by_unchanged and is_among(file.module, by_unchanged))
        ):
            found.add(file.module)
    tops = {c.partition(".")[0] for c in converted} & packages
    return frozenset(f for f in found if f in converted or f in tops or reaches(f, summaries, converted, apart))


def by_shorter_names(file: ProjectFile) -> tuple[str, ...]:
    """The modules that a file imports by a shorter name than that in the project; a relative import is no shorter name."""
    imported = syntax_of(file.data).imported if file.siblings else frozenset[str]()
    return tuple(known for name, known in file.siblings if name in imported)


def under(dotted: str, packages: Collection[str]) -> bool:
    """Whether a name is one of the packages or modules, or of something in them."""
    return any(dotted == package or dotted.startswith(package + ".") for package in packages)


def reaches(name: str, summaries: Mapping[str, ModuleSummary], required: set[str], apart: Mapping[str, Collection[str]]) -> bool:
    """Whether a module imports one of the `required` modules, directly or indirectly."""
    seen, work = {name}, [name]
    while work:
        at = work.pop()
        if at in required:
            return True
        for target in (*targets(summaries[at]), *apart.get(at, ())):
            while target and target not in summaries:
                target = target.rpartition(".")[0]
            if target and target not in seen:
                seen.add(target)
                work.append(target)
    return False


def outside_packages(summaries: Mapping[str, ModuleSummary]) -> dict[str, set[str]]:
    """The modules that each module imports by the end of their names: `from solver import run` of pkg/tools/solver.py, whose folder
    is on `sys.path`. Then no `__init__` of pkg has run."""
    by_end = defaultdict[str, set[str]](set)
    for name in summaries:
        parts = name.partition("@")[0].split(".")
        for start in range(1, len(parts)):
            by_end[".".join(parts[start:])].add(name)
    found = defaultdict[str, set[str]](set)
    for summary in summaries.values():
        for dotted in targets(summary):
            root = dotted.partition(".")[0]
            if root in LIBRARIES or root in sys.stdlib_module_names:
                continue
            end = dotted
            while end and end not in by_end and end not in summaries:
                end = end.rpartition(".")[0]
            if end not in summaries:
                found[summary.name] |= by_end.get(end, set())
    return dict(found)


def targets(summary: ModuleSummary) -> tuple[str, ...]:
    """The dotted names that a module imports."""
    return (*summary.imports, *(target for _name, target in summary.exports))
