"""Keys that NumPy's random state draws on the host, or that the operating system seeds."""

from __future__ import annotations

from ..context import Context
from ..random_table import ENTROPY

SEEDS = "2**63 - 1"  # of 31 bits, two of some 50,000 calls would be the same


def of_state(ctx: Context) -> tuple[str, frozenset[str]]:
    """The expression of a key that NumPy's random state draws, and the imports that it needs."""
    function, imports = ctx.names.name_of("jax.random.key")
    draw, more = ctx.names.name_of("numpy.random.randint")
    dtype = ctx.names.name_of("numpy.int64")[0]  # the default is narrower on some systems
    return f"{function}({draw}({SEEDS}, dtype={dtype}))", imports | more


def of_entropy(ctx: Context) -> tuple[str, frozenset[str]]:
    """The expression of a key that the operating system seeds, and the imports that it needs."""
    function, imports = ctx.names.name_of("jax.random.key")
    return f"{function}({ENTROPY})", imports | {"import secrets"}
