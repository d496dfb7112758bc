"""What a unit is."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """A function, a method, or the code of a module itself.

    `definition`: None for the code of a module. `self_name`: what a method calls its object. `moved_from`: the function that a
    loop was taken from of which the unit was made, "" for any other unit; `moved_out_of`: that function's syntax. `desugared`:
    the loops and branches of the unit that stand in plainer statements now, in words.
    """

    definition: cst.FunctionDef | None
    self_name: str
    moved_from: str
    moved_out_of: cst.CSTNode | None
    desugared: tuple[str, ...]
