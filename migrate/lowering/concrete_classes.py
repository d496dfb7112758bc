"""The methods of an object whose class is known exactly: no subclass overrides them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..analysis.interp.super_calls import PLAIN_BASES
from ..analysis.state.project_facts import Facts
from ..summaries.unit_discovery import decorators
from ..summaries.units import Module
from ..syntax.bindings import parameters
from ..syntax.decorators import UNWRAPPED, applied

CUSTOM = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__delattr__"})
OF_CLASSES = frozenset({"dataclasses.dataclass", "functools.total_ordering"})  # decorators that leave the methods as they are
METACLASSES = frozenset({"abc.ABCMeta"})


def receiver(node: cst.FunctionDef) -> str:
    """The name of the first parameter of a method."""
    listed = [*node.params.posonly_params, *node.params.params]
    return listed[0].name.value if listed else ""


def elements(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The targets in a target of an assignment, which may be a tuple."""
    if isinstance(target, (cst.Tuple, cst.List)):
        return [inner for e in target.elements for inner in elements(e.value)]
    return [target]


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method and the class that defines it. `kind`: "method", "static" or "property"."""

    name: str
    owner: str
    kind: str
    node: cst.FunctionDef

    @property
    def key(self) -> str:
        return f"{self.owner}.{self.name}"


@dataclass
class Classes:
    """The classes of a file, and those of the project that are known in it by a name."""

    module: Module
    facts: Facts
    nodes: dict[str, cst.ClassDef] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        source, scopes = self.module.source, self.module.scopes
        for statement in source.module.body:
            if isinstance(statement, cst.ClassDef):
                name = f"{source.name}.{statement.name.value}"
                if len(scopes.module.names.get(statement.name.value, ())) == 1 and name in self.facts.classes:
                    self.nodes[name] = statement
                    self.names[name] = statement.name.value
        for name, target in scopes.exports().items():
            cls = self.facts.canonical(target)
            if cls in self.facts.classes and len(scopes.module.names[name]) == 1:
                self.names.setdefault(cls, name)

    @cached_property
    def stored(self) -> set[str]:
        """The names of attributes that the file binds."""
        nodes = (n for n in self.module.source.nodes if isinstance(n, (cst.AssignTarget, cst.AnnAssign, cst.AugAssign)))
        return {t.attr.value for node in nodes for t in elements(node.target) if isinstance(t, cst.Attribute)}

    @cached_property
    def _functions(self) -> dict[str, str]:
        """The names in the file of the functions that it defines or imports."""
        source, scopes = self.module.source, self.module.scopes
        defined = [statement.name.value for statement in source.module.body if isinstance(statement, cst.FunctionDef)]
        found = {f"{source.name}.{name}": name for name in defined if len(scopes.module.names[name]) == 1}
        imported = [(target, name) for name, target in scopes.exports().items() if len(scopes.module.names[name]) == 1]
        return found | {self.facts.canonical(target): name for target, name in imported}

    def function(self, target: str) -> str:
        """How the file calls a function of the project or of NumPy, "" if it does not know it."""
        module, _dot, name = target.rpartition(".")
        alias = self.module.scopes.name_of(module) if module == "numpy" else None
        return f"{alias}.{name}" if alias else self._functions.get(target, "")

    def default(self, function: cst.FunctionDef, parameter: str) -> str:
        """How the file calls the function that is the default of a parameter, "" if it is none."""
        given = next((each.default for each in parameters(function.params) if each.name.value == parameter), None)
        return "" if given is None else self.function(self.facts.canonical(self.module.scopes.qualname(given) or ""))

    def concrete(self, cls: str) -> Iterator[tuple[str, str]]:
        """A class and its subclasses in the project that behave as their methods say, and by what names the file knows them."""
        for name in sorted(self.facts.hierarchy.kin.get(cls, ()), key=lambda n: (n != cls, self._position(n))):
            line = self.line(name)
            if name in self.names and cls in line and self._plain(line):
                yield name, self.names[name]

    def is_plain(self, cls: str) -> bool:
        """Whether objects of exactly this class behave as its methods say."""
        line = self.line(cls)
        return bool(line) and self._plain(line)

    def line(self, cls: str) -> list[str]:
        """The method resolution order of a class, as far as it lies in the project; empty if a class has several bases."""
        found: list[str] = []
        while cls not in PLAIN_BASES:
            fact = self.facts.classes.get(cls)
            if fact is None or cls in found or cls in self.facts.hierarchy.mixed:
                return []
            found.append(cls)
            cls = next((b for b in fact.bases if b not in PLAIN_BASES), "builtins.object")
        return found

    def method(self, cls: str, name: str, after: str = "") -> Method | None:
        """The method that an object of exactly this class has; `after`: the class whose `super()` looks it up."""
        line = self.line(cls)
        if name in self.stored and name != "__init__":
            return None  # an attribute of the object may hide it
        if after:
            line = line[line.index(after) + 1 :] if after in line else []
        owner = next((c for c in line if name in self.facts.classes[c].methods), None)
        node = self.nodes.get(owner or "")
        if owner is None or node is None:
            return None
        bound = [n for n in self.module.source.among(node.body, cst.FunctionDef) if n.name.value == name]
        if len(bound) != 1 or self.module.source.parents[bound[0]] is not node.body or bound[0].asynchronous is not None:
            return None
        kinds = {(): "method", ("builtins.staticmethod",): "static", ("builtins.property",): "property"}
        kind = kinds.get(self._wrapping(bound[0]))
        return None if kind is None else Method(name, owner, kind, bound[0])

    def _wrapping(self, method: cst.FunctionDef) -> tuple[str, ...]:
        """The decorators of a method that may return another function."""
        pairs = zip(decorators(method, self.module.scopes), applied(method, self.module.source, self.module.scopes), strict=True)
        return tuple(written for written, name in pairs if self.facts.effect(name) not in UNWRAPPED)

    def _plain(self, line: list[str]) -> bool:
        for cls in line:
            if CUSTOM & self.facts.classes[cls].methods.keys():
                return False
            node = self.nodes.get(cls)
            if node is None:
                continue
            qualname = self.module.scopes.qualname
            for decorator in applied(node, self.module.source, self.module.scopes):
                if decorator.removesuffix("()") not in OF_CLASSES:  # others may replace methods
                    return False
            if any(k.keyword is not None and qualname(k.value) not in METACLASSES for k in node.keywords):
                return False
        return True

    def _position(self, cls: str) -> tuple[int, str]:
        node = self.nodes.get(cls)
        return (self.module.source.spans[node][0] if node is not None else -1, cls)


@dataclass(frozen=True, slots=True)
class Concrete:
    """An object whose class is known exactly."""

    classes: Classes
    cls: str

    def method(self, name: str, after: str = "") -> Method | None:
        return self.classes.method(self.cls, name, after)

    def is_number(self, attribute: str) -> bool:
        """Whether an attribute is a Python number, which `op=` does not change in place."""
        return self.classes.facts.classes[self.cls].attrs.get(attribute, UNKNOWN).kind is Kind.SCALAR
