"""Reads of an array in a compiled loop, kept before its updates.

XLA updates an array in place only if nothing reads it as it was before. It may merge a read into a later statement of the same iteration,
such as a second `.at[...].set(...)`, and then copies the whole array in each iteration. `_before_update` keeps such a value, and the
variables that are still needed: an exchange of two elements of a matrix takes nanoseconds instead of the time of a copy. Iterations that
read and store whole arrays, or the same parts each time, are left: there a copy takes no longer than the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from ...rules.syntax import builders
from ...rules.syntax.tree import children, walk
from ..syntax.names import fresh, uses
from ..syntax.source import new_statements

LOOPS = frozenset({"fori_loop", "scan", "while_loop"})
BRANCHES = frozenset({"cond", "switch"})
ABOUT = frozenset({"at", "dtype", "ndim", "shape", "size"})  # attributes of an array that do not read its elements
MODELS = frozenset({"full_like", "ones_like", "zeros_like"})  # they read no elements of their first argument
MANY = 2  # stores of a statement that is repeated


class _Store(NamedTuple):
    """A call `….at[…].set(value)`. It may be made on the result of another one. `moves`: each iteration stores to another part."""

    array: str
    moves: bool
    call: cst.Call
    value: cst.BaseExpression


class _Barrier(NamedTuple):
    """`kept`: the variables; `values`: what they are set to; `statement`: the updates, which use them."""

    kept: Sequence[str]
    values: Sequence[cst.BaseExpression]
    statement: cst.BaseStatement

    def line(self, helper: str) -> cst.SimpleStatementLine:
        return builders.assigned(self.kept, builders.call(cst.Name(helper), builders.tuple_of(self.values)))


def inserted(module: cst.Module, known: Container[cst.CSTNode], helper: Callable[[], str]) -> cst.Module:
    """The module with calls of `_before_update` where they are needed. `known`: the nodes of the original file;
    `helper`: makes its name in this file."""
    functions = [node for node in new_statements(module, known) if isinstance(node, cst.FunctionDef)]
    steps = {name for node in functions for name in _passed(node.body, LOOPS)}
    found = set[cst.FunctionDef]()
    for step in functions:
        if step.name.value in steps:
            arms = {*_passed(step.body, BRANCHES)}
            inner = (node for node, _parent in walk(step.body) if isinstance(node, cst.FunctionDef) and node.name.value in arms)
            found.update(node for node in (step, *inner) if _needs_barriers(node))
    if not found:
        return module
    made = module.visit(_Inserting(found, helper()))
    assert isinstance(made, cst.Module)
    return made


class _Inserting(cst.CSTTransformer):
    def __init__(self, found: set[cst.FunctionDef], helper: str) -> None:
        super().__init__()
        self.found, self.helper = found, helper

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        if original_node not in self.found or not isinstance(updated_node.body, cst.IndentedBlock):
            return updated_node
        body = _Iteration(updated_node, updated_node.body, self.helper).body()
        return updated_node.with_changes(body=updated_node.body.with_changes(body=body))


def _needs_barriers(function: cst.FunctionDef) -> bool:
    if not isinstance(function.body, cst.IndentedBlock):
        return False
    iteration = _Iteration(function, function.body, "_")
    return bool(iteration.arrays) and iteration.body() != list(function.body.body)


def _passed(body: cst.BaseSuite, functions: Container[str]) -> Iterator[str]:
    """The names that are passed to some functions of `jax.lax`."""
    for node, _parent in walk(body):
        match node:
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=called)), args=arguments) if called in functions:
                yield from (each.value.value for each in arguments if isinstance(each.value, cst.Name))


class _Iteration:
    """The function of an iteration, or an arm of a branch in it.

    `arrays`: those that it updates; `count`: how often; `read_from`: its variables -> those of the arrays that they are computed from, as
    long as XLA may compute them later.
    """

    def __init__(self, function: cst.FunctionDef, body: cst.IndentedBlock, helper: str) -> None:
        self.statements, self.helper = body.body, helper
        self.count, self.moving = Counter[str](), set[str]()
        self._add(body.body, 1)
        calls = [node for node, _parent in walk(body) if isinstance(node, cst.SimpleStatementLine)]
        self.arrays = self.count.keys() & self.moving | {name for node in calls for name in _changed(node, LOOPS | BRANCHES)}
        self.taken = {node.value for node, _parent in walk(function) if isinstance(node, cst.Name)} if self.arrays else set[str]()
        self.local = {*uses(body)[1], *(parameter.name.value for parameter in function.params.params)}
        self.captured = frozenset[str]().union(*(uses(each)[0] for each in body.body if isinstance(each, cst.FunctionDef)))
        self.read_from = dict[str, frozenset[str]]()

    def _add(self, statements: Sequence[cst.BaseStatement], times: int) -> None:
        for each in statements:
            for block in _blocks(each):
                self._add(block.body, MANY if isinstance(each, cst.For) else times)
            stores = list(_stores(each))
            self.moving |= {store.array for store in stores if store.moves}
            for name in [*(store.array for store in stores), *_changed(each, BRANCHES)]:
                self.count[name] += times

    def body(self) -> list[cst.BaseStatement]:
        return self._block(self.statements, self.captured)

    def _block(self, statements: Sequence[cst.BaseStatement], end: frozenset[str]) -> list[cst.BaseStatement]:
        """Statements with barriers before their updates. `end`: the variables that are read after them."""
        made: list[cst.BaseStatement] = []
        for statement, later in zip(statements, _read_after(statements, end), strict=True):
            made += self._statement(statement, later)
            self._assign(statement)
        return made

    def _statement(self, statement: cst.BaseStatement, later: frozenset[str]) -> list[cst.BaseStatement]:
        match statement:
            case cst.For(body=cst.IndentedBlock() as body):
                before = self.read_from.keys() - uses(body)[1]
                block = self._block(body.body, later | uses(body)[0])
                self.read_from = {name: origin for name, origin in self.read_from.items() if name in before}
                return [statement if block == list(body.body) else statement.with_changes(body=body.with_changes(body=block))]
            case cst.If():
                return [self._branch(statement, later)]
            case cst.SimpleStatementLine():
                barrier = self._before_stores(statement, later) or self._before_call(statement, later)
                if barrier is not None:
                    for name in barrier.kept:
                        self.read_from.pop(name, None)
                    return [barrier.line(self.helper), barrier.statement]
        return [statement]

    def _branch(self, branch: cst.If, later: frozenset[str]) -> cst.If:
        """A branch on what is known when JAX traces, with barriers in its arms."""
        before, changes = dict(self.read_from), dict[cst.CSTNode, Sequence[cst.BaseStatement]]()
        for block in _blocks(branch):
            self.read_from = dict(before)
            changes[block] = self._block(block.body, later)
        self.read_from = before
        if all(list(block.body) == changes[block] for block in _blocks(branch)):
            return branch
        made = branch.visit(_Replacing(changes))
        assert isinstance(made, cst.If)
        return made

    def _before_call(self, statement: cst.SimpleStatementLine, later: frozenset[str]) -> _Barrier | None:
        """What must be kept before a loop or a branch that updates arrays."""
        changed = _changed(statement, LOOPS | BRANCHES)
        if not changed:
            return None
        if _changed(statement, LOOPS):  # what the loop takes is computed before it
            for name in self.captured | _reads(statement):
                self.read_from.pop(name, None)
        kept = sorted(name for name, origin in self.read_from.items() if name in later and origin & changed)
        return _Barrier(kept, [cst.Name(name) for name in kept], statement) if kept else None

    def _before_stores(self, statement: cst.SimpleStatementLine, later: frozenset[str]) -> _Barrier | None:
        """What must be kept before a statement that stores to arrays; None if XLA updates them in place anyway."""
        stores = [store for store in _stores(statement) if store.array in self.arrays]
        if not stores:
            return None
        arrays = {store.array for store in stores}
        calls = {store.call for store in stores}
        beside = [each for each in _results(statement) if not any(node in calls for node, _parent in walk(each))]
        beside_read = frozenset[str]().union(*(_reads(each) for each in beside))
        still_read = self._computed_from(later | beside_read, arrays)
        old = [each for each in beside if not isinstance(each, cst.Name) and self._elements(each) & arrays]
        stored = frozenset[str]().union(*(_reads(store.value) for store in stores))
        reads = any(self._elements(store.value) & arrays for store in stores) or self._computed_from(stored, arrays)
        several = reads and any(self.count[array] > 1 for array in arrays)
        if not (still_read or old or several):
            return None
        kept, changes = list[str](), dict[cst.CSTNode, str]()
        values = list[cst.BaseExpression]()
        for store in stores:
            if isinstance(store.value, cst.Name) and store.value.value in self.local:
                if store.value.value not in kept and store.value.value not in self.arrays:
                    kept.append(store.value.value)
                    values.append(store.value)
            elif not _constant(store.value):
                kept.append(fresh(f"{store.array}_item", self.taken | {*kept}))
                values.append(store.value)
                changes[store.value] = kept[-1]
        for each in old:
            kept.append(fresh("result", self.taken | {*kept}))
            values.append(each)
            changes[each] = kept[-1]
        changed = statement.visit(_Naming(changes))
        assert isinstance(changed, cst.SimpleStatementLine)
        for name in sorted(self.read_from.keys() & (later | frozenset().union(*(_reads(each) for each in _results(changed))))):
            if name not in kept:
                kept.append(name)
                values.append(cst.Name(name))
        return _Barrier(kept, values, changed) if kept else None

    def _elements(self, node: cst.CSTNode) -> set[str]:
        """The arrays of which an expression reads a part that is another one in each iteration."""
        read = self.arrays & _reads(node)
        parts = [each for each, _parent in walk(node) if isinstance(each, cst.Subscript)] if read else []
        return {
            each.value.value
            for each in (node, *parts)
            if isinstance(each, cst.Subscript)
            and isinstance(each.value, cst.Name)
            and each.value.value in read
            and _moves(each.slice)
        }

    def _computed_from(self, names: frozenset[str], arrays: set[str]) -> list[str]:
        """Those of some variables that are computed from arrays."""
        return [name for name in names if self.read_from.get(name, frozenset()) & arrays]

    def _assign(self, statement: cst.BaseStatement) -> None:
        """Note what the variables that a statement assigns are computed from."""
        if isinstance(statement, cst.FunctionDef):
            return
        value: cst.CSTNode = statement
        match statement:
            case cst.SimpleStatementLine(body=[cst.Assign(value=assigned)]):
                value = assigned
        origin = frozenset[str]()
        if not isinstance(value, (cst.Name, cst.Lambda)):  # another name of the array itself, or a function
            origin = origin.union(self._elements(value), *(self.read_from.get(name, ()) for name in _reads(value)))
        certain = isinstance(statement, cst.SimpleStatementLine)  # others may leave a variable without a value
        for name in uses(statement)[1]:
            known = self.read_from.pop(name, None)
            if origin and name not in self.arrays and (certain or known is not None):
                self.read_from[name] = origin


class _Naming(cst.CSTTransformer):
    """Puts variables in the place of expressions."""

    def __init__(self, names: dict[cst.CSTNode, str]) -> None:
        super().__init__()
        self.names = names

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node not in self.names and super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        name = self.names.get(original_node)
        return updated_node if name is None else cst.Name(name)


class _Replacing(cst.CSTTransformer):
    """Puts other statements into blocks."""

    def __init__(self, statements: Mapping[cst.CSTNode, Sequence[cst.BaseStatement]]) -> None:
        super().__init__()
        self.statements = statements

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.IndentedBlock:
        body = self.statements.get(original_node)
        return updated_node if body is None else updated_node.with_changes(body=body)


def _blocks(statement: cst.CSTNode) -> Iterator[cst.IndentedBlock]:
    """The block of a loop, or those of all arms of a branch."""
    match statement:
        case cst.For(body=cst.IndentedBlock() as body) | cst.Else(body=cst.IndentedBlock() as body):
            yield body
        case cst.If(body=cst.IndentedBlock() as body, orelse=orelse):
            yield body
            if orelse is not None:
                yield from _blocks(orelse)


def _results(statement: cst.BaseStatement) -> Sequence[cst.BaseExpression]:
    """The expressions that a statement returns or assigns."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Return(value=value)] | [cst.Assign(value=value)]) if value is not None:
            return [each.value for each in value.elements] if isinstance(value, cst.Tuple) else [value]
    return []


def _stores(statement: cst.BaseStatement) -> Iterator[_Store]:
    """The updates of arrays in a statement, in the order of their evaluation."""
    for result in _results(statement):
        chain: list[tuple[bool, cst.Call, cst.BaseExpression]] = []
        node = result
        while True:
            match node:
                case cst.Call(
                    func=cst.Attribute(
                        value=cst.Subscript(value=cst.Attribute(value=base, attr=cst.Name(value="at")), slice=parts)
                    ),
                    args=[cst.Arg(value=value), *_],
                ):
                    chain.append((_moves(parts), node, value))
                    node = base
                    continue
                case cst.Name(value=array):
                    yield from (_Store(array, *each) for each in reversed(chain))
            break


def _changed(statement: cst.BaseStatement, functions: Container[str]) -> frozenset[str]:
    """The arrays that a statement passes to one of the functions of `jax.lax`, and takes from it."""
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.Assign(value=cst.Call(func=cst.Attribute(attr=cst.Name(value=called))) as call)]
        ) if called in functions:
            return uses(statement)[1] & _reads(call)
    return frozenset()


def _read_after(statements: Sequence[cst.BaseStatement], end: frozenset[str]) -> list[frozenset[str]]:
    """For each statement, the variables whose values the following ones read."""
    live, after = end, []
    for statement in reversed(statements):
        after.append(live)
        read, bound = uses(statement)
        simple = isinstance(statement, cst.SimpleStatementLine)
        live = (live - bound if simple else live) | read
    return after[::-1]


def _reads(node: cst.CSTNode) -> frozenset[str]:
    """The variables of which an expression reads more than the shape and the dtype."""
    found, stack = set[str](), [node]
    while stack:
        each = stack.pop()
        match each:
            case cst.Name(value=name):
                found.add(name)
            case cst.Attribute(value=cst.Name(), attr=cst.Name(value=attribute)) if attribute in ABOUT:
                pass
            case cst.Attribute(value=base):
                stack.append(base)
            case cst.Call(func=cst.Name(value="len")):
                pass
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=called)), args=[_, *more]) if called in MODELS:
                stack += [argument.value for argument in more]
            case cst.Arg(value=value):
                stack.append(value)
            case cst.Lambda() | cst.ListComp() | cst.GeneratorExp() | cst.DictComp() | cst.SetComp():
                found |= uses(each)[0]
            case _:
                stack += children(each)
    return frozenset(found)


def _moves(parts: Sequence[cst.SubscriptElement]) -> bool:
    """Whether one of some indices, slices aside, depends on a variable."""
    return any(isinstance(part.slice, cst.Index) and not _constant(part.slice.value) for part in parts)


def _constant(node: cst.BaseExpression) -> bool:
    return not any(isinstance(each, cst.Name) for each, _parent in walk(node))
