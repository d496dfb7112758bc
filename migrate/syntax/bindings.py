"""Where names are bound: Python's scopes, found in one walk over a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from .source import Source

COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.StarredDictComp, cst.GeneratorExp)


@dataclass(eq=False, slots=True)
class Scope:
    """The names that one module, class, function, lambda, comprehension or list of type parameters binds.

    `node` opens the scope; `children` are the scopes directly in it. `names`: name -> the nodes that bind it: ImportAlias,
    FunctionDef, ClassDef, Param, AssignTarget, AnnAssign, AugAssign, NamedExpr, For, CompFor, WithItem, ExceptHandler,
    ExceptStarHandler, Del, MatchAs, MatchStar, MatchMapping, TypeVar, TypeVarTuple, ParamSpec, TypeAlias. A name that
    is declared global or nonlocal is in the scope that it belongs to.
    """

    node: cst.CSTNode
    parent: Scope | None
    names: dict[str, list[cst.CSTNode]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    children: list[Scope] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Bindings:
    """All scopes of a file. `scope_of`: node -> the scope in which it is evaluated; `opened`: node -> the scope that it opens."""

    module: Scope
    scope_of: dict[cst.CSTNode, Scope]
    opened: dict[cst.CSTNode, Scope]
    star_imports: list[cst.ImportFrom | cst.LazyImportFrom]
    outside: dict[cst.CSTNode, Scope]  # nodes whose scope is not that of the parent node


def bind(source: Source) -> Bindings:
    """Find the scopes of a file and the nodes that bind their names."""
    module = Scope(source.module, None)
    found = Bindings(module, {source.module: module}, {source.module: module}, [], {})
    scope_of, outside, binders = found.scope_of, found.outside, BINDERS
    for node, parent in source.parents.items():
        if parent is not None:
            scope_of[node] = outside[node] if node in outside else scope_of[parent]
        binder = binders.get(type(node))
        if binder is not None:
            binder(found, node, scope_of[node])
    outside.clear()
    module.globals.clear()
    for scope in found.opened.values():
        _move_declared(module, scope)
    return found


def target_names(target: cst.CSTNode) -> Iterator[cst.Name]:
    """The names that an assignment to `target` binds; none for an item or an attribute."""
    match target:
        case cst.Name():
            yield target
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for element in elements:
                yield from target_names(element.value)
        case cst.StarredElement(value=value):
            yield from target_names(value)


def imported_name(alias: cst.ImportAlias) -> cst.CSTNode:
    """The node of the name that an import binds: `c` of `import a.b as c`, `a` of `import a.b`."""
    first: cst.CSTNode = alias.name if alias.asname is None else alias.asname.name
    while isinstance(first, cst.Attribute):
        first = first.value
    return first


def pattern_name(pattern: cst.MatchAs | cst.MatchStar | cst.MatchMapping) -> cst.Name | None:
    """The name that this part of a pattern captures, without its subpatterns."""
    return pattern.rest if isinstance(pattern, cst.MatchMapping) else pattern.name


def comprehension_parts(node: Any) -> list[cst.BaseExpression]:
    """The expressions that a comprehension evaluates for every element."""
    if isinstance(node, cst.DictComp):
        return [node.key, node.value]
    return [node.value if isinstance(node, cst.StarredDictComp) else node.elt]


def parameters(params: cst.Parameters) -> list[cst.Param]:
    """All parameters, in source order."""
    listed = [*params.posonly_params, *params.params, params.star_arg, *params.kwonly_params, params.star_kwarg]
    return [parameter for parameter in listed if isinstance(parameter, cst.Param)]


def optional(owner: cst.CSTNode) -> frozenset[str]:
    """The parameters of a function whose default is None."""
    every = parameters(owner.params) if isinstance(owner, cst.FunctionDef) else ()
    return frozenset(p.name.value for p in every if isinstance(p.default, cst.Name) and p.default.value == "None")


def _move_declared(module: Scope, scope: Scope) -> None:
    """Move the names that a function declares global or nonlocal to the scope that they belong to."""
    for name in sorted(scope.globals & scope.names.keys()):
        module.names.setdefault(name, []).extend(scope.names.pop(name))
    for name in sorted(scope.nonlocals & scope.names.keys()):
        home = scope.parent
        while home is not None and (isinstance(home.node, cst.ClassDef) or name not in home.names or name in home.nonlocals):
            home = home.parent
        if home is not None and home is not module:
            home.names[name].extend(scope.names.pop(name))


def _add(scope: Scope, node: cst.CSTNode, names: Iterable[cst.Name]) -> None:
    for name in names:
        scope.names.setdefault(name.value, []).append(node)


def _target(found: Bindings, node: Any, scope: Scope) -> None:
    if type(node.target) is cst.Name:
        scope.names.setdefault(node.target.value, []).append(node)
    else:
        _add(scope, node, target_names(node.target))


def _walrus(found: Bindings, node: Any, scope: Scope) -> None:
    while isinstance(scope.node, COMPREHENSIONS) and scope.parent is not None:
        scope = scope.parent
    _add(scope, node, target_names(node.target))


def _with_item(found: Bindings, node: Any, scope: Scope) -> None:
    if node.asname is not None:
        _add(scope, node, target_names(node.asname.name))


def _handler(found: Bindings, node: Any, scope: Scope) -> None:
    if node.name is not None:
        _add(scope, node, target_names(node.name.name))


def _pattern(found: Bindings, node: Any, scope: Scope) -> None:
    name = pattern_name(node)
    if name is not None:
        _add(scope, node, [name])


def _named(found: Bindings, node: Any, scope: Scope) -> None:
    _add(scope, node, [node.name])


def _import(found: Bindings, node: Any, scope: Scope) -> None:
    if isinstance(node.names, cst.ImportStar):
        found.star_imports.append(node)
        return
    for alias in node.names:
        _add(scope, alias, target_names(imported_name(alias)))


def _global(found: Bindings, node: Any, scope: Scope) -> None:
    scope.globals.update(item.name.value for item in node.names)


def _nonlocal(found: Bindings, node: Any, scope: Scope) -> None:
    scope.nonlocals.update(item.name.value for item in node.names)


def _open(found: Bindings, node: cst.CSTNode, parent: Scope, *parts: cst.CSTNode) -> Scope:
    """Open a new scope at `node`, for its `parts`."""
    scope = found.opened[node] = Scope(node, parent)
    parent.children.append(scope)
    found.outside.update((part, scope) for part in parts)
    return scope


def _place(found: Bindings, scope: Scope, *parts: cst.CSTNode | None) -> None:
    found.outside.update((part, scope) for part in parts if part is not None)


def _enclosing(found: Bindings, node: Any, scope: Scope) -> Scope:
    """The scope of the type parameters, if any, otherwise `scope`: annotations and base classes see them, defaults do not."""
    listed = node.type_parameters
    return scope if listed is None else _open(found, listed, scope, listed)


def _place_parameters(found: Bindings, params: cst.Parameters, enclosing: Scope, scope: Scope) -> None:
    for parameter in parameters(params):
        _place(found, scope, parameter.default)
        _place(found, enclosing, parameter.annotation)


def _function(found: Bindings, node: Any, scope: Scope) -> None:
    _add(scope, node, [node.name])
    enclosing = _enclosing(found, node, scope)
    _place(found, enclosing, node.returns)
    _place_parameters(found, node.params, enclosing, scope)
    _open(found, node, enclosing, node.params, node.body)


def _lambda(found: Bindings, node: Any, scope: Scope) -> None:
    _place_parameters(found, node.params, scope, scope)
    _open(found, node, scope, node.params, node.body)


def _class(found: Bindings, node: Any, scope: Scope) -> None:
    _add(scope, node, [node.name])
    enclosing = _enclosing(found, node, scope)
    _place(found, enclosing, *node.bases, *node.keywords)
    _open(found, node, enclosing, node.body)


def _comprehension(found: Bindings, node: Any, scope: Scope) -> None:
    _open(found, node, scope, *comprehension_parts(node), node.for_in)
    _place(found, scope, node.for_in.iter)  # the first iterable is evaluated outside


def _type_alias(found: Bindings, node: Any, scope: Scope) -> None:
    _add(scope, node, [node.name])
    _place(found, _enclosing(found, node, scope), node.value)


BINDERS: dict[type[cst.CSTNode], Callable[[Bindings, Any, Scope], None]] = {
    cst.AnnAssign: _target,
    cst.AssignTarget: _target,
    cst.AugAssign: _target,
    cst.ClassDef: _class,
    cst.CompFor: _target,
    cst.Del: _target,
    cst.ExceptHandler: _handler,
    cst.ExceptStarHandler: _handler,
    cst.For: _target,
    cst.FunctionDef: _function,
    cst.Global: _global,
    cst.Import: _import,
    cst.ImportFrom: _import,
    cst.Lambda: _lambda,
    cst.LazyImport: _import,
    cst.LazyImportFrom: _import,
    cst.MatchAs: _pattern,
    cst.MatchMapping: _pattern,
    cst.MatchStar: _pattern,
    cst.NamedExpr: _walrus,
    cst.Nonlocal: _nonlocal,
    cst.Param: _named,
    cst.ParamSpec: _named,
    cst.TypeAlias: _type_alias,
    cst.TypeVar: _named,
    cst.TypeVarTuple: _named,
    cst.WithItem: _with_item,
    **dict.fromkeys(COMPREHENSIONS, _comprehension),
}
