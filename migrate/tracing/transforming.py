"""Transformations: what `jit(f)` gives, and what `scan(f, init, xs)` runs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from ...rules.facts.numbers import COUNT, INTS, Joined
from ...rules.facts.trace_events import Branches, Carry, KeyUse, TracedArguments, Transformation
from ...rules.facts.traced_values import (
    ABSTRACT,
    ANYTHING,
    ARRAY,
    CLASS,
    EXTERNAL,
    FUNCTION,
    LINEAR,
    LIST,
    NONE,
    NOTHING,
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
from ...rules.jax_table.transforms import SHARD_MAPS, STATIC_NUMBERS, TRANSFORMS, Transform
from .expressions import is_constant_sequence
from .generic import Generic
from .identities import identity_at, path
from .machine import REFERENCE, lifted, settled
from .made_values import is_lowered, keeps, keeps_later, only_calls
from .program import Bound, ClassInfo, Frame, Trace, Transformed, parameters
from .queries import is_partial, made_on_demand, names_in
from .recompilation import functions_in

FIRST_TRACED = {"scan": 1, "map": 1, "fori_loop": 3, "while_loop": 2}  # the first argument of which a loop makes tracers
NEW = "new"  # the name of a function that is made anew whenever the code runs
NO_TRACE = Transform()


class Transforming(Generic):
    def transform(
        self,
        node: ast.Call | ast.expr,
        name: str,
        args: Sequence[Traced],
        keywords: Mapping[str, Traced],
        open_: bool,
        frame: Frame,
    ) -> Traced:
        """The result of calling a transformation."""
        transform = TRANSFORMS[name]
        if not args and not any(word in keywords for word in ("f", "fun", "fn", "body_fun", "cond_fun")):
            return Traced(EXTERNAL, STATIC, name, what=Bound((), tuple(keywords.items())))  # a decorator with options
        if transform.calls:
            return self.run_at_once(node, name, transform, self.positional(args, keywords, name), keywords, frame)
        function = args[0] if args else keywords.get("fun", keywords.get("f", ANYTHING))
        if (
            function.kind != CLASS
            and isinstance(function.what, ClassInfo)
            and (method := self.instance_attribute(function, "__call__")).kind == FUNCTION
        ):
            function = method
        if len(args) > 1:
            word = "in_axes" if transform.batches and not transform.stages else "argnums" if transform.first_only else ""
            keywords = {word: args[1], **keywords} if word else keywords
        made = self.made(transform, name, function, keywords)
        if open_:
            made = made._replace(static=None)  # it may name any parameter
        value = Traced(TRANSFORMED, STATIC, what=made, level=frame.trace.level)
        self.generic(value, frame.trace, frame)
        return value

    def made(self, transform: Transform, name: str, function: Traced, keywords: Mapping[str, Traced]) -> Transformed:
        names = self.names_of(function)
        static: frozenset[str] | None = self.static_names(function, names, keywords) if transform.stages else frozenset()
        positions = frozenset[int]()
        if transform.first_only:
            positions = self.numbers(keywords.get("argnums"), {0})
        elif transform.batches:
            positions = self.unmapped(keywords.get("in_axes"), len(names))
        elif name in SHARD_MAPS and (given := keywords.get("in_specs", NOTHING)).items is not None:
            positions = frozenset(position for position, item in enumerate(given.items or ()) if item.kind == NONE)
        donated = self.numbers(keywords.get("donate_argnums"), set())
        if "donate_argnames" in keywords:
            words = is_constant_sequence(keywords["donate_argnames"]) or ()
            donated |= {names.index(str(word.constant)) for word in words if word.constant in names}
        return Transformed(transform, name, function, static, positions, donated, "has_aux" in keywords)

    def numbers(self, value: Traced | None, default: set[int]) -> frozenset[int]:
        if value is None:
            return frozenset(default)
        found = is_constant_sequence(value) or ()
        return frozenset(item.constant for item in found if isinstance(item.constant, int))

    def static_names(self, function: Traced, names: list[str], keywords: Mapping[str, Traced]) -> frozenset[str] | None:
        """The static parameters, None if they cannot be determined."""
        closure = self.base_closure(function)
        every = [parameter.arg for parameter in parameters(closure.info.node)] if closure else names
        found = set[str]()
        for word in (*STATIC_NUMBERS, "static_argnames"):
            if word not in keywords:
                continue
            given = is_constant_sequence(keywords[word])
            if given is None:
                if keywords[word].kind == NONE:
                    continue
                return None
            for item in given:
                if isinstance(item.constant, str) and item.constant in every:
                    found.add(item.constant)
                elif isinstance(item.constant, int) and not isinstance(item.constant, bool):
                    if not -len(names) <= item.constant < len(names):
                        return None  # one of `*args`
                    found.add(names[item.constant])
                elif not isinstance(item.constant, str):
                    return None
        if "abstracted_axes" in keywords:
            return None
        return frozenset(found)

    def unmapped(self, value: Traced | None, count: int) -> frozenset[int]:
        """The positions of arguments that `vmap` does not map, or may not."""
        if value is None or value.kind == NUMBER:
            return frozenset()
        if value.kind in (TUPLE, LIST) and value.items is not None:
            return frozenset(position for position, item in enumerate(value.items) if item.kind != NUMBER)
        return frozenset(range(count))

    def positional(self, args: Sequence[Traced], keywords: Mapping[str, Traced], name: str) -> list[Traced]:
        """The arguments of a loop of `lax` by position."""
        order = {
            "scan": ("f", "init", "xs", "length"),
            "map": ("f", "xs"),
            "fori_loop": ("lower", "upper", "body_fun", "init_val"),
            "while_loop": ("cond_fun", "body_fun", "init_val"),
            "cond": ("pred", "true_fun", "false_fun"),
            "switch": ("index", "branches"),
        }.get(name.rpartition(".")[2], ())
        found = list(args)
        for word in order[len(found) :]:
            if word not in keywords:
                break
            found.append(keywords[word])
        return found

    def run_at_once(
        self,
        node: ast.expr,
        name: str,
        transform: Transform,
        args: Sequence[Traced],
        keywords: Mapping[str, Traced],
        frame: Frame,
    ) -> Traced:
        trace = frame.trace.inside(name, transform, self.counter)
        level, outer = trace.level, self.strength(frame, args[1:])
        call = node if isinstance(node, ast.Call) else None

        def at(position: int) -> Traced:
            return args[position] if position < len(args) else ANYTHING

        def run(function: Traced, *given: Traced) -> Traced:
            return self.apply(function, given, {}, False, trace, frame, call)

        def lift(value: Traced) -> Traced:
            return lifted(value, ABSTRACT, level)

        def settle(value: Traced) -> Traced:
            return settled(value, outer, frame.trace.level)

        first = FIRST_TRACED.get(transform.calls)
        if first is not None:
            self.emit(TracedArguments, frame, node, name, tuple(args[first:]))
        match transform.calls:
            case "scan":
                carry = lift(at(1))
                xs = at(2) if len(args) > 2 else keywords.get("xs", Traced(NONE, STATIC))
                row = self.row(xs, level)
                result = run(at(0), carry, row)
                self.carried(at(0), name, (carry, row), carry, result, trace, frame)
                return Traced(TUPLE, STATIC, items=(settle(carry), Traced(TREE, outer)))
            case "map":
                run(at(0), self.row(at(1), level))
                return Traced(TREE, outer)
            case "fori_loop":
                carry = lift(at(3))
                positive = isinstance(at(0).constant, int) and at(0).constant >= 0
                both = Traced(ARRAY, ABSTRACT, COUNT if positive else INTS), carry
                result = run(at(2), *both)
                self.carried(at(2), name, both, carry, result, trace, frame)
                return settle(carry)
            case "while_loop":
                carry = lift(at(2))
                run(at(0), carry)
                self.carried(at(1), name, (carry,), carry, run(at(1), carry), trace, frame)
                return settle(carry)
            case "cond" | "switch":
                return self.branches(node, name, transform, args, keywords, outer, run, lift, frame)
            case "combine":
                one = at(1)._replace(identity=None)
                self.apply(at(0), (one, one), {}, False, frame.trace, frame, call)
                return settle(at(1)) if at(1).kind in (ARRAY, TREE) else ANYTHING
            case "rest":
                run(at(0), *[lift(value) for value in args[1:]])
                return ANYTHING
            case "vjp" | "primals":
                given = args[1:]
                if transform.calls == "primals":
                    given = at(1).items or () if at(1).kind in (TUPLE, LIST) else (ANYTHING,)
                strength = ABSTRACT if transform.stages else LINEAR
                value = self.apply(at(0), [lifted(each, strength, level) for each in given], {}, False, trace, frame, call)
                return Traced(TUPLE, STATIC, items=(settle(value), ANYTHING))
        for function in args[:1]:  # its arguments are references, which it may change in place
            if function.kind == FUNCTION:
                self.run(
                    function.what,
                    [Traced(TREE, ABSTRACT, REFERENCE, level=level)] * len(self.names_of(function)),
                    {},
                    True,
                    trace,
                    frame,
                )
        return ANYTHING

    def carried(
        self, body: Traced, name: str, given: Sequence[Traced], taken: Traced, whole: Traced, trace: Trace, frame: Frame
    ) -> None:
        """The events of a carry. `given`: the arguments of the body, for which it was interpreted before."""
        if body.kind != FUNCTION:
            return
        result = self.run(body.what, given, {}, False, trace, frame)
        returned = result.value
        carry = (self.names_of(body) or [""])[-1 if name.endswith("fori_loop") else 0]
        if name.endswith(".scan"):
            returned = returned.items[0] if returned.kind == TUPLE and returned.items else ANYTHING
        numbers = dict(result.numbers)

        def grows(value: Traced, way: tuple[int | str, ...]) -> bool:
            if isinstance(value.what, Joined):
                return any(self.origin(each) == numbers.get(carry) and path(each) == way for each in value.what.identities)
            inside = value.items or () if value.kind in (TUPLE, LIST) else ()
            return any(grows(item, (*way, place)) for place, item in enumerate(inside))

        self.emit(Carry, frame, body.what.info.node, name, taken, whole, grows=grows(returned, ()))
        for parameter, way in result.used:
            identity = identity_at(returned, way)
            if parameter == carry and self.origin(identity) == numbers.get(parameter) and path(identity) == way:
                self.emit(KeyUse, frame, body.what.info.node, "carried", 0)

    def branches(
        self,
        node: ast.expr,
        name: str,
        transform: Transform,
        args: Sequence[Traced],
        keywords: Mapping[str, Traced],
        outer: int,
        run: Callable[..., Traced],
        lift: Callable[[Traced], Traced],
        frame: Frame,
    ) -> Traced:
        """The result of `cond` and `switch`: one of the functions runs, so a key may be used in each."""
        functions, operands = args[1:3], args[3:] or [keywords[word] for word in ("operand",) if word in keywords]
        if transform.calls == "cond" and len(args) == 5 and args[2].kind == FUNCTION and args[4].kind == FUNCTION:
            if args[1].kind != FUNCTION:  # the signature of old: each function with its operand
                self.seen |= {args[2].what.info.node, args[4].what.info.node}
                return ANYTHING
        if transform.calls == "switch":
            functions = args[1].items or () if len(args) > 1 and args[1].kind in (LIST, TUPLE) else ()
            operands = args[2:]
        given = [lift(operand) for operand in operands]
        before, states, found = self.snapshot(frame), [], None
        results = []
        for function in functions:
            self.restore(frame, before)
            results.append(run(function, *given))
            result = settled(results[-1], outer, frame.trace.level)
            found = result if found is None else joined(found, result)
            states.append(self.snapshot(frame))
        for state in states[:-1]:
            self.merge(frame, state)
        self.emit(Branches, frame, node, name, tuple(results))
        return found or ANYTHING

    def mapped(self, node: ast.Call, name: str, args: list[Traced], keywords: dict[str, Traced], frame: Frame) -> Traced:
        """`jax.tree.map`: the function gets the leaves of the first tree, and what the others have in their places: a leaf or a tree."""
        if not args:
            return ANYTHING
        trees = args[1:]
        leaves = [PLAIN] if name.endswith("_with_path") else []
        for place, tree in enumerate(trees):
            strength = self.tracer_in(tree)
            kind = TREE if place or "is_leaf" in keywords else ARRAY
            leaves.append(Traced(kind, strength) if strength >= LINEAR else ANYTHING)
        trace = frame.trace._replace(repeated=True, start=self.counter)
        leaf = self.apply(args[0], leaves, {}, False, trace, frame, node)
        return Traced(TREE, leaf.tracer) if leaf.traced else ANYTHING

    def row(self, xs: Traced, level: int) -> Traced:
        """What one iteration of a scan gets."""
        if xs.kind in (TUPLE, LIST) and xs.items is not None:
            return xs._replace(items=tuple(self.row(item, level) for item in xs.items), level=level, identity=None)
        if xs.kind == NONE:
            return xs
        return lifted(xs._replace(identity=None), ABSTRACT, level)

    def partial(self, args: list[Traced], keywords: dict[str, Traced], frame: Frame) -> Traced:
        if not args:
            return ANYTHING
        function, rest = args[0], tuple(args[1:])
        if function.kind == FUNCTION:
            closure = function.what
            bound = closure._replace(args=(*closure.args, *rest), keywords=(*closure.keywords, *keywords.items()))
            return function._replace(what=bound, level=frame.trace.level)
        if function.kind == EXTERNAL:
            before = function.what if isinstance(function.what, Bound) else Bound()
            bound_ = Bound((*before.args, *rest), (*before.keywords, *keywords.items()))
            return function._replace(what=bound_)
        return ANYTHING._replace(name=NEW) if function.kind == UNKNOWN else ANYTHING

    def announce(self, node: ast.expr, name: str, function: Traced, called: bool, frame: Frame) -> None:
        """The event of a transformation. A function is fresh if another one is made whenever the code runs."""
        given = node.args[0] if isinstance(node, ast.Call) and node.args else None
        fresh = isinstance(given, ast.Lambda | ast.Call) and function.kind == FUNCTION
        fresh |= function.name == NEW and not isinstance(given, ast.Name)
        fresh |= function.kind == EXTERNAL and isinstance(function.what, Bound) and isinstance(given, ast.Call)
        if function.kind == TRANSFORMED:  # `jit(grad(f))`: `grad` makes a new function, even of the same one
            fresh = isinstance(given, ast.Call)
        if function.kind == FUNCTION:
            closure = function.what
            if isinstance(given, ast.Call) or given is None:
                bound = bool(closure.keywords or closure.args)
                fresh = bound and (closure.info.owner is None or (given is not None and is_partial(given)))
            if isinstance(given, ast.Attribute) and not names_in(given) & frame.looped:
                fresh |= bool(closure.args)  # a bound method, new each time that it is read
            looped = closure.info.name in frame.looped and closure.scope is frame.scope
            fresh |= looped and (given is None or isinstance(given, ast.Name))
        if fresh and frame.statement is not None and is_lowered(frame.statement, node):
            fresh = False  # compiled on purpose, for certain shapes
        once = fresh or (function.kind == FUNCTION and function.what.scope is frame.scope and bool(self.active))
        kept = node in self.collected or (frame.statement is not None and keeps(frame.statement, node))
        if kept and not called and names_in(node) & frame.changing():
            fresh = False  # one function for each element, kept with the others
        if fresh and not called and frame.statement is not None and names_in(node) & frame.looped:
            fresh = not keeps_later(self.active[-1] if self.active else frame.file.tree, frame.statement, node)
        if frame.loops and node in made_on_demand(self.active[-1] if self.active else frame.file.tree):
            fresh = False
        self.emit(Transformation, frame, node, name, function, fresh, called)
        if (
            once
            and TRANSFORMS[name].compiles
            and not frame.loops
            and not frame.trace.level
            and frame.name
            and self.active
            and not frame.caught
        ):
            if called or (frame.statement is not None and only_calls(self.active[-1], frame.statement, node)):
                self.made_anew.setdefault(self.active[-1], (getattr(node, "lineno", 0), functions_in(node, function)))
