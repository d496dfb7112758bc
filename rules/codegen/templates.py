"""Expressions of the table: templates filled with the arguments of a call."""

from __future__ import annotations

import re
from collections.abc import Mapping

import libcst as cst

from ..context import Context
from ..core.findings import Kind
from ..definitions import DEFINITIONS, mentioned, needed
from ..syntax import builders
from ..syntax.tree import children

HOLE = "_np2jax_"


def optional(template: str) -> frozenset[str]:
    """The arguments that may be left out of a template: those that are keyword arguments in it."""
    return frozenset(re.findall(r"\w+={(\w+)}", template))


def filled(template: str, parts: Mapping[str, cst.BaseExpression], ctx: Context) -> cst.BaseExpression:
    """A template of the table with its arguments; keyword arguments that are not passed are left out."""
    text = re.sub(r"{(\w+)}", rf"{HOLE}\1_", template)
    text = re.sub(r"\bjnp\.", ctx.names.name_of("jax.numpy.x")[0].removesuffix("x"), text)
    for name in mentioned(template):
        text = re.sub(rf"\b{name}\b", ctx.names.defined(name), text)
    made = cst.parse_expression(text).visit(_Fill({f"{HOLE}{name}_": node for name, node in parts.items()}))
    assert isinstance(made, cst.BaseExpression)
    return made


def modules(template: str, ctx: Context) -> frozenset[str]:
    """The imports that a template and the functions that it calls need."""
    found: frozenset[str] = frozenset()
    for module in re.findall(r"\b(jnp|jax)\.", "".join([template, *(DEFINITIONS[name] for name in needed(mentioned(template)))])):
        found |= ctx.names.name_of("jax.numpy.asarray" if module == "jnp" else "jax.jit")[1]
    return found


def repeatable(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether an expression has no side effect, and the same value each time: a template may repeat it."""
    if isinstance(node, (cst.NamedExpr, cst.Await, cst.Yield, cst.GeneratorExp)):
        return False
    if isinstance(node, cst.Call):
        name = ctx.qualname(node.func) or ""
        method = isinstance(node.func, cst.Attribute) and ctx.kind(node.func.value) is Kind.ARRAY
        if not method and (not name.startswith(("numpy.", "builtins.len", "builtins.range")) or name.startswith("numpy.random")):
            return False
    return all(repeatable(child, ctx) for child in children(node))


class _Fill(cst.CSTTransformer):
    def __init__(self, parts: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self.parts = parts

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        part = self.parts.get(original_node.value)
        return updated_node if part is None else part.deep_clone()

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return updated_node.with_changes(value=builders.operand(updated_node.value))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        kept = [a for a in updated_node.args if not (isinstance(a.value, cst.Name) and a.value.value.startswith(HOLE))]
        if len(kept) == len(updated_node.args):
            return updated_node
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(args=kept)

    def leave_UnaryOperation(self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation) -> cst.BaseExpression:
        return updated_node.with_changes(expression=_operand_of(updated_node.expression))

    def leave_BinaryOperation(self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation) -> cst.BaseExpression:
        left, right = updated_node.left, updated_node.right
        if isinstance(original_node.left, cst.Name):
            left = _operand_of(left)
        if isinstance(original_node.right, cst.Name):
            right = _operand_of(right)
        return updated_node.with_changes(left=left, right=right)

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        return updated_node.with_changes(value=builders.operand(updated_node.value))


def _operand_of(node: cst.BaseExpression) -> cst.BaseExpression:
    return node if isinstance(node, (cst.Integer, cst.Float)) else builders.operand(node)
