"""The parts of a run's state, by subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ....rules.facts.branches import Branch
from ....rules.facts.comprehensions import MapLoop, ReductionOperands
from ....rules.facts.dynamic_slices import Ragged
from ....rules.facts.loops import Loop
from ....rules.facts.updates import Update
from ....rules.facts.values import NOTHING, Value
from ...syntax.liveness import Liveness
from .lattice import Env
from .node_facts import Need, Site


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
    arguments: Mapping[str, Value] | None = None  # what its callers give, as it was at the start
    bound: Env = field(default_factory=dict)  # the parameters as they were at the start
    reached: frozenset[cst.CSTNode] = (
        frozenset()
    )  # tests that hold, for any index of their loop, in some iteration of the loops around


@dataclass(slots=True, eq=False, repr=False)
class RunFlow:
    """Where the interpreter stands, and the states in which it left loops and the unit."""

    stmt: cst.CSTNode | None = None
    depth: int = 0  # nested functions around the statement
    local_now: frozenset[str] = NOTHING  # names that the nested functions around the statement bind
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)
    invariants: dict[cst.CSTNode, Env] = field(default_factory=dict)
    # the states before loops with which these changed nothing any more, after them, and at the end of an iteration
    stable: dict[cst.CSTNode, tuple[Env, Env | None, Env | None]] = field(default_factory=dict)
    returns: dict[cst.CSTNode, tuple[Value, Env]] = field(default_factory=dict)
    end: Env | None = None
    yielded: frozenset[str] = NOTHING  # the memory of what a generator function gives, one after the other
    result_aliases: set[str] = field(default_factory=set)  # variables around nested functions of which these may return something


@dataclass(slots=True, eq=False, repr=False)
class RunEffects:
    """Memory: what is allocated, changed in place, viewed and donated."""

    updates: dict[cst.CSTNode, list[Update]] = field(default_factory=dict)
    tokens: dict[cst.CSTNode, str] = field(default_factory=dict)
    viewed: set[str] = field(default_factory=set)  # places that some variable was a view of, and names in the indices of such
    views: set[str] = field(default_factory=set)  # memory of which it makes a view, by functions of which JAX's make copies
    lost: dict[str, cst.CSTNode] = field(default_factory=dict)  # parameters bound anew after they were changed
    touched: set[str] = field(default_factory=set)  # memory that is or may be written to
    mutated_aliased: set[str] = field(default_factory=set)  # where others may hold it, so that the unit is kept
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
class RunLoops:
    """What becomes of loops, comprehensions and Python's reductions."""

    maps: dict[cst.CSTNode, MapLoop] = field(default_factory=dict)  # loops that are simple maps
    compiled: dict[cst.CSTNode, Loop] = field(default_factory=dict)  # what becomes of other loops
    loop_tokens: dict[cst.CSTNode, str] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)  # names of the unit, as it first mentions them
    unrolled: dict[cst.CSTNode, str] = field(default_factory=dict)  # loops that would be unrolled by jit
    reduction_operands: dict[cst.CSTNode, ReductionOperands] = field(
        default_factory=dict
    )  # what reductions of Python's go through


@dataclass(slots=True, eq=False, repr=False)
class RunSlices:
    """Slices whose bounds vary, boolean masks, and positions."""

    sliced: dict[cst.Slice, None] = field(
        default_factory=dict
    )  # slices whose bounds vary from one iteration to the next, or are traced
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
    untraceable_branches: dict[cst.CSTNode, str] = field(default_factory=dict)  # why others cannot
    returning: dict[cst.If, None] = field(default_factory=dict)  # those that return, on which is decided at the end
    none_arms: set[tuple[cst.CSTNode, str]] = field(default_factory=set)  # branches, and what is None on a side of them
    logic: set[cst.CSTNode] = field(default_factory=set)  # `and`, `or`, `not`, chained comparisons, `min` and `max` for JAX


@dataclass(slots=True, eq=False, repr=False)
class RunAttributes:
    """Attributes, class bodies and variables of modules: what is read, bound and shared."""

    attrs: dict[str, Value] = field(default_factory=dict)  # attributes of self that are assigned
    attr_stores: set[str] = field(default_factory=set)  # attributes of other objects that are bound: "C.x"; "new:C.x" by an
    # array that nobody else holds
    stored: dict[str, Value] = field(default_factory=dict)  # what is bound to them
    passed_to_objects: set[str] = field(default_factory=set)  # attributes whose arrays another object is made with: "attr:C.x"
    reads_attrs: set[str] = field(default_factory=set)  # attributes that it reads: "attr:C.x", "attr:?.x" of what is not known
    reads_globals: set[str] = field(default_factory=set)
    bindings: dict[str, Value] = field(default_factory=dict)  # variables of a module -> all that they are bound to
    class_values: dict[str, dict[str, Value]] = field(default_factory=dict)  # variables of class bodies
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of dataclasses, in order
    frozen: set[str] = field(default_factory=set)  # classes whose fields cannot be bound again, and these fields


@dataclass(slots=True, eq=False, repr=False)
class RunHost:
    """Where the unit, if it is kept, needs arrays of NumPy."""

    numpy_used: bool = False
    host_writes: bool = False
    needs_host: set[str] = field(default_factory=set)  # parameters of which it makes arrays that it changes; "*" for any
    needs_host_of: set[str] = field(default_factory=set)  # project functions that made such arrays
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
