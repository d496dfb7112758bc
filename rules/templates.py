"""Expressions of the table: a template in which a call's arguments are filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping

import libcst as cst

from . import functional
from .context import Context


def filled(template: str, parts: Mapping[str, cst.BaseExpression], ctx: Context) -> cst.BaseExpression:
    """A template of the table with its arguments."""
    text = re.sub(r"{(\w+)}", r"_np2jax_\1_", template)
    text = re.sub(r"\bjnp\.", ctx.name_of("jax.numpy.x")[0].removesuffix("x"), text)
    made = cst.parse_expression(text).visit(_Fill({f"_np2jax_{name}_": node for name, node in parts.items()}))
    assert isinstance(made, cst.BaseExpression)
    return made


def modules(template: str, ctx: Context) -> frozenset[str]:
    """The imports that a template takes."""
    found: frozenset[str] = frozenset()
    for module in re.findall(r"\b(jnp|jax)\.", template):
        found |= ctx.name_of("jax.numpy.asarray" if module == "jnp" else "jax.jit")[1]
    return found


class _Fill(cst.CSTTransformer):
    def __init__(self, parts: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self.parts = parts

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        part = self.parts.get(original_node.value)
        return updated_node if part is None else part.deep_clone()

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return updated_node.with_changes(value=functional.operand(updated_node.value))

    def leave_UnaryOperation(self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation) -> cst.BaseExpression:
        return updated_node.with_changes(expression=functional.operand(updated_node.expression))

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        return updated_node.with_changes(value=functional.operand(updated_node.value))
