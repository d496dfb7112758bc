"""Functions of which only the definition is known: nothing calls them in the files that are linted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...rules.facts.traced_values import (
    ABSTRACT,
    ANYTHING,
    ARRAY,
    FUNCTION,
    INSTANCE,
    MUTABLE,
    PLAIN,
    STATIC,
    TRANSFORMED,
    TREE,
    TUPLE,
    UNKNOWN,
    Traced,
)
from ...rules.jax_table.called_functions import CALLED, INPUTS
from ...rules.jax_table.transforms import Transform
from .attributes import receiver
from .functions import REST, Functions, Result
from .machine import TRACED_ARRAYS, lifted
from .made_values import only_called_back
from .program import HOST, Closure, Frame, Trace, parameters
from .queries import is_flag, read_in

UPDATE = Transform(batches=True)
COMPILED = Transform(stages=True)


class Generic(Functions):
    def generic(self, function: Traced, trace: Trace, frame: Frame) -> None:
        """Interpret a transformed function as it is defined: every argument that is not static is a tracer."""
        self.pend(frame, partial(self._generic, function, trace, frame))

    def pend(self, frame: Frame, work: Any) -> None:
        (self.defining or frame).pending.append(work)

    def _generic(self, function: Traced, trace: Trace, frame: Frame) -> None:
        closure = self.base_closure(function)
        if closure is None:
            return
        node = closure.info.node
        names = self.names_of(function)
        made = function.what if function.kind == TRANSFORMED else None
        args: list[Traced] = []
        for name in names:
            known = name in closure.defaults
            if self.is_receiver(closure.info, name) and (made is None or known or name in (made.static or ())):
                args.append(receiver(closure.info))
            elif made is not None and made.static and name in made.static:
                args.append(PLAIN)
            elif known and closure.defaults[name].kind in MUTABLE:
                args.append(closure.defaults[name])
            elif known or (made is not None and made.static is None):
                args.append(ANYTHING)
            elif self.is_receiver(closure.info, name):
                args.append(receiver(closure.info))
            elif made is not None and made.transform.only_arrays:
                args.append(ANYTHING._replace(name=TRACED_ARRAYS))
            elif is_flag(node, name) and made is not None and (made.transform.compiles or made.transform.batches):
                args.append(Traced(ARRAY, STATIC))
            else:
                args.append(ANYTHING)
        quiet = Frame(frame.file, frame.scope, trace, frame.name, frame.owner, depth=frame.depth)
        if made is None:
            self.apply(function, args, {}, True, trace, quiet)
            return
        only = made.transform.only_arrays
        inner = trace.inside(made.name, made.transform, self.counter)
        strength = self.given_strength(made)
        passed = []
        for position, (name, value) in enumerate(zip(names, args, strict=True)):
            defaulted = name in closure.defaults or (made.static is None) or bool(made.static and name in made.static)
            skipped = made.transform.first_only and position not in made.positions
            skipped |= not made.transform.first_only and not made.transform.compiles and position in made.positions
            annotation = next((each.annotation for each in parameters(node) if each.arg == name), None)
            if only:
                home = Frame(closure.info.file, closure.scope, HOST)
                holds = self.is_array_annotation(annotation, home) or self.is_pytree_annotation(annotation, home)
                skipped |= value.kind != INSTANCE and not holds
            if defaulted or skipped or (made.transform.mutable and value.kind != UNKNOWN):
                passed.append(value)
            else:
                passed.append(lifted(value, strength, inner.level))
        while passed and passed[-1] is ANYTHING and names[len(passed) - 1] in closure.defaults:
            passed.pop()  # a transformation inside would take it for an argument, which is traced
        lifts = node.args.vararg and not (only or made.transform.first_only or made.positions or made.static is None)
        rest = {REST: lifted(ANYTHING, strength, inner.level)} if lifts else {}
        self.apply(made.function, passed, rest, True, inner, quiet)

    def called_by(self, name: str, args: Sequence[Traced], keywords: Mapping[str, Traced], frame: Frame) -> None:
        """Interpret a function that a library calls while JAX traces."""
        called = CALLED[name]
        function = args[called.position] if called.position < len(args) else keywords.get(called.keyword, ANYTHING)
        if function.kind != FUNCTION:
            return
        trace = frame.trace.inside(name, COMPILED if called.staged else UPDATE, self.counter)
        given = []
        for each, parameter in zip(called.given, self.names_of(function), strict=False):
            if each == "?" or (each == "i" and parameter not in INPUTS):
                break
            given.append(Traced(TREE if each == "t" else ARRAY, ABSTRACT, level=trace.level))
        self.pend(frame, lambda: self.run(function.what, given, {}, True, trace, frame))

    # ---- derivatives that a function defines

    def derivative(self, args: Sequence[Traced]) -> Traced:
        """`f.defvjp(forward, backward)`, or `@f.defjvp`."""
        own, *given = args
        self.derivatives[own.what.info.node] = tuple(given)
        return given[0] if given else ANYTHING

    def run(
        self, closure: Closure, args: Sequence[Traced], keywords: Mapping[str, Traced], open_: bool, trace: Trace, frame: Frame
    ) -> Result:
        result = super().run(closure, args, keywords, open_, trace, frame)
        given = self.derivatives.get(closure.info.node, ())
        if given and closure.info.own_derivative and trace.staged and trace.differentiated:
            inner = trace._replace(differentiated=False)
            tree = Traced(TREE, ABSTRACT, level=trace.level)
            last, kept = given[-1], Traced(TUPLE, STATIC, items=tuple(args))
            if len(given) == 2:
                forward = self.apply(given[0], args, keywords, open_, inner, frame)
                kept = forward.items[1] if forward.kind == TUPLE and len(forward.items or ()) == 2 and forward.items else ANYTHING
            before = [ANYTHING] * (len(self.names_of(last)) - 2)  # what is not differentiated
            self.apply(last, (*before, kept, tree), {}, False, inner, frame)
        return result

    def define(self, function: Traced, frame: Frame) -> None:
        """Interpret a function that nothing else has called, once its surroundings are complete. What traced code defines and never
        names does not run."""
        info = function.what.info
        around = self.active[-1] if self.active and frame.trace.level and not frame.scope.is_class else None
        trace = frame.trace
        if around is not None and not getattr(info.node, "decorator_list", ()):
            if info.name not in read_in(around):
                return
            if only_called_back(around, info.name):
                trace = HOST

        def work() -> None:
            self.uncalled(function.what, trace, frame)

        self.pend(frame, work)
