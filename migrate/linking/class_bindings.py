"""What is bound to the attributes of classes: by their methods and bodies, and by code outside of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...rules.facts.values import NOTHING, Value, replace
from ..analysis.state.lattice import join
from ..analysis.state.project_facts import SHARED, Facts
from ..summaries.units import ModuleSummary, UnitSummary, written_name
from .memo import Memo

Bindings = tuple[tuple[str, Value], ...]  # attributes, and the values bound to them


class Own(NamedTuple):
    """What a class itself binds: `all` by its methods and its body, `outset` by `__init__` and the body only. `aliases`: other
    attributes, as "C.x", whose arrays it binds to its own."""

    all: Mapping[str, Value]
    outset: Mapping[str, Value]
    aliases: frozenset[str]


class Bound(NamedTuple):
    """The attributes of a class with what it, and code outside of it, binds to them; `outset` in place of what methods bind."""

    all: Mapping[str, Value]
    outset: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class BindingMemos:
    """What is known from earlier links, by class."""

    own: Memo[str, str, tuple[tuple[bool, Bindings], ...], frozenset[str], Bindings, tuple[str, ...], bool, Own] = field(
        default_factory=lambda: Memo(bound_by_class)
    )
    widened: Memo[str, Own, frozenset[str], Bindings, Bound] = field(default_factory=lambda: Memo(widened))


def bound_by_classes(
    facts: Facts, modules: Iterable[ModuleSummary], units: Mapping[str, UnitSummary], memos: BindingMemos
) -> dict[str, Bound]:
    """The values that are bound to the attributes of the instances of each class."""
    escaped = {e for u in units.values() for e in u.call_graph.escapes}
    constructors = {fact.methods["__init__"] for fact in facts.classes.values() if "__init__" in fact.methods}
    alone = unaliased_arguments(units, constructors, escaped)
    stores = escaping_attributes(units)
    for unit in units.values():
        stores |= unit.attributes.attr_stores
        stores.update(t[5:] for t in unit.effects.leaks)
    own: dict[str, Own] = {}
    for module in modules:
        class_values = dict(module.class_values)
        for name, _bases, _methods in module.classes:
            fact = facts.classes[name]
            methods = tuple(
                (method == "__init__", units[qualified].attributes.attrs)
                for method, qualified in fact.methods.items()
                if qualified in units
            )
            unheld, values = alone.get(fact.methods.get("__init__", ""), NOTHING), class_values.get(name, ())
            own[name] = memos.own(name, name, facts.root(name), methods, unheld, values, fact.fields, name in escaped)
            stores |= own[name].aliases
    stored: dict[str, set[str]] = defaultdict(set)  # class -> attributes whose arrays others may have
    for store in stores:
        cls, _dot, attr = store.rpartition(".")
        stored[cls].add(attr)
    outside = bound_outside(units, own)
    found: dict[str, Bound] = {}
    for name, each in own.items():
        taken = [stored[cls] for cls in (name, facts.root(name), "?") if cls in stored]
        shared = frozenset(a for a in each.all if any(a in attrs or "*" in attrs for attrs in taken))
        found[name] = memos.widened(name, name, each, shared, tuple(outside.get(name, ())))
    return found


def bound_by_class(
    name: str,
    root: str,
    methods: tuple[tuple[bool, Bindings], ...],
    unheld: frozenset[str],
    values: Bindings,
    fields: tuple[str, ...],
    escapes: bool,
) -> Own:
    """What a class binds to the attributes of its instances.

    `methods`: whether each is `__init__`, and what it binds; `unheld`: the parameters of `__init__` that get arrays without aliases;
    `values`: what the body of the class binds; `escapes`: the class itself is used as a value.
    """
    attrs: dict[str, Value] = {}
    outset: dict[str, Value] = {}
    for constructs, bound in methods:
        add(attrs, ((a, replace(v, memory=unshared(v.memory, unheld))) for a, v in bound))
        if constructs:
            add(outset, bound)
    for attr, value in values:
        if attr not in fields or escapes:
            value = replace(value, memory=value.memory | {f"{SHARED}{name}.{attr}"})  # shared by all instances
        add(attrs, [(attr, value)])
        add(outset, [(attr, value)])
    aliases = {m[5:] for a, v in attrs.items() for m in v.memory if m.startswith("attr:") and m != f"attr:{root}.{a}"}
    return Own(attrs, outset, frozenset(aliases))


def widened(name: str, own: Own, shared: frozenset[str], outside: Bindings) -> Bound:
    """What a class binds, together with what code outside of it binds. `shared`: the attributes whose arrays others may have."""
    attrs = {a: replace(v, memory=v.memory | {f"{SHARED}{name}.{a}"}) if a in shared else v for a, v in own.all.items()}
    outset = dict(own.outset)
    widen(attrs, outside)
    widen(outset, outside)
    return Bound(attrs, outset)


def widen(attrs: dict[str, Value], outside: Bindings) -> None:
    """Join in what code outside of a class binds to its attributes; "*" is an unknown name."""
    for attr, value in outside:
        for known in attrs if attr == "*" else {attr} & attrs.keys():
            attrs[known] = join(attrs[known], replace(value, memory=attrs[known].memory))


def bound_outside(units: Mapping[str, UnitSummary], own: Mapping[str, Own]) -> dict[str, list[tuple[str, Value]]]:
    """What code outside of classes binds to their attributes: "C.x", "?.x" for an object of unknown class, "C.*" for an unknown
    name."""
    having: dict[str, list[str]] = defaultdict(list)  # attribute -> the classes that bind it
    for name, each in own.items():
        for attr in each.all:
            having[attr].append(name)
    stores = dict.fromkeys(
        (store, replace(stored, memory=NOTHING)) for unit in units.values() for store, stored in unit.attributes.stored
    )
    found: dict[str, list[tuple[str, Value]]] = defaultdict(list)
    for store, value in stores:
        cls, _dot, attr = store.rpartition(".")
        for name in [cls] if cls in own else (own if attr == "*" else having.get(attr, ())) if cls == "?" else ():
            found[name].append((attr, value))
    return found


def add(attrs: dict[str, Value], more: Iterable[tuple[str, Value]]) -> None:
    """Join further bindings into `attrs`."""
    for attr, value in more:
        attrs[attr] = join(attrs[attr], value) if attr in attrs else value


def unshared(memory: frozenset[str], alone: frozenset[str]) -> frozenset[str]:
    return frozenset(f"new:{m}" if m.startswith("param:") and m[6:] in alone else m for m in memory)


def unaliased_arguments(
    units: Mapping[str, UnitSummary], constructors: Collection[str], escaped: Collection[str]
) -> dict[str, frozenset[str]]:
    """The parameters of constructors for which every call is known and passes an array that has no alias afterwards."""
    found: dict[str, frozenset[str]] = {}
    for unit in units.values():
        for call in unit.call_graph.calls:
            if call.callee in constructors:
                found[call.callee] = call.alone if call.callee not in found else found[call.callee] & call.alone
    return {
        name: params for name, params in found.items() if name not in escaped and name.removesuffix(".__init__") not in escaped
    }


def escaping_attributes(units: Mapping[str, UnitSummary]) -> set[str]:
    """The attributes whose arrays methods return to callers that do not know their origin and may retain them."""
    called = NOTHING.union(*(u.call_graph.unresolved for u in units.values()))
    read = {t[7:] for u in units.values() for t in u.effects.reads if t.startswith("attr:?.")}
    return {
        token[5:]
        for unit in units.values()
        if unit.cls and (unit.result.memory or unit.result.elements)
        if written_name(unit.name.rpartition(".")[2]) in (read if unit.signature.property else called)
        for value in (unit.result, *(unit.result.elements or ()))
        for token in value.memory
        if token.startswith("attr:")
    }
