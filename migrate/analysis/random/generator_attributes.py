"""Attributes that are generators, or lists of them: how one unit uses them, for the linker.

An attribute is "attr:C.rng", with the topmost class in the project, or "attr:?.rng" if the class of the object is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, Value
from ..state.interpreter_state import Run
from .generators import in_collection, is_draw, is_generator, sounds_like_generator

ANY = "?"  # an unknown class


def seed_attributes(run: Run) -> frozenset[str]:
    """Attributes that are bound to parameters which may be generators or seeds."""
    root = run.facts.root(run.unit.cls) if run.attributes.attrs else ""
    given = {name for name, v in run.attributes.attrs.items() if v.holds in run.params and not is_generator(v)}
    return frozenset(f"seed:{root}.{name}" for name in given if sounds_like_generator(name))


def holds_generator(value: Value) -> bool:
    return is_generator(value) or in_collection(value) is not None or any(map(holds_generator, value.elements or ()))


def attribute_token(run: Run, use: cst.Attribute) -> str | None:
    """The name of an attribute for the linker, "attr:C.rng"; None if the class of the object is unknown."""
    owner = run.values.get(use.value, UNKNOWN)
    known = owner.kind is Kind.OBJECT and owner.name
    return f"attr:{run.facts.root(owner.name)}.{use.attr.value}" if known else None


def bound_otherwise(run: Run) -> list[str]:
    """Attributes that a method binds to something else, while a base class binds them to generators."""
    found, bases = [], list(run.facts.classes[run.unit.cls].bases) if run.unit.cls in run.facts.classes else []
    for base in bases:  # the list grows during the loop
        above = run.facts.classes.get(base)
        bases += [b for b in above.bases if b not in bases] if above is not None else ()
        for name, value in run.attributes.attrs.items():
            held = run.attribute(base, name)
            if held is not None and holds_generator(held) and not holds_generator(value) and value.kind is not Kind.NONE:
                found.append(name)
    return found


def bound_elsewhere(run: Run, nodes: list[cst.CSTNode]) -> set[str]:
    """Attributes that are bound to generators, for the linker."""
    found = set()
    for node in nodes:
        if type(node) is cst.Assign and holds_generator(run.values.get(node.value, UNKNOWN)):
            for target in (t.target for t in node.targets):
                if isinstance(target, cst.Attribute):
                    found.add(attribute_token(run, target) or f"attr:{ANY}.{target.attr.value}")
    return found


def drawn_elsewhere(run: Run, nodes: list[cst.CSTNode]) -> frozenset[str]:
    """Attributes of objects of unknown class on which methods of generators are called, for the linker."""
    found = set()
    for draw in unknown_draws(run, nodes):
        receiver = draw.func.value if isinstance(draw.func, cst.Attribute) else draw
        holder = receiver.value if isinstance(receiver, cst.Subscript) else receiver
        if isinstance(holder, cst.Attribute):
            found.add(f"attr:{ANY}.{holder.attr.value}")
    return frozenset(found)


def unknown_draws(run: Run, nodes: list[cst.CSTNode]) -> Iterator[cst.Call]:
    """Calls of methods of generators on objects of unknown type."""
    for node in nodes:
        if type(node) is cst.Call and type(node.func) is cst.Attribute and node not in run.random.sites:
            receiver = run.values.get(node.func.value, UNKNOWN)
            if receiver.kind is Kind.UNKNOWN and not receiver.name and is_draw(node.func.attr.value):
                yield node
