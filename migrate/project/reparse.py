"""A file with another text: the statements that stand there as they did keep their nodes, and what is known of them."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy

import libcst as cst

from ..summaries.unit_discovery import read
from ..summaries.units import Module
from ..syntax.source import Source, with_module

KNOWN = ("local_evidence", "live", "streams", "special", "rooted", "lists", "given_lists", "guessed", "sequences", "summaries")


def reread(module: Module, source: Source, changed: Collection[cst.CSTNode], added: Collection[str] = ()) -> Module:
    """A file as `source` has it, where the statements `changed` have another text, and the functions `added` stand between them."""
    body = _with_nodes_of(module.source, source, changed, added)
    made = read(source if body is None else with_module(source, source.module.with_changes(body=body)))
    for name, unit in made.units.items():
        if name in module.runs and module.units[name].node is unit.node:
            run = made.runs[name] = copy(module.runs[name])
            run.source, run.scopes = made.source, made.scopes
            for kept in KNOWN:
                if name in getattr(module, kept):
                    getattr(made, kept)[name] = getattr(module, kept)[name]
    return made


def _with_nodes_of(
    before: Source, source: Source, changed: Collection[cst.CSTNode], added: Collection[str]
) -> list[cst.BaseStatement | cst.SimpleStatementLine] | None:
    """The statements of a file, with the nodes of what stood there; None where they are not as many."""
    old = iter(before.module.body)
    body: list[cst.BaseStatement | cst.SimpleStatementLine] = []
    for statement in source.module.body:
        if isinstance(statement, cst.FunctionDef) and statement.name.value in added:
            body.append(statement)
            continue
        known = next(old, None)
        if type(known) is not type(statement):
            return None
        body.append(statement if known is None or known in changed else known)
    return body if next(old, None) is None else None
