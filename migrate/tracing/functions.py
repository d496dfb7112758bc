"""Running a function of the project on abstract arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...rules.facts.trace_events import CompiledCall, KeyUse, Retyped, TracedArguments, Use
from ...rules.facts.traced_values import (
    ABSTRACT,
    ANYTHING,
    ARRAY,
    CLASS,
    DICT,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    LINEAR,
    MAYBE,
    NUMBER,
    PLAIN,
    STATIC,
    TRANSFORMED,
    TREE,
    TUPLE,
    UNKNOWN,
    Traced,
    joined,
)
from ...rules.facts.traced_values import HOST as HOST_ARRAY
from ...rules.jax_table.array_functions import STATIC_RESULTS
from .attributes import CONSTRUCTORS, is_layer, receiver, result_of_argument
from .expressions import Expressions
from .identities import PARTS, anonymous, identified, identity_at, named, path, translated, unison
from .machine import ANNOTATED, MOST_CALLS, MOST_DEPTH, REFERENCE, UNREGISTERED, lifted, settled
from .operators import number_type
from .program import HOST, ClassInfo, Closure, Frame, FunctionInfo, Scope, Trace, Transformed, parameters, positions
from .queries import may_alias, yields
from .recompilation import compiles_anew
from .transfers import given_back

REST = "*"  # in place of the name of an argument: what each further one is
DEFAULT = "default"  # the constant of a key that is the default of a parameter
SIMPLE = frozenset("int str bool float bytes complex".split())


class Result(NamedTuple):
    """What a run of a function gave: its value, and the keys that it used up: its parameters', and those of outer functions."""

    value: Traced
    used: tuple[tuple[str, tuple[int | str, ...]], ...] = ()  # by name, with the way into a tuple
    outer: tuple[object, ...] = ()
    numbers: tuple[tuple[str, int], ...] = ()  # the identities of the parameters
    seeded: int = 0  # the line of a draw whose key the function makes from a constant
    first: int = 0  # smaller identities come from outside
    changed: frozenset[str] = frozenset()  # variables whose containers it changes in place


class Functions(Expressions):
    def run(
        self, closure: Closure, args: Sequence[Traced], keywords: Mapping[str, Traced], open_: bool, trace: Trace, frame: Frame
    ) -> Result:
        """Interpret a function. `open_`: there are arguments besides, which are not known."""
        info = closure.info
        node = info.node
        if info.own_derivative:
            trace = trace._replace(differentiated=False)
        self.seen.add(node)
        if node in self.active or frame.depth >= MOST_DEPTH or self.calls >= MOST_CALLS:
            return Result(ANYTHING)
        if isinstance(node, ast.AsyncFunctionDef):
            return Result(ANYTHING)
        variables, identities = self.bound(closure, args, keywords, open_, trace.level)
        key = (node, closure.scope, tuple(variables.items()), trace._replace(start=0), closure.keywords, frame.caught)
        hashable = True
        try:
            known: Result | None = self.memo.get(key)
        except TypeError:
            known, hashable = None, False
        if known is not None:
            return known
        self.calls += 1
        scope = Scope(
            {name: self.identified(value, identities, name) for name, value in variables.items()}, closure.scope, trace.level
        )
        inner = Frame(info.file, scope, trace, info.name, info.owner, depth=frame.depth + 1, caught=frame.caught)
        inner.direct = trace.level > frame.trace.level
        start = scope.start = self.counter
        self.active.append(node)
        try:
            if isinstance(node, ast.Lambda):
                value = self.evaluate(node.body, inner)
            else:
                falls = self.execute(node.body, inner)
                value = self.returned(node, inner, falls)
            self.finish(inner)
        finally:
            self.active.pop()
        numbers = {number: name for name, number in identities.items()}
        every = [each for each in inner.used if not unison(each)]
        used = [(name, path(each)) for each in every if (name := numbers.get(self.origin(each))) and name not in scope.changed]
        first = min(numbers, default=start)
        outer = tuple(each for each in every if self.origin(each) < first and not named(each))
        result = Result(value, tuple(used), outer, tuple(identities.items()), inner.seeded, first, frozenset(scope.changed))
        if hashable:
            self.memo[key] = result
        return result

    def identified(self, value: Traced, identities: dict[str, int], name: str) -> Traced:
        return identified(value, identities[name]) if name in identities else value

    def returned(self, node: ast.AST, inner: Frame, falls: bool) -> Traced:
        if yields(node):
            return ANYTHING
        values = list(inner.returned)
        if falls:
            values.append(Traced("none", STATIC))
        if not values:
            return ANYTHING
        found = values[0]
        for value in values[1:]:
            found = joined(found, value)
        return found

    def finish(self, frame: Frame) -> None:
        """Interpret what is only defined in a frame: nothing is known of its arguments."""
        while frame.pending:
            frame.pending.pop(0)()

    def bound(
        self, closure: Closure, args: Sequence[Traced], keywords: Mapping[str, Traced], open_: bool, level: int
    ) -> tuple[dict[str, Traced], dict[str, int]]:
        """The parameters with their values, and new identities for those that may be random keys."""
        node = closure.info.node
        given = [*closure.args, *args]
        named = {**dict(closure.keywords), **keywords}
        positional = positions(closure)
        annotations = {parameter.arg: parameter.annotation for parameter in parameters(node)}
        found: dict[str, Traced] = {}
        home = Frame(closure.info.file, closure.scope, HOST)
        for parameter in parameters(node):
            name = parameter.arg
            if name in positional and positional.index(name) < len(given):
                value = given[positional.index(name)]
            elif name in named:
                value = named[name]
            elif name in closure.defaults and not open_:
                value = closure.defaults[name]
            else:
                value = ANYTHING
            made = value is closure.defaults.get(name) and value.name == "key" and value.constant == "seed"
            found[name] = self.annotated(anonymous(value), annotations[name], home)
            if made:
                found[name] = found[name]._replace(constant=DEFAULT)
        if node.args.vararg:
            items, tracer = (None, MAYBE) if open_ else (tuple(given[len(positional) :]), STATIC)
            found[node.args.vararg.arg] = Traced(TUPLE, tracer, items=items, what=named.get(REST), level=level)
        if node.args.kwarg:
            more = {} if open_ else {name: value for name, value in named.items() if name not in annotations}
            found[node.args.kwarg.arg] = Traced(DICT, MAYBE, items=tuple(more.values()) or None, keys=tuple(more), level=level)
        identities = {name: self.fresh() for name, value in found.items() if value.kind in (UNKNOWN, TREE, ARRAY, *PARTS)}
        return found, identities

    def annotated(self, value: Traced, annotation: ast.expr | None, home: Frame) -> Traced:
        if (
            annotation is None
            or value.name == REFERENCE
            or value.kind not in (UNKNOWN, TREE)
            or (value.kind == UNKNOWN and value.tracer == STATIC)
        ):
            return value
        if self.is_array_annotation(annotation, home):
            return Traced(ARRAY, value.tracer, ANNOTATED if value.tracer == MAYBE else "", level=value.level)
        if isinstance(annotation, ast.Name) and annotation.id in SIMPLE:
            if value.kind == TREE and value.tracer >= LINEAR:
                return value
            return PLAIN
        if value.kind in (TREE, UNKNOWN) and isinstance(annotation, ast.Name | ast.Attribute):
            cls = self.evaluate(annotation, home)
            if cls.kind == CLASS:
                return value._replace(what=cls.what)
            if cls.name == "numpy.ndarray" and value.kind == UNKNOWN:
                return Traced(HOST_ARRAY, STATIC)
        return value

    # ---- calls of values

    def apply(
        self,
        function: Traced,
        args: Sequence[Traced],
        keywords: Mapping[str, Traced],
        open_: bool,
        trace: Trace,
        frame: Frame,
        node: ast.Call | None = None,
    ) -> Traced:
        """The result of calling a value, under the transformations `trace`."""
        if function.kind == FUNCTION:
            result = self.run(function.what, args, keywords, open_, trace, frame)
            if node is not None and trace is frame.trace:
                compiles_anew(self, function.what, node, frame)
            names = positions(function.what)[len(function.what.args) :]
            given = dict(zip(names, args, strict=False)) | dict(keywords)
            self.use_up(function.what, result, given, node, trace, frame)
            return translated(
                result.value, {number: given.get(name) for name, number in result.numbers}, result.first, self.fresh
            )
        if function.kind == TRANSFORMED:
            if function.keys == ("bound",) and function.items:
                args = (*function.items, *args)
            return self.apply_transformed(function.what, args, keywords, open_, trace, frame, node)
        if function.kind == CLASS:
            return self.instance(function, args, keywords, open_, frame)
        annotated = function.kind in (TREE, UNKNOWN) and isinstance(function.what, ClassInfo)
        if function.kind == INSTANCE or (annotated and function.what.method("__call__")):
            method = self.instance_attribute(function, "__call__")
            return self.apply(method, args, keywords, open_, trace, frame, node) if method.kind == FUNCTION else ANYTHING
        if is_layer(function) and any(value.traced for value in args):
            return Traced(ARRAY, max(value.tracer for value in args if value.traced))
        if (known := result_of_argument(function, args, trace.level)) is not None:
            return known
        if function.kind == EXTERNAL and function.name.rpartition(".")[2] in STATIC_RESULTS:
            return PLAIN
        if function.kind == EXTERNAL and trace.staged and function.name.startswith(("jax.numpy.", "jax.nn.", "jax.lax.")):
            return Traced(ARRAY, ABSTRACT)
        return ANYTHING

    def use_up(
        self,
        closure: Closure,
        result: Result,
        given: Mapping[str, Traced],
        node: ast.Call | None,
        trace: Trace,
        frame: Frame,
    ) -> None:
        """The keys that a called function used up."""
        place: ast.AST = node or closure.info.node
        if result.seeded and node is not None and trace is frame.trace:
            self.seeded(node, result.seeded, frame)
        for argument in node.args if node is not None and result.changed & {*given} else ():
            self.changes(argument, frame, traced=True)
        for name, way in result.used:
            if name in given:
                self.consume(identity_at(given[name], way), place, frame)
        if trace.repeated and trace is not frame.trace:
            for identity in result.outer:
                if self.origin(identity) <= trace.start:
                    self.emit(KeyUse, frame, place, "batch", 0)
                    break
        else:
            for identity in result.outer:
                self.consume(identity, place, frame)

    def instance(
        self, function: Traced, args: Sequence[Traced], keywords: Mapping[str, Traced], open_: bool, frame: Frame
    ) -> Traced:
        """An object of a class of the project; of a named tuple the fields are known."""
        cls = function.what
        for each in CONSTRUCTORS:
            found = cls.method(each)
            if found is not None and found[0].kind == FUNCTION and found[1].file is cls.file:
                self.uncalled(found[0].what, HOST, frame)  # what it binds is known to the methods
        name = "" if self.is_pytree(cls) else UNREGISTERED
        found = Traced(INSTANCE, STATIC, name, what=cls, level=frame.trace.level)
        if not cls.every_base() & {"typing.NamedTuple", "NamedTuple"} or open_:
            return found
        names = tuple(cls.fields())
        given = dict(zip(names, args, strict=False)) | dict(keywords)
        return found._replace(keys=names, items=tuple(given.get(name, ANYTHING) for name in names))

    def uncalled(self, closure: Closure, trace: Trace, frame: Frame) -> None:
        """Interpret a function of whose arguments nothing is known, if nothing else has called it."""
        if closure.info.node in self.seen:
            return
        node = closure.info.node
        args = [
            receiver(closure.info) if self.is_receiver(closure.info, parameter.arg) else ANYTHING
            for parameter in (*node.args.posonlyargs, *node.args.args)
        ]
        self.run(closure, args, {}, True, trace, frame)

    def is_receiver(self, info: FunctionInfo, name: str) -> bool:
        given = parameters(info.node)
        return info.owner is not None and not info.is_static and bool(given) and given[0].arg == name

    def base_closure(self, function: Traced) -> Closure | None:
        while function.kind == TRANSFORMED:
            function = function.what.function
        return function.what if function.kind == FUNCTION else None

    def names_of(self, function: Traced) -> list[str]:
        """The names of the parameters that remain to be given by position."""
        closure = self.base_closure(function)
        if closure is None:
            return []
        return positions(closure)[len(closure.args) :]

    def apply_transformed(
        self,
        made: Transformed,
        args: Sequence[Traced],
        keywords: Mapping[str, Traced],
        open_: bool,
        trace: Trace,
        frame: Frame,
        node: ast.Call | None,
    ) -> Traced:
        transform = made.transform
        inner = trace.inside(made.name, transform, self.counter)
        names = self.names_of(made.function)
        if transform.compiles and node is not None:
            self.compiled_call(made, args, keywords, names, node, frame)
        strength = self.given_strength(made)

        def given(value: Traced, position: int, name: str) -> Traced:
            if transform.stages and (made.static is None or name in made.static):
                return value if made.static is not None and not value.traced else ANYTHING
            if transform.only_arrays and not (value.kind == ARRAY or value.kind == TREE):
                if value.kind == INSTANCE:
                    return lifted(value, strength, inner.level)
                return value if value.kind in (NUMBER, "text", "none", FUNCTION) or is_layer(value) else ANYTHING
            if transform.first_only and position not in made.positions:
                return value
            if not transform.first_only and not transform.compiles and position in made.positions:
                return value
            return lifted(value, strength, inner.level)

        if node is not None and not transform.compiles and not transform.only_arrays and not transform.mutable:
            places = [place for place in range(len(args)) if (place in made.positions) == transform.first_only]
            traced = [args[place] for place in places if not {*names[place : place + 1]} & {*(made.static or ())}]
            self.emit(TracedArguments, frame, node, made.name, tuple(traced))
        passed = [given(value, position, names[position] if position < len(names) else "") for position, value in enumerate(args)]
        named = {name: given(value, names.index(name) if name in names else -1, name) for name, value in keywords.items()}
        result = self.apply(made.function, passed, named, open_, inner, frame, node)
        outer = self.strength(frame, [*args, *keywords.values()])
        if transform.first_only and not transform.batches:
            derivative = Traced(TREE, outer)
            value = settled(result, outer, frame.trace.level)
            if transform.value_first:
                return Traced(TUPLE, STATIC, items=(value, derivative))
            return Traced(TUPLE, STATIC, items=(derivative, ANYTHING)) if made.has_aux else derivative
        if made.name in ("jax.jit", "jax.pmap") and result.kind == UNKNOWN and not frame.trace.level:
            return Traced(TREE, outer)  # whatever it holds, they are arrays
        return settled(result, outer, frame.trace.level) if transform.stages or transform.batches else result

    def retyped(
        self, made: Transformed, traced: Mapping[str, Traced], nodes: Mapping[str, ast.AST], node: ast.Call, frame: Frame
    ) -> None:
        """Compiled code gets a number of Python of another type than in an earlier call."""
        closure = self.base_closure(made.function)
        if closure is None or frame.trace.level:
            return
        for name, value in traced.items():
            found = number_type(value) if value.kind == NUMBER else ""
            if found:
                first, line = self.number_types.setdefault((closure.info.node, name), (found, node.lineno))
                if first != found:
                    self.emit(Retyped, frame, nodes.get(name, node), name, found, first, line)

    def given_strength(self, made: Transformed) -> int:
        return ABSTRACT if made.transform.stages or made.transform.batches else LINEAR

    def compiled_call(
        self,
        made: Transformed,
        args: Sequence[Traced],
        keywords: Mapping[str, Traced],
        names: list[str],
        node: ast.Call,
        frame: Frame,
    ) -> None:
        given = dict(zip(names, args, strict=False)) | dict(keywords)
        nodes: dict[str, ast.AST] = dict(zip(names[max(0, len(args) - len(node.args)) :], node.args, strict=False))
        nodes |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        static = made.static or frozenset()
        if not frame.trace.level:
            frame.running = node.lineno
            if frame.turn is not None:
                frame.turn.called = node.lineno
        given_back(self, given.values(), frame)
        if made.static is not None and not made.transform.only_arrays:
            fixed = {name: value for name, value in given.items() if name in static}
            traced = {name: value for name, value in given.items() if name not in static}
            self.emit(CompiledCall, frame, node, fixed, traced, nodes)
            self.retyped(made, traced, nodes, node, frame)
        closure = self.base_closure(made.function)
        for position in made.donated:
            if closure is None or position >= len(names) or not may_alias(closure.info.node, names[position]):
                continue  # the memory of an argument is only taken for a result of its shape
            if position < len(node.args) and isinstance(node.args[position], ast.Name):
                name = node.args[position].id  # type: ignore[attr-defined]
                for other in node.args[:position] + node.args[position + 1 :]:
                    if isinstance(other, ast.Name) and other.id == name:
                        self.emit(Use, frame, other, name, node.lineno)
                frame.donated[name] = node.lineno
