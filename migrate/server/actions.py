"""The code actions for a place: fixes, a comment that silences a finding, and the conversion of a function. Edits are made when one is chosen."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence

from lsprotocol import types

from ...rules.core.diagnostic import Diagnostic
from .analysis import Request

FIX_ALL = "source.fixAll.np2jax"
KINDS: Sequence[types.CodeActionKind | str] = (types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, FIX_ALL)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def actions(
    uri: str, text: str, found: Sequence[tuple[Diagnostic, types.Diagnostic]], every: Sequence[Diagnostic], line: int
) -> Iterator[types.CodeAction]:
    """What can be done at a line. `found`: the findings there; `every`: all in the file."""
    function = function_at(text, line)
    fixable = [shown for item, shown in found if item.safety == "safe"]
    for item, shown in found:
        if item.replacement is not None:
            edit = types.WorkspaceEdit({uri: [types.TextEdit(shown.range, item.replacement)]})
            title = f"np2jax: write `{item.replacement}`"
            yield types.CodeAction(title, types.CodeActionKind.QuickFix, [shown], edit=edit, is_preferred=item.safety == "safe")
    if any(item.safety == "safe" and item.replacement is None for item, _ in found) and function:
        yield _action(uri, f"np2jax: fix what is found in `{function}`", "quickfix", Request("fix", function), fixable)
    if fixable:
        yield _action(uri, "np2jax: fix what is found in this file", "quickfix", Request("fix"), fixable)
    for item, shown in found:
        request = Request("silence", line=item.line, code=item.code)
        yield _action(uri, f"np2jax: silence {item.code} here by a comment", "quickfix", request, [shown])
    if function:
        yield _action(uri, f"np2jax: convert `{function}` to JAX", "refactor.rewrite", Request("convert", function), [])
    if any(item.safety == "safe" for item in every):
        yield _action(uri, "np2jax: fix what is found in this file", FIX_ALL, Request("fix"), [])


def _action(uri: str, title: str, kind: str, request: Request, about: Sequence[types.Diagnostic]) -> types.CodeAction:
    return types.CodeAction(title, kind=kind, diagnostics=[*about] or None, data={"uri": uri, **request._asdict()})


def wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether the editor asks for a kind: for all, for this one, or for a wider one ("source" for "source.fixAll")."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def function_at(text: str, line: int) -> str:
    """The function of a module, or the method, that contains a line: "f", "C.method", or ""."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return ""
    name = ""
    while node := next((each for each in body if _first(each) <= line <= (each.end_lineno or each.lineno)), None):
        if isinstance(node, FUNCTIONS):
            return name + node.name
        if not isinstance(node, ast.ClassDef):
            return ""
        name, body = f"{name}{node.name}.", node.body
    return ""


def _first(node: ast.stmt) -> int:
    """The first line of a statement, with its decorators."""
    decorators = node.decorator_list if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else []
    return min([node.lineno, *(each.lineno for each in decorators)])
