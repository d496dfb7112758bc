"""Lists that a loop fills and that become arrays after it: a function for the loop returns the arrays.

JAX has no lists that grow, but `lax.scan` and `jax.vmap` make an array of what each iteration gives. So the empty list moves with the
loop, and what leaves the function is `np.array(out)`; the same call in the code around it copies that array.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.loops import AccumulatedList, Loop
from ...rules.facts.values import UNKNOWN, Value
from ...rules.syntax.source_text import code
from ..analysis.loops.list_accumulation import appended_item, is_numeric, is_python
from ..syntax.break_statements import breaks
from ..syntax.names import collect
from ..syntax.source import Source, walk


class Appended(NamedTuple):
    """A list to which each iteration of a loop appends one number or array, and which the loop does not use otherwise. `owner`: the
    variable or the attribute that holds it; `python`: the items are numbers of Python."""

    owner: cst.Name | cst.Attribute
    python: bool

    @property
    def name(self) -> str:
        return self.owner.value if isinstance(self.owner, cst.Name) else self.owner.attr.value


def appended(
    loop: cst.For | cst.While,
    values: Mapping[cst.CSTNode, Value],
    arrays: Container[str] = frozenset(),
    left_out: Container[cst.CSTNode] = (),
) -> list[Appended]:
    """The lists to which a loop appends in this way. `arrays`: variables and attributes that are arrays in each iteration if the loop is
    compiled; `left_out`: nodes that do not count."""
    leaves = any(isinstance(node, (cst.Return, cst.Continue, cst.Yield)) for node, _above in walk(loop.body))
    if not isinstance(loop, cst.For) or leaves or any(breaks(loop.body)):
        return []
    found = []
    for line in loop.body.body:
        owner, item = appended_item(line) or (None, None)
        if owner is None or item is None:
            continue
        given = values.get(item, UNKNOWN)
        if not is_numeric(given) and not (given.kind is Kind.UNKNOWN and code(item) in arrays):
            continue
        if is_used_once(owner, loop, values, left_out):
            found.append(Appended(owner, is_python(given)))
    return found


def is_used_once(
    owner: cst.Name | cst.Attribute, loop: cst.For, values: Mapping[cst.CSTNode, Value], left_out: Container[cst.CSTNode] = ()
) -> bool:
    """Whether a loop mentions a list once, also under other names, and does not bind its variable."""
    held = values.get(owner, UNKNOWN)
    nodes = [n for n, _above in walk(loop) if isinstance(n, (cst.Name, cst.Attribute)) and n not in left_out]
    lists = [n for n in nodes if values.get(n, UNKNOWN).kind is Kind.LIST]
    others = [n for n in lists if n is not owner and (values[n].memory & held.memory or code(n) == code(owner))]
    bound = isinstance(owner, cst.Name) and owner.value in collect((loop,)).bound
    namesakes = (n for n in nodes if isinstance(n, cst.Attribute) and n is not owner)  # of another name of the object, perhaps
    seen = isinstance(owner, cst.Attribute) and any(n.attr.value == owner.attr.value for n in namesakes)
    return held.kind is Kind.LIST and not others and not bound and not seen


def mentions(owner: cst.Name | cst.Attribute, node: cst.CSTNode) -> list[cst.CSTNode]:
    """Where a variable or an attribute occurs."""
    return [n for n, _above in walk(node) if type(n) is type(owner) and code(n) == code(owner)]


def made_arrays(loop: Loop) -> tuple[AccumulatedList, ...]:
    """The lists of a loop of which nothing but arrays are made after it."""
    return tuple(one for one in loop.accumulated if one.arrays and len(one.arrays) == len(one.reads))


def conversions(source: Source, lists: Iterable[AccumulatedList]) -> dict[str, str]:
    """The function that makes an array of each list, as it is called in the file: `np.array`."""
    return {one.name: source.module.code_for_node(one.arrays[0].func) for one in lists}
