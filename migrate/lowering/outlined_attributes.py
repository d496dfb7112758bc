"""Attributes and elements of objects that statements read or bind: variables where the statements are a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from keyword import iskeyword

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..summaries.units import Module, Unit
from ..syntax.names import Names
from . import object_attributes
from .outlined_text import Region
from .region_results import is_certain


def read_elsewhere(
    module: Module, region: Region, names: Names, reads: Mapping[cst.BaseExpression, tuple[str, ...]], own: str
) -> bool:
    """Let parameters take what the statements read of objects that they do not change (see `object_reads`)."""
    called: dict[tuple[str, ...], str] = {}
    for node, path in reads.items():
        if path not in called:
            taken = {*names.read, *names.bound, *region.params}
            parts = [part.strip("_[]") for part in path if part != own]
            free = next((name for name in (parts[-1], "_".join(parts)) if name.isidentifier() and name not in taken), "")
            if not free or iskeyword(free):
                return False
            called[path] = free
            region.params[free] = module.source.module.code_for_node(node)
        region.swaps[node] = called[path]
    return True


def are_variables(
    module: Module,
    region: Region,
    statements: Sequence[cst.BaseStatement],
    names: Names,
    reads: Mapping[cst.BaseExpression, tuple[str, ...]],
) -> bool:
    """Replace attributes by variables, if that is possible: they become parameters, and those of the object itself that are bound become
    results. `reads`: see `object_reads`."""
    unit = region.unit
    own = module.runs[unit.name].unit.self_name
    if not read_elsewhere(module, region, names, reads, own):
        return False
    if not own or own not in names.read:
        return True
    source = module.source
    elsewhere = {name for node in reads for name in source.among(node, cst.Name)}
    names_of: dict[str, str] = {}
    changed: list[str] = []
    for node in (n for s in statements for n in source.among(s, cst.Name)):
        parent = source.parents[node]
        if node.value != own or node in elsewhere:
            continue
        if not isinstance(parent, cst.Attribute) or parent.value is not node:
            return False
        enclosing = source.parents[parent]
        attribute = parent.attr.value
        if isinstance(enclosing, cst.Call) and enclosing.func is parent:
            return False
        if attribute not in names_of and not object_attributes.is_variable(module, unit, attribute):
            return False
        target: cst.CSTNode = parent
        above = enclosing
        while isinstance(above, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
            target, above = above, source.parents[above]
        if isinstance(above, cst.For) and above.target is target:
            return False
        if isinstance(above, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign)) and above.target is target:
            enclosing = above
            if not isinstance(enclosing, cst.AugAssign) or not is_filled(module, unit, parent, attribute):
                changed.append(attribute)
        elif not isinstance(enclosing, cst.BaseExpression | cst.Arg | cst.Index | cst.Element | cst.ComparisonTarget | cst.Slice):
            if not isinstance(enclosing, (cst.Assign, cst.AugAssign, cst.For, cst.While, cst.If)):
                return False
        if attribute not in names_of:
            short = attribute.strip("_") or attribute
            taken = {*names.read, *names.bound, *names_of.values(), *region.params}
            names_of[attribute] = short if short not in taken else f"{own}_{short}"
            if names_of[attribute] in taken:
                return False
        region.swaps[parent] = names_of[attribute]
    read, bound = object_attributes.first_uses(module, statements, own)
    arguments = {name: f"{own}.{attribute}" for attribute, name in names_of.items() if attribute not in bound}
    region.params = {**arguments, **region.params}
    results = {names_of[a]: f"{own}.{a}" for a in dict.fromkeys(changed)}
    region.results = {**region.results, **results}
    started = module.inlined.get(region.number[1], False)
    return not changed or (
        object_attributes.plain_bases(module, unit)
        and all(started or object_attributes.may_start(module, unit, a, region.last) for a in {*changed} - read - bound)
    )


def is_filled(module: Module, unit: Unit, target: cst.Attribute, attribute: str) -> bool:
    """Whether `self.x += y` changes the array of the attribute, rather than bind another number to it."""
    value = module.runs[unit.name].values.get(target, UNKNOWN)
    here = value.kind is Kind.ARRAY and is_certain(value)  # elsewhere it may be None
    return here or object_attributes.is_array(module, unit, attribute)
