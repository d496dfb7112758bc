"""Draws from given values: choice, permutations, and bytes."""

from __future__ import annotations

from ..facts.draw import Draw
from .forms import draw

_CHOICE = "jax.random.choice({choice_key}, {a}, {size}, replace={replace}, p={p}"
_PERMUTATION = "jax.random.permutation({permutation_key}, {x}"
_WEIGHTS = "probabilities whose sum is not 1 are scaled by JAX; NumPy raises ValueError"
_OUT = "`out=` is changed in place: assign the result instead, `x = rng.permuted(x, axis=axis)`"
_EMPTY = "an empty `size` gives an empty array of that shape in JAX, even if `a` has rows"
_ORDER = "with `shuffle=False`, NumPy leaves the order of a choice without replacement open; JAX shuffles it"


def _choice(end: str, signature: str, static: tuple[str, ...], ignored: tuple[str, ...] = (), note: str = _EMPTY) -> Draw:
    return draw(
        _CHOICE + end,
        signature,
        vectors="a p",
        arrays=(),
        static=static,
        ignored=ignored,
        dtype="same",
        scalar="int",
        rank="choice",
        note=note,
        lenient=_WEIGHTS,
    )


def _shuffled(*written: str | tuple[str, dict[str, str]], **fields: object) -> Draw:
    """A draw whose result has the dtype and the rank of its first argument."""
    return draw(*written, vectors="x", arrays=(), dtype="same", scalar="numpy", rank="same", **fields)


_BYTES = draw(
    "jax.random.bits({bytes_key}, ({length},), jnp.uint8).tobytes()",
    "length",
    arrays=(),
    static=("length",),
    dtype="bytes",
    scalar="numpy",
    rank="",
    jit=False,
)

LEGACY: dict[str, Draw] = {
    "bytes": _BYTES,
    "choice": _choice(")", "a size=None replace=True p=None", ("replace",)),
    "permutation": _shuffled(_PERMUTATION + ")", "x"),
    "shuffle": _shuffled(_PERMUTATION + ")", "x", writes="x"),
}
GENERATOR: dict[str, Draw] = {
    "bytes": _BYTES,
    "choice": _choice(
        ", axis={axis})", "a size=None replace=True p=None axis=0 shuffle=True", ("replace", "axis"), ("shuffle",), _ORDER
    ),
    "permutation": _shuffled(_PERMUTATION + ", axis={axis})", "x axis=0", static=("axis",)),
    "permuted": _shuffled(
        (_PERMUTATION + ", axis={axis}, independent=True)", {"axis": "given"}),
        (_PERMUTATION + ")", {"x": "rank1"}),
        "jax.random.permutation({permutation_key}, jnp.ravel({x})).reshape(jnp.shape({x}))",
        "x axis=None out=None",
        keyword_only="axis",
        static=("axis",),
        refused={"out": _OUT},
    ),
    "shuffle": _shuffled(_PERMUTATION + ", axis={axis})", "x axis=0", static=("axis",), writes="x"),
}
