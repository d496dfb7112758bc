"""How long `np2jax server` takes from an edit to the findings for it.

usage: python benchmarks/server_latency.py FILE... [--edits 30]

A real client opens each file, waits for its first findings, then edits one line after another, as someone does who types with
pauses, and takes the time until the findings for that version come in. Printed for each file: its lines, its findings, the time
until the first findings, and the median, the 95th percentile and the maximum of the times for an edit. The first two edits
are left out: the server learns from them how long a line takes.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import time
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

PAUSE = 1.5  # seconds between edits: the whole analysis runs meanwhile


class Timer(LanguageClient):
    """A client that notes when the findings for each version come in for the first time."""

    def __init__(self) -> None:
        super().__init__("latency", "1")
        self.seen: dict[tuple[str, int | None], float] = {}
        self.findings = 0
        self.news = asyncio.Event()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.seen.setdefault((params.uri, params.version), time.perf_counter())
            self.findings = len(params.diagnostics)
            self.news.set()

    async def seconds(self, uri: str, version: int, since: float) -> float:
        while (uri, version) not in self.seen:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 300)
        return self.seen[uri, version] - since


def edited(lines: list[str], number: int, version: int) -> str:
    """The text with another comment at the end of a line: no edit changes what the code does."""
    return "\n".join([*lines[:number], f"{lines[number]}  # edit {version}", *lines[number + 1 :]])


async def measure(paths: list[Path], edits: int) -> None:
    client = Timer()
    await client.start_io(sys.executable, "-m", "np2jax", "server")
    await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
    client.initialized(types.InitializedParams())
    for path in paths:
        text, uri = path.read_text(), path.resolve().as_uri()
        start = time.perf_counter()
        client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 0, text)))
        first = await client.seconds(uri, 0, start)
        findings, lines = client.findings, text.split("\n")
        places = [n for n, line in enumerate(lines) if line.startswith("    ") and " = " in line and line.endswith(")")]
        times = []
        for version in range(1, edits + 3):
            await asyncio.sleep(PAUSE)
            new = edited(lines, random.choice(places), version)
            start = time.perf_counter()
            change = types.TextDocumentContentChangeWholeDocument(new)
            document = types.VersionedTextDocumentIdentifier(version, uri)
            client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
            times.append(await client.seconds(uri, version, start))
        times = sorted(times[2:])
        numbers = f"{statistics.median(times):.3f} {times[int(0.95 * (len(times) - 1))]:.3f} {times[-1]:.3f}"
        print(f"{path.name}: {len(lines)} lines, {findings} findings, first after {first:.2f} s, edits {numbers} s", flush=True)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--edits", type=int, default=30)
    arguments = parser.parse_args()
    random.seed(0)
    asyncio.run(measure(arguments.files, arguments.edits))
