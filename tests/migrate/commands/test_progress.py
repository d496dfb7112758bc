"""How far a conversion is: shown on a terminal, and nowhere else."""

import io
import sys
from pathlib import Path

from np2jax.migrate.commands import terminal
from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import convert_files
from np2jax.migrate.project.progress import each, shown

IMPORTED = {"a": b"", "b": b"import a\n"}
FILES = [
    ProjectFile(Path(f"{name}.py"), name, IMPORTED[name] + b"import numpy as np\n\n\ndef f(x):\n    return np.sin(x)\n")
    for name in ("a", "b")
]


def test_what_is_done_is_told_and_counted():
    told = []
    with shown(told.append):
        convert_files(FILES, Options())
    assert told[:2] == ["reading files, 1 of 2", "reading files, 2 of 2"]
    assert "analysing functions, 1 of 4" in told
    assert told[-1] == "rewriting files, 2 of 2"


def test_nobody_is_told_by_default_nor_afterwards():
    told = []
    with shown(told.append):
        pass
    assert list(each("reading files", ["x"])) == ["x"]
    assert told == []


def test_nothing_is_printed_where_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with terminal.progress("converting"):
        convert_files(FILES, Options())
    assert sys.stderr.getvalue() == ""


def test_a_terminal_shows_it(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    with terminal.progress("converting"):
        list(each("reading files", ["x"]))
    assert "converting: reading files, 1 of 1" in written.getvalue()
