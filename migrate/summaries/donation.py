"""Calls that may overwrite an argument: the variable is rebound to the result, and nothing else refers to the old array.

JAX deletes a donated argument (`jax.jit(..., donate_argnames=...)`) and reuses its memory for the result. Aliasing in JAX differs
from shared memory in NumPy: `x.astype(x.dtype)`, `jnp.full_like(x, y)`, `x[:]`, and `x.copy()` once the conversion drops the
copy, return an operand itself. So each binding of the variable must create an array, and no use of it may let the array escape.
What compiled functions return is always new, and so are the results of arithmetic, sums and element reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.function_plan import FunctionPlan
from ...rules.facts.updates import Update
from ...rules.facts.values import UNKNOWN
from ..analysis.state.call_facts import CallFact
from ..analysis.state.interpreter_state import Run
from ..syntax.names import collect

LOOPS = (cst.For, cst.While)
LATER = (cst.FunctionDef, cst.Lambda)  # code that runs at another time
ATTEMPTS = (cst.Try, cst.TryStar)  # after an error, the variable may have the value from before the call
MAKERS = frozenset(
    f"numpy.{name}" for name in "zeros ones empty zeros_like ones_like empty_like eye identity arange linspace array".split()
)
FILLED = frozenset({"numpy.full", "numpy.full_like"})
DRAWS = frozenset("random rand randn random_sample uniform normal standard_normal integers randint".split())
LOOKING = frozenset(
    f"numpy.{name}"
    for name in "sum mean max min amax amin any all std var prod median argmax argmin dot vdot linalg.norm allclose array_equal "
    "count_nonzero isnan isfinite isinf abs absolute maximum minimum exp log sqrt sin cos tanh save savetxt shape size ndim".split()
) | frozenset(f"builtins.{name}" for name in "print len float int bool str repr format abs sum".split())
SUMS = frozenset("sum mean max min any all std var prod argmax argmin tolist item dot trace".split())
SHAPES = frozenset("shape ndim size dtype nbytes".split())
COMPUTING = (cst.BinaryOperation, cst.Comparison, cst.ComparisonTarget, cst.FormattedStringExpression, cst.Index)
TESTING = (cst.If, cst.While, cst.Assert, cst.Return)


class Donation(NamedTuple):
    """A call of `callee` that may overwrite its arguments for `parameters`, if jit compiles all functions in `compiled`."""

    callee: str
    parameters: frozenset[str]
    compiled: frozenset[str]


def find(run: Run) -> None:
    """Find the calls in loops of a unit that may overwrite arrays, as far as the unit tells. Copies of such arrays, which are
    made in few iterations, must remain copies then.
    """
    run.effects.donations, run.effects.donated_copies = {}, {}
    for node, fact in run.call_graph.calls.items():
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or not _repeated(run, node):
            continue
        given, compiled, copies = set[str](), {fact.callee}, set[cst.Call]()
        for parameter, name in _rebound(run, node, fact):
            uses = _Uses(run, name)
            if _is_own(run, name, uses) and all(_is_rare(run, copy, node) for copy in uses.copies):
                given.add(parameter)
                compiled |= uses.compiled
                copies |= uses.copies
        if given:
            run.effects.donations[node] = Donation(fact.callee, frozenset(given), frozenset(compiled))
            for copy in copies:
                run.effects.donated_copies.setdefault(copy, []).append(node)


def holds(donation: Donation, caller: FunctionPlan, plans: Mapping[str, FunctionPlan]) -> bool:
    """Whether a call may overwrite its arguments, now that it is decided what jit compiles: not in code that JAX traces as a
    whole."""
    eager = not (caller.refused or caller.jit or caller.traceable)
    return eager and all(name in plans and plans[name].donation.marked for name in donation.compiled)


def _repeated(run: Run, node: cst.Call) -> bool:
    """Whether a call is in a loop of the unit itself, where no error is caught."""
    enclosing = [type(n) for n in takewhile(lambda n: n is not run.unit.owner, run.source.above(node))]
    return any(kind in LOOPS for kind in enclosing) and not any(kind in (*LATER, *ATTEMPTS) for kind in enclosing)


def _rebound(run: Run, node: cst.Call, fact: CallFact) -> Iterator[tuple[str, str]]:
    """The parameters whose argument is a variable that is rebound to the result, with these variables."""
    keywords = {a.keyword for a in node.args}
    names = [n.value for n in run.source.among(node, cst.Name) if n not in keywords]
    params = run.facts.functions[fact.callee].params
    for update in run.effects.updates.get(node, ()):
        argument = update.argument
        if isinstance(argument, cst.Name) and _binds(run, node, update) and names.count(argument.value) == 1:
            for position, given in enumerate(node.args):
                if given.value is argument and not given.star:
                    plain = position < len(params) and not any(a.star for a in node.args[:position])
                    name = given.keyword.value if given.keyword is not None else params[position] if plain else ""
                    if name in params:
                        yield name, argument.value


def _binds(run: Run, node: cst.Call, update: Update) -> bool:
    """Whether the statement of a call rebinds the variable that it changes, and binds nothing else to the same array."""
    plain = not (update.problem or update.steps or update.refresh or update.param) and update.value.kind is Kind.ARRAY
    parent, name = run.source.parents[node], update.access_path
    if isinstance(parent, cst.Assign) and len(parent.targets) == 1:
        result, target = run.values.get(node, UNKNOWN), parent.targets[0].target
        same = isinstance(target, cst.Name) and target.value == name
        return plain and (same or result.memory.isdisjoint(update.value.memory))
    return plain and isinstance(parent, cst.Expr)


def _is_rare(run: Run, copy: cst.Call, call: cst.Call) -> bool:
    """Whether a copy is not made in every iteration of the loop of a call, so that it costs less than the donation saves."""
    for enclosing in run.source.above(copy):
        if isinstance(enclosing, cst.If):
            return True
        if isinstance(enclosing, LOOPS):
            return not run.source.inside(call, enclosing)
    return True


def _is_own(run: Run, name: str, uses: _Uses) -> bool:
    """Whether the array of a variable never has an alias, as far as the uses of the variable tell."""
    owner = run.unit.owner
    if not isinstance(owner, (cst.FunctionDef, cst.Module)) or (
        not run.unit.in_function and run.facts.exported.get(run.source.name)
    ):
        return False
    names = collect([owner.body] if isinstance(owner, cst.FunctionDef) else owner.body)
    if names.dynamic or name in names.captured | names.declared or name not in names.bound or name in run.params:
        return False
    return all(uses.harmless(node) for node in run.source.among(owner, cst.Name) if node.value == name)


@dataclass(slots=True)
class _Uses:
    """The uses of one variable of a unit, and what they require: functions that jit must compile, copies that must remain."""

    run: Run
    name: str
    compiled: set[str] = field(default_factory=set)
    copies: set[cst.Call] = field(default_factory=set)

    def harmless(self, node: cst.Name) -> bool:
        """Whether a mention of the variable either binds it to a new array or does not let its array escape."""
        parents = self.run.source.parents
        parent = parents[node]
        enclosing = [type(n) for n in takewhile(lambda n: n is not self.run.unit.owner, self.run.source.above(node))]
        if cst.ClassDef in enclosing or cst.NameItem in enclosing:
            return False
        if any(kind in LATER for kind in enclosing):  # of the nested function, as this one is not captured; or a default
            scopes, owner = self.run.scopes, self.run.unit.owner
            return owner is not None and scopes.lookup(scopes.scope_of(node), self.name) is not scopes.opened_by(owner)
        match parent:
            case cst.Attribute(attr=attr) if attr is node:
                return True
            case cst.Arg(keyword=keyword) if keyword is node:
                return True
            case cst.AssignTarget():
                statement = parents[parent]
                return isinstance(statement, cst.Assign) and len(statement.targets) == 1 and self.makes(statement.value)
            case cst.AnnAssign(target=target, value=value) if target is node:
                return value is None or self.makes(value)
            case cst.Element() if self._is_target(parent):
                return self._is_one_of_new(parent)
        return self._keeps_nothing(node)

    def _is_one_of_new(self, element: cst.Element) -> bool:
        """Whether an element of `u, v = ...` is bound to a new array."""
        parents = self.run.source.parents
        targets = parents[element]
        target = parents[targets] if targets is not None else None
        statement = parents[target] if isinstance(target, cst.AssignTarget) else None
        if not isinstance(statement, cst.Assign) or len(statement.targets) > 1 or not isinstance(targets, (cst.Tuple, cst.List)):
            return False
        if isinstance(statement.value, cst.Tuple) and len(statement.value.elements) == len(targets.elements):
            return self.makes(statement.value.elements[targets.elements.index(element)].value)
        return self._calls(statement.value)

    def _is_target(self, element: cst.Element) -> bool:
        """Whether an element of a tuple is an assignment target."""
        at: cst.CSTNode = element
        while isinstance(at, (cst.Element, cst.Tuple, cst.List)):
            above = self.run.source.parents[at]
            if above is None:
                return False
            at, below = above, at
        return isinstance(at, cst.AssignTarget) or (isinstance(at, (cst.For, cst.CompFor)) and at.target is below)

    def makes(self, value: cst.BaseExpression) -> bool:
        """Whether an expression creates an array."""
        match value:
            case cst.BinaryOperation() | cst.UnaryOperation(operator=cst.Minus()):
                return True
            case cst.Call(func=func, args=args):
                dotted = self.run.scopes.qualname(func) or ""
                if any(a.star or (a.keyword is not None and a.keyword.value in ("copy", "out", "like")) for a in args):
                    return False
                filled = dotted in FILLED and len(args) > 1 and args[1].keyword is None and self._is_number(args[1].value)
                site = self.run.random.sites.get(value)
                drawn = (
                    site is not None and site.draw is not None and isinstance(func, cst.Attribute) and func.attr.value in DRAWS
                )
                return dotted in MAKERS or filled or drawn or self._calls(value)
        return False

    def _calls(self, value: cst.BaseExpression) -> bool:
        """Whether an expression is a call of a function of the project, which then must be compiled."""
        fact = self.run.call_graph.calls.get(value)
        if fact is None or not isinstance(value, cst.Call) or not isinstance(value.func, cst.Name):
            return False
        self.compiled.add(fact.callee)
        return True

    def _is_number(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, (cst.Integer, cst.Float)) or self.run.values.get(node, UNKNOWN).kind is Kind.SCALAR

    def _keeps_nothing(self, node: cst.BaseExpression) -> bool:
        """Whether the parent of an array expression does not retain the array or a part of it."""
        parents = self.run.source.parents
        parent = parents[node]
        match parent:
            case cst.Subscript(value=array) if array is node:
                return self._of_part(parent)
            case cst.Attribute(value=array, attr=cst.Name(value=attr)) if array is node:
                call = parents[parent]
                called = isinstance(call, cst.Call) and call.func is parent
                if isinstance(call, cst.Call) and called and attr == "copy" and not call.args:
                    self.copies.add(call)
                    return True
                return attr in SUMS if called else attr in SHAPES or (attr == "T" and self._keeps_nothing(parent))
            case cst.Arg(keyword=keyword, star=star):
                call = parents[parent]
                named = keyword is not None and keyword.value in ("out", "where")
                if not isinstance(call, cst.Call) or star or named:
                    return False
                return (self.run.scopes.qualname(call.func) or "") in LOOKING or self._calls(call)
            case cst.UnaryOperation(operator=cst.Minus() | cst.BitInvert() | cst.Not()) | cst.AugAssign() | cst.Expr():
                return True
            case cst.Element():
                above = parents[parent]
                return isinstance(above, cst.Tuple) and isinstance(parents[above], cst.Return)
            case cst.Assign(targets=targets):
                return all(self._takes_values(t.target) for t in targets)
        return isinstance(parent, (*COMPUTING, *TESTING))

    def _takes_values(self, target: cst.BaseExpression) -> bool:
        """Whether an assignment copies the value: into a part of an array, not into a list."""
        if not isinstance(target, cst.Subscript) or _is_whole(target):
            return False
        return self.run.values.get(target.value, UNKNOWN).kind is Kind.ARRAY

    def _of_part(self, part: cst.Subscript) -> bool:
        """Whether a subscript of the array does not return the array itself: its elements are changed, or only read."""
        parents = self.run.source.parents
        parent = parents[part]
        if isinstance(parent, cst.AssignTarget):
            statement = parents[parent]
            if not isinstance(statement, cst.Assign):
                return False
            return not _is_whole(part) or self._is_number(statement.value) or self.makes(statement.value)
        if isinstance(parent, cst.Element) and self._is_target(parent):
            return not _is_whole(part)
        looked_up = any(isinstance(e.slice, cst.Index) and self._is_index(e.slice.value) for e in part.slice)
        return looked_up or self._keeps_nothing(part)

    def _is_index(self, node: cst.BaseExpression) -> bool:
        """Whether an index selects elements, so that the result is never the whole array itself: a number, positions, a mask."""
        value = self.run.values.get(node, UNKNOWN)
        return self._is_number(node) or value.kind in (Kind.ARRAY, Kind.LIST) or bool(value.dtype)


def _is_whole(part: cst.Subscript) -> bool:
    """Whether a subscript selects the whole array."""
    for element in part.slice:
        match element.slice:
            case cst.Slice(lower=None, upper=None, step=None) | cst.Index(value=cst.Ellipsis()):
                continue
        return False
    return True
