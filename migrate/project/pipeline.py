"""Convert a project in memory: read all files, analyse them together, rewrite them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

from ...rules.core.condition import Condition
from ...rules.core.diagnostic import Diagnostic
from ...rules.core.refusals import PLACED
from ...rules.facts.function_plan import FunctionPlan
from ...rules.facts.recorded_calls import RecordedCalls
from ...rules.syntax.tree import remembering
from ..analysis.state.project_facts import Facts
from ..linking.settings import Settings
from ..rewriting.rewriter import RewriteOptions, Rewritten
from ..summaries.units import MODULE, ModuleSummary, UnitSummary, written_name
from . import conditions, garbage_collection
from .causes import causes
from .dump import Dumps
from .entry_points import entry_points
from .failure import InternalError
from .import_names import uniquely_named, with_siblings
from .outcome import Conversion, FileOutcome, FunctionOutcome, Options, ProjectFile
from .pass_manager import Observer, PassManager
from .processes import in_processes
from .programs import Memory, programs
from .workers import Workers, started

OUTLINED = "outlined"  # how a function is converted that stays on the host and calls its compiled loops
BOTH = "both"  # it stays on the host, and has a compiled version beside it
DONATING = ("NJ501", "NJ505")


def convert_files(
    files: Sequence[ProjectFile],
    options: Options,
    observe: Observer | None = None,
    *,
    wanted: Collection[Path] | None = None,
    memory: Memory | None = None,
) -> Conversion:
    """Convert all files, those of each program together, without writing anything. A file that cannot be read, or on which np2jax itself
    fails, is reported; the others are converted.

    `observe` is called after each pass over a program, with its name. `wanted`: files of which the conversion is asked for, None for those
    that the user selected; programs without any are left out. `memory`: gives what is known from earlier runs, without the code."""
    if wanted is None:
        wanted = {file.path for file in files if file.selected}
    asked = [each for each in programs(with_siblings(uniquely_named(files))) if any(file.path in wanted for file in each)]
    known = [memory.recall(program, options) if memory is not None else None for program in asked]
    new = [program for program, conversion in zip(asked, known, strict=True) if conversion is None]
    converted = iter(_each(new, options, observe))
    found = []
    for program, conversion in zip(asked, known, strict=True):
        if conversion is None:
            conversion = next(converted)
            if memory is not None:
                memory.keep(program, options, conversion)
        found.append(conversion)
    return joined(found, [file.path for file in files])


def _each(programs: Sequence[Sequence[ProjectFile]], options: Options, observe: Observer | None) -> list[Conversion]:
    """The conversions of programs, side by side where there are several."""
    if len(programs) < 2 or observe is not None:
        return [_whole(program, options, observe) for program in programs]
    alone = partial(_whole, options=options._replace(jobs=1), observe=None)
    return in_processes(alone, programs, [sum(len(file.data) for file in program) for program in programs], options.jobs)


def joined(conversions: Sequence[Conversion], paths: Sequence[Path]) -> Conversion:
    """The conversion of several programs. `paths`: their files in order."""
    place = {path: number for number, path in enumerate(paths)}
    named = {str(path): number for path, number in place.items()}
    return Conversion(
        tuple(sorted((file for each in conversions for file in each.files), key=lambda file: place[file.path])),
        tuple(sorted((function for each in conversions for function in each.functions), key=lambda each: named[each.file])),
        tuple(reason for each in conversions for reason in each.unread),
    )


def _whole(files: Sequence[ProjectFile], options: Options, observe: Observer | None) -> Conversion:
    """The conversion of a program, without the files on which np2jax fails."""
    failed = dict[str, str]()
    while True:
        try:
            return _converted(files, failed, options, observe)
        except InternalError as error:
            if options.strict or os.environ.get("NP2JAX_TRACEBACK") or error.path in failed:
                raise
            failed[error.path] = f"{error.path}: np2jax failed on this file ({' '.join(error.why.split())}): please report it"


def _converted(files: Sequence[ProjectFile], failed: Mapping[str, str], options: Options, observe: Observer | None) -> Conversion:
    """The same, where np2jax `failed` on some of the files, for the reasons given by path."""
    working = [file for file in files if str(file.path) not in failed]
    with garbage_collection.paused(), remembering(), started(working, options.jobs) as shards:
        manager = pass_manager(working, options, shards)
        manager.observe = observe or manager.observe
        manager.run_all()
        return outcome(files, {**shards.errors, **failed}, manager.summaries, manager.facts, manager.rewritten)


def dump_files(files: Sequence[ProjectFile], options: Options, names: Collection[str]) -> tuple[str, Mapping[str, str]]:
    """The state after the named passes of the conversion, as text, and why files could not be read, by path."""
    dumps, errors = Dumps(names), dict[str, str]()
    for program in programs(with_siblings(uniquely_named(files))):
        with garbage_collection.paused(), remembering(), started(program, options.jobs) as shards:
            manager = pass_manager(program, options, shards)
            manager.observe = dumps.observe
            manager.run_all()
            dumps.count(manager.shards)
            errors |= shards.errors
    return dumps.text(), errors


def pass_manager(files: Sequence[ProjectFile], options: Options, shards: Workers) -> PassManager:
    kept = {name: ("NJ000", reason) for name, reason in options.kept}
    chosen = RewriteOptions(options.select, options.ignore)
    donates = all(chosen.runs(code) and not any(code.startswith(file.ignored) for file in files) for code in DONATING)
    on_host, static = options.random == "host", options.trip_counts == "static"
    fast = options.placement == "fast" and chosen.runs("NJ501")
    slower = dict(options.slower)
    wide = options.precision == "float64"
    recorded = defaultdict[str, list[RecordedCalls]](list)
    for calls in options.recorded:
        recorded[calls.name].append(calls)
    settings = Settings(
        kept, options.unjitted, options.public, on_host, static, wide, fast, donates, recorded=recorded, slower=slower
    )
    return PassManager(shards, settings, chosen, partial(rewrite_options, files, options))


def rewrite_options(
    files: Sequence[ProjectFile], options: Options, summaries: Mapping[str, ModuleSummary], facts: Facts
) -> Mapping[str, RewriteOptions]:
    """Which rules run in each file, and their options."""
    ignored = {file.module: file.ignored for file in files}
    entries, taken = entry_points(files, summaries, left_as_numpy(summaries, facts)), taken_names(summaries)
    return {
        name: RewriteOptions(
            options.select,
            (*options.ignore, *ignored.get(name, ())),
            options.unsafe,
            options.precision,
            name in entries,
            options.strict,
            frozenset(taken[name]),
            conditions=options.writes,
            text=options.writes,
        )
        for name in summaries
    }


def taken_names(summaries: Mapping[str, ModuleSummary]) -> dict[str, set[str]]:
    """The names that other modules import from each module, which must remain defined there; "*" for all."""
    found: dict[str, set[str]] = {name: set() for name in summaries}
    for summary in summaries.values():
        for dotted in (*summary.imports, *(f"{star}.*" for star in summary.stars)):
            owner, _dot, name = dotted.rpartition(".")
            if owner in found:
                found[owner].add(name)
    return found


def left_as_numpy(summaries: Mapping[str, ModuleSummary], facts: Facts) -> frozenset[str]:
    """The modules in which nothing is converted: those that stay as their program is, and others where code without jit stays NumPy, or
    files were not selected."""
    others = facts.program.fast or not all(summary.text.selected for summary in summaries.values())

    def stays(unit: UnitSummary) -> bool:
        plan = facts.plans[unit.name]
        return unit.host.jax_used or bool(plan.refused and (others or plan.refused_code == PLACED))

    return frozenset(
        name
        for name, summary in summaries.items()
        if any(map(stays, summary.units)) and all(stays(unit) or not (others or unit.host.arrays) for unit in summary.units)
    )


def outcome(
    files: Sequence[ProjectFile],
    errors: Mapping[str, str],
    summaries: Mapping[str, ModuleSummary],
    facts: Facts,
    rewritten: Mapping[str, Rewritten],
) -> Conversion:
    done: list[FileOutcome] = []
    functions: list[FunctionOutcome] = []
    assumed = conditions.of_units(rewritten)
    found = causes((unit for summary in summaries.values() for unit in summary.units), facts.plans)
    for file in files:
        if not file.selected:
            continue
        name = file.module.partition("@")[0]
        if error := errors.get(str(file.path), ""):
            done.append(FileOutcome(file.path, name, None, error=error))
            continue
        result, summary = rewritten[file.module], summaries[file.module]
        done.append(
            FileOutcome(
                file.path, name, result.data, tuple(sorted(result.diagnostics, key=by_place)), silenced=frozenset(result.silenced)
            )
        )
        partly = {owner: OUTLINED for name, owner in result.moved.items() if not facts.plans[name].refused}
        partly |= {owner: BOTH for name, owner in summary.clones if owner in partly}
        with_numpy = {result.moved.get(u.name, u.name) for u in summary.units if u.host.numpy_used}
        for unit in summary.units:
            uses_numpy = unit.name in with_numpy
            if unit.name not in result.moved and not summary.text.tests and (uses_numpy or not unit.name.endswith(MODULE)):
                in_part, cause = partly.get(unit.name, ""), written_name(found.get(unit.name, ""))
                functions.append(
                    function_outcome(file, unit, facts.plans[unit.name], result, uses_numpy, in_part, cause, assumed)
                )
    unread = tuple(errors[str(file.path)] for file in files if not file.selected and str(file.path) in errors)
    return Conversion(tuple(done), tuple(functions), unread)


def function_outcome(
    file: ProjectFile,
    summary: UnitSummary,
    plan: FunctionPlan,
    result: Rewritten,
    uses_numpy: bool,
    in_part: str,
    cause: str,
    assumed: Mapping[str, tuple[Condition, ...]],
) -> FunctionOutcome:
    """The outcome for one function. `in_part`: how it is converted, where it stays NumPy and jit compiles parts or a copy of it.
    `cause`: see `causes`. `assumed`: the conditions by unit."""
    codes = tuple(sorted(result.codes.get(summary.name, ())))
    transform = "" if plan.refused else "jit" if "NJ501" in codes else "eager"
    on_host = plan.refused_code == PLACED
    if plan.refused and in_part:
        transform = in_part
    elif plan.refused:
        codes = (plan.refused_code,)
    under = assumed.get(summary.name, ()) if transform else ()
    label = "assumed" if under else "proved" if transform else "host" if on_host else "kept"
    return FunctionOutcome(
        str(file.path),
        result.lines.get(summary.name, 1),
        written_name(summary.name).replace(file.module, file.module.partition("@")[0], 1),
        label,
        transform,
        codes,
        "" if transform else plan.refused,
        plan.returns,
        plan.results,
        plan.static_args if plan.jit else (),
        summary.signature.kinds,
        uses_numpy,
        summary.params,
        plan.already,
        "" if transform else cause,
        under,
    )


def by_place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    return diagnostic.line, diagnostic.column, diagnostic.code
