"""The statements of a function as they were, for arguments that its compiled version cannot take."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..facts.function_plan import MOST_LINES
from ..syntax.source_text import verbatim
from ..syntax.tree import walk

NESTED = (cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.Global, cst.Nonlocal)


def lists_changed(ctx: Context) -> list[str]:
    """The parameters that a function changes, and that may be lists: JAX cannot fill these as Python does, integers among floats."""
    return [name for name in ctx.plan.inputs.shell.changed if name in ctx.host.guessed]


def copied(node: cst.FunctionDef, ctx: Context) -> list[cst.BaseStatement]:
    """The statements of an (original) function below its docstring; none where they are many, or need more than NumPy and Python."""
    if not isinstance(node.body, cst.IndentedBlock) or len(verbatim(node.body).splitlines()) > MOST_LINES:
        return []
    bound = {p.name.value for p in node.params.params} | ctx.flow.uses([node.body])[1]
    numpy = ctx.names.name_of("numpy.ndarray")[0].rpartition(".")[0]
    for part, parent in walk(node.body):
        if isinstance(part, NESTED):
            return []
        if isinstance(part, cst.Name) and not _is_label(part, parent) and part.value not in bound and part.value != numpy:
            if ctx.qualname(part) != f"builtins.{part.value}":
                return []
    statements = node.body.body[1:] if node.get_docstring() is not None else node.body.body
    return [statement.deep_clone() for statement in statements]


def _is_label(node: cst.Name, parent: cst.CSTNode | None) -> bool:
    """Whether a name is that of an attribute or of a keyword."""
    match parent:
        case cst.Attribute(attr=attr):
            return attr is node
        case cst.Arg(keyword=keyword):
            return keyword is node
    return False
