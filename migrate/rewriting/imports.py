"""The imports of a file, finalized after the rewriting: needed ones are added, unused ones are removed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol, TypeVar

import libcst as cst

from ..summaries.units import Module
from ..syntax import docstrings
from ..syntax.source import EXPRESSIONS, children, walk

Import = TypeVar("Import", cst.Import, cst.ImportFrom)

NO_STATEMENTS = EXPRESSIONS | {cst.Arg, cst.Parameters, cst.Decorator}
BLANK = cst.EmptyLine(indent=False)
LIBRARIES = ("numpy", "scipy")
ENABLE = 'jax.config.update("jax_enable_x64", True)'


class RewriteOptions(Protocol):
    @property
    def precision(self) -> str: ...
    @property
    def entry_point(self) -> bool: ...
    @property
    def taken(self) -> frozenset[str]: ...


def finalize(
    module: Module, changed: cst.Module, needed: set[str], rewrite_options: RewriteOptions, project: Callable[[str], bool]
) -> cst.Module:
    """Add the needed import lines, drop imports of NumPy and SciPy that are no longer used, enable float64 at an entry point.

    `project(dotted)` tells whether a module belongs to the project: importing it may create arrays, so float64 must be enabled
    before.
    """
    enable = (
        rewrite_options.entry_point and rewrite_options.precision == "float64" and not any(sets_float64(s) for s in changed.body)
    )
    bound = library_names(module) if needed or enable or changed is not module.source.module else set()
    mentioned, used = mentions(changed, bound) if needed or bound else (set(), set())
    needed = {line for line in needed if line.split()[-1].partition(".")[0] in mentioned}
    if enable:
        needed.add("import jax")
    settled = not needed and changed is module.source.module
    unused = (
        []
        if settled
        else [n for n in sorted(bound - used) if n not in rewrite_options.taken and "*" not in rewrite_options.taken]
    )
    if not needed and not unused and not enable:
        return changed
    body: list[Any] = list(changed.body)
    present = {line for statement in body for line in import_lines(statement)}
    lines = sorted(needed - present, key=lambda line: (line.startswith("from "), line))
    if not lines and not unused and not enable:
        return changed
    add(body, [line for line in lines if line in STANDARD], first_import(body, standard=True))
    add(body, [line for line in lines if line not in STANDARD], first_import(body, standard=False))
    was_empty = not changed.body and not changed.header  # such as many an __init__.py
    changed = changed.with_changes(body=body, has_trailing_newline=changed.has_trailing_newline or was_empty)
    if unused:
        changed = drop(changed, unused)
    return turn_on_float64(changed, project) if enable else changed


def sets_float64(statement: cst.CSTNode) -> bool:
    """Whether a statement already enables or disables float64."""
    if type(statement) is not cst.SimpleStatementLine:
        return False
    match statement.body[0]:
        case cst.Expr(
            value=cst.Call(
                func=cst.Attribute(attr=cst.Name(value="update")), args=[cst.Arg(value=cst.SimpleString(value=text)), _]
            )
        ):
            return "jax_enable_x64" in text
    return False


STANDARD = ("import functools", "import inspect", "import math")


def first_import(body: Sequence[cst.CSTNode], standard: bool) -> int:
    """The index for new imports: next to the import of NumPy; at the top for those of the standard library."""
    top = insertion_point(body)
    numpy = next((i for i, s in enumerate(body) if any(mentions_numpy(line) for line in import_lines(s))), None)
    if standard:
        return top
    if numpy is not None:
        return numpy
    end = top
    while end < len(body) and import_lines(body[end]):
        end += 1
    return end


def add(body: list[Any], lines: Sequence[str], at: int) -> None:
    """Insert import lines; the comments and blank lines above the insertion point stay above them."""
    if not lines:
        return
    made = [statement_of(line) for line in lines]
    follows = body[at] if at < len(body) else None
    if follows is None or not import_lines(follows):
        made[0] = made[0].with_changes(leading_lines=[BLANK] if at else ())
        if follows is not None and not any(line.comment is None for line in follows.leading_lines):
            body[at] = follows.with_changes(leading_lines=[BLANK, *follows.leading_lines])
    else:
        made[0] = made[0].with_changes(leading_lines=follows.leading_lines)
        apart = lines[0] in STANDARD and any(
            not line.startswith(STANDARD) and third_party(line) for line in import_lines(follows)
        )
        body[at] = follows.with_changes(leading_lines=[BLANK] if apart else ())
    body[at:at] = made


def third_party(line: str) -> bool:
    root = line.split()[1].partition(".")[0]
    return root not in sys.stdlib_module_names


@cache
def statement_of(line: str) -> cst.SimpleStatementLine:
    statement = cst.parse_statement(line)
    assert isinstance(statement, cst.SimpleStatementLine)
    return statement


def import_lines(statement: cst.CSTNode) -> list[str]:
    if isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(s, (cst.Import, cst.ImportFrom)) for s in statement.body
    ):
        return [cst.Module([]).code_for_node(s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)).strip() for s in statement.body]
    return []


def mentions_numpy(line: str) -> bool:
    return line.split()[1:2] == ["numpy"] or line.startswith(("import numpy", "from numpy"))


def insertion_point(body: Sequence[cst.CSTNode]) -> int:
    """The index after the docstring and `from __future__` imports, where other imports may stand."""
    at = 0
    for position, statement in enumerate(body):
        if position == 0 and isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Expr):
            if isinstance(statement.body[0].value, (cst.SimpleString, cst.ConcatenatedString)):
                at = 1
                continue
        if any(line.startswith("from __future__") for line in import_lines(statement)):
            at = position + 1
            continue
        break
    return at


def library_names(module: Module) -> set[str]:
    """The names that the imports of NumPy in this file bind, and those of SciPy that its code uses."""
    exports = module.scopes.exports().items()
    bound = {name for name, target in exports if target.partition(".")[0] == "numpy"}
    scipy = {name for name, target in exports if target.partition(".")[0] == "scipy"}
    for node in module.source.parents:
        if type(node) is cst.ImportAlias and (library := imported_library(module, node)):
            (bound if library == "numpy" else scipy).update(alias_names(node))
    return bound | (mentions(module.source.module, scipy)[1] if scipy else set())


def mentions(changed: cst.Module, bound: set[str]) -> tuple[set[str], set[str]]:
    """Every name in the output, and the names in `bound` that it uses other than to import them, including uses in quoted
    annotations and in examples of docstrings, which doctest runs with the imports of the module."""
    mentioned: set[str] = set()
    used: set[str] = set()
    texts: list[str] = []
    imported: set[cst.CSTNode] = set()  # the parts of dotted names in imports
    for node, parent in walk(changed):
        kind = type(node)
        if kind is cst.Attribute:
            if parent in imported or isinstance(parent, (cst.ImportAlias, cst.ImportFrom)):
                imported.add(node)
        elif kind is cst.Name:
            name: str = node.value  # type: ignore[attr-defined]
            mentioned.add(name)
            if name in bound and parent not in imported and not is_label(node, parent):
                used.add(name)
        elif kind is cst.SimpleString:
            text: str = node.value  # type: ignore[attr-defined]
            if isinstance(parent, (cst.Annotation, cst.Element)):
                texts.append(text)
            elif ">>>" in text:
                used |= bound & docstrings.names(text)
    used |= {name for name in bound if any(name in text for text in texts)}
    return mentioned, used


def is_label(node: cst.CSTNode, parent: cst.CSTNode | None) -> bool:
    """Whether a name is that of an attribute or a keyword, or part of an import."""
    if isinstance(parent, cst.Attribute):
        return parent.attr is node
    if isinstance(parent, cst.Arg):
        return parent.keyword is node
    return isinstance(parent, (cst.ImportAlias, cst.AsName, cst.Import, cst.ImportFrom))


def alias_names(node: cst.ImportAlias) -> set[str]:
    if node.asname is not None and isinstance(node.asname.name, cst.Name):
        return {node.asname.name.value}
    at: cst.BaseExpression = node.name
    while isinstance(at, cst.Attribute):
        at = at.value
    return {at.value} if isinstance(at, cst.Name) else set()


def imported_library(module: Module, node: cst.ImportAlias) -> str:
    """The library that an import is of, "" for any but NumPy and SciPy."""
    parent = module.source.parents.get(node)
    at: cst.CSTNode | None = (
        parent.module
        if isinstance(parent, cst.ImportFrom) and not parent.relative
        else node.name
        if isinstance(parent, cst.Import)
        else None
    )
    return library_of(at)


def library_of(name: cst.CSTNode | None) -> str:
    """The library that a dotted name is of, "" for any but NumPy and SciPy."""
    while isinstance(name, cst.Attribute):
        name = name.value
    return name.value if isinstance(name, cst.Name) and name.value in LIBRARIES else ""


class _Dropper(cst.CSTTransformer):
    def __init__(self, unused: Sequence[str], touched: frozenset[cst.CSTNode]) -> None:
        super().__init__()
        self.unused = frozenset(unused)
        self.touched = touched

    def on_visit(self, node: cst.CSTNode) -> bool:
        # a `try` with handlers asks whether the library is installed, whether or not its name is used
        return node in self.touched and not (isinstance(node, (cst.Try, cst.TryStar)) and node.handlers)

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        pass

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        pass

    def _keep(self, node: Import, aliases: Sequence[cst.ImportAlias], of_library: bool) -> Import | cst.RemovalSentinel:
        kept = []
        for alias in aliases:
            if not ((of_library or library_of(alias.name)) and alias_names(alias) <= self.unused):
                kept.append(alias)
        if not kept:
            return cst.RemoveFromParent()
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return node if len(kept) == len(aliases) else node.with_changes(names=kept)

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import | cst.RemovalSentinel:
        return self._keep(updated_node, updated_node.names, False)

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom | cst.RemovalSentinel:
        if isinstance(updated_node.names, cst.ImportStar) or updated_node.relative or not library_of(updated_node.module):
            return updated_node
        return self._keep(updated_node, updated_node.names, True)

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.IndentedBlock:
        if original_node.body and not updated_node.body:
            return updated_node.with_changes(body=[statement_of("pass")])
        return updated_node


def drop(module: cst.Module, unused: Sequence[str]) -> cst.Module:
    """The module without the imports of NumPy and SciPy that bind these names; blank lines before a dropped line move to the next one."""
    first = module.body[0] if module.body else None
    result = module.visit(_Dropper(unused, with_imports(module)))
    assert isinstance(result, cst.Module)
    if first is not None and result.body and result.body[0] is not first and not module.header:
        body = list(result.body)
        lines = [line for line in body[0].leading_lines if line.comment is not None]
        body[0] = body[0].with_changes(leading_lines=lines)
        result = result.with_changes(body=body)
    return result


def with_imports(module: cst.Module) -> frozenset[cst.CSTNode]:
    """The imports of a module and all nodes that enclose them."""
    found: set[cst.CSTNode] = set()
    stack: list[tuple[cst.CSTNode, ...]] = [(module,)]
    while stack:
        path = stack.pop()
        if isinstance(path[-1], (cst.Import, cst.ImportFrom)):
            found.update(path)
        stack += [(*path, inner) for inner in children(path[-1]) if type(inner) not in NO_STATEMENTS]
    return frozenset(found)


def turn_on_float64(module: cst.Module, project: Callable[[str], bool]) -> cst.Module:
    """Insert `jax.config.update(...)` after the imports at the top, but before any import of the project, which may create
    arrays."""
    body: list[Any] = list(module.body)
    jax = next(i for i, s in enumerate(body) if "import jax" in import_lines(s))
    at = insertion_point(body)
    while (
        at < len(body) and import_lines(body[at]) and not any(imports_project(line, project) for line in import_lines(body[at]))
    ):
        at += 1
    if jax >= at:
        body.insert(at, body.pop(jax).with_changes(leading_lines=[BLANK] if at else ()))
        at += 1
    body.insert(at, statement_of(ENABLE).with_changes(leading_lines=[BLANK]))
    if at + 1 < len(body) and not any(line.comment is None for line in body[at + 1].leading_lines[:1]):
        body[at + 1] = body[at + 1].with_changes(leading_lines=[BLANK, *body[at + 1].leading_lines])
    return module.with_changes(body=body)


def imports_project(line: str, project: Callable[[str], bool]) -> bool:
    words = line.split()
    return words[1].startswith(".") or project(words[1].rstrip(","))
