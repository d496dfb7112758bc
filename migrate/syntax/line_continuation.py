"""Parentheses for expressions of several lines that were moved out of the parentheses that joined the lines."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

import libcst as cst

from .source import new_statements

VALUES = (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Return, cst.Expr)
TESTS = (cst.If, cst.While, cst.Assert)


def parenthesized(module: cst.Module, known: Container[cst.CSTNode]) -> cst.Module:
    """The module with parentheses added to values and tests of statements that would otherwise end with their first line.

    `known`: the nodes of the original file, in which nothing was moved.
    """
    broken = dict(_broken_statements(module, known))
    if not broken:
        return module
    made = module.visit(_Holding(broken))
    assert isinstance(made, cst.Module)
    return made


def _broken_statements(module: cst.Module, known: Container[cst.CSTNode]) -> Iterator[tuple[cst.CSTNode, str]]:
    """The statements with a part that needs parentheses, and the name of that part."""
    for node in new_statements(module, known):
        part = _part(node)
        inner = getattr(node, part) if part else None
        if isinstance(inner, cst.BaseExpression) and _needs_parentheses(inner):
            yield node, part


def _part(node: cst.CSTNode) -> str:
    if isinstance(node, VALUES):
        return "value"
    return "test" if isinstance(node, TESTS) else "iter" if isinstance(node, cst.For) else ""


def _needs_parentheses(node: cst.BaseExpression) -> bool:
    code = cst.Module([]).code_for_node(node)
    if "\n" not in code:
        return False
    try:
        ast.parse(code, mode="eval")
    except SyntaxError:
        return True
    return False


class _Holding(cst.CSTTransformer):
    def __init__(self, broken: dict[cst.CSTNode, str]) -> None:
        super().__init__()
        self.broken = broken

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        part = self.broken.get(original_node)
        if part is None:
            return updated_node
        held = getattr(updated_node, part).with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return updated_node.with_changes(**{part: held})
