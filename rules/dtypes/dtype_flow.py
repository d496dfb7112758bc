"""Which branches and loops leave a variable of one dtype or of another in NumPy, depending on the path that was taken.

The function is run in dtypes, once for each choice of dtypes of its parameters: each variable has those that NumPy may give it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Kind
from ..facts.loop_plan import Carried, PythonLoop, Unrolled
from ..syntax import builders
from ..syntax.tree import walk
from .path_dtypes import Alternative, differ
from .possible_dtypes import INT, Evaluation, Possible, Set, bound_names, changes_in_place, either, is_open, parameters

MIXED = "bool_ uint8 int64 float32 float64".split()  # what the dtypes of several parameters are combined of
MOST_TESTS = 2  # branches that Python decides, of which all combinations are taken
ROUNDS = 6
Environment = dict[str, Set | None]
# A branch or a loop, and a variable; "" for the result. Or an expression of several such variables.
Place = tuple[cst.If | cst.For | cst.While | cst.BaseExpression, str]


def by_path(definition: cst.FunctionDef, ctx: Context) -> dict[Place, None]:
    """The branches and loops after which a variable has another dtype in NumPy on one path than on another."""
    found: dict[Place, None] = {}
    tests = [node for node, _above in walk(definition.body) if isinstance(node, (cst.If, cst.IfExp)) and ctx.is_static(node.test)]
    if tests or any(_may_differ(node, ctx) for node, _above in walk(definition.body)):
        names = [name for name, node in parameters(definition).items() if is_open(node, ctx)]
        for taken in _decisions(tests):
            for given in _choices(names):
                _Run(ctx, given, taken, found).function(definition)
    return found


def _may_differ(node: cst.CSTNode, ctx: Context) -> bool:
    match node:
        case cst.If() | cst.IfExp():
            return ctx.branches.branch(node) is not None
        case cst.For() | cst.While():
            return not isinstance(ctx.loops.loop_plan(node), (PythonLoop, Unrolled))
    return False


def _decisions(tests: Sequence[cst.If | cst.IfExp]) -> Iterator[dict[cst.CSTNode, bool]]:
    """How Python decides the branches that are not compiled."""
    apart = tests[:MOST_TESTS]
    for taken in product((True, False), repeat=len(apart)):
        rest = all(taken)
        yield {**dict.fromkeys(tests, rest), **dict(zip(apart, taken, strict=True))}


def _choices(names: Sequence[str]) -> Iterator[dict[str, str]]:
    """The dtypes of parameters: all the same, and some combinations of two."""
    if not names:
        yield {}
        return
    for dtype in dtypes.BITS:
        yield dict.fromkeys(names, dtype)
    for name in names if len(names) > 1 else ():
        for one in MIXED:
            for other in MIXED:
                if one != other:
                    yield dict.fromkeys(names, other) | {name: one}


class _Run:
    """One run in dtypes. `taken`: the branches that Python decides. `found`: the places, to which it adds."""

    def __init__(self, ctx: Context, given: dict[str, str], taken: dict[cst.CSTNode, bool], found: dict[Place, None]) -> None:
        self.ctx, self.taken, self.found = ctx, taken, found
        self.evaluation = Evaluation(ctx, given, self._chosen, taken)
        self.left: list[Environment] = []  # the states with which `break` and `continue` leave an iteration
        self.items = set[str]()  # variables that are computed from elements of arrays: numbers, as a rule
        self.returned: dict[cst.Return, tuple[Set | None, ...]] = {}

    def function(self, definition: cst.FunctionDef) -> None:
        self.block(definition.body.body, {name: self._given(node) for name, node in parameters(definition).items()})
        order = [node for node, _above in walk(definition.body)]
        for branch in self.ctx.branches.returning:
            after = (node for node in order[order.index(branch) :] if isinstance(node, cst.Return))
            results = [self.returned[node] for node in after if node in self.returned]
            for one, other in combinations(results, 2):
                floats = {path for _first, name, path in self._floats(branch) if not name}
                for at, (mine, theirs) in enumerate(zip(one, other, strict=False) if len(one) == len(other) else ()):
                    if mine is not None and theirs is not None and not ({(), (at,)} & floats) and _vary(mine | theirs):
                        self.found[branch, ""] = None

    def _given(self, parameter: cst.Name) -> Set | None:
        """The dtypes of a parameter. A number that is passed to a loop that was moved is a literal, as a rule."""
        found = self.evaluation.of(parameter, {})
        if found is None or not self.ctx.unit.moved:
            return found
        return frozenset(one._replace(exact=dtypes.is_weak(one.dtype)) for one in found)

    def block(self, body: Sequence[cst.CSTNode], state: Environment | None) -> Environment | None:
        """The state after some statements, None where their end is not reached."""
        for statement in body:
            if state is None:
                break
            state = self.statement(statement, state)
        return state

    def statement(self, node: cst.CSTNode, state: Environment) -> Environment | None:
        match node:
            case cst.SimpleStatementLine(body=body) | cst.SimpleStatementSuite(body=body) | cst.IndentedBlock(body=body):
                return self.block(body, state)
            case cst.Assign(targets=targets, value=value):
                for target in targets:
                    state = self.bind(target.target, value, state)
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                state = self.bind(target, value, state)
            case cst.AugAssign(target=cst.Name(value=name) as target, operator=operator, value=value):
                plain, old = builders.BINARY.get(type(operator)), self.evaluation.of(target, state)
                made = self.evaluation.combined(plain, old, self.evaluation.of(value, state)) if plain else None
                number = self.ctx.value(target).rank < 0 and (name in self.items or _refused(old, made))
                if number or not changes_in_place(node, self.ctx):
                    return state | {name: made}
            case cst.If():
                return self.branch(node, state)
            case cst.For() | cst.While():
                return self.loop(node, state)
            case cst.Return(value=value):
                parts = [e.value for e in value.elements] if isinstance(value, cst.Tuple) else [value] if value else []
                results = tuple(self._once(part, self.evaluation.of(part, state)) for part in parts)
                before = self.returned.get(node, results)
                self.returned[node] = tuple(either(one, other) for one, other in zip(before, results, strict=True))
                return None
            case cst.Raise():
                return None
            case cst.Break() | cst.Continue():
                self.left.append(state)
                return None
            case cst.Else(body=body):
                return self.statement(body, state)
            case cst.Expr() | cst.Pass() | cst.Assert():
                return state
            case _:
                names = {n.value for n, _above in walk(node) if isinstance(n, cst.Name)}
                return state | dict.fromkeys(names & state.keys()) if not isinstance(node, (cst.Try, cst.With)) else None
        return state

    def bind(self, target: cst.BaseExpression, value: cst.BaseExpression, state: Environment) -> Environment:
        match target, value:
            case cst.Tuple(elements=targets), cst.Tuple(elements=values) if len(targets) == len(values):
                made = [self.evaluation.of(each.value, state) for each in values]
                for one, found in zip(targets, made, strict=True):
                    for name in bound_names(one.value):
                        state = state | {name: found if isinstance(one.value, cst.Name) else None}
                return state
            case cst.Name(value=name), _:
                if any(isinstance(part, cst.Index) for part, _above in walk(value)):
                    self.items.add(name)
                return state | {name: self._once(value, self.evaluation.of(value, state))}
        return state | dict.fromkeys(bound_names(target))

    def _once(self, value: cst.BaseExpression, made: Set | None) -> Set | None:
        """The dtypes of an expression, None where it has several: a number of Python or a NumPy scalar, beside a narrow array."""
        typed = frozenset(one for one in made or () if not dtypes.is_weak(one.dtype))
        if self.taken and len(typed) == 1 and typed == made and not isinstance(value, cst.Name) and self._is_cast(value, *typed):
            self.found[value, ""] = None
            return made
        if made is None or isinstance(value, (cst.Name, cst.IfExp)) or not _vary(typed, numbers=False):
            return made
        self.found[value, ""] = None
        return None

    def _is_cast(self, value: cst.BaseExpression, one: Possible) -> bool:
        """Whether rules.dtypes casts to another dtype, which NumPy gives where Python decides a branch otherwise."""
        known = self.ctx.value(value)
        return known.kind is Kind.ARRAY and known.dtype in dtypes.BITS and known.dtype != one.dtype

    def branch(self, node: cst.If, state: Environment) -> Environment | None:
        self.evaluation.of(node.test, state)
        if node in self.taken:
            if self.taken[node]:
                return self.block(node.body.body, state)
            return self.statement(node.orelse, state) if node.orelse is not None else state
        yes = self.block(node.body.body, state)
        other = self.statement(node.orelse, state) if node.orelse is not None else state
        if yes is None or other is None:
            return other if yes is None else yes
        found = self.ctx.branches.branch(node)
        compiled = found is not None
        live = self.ctx.flow.live_after(node)
        casts = {name for _first, name, _path in self._floats(node)}
        return self._joined(node, yes, other, live - casts if compiled else None)

    def loop(self, node: cst.For | cst.While, state: Environment) -> Environment:
        outer, self.left = self.left, []
        plan = self.ctx.loops.loop_plan(node)
        compiled = not isinstance(plan, (PythonLoop, Unrolled))
        checked = self.ctx.flow.live_after(node) | (frozenset(plan.loop.carry) if isinstance(plan, Carried) else frozenset())
        whole = {name for name, made in state.items() if made and all(one.dtype in ("int", "float") for one in made)}
        for _round in range(ROUNDS):
            start = state if isinstance(node, cst.While) else self._with_target(node, state)
            after = self.block(node.body.body, start)
            every = [one for one in (after, *self.left) if one is not None]
            self.left = []
            new = state
            for one in every:
                new = self._joined(node, new, {**dict.fromkeys(new), **one}, checked if compiled else None, whole)
            if new == state:
                break
            state = new
        else:
            state = dict.fromkeys(state)
        self.left = outer
        return state

    def _with_target(self, node: cst.For, state: Environment) -> Environment:
        space = self.ctx.loops.iteration_space(node)
        if space.is_range and isinstance(node.target, cst.Name):
            return state | {node.target.value: INT}
        if not space.function and isinstance(node.target, cst.Name):
            return state | {node.target.value: self.evaluation.of(node.iter, state)}
        state = state | dict.fromkeys(bound_names(node.target))
        for leaf in space.leaves:
            if isinstance(leaf.target, cst.Name) and leaf.function in ("", "range"):
                made = INT if leaf.function else self.evaluation.of(leaf.iterable, state)
                state[leaf.target.value] = made
        if isinstance(space.counter, cst.Name):
            state[space.counter.value] = INT
        return state

    def _joined(
        self,
        node: cst.If | cst.For | cst.While,
        one: Environment,
        other: Environment,
        checked: frozenset[str] | None,
        whole: set[str] | None = None,
    ) -> Environment:
        """The state after one of two paths. `checked`: the variables that JAX gives one dtype; None where Python takes the path. `whole`:
        those that are numbers of Python before a loop, about which there is a condition of the kind `number`."""
        made = Environment()
        for name in {**one, **other}:
            if name not in one or name not in other:
                made[name] = None  # bound on one path, or a parameter
                continue
            mine, theirs = one[name], other[name]
            made[name] = either(mine, theirs) if checked is not None or mine == theirs else None
            if mine != theirs and checked is not None and name in checked and (both := made[name]) is not None:
                literal = whole is not None and _yields(mine, theirs)
                typed = whole is None or name not in whole or any(one.dtype == "bool" for one in theirs or ())
                if literal or _vary(both, numbers=typed):
                    self.found[node, name] = None
                    made[name] = None
        return made

    def _floats(self, node: cst.If | cst.IfExp) -> Iterator[tuple[bool, str, tuple[int, ...]]]:
        """The integers of Python that are floats in the other arm, about which there is a condition."""
        found = self.ctx.branches.branch(node)
        yield from found.floats if found is not None else ()

    def _chosen(self, node: cst.IfExp, body: Set, orelse: Set) -> bool:
        if not [*self._floats(node)] and _vary(body | orelse):
            self.found[node, ""] = None
            return True
        return False


def _yields(start: Set | None, after: Set | None) -> bool:
    """Whether a loop-carried value starts with a narrow dtype and is a number of Python after an iteration, which JAX refuses."""
    narrow = any(dtypes.is_narrow(one.dtype) for one in start or ())
    return narrow and any(dtypes.is_weak(one.dtype) for one in after or ())


def _refused(old: Set | None, made: Set | None) -> bool:
    """Whether an array of one dtype cannot hold a result of another one, so that NumPy raises: it was a number."""
    if old is None or made is None:
        return False
    return all(dtypes.category(one.dtype) > dtypes.category(other.dtype) for one in made for other in old)


def _vary(possible: Set, numbers: bool = True) -> bool:
    """Whether JAX has no dtype for all of these. `numbers`: nor a type of Python."""
    if differ(*(Alternative((one.dtype,), exact=one.exact) for one in sorted(possible))):
        return True
    kinds = {dtypes.category(one.dtype) for one in possible}
    return len(kinds) > 1 and numbers and any(dtypes.is_weak(one.dtype) for one in possible)
