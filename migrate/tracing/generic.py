"""Functions of which only the definition is known: nothing calls them in the files that are linted."""

from __future__ import annotations

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
    Traced,
)
from ...rules.jax_table.transforms import Transform
from .functions import Functions
from .machine import lifted
from .program import HOST, Frame, Trace, parameters
from .queries import is_flag

UPDATE = Transform(batches=True)


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
                args.append(self.receiver(closure.info))
            elif made is not None and made.static and name in made.static:
                args.append(PLAIN)
            elif known and closure.defaults[name].kind in MUTABLE:
                args.append(closure.defaults[name])
            elif known or (made is not None and made.static is None):
                args.append(ANYTHING)
            elif self.is_receiver(closure.info, name):
                args.append(self.receiver(closure.info))
            elif (made is not None and made.transform.mutable) or (made is not None and made.transform.only_arrays):
                args.append(ANYTHING)
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
            if defaulted or skipped or made.transform.mutable:
                passed.append(value)
            else:
                passed.append(lifted(value, strength, inner.level))
        while passed and passed[-1] is ANYTHING and names[len(passed) - 1] in closure.defaults:
            passed.pop()  # a transformation inside would take it for an argument, which is traced
        self.apply(made.function, passed, {}, True, inner, quiet)

    def updates(self, function: Traced, name: str, frame: Frame) -> None:
        """Interpret the `update` of an optimizer, which gets gradients and a state of arrays."""
        if function.kind != FUNCTION:
            return
        trace = frame.trace.inside(name, UPDATE, self.counter)
        tree = Traced(TREE, ABSTRACT, level=trace.level)
        self.pend(frame, lambda: self.run(function.what, (tree, tree), {}, True, trace, frame))

    def define(self, function: Traced, frame: Frame) -> None:
        """Interpret a function that nothing else has called, once its surroundings are complete."""

        def work() -> None:
            self.uncalled(function.what, frame.trace, frame)

        self.pend(frame, work)
