"""Converts and runs code that draws: helpers of the tests of random state."""

import textwrap

import jax
import numpy as np

from np2jax.rules.definitions import DEFINITIONS
from np2jax.tests.helpers.differential import body, convert, run

HEAD = "import numpy as np\n\n\n"


def written(text):
    """The converted body without the definition of `_as_key`; every function must be converted."""
    made, functions, _diagnostics = convert(HEAD + textwrap.dedent(text))
    assert not [f"{f.name}: {f.reason}" for f in functions.values() if f.label == "kept"]
    assert convert(made)[0] == made, "converting twice changes something"
    return body(made).replace(DEFINITIONS["_as_key"], "").strip()


def converted(text, **options):
    """The converted file, executed, and the functions that are left as NumPy."""
    made, functions, _diagnostics = convert(HEAD + textwrap.dedent(text), **options)
    return run(made), {n for n, f in functions.items() if f.label == "kept"}


def outcome(text, call, name="m"):
    """The value of an expression in the converted file, with JAX's check that no key is reused."""
    made = convert(HEAD + textwrap.dedent(text))[0]
    with jax.debug_key_reuse(True):
        return eval(call, {"np": np, "jax": jax, **run(made, name)})


def same(call):
    """Whether two evaluations give the same value, without key reuse."""
    with jax.debug_key_reuse(True):
        one, other = jax.tree.leaves(call()), jax.tree.leaves(call())
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
