"""The findings for a project: those of the conversion in NumPy code, those of the rules for JAX in code that is JAX already."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ...rules.core.lint_rules import lint_rules
from ..syntax.file_text import is_test, sets_precision
from ..tracing.linter import JaxSource, chosen, imports_jax
from ..tracing.linter import findings as findings_in_jax
from . import garbage_collection
from .discovery import Project
from .driver import analyse
from .import_graph import ARRAYS, array_programs, components, imports_any
from .import_names import with_siblings
from .importers import Module, importing
from .outcome import Conversion, Options, ProjectFile
from .processes import balanced, in_processes
from .programs import Memory

LIBRARIES = (*ARRAYS, "pandas", "polars", "scipy", "sklearn", "xarray")  # what gives NumPy arrays


class ByLibrary(NamedTuple):
    """A project from two sides: with the files in which NumPy is to become JAX, and with those that are JAX already."""

    numpy: Project
    jax: Project


def by_library(project: Project, options: Options) -> ByLibrary:
    """In a file that imports JAX, NumPy is the library of the host by choice, and so it is in the other files of a program that the
    conversion leaves alone: see `in_32_bits`. For what is converted these are files that were not selected, unless the options select
    rules of the conversion."""
    host = set[Path]()
    if not _selected(options):
        host = {file.path for file in project.files if imports_jax(file.data)}
        if options.precision == "float64":
            host |= in_32_bits(project.every)
    jax = tuple(file for file in project.files if file.path in host)
    left = tuple(file._replace(selected=False) for file in jax)
    numpy = project._replace(
        files=tuple(file for file in project.files if file.path not in host), others=(*project.others, *left)
    )
    return ByLibrary(numpy, project._replace(files=jax, others=()))


def in_32_bits(files: Sequence[ProjectFile]) -> set[Path]:
    """The files of programs that run JAX with 32 bits, and would get other numbers from converted code: the conversion, which sees
    more than the text, leaves these alone, too. A program is a package, or the files that import each other."""
    running = [file for file in files if _runs_jax(file)]
    if not running:
        return set()
    data = {file.path: file.data for file in files}
    component = components(data, {path: Path(Path(os.path.abspath(path)).anchor) for path in data})

    def programs(found: Iterable[ProjectFile]) -> set[Path | str]:
        return {part for file in found for part in (component[file.path], _package(file))}

    wide = [file for file in files if not is_test(str(file.path)) and sets_precision(file.data.decode(errors="replace"))]
    narrow = programs(running) - programs(wide)
    return {file.path for file in files if not narrow.isdisjoint(programs([file]))}


def _package(file: ProjectFile) -> str:
    return file.module.partition(".")[0]


def analyse_for_lint(
    project: Project,
    options: Options,
    *,
    comments: bool = True,
    wanted: Collection[Path] | None = None,
    memory: Memory | None = None,
) -> Conversion:
    """Convert the NumPy code in memory, and lint the JAX code. `comments`: find those that silence nothing with either placement.
    `wanted`, `memory`: see `pipeline.convert_files`; other files have no outcome."""
    options = options._replace(writes=False)
    numpy, jax = by_library(project, options)
    found, seen = jax_findings(project.files, options, wanted), to_convert(numpy, options)
    if wanted is not None:
        rest = tuple(file for file in numpy.files if file.path not in wanted)
        numpy = numpy._replace(files=tuple(f for f in numpy.files if f.path in wanted), others=(*numpy.others, *rest))
        jax = jax._replace(files=tuple(file for file in jax.files if file.path in wanted))
    conversion = analyse(numpy, options, found, seen=seen, memory=memory)
    files = conversion.files
    if comments and seen and any(file.unused for file in files):
        other = options._replace(placement="fast" if options.placement == "device" else "device")
        unused = {item for file in analyse(numpy, other, found, seen=seen, memory=memory).files for item in file.unused}
        files = tuple(file._replace(unused=tuple(item for item in file.unused if item in unused)) for file in files)
    files = (*files, *analyse(jax, options, found, seen=()).files)
    return conversion._replace(files=tuple(sorted(files, key=lambda outcome: outcome.path)))


def to_convert(project: Project, options: Options) -> set[Path]:
    """The files that the conversion reads, to say what is to change in some of them: `project` is as `by_library` makes it.

    A program of JAX in which NumPy is a choice wherever it is imported has nothing to convert. What its other files do with arrays, they
    do for JAX code.
    """
    if not (converts(options) and project.files):
        return set()
    program = array_programs({file.path: file.data for file in project.every})
    if _selected(options):
        return set(program)
    of_jax = {program[file.path] for file in project.others if file.path in program and _runs_jax(file)}
    of_numpy = {
        program[file.path]
        for file in project.files
        if file.path in program and not is_test(str(file.path)) and imports_any(file.data, LIBRARIES)
    }
    return {path for path, leader in program.items() if leader in of_numpy or leader not in of_jax}


def _runs_jax(file: ProjectFile) -> bool:
    return imports_jax(file.data) and not is_test(str(file.path))


def jax_findings(
    files: Sequence[ProjectFile], options: Options, wanted: Collection[Path] | None = None
) -> dict[str, list[Diagnostic]]:
    """The findings of the rules for JAX code by path. `wanted`: the files of which they are asked for, None for all."""
    if not chosen(options.select, options.ignore, options.extend) or not any(imports_jax(file.data) for file in files):
        return {}
    sources = [
        JaxSource(str(file.path), file.module, file.path.name == "__init__.py", file.data, siblings=file.siblings)
        for file in with_siblings(files)
    ]
    jax = [source for source in sources if imports_jax(source.data)]
    precise = any(b"x64" in source.data or b"X64" in source.data for source in jax)
    roots = {source.path for source in jax}
    if wanted is not None and len(wanted) < len(files):
        asked = {str(path) for path in wanted}
        modules = [Module(source.module, source.package, source.data, source.siblings) for source in sources]
        reaching = importing(modules, (source.module for source in sources if source.path in asked))
        sources = [source._replace(is_imported=source.module not in reaching) for source in sources]
        roots = {source.path for source in sources if source.path in roots and not source.is_imported}
    parts = [sources]
    if options.jobs != 1 and len(roots) > 1:
        parts = _parts(sources, roots, options.jobs)
    sizes = [sum(len(source.data) for source in part if source.path in roots) for part in parts]
    found = in_processes(partial(_program_findings, roots=roots, options=options, precise=precise), parts, sizes, options.jobs)
    return {path: diagnostics for each in found for path, diagnostics in each.items()}


def _program_findings(
    sources: Sequence[JaxSource], *, roots: Collection[str], options: Options, precise: bool
) -> dict[str, list[Diagnostic]]:
    """The findings in some programs of a project. `roots`: the files that are read whether or not others import them."""
    rules = chosen(options.select, options.ignore, options.extend)
    jax = [source for source in sources if source.path in roots]
    others = [source for source in sources if source.path not in roots]
    with garbage_collection.paused():  # syntax trees and values live until the end
        return findings_in_jax(jax, rules, others, options.target_jax, precise=precise)


def _parts(sources: Sequence[JaxSource], roots: Collection[str], jobs: int) -> list[list[JaxSource]]:
    """The files in parts between which there are no imports; each keeps their order."""
    data = {Path(source.path): source.data for source in sources}
    component = components(data, {path: Path(Path(os.path.abspath(path)).anchor) for path in data})
    sizes = Counter[Path]()
    for source in sources:
        sizes[component[Path(source.path)]] += len(source.data) if source.path in roots else 0
    parts = balanced([(leader, size) for leader, size in sizes.items() if size], jobs)
    place = {leader: number for number, part in enumerate(parts) for leader in part}
    found: list[list[JaxSource]] = [[] for _ in parts]
    for source in sources:
        if (leader := component[Path(source.path)]) in place:
            found[place[leader]].append(source)
    return found


def converts(options: Options) -> bool:
    """Whether rules of the conversion may run: not if only rules for JAX code are selected."""
    return bool(_selected(options) or not options.select)


def _selected(options: Options) -> list[str]:
    """The rules of the conversion that the options select."""
    return [code for code in options.select if code not in lint_rules()]
