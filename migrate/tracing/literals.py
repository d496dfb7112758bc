"""What literal arguments say: the size of an array, its integers, the form of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from string import Formatter

from ...rules.facts.traced_values import LIST, PLAIN, STATIC, TUPLE, Traced


def integers(value: Traced) -> tuple[int, ...]:
    """The numbers in a list of integers, or in lists of such; none if there is anything else in it."""
    if type(value.constant) is int:
        return (value.constant,)
    if value.kind not in (LIST, TUPLE):
        return ()
    inner = [integers(item) for item in value.items or ()]
    return tuple(number for each in inner for number in each) if all(inner) else ()


def has_specification(template: object) -> bool:
    """Whether a template of `str.format` asks for a form such as `.2f`, for which a value is needed."""
    try:
        return isinstance(template, str) and any(
            specification for _text, _name, specification, _how in Formatter().parse(template)
        )
    except ValueError:  # unbalanced braces
        return False


def host_size(name: str, args: Sequence[Traced], keywords: Mapping[str, Traced]) -> int:
    """The number of elements of an array that NumPy makes, if its shape is literal, else 0."""
    last = name.rpartition(".")[2]
    if last in ("zeros", "ones", "empty", "full") and args:
        return size(args[0])
    if last in ("array", "asarray") and args and args[0].kind in (TUPLE, LIST):
        return len(args[0].items or ())
    if name.startswith("numpy.random."):
        return size(Traced(TUPLE, STATIC, items=tuple(args))) if last in ("rand", "randn") else size(keywords.get("size", PLAIN))
    return 0


def size(shape: Traced) -> int:
    """The number of elements of an array whose shape is literal, else 0."""
    sides = shape.items if shape.kind in (TUPLE, LIST) and shape.items is not None else (shape,)
    numbers = [side.constant for side in sides]
    return prod(number for number in numbers if isinstance(number, int)) if all(type(n) is int for n in numbers) else 0
