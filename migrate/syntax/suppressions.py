"""Comments that silence findings: `# np2jax: ignore` and `# np2jax: ignore[NJ201, NJ3]` on any line of a statement."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Mapping

COMMENT = re.compile(r"#\s*np2jax:\s*ignore\b(?:\[([^\]]*)\])?")
EVERY: frozenset[str] = frozenset()
BLANK = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})


def suppressed(text: str) -> Mapping[int, frozenset[str]]:
    """Line (from 1) -> the codes, or prefixes of codes, that are silenced there; the empty set silences all.

    A comment applies to every line of its statement (of a compound statement: of its header).
    For text that does not tokenize, the result is what was found before the error: such a file has no findings to silence.
    """
    found: dict[int, frozenset[str]] = {}
    if "np2jax:" not in text:
        return found
    first, marks = 0, []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and (match := COMMENT.search(token.string)):
                marks.append(frozenset(code.strip() for code in (match[1] or "").split(",") if code.strip()))
            elif token.type == tokenize.NEWLINE:
                if marks:
                    codes = EVERY if EVERY in marks else EVERY.union(*marks)
                    found.update(dict.fromkeys(range(first, token.end[0] + 1), codes))
                first, marks = 0, []
            elif token.type not in BLANK and not first:
                first, marks = token.start[0], []
    except (tokenize.TokenError, SyntaxError):
        return found
    return found


def is_suppressed(lines: Mapping[int, frozenset[str]], line: int, code: str) -> bool:
    """Whether a finding with this code, beginning on this line, is silenced."""
    codes = lines.get(line)
    return codes is not None and (not codes or any(code.startswith(start) for start in codes))
