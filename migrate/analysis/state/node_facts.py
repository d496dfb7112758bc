"""What the interpreter records of single nodes: updates in place, random draws, and values that Python itself needs."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from ....rules.facts.values import Value
from ....rules.random_table import Draw

SHAPE_OF = "the shape of "
MASKED = "the number of elements that a boolean mask selects depends on values"
GLOBAL_STATE = "<key>"  # the stream of NumPy's global random state
ON_HOST = "<host>"  # code left as NumPy takes no keys
MADE_HERE = "<made>"  # a generator that is created for one draw: `default_rng(0).normal()`


class Site(NamedTuple):
    """A node at which a unit takes keys from a random stream, or restarts the stream.

    `node`: the call that draws; the name of a generator that is passed on; the call that seeds. `stream`: the access path of the
    generator ("rng", "self.rng"), or GLOBAL_STATE. `keys`: what each key is for. `draw`: what is drawn, None where keys are
    passed on. `seeds`: it restarts the stream from `seed` (None: from the system's entropy). `optional`: the generator may be
    None.
    """

    node: cst.CSTNode
    stream: str
    keys: tuple[str, ...] = ()
    draw: Draw | None = None
    seeds: bool = False
    seed: cst.BaseExpression | None = None
    optional: bool = False


class Need(NamedTuple):
    """An expression whose value Python itself needs, so that it must be known when JAX traces."""

    node: cst.CSTNode
    value: Value
    why: str
