"""How a NumPy call is written for JAX: which of its arguments are dropped, moved, renamed or wrapped, by its entry in the table.

`adaptation` decides on the original call, `adapted` builds from the rewritten one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Kind
from ..definitions import mentioned
from ..dtypes.jax_dtypes import (
    dtype_name,
    unknown_dtype,
    unknown_values,
)
from ..facts.ranks import rank_of
from ..facts.values import Value
from ..numpy_table.entry import Entry
from ..syntax import builders
from ..syntax.argument_binding import bind
from ..syntax.sequences import holds_sequences, is_sequence, may_be_sequence, rows_wrapped, wrapped
from .argument_casts import Adaptation, Build, _dtypes
from .templates import filled, modules, optional, repeatable

OUTPUTS = ("out",)
EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def adaptation(call: cst.Call, name: str, entry: Entry, ctx: Context, receiver: Value | None = None) -> Adaptation:
    """What the entry requires; `problem` says why the call cannot be written for JAX. `receiver`: the array of a method."""
    made = Adaptation(ctx)
    move = False
    for position, parameter in bind(call, entry):
        argument = call.args[position]
        if parameter:
            made.bound.setdefault(parameter, position)
        goes = _goes(parameter, argument.value, entry)
        if missing := _not_in_jax(parameter, argument.value, entry, ctx):
            made.problem = made.problem or f"JAX does not know {missing}"
        elif isinstance(goes, str):
            made.problem = made.problem or f"`{parameter}={literal(argument.value)}` of `{name}` {goes}"
        elif goes:
            made.dropped.add(position)
            move = True
            continue
        if parameter in entry.ranks and rank_of(ctx.value(argument.value)) not in (-1, entry.ranks[parameter]):
            made.problem = made.problem or f"`{name}` with this `{parameter}` has no equivalent in JAX"
        if parameter and not parameter.startswith("*"):
            target = entry.rename.get(parameter, parameter)
            moved = argument.keyword is None and (move or 0 <= entry.positional <= position)
            renamed = argument.keyword is not None and target != parameter
            if moved or renamed:
                made.keywords[position] = target
        for build in _builds(parameter, argument.value, entry, ctx, made):
            made.builds.setdefault(position, []).append(build)
    for position, build in _rows(call, entry, ctx, made):
        made.builds.setdefault(position, []).append(build)
    for position, build in _starred(call, entry, ctx, made):
        made.builds.setdefault(position, []).append(build)
    if not any(parameter in entry.add_unless for parameter in made.bound):
        made.added |= {key: template for key, template in entry.add.items() if key not in made.bound}
    if (
        entry.ufunc
        and (where := made.bound.get("where")) is not None
        and where not in made.dropped
        and not {"initial"} & set(entry.params)
    ):
        made.problem = made.problem or f"`where=` of `{name}` leaves elements without a value; use jnp.where"
    _dtypes(call, name, entry, ctx, made, receiver)
    return made


def _not_in_jax(parameter: str, value: cst.BaseExpression, entry: Entry, ctx: Context) -> str:
    """What an argument requires that no JAX array can hold: a dtype, strings, objects."""
    if parameter in ("dtype", "newtype"):
        return unknown_dtype(value, ctx)
    if parameter.startswith("*"):
        return ""  # the subscripts of einsum are a string
    if parameter in (*entry.promotes, *entry.arrays, *entry.sequences, "fill_value"):
        return unknown_values(ctx.value(value)) if ctx.kind(value) is not Kind.NONE else ""
    return ""


def _goes(parameter: str, value: cst.BaseExpression, entry: Entry) -> bool | str:
    """Whether an argument is dropped, or why it is refused."""
    if parameter in entry.drop:
        return True
    if parameter not in (*OUTPUTS, "where", "dtype", *entry.drop_if, *entry.unsupported, *entry.refused_if, *entry.allowed):
        return False
    source = literal(value)
    if parameter in entry.drop_if and source in entry.drop_if[parameter]:
        return True
    if parameter in OUTPUTS and source == "None":
        return True
    if parameter == "where" and entry.ufunc and source == "True":
        return True
    if parameter == "dtype" and (entry.ufunc or source == "None"):
        return source == "None"  # another value of a ufunc is a cast of the arguments: see _dtypes
    if parameter in entry.unsupported:
        if source == "None":
            return True
        return "has no equivalent in JAX"
    if source in entry.refused_if.get(parameter, ()):
        return "has no equivalent in JAX"
    if parameter in entry.allowed and source not in entry.allowed[parameter]:
        if isinstance(value, (cst.SimpleString, cst.Integer)):
            return f"is not supported by JAX, which has {', '.join(entry.allowed[parameter])}"
        return f"is not known before the program runs, and JAX has {', '.join(entry.allowed[parameter])} only"
    return False


def _builds(parameter: str, value: cst.BaseExpression, entry: Entry, ctx: Context, made: Adaptation) -> Iterator[Build]:
    if (parameter in entry.arrays and may_be_sequence(value, ctx)) or (parameter in entry.indices and _is_list(value, ctx)):
        module = "numpy" if parameter in entry.static else "jax.numpy"  # what determines a shape must be static
        made.imports |= ctx.names.name_of(f"{module}.asarray")[1]
        yield lambda rewritten: wrapped(value, rewritten, ctx, module)
    elif parameter in entry.sequences and isinstance(value, (cst.Tuple, cst.List)):
        inner = [e.value if isinstance(e, cst.Element) and is_sequence(e.value, ctx) else None for e in value.elements]
        if any(inner):
            made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]
            yield lambda rewritten: _each(rewritten, inner, ctx)
    elif parameter in entry.sequences and holds_sequences(value, ctx):
        made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]
        yield lambda rewritten: rows_wrapped(value, rewritten, ctx)


def _rows(call: cst.Call, entry: Entry, ctx: Context, made: Adaptation) -> Iterator[tuple[int, Build]]:
    """The arguments that may have one dimension, and that must be a row of two."""
    for parameter, asked in entry.rows_if.items():
        if not {parameter, asked} <= made.bound.keys() or literal(call.args[made.bound[asked]].value) == "True":
            continue
        position = made.bound[parameter]
        if rank_of(ctx.value(call.args[position].value)) != 2 and ctx.kind(call.args[position].value) is not Kind.NONE:
            name, imports = ctx.names.name_of("jax.numpy.atleast_2d")
            made.imports |= imports
            yield position, partial(builders.call, builders.dotted(name))


def _starred(call: cst.Call, entry: Entry, ctx: Context, made: Adaptation) -> Iterator[tuple[int, Build]]:
    """The arguments `*rows` whose items are lists, where NumPy makes an array of each."""
    if any(parameter.startswith("*") for parameter in entry.arrays):
        for position, argument in enumerate(call.args):
            if argument.star == "*" and holds_sequences(argument.value, ctx):
                made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]
                yield position, partial(rows_wrapped, argument.value, ctx=ctx)


def _is_list(value: cst.BaseExpression, ctx: Context) -> bool:
    return isinstance(value, (cst.List, cst.ListComp)) or ctx.kind(value) is Kind.LIST


def _each(display: cst.BaseExpression, inner: list[cst.BaseExpression | None], ctx: Context) -> cst.BaseExpression:
    assert isinstance(display, (cst.Tuple, cst.List))
    elements = [
        e if node is None else e.with_changes(value=wrapped(node, e.value, ctx))
        for e, node in zip(display.elements, inner, strict=True)
    ]
    return display.with_changes(elements=elements)


def literal(node: cst.BaseExpression) -> str:
    """The source of a literal in the spelling of the table: with single quotes."""
    if isinstance(node, cst.SimpleString):
        return repr(node.evaluated_value)
    return cst.Module([]).code_for_node(node)


def adapted(made: cst.Call, plan: Adaptation) -> cst.BaseExpression:
    """The rewritten call with its arguments in the form that JAX expects."""
    args: list[cst.Arg] = []
    for position, argument in enumerate(made.args):
        if position in plan.dropped:
            continue
        if position in plan.builds:
            argument = argument.with_changes(value=plan.argument(made, position))
        name = plan.keywords.get(position)
        if name == "":  # by position only
            args.insert(0, argument.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT, comma=cst.MaybeSentinel.DEFAULT))
            continue
        if name is not None:
            argument = argument.with_changes(keyword=cst.Name(name), equal=EQUAL)
        args.append(argument)
    parts = {
        parameter: plan.argument(made, position) for parameter, position in plan.bound.items() if position not in plan.dropped
    }
    if isinstance(made.func, cst.Attribute):
        parts["self"] = made.func.value
    for key, template in plan.added.items():
        args.append(cst.Arg(filled(template, parts, plan.ctx), cst.Name(key), EQUAL))
    if plan.receiver and isinstance(made.func, cst.Attribute):
        target = builders.dotted(dtype_name(plan.receiver, plan.ctx))
        made = made.with_changes(func=made.func.with_changes(value=builders.method(made.func.value, "astype", target)))
    result: cst.BaseExpression = made.with_changes(args=separated(args, made))
    if plan.cast:
        result = builders.method(result, "astype", filled(plan.cast, parts, plan.ctx))
    return result


def separated(args: list[cst.Arg], made: cst.Call) -> list[cst.Arg]:
    """The arguments separated by commas, with the white space of the original after the last one."""
    last = made.args[-1] if made.args else None
    result = []
    for position, argument in enumerate(args):
        if position < len(args) - 1:
            if not isinstance(argument.comma, cst.Comma):
                argument = argument.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
                argument = argument.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
        elif last is not None:
            argument = argument.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
        result.append(argument)
    return result


def expression(
    node: cst.Call, name: str, entry: Entry, plan: Adaptation, ctx: Context, receiver: cst.BaseExpression | None = None
) -> Iterator[Finding]:
    """The finding that replaces a call by an expression, or that says why this is impossible."""
    arguments = {parameter: position for parameter, position in plan.bound.items() if position not in plan.dropped}
    template = entry.target
    fits = arguments.keys() <= set(re.findall(r"{(\w+)}", entry.short))
    if (
        entry.short
        and fits
        and all(rank_of(ctx.value(node.args[arguments[p]].value)) == rank for p, rank in entry.short_if.items() if p in arguments)
    ):
        template = entry.short
    required = set(re.findall(r"{(\w+)}", template)) - {"self"}
    missing = required - arguments.keys() - entry.defaults.keys()
    if missing or arguments.keys() - required:
        what = ", ".join(sorted(missing or arguments.keys() - required))
        yield Finding(node, f"`{name}` cannot be written for JAX with these arguments ({what})", blocks=True)
        return
    if (twice := _computed_twice(node, template, arguments, ctx, receiver)) is not None:
        yield Finding(node, f"`{literal(twice)}` would be computed twice; bind it to a name first", blocks=True)
        return
    imports = plan.imports | modules(template, ctx)

    def edit(made: cst.Call) -> cst.BaseExpression:
        parts = {parameter: plan.argument(made, position) for parameter, position in arguments.items()}
        left_out = entry.defaults.keys() - parts.keys() - optional(template)
        parts |= {p: builders.dotted(entry.defaults[p]) for p in left_out}
        if receiver is not None and isinstance(made.func, cst.Attribute):
            parts["self"] = made.func.value
        return filled(template, parts, ctx)

    message = f"`{name}` is written otherwise in JAX"
    yield Finding(node, message, {node: edit}, frozenset(imports), definitions=frozenset(mentioned(template)))


def _computed_twice(
    node: cst.Call, template: str, arguments: Mapping[str, int], ctx: Context, receiver: cst.BaseExpression | None
) -> cst.BaseExpression | None:
    """An argument that a template repeats, and that may have a side effect or a different value each time it is computed."""
    parts = {parameter: node.args[position].value for parameter, position in arguments.items()}
    if receiver is not None:
        parts["self"] = receiver
    for parameter, part in parts.items():
        if template.count(f"{{{parameter}}}") > 1 and not repeatable(part, ctx):
            return part
    return None
