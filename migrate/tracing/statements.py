"""Statements: bindings, branches, loops, definitions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ...rules.facts.numbers import ROUNDED, rounds
from ...rules.facts.trace_events import Discarded, Field, Handler, Iteration
from ...rules.facts.traced_values import (
    ANYTHING,
    ARRAY,
    DICT,
    EXTERNAL,
    INSTANCE,
    LIST,
    MAYBE,
    STATIC,
    TREE,
    TUPLE,
    UNKNOWN,
    Traced,
)
from ...rules.jax_table.references import is_reference
from .attributes import CONSTRUCTORS, component
from .conditions import OTHER_VERSIONS, hides_tracing
from .definitions import Definitions
from .operators import RANGE, element, unpacked
from .program import HOST, File, Frame
from .queries import (
    asks_none,
    asks_tracer,
    asks_version,
    assigned,
    binds,
    compiled_branches,
    computed_from,
    continues,
    handler_names,
    is_dotted,
    is_static,
    leaves,
    names_in,
)
from .transfers import entered_test, left_test, turn_of


class Statements(Definitions):
    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> bool:
        """Interpret statements in order. Whether control reaches the end."""
        for statement in body:
            frame.statement = statement
            handler = HANDLERS.get(type(statement))
            if handler is not None and handler(self, statement, frame) is False:
                return False
        return True

    # ---- bindings

    def assign(self, target: ast.expr, value: Traced, frame: Frame) -> None:
        match target:
            case ast.Name(id=name):
                self.rebind(target, name, frame)
                if frame.attributes:
                    frame.attributes = {place: number for place, number in frame.attributes.items() if place[0] != name}
                self.bind(name, value, frame)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self.assign_each(targets, value, frame)
            case ast.Starred(value=inner):
                self.assign(inner, ANYTHING, frame)
            case ast.Attribute(value=inner, attr=name):
                frame.attributes.clear()
                base = self.evaluate(inner, frame)
                self.mutate(target, base, "attribute", value, frame, name)
                if base.kind == UNKNOWN and isinstance(inner, ast.Attribute):
                    self.mutate(target, self.evaluate(inner.value, frame), "part", value, frame, f"{inner.attr}.{name}")
                if base.kind == INSTANCE and frame.name in CONSTRUCTORS and binds(base.what.node, name) == 1:
                    if (kept := component(value)) is not None:
                        base.what.made[name] = kept
            case ast.Subscript(value=inner, slice=index):
                self.assign_item(target, inner, index, value, frame)

    def assign_each(self, targets: list[ast.expr], value: Traced, frame: Frame) -> None:
        starred = next((place for place, each in enumerate(targets) if isinstance(each, ast.Starred)), None)
        if starred is None:
            parts = unpacked(value, len(targets), self.strength(frame, (value,)))
            for target, part in zip(targets, parts, strict=True):
                self.assign(target, part, frame)
            return
        known = value.items if value.kind in (TUPLE, LIST) else None
        after = len(targets) - starred - 1
        for place, target in enumerate(targets):
            part = ANYTHING
            if known is not None and len(known) >= len(targets) - 1:
                if place < starred:
                    part = known[place]
                elif place > starred:
                    part = known[place - len(targets)]
                else:
                    part = Traced(LIST, STATIC, items=known[starred : len(known) - after], level=frame.trace.level)
            elif value.kind == TREE and place != starred:
                part = Traced(TREE, value.tracer, level=value.level)
            self.assign(target.value if isinstance(target, ast.Starred) else target, part, frame)

    def assign_item(self, target: ast.Subscript, inner: ast.expr, index: ast.expr, value: Traced, frame: Frame) -> None:
        base = self.evaluate(inner, frame)
        place = self.index(index, base, frame)
        if base.kind == TREE and base.traced and place.abstract and not (frame.trace.mutable or is_reference(inner)):
            base = Traced(ARRAY, base.tracer, level=base.level)  # no container takes such an index
        own = isinstance(inner, ast.Name) and inner.id in frame.scope.variables and inner.id not in frame.scope.declared
        self.mutate(target, base, "item", value, frame, statement=frame.statement if own else None)
        if base.kind == UNKNOWN and isinstance(inner, ast.Attribute) and value.has_traced:
            self.mutate(target, self.evaluate(inner.value, frame), "part", value, frame, inner.attr)
        name = inner.id if isinstance(inner, ast.Name) else ""
        scope = frame.scope.find(name)
        if scope and base.kind == DICT and base.items is not None and isinstance(place.constant, str):
            pairs = dict(zip(base.keys, base.items, strict=True)) | {place.constant: value}
            scope.changed.add(name)
            scope.variables[name] = base._replace(keys=tuple(pairs), items=tuple(pairs.values()), identity=None)
        else:
            self.changes(inner, frame, traced=value.has_traced or isinstance(frame.statement, ast.AugAssign))

    def assignment(self, node: ast.Assign, frame: Frame) -> None:
        value = self.evaluate(node.value, frame)
        if value.kind == ARRAY and not value.name and rounds(node.value):
            value = value._replace(name=ROUNDED)
        for target in node.targets:
            self.assign(target, value, frame)

    def annotated_assignment(self, node: ast.AnnAssign, frame: Frame) -> None:
        value = ANYTHING if node.value is None else self.evaluate(node.value, frame)
        if value.kind == UNKNOWN and value.tracer == MAYBE and self.is_array_annotation(node.annotation, frame):
            value = Traced(ARRAY, MAYBE)
        if frame.scope.is_class:
            name = ""
            static = False
            if isinstance(node.value, ast.Call):
                function = self.evaluate(node.value.func, frame)
                name = function.name if function.kind == EXTERNAL else ""
                static = any(is_static(keyword) for keyword in node.value.keywords)
            array = Traced(ARRAY, MAYBE) if self.is_array_annotation(node.annotation, frame) else ANYTHING
            self.emit(Field, frame, node, array, name, static)
            if node.value is None or name:
                return
        if node.value is not None:
            self.assign(node.target, value, frame)

    def augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        value = self.evaluate(node.value, frame)
        if isinstance(node.target, ast.Name):
            before = self.lookup(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target), frame)
            if before.kind == LIST:
                self.mutate(node, before, "+=", value, frame)
                self.changes(node.target, frame)
                return
            self.assign(node.target, self.operated(node, node.op, before, value, frame), frame)
        elif isinstance(node.target, ast.Subscript):
            self.assign_item(node.target, node.target.value, node.target.slice, value, frame)
        else:
            self.assign(node.target, ANYTHING, frame)

    def deletion(self, node: ast.Delete, frame: Frame) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self.mutate(target, self.evaluate(target.value, frame), "delete", ANYTHING, frame)
                self.changes(target.value, frame)
            elif isinstance(target, ast.Name):
                frame.scope.variables.pop(target.id, None)
                frame.donated.pop(target.id, None)

    def expression(self, node: ast.Expr, frame: Frame) -> None:
        used = dict(frame.used)
        value = self.evaluate(node.value, frame)
        if value.name == "keys":
            frame.used = used  # nothing can draw from these keys
        if isinstance(node.value, ast.Call):
            called, base = "", ANYTHING
            if isinstance(node.value.func, ast.Attribute) and is_dotted(node.value.func):
                base = self.evaluate(node.value.func.value, frame)
                called = f"{base.name}.{node.value.func.attr}" if base.kind == EXTERNAL else ""
            elif isinstance(node.value.func, ast.Name):
                called = self.evaluate(node.value.func, frame).name
            self.emit(Discarded, frame, node.value, value, value.name, called=called, base=base)

    def declaration(self, node: ast.Global | ast.Nonlocal, frame: Frame) -> None:
        for name in node.names:
            frame.scope.declared[name] = "global" if isinstance(node, ast.Global) else "nonlocal"

    # ---- branches and loops

    def branch(self, node: ast.If, frame: Frame) -> bool:
        value = self.evaluate(node.test, frame)
        self.test(node.test, value, "if", frame)
        known = self.truth(node.test, frame)
        if known is not None:
            return self.execute(node.body if known else node.orelse, frame)
        kept, before_caught = self.narrow(node.test, frame), frame.caught
        before, caught, guarded = self.snapshot(frame), frame.caught, frame.guarded
        tested = entered_test(frame)
        if frame.loops and names_in(node.test) & frame.looped:
            frame.guarded = True
        if asks_version(node.test):
            caught = True
        one, other = compiled_branches(node.body), compiled_branches(node.orelse)
        missing = asks_none(node.test) if frame.trace.level else None  # in traced code, what may be None is most often given
        frame.caught = caught or (other and not one) or missing is True  # the code chooses between Python and `lax` itself
        first = self.execute(node.body, frame)
        after = self.snapshot(frame)
        self.restore(frame, before)
        frame.caught = caught or (one and not other) or missing is False
        second = self.execute(node.orelse, frame)
        frame.caught, frame.guarded = before_caught, guarded
        left_test(frame, tested)
        if second and not first and asks_tracer(node.test):
            frame.caught = True  # what follows does not run for tracers
        if first and second:
            self.merge(frame, after)
        elif first:
            self.restore(frame, after)
        if not kept or not (first and second):
            return first or second
        return True

    def loop(self, node: ast.For, frame: Frame) -> None:
        iterable = self.evaluate(node.iter, frame)
        count = self.length(iterable)
        self.emit(Iteration, frame, node.iter, iterable, count, tuple(node.body), targets=names_in(node.target))
        before, looped, around = self.snapshot(frame), frame.looped, frame.turn
        frame.loops += (computed_from(node.body, frame.changing() | names_in(node.target)),)
        frame.turn = turn_of(self, node.body, names_in(node.target), counted=iterable.kind == RANGE)
        frame.looped |= names_in(node.target) | assigned(node.body)
        item = element(iterable, self.strength(frame, (iterable,)))
        for turn in range(1 if count == 1 else 2):
            self.assign(node.target, item, frame)
            falls = self.execute(node.body, frame)
            if not turn and not falls and leaves(node.body):
                break
            if not falls:
                self.restore_missing(frame, before)
                if not turn and not continues(node.body):
                    break
        frame.loops = frame.loops[:-1]
        frame.looped, frame.turn = looped, around
        self.merge(frame, before)
        self.execute(node.orelse, frame)

    def restore_missing(self, frame: Frame, before: Any) -> None:
        for name, value in before[0].items():
            frame.scope.variables.setdefault(name, value)

    def while_loop(self, node: ast.While, frame: Frame) -> bool:
        before, looped, around = self.snapshot(frame), frame.looped, frame.turn
        frame.loops += (computed_from(node.body, frame.changing()),)
        frame.turn = turn_of(self, node.body, frozenset(), counted=True)
        frame.looped |= assigned(node.body)
        for _turn in range(2):
            self.test(node.test, self.evaluate(node.test, frame), "while", frame)
            if not self.execute(node.body, frame):
                break
        frame.loops = frame.loops[:-1]
        frame.looped, frame.turn = looped, around
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value) and not leaves(node.body)
        self.merge(frame, before)
        self.execute(node.orelse, frame)
        return not endless

    def context(self, node: ast.With, frame: Frame) -> bool:
        trace, caught = frame.trace, frame.caught
        for item in node.items:
            value = self.evaluate(item.context_expr, frame)
            called = ast.unparse(item.context_expr.func) if isinstance(item.context_expr, ast.Call) else ""
            if called.endswith(("ensure_compile_time_eval", "disable_jit", "eval_context")):
                frame.trace = trace._replace(staged=False)
                frame.caught = True
            if called.endswith(("raises", "assertRaises", "assertRaisesRegex", "suppress", "assertWarns", "warns")):
                frame.caught = True
            if item.optional_vars is not None:
                self.assign(item.optional_vars, ANYTHING if value.kind != ARRAY else value, frame)
        falls = self.execute(node.body, frame) or (frame.caught and not caught)
        frame.trace, frame.caught = trace, caught
        self.imported_within(node, frame)
        return falls

    def attempt(self, node: ast.Try, frame: Frame) -> bool:
        caught, before = frame.caught, self.snapshot(frame)
        names = [handler_names(handler) for handler in node.handlers]
        frame.caught = caught or any(hides_tracing(each, frame) for each in names)
        falls = self.execute(node.body, frame)
        frame.caught = caught
        for handler, each in zip(node.handlers, names, strict=True):
            self.emit(Handler, frame, handler, tuple(each))
        falls = falls and self.execute(node.orelse, frame)
        states = [self.snapshot(frame)] if falls else []
        after = self.snapshot(frame)
        for handler, each in zip(node.handlers, names, strict=True):
            self.restore(frame, before)
            self.merge(frame, after)
            if handler.name:
                frame.scope.variables[handler.name] = Traced(UNKNOWN, STATIC)
            frame.caught = caught or bool(OTHER_VERSIONS & {*each})  # it imports other names
            if self.execute(handler.body, frame):
                states.append(self.snapshot(frame))
            frame.caught = caught
        if states:
            self.restore(frame, states[0])
            for state in states[1:]:
                self.merge(frame, state)
        ends = self.execute(node.finalbody, frame)
        return bool(states) and ends

    def match(self, node: ast.Match, frame: Frame) -> None:
        subject = self.evaluate(node.subject, frame)
        before, states = self.snapshot(frame), []
        for case in node.cases:
            self.restore(frame, before)
            self.matched(case.pattern, subject, frame)
            if case.guard is not None:
                self.test(case.guard, self.evaluate(case.guard, frame), "if", frame)
            if self.execute(case.body, frame):
                states.append(self.snapshot(frame))
        self.restore(frame, before)
        for state in states:
            self.merge(frame, state)

    def assertion(self, node: ast.Assert, frame: Frame) -> None:
        self.test(node.test, self.evaluate(node.test, frame), "assert", frame)

    def result(self, node: ast.Return, frame: Frame) -> bool:
        frame.returned.append(Traced("none", STATIC) if node.value is None else self.evaluate(node.value, frame))
        return False

    def error(self, node: ast.Raise, frame: Frame) -> bool:
        if node.exc is not None:
            caught, frame.caught = frame.caught, True
            self.evaluate(node.exc, frame)
            frame.caught = caught
        return False

    def stop(self, node: ast.stmt, frame: Frame) -> bool:
        return False

    # ---- files

    def module_scope(self, name: str) -> File | None:
        file = self.files.get(name)
        if file is None and (file := self.find(name)) is not None:
            self.files[name] = file
        if file is not None:
            self.start(file)
        return file

    def start(self, file: File) -> None:
        """Interpret the code of a file, once, and the functions that it defines."""
        if file.started:
            return
        file.started = True
        frame = Frame(file, file.scope, HOST)
        self.execute(file.tree.body, frame)
        if not file.is_imported:
            self.finish_later.append(frame)

    finish_later: list[Frame]

    def run_file(self, file: File) -> None:
        """Interpret a file whole."""
        self.start(file)
        while self.finish_later:
            self.calls = 0
            self.finish(self.finish_later.pop())


HANDLERS: dict[type[ast.stmt], Callable[[Any, Any, Frame], bool | None]] = {
    ast.Assign: Statements.assignment,
    ast.AnnAssign: Statements.annotated_assignment,
    ast.AugAssign: Statements.augmented,
    ast.Delete: Statements.deletion,
    ast.Expr: Statements.expression,
    ast.Global: Statements.declaration,
    ast.Nonlocal: Statements.declaration,
    ast.Import: Statements.imports,
    ast.ImportFrom: Statements.from_imports,
    ast.If: Statements.branch,
    ast.For: Statements.loop,
    ast.AsyncFor: Statements.loop,
    ast.While: Statements.while_loop,
    ast.With: Statements.context,
    ast.AsyncWith: Statements.context,
    ast.Try: Statements.attempt,
    ast.TryStar: Statements.attempt,
    ast.Match: Statements.match,
    ast.Assert: Statements.assertion,
    ast.Return: Statements.result,
    ast.Raise: Statements.error,
    ast.Break: Statements.stop,
    ast.Continue: Statements.stop,
    ast.FunctionDef: Statements.definition,
    ast.AsyncFunctionDef: Statements.definition,
    ast.ClassDef: Statements.class_definition,
}
