"""Run both versions and demote what differs, until nothing does: first without jit, then kept as it was."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from .discover import Project
from .outcome import Conversion, Options
from .output import copy_tree
from .run import analyse


@dataclass(frozen=True, slots=True)
class Verdict:
    """What running both versions said: the functions that agree, those that differ (and why), those that differ only when
    jitted, and the report as plain data."""

    agree: frozenset[str] = frozenset()
    differ: Mapping[str, str] = field(default_factory=dict)
    differ_jitted: Mapping[str, str] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)


class Compare(Protocol):
    """Runs the functions of two trees (two folders or two files) and compares."""

    def __call__(self, original: Path, converted: Path, conversion: Conversion) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Settled:
    """The conversion in which nothing differs any more; `left`: functions that differ although they are kept."""

    conversion: Conversion
    options: Options
    report: Mapping[str, Any]
    left: tuple[str, ...]


def settle(paths: Sequence[Path], project: Project, options: Options, conversion: Conversion, compare: Compare) -> Settled:
    """Compare and demote until nothing differs. Functions that agree are labelled "checked"."""
    while True:
        verdict = _compared(paths, project, conversion, compare)
        demoted = demote(options, verdict)
        if demoted == options:
            left = tuple(sorted({*verdict.differ, *verdict.differ_jitted}))
            return Settled(checked(conversion, verdict.agree), options, verdict.report, left)
        options = demoted
        conversion = analyse(project, options)


def demote(options: Options, verdict: Verdict) -> Options:
    """The options under which what differs is not jitted any more or, if that was not the reason, kept as it was."""
    kept = dict(options.kept)
    again = {name: why for name, why in verdict.differ_jitted.items() if name in options.unjitted}
    kept.update((name, why) for name, why in {**again, **verdict.differ}.items() if name not in kept)
    unjitted = options.unjitted | set(verdict.differ_jitted)
    return replace(options, kept=tuple(sorted(kept.items())), unjitted=unjitted)


def checked(conversion: Conversion, agree: frozenset[str]) -> Conversion:
    """The same conversion, with what was seen to agree labelled so."""
    functions = (
        replace(function, label="checked") if function.name in agree and function.label in {"proved", "guessed"} else function
        for function in conversion.functions
    )
    return replace(conversion, functions=tuple(functions))


def _compared(paths: Sequence[Path], project: Project, conversion: Conversion, compare: Compare) -> Verdict:
    """Compare a copy of what would be written: nothing is written before the two versions agree."""
    contents = {outcome.path: outcome.data for outcome in conversion.files if outcome.data is not None}
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="np2jax-") as folder:
        for number, path in enumerate(paths):
            whole = path.resolve()
            place = Path(folder, str(number))
            copy_tree([path], place / whole.name if path.is_dir() else place, contents)
            verdicts.append(compare(whole, place / whole.name, conversion))
    return Verdict(
        frozenset().union(*(verdict.agree for verdict in verdicts)),
        {name: why for verdict in verdicts for name, why in verdict.differ.items()},
        {name: why for verdict in verdicts for name, why in verdict.differ_jitted.items()},
        verdicts[0].report if len(verdicts) == 1 else {"paths": [dict(verdict.report) for verdict in verdicts]},
    )
