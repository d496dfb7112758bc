"""The classes of a project: their bases and methods, and the values of their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...rules.core.findings import Kind
from ...rules.facts.values import Value, replace
from ..analysis.interp.super_calls import above, mixed
from ..analysis.state.lattice import NUMERIC, join
from ..analysis.state.project_facts import SHARED, ClassFact, Facts
from ..summaries.units import ModuleSummary, UnitSummary
from .class_bindings import BindingMemos, Bound, add, bound_by_classes
from .memo import Memo

Attribute = tuple[str, str]  # a class and the name of an attribute
Definition = tuple[str, tuple[str, ...], tuple[str, ...]]  # the name of a class, its bases, the names of its methods


class Relations(NamedTuple):
    """How the classes of a project are related. `lines`: `kin` in a fixed order."""

    overridden: frozenset[tuple[str, str]]
    mixed: frozenset[str]
    kin: Mapping[str, frozenset[str]]
    lines: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ClassMemos:
    """What is known from earlier links, of all classes together and by class."""

    relations: Memo[tuple[Definition, ...], Relations] = field(default_factory=lambda: Memo(relations_of))
    bindings: BindingMemos = field(default_factory=BindingMemos)
    read: Memo[str, tuple[Bound, ...], Read] = field(default_factory=lambda: Memo(read_by_others))


def find(
    facts: Facts,
    modules: Sequence[ModuleSummary],
    units: Mapping[str, UnitSummary],
    assumed: Mapping[Attribute, Value],
    before: Facts | None,
    memos: ClassMemos,
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
    related = memos.relations("", tuple((name, fact.bases, (*fact.methods,)) for name, fact in facts.classes.items()))
    facts.hierarchy.overridden, facts.hierarchy.mixed, facts.hierarchy.kin = related.overridden, related.mixed, related.kin
    bound = bound_by_classes(facts, modules, units, memos.bindings)
    for name, fact in facts.classes.items():
        root = facts.root(name)
        read = memos.read(name, root, tuple(bound[one] for one in related.lines[name]))
        attrs = {
            attr: attribute(facts, (name, attr), f"attr:{root}.{attr}", value, read.outset.get(attr), assumed, before)
            for attr, value in read.attrs.items()
        }
        facts.classes[name] = replace(fact, attrs=attrs, shared=read.shared)


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
    if last is not None and before is not None and (last is not bound or key in before.hierarchy.wide):
        wider = as_read(join(before.hierarchy.wide.get(key, last), bound), own)
        if key in before.hierarchy.wide or (wider != last and last.kind is not Kind.NONE):
            known = facts.hierarchy.wide[key] = wider
    assumptions = (bound,) if outset is None else (replace(as_read(outset, own), memory=known.memory), bound)
    facts.hierarchy.assumed[key] = tuple(
        h for h in assumptions if h.kind in NUMERIC and h != known == as_read(join(h, known), own)
    )
    return known


class Read(NamedTuple):
    """What the readers of the attributes of a class know of them: `attrs`, of what anybody binds; `outset`, of what `__init__`
    binds. `shared`: the attributes whose arrays somebody else may have a reference to."""

    attrs: Mapping[str, Value]
    outset: Mapping[str, Value]
    shared: frozenset[str]


def read_by_others(root: str, line: tuple[Bound, ...]) -> Read:
    """What is known of the attributes that a class and its kin bind."""
    attrs, outset = joined(one.all for one in line), joined(one.outset for one in line)
    shared = frozenset(a for a, v in attrs.items() if any(m.startswith(SHARED) for m in v.memory))
    return Read({a: as_read(v, f"attr:{root}.{a}") for a, v in attrs.items()}, outset, shared)


def joined(bound: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    """The join of what classes bind to their attributes."""
    found: dict[str, Value] = {}
    for attrs in bound:
        add(found, attrs.items())
    return found


def relations_of(definitions: tuple[Definition, ...]) -> Relations:
    """How classes are related, which follows from their names, bases and methods."""
    facts = Facts(classes={name: ClassFact(name, bases, methods=dict.fromkeys(own, "")) for name, bases, own in definitions})
    found = kin(facts)
    return Relations(overridden(facts), mixed(facts), found, {name: tuple(sorted(line)) for name, line in found.items()})


def kin(facts: Facts) -> dict[str, frozenset[str]]:
    """For each class, the classes whose methods may run on an instance of it or of a subclass: the class, its ancestors and
    descendants, and the ancestors of those."""
    found: dict[str, set[str]] = {name: set() for name in facts.classes}
    for name in facts.classes:
        line = {name, *above(facts, name)} & facts.classes.keys()
        for one in line:
            found[one] |= line
    return {name: frozenset(others) for name, others in found.items()}


def as_read(value: Value, own: str) -> Value:
    """What a reader knows of the attribute with the token `own`; the names that its value had where it was bound are dropped."""
    alone = value.memory and all(m.startswith(("new:", "old:")) or m == own for m in value.memory)
    known = Value(value.kind, value.dtype, value.rank, memory=frozenset({own if alone else "?"}), name=value.name)
    return replace(known, number=value.number, fresh=value.fresh, listed=value.listed, nested=value.nested)


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
