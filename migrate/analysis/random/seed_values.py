"""What is known of the seeds of one unit, and of other arguments, from their text: whether two of them are equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ....rules.facts.values import NOTHING
from ....rules.syntax.source_text import verbatim
from ...syntax.scopes import Scopes
from ..state.access_paths import path_of
from ..state.interpreter_state import Run
from .draw_sequences import Seed
from .key_plan import COMPREHENSIONS, bound_names

PURE = frozenset(f"builtins.{name}" for name in "len int max min abs tuple round".split())
CHANGING = frozenset(
    "append extend insert pop remove clear sort reverse add discard update setdefault popitem fill resize".split()
)
MOST_NUMBERS = 256  # of a range
SHAPES = frozenset("shape size ndim T".split())
LOOPS = (cst.For, cst.While)
NESTED = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


@dataclass(slots=True)
class SeedValues:
    """The seeds and the arguments in one unit, whose name is `own`."""

    run: Run
    unit: cst.FunctionDef | cst.Module
    scopes: Scopes
    own: str
    _changed_names: set[str] | None = None
    _declared_names: set[str] | None = None
    _stored_paths: set[str | None] | None = None
    _bound_names: dict[cst.CSTNode, set[str]] = field(default_factory=dict)
    _around: dict[cst.CSTNode, list[cst.CSTNode]] = field(default_factory=dict)

    def seed(self, node: cst.BaseExpression, at: cst.CSTNode) -> Seed:
        """The value of a seed."""
        number = self.literal(node)
        if number is not None:
            return Seed("", number)
        offset, base = 0, node
        match node:
            case cst.BinaryOperation(left=left, operator=cst.Add(), right=right):
                if (number := self.literal(right)) is not None:
                    offset, base = number, left
                elif (number := self.literal(left)) is not None:
                    offset, base = number, right
            case cst.BinaryOperation(left=left, operator=cst.Subtract(), right=right):
                if (number := self.literal(right)) is not None:
                    offset, base = -number, left
        distinct, moves = self._distinct(node, at), self._moves(node, at)
        numbers = self._listed(base, at)
        if isinstance(base, cst.Name) and base.value in self.run.params and self._once(base.value):
            return Seed(f"{self.own}:{base.value}", offset, base.value, distinct, moves)
        text, _fixed = self.text(base)
        return Seed("?" if text is None else text, offset, "", distinct, moves, tuple(numbers))

    def _moves(self, seed: cst.BaseExpression, at: cst.CSTNode) -> bool:
        """Whether a seed may be another one whenever it is set. A loop in a loop goes through its seeds again and again."""
        names = {n.value for n in self.run.source.below(seed) if isinstance(n, cst.Name)}
        moving = [loop for loop in self._loops(at) if not names.isdisjoint(self._bound_in(loop))]
        loops = self._loops(at)
        clause = moving[0].for_in if moving and isinstance(moving[0], COMPREHENSIONS) else moving[0] if moving else None
        if (
            len(moving) != len(loops) > 1
            and isinstance(clause, (cst.For, cst.CompFor))
            and moving == loops[: len(moving)] == [moving[0]]
        ):
            around = {name for loop in loops[1:] for name in self._bound_in(loop)}
            read = {n.value for n in self.run.source.below(clause.iter) if isinstance(n, cst.Name)}
            return not self._stable(clause.iter) or not read.isdisjoint(around)
        return bool(moving)

    def _bound_in(self, loop: cst.CSTNode) -> set[str]:
        """The variables that a loop binds, or a nested function."""
        if loop not in self._bound_names:
            self._bound_names[loop] = self._names_bound_in(loop)
        return self._bound_names[loop]

    def _names_bound_in(self, loop: cst.CSTNode) -> set[str]:
        if isinstance(loop, (cst.FunctionDef, cst.Lambda)):
            return set(self.scopes.assigned(loop))
        kinds = (cst.AssignTarget, cst.For, cst.CompFor, cst.AugAssign)
        return {name for n in self.run.source.below(loop) if isinstance(n, kinds) for name in bound_names(n.target)}

    def _listed(self, seed: cst.BaseExpression, at: cst.CSTNode) -> list[int]:
        """The numbers in the list over which a loop goes, if a seed is its variable."""
        for loop in self._loops(at):
            clause = loop.for_in if isinstance(loop, COMPREHENSIONS) else loop
            if (
                isinstance(clause, (cst.For, cst.CompFor))
                and isinstance(seed, cst.Name)
                and seed.value in bound_names(clause.target)
            ):
                display = clause.iter
                if isinstance(display, cst.Name) and len(bound := self._bindings(display.value)) == 1:
                    assignment = self.run.source.parents.get(bound[0])
                    display = assignment.value if isinstance(assignment, cst.Assign) else display
                if (counted := self.scopes.iteration_space(clause).range) is not None and isinstance(display, cst.Call):
                    ends = [self.literal(a.value) for a in display.args]
                    known = isinstance(clause.target, cst.Name) and counted.stride is not None and None not in ends
                    return [*range(*(e for e in ends if e is not None))][:MOST_NUMBERS] if known else []
                if isinstance(clause.target, cst.Name) and isinstance(display, (cst.Tuple, cst.List)):
                    numbers = [self.literal(e.value) for e in display.elements]
                    return [n for n in numbers if n is not None] if None not in numbers else []
        return []

    def _distinct(self, seed: cst.BaseExpression, at: cst.CSTNode) -> bool:
        """Whether a seed is another one in each iteration of the only loop around it: it counts the iterations."""
        around = self._loops(at)
        if len(around) != 1:
            return False
        if numbers := self._listed(seed, at):
            return len(set(numbers)) == len(numbers)
        clause = around[0].for_in if isinstance(around[0], COMPREHENSIONS) else around[0]
        if not isinstance(clause, (cst.For, cst.CompFor)) or getattr(clause, "inner_for_in", None) is not None:
            return False
        space = self.scopes.iteration_space(clause)
        counters = {space.index} if space.is_range and space.index else set()
        if space.function == "enumerate" and isinstance(space.counter, cst.Name):
            counters.add(space.counter.value)
        terms = (
            [seed.left, seed.right] if isinstance(seed, cst.BinaryOperation) and isinstance(seed.operator, cst.Add) else [seed]
        )
        counting = [t for t in terms if isinstance(t, cst.Name) and t.value in counters]
        others = [t for t in terms if t not in counting]
        return len(counting) == 1 and all(isinstance(t, cst.Integer) or self._outer(t, clause) for t in others)

    def _outer(self, node: cst.BaseExpression, clause: cst.CSTNode) -> bool:
        """Whether a variable is the same in all iterations of a loop."""
        if not isinstance(node, (cst.Name, cst.Attribute)) or path_of(node) is None or not self._stable(node):
            return False
        return not isinstance(node, cst.Name) or node.value not in bound_names(getattr(clause, "target", node))

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        for at in self.run.source.above(node):
            if at is self.unit:
                return
            yield at

    def again(self, node: cst.CSTNode, seed: Seed) -> bool:
        """Whether a seed is set in each iteration of a loop, though it may be the same."""
        loop = self.loop(node)
        ways = (cst.If, cst.IfExp, cst.Match, cst.Try)
        return (
            loop is not None
            and not seed.distinct
            and not any(isinstance(at, ways) and self.run.source.inside(at, loop) for at in self.above(node))
        )

    def _loops(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """The loops around a node, and code that is called, in which it may be evaluated several times."""
        if node not in self._around:
            self._around[node] = [*self._repeating(node)]
        return self._around[node]

    def _repeating(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        below = node
        for at in self.above(node):
            clause = at.for_in if isinstance(at, COMPREHENSIONS) else at
            once = isinstance(clause, (cst.For, cst.CompFor)) and self.run.source.inside(below, clause.iter)
            if isinstance(at, (*LOOPS, *COMPREHENSIONS, *NESTED)) and not once:
                yield at
            below = at if not isinstance(at, cst.CompFor) else below

    def loop(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The innermost of `_loops`."""
        return next(iter(self._loops(node)), None)

    def literal(self, node: cst.BaseExpression) -> int | None:
        """The integer that an expression certainly is."""
        match node:
            case cst.Integer():
                return node.evaluated_value
            case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as number):
                return -number.evaluated_value
            case cst.Name(value=name):
                bound = self._bindings(name)
                if len(bound) == 1:
                    match self.run.source.parents.get(bound[0]):
                        case cst.Assign(value=cst.Integer() as number):
                            return number.evaluated_value
        return None

    def _bindings(self, name: str) -> Sequence[cst.CSTNode]:
        """The nodes that bind a variable of the unit or of the module."""
        own = self.scopes.opened_by(self.unit)
        if name in own.names:
            return own.names[name]
        return () if name in self._declared() else self.scopes.module.names.get(name, ())

    def _declared(self) -> set[str]:
        """The variables of the module that functions may bind."""
        if self._declared_names is None:
            self._declared_names, work = set(), [self.scopes.module]
            while work:
                scope = work.pop()
                self._declared_names |= scope.globals
                work += scope.children
        return self._declared_names

    def _once(self, name: str) -> bool:
        return len(self._bindings(name)) == 1

    def _stable(self, node: cst.CSTNode) -> bool:
        """Whether an expression has one value while the unit runs, as far as its variables go."""
        for part in self.run.source.below(node):
            match part:
                case cst.Name(value=name):
                    parent = self.run.source.parents.get(part)
                    label = (isinstance(parent, cst.Attribute) and parent.attr is part) or (
                        isinstance(parent, cst.Arg) and parent.keyword is part
                    )
                    if not label and (len(self._bindings(name)) > 1 or self._is_inner(part) or name in self._changed()):
                        return False
                case cst.Call(func=func):
                    called = self.scopes.qualname(func) or ""
                    if called not in PURE and (not called.startswith("numpy.") or called.startswith("numpy.random.")):
                        return False
                case cst.Subscript() | cst.NamedExpr() | cst.Await():
                    if not (isinstance(part, cst.Subscript) and isinstance(part.value, cst.Attribute)):
                        return False
                case cst.Attribute():
                    if path_of(part) in self._stored():
                        return False
        return True

    def _changed(self) -> set[str]:
        """The variables of the unit whose items it changes."""
        if self._changed_names is not None:
            return self._changed_names
        found = self._changed_names = set[str]()
        for node in self.run.source.among(self.unit, cst.Call, cst.AssignTarget, cst.AugAssign):
            match node:
                case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method))) if method in CHANGING:
                    found.add(name)
                case cst.AssignTarget(target=cst.Subscript(value=cst.Name(value=name))):
                    found.add(name)
                case cst.AugAssign(target=cst.Subscript(value=cst.Name(value=name))):
                    found.add(name)
        return found

    def _is_inner(self, name: cst.Name) -> bool:
        """Whether a name is a variable of a comprehension or a nested function."""
        return any(
            name.value in self.scopes.assigned(at)
            for at in self.above(name)
            if isinstance(at, (*COMPREHENSIONS, cst.Lambda, cst.FunctionDef))
        )

    def _known(self, name: cst.Name) -> bool:
        """Whether a name is one of NumPy or Python, or no variable."""
        parent = self.run.source.parents.get(name)
        if (isinstance(parent, cst.Attribute) and parent.attr is name) or (
            isinstance(parent, cst.Arg) and parent.keyword is name
        ):
            return True
        return (self.scopes.qualname(name) or "").partition(".")[0] in ("numpy", "builtins", "math")

    def _stored(self) -> set[str | None]:
        """The attributes that the unit binds."""
        if self._stored_paths is None:
            targets = (node.target for node in self.run.source.among(self.unit, cst.AssignTarget))
            self._stored_paths = {path_of(target) for target in targets if isinstance(target, cst.Attribute)}
        return self._stored_paths

    def needs(self, *nodes: cst.CSTNode) -> frozenset[str]:
        """The parameters on which expressions depend; with "?" if they depend on more."""
        found = NOTHING.union(*(self._needs(node, 5) for node in nodes))
        return found if all(map(self._stable, nodes)) else found | {"?"}

    def _needs(self, node: cst.CSTNode, depth: int) -> frozenset[str]:
        found: frozenset[str] = NOTHING
        for part in self.run.source.below(node):
            if isinstance(part, cst.Attribute) and part.attr.value not in SHAPES and not self._of_module(part):
                return frozenset("?")
            if not isinstance(part, cst.Name) or self._known(part) or part.value in ("None", "True", "False"):
                continue
            bound = self._bindings(part.value)
            if part.value in self.scopes.opened_by(self.unit).names and self.run.unit.in_function:
                value = self.run.source.parents.get(bound[0]) if len(bound) == 1 else None
                if part.value in self.run.params and len(bound) == 1:
                    found |= {part.value}
                elif isinstance(value, cst.Assign) and depth and self._stable(value.value) and self.loop(value) is None:
                    found |= self._needs(value.value, depth - 1)
                else:
                    return frozenset("?")
            elif len(bound) != 1:
                return frozenset("?")
        return found

    def _of_module(self, node: cst.Attribute) -> bool:
        return (self.scopes.qualname(node) or "").partition(".")[0] in ("numpy", "builtins", "math")

    def text(self, node: cst.BaseExpression) -> tuple[str | None, bool]:
        """What an expression is, None if it may have several values; and whether it contains only literals."""
        number = self.literal(node)
        if number is not None:
            return str(number), True
        if isinstance(node, (cst.Integer, cst.Float, cst.SimpleString)) or (
            isinstance(node, cst.Name) and node.value in ("None", "True", "False")
        ):
            return verbatim(node), True
        if isinstance(node, (cst.Tuple, cst.List)):
            parts = [self.text(e.value) for e in node.elements]
            if any(text is None for text, _fixed in parts):
                return None, False
            return f"({','.join(t or '' for t, _fixed in parts)})", all(fixed for _text, fixed in parts)
        if not self._stable(node):
            return None, False
        if all(self._known(part) for part in self.run.source.below(node) if isinstance(part, cst.Name)):
            return verbatim(node), True
        return f"{self.own}:{verbatim(node)}", False
