"""What is known about each variable where it occurs in a file: what an editor shows under the pointer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import Value
from ..summaries.units import Module
from ..syntax.locations import positions
from .describe import described_kind

NOT_VALUES = (Kind.FUNCTION, Kind.CLASS, Kind.MODULE)


class ValueAt(NamedTuple):
    """A variable and what is known about its value, in words. Lines and columns from 1; the end is exclusive."""

    line: int
    column: int
    end_column: int
    name: str
    value: str
    function: str  # the qualified name of the function in which it occurs


def values_at(module: Module) -> Iterator[ValueAt]:
    """The variables of a file that has been interpreted, without functions, classes and modules."""
    found: dict[cst.Name, tuple[str, str]] = {}
    for unit, nodes in module.nodes.items():
        run = module.runs.get(unit)
        for node in nodes if run is not None else ():
            name = node.name if type(node) is cst.Param else node
            if run is not None and type(name) is cst.Name:
                value = run.values.get(name) if name is node else run.unit.bound.get(name.value)
                if value is not None and value.kind not in NOT_VALUES:
                    found[name] = _words(value), unit
    where = positions(module.source, list(found))
    for name, (known, unit) in found.items():
        line, column, _end_line, end = where[name]
        yield ValueAt(line, column + 1, end + 1, name.value, known, unit)


def _words(value: Value) -> str:
    """The kind, the dtype and the rank of a value, or of the values in a tuple, and whether JAX needs no run to know it."""
    if value.kind is Kind.TUPLE and value.elements:
        return f"({', '.join(map(_words, value.elements))})"
    static = not value.traced and not value.deps and value.kind is Kind.SCALAR
    return described_kind(value) + (", known when JAX traces" if static else "")
