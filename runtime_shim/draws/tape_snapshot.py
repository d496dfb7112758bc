"""A tape as a snapshot, for sending and storing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..values.snapshot import Array, Node, Snapshot
from .tape import Base, Tape, Values


def to_node(tape: Tape) -> Snapshot:
    """The recorded draws as a snapshot: a list, and the data of all arrays as one byte array. None if nothing was recorded."""
    new = [base for base in tape.bases if base.module not in tape.known or not tape.importing]
    if not new and not tape.full:
        return None
    data = bytearray()

    def stored(array: Values) -> list[Any]:
        start = len(data)
        data.extend(np.ascontiguousarray(array).tobytes())
        return [array.dtype.str, list(array.shape), start]

    rows = [
        [
            base.name,
            stored(base.values),
            {key: stored(value) for key, value in base.params.items()},
            base.draw,
            base.group,
            base.position,
            base.site,
            base.stream,
            base.epoch,
            base.module,
        ]
        for base in new
    ]
    text = json.dumps({"full": tape.full, "bases": rows})
    return Node("tape", text, (Array(np.frombuffer(bytes(data), np.uint8)),))


def from_node(node: Snapshot) -> list[Base]:
    """The base draws of a tape that `to_node` stored."""
    if not isinstance(node, Node):
        return []
    (blob,) = node.items
    assert isinstance(blob, Array)
    data = blob.data.tobytes()

    def loaded(row: Iterable[Any]) -> Values:
        dtype, shape, start = row
        kind = np.dtype(dtype)
        count = int(np.prod(shape, dtype=int))
        return np.frombuffer(data, kind, count, start if count else 0).reshape(shape).copy()

    rows = json.loads(node.name)["bases"]
    return [Base(row[0], loaded(row[1]), {key: loaded(value) for key, value in row[2].items()}, *row[3:]) for row in rows]


def is_full(node: Snapshot) -> bool:
    """Whether the tape was too small for all draws."""
    return isinstance(node, Node) and bool(json.loads(node.name)["full"])
