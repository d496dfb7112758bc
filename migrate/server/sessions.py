"""The open documents: what is shown for each, and which analyses run for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

from ...rules.core.diagnostic import Diagnostic
from ..project.failure import Failure
from . import analysis
from .analysis import Facts
from .provisional import Base, Pace, provisional

P = ParamSpec("P")
T = TypeVar("T")

AT_ONCE = 0.01  # seconds in which further characters may come in
PAUSE = 0.4  # seconds without an edit before the whole project is analysed


@dataclass(slots=True)
class Document:
    """A text in the editor. `base`: the last whole analysis, `shown`: the findings that the editor has, `error`: why there are none;
    `facts`: those of one text; `soon` and `later`: what is due."""

    uri: str
    path: str
    text: str
    version: int
    base: Base | None = None
    shown: tuple[Diagnostic, ...] = ()
    error: str = ""
    facts: tuple[str, Facts] | None = None
    pace: Pace = field(default_factory=Pace)
    soon: asyncio.TimerHandle | None = None
    later: asyncio.TimerHandle | None = None
    analysing: asyncio.Lock = field(default_factory=asyncio.Lock)


class Sessions:
    """All open documents. `show` is called when the findings of one change, `say` with what the user has to know."""

    def __init__(self, show: Callable[[Document], None], say: Callable[[str], None]) -> None:
        self.show, self.say = show, say
        self.documents: dict[str, Document] = {}
        self.tasks = set[asyncio.Task[None]]()
        self.pool: ProcessPoolExecutor | None = None

    def open(self, document: Document) -> None:
        self.documents[document.uri] = document
        self._analyse(document)

    def change(self, uri: str, text: str, version: int) -> None:
        document = self.documents[uri]
        document.text, document.version = text, version
        loop = asyncio.get_running_loop()
        if document.soon is None:
            document.soon = loop.call_later(AT_ONCE, self._refresh, document)
        if document.later is not None:
            document.later.cancel()
        document.later = loop.call_later(PAUSE, self._analyse, document)

    def saved(self) -> None:
        """Files of the project, or its settings, are new: what was found in all documents may have changed."""
        for document in self.documents.values():
            document.facts = None
            self._analyse(document, again=True)

    def close(self, uri: str) -> None:
        document = self.documents.pop(uri)
        for due in (document.soon, document.later):
            if due is not None:
                due.cancel()

    def stop(self) -> None:
        for uri in [*self.documents]:
            self.close(uri)
        if self.pool is not None:
            self.pool.shutdown(wait=False, cancel_futures=True)

    async def ask(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in another process. Raises Failure where it does, and if it fails otherwise or the process ends."""
        if self.pool is None:
            self.pool = ProcessPoolExecutor(2, get_context("spawn"), analysis.begin)
        try:
            return await asyncio.wrap_future(self.pool.submit(function, *args, **kwargs))
        except BrokenProcessPool:
            self.pool = None
            raise Failure("the process that analyses the code ended (out of memory?); the next edit starts another") from None
        except Failure:
            raise
        except Exception as error:
            raise Failure(f"this is a bug of np2jax, please report it ({type(error).__name__}: {error})") from error

    async def facts(self, document: Document) -> Facts:
        """What is known about the text as it is now. Raises Failure."""
        text = document.text
        if document.facts is None or document.facts[0] != text:
            document.facts = text, await self.ask(analysis.facts, document.path, text)
        return document.facts[1]

    def _refresh(self, document: Document) -> None:
        """Show what is known of the text as it is now. Where that is no Python, the last findings stay."""
        document.soon = None
        if document.base is None:
            return
        try:
            document.shown = provisional(document.text, document.base, document.pace)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        self.show(document)

    def _analyse(self, document: Document, *, again: bool = False) -> None:
        task = asyncio.get_running_loop().create_task(self._whole(document, again=again))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _whole(self, document: Document, *, again: bool) -> None:
        """Analyse the whole project, and show what is found."""
        async with document.analysing:
            text = document.text
            if document.base is not None and document.base.text == text and not again:
                return
            try:
                found = await self.ask(analysis.analysed, document.path, text)
            except Failure as failure:
                if document.error != str(failure):
                    self.say(str(failure))
                document.error = str(failure)
                return
            if self.documents.get(document.uri) is not document:
                return
            document.error = found.error
            if not found.error:
                document.base = Base(text, found.diagnostics, found.options, found.file)
                self._refresh(document)
            elif document.base is None:
                self.show(document)
