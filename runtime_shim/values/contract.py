"""The converter's contract for one function: how the converted function is called, and what it returns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

OF_DTYPE = re.compile(r"`(\w+)` is of (\w+)")


@dataclass(frozen=True, slots=True)
class Contract:
    """The contract of one function, from the analysis of the original.

    `file`: the path of its module, relative to the tree. `module`: "pkg.mod". `name`: qualified, "pkg.mod.C.m". `params`: the
    names of its parameters in order. `returns`: the parameters returned after the original results, in parameter order (one
    that the original returns anyway is returned once). `results`: the number of values that the original returns: 0 for None,
    1, or n for a tuple. `static`: the parameters that must be hashable Python values. `kinds`: what each parameter accepts:
    "array", "array:float64:2", "scalar:float", "static:int", "string", "unknown". `label`: "proved", "assumed", "checked" or
    "kept", or "host" where it stays NumPy by choice; `transform`: "jit", "vmap", "eager", "outlined" for one that stays NumPy and
    calls its loops, which are compiled, "both" for one that stays NumPy and has a compiled version for arrays of JAX, or "" for a function
    left as NumPy. `conditions`: those under which the converted function equals the original, each with its kind.
    """

    file: str
    module: str
    name: str
    params: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    results: int = 1
    static: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    transform: str = ""
    conditions: tuple[tuple[str, str], ...] = ()

    @property
    def qualname(self) -> str:
        """The name inside its module: "f" or "C.m"."""
        return self.name.removeprefix(f"{self.module}.") if self.module else self.name

    @property
    def required(self) -> dict[str, str]:
        """What each parameter accepts, with the dtypes that conditions name: "`grid` is of int64"."""
        found = dict(self.kinds)
        for kind, words in self.conditions:
            if kind == "dtype" and (named := OF_DTYPE.fullmatch(words)) is not None:
                name, dtype = named.groups()
                accepted, _dtype, rank = (*found.get(name, "array").split(":"), "", "")[:3]
                if accepted in ("array", "unknown") and name in self.params:
                    found[name] = f"array:{dtype}:{rank}".rstrip(":")
        return found

    @property
    def takes_both(self) -> bool:
        """Whether the function may have a compiled version, which runs for arrays of JAX."""
        return self.transform == "both"

    @property
    def left_as_numpy(self) -> bool:
        """Whether the function is still NumPy: it is run, too, and must still work."""
        return self.label in ("kept", "host") or self.transform in ("outlined", "both")


def contracts_of(items: Iterable[Mapping[str, Any]]) -> list[Contract]:
    """The contracts from plain data, such as that of the note in a converted folder, which may tell more of the functions."""
    names = {each.name for each in fields(Contract)}
    found = []
    for item in items:
        known: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in item.items() if name in names
        }
        known["conditions"] = tuple((condition["kind"], condition["words"]) for condition in item.get("conditions", ()))
        found.append(Contract(**known))
    return found
