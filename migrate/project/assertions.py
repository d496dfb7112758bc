"""What converted functions assert about their arguments, read off the text that the rules write.

NumPy asserts nothing: a function that code on the host calls gets these conditions as a guard (see lowering.run_time_guards).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

SHAPES = ("ndim", "shape", "size")
SAME_SHAPE = ("copy", "zeros_like", "ones_like", "empty_like", "full_like")
PARTS = (
    ast.Compare,
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Call,
    ast.expr_context,
    ast.boolop,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
)


class Asserted(NamedTuple):
    """The conditions that a function asserts. `conditions`: in terms of its arguments; `others`: in other terms."""

    conditions: tuple[str, ...]
    others: tuple[str, ...]


def asserted(text: str, functions: Mapping[str, str]) -> dict[str, Asserted]:
    """What functions of a converted file assert. `functions`: by their names in the file."""
    definitions = {n.name: n for n in ast.parse(text.lstrip("\ufeff")).body if isinstance(n, ast.FunctionDef)}
    return {name: _of(definitions[short]) for short, name in functions.items() if short in definitions}


def _of(function: ast.FunctionDef) -> Asserted:
    params = {a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    rebound = set[str]()  # so far
    shapes = dict[str, str]()  # variables -> parameters of the same shape
    conditions, others = dict[str, None](), dict[str, None]()
    always = {name for line in function.body if not _is_conversion(line) for name in _bound(line)}
    for line in function.body:
        tests = [node.test for node in ast.walk(line) if isinstance(node, ast.Assert) and not _is_raised_by_numpy(node.test)]
        for test in tests:
            found = _in_terms_of(test, params - (rebound if isinstance(line, ast.Assert) else always), shapes)
            if found:
                conditions[found] = None
            else:
                others[ast.unparse(test)] = None
        if _is_conversion(line):
            continue
        for name in _bound(line):
            rebound.add(name)
            shapes.pop(name, None)
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                of := _shape_of(value)
            ) in params - rebound | shapes.keys():
                shapes[name] = shapes.get(of, of)
    return Asserted(tuple(conditions), tuple(others))


def _is_raised_by_numpy(test: ast.expr) -> bool:
    """Whether NumPy itself raises where a condition does not hold: it adds no array to one whose dtype cannot hold the sum."""
    return any(isinstance(node, ast.Attribute) and node.attr == "can_cast" for node in ast.walk(test))


def _is_conversion(line: ast.stmt) -> bool:
    """`x = jnp.asarray(x)`, which leaves shapes and numbers as they are."""
    match line:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="asarray"), args=[ast.Name(id=given)])
        ):
            return name == given
    return False


def _bound(line: ast.stmt) -> Iterator[str]:
    """The names that a statement of a function may bind: not those of the functions in it."""
    stack: list[ast.AST] = [line]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.comprehension)):
            stack += ast.iter_child_nodes(node)


def _shape_of(value: ast.expr) -> str:
    """The variable with whose shape an expression makes an array, "" for any other."""
    match value:
        case ast.Name(id=name) | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="copy"), args=[]):
            return name
        case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Name(id=name), *_]) if attr in SAME_SHAPE:
            return name
    return ""


def _in_terms_of(test: ast.expr, params: set[str], shapes: Mapping[str, str]) -> str:
    """A condition in terms of parameters; "" where others occur in it, or more than shapes and numbers."""
    if not all(isinstance(node, PARTS) for node in ast.walk(test)):
        return ""
    test = ast.parse(ast.unparse(test), mode="eval").body  # a copy
    for node in ast.walk(test):
        match node:
            case ast.Call(func=func, args=args):
                if not (isinstance(func, ast.Name) and func.id == "len" and len(args) == 1 and isinstance(args[0], ast.Name)):
                    return ""
            case ast.Attribute(value=value, attr=attr):
                if not (isinstance(value, ast.Name) and attr in SHAPES):
                    return ""
            case ast.Subscript(value=value):
                if not (isinstance(value, ast.Attribute) and value.attr == "shape"):
                    return ""
    whole = {id(n.value) for n in ast.walk(test) if isinstance(n, ast.Attribute)}
    whole |= {id(n.args[0]) for n in ast.walk(test) if isinstance(n, ast.Call)}
    for node in ast.walk(test):
        if isinstance(node, ast.Name):
            if id(node) in whole and node.id in shapes:
                node.id = shapes[node.id]
            elif node.id not in params and node.id != "len":
                return ""
    return ast.unparse(test)
