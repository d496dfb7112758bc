"""What the header of a loop iterates over, as written: a range, the rows of arrays, or several of these together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

FUNCTIONS = {
    "builtins.range": "range",
    "builtins.enumerate": "enumerate",
    "builtins.zip": "zip",
    "builtins.reversed": "reversed",
    "itertools.product": "product",
    "numpy.ndindex": "ndindex",
}


@dataclass(frozen=True, slots=True)
class IterationSpace:
    """The values that `target` takes in `for target in iterable`; a part of a `zip` has its own space.

    `function`: "range", "enumerate", "zip", "reversed", "product", "ndindex", or "items" of a dict; "" for anything else, such as
    an array.
    `target`: None where a part has no target, or the tuple of targets has another length.
    `start`, `stop`, `step`: the arguments of a range as written; `start` of `enumerate`, too.
    `counter`: the target of the counts of `enumerate`.
    `parts`: what the function iterates over. There are no parts, or no `stop`, where its arguments are starred or do not match.
    """

    iterable: cst.BaseExpression
    target: cst.BaseExpression | None = None
    function: str = ""
    start: cst.BaseExpression | None = None
    stop: cst.BaseExpression | None = None
    step: cst.BaseExpression | None = None
    counter: cst.BaseExpression | None = None
    parts: tuple[IterationSpace, ...] = ()

    @property
    def range(self) -> IterationSpace | None:
        """The range, in `range(...)` and `reversed(range(...))`."""
        inner = self.parts[0] if self.function == "reversed" and self.parts else self
        return inner if inner.function == "range" and inner.stop is not None else None

    @property
    def is_range(self) -> bool:
        """Whether it is a range in forward order."""
        return self.range is self

    @property
    def bounds(self) -> tuple[cst.BaseExpression, ...]:
        """The arguments of a range."""
        return tuple(part for part in (self.start, self.stop, self.step) if part is not None)

    @property
    def index(self) -> str:
        """The variable that counts the iterations: the target of a range, or the counter of `enumerate`; "" where there is
        none."""
        counter = self.target if self.range is not None else self.counter
        return counter.value if isinstance(counter, cst.Name) else ""

    @property
    def first(self) -> int | None:
        """The first number of a range or of `enumerate`, None where it is not a literal."""
        return 0 if self.start is None else integer(self.start)

    @property
    def stride(self) -> int | None:
        """The step of a range, None where it is not a literal."""
        return 1 if self.step is None else integer(self.step) or None

    @property
    def leaves(self) -> Iterator[IterationSpace]:
        """The arrays and ranges that are iterated over together: the operands of `zip` and `enumerate`, in their order."""
        if self.function not in ("zip", "enumerate"):
            yield self
        for part in self.parts if self.function in ("zip", "enumerate") else ():
            yield from part.leaves


def iteration_space(
    target: cst.BaseExpression | None, iterable: cst.BaseExpression, qualname: Callable[[cst.CSTNode], str | None]
) -> IterationSpace:
    """What `for target in iterable` iterates over. `qualname`: the dotted name to which a name refers."""
    if not isinstance(iterable, cst.Call):
        return IterationSpace(iterable, target)
    function = FUNCTIONS.get(qualname(iterable.func) or "", "")
    given = [a.value for a in iterable.args if a.keyword is None and not a.star]
    fits = len(given) == len(iterable.args)
    elements = [e.value for e in target.elements] if isinstance(target, (cst.Tuple, cst.List)) else []

    def part(iterated: cst.BaseExpression, of: cst.BaseExpression | None) -> IterationSpace:
        return iteration_space(of, iterated, qualname)

    match function, given:
        case "range", [stop] if fits:
            return IterationSpace(iterable, target, function, stop=stop)
        case "range", [start, stop] | [start, stop, _] if fits:
            return IterationSpace(iterable, target, function, start, stop, given[2] if len(given) == 3 else None)
        case "enumerate", [counted, *_]:
            first = given[1] if len(given) > 1 else next((a.value for a in iterable.args if _is_start(a)), None)
            if len(iterable.args) == (1 if first is None else 2):
                counter, inner = elements if len(elements) == 2 else (None, None)
                return IterationSpace(iterable, target, function, first, counter=counter, parts=(part(counted, inner),))
        case "reversed", [inner] if fits:
            return IterationSpace(iterable, target, function, parts=(part(inner, target),))
        case "ndindex", _ if fits:
            return IterationSpace(iterable, target, function, parts=tuple(map(IterationSpace, given)))
        case "zip" | "product", _ if fits or (function == "product" and _repeat(iterable) is not None):
            given = given if fits else given * (_repeat(iterable) or 0)
            targets = elements if len(elements) == len(given) else [None] * len(given)
            parts = tuple(part(each, of) for each, of in zip(given, targets, strict=True))
            return IterationSpace(iterable, target, function, parts=parts)
    match iterable:
        case cst.Call(func=cst.Attribute(value=held, attr=cst.Name(value="items")), args=[]):
            return IterationSpace(iterable, target, "items", parts=(IterationSpace(held),))
    return IterationSpace(iterable, target, function)


def _repeat(product: cst.Call) -> int | None:
    """The number in `product(..., repeat=2)`, None in any other call with keywords or starred arguments."""
    match [a for a in product.args if a.keyword is not None or a.star]:
        case [cst.Arg(keyword=cst.Name(value="repeat"), value=cst.Integer() as number)]:
            return number.evaluated_value
    return None


def _is_start(argument: cst.Arg) -> bool:
    return argument.keyword is not None and argument.keyword.value == "start"


def integer(node: cst.CSTNode) -> int | None:
    """The value of an integer literal, possibly negative; None for anything else."""
    match node:
        case cst.Integer():
            return node.evaluated_value
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as inner):
            return -inner.evaluated_value
    return None
