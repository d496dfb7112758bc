"""Expressions of the table: a template in which a call's arguments are filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import libcst as cst

from . import functional
from .adapt import Adaptation
from .context import Context
from .model import Finding
from .numpy_table.entry import Entry


def fill_template(
    node: cst.Call, name: str, entry: Entry, plan: Adaptation, ctx: Context, receiver: cst.BaseExpression | None = None
) -> Iterator[Finding]:
    """The finding that a call becomes an expression, or why it cannot."""
    given = {parameter: position for parameter, position in plan.bound.items() if position not in plan.dropped}
    wanted = set(re.findall(r"{(\w+)}", entry.target)) - {"self"}
    missing = wanted - given.keys() - entry.defaults.keys()
    if missing or given.keys() - wanted:
        what = ", ".join(sorted(missing or given.keys() - wanted))
        yield Finding(node, f"`{name}` cannot be written for JAX with these arguments ({what})", blocks=True)
        return
    imports = set(plan.imports)
    for module in re.findall(r"\b(jnp|jax)\.", entry.target):
        imports |= ctx.name_of("jax.numpy.asarray" if module == "jnp" else "jax.jit")[1]

    def edit(made: cst.Call) -> cst.BaseExpression:
        parts = {parameter: plan.argument(made, position) for parameter, position in given.items()}
        parts |= {p: functional.dotted(source) for p, source in entry.defaults.items() if p not in parts}
        if receiver is not None and isinstance(made.func, cst.Attribute):
            parts["self"] = made.func.value
        return filled(entry.target, parts, ctx)

    yield Finding(node, f"`{name}` is written otherwise in JAX", {node: edit}, frozenset(imports))


def filled(template: str, parts: Mapping[str, cst.BaseExpression], ctx: Context) -> cst.BaseExpression:
    """A template of the table with its arguments."""
    text = re.sub(r"{(\w+)}", r"_np2jax_\1_", template)
    text = re.sub(r"\bjnp\.", ctx.name_of("jax.numpy.x")[0].removesuffix("x"), text)
    made = cst.parse_expression(text).visit(_Fill({f"_np2jax_{name}_": node for name, node in parts.items()}))
    assert isinstance(made, cst.BaseExpression)
    return made


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
