"""The units of a project, which are functions and the code of modules, and what is known of each and of each file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ...rules.facts.loops import TripCount
from ...rules.facts.values import NOTHING, UNKNOWN, Value
from ..analysis.state.call_facts import CallFact
from ..analysis.state.call_signatures import CallShape
from ..analysis.state.interpreter_state import Run
from ..syntax import liveness
from ..syntax.scopes import Scopes
from ..syntax.source import Source
from . import random_streams
from .donation import Donation
from .value_flow import PassedValue

MODULE = "<module>"
YIELDS = "it is a generator"
UFUNC_TYPE = "numpy.ufunc"


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A function at module level, a method, or the code of a module itself: what is converted or kept as a whole."""

    name: str  # "pkg.mod.f", "pkg.mod.C.m", "pkg.mod.<module>"
    node: cst.FunctionDef | cst.Module
    params: tuple[str, ...] = ()
    cls: str = ""
    decorators: tuple[str, ...] = ()

    @property
    def is_module(self) -> bool:
        return type(self.node) is cst.Module

    @property
    def bound(self) -> bool:
        """Whether an object, or its class, is its first argument where it is called by an attribute."""
        return bool(self.receiver)

    @property
    def receiver(self) -> str:
        """What that first argument is: "object", "class", or "" where there is none."""
        known = "".join(self.decorators)
        return "" if not self.cls or "staticmethod" in known else "class" if "classmethod" in known else "object"


class Signature(NamedTuple):
    """The parameters and decorators of a unit, and what its text says of them."""

    defaults: frozenset[str] = NOTHING
    vararg: bool = False
    receiver: str = ""  # see Unit.receiver
    property: bool = False
    registered: bool = False  # a decorator gets it, which may keep it and call it
    required: int = 0  # how many of its parameters have no default
    kinds: tuple[tuple[str, str], ...] = ()
    lists: frozenset[str] = NOTHING  # parameters that may be lists, as the documentation says
    list_arguments: frozenset[str] = NOTHING  # parameters to which the examples of its docstring give lists
    arrays_only: frozenset[str] = NOTHING  # parameters that are arrays, and no lists, as it uses, documents or annotates them


class UnitEffects(NamedTuple):
    """What a unit reads, changes and keeps."""

    mutates: frozenset[str] = NOTHING
    touches: frozenset[str] = NOTHING  # parameters that it may change in place
    changes: frozenset[str] = NOTHING  # attributes and module variables whose contents it may change
    items: frozenset[str] = NOTHING
    read_later: frozenset[tuple[str, str]] = frozenset()
    reads: frozenset[str] = NOTHING  # attributes and variables of modules that it reads: "attr:C.x", "global:m.T"
    views: frozenset[str] = NOTHING  # memory of which it makes views, where JAX makes copies: "param:x", "attr:C.x", "global:m.T"
    augments: frozenset[str] = NOTHING  # parameters that are changed by `p += v` alone, or by who is called in this way
    donations: tuple[Donation, ...] = ()
    rebinds: frozenset[str] = NOTHING  # attributes that are bound again where it changes their arrays: "attr:C.x"
    leaks: frozenset[str] = NOTHING  # arrays of attributes that something else keeps: "attr:C.x"
    retains: bool = False
    passed_values: tuple[PassedValue, ...] = ()  # what it hands to whom


class UnitCalls(NamedTuple):
    """What a unit calls, and what it gives away."""

    calls: tuple[CallFact, ...] = ()
    callees: frozenset[str] = NOTHING  # project functions that it calls
    python_results: frozenset[str] = NOTHING  # functions whose results Python itself needs
    escapes: frozenset[str] = NOTHING
    unresolved: frozenset[str] = NOTHING
    refuses: tuple[tuple[str, tuple[str, str]], ...] = ()
    aliased: frozenset[tuple[str, str, str]] = frozenset()  # functions, a parameter that they change, one that may get its array
    unknown_calls: frozenset[CallShape] = frozenset()  # how it calls function values that are not known


class UnitTracing(NamedTuple):
    """What stands in the way of jit."""

    impure: str = ""
    static: frozenset[str] = NOTHING  # parameters that must be static under jit
    not_static: str = ""  # why jit is impossible: a value that Python needs is traced
    loops: str = ""
    trip_counts: tuple[TripCount, ...] = ()  # the loops that jit compiles or unrolls
    branching: frozenset[str] = (
        NOTHING  # what the tests of branches depend on that jit compiles: parameters, "" for what JAX made
    )


class UnitAttributes(NamedTuple):
    """Attributes and variables of modules that a unit binds or reads."""

    attrs: tuple[tuple[str, Value], ...] = ()
    reads_globals: frozenset[str] = NOTHING
    attr_stores: frozenset[str] = NOTHING
    stored: tuple[tuple[str, Value], ...] = ()  # what is bound to them
    binds: frozenset[str] = NOTHING  # variables of the module that it binds, by `global`: "global:m.x"


class UnitArrays(NamedTuple):
    """Whose arrays a unit uses."""

    numpy_used: bool = False
    jax_used: bool = False  # and no NumPy
    arrays: bool = False  # it computes with arrays
    host_writes: bool = False
    needs_host: frozenset[str] = NOTHING  # parameters of which it makes arrays that it changes: see Run.hosted
    host_uses: frozenset[str] = NOTHING


class UnitSummary(NamedTuple):
    """One unit, for the linker: plain data."""

    name: str
    module: str
    params: tuple[str, ...] = ()
    signature: Signature = Signature()
    cls: str = ""
    special: str = ""  # why its results must stay as they are: a property, a generator, __init__ ...
    effects: UnitEffects = UnitEffects()
    result: Value = UNKNOWN
    results: int = 1
    already: tuple[tuple[str, int], ...] = ()
    call_graph: UnitCalls = UnitCalls()
    block: tuple[str, str] | None = None
    tracing: UnitTracing = UnitTracing()
    attributes: UnitAttributes = UnitAttributes()
    host: UnitArrays = UnitArrays()
    streams: random_streams.Streams = random_streams.NONE
    extends: bool = False  # it can give its callers one value more


class ModuleText(NamedTuple):
    """What the text of a file says of itself."""

    pandas: bool = False
    script: bool = False  # it has a main guard
    tests: bool = False  # it holds tests: it stays as it is
    mentioned: tuple[tuple[str, int], ...] = ()  # how often it names functions and modules
    seeds: bool = False  # its text speaks of seeds
    narrow: frozenset[str] = NOTHING  # the dtypes of less than 64 bits that its text names
    unmarked: bool = False  # a comment in it keeps jit, or donation, away from something: nothing is donated then


class ModuleSummary(NamedTuple):
    """One file, for the linker."""

    name: str
    package: str
    units: tuple[UnitSummary, ...]
    exports: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, Value], ...]
    rebound: frozenset[str]  # module-level variables that are bound more than once, or from a function
    classes: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]], ...]  # name, bases, methods
    text: ModuleText = ModuleText()
    imports: frozenset[str] = NOTHING  # dotted names that it imports
    class_values: tuple[tuple[str, tuple[tuple[str, Value], ...]], ...] = ()  # variables of class bodies
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of dataclasses
    frozen: frozenset[str] = NOTHING  # classes whose fields cannot be bound again, and these fields
    stars: tuple[str, ...] = ()  # modules of which it imports everything
    unsure: frozenset[str] = NOTHING  # what it imports under names that may stand for something else, too
    names: frozenset[str] = NOTHING  # what it binds itself


@dataclass(slots=True)
class UnitTables:
    """What is known of each unit, by its name, before it is interpreted."""

    local_evidence: dict[str, dict[str, Value]] = field(default_factory=dict)
    live: dict[str, liveness.Liveness] = field(default_factory=dict)
    streams: dict[str, random_streams.Found] = field(default_factory=dict)
    special: dict[str, str] = field(default_factory=dict)
    rooted: dict[str, frozenset[str]] = field(default_factory=dict)
    lists: dict[str, frozenset[str]] = field(default_factory=dict)
    list_arguments: dict[str, frozenset[str]] = field(default_factory=dict)
    guessed: dict[str, frozenset[str]] = field(default_factory=dict)  # parameters that are generators by names and uses
    sequences: dict[str, frozenset[str]] = field(
        default_factory=dict
    )  # parameters that may be lists of numbers as well as arrays


@dataclass(slots=True)
class Module:
    """One parsed file and what was found out about it. `nodes`: the nodes of each unit, without those of other units."""

    source: Source
    scopes: Scopes
    units: dict[str, Unit]
    nodes: dict[str, list[cst.CSTNode]]
    runs: dict[str, Run] = field(default_factory=dict)
    summaries: dict[str, UnitSummary] = field(default_factory=dict)  # of these runs
    known: UnitTables = field(default_factory=UnitTables)
    of_jax: frozenset[str] = NOTHING  # units that name what is JAX's
    imports: frozenset[str] = NOTHING
    unsure: frozenset[str] = NOTHING
    mentioned: tuple[tuple[str, int], ...] = ()
    narrow: frozenset[str] = NOTHING
    lines: tuple[int, ...] = ()  # where loops were moved (see outline) or written plainly (see desugar): the lines of the file
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what was written plainly, by unit
    reached: frozenset[cst.CSTNode] = frozenset()  # tests of rectangles, see Run
    owners: dict[str, str] = field(default_factory=dict)  # functions that loops became, and the units they came from


def written_name(name: str) -> str:
    """The name of a unit as it stands in the source: "m.C.x" for "m.C.x@setter"."""
    owner, dot, short = name.rpartition(".")
    return f"{owner}{dot}{short.partition('@')[0]}"
