"""The rows of arrays that a counted loop reads, where its index is used for nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import libcst as cst

from ..context import Context
from ..core.findings import Edit
from ..facts.parallel_loops import ParallelNest
from ..syntax import builders
from .vmap_writer import Vectorizer


class CountedRows(NamedTuple):
    """`param`: the parameter through which `lax.scan` passes the rows to an iteration.
    `first`: the statement that unpacks it.
    `values`: the rows of all iterations.
    `edits`: replace the subscripts by the rows.
    """

    param: str
    first: list[cst.SimpleStatementLine]
    values: cst.BaseExpression
    edits: Mapping[cst.CSTNode, Edit]


def counted_rows(iterations: ParallelNest, ctx: Context) -> CountedRows:
    """The rows that the iterations of a loop read."""
    writer = Vectorizer(ctx, iterations)
    named = {writer.row(access): access for access in iterations.reads}
    param = next(iter(named)) if len(named) == 1 else ctx.names.local("row", "turn")
    first = [] if len(named) == 1 else [builders.assigned(list(named), cst.Name(param))]
    values = builders.tuple_of([writer.sliced(access, aligned=False) for access in named.values()])
    return CountedRows(param, first, values, writer.row_edits())
