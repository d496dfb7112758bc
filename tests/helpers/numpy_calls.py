"""The calls of `tests/data/numpy_calls.txt`, read and run with NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from np2jax.rules.numpy_table import Entry, canonical, function, method, ufunc_method
from np2jax.tests.helpers.numpy_samples import FIXED
from np2jax.tests.helpers.numpy_table_applied import bind


def call(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs


Form = Callable[[Entry, tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]]


def as_written(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs


def by_keyword(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same call with every argument by keyword, up to the first parameter that takes any number of arguments."""
    if any(name.startswith("*") for name in entry.params[: len(args)]):
        return args, kwargs
    return (), dict(zip(entry.params, args, strict=False)) | kwargs


def by_position(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same call with every argument by position, up to the first omitted parameter."""
    given, rest = list(args), dict(kwargs)
    for name in entry.params[len(args) :]:
        if name not in rest or any(param.startswith("*") for param in entry.params[: len(given)]):
            break
        given.append(rest.pop(name))
    return tuple(given), rest


def copies(environment: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in environment.items()}


LEADS = "xvMQPnfib"
LINES = [
    line
    for line in (Path(__file__).parents[1] / "data" / "numpy_calls.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


def parsed(line: str) -> tuple[str, str, str]:
    """The array of a method call ("" for a function), the dotted name, the arguments in parentheses."""
    head = re.match(r"[\w.]+", line)
    assert head is not None
    first, _, rest = head.group().partition(".")
    arguments = line[head.end() :]
    return (first, rest, arguments) if rest and (first in LEADS or first in FIXED) else ("", head.group(), arguments)


def entry_of(line: str) -> Entry:
    array, name, _ = parsed(line)
    found = method(name) if array else function(f"numpy.{name}") or ufunc_method(f"numpy.{name}")
    assert found is not None, line
    return found


def run_numpy(line: str, environment: Mapping[str, Any], form: Form = as_written) -> Any:
    """NumPy's result; for a call that writes in place, the array written to."""
    array, name, source = parsed(line)
    entry = entry_of(line)
    args, kwargs = eval(f"call{source}", {"call": call, **environment}) if source else ((), {})
    args, kwargs = form(entry, args, kwargs)
    if not array:
        called = np
        for part in canonical(f"numpy.{name}").split(".")[1:]:
            called = getattr(called, part)
        result = called(*args, **kwargs)
        bound, keywords = bind(entry, args, kwargs)
        return {**dict(bound), **keywords}[entry.writes] if entry.writes else result
    owner = environment[array]
    if not hasattr(owner, name):
        return getattr(np, name)(owner, *args, **kwargs)  # a method that NumPy 2 removed
    found = getattr(owner, name)
    result = found(*args, **kwargs) if source else found
    return owner if entry.writes else np.array(result) if name == "flat" else result
