"""Checks that a change of np2jax leaves its output unchanged. Run it for every refactoring.

usage: python benchmarks/same_output.py REVISION CORPUS... [--work DIR] [--jobs N] [--show LINES]

REVISION is a commit of this repository, the state before the change. CORPUS is a file or folder of Python code, or name=path.
Each corpus is converted by REVISION (in a separate worktree, stored in DIR, by default build/same_output, and not run again for
the same text) and by the working tree. Compared byte by byte: the converted files, the JSON report, the printed text, and the
exit status. Printed: one line for each corpus, with the seconds and the peak memory of both, and the first LINES lines of each
difference. The exit status is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one version for one corpus: `folder` contains `out`, `report.json` and `printed.txt`."""

    folder: Path
    status: int
    seconds: float
    megabytes: float


def digest(corpus: Path) -> str:
    """A digest of the text of a corpus: SHA-256 over the paths and the contents of its Python files."""
    made = hashlib.sha256(str(corpus).encode())
    for path in sorted(corpus.rglob("*.py")) if corpus.is_dir() else [corpus]:
        made.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return made.hexdigest()[:16]


def checkout(revision: str, work: Path) -> Path:
    """A folder that contains `revision` as the package np2jax."""
    folder = work / "versions" / revision
    if not (folder / "np2jax").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", folder / "np2jax", revision], cwd=ROOT, check=True)
    return folder


def convert(package: Path, corpus: Path, folder: Path, jobs: int) -> Run:
    """Convert `corpus` with the np2jax in `package`, unless `folder` already contains the result."""
    said = folder / "run.json"
    if not said.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        output = ["-o", str(folder / "out"), "--report", str(folder / "report.json"), "-j", str(jobs)]
        command = [sys.executable, "-m", "np2jax", "convert", str(corpus), *output]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # A separate child, so that its peak memory is not that of an earlier run.
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(package), "PYTHONHASHSEED": "0"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdout is not None
        printed = process.stdout.read()
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        (folder / "printed.txt").write_bytes(printed.replace(str(folder).encode(), b"FOLDER"))
        record = {"status": process.returncode, "seconds": seconds, "megabytes": usage.ru_maxrss / 1024}
        said.write_text(json.dumps(record))
    record = json.loads(said.read_text())
    return Run(folder, record["status"], record["seconds"], record["megabytes"])


def texts(run: Run) -> dict[str, bytes]:
    """The compared texts by name."""
    found = {path.relative_to(run.folder).as_posix(): path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    found.pop("run.json", None)
    folder = str(run.folder).encode()
    return {name: text.replace(folder, b"FOLDER") for name, text in found.items()}


def differences(before: Run, after: Run, show: int) -> list[str]:
    """A line for each text that differs, with the first lines of the difference."""
    found = [] if before.status == after.status else [f"  exit status {before.status} before, {after.status} now"]
    old, new = texts(before), texts(after)
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) == new.get(name):
            continue
        found.append(
            f"  {name}" + ("" if name in old and name in new else " is only there " + ("before" if name in old else "now"))
        )
        sides = [(text.get(name) or b"").decode("utf-8", "replace").splitlines() for text in (old, new)]
        diff = [line for line in difflib.unified_diff(*sides, lineterm="", n=0) if not line.startswith(("---", "+++"))]
        found += [f"    {line}" for line in diff[:show]]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision")
    parser.add_argument("corpora", nargs="+", metavar="CORPUS")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "same_output")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    asked = ["git", "rev-parse", "--verify", "--quiet", f"{options.revision}^{{commit}}"]
    found = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"git knows no commit {options.revision}")
    revision, work = found.stdout.strip(), options.work.resolve()
    old = checkout(revision, work)
    new = work / "working_tree"
    new.mkdir(parents=True, exist_ok=True)
    (new / "np2jax").unlink(missing_ok=True)  # DIR may come from another clone
    (new / "np2jax").symlink_to(ROOT)
    differ = 0
    for corpus in options.corpora:
        name, _equals, path = corpus.rpartition("=")
        location = Path(path).resolve()
        if not location.exists():
            sys.exit(f"no such file or folder: {path}")
        label = f"{name or location.name}-{digest(location)}"
        before = convert(old, location, work / "runs" / revision / label, options.jobs)
        shutil.rmtree(work / "runs" / "now" / label, ignore_errors=True)
        after = convert(new, location, work / "runs" / "now" / label, options.jobs)
        lines = differences(before, after, options.show)
        verdict = "differs" if lines else "same"
        cost = f"{before.seconds:6.1f} s {before.megabytes:5.0f} MB before, {after.seconds:6.1f} s {after.megabytes:5.0f} MB now"
        print(f"{verdict:8}{name or location.name:20}{cost}", *lines, sep="\n", flush=True)
        differ += bool(lines)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
