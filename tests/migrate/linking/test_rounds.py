"""The rounds of `resolve` end, whatever functions make of their own results."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pass_manager import MOST_ROUNDS
from np2jax.migrate.project.pipeline import pass_manager
from np2jax.migrate.project.workers import started

RECURSIVE = """
def ramsey(G):
    if not G:
        return set(), set()
    node = next(iter(G))
    c_1, i_1 = ramsey(G.subgraph(node).copy())
    c_2, i_2 = ramsey(G.without(node).copy())
    c_1.add(node)
    i_2.add(node)
    return max(c_1, c_2, key=len), max(i_1, i_2, key=len)
"""
ASKED = """
class Papers:
    limit: int = 300

    def is_identifier(self, query: str) -> bool:
        for item in query[: self.limit].split():
            match_result = pattern.match(item)
            if not match_result:
                return False
            if match_result.group(0) != item:
                return False
        return True

    def fetch(self, query: str):
        if self.is_identifier(query):
            return self.search(query.split()).results()
        return self.search(query[: self.limit]).results()
"""


@pytest.mark.parametrize("text", [RECURSIVE, ASKED], ids=["a result of twice its own", "a branch that Python needs or not"])
def test_the_rounds_end(text):
    files = [ProjectFile(Path("code.py"), "code", f"import numpy as np\n{text}".encode())]
    with started(files, 1) as shards:
        manager = pass_manager(files, Options(), shards)
        manager.run("resolve")
    assert not manager.unstable
    assert manager.rounds < MOST_ROUNDS
