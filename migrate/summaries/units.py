"""The units of a project (functions and module code), and the records of what is known about each unit and file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import libcst as cst

from ...rules.facts.loops import TripCount
from ...rules.facts.values import NOTHING, UNKNOWN, Value
from ...rules.facts.work import Work
from ..analysis.random.draw_sequences import DrawnInOrder
from ..analysis.state.call_facts import CallFact
from ..analysis.state.call_signatures import CallShape
from ..analysis.state.interpreter_state import Run
from ..syntax import liveness
from ..syntax.decorators import Effect
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
    """A function at module level, a method, or the code of a module: it is converted or refused as a whole."""

    name: str  # "pkg.mod.f", "pkg.mod.C.m", "pkg.mod.<module>"
    node: cst.FunctionDef | cst.Module
    params: tuple[str, ...] = ()
    cls: str = ""
    decorators: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()  # the decorators in the notation of `syntax.decorators`

    @property
    def is_module(self) -> bool:
        return type(self.node) is cst.Module

    @property
    def bound(self) -> bool:
        """Whether a call through an attribute passes the object, or its class, as the first argument."""
        return bool(self.receiver)

    @property
    def receiver(self) -> str:
        """What that first argument is: "object", "class", or "" if there is none."""
        known = "".join(self.decorators)
        return "" if not self.cls or "staticmethod" in known else "class" if "classmethod" in known else "object"


class Signature(NamedTuple):
    """The parameters and decorators of a unit, and what its text says about them."""

    defaults: frozenset[str] = NOTHING
    vararg: bool = False
    receiver: str = ""  # see Unit.receiver
    property: bool = False
    decorated: bool = False
    registered: bool = False  # passed to a decorator, which may retain and call it
    required: int = 0  # number of parameters without a default
    kinds: tuple[tuple[str, str], ...] = ()
    lists: frozenset[str] = NOTHING  # parameters that may be lists according to the documentation
    list_arguments: frozenset[str] = NOTHING  # parameters that get lists in docstring examples or by default
    arrays_only: frozenset[str] = NOTHING  # parameters that are arrays, not lists, by use, documentation or annotation
    floated: frozenset[str] = NOTHING  # parameters that become floats in the first iteration of a loop if they are integers
    shape_likes: frozenset[str] = NOTHING  # parameters that are shapes of arrays and nothing else
    untyped: frozenset[str] = NOTHING  # parameters whose annotations, if any, admit lists
    array_likes: frozenset[str] = NOTHING  # parameters that may be lists as well as arrays: all uses accept both
    list_depths: tuple[tuple[str, int], ...] = ()  # others that may be nested lists of this depth
    sequence_uses: frozenset[str] = NOTHING  # parameters that are used as sequences, or of which NumPy makes arrays


class UnitEffects(NamedTuple):
    """What a unit reads, changes and retains."""

    mutates: frozenset[str] = NOTHING
    touches: frozenset[str] = NOTHING  # parameters that it may change in place
    changes: frozenset[str] = NOTHING  # attributes and module variables whose contents it may change
    items: frozenset[str] = NOTHING
    read_later: frozenset[tuple[str, str]] = frozenset()
    reads: frozenset[str] = NOTHING  # attributes and module variables that it reads: "attr:C.x", "global:m.T"
    views: frozenset[str] = NOTHING  # memory that it creates views of (copies in JAX): "param:x", "attr:C.x", "global:m.T"
    augments: frozenset[str] = NOTHING  # parameters changed only by `p += v`, here or in callees
    donations: tuple[Donation, ...] = ()
    rebinds: frozenset[str] = NOTHING  # attributes that are rebound where it changes their arrays: "attr:C.x"
    leaks: frozenset[str] = NOTHING  # attributes whose arrays may be retained elsewhere: "attr:C.x"
    retains: bool = False
    passed_values: tuple[PassedValue, ...] = ()  # arguments that may be arrays, by callee


class AwaitedException(NamedTuple):
    """What a unit waits for in some of its calls. `named`: exceptions that a handler names; `direct`: those that it catches with all others,
    and for which it probably waits in the functions that it calls itself. `methods`: called on objects of unknown class; `shapes`: of
    calls of unknown function values."""

    named: frozenset[str]
    direct: frozenset[str]
    callees: frozenset[str] = NOTHING
    methods: frozenset[str] = NOTHING
    shapes: frozenset[CallShape] = frozenset()


class UnitExceptions(NamedTuple):
    """Exceptions and warnings that NumPy raises and JAX does not. `everywhere`: it tells NumPy to raise for invalid values."""

    raised: frozenset[str] = NOTHING
    awaited: tuple[AwaitedException, ...] = ()
    everywhere: bool = False


class UnitCalls(NamedTuple):
    """What a unit calls, and which functions escape from it."""

    calls: tuple[CallFact, ...] = ()
    callees: frozenset[str] = NOTHING  # project functions that it calls
    python_results: frozenset[str] = NOTHING  # functions whose results Python itself needs
    escapes: frozenset[str] = NOTHING
    unresolved: frozenset[str] = NOTHING
    refuses: tuple[tuple[str, tuple[str, str]], ...] = ()
    aliased: frozenset[tuple[str, str, str]] = frozenset()  # functions, a parameter they change, one that may alias it
    unknown_calls: frozenset[CallShape] = frozenset()  # shapes of its calls of unknown function values
    repeated: frozenset[CallShape] = frozenset()  # those of them that are in loops
    opaque_calls: frozenset[tuple[str, CallShape]] = frozenset()  # see function_values
    given_away: frozenset[str] = NOTHING
    compiled: tuple[tuple[str, str], ...] = ()  # see other_compilers
    exceptions: UnitExceptions = UnitExceptions()


class ChildProcesses(NamedTuple):
    """What a unit does with child processes.

    `forks`: it starts processes. `anew`: it chooses that they begin as new ones, without a copy of the memory.

    `given`: functions of the project that it may run in them. `others`: it may run others there: a lambda, a nested function, one that
    is not known.
    """

    forks: bool = False
    anew: bool = False
    given: frozenset[str] = NOTHING
    others: bool = False


class UnitTracing(NamedTuple):
    """What prevents jit, or requires static arguments."""

    impure: str = ""
    static: frozenset[str] = NOTHING  # parameters that must be static under jit
    not_static: str = ""  # why jit is impossible: a value that Python needs is traced
    loops: str = ""
    trip_counts: tuple[TripCount, ...] = ()  # of the loops that jit compiles or unrolls
    asserts: bool = False  # converted, it asserts ranks, shapes or signs
    guarded: bool = False  # some of these hold only where code on the host tests them before it calls the unit
    branching: frozenset[str] = NOTHING  # what the tests of compiled branches depend on: parameters, "" for traced values
    measured: frozenset[str] = NOTHING  # parameters that must be static because Python compares them by order


class UnitAttributes(NamedTuple):
    """Attributes and module variables that a unit binds or reads."""

    attrs: tuple[tuple[str, Value], ...] = ()
    reads_globals: frozenset[str] = NOTHING
    attr_stores: frozenset[str] = NOTHING
    stored: tuple[tuple[str, Value], ...] = ()  # the values bound to them
    binds: frozenset[str] = NOTHING  # module variables that it binds by `global`: "global:m.x"


class UnitArrays(NamedTuple):
    """Which arrays a unit uses, NumPy's or JAX's."""

    numpy_used: bool = False
    jax_used: bool = False  # and no NumPy
    arrays: bool = False  # it computes with arrays
    host_writes: bool = False
    needs_host: frozenset[str] = NOTHING  # parameters from which it makes arrays that it changes: see Run.host
    host_uses: frozenset[str] = NOTHING


class UnitSummary(NamedTuple):
    """One unit, for the linker: plain data."""

    name: str
    module: str
    params: tuple[str, ...] = ()
    signature: Signature = Signature()
    cls: str = ""
    special: str = ""  # why its results must not change: a property, a generator, __init__ ...
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
    work: Work = Work()
    children: ChildProcesses = ChildProcesses()
    extends: bool = False  # it can return one more value
    drawn: DrawnInOrder = DrawnInOrder()


class ModuleText(NamedTuple):
    """What the text of a file tells."""

    pandas: bool = False
    script: bool = False  # it has a main guard
    tests: bool = False  # it contains tests: it is not rewritten
    selected: bool = True  # else it is not rewritten either: the user asked for other files of the project
    mentioned: tuple[tuple[str, int], ...] = ()  # how often it mentions functions and modules
    seeds: bool = False  # its text mentions seeds
    makes_generators: bool = False  # its text mentions what creates generators of random numbers
    narrow: frozenset[str] = NOTHING  # the dtypes of less than 64 bits that its text names
    sets_precision: bool = False  # its text may switch on the 64 bits of JAX
    unmarked: bool = False  # a comment in it suppresses jit or donation: then nothing is donated

    @property
    def unchanged(self) -> str:
        """Why the file stays as it is, as a part of a sentence; "" if it is rewritten."""
        return "a test" if self.tests else "" if self.selected else "in a file that is not converted"


class ModuleSummary(NamedTuple):
    """One file, for the linker."""

    name: str
    package: str
    units: tuple[UnitSummary, ...]
    exports: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, Value], ...]
    rebound: frozenset[str]  # module-level variables that are bound more than once, or by a function
    classes: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]], ...]  # name, bases, methods
    text: ModuleText = ModuleText()
    imports: frozenset[str] = NOTHING  # dotted names that it imports
    class_values: tuple[tuple[str, tuple[tuple[str, Value], ...]], ...] = ()  # variables of class bodies
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of dataclasses
    frozen: frozenset[str] = NOTHING  # classes with immutable fields, and these fields
    decorators: tuple[tuple[str, Effect], ...] = ()  # what is known of those that it defines
    renamed: tuple[
        tuple[str, tuple[str, ...]], ...
    ] = ()  # variables and the results of calls that they are, see `syntax.decorators`
    stars: tuple[str, ...] = ()  # modules from which it imports `*`
    unsure: frozenset[str] = NOTHING  # imports under names that are also bound otherwise
    names: frozenset[str] = NOTHING  # names that it binds itself
    clones: tuple[tuple[str, str], ...] = ()  # copies of functions, which are compiled, and the functions, which stay NumPy


@dataclass(slots=True)
class UnitTables:
    """What is known about each unit before it is interpreted, by its name."""

    local_evidence: dict[str, dict[str, Value]] = field(default_factory=dict)
    live: dict[str, liveness.Liveness] = field(default_factory=dict)
    streams: dict[str, random_streams.Found] = field(default_factory=dict)
    special: dict[str, str] = field(default_factory=dict)
    rooted: dict[str, frozenset[str]] = field(default_factory=dict)
    lists: dict[str, frozenset[str]] = field(default_factory=dict)
    list_arguments: dict[str, frozenset[str]] = field(default_factory=dict)
    guessed: dict[str, frozenset[str]] = field(default_factory=dict)  # parameters that are generators, judged by names and uses
    sequences: dict[str, frozenset[str]] = field(default_factory=dict)  # parameters that may be lists of numbers or arrays


@dataclass(slots=True)
class DerivedFunctions:
    """The functions of a module that were made from the code of others: outlined, or copied."""

    owners: dict[str, str] = field(default_factory=dict)  # each of them -> the unit with that code
    statements: frozenset[str] = NOTHING  # those outlined from runs of statements; the rest from loops
    specialized: frozenset[str] = NOTHING  # copies for certain functions as arguments: see lowering.function_specialization
    lifted: frozenset[str] = NOTHING  # lambdas and nested functions that such copies call
    clones: frozenset[str] = NOTHING  # those that are copies of whole functions, to be compiled: see lowering.function_cloning
    guards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # outlined functions -> what their callers test before
    integers: Mapping[str, frozenset[str]] = field(default_factory=dict)  # units -> integers, by uses that moved out of them
    # units -> the ranks of arguments that are supposed where parts of them are compiled, and tested there
    ranks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


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
    of_jax: frozenset[str] = NOTHING  # units that mention JAX
    imports: frozenset[str] = NOTHING
    unsure: frozenset[str] = NOTHING
    mentioned: tuple[tuple[str, int], ...] = ()
    narrow: frozenset[str] = NOTHING
    lines: tuple[int, ...] = ()  # lines of the original file, if loops were outlined (lowering.loop_outlining) or forms desugared
    written: str = ""  # the text of the original file, if `lines` are given
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # names of the desugared forms, by unit
    reached: frozenset[cst.CSTNode] = frozenset()  # tests of rectangular loops, see RunUnit
    derived: DerivedFunctions = field(default_factory=DerivedFunctions)
    selected: bool = True  # see ModuleText
    # loops in which calls were inlined, and whether an iteration stands ahead of them: see lowering.method_inlining
    inlined: Mapping[int, bool] = field(default_factory=dict)

    def forget(self, name: str) -> None:
        """Have a unit interpreted again, as something else is supposed of it."""
        for known in (self.runs, self.summaries, *(getattr(self.known, table.name) for table in fields(UnitTables))):
            known.pop(name, None)


def written_name(name: str) -> str:
    """The name of a unit as it stands in the source: "m.C.x" for "m.C.x@setter"."""
    owner, dot, short = name.rpartition(".")
    return f"{owner}{dot}{short.partition('@')[0]}"
