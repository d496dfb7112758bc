"""From snapshots back to values: with NumPy arrays for the original, JAX arrays for the converted code."""

from __future__ import annotations

import collections
import functools
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .errors import ShimError
from .snapshot import Array, Find, Node, Snapshot


def _blank(kind: Any) -> Any:
    """An instance created without running __init__."""
    try:
        return object.__new__(kind)
    except TypeError:  # a class written in C needs its own __new__
        return kind.__new__(kind)


class Thawer:
    """Rebuilds values; the same object in a snapshot becomes one object again.

    `array` makes an array from its copy, `find` looks up a name. `generator` makes the converted code's counterpart of a NumPy
    generator: a key, stored under the name that its class uses for it.
    """

    def __init__(self, find: Find, array: Callable[[Array], Any], generator: Callable[[Node], Any] | None = None) -> None:
        self.find = find
        self.array = array
        self.generator = generator
        self.made: dict[int, Any] = {}

    def restore(self, snapshot: Snapshot) -> Any:
        """The value of `snapshot`. Raises ShimError for a value that cannot be rebuilt."""
        if isinstance(snapshot, Array):
            if snapshot.ident == 0 or snapshot.ident not in self.made:
                return self._keep(snapshot.ident, snapshot.data[()] if snapshot.origin == "scalar" else self.array(snapshot))
            return self.made[snapshot.ident]
        if not isinstance(snapshot, Node):
            return snapshot
        if snapshot.kind == "ref":
            return self.made[snapshot.ident]
        if snapshot.kind in ("list", "dict", "object"):
            return self._fill(snapshot)
        return self._keep(snapshot.ident, self._build(snapshot))

    def _keep(self, ident: int, value: Any) -> Any:
        if ident:
            self.made[ident] = value
        return value

    def _pairs(self, node: Node) -> Iterator[tuple[Any, Any]]:
        parts = map(self.restore, node.items)
        return zip(parts, parts, strict=True)

    def _fill(self, node: Node) -> Any:
        """A container that may contain itself: it is registered before its elements are restored."""
        if node.kind == "list":
            items = self._keep(node.ident, [])
            items.extend(map(self.restore, node.items))
            return items
        if node.kind == "dict":
            table: dict[Any, Any] = {} if not node.name else collections.OrderedDict()
            self._keep(node.ident, table)
            table.update(self._pairs(node))
            return table
        kind = self.find(node.name)
        instance = self._keep(node.ident, _blank(kind))
        for name, value in self._pairs(node):
            own = name if self.generator is None or not is_key(value) else attribute_of_key(kind, name)
            object.__setattr__(instance, own, value)  # a frozen dataclass refuses setattr
        return instance

    def _build(self, node: Node) -> Any:
        match node.kind:
            case "tuple":
                return tuple(map(self.restore, node.items))
            case "objects":
                shape = tuple(map(int, filter(None, node.name.split("x"))))
                objects = np.empty(len(node.items), object)
                objects[:] = list(map(self.restore, node.items))
                return objects.reshape(shape)
            case "set":
                return set(map(self.restore, node.items))
            case "frozenset":
                return frozenset(map(self.restore, node.items))
            case "slice":
                return slice(*map(self.restore, node.items))
            case "range":
                return range(*map(self.restore, node.items))
            case "ellipsis":
                return ...
            case "dtype":
                return np.dtype(node.name)
            case "path":
                return pathlib.Path(node.name)
            case "global":
                return self.find(node.name)
            case "module":
                return self.find(f"{node.name}:")
            case "enum":
                return self.find(node.name)[self.restore(node.items[0])]
            case "namedtuple":
                return self.find(node.name)(**dict(self._pairs(node)))
            case "partial":
                function, args, keywords = map(self.restore, node.items)
                return functools.partial(function, *args, **keywords)
            case "random":
                return generator_of(node) if self.generator is None else self.generator(node)
            case "key":
                return self._key(node)
        raise ShimError(f"{node.name or node.kind} cannot be rebuilt")

    def _key(self, node: Node) -> Any:
        import jax

        (data,) = node.items
        assert isinstance(data, Array)
        return jax.random.wrap_key_data(jax.numpy.asarray(data.data))


def generator_of(node: Node) -> Any:
    """The stored NumPy generator."""
    kind, _, bits_name = node.name.partition(":")
    bits = getattr(np.random, bits_name)()
    state = Thawer(_nothing, lambda array: array.data).restore(node.items[0])  # a dict of arrays
    if kind == "Generator":
        bits.state = state
        return np.random.Generator(bits)
    generator = np.random.RandomState(bits)
    generator.set_state(state)
    return generator


def _nothing(name: str) -> Any:
    raise ShimError(f"{name} is not there")


def is_key(value: Any) -> bool:
    """Whether a value is a new-style JAX key."""
    import jax

    return isinstance(value, jax.Array) and jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key)


def attribute_of_key(kind: type, name: str) -> str:
    """The attribute of a converted class for the generator `name`: the same name, or the key that its methods use."""
    functions = [getattr(part, "__wrapped__", part) for base in kind.__mro__ for part in vars(base).values()]
    used = {word for function in functions if hasattr(function, "__code__") for word in function.__code__.co_names}
    named = sorted(word for word in used if word == "key" or word.endswith("_key"))
    return next((word for word in (name, f"{name}_key", "key", *named) if word in used), name)
