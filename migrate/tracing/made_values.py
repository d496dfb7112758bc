"""What code does with a value that it makes, such as a compiled function: whether it calls it, keeps it, lowers it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .queries import remembered, walk

CALLBACKS = ("callback", "io_callback", "pure_callback", "id_tap")
STORING = ("append", "add", "insert", "setdefault")


@remembered
def only_calls(function: ast.AST, statement: ast.stmt, value: ast.AST) -> bool:
    """Whether a function calls the value that a statement of it binds to a variable, and keeps it nowhere."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=bound) if bound is value:
            pass
        case ast.FunctionDef(name=name):
            pass
        case _:
            return False
    called = {id(call.func) for call in walk(function) if isinstance(call, ast.Call)}
    inner = [each for each in walk(function) if isinstance(each, ast.FunctionDef | ast.Lambda) and each is not function]
    if any(isinstance(each, ast.Name) and each.id == name for nested in inner for each in walk(nested)):
        return False  # what keeps the inner function keeps the compiled one
    uses = [node for node in walk(function) if isinstance(node, ast.Name) and node.id == name]
    kept = any(isinstance(node.ctx, ast.Load) and id(node) not in called for node in uses)
    return statement in getattr(function, "body", ()) and bool(uses) and not kept


@remembered
def is_lowered(statement: ast.stmt, compiled: ast.AST) -> bool:
    """Whether a compiled function is lowered where it is made: `jax.jit(f).lower(x).compile()`."""
    return any(isinstance(each, ast.Attribute) and each.value is compiled and each.attr == "lower" for each in walk(statement))


@remembered
def keeps(statement: ast.stmt, value: ast.AST) -> bool:
    """Whether a statement puts a value into a container, or into an object that it makes."""
    if isinstance(statement, ast.Assign) and statement.value is value:
        return any(isinstance(target, ast.Subscript) for target in statement.targets)
    for call in walk(statement):
        if isinstance(call, ast.Call) and (value in call.args or any(word.value is value for word in call.keywords)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            return name in STORING or name.lstrip("_")[:1].isupper()
    return False


@remembered
def only_called_back(code: ast.AST, name: str) -> bool:
    """Whether code gives a function to callbacks alone, which run on the host: `jax.debug.callback(f, x)`."""
    given = 0
    for node in walk(code):
        match node:
            case ast.Call(func=ast.Name(id=callback) | ast.Attribute(attr=callback), args=[ast.Name(id=first), *_]):
                given += first == name and callback in CALLBACKS
    reads = [node for node in walk(code) if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)]
    return given == len(reads)


@remembered
def keeps_later(code: ast.AST, statement: ast.stmt, value: ast.AST) -> bool:
    """Whether code puts a value into a container after it has bound it to a variable."""
    if not (isinstance(statement, ast.Assign) and statement.value is value and isinstance(statement.targets[0], ast.Name)):
        return False
    name = statement.targets[0].id
    return any(isinstance(each, ast.Name) and each.id == name for each in _stored(code))


def _stored(code: ast.AST) -> Iterator[ast.expr]:
    """What code puts into containers."""
    for node in walk(code):
        match node:
            case ast.Assign(targets=[ast.Subscript()], value=value):
                yield value
            case ast.Call(func=ast.Attribute(attr=attr), args=args) if attr in STORING:
                yield from args
