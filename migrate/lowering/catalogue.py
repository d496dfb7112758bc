"""The speculative transformations, by the names of their passes."""

from __future__ import annotations

from .array_specialization import SPECIALIZE
from .desugaring import DESUGAR
from .function_cloning import CLONE_FUNCTIONS
from .function_specialization import SPECIALIZE_FUNCTIONS
from .loop_outlining import OUTLINE_LOOPS
from .method_inlining import INLINE_METHODS, OUTLINE_INLINED
from .rectangular_loops import RECTANGULAR_LOOPS, UNSWITCH
from .scalar_replacement import SCALAR_REPLACEMENT
from .statement_outlining import OUTLINE_STATEMENTS

SPECULATIONS = {
    each.name: each
    for each in (
        SPECIALIZE_FUNCTIONS,
        DESUGAR,
        OUTLINE_LOOPS,
        INLINE_METHODS,
        OUTLINE_INLINED,
        OUTLINE_STATEMENTS,
        SPECIALIZE,
        CLONE_FUNCTIONS,
        UNSWITCH,
        RECTANGULAR_LOOPS,
        SCALAR_REPLACEMENT,
    )
}
