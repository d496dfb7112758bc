"""The speculative transformations, by the names of their passes."""

from __future__ import annotations

from .desugaring import DESUGAR
from .loop_outlining import OUTLINE_LOOPS
from .rectangular_loops import RECTANGULAR_LOOPS, UNSWITCH
from .statement_outlining import OUTLINE_STATEMENTS

SPECULATIONS = {each.name: each for each in (DESUGAR, OUTLINE_LOOPS, OUTLINE_STATEMENTS, UNSWITCH, RECTANGULAR_LOOPS)}
