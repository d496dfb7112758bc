"""The calls that one test makes of the functions of a project, observed in the process of the test."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..sandbox.modules import Tree
from ..sandbox.recording_process import Observer, watching
from ..values.evidence import Evidence, from_log


@contextmanager
def observed(top: Path, files: Iterable[str]) -> Iterator[Evidence]:
    """The calls of functions in these files below `top`; the evidence is filled when the context ends."""
    evidence = Evidence()
    with tempfile.TemporaryFile(prefix="np2jax-log-") as log:
        with watching(Observer([Tree(top, {})], log.fileno(), files=frozenset(files))):
            yield evidence
        log.seek(0)
        found = from_log(log.read())
    evidence.calls, evidence.skipped = found.calls, found.skipped
