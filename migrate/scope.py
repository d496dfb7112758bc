"""Which binding does a name refer to? Python's scoping rules in one walk over a file.

Answers are flow-insensitive: a name with several bindings that disagree has no answer, wherever it is read.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from .source import Source

COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("__"))
IMPORTS = (cst.Import, cst.ImportFrom, cst.LazyImport, cst.LazyImportFrom)
IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


@dataclass(eq=False, slots=True)
class Scope:
    """The names that one module, class, function, lambda, comprehension or type parameter list binds.

    `node` opened the scope. `names`: name -> the nodes that bind it: ImportAlias, FunctionDef, ClassDef, Param, AssignTarget,
    AnnAssign, AugAssign, NamedExpr, For, CompFor, WithItem, ExceptHandler, ExceptStarHandler, Del, MatchAs, MatchStar,
    MatchMapping, TypeVar, TypeVarTuple, ParamSpec, TypeAlias. A name declared global or nonlocal is in the scope it belongs to.
    """

    node: cst.CSTNode
    parent: Scope | None
    names: dict[str, list[cst.CSTNode]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    @property
    def is_function(self) -> bool:
        return isinstance(self.node, (cst.FunctionDef, cst.Lambda))


def dotted(node: cst.CSTNode) -> str | None:
    """`a.b.c` as text, or None for anything but a chain of attributes on a name."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    parts.append(node.value)
    return ".".join(reversed(parts))


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


class Scopes:
    """The scopes of one file and what its names refer to. Made by `build`."""

    __slots__ = ("_entry", "_opened", "_resolving", "module", "source", "star_imports", "_qualnames", "_references")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.module = Scope(source.module, None)
        self.star_imports: list[str | None] = []  # the modules; None where a relative import leads out of the package
        self._opened: dict[cst.CSTNode, Scope] = {source.module: self.module}
        self._entry: dict[cst.CSTNode, Scope] = {source.module: self.module}  # where the scope differs from the parent's
        self._resolving: set[tuple[Scope, str]] = set()
        self._qualnames: dict[tuple[Scope, str], str | None] = {}
        self._references: dict[Scope, set[str]] | None = None

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """The scope in which `node` is evaluated; for a def or class, the one that its name is bound in."""
        entry, parents = self._entry, self.source.parents
        while node not in entry:
            above = parents[node]
            assert above is not None
            node = above
        return entry[node]

    def opened_by(self, node: cst.CSTNode) -> Scope:
        """The scope that a module, class, function, lambda or comprehension opens."""
        return self._opened[node]

    def lookup(self, scope: Scope, name: str) -> Scope | None:
        """The scope whose binding a use of `name` in `scope` refers to; None: a builtin, or unknown."""
        start: Scope | None = scope
        at: Scope | None = scope
        private = name.startswith("__") and not name.endswith("__")
        while at is not None:
            if name in at.globals:
                return self.module if name in self.module.names else None
            is_class = isinstance(at.node, cst.ClassDef)
            if name in at.names and name not in at.nonlocals and (not is_class or at is start):
                return at
            if is_class and private:
                return None  # Python mangles it to _Class__name
            if at is start and isinstance(at.node, cst.TypeParameters):
                start = at.parent  # unlike functions, type parameters see the names of the class around them
            at = at.parent
        return None

    def bindings(self, name: cst.Name) -> tuple[cst.CSTNode, ...]:
        """The nodes that may bind what `name` refers to (see `Scope.names`); empty for builtins and unknown names."""
        home = self.lookup(self.scope_of(name), name.value)
        return () if home is None else tuple(home.names[name.value])

    def is_module_level(self, name: cst.Name) -> bool:
        """Does `name` refer to a variable of the module?"""
        return self.lookup(self.scope_of(name), name.value) is self.module

    def qualname(self, expression: cst.CSTNode) -> str | None:
        """The absolute dotted name of what a name or a chain of attributes refers to, or None when that is not certain.

        Imports give what was imported ("numpy.linalg.norm"), definitions of this file "<module>.f", "<module>.Class.m" or
        "<module>.f.<locals>.g", builtins "builtins.len". A name with the one binding `sqrt = np.sqrt` stands for its value.
        None for parameters, other variables, names bound in several ways, and names that a star import may provide.
        """
        parts: list[str] = []
        while isinstance(expression, cst.Attribute):
            parts.append(expression.attr.value)
            expression = expression.value
        if not isinstance(expression, cst.Name):
            return None
        base = self._name(self.scope_of(expression), expression.value)
        if base is None or not parts:
            return base
        return ".".join([base, *reversed(parts)])

    def exports(self) -> Mapping[str, str]:
        """Names of this module that stand for something defined elsewhere: name -> dotted target."""
        found: dict[str, str] = {}
        for name in self.module.names:
            target = self._name(self.module, name)
            if target is not None and target != f"{self.source.name}.{name}":
                found[name] = target
        return found

    def assigned(self, owner: cst.CSTNode) -> frozenset[str]:
        """The names that the scope of a function, lambda, class or module binds, parameters included."""
        return frozenset(self._opened[owner].names)

    def captured(self, owner: cst.CSTNode) -> frozenset[str]:
        """The names of the scope of `owner` that functions, lambdas, classes and comprehensions in it refer to."""
        scope = self._opened[owner]
        return frozenset(
            name
            for inner, names in self._inner(scope)
            for name in names
            if inner is not scope and self.lookup(inner, name) is scope
        )

    def free(self, owner: cst.CSTNode) -> frozenset[str]:
        """The names that `owner` and what is nested in it take from outside: of the module, of functions around it, builtins."""
        scope = self._opened[owner]
        inside = {inner for inner, _ in self._inner(scope)}
        return frozenset(name for inner, names in self._inner(scope) for name in names if self.lookup(inner, name) not in inside)

    def _inner(self, scope: Scope) -> Iterator[tuple[Scope, set[str]]]:
        """`scope` and all below it, with the names that are referred to there."""
        if self._references is None:
            self._references = _references(self)
        for inner, names in self._references.items():
            at: Scope | None = inner
            while at is not None and at is not scope:
                at = at.parent
            if at is scope:
                yield inner, names

    def _name(self, scope: Scope, name: str) -> str | None:
        key = (scope, name)
        if key not in self._qualnames:
            if key in self._resolving:
                return None  # x = x
            self._resolving.add(key)
            self._qualnames[key] = self._resolve(scope, name)
            self._resolving.discard(key)
        return self._qualnames[key]

    def _resolve(self, scope: Scope, name: str) -> str | None:
        home = self.lookup(scope, name)
        if home is None:
            known = name in BUILTINS and not self.star_imports
            return f"builtins.{name}" if known else None
        found = self._agreed(home, name)
        if isinstance(home.node, cst.ClassDef) and home.parent is not None:
            # until the class body has bound it, the name is still the outer one
            outer = self._name(home.parent, name)
            if outer is not None and outer != found:
                return None
        return found

    def _agreed(self, home: Scope, name: str) -> str | None:
        bindings = home.names[name]
        if len(bindings) == 1:
            return self._bound(home, name, bindings[0])
        imports = [b for b in bindings if isinstance(b, cst.ImportAlias)]
        if not imports or any(not self._is_missing_import(b, imports) for b in bindings if b not in imports):
            return self._overloaded(home, name, bindings)
        targets = {self._bound(home, name, b) for b in imports}
        return targets.pop() if len(targets) == 1 else None

    def _overloaded(self, home: Scope, name: str, bindings: list[cst.CSTNode]) -> str | None:
        """A function whose earlier definitions only declare types for it is one function."""
        for binding in bindings:
            if not isinstance(binding, cst.FunctionDef):
                return None
            declared = any(
                self.qualname(d.decorator) in ("typing.overload", "typing_extensions.overload") for d in binding.decorators
            )
            if declared is (binding is bindings[-1]):
                return None
        return f"{self._path(home)}.{name}"

    def _bound(self, home: Scope, name: str, binding: cst.CSTNode) -> str | None:
        match binding:
            case cst.ImportAlias():
                return self._imported(binding)
            case cst.FunctionDef() | cst.ClassDef():
                return f"{self._path(home)}.{name}"
            case cst.AssignTarget(target=cst.Name()):
                statement = self.source.parents[binding]
                assert isinstance(statement, cst.Assign)
                value = statement.value
            case cst.AnnAssign(target=cst.Name(), value=cst.BaseExpression() as value):
                pass
            case _:
                return None
        if isinstance(home.node, cst.ClassDef):
            return None
        return self.qualname(value)

    def _imported(self, alias: cst.ImportAlias) -> str | None:
        name = dotted(alias.name)
        statement = self.source.parents[alias]
        if name is None:
            return None
        if isinstance(statement, (cst.ImportFrom, cst.LazyImportFrom)):
            module = self._from(statement)
            return None if module is None else f"{module}.{name}" if module else name
        return name if alias.asname is not None else name.partition(".")[0]

    def _from(self, statement: cst.ImportFrom | cst.LazyImportFrom) -> str | None:
        """The absolute module that `from ... import` names; None when it leads out of the topmost package."""
        module = "" if statement.module is None else dotted(statement.module) or ""
        level = len(statement.relative)
        if not level:
            return module
        parts = self.source.package.split(".") if self.source.package else []
        if level - 1 > len(parts):
            return None
        base = parts[: len(parts) - level + 1]
        return ".".join([*base, module] if module else base)

    def _is_missing_import(self, binding: cst.CSTNode, imports: Iterable[cst.CSTNode]) -> bool:
        """Is it the `np = None` of `try: import numpy as np` / `except ImportError: np = None`?"""
        parents = self.source.parents
        match parents[binding]:
            case cst.Assign(value=cst.Name("None")) as statement:
                pass
            case _:
                return False
        if not isinstance(binding, cst.AssignTarget):
            return False
        handler = _up(parents, statement, cst.ExceptHandler)
        if handler is None or not _catches_import_error(handler):
            return False
        tried = parents[handler]
        return any(_up(parents, found, cst.Try) is tried for found in imports)

    def _path(self, scope: Scope) -> str:
        """What the qualified names of definitions in `scope` start with."""
        parts: list[str] = []
        at: Scope | None = scope
        while at is not None:
            match at.node:
                case cst.FunctionDef(name=name):
                    parts += ["<locals>", name.value]
                case cst.Lambda():
                    parts += ["<locals>", "<lambda>"]
                case cst.ClassDef(name=name):
                    parts.append(name.value)
                case cst.Module():
                    parts.append(self.source.name)
            at = at.parent
        return ".".join(reversed(parts))


def build(source: Source) -> Scopes:
    """Find all scopes and bindings of a file."""
    scopes = Scopes(source)
    handlers = HANDLERS
    for node in source.parents:
        handler = handlers.get(type(node))
        if handler is not None:
            handler(scopes, node)
    for scope in scopes._opened.values():
        _move_declared(scopes, scope)
    return scopes


def _move_declared(scopes: Scopes, scope: Scope) -> None:
    """What a function binds under a global or nonlocal declaration belongs to another scope."""
    if scope is scopes.module:
        scope.globals.clear()
        return
    for name in scope.globals & scope.names.keys():
        scopes.module.names.setdefault(name, []).extend(scope.names.pop(name))
    for name in scope.nonlocals & scope.names.keys():
        home = scope.parent
        while home is not None and not (home.is_function and name in home.names and name not in home.nonlocals):
            home = home.parent
        if home is not None:
            home.names[name].extend(scope.names.pop(name))


def _up(parents: Mapping[cst.CSTNode, cst.CSTNode | None], node: cst.CSTNode, kind: type[cst.CSTNode]) -> cst.CSTNode | None:
    """The nearest node of a kind around `node`, within the same function."""
    at: cst.CSTNode | None = parents[node]
    while at is not None and not isinstance(at, kind):
        at = None if isinstance(at, (cst.FunctionDef, cst.ClassDef)) else parents[at]
    return at


def _catches_import_error(handler: cst.CSTNode) -> bool:
    match handler:
        case cst.ExceptHandler(type=None):
            return True
        case cst.ExceptHandler(type=cst.Name(name)):
            return name in IMPORT_ERRORS
        case cst.ExceptHandler(type=cst.Tuple(elements=elements)):
            return any(isinstance(e.value, cst.Name) and e.value.value in IMPORT_ERRORS for e in elements)
    return False


def _references(scopes: Scopes) -> dict[Scope, set[str]]:
    """The names that are read or bound by an expression or a target, by the scope in which they stand."""
    found: dict[Scope, set[str]] = {scope: set() for scope in scopes._opened.values()}
    for node, parent in scopes.source.parents.items():
        if type(node) is cst.Name and not _is_label(node, parent):
            found.setdefault(scopes.scope_of(node), set()).add(node.value)
    return found


def _is_label(name: cst.Name, parent: cst.CSTNode | None) -> bool:
    """Is it an attribute, a keyword, or part of an import or a declaration?"""
    match parent:
        case cst.Attribute(attr=label) | cst.Arg(keyword=label) | cst.MatchKeywordElement(key=label):
            return label is name
        case cst.ImportAlias() | cst.ImportFrom() | cst.LazyImportFrom() | cst.NameItem():
            return True
        case cst.FunctionDef(name=label) | cst.ClassDef(name=label) | cst.Param(name=label):
            return label is name
    return False


Handler = Callable[[Scopes, cst.CSTNode], None]


def _bind(scopes: Scopes, node: cst.CSTNode, names: Iterable[cst.Name]) -> None:
    scope = scopes.scope_of(node)
    for name in names:
        scope.names.setdefault(name.value, []).append(node)


def _target(scopes: Scopes, node: cst.CSTNode) -> None:
    target = node.target  # type: ignore[attr-defined]
    if type(target) is cst.Name:
        scopes.scope_of(node).names.setdefault(target.value, []).append(node)
    elif isinstance(target, (cst.Tuple, cst.List)):
        _bind(scopes, node, target_names(target))


def _comp_for(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, cst.CompFor)
    _bind(scopes, node, target_names(node.target))


def _delete(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, cst.Del)
    _bind(scopes, node, target_names(node.target))


def _walrus(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, cst.NamedExpr) and isinstance(node.target, cst.Name)
    scope = scopes.scope_of(node)
    while isinstance(scope.node, COMPREHENSIONS) and scope.parent is not None:
        scope = scope.parent
    scope.names.setdefault(node.target.value, []).append(node)


def _as_name(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, (cst.WithItem, cst.ExceptHandler, cst.ExceptStarHandler))
    bound = node.asname if isinstance(node, cst.WithItem) else node.name
    if bound is not None:
        _bind(scopes, node, target_names(bound.name))


def _capture(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, (cst.MatchAs, cst.MatchStar, cst.MatchMapping))
    name = node.rest if isinstance(node, cst.MatchMapping) else node.name
    if name is not None:
        _bind(scopes, node, [name])


def _named(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, (cst.Param, cst.TypeVar, cst.TypeVarTuple, cst.ParamSpec))
    _bind(scopes, node, [node.name])


def _import(scopes: Scopes, node: cst.CSTNode) -> None:
    names = node.names  # type: ignore[attr-defined]
    if isinstance(names, cst.ImportStar):
        assert isinstance(node, (cst.ImportFrom, cst.LazyImportFrom))
        scopes.star_imports.append(scopes._from(node))
        return
    for alias in names:
        first: cst.CSTNode = alias.name if alias.asname is None else alias.asname.name
        while isinstance(first, cst.Attribute):
            first = first.value
        _bind(scopes, alias, target_names(first))


def _declare(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, (cst.Global, cst.Nonlocal))
    scope = scopes.scope_of(node)
    names = scope.globals if isinstance(node, cst.Global) else scope.nonlocals
    names.update(item.name.value for item in node.names)


def _enter(scopes: Scopes, scope: Scope, *nodes: cst.CSTNode | None) -> None:
    for node in nodes:
        if node is not None:
            scopes._entry[node] = scope


def _open(scopes: Scopes, node: cst.CSTNode, outer: Scope) -> Scope:
    scope = scopes._opened[node] = Scope(node, outer)
    return scope


def _type_parameters(scopes: Scopes, node: cst.CSTNode, outer: Scope) -> Scope:
    parameters: cst.TypeParameters | None = node.type_parameters  # type: ignore[attr-defined]
    if parameters is None:
        return outer
    scope = Scope(parameters, outer)
    scopes._opened[parameters] = scope
    _enter(scopes, scope, parameters)
    return scope


def _parameters(scopes: Scopes, parameters: cst.Parameters, around: Scope, outer: Scope) -> None:
    """Defaults are evaluated around the function, annotations where its type parameters are known."""
    listed = [*parameters.posonly_params, *parameters.params, *parameters.kwonly_params, parameters.star_arg]
    for parameter in (*listed, parameters.star_kwarg):
        if isinstance(parameter, cst.Param):
            _enter(scopes, outer, parameter.default)
            _enter(scopes, around, parameter.annotation)


def _function(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, cst.FunctionDef)
    outer = scopes.scope_of(node)
    outer.names.setdefault(node.name.value, []).append(node)
    around = _type_parameters(scopes, node, outer)
    _enter(scopes, around, node.returns)
    _parameters(scopes, node.params, around, outer)
    _enter(scopes, _open(scopes, node, around), node.params, node.body)


def _lambda(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, cst.Lambda)
    outer = scopes.scope_of(node)
    _parameters(scopes, node.params, outer, outer)
    _enter(scopes, _open(scopes, node, outer), node.params, node.body)


def _class(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, cst.ClassDef)
    outer = scopes.scope_of(node)
    outer.names.setdefault(node.name.value, []).append(node)
    around = _type_parameters(scopes, node, outer)
    _enter(scopes, around, *node.bases, *node.keywords)
    _enter(scopes, _open(scopes, node, around), node.body)


def _comprehension(scopes: Scopes, node: cst.CSTNode) -> None:
    outer = scopes.scope_of(node)
    scope = _open(scopes, node, outer)
    parts = (node.key, node.value) if isinstance(node, cst.DictComp) else (node.elt,)  # type: ignore[attr-defined]
    loop: cst.CompFor = node.for_in  # type: ignore[attr-defined]
    _enter(scopes, scope, *parts, loop)
    _enter(scopes, outer, loop.iter)


def _type_alias(scopes: Scopes, node: cst.CSTNode) -> None:
    assert isinstance(node, cst.TypeAlias)
    outer = scopes.scope_of(node)
    outer.names.setdefault(node.name.value, []).append(node)
    _enter(scopes, _type_parameters(scopes, node, outer), node.value)


HANDLERS: dict[type[cst.CSTNode], Handler] = {
    cst.AssignTarget: _target,
    cst.AnnAssign: _target,
    cst.AugAssign: _target,
    cst.For: _target,
    cst.CompFor: _comp_for,
    cst.Del: _delete,
    cst.NamedExpr: _walrus,
    cst.WithItem: _as_name,
    cst.ExceptHandler: _as_name,
    cst.ExceptStarHandler: _as_name,
    cst.MatchAs: _capture,
    cst.MatchStar: _capture,
    cst.MatchMapping: _capture,
    cst.Param: _named,
    cst.TypeVar: _named,
    cst.TypeVarTuple: _named,
    cst.ParamSpec: _named,
    cst.TypeAlias: _type_alias,
    **dict.fromkeys(IMPORTS, _import),
    cst.Global: _declare,
    cst.Nonlocal: _declare,
    cst.FunctionDef: _function,
    cst.Lambda: _lambda,
    cst.ClassDef: _class,
    **dict.fromkeys(COMPREHENSIONS, _comprehension),
}
