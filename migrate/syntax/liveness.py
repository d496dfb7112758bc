"""Liveness: the variables that may still be read after a statement, by recursion over the blocks of a function or a module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import libcst as cst

from .names import collect, pattern_names, uses
from .source import children, deep

__all__ = ["Liveness", "cannot_end", "falls_through", "irrefutable", "live", "pattern_names", "suppresses", "uses"]

# Context managers that propagate every exception; any other may swallow it, so that the rest of its body is skipped.
TRANSPARENT = frozenset(
    "RLock Lock catch_warnings closing enable_x64 errstate localcontext nullcontext open printoptions "
    "redirect_stderr redirect_stdout".split()
)
SUPPRESSING = frozenset("ExitStack AsyncExitStack assertRaises assertRaisesRegex raises suppress".split())


class NameSets(Mapping[cst.CSTNode, frozenset[str]]):
    """Sets of names by statement, stored as bit masks: a module may have thousands of names and of statements."""

    __slots__ = ("_masks", "_names", "_sets")

    def __init__(self, masks: Mapping[cst.CSTNode, int], names: Sequence[str]) -> None:
        self._masks = masks
        self._names = names
        self._sets: dict[int, frozenset[str]] = {}

    def __getitem__(self, node: cst.CSTNode) -> frozenset[str]:
        mask = self._masks[node]
        found = self._sets.get(mask)
        if found is None:
            digits = bin(mask)[:1:-1]
            found = self._sets[mask] = frozenset(name for name, digit in zip(self._names, digits, strict=False) if digit == "1")
        return found

    def __contains__(self, node: object) -> bool:
        return node in self._masks

    def __iter__(self) -> Iterator[cst.CSTNode]:
        return iter(self._masks)

    def __len__(self) -> int:
        return len(self._masks)


class Liveness:
    """The names whose current value may still be read, at every statement of one function or module; computed on first use.

    The keys are statement lines, the small statements in them, and compound statements (an `elif` is an `If`), not those of
    nested functions. `before`: on entry. `after`: on completion, or after raising an exception that is caught; for `return`,
    `break` and `continue`, at the target of the jump. `head`: for loops, at the start of every iteration, before the test or
    the target. Global and nonlocal names, and names that nested functions use, count as read at any time and at the end.
    """

    def __init__(self, owner: cst.FunctionDef | cst.Module | cst.Lambda, end: frozenset[str] | None = None) -> None:
        self.owner, self.end = owner, end

    @cached_property
    def _flow(self) -> _Flow:
        return deep(_Flow, self.owner, self.end)

    @cached_property
    def before(self) -> Mapping[cst.CSTNode, frozenset[str]]:
        return NameSets(self._flow.before, self._flow.names)

    @cached_property
    def after(self) -> Mapping[cst.CSTNode, frozenset[str]]:
        return NameSets(self._flow.after, self._flow.names)

    @cached_property
    def head(self) -> Mapping[cst.CSTNode, frozenset[str]]:
        return NameSets(self._flow.heads, self._flow.names)


def live(owner: cst.FunctionDef | cst.Module | cst.Lambda, end: frozenset[str] | None = None) -> Liveness:
    """The liveness of the variables of `owner`. At the end of a module the names in `end` are live, or all of its names: importers may
    read them."""
    return Liveness(owner, end)


def falls_through(block: cst.BaseSuite | cst.Module | cst.Else | cst.Finally) -> bool:
    """Whether execution can reach the end of `block`.

    False is certain, with one exception: a context manager is assumed to propagate exceptions unless it is known not to.
    """
    inner = block.body
    if isinstance(inner, cst.BaseSuite):
        return falls_through(inner)
    return all(_completes(statement) for statement in inner)


SIMPLE = frozenset({cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Expr, cst.FunctionDef, cst.ClassDef, cst.Pass})


# The methods of a data-flow analysis that transfer its state over each kind of statement; over any other, `simple` does.
TRANSFERS: dict[type[cst.CSTNode], str] = {
    cst.SimpleStatementLine: "line",
    cst.Break: "jump",
    cst.Continue: "jump",
    cst.Return: "jump",
    cst.Raise: "jump",
    cst.If: "branch",
    cst.For: "loop",
    cst.While: "loop",
    cst.With: "context",
    cst.Try: "attempt",
    cst.TryStar: "attempt",
    cst.Match: "match",
}


class _Jumps(NamedTuple):
    """The names that are live at the targets of jumps: `break`, `continue`, `return`, and exceptions."""

    brk: int
    cont: int
    ret: int
    exc: int


class _Flow:
    """Backward passes, repeated until the sets at the loop heads no longer grow.

    This takes at most one pass more than the nesting depth of loops, not a product over the levels as nested fixed points would.
    """

    def __init__(self, owner: cst.FunctionDef | cst.Module | cst.Lambda, kept: frozenset[str] | None) -> None:
        roots = owner.body if isinstance(owner, cst.Module) else (owner.body,)
        found = collect(roots)
        self.names = sorted(found.read | found.bound | found.declared)
        self.bits = {name: 1 << i for i, name in enumerate(self.names)}
        every = (1 << len(self.names)) - 1
        self.pinned = every if found.dynamic else self.mask(found.captured | found.declared)
        self.before: dict[cst.CSTNode, int] = {}
        self.after: dict[cst.CSTNode, int] = {}
        self.heads: dict[cst.CSTNode, int] = {}
        self.effects: dict[cst.CSTNode, tuple[int, int]] = {}
        self.in_finally = False
        if isinstance(owner, cst.Lambda):
            return
        at_end = found.bound if kept is None else found.bound & kept
        end = self.pinned | self.mask(at_end) if isinstance(owner, cst.Module) else self.pinned
        statements = owner.body if isinstance(owner, cst.Module) else owner.body.body
        self.changed = True
        while self.changed:
            self.changed = False
            self.block(statements, end, _Jumps(0, 0, self.pinned, self.pinned))

    def mask(self, names: Iterator[str] | set[str] | frozenset[str]) -> int:
        bits = self.bits
        result = 0
        for name in names:
            result |= bits[name]
        return result

    def effect(self, node: cst.CSTNode) -> tuple[int, int]:
        """The names that code reads, and the complement of those that it certainly overwrites, as bit masks."""
        found = self.effects.get(node)
        if found is None:
            names = collect((node,))
            found = self.effects[node] = self.mask(names.read), ~(self.mask(names.bound - names.perhaps) & ~self.pinned)
        return found

    def reads(self, node: cst.CSTNode) -> int:
        return self.effect(node)[0]

    def target(self, node: cst.For) -> tuple[int, int]:
        found = self.effects.get(node.target)
        if found is None:
            found = self.effects[node.target] = self.effect(cst.AssignTarget(node.target))
        return found

    def block(self, statements: Sequence[cst.CSTNode], out: int, to: _Jumps) -> int:
        """The names live before the statements, given those live after them."""
        for statement in reversed(statements):
            self.after[statement] = out | to.exc
            out = self.before[statement] = getattr(self, TRANSFERS.get(type(statement), "simple"))(statement, out, to)
        return out

    def simple(self, statement: cst.CSTNode, out: int, to: _Jumps) -> int:
        """A small statement, or a definition, which only binds a name."""
        read, keep = self.effect(statement)
        return out & keep | read | to.exc

    def line(self, line: cst.SimpleStatementLine, out: int, to: _Jumps) -> int:
        before = self.block(line.body, out, to)
        self.after[line] = self.after[line.body[-1]]
        return before

    def jump(self, statement: cst.CSTNode, out: int, to: _Jumps) -> int:
        match statement:
            case cst.Break():
                there = to.brk
            case cst.Continue():
                there = to.cont
            case cst.Return():
                there = to.ret
            case _:
                there = to.exc
        self.after[statement] = there | to.exc
        return self.simple(statement, there, to)

    def branch(self, first: cst.If, out: int, to: _Jumps) -> int:
        chain = [first]
        while isinstance(chain[-1].orelse, cst.If):
            chain.append(chain[-1].orelse)
        last = chain[-1].orelse
        other = out if last is None else self.block(last.body.body, out, to)
        for node in reversed(chain):
            other |= self.block(node.body.body, out, to) | self.reads(node.test) | to.exc
            self.before[node] = other
            self.after[node] = out | to.exc
        return other

    def loop(self, node: cst.While | cst.For, out: int, to: _Jumps) -> int:
        done = out if node.orelse is None else self.block(node.orelse.body.body, out, to)
        head = self.heads.get(node, 0)
        entered = self.block(node.body.body, head, _Jumps(out, head, to.ret, to.exc))
        if isinstance(node, cst.While):
            again = entered | self.reads(node.test) | to.exc
            if not cannot_end(node.test):
                again |= done
        else:
            read, keep = self.target(node)
            again = entered & keep | read | done | to.exc
        again |= head  # a loop in `finally` is processed twice, with fewer and with more names live after it
        if again != head:
            self.heads[node] = again
            self.changed = True
        return again if isinstance(node, cst.While) else again | self.reads(node.iter)

    def context(self, node: cst.With, out: int, to: _Jumps) -> int:
        if any(map(suppresses, node.items)):
            to = to._replace(exc=to.exc | out)
        entered = self.block(node.body.body, out, to)
        for item in reversed(node.items):
            read, keep = self.effect(item)
            entered = entered & keep | read | to.exc
        return entered

    def attempt(self, node: cst.Try | cst.TryStar, out: int, to: _Jumps) -> int:
        if node.finalbody is not None:
            out, left = self.finally_(node, node.finalbody.body.body, out, to)
            to = _Jumps(left, left, left, left)
        caught = to.exc
        following = out
        handlers: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = node.handlers
        for handler in reversed(handlers):
            entered = self.block(handler.body.body, following, to)
            if handler.name is not None:
                entered &= self.effect(handler.name)[1]
            if handler.type is not None:
                entered |= self.reads(handler.type)
            caught |= entered
            if isinstance(node, cst.TryStar):  # several handlers may run, one after the other
                following |= entered
        done = out if node.orelse is None else self.block(node.orelse.body.body, out, to)
        return self.block(node.body.body, done, to._replace(exc=caught)) | caught

    def finally_(self, node: cst.Try | cst.TryStar, statements: Sequence[cst.CSTNode], out: int, to: _Jumps) -> tuple[int, int]:
        """The names live before the `finally` block if it is reached by falling through, and if by a jump."""
        jumped = to.exc
        for jump in _jumps(node):
            jumped |= getattr(to, jump)
        if self.in_finally:  # twice at every level would be exponential
            both = self.block(statements, out | jumped, to)
            return both, both
        self.in_finally = True
        read = self.block(statements, 0, to)  # what it reads itself; it passes on the rest but for what it overwrites
        both = self.block(statements, out | jumped, to)
        self.in_finally = False
        return read | both & out, read | both & jumped

    def match(self, node: cst.Match, out: int, to: _Jumps) -> int:
        other = out
        for case in reversed(node.cases):
            entered = self.block(case.body.body, out, to)
            if case.guard is not None:
                entered |= self.reads(case.guard)
            read, keep = self.effect(case.pattern)
            entered = entered & keep | read
            other = entered if irrefutable(case) else entered | other
        return other | self.reads(node.subject) | to.exc


def cannot_end(test: cst.BaseExpression) -> bool:
    """Whether a loop with this test ends only by `break`, `return` or an exception."""
    return (isinstance(test, cst.Name) and test.value == "True") or (isinstance(test, cst.Integer) and test.evaluated_value != 0)


def suppresses(item: cst.WithItem) -> bool:
    """Whether a context manager may swallow an exception."""
    return _manager(item) not in TRANSPARENT


def _manager(item: cst.WithItem) -> str:
    """The last part of the name of the called context manager; "" if it is not a call."""
    match item.item:
        case cst.Call(func=cst.Name(value=name)) | cst.Call(func=cst.Attribute(attr=cst.Name(value=name))):
            return name
    return ""


def irrefutable(case: cst.MatchCase) -> bool:
    """Whether a case matches any subject."""
    return case.guard is None and isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None


def _jumps(node: cst.CSTNode) -> frozenset[str]:
    """The jumps out of `node` by `break`, `continue` and `return`, without those inside its loops and functions."""
    found: set[str] = set()
    stack: list[tuple[cst.CSTNode, bool]] = [(node, False)]
    while stack:
        at, in_loop = stack.pop()
        match at:
            case cst.Return():
                found.add("ret")
            case cst.Break() if not in_loop:
                found.add("brk")
            case cst.Continue() if not in_loop:
                found.add("cont")
            case cst.FunctionDef() | cst.ClassDef() | cst.BaseExpression():
                pass
            case cst.For(body=body, orelse=orelse) | cst.While(body=body, orelse=orelse):
                stack.append((body, True))
                if orelse is not None:
                    stack.append((orelse, in_loop))
            case _:
                stack += [(child, in_loop) for child in children(at)]
    return frozenset(found)


def _completes(statement: cst.CSTNode) -> bool:
    if type(statement) in SIMPLE:
        return True
    match statement:
        case cst.Return() | cst.Raise() | cst.Break() | cst.Continue():
            return False
        case cst.SimpleStatementLine(body=parts):
            return all(_completes(part) for part in parts)
        case cst.If():
            return _branch_completes(statement)
        case cst.While(test=test) if cannot_end(test):
            return "brk" in _jumps(statement.body)
        case cst.While(body=body, orelse=cst.Else() as orelse) | cst.For(body=body, orelse=cst.Else() as orelse):
            return falls_through(orelse) or "brk" in _jumps(body)
        case cst.With(items=items, body=body):
            return falls_through(body) or any(_manager(item) in SUPPRESSING for item in items)
        case cst.Try() | cst.TryStar():
            return _try_completes(statement)
        case cst.Match(cases=cases):
            return not any(irrefutable(case) for case in cases) or any(falls_through(case.body) for case in cases)
    return True


def _branch_completes(statement: cst.If) -> bool:
    while True:
        if falls_through(statement.body):
            return True
        match statement.orelse:
            case cst.If() as following:
                statement = following
            case None:
                return True
            case last:
                return falls_through(last)


def _try_completes(statement: cst.Try | cst.TryStar) -> bool:
    if statement.finalbody is not None and not falls_through(statement.finalbody):
        return False
    if any(falls_through(handler.body) for handler in statement.handlers):
        return True
    return falls_through(statement.body) and (statement.orelse is None or falls_through(statement.orelse))
