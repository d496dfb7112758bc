"""How a call of NumPy is written for JAX: which of its arguments go, move, are renamed or wrapped, by the table's entry.

`adaptation` decides on the original call, `adapted` builds from the rewritten one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Finding, Kind
from ..definitions import mentioned
from ..dtypes.call_dtypes import dtype_fix, promoted_arguments
from ..dtypes.jax_dtypes import (
    cast,
    drawn_beside,
    dtype_name,
    gives_way,
    may_be_narrow,
    numpy_dtype,
    unknown_dtype,
    unknown_values,
    wanted,
)
from ..dtypes.sum_dtypes import may_be_integers, summed_up, widening
from ..facts.ranks import rank_of
from ..facts.values import DRAWN, Value
from ..numpy_table.entry import Entry
from ..numpy_table.result_dtypes import PROMOTING
from ..syntax import builders
from ..syntax.argument_binding import bind
from ..syntax.sequences import holds_sequences, is_sequence, may_be_sequence, rows_wrapped, wrapped
from ..syntax.tree import children
from .templates import filled, modules, optional

Build = Callable[[cst.BaseExpression], cst.BaseExpression]
OUTPUTS = ("out",)
LISTS = (Kind.LIST, Kind.TUPLE)
EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


@dataclass(slots=True)
class Adaptation:
    """What becomes of the arguments of one call, by their position in it."""

    ctx: Context
    problem: str = ""
    dropped: set[int] = field(default_factory=set)
    keywords: dict[int, str] = field(default_factory=dict)  # positions that become keywords, or change theirs
    builds: dict[int, list[Build]] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)  # keyword -> source
    cast: str = ""  # the dtype of the result, where JAX's is another
    receiver: str = ""  # the dtype that the array of a method is cast to first
    imports: set[str] = field(default_factory=set)
    bound: dict[str, int] = field(default_factory=dict)  # NumPy's parameter -> position

    @property
    def changes(self) -> bool:
        return bool(self.dropped or self.keywords or self.builds or self.added or self.cast or self.receiver)

    def argument(self, made: cst.Call, position: int) -> cst.BaseExpression:
        """One argument of the rewritten call, as JAX takes it."""
        value = builders.bare(made.args[position].value)
        for build in self.builds.get(position, ()):
            value = build(value)
        return value


def adaptation(call: cst.Call, name: str, entry: Entry, ctx: Context, receiver: Value | None = None) -> Adaptation:
    """What the entry asks for; `problem` says why the call cannot be written for JAX. `receiver`: the array of a method."""
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
    """What an argument asks for that no array of JAX can hold: a dtype, text, objects."""
    if parameter in ("dtype", "newtype"):
        return unknown_dtype(value, ctx)
    if parameter.startswith("*"):
        return ""  # the subscripts of einsum are text
    if parameter in (*entry.promotes, *entry.arrays, *entry.sequences, "fill_value"):
        return unknown_values(ctx.value(value)) if ctx.kind(value) is not Kind.NONE else ""
    return ""


def _goes(parameter: str, value: cst.BaseExpression, entry: Entry) -> bool | str:
    """Whether an argument is dropped; why it is refused."""
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
        module = "numpy" if parameter in entry.static else "jax.numpy"  # what sets a shape must be known when tracing
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
    """Source of a literal in the table's spelling: 'single' quotes."""
    if isinstance(node, cst.SimpleString):
        return repr(node.evaluated_value)
    return cst.Module([]).code_for_node(node)


def _dtypes(call: cst.Call, name: str, entry: Entry, ctx: Context, made: Adaptation, receiver: Value | None) -> None:
    asked = made.bound.get("dtype")
    if asked is not None and asked not in made.dropped:
        if entry.ufunc:
            _computed_in(call, name, entry, asked, ctx, made)
        return
    if entry.cast and wanted(entry.cast, ctx) and not _cast_already(call, ctx):
        made.cast = entry.cast
    dtype, how = dtype_fix(call, entry, ctx, made.bound, receiver)
    found = list(promoted_arguments(call, entry, ctx, made.bound))
    if not dtype:
        _widened(call, entry, ctx, made, receiver is not None)
    if not dtype and entry.dtype == "promote":
        _drawn(call, [p for _parameter, p, element, _v in found if element < 0], ctx, made)
    if not dtype and entry.dtype in PROMOTING:
        _weak(call, found, receiver is not None, ctx, made)
    if not dtype or not wanted(dtype, ctx):
        return
    nested = how == "argument" and any(v.kind in LISTS and p not in entry.arrays + entry.sequences for p, _i, _e, v in found)
    if nested and "dtype" in entry.params:  # of a list, np.array makes the array itself
        how = "dtype"
    if how == "result" or (nested and how == "argument"):
        made.cast = dtype
    elif how in ("argument", "each"):
        if receiver is not None and receiver.dtype != dtype:
            made.receiver = dtype
        for _parameter, position, element, value in found:
            own = numpy_dtype(value)
            strong = value.kind in (Kind.ARRAY, *LISTS) or (
                value.kind is Kind.SCALAR and (not dtypes.is_weak(own) or value.name == DRAWN)
            )
            if strong and own != dtype and (how == "argument" or own in entry.cast_for):
                made.builds.setdefault(position, []).append(_casting(element, value, dtype, ctx))
    else:
        made.added[how] = dtype_name(dtype, ctx)
    made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]


def _widened(call: cst.Call, entry: Entry, ctx: Context, made: Adaptation, method: bool) -> None:
    """Sums of what may be small integers get the dtype of NumPy's, where running_sum.py has no function that does the same."""
    if not widening(entry) or ctx.host.on_host(call) or ctx.plan.jax or summed_up(call, ctx):
        return
    parameter = "self" if method else next((p for p in entry.arrays if p in made.bound), "")
    if method and isinstance(call.func, cst.Attribute):
        array = call.func.value
    elif parameter:
        array = call.args[made.bound[parameter]].value
    else:
        return
    if not may_be_integers(array, ctx):
        return
    made.imports |= ctx.names.name_of("jax.numpy.sum")[1]
    if entry.cast_how == "argument":
        made.builds.setdefault(made.bound[parameter], []).append(partial(_as_summed, ctx=ctx))
    else:
        made.added["dtype"] = f"jnp.sum({{{parameter}}}).dtype"


def _as_summed(array: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    return filled("{a}.astype(jnp.sum({a}).dtype)", {"a": array}, ctx)


def _drawn(call: cst.Call, positions: Sequence[int], ctx: Context, made: Adaptation) -> None:
    """A number that is drawn, one of Python's in NumPy, beside what may be narrow."""
    numbers = [p for p in positions if ctx.value(call.args[p].value).name == DRAWN]
    others = [call.args[p].value for p in positions if p not in numbers and may_be_narrow(call.args[p].value, ctx)]
    for position in numbers if others and ctx.program.precision == "float64" else ():
        narrow = drawn_beside(others[0], ctx.value(call.args[position].value).dtype, ctx)
        if narrow is not None:
            made.builds.setdefault(position, []).append(narrow)
            made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]


def _weak(call: cst.Call, found: Sequence[tuple[str, int, int, Value]], method: bool, ctx: Context, made: Adaptation) -> None:
    """What JAX types weakly beside what may be narrow: strong, as it is in NumPy."""
    own = [call.func.value] if method and isinstance(call.func, cst.Attribute) else []
    for _parameter, position, element, value in found:
        others = [_argument(call, p, e) for _n, p, e, _v in found if (p, e) != (position, element)]
        if any(gives_way(value, other, ctx) for other in own + others):
            made.builds.setdefault(position, []).append(_casting(element, value, value.dtype, ctx))
            made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]


def _argument(call: cst.Call, position: int, element: int) -> cst.BaseExpression:
    """An argument of a call, or an element of the display that is one."""
    value = call.args[position].value
    return value.elements[element].value if element >= 0 and isinstance(value, (cst.Tuple, cst.List)) else value


def _computed_in(call: cst.Call, name: str, entry: Entry, asked: int, ctx: Context, made: Adaptation) -> None:
    """`dtype=` of a ufunc: NumPy casts the arguments to it first."""
    if entry.dtype not in ("promote", "float", "same"):
        made.problem = made.problem or f"`dtype=` of `{name}` has no equivalent in JAX"
    made.dropped.add(asked)
    for parameter in entry.arrays:
        if (position := made.bound.get(parameter)) is not None:
            made.builds.setdefault(position, []).append(_with_dtype(call.args[asked].value, ctx))
    made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]


def _cast_already(call: cst.Call, ctx: Context) -> bool:
    """Whether `.astype(...)` follows the call."""
    parent = ctx.parent(call)
    return isinstance(parent, cst.Attribute) and parent.attr.value == "astype"


def _casting(element: int, value: Value, dtype: str, ctx: Context) -> Build:
    if element < 0:
        return lambda made: cast(made, value, dtype, ctx)

    def build(made: cst.BaseExpression) -> cst.BaseExpression:
        assert isinstance(made, (cst.Tuple, cst.List))
        elements = list(made.elements)
        elements[element] = elements[element].with_changes(value=cast(elements[element].value, value, dtype, ctx))
        return made.with_changes(elements=elements)

    return build


def _with_dtype(dtype: cst.BaseExpression, ctx: Context) -> Build:
    return lambda made: builders.call(builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0]), made, ctx.rewritten(dtype))


# --- building ------------------------------------------------------------------------------------------------------------


def adapted(made: cst.Call, plan: Adaptation) -> cst.BaseExpression:
    """The rewritten call with its arguments as JAX takes them."""
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
        result = builders.method(result, "astype", builders.dotted(dtype_name(plan.cast, plan.ctx)))
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


def expression(
    node: cst.Call, name: str, entry: Entry, plan: Adaptation, ctx: Context, receiver: cst.BaseExpression | None = None
) -> Iterator[Finding]:
    """The finding that a call becomes an expression, or why it cannot."""
    given = {parameter: position for parameter, position in plan.bound.items() if position not in plan.dropped}
    template = entry.target
    fits = given.keys() <= set(re.findall(r"{(\w+)}", entry.short))
    if (
        entry.short
        and fits
        and all(rank_of(ctx.value(node.args[given[p]].value)) == rank for p, rank in entry.short_if.items() if p in given)
    ):
        template = entry.short
    wanted = set(re.findall(r"{(\w+)}", template)) - {"self"}
    missing = wanted - given.keys() - entry.defaults.keys()
    if missing or given.keys() - wanted:
        what = ", ".join(sorted(missing or given.keys() - wanted))
        yield Finding(node, f"`{name}` cannot be written for JAX with these arguments ({what})", blocks=True)
        return
    if (twice := _computed_twice(node, template, given, ctx, receiver)) is not None:
        yield Finding(node, f"`{literal(twice)}` would be computed twice; bind it to a name first", blocks=True)
        return
    imports = plan.imports | modules(template, ctx)

    def edit(made: cst.Call) -> cst.BaseExpression:
        parts = {parameter: plan.argument(made, position) for parameter, position in given.items()}
        left_out = entry.defaults.keys() - parts.keys() - optional(template)
        parts |= {p: builders.dotted(entry.defaults[p]) for p in left_out}
        if receiver is not None and isinstance(made.func, cst.Attribute):
            parts["self"] = made.func.value
        return filled(template, parts, ctx)

    message = f"`{name}` is written otherwise in JAX"
    yield Finding(node, message, {node: edit}, frozenset(imports), definitions=frozenset(mentioned(template)))


def _computed_twice(
    node: cst.Call, template: str, given: Mapping[str, int], ctx: Context, receiver: cst.BaseExpression | None
) -> cst.BaseExpression | None:
    """An argument that a template repeats, and that may do something, or give something else, each time it is computed."""
    parts = {parameter: node.args[position].value for parameter, position in given.items()}
    if receiver is not None:
        parts["self"] = receiver
    for parameter, part in parts.items():
        if template.count(f"{{{parameter}}}") > 1 and not _repeatable(part, ctx):
            return part
    return None


def _repeatable(node: cst.CSTNode, ctx: Context) -> bool:
    if isinstance(node, (cst.NamedExpr, cst.Await, cst.Yield, cst.GeneratorExp)):
        return False
    if isinstance(node, cst.Call):
        name = ctx.qualname(node.func) or ""
        method = isinstance(node.func, cst.Attribute) and ctx.kind(node.func.value) is Kind.ARRAY
        if not method and (not name.startswith(("numpy.", "builtins.len", "builtins.range")) or name.startswith("numpy.random")):
            return False
    return all(_repeatable(child, ctx) for child in children(node))
