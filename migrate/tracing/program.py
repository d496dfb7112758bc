"""The files of a JAX program: their syntax, and what their functions, classes and scopes are."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...rules.facts.traced_values import Traced
from ...rules.jax_table.transforms import Transform

STRUCT, CHANGEABLE = "flax.struct.dataclass", "flax.struct.dataclass(frozen=False)"
FROZEN = frozenset("NamedTuple typing.NamedTuple equinox.Module flax.struct.PyTreeNode".split())
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def parameters(node: FunctionNode) -> list[ast.arg]:
    """The parameters that can be given by position, then those by keyword only; without `*args` and `**kwargs`."""
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


@dataclass(slots=True, eq=False)
class Scope:
    """The variables of a module, a class or a function. `level`: how many transformations surround it."""

    variables: dict[str, Traced]
    parent: Scope | None = None
    level: int = 0
    is_class: bool = False
    is_module: bool = False
    declared: dict[str, str] = field(default_factory=dict)  # name -> global or nonlocal
    start: int = 0  # random keys with a smaller number come from outside of the function
    changed: set[str] = field(default_factory=set)  # variables whose containers change in place

    def find(self, name: str) -> Scope | None:
        """The scope that a name refers to. Names of a class are not seen from the functions in it."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            if name in scope.variables and (first or not scope.is_class):
                return scope
            scope, first = scope.parent, False
        return None


@dataclass(slots=True, eq=False)
class File:
    """One file. `bound`: every name that it binds anywhere at its top level."""

    path: str
    module: str
    package: str
    tree: ast.Module
    scope: Scope
    started: bool = False
    text: bytes = b""
    tests: bool = False
    is_imported: bool = False  # only what others call of it is interpreted
    registered: frozenset[str] = frozenset()  # classes that it names in calls such as `register_pytree_node(C, ...)`
    siblings: Mapping[str, str] = field(default_factory=dict)  # names under which it imports others, and those in the project

    def absolute(self, name: str) -> str:
        """The project's name for a module that is imported as `name`."""
        top, dot, rest = name.partition(".")
        return f"{self.siblings[top]}{dot}{rest}" if top in self.siblings else name


class FunctionInfo(NamedTuple):
    """One `def` or `lambda`. `owner`: the class that it is a method of."""

    node: FunctionNode
    name: str
    file: File
    owner: ClassInfo | None = None
    is_static: bool = False
    own_derivative: bool = False  # JAX does not differentiate its code


@dataclass(slots=True, eq=False)
class ClassInfo:
    """A class of the project. `external`: the dotted names of its bases outside of the project; "?" for an unknown one."""

    name: str
    node: ast.ClassDef
    file: File
    scope: Scope
    bases: Sequence[ClassInfo]
    external: frozenset[str]
    decorators: frozenset[str]
    made: dict[str, Traced] = field(default_factory=dict)  # attributes that `__init__` alone binds: functions and containers

    def lineage(self) -> list[ClassInfo]:
        found: list[ClassInfo] = [self]
        for base in found:
            found += [each for each in base.bases if each not in found]
        return found

    def every_base(self) -> frozenset[str]:
        return frozenset().union(*(each.external for each in self.lineage()))

    def fields(self) -> dict[str, ast.AnnAssign]:
        """The annotated fields, with those of the bases."""
        return {
            statement.target.id: statement
            for each in reversed(self.lineage())
            for statement in each.node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        }

    def unhashable(self) -> bool:
        """Whether it is a data class that compares its fields, and so has no hash."""
        if "dataclasses.dataclass" not in self.decorators or self.method("__hash__") is not None:
            return False
        calls = [each for each in self.node.decorator_list if isinstance(each, ast.Call)]
        options = {word.arg: getattr(word.value, "value", None) for call in calls for word in call.keywords}
        return not options.get("frozen") and not options.get("unsafe_hash") and options.get("eq", True) is True

    def frozen(self) -> bool:
        """Whether the attributes of its objects cannot be assigned, but in its constructor."""
        options = {"dataclasses.dataclass", "chex.dataclass"}
        if self.method("__setattr__") is not None:
            return False
        for each in self.lineage():
            calls = [call for call in each.node.decorator_list if isinstance(call, ast.Call)]
            given = {word.arg: getattr(word.value, "value", None) for call in calls for word in call.keywords}
            if each.decorators & options and given.get("frozen") is True:
                return True
        decorators = frozenset().union(*(each.decorators for each in self.lineage()))
        return bool(self.every_base() & FROZEN or (STRUCT in decorators and CHANGEABLE not in decorators))

    def method(self, name: str) -> tuple[Traced, ClassInfo] | None:
        for each in self.lineage():
            if name in each.scope.variables:
                return each.scope.variables[name], each
        return None


class Closure(NamedTuple):
    """A function with the variables that it sees, and the arguments that `partial` or an object has bound."""

    info: FunctionInfo
    scope: Scope
    defaults: Mapping[str, Traced]
    args: tuple[Traced, ...] = ()
    keywords: tuple[tuple[str, Traced], ...] = ()

    def __hash__(self) -> int:
        return hash((id(self.info.node), id(self.scope), len(self.args)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Closure):
            return NotImplemented
        same = self.info.node is other.info.node and self.scope is other.scope
        return same and self.args == other.args and self.keywords == other.keywords

    def __ne__(self, other: object) -> bool:
        return not self == other


def positions(closure: Closure) -> list[str]:
    """The parameters that are given by position: not those that `partial` binds by name."""
    given = closure.info.node.args
    bound = dict(closure.keywords)
    return [parameter.arg for parameter in (*given.posonlyargs, *given.args) if parameter.arg not in bound]


def with_own_derivative(function: Traced) -> Traced:
    """A function after `custom_vjp` or its like."""
    if not isinstance(function.what, Closure):
        return function
    return function._replace(what=function.what._replace(info=function.what.info._replace(own_derivative=True)))


class Transformed(NamedTuple):
    """The result of a transformation. `static`: the names of the static parameters, None if they are not known."""

    transform: Transform
    name: str
    function: Traced
    static: frozenset[str] | None = frozenset()
    positions: frozenset[int] = frozenset()  # of the arguments that `grad` differentiates, or that are passed on as they are
    donated: frozenset[int] = frozenset()
    has_aux: bool = False


class Bound(NamedTuple):
    """`partial` of a library's function."""

    args: tuple[Traced, ...] = ()
    keywords: tuple[tuple[str, Traced], ...] = ()


class Trace(NamedTuple):
    """The transformations that surround a piece of code, the innermost by its name."""

    level: int = 0
    name: str = ""
    staged: bool = False
    batched: bool = False
    repeated: bool = False
    differentiated: bool = False
    mutable: bool = False
    start: int = 0  # random keys with a smaller number come from outside
    compiled: int = 0  # the level of the outermost one that compiles

    def inside(self, name: str, transform: Transform, start: int) -> Trace:
        return Trace(
            self.level + 1,
            name,
            self.staged or transform.stages,
            self.batched or transform.batches,
            transform.repeats,
            self.differentiated or transform.differentiates,
            self.mutable or transform.mutable,
            start,
            self.compiled or (self.level + 1 if transform.compiles else 0),
        )


HOST = Trace()


@dataclass(slots=True, eq=False)
class Turn:
    """One iteration of the innermost loop of Python: the names that it binds, and the expressions whose values it only stores."""

    bound: frozenset[str]
    stored: frozenset[ast.AST] = frozenset()
    called: int = 0  # the line in which it calls compiled code
    tested: bool = False  # below an `if`: not in each iteration
    shows: ast.AST | None = None  # the first call in it that prints an array
    start: int = 0  # random keys with a smaller number come from outside of the loop
    counted: bool = False  # a loop that counts, not one over things that differ
    targets: frozenset[str] = frozenset()  # the variables of the loop


@dataclass(slots=True, eq=False)
class Frame:
    """One run of a function, or of the code of a module."""

    file: File
    scope: Scope
    trace: Trace
    name: str = ""
    owner: ClassInfo | None = None
    loops: tuple[frozenset[str], ...] = ()  # for each loop around: the names that differ from one iteration to the next
    looped: frozenset[str] = frozenset()
    caught: bool = False
    guarded: bool = False  # below a test of a variable of the loop: it may run once
    returned: list[Traced] = field(default_factory=list)
    used: dict[object, tuple[int, int]] = field(default_factory=dict)  # random keys that are used up, with line and column
    donated: dict[str, int] = field(default_factory=dict)  # variables whose arrays were donated, with the line
    direct: bool = False  # a transformation traces this very function, not one that called it
    running: int = 0  # the line in which a compiled function was called that may still run
    turn: Turn | None = None
    statement: ast.stmt | None = None  # the one that runs
    attributes: dict[tuple[str, str], int] = field(
        default_factory=dict
    )  # identities of attributes of objects, until they may change
    seeded: int = 0  # the line of a draw whose key is made from a constant: each call of the function draws the same
    pending: list[Callable[[], object]] = field(default_factory=list)
    depth: int = 0

    def changing(self) -> frozenset[str]:
        """The names that differ from one iteration of the surrounding loops to the next."""
        return self.loops[-1] if self.loops else frozenset()
