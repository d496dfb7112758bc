"""A whole verification: both trees staged, programs run, functions compared one by one."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from .calls import Arguments
from .contract import Contract
from .errors import ShimError
from .examine import Examination, Settings
from .report import NOT_COMPARED, FunctionVerdict, Report
from .session import Side, open_sides
from .stage import FunctionPair, Staged, pairs, stage

X64_BY_US = "jax_enable_x64 was turned on by the verification, not by the converted package"


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
) -> Report:
    """What `verify` does, once its libraries are known to be there."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="np2jax-verify-") as folder:
        staged = stage(original, converted, Path(folder).resolve())
        sides = open_sides(staged, precision, timeout)
        try:
            recorded: Mapping[tuple[str, str], Sequence[Arguments]] = {}
            sides[1].child.start()
            platforms = tuple(sides[1].child.about["platforms"])
            settings = Settings(timeout, examples, seed, precision, jit, platforms)
            found = list(pairs(staged, _by_place(contracts, staged, original)))
            functions = _functions(found, sides, settings, recorded)
            versions = sides[1].child.about["versions"] if sides[1].child.about else {}
        finally:
            for side in sides:
                side.stop()
    notes = tuple(f"{file}: {error}" for file, error in staged.errors.items()) + ((X64_BY_US,) if sides[1].x64_by_us else ())
    return Report(
        str(original), str(converted), tuple(functions), (), notes, precision, platforms, versions, time.monotonic() - start
    )


def _functions(
    found: Sequence[FunctionPair],
    sides: tuple[Side, Side],
    settings: Settings,
    recorded: Mapping[tuple[str, str], Sequence[Arguments]],
) -> list[FunctionVerdict]:
    """The verdict on each function, file by file, so that each module is imported once."""
    files: dict[str, list[FunctionPair]] = defaultdict(list)
    for pair in found:
        files[pair.file].append(pair)
    verdicts = []
    for file, group in files.items():
        names = tuple(pair.name for pair in group)
        for side in sides:
            side.describe(file, names)
        for pair in group:
            try:
                verdicts.append(Examination(pair, *sides, settings, recorded.get((file, pair.name), ())).verdict())
            except ShimError as problem:
                verdicts.append(FunctionVerdict(file, pair.contract.name, pair.line, NOT_COMPARED, str(problem)))
    return verdicts


def _by_place(contracts: Sequence[Contract], staged: Staged, original: Path) -> dict[tuple[str, str], Contract]:
    """The contracts by staged file and name, whatever folder their paths are relative to."""
    by_module = {module: file for file, (_, module) in staged.modules.items()}
    found = {}
    for contract in contracts:
        file = _staged_file(contract.file, staged, original) or by_module.get(contract.module, "")
        if file:
            found[file, contract.qualname] = contract
    return found


def _staged_file(path: str, staged: Staged, original: Path) -> str:
    """The staged file that a path of the original's means, "" for none."""
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
