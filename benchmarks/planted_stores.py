"""Whether a mutant only changes what an array holds before a loop sets each of its elements, or adds to zeros instead of setting them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

ZEROS = ("zeros", "empty")


def same_stores(right: str, mutant: str) -> bool:
    """Whether the texts differ in one `zeros` or `ones`, or one `set` or `add`, and the array is one that `_filled` finds."""
    changed = _changed(ast.parse(right), ast.parse(mutant))
    if changed is None:
        return False
    node, function, after = changed
    for made, store in _filled(function):
        if node is made.func and after in ("ones", "empty"):
            return True
        if node is store.func and after == "add" and isinstance(made.func, ast.Attribute) and made.func.attr in ZEROS:
            return True
    return False


def _changed(right: ast.Module, mutant: ast.Module) -> tuple[ast.Attribute, ast.FunctionDef, str] | None:
    """The only attribute whose name differs, the outermost function around it, and its other name; None if more differs."""
    found = None
    if len(right.body) != len(mutant.body):
        return None
    for old, new in zip(right.body, mutant.body, strict=True):
        if ast.dump(old) == ast.dump(new):
            continue
        pairs = [*zip(ast.walk(old), ast.walk(new), strict=False)]
        others = [(one, two) for one, two in pairs if isinstance(one, ast.Attribute) and getattr(two, "attr", "") != one.attr]
        if found is not None or len(others) != 1 or not isinstance(old, ast.FunctionDef):
            return None
        node, other = others[0]
        if not isinstance(other, ast.Attribute):
            return None
        name, other.attr = other.attr, node.attr
        if ast.dump(old) != ast.dump(new):
            return None
        found = (node, old, name)
    return found


def _filled(function: ast.FunctionDef) -> Iterator[tuple[ast.Call, ast.Call]]:
    """Arrays `a = jnp.zeros(n)` of which a loop over `range(n)` sets each element, once, without reading any: where they are
    made, and where they are set."""
    for number, statement in enumerate(function.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(), args=[length, *_]) as made):
                later = function.body[number + 1 :]
                loop = next((one for one in later if _mentions(one, name) and not isinstance(one, ast.FunctionDef)), None)
                between = later[: later.index(loop)] if loop is not None else []
                names = {part.id for part in ast.walk(length) if isinstance(part, ast.Name)}
                if loop is None or any(names & set(_bound(one)) for one in between):
                    continue
                for index, body in _turns(loop, length, name, function):
                    if any(index in _bound(one) for one in body):
                        continue
                    stores = [one for one in body if isinstance(one, ast.stmt) and _store(one, name, index)]
                    store = _store(stores[0], name, index) if len(stores) == 1 else None
                    if store is not None and _is_only_stored(body, name, store):
                        yield made, store


def _turns(loop: ast.stmt, length: ast.expr, name: str, function: ast.FunctionDef) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The variable and the statements of a loop from 0 to a length that carries the array."""
    match loop:
        case ast.For(target=ast.Name(id=index), iter=ast.Call(func=ast.Name(id="range"), args=[end]), body=body):
            if ast.dump(end) == ast.dump(length) and not any(isinstance(one, ast.Break | ast.Continue) for one in ast.walk(loop)):
                yield index, body
        case ast.Assign(
            value=ast.Call(func=ast.Attribute(attr="fori_loop"), args=[ast.Constant(value=0), end, ast.Name(id=step), carry])
        ) if ast.dump(end) == ast.dump(length):
            carried = [
                part.id for part in (carry.elts if isinstance(carry, ast.Tuple) else [carry]) if isinstance(part, ast.Name)
            ]
            for one in function.body:
                if isinstance(one, ast.FunctionDef) and one.name == step and carried.count(name) == 1:
                    yield one.args.args[0].arg, one.body


def _store(statement: ast.stmt, name: str, index: str) -> ast.Call | None:
    """The call `name.at[index].set(...)` that is the value of a statement."""
    value = getattr(statement, "value", None) if isinstance(statement, ast.Assign | ast.Return) else None
    match value:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=array), attr="at"), slice=ast.Name(id=where)),
                attr="set",
            )
        ) if (array, where) == (name, index):
            ours = isinstance(statement, ast.Return) or ast.unparse(statement).startswith(f"{name} = ")
            return value if ours else None
    return None


def _is_only_stored(body: list[ast.stmt], name: str, store: ast.Call) -> bool:
    """Whether the array occurs in no expression but the store, and as what the turn gets and returns."""
    left = []
    for one in body:
        match one:
            case ast.Return(value=ast.Name()) | ast.Assign(value=ast.Name(id="carry")):
                continue
            case ast.Return(value=ast.Tuple(elts=elts)):
                left += [part for part in elts if not isinstance(part, ast.Name)]
            case ast.Assign(value=value) | ast.Return(value=value) if value is store:
                left += store.args
            case _:
                left.append(one)
    return not any(_mentions(one, name) for one in left)


def _mentions(code: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(code))


def _bound(statement: ast.stmt) -> Iterator[str]:
    if not isinstance(statement, ast.FunctionDef):
        yield from (part.id for part in ast.walk(statement) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
