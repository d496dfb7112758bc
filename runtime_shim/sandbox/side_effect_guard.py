"""Keeps generated inputs from doing harm: a call that writes a file, starts a process or opens a connection is stopped.

In the converted version, only what its own code does counts: JAX may write files of its own.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

FILES = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "shutil.rmtree",
)
PROCESSES = ("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn")
STANDARD, NUMPY = sysconfig.get_path("stdlib"), os.path.dirname(np.__file__)
NETWORK = ("socket.connect", "socket.bind", "socket.sendto", "urllib.Request", "ftplib.connect", "smtplib.connect")


class Stopped(BaseException):
    """The call attempted something forbidden for generated inputs. Not an Exception, so that user code does not swallow it."""


class _State:
    installed = False
    watching = False
    own: Callable[[str], str] | None = None  # the path of a file in the project, "" for any other file
    reason = ""


def _harm(event: str, args: tuple[Any, ...]) -> str:
    """What harm the audited event would do, "" if none."""
    if event == "open":
        path, mode, flags = args
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC)
        writes = writes or (isinstance(mode, str) and any(letter in mode for letter in "wax+"))
        return f"it writes the file {os.path.basename(str(path))}" if writes and str(path) != os.devnull else ""
    if event in FILES:
        return "it changes files"
    if event in PROCESSES:
        return "it starts another process"
    if event in NETWORK:
        return "it uses the network"
    if event == "os.kill" and args[0] != os.getpid():
        return "it sends a signal to another process"
    return "it waits for the keyboard" if event == "builtins.input" else ""


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _State.watching and (harm := _harm(event, args)) and (_State.own is None or _is_done_by(_State.own)):
        _State.reason = _State.reason or harm
        raise Stopped(harm)


def _is_done_by(own: Callable[[str], str]) -> bool:
    """Whether code of the project is responsible for what happens now: it, or a function of Python or NumPy that it calls."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if own(name):
            return True
        standard = name.startswith((STANDARD, "<")) and "-packages" not in name
        if not standard and not name.startswith(NUMPY):
            return False
        frame = frame.f_back
    return False


@contextmanager
def watched(own: Callable[[str], str] | None = None) -> Iterator[None]:
    """Block harmful events inside the context. Afterwards `stopped()` describes the event, even if the user's code continued.

    `own`: the path of a file in the project, "" for any other file. With it, only events count for which the project is responsible.
    """
    if not _State.installed:
        sys.addaudithook(_hook)  # permanent: an audit hook cannot be removed
        _State.installed = True
    _State.watching, _State.reason, _State.own = True, "", own
    try:
        yield
    finally:
        _State.watching = False


def stopped() -> str:
    """What the last guarded block attempted, "" for nothing."""
    return _State.reason
