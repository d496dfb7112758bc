"""Shards of a project, in this process or in several: each parses its own files and keeps their syntax."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ..analysis.state.interpreter_state import Facts
from ..lowering.loop_outlining import Moved
from ..lowering.rectangular_loops import Place
from ..rewriting.rewriter import Choice, Rewritten
from ..summaries.units import ModuleSummary
from . import garbage_collection, progress
from .failure import Failure
from .outcome import ProjectFile
from .shard import Shard

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")
DOING = {"read": "reading files", "summarise": "analysing functions", "rewrite": "rewriting files"}
WORTH = 200_000  # bytes of source: below, starting a process takes longer than it saves


class Workers:
    """All shards, asked together. `connections` is empty where this process does the work itself."""

    def __init__(self, parts: Sequence[Sequence[ProjectFile]], connections: Sequence[Connection]) -> None:
        self.parts, self.connections = parts, connections
        self.own = [] if connections else [Shard() for _ in parts]
        self.errors: dict[str, str] = {}

    def _ask(self, what: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        if self.own:
            return [getattr(shard, what)(*given) for shard, given in zip(self.own, arguments, strict=True)]
        progress.say(DOING.get(what, "transforming loops"))
        try:
            for connection, given in zip(self.connections, arguments, strict=True):
                connection.send((what, given))
            answers = [connection.recv() for connection in self.connections]
        except (EOFError, ConnectionError):
            raise Failure("a worker process ended while it converted (out of memory?); try -j 1") from None
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return answers

    def read(self) -> list[ModuleSummary]:
        found = self._ask("read", [(part,) for part in self.parts])
        for errors in self._ask("unread", [()] * len(self.parts)):
            self.errors |= errors
        return [summary for part in found for summary in part]

    def before_desugaring(self, facts: Facts, unjitted: frozenset[str]) -> None:
        self._ask("before_desugaring", [(facts, unjitted)] * len(self.parts))

    def desugar(self, without: Collection[str]) -> tuple[list[ModuleSummary], list[str]]:
        return _together(self._ask("desugar", [(without,)] * len(self.parts)))

    def before_moving(self, facts: Facts, unjitted: frozenset[str]) -> None:
        self._ask("before_moving", [(facts, unjitted)] * len(self.parts))

    def outline(
        self, without: Collection[tuple[str, int]], only: Collection[tuple[str, int]] | None
    ) -> tuple[list[ModuleSummary], list[Moved]]:
        return _together(self._ask("outline", [(without, only)] * len(self.parts)))

    def before_rectangles(self, facts: Facts) -> None:
        self._ask("before_rectangles", [(facts,)] * len(self.parts))

    def make_rectangles(self, without: Collection[Place]) -> tuple[list[ModuleSummary], list[Place]]:
        return _together(self._ask("make_rectangles", [(without,)] * len(self.parts)))

    def one_by_one(self, facts: Facts, units: Collection[str]) -> set[Place]:
        return {place for found in self._ask("one_by_one", [(facts, units)] * len(self.parts)) for place in found}

    def summarise(self, facts: Facts) -> list[ModuleSummary]:
        return [s for found in self._ask("summarise", [(facts,)] * len(self.parts)) for s in found]

    def rewrite(self, facts: Facts, choices: Mapping[str, Choice]) -> dict[str, Rewritten]:
        return {name: r for part in self._ask("rewrite", [(facts, choices)] * len(self.parts)) for name, r in part.items()}


def _together(answers: Sequence[tuple[list[ModuleSummary], list[T]]]) -> tuple[list[ModuleSummary], list[T]]:
    return [s for summaries, _found in answers for s in summaries], [f for _summaries, found in answers for f in found]


@contextmanager
def started(files: Sequence[ProjectFile], jobs: int) -> Iterator[Workers]:
    """Shards of about the same size, in `jobs` processes where that pays."""
    jobs = min(jobs, len(files))
    if jobs < 2 or sum(len(f.data) for f in files) < WORTH:
        yield Workers([list(files)], [])
        return
    parts: list[list[ProjectFile]] = [[] for _ in range(jobs)]
    sizes = [0] * jobs
    for file in sorted(files, key=lambda f: -len(f.data)):
        smallest = sizes.index(min(sizes))
        parts[smallest].append(file)
        sizes[smallest] += len(file.data)
    import multiprocessing  # which takes a while, and most conversions need no process

    # a fork is quick, but its locks stay locked for ever where a thread held them, and JAX has threads
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" and "jax" not in sys.modules else "spawn")
    connections, processes = [], []
    for _part in parts:
        here, there = context.Pipe()
        connections.append(here)
        process = context.Process(target=serve, args=(there, connections), daemon=True)
        process.start()
        there.close()
        processes.append(process)
    try:
        yield Workers(parts, connections)
    finally:
        for connection in connections:
            connection.close()
        for process in processes:
            process.join()


def serve(connection: Connection, others: Sequence[Connection]) -> None:
    """Answer questions about one shard until the other end is closed.

    `others` are the ends of the process that asks, which this one has copies of: open, they would hide that the asker is gone.
    """
    for other in others:
        other.close()
    shard = Shard()
    with garbage_collection.paused(), progress.shown(None):
        while True:
            try:
                what, given = connection.recv()
            except EOFError:
                return
            try:
                connection.send(getattr(shard, what)(*given))
            except Exception as error:  # it is raised where the question was asked
                connection.send(error)
