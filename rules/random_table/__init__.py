"""The table of random draws: what every function and method of `numpy.random` becomes in JAX.

    found = draw("Generator", "normal")                   # Draw or None; APIs: "module", "RandomState", "Generator"
    arguments, why = bind(found, call.args)               # NumPy's parameter -> argument; why: they cannot be bound
    why = problem(found, arguments, facts)                # "" if JAX can express it; facts(parameter) -> rules.core.facts.Value
    made = expression(found, arguments, keys, facts, name)  # name(dotted) -> its spelling in the file; default: jnp., jax.
    value = result(found, arguments, facts)               # kind, dtype and rank of NumPy's result
    names = static_parameters(found, arguments, facts)    # the arguments that must be static

`found.keys` lists the keys that a draw needs, by purpose ("normal" -> normal_key): one for nearly all, two or three for
mixtures; each must be fresh. `found.state` marks functions that handle the state (seed, get_state, spawn ...) and draw nothing.
`found.writes` names the parameter that NumPy updates in place (shuffle): the expression is its new value. `found.jit` is False
for functions that return Python bytes. `found.note` and `found.lenient` are for reports.

`expression` may be called twice: with the original arguments, to collect through `name` the imports that it needs, and again
with the rewritten ones inside the edit. It does not enclose its result in parentheses. A `size` of which nothing is known
becomes `jnp.broadcast_shapes(size)`, which is right for numbers and tuples, but not for None: the caller must refuse a
parameter that may be None. `result` describes NumPy's result: a draw from numbers without `size` is a Python number there
("float"), which does not widen float32 arrays, but a strongly typed array in JAX, which does.

Entries are data, one module per family; nothing here imports numpy or jax.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..facts.draw import Draw, Form
from . import continuous, discrete, sampling, state
from .arguments import bind
from .check import problem, result, static_parameters
from .write import expression, usual

__all__ = ["APIS", "ENTROPY", "Draw", "Form", "bind", "draw", "expression", "problem", "result", "static_parameters", "usual"]

ENTROPY = "secrets.randbits(32)"  # the seed of a key where NumPy takes one from the operating system

_COMMON = continuous.ENTRIES | discrete.ENTRIES
_LEGACY = _COMMON | continuous.LEGACY | discrete.LEGACY | sampling.LEGACY
_ALIASES = ("ranf", "sample")  # functions of the module that are not methods

APIS: dict[str, Mapping[str, Draw]] = {
    "module": {name: entry for name, entry in _LEGACY.items() if name != "tomaxint"} | state.MODULE,
    "RandomState": {name: entry for name, entry in _LEGACY.items() if name not in _ALIASES} | state.RANDOM_STATE,
    "Generator": _COMMON | continuous.GENERATOR | discrete.GENERATOR | sampling.GENERATOR | state.GENERATOR,
}


def draw(api: str, name: str) -> Draw | None:
    """The entry of a function of `numpy.random` ("module"), or of a method of RandomState or Generator. None: no such name."""
    return APIS[api].get(name)
