"""What the analysis knows about an expression: frozen data, stored in tables separate from the syntax."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple, TypeVar

import libcst as cst

from ..core.findings import Kind

NOTHING: frozenset[str] = frozenset()


class View(NamedTuple):
    """A value that is certainly `base` seen through `steps`; `base` is an access path such as "x" or "self.w".

    Each step is the syntax of a subscript, or of a call or attribute that returns a view. `names` are the variables that the
    steps read: when one of them is rebound, the steps no longer return the same view.
    """

    base: str
    steps: tuple[cst.BaseExpression, ...] = ()
    names: frozenset[str] = NOTHING


class Value(NamedTuple):  # a tuple: several times faster to create than a frozen dataclass, and created most of all
    """What is known about the value of one expression. Every field has a value that means "not known".

    `dtype`: the name of a NumPy dtype, or "int", "float", "complex", "bool" for a Python scalar (weak in JAX and in NumPy 2), or
    "".
    `rank`: the number of dimensions, or -1.
    `deps`: the parameters on whose values (not shapes) it depends. `traced`: computed by JAX, so never static.
    `device`: certainly a jax.Array (or a tracer) after conversion; False means that it may be a NumPy array or a Python value.
    `memory`: what the array may share memory with: "param:x", "new:12", "old:12" (the same from an earlier iteration of a loop),
    "attr:self.w", "global:m.T", "?" (anything). The memory of a container is that of its items.
    `holds`: the parameter whose very array this is. `view`: the access path and the steps of which it is a view.
    `elements`: the values in a tuple or list display.
    `name`: the dotted name of a function, class or module; for an object, that of its class.
    `shape`: a symbol for the shape: two values with the same symbol have the same shape; "a|b" is the shape to which a and b
    broadcast.
    `origin`: the project functions from whose results it is computed.
    `number`: a scalar or an array, though it is not known which; it is treated as an array where its kind says so.
    `fresh`: a list or a dict that the unit itself created: what is stored into it stays inside the unit.
    `item`: an array that was selected from another one: a NumPy scalar where that has one dimension.
    `copied`: if it is a list or a dict, one that the unit created from the items of another one: both contain them.
    `listed`: a list or a tuple on some of the paths that lead here, and something else on others.
    `nested`: a list or a tuple some of whose items are lists or tuples.
    `weak`: of 64 bits, and computed from Python scalars: weakly typed in JAX, where narrower dtypes take precedence.
    `either`: integers on some of the paths that lead here and narrow floats on others, which NumPy promotes to float64, and JAX
    does not.
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
        """Whether it is a scalar or an array, and no Python container."""
        return self.number or self.kind is Kind.ARRAY or self.kind is Kind.SCALAR

    @property
    def static(self) -> bool:
        """Whether it is known when JAX traces the function, whatever its arguments are."""
        return not self.traced and not self.deps


UNKNOWN = Value()
PYTHON = "<python>"  # the name of a scalar made by float() or int(): a Python one in NumPy, a float64 or int64 in JAX
DRAWN = "<drawn>"  # the name of a scalar that was drawn: a Python one in NumPy, a float64 or int64 in JAX
BIG = "<big>"  # the name of an integer of more than 64 bits, which Python has and JAX does not
WIDE = "<wide>"  # the name of a constant of more than 32 bits that is no power of two: products modulo it may need more than 64
SUBCLASS = "<subclass>"  # the name of a masked array, or a matrix
STRINGS = "<strings>"  # the name of a list or a tuple that contains strings, at any depth
OBJECTS = "<objects>"  # the name of an array of what JAX has no dtype for, such as Python objects, and of a list that becomes one: `[None] * n`


BITS = "<bits>"  # the name of the result of `~`, `&` and `|` on arrays of unknown dtype: bools, as a rule
SELECTED = "<selected>"  # the name of what a boolean mask selects: its length depends on the values
LITERAL = "("  # how the symbol for a known shape begins
TOGETHER = "|"  # joins the shapes of operands: the shape to which they broadcast


def of_length(count: int, rest: str) -> str:
    """The symbol for the shape of an array of this length. `rest`: a symbol for the shape of its items, "" for numbers."""
    return f"{LITERAL}{count},{rest})"


def length_of(shape: str) -> str:
    """The length, from such a symbol."""
    return shape.partition(",")[0].removeprefix(LITERAL)


def lengths_differ(one: str, other: str) -> bool:
    """Whether two symbols certainly are for shapes that differ in the first dimension."""
    known = all(shape.startswith(LITERAL) and TOGETHER not in shape for shape in (one, other))
    return known and length_of(one) != length_of(other)


def covers(mask: Value, array: Value) -> bool:
    """Whether a mask that selects elements of an array certainly has its shape.

    A mask computed from the array and other operands has at least as many dimensions, and NumPy accepts no more.
    """
    same = bool(array.shape) and {*array.shape.split(TOGETHER)} <= {*mask.shape.split(TOGETHER)}
    return same or (mask.rank >= 0 and mask.rank == array.rank)


def parameter_of(value: Value) -> str:
    """The parameter that a value is, or of which it is a part where neither is known to be an array: `x[1:]` of a list is one."""
    memory = "".join(value.memory) if len(value.memory) == 1 and value.kind is Kind.UNKNOWN else ""
    return value.holds or (memory.removeprefix("param:") if memory.startswith("param:") else "")


def may_be_mask(index: Value) -> bool:
    """Whether an index may be a mask: it is a parameter, an array of unknown dtype, or unknown."""
    return index.kind in (Kind.ARRAY, Kind.UNKNOWN) and not index.dtype and (bool(index.holds) or index.name == BITS)


def holds_objects(value: Value) -> bool:
    """Whether an array created from this is one of strings, or of other Python objects."""
    inner = value.elements or ()
    return value.name in (OBJECTS, STRINGS) or any(
        v.kind in (Kind.NONE, Kind.DICT, Kind.STRING) or holds_objects(v) for v in inner
    )


T = TypeVar("T")
_POSITIONS = {name: position for position, name in enumerate(Value._fields)}


def replace(made: T, **changes: Any) -> T:
    """A copy with some fields changed; a Value of which none changes is returned itself."""
    if type(made) is Value:
        return _changed(made, changes)  # type: ignore[arg-type,return-value]  # mypy does not infer that T is Value
    if isinstance(made, tuple):
        return made._replace(**changes)  # type: ignore[attr-defined,no-any-return]  # T is a NamedTuple
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
