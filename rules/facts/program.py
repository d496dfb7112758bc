"""What holds for a whole program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """Settings, and what one part of a program has to know of the others.

    `precision`: float64 or float32. `ufunc_asked`: the program names the type `np.ufunc`, to which functions of JAX do not
    belong. `narrow_dtypes`: the dtypes of less than 64 bits that it names. `seeded_alike`: generators of both of NumPy's kinds
    may be made of one seed somewhere. `random_on_host`: NumPy's generators stay, and draw on the host. `draws_on_host`:
    functions that stay NumPy draw from its state.
    """

    precision: str
    ufunc_asked: bool
    narrow_dtypes: frozenset[str]
    seeded_identically: bool
    random_on_host: bool
    draws_on_host: bool
