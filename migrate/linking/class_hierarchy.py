"""The classes of a project: their bases and methods, and the values of their attributes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, Value, replace
from ..analysis.interp.super_calls import above, mixed
from ..analysis.state.lattice import NUMERIC, join
from ..analysis.state.project_facts import SHARED, ClassFact, Facts
from ..summaries.units import ModuleSummary, UnitSummary, written_name

Attribute = tuple[str, str]  # a class and the name of an attribute


def find(
    facts: Facts,
    modules: Sequence[ModuleSummary],
    units: Mapping[str, UnitSummary],
    assumed: Mapping[Attribute, Value],
    before: Facts | None,
) -> None:
    """Put the classes into the facts. `before`: the facts of the previous worklist pass.

    `assumed`: the values that attributes are assumed to have, because `self.x = 2 * self.x` binds an array only if it reads one.
    Attributes that contradict the assumption go to `facts.hierarchy.broken`. Assumptions worth a trial go to
    `facts.hierarchy.assumed`: that methods bind the same as `__init__`, or the same as they bind now. Once a fact has been
    widened (`facts.hierarchy.wide`), only such an assumption makes it precise again: otherwise the passes would not terminate.
    """
    for module in modules:
        fields = dict(module.fields)
        for name, bases, methods in module.classes:
            known = tuple(facts.canonical(b) for b in bases)
            facts.classes[name] = ClassFact(name, known, methods=dict(methods), fields=fields.get(name, ()))
    facts.hierarchy.overridden = overridden(facts)
    facts.hierarchy.mixed = mixed(facts)
    facts.hierarchy.kin = kin(facts)
    bound = bound_by_classes(facts, modules, units)
    outside = dict.fromkeys(
        (store, replace(stored, memory=NOTHING)) for unit in units.values() for store, stored in unit.attributes.stored
    )
    widen(bound.all, outside)
    widen(bound.outset, outside)
    for name, fact in facts.classes.items():
        attrs = joined(bound.all, facts.hierarchy.kin[name])
        outset = joined(bound.outset, facts.hierarchy.kin[name])
        shared = frozenset(a for a, v in attrs.items() if any(m.startswith(SHARED) for m in v.memory))
        root = facts.root(name)
        for attr, value in attrs.items():
            own = f"attr:{root}.{attr}"
            attrs[attr] = attribute(facts, (name, attr), own, as_read(value, own), outset.get(attr), assumed, before)
        facts.classes[name] = replace(fact, attrs=attrs, shared=shared)


def attribute(
    facts: Facts,
    key: Attribute,
    own: str,
    bound: Value,
    outset: Value | None,
    assumed: Mapping[Attribute, Value],
    before: Facts | None,
) -> Value:
    """The value that an attribute is taken to have: methods bind `bound` to it, and `__init__` binds `outset`. See `find`."""
    if key in assumed:
        if join(assumed[key], bound) != assumed[key]:
            facts.hierarchy.broken |= {key}
        return assumed[key]
    known, last = bound, None if before is None or key[0] not in before.classes else before.classes[key[0]].attrs.get(key[1])
    if last is not None and before is not None:
        wider = as_read(join(before.hierarchy.wide.get(key, last), bound), own)
        if key in before.hierarchy.wide or (wider != last and last.kind is not Kind.NONE):
            known = facts.hierarchy.wide[key] = wider
    assumptions = (bound,) if outset is None else (replace(as_read(outset, own), memory=known.memory), bound)
    facts.hierarchy.assumed[key] = tuple(
        h for h in assumptions if h.kind in NUMERIC and h != known == as_read(join(h, known), own)
    )
    return known


def joined(bound: Mapping[str, Mapping[str, Value]], classes: Iterable[str]) -> dict[str, Value]:
    """The join of what the given classes bind to their attributes."""
    found: dict[str, Value] = {}
    for name in sorted(classes):
        add(found, bound[name].items())
    return found


def add(attrs: dict[str, Value], more: Iterable[tuple[str, Value]]) -> None:
    """Join further bindings into `attrs`."""
    for attr, value in more:
        attrs[attr] = join(attrs[attr], value) if attr in attrs else value


def kin(facts: Facts) -> dict[str, frozenset[str]]:
    """For each class, the classes whose methods may run on an instance of it or of a subclass: the class, its ancestors and
    descendants, and the ancestors of those."""
    found: dict[str, set[str]] = {name: set() for name in facts.classes}
    for name in facts.classes:
        line = {name, *above(facts, name)} & facts.classes.keys()
        for one in line:
            found[one] |= line
    return {name: frozenset(others) for name, others in found.items()}


@dataclass(frozen=True, slots=True)
class Bound:
    """The attributes that each class binds: `all` by its methods and its body, `outset` by `__init__` and the body only."""

    all: dict[str, dict[str, Value]] = field(default_factory=dict)
    outset: dict[str, dict[str, Value]] = field(default_factory=dict)


def bound_by_classes(facts: Facts, modules: Iterable[ModuleSummary], units: Mapping[str, UnitSummary]) -> Bound:
    """The values that classes bind to the attributes of their instances."""
    alone = unaliased_arguments(units)
    escaped = {e for u in units.values() for e in u.call_graph.escapes}
    stores = {
        a for u in units.values() for a in (*u.attributes.attr_stores, *(t[5:] for t in u.effects.leaks))
    } | escaping_attributes(units)
    found = Bound()
    for module in modules:
        class_values = dict(module.class_values)
        for name, _bases, _methods in module.classes:
            fact = facts.classes[name]
            attrs = found.all[name] = {}
            outset = found.outset[name] = {}
            unheld = alone.get(fact.methods.get("__init__", ""), NOTHING)
            for method, qualified in fact.methods.items():
                bound = units[qualified].attributes.attrs if qualified in units else ()
                add(attrs, ((a, replace(v, memory=unshared(v.memory, unheld))) for a, v in bound))
                if method == "__init__":
                    add(outset, bound)
            for attr, value in class_values.get(name, ()):
                if attr not in fact.fields or name in escaped:
                    value = replace(value, memory=value.memory | {f"{SHARED}{name}.{attr}"})  # shared by all instances
                add(attrs, [(attr, value)])
                add(outset, [(attr, value)])
            root = facts.root(name)
            stores |= {m[5:] for a, v in attrs.items() for m in v.memory if m.startswith("attr:") and m != f"attr:{root}.{a}"}
    for name, attrs in found.all.items():
        for attr, value in attrs.items():
            if not stores.isdisjoint(f"{cls}.{known}" for cls in (name, facts.root(name), "?") for known in (attr, "*")):
                attrs[attr] = replace(value, memory=value.memory | {f"{SHARED}{name}.{attr}"})
    return found


def widen(bound: Mapping[str, dict[str, Value]], outside: Iterable[tuple[str, Value]]) -> None:
    """Join in what code outside of a class binds to its attributes: "C.x", "?.x" for an object of unknown class, "C.*" for an
    unknown name."""
    having: dict[str, list[str]] = defaultdict(list)  # attribute -> the classes that bind it
    for name, attrs in bound.items():
        for attr in attrs:
            having[attr].append(name)
    for store, value in outside:
        cls, _dot, attr = store.rpartition(".")
        for name in [cls] if cls in bound else (bound if attr == "*" else having.get(attr, ())) if cls == "?" else ():
            attrs = bound[name]
            for known in attrs if attr == "*" else {attr} & attrs.keys():
                attrs[known] = join(attrs[known], replace(value, memory=attrs[known].memory))


def as_read(value: Value, own: str) -> Value:
    """What a reader knows of the attribute with the token `own`; the names that its value had where it was bound are dropped."""
    alone = value.memory and all(m.startswith(("new:", "old:")) or m == own for m in value.memory)
    known = Value(value.kind, value.dtype, value.rank, memory=frozenset({own if alone else "?"}), name=value.name)
    return replace(known, number=value.number, fresh=value.fresh, listed=value.listed, nested=value.nested)


def unshared(memory: frozenset[str], alone: frozenset[str]) -> frozenset[str]:
    return frozenset(f"new:{m}" if m.startswith("param:") and m[6:] in alone else m for m in memory)


def unaliased_arguments(units: Mapping[str, UnitSummary]) -> dict[str, frozenset[str]]:
    """The parameters for which every call is known and passes an array that has no alias afterwards."""
    found: dict[str, frozenset[str]] = {}
    escaped = {e for u in units.values() for e in u.call_graph.escapes}
    for unit in units.values():
        for call in unit.call_graph.calls:
            found[call.callee] = call.alone if call.callee not in found else found[call.callee] & call.alone
    return {
        name: params for name, params in found.items() if name not in escaped and name.removesuffix(".__init__") not in escaped
    }


def escaping_attributes(units: Mapping[str, UnitSummary]) -> frozenset[str]:
    """The attributes whose arrays methods return to callers that do not know their origin and may retain them."""
    called = NOTHING.union(*(u.call_graph.unresolved for u in units.values()))
    read = {t[7:] for u in units.values() for t in u.effects.reads if t.startswith("attr:?.")}
    return frozenset(
        token[5:]
        for unit in units.values()
        if unit.cls and written_name(unit.name.rpartition(".")[2]) in (read if unit.signature.property else called)
        for value in (unit.result, *(unit.result.elements or ()))
        for token in value.memory
        if token.startswith("attr:")
    )


def overridden(facts: Facts) -> frozenset[tuple[str, str]]:
    """The methods that a subclass in the project overrides: a call through `self` may run either version."""
    found: set[tuple[str, str]] = set()
    for fact in facts.classes.values():
        above, seen = list(fact.bases), set[str]()
        while above:
            base = above.pop()
            if base in facts.classes and base not in seen:
                seen.add(base)
                above += facts.classes[base].bases
                found |= {(base, method) for method in fact.methods}
    return frozenset(found)
