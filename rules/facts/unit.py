"""Facts about a unit."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """A function, a method, or the code of a module itself.

    `definition`: None for the code of a module.
    `self_name`: the name of a method's object.
    `moved_from`: the function from which the loop was outlined that became this unit, "" for any other unit; `moved_out_of`: the
    syntax of that function.
    `desugared`: descriptions of the loops and branches of the unit that were desugared.
    """

    definition: cst.FunctionDef | None
    self_name: str
    moved_from: str
    moved_out_of: cst.CSTNode | None
    desugared: tuple[str, ...]
