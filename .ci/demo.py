"""What `make demo` shows in a minute: all examples converted, a few of them verified and timed.

CI verifies all of the examples: `make examples`, which takes some minutes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from np2jax.migrate.commands.reports.source_pairs import source_pairs

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES, BUILD = Path("examples"), Path("build")
VERIFIED = ("draw_order", "in_place_modify.py", "norm_and_selu.py", "sum_squared_error.py", "vec_vec_dot.py")
SHOWN = ("vec_vec_dot.py", "mat_vec")
START = time.monotonic()


def say(text: str) -> None:
    print(f"[{time.monotonic() - START:2.0f} s] {text}", flush=True)


def np2jax(*words: str | Path) -> str:
    """What a command prints. Its progress goes to the terminal; what fails ends the demo with its message."""
    command = [sys.executable, "-m", "np2jax", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}demo: np2jax {words[0]} ended with status {done.returncode}")
    return done.stdout


def selection() -> Path:
    """A folder with the examples that are run."""
    folder = ROOT / BUILD / "demo" / "numpy"
    shutil.rmtree(folder.parent, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in VERIFIED:
        source = ROOT / EXAMPLES / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / name)
    return folder.relative_to(ROOT)


def both_versions(original: Path, converted: Path) -> str:
    """One function before and after."""
    file, name = SHOWN
    pair = source_pairs((ROOT / original / file).read_bytes(), (ROOT / converted / file).read_bytes())[name]
    blocks = (("before", pair.original), ("after", pair.converted))
    return "\n".join(f"{file}, {when}:\n\n" + "".join(f"    {line}".rstrip() + "\n" for line in lines) for when, lines in blocks)


def speed(original: Path) -> list[str]:
    """One line for each timed function: the times of both versions, without compilation, at its greatest size."""
    found = json.loads(np2jax("profit", original, "--budget", "0.5", "--format", "json"))
    largest = {one["name"]: max(one["timings"], key=lambda timing: timing["elements"]) for one in found["functions"]}
    return [
        f"    {name}, {size['elements']:,} elements: {size['numpy'] * 1e6:,.0f} us and {size['warm'] * 1e6:,.0f} us, "
        f"{size['speedup']:.1f} times as fast"
        for name, size in sorted(largest.items(), key=lambda item: -item[1]["speedup"])
    ]


def main() -> None:
    say(f"converting {EXAMPLES} into {BUILD / 'examples'}")
    shutil.rmtree(ROOT / BUILD / "examples", ignore_errors=True)
    *_, share, _conditions, files = np2jax("convert", EXAMPLES, "-o", BUILD / "examples").splitlines()
    original = selection()
    converted, page = original.with_name("jax"), original.with_name("report.html")
    np2jax("convert", original, "-o", converted)
    say(f"running both versions of {', '.join(VERIFIED)}")
    *_, compared, verdicts = np2jax("verify", original, converted, "-j", "2", "--report", page).splitlines()
    say("timing both versions")
    times = speed(original)
    say("done\n")
    print(f"converted: {files}; {share}\n\n{both_versions(original, converted)}")
    print(f"verified: {verdicts}\n{compared}\n\nspeed, NumPy and JAX:\n" + "\n".join(times))
    print("    what is small or quick stays faster in NumPy: `convert --only-if-faster` leaves it so")
    print(f"\nthe page with all verdicts, and both versions of each function: {page}")


if __name__ == "__main__":
    main()
