"""What a test says: whether it is decided, and of which variables it asks the type; what a handler catches."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...rules.facts.trace_events import Operation
from ...rules.facts.traced_values import ANYTHING, ARRAY, HOST, NONE, NUMBER, TREE, Traced
from .machine import Machine, known_none
from .operators import compared
from .program import Frame
from .queries import asked_of

TRACER_ERRORS = frozenset(
    """
    TypeError ValueError IndexError TracerBoolConversionError TracerArrayConversionError
    TracerIntegerConversionError ConcretizationTypeError NonConcreteBooleanIndexError JAXTypeError UnexpectedTracerError
    ImportError ModuleNotFoundError AttributeError NameError
    """.split()
)
OTHER_VERSIONS = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})


def hides_tracing(names: Sequence[str], frame: Frame) -> bool:
    """Whether a handler knows what to do where code cannot be traced. One for every error may also be of a function that JAX runs."""
    broad = not names or {"Exception", "BaseException"} & {*names}
    return bool(TRACER_ERRORS & {*names} or broad) and not (broad and frame.direct and frame.trace.staged)


class Conditions(Machine):
    def narrow(self, test: ast.expr, frame: Frame) -> dict[str, Traced]:
        """Forget what is known of variables of which a test asks the type. Returns what was known."""
        kept: dict[str, Traced] = {}
        for name in asked_of(test):
            value = frame.scope.variables.get(name)
            if value is not None and value.kind in (ARRAY, TREE, HOST):
                kept[name] = value
                frame.scope.variables[name] = ANYTHING._replace(identity=value.identity)
        return kept

    def widen(self, kept: dict[str, Traced], frame: Frame) -> None:
        for name, value in kept.items():
            present = frame.scope.variables.get(name)
            if present is not None and present.kind == "unknown" and present.identity == value.identity:
                frame.scope.variables[name] = value

    def matched(self, pattern: ast.pattern, subject: Traced, frame: Frame) -> None:
        """Bind the names of a pattern. A literal in it is compared with the subject."""
        match pattern:
            case ast.MatchValue(value=value):
                other = self.evaluate(value, frame)
                self.emit(Operation, frame, value, "Eq", subject, other)
                found = compared([ast.Eq()], subject, other, self.operator_strength(frame, (subject, other)))
                self.test(value, found, "match", frame)
            case ast.MatchOr(patterns=patterns):
                for each in patterns:
                    self.matched(each, subject, frame)
            case ast.MatchAs(pattern=inner, name=name):
                if inner is not None:
                    self.matched(inner, subject, frame)
                if name is not None:
                    frame.scope.variables[name] = subject
            case _:
                for part in ast.walk(pattern):
                    bound = getattr(part, "name", None) or getattr(part, "rest", None)
                    if isinstance(bound, str):
                        frame.scope.variables[bound] = ANYTHING

    def truth(self, test: ast.expr, frame: Frame) -> bool | None:
        """What a test gives, if that is certain."""
        match test:
            case ast.Constant(value=bool(value)):
                return value
            case ast.Name(id="TYPE_CHECKING"):
                return False
            case ast.Attribute(attr="TYPE_CHECKING"):
                return False
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.truth(operand, frame)
                return None if inner is None else not inner
            case ast.BoolOp(op=operator, values=values):
                decides = isinstance(operator, ast.Or)
                parts = [self.truth(value, frame) for value in values]
                return decides if decides in parts else None if None in parts else not decides
            case ast.Compare(
                left=ast.Name() as left, ops=[ast.Is() | ast.IsNot() as operator], comparators=[ast.Constant(value=None)]
            ):
                none = known_none(self.lookup(left, frame))
                return none if none is None or isinstance(operator, ast.Is) else not none
            case ast.Name():
                found = self.lookup(test, frame)
                if found.kind == NONE:
                    return False
                if found.kind == NUMBER and isinstance(found.constant, bool):
                    return found.constant
        return None
