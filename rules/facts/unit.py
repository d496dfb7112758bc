"""Facts about a unit."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

LOOP, STATEMENTS, CLONE, SPECIALIZED, LIFTED = "loop", "statements", "clone", "specialized", "lifted"


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """A function, a method, or the code of a module itself.

    `definition`: None for the code of a module.
    `self_name`: the name of a method's object.
    `moved`: LOOP or STATEMENTS, if the unit was outlined from another function, CLONE if it is a copy of it, SPECIALIZED if it is one for
    certain functions as arguments, LIFTED if it was a lambda or a nested function, else ""; `moved_from`: the name of that function;
    `moved_out_of`: its syntax.
    `desugared`: descriptions of the loops and branches of the unit that were desugared.
    `wrapped`: one of its decorators may return another function.
    """

    definition: cst.FunctionDef | None
    self_name: str
    moved: str
    moved_from: str
    moved_out_of: cst.CSTNode | None
    desugared: tuple[str, ...]
    wrapped: bool
