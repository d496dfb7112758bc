"""Which arrays must have elements where jit compiles loops over them.

JAX traces the body of a loop that has no iterations, too, and raises IndexError there where an item of an empty array is read or stored:
`for i in range(len(x)): s = s * x[i]`. Rows that `jax.vmap` and `lax.scan` take may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.iteration_space import IterationSpace
from ...rules.facts.loop_plan import Accumulation, PythonLoop, Scan, Unrolled
from ...rules.syntax import builders
from ...rules.syntax.source_text import code
from ..analysis.symbolic.affine import affine, condition
from ..syntax.names import collect
from ..syntax.source import walk
from .unit_context import UnitContext

Loop = cst.For | cst.While
MAKERS = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "full"))
COPIES = frozenset(f"numpy.{name}" for name in ("zeros_like", "ones_like", "empty_like", "full_like", "copy"))
LOWER = (cst.BooleanOperation, cst.Comparison, cst.IfExp, cst.Lambda)


def has_iterations(space: IterationSpace) -> cst.BaseExpression | None:
    """The condition under which a loop over a range has iterations; None if the syntax does not say."""
    if not space.is_range or space.stop is None:
        return None
    if space.stride not in (1, -1):
        return cst.Comparison(builders.call(cst.Name("len"), space.iterable), [_greater(cst.Integer("0"))])
    ends = space.start or cst.Integer("0"), space.stop
    low, high = ends if space.stride == 1 else ends[::-1]
    forms = affine(low), affine(high)
    plain = isinstance(low, cst.Integer) and (low.value == "0" or isinstance(high, (cst.Name, cst.Call)))
    if plain or forms[0] is None or forms[1] is None:
        return cst.Comparison(_operand(high), [_greater(_operand(low))])
    return cst.parse_expression(lengths(condition(forms[1] - forms[0] - 1), space.iterable))


def lengths(text: str, of: cst.BaseExpression) -> str:
    """A condition with `len(x)` where an expression has that for the size of the first axis."""
    for node, _parent in walk(of):
        match node:
            case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=array)]):
                text = text.replace(f"{code(array)}.shape[0]", f"len({code(array)})")
    return text


def with_elements(context: UnitContext) -> tuple[tuple[str, ...], bool]:
    """The conditions under which no loop of a function that jit compiles reads or stores an item of an empty array, as far as its
    parameters tell; and whether they only say that its only loop has iterations, and the loop that is all of the body of that one."""
    search = _Search(context)
    loops = list(search.outermost(context.analysed.unit.node))
    for loop in loops:
        search.loop(loop, True)
    found = tuple(search.conditions)
    return found, len(loops) == 1 and found == tuple(search.perfect(loops[0]))


@dataclass(slots=True)
class _Search:
    """The conditions, in the order in which they are found. `seen`: the arrays that have elements if these hold."""

    context: UnitContext
    conditions: dict[str, None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    bound: frozenset[str] = field(init=False)
    rows: frozenset[cst.CSTNode] = field(init=False)

    def __post_init__(self) -> None:
        body = self.context.analysed.unit.node.body
        self.bound = frozenset(collect([body]).bound) if isinstance(body, cst.BaseSuite) else frozenset()
        plans = self.context.loops.plans
        nests = [*plans.together.values(), *plans.stored]
        nests += [p.rows for p in plans.plans.values() if isinstance(p, (Scan, Accumulation)) and p.rows is not None]
        read = (a.node for nest in nests if not nest.expensive for a in nest.reads if any(axis >= 0 for axis in a.axes or ()))
        stored = chain.from_iterable(store.targets for nest in nests for store in nest.stores)
        self.rows = frozenset(chain(read, stored))

    def outermost(self, node: cst.CSTNode) -> Iterator[Loop]:
        """The loops in a statement that no other loop in it contains."""
        stack = [node]
        while stack:
            at = stack.pop()
            if isinstance(at, (cst.For, cst.While)) and at is not node:
                yield at
            else:
                stack += [
                    child for child in reversed(at.children) if isinstance(child, (cst.BaseStatement, cst.BaseSuite, cst.Else))
                ]

    def loop(self, loop: Loop, certain: bool) -> None:
        """Look at one loop. `certain`: it is reached if the conditions found so far hold."""
        items = list(self.items(loop))
        if not items or isinstance(self.context.loops.loop_plan(loop), (Unrolled, PythonLoop)):
            return
        tests = self.entered(loop) if certain else None
        if tests is None:
            for item in items:
                self.has_elements(item)
            return
        self.conditions.update(dict.fromkeys(tests))
        inner = list(self.outermost(loop))
        always = [item for item in items if self.is_certain(item, loop)]
        self.seen |= {name for item in always if (name := self.array(item))}
        for each in inner:
            self.loop(each, self.is_certain(each, loop))
        for item in items:
            if not any(self.context.analysed.inside(item, each) for each in inner):
                self.has_elements(item)

    def items(self, loop: Loop) -> Iterator[cst.Subscript]:
        """The items of arrays that iterations read or store by an index."""
        for node, _parent in walk(loop.body):
            if isinstance(node, cst.Subscript) and node not in self.rows:
                if self.context.kind(node.value) in (Kind.ARRAY, Kind.UNKNOWN) and any(map(self.is_index, node.slice)):
                    yield node

    def is_index(self, part: cst.SubscriptElement) -> bool:
        match part.slice:
            case cst.Index(value=cst.Ellipsis() | cst.Name(value="None")):
                return False
            case cst.Index(value=value):
                return self.context.kind(value) in (Kind.SCALAR, Kind.UNKNOWN) or isinstance(value, cst.Integer)
        return False

    def is_certain(self, node: cst.CSTNode, loop: Loop) -> bool:
        """Whether each iteration of a loop comes to a node: no branch and no other loop is around it."""
        at = self.context.parent(node)
        while at is not None and at is not loop:
            if isinstance(at, (cst.If, cst.IfExp, cst.BooleanOperation, cst.For, cst.While, cst.Lambda)):
                return False
            at = self.context.parent(at)
        return True

    def array(self, item: cst.Subscript) -> str:
        return item.value.value if isinstance(item.value, cst.Name) else ""

    def entered(self, loop: Loop) -> Sequence[str] | None:
        """The conditions under which a loop has iterations; None if parameters do not tell."""
        tests = _not_empty(self.context.loops.iteration_space(loop)) if isinstance(loop, cst.For) else None
        if tests is None or any(not self.is_told(test) for test in tests):
            return None
        return [code(test) for test in tests]

    def perfect(self, loop: Loop) -> Iterator[str]:
        """The conditions under which a loop does anything: it has iterations, and so has the loop that is all of its body."""
        if (tests := self.entered(loop)) is not None:
            yield from tests
            match loop.body:
                case cst.IndentedBlock(body=[cst.For() as inner]):
                    yield from self.perfect(inner)

    def is_told(self, test: cst.BaseExpression) -> bool:
        """Whether only parameters that keep their values, or the lengths of those that keep their shapes, occur in an expression."""
        params = {*self.context.analysed.unit.params}
        return collect((test,)).read - {"len"} <= params - self.bound

    def has_elements(self, item: cst.Subscript) -> None:
        """Note the condition under which an array has elements, unless others imply it."""
        name = self.array(item)
        if not name or name in self.seen:
            return
        self.seen.add(name)
        if name not in self.bound:
            if name in self.context.analysed.unit.params:
                self.conditions.setdefault(f"{name}.size > 0" if len(item.slice) > 1 else f"len({name}) > 0")
            return
        for test in self.made_with(name):
            if self.is_told(test):
                self.conditions.setdefault(code(test))

    def made_with(self, name: str) -> Iterator[cst.BaseExpression]:
        """The conditions under which an array has elements that the function makes."""
        for node in self.context.analysed.module.nodes[self.context.analysed.unit.name]:
            match node:
                case cst.Assign(
                    targets=[cst.AssignTarget(target=cst.Name(value=bound))],
                    value=cst.Call(func=func, args=[cst.Arg(value=size), *_]),
                ) if bound == name:
                    called = self.context.qualname(func)
                    if called in MAKERS:
                        for each in [e.value for e in size.elements] if isinstance(size, (cst.Tuple, cst.List)) else [size]:
                            if self.context.kind(each) in (Kind.TUPLE, Kind.LIST):  # the shape itself
                                yield cst.Comparison(cst.Integer("0"), [cst.ComparisonTarget(cst.NotIn(), each)])
                            elif not isinstance(each, cst.Integer):
                                yield cst.Comparison(_operand(each), [_greater(cst.Integer("0"))])
                    elif called in COPIES:
                        yield cst.Comparison(cst.Attribute(size, cst.Name("size")), [_greater(cst.Integer("0"))])


def _not_empty(space: IterationSpace) -> list[cst.BaseExpression] | None:
    """The conditions under which a loop has iterations; None if the syntax does not say."""
    found: list[cst.BaseExpression] = []
    for leaf in space.leaves:
        inner = leaf.range or leaf
        test = has_iterations(inner)
        if test is None:
            if leaf.function or not isinstance(leaf.iterable, cst.Name):
                return None
            test = cst.Comparison(builders.call(cst.Name("len"), leaf.iterable), [_greater(cst.Integer("0"))])
        found.append(test)
    return found


def _greater(than: cst.BaseExpression) -> cst.ComparisonTarget:
    return cst.ComparisonTarget(cst.GreaterThan(), than)


def _operand(node: cst.BaseExpression) -> cst.BaseExpression:
    return builders.operand(node) if isinstance(node, LOWER) else node


__all__ = ["has_iterations", "with_elements"]
