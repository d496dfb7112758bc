"""A function of NumPy does not get what JAX treats differently.

The table of NumPy lists these cases: a singular matrix gives NaN in JAX where NumPy raises; infinities and NaN give other results in
some functions; some cases raise in JAX alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.dtypes import category, is_narrow
from ..core.findings import Kind
from ..facts.iteration_space import integer
from ..facts.values import may_be_mask
from ..numpy_table.entry import Entry, Verdict
from ..syntax.argument_binding import bind
from .jax_operands import candidates, known_dtype, quoted, runs_in_jax

kind = ConditionKind(
    "function", "test the arguments before the call (`np.isfinite(x).all()`), or keep NumPy's: `# np2jax: ignore`"
)
ELSEWHERE = (
    "numpy.power",
    "numpy.pow",
    "numpy.floor_divide",
    "numpy.divmod",
    "ndarray.astype",
)  # other kinds know more about these
EXTREMA = frozenset("max min amax amin nanmax nanmin argmax argmin ptp sum".split())
IN_A_LIST = frozenset(f"numpy.{name}" for name in "meshgrid broadcast_arrays atleast_1d atleast_2d atleast_3d".split())
SPREADS = ("numpy.std", "numpy.var", "numpy.nanstd", "numpy.nanvar")
ROUNDED = ("numpy.round", "numpy.around", "ndarray.round")
OF_FLOATS = ("infinit", "nan", "inf")  # what the exceptions of floats begin with
OF_COMPLEX = "complex numbers: "
OF_BOOLS = "bool"
OF_HALF = "float16"
OF_NARROW = "narrow floats"


@kind.on(cst.Call)
def rounded(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    """Python rounds the decimal number that is next to a float; NumPy and JAX multiply, round, and divide."""
    if ctx.qualname(node.func) == "builtins.round" and len(node.args) > 1 and runs_in_jax(ctx, node.args[0].value):
        yield Assumption(node, f"{quoted(node.args[0].value)} does not lie between two rounded numbers")


@kind.on(cst.Call)
def selected(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    """The extremum of nothing raises in NumPy; of a masked array it is an infinity, or the smallest integer, in JAX."""
    name = ctx.qualname(node.func) or ""
    array = node.args[0].value if node.args else None
    if isinstance(node.func, cst.Attribute) and not name:
        array, name = node.func.value, f".{node.func.attr.value}"
    if array is None or name.rpartition(".")[2] not in EXTREMA:
        return
    match array:
        case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]) if runs_in_jax(
            ctx, base
        ) and not name.endswith("sum"):
            if category(ctx.value(index).dtype) == 0 or may_be_mask(ctx.value(index)):
                yield Assumption(node, f"{quoted(array)} is not empty")
        case cst.GeneratorExp(for_in=clause) | cst.ListComp(for_in=clause) if clause.ifs:
            if ctx.builtins.reduction_operands(node) is not None:
                yield Assumption(node, f"{quoted(array)} is not empty")


@kind.on(cst.Call)
def spread(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    """With more degrees of freedom than elements, NumPy divides by 0; JAX gives NaN. So does NumPy for one element less its mean."""
    name = ctx.qualname(node.func) or ""
    if name in SPREADS:
        given = node.args[:1]
    elif not name and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("std", "var"):
        given = [cst.Arg(node.func.value)]
    else:
        return
    keywords = {argument.keyword.value: argument.value for argument in node.args if argument.keyword is not None}
    freedom = keywords.get("ddof", keywords.get("correction"))
    if freedom is None or integer(freedom) in (0, 1) or not given or not runs_in_jax(ctx, given[0].value):
        return
    yield Assumption(node, f"{quoted(given[0].value)} has more elements than {quoted(freedom)}")


@kind.on(cst.Call)
def listed(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    """NumPy returns a tuple of several arrays since version 2."""
    several = len(node.args) > 1 or any(argument.star for argument in node.args)
    if ctx.qualname(node.func) in IN_A_LIST and several and not ctx.host.on_host(node) and not _is_taken_apart(node, ctx):
        yield Assumption(node, f"nothing depends on the type of {quoted(node)}, a list in JAX and a tuple in NumPy 2")


def _is_taken_apart(node: cst.Call, ctx: Context) -> bool:
    match ctx.parent(node):
        case cst.Assign(targets=targets):
            return all(isinstance(each.target, (cst.Tuple, cst.List)) for each in targets)
        case cst.For(iter=whole) | cst.CompFor(iter=whole) | cst.Subscript(value=whole) | cst.StarredElement(value=whole):
            return whole is node
        case cst.Arg(star=star):
            return bool(star)
    return False


@kind.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    name = ctx.qualname(node.func) or ""
    if name.startswith("numpy."):
        entry = numpy_table.function(name) or numpy_table.ufunc_method(name)
        first = node.args[0].value if node.args else None
    elif isinstance(node.func, cst.Attribute) and ctx.kind(node.func.value) in (Kind.ARRAY, Kind.UNKNOWN):
        name, first = f"ndarray.{node.func.attr.value}", node.func.value
        entry = numpy_table.method(node.func.attr.value)
    else:
        return
    if entry is None or entry.verdict in (Verdict.HOST, Verdict.REFUSED) or entry.kind == "dtype" or name in ELSEWHERE:
        return
    if ctx.host.on_host(node) or (name.startswith("ndarray.") and first is not None and not runs_in_jax(ctx, first)):
        return
    arguments = [a.value for a in node.args]
    dtype = "" if first is None else known_dtype(first, ctx)
    possible = () if first is None else candidates(first, ctx)
    if name in ROUNDED and not _to_whole_numbers(node, entry, name):
        if any(category(one) == 1 for one in possible):
            yield _case(node, name, "negative decimals of integers: JAX raises")
        if OF_HALF in possible:
            yield _case(node, name, "float16 above 6550: infinity in NumPy, as it overflows on the way")
    if entry.note and _holds(node, entry, dtype):
        yield _case(node, name, entry.note)
    for text in filter(None, (entry.lenient, entry.edges, entry.loud)):
        if text.startswith(OF_COMPLEX) and not any(_may_be_complex(operand, ctx) for operand in [first, *arguments]):
            continue
        if text.startswith(OF_BOOLS) and not any(category(one) == 0 for one in possible):
            continue
        if text.startswith(OF_HALF) and OF_HALF not in possible:
            continue
        if text.startswith(OF_NARROW) and not any(is_narrow(one) and category(one) >= 2 for one in possible):
            continue
        if text.lower().startswith(OF_FLOATS) and dtype and category(dtype) < 2:
            continue
        yield _case(node, name, text)


def _to_whole_numbers(node: cst.Call, entry: Entry, name: str) -> bool:
    """Whether no decimals are given."""
    given = [*node.args] if name.startswith("numpy.") else [cst.Arg(cst.Name("self")), *node.args]
    parameters = {parameter for _position, parameter in bind(node.with_changes(args=given), entry)}
    return "decimals" not in parameters


def _may_be_complex(operand: cst.BaseExpression | None, ctx: Context) -> bool:
    if operand is None or ctx.kind(operand) not in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN):
        return False
    return any(category(dtype) == 3 for dtype in candidates(operand, ctx))


def _case(node: cst.CSTNode, name: str, text: str) -> Assumption:
    short = numpy_table.with_public_names(name).removeprefix("ndarray").replace("numpy.", "np.")
    return Assumption(node, f"this case of `{short}` does not occur: {text}")


def _holds(node: cst.Call, entry: Entry, dtype: str) -> bool:
    """Whether a note may apply to this call."""
    if entry.note_if and not {parameter for _position, parameter in bind(node, entry)} & set(entry.note_if):
        return False
    return not (entry.note_dtypes and dtype) or dtype in entry.note_dtypes
