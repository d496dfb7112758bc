"""Keys for random numbers: a parameter, the splits that give each draw its own, and the calls that hand them on.

A function that draws from NumPy's own state takes the keyword-only parameter `key`. One split at the start gives each draw
its own key; a loop carries the key along.

```python
import numpy as np


def measure(size):
    return np.random.normal(size=size)


def difference(size: int):
    return measure(size) - measure(size)
```

becomes

```python
import functools

import jax


@functools.partial(jax.jit, static_argnames="size")
def measure(size, *, key):
    return jax.random.normal(key, (size,))


@functools.partial(jax.jit, static_argnames="size")
def difference(size: int, *, key):
    measure_key, measure_key_2 = jax.random.split(key)
    return measure(size, key=measure_key) - measure(size, key=measure_key_2)
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from . import functional
from .adapt import EQUAL
from .context import Context
from .model import Edit, Finding, Statement
from .registry import Rule

rule = Rule(__name__, "NJ304", kept_too=True)
COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
ENTROPY = "secrets.randbits(32)"


@rule.on(cst.FunctionDef)
def parameter(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is not ctx.definition or ctx.plan.refused:
        return
    if ctx.plan.key:
        yield Finding(node, "it draws random numbers, and takes a key for that", {node: lambda made: _keyed(made, ctx.plan.key)})
    yield from splits(node, ctx)


@rule.on(cst.Module)
def splits(node: cst.Module | cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    """The statements that make keys of keys."""
    if ctx.plan.refused:
        return
    for site, why in ctx.keys.problems.items():
        yield Finding(site, why, blocks=True)
    key, imports = ctx.name_of("jax.random.key")
    for anchor in ctx.keys.roots:
        line = f"{ctx.key_name} = {key}({ENTROPY})"
        yield Finding(
            anchor, "nothing seeds NumPy's random state", imports=imports | {"import secrets"}, before=_lines(line), early=True
        )
    split, imports = ctx.name_of("jax.random.split")
    for made in ctx.keys.splits:
        names = ([made.stream] if made.carried else []) + list(made.names)
        count = f", {len(names)}" if len(names) != 2 else ""
        line = f"{', '.join(names)} = {split}({made.stream}{count})"
        yield Finding(made.anchor, "each draw takes a key of its own", imports=imports, before=_lines(line), early=True)


def _lines(text: str) -> Callable[[], Sequence[Statement]]:
    def make() -> Sequence[Statement]:
        return [cst.parse_statement(text)]

    return make


def _keyed(made: cst.FunctionDef, name: str) -> cst.FunctionDef:
    params = made.params
    star = params.star_arg if isinstance(params.star_arg, (cst.Param, cst.ParamStar)) else cst.ParamStar()
    only = [*params.kwonly_params, cst.Param(cst.Name(name))]
    return made.with_changes(params=params.with_changes(star_arg=star, kwonly_params=only))


@rule.on(cst.Call)
def call(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """A call of a function that takes a key."""
    plan = ctx.callee(node)
    if plan is None or plan.refused or not plan.key:
        return
    imports = frozenset({"import jax"})
    if ctx.plan.refused:  # NumPy's state, seeded or not, decides
        host, lines = ctx.name_of("numpy.random.randint")
        key = f"{ctx.name_of('jax.random.key')[0]}({host}(2**31 - 1))"
        imports |= lines
    elif names := ctx.keys.names.get(node):
        key = names[0]
    else:
        return  # a problem that keeps the unit
    argument = cst.Arg(cst.parse_expression(key), keyword=cst.Name(plan.key), equal=EQUAL)
    edits: dict[cst.CSTNode, Edit] = {node: lambda made: made.with_changes(args=[argument])}
    if node.args:
        edits = {node.args[-1]: lambda made: cst.FlattenSentinel([made.with_changes(comma=COMMA), argument])}
    short = plan.name.rpartition(".")[2]
    yield Finding(node, f"`{short}` draws random numbers, and takes a key for that", edits, imports)


@rule.on(cst.Name, cst.Attribute)
def handed(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    """A generator that is handed on: the other one gets a key of its own; a generator, where one of the two is kept."""
    if not ctx.hands_on(node):
        return
    argument = ctx.parent(node)
    around = ctx.parent(argument) if isinstance(argument, cst.Arg) else None
    plan = ctx.callee(around) if isinstance(around, cst.Call) else None
    kept = plan is not None and bool(plan.refused)
    imports = frozenset({"import jax"})
    if ctx.plan.refused:
        if plan is None or kept:
            return
        legacy = ctx.value(node).name.endswith("RandomState")
        drawn = f"{cst.Module([]).code_for_node(node)}.{'randint(2**31 - 1)' if legacy else 'integers(2**32)'}"
        given = cst.Module([]).code_for_node(node)
        absent = f"None if {given} is None else " if ctx.may_be_none(node) else ""
        made = cst.parse_expression(f"{absent}{ctx.name_of('jax.random.key')[0]}({drawn})")
    elif names := ctx.keys.names.get(node):
        made = cst.parse_expression(names[0])
        if kept:
            maker = "default_rng" if ctx.value(node).name.endswith("Generator") else "RandomState"
            function, lines = ctx.name_of(f"numpy.random.{maker}")
            made = cst.parse_expression(f"{function}(int({ctx.name_of('jax.random.bits')[0]}({names[0]})))")
            imports |= lines
    else:
        return  # a problem that keeps the unit
    if not made.deep_equals(node):
        yield Finding(node, "who gets a generator gets a key of its own", {node: lambda _made: made}, imports)


@rule.on(cst.CompFor)
def turns(node: cst.CompFor, ctx: Context) -> Iterator[Finding]:
    """Each turn of a comprehension has a key of its own, by its index."""
    fold = ctx.keys.folds.get(node) if not ctx.plan.refused else None
    if fold is None:
        return
    index = cst.Name(fold.index)

    def edit(made: cst.CompFor) -> cst.CompFor:
        if not fold.enumerated:
            return made.with_changes(target=index)
        target = (
            made.target.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            if isinstance(made.target, cst.Tuple) and not made.target.lpar
            else made.target
        )
        pair = cst.Tuple([cst.Element(index), cst.Element(target)], lpar=[], rpar=[])
        return made.with_changes(target=pair, iter=functional.call(cst.Name("enumerate"), made.iter))

    yield Finding(node, "each turn takes a key of its own", {node: edit})
