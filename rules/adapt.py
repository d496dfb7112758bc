"""How a call of NumPy is written for JAX: which of its arguments go, move, are renamed or wrapped, by the table's entry.

`adaptation` decides on the original call, `adapted` builds from the rewritten one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from . import dtypes, functional
from .context import Context
from .facts import Value
from .model import Kind
from .numpy_table.entry import Entry
from .numpy_table.promotion import numpy_promotion
from .sequences import is_sequence, wrapped

Build = Callable[[cst.BaseExpression], cst.BaseExpression]
OUTPUTS = ("out",)
SIXTY_FOUR = ("float64", "complex128", "int64", "uint64")
EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


@dataclass(slots=True)
class Adaptation:
    """What becomes of the arguments of one call, by their position in it."""

    problem: str = ""
    dropped: set[int] = field(default_factory=set)
    keywords: dict[int, str] = field(default_factory=dict)  # positions that become keywords, or change theirs
    builds: dict[int, list[Build]] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)  # keyword -> source
    cast: str = ""  # source of the dtype of the result
    imports: set[str] = field(default_factory=set)
    bound: dict[str, int] = field(default_factory=dict)  # NumPy's parameter -> position

    @property
    def changes(self) -> bool:
        return bool(self.dropped or self.keywords or self.builds or self.added or self.cast)

    def argument(self, made: cst.Call, position: int) -> cst.BaseExpression:
        """One argument of the rewritten call, as JAX takes it."""
        value = functional.bare(made.args[position].value)
        for build in self.builds.get(position, ()):
            value = build(value)
        return value


def bind(call: cst.Call, entry: Entry) -> Iterator[tuple[int, str]]:
    """The parameter of NumPy that each argument is for; "" where that is not known, "*xs" for each of any number."""
    star = next((i for i, p in enumerate(entry.params) if p.startswith("*") and not p.startswith("**")), None)
    unsure = False
    for position, argument in enumerate(call.args):
        if argument.star:
            unsure = True
            yield position, ""
        elif argument.keyword is not None:
            yield position, argument.keyword.value
        elif unsure:
            yield position, ""
        elif star is not None and position >= star:
            yield position, entry.params[star]
        else:
            yield position, entry.params[position] if position < len(entry.params) else ""


def adaptation(call: cst.Call, name: str, entry: Entry, ctx: Context, receiver: Value | None = None) -> Adaptation:
    """What the entry asks for; `problem` says why the call cannot be written for JAX. `receiver`: the array of a method."""
    made = Adaptation()
    move = False
    for position, parameter in bind(call, entry):
        argument = call.args[position]
        if parameter:
            made.bound.setdefault(parameter, position)
        goes = _goes(parameter, argument.value, entry)
        if isinstance(goes, str):
            made.problem = made.problem or f"`{parameter}={_source(argument.value)}` of `{name}` {goes}"
        elif goes:
            made.dropped.add(position)
            move = True
            continue
        if parameter and not parameter.startswith("*"):
            target = entry.rename.get(parameter, parameter)
            moved = argument.keyword is None and (move or 0 <= entry.positional <= position)
            renamed = argument.keyword is not None and target != parameter
            if moved or renamed:
                made.keywords[position] = target
        for build in _builds(parameter, argument.value, entry, ctx, made):
            made.builds.setdefault(position, []).append(build)
    made.added |= {key: value for key, value in entry.add.items() if key not in made.bound}
    if (
        entry.ufunc
        and (where := made.bound.get("where")) is not None
        and where not in made.dropped
        and not {"initial"} & set(entry.params)
    ):
        made.problem = made.problem or f"`where=` of `{name}` leaves elements without a value; use jnp.where"
    _dtypes(call, name, entry, ctx, made, receiver)
    return made


def _goes(parameter: str, value: cst.BaseExpression, entry: Entry) -> bool | str:
    """Whether an argument is dropped; why it is refused."""
    if parameter in entry.drop:
        return True
    source = _source(value)
    if parameter in entry.drop_if and source in entry.drop_if[parameter]:
        return True
    if parameter in OUTPUTS and source == "None":
        return True
    if parameter == "where" and entry.ufunc and source == "True":
        return True
    if parameter == "dtype" and entry.ufunc:
        return source == "None"  # another value is a cast of the arguments: see _dtypes
    if parameter in entry.unsupported:
        if source == "None":
            return True
        return "has no equivalent in JAX"
    if parameter in entry.allowed and source not in entry.allowed[parameter]:
        if isinstance(value, (cst.SimpleString, cst.Name, cst.Integer)) and not isinstance(value, cst.Name):
            return f"is not known to JAX, which has {', '.join(entry.allowed[parameter])}"
        return f"is not known before the program runs, and JAX has {', '.join(entry.allowed[parameter])} only"
    return False


def _builds(parameter: str, value: cst.BaseExpression, entry: Entry, ctx: Context, made: Adaptation) -> Iterator[Build]:
    if parameter in entry.arrays and is_sequence(value, ctx):
        made.imports |= ctx.name_of("jax.numpy.asarray")[1]
        yield lambda rewritten: wrapped(rewritten, ctx)
    elif parameter in entry.sequences and isinstance(value, (cst.Tuple, cst.List)):
        inner = [isinstance(e, cst.Element) and is_sequence(e.value, ctx) for e in value.elements]
        if any(inner):
            made.imports |= ctx.name_of("jax.numpy.asarray")[1]
            yield lambda rewritten: _each(rewritten, inner, ctx)


def _each(display: cst.BaseExpression, inner: list[bool], ctx: Context) -> cst.BaseExpression:
    assert isinstance(display, (cst.Tuple, cst.List))
    elements = [
        e.with_changes(value=wrapped(e.value, ctx)) if wrap else e for e, wrap in zip(display.elements, inner, strict=True)
    ]
    return display.with_changes(elements=elements)


def _source(node: cst.BaseExpression) -> str:
    """Source of a literal in the table's spelling: 'single' quotes."""
    if isinstance(node, cst.SimpleString):
        return repr(node.evaluated_value)
    return cst.Module([]).code_for_node(node)


# --- dtypes --------------------------------------------------------------------------------------------------------------


def _dtypes(call: cst.Call, name: str, entry: Entry, ctx: Context, made: Adaptation, receiver: Value | None) -> None:
    asked = made.bound.get("dtype")
    if asked is not None and asked not in made.dropped and entry.ufunc:
        made.dropped.add(asked)
        for parameter in entry.arrays:
            if (position := made.bound.get(parameter)) is not None:
                made.builds.setdefault(position, []).append(_with_dtype(call.args[asked].value, ctx))
        made.imports |= ctx.name_of("jax.numpy.asarray")[1]
        return
    if asked is not None and asked not in made.dropped:
        return
    if entry.cast and _wanted(entry.cast, ctx) and not _cast_already(call, ctx):
        made.cast = _dtype_name(entry.cast, ctx, made)
    if not entry.cast_for:
        return
    promoted = argument_dtype(call, entry, ctx, made.bound, receiver)
    wanted = entry.cast_for.get(promoted.rstrip("_") if promoted == "bool_" else promoted, "")
    if not wanted or not _wanted(wanted, ctx):
        return
    dtype = _dtype_name(wanted, ctx, made)
    if entry.cast_how == "dtype":
        made.added["dtype"] = dtype
    elif entry.cast_how == "result":
        made.cast = dtype
    else:
        for parameter in entry.promotes or entry.arrays:
            if (position := made.bound.get(parameter)) is not None and ctx.value(call.args[position].value).dtype:
                made.builds.setdefault(position, []).append(_cast(call.args[position].value, dtype, ctx))
                break


def _cast_already(call: cst.Call, ctx: Context) -> bool:
    """Whether `.astype(...)` follows the call."""
    parent = ctx.parent(call)
    return isinstance(parent, cst.Attribute) and parent.attr.value == "astype"


def argument_dtype(call: cst.Call, entry: Entry, ctx: Context, bound: Mapping[str, int], receiver: Value | None) -> str:
    """The dtype that NumPy promotes the arguments to that the result is made of, "" where one of them is not known."""
    values = [receiver] if receiver is not None else []
    for parameter in entry.promotes or entry.arrays:
        if parameter in bound:
            values.append(ctx.value(call.args[bound[parameter]].value))
    found = [(v.dtype.rstrip("_") if v.dtype == "bool_" else v.dtype) for v in values if v is not None]
    if not found or not all(found) or not any(v is not None and v.kind is Kind.ARRAY or dtypes.is_small(v.dtype) for v in values if v):
        return ""
    return numpy_promotion(*found)


def _wanted(dtype: str, ctx: Context) -> bool:
    """With float32 as the precision, nothing is made wider."""
    return ctx.precision == "float64" or dtype not in SIXTY_FOUR


def _dtype_name(dtype: str, ctx: Context, made: Adaptation) -> str:
    text, lines = ctx.name_of(f"jax.numpy.{'bool_' if dtype == 'bool' else dtype}")
    made.imports |= lines
    return text


def _cast(original: cst.BaseExpression, dtype: str, ctx: Context) -> Build:
    """`x.astype(dtype)`, of what may be no jax.Array `jnp.asarray(x, dtype)`."""
    if ctx.is_device(original):
        return lambda made: functional.method(made, "astype", functional.dotted(dtype))
    return lambda made: functional.call(functional.dotted(ctx.name_of("jax.numpy.asarray")[0]), made, functional.dotted(dtype))


def _with_dtype(dtype: cst.BaseExpression, ctx: Context) -> Build:
    return lambda made: functional.call(functional.dotted(ctx.name_of("jax.numpy.asarray")[0]), made, ctx.rewritten(dtype))


# --- building ------------------------------------------------------------------------------------------------------------


def adapted(made: cst.Call, plan: Adaptation) -> cst.BaseExpression:
    """The rewritten call with its arguments as JAX takes them."""
    args: list[cst.Arg] = []
    for position, argument in enumerate(made.args):
        if position in plan.dropped:
            continue
        if position in plan.builds:
            argument = argument.with_changes(value=plan.argument(made, position))
        if position in plan.keywords:
            argument = argument.with_changes(keyword=cst.Name(plan.keywords[position]), equal=EQUAL)
        args.append(argument)
    for key, source in plan.added.items():
        args.append(cst.Arg(functional.dotted(source), cst.Name(key), EQUAL))
    result: cst.BaseExpression = made.with_changes(args=separated(args, made))
    if plan.cast:
        result = functional.method(result, "astype", functional.dotted(plan.cast))
    return result


def separated(args: list[cst.Arg], made: cst.Call) -> list[cst.Arg]:
    """Commas between the arguments, and the last as it stood in the original."""
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
