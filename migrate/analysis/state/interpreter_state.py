"""The state of one run of the abstract interpreter over one unit (a function, a method or a module's own code)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.branches import Branch
from ....rules.facts.comprehensions import MapLoop, Terms
from ....rules.facts.dynamic_slices import Ragged
from ....rules.facts.function_plan import FunctionPlan
from ....rules.facts.loops import Loop
from ....rules.facts.updates import Update
from ....rules.facts.values import NOTHING, TOGETHER, UNKNOWN, Value, replace
from ....rules.random_table import Draw
from ...syntax.liveness import Liveness
from ...syntax.scopes import Scopes
from ...syntax.source import Source
from .access_paths import path_of
from .call_signatures import CallShape
from .lattice import Env, join, parameters_in

NOTHING_PAIRS: frozenset[tuple[str, str]] = frozenset()
CONTAINERS = (Kind.LIST, Kind.DICT, Kind.TUPLE)
SHARED = "shared:"  # the array of an attribute that somebody else may hold, too


MAYBE_NONE = "<none>"  # before the name of a parameter: it may be None, which is its default


IMMUTABLE = "jax:"  # before the name of a parameter: the memory of an array that is JAX's in the original, too


def immutable(value: Value) -> bool:
    """Whether an array cannot be changed in place: it is a jax.Array in the original, too, where `x += 1` binds x again."""
    return bool(value.memory) and all(m.startswith(IMMUTABLE) for m in value.memory)


SHAPE_OF = "the shape of "
MASKED = "the number of elements that a boolean mask selects depends on values"
GLOBAL_STATE = "<key>"  # the stream of NumPy's own random state
ON_HOST = "<host>"  # what stays NumPy's takes no keys
MADE_HERE = "<made>"  # a generator that is made for one draw: `default_rng(0).normal()`


class Site(NamedTuple):
    """Where a unit takes keys from a stream of random numbers, or starts the stream anew.

    `node`: the call that draws; the name of a generator that is handed on; the call that seeds. `stream`: the place of the
    generator ("rng", "self.rng"), or GLOBAL_STATE. `keys`: what each key is for. `draw`: what is drawn, None where keys are
    handed on. `seeds`: it starts the stream anew from `seed` (None: from the system's entropy). `optional`: it may be None.
    """

    node: cst.CSTNode
    stream: str
    keys: tuple[str, ...] = ()
    draw: Draw | None = None
    seeds: bool = False
    seed: cst.BaseExpression | None = None
    optional: bool = False


class Need(NamedTuple):
    """An expression whose value Python itself needs, so that it must be known when JAX traces."""

    node: cst.CSTNode
    value: Value
    why: str


class Place(NamedTuple):
    """Where a call stands among what draws from NumPy's random state, and what seeds it.

    `order`: its position in the unit. `start`: the position of the outermost loop around it, or its own: what stands from there
    on may come next. `seeded`: the position of the last `np.random.seed` that surely ran before it, -1 for none. `draws`: the
    unit itself draws afterwards. `targets`: how many variables take its results, 0 for a statement of its own, -1 where a key
    that it gives cannot be taken.
    """

    order: int
    start: int
    seeded: int
    draws: bool
    targets: int


class CallFact(NamedTuple):
    """A call of a project function: plain data for the linker. `args`: (parameter, value, whether it is a place)."""

    callee: str
    args: tuple[tuple[str, Value], ...]
    rewritable: str = ""  # why a statement cannot be placed before it, "" when it can
    line: int = 0
    alone: frozenset[str] = NOTHING  # parameters that get an array which nobody else holds afterwards
    shared: bool = False  # its result shares memory with an array that the caller changes
    changed: frozenset[str] = (
        NOTHING  # parameters for which it is given arrays that the caller changes while others may hold them
    )
    seeded: bool = False  # NumPy's random state was seeded before, whatever way was taken
    drains: bool = False  # it may have been seeded before
    place: Place | None = None

    @property
    def starred(self) -> bool:
        """Whether what it gives may be any parameter: `f(*values)`."""
        return self.args[:1] == (("*", UNKNOWN),)


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
    sown: frozenset[tuple[str, int]] = frozenset()  # where the key is needed: who calls it, and at which position
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
    hoped: dict[tuple[str, str], tuple[Value, ...]] = field(default_factory=dict)  # what attributes may be: see classes.find
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
    converts: bool = False  # some function becomes JAX
    of_converted: frozenset[str] = NOTHING  # attributes that converted code binds, and converted methods: ".name", "attr:?.name"
    host_methods: frozenset[str] = NOTHING  # names of methods that are kept and want NumPy's arrays
    host_places: frozenset[str] = NOTHING  # attributes and variables whose arrays kept functions change: "attr:C.x", "global:m.x"
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
    static_turns: bool = False  # the numbers of turns that arguments say are known when tracing
    pandas: bool = False  # .shape, .T, .mean ... may be a DataFrame's


@dataclass(slots=True, eq=False, repr=False)
class ProjectRandom:
    """Seeds and generators of the whole project."""

    seeds: bool = False  # some module speaks of seeds
    random_on_host: bool = False  # NumPy's generators stay, and draw on the host
    sowers: frozenset[str] = NOTHING  # functions that seed NumPy's state for their callers, who get the key instead
    sown: Mapping[str, frozenset[tuple[str, int]]] = field(default_factory=dict)  # see FunctionFact.sown, by function
    seeded_alike: bool = False  # generators of both of NumPy's kinds may have the same seed
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
            return name in self.random.sowers
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


@dataclass(slots=True, eq=False, repr=False)
class RunUnit:
    """The unit itself, what its text says, and what its callers give."""

    cls: str = ""  # class of a method
    self_name: str = ""
    owner: cst.CSTNode | None = None  # the unit's definition
    in_function: bool = False
    local: frozenset[str] = NOTHING  # names that the unit binds
    rooted: frozenset[str] = NOTHING  # names whose attributes or items the text mentions
    nested_live: dict[cst.CSTNode, Liveness] = field(default_factory=dict)
    listed: frozenset[str] = NOTHING  # parameters that may be lists, as the documentation says
    sequences: set[str] = field(default_factory=set)  # parameters that hold numbers, and may be lists as well as arrays
    gone_through: frozenset[str] = NOTHING  # parameters that may be dicts, whose items are taken one after the other
    evidence: Mapping[str, Value] = field(default_factory=dict)
    learned: dict[str, Value] = field(default_factory=dict)  # evidence that only values show: `x[mask]` with a mask
    given: Mapping[str, Value] | None = None  # what its callers give, as it was at the start
    bound: Env = field(default_factory=dict)  # the parameters as they were at the start
    reached: frozenset[cst.CSTNode] = (
        frozenset()
    )  # tests that hold, for any index of their loop, in some turn of the loops around


@dataclass(slots=True, eq=False, repr=False)
class RunFlow:
    """Where the interpreter stands, and the states in which it left loops and the unit."""

    stmt: cst.CSTNode | None = None
    depth: int = 0  # nested functions around the statement
    local_now: frozenset[str] = NOTHING  # names that the nested functions around the statement bind
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)
    invariants: dict[cst.CSTNode, Env] = field(default_factory=dict)
    # the states before loops with which these changed nothing any more, after them, and at the end of a turn
    stable: dict[cst.CSTNode, tuple[Env, Env | None, Env | None]] = field(default_factory=dict)
    returns: dict[cst.CSTNode, tuple[Value, Env]] = field(default_factory=dict)
    end: Env | None = None
    yielded: frozenset[str] = NOTHING  # the memory of what a generator function gives, one after the other
    given_out: set[str] = field(default_factory=set)  # variables around nested functions of which these may return something


@dataclass(slots=True, eq=False, repr=False)
class RunEffects:
    """Memory: what is allocated, changed in place, viewed and donated."""

    updates: dict[cst.CSTNode, list[Update]] = field(default_factory=dict)
    tokens: dict[cst.CSTNode, str] = field(default_factory=dict)
    viewed: set[str] = field(default_factory=set)  # places that some variable was a view of, and names in the indices of such
    views: set[str] = field(default_factory=set)  # memory of which it makes a view, by functions of which JAX's make copies
    lost: dict[str, cst.CSTNode] = field(default_factory=dict)  # parameters bound anew after they were changed
    touched: set[str] = field(default_factory=set)  # memory that is or may be written to
    touched_held: set[str] = field(default_factory=set)  # where others may hold it, so that the unit is kept
    items: set[str] = field(default_factory=set)  # memory of containers whose arrays are bound again
    read_later: set[tuple[str, str]] = field(default_factory=set)  # (parameter or attribute that is changed, parameter read then)
    aliased: set[tuple[str, str, str]] = field(
        default_factory=set
    )  # functions, a parameter that they change, one that may get the same array
    changed_inside: set[str] = field(default_factory=set)  # those whose arrays they change, whatever they are bound to then
    donations: dict[cst.CSTNode, Any] = field(default_factory=dict)  # calls that may overwrite arguments (donations.Donation)
    donated_copies: dict[cst.Call, list[cst.CSTNode]] = field(default_factory=dict)  # of such arguments, with the calls
    added: dict[cst.BaseExpression, None] = field(
        default_factory=dict
    )  # what `x += y` adds: where that is a jax.Array, x is bound anew
    # `x op= v`, and what objects of unknown class gave or hold of which v is made: see handed.Handed
    operands: dict[cst.AugAssign, frozenset[str]] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class RunConstraints:
    """Why the unit must be kept, why it must not be jitted, and what Python itself needs."""

    blocks: dict[cst.CSTNode, tuple[str, str]] = field(default_factory=dict)  # node -> (code, reason to keep the unit)
    impure: dict[cst.CSTNode, str] = field(default_factory=dict)  # node -> why the unit must not be jitted
    needs: dict[cst.CSTNode, Need] = field(default_factory=dict)
    python_results: set[str] = field(default_factory=set)  # functions whose results Python itself needs


@dataclass(slots=True, eq=False, repr=False)
class RunCalls:
    """Calls of project functions, and what is not known of other calls."""

    calls: dict[cst.CSTNode, CallFact] = field(default_factory=dict)
    called: Callable[[Run, Env, cst.CSTNode, CallFact], None] | None = None  # told of every call of a project function
    escapes: set[str] = field(default_factory=set)  # project functions used as values
    unresolved: set[str] = field(default_factory=set)  # method names called on objects that are not known
    blind: dict[cst.Call, str] = field(default_factory=dict)  # the calls of such methods, and of function values: ""
    unknown_calls: set[CallShape] = field(default_factory=set)  # how it calls function values that are not known
    refuses: dict[str, tuple[str, str]] = field(default_factory=dict)  # functions that must be kept for what is done here


@dataclass(slots=True, eq=False, repr=False)
class RunLoops:
    """What becomes of loops, comprehensions and Python's reductions."""

    maps: dict[cst.CSTNode, MapLoop] = field(default_factory=dict)  # loops that are simple maps
    compiled: dict[cst.CSTNode, Loop] = field(default_factory=dict)  # what becomes of other loops
    loop_tokens: dict[cst.CSTNode, str] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)  # names of the unit, as it first mentions them
    unrolled: dict[cst.CSTNode, str] = field(default_factory=dict)  # loops that would be unrolled by jit
    terms: dict[cst.CSTNode, Terms] = field(default_factory=dict)  # what reductions of Python's go through


@dataclass(slots=True, eq=False, repr=False)
class RunSlices:
    """Slices whose bounds vary, boolean masks, and positions."""

    cut: dict[cst.Slice, None] = field(default_factory=dict)  # slices whose bounds vary from turn to turn, or are traced
    moving: frozenset[str] | None = None  # variables that do (cuts.moving_names)
    unmasked: dict[cst.CSTNode, str] = field(default_factory=dict)  # why a mask does not do instead of what it selects
    taken: dict[cst.CSTNode, int] = field(default_factory=dict)  # how many of the positions that a call gives are looked at
    ragged: dict[cst.CSTNode, Ragged] = field(default_factory=dict)  # what becomes of them, by statement or condition
    positions: dict[tuple[cst.CSTNode, str], cst.CSTNode] = field(default_factory=dict)  # (which, array) -> made before
    fits: dict[tuple[cst.CSTNode, str], cst.CSTNode] = field(default_factory=dict)  # (which, array) -> ahead of what it is said
    proven: frozenset[str] = NOTHING  # arrays that have as many dimensions as they have indices


@dataclass(slots=True, eq=False, repr=False)
class RunBranches:
    """Branches and Boolean logic: what can be compiled, and what cannot."""

    branches: dict[cst.CSTNode, Branch] = field(default_factory=dict)  # branches that can be compiled
    kept_branches: dict[cst.CSTNode, str] = field(default_factory=dict)  # why others cannot
    returning: dict[cst.If, None] = field(default_factory=dict)  # those that return, on which is decided at the end
    none_sides: set[tuple[cst.CSTNode, str]] = field(default_factory=set)  # branches, and what is None on a side of them
    logic: set[cst.CSTNode] = field(default_factory=set)  # `and`, `or`, `not`, chained comparisons, `min` and `max` for JAX


@dataclass(slots=True, eq=False, repr=False)
class RunAttributes:
    """Attributes, class bodies and variables of modules: what is read, bound and shared."""

    attrs: dict[str, Value] = field(default_factory=dict)  # attributes of self that are assigned
    attr_stores: set[str] = field(default_factory=set)  # attributes of other objects that are bound: "C.x"; "new:C.x" by an
    # array that nobody else holds
    stored: dict[str, Value] = field(default_factory=dict)  # what is bound to them
    handed_over: set[str] = field(default_factory=set)  # attributes whose arrays another object is made with: "attr:C.x"
    reads_attrs: set[str] = field(default_factory=set)  # attributes that it reads: "attr:C.x", "attr:?.x" of what is not known
    reads_globals: set[str] = field(default_factory=set)
    held: dict[str, Value] = field(default_factory=dict)  # variables of a module -> all that they are bound to
    class_values: dict[str, dict[str, Value]] = field(default_factory=dict)  # variables of class bodies
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of dataclasses, in order
    frozen: set[str] = field(default_factory=set)  # classes whose fields cannot be bound again, and these fields


@dataclass(slots=True, eq=False, repr=False)
class RunHost:
    """Where the unit, if it is kept, needs arrays of NumPy."""

    numpy_used: bool = False
    host_writes: bool = False
    hosted: set[str] = field(default_factory=set)  # parameters of which it makes arrays that it changes; "*" for any
    hosted_of: set[str] = field(default_factory=set)  # project functions that made such arrays
    host_uses: set[str] = field(default_factory=set)  # functions whose results must be NumPy arrays where the unit is kept
    takes_in: frozenset[cst.CSTNode] = (
        frozenset()
    )  # statements by which it may change an array with an argument, or a part of one


@dataclass(slots=True, eq=False, repr=False)
class RunRandom:
    """Generators, draws and seeds."""

    sites: dict[cst.CSTNode, Site] = field(default_factory=dict)  # draws and seeds
    optional: set[cst.CSTNode] = field(default_factory=set)  # names of parameters that may be None there
    makers: dict[cst.CSTNode, cst.BaseExpression | None] = field(default_factory=dict)  # what makes a generator -> its seed
    borrows: dict[cst.CSTNode, str] = field(default_factory=dict)  # those of them that may stand for NumPy's own state
    spawns: set[cst.Call] = field(default_factory=set)  # calls that make several generators of one
    either: set[cst.BaseExpression] = field(default_factory=set)  # seeds that may be generators as well as numbers
    guessed: frozenset[str] = NOTHING  # parameters that are generators by their names and uses
    numbers: set[str] = field(default_factory=set)  # parameters for generators that may be numbers


@dataclass(slots=True, eq=False, repr=False)
class Run:
    """What one run reads and what it finds out."""

    source: Source
    scopes: Scopes
    facts: Facts
    name: str  # qualified name of the unit
    live: Liveness
    params: tuple[str, ...] = ()
    unit: RunUnit = field(default_factory=RunUnit)
    flow: RunFlow = field(default_factory=RunFlow)
    # found out
    values: dict[cst.CSTNode, Value] = field(default_factory=dict)
    effects: RunEffects = field(default_factory=RunEffects)
    constraints: RunConstraints = field(default_factory=RunConstraints)
    call_graph: RunCalls = field(default_factory=RunCalls)
    loops: RunLoops = field(default_factory=RunLoops)
    slices: RunSlices = field(default_factory=RunSlices)
    branching: RunBranches = field(default_factory=RunBranches)
    attributes: RunAttributes = field(default_factory=RunAttributes)
    host: RunHost = field(default_factory=RunHost)
    random: RunRandom = field(default_factory=RunRandom)
    seen: dict[tuple[str, str], object] = field(default_factory=dict)  # facts that were looked at, as they were: see Facts.of

    def function(self, name: str) -> FunctionFact | None:
        fact = self.facts.functions.get(name)
        self.seen.setdefault(("function", name), fact)
        return fact

    def sows(self) -> bool:
        """Whether the function itself seeds NumPy's state, and gives the key to whoever calls it."""
        found = self.name in self.facts.random.sowers
        self.seen.setdefault(("sower", self.name), found)
        return found

    def variable(self, dotted: str) -> Value | None:
        value = self.facts.variables.get(dotted)
        self.seen.setdefault(("variable", dotted), value)
        return value

    def attribute(self, cls: str, attr: str) -> Value | None:
        """What is known of an attribute of an object of a class."""
        fact = self.facts.classes.get(cls)
        value = None if fact is None else fact.attrs.get(attr)
        self.seen.setdefault((cls, attr), value)
        return value

    def is_shared(self, cls: str, attr: str) -> bool:
        """Whether somebody else than the object may hold what its attribute is."""
        fact = self.facts.classes.get(cls)
        found = fact is not None and attr in fact.shared
        self.seen.setdefault((cls, SHARED + attr), found)
        return found

    def store(self, attribute: str, value: Value) -> None:
        """Bind an attribute of another object, "C.x" or "?.x"."""
        self.attributes.attr_stores.add(attribute)
        self.attributes.stored[attribute] = (
            join(self.attributes.stored[attribute], value) if attribute in self.attributes.stored else value
        )

    def call(self, env: Env, node: cst.CSTNode, call: CallFact) -> None:
        self.call_graph.calls[node] = call
        if self.call_graph.called is not None:
            self.call_graph.called(self, env, node, call)

    def writes_into(self, *values: Value) -> None:
        """Where the unit is kept, these must be NumPy's arrays."""
        self.host.host_writes = True
        self.wants_numpy(*values)

    def wants_numpy(self, *values: Value) -> None:
        """So must these, though they are only read."""
        for value in values:
            self.host.hosted |= {"*"} if self.flow.depth else value.deps | parameters_in(value.memory)
            self.host.hosted_of |= value.origin

    def escape(self, env: Env, *values: Value) -> None:
        """Somebody else may keep these values."""
        before = env.get("<escaped>", UNKNOWN)
        memory = before.memory.union(*(v.memory for v in values))
        if memory != before.memory:
            env["<escaped>"] = replace(before, memory=memory)


def rebound(run: Run, node: cst.CSTNode) -> Iterator[str]:
    """The places that a statement or a call changes, and the views of them that are made again."""
    for update in run.effects.updates.get(node, ()):
        yield update.place
        yield from (name for name, _view in update.refresh)


def handed_back(run: Run) -> frozenset[str]:
    """The places of arrays that the caller gets back, since they are changed."""
    return frozenset(update.place for found in run.effects.updates.values() for update in found if update.param)


def new_memory(run: Run, env: Env, node: cst.CSTNode) -> frozenset[str]:
    """A token for what `node` allocates. In a loop, what it allocated the turn before becomes "old"."""
    token = run.effects.tokens.get(node)
    if token is None:
        token = run.effects.tokens[node] = f"new:{len(run.effects.tokens)}"
    else:
        _age(env, token)
    return frozenset({token})


def age(run: Run, env: Env, loop: cst.CSTNode) -> None:
    """Before a loop is entered: what it allocated when it was run before, as a loop around it may do, is "old"."""
    for node, token in run.effects.tokens.items():
        if run.source.inside(node, loop):
            _age(env, token)


def _age(env: Env, token: str) -> None:
    old = "old:" + token[4:]
    for name in [name for name, value in env.items() if token in value.memory or token in value.shape]:
        value = env[name]
        shaped = token in value.shape.split(TOGETHER)
        if token in value.memory or shaped:
            memory = value.memory - {token} | {old} if token in value.memory else value.memory
            env[name] = replace(value, memory=memory, shape="" if shaped else value.shape)


def bind(run: Run, env: Env, name: str, value: Value, node: cst.CSTNode) -> None:
    """Bind a variable (or an attribute path): views of what it held before lose their base."""
    env.pop(MAYBE_NONE + name, None)
    changed = "!" + name
    if changed in env and value.holds != name:
        run.effects.lost[name] = node
    before = env.get(name)
    if before is not None and before.kind is Kind.NONE and before.holds == name and not value.holds:
        value = replace(value, holds=name)  # `if x is None: x = ...`: handing it back is right either way
    if before is not None and before.holds == name and before.kind in CONTAINERS:
        run.escape(env, before)  # the caller has it still
    if (
        name in run.effects.viewed or name.partition(".")[0] in run.unit.rooted
    ):  # a module may bind thousands of names: look only where
        for other, held in list(env.items()):
            view = held.view
            if view is not None and (view.base == name or name in view.names) and other != name:
                env[other] = replace(held, view=None)
            elif other.startswith((name + ".", name + "[")):
                del env[other]
    if value.view is not None and (value.view.base == name or name in value.view.names):
        value = replace(value, view=None)
    if value.view is not None:
        run.effects.viewed |= {value.view.base, *value.view.names}
    if name in run.effects.changed_inside:
        run.effects.touched |= value.memory
    if not run.unit.in_function and run.flow.depth == 0:
        run.attributes.held[name] = join(run.attributes.held[name], value) if name in run.attributes.held else value
    env[name] = value


def drop_paths(env: Env, name: str) -> None:
    """Forget what is known of the attributes and items of `name`: someone may have changed them."""
    for other in list(env):
        if other.startswith(name + ".") or other.startswith(name + "["):
            del env[other]
    forget_views(env, name)


def forget_views(env: Env, path: str) -> None:
    """Views whose indices read this place, or an attribute of it, are not the same views any more."""
    for other, held in list(env.items()):
        if held.view is not None and any(n == path or n.startswith(path + ".") for n in held.view.names):
            env[other] = replace(held, view=None)


__all__ = [
    "CallFact",
    "ClassFact",
    "Facts",
    "FunctionFact",
    "Need",
    "Run",
    "bind",
    "drop_paths",
    "handed_back",
    "new_memory",
    "path_of",
    "rebound",
]
