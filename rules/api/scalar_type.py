"""A test for a NumPy scalar, or a NumPy scalar used as a key.

JAX returns arrays of rank 0. Such an array is an instance of `jax.Array`, not of `np.floating`, `np.float64` or `float`. If the
value certainly comes from JAX and the code tests for a scalar, or uses the value as the key of a dict, the function is left as
NumPy. Elsewhere the test accepts both, since callers may pass either.

```python
import numpy as np


def count(n, x: np.ndarray):
    if not isinstance(n, (int, np.integer)):
        raise TypeError("n must be an integer")
    return np.sum(x) * n
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np


def _number(x):
    \"\"\"A number of NumPy's dtype for an array of JAX without dimensions, anything else as it is: to ask for its type.\"\"\"
    extended = isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.extended)
    return x.dtype.type(0) if isinstance(x, jax.Array) and x.ndim == 0 and not extended else x


def count(n, x: jax.Array):
    if not isinstance(_number(n), (int, np.integer)):
        raise TypeError("n must be an integer")
    return jnp.sum(x) * n
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax import builders
from ..syntax.annotations import asked_for
from ..syntax.tree import children

rule = Rule(__name__, "NJ108")
NO_HASH = "JAX computes an array of rank 0, which has no hash and cannot be a key"
HASHING = ("add", "discard", "remove")
NO_NUMBER = "JAX computes an array of rank 0, not a Python or NumPy number, so this test would be false"
FUNCTION = "_number"
MAKES_KEYS = ("jax.random.key", "jax.random.PRNGKey")
OF_ARRAYS = ("__len__", "__iter__")
ARRAYS_ONLY = frozenset(
    {"numpy.ndarray", *(f"collections.abc.{n}" for n in "Iterable Sized Container Collection Reversible".split())}
)
NUMBERS = (
    "builtins.float",
    "builtins.int",
    "builtins.complex",
    "numbers.Number",
    "numbers.Real",
    "numbers.Complex",
    "numbers.Integral",
)


@rule.on(cst.Call)
def instance(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """`isinstance(x, ...)` with types of numbers or arrays, and `hasattr(x, "__len__")`."""
    if len(node.args) != 2:
        return
    called, (value, asked) = ctx.qualname(node.func), (a.value for a in node.args)
    if called == "builtins.isinstance" and _names(asked, ctx, _is_number) and _certain(value, ctx):
        yield Finding(node, NO_NUMBER, blocks=True)
    elif _tells(called, asked, ctx) and not _made_array(node, value, ctx):
        yield from _stands_for(value, ctx)


@rule.on(cst.Comparison)
def type_compared(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    match node:
        case cst.Comparison(left=cst.Call(func=func, args=[argument]), comparisons=[cst.ComparisonTarget(comparator=right)]):
            if ctx.qualname(func) == "builtins.type" and _names(right, ctx, _is_number):
                if _certain(argument.value, ctx):
                    yield Finding(node, NO_NUMBER, blocks=True)
                else:
                    yield from _stands_for(argument.value, ctx)


@rule.on(cst.Comparison)
def identity(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    """`np.allclose(x, y) is True`: an array of rank 0 is neither `True` nor `False`."""
    for left, right in (
        (node.left, part.comparator) for part in node.comparisons if isinstance(part.operator, (cst.Is, cst.IsNot))
    ):
        if isinstance(right, cst.Name) and right.value in ("True", "False") and _is_jax(left, ctx):
            yield Finding(node, f"JAX computes an array of rank 0, which is never `{right.value}` itself", blocks=True)


@rule.on(cst.Call)
def hashed_by_call(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if not node.args or node.args[0].star:
        return
    of_a_set = isinstance(node.func, cst.Attribute) and node.func.attr.value in HASHING and _is_set(node.func.value, ctx)
    of_a_dict = (
        isinstance(node.func, cst.Attribute)
        and node.func.attr.value in ("get", "setdefault", "pop")
        and ctx.kind(node.func.value) is Kind.DICT
    )
    key = node.args[0].value
    if (of_a_set or of_a_dict or ctx.qualname(node.func) == "builtins.hash") and _has_no_hash(key, ctx):
        yield Finding(key, NO_HASH, blocks=True)


@rule.on(cst.DictElement, cst.Set, cst.Subscript, cst.DictComp, cst.SetComp)
def hashed(node: cst.DictElement | cst.Set | cst.Subscript | cst.DictComp | cst.SetComp, ctx: Context) -> Iterator[Finding]:
    keys: list[cst.BaseExpression] = []
    if isinstance(node, (cst.DictElement, cst.DictComp)):
        keys = [node.key]
    elif isinstance(node, cst.SetComp):
        keys = [node.elt]
    elif isinstance(node, cst.Set):
        keys = [e.value for e in node.elements]
    elif ctx.kind(node.value) is Kind.DICT:
        keys = [p.slice.value for p in node.slice if isinstance(p.slice, cst.Index)]
    for key in keys:
        if _has_no_hash(key, ctx):
            yield Finding(key, NO_HASH, blocks=True)


def _is_set(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a variable is bound to a set anywhere in the function."""
    if not isinstance(node, cst.Name) or ctx.unit.definition is None:
        return False
    seen: list[cst.CSTNode] = [ctx.unit.definition.body]
    while seen:
        match at := seen.pop():
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if name == node.value:
                if isinstance(value, (cst.Set, cst.SetComp)):
                    return True
                if isinstance(value, cst.Call) and ctx.qualname(value.func) == "builtins.set":
                    return True
        seen += children(at)
    return False


def _has_no_hash(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a key is a number computed by JAX, or an array element. A NumPy array of unknown rank that is hashed has rank 0."""
    known = ctx.value(node)
    return _is_jax(node, ctx) or (known.kind is Kind.ARRAY and known.rank <= 0)


def _is_jax(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether `node` is a number that JAX computes, or an element of a JAX array."""
    known = ctx.value(node)
    return known.kind is Kind.SCALAR and (known.device or known.traced or ctx.host.converted_result(node))


def _names(node: cst.BaseExpression, ctx: Context, meant: Callable[[cst.BaseExpression, Context], bool]) -> bool:
    """Whether a type, or one of several, satisfies `meant`."""
    if isinstance(node, (cst.Tuple, cst.List)):
        return any(_names(e.value, ctx, meant) for e in node.elements)
    if isinstance(node, cst.BinaryOperation):
        return _names(node.left, ctx, meant) or _names(node.right, ctx, meant)
    return meant(node, ctx)


def _is_number(node: cst.BaseExpression, ctx: Context) -> bool:
    name = ctx.qualname(node) or ""
    if name in NUMBERS:
        return True
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    return entry is not None and entry.kind == "dtype" and asked_for(node, ctx)


def _tells_numbers(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether NumPy's scalars are instances of a type and arrays are not, or vice versa. No NumPy scalar is an `int`."""
    name = ctx.qualname(node) or ""
    return name != "builtins.int" and (name in ARRAYS_ONLY or _is_number(node, ctx))


def _tells(called: str | None, asked: cst.BaseExpression, ctx: Context) -> bool:
    """Whether the outcome of a test differs between NumPy's scalars and its arrays."""
    if called == "builtins.hasattr":
        return isinstance(asked, cst.SimpleString) and asked.evaluated_value in OF_ARRAYS
    return called == "builtins.isinstance" and _names(asked, ctx, _tells_numbers) and not _names(asked, ctx, _is_of_jax)


def _is_of_jax(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a type is one of JAX's already."""
    return (ctx.qualname(node) or "").startswith("jax.")


def _certain(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a number certainly comes from JAX."""
    known = ctx.value(node)
    return (known.device or ctx.host.converted_result(node)) and known.kind in (Kind.SCALAR, Kind.UNKNOWN)


def _stands_for(node: cst.BaseExpression, ctx: Context) -> Iterator[Finding]:
    """Test the scalar that a value may have been in NumPy, unless the value is known to be an array."""
    known = ctx.value(node)
    open_ = known.kind is Kind.ARRAY and known.rank <= 0 and (known.number or not known.holds)
    if not open_ and (known.kind not in (Kind.SCALAR, Kind.UNKNOWN) or known.static):
        return
    if isinstance(node, cst.Call) and (ctx.qualname(node.func) or "").rpartition(".")[2] == ctx.names.defined(FUNCTION):
        return
    if _is_seed(node, ctx):
        return
    imports = ctx.names.name_of("jax.Array")[1] | ctx.names.name_of("jax.numpy.issubdtype")[1]
    yield Finding(
        node,
        "a number computed by JAX is an array of rank 0, not an instance of these types",
        {node: lambda made: builders.call(cst.Name(ctx.names.defined(FUNCTION)), made)},
        imports,
        definitions=frozenset({FUNCTION}),
    )


def _is_seed(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a variable is passed to `jax.random.key`: it is a Python number, or a key already."""
    if not isinstance(node, cst.Name) or ctx.unit.definition is None:
        return False
    seen: list[cst.CSTNode] = [ctx.unit.definition.body]
    while seen:
        match at := seen.pop():
            case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name)), *_]) if name == node.value:
                if (ctx.qualname(func) or "") in MAKES_KEYS:
                    return True
        seen += children(at)
    return False


def _made_array(node: cst.Call, value: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a test guards a conversion that JAX's numbers do not need: `if not isinstance(x, np.ndarray): x = np.array(x)`."""
    match ctx.parent(ctx.parent(node) or node):
        case cst.If(
            test=cst.UnaryOperation(operator=cst.Not(), expression=expression),
            body=cst.IndentedBlock(
                body=[
                    cst.SimpleStatementLine(
                        body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=cst.Call(func=func, args=[first, *_]))]
                    )
                ]
            ),
            orelse=None,
        ) if expression is node:
            makes = ctx.qualname(func) in ("numpy.array", "numpy.asarray")
            return makes and target.deep_equals(value) and first.value.deep_equals(value)
    return False
