"""Other modes of a function than a recorded call shows: a value for an argument that is None there, and the other texts that the code knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..values.calls import Arguments, arguments
from ..values.snapshot import Array, Snapshot
from .argument_forms import ArgumentForms
from .samples import sample
from .signatures import Form, square

MOST_OF_ONE = 5  # values for one parameter
ALIKE = 8  # arrays of the call to whose shapes a new one is made


def other_modes(call: Arguments, made: ArgumentForms, names: Sequence[str], seed: int) -> Iterator[tuple[str, list[Arguments]]]:
    """Variants of a call by the parameter that gets another kind of value, the likeliest first."""
    given = call.named(names)
    for name, forms in made.forms:
        now = given.get(name, made.defaults.get(name))
        if name not in given and name not in made.defaults:
            continue
        if now is None:
            values = [value for form in forms for value in _values(name, form, call, seed)]
        elif isinstance(now, str):
            values = [value for form in forms for value in form.values if isinstance(value, str) and value != now]
        else:
            continue
        yield name, [_with(call, names, name, value) for value in values[:MOST_OF_ONE]]


def _values(name: str, form: Form, call: Arguments, seed: int) -> Iterator[Snapshot]:
    """Arrays get the shapes of others in the call."""
    if form.kind == "array":
        shapes = dict.fromkeys(part.data.shape for part in [*call.named(()).values()][:ALIKE] if isinstance(part, Array))
        for shape in shapes:
            if len(shape) == form.rank:
                rng = np.random.default_rng(seed)
                data = rng.integers(0, min(shape, default=1) or 1, shape) if form.index else 0.25 + rng.random(shape)
                yield Array(data.astype(form.dtype))
    elif form.kind not in ("omit", "random"):
        yield from sample(square([(name, form)], 4), seed).positional


def _with(call: Arguments, names: Sequence[str], name: str, value: Snapshot) -> Arguments:
    position = names.index(name)
    if position < len(call.positional):
        positional = call.positional
        return arguments((*positional[:position], value, *positional[position + 1 :]), call.keywords)
    return arguments(call.positional, call.keywords | {name: value})
