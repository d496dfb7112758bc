"""Functions that get the parameters of a network besides: `init` and `apply` that `haiku.transform` makes, and `apply` of a module of Flax."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ...rules.facts.traced_values import EXTERNAL, FUNCTION, NOTHING, STATIC, Traced
from .machine import Machine
from .program import ClassInfo, Closure, Frame, FunctionInfo, FunctionNode, Scope
from .queries import remembered

PAIR = "haiku.Transformed"
LEADING = {"haiku.transform": ("params", "rng"), "haiku.transform_with_state": ("params", "state", "rng")}
WITHOUT_RANDOM_KEY = "haiku.without_apply_rng"
MODULE = "flax.linen.Module"
INNER = "function of the network"  # no name of Python, so that no parameter hides it
KEPT = "apply_fn"  # the field of a `TrainState` that holds the function of the network
OTHERWISE = ("mutable", "method")  # arguments of `apply` of Flax with which its result is another


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
    before = {"init": ("rng",), "apply": leading}.get(name)
    return None if before is None else with_parameters(function, before)


def of_module(cls: ClassInfo, called: Traced) -> Traced | None:
    """`apply` of a module of Flax. `called`: its `__call__`."""
    if called.kind != FUNCTION or MODULE not in cls.every_base() or cls.method("apply") is not None:
        return None
    return with_parameters(called, ("variables",), OTHERWISE)


def keep(machine: Machine, keywords: Mapping[str, Traced], frame: Frame) -> None:
    """A state gets the function of a network."""
    function = keywords[KEPT]
    if function.kind == FUNCTION:
        machine.networks.setdefault(frame.file.path, {})[function.what.info.node] = function


def kept_is_called(machine: Machine, args: Sequence[Traced], keywords: Mapping[str, Traced], open_: bool, frame: Frame) -> None:
    """Traced code calls the function of the network of a state. Which one that is shows when all files are interpreted."""

    def work() -> None:
        every = machine.networks.get(frame.file.path) or {
            node: each for of in machine.networks.values() for node, each in of.items()
        }
        if len(every) == 1:
            outside = Frame(frame.file, frame.scope, frame.trace)
            machine.apply(next(iter(every.values())), args, keywords, open_, frame.trace, outside)

    if frame.trace.level and not frame.caught:
        machine.network_calls.append((frame.file, work))


def with_parameters(function: Traced, before: tuple[str, ...], otherwise: tuple[str, ...] = ()) -> Traced:
    """A function with more parameters. `otherwise`: those with which nothing is known of its result."""
    closure: Closure = function.what
    bound = len(closure.args)
    node = calling(closure.info.node, before, bound, otherwise)
    info = FunctionInfo(node, closure.info.name, closure.info.file)
    scope = Scope({INNER: function}, closure.scope, closure.scope.level)
    return Traced(FUNCTION, STATIC, what=Closure(info, scope, {**closure.defaults, **dict.fromkeys(otherwise, NOTHING)}))


@remembered
def calling(node: FunctionNode, before: tuple[str, ...], bound: int, otherwise: tuple[str, ...]) -> ast.Lambda:
    """A function with more parameters, at the place of the one that it calls."""
    given = [each.arg for each in [*node.args.posonlyargs, *node.args.args][bound:]]
    named = [each.arg for each in node.args.kwonlyargs]
    nothing: list[ast.expr] = [ast.Constant(None)]
    arguments = ast.arguments(
        [],
        [ast.arg(name) for name in (*before, *given)],
        None,
        [ast.arg(name) for name in (*named, *otherwise)],
        [*node.args.kw_defaults, *nothing * len(otherwise)],
        None,
        [*node.args.defaults],
    )
    body: ast.expr = ast.Call(
        ast.Name(INNER, ast.Load()),
        [ast.Name(name, ast.Load()) for name in given],
        [ast.keyword(name, ast.Name(name, ast.Load())) for name in named],
    )
    for name in otherwise:
        test = ast.Compare(ast.Name(name, ast.Load()), [ast.Is()], [ast.Constant(None)])
        body = ast.IfExp(test, body, ast.Constant(...))
    return ast.fix_missing_locations(ast.copy_location(ast.Lambda(arguments, body), node))
