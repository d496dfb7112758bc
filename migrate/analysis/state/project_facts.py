"""What is known across the project: functions, classes, variables, and how it is converted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from ....rules.core.findings import Kind
from ....rules.facts.function_plan import FunctionPlan
from ....rules.facts.values import NOTHING, UNKNOWN, Value

NOTHING_PAIRS: frozenset[tuple[str, str]] = frozenset()
SHARED = "shared:"  # the array of an attribute that somebody else may hold, too


class FunctionFact(NamedTuple):
    """What is known of a project function, for those who call it."""

    name: str
    params: tuple[str, ...] = ()
    vararg: bool = False
    result: Value = UNKNOWN
    mutates: frozenset[str] = NOTHING
    retains: bool = False  # may keep a reference to an argument
    touches: frozenset[str] = NOTHING  # parameters that it may change in place, also where it is kept
    changes: frozenset[str] = NOTHING  # attributes and module variables whose arrays it may change: "attr:C.x", "global:m.T"
    items: frozenset[str] = NOTHING  # parameters, containers, whose items it changes by binding them again
    read_later: frozenset[tuple[str, str]] = NOTHING_PAIRS  # (changed, other): the other parameter is read after the change of
    # a parameter, or of an attribute: "attr:C.x"
    reads: frozenset[str] = (
        NOTHING  # where it changes parameters: attributes and variables of modules that it, or whom it calls, reads
    )
    receiver: str = ""  # what its first argument is where it is called by an attribute: "object", "class", "" where there is none
    property: bool = False
    numbers: frozenset[str] = NOTHING  # parameters for generators that may be numbers
    sows: bool = False  # it seeds NumPy's state, and gives the key to whoever calls it
    seeded_for: frozenset[tuple[str, int]] = frozenset()  # where the key is needed: who calls it, and at which position
    augments: frozenset[str] = NOTHING  # parameters that it changes by `p += v` alone, which a number would not be changed by
    arrays: frozenset[str] = NOTHING  # parameters that are arrays, and no lists, as it uses, documents or annotates them

    def receives(self, kind: Kind) -> bool:
        """Whether what it is an attribute of, of some kind, is its first argument."""
        return (
            kind is Kind.OBJECT if self.receiver == "object" else self.receiver == "class" and kind in (Kind.OBJECT, Kind.CLASS)
        )


class ClassFact(NamedTuple):
    """What is known of a project class: attributes of its instances, its methods by name."""

    name: str
    bases: tuple[str, ...] = ()
    attrs: Mapping[str, Value] = MappingProxyType({})  # whoever binds them: bases, subclasses, other code
    methods: Mapping[str, str] = MappingProxyType({})
    fields: tuple[str, ...] = ()  # of a dataclass: what its `__init__` takes
    shared: frozenset[str] = NOTHING  # attributes whose arrays somebody else may hold, too


@dataclass(slots=True, eq=False, repr=False)
class ProjectClasses:
    """Classes: how they are related, and what is assumed of their attributes."""

    kin: Mapping[str, frozenset[str]] = field(default_factory=dict)  # classes whose objects may be the same: see classes.kin
    assumed: dict[tuple[str, str], tuple[Value, ...]] = field(default_factory=dict)  # what attributes may be: see classes.find
    wide: dict[tuple[str, str], Value] = field(default_factory=dict)  # attributes that do not become surer any more
    broken: frozenset[tuple[str, str]] = NOTHING_PAIRS  # attributes that are not what they were assumed to be
    overridden: frozenset[tuple[str, str]] = NOTHING_PAIRS  # (class, method) that a subclass defines anew
    mixed: frozenset[str] = NOTHING  # classes whose subclasses may have several bases: see supers.mixed
    frozen: frozenset[str] = NOTHING  # classes whose fields cannot be bound again, and these fields
    methods: frozenset[str] = NOTHING  # what methods of the project's classes are called: `.update()` need not be a dict's


@dataclass(slots=True, eq=False, repr=False)
class ProjectHost:
    """What stays NumPy or Python, what becomes JAX, and what passes between them."""

    python_results: frozenset[str] = NOTHING  # functions whose branches stay Python's: Python needs what they return
    not_needed: frozenset[str] = NOTHING  # functions that were among these in a round, and not in a later one
    needed_again: frozenset[str] = NOTHING  # those of them that came back, for good
    converts: bool = False  # some function becomes JAX
    of_converted: frozenset[str] = NOTHING  # attributes that converted code binds, and converted methods: ".name", "attr:?.name"
    host_methods: frozenset[str] = NOTHING  # names of methods that are kept and want NumPy's arrays
    host_paths: frozenset[str] = NOTHING  # attributes and variables whose arrays kept functions change: "attr:C.x", "global:m.x"
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)  # of each unit, with whom it calls: see FunctionFact.reads
    on_device: frozenset[str] = NOTHING  # variables of modules, bound once, that are jax.Arrays once all is converted


@dataclass(slots=True, eq=False, repr=False)
class ProjectText:
    """What the text of all modules says, and how the tool was told to convert it."""

    called_once: frozenset[str] = NOTHING  # functions that the text of the project mentions once
    arrays: bool = True  # some module imports NumPy or JAX
    ufunc_asked: bool = False  # the type of NumPy's ufuncs is named somewhere
    narrow: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # module -> the dtypes of less than 64 bits that its program names
    static_trip_counts: bool = False  # the trip count that arguments say are known when tracing
    pandas: bool = False  # .shape, .T, .mean ... may be a DataFrame's


@dataclass(slots=True, eq=False, repr=False)
class ProjectRandom:
    """Seeds and generators of the whole project."""

    seeds: bool = False  # some module speaks of seeds
    random_on_host: bool = False  # NumPy's generators stay, and draw on the host
    state_seeders: frozenset[str] = NOTHING  # functions that seed NumPy's state for their callers, who get the key instead
    seeded_for: Mapping[str, frozenset[tuple[str, int]]] = field(default_factory=dict)  # see FunctionFact.sown, by function
    seeded_identically: bool = False  # generators of both of NumPy's kinds may have the same seed
    lone_seeds: frozenset[str] = NOTHING  # seeds of which one place makes generators, and no other
    draws_on_host: bool = False  # functions that stay NumPy draw from its random state


@dataclass(slots=True, eq=False, repr=False)
class Facts:
    """What is known across the project. Dotted names are canonical (re-exports resolved by `canonical`)."""

    functions: dict[str, FunctionFact] = field(default_factory=dict)
    params: dict[str, dict[str, Value]] = field(default_factory=dict)
    classes: dict[str, ClassFact] = field(default_factory=dict)
    hierarchy: ProjectClasses = field(default_factory=ProjectClasses)
    variables: dict[str, Value] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    several: dict[str, frozenset[str]] = field(default_factory=dict)  # names that are defined more than once -> the functions
    modules: frozenset[str] = NOTHING
    packages: frozenset[str] = NOTHING  # the topmost ones
    exported: Mapping[str, frozenset[str]] = field(default_factory=dict)  # module -> its names that other modules import
    plans: dict[str, FunctionPlan] = field(default_factory=dict)
    host: ProjectHost = field(default_factory=ProjectHost)
    program: ProjectText = field(default_factory=ProjectText)
    random: ProjectRandom = field(default_factory=ProjectRandom)
    canonical_names: dict[str, str] = field(default_factory=dict, compare=False)  # what `canonical` found

    def canonical(self, dotted: str) -> str:
        """Follow re-exports: "pkg.f" to "pkg.mod.f". `aliases` must not change after the first time."""
        found = self.canonical_names.get(dotted)
        if found is None:
            found = self.canonical_names[dotted] = self._canonical(dotted)
        return found

    def _canonical(self, dotted: str) -> str:
        for _ in range(20):
            if dotted in self.aliases:
                dotted = self.aliases[dotted]
                continue
            head, _dot, tail = dotted.rpartition(".")
            prefix = head
            while prefix and prefix not in self.aliases:
                prefix, _dot, more = prefix.rpartition(".")
                tail = f"{more}.{tail}"
            if not prefix:
                return dotted
            dotted = f"{self.aliases[prefix]}.{tail}"
        return dotted

    def of(self, kind: str, name: str) -> object:
        """A fact as it is now: of a "function", a "sower", a "variable", or the attribute `name` of the class `kind`."""
        if kind == "function":
            return self.functions.get(name)
        if kind == "variable":
            return self.variables.get(name)
        if kind == "sower":
            return name in self.random.state_seeders
        fact = self.classes.get(kind)
        if fact is not None and name.startswith(SHARED):
            return name.removeprefix(SHARED) in fact.shared
        return None if fact is None else fact.attrs.get(name)

    def root(self, cls: str) -> str:
        """The topmost base in the project: attributes are named by it."""
        for _ in range(20):
            base = next((b for b in self.classes[cls].bases if b in self.classes), None) if cls in self.classes else None
            if base is None:
                break
            cls = base
        return cls

    def record(self, cls: str) -> tuple[str, ...]:
        """The fields of a dataclass, those of its bases first."""
        fact = self.classes.get(cls)
        if fact is None:
            return ()
        own = [f for base in fact.bases for f in (self.record(base) if base != cls else ())]
        return tuple(dict.fromkeys([*own, *fact.fields]))

    def method(self, cls: str, name: str, seen: frozenset[str] = NOTHING) -> str | None:
        """The function that `name` of an instance of `cls` is, looked up through the bases that are known."""
        fact = self.classes.get(cls)
        if fact is None or cls in seen or (not seen and (cls, name) in self.hierarchy.overridden):
            return None
        if name in fact.methods:
            return None if fact.methods[name] in self.several else fact.methods[name]
        for base in fact.bases:
            if found := self.method(base, name, seen | {cls}):
                return found
        return None
