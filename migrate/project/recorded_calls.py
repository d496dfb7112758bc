"""What an evidence file tells of the parameters of functions. Nothing of it is run, and its arrays are not read.

`np2jax record` writes the file: `evidence.json` lists the calls of each function, with the dtype and the shape of each array.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...rules.facts.recorded_calls import RecordedCalls
from .failure import Failure

LARGEST = 256 * 2**20  # bytes of `evidence.json`
NUMBERS: Mapping[type, str] = {bool: "bool", int: "int", float: "float", str: "text"}


def read(path: Path) -> tuple[RecordedCalls, ...]:
    """The calls of each function in an evidence file. Raises Failure for any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo("evidence.json").file_size > LARGEST:
                raise Failure(f"{path}: the evidence is larger than {LARGEST // 2**20} MB")
            data = json.loads(archive.read("evidence.json"))
        if data.get("format") != "np2jax evidence" or data.get("version") != 1:
            raise Failure(f"{path}: not an evidence file of this version")
        return tuple(_of_function(each) for each in data["functions"] if each["calls"])
    except OSError as problem:
        raise Failure(f"{path}: the evidence cannot be read: {problem.strerror}") from problem
    except (zipfile.BadZipFile, AttributeError, KeyError, ValueError, IndexError, TypeError, RecursionError) as problem:
        raise Failure(f"{path}: not an evidence file: {problem}") from problem


def _of_function(function: Mapping[str, Any]) -> RecordedCalls:
    calls = [_arguments(call) for call in function["calls"]]
    fewest = min(len(positional) for positional, _named in calls)
    positional = tuple(_common(given[k] for given, _named in calls) for k in range(fewest))
    names = {name for _positional, named in calls for name in named}
    everywhere = sorted(name for name in names if all(name in named for _positional, named in calls))
    named = tuple((name, _common(given[name] for _positional, given in calls)) for name in everywhere)
    return RecordedCalls(str(function["file"]), str(function["name"]), positional, named, len(calls))


def _arguments(call: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
    positional, named = call["v"]
    pairs = named["v"]
    return [_kind(each) for each in positional["v"]], {str(k): _kind(v) for k, v in zip(pairs[::2], pairs[1::2], strict=True)}


def _kind(argument: object) -> str:
    """ "array" with the number of dimensions, the name of a Python type, or "" for anything else."""
    if isinstance(argument, dict):
        return f"array {len(argument['shape'])}" if argument.get("k") == "array" and argument.get("o") == "ndarray" else ""
    return NUMBERS.get(type(argument), "")


def _common(kinds: Iterable[str]) -> str:
    found = {*kinds}
    if len(found) == 1:
        return found.pop()
    return "array" if all(kind.startswith("array") for kind in found) else "number" if found == {"int", "float"} else ""
