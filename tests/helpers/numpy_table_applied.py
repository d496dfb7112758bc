"""Applies an entry of the table: a NumPy call becomes a JAX call, and the results are compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from np2jax.rules.core.dtypes import named, promote, promote_jax
from np2jax.rules.definitions import DEFINITIONS
from np2jax.rules.numpy_table import Entry, Verdict
from np2jax.rules.numpy_table.result_dtypes import PROMOTING, result_dtype

TOLERANCE = {"float16": 4e-3, "float32": 2e-5, "complex64": 2e-5}


DEFINED: dict[str, Any] = {"jnp": jnp, "jax": jax}
for definition in DEFINITIONS.values():
    exec(definition, DEFINED)


class Unsupported(Exception):
    """The entry rejects this call."""


def bind(entry: Entry, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[list[tuple[str, Any]], dict[str, Any]]:
    """The positional arguments with their parameters, and the keyword arguments."""
    bound = []
    params = list(entry.params)
    for value in args:
        name = params[0]
        if not name.startswith("*"):
            params.pop(0)
        bound.append((name, value))
    return bound, dict(kwargs)


def wrapped(entry: Entry, name: str, value: Any) -> Any:
    """The argument as JAX takes it: lists as arrays, and strong scalars where NumPy's are strong."""
    if name in entry.sequences and isinstance(value, (list, tuple)):
        return type(value)(_wrap_one(item, name in entry.strong) for item in value)
    if name in entry.indices and isinstance(value, tuple):
        return value
    if name in entry.arrays + entry.indices:
        return _wrap_one(value, name in entry.strong)
    if name in entry.strong:  # nested lists of arrays and numbers
        return jax.tree.map(lambda leaf: _wrap_one(leaf, True), value)
    return value


def _wrap_one(value: Any, strong: bool) -> Any:
    if isinstance(value, (list, tuple)) or (strong and type(value) in (bool, int, float, complex)):
        return np.asarray(value)
    return value


def dtype_name(array: Any) -> str:
    """np2jax's name for the dtype of an array."""
    return named(str(array.dtype))


def dtype_of(value: Any) -> str:
    """The dtype of an array, or "int", "float", "complex" of a Python scalar."""
    if type(value) in (int, float, complex):
        return type(value).__name__
    if isinstance(value, (list, tuple)):
        return promote(*(dtype_of(item) for item in value))
    return dtype_name(np.asarray(value))


def floating_dtype(entry: Entry, name: str, value: Any) -> str:
    """The dtype to which NumPy promotes an argument."""
    return result_dtype("mean", dtype_of(value)) if name in entry.floating else dtype_of(value)


def promoted_names(entry: Entry) -> tuple[str, ...]:
    return entry.promotes or entry.arrays + entry.sequences


def fixes(entry: Entry, values: list[tuple[str, Any]], self: Any) -> str:
    """The dtype that the entry casts to, "" for none."""
    if any(name == "dtype" for name, _ in values):
        return ""
    promoted = [
        (name, one)
        for name, value in values
        if name in promoted_names(entry) and value is not None
        for one in (jax.tree.leaves(value) if name in entry.sequences + entry.strong else [value])
    ]
    own = [dtype_name(self)] if self is not None else []
    dtypes = own + [floating_dtype(entry, name, one) for name, one in promoted]
    theirs = own + [dtype_of(one) for _name, one in promoted]
    required = promote(*dtypes)
    if entry.cast_how == "each":
        return next((entry.cast_for[dtype] for dtype in theirs if dtype in entry.cast_for), "")
    if entry.dtype in PROMOTING and required != promote_jax(*theirs):
        return entry.cast_for.get(required, required)
    return entry.cast_for.get(required, "")


def _cast(entry: Entry, value: Any, dtype: str) -> Any:
    def one(leaf: Any) -> Any:
        if not hasattr(leaf, "dtype") or (entry.cast_how == "each" and dtype_name(leaf) not in entry.cast_for):
            return leaf
        return leaf.astype(dtype)

    return jax.tree.map(one, value)


def converted(
    entry: Entry, args: tuple[Any, ...], kwargs: Mapping[str, Any], self: Any = None, as_jax: Callable[[Any], Any] = jnp.asarray
) -> Any:
    """The call converted by the entry and executed with JAX; `as_jax` converts NumPy arrays.

    Raises:
        Unsupported: the entry rejects the call.
    """
    positional, keywords = bind(entry, args, kwargs)
    given = [(name, wrapped(entry, name, value)) for name, value in [*positional, *keywords.items()]]
    fix = fixes(entry, given, self)
    how = entry.cast_how if not fix or entry.dtype not in PROMOTING or fix in entry.cast_for else "argument"
    casts = bool(fix) and how in ("argument", "each")
    if casts and self is not None:
        self = self.astype(fix)
    arguments: dict[str, Any] = {}
    call_args: list[Any] = []
    call_kwargs: dict[str, Any] = {}
    for position, (name, value) in enumerate(given):
        literal = repr(value)
        if name in entry.drop or literal in entry.drop_if.get(name, ()):
            continue
        refused = name in entry.unsupported or literal in entry.refused_if.get(name, ())
        if refused or (name in entry.allowed and literal not in entry.allowed[name]):
            raise Unsupported(name)
        value = jax.tree.map(lambda leaf: as_jax(leaf) if isinstance(leaf, np.ndarray) else leaf, value)
        if casts and name in promoted_names(entry):
            value = _cast(entry, value, fix)
        arguments[name] = arguments[f"_{position}"] = value
        if position < len(positional) and len(call_args) == position and (entry.positional < 0 or position < entry.positional):
            call_args.append(value)
        elif entry.rename.get(name) == "":
            call_args.insert(0, value)
        else:
            call_kwargs[entry.rename.get(name, name)] = value
    names = {**DEFINED, "self": self, **arguments}
    if entry.verdict is Verdict.EXPRESSION:
        defaults = {name: eval(source, {"jnp": jnp}) for name, source in entry.defaults.items()}
        made = eval(_source(entry.target), {**names, **{name: defaults[name] for name in defaults.keys() - names.keys()}})
        if "frompyfunc" in entry.target and entry.writes:
            made = made.astype(
                arguments[entry.writes].dtype
            )  # rules.mutation.in_place_function keeps the dtype of what is changed
        fix = fix if how == "result" else ""
        return made.astype(fix) if fix else made
    if not any(name in entry.add_unless for name, _ in given):
        call_kwargs |= {name: eval(_source(source), names) for name, source in entry.add.items() if name not in dict(given)}
    if fix and how not in ("argument", "each", "result"):
        call_kwargs[how] = fix
    result = _target(entry, self)(*call_args, **call_kwargs)
    cast = entry.cast or (fix if how == "result" else "")
    return result.astype(cast) if cast else result


def _source(template: str) -> str:
    return re.sub(r"\{(\w+)\}", r"\1", re.sub(r"\{(\d+)\}", r"_\1", template))


def _target(entry: Entry, self: Any) -> Callable[..., Any]:
    if not entry.target.startswith("jax."):
        found = getattr(self, entry.target)
        return found if callable(found) else lambda: found
    found = jax
    for part in entry.target.split(".")[1:]:
        found = getattr(found, part)
    return (lambda *args, **kwargs: found(self, *args, **kwargs)) if self is not None else found


def _leaves(result: Any) -> list[Any]:
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in _leaves(item)]
    return [result]


def difference(numpy_result: Any, jax_result: Any) -> str:
    """The difference between two results; "" if there is none."""
    ours, theirs = _leaves(jax_result), _leaves(numpy_result)
    if len(ours) != len(theirs):
        return f"{len(theirs)} values, {len(ours)} in JAX"
    for one, other in zip(theirs, ours, strict=True):
        if not hasattr(one, "dtype") and not isinstance(one, (bool, int, float, complex)):
            if one != other:
                return f"{one!r}, {other!r} in JAX"
            continue
        left, right = np.asarray(one), np.asarray(other)
        if left.shape != right.shape:
            return f"shape {left.shape}, {right.shape} in JAX"
        if left.dtype != right.dtype:
            return f"dtype {left.dtype}, {right.dtype} in JAX"
        tolerance = TOLERANCE.get(str(left.dtype), 1e-10)
        if not np.allclose(left, right, rtol=tolerance, atol=tolerance, equal_nan=True):
            return f"{left.tolist()}, {right.tolist()} in JAX"
    return ""
