"""The table of random draws: what every function and method of `numpy.random` becomes in JAX.

    found = draw("Generator", "normal")                   # Draw or None; APIs: "module", "RandomState", "Generator"
    arguments, why = bind(found, call.args)               # NumPy's parameter -> argument; why: they cannot be told apart
    why = problem(found, arguments, facts)                # "" when JAX has it; facts(parameter) -> rules.core.facts.Value
    made = expression(found, arguments, keys, facts, name)  # name(dotted) -> how the file writes it; default: jnp., jax.
    value = result(found, arguments, facts)               # kind, dtype and rank of what NumPy gives
    names = static_parameters(found, arguments, facts)    # the arguments that must be known when JAX traces

`found.keys` says how many keys a draw takes and what for ("normal" -> normal_key): one for nearly all, two or three for
mixtures; each must be a fresh one. `found.state` marks what handles the state (seed, get_state, spawn ...): those are no draws.
`found.writes` names the parameter that NumPy changes in place (shuffle): the expression is its new value. `found.jit` is False
for what makes Python's bytes. `found.note` and `found.lenient` are for reports.

`expression` may be called twice: with the original arguments, to collect through `name` the imports that it takes, and again
with the rewritten ones inside the edit. It puts no parentheses around what it makes. A `size` of which nothing is known is
written `jnp.broadcast_shapes(size)`, right for numbers and tuples, not for None: a parameter that may be None is the caller's
to refuse. `result` is what NumPy gives: a draw without `size` from numbers is a number of Python's there ("float"), which does
not widen float32 arrays, but a strongly typed array in JAX, which does.

Entries are data, one module a family; nothing here imports numpy or jax.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..facts.draw import Draw, Form
from . import continuous, discrete, sampling, state
from .arguments import bind
from .check import problem, result, static_parameters
from .write import expression, usual

__all__ = ["APIS", "ENTROPY", "Draw", "Form", "bind", "draw", "expression", "problem", "result", "static_parameters", "usual"]

ENTROPY = "secrets.randbits(32)"  # the seed of a key where NumPy takes one from the system

_COMMON = continuous.ENTRIES | discrete.ENTRIES
_LEGACY = _COMMON | continuous.LEGACY | discrete.LEGACY | sampling.LEGACY
_ALIASES = ("ranf", "sample")  # functions of the module that are no methods

APIS: dict[str, Mapping[str, Draw]] = {
    "module": {name: entry for name, entry in _LEGACY.items() if name != "tomaxint"} | state.MODULE,
    "RandomState": {name: entry for name, entry in _LEGACY.items() if name not in _ALIASES} | state.RANDOM_STATE,
    "Generator": _COMMON | continuous.GENERATOR | discrete.GENERATOR | sampling.GENERATOR | state.GENERATOR,
}


def draw(api: str, name: str) -> Draw | None:
    """What is known of a function of `numpy.random` ("module"), or a method of RandomState or Generator. None: no such name."""
    return APIS[api].get(name)
