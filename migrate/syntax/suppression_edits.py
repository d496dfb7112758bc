"""Adds comments that silence findings to the text of a file. A comment goes where Python sees one, and the code stays as it is."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from .suppressions import BLANK, TOOL, WORD, Directive, directives

LONE_RETURN = re.compile(r"\r(?!\n)")
LISTED = re.compile(rf"(?P<head>#[ \t]*{TOOL}[ \t]*:[ \t]*{WORD}[ \t]*)\[(?P<codes>[^\[\]]*)\]")
STARTS = frozenset(getattr(tokenize, name) for name in ("FSTRING_START", "TSTRING_START") if hasattr(tokenize, name))
ENDS = frozenset(getattr(tokenize, name) for name in ("FSTRING_END", "TSTRING_END") if hasattr(tokenize, name))


class LogicalLine(NamedTuple):
    """The lines of a simple statement, or of the header of a compound one. `open`: those after which no comment can stand, as a
    string goes on or a backslash joins the next line."""

    first: int
    last: int
    open: frozenset[int]


class Silenced(NamedTuple):
    """The new text, and why findings on some lines cannot be silenced."""

    text: str
    impossible: Mapping[int, str]


def silence(text: str, found: Mapping[int, Set[str]]) -> Silenced:
    """Add comments that silence the codes found on each line (from 1). The comment of a statement is extended if it has one."""
    if LONE_RETURN.search(text):
        return Silenced(text, dict.fromkeys(found, "its lines end with carriage returns alone"))
    lines = _lines(text)
    every = list(logical_lines(text))
    known = directives(text)
    impossible: dict[int, str] = {}
    wanted: dict[LogicalLine, tuple[int, set[str]]] = {}  # the line of the first finding, and all codes
    for line in sorted(found):
        if (here := next((each for each in every if each.first <= line <= each.last), None)) is None:
            impossible[line] = "it is about no statement"
        else:
            wanted.setdefault(here, (line, set()))[1].update(found[line])
    for here, (line, codes) in wanted.items():
        before = next((each for each in known if each.codes and not each.problem and each.first == here.first), None)
        if before is not None:
            lines[before.line - 1] = _extended(lines[before.line - 1], before, codes)
            continue
        at = line if line not in here.open else here.last
        code = lines[at - 1].rstrip("\r\n")
        end = lines[at - 1][len(code) :]
        lines[at - 1] = f"{code.rstrip()}  # {TOOL}: {WORD}[{_listed(codes)}]{end}"
    new = "".join(lines)
    if not _same_code(text, new):
        return Silenced(text, dict.fromkeys(found, "a comment would change the code"))
    return Silenced(new, impossible)


def logical_lines(text: str) -> Iterator[LogicalLine]:
    """The logical lines of Python code. Those before an error, for text that does not tokenize."""
    lines = _lines(text)
    first, strings, open_lines, commented = 0, list[int](), set[int](), set[int]()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                commented.add(token.start[0])
            elif token.type == tokenize.STRING:
                open_lines.update(range(token.start[0], token.end[0]))
            elif token.type in STARTS:
                strings.append(token.start[0])
            elif token.type in ENDS:
                open_lines.update(range(strings.pop(), token.end[0]))
            if token.type == tokenize.NEWLINE:
                last = token.end[0]
                joined = {n for n in range(first, last) if lines[n - 1].rstrip("\r\n").endswith("\\") and n not in commented}
                yield LogicalLine(first, last, frozenset(open_lines | joined))
                first, open_lines = 0, set()
            elif token.type not in BLANK and not first:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends; only line feeds end one."""
    return list(io.StringIO(text, newline="\n"))


def _extended(line: str, before: Directive, codes: Set[str]) -> str:
    """The line with more codes in its comment."""
    start = before.column - 1
    match = LISTED.match(line, start)
    assert match is not None, "a directive with codes"
    return f"{line[:start]}{match['head']}[{_listed({*before.codes, *codes})}]{line[match.end() :]}"


def _listed(codes: Set[str]) -> str:
    return ", ".join(sorted(codes))


def _same_code(before: str, after: str) -> bool:
    """Whether two texts are the same code, up to comments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
