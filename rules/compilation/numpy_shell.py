"""A function that files which are not converted call: they get NumPy arrays, as before.

You selected some files of a project, and nothing is written into the others. A function that these call is split: the shell
keeps the name and the signature, and makes NumPy arrays of the results; the core is what the function became. Converted code calls
the core.

```python
import numpy as np


def energy(mass: np.ndarray, speed: np.ndarray) -> np.ndarray:
    \"\"\"The energy of each mass at each speed.\"\"\"
    return 0.5 * np.outer(mass, np.sqrt(speed**2))
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def _energy(mass: jax.Array, speed: jax.Array) -> jax.Array:
    return 0.5 * jnp.outer(mass, jnp.sqrt(speed**2))


def energy(mass: np.ndarray, speed: np.ndarray) -> np.ndarray:
    \"\"\"The energy of each mass at each speed.\"\"\"
    return np.array(_energy(mass, speed))
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..codegen import shells
from ..context import Context
from ..core.dtypes import is_weak
from ..core.findings import Edit, Finding, Kind
from ..core.registry import Rule
from ..definitions.host import AS_NUMPY, TO_NUMPY
from ..facts.values import Value
from ..loop_codegen import lists_of_arrays
from ..syntax import builders

rule = Rule(__name__, "NJ509")


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    shell = ctx.plan.inputs.shell
    if node is not ctx.unit.definition or ctx.plan.refused or not shell.core or shell.changed:
        return
    name = node.name.value
    if why := _no_shell(node, ctx):
        yield Finding(node, f"files that are not converted call `{name}`, and {why}", blocks=True)
        return
    result = ctx.host.returned
    array, imports = ctx.names.name_of("numpy.array")
    stacked = lists_of_arrays.stacked(node, ctx) if ctx.plan.jit else []
    definitions = shells.converters(node, ctx, stacked)
    if helper := _helper(result, ctx.plan.jit):
        definitions |= {helper}
        imports |= ctx.names.name_of("jax.Array")[1]
        helper = ctx.names.defined(helper)
    if definitions:
        imports |= shells.converters_imports(ctx)

    def converted(results: cst.BaseExpression) -> cst.BaseExpression:
        return builders.call(cst.Name(helper), results) if helper else _as_before(result, results, array, ctx)

    def edit(made: cst.FunctionDef) -> cst.FlattenSentinel[cst.FunctionDef]:
        return shells.with_results(node, made, shell.core, converted, stacked, ctx)

    message = f"files that are not converted call `{name}`, and get NumPy arrays"
    yield Finding(node, message, {node: edit}, imports, wraps=True, definitions=definitions)


@rule.on(cst.Call)
def call(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """Converted code calls the core."""
    core = ctx.calls.core(node)
    plan = ctx.calls.callee(node)
    if core is None or plan is None:
        return
    short = plan.name.rpartition(".")[2]
    if not core.name:
        message = f"files that are not converted call it, and `{short}` is imported here in a way that its core cannot be"
        yield Finding(node, message, refuses=plan.name)
        return
    edits: dict[cst.CSTNode, Edit] = {node.func: lambda made: _renamed(made, core.name)}
    definitions = set[str]()
    for parameter in plan.params:
        argument = ctx.calls.argument(node, parameter)
        applied = shells.applied(parameter, plan.inputs.shell) if argument is not None else []
        if argument is not None and applied and ctx.kind(argument) is not Kind.ARRAY:
            definitions.update(applied)
            edits[argument] = partial(_prepared, tuple(applied), ctx)
    imports = core.imports | (shells.converters_imports(ctx) if definitions else frozenset())
    message = f"`{short}` returns to other callers what it did with NumPy; converted code calls its core"
    yield Finding(node, message, edits, imports, wraps=True, definitions=frozenset(definitions))


def _prepared(functions: tuple[str, ...], ctx: Context, made: cst.BaseExpression) -> cst.BaseExpression:
    return shells.prepared(made, functions, ctx)


def _renamed(made: cst.BaseExpression, core: str) -> cst.BaseExpression:
    return made.with_changes(attr=cst.Name(core)) if isinstance(made, cst.Attribute) else cst.Name(core)


def _no_shell(node: cst.FunctionDef, ctx: Context) -> str:
    """Why a function cannot be split into a shell and a core; "" if it can."""
    if ctx.unit.wrapped:
        return "its decorator may return something else"
    if node.params.star_kwarg is not None or isinstance(node.params.star_arg, cst.Param):
        return "it takes any number of arguments"
    if ctx.plan.inputs.shell.draws or ctx.plan.random.gives:
        return "it draws random numbers"
    if ctx.names.fresh(ctx.plan.inputs.shell.core) != ctx.plan.inputs.shell.core:
        return f"the name `{ctx.plan.inputs.shell.core}` is taken"
    if not ctx.plan.jit and not _is_plain(ctx.host.returned):
        return "it is not known what its results hold"
    return ""


def _is_plain(value: Value) -> bool:
    """Whether a result is an array, a number or text, or a list or a tuple of these: `_as_numpy` finds all arrays in it."""
    if value.kind in (Kind.TUPLE, Kind.LIST, Kind.DICT):
        return bool(value.elements) and all(map(_is_plain, value.elements or ()))
    return value.kind in (Kind.ARRAY, Kind.SCALAR, Kind.NONE, Kind.STRING)


def _helper(result: Value, jit: bool) -> str:
    """The function of rules.definitions that converts results which are not known well enough for a plain conversion."""
    if result.kind is Kind.TUPLE and result.elements:
        return "" if all(_is_array(e) or _is_number(e) for e in result.elements) and jit else TO_NUMPY if jit else AS_NUMPY
    if _is_array(result) or (jit and result.kind in (Kind.ARRAY, Kind.SCALAR)):
        return ""
    return TO_NUMPY if jit else AS_NUMPY


def _as_before(result: Value, made: cst.BaseExpression, array: str, ctx: Context) -> cst.BaseExpression:
    """The results of the core as the function returned them: arrays, NumPy scalars, Python numbers."""
    if result.kind is Kind.TUPLE and result.elements:
        if all(map(_is_array, result.elements)):
            return builders.call(builders.dotted(ctx.names.name_of("jax.tree.map")[0]), builders.dotted(array), made)
        items = (
            cst.Subscript(made.deep_clone(), [cst.SubscriptElement(cst.Index(cst.Integer(str(position))))])
            for position in range(len(result.elements))
        )
        each = [cst.Element(_as_before(e, item, array, ctx)) for e, item in zip(result.elements, items, strict=True)]
        return cst.Tuple(each, lpar=(), rpar=())
    if _is_number(result):
        return builders.method(made, "item")
    converted = builders.call(builders.dotted(array), made)
    if _is_array(result):
        return converted
    return cst.Subscript(converted, [cst.SubscriptElement(cst.Index(cst.Tuple([])))])


def _is_array(value: Value) -> bool:
    return value.kind is Kind.ARRAY and not value.number and not value.item and (value.rank > 0 or bool(value.holds))


def _is_number(value: Value) -> bool:
    """Whether it is a Python number."""
    return value.kind is Kind.SCALAR and is_weak(value.dtype)
