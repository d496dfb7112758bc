"""Reaching definitions: those of a variable that may be the last before a statement. A forward data-flow analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import libcst as cst

from ...rules.syntax.tree import remembered
from .liveness import TRANSFERS, cannot_end, irrefutable, suppresses
from .names import Names, collect
from .source import deep, walk

Parents = Mapping[cst.CSTNode, cst.CSTNode | None]


class ReachingDefinitions:
    """The definitions that reach the statements of one function or module; computed on first use.

    A definition is the statement that binds a variable: a small statement, a `def`, a loop for its target, `with`, an exception
    handler, a case of `match`, a branch or a loop for `:=` in its test. The owner represents the value on entry: the argument, or
    no value. The statements are the keys of `Liveness`, not those of nested functions.
    """

    def __init__(self, owner: cst.FunctionDef | cst.Module | cst.Lambda) -> None:
        self.owner = owner

    @cached_property
    def _flow(self) -> _Flow:
        return deep(_Flow, self.owner)

    def reaching(self, statement: cst.CSTNode, name: str) -> frozenset[cst.CSTNode] | None:
        """The definitions that may be the last when a statement is reached (a loop: when it is entered); empty if unreachable.

        None if the name may be bound elsewhere, as a global or nonlocal variable of a nested function, or for an unknown
        statement.
        """
        flow = self._flow
        return self._named(flow.before[statement], name) if statement in flow.before else None

    def of_use(self, use: cst.CSTNode, name: str, parents: Parents) -> frozenset[cst.CSTNode] | None:
        """The same for the evaluation of an expression; also None if its statement may bind the variable before that."""
        flow, node = self._flow, use
        if name in flow.perhaps:
            return None
        while node not in flow.before:
            above = parents.get(node)
            if isinstance(above, cst.While) and node is above.test:
                return self._named(flow.heads.get(above, 0), name)
            if above is None or node is self.owner or isinstance(above, BINDING_FIRST):
                return None
            node = above
        return self.reaching(node, name)

    def only(self, statement: cst.CSTNode, name: str) -> cst.CSTNode | None:
        """The only definition that reaches a statement; None if there are several, or none is known."""
        found = self.reaching(statement, name)
        return next(iter(found)) if found is not None and len(found) == 1 else None

    def is_bound(self, statement: cst.CSTNode, name: str) -> bool:
        """Whether statements of this function or module have certainly bound a variable, whatever its value on entry."""
        return self._bind(self.reaching(statement, name))

    def is_bound_after(self, statement: cst.CSTNode, name: str) -> bool:
        """The same where a statement ends, but False where it never does."""
        flow = self._flow
        return statement in flow.after and self._bind(self._named(flow.after[statement], name))

    def _bind(self, found: frozenset[cst.CSTNode] | None) -> bool:
        return bool(found) and not any(node is self.owner or isinstance(node, UNBINDING) for node in found or ())

    def _named(self, state: int, name: str) -> frozenset[cst.CSTNode] | None:
        flow = self._flow
        if name in flow.elsewhere or flow.dynamic:
            return None
        if name not in flow.masks:
            return frozenset((self.owner,)) if state else frozenset()
        return frozenset(node for node, bit in flow.definitions[name].items() if state & bit)


UNBINDING = (cst.Del, cst.ExceptHandler, cst.ExceptStarHandler)
BINDING_FIRST = (cst.With, cst.MatchCase, cst.ExceptHandler, cst.ExceptStarHandler, cst.FunctionDef, cst.Lambda, cst.ClassDef)


@remembered
def definitions_of(owner: cst.FunctionDef | cst.Module | cst.Lambda) -> ReachingDefinitions:
    return ReachingDefinitions(owner)


def definitions_enclosing(node: cst.CSTNode, parents: Parents) -> ReachingDefinitions:
    """The reaching definitions of the innermost function that encloses a node, or of the module."""
    at = node
    while (above := parents.get(at)) is not None:
        at = above
        if isinstance(at, (cst.FunctionDef, cst.Lambda)):
            break
    assert isinstance(at, (cst.FunctionDef, cst.Lambda, cst.Module))
    return definitions_of(at)


class _Loop:
    """The states at the `break` and `continue` statements of a loop."""

    __slots__ = ("breaks", "continues")

    def __init__(self) -> None:
        self.breaks = self.continues = 0


class _Flow:
    """Forward passes, repeated until the loop heads are stable. States are bit masks, a bit for each definition of each name;
    0 means unreachable."""

    def __init__(self, owner: cst.FunctionDef | cst.Module | cst.Lambda) -> None:
        self.owner = owner
        self.before: dict[cst.CSTNode, int] = {}
        self.after: dict[cst.CSTNode, int] = {}
        self.heads: dict[cst.CSTNode, int] = {}
        self.effects: dict[cst.CSTNode, Names] = {}
        roots = owner.body if isinstance(owner, cst.Module) else (owner.body,)
        found = collect(roots)
        self.dynamic, self.perhaps = found.dynamic, found.perhaps
        self.elsewhere = {i.name.value for n, _p in walk(owner) if isinstance(n, cst.Global | cst.Nonlocal) for i in n.names}
        self.definitions: dict[str, dict[cst.CSTNode, int]] = {}
        self.masks: dict[str, int] = {}
        self.bits = 0
        for name in sorted(found.bound):
            self.masks[name] = 0
            self.definitions[name] = {}
            self.bit(owner, name)
        entry = (1 << self.bits) - 1 or 1  # not 0 in a function without variables
        self.loops = [_Loop()]
        self.raised: list[int] = []  # for each enclosing `try` and `with`: the states in which an exception may be raised
        if isinstance(owner, cst.Lambda):
            return
        self.changed = True
        while self.changed:
            self.changed = False
            self.block(owner.body if isinstance(owner, cst.Module) else owner.body.body, entry)

    def bit(self, node: cst.CSTNode, name: str) -> int:
        known = self.definitions[name]
        if node not in known:
            known[node] = 1 << self.bits
            self.masks[name] |= known[node]
            self.bits += 1
        return known[node]

    def bind(self, state: int, node: cst.CSTNode, *parts: cst.CSTNode) -> int:
        """The state after `parts` have run, whose bindings count as definitions by `node`."""
        for part in parts:
            found = self.effects.get(part)
            if found is None:
                found = self.effects[part] = collect((part,))
            for name in found.bound if state else ():
                bit = self.bit(node, name)
                state = state | bit if name in found.perhaps else state & ~self.masks[name] | bit
        return state

    def record(self, state: int) -> None:
        for level in range(len(self.raised)):
            self.raised[level] |= state

    def block(self, statements: Sequence[cst.CSTNode], state: int) -> int:
        for statement in statements:
            self.before[statement] = self.before.get(statement, 0) | state
            self.record(state)
            state = getattr(self, TRANSFERS.get(type(statement), "simple"))(statement, state)
            self.record(state)
            self.after[statement] = self.after.get(statement, 0) | state
        return state

    def simple(self, statement: cst.CSTNode, state: int) -> int:
        return self.bind(state, statement, statement)

    def line(self, line: cst.SimpleStatementLine, state: int) -> int:
        return self.block(line.body, state)

    def jump(self, statement: cst.CSTNode, state: int) -> int:
        if isinstance(statement, cst.Break):
            self.loops[-1].breaks |= state
        elif isinstance(statement, cst.Continue):
            self.loops[-1].continues |= state
        else:
            self.record(self.bind(state, statement, statement))
        return 0

    def branch(self, node: cst.If, state: int) -> int:
        done: list[tuple[cst.If, int]] = []
        at: cst.If | cst.Else | None = node
        while isinstance(at, cst.If):
            self.before[at] = self.before.get(at, 0) | state
            state = self.bind(state, at, at.test)
            self.record(state)
            done.append((at, self.block(at.body.body, state)))
            at = at.orelse
        state = state if at is None else self.block(at.body.body, state)
        for each, arm in reversed(done):
            state = self.after[each] = state | arm
        return state

    def loop(self, node: cst.For | cst.While, state: int) -> int:
        if isinstance(node, cst.For):
            state = self.bind(state, node, node.iter)
            self.record(state)
        head = self.heads.get(node, 0) | state
        endless = isinstance(node, cst.While) and cannot_end(node.test)
        if isinstance(node, cst.While):
            done = entered = self.bind(head, node, node.test)
        else:
            done, entered = head, self.bind(head, node, cst.AssignTarget(node.target))
        self.record(done | entered)
        self.loops.append(_Loop())
        again = self.block(node.body.body, entered)
        jumps = self.loops.pop()
        again |= jumps.continues | head
        if again != self.heads.get(node):
            self.heads[node] = again
            self.changed = True
        done = 0 if endless else done
        return jumps.breaks | (done if node.orelse is None else self.block(node.orelse.body.body, done))

    def context(self, node: cst.With, state: int) -> int:
        self.raised.append(0)
        for item in node.items:
            state = self.bind(state, node, item)
            self.record(state)
        state = self.block(node.body.body, state)
        raised = self.raised.pop()
        return state | raised if any(map(suppresses, node.items)) else state

    def attempt(self, node: cst.Try | cst.TryStar, state: int) -> int:
        if node.finalbody is None:
            return self.caught(node, state)
        enclosing = self.loops[-1]
        self.loops[-1] = jumps = _Loop()
        self.raised.append(state)
        state = self.caught(node, state)
        self.loops[-1] = enclosing
        final = self.block(node.finalbody.body.body, state | self.raised.pop())
        self.record(final)
        enclosing.breaks |= final if jumps.breaks else 0
        enclosing.continues |= final if jumps.continues else 0
        return final if state else 0

    def caught(self, node: cst.Try | cst.TryStar, state: int) -> int:
        """A `try` without its `finally`."""
        self.raised.append(state)
        state = self.block(node.body.body, state)
        raised = self.raised.pop()
        done = state if node.orelse is None else self.block(node.orelse.body.body, state)
        for handler in node.handlers:
            bound = () if handler.name is None else (handler.name,)
            caught = self.block(handler.body.body, self.bind(raised, handler, *bound))
            caught = self.bind(caught, handler, *bound)  # Python deletes the variable at the end
            done |= caught
            if isinstance(node, cst.TryStar):  # several handlers may run, one after the other
                raised |= caught
        return done

    def match(self, node: cst.Match, state: int) -> int:
        state = self.bind(state, node, node.subject)
        self.record(state)
        done = 0
        for case in node.cases:
            fits = self.bind(state, case, case.pattern)
            guarded = fits if case.guard is None else self.bind(fits, case, case.guard)
            self.record(guarded)
            done |= self.block(case.body.body, guarded)
            state = 0 if irrefutable(case) else state | guarded  # a pattern may bind before it fails
        return done | state
