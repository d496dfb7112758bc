"""`record`: run the user's program or tests and record the calls of the project's functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..values.errors import require


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording. `status`: the exit status of the program, None if it did not end in time.

    `skipped`: functions with calls that could not be stored, with the reason.
    """

    status: int | None
    functions: int
    calls: int
    skipped: tuple[tuple[str, str], ...]


def record(command: Sequence[str], roots: Sequence[Path], output: Path, timeout: float | None = None) -> Recording:
    """Run `command` under observation and write evidence about the functions defined below `roots` to `output`.

    `command` is a Python program, such as `["python", "script.py"]`, `["python", "-m", "pkg"]` or `["pytest", "tests"]`; its
    input and output are unchanged. `timeout`: seconds after which it is ended, None for no limit; what it did until then is
    recorded. Raises MissingExtra if numpy is not installed, ShimError if the command is no Python program or `output` cannot be
    written.
    """
    require("numpy", purpose="record")
    from ..sandbox.program_runner import observe, program
    from ..values.evidence import write

    ran, evidence = observe(program(command), list(roots), None, timeout, capture=False)
    write(evidence, output)
    skipped = tuple((f"{file}: {name}", reason) for (file, name), reasons in evidence.skipped.items() for reason in reasons)
    return Recording(ran.status, len(evidence.locations()), sum(map(len, evidence.calls.values())), skipped)
