"""Messages and snapshots as bytes: JSON and .npy, never pickle, because the other end runs untrusted code."""

from __future__ import annotations

import base64
import io
import json
import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from .snapshot import Array, Node, Snapshot

LARGEST_INT = 1 << 62  # larger values are not portable between JSON readers

Arrays = list[np.ndarray[Any, Any]]


def to_json(snapshot: Snapshot, arrays: Arrays) -> Any:
    """JSON data for `snapshot`; its arrays are appended to `arrays` and referenced by their index there."""
    match snapshot:
        case None | bool() | str():
            return snapshot
        case int():
            return snapshot if abs(snapshot) < LARGEST_INT else {"k": "int", "v": hex(snapshot)}
        case float():
            return snapshot if math.isfinite(snapshot) else {"k": "float", "v": str(snapshot)}
        case complex():
            return {"k": "complex", "v": [str(snapshot.real), str(snapshot.imag)]}
        case bytes():
            return {"k": "bytes", "v": base64.b64encode(snapshot).decode("ascii")}
        case Array(data=data, origin=origin, ident=ident):
            # NumPy cannot store the narrow floats of ml_dtypes: their bytes and the dtype's name are stored.
            extension = data.dtype.isbuiltin == 2
            arrays.append(data.view(f"u{data.dtype.itemsize}") if extension else data)
            head = {"k": "array", "a": len(arrays) - 1, "dtype": data.dtype.name if extension else data.dtype.str}
            return head | {"shape": list(data.shape), "o": origin, "i": ident}
        case Node(kind=kind, name=name, items=items, ident=ident):
            return {"k": kind, "n": name, "v": [to_json(item, arrays) for item in items], "i": ident}


def from_json(data: Any, arrays: Sequence[np.ndarray[Any, Any]]) -> Snapshot:
    """The snapshot that `to_json` wrote."""
    if not isinstance(data, dict):
        return data  # type: ignore[no-any-return]
    match data["k"]:
        case "int":
            return int(data["v"], 16)
        case "float":
            return float(data["v"])
        case "complex":
            return complex(*map(float, data["v"]))
        case "bytes":
            return base64.b64decode(data["v"])
        case "array":
            array = arrays[data["a"]]
            if array.dtype.str != data["dtype"]:
                import ml_dtypes

                array = array.view(getattr(ml_dtypes, data["dtype"]))
            return Array(array, data["o"], data["i"])
    return Node(data["k"], data["n"], tuple(from_json(item, arrays) for item in data["v"]), data["i"])


def npy(array: np.ndarray[Any, Any]) -> bytes:
    """The bytes of `array` as an .npy file."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def from_npy(data: bytes) -> np.ndarray[Any, Any]:
    """The array of an .npy file. Raises ValueError for Python objects."""
    return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)  # type: ignore[no-any-return,no-untyped-call,unused-ignore]


def pack(message: dict[str, Any]) -> bytes:
    """Encode a message: a dict of JSON data and, under "snapshots", a dict of snapshots."""
    arrays: Arrays = []
    snapshots = {name: to_json(value, arrays) for name, value in message.get("snapshots", {}).items()}
    parts = [json.dumps(message | {"snapshots": snapshots}).encode(), *map(npy, arrays)]
    body = b"".join(struct.pack(">Q", len(part)) + part for part in parts)
    return struct.pack(">Q", len(body)) + body


def unpack(body: bytes) -> dict[str, Any]:
    """The message that `pack` wrote, without its leading length."""
    parts, start = [], 0
    while start < len(body):
        (length,) = struct.unpack_from(">Q", body, start)
        parts.append(body[start + 8 : start + 8 + length])
        start += 8 + length
    message: dict[str, Any] = json.loads(parts[0])
    arrays = [from_npy(part) for part in parts[1:]]
    message["snapshots"] = {name: from_json(value, arrays) for name, value in message["snapshots"].items()}
    return message


def split(data: bytes) -> list[dict[str, Any]]:
    """The complete messages in `data`; a truncated one at the end is dropped."""
    messages, start = [], 0
    while start + 8 <= len(data):
        (length,) = struct.unpack_from(">Q", data, start)
        if start + 8 + length > len(data):
            break
        messages.append(unpack(data[start + 8 : start + 8 + length]))
        start += 8 + length
    return messages
