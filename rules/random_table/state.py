"""Functions that handle the state of a generator, and draw nothing."""

from __future__ import annotations

from ..facts.draw import Draw
from .forms import parameters


def _state(signature: str = "") -> Draw:
    params, defaults = parameters(signature)
    return Draw(params, defaults=defaults, dtype="", scalar="", rank="", state=True)


RANDOM_STATE: dict[str, Draw] = {
    "seed": _state("seed=None"),
    "get_state": _state("legacy=True"),
    "set_state": _state("state"),
}
MODULE: dict[str, Draw] = {
    **RANDOM_STATE,
    "default_rng": _state("seed=None"),
    "get_bit_generator": _state(),
    "set_bit_generator": _state("bitgen"),
    "RandomState": _state("seed=None"),
    "Generator": _state("bit_generator"),
    "SeedSequence": _state("entropy=None spawn_key=() pool_size=4 n_children_spawned=0"),
    "BitGenerator": _state("seed=None"),
    **{name: _state("seed=None") for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")},
}
GENERATOR: dict[str, Draw] = {"bit_generator": _state(), "spawn": _state("n_children")}
