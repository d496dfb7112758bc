"""The names that a piece of code reads and binds, and those that nested functions capture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ...rules.syntax.tree import children, remembered
from .bindings import COMPREHENSIONS, comprehension_parts, imported_name, parameters, pattern_name

# A generator expression passed to one of these is consumed, or dropped, before anything else happens.
CONSUMERS = frozenset("all any dict frozenset list max min next set sorted sum tuple".split())
# These can read any variable of the function that calls them.
DYNAMIC = frozenset("eval exec globals locals vars".split())
PIECES = frozenset(
    {cst.AnnAssign, cst.Assign, cst.AugAssign, cst.ClassDef, cst.Expr, cst.FunctionDef, cst.IndentedBlock, cst.Return}
)


@dataclass(slots=True)
class Names:
    """How code uses the names of its scope.

    `read`: also by storing an item or an attribute. `bound`: also by `del`, which reads, too. `perhaps`, a subset of `bound`:
    by `:=`, which may not be reached. `captured`, a subset of `read`: used by nested functions, lambdas and lazy generators, so
    possibly at any later time. `declared`: global or nonlocal. `dynamic`: a call such as `locals()` may read every name.
    """

    read: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    perhaps: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)
    dynamic: bool = False


def uses(node: cst.CSTNode | None) -> tuple[frozenset[str], frozenset[str]]:
    """The names that `node` may read, and those that it may bind, in its scope.

    A store to `x[i]` or `x.a` reads `x`; so does `x += 1`. A nested function reads the free variables of its body. The variables
    of comprehensions, class bodies and nested functions are local to them.
    """
    found = collect(() if node is None else (node,))
    return frozenset(found.read), frozenset(found.bound)


@remembered
def bound_by(node: cst.CSTNode) -> frozenset[str]:
    """The names that a statement or a block binds, also by `del`."""
    return frozenset(collect((node,)).bound)


@remembered
def targets_of(loop: cst.For) -> frozenset[str]:
    """The names that a loop binds at the start of each iteration."""
    return frozenset(collect((cst.AssignTarget(loop.target),)).bound)


def fresh(stem: str, taken: set[str]) -> str:
    """A name that is not taken yet, and is from now on."""
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    taken.add(name)
    return name


def pattern_names(pattern: cst.MatchPattern) -> Iterator[str]:
    """The names that a pattern of `match` binds if it matches."""
    return iter(sorted(collect((pattern,)).bound))


def collect(roots: Iterable[cst.CSTNode]) -> Names:
    """How several pieces of code in one scope use its names, combined."""
    names = Names()
    _look_into(list(roots), names)
    return names


@remembered
def _of_piece(piece: cst.CSTNode) -> Names:
    """The names of one of the `PIECES`, cached, as the nodes that enclose it are visited several times."""
    names, stack = Names(), []
    special = SPECIAL.get(type(piece))
    if special is None:
        stack += children(piece)
    else:
        special(piece, names, stack)
    _look_into(stack, names)
    return names


def _look_into(stack: list[cst.CSTNode], names: Names) -> None:
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is cst.Name:
            names.read.add(node.value)  # type: ignore[attr-defined]
        elif kind in PIECES:
            _add(names, found := _of_piece(node))
            names.bound |= found.bound
            names.perhaps |= found.perhaps
            names.declared |= found.declared
        elif (special := SPECIAL.get(kind)) is not None:
            special(node, names, stack)
        else:
            stack += children(node)


def _target(target: cst.CSTNode, names: Names, stack: list[cst.CSTNode]) -> None:
    match target:
        case cst.Name(value=name):
            names.bound.add(name)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for element in elements:
                _target(element.value, names, stack)
        case cst.StarredElement(value=value):
            _target(value, names, stack)
        case _:
            stack.append(target)


def _attribute(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    stack.append(node.value)


def _assign_target(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    _target(node.target, names, stack)


def _walrus(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    _target(node.target, names, stack)
    names.perhaps.add(node.target.value)
    stack.append(node.value)


def _annotated(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    stack.append(node.annotation)
    if node.value is not None:
        stack.append(node.value)
        _target(node.target, names, stack)
    elif not isinstance(node.target, cst.Name):  # `x: int` alone binds nothing
        stack.append(node.target)


def _rebind(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    """`x += v` and `del x` read the variable before they bind it."""
    stack.append(node.target)
    if isinstance(node, cst.AugAssign):
        stack.append(node.value)
    _target(node.target, names, stack)


def _for(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    _target(node.target, names, stack)
    stack += [node.iter, node.body]
    if node.orelse is not None:
        stack.append(node.orelse)


def _as_name(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    _target(node.name, names, stack)


def _import(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    if isinstance(node.names, cst.ImportStar):
        return
    for alias in node.names:
        _target(imported_name(alias), names, stack)


def _declare(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    names.declared.update(item.name.value for item in node.names)


def _capture(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    stack += [child for child in children(node) if not isinstance(child, cst.Name)]
    name = pattern_name(node)
    if name is not None:
        names.bound.add(name.value)


def _keyword_pattern(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    stack.append(node.pattern)


def _call(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    func = node.func
    stack.append(func)
    consumes = False
    if type(func) is cst.Name:
        consumes = func.value in CONSUMERS
        if func.value in DYNAMIC and not (func.value == "vars" and node.args):
            names.dynamic = True
    elif type(func) is cst.Attribute:
        consumes = func.attr.value == "join"
    for argument in node.args:
        if consumes and type(argument.value) is cst.GeneratorExp:
            _comprehension(argument.value, names, stack)
        else:
            stack.append(argument.value)


def _comprehension(node: Any, names: Names, stack: list[cst.CSTNode]) -> Names:
    """A comprehension: its variables are local, those that `:=` binds in it are not. The first iterable is evaluated outside."""
    stack.append(node.for_in.iter)
    inside: list[cst.CSTNode] = [*comprehension_parts(node)]
    own = Names()
    loop = node.for_in
    while loop is not None:
        _target(loop.target, own, inside)
        inside += loop.ifs
        if loop is not node.for_in:
            inside.append(loop.iter)
        loop = loop.inner_for_in
    found = collect(inside)
    found.read -= own.bound
    found.captured -= own.bound
    _add(names, found)
    names.bound |= found.bound
    names.perhaps |= found.perhaps
    return found


def _generator(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    found = _comprehension(node, names, stack)
    names.captured |= found.read


def _function(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    """A `def` or `lambda`: the defaults are evaluated at the definition, the rest at each call."""
    listed = parameters(node.params)
    own = {parameter.name.value for parameter in listed}
    for parameter in listed:
        stack += [part for part in (parameter.default, parameter.annotation) if part is not None]
    if isinstance(node, cst.FunctionDef):
        names.bound.add(node.name.value)
        stack += node.decorators
        stack += [part for part in (node.returns, node.type_parameters) if part is not None]
    inside = collect((node.body,))
    own |= inside.bound - inside.declared
    free = (inside.read - own) | (inside.bound & inside.declared)
    names.read |= free
    names.captured |= free


def _class(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    """A class: its body runs at the definition. A name that it binds may first be read from outside, so its reads count."""
    names.bound.add(node.name.value)
    stack += [*node.decorators, *node.bases, *node.keywords]
    if node.type_parameters is not None:
        stack.append(node.type_parameters)
    inside = collect((node.body,))
    _add(names, inside)
    names.read |= inside.bound & inside.declared
    names.captured |= inside.bound & inside.declared


def _type_alias(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    names.bound.add(node.name.value)
    found = collect((node.value,) if node.type_parameters is None else (node.value, node.type_parameters))
    _add(names, found)
    names.captured |= found.read


def _type_parameter(node: Any, names: Names, stack: list[cst.CSTNode]) -> None:
    if getattr(node, "bound", None) is not None:
        stack.append(node.bound)


def _add(names: Names, found: Names) -> None:
    names.read |= found.read
    names.captured |= found.captured
    names.dynamic |= found.dynamic


SPECIAL: dict[type[cst.CSTNode], Callable[[Any, Names, list[cst.CSTNode]], object]] = {
    **dict.fromkeys(COMPREHENSIONS, _comprehension),
    cst.AnnAssign: _annotated,
    cst.Arg: _attribute,
    cst.AsName: _as_name,
    cst.AssignTarget: _assign_target,
    cst.Attribute: _attribute,
    cst.AugAssign: _rebind,
    cst.Call: _call,
    cst.ClassDef: _class,
    cst.Del: _rebind,
    cst.For: _for,
    cst.FunctionDef: _function,
    cst.GeneratorExp: _generator,
    cst.Global: _declare,
    cst.Import: _import,
    cst.ImportFrom: _import,
    cst.Lambda: _function,
    cst.LazyImport: _import,
    cst.LazyImportFrom: _import,
    cst.MatchAs: _capture,
    cst.MatchKeywordElement: _keyword_pattern,
    cst.MatchMapping: _capture,
    cst.MatchStar: _capture,
    cst.NamedExpr: _walrus,
    cst.Nonlocal: _declare,
    cst.ParamSpec: _type_parameter,
    cst.TypeAlias: _type_alias,
    cst.TypeVar: _type_parameter,
    cst.TypeVarTuple: _type_parameter,
}
