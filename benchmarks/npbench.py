"""Convert the NumPy kernels of NPBench and compare the result with NumPy and with hand-written JAX.

usage: python benchmarks/npbench.py CHECKOUT [--preset S] [--kernels lu,adi] [--rounds 1] [--timeout 120] [--json FILE]
[--converted DIR]

CHECKOUT is a clone of https://github.com/spcl/npbench. Each kernel gets one line with a verdict:

  right    every result and every argument that NumPy changes agrees in shape, kind of dtype and values; if values differ, then
           by no more than NumPy's own results for inputs that are one bit apart (the line says so)
  WRONG    it ran, and something differs or is missing: the one thing that must never happen
  raised   it raised an error                  numpy    it still computes with NumPy: it was left unconverted
  timeout  no answer in time                   absent   there is no such file

Times are medians of warm calls in the process that also times NumPy; a ratio of 2 means twice as fast. With several rounds,
each version runs in that many processes, alternately, and the medians of their times count: depending on where a process gets
its memory from, a kernel that only fills it (go_fast) is up to three times as fast in one process as in the next. The last line
is about first calls, which trace and compile: there, a ratio of 2 means twice as long. Nothing is installed and nothing in
CHECKOUT is changed. The exit status is 1 if a kernel is WRONG.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

VERDICTS = ("right", "WRONG", "raised", "numpy", "timeout", "absent")
KERNEL_SCRIPT = Path(__file__).with_name("npbench_kernel.py")


def convert(checkout: Path, output: Path) -> None:
    """Make `output` the converted copy of the checkout's benchmarks. Exits with the tool's message if the conversion fails."""
    command = [sys.executable, "-m", "np2jax", "convert", str(checkout / "npbench" / "benchmarks"), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1) or not output.exists():
        sys.exit(done.stderr.strip() or f"{' '.join(command)} ended with status {done.returncode}")


def run_kernel(checkout: Path, kernel: str, file: Path, preset: str, timeout: float) -> dict[str, Any]:
    """The record of one kernel, run in a separate process."""
    command = [sys.executable, str(KERNEL_SCRIPT), str(checkout), kernel, str(file), preset]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=os.environ | {"JAX_ENABLE_X64": "1"})
    except subprocess.TimeoutExpired:
        return {"verdict": "timeout"}
    try:
        record: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        return {"verdict": "raised", "why": done.stderr.strip()[-200:]}
    return record


def together(records: list[dict[str, Any]]) -> dict[str, Any]:
    """One record for several processes: the medians of their times, and the first verdict that is not right."""
    last = next((r for r in records if r["verdict"] != "right"), records[-1])
    times = {key: statistics.median(r[key] for r in records if key in r) for key in last if key.endswith("_s")}
    return last | times


def score(checkout: Path, converted: Path, kernel: str, preset: str, timeout: float, rounds: int = 1) -> dict[str, Any]:
    """One row: the converted kernel, with the verdict and time of the hand-written one."""
    info = json.loads((checkout / "bench_info" / f"{kernel}.json").read_text())["benchmark"]
    location = Path(info["relative_path"])
    files = (
        converted / location / f"{info['module_name']}_numpy.py",
        checkout / "npbench" / "benchmarks" / location / f"{info['module_name']}_jax.py",
    )
    found = [[run_kernel(checkout, kernel, file, preset, timeout) for file in files] for _round in range(rounds)]
    ours, hand = (together([pair[which] for pair in found]) for which in (0, 1))
    row = {"kernel": kernel, **ours, "hand_verdict": hand["verdict"]}
    if "warm_s" in ours:
        row["beside_numpy"] = ours["numpy_s"] / ours["warm_s"]
        if "warm_s" in hand:
            row["beside_hand"] = hand["warm_s"] / ours["warm_s"]
    if "warm_s" in hand:
        row["hand_beside_numpy"] = hand["numpy_s"] / hand["warm_s"]
    if "first_s" in ours and "first_s" in hand:
        row["hand_first_s"] = hand["first_s"]
    return row


def geometric_mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def middle(values: list[float]) -> float:
    return statistics.median(values) if values else math.nan


def line(row: dict[str, Any]) -> str:
    def ratio(name: str, words: str) -> str:
        return f"{row[name]:8.2f} x {words}" if name in row else " " * (11 + len(words))

    speed = f"{ratio('beside_numpy', 'NumPy')} {ratio('beside_hand', 'by hand')}"
    return f"{row['verdict']:8}{row['kernel']:26}{speed}  {row.get('why', '')}".rstrip()


def totals(rows: list[dict[str, Any]]) -> str:
    """The counts by verdict and the geometric means of the ratios."""
    counts = collections.Counter(row["verdict"] for row in rows)
    hand = collections.Counter(row["hand_verdict"] for row in rows)

    def mean(name: str) -> str:
        ratios = [row[name] for row in rows if name in row]
        return f"{geometric_mean(ratios):.2f} over {len(ratios)} kernels"

    first = [(row["first_s"], row["hand_first_s"]) for row in rows if "hand_first_s" in row]
    ours, hands = middle([one for one, _other in first]), middle([other for _one, other in first])
    slower = middle([one / other for one, other in first])

    return "\n".join(
        [
            f"converted:  {', '.join(f'{verdict} {counts[verdict]}' for verdict in VERDICTS)} of {len(rows)}",
            f"by hand:    {', '.join(f'{verdict} {hand[verdict]}' for verdict in VERDICTS)} of {len(rows)}",
            f"geometric mean of speed, converted beside NumPy:   {mean('beside_numpy')}",
            f"geometric mean of speed, converted beside by hand: {mean('beside_hand')}",
            f"geometric mean of speed, by hand beside NumPy:     {mean('hand_beside_numpy')}",
            f"first call, which compiles, converted beside by hand: medians {ours:.2f} s and {hands:.2f} s over {len(first)} kernels, "
            f"median of the ratios {slower:.2f}",
        ]
    )


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--preset", default="S", choices=["S", "M", "L", "paper"])
    parser.add_argument("--kernels", default="", help="only these, separated by commas")
    parser.add_argument("--rounds", type=int, default=1, help="processes for each version of each kernel, whose medians count")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one version of one kernel")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument("--converted", type=Path, help="score this conversion instead of making one")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds: at least 1")
    if not (options.checkout / "bench_info").is_dir():
        parser.error(f"{options.checkout} is no checkout of NPBench: it has no folder bench_info")
    return options


def main() -> None:
    options = parse_arguments()
    known = sorted(path.stem for path in (options.checkout / "bench_info").glob("*.json"))
    kernels = options.kernels.split(",") if options.kernels else known
    if unknown := sorted(set(kernels) - set(known)):
        sys.exit(f"no such kernel in {options.checkout}: {', '.join(unknown)}")
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        converted = options.converted or Path(scratch) / "converted"
        if options.converted is None:
            convert(options.checkout, converted)
        for kernel in kernels:
            rows.append(score(options.checkout, converted, kernel, options.preset, options.timeout, options.rounds))
            print(line(rows[-1]), flush=True)
    print(totals(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    sys.exit(any(row["verdict"] == "WRONG" for row in rows))


if __name__ == "__main__":
    main()
