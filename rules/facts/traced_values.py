"""What the analysis of JAX code knows about a value: what it is, and whether JAX traces it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

# How certainly a value is a tracer, and of which kind. LINEAR: a tracer of `grad` alone, whose value is known, so that Python may
# branch on it. ABSTRACT: a tracer without a value, as under `jit`, `vmap` and `scan`.
STATIC, MAYBE, LINEAR, ABSTRACT = range(4)

UNKNOWN = "unknown"
ARRAY = "array"
TREE = "tree"  # a pytree of arrays: an array, or a container of arrays, or an object that is registered as one
NUMBER = "number"
TEXT = "text"
NONE = "none"
TUPLE = "tuple"
LIST = "list"
DICT = "dict"
SET = "set"
FUNCTION = "function"  # of the project; `what` is a Closure
TRANSFORMED = "transformed"  # the result of `jit(f)`; `what` says of which function and how
EXTERNAL = "external"  # a module, a function or a class of a library: `name`
CLASS = "class"  # of the project
INSTANCE = "instance"  # of a class of the project
MODULE = "module"  # of the project
HOST = "host"  # a NumPy array
ITERATOR = "iterator"  # of which `what` is an element
GENERATOR = "generator"  # of random numbers of NumPy or Python

CONTAINERS = frozenset({TUPLE, LIST, DICT})
MUTABLE = frozenset({LIST, DICT, SET})
CALLABLE = frozenset({FUNCTION, TRANSFORMED, EXTERNAL, CLASS})


class Traced(NamedTuple):
    """One abstract value.

    `items`: the elements of a tuple, a list or a dict, None if they are not known; `keys`: those of a dict, or the fields of an
    instance. `level`: how many transformations surrounded the place where it was made. `identity`: equal for values that are
    certainly the same random key. `constant`: the value of a literal.
    """

    kind: str = UNKNOWN
    tracer: int = MAYBE
    name: str = ""
    items: tuple[Traced, ...] | None = None
    keys: tuple[str, ...] = ()
    what: Any = None
    level: int = 0
    identity: Hashable = None
    constant: Any = None
    floating: bool = False  # certainly an array of jax.numpy, not a pytree that happens to be one
    elements: int = 0  # of an array whose shape is literal
    dtype: str = (
        ""  # of an array: the name of a dtype, which no weak type changes; "int", "float", "bool" or "inexact" (of any size)
    )

    @property
    def abstract(self) -> bool:
        """Certainly a tracer without a value."""
        return self.tracer == ABSTRACT and self.kind in (ARRAY, TREE)

    @property
    def traced(self) -> bool:
        """Certainly a tracer."""
        return self.tracer >= LINEAR and self.kind in (ARRAY, TREE)

    @property
    def has_abstract(self) -> bool:
        """Whether it is a tracer without a value, or a tuple or a list that holds one."""
        return self.abstract or (self.kind in (TUPLE, LIST) and any(item.has_abstract for item in self.elements_known))

    @property
    def has_traced(self) -> bool:
        return self.traced or (self.kind in CONTAINERS and any(item.has_traced for item in self.elements_known))

    @property
    def elements_known(self) -> tuple[Traced, ...]:
        """The elements of a container, or one that stands for all of a tuple of any length."""
        if self.items is None and self.kind == TUPLE and isinstance(self.what, Traced):
            return (self.what,)
        return self.items or ()


ASKED = "asked"  # the name of a truth value that tells the type of something
SELECTED = "selected"  # the name of a set that an operator makes
UNORDERED = "unordered"  # of a list: its order is that of a set
ANYTHING = Traced()
NOTHING = Traced(NONE, STATIC)
PLAIN = Traced(UNKNOWN, STATIC)  # some value that is certainly no tracer
INTEGER = Traced(NUMBER, STATIC)
TEXTS = Traced(TEXT, STATIC)


def joined(one: Traced, other: Traced) -> Traced:
    """What is known of a value that is one or the other."""
    if one == other:
        return one
    tracer = one.tracer
    if one.tracer != other.tracer:
        tracer = min(one.tracer, other.tracer) if min(one.tracer, other.tracer) >= LINEAR else MAYBE
    if one.kind == other.kind:
        items = None
        if one.items is not None and other.items is not None and len(one.items) == len(other.items) and one.keys == other.keys:
            items = tuple(joined(a, b) for a, b in zip(one.items, other.items, strict=True))
        same = {
            name: value for name in ("what", "name", "identity", "dtype") if (value := getattr(one, name)) == getattr(other, name)
        }
        if one.kind in (FUNCTION, TRANSFORMED, EXTERNAL, CLASS, INSTANCE, MODULE) and "what" not in same:
            return ANYTHING
        if one.kind == EXTERNAL and one.name != other.name:
            return ANYTHING
        types = {type(value.constant).__name__ if value.constant is not None else value.name for value in (one, other)}
        if one.kind == NUMBER and len(types) == 1:
            same["name"] = types.pop()
        level = max(one.level, other.level)
        return Traced(one.kind, tracer, items=items, keys=one.keys if items is not None else (), level=level, **same)
    if {one.kind, other.kind} == {ARRAY, TREE}:
        return Traced(TREE, tracer, level=max(one.level, other.level))
    if one.tracer == other.tracer == STATIC:
        return PLAIN
    return ANYTHING


def weaker(value: Traced) -> Traced:
    """The same value, when a test has asked what it is: no longer certainly a tracer."""
    return value._replace(tracer=MAYBE, items=None, keys=()) if value.tracer >= LINEAR else value


def is_unordered(value: Traced) -> bool:
    """Whether it is a set of texts, or a list of one, whose order differs from one process to the next. That of numbers does not."""
    return value.what == UNORDERED or (value.kind == SET and isinstance(value.what, Traced) and value.what.kind == TEXT)
