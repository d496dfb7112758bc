"""The findings of the rules for JAX code, for the files of a project."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import NamedTuple

from ...rules.core.diagnostic import Diagnostic
from ...rules.core.lint_rules import Edit, LintRule, lint_rules
from ...rules.jax_table.removed_names import numbers
from ..syntax import file_syntax
from ..syntax.file_text import is_test
from .program import File, Scope
from .queries import forget
from .statements import Statements

LIBRARIES = b"jax flax equinox haiku optax numpyro chex jaxtyping".split()
IMPORTS_JAX = re.compile(
    rb"(?:^(?:\xef\xbb\xbf)?|[;:])[ \t]*(?:from[ \t]+|import[ \t]+(?:[\w. \t]+,)*[ \t]*)(?:" + b"|".join(LIBRARIES) + rb")\b",
    re.M,
)
FAILED = "NJ003"
RECURSION = 20_000  # frames: expressions are interpreted one level of nesting at a time
REGISTERS = re.compile(rb"register\w*\(\s*([A-Za-z_]\w*)")


class JaxSource(NamedTuple):
    """A file to lint: its path, the name under which it is imported, whether it is the `__init__` of a package, its bytes.
    `is_imported`: it has no findings but in what other files call. `siblings`: other names by which it imports files."""

    path: str
    module: str
    is_package: bool
    data: bytes
    is_imported: bool = False
    siblings: tuple[tuple[str, str], ...] = ()

    @property
    def package(self) -> str:
        return self.module if self.is_package else self.module.rpartition(".")[0]


def imports_jax(data: bytes) -> bool:
    """Whether a file imports JAX or a library of its surroundings: it is JAX code already."""
    return any(name in data for name in LIBRARIES) and IMPORTS_JAX.search(data) is not None


def chosen(select: Collection[str], ignore: Collection[str], extend: Collection[str] = ()) -> list[LintRule]:
    """The rules to run: those that are on by default and those in `extend`, or those that were selected."""

    def runs(code: str, rule: LintRule) -> bool:
        return code in select if select else rule.default or code in extend

    return [rule for code, rule in lint_rules().items() if code not in ignore and runs(code, rule)]


def findings(
    sources: Sequence[JaxSource],
    rules: Sequence[LintRule],
    others: Sequence[JaxSource] = (),
    target: str = "",
    *,
    precise: bool = False,
) -> dict[str, list[Diagnostic]]:
    """The findings by path. Files that are not valid Python have none. `others`: files that these may import: only what
    these make JAX trace of them has findings.
    `target`: the version of JAX that they are for, "" for the newest. `precise`: other files of the project mention 64 bits."""
    checks: dict[type, list[object]] = {}
    codes = {}
    for rule in rules:
        for event, registered in rule.checks.items():
            for check in registered:
                checks.setdefault(event, []).append(check)
                codes[check] = rule.code
    files = {source.module: file for source in sources if (file := parsed(source)) is not None}
    rest = {source.module: source for source in others}
    machine = Statements(files, checks, lambda name: parsed(rest.pop(name)) if name in rest else None)
    machine.precise |= precise
    machine.finish_later = []
    machine.codes = codes  # type: ignore[assignment]
    machine.target = numbers(target) if target else ()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION))
    try:
        for file in list(files.values()):
            interpret(machine, file, partial(machine.run_file, file))
        for file, work in machine.network_calls:
            interpret(machine, file, work)
    finally:
        sys.setrecursionlimit(limit)
        forget()
    every = (*sources, *others)
    found: dict[str, list[Diagnostic]] = {source.path: [] for source in every}
    lines = {source.path: source.data.splitlines() for source in every}
    for (path, _line, _column, code), (node, message, function, edit) in machine.found.items():
        if path in found:
            one = diagnostic(path, lines[path], node, code, message, function)
            if edit:
                one = one._replace(replacement=written(edit, lines[path]), safety=lint_rules()[code].safety.value)
            found[path].append(one)
    for (path, name), why in machine.broken.items():
        if path in found:
            message = f"np2jax failed in this file ({name}: {why}): please report it"
            found[path].append(Diagnostic(path, 1, 1, 1, 1, FAILED, message, "manual", False, ""))
    return found


def interpret(machine: Statements, file: File, work: Callable[[], None]) -> None:
    """Interpret code of one file. What fails is a bug of np2jax, and the other files go on."""
    machine.calls = 0
    try:
        work()
    except Exception as error:
        if os.environ.get("NP2JAX_TRACEBACK"):
            raise
        machine.broken[file.path, "the rules for JAX code"] = type(error).__name__


def parsed(source: JaxSource) -> File | None:
    tree = file_syntax.parsed(source.data)
    if tree is None:
        return None
    registered = frozenset(name.decode() for name in REGISTERS.findall(source.data))
    return File(
        source.path,
        source.module,
        source.package,
        tree,
        Scope({}, is_module=True),
        text=source.data,
        tests=is_test(source.path),
        is_imported=source.is_imported,
        siblings=dict(source.siblings),
        registered=registered,
    )


def written(edit: Edit, lines: Sequence[bytes]) -> str:
    """The text of a fix. `lines`: those of the file."""
    return "".join(part if isinstance(part, str) else text_of(part, lines) for part in edit)


def text_of(node: ast.AST, lines: Sequence[bytes]) -> str:
    first, last = getattr(node, "lineno", 1) - 1, getattr(node, "end_lineno", 1) - 1
    rows = [*lines[first : last + 1]]
    rows[-1] = rows[-1][: getattr(node, "end_col_offset", 0)]
    rows[0] = rows[0][getattr(node, "col_offset", 0) :]
    return b"\n".join(rows).decode(errors="replace")


def diagnostic(path: str, lines: Sequence[bytes], node: ast.AST, code: str, message: str, function: str) -> Diagnostic:
    """A finding at a node. `lines`: those of the file; `ast` counts the bytes before a column, in UTF-8."""

    def column(line: int, before: int) -> int:
        return len(lines[line - 1][:before].decode(errors="replace")) + 1 if line <= len(lines) else before + 1

    line, start = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    last = getattr(node, "end_lineno", None) or line
    end = getattr(node, "end_col_offset", None) or start
    return Diagnostic(path, line, column(line, start), last, column(last, end), code, message, "manual", False, function)
