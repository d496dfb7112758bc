"""From snapshots back to values: with arrays of NumPy for the original, arrays of JAX for the converted code."""

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
    """An instance on which no __init__ ran."""
    try:
        return object.__new__(kind)
    except TypeError:  # a class written in C makes its own
        return kind.__new__(kind)


class Thawer:
    """Rebuilds values; what was one object becomes one object again.

    `array` makes an array out of its copy, `find` looks up what a name stands for.
    """

    def __init__(self, find: Find, array: Callable[[Array], Any]) -> None:
        self.find = find
        self.array = array
        self.made: dict[int, Any] = {}

    def thaw(self, snapshot: Snapshot) -> Any:
        """The value of `snapshot`. Raises ShimError for what cannot be rebuilt."""
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
        parts = map(self.thaw, node.items)
        return zip(parts, parts, strict=True)

    def _fill(self, node: Node) -> Any:
        """A container that may hold itself: it is there before its elements are."""
        if node.kind == "list":
            items = self._keep(node.ident, [])
            items.extend(map(self.thaw, node.items))
            return items
        if node.kind == "dict":
            table: dict[Any, Any] = {} if not node.name else collections.OrderedDict()
            self._keep(node.ident, table)
            table.update(self._pairs(node))
            return table
        kind = self.find(node.name)
        instance = self._keep(node.ident, _blank(kind))
        for name, value in self._pairs(node):
            object.__setattr__(instance, name, value)  # a frozen dataclass refuses setattr
        return instance

    def _build(self, node: Node) -> Any:
        match node.kind:
            case "tuple":
                return tuple(map(self.thaw, node.items))
            case "set":
                return set(map(self.thaw, node.items))
            case "frozenset":
                return frozenset(map(self.thaw, node.items))
            case "slice":
                return slice(*map(self.thaw, node.items))
            case "range":
                return range(*map(self.thaw, node.items))
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
                return self.find(node.name)[self.thaw(node.items[0])]
            case "namedtuple":
                return self.find(node.name)(**dict(self._pairs(node)))
            case "partial":
                function, args, keywords = map(self.thaw, node.items)
                return functools.partial(function, *args, **keywords)
            case "random":
                return self._generator(node)
            case "key":
                return self._key(node)
        raise ShimError(f"{node.name or node.kind} cannot be rebuilt")

    def _generator(self, node: Node) -> Any:
        kind, _, bits_name = node.name.partition(":")
        bits = getattr(np.random, bits_name)()
        # NumPy's state is a dict that holds its own arrays, whatever arrays the code under test takes.
        state = Thawer(self.find, lambda array: array.data).thaw(node.items[0])
        generator = getattr(np.random, kind)(bits)
        if kind == "Generator":
            bits.state = state
        else:
            generator.set_state(state)
        return generator

    def _key(self, node: Node) -> Any:
        import jax

        (data,) = node.items
        assert isinstance(data, Array)
        return jax.random.wrap_key_data(jax.numpy.asarray(data.data))
