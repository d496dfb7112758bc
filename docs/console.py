"""The examples of a page: its commands are run, on the files that it shows, and what they print is written below them."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

FILES = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.S)
CONSOLE = re.compile(r"```console\n(.*?)```", re.S)


def with_output(page: str) -> str:
    """The page with the real output of its commands, in order, in one folder."""
    with tempfile.TemporaryDirectory() as folder, working_in(Path(folder)):
        for name, content in FILES.findall(page):
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        commit()
        return CONSOLE.sub(lambda block: f"```console\n{''.join(map(ran, commands(block[1])))}```", page)


def commands(block: str) -> list[str]:
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def ran(command: str) -> str:
    """A command and what it prints."""
    words = shlex.split(command)
    if words[0] == "cat":
        return f"$ {command}\n{Path(words[1]).read_text()}"
    assert words[0] == "np2jax", command
    given = Path(words[words.index("<") + 1]).read_bytes() if "<" in words else b""
    done = run(words[1 : words.index("<") if "<" in words else None], given)
    commit()
    return f"$ {command}\n{done}"


def run(words: list[str], given: bytes = b"") -> str:
    """What np2jax prints: first on standard output, then on standard error."""
    from np2jax.migrate.commands.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(given))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.suppress(SystemExit):
            main(words)
    finally:
        sys.stdin = before
    return "".join(stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]


def commit() -> None:
    """Commit all files: np2jax changes only what git can restore."""
    identity = ("-c", "user.name=np2jax", "-c", "user.email=np2jax@example.org")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "an example", "--allow-empty")):
        subprocess.run(["git", *identity, *arguments], check=True, stdin=subprocess.DEVNULL)


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Run in a folder, with a cache of its own."""
    here, cache = Path.cwd(), os.environ.get("NP2JAX_CACHE_DIR")
    os.chdir(folder)
    os.environ["NP2JAX_CACHE_DIR"] = str(folder / ".cache")
    try:
        yield
    finally:
        os.chdir(here)
        del os.environ["NP2JAX_CACHE_DIR"]
        if cache is not None:
            os.environ["NP2JAX_CACHE_DIR"] = cache
