"""The child process that runs the user's program and records the calls of the project's functions.

It observes a call when the function starts, so imports, decorators and `from m import f` need no special treatment, and nothing
of the user's is replaced. Each distinct call is logged immediately: the calls before a crash are not lost.
"""

from __future__ import annotations

import inspect
import json
import os
import runpy
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ..draws import numpy_generators
from ..draws.tape import TAPE
from ..draws.tape_snapshot import to_node
from ..values.serialization import pack
from ..values.snapshot import Freezer, Node, Snapshot, is_jax, obstacle, size
from .modules import Tree

LARGEST = 64 << 20  # bytes of arrays in one call
MOST_CALLS = 12  # recorded for one function
MOST_SEEN = 2_000  # examined for one function
OCCASIONS = (1, 2, 5, 10, 30, 100, 300, 1000)  # which of the calls with equal outlines are recorded
SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def main(argv: list[str]) -> None:
    """Run a program under observation.

    `argv`: one JSON object with roots, log, kind (script, module or code), target, arguments and tape (a file for its draws,
    or "").
    """
    task = json.loads(argv[0])
    observer = Observer([Tree(Path(root), {}) for root in task["roots"]], os.open(task["log"], os.O_WRONLY | os.O_APPEND))
    if not task["tape"]:
        with watching(observer):
            run(task)
        return
    numpy_generators.install()
    np.random.seed(0)
    TAPE.home = task["roots"][0]
    TAPE.record()
    try:
        with watching(observer):
            run(task)
    finally:
        if os.getpid() == observer.process:
            observer.busy.now = True
            Path(task["tape"]).write_bytes(pack({"snapshots": {"tape": to_node(TAPE)}}))


def run(task: dict[str, Any]) -> None:
    """Run a program as Python itself would, given its kind, target and arguments."""
    sys.argv = [task["target"] if task["kind"] != "code" else "-c", *task["arguments"]]
    if task["kind"] == "script":
        sys.path.insert(0, os.path.dirname(os.path.abspath(task["target"])))
        runpy.run_path(task["target"], run_name="__main__")
        return
    sys.path.insert(0, os.getcwd())
    if task["kind"] == "module":
        runpy.run_module(task["target"], run_name="__main__", alter_sys=True)
    else:
        exec(compile(task["target"], "<string>", "exec"), sys.modules["__main__"].__dict__)


@dataclass(slots=True)
class Observer:
    """Decides which calls are recorded, and records them."""

    trees: list[Tree]
    log: int
    written: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    alike: Counter[tuple[str, Any]] = field(default_factory=Counter)
    busy: threading.local = field(default_factory=threading.local)
    process: int = field(default_factory=os.getpid)
    files: frozenset[str] = frozenset()  # if not empty: only functions of these are recorded

    def interested(self, code: CodeType) -> bool:
        """Whether calls of this code are (still) examined: it is a function of the project that can be found by name."""
        is_function = code.co_flags & inspect.CO_OPTIMIZED and not code.co_flags & SUSPENDED  # not the body of a class or module
        if not is_function or "<" in code.co_qualname or not self._file(code):
            return False
        key = f"{code.co_filename}::{code.co_qualname}"
        return self.seen[key] < MOST_SEEN and self.written[key] < MOST_CALLS

    def started(self, code: CodeType, frame: FrameType) -> None:
        """Called when a function of the project starts."""
        if getattr(self.busy, "now", False) or os.getpid() != self.process:
            return
        self.busy.now = True
        try:
            self._look(code, frame)
        except Exception as problem:  # an unusual argument may raise when examined; the program continues
            self._write(code, f"an argument that cannot be looked at ({type(problem).__name__}: {problem})", {})
        finally:
            self.busy.now = False

    def _look(self, code: CodeType, frame: FrameType) -> None:
        key = f"{code.co_filename}::{code.co_qualname}"
        positional, keywords = arguments_of(code, frame)
        form = (key, outline((positional, keywords)))
        self.seen[key] += 1
        self.alike[form] += 1
        if self.alike[form] not in OCCASIONS:
            return
        self.written[key] += 1
        freezer = Freezer(self._locate)
        both = freezer.take_snapshot([positional, keywords])
        assert isinstance(both, Node)
        why = obstacle(both) or ("arguments that are too large" if size(both) > LARGEST else "")
        why = why or ("arguments that share memory" if overlap([*positional, *keywords.values()]) else "")
        snapshots: dict[str, Snapshot] = {} if why else {"arguments": Node("call", items=both.items)}
        self._write(code, why, snapshots)

    def _write(self, code: CodeType, obstacle: str, snapshots: dict[str, Snapshot]) -> None:
        message = {"file": self._file(code), "name": code.co_qualname, "obstacle": obstacle, "snapshots": snapshots}
        os.write(self.log, pack(message))

    def _file(self, code: CodeType) -> str:
        for tree in self.trees:
            if file := tree.relative(code.co_filename):
                return file if not self.files or file in self.files else ""
        return ""

    def _locate(self, value: Any) -> str | None:
        found = [tree.locate(value) for tree in self.trees]
        return next((name for name in found if name and "::" in name), found[0])


def arguments_of(code: CodeType, frame: FrameType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The positional and the keyword arguments of a call that has just started."""
    local = frame.f_locals
    names = code.co_varnames
    count, only = code.co_argcount, code.co_kwonlyargcount
    positional = [local[name] for name in names[:count]]
    keywords = {name: local[name] for name in names[count : count + only]}
    position = count + only
    if code.co_flags & inspect.CO_VARARGS:
        positional += local[names[position]]
        position += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        keywords |= local[names[position]]
    return tuple(positional), keywords


def overlap(values: list[Any]) -> bool:
    """Whether two of the arrays share memory: as copies they would not change together.

    Passing the same array twice is recorded as such.
    """
    arrays = list({id(value): value for value in values if isinstance(value, np.ndarray)}.values())
    return any(np.may_share_memory(one, other) for position, one in enumerate(arrays) for other in arrays[position + 1 :])


def outline(value: Any, depth: int = 3) -> Any:
    """What distinguishes a call from others: kinds, dtypes, shapes, strings and flags, not numbers."""
    if isinstance(value, np.ndarray | np.generic) or is_jax(value):
        return (str(value.dtype), value.shape)
    if value is None or type(value) in (bool, str):
        return value
    if depth and type(value) in (tuple, list):
        return (type(value).__name__, len(value), *(outline(item, depth - 1) for item in value[:8]))
    if depth and type(value) is dict:
        return ("dict", *((str(key), outline(item, depth - 1)) for key, item in list(value.items())[:16]))
    if depth and type(value).__module__ != "builtins" and hasattr(value, "__dict__"):
        return (type(value).__qualname__, outline(dict(vars(value)), depth - 1))
    return type(value).__name__


@contextmanager
def watching(observer: Observer) -> Iterator[None]:
    """Observe the calls of this process meanwhile."""
    stop = _watch_by_monitoring(observer) if hasattr(sys, "monitoring") else _watch_by_profile(observer)
    try:
        yield
    finally:
        stop()


def _watch_by_monitoring(observer: Observer) -> Callable[[], None]:
    """Observe calls on Python 3.12 and later: irrelevant code costs nothing after its first call. Returns what ends it."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    tool = next(number for number in (4, 3, 5, 2) if monitoring.get_tool(number) is None)
    monitoring.use_tool_id(tool, "np2jax record")

    def started(code: CodeType, _offset: int) -> Any:
        if not observer.interested(code):
            return monitoring.DISABLE
        observer.started(code, sys._getframe(1))
        return None

    monitoring.register_callback(tool, monitoring.events.PY_START, started)
    monitoring.set_events(tool, monitoring.events.PY_START)

    def stop() -> None:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, monitoring.events.PY_START, None)
        monitoring.free_tool_id(tool)
        monitoring.restart_events()  # the next observer may be interested in what this one was not

    return stop


def _watch_by_profile(observer: Observer) -> Callable[[], None]:
    """Observe calls on Python 3.11. Returns what ends it."""
    interesting: dict[CodeType, bool] = {}

    def called(frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        if interesting.get(code, True):
            interesting[code] = observer.interested(code)
            if interesting[code]:
                observer.started(code, frame)

    before = sys.getprofile(), threading.getprofile()
    watch: Callable[..., Any] = called
    sys.setprofile(watch)
    threading.setprofile(watch)

    def stop() -> None:
        sys.setprofile(before[0])
        threading.setprofile(before[1])

    return stop
