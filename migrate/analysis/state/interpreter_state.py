"""The state of one run of the abstract interpreter over one unit (a function, a method or the code of a module)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import libcst as cst

from ....rules.facts.values import UNKNOWN, Value, replace
from ...syntax.liveness import Liveness
from ...syntax.scopes import Scopes
from ...syntax.source import Source
from .call_facts import CallFact
from .call_signatures import CallShape
from .lattice import Env, join, parameters_in
from .project_facts import SHARED, Facts, FunctionFact
from .run_parts import (
    RunAttributes,
    RunBranches,
    RunConstraints,
    RunEffects,
    RunFlow,
    RunHost,
    RunLoops,
    RunRandom,
    RunSlices,
    RunUnit,
)


@dataclass(slots=True, eq=False, repr=False)
class RunCalls:
    """Calls of project functions, and what is unknown about other calls."""

    calls: dict[cst.CSTNode, CallFact] = field(default_factory=dict)
    called: Callable[[Run, Env, cst.CSTNode, CallFact], None] | None = None  # told of every call of a project function
    escapes: set[str] = field(default_factory=set)  # project functions used as values
    unresolved: set[str] = field(default_factory=set)  # names of methods called on objects of unknown class
    blind: dict[cst.Call, str] = field(default_factory=dict)  # the calls of such methods, and of function values: ""
    unknown_calls: set[CallShape] = field(default_factory=set)  # how unknown function values are called
    # functions that must be left as NumPy because of what is done here
    refuses: dict[str, tuple[str, str]] = field(default_factory=dict)


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
    # results
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
    seen: dict[tuple[str, str], object] = field(default_factory=dict)  # the facts that were read, as they were then: see Facts.of

    def function(self, name: str) -> FunctionFact | None:
        fact = self.facts.functions.get(name)
        self.seen.setdefault(("function", name), fact)
        return fact

    def sows(self) -> bool:
        """Whether the function itself seeds NumPy's random state, and returns the key to its callers."""
        found = self.name in self.facts.random.state_seeders
        self.seen.setdefault(("sower", self.name), found)
        return found

    def variable(self, dotted: str) -> Value | None:
        value = self.facts.variables.get(dotted)
        self.seen.setdefault(("variable", dotted), value)
        return value

    def attribute(self, cls: str, attr: str) -> Value | None:
        """What is known of an attribute of an instance of a class."""
        fact = self.facts.classes.get(cls)
        value = None if fact is None else fact.attrs.get(attr)
        self.seen.setdefault((cls, attr), value)
        return value

    def is_shared(self, cls: str, attr: str) -> bool:
        """Whether someone else than the object may have a reference to the value of its attribute."""
        fact = self.facts.classes.get(cls)
        found = fact is not None and attr in fact.shared
        self.seen.setdefault((cls, SHARED + attr), found)
        return found

    def store(self, attribute: str, value: Value) -> None:
        """Record that an attribute of another object is bound, "C.x" or "?.x"."""
        self.attributes.attr_stores.add(attribute)
        self.attributes.stored[attribute] = (
            join(self.attributes.stored[attribute], value) if attribute in self.attributes.stored else value
        )

    def call(self, env: Env, node: cst.CSTNode, call: CallFact) -> None:
        self.call_graph.calls[node] = call
        if self.call_graph.called is not None:
            self.call_graph.called(self, env, node, call)

    def writes_into(self, *values: Value) -> None:
        """Record that these must be NumPy arrays, where the unit is left as NumPy, because it writes into them."""
        self.host.host_writes = True
        self.requires_numpy(*values)

    def requires_numpy(self, *values: Value) -> None:
        """Record that these must be NumPy arrays, too, though they are only read."""
        for value in values:
            self.host.needs_host |= {"*"} if self.flow.depth else value.deps | parameters_in(value.memory)
            self.host.needs_host_of |= value.origin

    def escape(self, env: Env, *values: Value) -> None:
        """Record that these values escape: somebody else may retain them."""
        before = env.get("<escaped>", UNKNOWN)
        memory = before.memory.union(*(v.memory for v in values))
        if memory != before.memory:
            env["<escaped>"] = replace(before, memory=memory)
