"""Runs calls of numpy.random under NumPy, and their conversions by the table under JAX."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.stats
import libcst as cst
import numpy as np

from np2jax.rules.core.findings import Kind
from np2jax.rules.facts.values import UNKNOWN, Value
from np2jax.rules.random_table import Draw, expression, problem, usual
from np2jax.tests.helpers.numpy_table_applied import DEFINED
from np2jax.tests.helpers.random_calls import keys_of, parse

Environment = Mapping[str, Any]


def value_of(made: Any) -> Value:
    """Everything that an analysis could know about a value."""
    if isinstance(made, (list, tuple)):
        kind = Kind.LIST if isinstance(made, list) else Kind.TUPLE
        return Value(kind, elements=tuple(map(value_of, made)))
    if isinstance(made, type):
        return Value(Kind.DTYPE, np.dtype(made).name)
    if isinstance(made, np.ndarray):
        return Value(Kind.ARRAY, made.dtype.name, made.ndim)
    if made is None:
        return Value(Kind.NONE)
    if isinstance(made, str):
        return Value(Kind.STRING)
    return Value(Kind.SCALAR, type(made).__name__, 0)


def facts_in(arguments: Mapping[str, cst.BaseExpression], environment: Environment, known: bool) -> Callable[[str], Value]:
    """Facts from the values themselves; if not `known`, only from literals."""

    def facts(parameter: str) -> Value:
        node = arguments.get(parameter)
        if node is None or parameter == "*d" or (isinstance(node, cst.Name) and not known and node.value in environment):
            return UNKNOWN
        return value_of(eval(cst.Module([]).code_for_node(node), {"np": np, **environment}))

    return facts


def run_numpy(source: str, environment: Environment, seed: int = 0) -> Any:
    """NumPy's result; for a method that changes its argument, the argument afterwards."""
    legacy = np.random.RandomState(seed)
    np.random.seed(seed)
    copies = {name: v.copy() if isinstance(v, np.ndarray) else v for name, v in environment.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        made = eval(source, {"np": np, "rng": np.random.default_rng(seed), "state": legacy, **copies})
    entry, arguments = parse(source)
    return copies[cst.Module([]).code_for_node(arguments[entry.writes])] if entry.writes else made


def written(source: str, environment: Environment, known: bool = True) -> tuple[Draw, str]:
    """The entry of a call and the source of the converted call. Raises ValueError if the table rejects it."""
    entry, arguments = parse(source)
    facts = facts_in(arguments, environment, known)
    if why := problem(entry, arguments, facts):
        raise ValueError(why)
    keys = [cst.Name(key) for key in keys_of(entry)]
    return entry, cst.Module([]).code_for_node(expression(entry, arguments, keys, facts, usual))


def evaluated(entry: Draw, source: str, environment: Environment, key: Any) -> Any:
    """The value of JAX's expression for a given key."""
    keys = dict(zip(keys_of(entry), [key] if len(entry.keys) == 1 else jax.random.split(key, len(entry.keys)), strict=True))
    arrays = {name: jnp.asarray(v) if isinstance(v, np.ndarray) else v for name, v in environment.items()}
    return eval(source, {**DEFINED, "np": np, **arrays, **keys})


def run_jax(source: str, environment: Environment, seed: int = 0, known: bool = True) -> Any:
    entry, text = written(source, environment, known)
    return evaluated(entry, text, environment, jax.random.key(seed))


def jax_shape(source: str, environment: Environment, known: bool = True) -> Any:
    """The shape and dtype of JAX's result, without running it."""
    entry, text = written(source, environment, known)
    return jax.eval_shape(lambda key: evaluated(entry, text, environment, key), jax.random.key(0))
