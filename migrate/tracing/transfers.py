"""Loops of Python that move arrays between the device and the host in each iteration."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...rules.facts.trace_events import Transfer
from ...rules.facts.traced_values import ARRAY, HOST, NUMBER, STATIC, TEXT, TREE, UNKNOWN, Traced
from ...rules.jax_table.host_functions import LOGGING, WRITER
from .machine import Machine
from .program import Frame, Turn
from .queries import names_in, remembered, walk

RETURNED = "returned"  # the name of a value of the host that was an array of JAX
FETCHES = frozenset("float int bool complex .item .tolist jax.device_get".split())
SENDS = frozenset("jax.device_put jax.numpy.asarray jax.numpy.array".split())
COPIES = frozenset("numpy.asarray numpy.array numpy.copy jax.device_get".split())
ELEMENTWISE = frozenset(
    "clip abs exp log sqrt sin cos tanh maximum minimum where add subtract multiply divide square sign round power".split()
)
SHOWS = LOGGING | {"print", "wandb.log", "mlflow.log_metric", "tqdm.write", "tqdm.tqdm.write"}
SHOWING = frozenset("info debug warning error add_scalar log_metric set_postfix set_description".split())  # methods
GROWING = frozenset("append appendleft add".split())
NESTED = (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def turn_of(machine: Machine, body: Sequence[ast.stmt], targets: frozenset[str], *, counted: bool) -> Turn:
    return Turn(bound_directly(body) | targets, stored(body), start=machine.counter, counted=counted, targets=targets)


def entered_test(frame: Frame) -> bool:
    """Note that what follows does not run in each iteration. Whether that was so before."""
    before = frame.turn is not None and frame.turn.tested
    if frame.turn is not None:
        frame.turn.tested = True
    return before


def left_test(frame: Frame, before: bool) -> None:
    if frame.turn is not None:
        frame.turn.tested = before


def own_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop that run in each of its iterations: not those of loops and branches in it."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.With):
            yield from own_statements(statement.body)


@remembered
def bound_directly(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The names that an iteration binds, but for those in loops inside of it."""
    found = set()
    for statement in own_statements(body):
        if not isinstance(statement, NESTED):
            found |= {node.id for node in walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return frozenset(found)


@remembered
def stored(body: Sequence[ast.stmt]) -> frozenset[ast.AST]:
    """The expressions whose values the iterations of a loop only store: in a list, in an element, in a sum."""
    found: set[ast.AST] = set()
    for statement in own_statements(body):
        found |= set(parts(stored_value(statement)))
    names = [node.id for node in found if isinstance(node, ast.Name)]
    for statement in own_statements(body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names and loads(body, name) == names.count(name):
                found |= set(parts(value))
    return frozenset(found)


def stored_value(statement: ast.stmt) -> ast.expr | None:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=[value], keywords=[])) if name in GROWING:
            return value
        case ast.AugAssign(op=ast.Add(), value=value) | ast.Assign(targets=[ast.Subscript()], value=value):
            return value
    return None


def parts(value: ast.expr | None) -> Iterable[ast.expr]:
    if value is None:
        return ()
    if isinstance(value, ast.Tuple | ast.List):
        return value.elts
    return [item for item in value.values if item] if isinstance(value, ast.Dict) else (value,)


def loads(body: Sequence[ast.stmt], name: str) -> int:
    nodes = [node for statement in body for node in walk(statement)]
    return sum(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in nodes)


def on_device(value: Traced) -> bool:
    """Whether a value is an array of JAX, or a pytree of such, that is computed outside of traced code."""
    return value.kind in (ARRAY, TREE) and value.name != "key"


def shown(values: Iterable[Traced]) -> Traced | None:
    """The first array among values that become text, or that a text was made of."""
    for value in values:
        if on_device(value):
            return value
        if value.kind == TEXT and isinstance(value.what, Traced):
            return value.what
    return None


def transferred(
    machine: Machine, node: ast.Call, name: str, args: Sequence[Traced], keywords: Mapping[str, Traced], frame: Frame
) -> None:
    """The events of a call that may move arrays: of a function, or of a method, whose name begins with a dot."""
    turn = frame.turn
    if turn is None or frame.trace.level or turn.tested or not args:
        return
    if name in SENDS:
        if turn.called:
            given_back(machine, args[:1], frame)
        fixed = (
            (args[0].kind == HOST or (name == "jax.device_put" and args[0].kind == UNKNOWN))
            and bool(node.args)
            and isinstance(node.args[0], ast.Name)
            and not names_in(node) & frame.looped  # another array, or to another device
        )
        if fixed:
            machine.emit(Transfer, frame, node, "sent", name, turn.called)
    elif turn.called and name in FETCHES:
        if node in turn.stored and on_device(args[0]) and changes(node, turn):
            machine.emit(Transfer, frame, node, "kept", name, turn.called)
    elif turn.called and (name in SHOWS or (name.rpartition(".")[2] in SHOWING and name.startswith((".", WRITER)))):
        if shown([*args, *keywords.values()]) is not None and changes(node, turn) and turn.shows in (None, node):
            turn.shows = node
            machine.emit(Transfer, frame, node, "shown", name, turn.called)


def changes(node: ast.Call, turn: Turn) -> bool:
    """Whether each iteration computes anew what an expression reads."""
    return bool(names_in(node) & turn.bound)


def fetched(name: str, args: Sequence[Traced], node: ast.Call, frame: Frame) -> Traced | None:
    """A value of the host that a loop makes of an array of JAX: whether it is given back shows later."""
    turn = frame.turn
    if turn is None or frame.trace.level or turn.tested or not args:
        return None
    elementwise = name.startswith("numpy.") and name.count(".") == 1 and name.partition(".")[2] in ELEMENTWISE
    if elementwise and args[0].kind == HOST and args[0].name == RETURNED:
        return args[0]
    if not on_device(args[0]):
        return None
    if name in COPIES or elementwise:
        return Traced(HOST, STATIC, RETURNED, what=node)
    return Traced(NUMBER, STATIC, RETURNED, what=node) if name in FETCHES else None


def given_back(machine: Machine, values: Iterable[Traced], frame: Frame) -> None:
    """Compiled code gets values that the loop around the call fetched from the device."""
    turn = frame.turn
    if turn is None or frame.trace.level or turn.tested:
        return
    for value in values:
        if value.name == RETURNED and value.kind in (HOST, NUMBER):
            machine.emit(Transfer, frame, value.what, RETURNED, ast.unparse(value.what.func), turn.called)
