"""Facts about a whole program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """Settings, and what one part of a program must know about the others.

    `precision`: float64 or float32.
    `ufunc_asked`: the program names the type `np.ufunc`, of which JAX functions are no instances.
    `narrow_dtypes`: the dtypes of fewer than 64 bits that it names.
    `seeded_identically`: generators of both kinds of NumPy may be created from one seed somewhere.
    `random_on_host`: the generators of NumPy remain, and draw on the host.
    `fast`: code left as NumPy gets the results of compiled code as NumPy arrays.
    """

    precision: str
    ufunc_asked: bool
    narrow_dtypes: frozenset[str]
    seeded_identically: bool
    random_on_host: bool
    fast: bool
