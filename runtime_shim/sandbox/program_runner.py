"""Runs a whole program, plainly or under observation, with a time limit and a bound on its output."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..values.errors import ShimError
from ..values.evidence import Evidence, from_log
from .process import BOOT, environment

_running: set[subprocess.Popen[bytes]] = set()  # programs under observation now, in all threads

MOST_OUTPUT = 4 << 20  # bytes of output that are stored
ERROR = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b")
TRACEBACK = "Traceback (most recent call last)"
WITH_VALUE = {"-W", "-X"}  # options of the interpreter that take a value


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended. `status`: the exit status as in a shell, negative for a signal, None after a time-out. `errors`: what it wrote on
    standard error."""

    status: int | None
    output: str
    last_error: str  # the last line on standard error
    seconds: float
    truncated: bool = False  # there was more output than is stored
    errors: str = ""

    @property
    def deliberate(self) -> bool:
        """Whether it ended by itself, with any exit status: `sys.exit(3)`, and not an exception or a signal."""
        return self.status is not None and self.status >= 0 and TRACEBACK not in self.errors


@dataclass(frozen=True, slots=True)
class Program:
    """A Python program: the interpreter and its target. `kind`: script, module or code."""

    interpreter: tuple[str, ...]
    kind: str
    target: str
    arguments: tuple[str, ...] = ()

    def plain(self) -> list[str]:
        """The command that runs the program as it is."""
        option = {"script": [], "module": ["-m"], "code": ["-c"]}[self.kind]
        return [*self.interpreter, *option, self.target, *self.arguments]

    def observed(self, roots: Sequence[Path], log: str, tape: Path | None = None) -> list[str]:
        """The command that runs it under observation and records its draws on `tape`."""
        return self._booted("observe", roots=[str(root) for root in roots], log=log, tape=str(tape or ""))

    def replayed(self, home: Path, tape: Path, report: Path) -> list[str]:
        """The command that runs it with the draws on `tape` and writes any mismatch to `report`."""
        return self._booted("replay", home=str(home), tape=str(tape), report=str(report))

    def _booted(self, job: str, **task: Any) -> list[str]:
        task |= {"kind": self.kind, "target": self.target, "arguments": list(self.arguments)}
        return [*self.interpreter, "-P", str(BOOT), job, json.dumps(task)]


def program(command: Sequence[str]) -> Program:
    """The program that a command line runs: `python script.py`, `python -m module`, `pytest`. Raises ShimError for others."""
    if not command:
        raise ShimError("no command given: np2jax record -- python script.py")
    found = shutil.which(command[0])
    if found is None:
        raise ShimError(f"{command[0]}: no such command")
    if Path(found).name.startswith("python"):
        return _python(found, list(command[1:]))
    with open(found, "rb") as file:
        first = file.readline(512).decode(errors="replace")
    if first.startswith("#!") and "python" in first:
        interpreter = first[2:].split()
        return Program(tuple(interpreter), "script", found, tuple(command[1:]))
    raise ShimError(f"{command[0]}: only Python programs can be observed: np2jax record -- python script.py")


def _python(interpreter: str, rest: list[str]) -> Program:
    options: list[str] = []
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "-c"):
        options += [rest.pop(0)]
        if options[-1] in WITH_VALUE and rest:
            options += [rest.pop(0)]
    if rest[:1] in (["-m"], ["-c"]) and len(rest) > 1:
        return Program((interpreter, *options), "module" if rest[0] == "-m" else "code", rest[1], tuple(rest[2:]))
    if not rest:
        raise ShimError("python without a program cannot be observed: name a script")
    if not Path(rest[0]).exists():
        raise ShimError(f"{rest[0]}: no such file")
    return Program((interpreter, *options), "script", rest[0], tuple(rest[1:]))


def this_python(kind: str, target: str, *arguments: str) -> Program:
    """A program for the running interpreter."""
    return Program((sys.executable,), kind, target, arguments)


def observe(
    what: Program,
    roots: Sequence[Path],
    folder: Path | None,
    limit: float | None,
    capture: bool = True,
    tape: Path | None = None,
) -> tuple[Ran, Evidence]:
    """Run a program and observe its calls of the functions below `roots`; its draws are recorded on `tape`."""
    with tempfile.NamedTemporaryFile(prefix="np2jax-log-") as log:
        ran = run(what.observed([root.resolve() for root in roots], log.name, tape), folder, limit, capture)
        return ran, from_log(log.read())


def run(
    command: Sequence[str],
    folder: Path | None,
    limit: float | None,
    capture: bool = True,
    variables: Mapping[str, str] | None = None,
) -> Ran:
    """Run a command; after `limit` seconds, end it and everything that it started.

    Without `capture` it runs as if the user had started it: on the terminal, in the user's environment plus `variables`.
    """
    start = time.monotonic()
    pipe = subprocess.PIPE if capture else None
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL if capture else None,
        stdout=pipe,
        stderr=pipe,
        env=environment() | dict(variables or {}) if capture else None,
        start_new_session=capture,
    )
    if capture:
        _running.add(process)
    readers = [_Reader(stream) for stream in (process.stdout, process.stderr) if stream is not None]
    try:
        status: int | None = process.wait(limit)
    except subprocess.TimeoutExpired:
        status = None
    except KeyboardInterrupt:  # the program received it, too; what it recorded until then is used
        if capture:
            raise
        status = None
    finally:
        _end(process, capture)
        _running.discard(process)
    texts = [reader.text() for reader in readers] or ["", ""]
    truncated = any(reader.truncated for reader in readers)
    return Ran(status, texts[0], _last_error(texts[1]), time.monotonic() - start, truncated, texts[1])


def end_all() -> None:
    """End all programs that other threads run, for example after Ctrl-C, which reaches only the main thread."""
    for process in list(_running):
        _end(process, own_session=True)


def _last_error(text: str) -> str:
    """The line of a traceback that names the exception, else the last line."""
    lines = text.strip().splitlines()
    return next((line for line in reversed(lines) if ERROR.match(line)), lines[-1] if lines else "")


def _end(process: subprocess.Popen[bytes], own_session: bool) -> None:
    """End the processes of a program that are still running."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if own_session:
            os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()
    process.wait()


class _Reader:
    """Reads a stream to its end and stores at most a bound of it, so that a flood neither blocks the program nor fills memory."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.kept = bytearray()
        self.truncated = False
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        while part := os.read(self.stream.fileno(), 1 << 16):
            room = MOST_OUTPUT - len(self.kept)
            self.kept += part[: max(0, room)]
            self.truncated = self.truncated or len(part) > room

    def text(self) -> str:
        """The text read, once the program has ended."""
        self.thread.join(5)
        if not self.thread.is_alive():
            self.stream.close()
        return self.kept.decode(errors="replace")
