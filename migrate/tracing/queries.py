"""Questions about syntax alone."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from .program import FunctionNode

Query = TypeVar("Query", bound=Callable[..., Any])
_known: dict[object, object] = {}

TYPE_QUESTIONS = frozenset("isinstance issubclass callable hasattr type isscalar any all len ndim".split())
UPDATES = frozenset("at replace _replace apply_gradients astype".split())
DESCRIPTIONS = frozenset("shape ndim size dtype itemsize nbytes aval sharding weak_type is_deleted".split())
MAPS = frozenset("map tree_map apply_updates where add subtract multiply".split())
LEAVES = frozenset("ctx id attr arg kind type_comment asname module level".split())  # fields without nodes
FLAG_CONTEXTS = (ast.If, ast.IfExp, ast.While, ast.BoolOp, ast.UnaryOp, ast.Assert)


def remembered(query: Query) -> Query:
    """Answer a question about a node once: code is interpreted several times. See `forget`."""

    @wraps(query)
    def answer(node: Any, *args: Any) -> Any:
        key = (query, node[0] if isinstance(node, list) and node else id(node) if isinstance(node, list) else node, args)
        try:
            return _known[key]
        except KeyError:
            _known[key] = found = query(node, *args)
            return found

    return cast(Query, answer)


def forget() -> None:
    """Forget the answers, which hold syntax trees."""
    _known.clear()


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, as `ast.walk`, in a third of its time. Without `ast.Load()` and the like, which are no code."""
    stack = [node]
    pop, push, fields = stack.pop, stack.append, _fields
    while stack:
        at = pop()
        yield at
        for name in fields[type(at)]:
            value = getattr(at, name, None)
            if value.__class__ is list:
                stack += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                push(value)


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each type of node that may hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = found = tuple(name for name in kind._fields if name not in LEAVES and kind is not ast.Constant)
        return found


_fields = _Fields()


@remembered
def yields(node: ast.AST) -> bool:
    """Whether a function is a generator."""
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in walk(node))


@remembered
def waits(node: ast.AST) -> bool:
    """Whether a function waits for what it computes."""
    names = ("block_until_ready", "device_get", "item", "tolist")
    return any(isinstance(inner, ast.Attribute) and inner.attr in names for inner in walk(node))


def binds(node: ast.ClassDef, name: str) -> int:
    """In how many places a class binds an attribute."""
    return _bound(node)[name]


@remembered
def _bound(node: ast.ClassDef) -> Counter[str]:
    return Counter(each.attr for each in walk(node) if isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load))


@remembered
def properties(node: ast.ClassDef) -> frozenset[str]:
    """The methods that are called without parentheses."""
    return frozenset(
        statement.name
        for statement in node.body
        if isinstance(statement, ast.FunctionDef) and any("property" in ast.unparse(each) for each in statement.decorator_list)
    )


def is_class_method(node: ast.AST) -> bool:
    """Whether a function of a class gets the class as its first argument."""
    if getattr(node, "name", "") in ("__init_subclass__", "__class_getitem__"):
        return True
    return any(isinstance(each, ast.Name) and each.id == "classmethod" for each in getattr(node, "decorator_list", ()))


def is_partial(node: ast.expr) -> bool:
    """Whether an expression makes a `functools.partial`, which equals no other one."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "partial"


@remembered
def made_on_demand(code: ast.AST) -> frozenset[ast.AST]:
    """What runs only until it has bound what is asked for, in a loop around it: `if f is None: f = jit(...)`, `except KeyError`."""
    found = set[ast.AST]()
    for node in walk(code):
        asked: Sequence[ast.AST]
        if isinstance(node, ast.If):
            asked, blocks = [node.test], [node.body, node.orelse]
        elif isinstance(node, ast.Try):
            asked, blocks = [*node.body], [handler.body for handler in node.handlers]
        else:
            continue
        read = {ast.unparse(each) for part in asked for each in walk(part) if isinstance(each, ast.Name | ast.Attribute)}
        for block in blocks:
            if read & set(_stored(block)):
                found |= {inner for statement in block for inner in _outside_loops(statement)}
    return frozenset(found)


def _stored(block: Sequence[ast.stmt]) -> Iterator[str]:
    """The variables and attributes that statements bind, and the containers that they put something into."""
    for node in (inner for statement in block for inner in walk(statement)):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            yield ast.unparse(target.value if isinstance(target, ast.Subscript) else target)


def _outside_loops(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, ast.For | ast.While):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _outside_loops(child)


@remembered
def asked_of(test: ast.expr) -> frozenset[str]:
    """The variables of which a test asks the type."""
    found: set[str] = set()
    for call in walk(test):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in TYPE_QUESTIONS or name.startswith(("is", "_is_")):
            found |= {inner.id for inner in walk(call) if isinstance(inner, ast.Name)}
    return frozenset(found)


@remembered
def assigned(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The names that statements bind, and those of arrays and containers into which they store."""
    found = set()
    for statement in body:
        for inner in walk(statement):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
            elif isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store) and isinstance(inner.value, ast.Name):
                found.add(inner.value.id)
            elif isinstance(inner, ast.FunctionDef):
                found.add(inner.name)
    return frozenset(found)


@remembered
def compiled_branches(body: Sequence[ast.stmt]) -> bool:
    """Whether statements call the control flow of `lax`."""
    return any(
        isinstance(inner, ast.Attribute) and inner.attr in ("cond", "while_loop", "fori_loop", "scan", "switch", "select")
        for statement in body
        for inner in walk(statement)
    )


@remembered
def names_in(node: ast.AST) -> frozenset[str]:
    return frozenset(inner.id for inner in walk(node) if isinstance(inner, ast.Name))


@remembered
def read_in(node: ast.AST) -> frozenset[str]:
    """The names that code reads."""
    return frozenset(inner.id for inner in walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load))


@remembered
def asks_version(test: ast.expr) -> bool:
    """Whether a test asks for the version of a library, or for what it has."""
    for inner in walk(test):
        name = inner.attr if isinstance(inner, ast.Attribute) else inner.id if isinstance(inner, ast.Name) else ""
        if "version" in name.lower() or name == "hasattr":
            return True
    return False


@remembered
def asks_tracer(test: ast.expr) -> bool:
    """Whether a test is true for tracers."""
    names = [
        each.attr if isinstance(each, ast.Attribute) else each.id if isinstance(each, ast.Name) else "" for each in walk(test)
    ]
    return any("tracer" in name.lower() for name in names) and not isinstance(test, ast.UnaryOp)


@remembered
def calls(node: ast.expr) -> bool:
    """Whether an expression calls a function, other than `len`."""
    return any(isinstance(each, ast.Call) and ast.unparse(each.func) != "len" for each in walk(node))


def asks_none(test: ast.expr) -> bool | None:
    """Whether a test is `x is None` or, False, `x is not None`."""
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.Is() | ast.IsNot() as operator], comparators=[ast.Constant(value=None)]):
            return isinstance(operator, ast.Is)
    return None


@remembered
def leaves(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(inner, ast.Break | ast.Return) for statement in body for inner in walk(statement))


@remembered
def continues(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(inner, ast.Continue) for statement in body for inner in walk(statement))


def is_static(keyword: ast.keyword) -> bool:
    """Whether an argument of `field` keeps the field out of the pytree: `static=True`, `pytree_node=False`, or in its metadata."""
    match keyword:
        case (
            ast.keyword(arg="static", value=ast.Constant(value=True))
            | ast.keyword(arg="pytree_node", value=ast.Constant(value=False))
        ):
            return True
        case ast.keyword(arg="metadata", value=ast.Call(keywords=keywords)):
            return any(map(is_static, keywords))
        case ast.keyword(arg="metadata", value=ast.Dict(keys=keys, values=values)):
            named = [(key.value, value) for key, value in zip(keys, values, strict=True) if isinstance(key, ast.Constant)]
            return any(is_static(ast.keyword(str(name), value)) for name, value in named)
    return False


@remembered
def only_described(statement: ast.stmt, name: ast.Name) -> bool:
    """Whether a statement asks what an array is where it names it, not for its elements: `x.shape`, `x.is_deleted()`, `f.lower(x)`."""
    for node in walk(statement):
        match node:
            case ast.Attribute(value=value, attr=attr) if value is name:
                return attr in DESCRIPTIONS
            case ast.Call(func=ast.Attribute(attr="lower" | "trace" | "eval_shape"), args=args) if name in args:
                return True
    return False


def is_dotted(node: ast.expr) -> bool:
    """Whether an expression is names with dots between them."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and is_dotted(node.value))


def handler_names(handler: ast.ExceptHandler) -> list[str]:
    """The names of the exceptions that a handler catches; none for a bare `except`."""
    if handler.type is None:
        return []
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return [ast.unparse(each).rpartition(".")[2] for each in types]


@remembered
def may_alias(node: FunctionNode, name: str) -> bool:
    """Whether a function seems to return an update of a parameter, of the same shape: of a state, not of a batch."""

    def is_it(other: ast.AST | None) -> bool:
        return isinstance(other, ast.Name) and other.id == name

    for inner in walk(node):
        match inner:
            case ast.BinOp(left=left, right=right) if is_it(left) or is_it(right):
                return True
            case ast.Attribute(value=value, attr=attr) if attr in UPDATES and is_it(value):
                return True
            case ast.Call(func=ast.Attribute(attr=attr), args=args) if attr in MAPS and any(map(is_it, args)):
                if not joins(args[0]):
                    return True
            case ast.Return(value=ast.Tuple(elts=elts)) if any(map(is_it, elts)):
                return True
            case ast.Return(value=value) if is_it(value):
                return True
            case ast.AugAssign(target=target) if is_it(target):
                return True
    return False


def joins(function: ast.expr) -> bool:
    """Whether a function returns its arguments joined to a larger array."""
    match function:
        case ast.Lambda(body=ast.Call(func=ast.Attribute(attr=name))):
            return name in ("concatenate", "stack", "hstack", "vstack", "append")
    return False


@remembered
def is_flag(node: FunctionNode, name: str) -> bool:
    """Whether a parameter is only ever tested: a flag, not a container."""
    uses = 0
    for parent in walk(node):
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load):
                if isinstance(parent, ast.If | ast.IfExp | ast.While) and child is not parent.test:
                    return False
                if not isinstance(parent, FLAG_CONTEXTS) or (
                    isinstance(parent, ast.UnaryOp) and not isinstance(parent.op, ast.Not)
                ):
                    return False
                uses += 1
    return uses > 0


@remembered
def computed_from(body: Sequence[ast.stmt], counters: frozenset[str]) -> frozenset[str]:
    """The names whose values differ from one iteration to the next: those given, those computed from them, and those from themselves.
    What depends on the shape of something may always be the same."""
    found = set(counters)
    before = -1
    while before != len(found):
        before = len(found)
        for node in (inner for statement in body for inner in walk(statement)):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if names_of_values(value) & (found | {name}):
                    found.add(name)
                case ast.AugAssign(target=ast.Name(id=name)):
                    found.add(name)
                case ast.For(target=target):
                    found |= names_in(target)
    return frozenset(found)


def asks_shape(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="shape" | "ndim" | "size" | "dtype") | ast.Call(func=ast.Name(id="len")):
            return True
    return False


@remembered
def names_of_values(node: ast.expr) -> frozenset[str]:
    """The names in an expression, but for those of which it asks the shape, and those that a comprehension in it binds."""
    shapes = [each for each in walk(node) if asks_shape(each)]
    within = {id(inner) for shape in shapes for inner in walk(shape)}
    names = [each for each in walk(node) if isinstance(each, ast.Name)]
    bound = {each.id for each in names if isinstance(each.ctx, ast.Store)}
    return frozenset(each.id for each in names if id(each) not in within and each.id not in bound)
