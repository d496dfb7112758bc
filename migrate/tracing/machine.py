"""The state of the abstract interpreter, and what its parts share: names, events, random keys, branches."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from ...rules.core.lint_rules import Check, Edit
from ...rules.facts.trace_events import Capture, KeyUse, Mutation, Reference, Test, Use, Where
from ...rules.facts.traced_values import (
    ABSTRACT,
    ANYTHING,
    ARRAY,
    CONTAINERS,
    DICT,
    EXTERNAL,
    HOST,
    INSTANCE,
    LINEAR,
    LIST,
    MAYBE,
    MODULE,
    MUTABLE,
    NONE,
    NUMBER,
    PLAIN,
    STATIC,
    TREE,
    TUPLE,
    UNKNOWN,
    Traced,
    joined,
)
from .program import ClassInfo, File, Frame, Scope, Trace
from .queries import names_in, only_described

MOST_CALLS = 4_000  # interpreted calls in one file: a limit for code that calls itself through many others
MOST_DEPTH = 10
LARGE = 1_000_000  # elements of an array that should not be a constant of compiled code
BUILTINS = frozenset(dir(builtins))
KEPT_NAMES = {"jax.tree_util.Partial": "functools.partial", "jax.util.partial": "functools.partial"} | {
    f"flax.{module}.{name}": f"jax.nn.{name}" for module in ("linen", "nnx") for name in ("softmax", "sigmoid")
}

UNISON = "unison"
ANNOTATED = "annotated"  # the name of a value that an annotation calls an array
TRACED_ARRAYS = "traced arrays"  # the name of an argument whose arrays are tracers, and which may hold other things
REFERENCE = "reference"  # the name of an argument that a kernel changes in place
UNREGISTERED = "unregistered"  # the name of an object whose class is no pytree
Snapshot = tuple[dict[str, Traced], dict[object, tuple[int, int]], dict[str, int]]


def lifted(value: Traced, strength: int, level: int) -> Traced:
    """A value as a transformation passes it on: with tracers for its numbers and arrays."""
    if value.kind in CONTAINERS and value.items is not None:
        return value._replace(items=tuple(lifted(item, strength, level) for item in value.items), level=level)
    if value.kind in (ARRAY, TREE):
        tracer = max(value.tracer, strength) if value.tracer != MAYBE else strength
        return value._replace(tracer=tracer, level=level, constant=None)
    if value.kind in (NUMBER, HOST):
        return Traced(ARRAY, strength, level=level)
    if value.kind in CONTAINERS or value.kind == UNKNOWN:
        return Traced(TREE, strength, level=level, identity=value.identity)
    if value.kind == INSTANCE:
        if value.items is not None:
            return value._replace(items=tuple(lifted(item, strength, level) for item in value.items), level=level)
        return value._replace(level=level, tracer=max(value.tracer, strength) if value.name != UNREGISTERED else value.tracer)
    return value


def settled(value: Traced, strength: int, level: int) -> Traced:
    """A result of a transformed function, outside of the transformation."""
    if value.items is not None:
        return value._replace(items=tuple(settled(item, strength, level) for item in value.items), level=level, identity=None)
    if value.kind in (ARRAY, TREE):
        return value._replace(tracer=strength, level=level, identity=None)
    if value.kind in (NUMBER, HOST):
        return Traced(ARRAY, strength, level=level)
    if value.kind in CONTAINERS:
        return Traced(TREE, strength, level=level)
    return value if value.kind == NONE else ANYTHING


class Machine:
    """What one analysis knows. The subclasses add the interpretation of expressions, calls and statements."""

    def __init__(
        self,
        files: dict[str, File],
        checks: Mapping[type, Sequence[Check]],
        find: Callable[[str], File | None],
    ):
        """`find`: a file that is imported, by its name, if it is not among the `files`."""
        self.files, self.checks, self.find = files, checks, find
        self.precise = any(b"x64" in file.text or b"X64" in file.text for file in files.values())
        self.found: dict[tuple[str, int, int, str], tuple[ast.AST, str, str, Edit]] = {}
        self.codes: dict[object, str] = {}
        self.target: tuple[int, ...] = ()  # the version of JAX
        self.number_types: dict[tuple[ast.AST, str], tuple[str, int]] = {}  # types that compiled code got, with the line
        self.counter = 0
        self.calls = 0
        self.seen: set[ast.AST] = set()
        self.memo: dict[Any, Any] = {}
        self.active: list[ast.AST] = []
        self.made_anew: dict[
            ast.AST, tuple[int, frozenset[str]]
        ] = {}  # functions that compile a new one in each call: the line, and what they compile
        self.broken: dict[tuple[str, str], str] = {}  # files with the rules that failed in them, and the exceptions
        self.defining: Frame | None = None  # what a decorator transforms is interpreted with the rest of this frame
        self.derivatives: dict[ast.AST, tuple[Traced, ...]] = {}  # of functions that define their own
        self.collected: set[ast.AST] = set()  # the elements of comprehensions
        self.networks: dict[str, dict[ast.AST, Traced]] = {}  # the functions of networks that states keep, by file
        self.network_calls: list[tuple[File, Callable[[], None]]] = []  # what follows from calls of them

    # ---- what subclasses add

    def evaluate(self, node: ast.expr, frame: Frame) -> Traced:
        raise NotImplementedError

    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> bool:
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Traced, frame: Frame) -> None:
        raise NotImplementedError

    def call(self, node: ast.Call, frame: Frame) -> Traced:
        raise NotImplementedError

    def apply(
        self, function: Traced, args: Sequence[Traced], keywords: Mapping[str, Traced], open_: bool, trace: Trace, frame: Frame
    ) -> Traced:
        raise NotImplementedError

    def module_scope(self, name: str) -> File | None:
        raise NotImplementedError

    # ---- events

    def where(self, frame: Frame) -> Where:
        trace = frame.trace
        return Where(
            trace.name,
            trace.staged,
            trace.level,
            trace.repeated,
            bool(frame.loops),
            trace.differentiated,
            frame.name,
            frame.caught,
            frame.looped,
            self.precise,
            frame.direct,
            frame.changing(),
            frame.file.tests,
        )

    def emit(self, kind: type[Any], frame: Frame, *parts: Any, **named: Any) -> None:
        """Give an event to the rules. A rule that fails is not asked again in this file: the others go on."""
        if kind not in self.checks or frame.caught:
            return
        event = kind(*parts, where=self.where(frame), **named)
        for check in self.checks[kind]:
            if self.broken and (frame.file.path, self.codes[check]) in self.broken:
                continue
            try:
                for node, message, *edits in check(event):
                    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
                    edit = edits[0] if edits else ()
                    self.found.setdefault((frame.file.path, line, column, self.codes[check]), (node, message, frame.name, edit))
            except Exception as error:
                self.broken[frame.file.path, self.codes[check]] = type(error).__name__

    def test(self, node: ast.AST, value: Traced, form: str, frame: Frame) -> None:
        if value.kind == UNKNOWN and isinstance(node, ast.BoolOp) and isinstance(value.what, Traced):
            node, value = node.values[-1], value.what  # the others are true, or false: it decides
        if value.kind in (ARRAY, TREE) and value.tracer >= LINEAR:
            self.emit(Test, frame, node, value, form)
        elif value.kind in (ARRAY, TREE):
            frame.running = 0  # it waits for the result

    def mutate(
        self,
        node: ast.AST,
        base: Traced,
        how: str,
        value: Traced,
        frame: Frame,
        name: str = "",
        statement: ast.stmt | None = None,
    ) -> None:
        self.emit(Mutation, frame, node, base, how, value, name=name, statement=statement)

    # ---- names

    def external(self, node: ast.AST, name: str, frame: Frame) -> Traced:
        """A name of a library, which the rules for old names see."""
        if name.startswith("jax"):
            self.emit(Reference, frame, node, name, target=self.target)
        return Traced(EXTERNAL, STATIC, KEPT_NAMES.get(name, name))

    def lookup(self, node: ast.Name, frame: Frame) -> Traced:
        name = node.id
        if name in frame.donated and not self.described(node, frame):
            self.emit(Use, frame, node, name, frame.donated[name])
        scope = frame.scope.find(name)
        if scope is not None:
            value = scope.variables[name]
            if value.elements >= LARGE and scope.level < frame.trace.compiled and not self.described(node, frame):
                self.emit(Capture, frame, node, name, value.elements)
            return value
        if name in BUILTINS:
            return Traced(EXTERNAL, STATIC, name)
        return ANYTHING

    def described(self, node: ast.Name, frame: Frame) -> bool:
        return frame.statement is not None and only_described(frame.statement, node)

    def attribute_of_module(self, file: File, name: str) -> Traced:
        if name in file.scope.variables:
            return file.scope.variables[name]
        inner = self.module_scope(f"{file.module}.{name}")
        return Traced(MODULE, STATIC, what=inner) if inner is not None else ANYTHING

    def bind(self, name: str, value: Traced, frame: Frame) -> None:
        frame.donated.pop(name, None)
        scope = frame.scope
        form = scope.declared.get(name)
        if form:
            at: Scope | None = scope.parent
            while at is not None and not (at.is_module if form == "global" else name in at.variables):
                at = at.parent
            scope = at or scope
            value = joined(value, scope.variables[name]) if name in scope.variables else ANYTHING
        scope.variables[name] = value

    # ---- branches

    def snapshot(self, frame: Frame) -> Snapshot:
        return dict(frame.scope.variables), dict(frame.used), dict(frame.donated)

    def restore(self, frame: Frame, state: Snapshot) -> None:
        frame.scope.variables.clear()
        frame.scope.variables.update(state[0])
        frame.used, frame.donated = dict(state[1]), dict(state[2])

    def merge(self, frame: Frame, other: Snapshot) -> None:
        """Join the state of another path into the present one."""
        variables = frame.scope.variables
        for name, value in other[0].items():
            mine = variables.get(name)
            if mine is not value:
                variables[name] = joined(mine, value) if mine is not None else value
        frame.used = {**other[1], **frame.used}
        frame.donated = {name: line for name, line in frame.donated.items() if name in other[2]}

    # ---- tracers

    def strength(self, frame: Frame, operands: Sequence[Traced]) -> int:
        """How certainly the result of an operation of JAX is a tracer."""
        if frame.trace.staged:
            return ABSTRACT
        found = STATIC
        for operand in operands:
            inner = self.tracer_in(operand)
            if inner >= LINEAR:
                found = max(found, inner)
            elif inner == MAYBE and found == STATIC:
                found = MAYBE
        return found

    def operator_strength(self, frame: Frame, operands: Sequence[Traced]) -> int:
        """The same for an operator. One on what only an annotation calls an array may be an operation of Python, on numbers."""
        arrays = [operand for operand in operands if operand.kind in (ARRAY, TREE)]
        if arrays and all(each.kind == ARRAY and each.tracer == MAYBE and each.name == ANNOTATED for each in arrays):
            return MAYBE
        return self.strength(frame, operands)

    def tracer_in(self, value: Traced) -> int:
        if value.kind in (TUPLE, LIST, DICT) and value.items is not None:
            inner = [self.tracer_in(item) for item in value.items]
            certain = [each for each in inner if each >= LINEAR]
            return max(certain) if certain else MAYBE if MAYBE in inner else STATIC
        return value.tracer

    # ---- random keys

    def fresh(self) -> int:
        self.counter += 1
        return self.counter

    def consume(self, identity: object, node: ast.AST, frame: Frame, *, unison: bool = False) -> None:
        """A random key is used up. `unison`: by a function that gets one key for several arrays, on purpose."""
        if identity is None:
            return
        place = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        first = frame.used.get(identity)
        if first is None and not unison:
            first = frame.used.get((identity, UNISON))
        if unison and frame.turn is not None and frame.turn.counted and not names_in(node) & frame.turn.targets:
            first = first or frame.used.get((identity, UNISON))  # a loop that counts does not run over several arrays
        if first is not None:
            form = "loop" if first == place and frame.loops else "again"
            if first != place or (frame.loops and not frame.guarded):
                self.emit(KeyUse, frame, node, form, first[0])
        else:
            frame.used[(identity, UNISON) if unison else identity] = place

    def draws_from(self, key: Traced, node: ast.Call, frame: Frame) -> None:
        start = frame.turn.start if frame.turn is not None else frame.scope.start
        made = key.constant == "seed" and self.origin(key.identity) > start
        if key.name == "key" and (made or key.constant == "default"):
            self.seeded(node, node.lineno, frame, [*node.args[1:], *(keyword.value for keyword in node.keywords)])

    def seeded(self, node: ast.Call, line: int, frame: Frame, given: Sequence[ast.expr] = ()) -> None:
        """A draw, or a call that draws, from a key made of a constant: in a loop that counts, each iteration draws the same.
        `given`: what a draw gets besides its key."""
        turn = frame.turn
        if turn is None:
            frame.seeded = frame.seeded or line
        elif (
            turn.counted
            and not turn.tested
            and not frame.trace.level
            and not (
                any(names_in(each) & frame.looped for each in given) if line == node.lineno else names_in(node) & frame.looped
            )
        ):
            self.emit(KeyUse, frame, node, "seeded", line)

    def origin(self, identity: object) -> int:
        """The number of the key that a key was taken from."""
        while isinstance(identity, tuple):
            identity = identity[0]
        return identity if isinstance(identity, int) else 0

    def changes(self, node: ast.expr, frame: Frame, element: Traced | None = None, *, traced: bool = False) -> None:
        """The container that an expression names changes: its elements are no longer known. `traced`: the new ones are tracers."""
        root = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if root is not node:
            frame.attributes.clear()
        scope = frame.scope.find(root.id) if isinstance(root, ast.Name) else None
        if scope is None or not isinstance(root, ast.Name):
            return
        scope.changed.add(root.id)
        value = scope.variables[root.id]
        if value.kind in MUTABLE and root is node:
            scope.variables[root.id] = value._replace(items=None, keys=(), what=element, tracer=MAYBE)
        elif value.kind in (TREE, UNKNOWN):
            tracer = value.tracer if traced or value.tracer == STATIC else MAYBE
            scope.variables[root.id] = value._replace(identity=self.fresh(), tracer=tracer)

    def forget_parts(self, values: Sequence[Traced], frame: Frame) -> None:
        """Dicts are passed to a function, which may renew the keys in them."""
        given = {value.identity for value in values if value.identity is not None}
        if given:
            frame.used = {each: place for each, place in frame.used.items() if not named_part(each, given)}

    def is_pytree(self, cls: ClassInfo) -> bool:
        """Whether a class may be registered as a pytree."""
        bases = cls.every_base() - {"object", "abc.ABC", "typing.Generic", "typing.Protocol", "Exception"}
        decorators = frozenset().union(*(each.decorators for each in cls.lineage())) - {"dataclasses.dataclass"}
        named = any(each.name in each.file.registered for each in cls.lineage())
        return bool(bases or decorators or named or any(each.node.keywords for each in cls.lineage()))

    def inner_trace(self, frame: Frame, name: str, transform: Any) -> Trace:
        return frame.trace.inside(name, transform, self.counter)


def named_part(identity: object, given: set[Hashable]) -> bool:
    """Whether a key was taken from one of the dicts in `given` by its name."""
    while isinstance(identity, tuple):
        identity, part = identity
        if isinstance(part, str) and part != UNISON and identity in given:
            return True
    return False


def known_none(value: Traced) -> bool | None:
    """Whether a value is None, if that is certain."""
    if value.kind == NONE:
        return True
    if value.kind in (ARRAY, NUMBER, TUPLE, LIST, DICT, HOST):
        return False
    return None


__all__ = ["HOST", "PLAIN", "Machine", "known_none", "lifted", "settled"]
