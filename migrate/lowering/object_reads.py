"""What statements read of objects and dicts that they do not change: `config.rate`, `self.grid.dx`, `options["rate"]`.

Where the statements move into a function, it becomes an argument.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

import libcst as cst

from ...rules import numpy_table
from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN, Value
from ...rules.numpy_table.methods import IN_PLACE
from ..analysis.state.interpreter_state import Run
from ..summaries.call_order import inside
from ..summaries.units import Module
from ..syntax.names import collect

CONSTANTS = ("None", "True", "False")


def reads_of(module: Module, run: Run, statements: Sequence[cst.CSTNode]) -> dict[cst.BaseExpression, tuple[str, ...]]:
    """The outermost expressions that read an element of an object, with their parts: "config", "rate" of `config.rate`,
    and "config", "[rate]" of `config["rate"]`. An object is left out if the
    statements bind its name, store anything in it, call its methods, or use it as a whole."""
    source, bound = module.source, collect(statements).bound
    stored = {n.attr.value for s in statements for n in source.among(s, cst.Attribute) if is_stored(module, n)}
    found = dict[cst.BaseExpression, tuple[str, ...]]()
    left = set[tuple[str, ...]]()
    roots = [n for s in statements for n in source.among(s, cst.Name) if not source.is_label(n) and n.value not in bound]
    roots = [n for n in roots if module.scopes.bindings(n) and not module.scopes.is_module_level(n)]
    chains = [whole(module, run, root, ()) for root in roots]
    objects = {path[:end] for _node, path in chains for end in range(1, len(path))}
    for root in roots:
        own = root.value == run.unit.self_name
        node, path = whole(module, run, root, objects)
        if own and len(path) < 3:
            continue  # an attribute of the object itself may be bound
        if len(path) > 1 and stored.isdisjoint(path) and not is_changed(module, node):
            found[node] = path
        else:
            left.add(path[:2] if own else path[:1])
    found = {node: path for node, path in found.items() if left.isdisjoint((path[:1], path[:2]))}
    flags = [node for node in found if is_flag(module, node, found)]
    always = {path for node, path in found.items() if not is_option(module, node, [f for f in flags if found[f][0] == path[0]])}
    unclear = {path for node, path in found.items() if run.values.get(node, UNKNOWN).kind is Kind.UNKNOWN}
    left |= {path[:1] for path in unclear - always}
    return {node: path for node, path in found.items() if path[:1] not in left}


def is_option(module: Module, node: cst.BaseExpression, flags: Sequence[cst.CSTNode]) -> bool:
    """Whether an element is read only where another one of its object says so, alone: else it may be None, or missing. `flags`: the
    elements that tests ask for alone."""
    inner: cst.CSTNode = node
    for at in module.source.above(node):
        match at:
            case cst.If(test=test) | cst.IfExp(test=test) | cst.BooleanOperation(left=test) if test is not inner:
                if any(each is not node and module.source.inside(each, test) for each in flags):
                    return True
            case cst.FunctionDef():
                break
        inner = at
    return False


def is_flag(module: Module, node: cst.BaseExpression, found: Container[cst.CSTNode]) -> bool:
    """Whether a test asks for an element alone, as in `if options.fast` or `if options.mode == "fast"`."""
    asked: cst.CSTNode = node
    for at in module.source.above(node):
        if not isinstance(at, (cst.Comparison, cst.ComparisonTarget, cst.UnaryOperation)):
            break
        asked = at
    inner = {n for each in module.source.below(asked) if each in found for n in module.source.below(each)}
    return all(n in inner or n.value in CONSTANTS for n in module.source.among(asked, cst.Name))


def free_reads(module: Module, run: Run) -> set[cst.CSTNode]:
    """The nodes of what the outermost loops of a unit read of objects that they do not change."""
    unclear = [node for node in run.constraints.impure if isinstance(node, cst.Attribute)]
    loops = {outer for node in unclear if (outer := inside(run, node, (cst.For, cst.While))) is not None}
    return {inner for loop in loops for inner in parts_of(module, reads_of(module, run, (loop,)))}


def parts_of(module: Module, reads: Iterable[cst.BaseExpression]) -> frozenset[cst.CSTNode]:
    """The nodes of what becomes variables."""
    return frozenset(inner for node in reads for inner in module.source.below(node))


def whole(
    module: Module, run: Run, root: cst.Name, objects: Container[tuple[str, ...]]
) -> tuple[cst.BaseExpression, tuple[str, ...]]:
    """The longest chain of attributes and string keys above a variable that starts with objects and dicts, and its parts. `objects`: chains
    that are objects, so that `.size` is an attribute of theirs, and none of an array."""
    node: cst.BaseExpression = root
    path = [root.value]
    while True:
        held, above = run.values.get(node, UNKNOWN), module.source.parents[node]
        if held.kind is Kind.UNKNOWN and run.source.name in run.facts.program.pandas:
            return node, tuple(path)  # a data frame, whose columns are no arrays
        match above:
            case cst.Attribute(value=inner, attr=cst.Name(value=part)) if inner is node and holds(
                run, held, part, tuple(path) in objects
            ):
                pass
            case cst.Subscript(value=inner, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() as key))]) if (
                inner is node and held.kind in (Kind.DICT, Kind.UNKNOWN)
            ):
                part = f"[{key.raw_value}]"  # no attribute
            case _:
                return node, tuple(path)
        node = above
        path.append(part)


def holds(run: Run, held: Value, attribute: str, certain: bool) -> bool:
    """Whether a value may be an object with this attribute, which is no method, no property, and none of an array. `certain`: it is one."""
    if held.kind is Kind.OBJECT and held.name in run.facts.classes:
        return run.facts.method(held.name, attribute) is None
    array = numpy_table.method(attribute) is not None and not certain
    return held.kind in (Kind.OBJECT, Kind.UNKNOWN) and not array and attribute not in run.facts.hierarchy.methods


def is_stored(module: Module, node: cst.BaseExpression) -> bool:
    """Whether an expression is bound, and not read."""
    at: cst.CSTNode = node
    above = module.source.parents[at]
    while isinstance(above, (cst.Element, cst.StarredElement, cst.Tuple, cst.List)):
        at, above = above, module.source.parents[above]
    match above:
        case (
            cst.AssignTarget(target=target) | cst.AugAssign(target=target) | cst.AnnAssign(target=target) | cst.For(target=target)
        ):
            return target is at
    return isinstance(above, cst.Del)


def is_changed(module: Module, node: cst.BaseExpression) -> bool:
    """Whether an expression is bound, called, or changed in place by what stands right above it."""
    above = module.source.parents[node]
    while isinstance(above, cst.Subscript) and above.value is node:
        if is_stored(module, node):
            return True
        node, above = above, module.source.parents[above]
    match above:
        case cst.Call(func=func) if func is node:
            return True
        case cst.Attribute(attr=cst.Name(value=name)):
            method = module.source.parents[above]
            return isinstance(method, cst.Call) and (name in IN_PLACE or numpy_table.method(name) is None)
        case cst.Arg(keyword=cst.Name(value="out")):
            return True
    return is_stored(module, node)


__all__ = ["free_reads", "parts_of", "reads_of"]
