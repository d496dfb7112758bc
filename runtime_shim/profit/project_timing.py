"""Times all converted functions of a project, in copies of both trees and in processes of their own."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from ..sandbox.program_runner import observe
from ..sandbox.session import Side, open_sides
from ..sandbox.staging import FunctionPair, Staged, contracts_by_place, pairs, stage
from ..values.contract import Contract
from ..values.errors import ShimError
from ..values.evidence import Evidence, merged, read, relocated
from ..verification.program_comparison import observe_tests, program_of
from .function_timing import FunctionTiming, Limits
from .profit_report import RECORDED, TESTED, FunctionProfit, ProfitReport

PROGRAM_LIMIT = 6  # a whole program gets this multiple of the time limit for one call
INSIDE = "compiled code calls it, and is measured with it"
NOTHING = "no function of it is converted; `np2jax convert -o DIR --report r.md` says why"


def time_project(
    original: Path,
    converted: Path,
    contracts: Sequence[Contract],
    *,
    evidence: Path | None,
    limits: Limits,
    precision: str,
    only: Collection[str] | None,
    eager: bool,
    tell: Callable[[str], None],
) -> ProfitReport:
    """The work of `profit`, once its libraries are known to be installed."""
    start = time.monotonic()
    given = read(evidence) if evidence is not None else None
    with tempfile.TemporaryDirectory(prefix="np2jax-profit-") as folder:
        staged = stage(original, converted, Path(folder).resolve())
        found = [pair for pair in pairs(staged, contracts_by_place(contracts, staged, original)) if _converted(pair)]
        found = [pair for pair in found if only is None or pair.contract.name in only]
        if not found:
            return ProfitReport(str(original), notes=(NOTHING,), seconds=time.monotonic() - start)
        seen = _seen(staged, given, evidence, limits, tell)
        sides = open_sides(staged, precision, limits.timeout, job="time")
        try:
            sides[1].child.start()
            about = sides[1].child.about
            functions = _functions(found, sides, limits, seen, eager, tell)
        finally:
            for side in sides:
                side.stop()
    notes = tuple(f"{file}: {error}" for file, error in staged.errors.items())
    platform = next(iter(about["platforms"]), "")
    return ProfitReport(str(original), tuple(functions), notes, platform, about["versions"], time.monotonic() - start)


def _converted(pair: FunctionPair) -> bool:
    return pair.analysed and bool(pair.contract.transform)


@dataclass(frozen=True, slots=True)
class Seen:
    """The recorded calls: of the program, and of tests, which use small arguments and count only where there are no others."""

    programs: Evidence
    tests: Evidence = field(default_factory=Evidence)


def _seen(staged: Staged, given: Evidence | None, name: Path | None, limits: Limits, tell: Callable[[str], None]) -> Seen:
    """The recorded calls: those of the evidence file, or those that the programs and the tests of the original make."""
    if given is not None:
        known = relocated(given, staged.modules)
        if not known.locations():
            others = ", ".join(sorted({file for file, _ in given.locations()})[:3]) or "no file"
            raise ShimError(f"{name}: it records calls of other code ({others}), and none of this")
        return Seen(known)
    limit = PROGRAM_LIMIT * limits.timeout
    seen = []
    for file in staged.scripts:
        tell(f"running {file}")
        what, where = program_of(staged, file)
        seen.append(observe(what, [staged.original], staged.original / where, limit)[1])
    if not staged.tests or find_spec("pytest") is None:
        return Seen(merged(seen))
    tell("running the tests")
    return Seen(merged(seen), observe_tests(staged, limit))


def _functions(
    found: Sequence[FunctionPair],
    sides: tuple[Side, Side],
    limits: Limits,
    seen: Seen,
    eager: bool,
    tell: Callable[[str], None],
) -> list[FunctionProfit]:
    """The times of each function, file by file, so that each module is imported once."""
    files: dict[str, list[FunctionPair]] = defaultdict(list)
    for pair in found:
        files[pair.file].append(pair)
    results: list[FunctionProfit] = []
    for file, group in files.items():
        for side in sides:
            side.describe(file, tuple(pair.name for pair in group))
        for pair in group:
            tell(f"{pair.contract.name}, {len(results) + 1:,} of {len(found):,}")
            results.append(_function(pair, sides, limits, seen, eager))
    return results


def _function(pair: FunctionPair, sides: tuple[Side, Side], limits: Limits, seen: Seen, eager: bool) -> FunctionProfit:
    """The times of one function. `eager`: functions without `jit` are meant to be called from Python, with arrays of JAX."""
    contract = pair.contract
    where = (pair.file, contract.name, pair.line, contract.transform)
    if contract.transform == "eager" and not eager:
        return FunctionProfit(*where, reason=INSIDE)
    location = (pair.file, pair.name)
    arrays = "jax" if eager and not contract.left_as_numpy else "numpy"
    calls, skipped, origin = seen.programs.calls.get(location, ()), seen.programs.skipped.get(location, ()), RECORDED
    if not calls:
        calls, skipped, origin = seen.tests.calls.get(location, ()), skipped or seen.tests.skipped.get(location, ()), TESTED
    try:
        return FunctionTiming(pair, *sides, limits, calls, origin, skipped, arrays).result()
    except ShimError as problem:
        return FunctionProfit(*where, reason=str(problem))
