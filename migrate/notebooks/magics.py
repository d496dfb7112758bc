"""What IPython allows in a cell and Python does not: magics, shell commands and questions, hidden behind calls that Python can parse.

IPython itself makes calls of them, too: what they do is not known, and nothing may move across them.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Collection, Sequence
from typing import NamedTuple

CALL = "get_ipython().magic({})"
CALLED = re.compile(r"get_ipython\(\)\.magic\((\d+)(?:, \w+)*\)")
LEFT = re.compile(r"get_ipython\(\)\.magic\(\d")
WORD = re.compile(r"[^\W\d]\w*")
IMPORT = re.compile(r"^\s*(?:from\s+\S+\s+)?import\s+(.+)$", re.MULTILINE)
RENAMED = re.compile(r"[\w.]+\s+as\s+(\w+)")
PYTHON_CELLS = frozenset("time timeit capture prun".split())  # magics of a cell whose text is Python all the same
CELL = re.compile(r"\s*%%(\w+)")
LINE = re.compile(r"(?P<before>\s*)(?P<magic>%{1,2}[a-zA-Z].*|!.*|\?{1,2}[\w.%*]+.*|%{0,2}[a-zA-Z_][\w.]*\?{1,2}\s*)$")
ASSIGNED = re.compile(r"(?P<before>\s*[\w.,\[\]'\" ]+?=\s*)(?P<magic>%[a-zA-Z].*|!.*)$")


class Hidden(NamedTuple):
    """The text of a cell as Python, and what stands behind its calls, in order."""

    text: str
    magics: tuple[str, ...]


def imported(source: str) -> frozenset[str]:
    """The names that a cell imports, roughly."""
    return frozenset(word for names in IMPORT.findall(source) for word in WORD.findall(RENAMED.sub(r"\1", names)))


def hide(source: str, known: int, needed: Collection[str] = ()) -> Hidden:
    """A cell with calls in place of all that is not Python. `known`: how many there are in the cells before. `needed`: imported names
    that must stay where a magic mentions them: the calls get them as arguments."""

    def call(number: int, magic: str) -> str:
        return CALL.format(", ".join([str(number), *sorted({*WORD.findall(magic)} & {*needed})]))

    cell = CELL.match(source)
    if cell and cell[1] not in PYTHON_CELLS:
        return Hidden(call(known, source), (source,))
    if _is_python(source):
        return Hidden(source, ())
    lines, magics, pending, magic = list[str](), list[str](), "", ""
    for line in source.split("\n"):
        found = None if pending or magic else (LINE.match(line) or ASSIGNED.match(line))
        if found is None and not magic:
            lines.append(line)
            pending = f"{pending}{line}\n"
            pending = pending if _goes_on(pending) else ""
            continue
        before, rest = found.group("before", "magic") if found else ("", line)
        lines.append(before + call(known + len(magics), rest))
        magics.append(rest)
        magic += rest + "\n"
        if not (magic.endswith("\\\n") or (magic.startswith("%") and _goes_on(magic.lstrip("%")))):
            magic = ""
    return Hidden("\n".join(lines), tuple(magics))


def show(text: str, magics: Sequence[str]) -> str:
    """The text with what stands behind the calls. Raises ValueError if a call was changed."""
    shown = CALLED.sub(lambda found: magics[int(found[1])] if int(found[1]) < len(magics) else found[0], text)
    if len(LEFT.findall(text)) != len(CALLED.findall(text)):
        raise ValueError("a magic cannot be told apart after the change")
    return shown


def _is_python(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _goes_on(text: str) -> bool:
    """Whether the last line of a text is inside of brackets or of a string, or ends with a backslash."""
    if text.endswith("\\\n"):
        return True
    try:
        for _token in tokenize.generate_tokens(io.StringIO(text.lstrip(" \t")).readline):
            pass
    except tokenize.TokenError as error:
        return "EOF" in str(error) or "unterminated triple" in str(error)
    except (SyntaxError, IndentationError):
        return False
    return False
