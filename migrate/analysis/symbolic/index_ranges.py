"""The values of a loop's indices, as affine forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from ....rules.facts.iteration_space import IterationSpace
from ..state.access_paths import path_of
from .affine import Affine, atom, size


@dataclass(frozen=True, slots=True)
class Range:
    """The values of a loop's index: `start`, `start + step`, ... up to `stop` (exclusive); each bound is None where it is not
    affine.
    """

    index: str
    start: Affine | None
    stop: Affine | None
    step: int = 1

    @property
    def minimum(self) -> Affine | None:
        """A lower bound of the index."""
        return self.start if self.step > 0 else None if self.stop is None else self.stop + 1

    @property
    def maximum(self) -> Affine | None:
        """An upper bound of the index."""
        return self.start if self.step < 0 else None if self.stop is None else self.stop - 1

    @property
    def facts(self) -> tuple[Affine, ...]:
        """What holds in every iteration: forms that are at least 0."""
        index = atom(self.index)
        low = () if self.minimum is None else (index - self.minimum,)
        return low if self.maximum is None else (*low, self.maximum - index)


def ranges(space: IterationSpace, form: Callable[[cst.BaseExpression], Affine | None]) -> tuple[Range, ...]:
    """The ranges of the indices that a loop binds; empty where none of them is understood."""
    if space.is_range:
        return _counted(space, form)
    match space.function:
        case "reversed":
            return tuple(reverse(r) for part in space.parts for r in ranges(part, form))
        case "enumerate" if space.parts and space.counter is not None:
            (inner,) = space.parts
            first = Affine() if space.start is None else form(space.start)
            length = _length(inner.iterable, form)
            stop = None if first is None or length is None else first + length
            return (*((Range(space.index, first, stop),) if space.index else ()), *ranges(inner, form))
        case "zip" | "product":
            return tuple(r for part in space.parts for r in ranges(part, form))
        case "ndindex":
            return _grid(space, form)
    return ()


def _counted(space: IterationSpace, form: Callable[[cst.BaseExpression], Affine | None]) -> tuple[Range, ...]:
    if not space.index or space.stop is None:
        return ()
    step = None if space.step is None else getattr(form(space.step), "number", None)
    if space.step is not None and not step:
        return ()  # the sign of the step is unknown
    start = Affine() if space.start is None else form(space.start)
    return (Range(space.index, start, form(space.stop), step or 1),)


def _grid(space: IterationSpace, form: Callable[[cst.BaseExpression], Affine | None]) -> tuple[Range, ...]:
    """`np.ndindex(a, b)`, `np.ndindex((a, b))`, `np.ndindex(x.shape)`, `np.ndindex(*x.shape)`."""
    parts = [e.value for e in space.target.elements] if isinstance(space.target, (cst.Tuple, cst.List)) else []
    arguments = [part.iterable for part in space.parts]
    if len(arguments) == 1 and isinstance(arguments[0], cst.Tuple):
        arguments = [e.value for e in arguments[0].elements]
    stops: list[Affine | None] = [form(a) for a in arguments]
    if len(arguments) == 1 and (array := shape_of(arguments[0])) is not None:
        stops = [atom(size(array, k)) for k in range(len(parts))]
    if len(stops) != len(parts):
        return ()
    return tuple(Range(p.value, Affine(), s) for p, s in zip(parts, stops, strict=True) if isinstance(p, cst.Name))


def shape_of(node: cst.BaseExpression) -> str | None:
    """The array whose shape an expression is."""
    match node:
        case cst.Attribute(value=base, attr=cst.Name(value="shape")):
            return path_of(base)
    return None


def _length(iterable: cst.BaseExpression, form: Callable[[cst.BaseExpression], Affine | None]) -> Affine | None:
    return form(cst.Call(cst.Name("len"), [cst.Arg(iterable)]))


def reverse(of: Range) -> Range:
    """The same values in reverse order."""
    away = 1 if of.step > 0 else -1
    stop = None if of.start is None else of.start - away
    if of.start is None or of.stop is None:
        return Range(of.index, None if of.stop is None or abs(of.step) > 1 else of.stop - away, stop, -of.step)
    count = (of.stop - of.start).number
    if abs(of.step) == 1:
        return Range(of.index, of.stop - away, stop, -of.step)
    if count is None:  # the last value is unknown
        return Range(of.index, None, stop, -of.step)
    iterations = max(0, -(-count * away // abs(of.step)))
    return Range(of.index, of.start + (iterations - 1) * of.step, stop, -of.step)
