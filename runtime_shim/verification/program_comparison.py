"""Runs whole programs in both trees. Exit statuses must be equal; printed text is compared, with a tolerance for numbers."""

from __future__ import annotations

import json
import math
import re
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from ..draws.jax_draws import NO_ORDER, UNORDERED
from ..draws.tape import TOO_MANY
from ..draws.tape_snapshot import is_full
from ..sandbox.ctrl_c import deferred
from ..sandbox.program_runner import Program, Ran, end_all, observe, run, this_python
from ..sandbox.staging import Staged
from ..values.comparison import Tolerance
from ..values.errors import ShimError
from ..values.evidence import Evidence
from ..values.serialization import split
from ..values.snapshot import Snapshot
from .differential_run import KEYS_USED_TWICE
from .report import AGREES, DIFFERS, ERROR, NOT_COMPARED, ProgramVerdict

REPLAYED = "it draws random numbers: the converted program replays those of the original"
OFTEN = 0.05  # seconds between looks at Ctrl-C
# `scale` is of the largest number in a line, and of 1: what rounding leaves of numbers that cancel.
PRINTED = {"float64": Tolerance(1e-6, 1e-14), "float32": Tolerance(1e-2, 1e-6)}
LIKELY = 10  # a unit of the last digit, in tolerances: up to here numbers that agree are often printed as neighbours
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)(?![\w])", re.I)
# Words of timings; those that are only in TIMING may be about time in a model.
STOPWATCH = re.compile(r"\b(timed|timing|elapsed|took|it/s|fps|throughput)\b", re.I)
TIMING = re.compile(
    STOPWATCH.pattern + r"|\b(times?|duration|seconds?|secs?|msec|minutes?|faster|slower|speed-?up|speed)\b|\d\s?(?:[mnµu]?s)\b",
    re.I,
)


def run_programs(
    staged: Staged, files: Sequence[str], limit: float, precision: str, jobs: int
) -> list[tuple[ProgramVerdict, Evidence]]:
    """Run scripts of both trees, `jobs` of them at the same time."""
    if jobs == 1:
        return [run_program(staged, file, limit, precision) for file in files]
    stopped = threading.Event()

    def one(file: str) -> tuple[ProgramVerdict, Evidence]:
        if stopped.is_set():
            raise ShimError(f"{file}: interrupted before it began")
        return run_program(staged, file, limit, precision)

    with deferred() as interrupted, ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, file) for file in files]
        while left := wait(futures, OFTEN).not_done:
            if interrupted() or any(future.exception() for future in futures if future not in left):
                stopped.set()
                end_all()  # again and again: a program may just be starting
    return [future.result() for future in futures]


def run_program(staged: Staged, file: str, limit: float, precision: str) -> tuple[ProgramVerdict, Evidence]:
    """Run one script of both trees; the original under observation, so that its calls and draws are recorded."""
    with tempfile.TemporaryDirectory(prefix="np2jax-draws-") as folder:
        return _run_program(staged, file, limit, precision, Draws(Path(folder)))


@dataclass(frozen=True, slots=True)
class Draws:
    """The files for the draws of a program: those of the original, and the mismatches of the converted one."""

    folder: Path

    @property
    def tape(self) -> Path:
        """The original's draws."""
        return self.folder / "tape"

    @property
    def report(self) -> Path:
        """The mismatches of the converted program."""
        return self.folder / "report"

    def stored(self) -> Snapshot:
        """The original's draws, None for none."""
        found = split(self.tape.read_bytes()) if self.tape.exists() else []
        return found[0]["snapshots"]["tape"] if found else None

    def outcome(self) -> tuple[str, bool]:
        """How the draws of the converted program differ, in words, and whether it draws with keys."""
        if not self.report.exists():
            return "", False
        found = json.loads(self.report.read_text())
        return found["trouble"], found["keys"]


def _run_program(staged: Staged, file: str, limit: float, precision: str, draws: Draws) -> tuple[ProgramVerdict, Evidence]:
    what, where = program_of(staged, file)
    want, evidence = observe(what, [staged.original], staged.original / where, limit, tape=draws.tape)
    if want.status is None:
        return ProgramVerdict(file, NOT_COMPARED, f"the original does not end within {limit:g} s"), evidence
    if want.status != 0:
        return ProgramVerdict(file, NOT_COMPARED, f"the original ends with {_status(want)}"), evidence
    tape = draws.stored()
    if is_full(tape):
        return ProgramVerdict(file, NOT_COMPARED, TOO_MANY), evidence
    command = what.plain() if tape is None else what.replayed(staged.converted, draws.tape, draws.report)
    got = run(command, staged.converted / where, limit)
    trouble, keys = draws.outcome()
    if trouble:
        return ProgramVerdict(file, DIFFERS, f"random draws: {trouble}"), evidence
    if got.status is None:
        return ProgramVerdict(
            file, ERROR, f"it does not end within {limit:g} s (the original took {want.seconds:.2g} s)"
        ), evidence
    if got.status != want.status and any(words in got.last_error for words in UNORDERED):
        return ProgramVerdict(file, NOT_COMPARED, NO_ORDER), evidence
    if got.status != want.status:
        return ProgramVerdict(file, ERROR, f"it ends with {_status(got)}, the original with exit status 0"), evidence
    left, right = (ran.output.replace(str(top), "") for ran, top in ((want, staged.original), (got, staged.converted)))
    printed = compare_output(left, right, PRINTED[precision])
    if printed.perhaps_timings and not printed.reason:
        again, _ = observe(what, [staged.original], staged.original / where, limit, tape=draws.tape)
        printed = compare_output(left, right, PRINTED[precision], again.output.replace(str(staged.original), ""))
    notes = tuple(printed.notes) + (("it prints more than is compared",) if want.truncated or got.truncated else ())
    notes += (REPLAYED,) if tape is not None else ()
    if printed.reason:
        # A line that differs between runs of the original itself has no meaning.
        again, _ = observe(what, [staged.original], staged.original / where, limit, tape=draws.tape)
        if compare_output(want.output, again.output, PRINTED[precision]).reason:
            reason = "the output of the original changes from run to run"
            return ProgramVerdict(file, NOT_COMPARED, reason, 0, notes), evidence
        return ProgramVerdict(file, DIFFERS, printed.reason, 0, notes), evidence
    if keys:
        reused, more = _reuses_keys(what, staged.converted / where, limit)
        if reused:
            return ProgramVerdict(file, DIFFERS, reused, 0, notes), evidence
        notes += more
    return ProgramVerdict(file, AGREES, "", len(want.output.splitlines()), notes), evidence


def _reuses_keys(what: Program, folder: Path, limit: float) -> tuple[str, tuple[str, ...]]:
    """Run the converted program with its own draws while JAX checks for key reuse. Returns what it found, and notes.

    The check makes uncompiled code many times slower, and most reuse shows early: it gets a third of the time.
    """
    ran = run(what.plain(), folder, limit / 3, variables={"JAX_DEBUG_KEY_REUSE": "1"})
    if ran.status == 0:
        return "", ()
    if "KeyReuseError" in ran.last_error:
        return f"random draws: {KEYS_USED_TWICE}: {ran.last_error[:300]}", ()
    how = "does not end in time" if ran.status is None else f"ends with {_status(ran)}"
    return "", (f"with its own draws it {how}",)


def observe_tests(staged: Staged, limit: float) -> Evidence:
    """Run the original's tests under observation."""
    what = this_python("module", "pytest", "-q", "-p", "no:cacheprovider", *staged.tests)
    return observe(what, [staged.original], staged.original, limit)[1]


def program_of(staged: Staged, file: str) -> tuple[Program, str]:
    """How a script is run, and in which folder: one inside a package as a module, from the folder that contains the package."""
    root, module = staged.modules[file]
    if "." in module or file.endswith("__main__.py"):
        name = module.removesuffix(".__main__")
        return this_python("module", name), root
    return this_python("script", Path(file).name), Path(file).parent.as_posix()


def _status(ran: Ran) -> str:
    words = f"exit status {ran.status}" if ran.status is not None and ran.status >= 0 else f"signal {-(ran.status or 0)}"
    return f"{words}: {ran.last_error[:300]}" if ran.last_error else words


@dataclass(frozen=True, slots=True)
class Printed:
    """The comparison of two outputs: `reason` is the first difference, "" for none.

    `perhaps_timings`: lines differ that may be about timings or about time in a model; a second run of the original tells.
    """

    reason: str
    notes: tuple[str, ...] = ()
    perhaps_timings: bool = False


def compare_output(want: str, got: str, tolerance: Tolerance, again: str | None = None) -> Printed:
    """Compare printed lines: words exactly, numbers by `_same_number`, timings not at all.

    `again`: the output of a second run of the original. A line that it repeats is not about timings, unless its words leave no
    doubt, or its numbers are 0: a short time, rounded.
    """
    left, right = want.splitlines(), got.splitlines()
    repeated = [] if again is None else again.splitlines()
    timings, doubt = 0, False
    for number, (one, two) in enumerate(zip(left, right, strict=False), 1):
        if _same_line(one, two, tolerance):
            continue
        sure = STOPWATCH.search(one) or all(float(text) == 0 for text in _numbers(one))
        repeats = repeated[number - 1 : number] == [one]
        if TIMING.search(one) and (sure or not repeats):
            timings += 1
            doubt |= not sure
            continue
        return Printed(f"line {number} of its output: the original {one.strip()[:120]!r}, converted {two.strip()[:120]!r}")
    if len(left) != len(right):
        return Printed(f"it prints {len(right)} lines, the original {len(left)}")
    return Printed("", (f"{timings} line(s) about timings differ",) if timings else (), doubt)


def _same_line(want: str, got: str, tolerance: Tolerance) -> bool:
    one, two = _plain(want), _plain(got)
    if NUMBER.sub("#", one) != NUMBER.sub("#", two):
        return False
    left, right = list(_numbers(one)), list(_numbers(two))
    sizes = (abs(float(text)) for text in left)
    noise = tolerance.scale * max([1.0, *filter(math.isfinite, sizes)])
    return all(_same_number(*pair, tolerance.rtol, noise) for pair in zip(left, right, strict=True))


def _plain(line: str) -> str:
    """The line without markers of a number's library, and without the spaces that align columns."""
    line = re.sub(r"\b(?:np|jnp|numpy)\.(?:float|int|bool_?|complex)\d*\(([^()]*)\)", r"\1", line)
    line = re.sub(r"\bArray\(", "array(", line)
    line = re.sub(r",\s*(?:dtype=[\w.]+|weak_type=\w+)", "", line)
    line = re.sub(r"\barray\(([^()\[\]]*)\)", r"\1", line)
    line = re.sub(r"\s*([\[\](),])\s*", r"\1", line)
    return " ".join(line.split())


def _numbers(line: str) -> Iterator[str]:
    return (match.group() for match in NUMBER.finditer(line))


def _same_number(want: str, got: str, rtol: float, noise: float) -> bool:
    """Whether printed numbers agree: whole numbers exactly, floats within `rtol` of the original, or `noise`.

    Numbers that differ by less may be rounded to neighbours when they are printed. That is likely only where a unit of the last
    digit is not much more than the tolerance. With fewer digits, neighbours such as 0.9 and 1.0 are different results.
    """
    if want == got:
        return True
    whole = [text.lstrip("+-").isdigit() for text in (want, got)]
    if any(whole):
        return all(whole) and int(want) == int(got)
    left, right = float(want), float(got)
    if not math.isfinite(left) or not math.isfinite(right):
        return left == right or (math.isnan(left) and math.isnan(right))
    allowed, unit = rtol * abs(left), max(_unit(want), _unit(got))
    return abs(left - right) <= max(allowed + (unit if unit <= LIKELY * allowed else 0.0), noise)


def _unit(number: str) -> float:
    """One unit of the last digit printed; 0 for a number that is printed with all its digits."""
    digits, _, exponent = number.lower().partition("e")
    fraction = digits.partition(".")[2]
    if len(fraction) > 9:
        return 0.0
    return float(10.0 ** (int(exponent or 0) - len(fraction)))
