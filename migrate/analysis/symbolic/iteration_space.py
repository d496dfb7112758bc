"""Iteration spaces: which values the indices of a loop take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from ..state.access_paths import path_of
from .affine import Affine, atom, size


@dataclass(frozen=True, slots=True)
class Range:
    """The values of a loop's index: `start`, `start + step`, ... before `stop`, each None where it is no linear form."""

    index: str
    start: Affine | None
    stop: Affine | None
    step: int = 1

    @property
    def least(self) -> Affine | None:
        """A bound that no value of the index lies below."""
        return self.start if self.step > 0 else None if self.stop is None else self.stop + 1

    @property
    def greatest(self) -> Affine | None:
        """A bound that no value of the index exceeds."""
        return self.start if self.step < 0 else None if self.stop is None else self.stop - 1

    @property
    def facts(self) -> tuple[Affine, ...]:
        """What holds in every turn: forms that are at least 0."""
        index = atom(self.index)
        low = () if self.least is None else (index - self.least,)
        return low if self.greatest is None else (*low, self.greatest - index)


def ranges(
    target: cst.BaseExpression,
    iterable: cst.BaseExpression,
    qualname: Callable[[cst.CSTNode], str | None],
    form: Callable[[cst.BaseExpression], Affine | None],
) -> tuple[Range, ...]:
    """The ranges of the indices that `for target in iterable` binds; empty where it binds none that are understood."""
    if not isinstance(iterable, cst.Call):
        return ()
    name = qualname(iterable.func) or ""
    arguments = [a.value for a in iterable.args if a.keyword is None and not a.star]
    parts = [e.value for e in target.elements] if isinstance(target, (cst.Tuple, cst.List)) else []
    if name == "builtins.range" and isinstance(target, cst.Name):
        return _counted(target.value, arguments, form)
    if name == "builtins.reversed" and arguments:
        return tuple(reverse(r) for r in ranges(target, arguments[0], qualname, form))
    if name == "builtins.enumerate" and len(parts) == 2 and arguments:
        start = _keyword(iterable, "start", arguments, 1)
        first = Affine() if start is None else form(start)
        length = _length(arguments[0], form)
        index = parts[0]
        inner = ranges(parts[1], arguments[0], qualname, form)
        stop = None if first is None or length is None else first + length
        return (*((Range(index.value, first, stop),) if isinstance(index, cst.Name) else ()), *inner)
    if name == "builtins.zip" and len(parts) == len(arguments):
        return tuple(r for p, a in zip(parts, arguments, strict=True) for r in ranges(p, a, qualname, form))
    if name == "itertools.product" and len(parts) == len(arguments) == len(iterable.args):
        return tuple(r for p, a in zip(parts, arguments, strict=True) for r in ranges(p, a, qualname, form))
    if name == "numpy.ndindex" and arguments:
        return _grid(parts, arguments, form)
    return ()


def _counted(
    index: str, arguments: list[cst.BaseExpression], form: Callable[[cst.BaseExpression], Affine | None]
) -> tuple[Range, ...]:
    step = form(arguments[2]).number if len(arguments) == 3 and form(arguments[2]) is not None else None  # type: ignore[union-attr]
    if len(arguments) == 3 and not step:
        return ()  # nobody knows which of the bounds is the greater one
    start = Affine() if len(arguments) == 1 else form(arguments[0])
    stop = form(arguments[0 if len(arguments) == 1 else 1])
    return (Range(index, start, stop, step or 1),)


def _grid(
    parts: list[cst.BaseExpression], arguments: list[cst.BaseExpression], form: Callable[[cst.BaseExpression], Affine | None]
) -> tuple[Range, ...]:
    """`np.ndindex(a, b)`, `np.ndindex((a, b))`, `np.ndindex(x.shape)`, `np.ndindex(*x.shape)`."""
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


def _keyword(call: cst.Call, name: str, arguments: list[cst.BaseExpression], position: int) -> cst.BaseExpression | None:
    given = next((a.value for a in call.args if a.keyword is not None and a.keyword.value == name), None)
    return arguments[position] if given is None and len(arguments) > position else given


def reverse(of: Range) -> Range:
    """The same values in the opposite order."""
    away = 1 if of.step > 0 else -1
    stop = None if of.start is None else of.start - away
    if of.start is None or of.stop is None:
        return Range(of.index, None if of.stop is None or abs(of.step) > 1 else of.stop - away, stop, -of.step)
    count = (of.stop - of.start).number
    if abs(of.step) == 1:
        return Range(of.index, of.stop - away, stop, -of.step)
    if count is None:  # nobody knows which value is the last
        return Range(of.index, None, stop, -of.step)
    turns = max(0, -(-count * away // abs(of.step)))
    return Range(of.index, of.start + (turns - 1) * of.step, stop, -of.step)
