"""A random generator, or a seed of NumPy's global state, becomes a key.

A fixed seed always gives the same key. Where NumPy takes its seed from the operating system, so does the key.

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

from ..codegen.host_keys import SPAWNED, of_state, seeded
from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..random_table import ENTROPY
from ..syntax import builders
from ..syntax.annotations import in_annotation

rule = Rule(__name__, "NJ303")
MERSENNE = "2**31 + 19937"  # for MT19937, the bit generator of the legacy generators
LEGACY = "numpy.random.RandomState"
TYPES = ("numpy.random.Generator", LEGACY)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if ctx.plan.refused:
        return
    if ctx.random.seeds(node) and ctx.calls.callee(node) is None:
        yield from _seeded(node, ctx)
    elif ctx.random.makes_generator(node):
        yield from _made(node, ctx)


def _seeded(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """`np.random.seed(0)` restarts the stream. Functions left as NumPy, and callers outside of the project, still need the call."""
    statement = ctx.parent(node)
    assert isinstance(statement, cst.Expr)
    target = cst.AssignTarget(cst.Name(ctx.random.key_name))
    stays = ctx.random.seeds_for_host(node)
    if stays and not ctx.random.keys.names and not ctx.plan.random.gives:
        return  # other code needs the seed, and nothing needs a key
    key, imports = _key(node.args[0].value if node.args else None, ctx, legacy=True)

    def edit(made: cst.Expr) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
        call = made.value
        assert isinstance(call, cst.Call)
        assigned = cst.Assign([target], key(call.args[0].value if call.args else None))
        return cst.FlattenSentinel([made, assigned]) if stays else assigned

    yield Finding(node, "NumPy's random state is seeded", {statement: edit}, imports)


def _made(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    argument = ctx.parent(node)
    enclosing = ctx.parent(argument) if isinstance(argument, cst.Arg) else None
    receiver = ctx.calls.callee(enclosing) if isinstance(enclosing, cst.Call) else None
    if receiver is not None and receiver.refused:
        return  # a function left as NumPy takes a NumPy generator
    seed = _seed(node)
    message = "JAX has keys, and no generators"
    legacy = ctx.value(node).name == LEGACY
    key, imports = _key(seed, ctx, legacy)
    if ctx.random.accepts_any(node):
        keyed, imports = seeded(ctx, legacy)
        array, more = ctx.names.name_of("jax.Array")
        either = ctx.random.may_be_key(seed)
        yield Finding(
            node,
            message,
            {node: lambda made: _either(_seed(made), array, lambda _seed: keyed(made)) if either else keyed(made)},
            imports | (more if either else frozenset()),
        )
        return
    if seed is not None and ctx.random.may_be_key(seed):
        array, more = ctx.names.name_of("jax.Array")
        yield Finding(node, message, {node: lambda made: _either(_seed(made), array, key)}, imports | more)
    elif seed is not None and ctx.kind(seed) is Kind.OBJECT:  # default_rng(generator) is that generator
        if not ctx.random.may_be_none(seed):
            yield Finding(node, message, {node: lambda made: _inner(made)})
            return
        key, imports = _key(None, ctx)
        yield Finding(
            node,
            message,
            {node: lambda made: cst.IfExp(test=_is_none(seed), body=key(None), orelse=_inner(made))},
            imports,
        )
    else:
        yield Finding(node, message, {node: lambda made: key(_seed(made))}, imports)


@rule.on(cst.Call)
def spawned(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """`rng.spawn(n)`: several keys from one, disjoint from those into which it is split for draws.

    If another generator has the same seed, it may split the same key, and draw from the keys that are the children here.
    """
    if not ctx.plan.refused and ctx.random.spawns(node):
        split, imports = ctx.names.name_of("jax.random.split")
        fold = ctx.names.name_of("jax.random.fold_in")[0]
        names = ctx.random.keys.names.get(node)

        def edit(made: cst.Call) -> cst.Call:
            key = cst.parse_expression(names[0]) if names else cst.ensure_type(made.func, cst.Attribute).value
            if ctx.random.spawns_beside(node):
                key = builders.call(builders.dotted(fold), key, cst.parse_expression(SPAWNED))
            keys = builders.call(builders.dotted(split), key, made.args[0].value)
            return builders.call(cst.Name("list"), keys) if ctx.random.puts_back(node) else keys

        yield Finding(node, "JAX splits keys from a key", {node: edit}, imports | {"import jax"})


@rule.on(cst.Name, cst.Attribute)
def global_state(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    """NumPy's global state as a generator."""
    if not ctx.plan.refused and ctx.random.makes_generator(node):
        key, imports = of_state(ctx)
        yield Finding(node, "JAX has no global random state", {node: lambda _made: cst.parse_expression(key)}, imports)


@rule.on(cst.BooleanOperation)
def fallback(node: cst.BooleanOperation, ctx: Context) -> Iterator[Finding]:
    """`rng or default_rng()`: a key has no truth value."""
    value = ctx.value(node.left)
    if ctx.plan.refused or not isinstance(node.operator, cst.Or) or value.kind is not Kind.OBJECT or value.name not in TYPES:
        return
    if not isinstance(node.left, (cst.Name, cst.Attribute)):
        yield Finding(node, "the truth value of a generator is tested", blocks=True)
        return

    def edit(made: cst.BooleanOperation) -> cst.IfExp:
        return cst.IfExp(test=_is_none(made.left, cst.IsNot()), body=made.left, orelse=made.right, lpar=made.lpar, rpar=made.rpar)

    yield Finding(node, "a key is neither true nor false", {node: edit})


def _is_none(node: cst.BaseExpression, operator: cst.BaseCompOp | None = None) -> cst.Comparison:
    return cst.Comparison(builders.operand(node), [cst.ComparisonTarget(operator or cst.Is(), cst.Name("None"))])


def _either(
    seed: cst.BaseExpression | None, array: str, key: Callable[[cst.BaseExpression | None], cst.BaseExpression]
) -> cst.BaseExpression:
    """The expression that returns a key unchanged, and makes a key of a number."""
    assert seed is not None
    test = builders.call(cst.Name("isinstance"), seed, builders.dotted(array))
    return cst.IfExp(test=test, body=seed, orelse=key(seed))


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
    """Whether a call creates a bit generator; the analysis admits no other argument of Generator."""
    function = call.func
    name = function.attr if isinstance(function, cst.Attribute) else function
    return isinstance(name, cst.Name) and name.value in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def _key(
    seed: cst.BaseExpression | None, ctx: Context, legacy: bool = False
) -> tuple[Callable[[cst.BaseExpression | None], cst.Call], frozenset[str]]:
    """The function from a rewritten seed to the expression of its key, and the imports that this needs.

    NumPy's `legacy` generators draw other numbers from a seed than the new ones, so they get another key from it.
    """
    function, imports = ctx.names.name_of("jax.random.key")
    fold = ctx.names.name_of("jax.random.fold_in")[0]
    fresh = seed is None or ctx.kind(seed) is Kind.NONE
    either = seed is not None and not fresh and ctx.random.may_be_none(seed)
    distinct = legacy and ctx.program.seeded_identically and not fresh

    def key(made: cst.BaseExpression | None) -> cst.Call:
        argument = cst.parse_expression(ENTROPY) if fresh or made is None else made
        if either and made is not None:
            argument = cst.IfExp(test=_is_none(made), body=cst.parse_expression(ENTROPY), orelse=made)
        whole = builders.call(builders.dotted(function), argument)
        return builders.call(builders.dotted(fold), whole, cst.parse_expression(MERSENNE)) if distinct else whole

    return key, imports | ({"import secrets"} if fresh or either else set())


@rule.on(cst.Call)
def tested(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """`isinstance(rng, np.random.Generator)`: keys are arrays."""
    if ctx.plan.refused or ctx.program.random_on_host or len(node.args) != 2 or ctx.qualname(node.func) != "builtins.isinstance":
        return
    types = node.args[1].value
    several = [e.value for e in types.elements] if isinstance(types, cst.Tuple) else [types]
    found = [t for t in several if ctx.qualname(t) in TYPES]
    text, imports = ctx.names.name_of("jax.Array")
    required: list[cst.BaseExpression] = [types] if found and len(found) == len(several) else found[:1]
    if len(found) > len(required) and required != [types]:
        yield Finding(node, "it tests for two kinds of generators among other types", blocks=True)
        return
    for asked in required:
        yield Finding(node, "JAX has keys, and no generators", {asked: lambda _made: builders.dotted(text)}, imports)


@rule.on_numpy
def annotated(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    """The annotation of a generator becomes that of an array: keys are arrays."""
    if ctx.plan.refused or ctx.qualname(node) not in TYPES or not in_annotation(node, ctx):
        return
    if isinstance(ctx.parent(node), cst.Attribute):
        return
    text, imports = ctx.names.name_of("jax.Array")
    yield Finding(node, "JAX has keys, and no generators", {node: lambda _made: builders.dotted(text)}, imports)
