"""The findings that comments and options leave, and what is wrong with the comments themselves."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Collection, Iterator, Sequence

from ...rules.core.diagnostic import Diagnostic
from ..syntax.suppressions import TOOL, Directive, directives, resembles_tool
from .outcome import FileOutcome, Options, ProjectFile
from .settings import suggestion

MAY_BE_ONE = re.compile(rb"#[ \t]*(\w+)[ \t]*:?[ \t]*i\w*g", re.IGNORECASE)
MISSPELT, UNUSED = "NJ001", "NJ002"
ALONE = "on a line of its own it silences nothing: move it to the end of the statement"


def without_silenced(file: ProjectFile, outcome: FileOutcome, options: Options) -> FileOutcome:
    """The outcome without the findings that comments or options exclude, with those about the comments."""
    options = _for_file(file, options)
    comments = _comments(file.data)
    wanted = [item for item in outcome.diagnostics if _wanted(item.code, options)]
    shown = [item for item in wanted if not any(each.silences(item.line, item.code) for each in comments)]
    if not comments:
        return outcome._replace(diagnostics=tuple(shown))
    from ...rules.core.refusals import every_code

    known = every_code()
    seen = {(item.line, item.code) for item in outcome.diagnostics} | outcome.silenced
    path = str(file.path)
    if _wanted(MISSPELT, options):
        shown += [_found(path, each, MISSPELT, why) for each in comments for why in _misspelt(each, known)]
    unused = [_found(path, each, UNUSED, why) for each in comments for why in _unused(each, seen, known, options)]
    return outcome._replace(diagnostics=tuple(shown), unused=tuple(unused) if _wanted(UNUSED, options) else ())


def _for_file(file: ProjectFile, options: Options) -> Options:
    """The options, with what is ignored in this file only."""
    if not file.ignored:
        return options
    from ...rules.core.refusals import every_code

    return options._replace(ignore=(*options.ignore, *(code for code in every_code() if code.startswith(file.ignored))))


def _comments(data: bytes) -> Sequence[Directive]:
    named = {name.decode(errors="replace") for name in MAY_BE_ONE.findall(data)}
    if TOOL.encode() not in data and not any(map(resembles_tool, named)):  # few files are read as tokens
        return ()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return directives(data.decode(encoding))


def _wanted(code: str, options: Options) -> bool:
    return code not in options.ignore and (not options.select or code in options.select)


def _found(path: str, each: Directive, code: str, why: str) -> Diagnostic:
    return Diagnostic(path, each.line, each.column, each.line, each.end_column, code, why, "manual", False)


def _misspelt(each: Directive, known: Collection[str]) -> Iterator[str]:
    if each.problem:
        yield f"{each.problem}, and nothing is silenced; write `# np2jax: ignore[NJ201]` or `# np2jax: ignore`"
    for code in each.codes:
        if not _family(code, known):
            yield f"unknown code `{code}` in a comment for np2jax{suggestion(code, known)}; `np2jax rules` lists them"


def _unused(each: Directive, seen: Collection[tuple[int, str]], known: Collection[str], options: Options) -> Iterator[str]:
    """What a comment silences in vain. Codes that the options exclude may be needed by other runs."""
    if each.problem:
        return
    if each.last < each.first:
        yield ALONE
        return
    if not each.codes:
        if not options.select and not options.ignore and not any(each.silences(*place) for place in seen):
            yield "nothing is found here that this comment silences"
        return
    for code in each.codes:
        family = _family(code, known)
        one = each._replace(codes=(code,))
        if family and all(_wanted(name, options) for name in family) and not any(one.silences(*place) for place in seen):
            yield f"no {code} is found here that this comment silences"


def _family(code: str, known: Collection[str]) -> list[str]:
    """The known codes that a code in a comment covers."""
    return [name for name in known if len(code) > 2 and name.startswith(code)]
