"""Functions that JAX lacks and that no short expression can replace: the converted module gets a copy of them.

A template of the tables calls such a function like any other: `_chebval({x}, {c})`. Its source is here, with a docstring that
cites its origin. All but those of `host` use only `jnp` and `jax`: `jit`,
`grad` and `vmap` apply to them, and a second conversion changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .computed_once import SOURCES as _ONCE
from .contraction import SOURCES as _CONTRACTIONS
from .extrema import SOURCES as _EXTREMA
from .host import SOURCES as _HOST
from .lists import SOURCES as _LISTS
from .polynomial import SOURCES as _POLYNOMIALS
from .promoted_cond import SOURCES as _CONDITIONALS
from .python_sum import SOURCES as _SUMS
from .random import SOURCES as _DRAWS
from .results import SOURCES as _RESULTS
from .statistics import SOURCES as _STATISTICS
from .types import SOURCES as _TYPES
from .update_order import SOURCES as _UPDATES
from .windows import SOURCES as _WINDOWS
from .zeros import SOURCES as _ZEROS

__all__ = ["DEFINITIONS", "is_of_host", "mentioned", "needed"]

DEFINITIONS: dict[str, str] = {
    **_CONDITIONALS,
    **_CONTRACTIONS,
    **_EXTREMA,
    **_POLYNOMIALS,
    **_DRAWS,
    **_HOST,
    **_LISTS,
    **_RESULTS,
    **_STATISTICS,
    **_SUMS,
    **_TYPES,
    **_ONCE,
    **_UPDATES,
    **_WINDOWS,
    **_ZEROS,
}
_NAME = re.compile(r"\b_[a-z]\w*")


def mentioned(text: str) -> Iterator[str]:
    """The defined functions that a template or another definition calls."""
    return (name for name in dict.fromkeys(_NAME.findall(text)) if name in DEFINITIONS)


def needed(names: Iterable[str]) -> list[str]:
    """These functions and all defined functions that they call, callees first."""
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in found:
            for other in mentioned(DEFINITIONS[name]):
                if other != name:
                    visit(other)
            found[name] = None

    for name in sorted(names):
        visit(name)
    return list(found)


def is_of_host(docstring: str) -> bool:
    """Whether a function with this docstring is a copy of one that handles NumPy arrays, which a conversion wrote."""
    return bool(docstring) and any(f'"""{docstring}"""' in text for text in (*_HOST.values(), *_RESULTS.values()))
