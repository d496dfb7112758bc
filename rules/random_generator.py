"""A generator of random numbers, or a seed of NumPy's state, becomes a key.

The key of a seed is always the same; where NumPy takes its seed from the system, the key does so, too.

```python
import numpy as np


def sample(n: int, seed: int):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n).mean()
```

becomes

```python
import functools

import jax


@functools.partial(jax.jit, static_argnames="n")
def sample(n: int, seed: int):
    rng = jax.random.key(seed)
    return jax.random.normal(rng, (n,)).mean()
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from . import functional
from .annotations import in_annotation
from .context import Context
from .model import Finding, Kind
from .registry import Rule

rule = Rule(__name__, "NJ303")
TYPES = ("numpy.random.Generator", "numpy.random.RandomState")
ENTROPY = "secrets.randbits(32)"


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if ctx.plan.refused:
        return
    if ctx.seeds(node):
        yield from _seeded(node, ctx)
    elif ctx.makes_generator(node):
        yield from _made(node, ctx)


def _seeded(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """`np.random.seed(0)` starts the stream anew; functions that stay NumPy need it as well."""
    statement = ctx.parent(node)
    assert isinstance(statement, cst.Expr)
    key, imports = _key(node.args[0].value if node.args else None, ctx)
    target = cst.AssignTarget(cst.Name(ctx.key_name))

    def edit(made: cst.Expr) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
        call = made.value
        assert isinstance(call, cst.Call)
        assigned = cst.Assign([target], key(call.args[0].value if call.args else None))
        return cst.FlattenSentinel([made, assigned]) if ctx.draws_on_host else assigned

    yield Finding(node, "NumPy's random state is seeded", {statement: edit}, imports)


def _made(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    argument = ctx.parent(node)
    around = ctx.parent(argument) if isinstance(argument, cst.Arg) else None
    given_to = ctx.callee(around) if isinstance(around, cst.Call) else None
    if given_to is not None and given_to.refused:
        return  # who stays NumPy takes NumPy's
    seed = _seed(node)
    value = ctx.value(seed) if seed is not None else None
    message = "JAX has keys, and no generators"
    if value is not None and value.kind is Kind.OBJECT:  # default_rng(generator) is that generator
        if not ctx.may_be_none(seed):
            yield Finding(node, message, {node: lambda made: _inner(made)})
            return
        key, imports = _key(None, ctx)
        test = cst.Comparison(seed, [cst.ComparisonTarget(cst.Is(), cst.Name("None"))])  # type: ignore[arg-type]
        yield Finding(node, message, {node: lambda made: cst.IfExp(test=test, body=key(None), orelse=_inner(made))}, imports)
        return
    key, imports = _key(seed, ctx)
    yield Finding(node, message, {node: lambda made: key(_seed(made))}, imports)


def _inner(made: cst.CSTNode) -> cst.BaseExpression:
    assert isinstance(made, cst.Call)
    return made.args[0].value


def _seed(call: cst.CSTNode) -> cst.BaseExpression | None:
    """The seed of `default_rng(seed)`, or of `Generator(PCG64(seed))`."""
    assert isinstance(call, cst.Call)
    if not call.args:
        return None
    first = call.args[0].value
    return _seed(first) if isinstance(first, cst.Call) and _is_bits(first) else first


def _is_bits(call: cst.Call) -> bool:
    """Whether a call makes a bit generator; the analysis lets no other reach Generator."""
    function = call.func
    name = function.attr if isinstance(function, cst.Attribute) else function
    return isinstance(name, cst.Name) and name.value in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def _key(seed: cst.BaseExpression | None, ctx: Context) -> tuple[Callable[[cst.BaseExpression | None], cst.Call], frozenset[str]]:
    """What makes the key of a seed that is rewritten, and the imports that it takes."""
    function, imports = ctx.name_of("jax.random.key")
    fresh = seed is None or ctx.kind(seed) is Kind.NONE
    either = seed is not None and not fresh and ctx.may_be_none(seed)

    def key(made: cst.BaseExpression | None) -> cst.Call:
        argument = cst.parse_expression(ENTROPY) if fresh or made is None else made
        if either and made is not None:
            test = cst.Comparison(functional.operand(made), [cst.ComparisonTarget(cst.Is(), cst.Name("None"))])
            argument = cst.IfExp(test=test, body=cst.parse_expression(ENTROPY), orelse=made)
        return functional.call(functional.dotted(function), argument)

    return key, imports | ({"import secrets"} if fresh or either else set())


@rule.on(cst.Name, cst.Attribute)
def annotated(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    """A parameter that was a generator is annotated as an array: keys are arrays."""
    if ctx.plan.refused or ctx.qualname(node) not in TYPES or not in_annotation(node, ctx):
        return
    if isinstance(ctx.parent(node), cst.Attribute):
        return
    text, imports = ctx.name_of("jax.Array")
    yield Finding(node, "JAX has keys, and no generators", {node: lambda _made: functional.dotted(text)}, imports)
