"""The value of a name: a variable, an import, a definition, a builtin."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, UNKNOWN, Value, replace
from ..branches.conditions import single
from ..inference import big_integers
from ..random import generators
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import MAYBE_NONE
from ..state.project_facts import SHARED

LITERALS = {"None": Value(Kind.NONE), "True": Value(Kind.SCALAR, "bool", 0), "False": Value(Kind.SCALAR, "bool", 0)}


IN_PLACE_OPERATORS = frozenset(
    f"operator.{name}"
    for name in "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift setitem delitem".split()
)


def name(run: Run, env: Env, node: cst.Name) -> Value:
    return LITERALS.get(node.value) or _read(run, env, node)


def _read(run: Run, env: Env, node: cst.Name) -> Value:
    found = env.get(node.value)
    if found is not None:
        if MAYBE_NONE + node.value in env:
            run.random.optional.add(node)
        big_integers.refuse(run, node, found)
        alone = found.rank < 0 and found.kind in (Kind.ARRAY, Kind.UNKNOWN) and single(node) in run.unit.evidence
        return replace(found, rank=0, number=True) if alone else found
    return _outside(run, node)


def _outside(run: Run, node: cst.Name | cst.Attribute) -> Value:
    """The value of a name from outside the unit: an import, a definition, a builtin, a module variable."""
    dotted = run.scopes.qualname(node)
    if dotted is not None:
        return imported(run, node, dotted)
    starred = bool(run.scopes.star_imports) and isinstance(node, cst.Name) and node.value not in run.unit.local
    if starred and f"{run.source.name}.{node.value}" in run.facts.aliases:
        return named(run, f"{run.source.name}.{node.value}")  # by a star import
    if isinstance(node, cst.Name) and run.scopes.is_module_level(node):
        known = f"{run.source.name}.{node.value}"
        if known in run.facts.functions:  # one of several bindings of the name
            run.call_graph.escapes |= run.facts.several.get(known, frozenset({known}))
            return replace(UNKNOWN, memory=frozenset({"?"}))
        if node.value not in run.unit.local:
            run.attributes.reads_globals.add(known)
            return big_integers.refuse(run, node, variable(run, known))
    return UNKNOWN if isinstance(node, cst.Attribute) else replace(UNKNOWN, memory=frozenset({"?"}))


def variable(run: Run, dotted: str) -> Value:
    known = run.variable(dotted)
    if known is None:
        return replace(UNKNOWN, memory=frozenset({"?"}))
    memory = (
        frozenset({f"global:{dotted}"}) if known.kind in (Kind.ARRAY, Kind.UNKNOWN, Kind.LIST, Kind.DICT, Kind.TUPLE) else NOTHING
    )
    origin = frozenset({f"global:{dotted}"}) if known.kind in (Kind.ARRAY, Kind.UNKNOWN) else NOTHING
    return replace(known, memory=memory, holds="", view=None, elements=None, traced=False, deps=NOTHING, origin=origin)


def imported(run: Run, node: cst.BaseExpression, dotted: str) -> Value:
    """The value of an expression that refers to a dotted name from outside the unit."""
    if dotted in IN_PLACE_OPERATORS:  # they may be called anywhere
        run.constraints.blocks[node] = ("NJ102", f"`{dotted}` may update an array in place, which JAX cannot do")
    if generators.is_global_state(run, node, dotted):
        return generators.global_state(run, node)
    return big_integers.refuse(run, node, named(run, dotted))


def named(run: Run, dotted: str) -> Value:
    """The value that a dotted name refers to."""
    if dotted.partition(".")[0] == "numpy":
        run.host.numpy_used = True
        if dotted in ("numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.lib", "numpy.ma"):
            return Value(Kind.MODULE, name=dotted)
        entry = numpy_table.function(dotted)
        if entry is None:
            return Value(Kind.FUNCTION if numpy_table.function(dotted.rpartition(".")[0]) else Kind.UNKNOWN, name=dotted)
        if entry.kind == "dtype" and entry.params in ((), ("value",)):  # a type; np.dtype and np.result_type are functions
            return Value(Kind.DTYPE, dotted.rpartition(".")[2], name=dotted)
        if dotted in (
            "numpy.pi",
            "numpy.e",
            "numpy.inf",
            "numpy.nan",
            "numpy.euler_gamma",
            "numpy.NaN",
            "numpy.Inf",
            "numpy.infty",
            "numpy.NINF",
            "numpy.PINF",
        ):
            return Value(Kind.SCALAR, "float", 0, name=dotted)
        if dotted == "numpy.newaxis":
            return Value(Kind.NONE, name=dotted)
        return Value(Kind.FUNCTION, name=dotted)
    if dotted.startswith("builtins."):
        return Value(Kind.FUNCTION, name=dotted)
    canonical = run.facts.canonical(dotted)
    if canonical in run.facts.several:
        run.call_graph.escapes |= run.facts.several[canonical]
        return replace(UNKNOWN, memory=frozenset({"?"}))
    if canonical in run.facts.functions:
        return Value(Kind.FUNCTION, name=canonical)
    if canonical in run.facts.classes:
        return Value(Kind.CLASS, name=canonical)
    if canonical in run.facts.modules:
        return Value(Kind.MODULE, name=canonical)
    if run.variable(canonical) is not None:
        run.attributes.reads_globals.add(canonical)
        return variable(run, canonical)
    owner, _dot, attr = canonical.rpartition(".")
    if owner in run.facts.classes:
        return class_attribute(run, owner, attr)
    if dotted.startswith("math.") and dotted[5:] in ("pi", "e", "tau", "inf", "nan"):
        return Value(Kind.SCALAR, "float", 0)
    return Value(Kind.UNKNOWN, name=dotted)


def class_attribute(run: Run, cls: str, attr: str) -> Value:
    """A method of a class, or a class variable, shared by all instances."""
    if found := run.facts.method(cls, attr, frozenset({""})):  # of exactly this class, even if subclasses override it
        return Value(Kind.FUNCTION, name=found)
    run.attributes.reads_globals.add(f"{cls}.{attr}")
    known = run.attribute(cls, attr) or UNKNOWN
    if known.kind in (Kind.SCALAR, Kind.STRING, Kind.NONE, Kind.FUNCTION):
        return replace(known, memory=NOTHING, holds="", view=None, deps=NOTHING, traced=False)
    own = f"{run.facts.root(cls)}.{attr}"
    run.attributes.reads_attrs.add(f"attr:{own}")
    memory = frozenset({f"attr:{own}", f"{SHARED}{own}"})
    origin = frozenset({f"attr:{own}"})
    return replace(
        known, memory=memory, holds="", view=None, elements=None, device=False, traced=False, deps=NOTHING, origin=origin
    )
