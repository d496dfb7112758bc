"""A whole verification: stage both trees, run the programs, compare the functions one by one."""

from __future__ import annotations

import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from hypothesis.configuration import set_hypothesis_home_dir

from ..inputs.instances import Instances
from ..sandbox.session import Side, open_sides
from ..sandbox.staging import Function, FunctionPair, Staged, contracts_by_place, functions_of, pairs, stage, staged_file
from ..values.comparison import COPIES
from ..values.contract import Contract
from ..values.errors import ShimError
from ..values.evidence import Evidence, merged, read, relocated
from .coverage import Compared, Share, measured
from .function_comparison import Examination
from .program_comparison import observe_tests, run_programs
from .report import AGREES, DIFFERS, NOT_COMPARED, FunctionVerdict, ProgramVerdict, Report
from .steps import Settings

FAILED = "np2jax failed on it, which is a bug: please report it"
PROGRAM_LIMIT = 6  # a whole program gets this multiple of the time limit for one call
MOST_NAMED = 3  # files or functions of the evidence that are named where they are unknown
FRESH = 100  # functions after which the converted side gets a new process: JAX retains everything that it compiled
Examined = tuple[Examination, FunctionVerdict]
X64_BY_US = "jax_enable_x64 was turned on by the verification, not by the converted package"


@dataclass(frozen=True, slots=True)
class Followed:
    """What LineTrace found of both versions. `printed`: functions of which only the original was followed."""

    original: set[str] = field(default_factory=set)
    converted: set[str] = field(default_factory=set)
    printed: set[tuple[str, str]] = field(default_factory=set)


def verify_project(
    original: Path,
    converted: Path,
    contracts: Sequence[Contract],
    *,
    entry: Path | None,
    timeout: float,
    jit: bool,
    examples: int,
    seed: int,
    precision: str,
    evidence: Path | None,
    jobs: int,
    least: float,
) -> Report:
    """The work of `verify`, once its libraries are known to be installed."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=COPIES) as folder:
        staged = stage(original, converted, Path(folder).resolve())
        set_hypothesis_home_dir(folder)  # by default it stores its database in the current folder
        sides = open_sides(staged, precision, timeout)
        try:
            programs, ran, seen = _programs(staged, _entries(staged, original, entry), timeout, precision, jobs)
            unknown: tuple[str, ...] = ()
            if evidence is not None:
                given = read(evidence)
                moved = relocated(given, staged.modules)
                unknown = _unknown(evidence, given, moved, staged)
                seen = merged([moved, seen])
            sides[1].child.start()
            platforms = tuple(sides[1].child.about["platforms"])
            settings = Settings(timeout, examples, seed, precision, jit, platforms)
            found = list(pairs(staged, contracts_by_place(contracts, staged, original)))
            functions, followed = _functions(found, staged.converted, sides, settings, seen, ran)
            compared = _extent(staged, found, functions, followed)
            versions = sides[1].child.about["versions"] if sides[1].child.about else {}
            sources = {file: (_read(staged.original / file), _read(staged.converted / file)) for file in staged.files}
        finally:
            set_hypothesis_home_dir(None)
            for side in sides:
                side.stop()
    notes = (*((X64_BY_US,) if sides[1].x64_by_us else ()), *unknown)
    return Report(
        str(original),
        str(converted),
        tuple(functions),
        tuple(programs),
        notes,
        precision,
        platforms,
        versions,
        time.monotonic() - start,
        compared,
        staged.errors,
        least,
        sources,
    )


def _unknown(path: Path, given: Evidence, moved: Evidence, staged: Staged) -> tuple[str, ...]:
    """What is to be said about functions in the evidence that the original does not have."""
    there = {file: functions_of(staged.original / file) for file, _ in moved.locations()}
    gone = [f"{file}: {name}" for file, name in moved.locations() if name not in there[file]]
    if len(gone) == len(moved.locations()):
        return (
            f"{path}: it records calls of other code ({_some(sorted({file for file, _ in given.locations()}))}), and none of this",
        )
    return (f"{path}: it records calls of functions that are not there ({_some(gone)})",) if gone else ()


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) or "no file"


def _read(path: Path) -> bytes:
    """The content of a file; none if the converted tree lost it."""
    return path.read_bytes() if path.exists() else b""


def _extent(staged: Staged, found: Sequence[FunctionPair], verdicts: Sequence[FunctionVerdict], followed: Followed) -> Compared:
    """How much was compared."""
    original: dict[str, list[Function]] = defaultdict(list)
    for pair in found:
        original[pair.file].append(pair.source)
    converted = {
        file: [source for name, source in functions_of(staged.converted / file).items() if (file, name) not in followed.printed]
        for file in original
    }
    done = sum(one.verdict != NOT_COMPARED for one in verdicts)
    return measured(Share(done, len(verdicts)), original, converted, (followed.original, followed.converted))


def _entries(staged: Staged, original: Path, entry: Path | None) -> tuple[str, ...]:
    """The programs to run: the named one, or all that were found. Raises ShimError if the named one does not exist."""
    if entry is None:
        return staged.scripts
    if file := staged_file(str(entry), staged, original):
        return (file,)
    raise ShimError(f"{entry}: no such program in {original}")


def _programs(
    staged: Staged, files: tuple[str, ...], timeout: float, precision: str, jobs: int
) -> tuple[list[ProgramVerdict], Evidence, Evidence]:
    """Run the programs of both trees, and the original's tests.

    Returns the verdicts, the calls made by programs that agree, and all calls.
    """
    limit = PROGRAM_LIMIT * timeout
    results = run_programs(staged, files, limit, precision, jobs)
    ran = [evidence for verdict, evidence in results if verdict.verdict == AGREES]
    seen = [evidence for _, evidence in results]
    if staged.tests and find_spec("pytest") is not None:
        seen.append(observe_tests(staged, limit))
    return [verdict for verdict, _ in results], merged(ran), merged(seen)


def _functions(
    found: Sequence[FunctionPair], converted: Path, sides: tuple[Side, Side], settings: Settings, seen: Evidence, ran: Evidence
) -> tuple[list[FunctionVerdict], Followed]:
    """The verdict on each function, and what ran of both versions; file by file, so that each module is imported once."""
    files: dict[str, list[FunctionPair]] = defaultdict(list)
    for pair in found:
        files[pair.file].append(pair)
    verdicts: list[FunctionVerdict] = []
    followed = Followed()
    started = 0
    for file, group in files.items():
        if not (converted / file).exists():
            missing = "the converted tree does not have this file"
            verdicts += (FunctionVerdict(file, pair.contract.name, pair.line, DIFFERS, missing) for pair in group)
            continue
        names = tuple(pair.name for pair in group)
        classes = tuple(dict.fromkeys(filter(None, (name.rpartition(".")[0] for name in names))))
        for side in sides:
            side.describe(file, (*names, *classes))
        if len(verdicts) // FRESH > started:
            started += 1
            sides[1].stop()
        instances = Instances(sides[0], file, {pair.name: pair for pair in group}, settings.seed, settings.timeout)

        def examined(pair: FunctionPair, instances: Instances = instances) -> Examined:
            location = (pair.file, pair.name)
            calls, skipped = seen.calls.get(location, ()), tuple(seen.skipped.get(location, ()))
            in_programs = len(calls) == len(ran.calls.get(location, ()))
            return _examined(Examination(pair, *sides, settings, calls, skipped, in_programs, instances))

        done = {pair.name: examined(pair) for pair in group}
        for pair in group:  # other methods have changed instances since: a model was fitted
            if done[pair.name][0].tally.uncalled and instances.counts.get(pair.name.rpartition(".")[0]):
                done[pair.name] = examined(pair)
        for examination, verdict in done.values():
            verdicts.append(verdict)
            for known, more in zip((followed.original, followed.converted), examination.executed(verdict), strict=True):
                known |= more
            if examination.printed(verdict):
                followed.printed.add((file, examination.pair.name))
    return verdicts, followed


def _examined(examination: Examination) -> Examined:
    pair = examination.pair
    try:
        verdict = examination.verdict()
    except Exception as problem:  # the other functions are compared all the same
        if os.environ.get("NP2JAX_TRACEBACK"):
            raise
        why = str(problem) if isinstance(problem, ShimError) else f"{FAILED} ({type(problem).__name__}: {problem})"
        verdict = FunctionVerdict(pair.file, pair.contract.name, pair.line, NOT_COMPARED, why)
    if examination.instances is not None and "." in pair.name and verdict.verdict == AGREES:
        examination.instances.learn(pair.name, examination.tally.agreed, examination.about.names)
    return examination, verdict
