"""The child process that times the functions of one tree. NumPy's generators and JAX's draws are the libraries' own."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..values.calls import Arguments
from ..values.restore import Thawer
from ..values.snapshot import Node, is_jax
from . import side_effect_guard
from .execution import as_jax, as_numpy
from .keys import key_for, with_keys
from .modules import resolve
from .worker import Message, Worker
from .worker import main as serve

DEEPEST = 3  # containers in containers that may hold results of JAX
CONTAINERS = (tuple, list)
SETTLED = (int, float, complex, str, np.generic, np.ndarray)
MANY = 100  # a list of so many numbers is not searched for results of JAX


class TimingWorker(Worker):
    """A worker that also times calls."""

    replays = False

    def hello(self) -> Message:
        """The first answer. What JAX sets up once for a process is paid for here, and no call may take all of the memory."""
        answer = super().hello()
        if self.converted:
            import jax

            jax.config.update("jax_enable_compilation_cache", False)  # type: ignore[no-untyped-call,unused-ignore]
            jax.block_until_ready(jax.jit(lambda x: x + 1)(jax.numpy.zeros(3)))  # type: ignore[no-untyped-call,unused-ignore]
        if {*answer["platforms"]} <= {"cpu"}:  # drivers of accelerators map more memory than there is
            _limit_memory()
        return answer

    def do_time(self, message: Message) -> Message:
        """Call a function `least` to `most` times, as `budget` seconds allow; only the calls are timed.

        Each call gets fresh copies of the arguments, since it may change them. `fresh`: JAX forgets first what it has compiled.
        """
        self._restore()
        self._seed(message["seed"])
        node: Node = message["snapshots"]["arguments"]
        try:
            function = resolve(self.tree.load(message["file"]), message["name"])
            if self.converted:
                function = with_keys(function, Arguments(node))
            if message["fresh"]:
                import jax

                jax.clear_caches()  # type: ignore[no-untyped-call,unused-ignore]
            guard = side_effect_guard.watched() if message["guarded"] else contextlib.nullcontext()
            with guard, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                bounds = (message["budget"], message["least"], message["most"])
                seconds = repeated(lambda: self._prepared(function, message), *bounds)
            if message["guarded"] and side_effect_guard.stopped():
                return {"error": side_effect_guard.stopped()}
            return {"seconds": seconds}
        except side_effect_guard.Stopped as problem:
            return {"error": str(problem)}
        except BaseException as problem:
            return {"error": self._line(problem)}

    def _prepared(self, function: Callable[..., Any], message: Message) -> Callable[[], Any]:
        """One call, with arguments of its own. It returns what it computed only when that is there."""
        array = as_jax if self.converted and message["arrays"] == "jax" else as_numpy
        node: Node = message["snapshots"]["arguments"]
        thawer = Thawer(self._find, array, key_for if message["keys"] else None)
        positional, keywords = (thawer.restore(part) for part in node.items)

        def call() -> None:
            settle(function(*positional, **keywords))
            settle((*positional, *keywords.values()))

        return call


def repeated(prepare: Callable[[], Callable[[], Any]], budget: float, least: int, most: int) -> list[float]:
    """The seconds that each of `least` to `most` calls takes; `budget` seconds after the first one no more are begun."""
    seconds: list[float] = []
    end = float("inf")
    while len(seconds) < least or (len(seconds) < most and time.perf_counter() < end):
        call = prepare()
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
        if len(seconds) == 1:
            end = time.perf_counter() + budget
    return seconds


def settle(value: Any, depth: int = 0) -> None:
    """Wait until JAX has computed a value: arrays, also in containers and in attributes."""
    if is_jax(value):
        value.block_until_ready()
    elif depth >= DEEPEST or isinstance(value, SETTLED):
        return
    elif isinstance(value, CONTAINERS):
        if len(value) > MANY and isinstance(value[0], SETTLED):
            return
        for item in value:
            settle(item, depth + 1)
    elif isinstance(value, Mapping):
        for item in value.values():
            settle(item, depth + 1)
    elif hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        for item in vars(value).values():
            settle(item, depth + 1)


def _limit_memory() -> None:
    """Let allocations fail that would take more than half of the memory, so that large inputs do not take the machine down."""
    if sys.platform != "linux":
        return
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = half if hard == resource.RLIM_INFINITY else min(half, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def main(argv: list[str]) -> None:
    """Serve until the parent closes its end."""
    serve(argv, TimingWorker)
