"""Run both versions and demote functions: those that differ, first to no jit, then to NumPy; those that are slower, to NumPy."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..files.copy_writer import copy_tree
from ..project.discovery import Project
from ..project.driver import analyse
from ..project.outcome import Conversion, Options
from .reports.document import CLAIMS, refutation


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of running both versions.

    The functions that agree, those that differ (and why), programs that differ as a whole, and the report as plain data.
    """

    agree: frozenset[str] = frozenset()
    differ: Mapping[str, str] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    report: Mapping[str, Any] = field(default_factory=dict)


class Compare(Protocol):
    """Runs and compares the functions of two trees (two folders or two files)."""

    def __call__(self, original: Path, converted: Path, conversion: Conversion, precision: str) -> Verdict: ...


class Measure(Protocol):
    """Times some functions of two trees. Returns those that are not faster when converted, and the times in words."""

    def __call__(
        self, original: Path, converted: Path, conversion: Conversion, precision: str, only: frozenset[str]
    ) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class Demoted:
    """The conversion after demotion. `left`: functions that differ although left as NumPy, and programs that differ."""

    conversion: Conversion
    options: Options
    report: Mapping[str, Any]
    left: tuple[str, ...]


def demote_differing(
    paths: Sequence[Path], project: Project, options: Options, conversion: Conversion, compare: Compare
) -> Demoted:
    """Compare and demote until nothing differs. Functions that agree are labelled "checked"."""
    while True:
        verdict = _compared(paths, conversion, options.precision, compare)
        demoted = demote(options, conversion, to_blame(verdict.differ, project))
        if demoted == options:
            left = (*sorted(verdict.differ), *verdict.programs)
            return Demoted(labelled(conversion, verdict), options, verdict.report, left)
        options = demoted
        conversion = with_times(analyse(project, options), options)


def demote_slower(
    paths: Sequence[Path], project: Project, options: Options, conversion: Conversion, measure: Measure
) -> tuple[Options, Conversion]:
    """Measure, and leave as NumPy what is not faster. What is converted in another way after that is measured, too."""
    measured = frozenset[tuple[str, str]]()
    while True:
        converted = frozenset((f.name, f.transform) for f in conversion.functions if f.transform not in ("", "both"))
        only = frozenset(name for name, _ in converted - measured)
        measured |= converted
        slower: dict[str, str] = {}
        if only:
            for original, copy in copies(paths, conversion):
                slower |= measure(original, copy, conversion, options.precision, only)
        if not slower:
            return options, conversion
        options = leave_slower(options, conversion, slower)
        conversion = with_times(analyse(project, options), options)


def leave_slower(options: Options, conversion: Conversion, slower: Mapping[str, str]) -> Options:
    """The options with functions left uncompiled: those whose loops are outlined keep the loops, too."""
    outlined = {function.name for function in conversion.functions if function.transform == "outlined"}
    known = tuple(sorted({**dict(options.slower), **slower}.items()))
    return options._replace(slower=known, unjitted=options.unjitted | (outlined & slower.keys()))


def with_times(conversion: Conversion, options: Options) -> Conversion:
    """The conversion with the measured times as the reason why functions stay NumPy."""
    times = dict(options.slower)
    functions = (
        function._replace(reason=times[function.name]) if function.label == "host" and function.name in times else function
        for function in conversion.functions
    )
    return conversion._replace(functions=tuple(functions))


def demote(options: Options, conversion: Conversion, differ: Mapping[str, str]) -> Options:
    """The options with each differing function demoted: to no jit, or, if it was not jitted, to NumPy."""
    transforms = {function.name: function.transform for function in conversion.functions if function.transform}
    unjit = {name for name in differ if "jit" in transforms.get(name, "") and name not in options.unjitted}
    kept = {name: f"differs when run: {why}" for name, why in differ.items() if name in transforms and name not in unjit}
    return options._replace(kept=tuple(sorted({**kept, **dict(options.kept)}.items())), unjitted=options.unjitted | unjit)


def to_blame(differ: Mapping[str, str], project: Project) -> dict[str, str]:
    """The differing functions that use no other differing function: the others may differ only because of what they call.

    All of them, if each uses another.
    """
    words = mentioned(project)
    called = {name: name.split(".")[-2] if name.endswith(".__init__") else name.rpartition(".")[2] for name in differ}
    first = {
        name: why
        for name, why in differ.items()
        if not any(called[other] in words.get(name, ()) for other in differ if other != name)
    }
    return first or dict(differ)


def mentioned(project: Project) -> dict[str, set[str]]:
    """The names and attributes that each function mentions, by its qualified name."""
    found: dict[str, set[str]] = {}

    def look(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = f"{prefix}.{getattr(child, 'name', '')}"
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = list(ast.walk(child))
                found[name] = {node.id for node in inner if isinstance(node, ast.Name)}
                found[name] |= {node.attr for node in inner if isinstance(node, ast.Attribute)}
            elif isinstance(child, ast.stmt):
                look(child, name if isinstance(child, ast.ClassDef) else prefix)

    for file in project.files:
        with suppress(SyntaxError, ValueError):  # a file that does not parse is not converted, so it cannot differ
            look(ast.parse(file.data), file.module)
    return found


def labelled(conversion: Conversion, verdict: Verdict) -> Conversion:
    """The conversion with the functions that agree labelled "checked", and those that differ nevertheless "refuted"."""
    functions = []
    for function in conversion.functions:
        if function.label in CLAIMS and function.name in verdict.differ:
            label, why = refutation(function.label)
            function = function._replace(label=label, reason=why)
        elif function.label in CLAIMS and function.name in verdict.agree:
            function = function._replace(label="checked")
        functions.append(function)
    return conversion._replace(functions=tuple(functions))


def _compared(paths: Sequence[Path], conversion: Conversion, precision: str, compare: Compare) -> Verdict:
    """Compare a copy of the result before anything is written."""
    verdicts = [compare(original, copy, conversion, precision) for original, copy in copies(paths, conversion)]
    return Verdict(
        frozenset().union(*(verdict.agree for verdict in verdicts)),
        {name: why for verdict in verdicts for name, why in verdict.differ.items()},
        tuple(program for verdict in verdicts for program in verdict.programs),
        verdicts[0].report if len(verdicts) == 1 else {"paths": [dict(verdict.report) for verdict in verdicts]},
    )


def copies(paths: Sequence[Path], conversion: Conversion) -> Iterator[tuple[Path, Path]]:
    """Each of the paths, with a converted copy of it that lies in a temporary folder."""
    contents = {outcome.path: outcome.data for outcome in conversion.files if outcome.data is not None}
    import tempfile  # only when needed: most conversions run nothing

    with tempfile.TemporaryDirectory(prefix="np2jax-") as folder:
        for number, path in enumerate(paths):
            whole = path.resolve()
            location = Path(folder, str(number))
            copy_tree([path], location / whole.name if path.is_dir() else location, contents)
            yield whole, location / whole.name
