"""The shards of a project, in this process or in several. Each parses its own files and retains their syntax trees."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..analysis.state.project_facts import Facts
from ..lowering.speculation import Assumed, Place
from ..rewriting.rewriter import RewriteOptions, Rewritten
from ..summaries.units import ModuleSummary
from . import garbage_collection, progress
from .failure import Failure
from .outcome import ProjectFile
from .processes import WORTH, context
from .shard import Counts, Shard
from .values_at import ValueAt

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

DOING = {"read": "reading files", "summarise": "analysing functions", "rewrite": "rewriting files"}


class Workers:
    """All shards, queried together. `connections` is empty if this process does the work itself."""

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

    def begin(self, name: str, candidates: Any) -> None:
        self._ask("begin", [(name, candidates)] * len(self.parts))

    def propose(
        self, name: str, rejected: Collection[Hashable], only: Collection[Hashable] | None
    ) -> tuple[list[ModuleSummary], list[Any]]:
        answers = self._ask("propose", [(name, rejected, only)] * len(self.parts))
        return [s for summaries, _changes in answers for s in summaries], [c for _summaries, found in answers for c in found]

    def restore(self, name: str) -> list[ModuleSummary]:
        return [s for found in self._ask("restore", [(name,)] * len(self.parts)) for s in found]

    def dump(self, shows: str, facts: Facts) -> dict[str, str]:
        return {path: text for found in self._ask("dump", [(shows, facts)] * len(self.parts)) for path, text in found.items()}

    def values(self, path: str) -> list[ValueAt]:
        return [value for found in self._ask("values", [(path,)] * len(self.parts)) for value in found]

    def names(self) -> dict[str, str]:
        """The module names by file path."""
        return {path: name for found in self._ask("names", [()] * len(self.parts)) for path, name in found.items()}

    def counts(self) -> dict[str, Counts]:
        return {path: counts for found in self._ask("counts", [()] * len(self.parts)) for path, counts in found.items()}

    def one_by_one(self, facts: Facts, units: Collection[str]) -> set[Place]:
        return {location for found in self._ask("one_by_one", [(facts, units)] * len(self.parts)) for location in found}

    def assumed(self, facts: Facts, options: Mapping[str, RewriteOptions], units: Collection[str]) -> dict[str, Assumed]:
        answers = self._ask("assumed", [(facts, options, units)] * len(self.parts))
        return {name: found for part in answers for name, found in part.items()}

    def summarise(self, facts: Facts) -> list[ModuleSummary]:
        return [s for found in self._ask("summarise", [(facts,)] * len(self.parts)) for s in found]

    def interpreted(self) -> dict[str, int]:
        return {name: times for part in self._ask("last_interpreted", [()] * len(self.parts)) for name, times in part.items()}

    def rewrite(self, facts: Facts, rewrite_options: Mapping[str, RewriteOptions]) -> dict[str, Rewritten]:
        return {
            name: r for part in self._ask("rewrite", [(facts, rewrite_options)] * len(self.parts)) for name, r in part.items()
        }


@contextmanager
def started(files: Sequence[ProjectFile], jobs: int) -> Iterator[Workers]:
    """Shards of about the same size, in `jobs` processes where that pays off."""
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
    starting = context()
    connections, processes = [], []
    for _part in parts:
        here, there = starting.Pipe()
        connections.append(here)
        process = starting.Process(target=serve, args=(there, connections), daemon=True)
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
    """Answer requests about one shard until the other end is closed.

    `others` are the parent's ends of the connections, of which this process has copies. If these stayed open, the parent's exit
    would go unnoticed.
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
                del given  # the facts of a round are as large as the summaries of all files
                garbage_collection.collect()
            except Exception as error:  # raised again by the parent
                connection.send(error)
