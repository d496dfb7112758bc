"""Whether what a run of statements returns may be copied: arrays that nothing else shares, as the statements around get other arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN, Value
from ..analysis.effects.rebound_results import rebinds_all
from ..analysis.state.interpreter_state import Run
from ..syntax.names import bound_by
from .outlined_text import Region

LOOPS = (cst.For, cst.While)
Statements = Sequence[cst.CSTNode]


def are_separate(region: Region, statements: Statements, run: Run, compiled_as_a_whole: bool = False) -> bool:
    """Whether all that is returned are arrays that nothing else shares: it is copied where it reaches code on the host.

    `compiled_as_a_whole`: jit would make arrays of all that the function returns.
    """
    source = run.source
    tokens = run.effects.tokens
    made = {token for node, token in tokens.items() if any(source.inside(node, s) for s in statements)}
    held: list[frozenset[str]] = []
    for node in (n for s in statements for n in source.among(s, cst.AugAssign)):
        if isinstance(node.target, cst.Name) and node.target.value in region.params:
            if not is_certain(run.values.get(node.target, UNKNOWN)):
                return False
    for call in (n for s in statements for n in source.among(s, cst.Call)):
        for update in run.effects.updates.get(call, ()):
            if update.access_path in region.params and not is_certain(update.value) and not rebinds_all(run, call):
                return False
    if region.returns:
        assert isinstance(region.last, cst.SimpleStatementLine)
        result = region.last.body[-1]
        assert isinstance(result, cst.Return)
        if result.value is None or len(region.last.body) > 1:
            return False
        value = run.values.get(result.value, UNKNOWN)
        for part in value.elements or (value,):
            if not (is_own(part, made) or (compiled_as_a_whole and part.traced and part.memory <= made)):
                return False
            held.append(part.memory)
    stored = bound_attributes(statements, run)
    if stored is None or (stored and region.returns):
        return False
    for value in stored:
        if not is_own(value, made):
            return False
        held.append(value.memory)
    for name in region.results:
        if "." in region.results[name]:
            continue
        exact = last_bound(statements, name, run)
        values = [exact] if exact is not None else [run.values[n] for n in reads_after(region, statements, name, run)]
        if not values:
            return False
        if name in region.params and not is_rebound(statements, name, run):
            if not all(v.kind is Kind.ARRAY and is_certain(v) for v in values):
                return False
            continue
        memory = frozenset[str]().union(*(v.memory for v in values))
        if not all(is_own(v, {*made, *memory} if is_only_name(statements, name, run) else made) for v in values):
            return False
        held.append(memory)
    return all(one.isdisjoint(other) for one, other in combinations(held, 2))


def last_bound(statements: Statements, name: str, run: Run) -> Value | None:
    """What a variable holds after the statements, if one of these binds it on every path, in an assignment to it alone."""
    for statement in reversed(statements):
        if name in bound_by(statement):
            match statement:
                case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value)]):
                    return run.values.get(value)
            return None
    return None


def is_only_name(statements: Statements, name: str, run: Run) -> bool:
    """Whether the last of the statements to bind a variable is a call whose result has no other name, as in `x = f(x)`."""
    for statement in reversed(statements):
        if name in bound_by(statement):
            match statement:
                case cst.SimpleStatementLine(body=[cst.Assign(value=cst.Call() as call)]):
                    return rebinds_all(run, call)
            return False
    return False


def reads_after(region: Region, statements: Statements, name: str, run: Run) -> Iterator[cst.Name]:
    """The places outside of the statements at which a variable may be read after them."""
    source = run.source
    end, loops = source.spans[region.last][1], [n for n in source.above(region.first) if isinstance(n, LOOPS)]
    for node in source.among(region.owner, cst.Name):
        if node.value == name and node in run.values and not any(source.inside(node, s) for s in statements):
            if source.spans[node][0] >= end or any(source.inside(node, loop) for loop in loops):
                yield node


def is_rebound(statements: Statements, name: str, run: Run) -> bool:
    """Whether a variable gets another array, rather than changes in the one that it has."""
    source = run.source
    for node in (n for s in statements for n in source.among(s, cst.Name)):
        if node.value == name:
            above = source.parents[node]
            while isinstance(above, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
                above = source.parents[above]
            if isinstance(above, cst.AssignTarget | cst.AnnAssign | cst.For) and node is not getattr(above, "iter", None):
                return True
    return False


def changes_in_place(statements: Statements, name: str, run: Run) -> bool:
    """Whether a variable holds the same array after the statements, which only `x += y` mentions as a target."""
    targets = [n.target for s in statements for n in run.source.among(s, cst.AugAssign)]
    values = [run.values.get(t, UNKNOWN) for t in targets if isinstance(t, cst.Name) and t.value == name]
    whole = bool(values) and all(v.kind is Kind.ARRAY and is_certain(v) for v in values)
    return run.facts.program.fast and whole and not is_rebound(statements, name, run)


def bound_attributes(statements: Statements, run: Run) -> list[Value] | None:
    """The values bound to attributes; None if one is changed in place, or bound in another way than by `self.x = value`."""
    found: list[Value] = []
    source = run.source
    for statement in statements:
        for node in source.among(statement, cst.AugAssign):
            if _base(node.target) is not None:
                return None
        for target in source.among(statement, cst.AssignTarget):
            if isinstance(target.target, cst.Name):
                continue
            if isinstance(target.target, cst.Attribute):
                assign = source.parents[target]
                if not isinstance(assign, cst.Assign) or len(assign.targets) > 1:
                    return None
                found.append(run.values.get(assign.value, UNKNOWN))
            elif _base(target.target) is not None:
                return None
    return found


def attributes_are_surely_bound(region: Region, statements: Statements, run: Run) -> bool:
    """Whether the statements bind each attribute that they bind on every path: on the others it would get a copy of its array."""
    source = run.source
    for name in (name for name, target in region.results.items() if "." in target):
        targets = (source.parents[node] for node, swapped in region.swaps.items() if swapped == name)
        assignments = [source.parents[target] for target in targets if isinstance(target, cst.AssignTarget)]
        if not assignments or any(source.parents.get(a) not in statements for a in assignments if a is not None):
            return False
    return True


def is_own(value: Value, made: Collection[str]) -> bool:
    """Whether a value is an array that some statements allocate, or a NumPy scalar that they compute."""
    computed = value.device and value.traced  # by NumPy: it is no number of Python
    return ((value.kind is Kind.ARRAY and not value.number) or (computed and value.kind in (Kind.ARRAY, Kind.SCALAR))) and all(
        token.partition(".")[0] in made or token in made for token in value.memory
    )


def is_certain(value: Value) -> bool:
    """Whether it is known whether `x += 1` changes an array or rebinds a number."""
    return value.kind is Kind.SCALAR or (value.kind is Kind.ARRAY and not value.number and (value.rank > 0 or bool(value.holds)))


def _base(target: cst.BaseExpression) -> cst.Attribute | None:
    """The attribute in whose array a target stores, or which is one of the targets of a tuple."""
    match target:
        case cst.Attribute():
            return target
        case cst.Subscript(value=value):
            return _base(value)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return next(filter(None, (_base(e.value) for e in elements)), None)
    return None
