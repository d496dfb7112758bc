"""The evidence file: what `record` saw, as a zip of `evidence.json` and arrays in .npy form, without pickle.

    {"format": "np2jax evidence", "version": 1, "functions": [
        {"file": "pkg/mod.py", "name": "f", "calls": [{"k": "call", ...}], "skipped": ["a lock object", ...]}]}

Arrays stand in the JSON with dtype and shape, so that readers need not open the .npy files.
"""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .calls import Arguments
from .errors import ShimError
from .serialization import Arrays, from_json, from_npy, npy, split, to_json
from .snapshot import Node

FORMAT, VERSION = "np2jax evidence", 1

Location = tuple[str, str]  # file relative to its root, name inside the module


@dataclass(slots=True)
class Evidence:
    """The recorded calls of each function, and why other calls could not be stored."""

    calls: dict[Location, list[Arguments]] = field(default_factory=dict)
    skipped: dict[Location, list[str]] = field(default_factory=dict)

    def add(self, message: Mapping[str, Any]) -> None:
        """Add one entry of an observer's log."""
        location = (message["file"], message["name"])
        if message["obstacle"]:
            reasons = self.skipped.setdefault(location, [])
            if message["obstacle"] not in reasons:
                reasons.append(message["obstacle"])
            return
        self.calls.setdefault(location, []).append(Arguments(message["snapshots"]["arguments"]))

    def locations(self) -> list[Location]:
        """All functions with calls."""
        return sorted({*self.calls, *self.skipped})


def from_log(data: bytes) -> Evidence:
    """The evidence in an observer's log; a truncated entry is skipped."""
    evidence = Evidence()
    for message in split(data):
        evidence.add(message)
    return evidence


def merged(parts: Iterable[Evidence]) -> Evidence:
    """All evidence combined."""
    everything = Evidence()
    for part in parts:
        for location, calls in part.calls.items():
            everything.calls.setdefault(location, []).extend(calls)
        for location, reasons in part.skipped.items():
            everything.skipped.setdefault(location, []).extend(reasons)
    return everything


def write(evidence: Evidence, path: Path) -> None:
    """Write an evidence file, completely or not at all. Raises ShimError if it cannot be written."""
    arrays: Arrays = []
    functions = [
        {
            "file": location[0],
            "name": location[1],
            "calls": [to_json(call.node, arrays) for call in evidence.calls.get(location, [])],
            "skipped": evidence.skipped.get(location, []),
        }
        for location in evidence.locations()
    ]
    try:
        file = tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False)  # noqa: SIM115  closed below
        with file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("evidence.json", json.dumps({"format": FORMAT, "version": VERSION, "functions": functions}))
            for number, array in enumerate(arrays):
                archive.writestr(f"arrays/{number}.npy", npy(array))
        os.replace(file.name, path)
    except OSError as problem:
        raise ShimError(f"{path}: the evidence cannot be written: {problem.strerror}") from problem


def read(path: Path) -> Evidence:
    """Read an evidence file. Raises ShimError for any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("evidence.json"))
            if data.get("format") != FORMAT or data.get("version") != VERSION:
                raise ShimError(f"{path}: not an evidence file of this version")
            count = sum(name.startswith("arrays/") for name in archive.namelist())
            arrays = [from_npy(archive.read(f"arrays/{location}.npy")) for location in range(count)]
        evidence = Evidence()
        for function in data["functions"]:
            location = (function["file"], function["name"])
            nodes = [from_json(call, arrays) for call in function["calls"]]
            if nodes:
                evidence.calls[location] = [Arguments(node) for node in nodes if isinstance(node, Node)]
            if function["skipped"]:
                evidence.skipped[location] = list(function["skipped"])
        return evidence
    except OSError as problem:
        raise ShimError(f"{path}: the evidence cannot be read: {problem.strerror}") from problem
    except (zipfile.BadZipFile, KeyError, ValueError, IndexError, TypeError) as problem:
        raise ShimError(f"{path}: not an evidence file: {problem}") from problem


def relocated(evidence: Evidence, files: Iterable[str]) -> Evidence:
    """The evidence with its files renamed to those in `files`: paths relative to another root are matched by their ends."""
    known = list(files)
    names = {file: found for file in {location[0] for location in evidence.locations()} if (found := _match(file, known))}
    moved = Evidence()
    for (file, name), calls in evidence.calls.items():
        if file in names:
            moved.calls[names[file], name] = [Arguments(_renamed(call.node, names)) for call in calls]
    for (file, name), reasons in evidence.skipped.items():
        if file in names:
            moved.skipped[names[file], name] = reasons
    return moved


def _match(file: str, known: list[str]) -> str:
    if file in known:
        return file
    ends = [other for other in known if f"/{other}".endswith(f"/{file}") or f"/{file}".endswith(f"/{other}")]
    return ends[0] if len(ends) == 1 else ""


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    file, own, rest = node.name.partition("::")
    name = f"{names.get(file, file)}::{rest}" if own else node.name
    return Node(
        node.kind, name, tuple(_renamed(item, names) if isinstance(item, Node) else item for item in node.items), node.ident
    )
