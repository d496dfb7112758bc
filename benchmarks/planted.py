"""Plant bugs in right conversions and count how many of them `np2jax verify` finds.

    python benchmarks/planted.py [PATH...] [--mutants 60] [--seed 1] [--only NUMBERS] [--json FILE]

The NumPy functions and classes below PATH (by default the kernels of `benchmarks/planted` and `benchmarks/untuned`, but for `elements` and `models`) are converted, except
those that draw random numbers, whose keys `verify` does not compare. Those that agree with their conversion are broken by a script, one bug in each copy: half of the bugs by the operators
of Cosmic Ray (`pip install cosmic-ray`), half by those of `planted_mutants.py`. Every copy is a module of its own with the
function and what it calls, and one `verify` compares all of them. The unbroken functions are among them: a difference there is a
false report.

Not counted, and replaced by others: mutants that raise an exception in the first calls, which nobody overlooks; and equivalent
mutants, which compute the same for every input for which the original raises nothing. Those are recognised in four ways:
the same bytecode; the same program after XLA's optimisation, for the arguments with which the function was compared; an array
whose elements a loop sets all, whatever they were; and, as no program can decide the rest, `planted/equivalent.json`, which
lists the others with a proof in words.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from planted_equivalence import same_program
from planted_mutants import Mutant, library_mutants, own_mutants
from planted_stores import same_stores

ROOT = Path(__file__).resolve().parents[1]

SAME = "elements"  # most lines of its conversion are `_before_update`, which returns the same values whatever is changed in it
LATER = "models"  # with these, the seeds of earlier runs would select other functions
OTHERS = [p for p in sorted((ROOT / "benchmarks" / "untuned").glob("*.py")) if p.stem not in (SAME, LATER)]
PATHS = [ROOT / "benchmarks" / "planted", *OTHERS]
NOT_RIGHT = {"mixed.envelope": "`jnp.hanning` of a width that is no whole number is not what NumPy returns"}
EQUIVALENT = ROOT / "benchmarks" / "planted" / "equivalent.json"
BATCH = 20  # mutants compared at a time
HEAD = "import jax\njax.config.update('jax_enable_x64', True)\n"


@dataclass(frozen=True, slots=True)
class Unit:
    """A function or a class with all that it uses in its module, before and after conversion. `contracts`: what `np2jax convert` says of
    these functions, such as its conditions."""

    name: str  # "images.box_blur"
    original: str
    converted: str
    contracts: tuple[dict[str, Any], ...] = ()

    @property
    def function(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(slots=True)
class Row:
    """One compared module. `kind`: "" for an unbroken one. `verdict`: found, missed, raises, false report, agrees, not compared."""

    unit: str
    kind: str
    what: str
    verdict: str = ""
    words: str = ""
    seconds: float = 0.0


def units(before: Path, after: Path) -> list[Unit]:
    """The functions and classes of all files that exist in both trees and whose conversion changed."""
    found = []
    noted = json.loads((after / ".np2jax.json").read_bytes())["functions"] if (after / ".np2jax.json").exists() else []
    for path in sorted(before.rglob("*.py")) if before.is_dir() else [before]:
        twin = after / (path.relative_to(before) if before.is_dir() else path.name)
        if not twin.exists():
            continue
        try:
            old, new = ast.parse(path.read_text()), ast.parse(twin.read_text())
        except SyntaxError as problem:
            print(f"{path}: left out: {problem}", file=sys.stderr)
            continue
        if any(isinstance(node, ast.ImportFrom) and node.level for node in [*old.body, *new.body]):
            continue  # a unit is one module
        for node in old.body:
            if (
                isinstance(node, ast.FunctionDef | ast.ClassDef)
                and node.name in _names(new)
                and not node.name.startswith("_")
                and node.name != "main"
            ):
                left, right = _closure(old, node.name), _closure(new, node.name)
                # also those that the conversion spells out where they were called
                helpers = _names(ast.parse(left)) & _names(new)
                right = _closure(new, node.name, *helpers)
                name = f"{path.stem}.{node.name}"
                if _code(left) != _code(right) and "jax" in right and "jax.random" not in right and name not in NOT_RIGHT:
                    own = _names(ast.parse(left))
                    contracts = [c for c in noted if Path(c["file"]).name == path.name and _qualname(c).partition(".")[0] in own]
                    found.append(Unit(name, left, HEAD + right, tuple(contracts)))
    return found


def _qualname(contract: dict[str, Any]) -> str:
    return str(contract["name"]).removeprefix(f"{contract['module']}.")


def _names(tree: ast.Module) -> set[str]:
    return {name for node in tree.body for name in _bound(node)}


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


def _closure(tree: ast.Module, *names: str) -> str:
    """The text of the imports, of some functions, and of everything in the module that they need."""
    needed, waiting = set(), [*names]
    while waiting:
        one = waiting.pop()
        needed.add(one)
        for node in tree.body:
            if one in _bound(node):
                used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                waiting += [other for other in used & _names(tree) if other not in needed]
            elif isinstance(node, ast.ClassDef) and one in map(ast.unparse, node.bases) and node.name not in needed:
                waiting.append(node.name)  # without its children, an abstract class does nothing
    kept = [
        node
        for node in tree.body
        if needed & set(_bound(node)) or (isinstance(node, ast.Import | ast.ImportFrom) and "__future__" not in ast.unparse(node))
    ]
    return ast.unparse(ast.Module(kept, []))


def drawn(chosen: list[Unit], seed: int) -> Iterator[tuple[Unit, Mutant]]:
    """Mutants without end: of all functions in turn, of the kinds that were used least, every second one by the library."""
    rng = random.Random(seed)
    order = [*chosen]
    known: set[tuple[str, str]] = set()
    used: Counter[str] = Counter()
    count, before = 0, -1
    while before != count:
        before = count
        rng.shuffle(order)
        for unit in order:
            possible = list(library_mutants(unit.converted, rng, 40)) if count % 2 else []
            possible = possible or list(own_mutants(unit.converted))
            possible = [one for one in possible if (unit.name, one.source) not in known and _differs(unit.converted, one.source)]
            if possible:
                least = min(used[one.kind] for one in possible)
                mutant = rng.choice([one for one in possible if used[one.kind] == least])
                used[mutant.kind] += 1
                known.add((unit.name, mutant.source))
                count += 1
                yield unit, mutant


def _differs(before: str, after: str) -> bool:
    """Whether the compiled code differs; false also for what does not compile."""
    try:
        return _code(before) != _code(after)
    except (SyntaxError, ValueError):
        return False


def _code(source: str) -> str:
    return ast.dump(ast.parse(ast.unparse(ast.parse(source))))


def compare(modules: list[tuple[Row, Unit, str]], folder: Path, timeout: float) -> None:
    """Verify all modules at once and fill in their rows."""
    from np2jax.runtime_shim.values.contract import contracts_of
    from np2jax.runtime_shim.verification import tree_comparison
    from np2jax.runtime_shim.verification.function_comparison import Examination
    from np2jax.runtime_shim.verification.verify import verify

    promised = []
    for position, (_, unit, text) in enumerate(modules):
        for side, source in (("original", unit.original), ("converted", text)):
            (folder / side).mkdir(parents=True, exist_ok=True)
            (folder / side / f"m{position:03}.py").write_text(source + "\n")
        module = f"m{position:03}"
        promised += [{**c, "file": f"{module}.py", "module": module, "name": f"{module}.{_qualname(c)}"} for c in unit.contracts]
    known = json.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    taken: dict[str, float] = {}
    named = {f"m{position:03}.py": unit.function for position, (_, unit, _) in enumerate(modules)}
    agreed: dict[str, list[Any]] = {}  # the calls of the functions, a few of different sizes
    usual = Examination.verdict

    def timed(self: Examination) -> Any:
        start = _processor_time(self)
        try:
            return usual(self)
        finally:
            taken[self.pair.file] = max(taken.get(self.pair.file, 0.0), _processor_time(self) - start)
            if self.pair.name == named.get(self.pair.file):
                agreed[self.pair.file] = [call for call, _ in self.tally.agreed][:: max(1, len(self.tally.agreed) // 4)]
            print(f"\r{len(taken)} of {len(modules)}", end="", file=sys.stderr, flush=True)

    tree_comparison.Examination.verdict = timed  # type: ignore[method-assign]
    try:
        report = verify(folder / "original", folder / "converted", contracts_of(promised), timeout=timeout)
    finally:
        tree_comparison.Examination.verdict = usual  # type: ignore[method-assign]
        print(file=sys.stderr)
    for position, (row, unit, text) in enumerate(modules):
        file = f"m{position:03}.py"
        here = [one for one in report.functions if one.file == file]
        verdicts = [one.verdict for one in here]
        row.seconds = taken.get(file, 0.0)
        wrong = next((one for one in here if one.verdict in ("differs", "error in converted")), None)
        if wrong is not None:
            raises = wrong.verdict == "error in converted"
            row.verdict = ("raises" if raises else "found") if row.kind else "false report"
            row.words = f"{wrong.reason}, on {wrong.call}"
        elif "agrees" in verdicts:
            row.verdict = "missed" if row.kind else "agrees"
            if row.kind and same_program(unit.converted, text, unit.function, agreed.get(file, ())):
                row.verdict, row.words = "equivalent", "XLA makes the same program of it"
            elif row.kind and same_stores(unit.converted, text):
                row.verdict, row.words = "equivalent", "a loop sets all elements, whatever they were"
            elif row.kind and (proof := known.get(f"{unit.name}: {row.what}")):
                row.verdict, row.words = "equivalent", proof
            else:
                row.words = "; ".join(note for one in here for note in one.notes)
        else:
            row.verdict = "not compared"
            row.words = "; ".join(one.reason for one in here)


def _processor_time(examination: Any) -> float:
    """The processor time so far of this process and of the two that run the code, which other programs do not change."""
    total = time.process_time()
    for side in (examination.original, examination.converted):
        if side.child.process is not None:
            try:
                fields = Path(f"/proc/{side.child.process.pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                return time.monotonic()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="folders of NumPy code; by default that of the project")
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=10.0, help="as for `np2jax verify`")
    parser.add_argument("--only", help="the functions to break, separated by commas")
    parser.add_argument("--functions", type=int, default=60, help="how many functions, drawn from all")
    parser.add_argument("--json", type=Path, help="write all rows there")
    parser.add_argument("--keep", type=Path, help="an empty folder for the compared modules")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="planted-") as temporary:
        found = _converted(given.paths or PATHS, Path(temporary))
        if given.only:
            found = [unit for unit in found if unit.name in given.only.split(",")]
        folder = given.keep or Path(temporary) / "modules"
        return _measure(found, folder, given)


def _converted(paths: list[Path], folder: Path) -> list[Unit]:
    found = []
    for number, path in enumerate(paths):
        output = folder / str(number)
        command = [sys.executable, "-m", "np2jax", "convert", str(path), "--placement", "device", "-o", str(output)]
        done = subprocess.run(command, capture_output=True, text=True)
        if not output.exists():
            sys.exit(done.stderr.strip() or f"{' '.join(command)} ended with status {done.returncode}")
        found += units(path, output)
    return found


def _measure(found: list[Unit], folder: Path, given: argparse.Namespace) -> int:
    """Compare the unbroken functions once, then broken ones, until enough of them count."""
    random.Random(given.seed).shuffle(found)
    chosen = found[: given.functions]
    whole = [(Row(unit.name, "", ""), unit, unit.converted) for unit in chosen]
    compare(whole, folder / "whole", given.timeout)
    right = [unit for row, unit, _ in whole if row.verdict == "agrees"]
    rows = [row for row, *_ in whole]
    mutants = drawn(right, given.seed)
    broken: list[Row] = []
    while (missing := given.mutants - len(_counted(broken))) > 0:
        batch = [
            (Row(unit.name, mutant.kind, mutant.what), unit, mutant.source)
            for unit, mutant in itertools.islice(mutants, min(missing, BATCH))
        ]
        if not batch:
            break
        compare(batch, folder / f"broken{len(broken)}", given.timeout)
        broken += [row for row, *_ in batch]
        if given.json:
            given.json.write_text(json.dumps([asdict(row) for row in [*rows, *broken]], indent=1))
    return _tell(rows, broken)


def _counted(broken: list[Row]) -> list[Row]:
    return [row for row in broken if row.verdict in ("found", "missed")]


def _tell(whole: list[Row], broken: list[Row]) -> int:
    comparable = [row for row in whole if row.verdict == "agrees"]
    counted = _counted(broken)
    for row in [*whole, *broken]:
        if row.verdict not in ("agrees", "found", "raises") or row.seconds > 5:
            print(f"{row.verdict}: {row.unit} ({row.kind}) {row.what} [{row.seconds:.1f} s]\n    {row.words}")
    hits = sum(row.verdict == "found" for row in counted)
    false = sum(row.verdict == "false report" for row in whole)
    skipped = {word: sum(row.verdict == word for row in broken) for word in ("raises", "equivalent")}
    times = sorted(row.seconds for row in [*whole, *counted])
    print(f"{len(comparable)} of {len(whole)} functions compared unbroken, {false} false reports")
    print(
        f"{hits} of {len(counted)} planted bugs found ({skipped['raises']} raise, {skipped['equivalent']} equivalent: not counted)"
    )
    print(f"seconds of processor time for a function: median {times[len(times) // 2]:.1f}, largest {times[-1]:.1f}")
    return int(false > 0 or hits < len(counted) - len(counted) // 60)


if __name__ == "__main__":
    sys.exit(main())
