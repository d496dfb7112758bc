"""The parts of a run's state, by subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    """The unit itself, what its text says, and what its callers pass."""

    cls: str = ""  # class of a method
    self_name: str = ""
    owner: cst.CSTNode | None = None  # the unit's definition
    in_function: bool = False
    outlined: bool = False  # it is a part of another function, which passes it any of its variables
    local: frozenset[str] = NOTHING  # names that the unit binds
    rooted: frozenset[str] = NOTHING  # names whose attributes or items the text mentions
    nested_live: dict[cst.CSTNode, Liveness] = field(default_factory=dict)
    listed: frozenset[str] = NOTHING  # parameters that may be lists according to the documentation
    sequences: set[str] = field(default_factory=set)  # parameters that contain numbers, and may be lists as well as arrays
    gone_through: frozenset[str] = NOTHING  # parameters that may be dicts over whose items a loop iterates
    evidence: Mapping[str, Value] = field(default_factory=dict)
    learned: dict[str, Value] = field(default_factory=dict)  # evidence that only values show: `x[mask]` with a mask
    arguments: Mapping[str, Value] | None = None  # what its callers pass, as known at the start
    bound: Env = field(default_factory=dict)  # the parameters as they were at the start
    # tests that hold, for any index of their loop, in some iteration of the enclosing loops
    reached: frozenset[cst.CSTNode] = frozenset()


@dataclass(slots=True, eq=False, repr=False)
class RunFlow:
    """The position of the interpreter, and the states in which it left loops and the unit."""

    stmt: cst.CSTNode | None = None
    depth: int = 0  # the number of nested functions that enclose the statement
    local_now: frozenset[str] = NOTHING  # names that the nested functions that enclose the statement bind
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)
    invariants: dict[cst.CSTNode, Env] = field(default_factory=dict)
    # the states before loops that are a fixed point of them, the states after them, and at the end of an iteration
    stable: dict[cst.CSTNode, tuple[Env, Env | None, Env | None]] = field(default_factory=dict)
    returns: dict[cst.CSTNode, tuple[Value, Env]] = field(default_factory=dict)
    end: Env | None = None
    yielded: frozenset[str] = NOTHING  # the memory of what a generator function yields
    result_aliases: set[str] = field(default_factory=set)  # variables outside of nested functions which these may return


@dataclass(slots=True, eq=False, repr=False)
class RunEffects:
    """Memory: what is allocated, changed in place, viewed and donated."""

    updates: dict[cst.CSTNode, list[Update]] = field(default_factory=dict)
    tokens: dict[cst.CSTNode, str] = field(default_factory=dict)
    # access paths that some variable was a view of, and names in the indices of such views
    viewed: set[str] = field(default_factory=set)
    views: set[str] = field(default_factory=set)  # memory of which it creates a view by functions whose JAX counterparts copy
    lost: dict[str, cst.CSTNode] = field(default_factory=dict)  # parameters that are rebound after they were changed
    written: dict[str, set[cst.CSTNode]] = field(default_factory=dict)  # memory that is written to, by which statements and calls
    touched: set[str] = field(default_factory=set)  # memory that may be written to otherwise, it is not known when
    # written to where others may have a reference to it, so that the unit is left as NumPy
    mutated_aliased: set[str] = field(default_factory=set)
    items: set[str] = field(default_factory=set)  # memory of containers whose arrays are rebound
    # (parameter or attribute that is changed, parameter that is read afterwards)
    read_later: set[tuple[str, str]] = field(default_factory=set)
    # (function, a parameter that it changes, one that may get the same array)
    aliased: set[tuple[str, str, str]] = field(default_factory=set)
    # names of which nested functions change the array, whatever it is bound to then
    changed_inside: set[str] = field(default_factory=set)
    donations: dict[cst.CSTNode, Any] = field(default_factory=dict)  # calls that may overwrite arguments (donation.Donation)
    donated_copies: dict[cst.Call, list[cst.CSTNode]] = field(default_factory=dict)  # copies of such arguments, with the calls
    # the operand of `x += y`: where that is a jax.Array, x is rebound
    added: dict[cst.BaseExpression, None] = field(default_factory=dict)
    # `x op= v`, and the attributes and methods of objects of unknown class from which v is computed: see value_flow
    operands: dict[cst.AugAssign, frozenset[str]] = field(default_factory=dict)

    @property
    def changed(self) -> set[str]:
        """All memory that is or may be written to."""
        return self.touched | self.written.keys()

    def write(self, memory: Iterable[str], node: cst.CSTNode) -> None:
        """Note that a statement or a call writes into memory."""
        for token in memory:
            self.written.setdefault(token, set()).add(node)


@dataclass(slots=True, eq=False, repr=False)
class RunConstraints:
    """Why the unit must be left as NumPy, why it must not be jitted, and what Python itself needs."""

    blocks: dict[cst.CSTNode, tuple[str, str]] = field(default_factory=dict)  # node -> (code, reason to leave the unit as NumPy)
    impure: dict[cst.CSTNode, str] = field(default_factory=dict)  # node -> why the unit must not be jitted
    needs: dict[cst.CSTNode, Need] = field(default_factory=dict)
    python_results: set[str] = field(default_factory=set)  # functions whose results Python itself needs


@dataclass(slots=True, eq=False, repr=False)
class RunLoops:
    """What becomes of loops, comprehensions and Python's reductions."""

    maps: dict[cst.CSTNode, MapLoop] = field(default_factory=dict)  # loops that are simple maps
    compiled: dict[cst.CSTNode, Loop] = field(default_factory=dict)  # what becomes of other loops
    loop_tokens: dict[cst.CSTNode, str] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)  # names of the unit in the order of their first mention
    unrolled: dict[cst.CSTNode, str] = field(default_factory=dict)  # loops that jit would unroll
    reduction_operands: dict[cst.CSTNode, ReductionOperands] = field(default_factory=dict)  # the operands of Python's reductions
    floated: frozenset[str] = NOTHING  # parameters that compiled loops make floats if they are integers


@dataclass(slots=True, eq=False, repr=False)
class RunSlices:
    """Slices with varying bounds, boolean masks, and positions."""

    # slices whose bounds vary from one iteration to the next, or are traced
    sliced: dict[cst.Slice, None] = field(default_factory=dict)
    moving: frozenset[str] | None = None  # variables that do (slice_bounds.moving_names)
    unmasked: dict[cst.CSTNode, str] = field(default_factory=dict)  # why a mask cannot replace what it selects
    taken: dict[cst.CSTNode, int] = field(default_factory=dict)  # how many of the positions that a call returns are read
    ragged: dict[cst.CSTNode, Ragged] = field(default_factory=dict)  # their lowering, by statement or condition
    # (root, array) -> the node before which it is created
    positions: dict[tuple[cst.CSTNode, str], cst.CSTNode] = field(default_factory=dict)
    # (root, text of the condition) -> the node before which it is asserted
    fits: dict[tuple[cst.CSTNode, str], cst.CSTNode] = field(default_factory=dict)
    # statements for which conditions are supposed that only code on the host can test: it runs the original otherwise
    guarded: set[cst.CSTNode] = field(default_factory=set)
    proven: frozenset[str] = NOTHING  # arrays that have as many dimensions as they have indices


@dataclass(slots=True, eq=False, repr=False)
class RunBranches:
    """Branches and Boolean logic: what can be compiled, and what cannot."""

    branches: dict[cst.CSTNode, Branch] = field(default_factory=dict)  # branches that can be compiled
    untraceable_branches: dict[cst.CSTNode, str] = field(default_factory=dict)  # why others cannot
    returning: dict[cst.If, None] = field(default_factory=dict)  # branches that return, which are resolved at the end
    # branches, and the variables that are None in one arm of them
    none_arms: set[tuple[cst.CSTNode, str]] = field(default_factory=set)
    logic: set[cst.CSTNode] = field(default_factory=set)  # `and`, `or`, `not`, chained comparisons, `min` and `max` for JAX


@dataclass(slots=True, eq=False, repr=False)
class RunAttributes:
    """Attributes, class bodies and variables of modules: what is read, bound and shared."""

    attrs: dict[str, Value] = field(default_factory=dict)  # attributes of self that are assigned
    attr_stores: set[str] = field(default_factory=set)  # attributes of other objects that are bound: "C.x"; "new:C.x" by an
    # array to which nobody else has a reference
    stored: dict[str, Value] = field(default_factory=dict)  # the values that are bound to them
    # attributes whose arrays are passed to the constructor of another object: "attr:C.x"
    passed_to_objects: set[str] = field(default_factory=set)
    # attributes that it reads: "attr:C.x", "attr:?.x" where the class is unknown
    reads_attrs: set[str] = field(default_factory=set)
    reads_globals: set[str] = field(default_factory=set)
    bindings: dict[str, Value] = field(default_factory=dict)  # variables of a module -> the join of all that they are bound to
    class_values: dict[str, dict[str, Value]] = field(default_factory=dict)  # variables of class bodies
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of dataclasses, in order
    frozen: set[str] = field(default_factory=set)  # classes whose fields cannot be rebound, and these fields


@dataclass(slots=True, eq=False, repr=False)
class RunHost:
    """Where the unit, if it is left as NumPy, needs NumPy arrays."""

    numpy_used: bool = False
    host_writes: bool = False
    needs_host: set[str] = field(default_factory=set)  # parameters from which it creates arrays that it changes; "*" for any
    needs_host_of: set[str] = field(default_factory=set)  # project functions that returned such arrays
    # functions whose results must be NumPy arrays where the unit is left as NumPy
    host_uses: set[str] = field(default_factory=set)
    # statements by which it may change an array with an argument, or a part of one
    takes_in: frozenset[cst.CSTNode] = frozenset()


@dataclass(slots=True, eq=False, repr=False)
class RunRandom:
    """Generators, draws and seeds."""

    sites: dict[cst.CSTNode, Site] = field(default_factory=dict)  # draws and seeds
    optional: set[cst.CSTNode] = field(default_factory=set)  # names of parameters that may be None there
    makers: dict[cst.CSTNode, cst.BaseExpression | None] = field(default_factory=dict)  # what creates a generator -> its seed
    any_seed: set[cst.CSTNode] = field(default_factory=set)  # those of them whose seeds code outside of the project determines
    borrows: dict[cst.CSTNode, str] = field(default_factory=dict)  # those of them that may stand for NumPy's global state
    hosts: set[cst.CSTNode] = field(default_factory=set)  # where that state draws the seeds of keys
    spawns: set[cst.Call] = field(default_factory=set)  # calls that create several generators from one
    either: set[cst.BaseExpression] = field(default_factory=set)  # seeds that may be generators as well as numbers
    guessed: frozenset[str] = NOTHING  # parameters that are generators by their names and uses
    numbers: set[str] = field(default_factory=set)  # parameters for generators that may be numbers
