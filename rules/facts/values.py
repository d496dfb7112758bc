"""What the analysis knows about an expression: frozen data, kept in tables beside the syntax."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple, TypeVar

import libcst as cst

from ..core.findings import Kind

NOTHING: frozenset[str] = frozenset()


class View(NamedTuple):
    """A value that is certainly `base` seen through `steps`; `base` is a place such as "x" or "self.w".

    Each step is the syntax of a subscript or of a call or attribute that gives a view. `names` are the variables that the
    steps read: when one of them is bound again, the steps no longer give the same view.
    """

    base: str
    steps: tuple[cst.BaseExpression, ...] = ()
    names: frozenset[str] = NOTHING


class Value(NamedTuple):  # a tuple is made several times faster than a frozen dataclass, and nothing is made as often
    """What is known of one expression's value. Every field has an answer that means "not known".

    `dtype` is a NumPy dtype name, or "int", "float", "complex", "bool" for a Python scalar (weak in JAX and in NumPy 2), or "".
    `rank` is the number of dimensions, or -1.
    `deps`: parameters on whose values (not shapes) it depends; `traced`: made by JAX, so never known when tracing.
    `device`: certainly a jax.Array (or a tracer) after conversion; False means it may be a NumPy array or a Python value.
    `memory` names what the array may share memory with: "param:x", "new:12", "old:12" (the same from an earlier iteration of a
    loop), "attr:self.w", "global:m.T", "?" (anything). A container's memory is that of what it holds.
    `holds`: the parameter whose very array this is. `view`: the place that it is a view of.
    `elements`: the values in a tuple or list display. `name`: the dotted name of a function, class or module; of an
    instance's class for an object. `shape` stands for the shape: two values with the same one have the same shape; "a|b" is what a and b broadcast to. `origin`: project functions whose results it is made of.
    `number`: a number or an array, though it is not known which; it is treated as an array where its kind says so.
    `fresh`: a list or a dict that the unit itself made: what it puts in is nobody else's business.
    `item`: an array that was taken out of another one: a number of NumPy's where that has one dimension.
    `copied`: if it is a list or a dict, one that the unit made of another's items, which both hold.
    `listed`: a list or a tuple on some of the ways that lead here, and something else on others.
    `nested`: a list or a tuple among whose items are lists or tuples.
    `weak`: of 64 bits, and made of Python's numbers: weakly typed in JAX, where it gives way to narrower dtypes.
    `either`: integers on some of the ways that lead here and narrow floats on others, which NumPy makes float64 together, and JAX does not.
    """

    kind: Kind = Kind.UNKNOWN
    dtype: str = ""
    rank: int = -1
    deps: frozenset[str] = NOTHING
    traced: bool = False
    device: bool = False
    memory: frozenset[str] = NOTHING
    holds: str = ""
    view: View | None = None
    elements: tuple[Value, ...] | None = None
    name: str = ""
    shape: str = ""
    origin: frozenset[str] = NOTHING
    number: bool = False
    fresh: bool = False
    copied: bool = False
    item: bool = False
    listed: bool = False
    nested: bool = False
    weak: bool = False
    either: bool = False

    @property
    def numeric(self) -> bool:
        """A number or an array, and no container of Python's."""
        return self.number or self.kind is Kind.ARRAY or self.kind is Kind.SCALAR

    @property
    def static(self) -> bool:
        """Known when JAX traces the function, whatever its parameters hold."""
        return not self.traced and not self.deps


UNKNOWN = Value()
PYTHON = "<python>"  # the name of a number of Python's in NumPy, made by float() or int(), and a float64 or int64 of JAX
DRAWN = "<drawn>"  # the name of a number that was drawn: one of Python's in NumPy, and a float64 or int64 of JAX
STRINGS = "<strings>"  # the name of a list or a tuple that holds text, at any depth
OBJECTS = "<objects>"  # the name of an array of Python objects, and of a list that makes one: `[None] * n`


BITS = "<bits>"  # the name of what `~`, `&` and `|` make of arrays of a dtype that nobody knows: bools, as a rule
SELECTED = "<selected>"  # the name of what a boolean mask selects: only the values tell its length
TOGETHER = "|"  # between the shapes of arrays that meet: the shape that they broadcast to


def covers(mask: Value, array: Value) -> bool:
    """Whether a mask that selects elements of an array certainly has its shape.

    One that is made of the array itself, beside others, has at least as many dimensions, and NumPy takes no more.
    """
    same = bool(array.shape) and {*array.shape.split(TOGETHER)} <= {*mask.shape.split(TOGETHER)}
    return same or (mask.rank >= 0 and mask.rank == array.rank)


def may_be_mask(index: Value) -> bool:
    """What comes from outside, an array of a dtype that nobody knows, or something unknown."""
    return index.kind in (Kind.ARRAY, Kind.UNKNOWN) and not index.dtype and (bool(index.holds) or index.name == BITS)


def holds_objects(value: Value) -> bool:
    """Whether an array that is made of this is one of text, or of other Python objects."""
    inner = value.elements or ()
    return value.name in (OBJECTS, STRINGS) or any(
        v.kind in (Kind.NONE, Kind.DICT, Kind.STRING) or holds_objects(v) for v in inner
    )


T = TypeVar("T")
_POSITIONS = {name: position for position, name in enumerate(Value._fields)}


def replace(made: T, **changes: Any) -> T:
    """The same with some fields changed; a Value of which none changes is the same one."""
    if type(made) is Value:
        return _changed(made, changes)  # type: ignore[arg-type,return-value]  # mypy does not see that T is Value
    if isinstance(made, tuple):
        return made._replace(**changes)  # type: ignore[attr-defined,no-any-return]  # a NamedTuple, which no bound says
    return dataclasses.replace(made, **changes)  # type: ignore[type-var]  # or a dataclass


def _changed(made: Value, changes: dict[str, Any]) -> Value:
    after: list[Any] | None = None  # `_replace` takes twice as long
    for name, value in changes.items():
        position = _POSITIONS[name]
        if made[position] is not value:
            if after is None:
                after = [*made]
            after[position] = value
    return made if after is None else tuple.__new__(Value, after)
