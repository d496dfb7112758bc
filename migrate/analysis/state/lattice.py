"""The lattice of values, and its join."""

from __future__ import annotations

from collections.abc import Iterable

from ....rules.core import dtypes
from ....rules.core.findings import Kind
from ....rules.facts.values import BIG, NOTHING, OBJECTS, PYTHON, SELECTED, SUBCLASS, UNKNOWN, WIDE, Value, replace

NUMERIC = (Kind.ARRAY, Kind.SCALAR)
SEQUENCES = (Kind.LIST, Kind.TUPLE)
CONTAINERS = (Kind.OBJECT, Kind.UNKNOWN, Kind.LIST, Kind.TUPLE, Kind.DICT)  # what may contain arrays
PARAMETER = "param:"
STATIC_INT = Value(Kind.SCALAR, "int", 0)


def array(dtype: str = "", rank: int = -1, memory: frozenset[str] = NOTHING, deps: frozenset[str] = NOTHING) -> Value:
    """A jax.Array that converted code creates."""
    return Value(Kind.ARRAY, dtype, rank, deps, True, True, memory)


def scalar(dtype: str = "", deps: frozenset[str] = NOTHING, traced: bool = False) -> Value:
    return Value(Kind.SCALAR, dtype, 0, deps, traced)


def join(a: Value, b: Value) -> Value:
    """What is known of a value that may be either."""
    if a == b:
        return a
    if a.kind is Kind.NONE:
        return replace(b, deps=a.deps | b.deps, memory=a.memory | b.memory, holds="", view=None)
    if b.kind is Kind.NONE:
        return replace(a, deps=a.deps | b.deps, memory=a.memory | b.memory, holds="", view=None)
    if a.kind is b.kind:
        kind = a.kind
    elif a.kind in NUMERIC and b.kind in NUMERIC:
        kind = Kind.ARRAY
    else:
        kind = Kind.UNKNOWN
    elements: tuple[Value, ...] | None = None
    if kind is Kind.DICT and a.elements is not None and b.elements is not None:
        elements = (join_all((*a.elements, *b.elements)),) if a.elements or b.elements else ()
    elif a.elements is not None and b.elements is not None and len(a.elements) == len(b.elements):
        elements = tuple(map(join, a.elements, b.elements))
    return Value(
        kind=kind,
        dtype=dtypes.join(a.dtype, b.dtype),
        rank=a.rank if a.rank == b.rank else -1,
        deps=a.deps | b.deps,
        traced=a.traced or b.traced,
        device=a.device and b.device,
        memory=a.memory | b.memory,
        holds=a.holds if a.holds == b.holds else "",
        view=a.view if a.view == b.view else None,
        shape=a.shape if a.shape == b.shape else "",
        origin=a.origin | b.origin,
        number=(kind is Kind.UNKNOWN and a.numeric and b.numeric)
        or (kind is Kind.ARRAY and (a.kind is not b.kind or a.number or b.number)),
        elements=elements,
        name=a.name
        if a.name == b.name
        else next((name for name in (OBJECTS, SUBCLASS, BIG, WIDE) if name in (a.name, b.name)), ""),
        fresh=a.fresh and b.fresh,
        copied=a.copied or b.copied,
        item=a.item or b.item,
        listed=a.listed or b.listed or (kind is Kind.UNKNOWN and (a.kind in SEQUENCES or b.kind in SEQUENCES)),
        nested=a.nested or b.nested,
        weak=a.weak or b.weak,
        either=a.either or b.either or dtypes.is_wider_in_numpy(a.dtype, b.dtype),
    )


def count_of(value: Value) -> Value:
    """The number of elements of an array; that of a mask selection depends on values."""
    if value.name != SELECTED:
        return STATIC_INT
    return replace(STATIC_INT, deps=value.deps, traced=True, name=PYTHON)


def absorbing(joined: Value, a: Value, b: Value) -> Value:
    """The join, in compiled code: combined with a scalar of Python, the other value keeps its dtype."""
    for weak, other in ((a, b), (b, a)):
        if (
            weak.kind is Kind.SCALAR
            and dtypes.is_weak(weak.dtype)
            and not dtypes.is_weak(other.dtype)
            and dtypes.absorbs(other.dtype, weak.dtype)
        ):
            return replace(joined, dtype=other.dtype)
    return joined


def join_all(values: Iterable[Value]) -> Value:
    result: Value | None = None
    for value in values:
        result = value if result is None else join(result, value)
    return UNKNOWN if result is None else result


Env = dict[str, Value]


def join_env(a: Env | None, b: Env | None) -> Env | None:
    """Join two states; None is a point that is never reached. A name that is bound in one of them only stays bound."""
    if a is None:
        return b
    if b is None or a is b:
        return a
    result = dict(a)
    for name, value in b.items():
        mine = result.get(name)
        if mine is None:
            result[name] = value
        elif mine is not value:
            result[name] = join(mine, value)
    return result


def whole(dependence: str) -> str:
    """The parameter that "p", or a part of it, "p[]", refers to."""
    return dependence.removesuffix("[]")


def parameters_in(paths: Iterable[str]) -> frozenset[str]:
    """The parameters among access paths of memory: x of "param:x"."""
    return frozenset(place.removeprefix(PARAMETER) for place in paths if place.startswith(PARAMETER))


def aliased_memory(*objects: Value) -> frozenset[str]:
    """The memory of arrays that were passed to objects, which their attributes may alias. That of a parameter belongs to its
    attributes.
    """
    return NOTHING.union(*(v.memory - {f"{PARAMETER}{v.holds}"} for v in objects if v.kind in CONTAINERS))


def makers(value: Value) -> frozenset[str]:
    """The project functions from whose results a value, or an element of it, is computed."""
    return value.origin.union(*map(makers, value.elements or ()))


def givers(value: Value) -> frozenset[str]:
    """The parameters, and the tokens of loops, that a value depends on or shares memory with."""
    return frozenset(whole(d) for d in value.deps) | parameters_in(value.memory)
