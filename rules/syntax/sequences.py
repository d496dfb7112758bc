"""Lists and tuples where NumPy converts them to arrays and JAX refuses to."""

from __future__ import annotations

import re

import libcst as cst

from ..context import Context
from ..core.findings import Kind
from . import builders
from .tree import children

_DOC_PARAM = re.compile(r"^[ \t]*(\*{0,2}\w+(?:\s*,\s*\w+)*)[ \t]*:[ \t]*(.+)$", re.M)
_LISTS_TOO = re.compile(r"array[- _]?like|sequence|iterable|\blists?\b|\btuples?\b|\belements?\b", re.I)


def is_sequence(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it is a list, a tuple or a range, or a parameter (or a slice of one) that may be one."""
    if isinstance(node, (cst.List, cst.Tuple, cst.ListComp)):
        return True
    value = ctx.value(node)
    if value.kind in (Kind.LIST, Kind.TUPLE) or value.name == "range":
        return True
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Slice):
        open_ = value.kind is Kind.UNKNOWN or (isinstance(node.value, cst.Name) and node.value.value in ctx.host.guessed)
        return open_ and is_sequence(node.value, ctx)
    if not isinstance(node, cst.Name) or value.holds != node.value:
        return False
    if value.kind is Kind.UNKNOWN or node.value in ctx.host.guessed:
        return node.value in ctx.plan.inputs.lists
    return node.value in ctx.plan.inputs.list_arguments  # documented as an array, but some call passes a list


def may_be_sequence(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it is one on some of the paths that lead here, including a parameter that may be one."""
    if is_sequence(node, ctx):
        return True
    value = ctx.value(node)
    if value.listed and value.kind is Kind.UNKNOWN:
        return True
    if isinstance(node, cst.Name) and value.holds == node.value and node.value in ctx.plan.inputs.lists:
        return _rebinds(ctx.flow.statement(node), node.value)  # `z = np.atleast_2d(z)`: an array from here on
    if not isinstance(node, cst.Name) or value.holds or value.view or value.device or ctx.unit.definition is None:
        return False
    among = {p for p in ctx.plan.inputs.lists if f"param:{p}" in value.memory}
    return bool(among) and _bound_to(ctx.unit.definition, node.value, among)


def holds_sequences(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it is, or may be, a list or a tuple some of whose items are lists or tuples."""
    value = ctx.value(node)
    return value.nested and (value.kind in (Kind.LIST, Kind.TUPLE) or (value.listed and value.kind is Kind.UNKNOWN))


def _rebinds(statement: cst.CSTNode, name: str) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=target))])]):
            return target == name
    return False


def _cut_from(node: cst.BaseExpression) -> str:
    """The variable that an expression is, or of which it is a slice; "" where it is anything else."""
    match node:
        case cst.Name(value=name):
            return name
        case cst.Subscript(value=whole, slice=[cst.SubscriptElement(slice=cst.Slice())]):
            return _cut_from(whole)
    return ""


def _bound_to(node: cst.CSTNode, name: str, values: set[str]) -> bool:
    """Whether a statement binds a name to one of these variables, or to a slice of one."""
    match node:
        case cst.Assign(targets=targets, value=value) if _cut_from(value) in values:
            return any(isinstance(t.target, cst.Name) and t.target.value == name for t in targets)
        case cst.BaseExpression():
            return False
    return any(_bound_to(child, name, values) for child in children(node))


def documented_lists(text: str) -> frozenset[str]:
    """Parameters that a docstring calls array-like, sequences, lists or tuples, as numpydoc does."""
    found: set[str] = set()
    for names, described in _DOC_PARAM.findall(text):
        if _LISTS_TOO.search(described):
            found |= {name.lstrip("*") for name in re.split(r"\s*,\s*", names)}
    return frozenset(found)


def is_mask(node: cst.BaseExpression) -> bool:
    """Whether a list contains only True and False."""
    if not isinstance(node, (cst.List, cst.Tuple)) or not node.elements:
        return False
    return all(is_mask(e.value) or (isinstance(e.value, cst.Name) and e.value.value in ("True", "False")) for e in node.elements)


def wrapped(node: cst.BaseExpression, made: cst.BaseExpression, ctx: Context, module: str = "jax.numpy") -> cst.BaseExpression:
    """An array of it: `jnp.array([1, 2])` of a literal, `jnp.arange(n)` of a range, `jnp.asarray(xs)` of a variable.

    `made` is the rewritten `node`.
    """
    if isinstance(node, cst.Call) and isinstance(made, cst.Call) and ctx.qualname(node.func) == "builtins.range":
        return made.with_changes(func=builders.dotted(ctx.names.name_of(f"{module}.arange")[0]))
    display = isinstance(made, (cst.List, cst.Tuple, cst.ListComp))
    return builders.call(builders.dotted(ctx.names.name_of(f"{module}.{'array' if display else 'asarray'}")[0]), made)


def rows_wrapped(node: cst.BaseExpression, made: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """A list of arrays from a list of lists: `[jnp.asarray(row) for row in rows]`."""
    if isinstance(node, cst.ListComp) and isinstance(made, cst.ListComp) and is_sequence(node.elt, ctx):
        return made.with_changes(elt=wrapped(node.elt, made.elt, ctx))
    row = cst.Name(ctx.names.label("row"))
    asarray = builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0])
    return cst.ListComp(builders.call(asarray, row), cst.CompFor(row.deep_clone(), made))
