"""Random keys: a `key` parameter, the splits that give each draw its own key, and the calls that pass keys on.

A function that draws from NumPy's global state takes the keyword-only parameter `key`. One split at the start gives each draw
its own key; a loop carries the key from one iteration to the next. If code outside of the project may call the function, NJ306 makes the key optional.

```python
import numpy as np


def _measure(size):
    return np.random.normal(size=size)


def _difference(size: int):
    return _measure(size) - _measure(size)
```

becomes

```python
import functools

import jax


@functools.partial(jax.jit, static_argnames="size")
def _measure(size, *, key):
    return jax.random.normal(key, (size,))


@functools.partial(jax.jit, static_argnames="size")
def _difference(size: int, *, key):
    measure_key, measure_key_2 = jax.random.split(key)
    return _measure(size, key=measure_key) - _measure(size, key=measure_key_2)
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import libcst as cst

from ..codegen.call_adaptation import EQUAL
from ..codegen.host_keys import drawn_seed, of_entropy, of_state
from ..context import Context
from ..core.findings import Edit, Finding, Kind, Statement
from ..core.registry import Rule
from ..facts.function_plan import FunctionPlan
from ..facts.random_keys import Split
from ..syntax import builders
from .unused_keys import leaves, unpacked, without_key

rule = Rule(__name__, "NJ304", for_numpy_code=True)
COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


@rule.on(cst.FunctionDef)
def parameter(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is not ctx.unit.definition or ctx.plan.refused:
        return
    if ctx.plan.random.key:
        yield Finding(
            node,
            "it draws random numbers, and takes a key for that",
            {node: lambda made: _keyed(made, ctx.plan.random.key, bool(ctx.plan.inputs.shell.key))},
        )
    yield from splits(node, ctx)


@rule.on(cst.Module)
def splits(node: cst.Module | cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    """The statements that create and split keys."""
    if ctx.plan.refused:
        return
    for site, why in ctx.random.keys.problems.items():
        yield Finding(site, why, blocks=True)
    for anchor in ctx.random.keys.roots:
        key, imports = of_entropy(ctx) if isinstance(node, cst.Module) else of_state(ctx)
        line = f"{ctx.random.key_name} = {key}"
        yield Finding(anchor, "nothing here seeds NumPy's random state", imports=imports, before=_lines(line), early=True)
    split, imports = ctx.names.name_of("jax.random.split")
    for made in ctx.random.keys.splits:
        yield Finding(made.anchor, "each draw gets its own key", imports=imports, before=_lines(_line(made, split)), early=True)


@rule.on(cst.FunctionDef, cst.Lambda)
def inner(node: cst.FunctionDef | cst.Lambda, ctx: Context) -> Iterator[Finding]:
    """A nested function of the unit that draws."""
    if not ctx.plan.refused and (name := ctx.random.keys.inner.get(node)):
        yield Finding(node, "it draws random numbers, and takes a key for that", {node: lambda made: _keyed(made, name, False)})


@rule.on(cst.Call)
def inner_call(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if not ctx.plan.refused and (name := ctx.random.keys.inner_calls.get(node)) and (names := ctx.random.keys.names.get(node)):
        message = f"`{cst.Module([]).code_for_node(node.func)}` draws random numbers, and takes a key for that"
        yield Finding(node, message, _with_key(node, name, names[0]))


@rule.on(cst.While)
def asked(node: cst.While, ctx: Context) -> Iterator[Finding]:
    """A loop condition that draws gets new keys in each iteration."""
    if ctx.plan.refused or not (made := ctx.random.keys.conditions.get(node)):
        return
    split, imports = ctx.names.name_of("jax.random.split")
    lines = [cst.parse_statement(_line(m, split)) for m in made]

    def edit(loop: cst.While) -> cst.While:
        stop = cst.If(
            cst.UnaryOperation(cst.Not(), builders.operand(loop.test)),
            cst.IndentedBlock([cst.SimpleStatementLine([cst.Break()])]),
        )
        body = cst.ensure_type(loop.body, cst.IndentedBlock)
        return loop.with_changes(test=cst.Name("True"), body=body.with_changes(body=[*lines, stop, *body.body]))

    yield Finding(node, "each iteration gets its own key", {node: edit}, imports)


def _line(made: Split, split: str) -> str:
    """The statement that splits a key."""
    names = ([made.stream] if made.carried else []) + list(made.names)
    count = f", {len(names)}" if len(names) != 2 else ""
    return f"{', '.join(names)} = {split}({made.stream}{count})"


def _lines(text: str) -> Callable[[], Sequence[Statement]]:
    def make() -> Sequence[Statement]:
        return [cst.parse_statement(text)]

    return make


def _keyed(made: cst.FunctionDef | cst.Lambda, name: str, optional: bool) -> cst.FunctionDef | cst.Lambda:
    params, absent = made.params, cst.Name("None") if optional else None
    star = params.star_arg if isinstance(params.star_arg, (cst.Param, cst.ParamStar)) else cst.ParamStar()
    only = [
        *params.kwonly_params,
        cst.Param(cst.Name(name), default=absent, equal=EQUAL if absent is not None else cst.MaybeSentinel.DEFAULT),
    ]
    return made.with_changes(params=params.with_changes(star_arg=star, kwonly_params=only))


@rule.on(cst.Call)
def call(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """A call of a function that takes a key."""
    plan = ctx.calls.callee(node)
    if plan is None or plan.refused or not plan.random.key:
        return
    if ctx.plan.refused and plan.inputs.shell.key:
        return  # it draws its key itself
    imports = frozenset({"import jax"})
    if ctx.plan.refused:  # NumPy's state, seeded or not, determines the key
        key, imports = of_state(ctx)
    elif names := ctx.random.keys.names.get(node):
        key = names[0]
    else:
        return  # a problem for which the unit is refused
    edits = _with_key(node, plan.random.key, key)
    if not node.args and leaves(node, plan, ctx) and unpacked(node, plan, ctx) is None:
        given = edits[node]
        edits = {node: lambda made: without_key(given(made), plan)}
    short = plan.name.rpartition(".")[2]
    yield Finding(node, f"`{short}` draws random numbers, and takes a key for that", edits, imports)


def _with_key(node: cst.Call, name: str, key: str) -> Mapping[cst.CSTNode, Edit]:
    """The call with a key as an additional argument."""
    argument = cst.Arg(cst.parse_expression(key), keyword=cst.Name(name), equal=EQUAL)
    if node.args:
        return {node.args[-1]: lambda made: cst.FlattenSentinel([made.with_changes(comma=COMMA), argument])}
    return {node: lambda made: made.with_changes(args=[argument])}


@rule.on(cst.Name, cst.Attribute, cst.Subscript)
def passed_generator(node: cst.Name | cst.Attribute | cst.Subscript, ctx: Context) -> Iterator[Finding]:
    """A generator that is passed to a function, which gets a key of its own.

    If one of the two is left as NumPy, the key is made from a draw of the generator, or the generator from bits of the key.
    """
    if not ctx.random.passes_on(node):
        return
    imports = frozenset({"import jax"})
    given = cst.Module([]).code_for_node(node)
    legacy = ctx.value(node).name.endswith("RandomState")
    if ctx.plan.refused:
        if not _takes_key(node, ctx):
            return
        made = f"{ctx.names.name_of('jax.random.key')[0]}({given}.{drawn_seed(legacy)})"
    elif names := ctx.random.keys.names.get(node):
        plan = _receiver(node, ctx)
        if plan is not None and plan.jax:
            return
        made = names[0]
        if plan is not None and plan.refused:
            function, lines = ctx.names.name_of(f"numpy.random.{'RandomState' if legacy else 'default_rng'}")
            made = f"{function}(int({ctx.names.name_of('jax.random.bits')[0]}({names[0]})))"
            imports |= lines
    else:
        return  # a problem for which the unit is refused
    if made != given:
        absent = f"None if {given} is None else " if ctx.random.may_be_none(node) else ""
        yield Finding(
            node,
            "the function that gets the generator gets its own key",
            {node: lambda _made: cst.parse_expression(absent + made)},
            imports,
        )


@rule.on(cst.Call)
def made_for_converted(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """A function left as NumPy creates a generator for a converted one, which takes a key."""
    if not ctx.plan.refused or not ctx.random.makes_generator(node) or not _takes_key(node, ctx):
        return
    number = drawn_seed(ctx.value(node).name.endswith("RandomState"))
    key = ctx.names.name_of("jax.random.key")[0]

    def edit(made: cst.Call) -> cst.BaseExpression:
        if len(node.args) == 1 and ctx.kind(node.args[0].value) is Kind.SCALAR:
            return builders.call(builders.dotted(key), made.args[0].value)
        return cst.parse_expression(f"{key}({cst.Module([]).code_for_node(made)}.{number})")

    yield Finding(node, "the function that gets the generator gets its own key", {node: edit}, frozenset({"import jax"}))


def _receiver(node: cst.BaseExpression, ctx: Context) -> FunctionPlan | None:
    """The function that an expression is an argument of; None if it is none, or the function is unknown."""
    argument = ctx.parent(node)
    enclosing = ctx.parent(argument) if isinstance(argument, cst.Arg) else None
    return ctx.calls.callee(enclosing) if isinstance(enclosing, cst.Call) else None


def _takes_key(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an expression is the argument of a parameter that takes a key, and no generator."""
    argument = ctx.parent(node)
    enclosing = ctx.parent(argument) if isinstance(argument, cst.Arg) else None
    plan = _receiver(node, ctx)
    return (
        isinstance(enclosing, cst.Call)
        and plan is not None
        and any(ctx.calls.argument(enclosing, p) is node for p in plan.random.generators if p not in plan.inputs.shell.generators)
    )


@rule.on(cst.CompFor)
def iterations(node: cst.CompFor, ctx: Context) -> Iterator[Finding]:
    """Each iteration of a comprehension gets its own key, derived from its index."""
    fold = ctx.random.keys.folds.get(node) if not ctx.plan.refused else None
    if fold is None:
        return
    index = cst.Name(fold.index)

    def edit(made: cst.CompFor) -> cst.CompFor:
        return _counted(made, index) if fold.enumerated else made.with_changes(target=index)

    yield Finding(node, "each iteration gets its own key", {node: edit})


@rule.on(cst.For)
def counted(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """A loop over a list of keys that stores new ones back."""
    if not ctx.plan.refused and (index := ctx.random.keys.counted.get(node)):
        yield Finding(node, "each iteration gets its own key", {node: lambda made: _counted(made, cst.Name(index))})


Clause = TypeVar("Clause", cst.For, cst.CompFor)


def _counted(made: Clause, index: cst.Name) -> Clause:
    """The loop or comprehension clause over `enumerate`."""
    bare = isinstance(made.target, cst.Tuple) and not made.target.lpar
    target = made.target.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if bare else made.target
    pair = cst.Tuple([cst.Element(index), cst.Element(target)], lpar=[], rpar=[])
    return made.with_changes(target=pair, iter=builders.call(cst.Name("enumerate"), made.iter))
