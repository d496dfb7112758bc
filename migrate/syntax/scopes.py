"""What names refer to.

The analysis is flow-insensitive: a name with several bindings that disagree is unresolved, wherever it is read.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import libcst as cst

from ...rules import numpy_table
from ...rules.facts.iteration_space import IterationSpace, iteration_space
from .bindings import Bindings, Scope, bind
from .source import Source

# without None, True and False, which are not names: `x = None` is a variable with a value, not an alias
BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("__") and not keyword.iskeyword(name))
IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
BINDING = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr)
LABELLED: dict[type, str] = {cst.Attribute: "attr", cst.Arg: "keyword", cst.MatchKeywordElement: "key"}
DECLARING = (cst.ImportAlias, cst.ImportFrom, cst.LazyImportFrom, cst.NameItem)
OVERLOAD = ("typing.overload", "typing_extensions.overload")


def build(source: Source) -> Scopes:
    """Find the scopes of a file, which resolve its names."""
    return Scopes(source, bind(source))


def dotted(node: cst.CSTNode) -> str | None:
    """The text of a name or of a chain of attributes on one, `a.b.c`; None for anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    return ".".join([node.value, *reversed(parts)])


class Scopes:
    """Resolves the names of one file. Every node argument must be in `source.parents`."""

    def __init__(self, source: Source, found: Bindings) -> None:
        self.source = source
        self.module = found.module
        self._scope_of = found.scope_of
        self._opened = found.opened
        self._stars = found.star_imports
        self._resolved: dict[tuple[Scope, str], str | None] = {}
        self._qualnames: dict[cst.CSTNode, str | None] = {}
        self._spaces: dict[cst.CSTNode, IterationSpace] = {}

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """The scope in which `node` is evaluated; for a function or a class, the one that its name is bound in."""
        return self._scope_of[node]

    def opened_by(self, owner: cst.CSTNode) -> Scope:
        """The scope that a module, class, function, lambda or comprehension opens."""
        return self._opened[owner]

    def lookup(self, scope: Scope, name: str) -> Scope | None:
        """The scope whose binding a use of `name` in `scope` refers to; None for a builtin or an unknown name."""
        first = scope
        at: Scope | None = scope
        private = name.startswith("__") and not name.endswith("__")
        while at is not None:
            is_class = type(at.node) is cst.ClassDef
            if not is_class or at is first:
                if name in at.globals:
                    at = self.module
                if name in at.names:
                    return at
            if is_class and private:
                return None  # Python mangles it to _Class__name
            if at is first and at.parent is not None and type(at.node) is cst.TypeParameters:
                first = at.parent  # unlike functions, type parameters see the names of the enclosing class
            at = at.parent
        return None

    def bindings(self, name: cst.Name) -> tuple[cst.CSTNode, ...]:
        """The nodes that may bind what `name` refers to (see `Scope.names`); empty for builtins and unknown names."""
        home = self.lookup(self._scope_of[name], name.value)
        return () if home is None else tuple(home.names[name.value])

    def is_module_level(self, name: cst.Name) -> bool:
        """Whether `name` refers to a variable of the module."""
        return self.lookup(self._scope_of[name], name.value) is self.module

    def iteration_space(self, loop: cst.For | cst.CompFor) -> IterationSpace:
        """The iteration space of a loop, or of a clause of a comprehension."""
        if loop not in self._spaces:
            self._spaces[loop] = iteration_space(loop.target, loop.iter, self.qualname)
        return self._spaces[loop]

    def qualname(self, expression: cst.CSTNode) -> str | None:
        """The absolute dotted name of what a name or a chain of attributes refers to; None if that is not certain.

        For an import, it is what was imported ("numpy.linalg.norm"); for a definition of this file "<module>.f",
        "<module>.Class.m" or "<module>.f.<locals>.g"; for a builtin "builtins.len". A variable whose only binding is
        `sqrt = np.sqrt` resolves to that value. None for parameters, other variables, names bound in several ways, names that a
        star import may provide, for the target of an assignment, and for nodes that are not expressions: attribute names,
        keywords, the names in an import.
        """
        try:
            return self._qualnames[expression]
        except KeyError:
            found = self._qualnames[expression] = self._qualname(expression)
            return found

    def _qualname(self, expression: cst.CSTNode) -> str | None:
        parts: list[str] = []
        node = expression
        while type(node) is cst.Attribute:
            parts.append(node.attr.value)
            node = node.value
        if type(node) is not cst.Name:
            return None
        base = self._name(self._scope_of[node], node.value)
        if base is None or self._is_no_use(expression):
            return None
        if node.value in BUILTINS and not self._is_bound_by_then(node):
            return None
        found = ".".join([base, *reversed(parts)])
        return numpy_table.SCIPY.get(found, found)

    def imported(self, alias: cst.ImportAlias) -> str | None:
        """The absolute dotted name that the name bound by an import refers to; None if it is outside the topmost package."""
        name = dotted(alias.name)
        statement = self.source.parents[alias]
        if name is not None and isinstance(statement, (cst.ImportFrom, cst.LazyImportFrom)):
            module = self.imported_from(statement)
            return None if module is None else f"{module}.{name}" if module else name
        if name is None:
            return None
        return self.source.absolute(name if alias.asname is not None else name.partition(".")[0])

    def imported_from(self, statement: cst.ImportFrom | cst.LazyImportFrom) -> str | None:
        """The absolute name of the module in `from ... import`; None if it is outside the topmost package."""
        module = "" if statement.module is None else dotted(statement.module) or ""
        level = len(statement.relative)
        if not level:
            return self.source.absolute(module)
        parts = self.source.package.split(".") if self.source.package else []
        if level > max(len(parts), 1):
            return None
        base = parts[: len(parts) - level + 1]
        return ".".join([*base, module] if module else base)

    @cached_property
    def star_imports(self) -> list[str | None]:
        """The modules of the star imports; None for one outside the topmost package."""
        return [self.imported_from(statement) for statement in self._stars]

    def exports(self) -> Mapping[str, str]:
        """The variables of this module that refer to something defined elsewhere: name -> dotted target."""
        return self._exports

    @cached_property
    def _exports(self) -> Mapping[str, str]:
        found = {name: self._name(self.module, name) for name in self.module.names}
        own = f"{self.source.name}."
        return {name: target for name, target in found.items() if target is not None and target != own + name}

    def name_of(self, target: str) -> str:
        """The variable of this module that refers to a dotted target, as `np` does to `numpy`; "" if there is none."""
        return next((name for name, found in self._exports.items() if found == target), "")

    def assigned(self, owner: cst.CSTNode) -> frozenset[str]:
        """The names that the scope of a function, lambda, class or module binds, including parameters."""
        return frozenset(self._opened[owner].names)

    def captured(self, owner: cst.CSTNode) -> frozenset[str]:
        """The names of the scope of `owner` that functions, lambdas, classes and comprehensions in it refer to."""
        scope = self._opened[owner]
        return frozenset(
            name
            for inner in _below(scope)
            for name in self._references.get(inner, ())
            if inner is not scope and self.lookup(inner, name) is scope
        )

    def free(self, owner: cst.CSTNode) -> frozenset[str]:
        """The free names of `owner` and of what is nested in it: from enclosing functions, the module, builtins."""
        inside = dict.fromkeys(_below(self._opened[owner]))
        return frozenset(
            name for inner in inside for name in self._references.get(inner, ()) if self.lookup(inner, name) not in inside
        )

    def all_names(self) -> Iterator[Iterable[str]]:
        """All names that are bound or referred to in the file, scope by scope."""
        for scope in self._opened.values():
            yield scope.names
            yield self._references.get(scope, ())

    @cached_property
    def _references(self) -> dict[Scope, set[str]]:
        """The variables that are read or bound, by the scope of the reference."""
        found: dict[Scope, set[str]] = {}
        for node in self.source.parents:
            if type(node) is cst.Name and not self._is_label(node):
                found.setdefault(self._scope_of[node], set()).add(node.value)
        return found

    @cached_property
    def _order(self) -> dict[cst.CSTNode, int]:
        return {node: index for index, node in enumerate(self.source.parents)}

    def _is_bound_by_then(self, use: cst.Name) -> bool:
        """Whether the builtin of this name is certainly shadowed at this use: `_sum = sum` may precede `def sum`."""
        home = self.lookup(self._scope_of[use], use.value)
        if home is not self.module:
            return True
        certain = [binding for binding in home.names[use.value] if self._is_at_top(binding)]
        scope: Scope | None = self._scope_of[use]
        while scope is not None and not isinstance(scope.node, (cst.FunctionDef, cst.Lambda)):
            scope = scope.parent
        if scope is not None:  # in a function, which is called later
            return bool(certain)
        return any(self._order[binding] < self._order[use] for binding in certain)

    def _is_at_top(self, binding: cst.CSTNode) -> bool:
        """Whether a binding is executed whenever the module is imported."""
        at = self.source.parents[binding]
        while isinstance(at, (cst.BaseSmallStatement, cst.SimpleStatementLine)):
            at = self.source.parents[at]
        return at is self.source.module

    def _is_no_use(self, expression: cst.CSTNode) -> bool:
        parent: Any = self.source.parents[expression]
        kind = type(parent)
        if kind in BINDING and parent.target is expression:
            return type(expression) is cst.Name
        return kind is cst.AsName or self._is_label(expression)

    def _is_label(self, node: cst.CSTNode) -> bool:
        """Whether a name is not a variable, but an attribute, a keyword, or part of an import or a declaration."""
        parents = self.source.parents
        parent: Any = parents[node]
        kind = type(parent)
        if kind in LABELLED and getattr(parent, LABELLED[kind]) is node:
            return True
        above = parents[node]
        while type(above) is cst.Attribute:
            above = parents[above]
        return type(above) in DECLARING

    def _name(self, scope: Scope, name: str) -> str | None:
        key = (scope, name)
        if key not in self._resolved:
            self._resolved[key] = None  # the result while it is being resolved: x = x
            self._resolved[key] = self._resolve(scope, name)
        return self._resolved[key]

    def _resolve(self, scope: Scope, name: str) -> str | None:
        home = self.lookup(scope, name)
        if home is None:
            return f"builtins.{name}" if name in BUILTINS and not self._stars else None
        found = self._agreed(home, name)
        if isinstance(home.node, cst.ClassDef) and home.parent is not None:
            outer = self._name(home.parent, name)  # what the name refers to until the class body has bound it
            if outer is not None and outer != found:
                return None
        return found

    def _agreed(self, home: Scope, name: str) -> str | None:
        bindings = home.names[name]
        if len(bindings) == 1:
            return self._bound(home, name, bindings[0])
        imports = [b for b in bindings if isinstance(b, cst.ImportAlias)]
        if not imports:
            return f"{self._path(home)}.{name}" if self._is_overloaded(bindings) else None
        if any(b not in imports and not self._is_fallback(b, imports) for b in bindings):
            return None
        targets = {self.imported(b) for b in imports}
        return targets.pop() if len(targets) == 1 else None

    def _bound(self, home: Scope, name: str, binding: cst.CSTNode) -> str | None:
        value: cst.BaseExpression | None = None
        match binding:
            case cst.ImportAlias():
                return self.imported(binding)
            case cst.FunctionDef() | cst.ClassDef():
                return f"{self._path(home)}.{name}"
            case cst.AssignTarget(target=cst.Name()):
                statement = self.source.parents[binding]
                assert isinstance(statement, cst.Assign)
                value = statement.value
            case cst.AnnAssign(target=cst.Name()):
                value = binding.value
        if value is None or isinstance(home.node, cst.ClassDef):
            return None
        return self._qualname(value)  # not cached: a name that is being resolved has no result yet

    def _is_overloaded(self, bindings: list[cst.CSTNode]) -> bool:
        """Whether the bindings are overloads of one function: the earlier definitions only declare types."""
        if not all(isinstance(binding, cst.FunctionDef) for binding in bindings):
            return False
        declares = [
            isinstance(b, cst.FunctionDef) and any(self._qualname(d.decorator) in OVERLOAD for d in b.decorators)
            for b in bindings
        ]
        return all(declares[:-1]) and not declares[-1]

    def _is_fallback(self, binding: cst.CSTNode, imports: list[cst.ImportAlias]) -> bool:
        """Whether a binding is the `np = None` of `try: import numpy as np` / `except ImportError: np = None`."""
        match self.source.parents[binding]:
            case cst.Assign(value=cst.Name("None")) as statement:
                enclosing = list(self._enclosing(statement))
                handler = next((node for node in enclosing if isinstance(node, cst.ExceptHandler)), None)
                if handler is None or not _catches_import_error(handler):
                    return False
                tried = self.source.parents[handler]
                return isinstance(tried, cst.Try) and any(tried.body in self._enclosing(found) for found in imports)
        return False

    def _enclosing(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes that enclose `node`, innermost first, within the same function or class."""
        at = self.source.parents[node]
        while at is not None and not isinstance(at, (cst.FunctionDef, cst.ClassDef)):
            yield at
            at = self.source.parents[at]

    def _path(self, scope: Scope) -> str:
        """The prefix of the qualified names of definitions in `scope`."""
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
            at = at.parent
        return ".".join([self.source.name, *reversed(parts)])


def _below(scope: Scope) -> Iterator[Scope]:
    """`scope` and all scopes in it."""
    stack = [scope]
    while stack:
        at = stack.pop()
        yield at
        stack += at.children


def _catches_import_error(handler: cst.ExceptHandler) -> bool:
    match handler.type:
        case None:
            return True
        case cst.Name(value=name):
            return name in IMPORT_ERRORS
        case cst.Tuple(elements=elements):
            return any(isinstance(e.value, cst.Name) and e.value.value in IMPORT_ERRORS for e in elements)
    return False
