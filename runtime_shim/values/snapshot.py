"""The state of a value as plain data, which can be stored, sent and compared without its class."""

from __future__ import annotations

import enum
import functools
import pathlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

MOST_NODES = 200_000  # a larger structure is not replayed as an argument
DEEPEST = 60
MOST_OBJECTS = 100  # elements of an array of Python objects, such as None for what is not measured yet


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """A copy of an array or scalar of NumPy or JAX.

    `origin`: "ndarray", "scalar" (np.float64(1.0)) or "jax". Arrays with the same nonzero `ident` were one object.
    """

    data: np.ndarray[Any, Any]
    origin: str = "ndarray"
    ident: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """Any other value: a container, an instance, a value found by name, or one that cannot be stored ("opaque").

    `name`: the class, the location by which it is found, or why it cannot be stored. `items`: the elements; for a dict
    alternating keys and values, for an instance alternating names and values.
    """

    kind: str
    name: str = ""
    items: tuple[Snapshot, ...] = ()
    ident: int = 0


Snapshot: TypeAlias = "bool | int | float | complex | str | bytes | Array | Node | None"
Locate: TypeAlias = Callable[[Any], "str | None"]  # a class or function -> its location
Find: TypeAlias = Callable[[str], Any]

PLAIN = (type(None), bool, int, float, complex, str, bytes)
CONTAINERS: Mapping[type, str] = {tuple: "tuple", list: "list", set: "set", frozenset: "frozenset"}
# The contents of instances of these are not in their attributes.
HIDDEN = (list, tuple, set, frozenset, int, float, complex, str, bytes, bytearray, np.ndarray, BaseException)
BAGS = ("argparse:Namespace", "types:SimpleNamespace")  # library classes that consist of attributes only
BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


class Freezer:
    """Takes snapshots; an object that occurs in several of them has the same `ident`.

    Inside one snapshot, a second occurrence of a container is a "ref" to the first, so that cycles end.
    """

    def __init__(self, locate: Locate) -> None:
        self.locate = locate
        self.seen: dict[int, tuple[Any, int]] = {}  # retains the object, so that its id is not reused
        self.placed: set[int] = set()
        self.nodes = 0

    def take_snapshot(self, value: Any) -> Snapshot:
        """The snapshot of `value`; arrays are copied. A value that cannot be stored becomes an "opaque" node that says why."""
        self.placed = set()
        self.nodes = 0
        return self._snapshot(value, 0)

    def _snapshot(self, value: Any, depth: int) -> Snapshot:
        self.nodes += 1
        if type(value) in PLAIN:
            return value  # type: ignore[no-any-return]
        if depth > DEEPEST or self.nodes > MOST_NODES:
            return Node("opaque", "a structure that is too large")
        if isinstance(value, np.generic):
            return opaque(value) if value.dtype.hasobject else Array(np.array(value), "scalar")
        if type(value) in (np.ndarray, np.memmap):
            return (
                self._snapshot_objects(value, depth)
                if value.dtype.hasobject
                else Array(np.array(value), ident=self._ident(value))
            )
        if is_jax(value):
            return self._snapshot_jax(value)
        if is_jax_ufunc(value):
            return Node("global", f"jax.numpy:{value.__name__}")
        if isinstance(value, enum.Enum | type | types.FunctionType | types.BuiltinFunctionType | np.ufunc | types.ModuleType) or (
            callable(value) and hasattr(value, "__wrapped__")
        ):
            return self._snapshot_named(value)
        return self._snapshot_structure(value, depth)

    def _ident(self, value: Any) -> int:
        return self.seen.setdefault(id(value), (value, len(self.seen) + 1))[1]

    def _snapshot_jax(self, value: Any) -> Snapshot:
        import jax

        if isinstance(value, jax.core.Tracer):
            return Node("opaque", "a tracer that leaked out of jit")
        if value.is_deleted():
            return Node("opaque", "a donated array")
        if jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key):
            return Node("key", items=(Array(np.array(jax.random.key_data(value)), "jax"),))
        return Array(np.array(value), "jax", self._ident(value))

    def _snapshot_named(self, value: Any) -> Snapshot:
        if isinstance(value, enum.Enum):
            where = self.locate(type(value))
            return Node("enum", where, (value.name,)) if where else opaque(value)
        if isinstance(value, types.ModuleType):
            return Node("module", value.__name__)
        where = self.locate(value)
        if where:
            return Node("global", where)
        return Node("opaque", f"the function or class {getattr(value, '__qualname__', '?')}, which cannot be found by name")

    def _snapshot_structure(self, value: Any, depth: int) -> Snapshot:
        kind = type(value)
        if id(value) in self.placed:
            return Node("ref", ident=self._ident(value))
        if kind in (slice, range):
            return Node(
                kind.__name__, items=tuple(self._snapshot(part, depth + 1) for part in (value.start, value.stop, value.step))
            )
        if value is Ellipsis:
            return Node("ellipsis")
        if isinstance(value, np.dtype):
            return opaque(value) if value.hasobject or value.fields else Node("dtype", value.str)
        if isinstance(value, pathlib.PurePath):
            return Node("path", str(value))
        if isinstance(value, np.random.Generator | np.random.RandomState):
            return self._snapshot_generator(value, depth)
        if kind is tuple:
            return Node("tuple", items=tuple(self._snapshot(item, depth + 1) for item in value))
        ident = self._ident(value)
        self.placed.add(id(value))
        if kind in CONTAINERS:
            return Node(CONTAINERS[kind], items=tuple(self._snapshot(item, depth + 1) for item in value), ident=ident)
        if isinstance(value, dict):
            return self._snapshot_dict(value, depth, ident)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            where = self.locate(kind)
            pairs = zip(value._fields, value, strict=True)
            return Node("namedtuple", where, self._pairs(pairs, depth), ident) if where else opaque(value)
        if kind is functools.partial:
            parts = (value.func, value.args, value.keywords)
            return Node("partial", items=tuple(self._snapshot(part, depth + 1) for part in parts), ident=ident)
        return self._snapshot_instance(value, depth, ident)

    def _snapshot_objects(self, value: np.ndarray[Any, Any], depth: int) -> Snapshot:
        if value.dtype != object or value.size > MOST_OBJECTS:
            return opaque("an array of Python objects")
        shape = "x".join(map(str, value.shape))
        return Node("objects", shape, tuple(self._snapshot(item, depth + 1) for item in value.flat), self._ident(value))

    def _snapshot_dict(self, value: dict[Any, Any], depth: int, ident: int) -> Snapshot:
        name = "" if type(value) is dict else f"{type(value).__module__}:{type(value).__qualname__}"
        if name not in ("", "collections:OrderedDict", "collections:defaultdict"):
            return opaque(value)
        return Node("dict", name, self._pairs(value.items(), depth), ident)

    def _snapshot_generator(self, value: Any, depth: int) -> Snapshot:
        new_style = isinstance(value, np.random.Generator)
        bits = value.bit_generator if new_style else value._bit_generator
        state = bits.state if new_style else value.get_state(legacy=False)  # includes a cached normal draw
        if type(bits).__name__ not in BIT_GENERATORS:
            return opaque(value)
        name = f"{'Generator' if new_style else 'RandomState'}:{type(bits).__name__}"
        return Node("random", name, (self._snapshot(state, depth + 1),), self._ident(value))

    def _snapshot_instance(self, value: Any, depth: int, ident: int) -> Snapshot:
        if isinstance(value, Iterator):
            return Node("opaque", f"a {type(value).__name__}, which can be read only once")
        where = self.locate(type(value))
        # An instance of a library class may contain anything (a figure, a connection): only the project's own are traversed.
        own = where is not None and "::" in where and not isinstance(value, HIDDEN)
        if where is None or not (own or where in BAGS):
            return opaque(value)
        attributes = dict(getattr(value, "__dict__", {}))
        for slot in slots(type(value)):
            if hasattr(value, slot):
                attributes[slot] = getattr(value, slot)
        return Node("object", where, self._pairs(attributes.items(), depth), ident)

    def _pairs(self, pairs: Any, depth: int) -> tuple[Snapshot, ...]:
        return tuple(self._snapshot(part, depth + 1) for pair in pairs for part in pair)


def slots(kind: type) -> list[str]:
    """The names of the slots of instances of `kind`."""
    found: list[str] = []
    for base in kind.__mro__:
        names = base.__dict__.get("__slots__", ())
        found += [names] if isinstance(names, str) else list(names)
    return [name for name in found if name not in ("__dict__", "__weakref__")]


def opaque(value: Any) -> Node:
    """The node of a value that cannot be stored; a string `value` is its description."""
    return Node(
        "opaque", value if isinstance(value, str) else f"an instance of {type(value).__module__}.{type(value).__qualname__}"
    )


def is_jax(value: Any) -> bool:
    """Whether `value` is a jax.Array or a tracer; does not import jax."""
    jax = sys.modules.get("jax")
    return jax is not None and hasattr(jax, "Array") and isinstance(value, jax.Array)


def is_jax_ufunc(value: Any) -> bool:
    """Whether `value` is the counterpart of a ufunc of NumPy in jax.numpy; does not import jax."""
    return type(value).__name__ == "ufunc" and type(value).__module__.partition(".")[0] == "jax"


def children(snapshot: Snapshot) -> Sequence[Snapshot]:
    """The direct children of a snapshot."""
    return snapshot.items if isinstance(snapshot, Node) else ()


def walk(snapshot: Snapshot) -> Iterator[Snapshot]:
    """The snapshot and everything inside it."""
    stack = [snapshot]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(children(top)))


def obstacle(snapshot: Snapshot) -> str:
    """What in it cannot be stored, in words; "" if everything can."""
    return next((part.name for part in walk(snapshot) if isinstance(part, Node) and part.kind == "opaque"), "")


def variety(snapshot: Snapshot) -> int:
    """The number of distinct values in the largest of its arrays, at most a hundred: a call with few values tests little."""
    arrays = (part.data.ravel()[:100] for part in walk(snapshot) if isinstance(part, Array))
    return max((len(set(data.tolist())) for data in arrays), default=0)


def size(snapshot: Snapshot) -> int:
    """The total size of its arrays in bytes."""
    return sum(part.data.nbytes for part in walk(snapshot) if isinstance(part, Array))
