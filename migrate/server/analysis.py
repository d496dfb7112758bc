"""What the server asks of another process: whole analyses, which would keep the editor waiting."""

from __future__ import annotations

import io
import os
import tokenize
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ..files import lint_cache
from ..files.in_place_writer import changes
from ..files.lint_run import linted, mended
from ..project.driver import CommandLine, StandardInput, analyse, gather
from ..project.failure import Failure
from ..project.one_function import with_function_only
from ..project.outcome import FunctionOutcome, Options, ProjectFile
from ..project.rule_selection import resolve
from ..project.values_at import ValueAt
from ..syntax.suppression_edits import silence
from .provisional import encoded

if TYPE_CHECKING:
    from ..project.pass_manager import PassManager


class Analysed(NamedTuple):
    """The findings as `np2jax lint FILE` has them. `file`: None if the settings exclude it; `error`: why it could not be read."""

    diagnostics: tuple[Diagnostic, ...]
    options: Options
    file: ProjectFile | None
    error: str


class Facts(NamedTuple):
    """What is known about the variables of a file, and what `np2jax convert` makes of its functions."""

    values: tuple[ValueAt, ...]
    functions: tuple[FunctionOutcome, ...]


class Request(NamedTuple):
    """A change to a text. `kind`: "fix" as `lint --fix` does, "convert" as `convert` does, or "silence". `function`: only there;
    `line`, `code`: the finding that is silenced."""

    kind: str
    function: str = ""
    line: int = 0
    code: str = ""


def asked(path: Path, data: bytes, placement: str | None) -> CommandLine:
    """The options of the command line: none but the text, so that pyproject.toml decides."""
    return CommandLine(force_exclude=True, placement=placement, standard_input=StandardInput(path, data, named=True))


def analysed(name: str, text: str) -> Analysed:
    """The findings for a file with the text that the editor shows. Raises Failure for invalid settings."""
    path, data = Path(name), encoded(text)
    project, options = gather([path], asked(path, data, "device"), whole=True)
    file = next(iter(project.files), None)
    if file is None:
        return Analysed((), options, None, "")
    found = linted(project, options, lint_cache.default_folder() if _saved(path, data) else None).lint
    return Analysed(found.diagnostics, options, file, "".join(reason for _path, reason in found.errors))


def facts(name: str, text: str) -> Facts:
    """What hovering shows. Raises Failure for invalid settings."""
    path = Path(name)
    project, options = gather([path], asked(path, encoded(text), None))
    found = list[ValueAt]()
    conversion = analyse(project, resolve(options), observe=partial(_collect, name, found))
    return Facts(tuple(found), conversion.functions)


def _collect(name: str, found: list[ValueAt], manager: PassManager, after: str) -> None:
    if after == "resolve":  # later passes change the text
        found += manager.shards.values(name)


def edited(name: str, text: str, request: Request) -> str:
    """The text after a change. Raises Failure where nothing can be changed, with the reason."""
    path, data = Path(name), encoded(text)
    if request.kind == "silence":
        done = silence(text, {request.line: {request.code}})
        if reason := done.impossible.get(request.line):
            raise Failure(f"{path.name}:{request.line}: {request.code} cannot be silenced: {reason}")
        return done.text
    fixes = request.kind == "fix"
    project, options = gather([path], asked(path, data, "device" if fixes else None))
    if not project.files:
        raise Failure(f"{path.name}: nothing is changed: the settings exclude it")
    options = resolve(options)
    if request.function:
        options = with_function_only(project, options, path, request.function)
    if fixes:
        made = mended(project, options).changes
        reason = "no fix is known that is safe"
    else:
        conversion = analyse(project, options)
        made = tuple(changes(project, conversion))
        reason = _why(conversion.functions, request.function)
    if not made:
        raise Failure(f"{request.function or path.name}: nothing is changed: {reason}")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(made[0].after).readline)
    return made[0].after.decode(encoding)


def _why(functions: tuple[FunctionOutcome, ...], name: str) -> str:
    """Why a function stays as it is."""
    mine = [each.reason for each in functions if each.name.endswith(f".{name}") and each.reason]
    return mine[0] if mine else "it uses no NumPy"


def _saved(path: Path, data: bytes) -> bool:
    """Whether a text is that of the file: what is being typed would fill the cache."""
    return path.is_file() and path.read_bytes() == data


def begin() -> None:
    """Prepare a process for analyses: it gives way to the one that answers the editor, and imports what the first one needs."""
    if hasattr(os, "nice"):
        os.nice(10)
    from ..project import pipeline  # noqa: F401
