"""What a rule may ask about the code that it looks at. The engine answers; rules never look things up themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import libcst as cst

from .facts import FunctionPlan, Value, View
from .model import Kind
from .spans import Bounds, Mask, Ragged

if TYPE_CHECKING:
    from .random_table import Draw  # which asks the context of its rules


class Update(Protocol):
    """One change of an array in place; see migrate.analysis.state.Update."""

    @property
    def node(self) -> cst.CSTNode: ...
    @property
    def place(self) -> str: ...
    @property
    def target(self) -> cst.BaseExpression | None: ...
    @property
    def steps(self) -> tuple[cst.BaseExpression, ...]: ...
    @property
    def value(self) -> Value: ...
    @property
    def refresh(self) -> tuple[tuple[str, View], ...]: ...
    @property
    def param(self) -> str: ...
    @property
    def problem(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def argument(self) -> cst.BaseExpression | None: ...


class Split(Protocol):
    """A statement that makes keys of a key; see migrate.keys.Split."""

    @property
    def anchor(self) -> cst.CSTNode: ...
    @property
    def stream(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def carried(self) -> bool: ...


class Fold(Protocol):
    """A clause of a comprehension whose turns take keys; see migrate.keys.Fold."""

    @property
    def index(self) -> str: ...
    @property
    def enumerated(self) -> bool: ...


class Keys(Protocol):
    """The keys of a unit; see migrate.keys.Keys."""

    @property
    def names(self) -> Mapping[cst.CSTNode, tuple[str, ...]]: ...
    @property
    def splits(self) -> Sequence[Split]: ...
    @property
    def folds(self) -> Mapping[cst.CompFor, Fold]: ...
    @property
    def roots(self) -> Sequence[cst.CSTNode]: ...
    @property
    def problems(self) -> Mapping[cst.CSTNode, str]: ...
    @property
    def conditions(self) -> Mapping[cst.While, Sequence[Split]]: ...
    @property
    def inner(self) -> Mapping[cst.CSTNode, str]: ...
    @property
    def inner_calls(self) -> Mapping[cst.CSTNode, str]: ...


class MapLoop(Protocol):
    """A comprehension that is a simple map; see migrate.analysis.maps.Map."""

    @property
    def call(self) -> cst.Call: ...
    @property
    def mapped(self) -> tuple[cst.BaseExpression | None, ...]: ...


class Returned(Protocol):
    """How `return` leaves a loop; see migrate.analysis.loop_returns.Returned."""

    @property
    def inner(self) -> tuple[cst.Return, ...]: ...
    @property
    def last(self) -> cst.SimpleStatementLine | None: ...
    @property
    def dear(self) -> str: ...


class Exits(Protocol):
    """How the turns of a loop end early; see migrate.analysis.exits.Exits."""

    @property
    def guards(self) -> tuple[cst.If, ...]: ...
    @property
    def breaks(self) -> bool: ...
    @property
    def dear(self) -> str: ...
    @property
    def partial(self) -> int: ...
    @property
    def returned(self) -> Returned | None: ...


class Filled(Protocol):
    """A list that gets an item in each turn of a loop; see migrate.analysis.lists.Filled."""

    @property
    def name(self) -> str: ...
    @property
    def maker(self) -> cst.SimpleStatementLine: ...
    @property
    def statement(self) -> cst.Expr: ...
    @property
    def value(self) -> cst.BaseExpression: ...
    @property
    def arrays(self) -> tuple[cst.Call, ...]: ...


class Loop(Protocol):
    """A loop that jit compiles; see migrate.analysis.loops.Loop."""

    @property
    def form(self) -> str: ...
    @property
    def carry(self) -> tuple[str, ...]: ...
    @property
    def index_after(self) -> bool: ...
    @property
    def index_before(self) -> bool: ...
    @property
    def unset(self) -> frozenset[str]: ...
    @property
    def shaped(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def filled(self) -> tuple[Filled, ...]: ...
    @property
    def exits(self) -> Exits: ...


class Slot(Protocol):
    """A place of an array that is stored to several times in a row; see migrate.analysis.stores.Slot."""

    @property
    def stores(self) -> tuple[cst.CSTNode, ...]: ...
    @property
    def reads(self) -> tuple[cst.Subscript, ...]: ...


class Access(Protocol):
    """One subscript of an array in the turns of a loop; see migrate.analysis.nest.Access."""

    @property
    def node(self) -> cst.Subscript: ...
    @property
    def array(self) -> str: ...
    @property
    def parts(self) -> tuple[cst.SubscriptElement, ...]: ...
    @property
    def axes(self) -> tuple[int, ...] | None: ...
    @property
    def offsets(self) -> tuple[int, ...]: ...
    @property
    def ends(self) -> tuple[int | None, ...]: ...
    @property
    def full(self) -> tuple[bool, ...]: ...


class Store(Protocol):
    """What every turn stores; see migrate.analysis.nest.Store."""

    @property
    def node(self) -> cst.Assign | cst.AugAssign: ...
    @property
    def target(self) -> Access: ...
    @property
    def value(self) -> cst.BaseExpression: ...
    @property
    def operator(self) -> cst.BaseAugOp | None: ...
    @property
    def maker(self) -> cst.SimpleStatementLine | None: ...
    @property
    def fits(self) -> bool: ...
    @property
    def open(self) -> bool: ...
    @property
    def summed(self) -> tuple[int, ...]: ...
    @property
    def masks(self) -> tuple[tuple[Access, Mask], ...]: ...
    @property
    def again(self) -> tuple[cst.Assign, ...]: ...


class Reduction(Protocol):
    """What all turns add up, or put into a list; see migrate.analysis.nest.Reduction."""

    @property
    def node(self) -> cst.Assign | cst.AugAssign | cst.Expr: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> cst.BaseExpression: ...
    @property
    def how(self) -> str: ...
    @property
    def minus(self) -> bool: ...
    @property
    def python(self) -> bool: ...
    @property
    def start(self) -> str: ...
    @property
    def into(self) -> str: ...
    @property
    def test(self) -> cst.BaseExpression | None: ...
    @property
    def whole(self) -> cst.CSTNode: ...
    @property
    def maker(self) -> cst.SimpleStatementLine | None: ...
    @property
    def arrays(self) -> tuple[cst.Call, ...]: ...


class Turns(Protocol):
    """A loop whose turns can be taken at once; see migrate.analysis.nest.Turns."""

    @property
    def nest(self) -> tuple[cst.For, ...]: ...
    @property
    def indices(self) -> tuple[str, ...]: ...
    @property
    def stores(self) -> Sequence[Store]: ...
    @property
    def reductions(self) -> Sequence[Reduction]: ...
    @property
    def reads(self) -> Sequence[Access]: ...
    @property
    def elementwise(self) -> bool: ...
    @property
    def dear(self) -> str: ...
    @property
    def plain(self) -> frozenset[str]: ...
    @property
    def numbers(self) -> bool: ...
    @property
    def rows(self) -> tuple[tuple[str, cst.BaseExpression], ...]: ...
    @property
    def items(self) -> bool: ...


class Branch(Protocol):
    """A branch that jit compiles; see migrate.analysis.branches.Branch."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def returns(self) -> bool: ...
    @property
    def dear(self) -> str: ...
    @property
    def partial(self) -> int: ...
    @property
    def sure(self) -> bool: ...


class Terms(Protocol):
    """The terms of a reduction of Python's; see migrate.analysis.terms.Terms."""

    @property
    def array(self) -> cst.BaseExpression | None: ...
    @property
    def value(self) -> cst.BaseExpression | None: ...
    @property
    def rows(self) -> tuple[tuple[str, cst.BaseExpression], ...]: ...
    @property
    def counter(self) -> tuple[str, cst.BaseExpression] | None: ...
    @property
    def test(self) -> cst.BaseExpression | None: ...
    @property
    def whole(self) -> bool: ...
    @property
    def numbers(self) -> bool: ...
    @property
    def partial(self) -> int: ...
    @property
    def exact(self) -> bool: ...
    @property
    def dtype(self) -> str: ...
    @property
    def typed(self) -> tuple[str, ...]: ...


class Context(Protocol):
    """One unit: a function, a method, or the code of a module itself."""

    @property
    def plan(self) -> FunctionPlan:
        """What becomes of the unit."""
        ...

    @property
    def definition(self) -> cst.FunctionDef | None:
        """The unit's definition; None for the code of a module."""
        ...

    @property
    def coerced(self) -> tuple[str, ...]:
        """Changed parameters that a function without jit makes jax.Arrays of at its start."""
        ...

    def qualname(self, node: cst.CSTNode) -> str | None:
        """The dotted name that a name or an attribute chain stands for: "numpy.linalg.norm", "pkg.mod.f", "builtins.len"."""
        ...

    def imported(self, node: cst.Name) -> bool:
        """Whether a name is bound by imports only, not by an assignment such as `sqrt = np.sqrt`."""
        ...

    def value(self, node: cst.CSTNode) -> Value: ...

    def kind(self, node: cst.CSTNode) -> Kind: ...

    def is_static(self, node: cst.CSTNode) -> bool:
        """Known when JAX traces the unit (always, where the unit is not traced)."""
        ...

    def is_device(self, node: cst.CSTNode) -> bool:
        """Certainly a jax.Array or a tracer once the unit is converted: it has `.at`."""
        ...

    def is_device_value(self, value: Value) -> bool: ...

    def is_jax_variable(self, value: Value) -> bool:
        """Whether the converted module makes it with JAX: the array of its variable, a view of one, or what its list holds."""
        ...

    def rewritten(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A copy of an original expression with all edits made; only inside an edit."""
        ...

    def rewritten_inside(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """The same, without the edits of the node itself."""
        ...

    def falls_through(self, body: cst.BaseSuite) -> bool:
        """Whether the end of a body can be reached."""
        ...

    def not_first(self, call: cst.Call, places: set[str]) -> str:
        """Why a call that changes `places` cannot be moved before its statement, "" when it can."""
        ...

    def on_host(self, call: cst.Call) -> bool:
        """Whether a NumPy call stays NumPy, because all that it takes is known when tracing: `np.prod(x.shape)`."""
        ...

    def updates(self, node: cst.CSTNode) -> tuple[Update, ...]:
        """What a statement or call changes in place."""
        ...

    def callee(self, call: cst.Call) -> FunctionPlan | None:
        """The plan of the project function that is called, None where that is not known."""
        ...

    def plan_of(self, node: cst.BaseExpression) -> FunctionPlan | None:
        """The plan of the project function that an expression names, None where it names none."""
        ...

    def argument(self, call: cst.Call, parameter: str) -> cst.BaseExpression | None:
        """What a call of a project function gives for a parameter."""
        ...

    def wants_host(self, *functions: str) -> bool:
        """Whether the unit, being kept, needs NumPy arrays for the results of one of these functions."""
        ...

    def as_before(self, node: cst.BaseExpression) -> bool:
        """Whether a value was JAX's before the conversion, too: what is given it was given it then."""
        ...

    def converted_result(self, node: cst.BaseExpression) -> bool:
        """Whether a value is made of results of converted functions."""
        ...

    def mapped(self, node: cst.CSTNode) -> MapLoop | None:
        """What a comprehension does, where it applies a function to every row of an array."""
        ...

    def loop(self, node: cst.For | cst.While) -> Loop | None:
        """What a loop carries, where jit compiles it; None where it stays a loop of Python."""
        ...

    def kept_loop(self, node: cst.For | cst.While) -> str:
        """Why a loop over data cannot be compiled, "" where it could be, or makes nothing of arrays."""
        ...

    def branch(self, node: cst.If | cst.IfExp) -> Branch | None:
        """What a branch binds or returns, where jit compiles it; None where Python decides."""
        ...

    def logical(self, node: cst.BaseExpression) -> bool:
        """Whether JAX computes `and`, `or`, `not`, a chain of comparisons, or `min` and `max` of numbers, instead of Python."""
        ...

    def terms(self, node: cst.Call) -> Terms | None:
        """What `sum`, `max`, `min`, `any` or `all` of Python's goes through, where JAX takes all of it at once."""
        ...

    def kept_branch(self, node: cst.If | cst.IfExp) -> str:
        """Why Python must decide on a branch, "" where jit could compile it."""
        ...

    @property
    def returning(self) -> Sequence[cst.If]:
        """The branches with `return` in them that jit compiles."""
        ...

    def known_names(self, node: cst.CSTNode) -> frozenset[str]:
        """The names in some code whose values are known when JAX traces, wherever it reads them."""
        ...

    def uses(self, nodes: Iterable[cst.CSTNode]) -> tuple[frozenset[str], frozenset[str]]:
        """The names that some code reads, and those that it binds."""
        ...

    def live_before(self, node: cst.CSTNode) -> frozenset[str]:
        """Names that may be read from a statement on."""
        ...

    def slot(self, node: cst.CSTNode) -> Slot | None:
        """The slot that a store or a subscript belongs to, where only the last of its stores is made."""
        ...

    def slot_name(self, slot: Slot) -> str:
        """The variable that holds what the earlier stores gave."""
        ...

    def ragged(self, root: cst.CSTNode) -> Ragged | None:
        """What becomes of the slices of a statement or a condition whose bounds are not known when tracing."""
        ...

    def positions(self, bounds: Bounds) -> str:
        """The variable that holds the positions along an axis, 0, 1, ..."""
        ...

    def positions_made(self, statement: cst.CSTNode) -> Sequence[tuple[str, Bounds]]:
        """The variables of positions that are made before a statement, with the axes that they are along."""

    def turns(self, node: cst.For) -> Turns | None:
        """What the turns of a loop do, where they can be taken at once; asked of the outermost loop of a nest."""
        ...

    def starred(self, call: cst.Call) -> bool:
        """Whether a call has * or ** arguments."""
        ...

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None: ...

    def statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """The statement line or compound statement around a node; the small one where it stands on the line of a header."""
        ...

    def live_after(self, node: cst.CSTNode) -> frozenset[str]:
        """Names that may be read after the statement around `node`."""
        ...

    def name_of(self, dotted: str) -> tuple[str, frozenset[str]]:
        """How the file writes a dotted name of JAX, and the imports that it takes: "jnp.sqrt", {"import jax.numpy as jnp"}."""
        ...

    def fresh(self, stem: str) -> str:
        """A name that nothing in the file uses."""
        ...

    def defined(self, name: str) -> str:
        """How the file calls its copy of a function of rules.definitions."""
        ...

    def local(self, stem: str, *others: str) -> str:
        """A name that the unit does not use: the first of those given that it does not, or the last with a number."""
        ...

    def label(self, stem: str) -> str:
        """A name for a function that is used at once: it may be used again, other than `local`."""
        ...

    def first_in_block(self, node: cst.CSTNode) -> bool:
        """Whether a statement is the first of its block."""
        ...

    def drawn(self, call: cst.Call) -> Draw | None:
        """What a call draws from NumPy's random state or from a generator."""
        ...

    def hands_on(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a generator that somebody else gets."""
        ...

    def seeds(self, call: cst.Call) -> bool:
        """Whether a call seeds NumPy's random state."""
        ...

    def makes_generator(self, node: cst.BaseExpression) -> bool:
        """Whether a call makes a generator of random numbers, or a name gives somebody NumPy's own: `rng = np.random`."""
        ...

    def spawns(self, node: cst.Call) -> bool:
        """Whether a call makes several generators of one."""
        ...

    def may_be_none(self, node: cst.BaseExpression | None) -> bool:
        """Whether a seed is a parameter that may be None where it is used."""
        ...

    def may_be_key(self, node: cst.BaseExpression | None) -> bool:
        """Whether a seed is a parameter that may be a generator as well as a number."""
        ...

    @property
    def keys(self) -> Keys:
        """Which keys the unit's draws use."""
        ...

    @property
    def key_name(self) -> str:
        """The variable that holds the key which stands for NumPy's random state."""
        ...

    @property
    def ufunc_asked(self) -> bool:
        """Whether the program names the type `np.ufunc`, to which functions of JAX do not belong."""
        ...

    @property
    def random_on_host(self) -> bool:
        """Whether NumPy's generators stay, and draw on the host."""
        ...

    @property
    def draws_on_host(self) -> bool:
        """Whether functions that stay NumPy draw from its state."""
        ...

    @property
    def precision(self) -> str:
        """float64 or float32."""
        ...
