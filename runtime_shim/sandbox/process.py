"""The parent's end of a child process: sends requests, enforces time limits, and starts a new process after a crash."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

from ..values.errors import ShimError
from ..values.serialization import pack, unpack

BOOT = Path(__file__).with_name("boot.py")
START = 120.0  # seconds allowed for starting: importing JAX on a busy machine


class Ended(Exception):
    """The child has ended: the message says how."""


class TimedOut(Ended):
    """The child did not answer in time and was killed."""


class Child:
    """One worker process, started on the first request. `job`: which worker, "serve" or "time" (see boot.py)."""

    def __init__(self, hello: dict[str, Any], job: str = "serve") -> None:
        self.hello = hello
        self.job = job
        self.process: subprocess.Popen[bytes] | None = None
        self.writing = self.reading = -1
        self.errors: IO[bytes] | None = None
        self.last_words = ""
        self.about: dict[str, Any] = {}
        self.generation = 0  # counts the processes, so that callers notice when imports are lost

    def ask(self, message: dict[str, Any], limit: float) -> dict[str, Any]:
        """The answer to `message`. Raises Ended, or TimedOut after `limit` seconds; the next request starts a new process."""
        self.start()
        return self._exchange(message, limit)

    def start(self) -> None:
        """Start the process unless it is running. Raises Ended."""
        if self.process is not None:
            return
        to_child, self.writing = os.pipe()
        self.reading, from_child = os.pipe()
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  closed by stop()
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(BOOT), self.job, str(to_child), str(from_child)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            pass_fds=(to_child, from_child),
            env=environment(),
            start_new_session=True,
        )
        os.close(to_child)
        os.close(from_child)
        self.generation += 1
        try:
            self.about = self._exchange(self.hello, START)
        except Ended as problem:
            raise ShimError(f"the process that runs the code could not start: {self.last_words or problem}") from None

    def _exchange(self, message: dict[str, Any], limit: float) -> dict[str, Any]:
        deadline = time.monotonic() + limit
        try:
            self._send(pack(message))
            (length,) = struct.unpack(">Q", self._read(8, deadline))
            return unpack(self._read(length, deadline))
        except TimedOut:
            self.stop()
            raise
        except (Ended, OSError):
            raise Ended(self._fate()) from None

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self.writing, view) :]

    def _read(self, count: int, deadline: float) -> bytes:
        data = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self.reading, selectors.EVENT_READ)
            while len(data) < count:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise TimedOut("no answer in time")
                part = os.read(self.reading, min(count - len(data), 1 << 20))
                if not part:
                    raise Ended
                data += part
        return bytes(data)

    def _fate(self) -> str:
        """How the process ended, after it closed its end of the pipe."""
        assert self.process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        code = self.process.returncode
        self.stop()
        if code is None:
            return "it closed its files"
        if code >= 0:
            return f"it ends the process with exit status {code}"
        return f"it ends the process by {signal.Signals(-code).name}"

    def stop(self) -> None:
        """End the process and everything that it started."""
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for descriptor in (self.writing, self.reading):
            os.close(descriptor)
        if self.errors is not None:
            self.errors.seek(0)
            self.last_words = " ".join(self.errors.read().decode(errors="replace").strip().splitlines()[-1:])
            self.errors.close()
        self.process = None


def environment() -> dict[str, str]:
    """The user's environment, without .pyc files (to leave nothing behind), with a fixed hash seed, and with plots off screen.

    Unless the user has set it otherwise, JAX takes memory of a GPU as it needs it: several processes run at a time, and the first
    would leave them none.
    """
    shared = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    return shared | os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "MPLBACKEND": "Agg"}
