"""Definitions: functions with their decorators, classes, imports."""

from __future__ import annotations

import ast
from typing import Any

from ...rules.facts.trace_events import Definition, Rebinding
from ...rules.facts.traced_values import (
    ABSTRACT,
    ANYTHING,
    CLASS,
    EXTERNAL,
    FUNCTION,
    MODULE,
    STATIC,
    TRANSFORMED,
    TREE,
    UNKNOWN,
    Traced,
)
from ...rules.jax_table.called_functions import INPUTS
from ...rules.jax_table.transforms import Transform
from .calls import Calls
from .program import CHANGEABLE, STRUCT, Bound, ClassInfo, Frame, Scope

MANAGERS = ("contextlib.", "warnings.", "unittest.", "pytest.", "jax.")  # context managers that leave imports as they are
COMPACT = Transform(batches=True)


class Definitions(Calls):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.classes: dict[int, ClassInfo] = {}

    def rebind(self, node: ast.AST, name: str, frame: Frame) -> None:
        form = frame.scope.declared.get(name)
        if form is None:
            return
        scope: Scope | None = frame.scope.parent
        while scope is not None and not (scope.is_module if form == "global" else name in scope.variables):
            scope = scope.parent
        self.emit(Rebinding, frame, node, name, form, scope.level if scope else 0)

    def imports(self, node: ast.Import, frame: Frame) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            value = self.module_value(node, alias.name if alias.asname else name, frame)
            if not alias.asname and value.kind == EXTERNAL:
                self.imported(node, alias.name, frame)
            before = frame.scope.variables.get(name, value) if frame.scope.is_module else value
            known = before == value or before.kind not in (EXTERNAL, UNKNOWN)
            self.bind(name, value if known else ANYTHING, frame)  # functions see one module or another, as they are called

    def from_imports(self, node: ast.ImportFrom, frame: Frame) -> None:
        name = node.module or ""
        if node.level:
            parts = frame.file.package.split(".") if frame.file.package else []
            parts = parts[: len(parts) - node.level + 1]
            name = ".".join([*parts, *([name] if name else [])])
        known = name if node.level else frame.file.absolute(name)
        inner = self.module_scope(known)
        if inner is None and not node.level:
            self.imported(node, name, frame)
        for alias in node.names:
            if alias.name == "*":
                if inner is not None:
                    for key, value in inner.scope.variables.items():
                        frame.scope.variables.setdefault(key, value)
                continue
            if inner is not None:
                value = self.attribute_of_module(inner, alias.name)
            elif (file := self.module_scope(f"{known}.{alias.name}")) is not None:
                value = Traced(MODULE, STATIC, what=file)
            elif node.level:
                value = ANYTHING
            else:
                value = self.external(alias, f"{name}.{alias.name}", frame)
            self.bind(alias.asname or alias.name, value, frame)

    def imported_within(self, node: ast.With, frame: Frame) -> None:
        """A context manager around imports may give other objects for what they name, unless it is one that is known."""
        imports = [alias for each in node.body if isinstance(each, ast.Import | ast.ImportFrom) for alias in each.names]
        if imports and not all(self.leaves_imports(item.context_expr, frame) for item in node.items):
            for alias in imports:
                self.bind(alias.asname or alias.name.partition(".")[0], ANYTHING, frame)

    def leaves_imports(self, manager: ast.expr, frame: Frame) -> bool:
        function = manager.func if isinstance(manager, ast.Call) else manager
        if "lazy" in ast.unparse(function):
            return True  # the same module, later
        value = self.evaluate(function, frame)
        return value.kind == EXTERNAL and value.name.startswith(MANAGERS)

    def imported(self, node: ast.AST, name: str, frame: Frame) -> None:
        """An import of a module runs those that it is part of."""
        parts = name.split(".")
        for count in range(2, len(parts) + 1):
            self.external(node, ".".join(parts[:count]), frame)

    def module_value(self, node: ast.AST, name: str, frame: Frame) -> Traced:
        inner = self.module_scope(frame.file.absolute(name))
        return Traced(MODULE, STATIC, what=inner) if inner is not None else self.external(node, name, frame)

    # ---- definitions

    def definition(self, node: ast.FunctionDef, frame: Frame) -> None:
        owner = self.classes.get(id(frame.scope)) if frame.scope.is_class else None
        decorators = [(decorator, self.evaluate(decorator, frame)) for decorator in node.decorator_list]
        names = {value.name for _node, value in decorators if value.kind == EXTERNAL}
        is_static = "staticmethod" in names
        value = self.closure(node, node.name, frame, owner, is_static)
        plain = value
        opaque = False
        for decorator, wrapper in reversed(decorators):
            if wrapper.kind == EXTERNAL:
                made = self.decorated(decorator, wrapper, value, frame)
                if made.kind in (FUNCTION, TRANSFORMED):
                    value = made
                else:
                    opaque = True
            elif wrapper.kind == FUNCTION and (wrapped := self.wrapped(wrapper, value, frame)) is not None:
                value = wrapped
            else:
                opaque = True
        if owner is not None and value.kind == TRANSFORMED and value.what.transform.compiles and "classmethod" not in names:
            first = (node.args.posonlyargs + node.args.args)[:1]
            static = value.what.static is None or bool(first and first[0].arg in value.what.static)
            if first and value.what.name in ("jax.jit", "jax.pmap") and not is_static:
                self.emit(Definition, frame, node, node.name, self.is_pytree(owner) or opaque, static)
        if names & {"flax.linen.compact"} and owner is not None:
            self.pend(frame, lambda: self.compact(plain, frame))
        elif value.kind != TRANSFORMED:
            self.define(plain, frame)
        self.rebind(node, node.name, frame)
        self.bind(node.name, ANYTHING if opaque and value.kind != TRANSFORMED else value, frame)

    def decorated(self, decorator: ast.expr, wrapper: Traced, value: Traced, frame: Frame) -> Traced:
        call = ast.copy_location(ast.Call(func=decorator, args=[], keywords=[]), decorator)
        ast.fix_missing_locations(call)
        call.end_lineno, call.end_col_offset = decorator.end_lineno, decorator.end_col_offset
        return self.library(call, wrapper, [value], {}, False, frame)

    def wrapped(self, wrapper: Traced, value: Traced, frame: Frame) -> Traced | None:
        """What a decorator of the project makes of a function, if it compiles it, or gives it back as it is."""
        before, self.defining = self.defining, self.defining or frame
        made = self.apply(wrapper, [value], {}, False, frame.trace, frame)
        self.defining = before
        return made if made.kind == TRANSFORMED or (made.kind == FUNCTION and made.what == value.what) else None

    def compact(self, value: Traced, frame: Frame) -> None:
        """`@compact`: the method runs in `init` and `apply`, which users compile. Its first argument is mostly an array."""
        closure = value.what
        node = closure.info.node
        names = [parameter.arg for parameter in node.args.args]
        trace = frame.trace.inside("flax.linen.compact", COMPACT, self.counter)
        args = [Traced("instance", STATIC, what=closure.info.owner)]
        if len(names) > 1 and names[1] not in closure.defaults and names[1] in INPUTS:
            args.append(Traced(TREE, ABSTRACT, level=trace.level))
        self.run(closure, args, {}, True, trace, frame)

    def freezes(self, decorator: ast.expr, value: Traced, frame: Frame) -> bool:
        """Whether the objects of a data class of Flax cannot change, as it is unless an option says otherwise."""
        options = dict(value.what.keywords) if isinstance(value.what, Bound) else {}
        for word in decorator.keywords if isinstance(decorator, ast.Call) else ():
            options[word.arg or ""] = self.evaluate(word.value, frame)
        return "frozen" not in options or options["frozen"].constant is True

    def class_definition(self, node: ast.ClassDef, frame: Frame) -> None:
        bases = [self.evaluate(base, frame) for base in node.bases]
        known = [base.what for base in bases if base.kind == CLASS]
        external = {base.name if base.kind == EXTERNAL else "?" for base in bases if base.kind != CLASS}
        decorators: set[str] = set()
        for decorator in node.decorator_list:
            function = decorator.func if isinstance(decorator, ast.Call) else decorator
            value = self.evaluate(function, frame)
            decorators.add(value.name if value.kind == EXTERNAL and value.name != "functools.partial" else "?")
            if value.name == STRUCT and not self.freezes(decorator, value, frame):
                decorators.add(CHANGEABLE)
        scope = Scope({}, frame.scope, frame.trace.level, is_class=True)
        info = ClassInfo(node.name, node, frame.file, scope, known, frozenset(external), frozenset(decorators))
        self.classes[id(scope)] = info
        inner = Frame(
            frame.file, scope, frame.trace, frame.name, info, pending=frame.pending, depth=frame.depth, caught=frame.caught
        )
        self.execute(node.body, inner)
        self.bind(node.name, Traced(CLASS, STATIC, what=info, level=frame.trace.level), frame)
