"""References, whose elements can be assigned, and whose `at` stores: the arguments of the kernels of Pallas, and `jax.new_ref`."""

from __future__ import annotations

import ast


def is_reference(node: ast.expr) -> bool:
    """Whether an expression is named as a reference: `x_ref`, `refs[0]`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id.lower().rpartition("_")[2] in ("ref", "refs")
