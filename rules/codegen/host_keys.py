"""Keys that NumPy's random state draws on the host, or that the operating system seeds."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ..context import Context
from ..random_table import ENTROPY

SEEDS = "2**63 - 1"  # of 31 bits, two of some 50,000 calls would be the same
# Numbers to fold in. No split gives the same key, nor does an iteration of a comprehension, which folds in its (smaller) index.
SPAWNED = "2**31"


def of_state(ctx: Context) -> tuple[str, frozenset[str]]:
    """The expression of a key that NumPy's random state draws, and the imports that it needs."""
    function, imports = ctx.names.name_of("jax.random.key")
    draw, more = ctx.names.name_of("numpy.random.randint")
    return f'{function}({draw}({SEEDS}, dtype="int64"))', imports | more  # the default dtype is narrower on some systems


def of_entropy(ctx: Context) -> tuple[str, frozenset[str]]:
    """The expression of a key that the operating system seeds, and the imports that it needs."""
    function, imports = ctx.names.name_of("jax.random.key")
    return f"{function}({ENTROPY})", imports | {"import secrets"}


def seeded(ctx: Context, legacy: bool) -> tuple[Callable[[cst.BaseExpression], cst.BaseExpression], frozenset[str]]:
    """The function from a generator of NumPy to the expression of a key that it draws, and the imports that this needs.

    NumPy itself then interprets the seed of the generator, and rejects what is none.
    """
    function, imports = ctx.names.name_of("jax.random.key")
    number = drawn_seed(legacy)

    def key(generator: cst.BaseExpression) -> cst.BaseExpression:
        return cst.parse_expression(f"{function}({cst.Module([]).code_for_node(generator)}.{number})")

    return key, imports


def drawn_seed(legacy: bool) -> str:
    """The method call by which a generator draws a seed."""
    return f'randint({SEEDS}, dtype="int64")' if legacy else f"integers({SEEDS})"
