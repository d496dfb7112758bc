"""Generators in lists and dicts: `rngs[i].normal()` splits the key of an element, and stores one half back.

`rngs[i], normal_key = jax.random.split(rngs[i])` is placed before the statement that draws. So no key is used twice, whatever
aliases the list has, and whichever elements two indices select. The index must have the same value there, and the draw must
happen whenever its statement runs: otherwise the split might access an element that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import IterationSpace
from ....rules.facts.values import UNKNOWN
from ..state.access_paths import path_of
from ..state.interpreter_state import Run
from . import generators

OF_KEYS = frozenset(f"builtins.{name}" for name in ("sorted", "list", "tuple", "set", "enumerate", "zip"))  # of a dict
OPERATORS = (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide, cst.Modulo)


def element(node: cst.CSTNode) -> str:
    """The access path of an element: "rngs[i]", "self.rngs['a']"; "" if the list has none or the index is not simple."""
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index, star=None | ""))]):
            collection = path_of(node.value)
            return f"{collection}[{cst.Module([]).code_for_node(index)}]" if collection is not None and _simple(index) else ""
    return ""


def is_element(stream: str) -> bool:
    """Whether a stream is an element of a list or a dict."""
    return stream.endswith("]")


def outlives(stream: str) -> bool:
    """Whether a stream is live after the unit: other code may draw from the object or the list that contains it."""
    return "." in stream or is_element(stream)


def read(node: cst.CSTNode) -> Iterator[cst.Name]:
    """The variables that an element refers to, in its container and its index."""
    if isinstance(node, cst.Name):
        yield node
    for child in (node.value,) if isinstance(node, cst.Attribute) else node.children:
        yield from read(child)


def _simple(index: cst.BaseExpression) -> bool:
    match index:
        case cst.Name() | cst.Integer() | cst.SimpleString():
            return True
        case cst.Attribute():
            return path_of(index) is not None
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return _simple(inner)
        case cst.Call(func=cst.Name(value="len" | "int"), args=[cst.Arg(value=inner, keyword=None, star="")]):
            return _simple(inner)
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            return isinstance(operator, OPERATORS) and _simple(left) and _simple(right)
        case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=inner))]):
            return path_of(value) is not None and _simple(inner)
    return False


def unsafe(run: Run, node: cst.Subscript) -> str:
    """Why the key of an element cannot be split before its statement; "" if it can."""
    shown = cst.Module([]).code_for_node(node)
    parents = run.source.parents
    index = node.slice[0].slice
    value = run.values.get(index.value, UNKNOWN) if isinstance(index, cst.Index) else UNKNOWN
    if run.values.get(node.value, UNKNOWN).kind is Kind.DICT and value.kind is not Kind.STRING and value.traced:
        return f"it draws from `{shown}`, by a key that JAX computes"
    below: cst.CSTNode = node
    at = parents.get(node)
    if any(type(n) is cst.Call and not _harmless(run, n) for n in run.source.below(index)):
        return f"it draws from `{shown}`, by an index that another function returns"
    after = set[cst.CSTNode]()  # expressions that contain the draw
    while at is not None and not isinstance(at, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
        sure = not isinstance(at, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.Lambda))
        sure = sure and not (isinstance(at, cst.BooleanOperation) and below is at.right)
        sure = sure and not (isinstance(at, cst.IfExp) and below is not at.test)
        sure = sure and not (isinstance(at, cst.Comparison) and len(at.comparisons) > 1 and below is at.comparisons[-1])
        if not sure:
            return f"it draws from `{shown}` in a part of a statement that runs at times, or several times: draw in a loop or a branch"
        after.add(at)
        below, at = at, parents.get(at)
        if isinstance(at, cst.MatchCase):
            return f"it draws from `{shown}` in a pattern's condition: draw in a statement of its own"
    statement = at
    if isinstance(statement, cst.With):
        return f"it draws from `{shown}` in a `with`: draw in a statement of its own"
    if statement is None:
        return f"it draws from `{shown}` outside of all statements"
    enclosing = parents.get(statement)
    if isinstance(enclosing, cst.If) and enclosing.orelse is statement:
        return f"it draws from `{shown}` in the condition of an `elif`: draw in an `if` inside of `else`"
    header = [n for n in run.source.below(statement) if _of_header(run, n, statement)]
    if any(isinstance(n, cst.NamedExpr) for n in header):
        return f"it draws from `{shown}` in a statement that binds a name inside of an expression"
    while at is not None and at is not run.unit.owner and not isinstance(at, cst.FunctionDef):
        at = parents.get(at)
    named = (
        run.unit.in_function
        and at is run.unit.owner
        and all(n.value in run.unit.local for n in read(node))
        and all(map(_own, (node.value, index)))
    )
    if not named and any(isinstance(n, cst.Call) and n not in after and not _harmless(run, n) for n in header):
        return f"it draws from `{shown}` in a statement that calls what may change the index: draw in a statement of its own"
    return ""


def _own(node: cst.CSTNode) -> bool:
    """Whether an expression contains only variables and constants, which a called function cannot rebind."""
    return not isinstance(node, (cst.Attribute, cst.Subscript)) and all(map(_own, node.children))


def _of_header(run: Run, node: cst.CSTNode, statement: cst.CSTNode) -> bool:
    """Whether a node is in a statement, but not in one of its blocks."""
    at: cst.CSTNode | None = node
    while at is not None and at is not statement:
        if isinstance(at, (cst.BaseSuite, cst.Else, cst.Finally)):
            return False
        at = run.source.parents.get(at)
    return True


def _harmless(run: Run, call: cst.Call) -> bool:
    """Whether a call runs no code of the project: a draw, or a function of NumPy or Python."""
    if call in run.random.sites:
        return True
    return (run.scopes.qualname(call.func) or "").startswith(("numpy.", "builtins.", "math."))


def misused(run: Run, node: cst.Name | cst.Attribute) -> bool:
    """Whether a list or a dict of generators is used for more than indexing, its length, or its keys."""
    parent = run.source.parents.get(node)
    keyed = run.values.get(node, UNKNOWN).kind is Kind.DICT
    match parent:
        case cst.Subscript() if parent.value is node:
            return not generators.is_generator(run.values.get(parent, UNKNOWN))
        case cst.ComparisonTarget(operator=cst.In() | cst.NotIn()):
            return False
        case cst.For() | cst.CompFor():
            return not keyed
        case cst.Attribute(attr=cst.Name(value="keys")):
            return not keyed
        case cst.Arg():
            call = run.source.parents.get(parent)
            name = run.scopes.qualname(call.func) if isinstance(call, cst.Call) else ""
            if (
                isinstance(call, cst.Call) and call in run.call_graph.calls
            ):  # passed to a function of the project: the linker checks that one
                return bool(parent.star)
            return name != "builtins.len" and not (keyed and name in OF_KEYS)
    return True


@dataclass(frozen=True, slots=True)
class GeneratorLoop:
    """A loop over generators of a list that is live afterwards: each iteration splits the key of one, and stores one half back.

    `collection`: the access path of the list; `name`: the variable that is bound to the generator; `index`: the variable that
    counts the iterations, or is the key of a dict; "" if the loop has none, and `enumerate` has to count them.
    """

    collection: str
    name: str
    index: str


def generator_loop(run: Run, node: cst.Name | cst.Attribute) -> tuple[cst.For, GeneratorLoop] | None:
    """The loop that iterates over a list or a dict of generators; None if `node` is not in a loop header, or used otherwise."""
    parents = run.source.parents
    way: list[cst.CSTNode] = [node]
    at = parents.get(node)
    while at is not None and not isinstance(at, cst.BaseStatement):
        way.append(at)
        at = parents.get(at)
    collection = path_of(node)
    if not isinstance(at, cst.For) or at.iter not in way or collection is None or at.asynchronous is not None:
        return None
    space = whole = run.scopes.iteration_space(at)
    kind = run.values.get(node, UNKNOWN).kind
    match space:
        case IterationSpace(
            function="items",
            target=cst.Tuple(elements=[cst.Element(cst.Name(value=key)), cst.Element(cst.Name(value=name))]),
            parts=[of],
        ) if of.iterable is node and kind is Kind.DICT:
            return at, GeneratorLoop(collection, name, key)
    while space.iterable is not node:
        inner = next((part for part in space.parts if part.iterable in way), None)
        counted = space.function == "enumerate" and space.start is None and isinstance(space.counter, cst.Name)
        if inner is None or not (counted or space.function == "zip"):
            return None
        space = inner
    if not isinstance(space.target, cst.Name) or kind is not Kind.LIST:
        return None
    return at, GeneratorLoop(collection, space.target.value, whole.index)
