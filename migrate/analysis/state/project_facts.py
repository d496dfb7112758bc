"""What is known across the project of functions, classes and variables, and how it is converted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from ....rules.core.findings import Kind
from ....rules.facts.function_plan import FunctionPlan
from ....rules.facts.recorded_calls import RecordedCalls
from ....rules.facts.values import NOTHING, UNKNOWN, Value
from ....rules.facts.work import Work
from ...syntax.decorators import Effect
from .call_signatures import CallShape

NOTHING_PAIRS: frozenset[tuple[str, str]] = frozenset()
SHARED = "shared:"  # prefix of an attribute whose array somebody else may have a reference to


class FunctionFact(NamedTuple):
    """What is known of a project function at its calls."""

    name: str
    params: tuple[str, ...] = ()
    vararg: bool = False
    result: Value = UNKNOWN
    mutates: frozenset[str] = NOTHING
    retains: bool = False  # may retain a reference to an argument
    touches: frozenset[str] = NOTHING  # parameters that it may change in place, also where it is left as NumPy
    changes: frozenset[str] = NOTHING  # attributes and module variables whose arrays it may change: "attr:C.x", "global:m.T"
    items: frozenset[str] = NOTHING  # parameters, containers, whose items it rebinds
    read_later: frozenset[tuple[str, str]] = NOTHING_PAIRS  # (changed, other): the other parameter is read after the change of
    # a parameter, or of an attribute: "attr:C.x"
    # where it changes parameters: the attributes and module variables that it, or a function that it calls, reads
    reads: frozenset[str] = NOTHING
    receiver: str = ""  # its first argument when it is called as an attribute: "object", "class", "" where there is none
    property: bool = False
    numbers: frozenset[str] = NOTHING  # parameters for generators that may be numbers
    sows: bool = False  # it seeds NumPy's random state, and returns the key to its callers
    seeded_for: frozenset[tuple[str, int]] = frozenset()  # where the key is needed: the caller, and the position in it
    augments: frozenset[str] = NOTHING  # parameters that it changes by `p += v` only, which does not change a number in place
    arrays: frozenset[str] = NOTHING  # parameters that are arrays, and no lists, by their use, documentation or annotation
    converts: frozenset[str] = NOTHING  # parameters of which it makes arrays wherever it uses them, so that lists mean the same

    def receives(self, kind: Kind) -> bool:
        """Whether the function, read as an attribute of a value of this kind, receives that value as its first argument."""
        return (
            kind is Kind.OBJECT if self.receiver == "object" else self.receiver == "class" and kind in (Kind.OBJECT, Kind.CLASS)
        )


class ClassFact(NamedTuple):
    """What is known of a project class: the attributes of its instances, its methods by name."""

    name: str
    bases: tuple[str, ...] = ()
    attrs: Mapping[str, Value] = MappingProxyType({})  # whoever binds them: bases, subclasses, other code
    methods: Mapping[str, str] = MappingProxyType({})
    fields: tuple[str, ...] = ()  # of a dataclass: the parameters of its `__init__`
    shared: frozenset[str] = NOTHING  # attributes whose arrays somebody else may have a reference to


@dataclass(slots=True, eq=False, repr=False)
class ProjectClasses:
    """How classes are related, and what is assumed of their attributes."""

    # classes whose instances may be the same: see class_hierarchy.kin
    kin: Mapping[str, frozenset[str]] = field(default_factory=dict)
    # what attributes may be: see class_hierarchy.find
    assumed: dict[tuple[str, str], tuple[Value, ...]] = field(default_factory=dict)
    wide: dict[tuple[str, str], Value] = field(default_factory=dict)  # attributes whose values are only widened from now on
    broken: frozenset[tuple[str, str]] = NOTHING_PAIRS  # attributes that are not what they were assumed to be
    overridden: frozenset[tuple[str, str]] = NOTHING_PAIRS  # (class, method) that a subclass overrides
    mixed: frozenset[str] = NOTHING  # classes whose subclasses may have several bases: see super_calls.mixed
    frozen: frozenset[str] = NOTHING  # classes whose fields cannot be rebound, and these fields
    methods: frozenset[str] = NOTHING  # names of the methods of the project's classes: `.update()` need not be a dict's


@dataclass(slots=True, eq=False, repr=False)
class ProjectHost:
    """What stays NumPy or Python, what becomes JAX, and what passes between them."""

    python_results: frozenset[str] = NOTHING  # functions whose branches stay Python's: Python needs their results
    not_needed: frozenset[str] = NOTHING  # functions that were among these in one round, and not in a later one
    needed_again: frozenset[str] = NOTHING  # those of them that came back, for good
    converts: bool = False  # some function becomes JAX
    of_converted: frozenset[str] = NOTHING  # attributes that converted code binds, and converted methods: ".name", "attr:?.name"
    host_methods: frozenset[str] = NOTHING  # names of methods that are left as NumPy and need NumPy arrays
    # attributes and variables whose arrays are changed by functions left as NumPy: "attr:C.x", "global:m.x"
    host_paths: frozenset[str] = NOTHING
    # of each unit, including what it calls: see FunctionFact.reads
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    # calls of unknown functions, by module, that may run a converted one: how they are called; no module where none may
    returning_jax: Mapping[str, frozenset[CallShape]] = field(default_factory=dict)
    on_device: frozenset[str] = NOTHING  # variables of modules, bound once, that are jax.Arrays once all is converted


@dataclass(slots=True, eq=False, repr=False)
class ProjectText:
    """What the text of all modules says, and the options of the conversion."""

    called_once: frozenset[str] = NOTHING  # functions that the text of the project mentions once
    arrays: frozenset[str] = NOTHING  # modules that import NumPy or JAX, or that are connected by imports with one that does
    ufunc_asked: bool = False  # the type of NumPy's ufuncs is named somewhere
    # module -> the dtypes of less than 64 bits that its program names
    narrow: Mapping[str, frozenset[str]] = field(default_factory=dict)
    fast: bool = False  # what is not compiled stays NumPy
    static_trip_counts: bool = False  # trip counts that arguments determine are known when tracing
    recorded: Mapping[str, Sequence[RecordedCalls]] = field(default_factory=dict)  # by the name of the function in its file
    decorators: Mapping[str, Effect] = field(default_factory=dict)  # what is known of those that the project defines
    pandas: frozenset[str] = NOTHING  # modules in which .shape, .T, .mean ... may be a DataFrame's


@dataclass(slots=True, eq=False, repr=False)
class ProjectRandom:
    """Seeds and generators of the whole project."""

    seeds: bool = False  # some module mentions seeds
    compared: bool = False  # some module seeds random state: the draws after equal seeds are compared
    random_on_host: bool = False  # NumPy's generators stay, and draw on the host
    # functions that seed NumPy's random state for their callers, which get the key instead
    state_seeders: frozenset[str] = NOTHING
    seeded_for: Mapping[str, frozenset[tuple[str, int]]] = field(default_factory=dict)  # see FunctionFact.seeded_for, by function
    seeded_identically: bool = False  # generators of both of NumPy's kinds may have the same seed
    lone_seeds: frozenset[str] = NOTHING  # seeds from which generators are created at one node only
    draws_on_host: bool = False  # functions left as NumPy draw from its random state
    draws_for_outside: bool = False  # converted functions draw keys from it, for callers outside of the project


@dataclass(slots=True, eq=False, repr=False)
class Facts:
    """What is known across the project. Dotted names are canonical (re-exports resolved by `canonical`)."""

    functions: dict[str, FunctionFact] = field(default_factory=dict)
    params: dict[str, dict[str, Value]] = field(default_factory=dict)
    classes: dict[str, ClassFact] = field(default_factory=dict)
    hierarchy: ProjectClasses = field(default_factory=ProjectClasses)
    variables: dict[str, Value] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    outside: frozenset[str] = NOTHING  # functions that code outside of the project may call
    shared: Mapping[str, str] = field(default_factory=dict)  # functions that files which are not converted use, and who does
    several: dict[str, frozenset[str]] = field(default_factory=dict)  # names with several definitions -> the functions
    modules: frozenset[str] = NOTHING
    packages: frozenset[str] = NOTHING  # the topmost ones
    exported: Mapping[str, frozenset[str]] = field(default_factory=dict)  # module -> its names that other modules import
    plans: dict[str, FunctionPlan] = field(default_factory=dict)
    host: ProjectHost = field(default_factory=ProjectHost)
    program: ProjectText = field(default_factory=ProjectText)
    random: ProjectRandom = field(default_factory=ProjectRandom)
    work: Mapping[str, Work] = field(default_factory=dict)  # of the functions that may be traced, with that of what they call
    canonical_names: dict[str, str] = field(default_factory=dict, compare=False)  # results of `canonical`

    def canonical(self, dotted: str) -> str:
        """Follow re-exports: "pkg.f" to "pkg.mod.f". `aliases` must not change after the first call."""
        found = self.canonical_names.get(dotted)
        if found is None:
            found = self.canonical_names[dotted] = self._canonical(dotted)
        return found

    def effect(self, decorator: str) -> Effect | None:
        """What a decorator does, if the project tells it. `decorator`: see `Unit.applied`."""
        if decorator in self.program.decorators:  # a package may hide a module of its own behind a variable of this name
            return self.program.decorators[decorator]
        function, call, path = decorator.partition("()")
        return self.program.decorators.get(f"{self.canonical(function)}{call}{path}")

    def _canonical(self, dotted: str) -> str:
        for _ in range(20):
            if dotted in self.aliases:
                dotted = self.aliases[dotted]
                continue
            head, _dot, tail = dotted.rpartition(".")
            prefix = head
            while prefix and not self._renames(prefix):
                prefix, _dot, more = prefix.rpartition(".")
                tail = f"{more}.{tail}"
            if not prefix:
                return dotted
            dotted = f"{self.aliases[prefix]}.{tail}"
        return dotted

    def _renames(self, prefix: str) -> bool:
        """Whether a part of a name is a re-export: not "pkg.f" of "pkg.f.f", where `from .f import f` hides the module behind its function."""
        return prefix in self.aliases and not self.aliases[prefix].startswith(f"{prefix}.")

    def of(self, kind: str, name: str) -> object:
        """The present value of a fact: of a "function", a "sower", a "variable", or the attribute `name` of the class `kind`."""
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
        """The function that an instance of `cls` has as `name`, looked up through the known bases."""
        fact = self.classes.get(cls)
        if fact is None or cls in seen or (not seen and (cls, name) in self.hierarchy.overridden):
            return None
        if name in fact.methods:
            return None if fact.methods[name] in self.several else fact.methods[name]
        for base in fact.bases:
            if found := self.method(base, name, seen | {cls}):
                return found
        return None
