"""The identities of random keys, through the arguments of functions and the parts of tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...rules.facts.traced_values import ARRAY, DICT, INSTANCE, LIST, TREE, TUPLE, UNKNOWN, Traced
from .machine import UNISON

PARTS = (TUPLE, LIST, DICT, INSTANCE)  # kinds whose parts have identities of their own


def anonymous(value: Traced) -> Traced:
    """A value without the identities of random keys."""
    if value.items is not None and value.kind in PARTS:
        return value._replace(identity=None, items=tuple(map(anonymous, value.items)))
    return value._replace(identity=None, constant=None) if value.identity is not None else value


def identified(value: Traced, identity: object) -> Traced:
    """A value whose parts have identities that tell where they come from."""
    if value.items is not None and value.kind in PARTS:
        items = tuple(identified(item, (identity, place)) for place, item in enumerate(value.items))
        return value._replace(items=items)
    return value._replace(identity=identity) if value.kind in (UNKNOWN, TREE, ARRAY) else value


def path(identity: object) -> tuple[int | str, ...]:
    """The way from a parameter to the key that was taken from it: indices, and keys of dicts."""
    found: list[int | str] = []
    while isinstance(identity, tuple):
        identity, place = identity
        found.append(place)
    return tuple(found[::-1])


def named(identity: object) -> bool:
    """Whether a key was taken from a dict by its name, and so may be renewed in place."""
    return any(isinstance(part, str) for part in path(identity))


def identity_at(value: Traced, way: tuple[int | str, ...]) -> object:
    for step, part in enumerate(way):
        place = part if isinstance(part, int) else value.keys.index(part) if part in value.keys else len(value.keys)
        if value.items is None or place >= len(value.items):
            if value.identity is None:
                return None
            found: object = value.identity
            for rest in way[step:]:
                found = (found, rest)
            return found
        value = value.items[place]
    return value.identity if value.kind in (ARRAY, TREE, UNKNOWN) else None


def translated(value: Traced, given: Mapping[int, Traced | None], first: int, fresh: Callable[[], int]) -> Traced:
    """What a call returns, with the identities of the caller: the run of a function may be that of an earlier call.
    `given`: the arguments by the identities of the parameters; `first`: smaller identities come from outside of the function."""
    made: dict[object, int] = {}

    def new(identity: object) -> object:
        way, number = path(identity), identity
        while isinstance(number, tuple):
            number = number[0]
        if not isinstance(number, int) or number < first:
            return identity
        argument = given.get(number)
        if number in given:
            return identity_at(argument, way) if argument is not None else None
        found: object = made.setdefault(number, fresh())
        for place in way:
            found = (found, place)
        return found

    def of(each: Traced) -> Traced:
        items = tuple(map(of, each.items)) if each.items is not None and each.kind in PARTS else each.items
        if each.identity is not None:
            return each._replace(identity=new(each.identity), items=items)
        return each._replace(items=items) if items is not each.items else each

    return of(value)


def unison(identity: object) -> bool:
    """Whether a key was used by a function that may use it several times."""
    return isinstance(identity, tuple) and identity[1] == UNISON
