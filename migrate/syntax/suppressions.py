"""Comments that silence findings: `# np2jax: ignore` and `# np2jax: ignore[NJ201, NJ3]` on any line of a statement."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

TOOL, WORD = "np2jax", "ignore"
# What begins like a directive: the name of the tool with a colon, or any name before a word like "ignore".
START = re.compile(r"#[ \t]*(?P<tool>\w+)(?P<colon>[ \t]*:)?[ \t]*(?P<word>\w*)(?P<rest>[^#]*)")
CODES = re.compile(r"[ \t]*\[(?P<codes>[^\[\]]*)\]")
NO_REASON = re.compile(r"[ \t]*[\[(:=]|.*\bNJ?\d")  # after a bare `ignore`: codes in another form, not the reason for it
CLOSE = 0.75  # the least similarity of a misspelt word
EVERY: frozenset[str] = frozenset()
BLANK = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})


class Directive(NamedTuple):
    """A comment for np2jax, and the lines that it applies to: none (0 to -1) if it stands on a line of its own.

    `problem`: why it silences nothing. Lines and columns count from 1.
    """

    line: int
    column: int
    end_column: int
    codes: tuple[str, ...] = ()  # () silences all
    problem: str = ""
    first: int = 0
    last: int = -1

    def silences(self, line: int, code: str) -> bool:
        """Whether it silences a finding with this code that begins on this line."""
        return self.first <= line <= self.last and not self.problem and _covers(self.codes, code)


def directives(text: str) -> list[Directive]:
    """All comments for np2jax. A comment applies to every line of its statement (of a compound statement: of its header).

    For text that does not tokenize, the result is what was found before the error: such a file has no findings to silence.
    """
    found: list[Directive] = []
    first, waiting = 0, list[Directive]()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                here = list(_in_comment(token))
                (waiting if first else found).extend(here)
            elif token.type == tokenize.NEWLINE:
                found += (each._replace(first=first, last=token.end[0]) for each in waiting)
                first, waiting = 0, []
            elif token.type not in BLANK and not first:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return found
    return found


def _in_comment(token: tokenize.TokenInfo) -> Iterator[Directive]:
    for match in START.finditer(token.string):
        tool, word, rest = match["tool"], match["word"], match["rest"]
        named = tool == TOOL and bool(match["colon"])
        if not named and not (resembles_tool(tool) and _like(word, WORD)):
            continue
        codes: tuple[str, ...] = ()
        problem = ""
        if not named or word != WORD:
            problem = f"`{match.group().strip()}` is not a comment for np2jax"
        elif listed := CODES.match(rest):
            codes = tuple(code.strip() for code in listed["codes"].split(",") if code.strip())
            problem = "" if codes else "`ignore[]` names no code"
        elif NO_REASON.match(rest):
            problem = "the codes must stand in brackets"
        start = token.start[1] + match.start() + 1
        yield Directive(token.start[0], start, start + len(match.group().rstrip()), codes, problem)


def resembles_tool(word: str) -> bool:
    """Whether a word may be the name of the tool, misspelt."""
    return _like(word, TOOL)


def _like(word: str, meant: str) -> bool:
    return SequenceMatcher(None, word.lower(), meant).ratio() >= CLOSE


def suppressed(text: str) -> Mapping[int, frozenset[str]]:
    """Line (from 1) -> the codes, or prefixes of codes, that are silenced there; the empty set silences all."""
    found: dict[int, frozenset[str]] = {}
    for each in directives(text) if TOOL in text else ():
        for line in range(each.first, each.last + 1) if not each.problem else ():
            before = found.get(line)
            found[line] = EVERY if before == EVERY or not each.codes else (before or EVERY).union(each.codes)
    return found


def is_suppressed(lines: Mapping[int, frozenset[str]], line: int, code: str) -> bool:
    """Whether a finding with this code, beginning on this line, is silenced."""
    codes = lines.get(line)
    return codes is not None and _covers(codes, code)


def _covers(codes: frozenset[str] | tuple[str, ...], code: str) -> bool:
    return not codes or any(code.startswith(start) for start in codes)
