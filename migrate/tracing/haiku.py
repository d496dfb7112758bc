"""The functions that `haiku.transform` makes of one: `init`, and `apply`, which get the parameters besides."""

from __future__ import annotations

import ast

from ...rules.facts.traced_values import EXTERNAL, FUNCTION, STATIC, Traced
from .program import Closure, FunctionInfo, FunctionNode, Scope
from .queries import remembered

PAIR = "haiku.Transformed"
LEADING = {"haiku.transform": ("params", "rng"), "haiku.transform_with_state": ("params", "state", "rng")}
WITHOUT_RANDOM_KEY = "haiku.without_apply_rng"
INNER = "function of Haiku"  # no name of Python, so that no parameter hides it


def transformed(name: str, given: Traced) -> Traced | None:
    """The pair of `init` and `apply`; None if the function that they call is not known."""
    if name in LEADING and given.kind == FUNCTION:
        return Traced(EXTERNAL, STATIC, PAIR, what=(given, LEADING[name]))
    if name == WITHOUT_RANDOM_KEY and given.name == PAIR:
        function, leading = given.what
        return given._replace(what=(function, leading[:-1]))
    return None


def member(pair: Traced, name: str) -> Traced | None:
    """`init` or `apply` of a pair."""
    function, leading = pair.what
    closure: Closure = function.what
    before = {"init": ("rng",), "apply": leading}.get(name)
    if before is None:
        return None
    node = calling(closure.info.node, before, len(closure.args))
    info = FunctionInfo(node, closure.info.name, closure.info.file)
    return Traced(FUNCTION, STATIC, what=Closure(info, Scope({INNER: function}, closure.scope, closure.scope.level), {}))


@remembered
def calling(node: FunctionNode, before: tuple[str, ...], bound: int) -> ast.Lambda:
    """A function with more parameters, at the place of the one that it calls."""
    given = [*node.args.posonlyargs, *node.args.args][
        bound : len(node.args.posonlyargs + node.args.args) - len(node.args.defaults)
    ]
    names = [parameter.arg for parameter in given]
    arguments = ast.arguments([], [ast.arg(name) for name in (*before, *names)], None, [], [], None, [])
    call = ast.Call(ast.Name(INNER, ast.Load()), [ast.Name(name, ast.Load()) for name in names], [])
    return ast.fix_missing_locations(ast.copy_location(ast.Lambda(arguments, call), node))
