"""The abstract value of each kind of expression, but calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ...rules.facts.numbers import OWN, to_itself
from ...rules.facts.trace_events import Bound, Formatting, Index, Iteration, Operation, Timing
from ...rules.facts.traced_values import (
    ANYTHING,
    ARRAY,
    ASKED,
    DICT,
    FUNCTION,
    HOST,
    INTEGER,
    ITERATOR,
    LIST,
    MAYBE,
    NOTHING,
    NUMBER,
    PLAIN,
    SET,
    STATIC,
    TEXT,
    TEXTS,
    TREE,
    TUPLE,
    UNKNOWN,
    Traced,
    joined,
)
from .attributes import Attributes
from .dtypes import operated
from .identities import anonymous
from .operators import ARRAYS, AT, BOOLEAN, combined, compared, element, indexed, negated
from .program import ClassInfo, Closure, Frame, FunctionInfo, Scope, Turn, parameters
from .queries import asks_version, calls, names_in

SHAPES = frozenset({"shape", "ndim", "dtype"})


class Expressions(Attributes):
    def evaluate(self, node: ast.expr, frame: Frame) -> Traced:
        handler = HANDLERS.get(type(node))
        return handler(self, node, frame) if handler else ANYTHING

    def constant(self, node: ast.Constant, frame: Frame) -> Traced:
        value = node.value
        if value is None:
            return NOTHING
        if isinstance(value, str | bytes):
            return Traced(TEXT, STATIC, constant=value)
        if isinstance(value, int | float | complex):
            return Traced(NUMBER, STATIC, constant=value)
        return PLAIN

    def name(self, node: ast.Name, frame: Frame) -> Traced:
        return self.lookup(node, frame)

    def binary(self, node: ast.BinOp, frame: Frame) -> Traced:
        left, right = self.evaluate(node.left, frame), self.evaluate(node.right, frame)
        return self.operated(node, node.op, left, right, frame)

    def operated(self, node: ast.AST, operator: ast.operator, left: Traced, right: Traced, frame: Frame) -> Traced:
        if left.kind == TEXT and isinstance(operator, ast.Mod):
            given = right.items if right.kind == TUPLE and right.items is not None else (right,)
            for value in given:
                if value.traced:
                    spec = isinstance(left.constant, str) and any(mark in left.constant for mark in ("%d", "%f", "%g", "%e", "f"))
                    self.emit(Formatting, frame, node, value, "%", spec)
            return TEXTS._replace(what=next((value for value in given if value.kind in ARRAYS), None))
        if left.name == right.name == "clock" and isinstance(operator, ast.Sub) and left.what and left.what[1]:
            self.emit(Timing, frame, *left.what)
        self.emit(Operation, frame, node, type(operator).__name__, left, right)
        strength = self.operator_strength(frame, (left, right))
        result = operated(operator, left, right, combined(operator, left, right, strength))
        return result._replace(what=OWN) if result.kind == ARRAY and to_itself(node) else result

    def unary(self, node: ast.UnaryOp, frame: Frame) -> Traced:
        value = self.evaluate(node.operand, frame)
        if isinstance(node.op, ast.Not):
            self.test(node.operand, value, "not", frame)
            return PLAIN._replace(name=ASKED) if value.name == ASKED else PLAIN
        if value.kind == NUMBER and isinstance(value.constant, int | float) and isinstance(node.op, ast.USub):
            return value._replace(constant=-value.constant)
        if value.kind == ARRAY:
            return Traced(ARRAY, max(value.tracer, self.strength(frame, (value,))), name=negated(node.op, value.name))
        if value.kind == TREE:
            return Traced(ARRAY, value.tracer) if value.tracer >= 2 else value._replace(identity=None)
        return value._replace(constant=None, identity=None)

    def logical(self, node: ast.BoolOp, frame: Frame) -> Traced:
        form = "and" if isinstance(node.op, ast.And) else "or"
        found = value = self.evaluate(node.values[0], frame)
        caught, plain = frame.caught, True
        for position, operand in enumerate(node.values[1:]):
            self.test(node.values[position], value, form, frame)
            plain = plain and value.tracer == STATIC and value.name != ASKED and not calls(node.values[position])
            kept = self.narrow(node.values[position], frame)
            frame.caught |= isinstance(node.values[position], ast.Call) and asks_version(node.values[position])
            value = self.evaluate(operand, frame)
            self.widen(kept, frame)
            found = joined(found, value)
        frame.caught = caught
        decides = plain and found.kind == UNKNOWN and found.what is None and value.traced
        return found._replace(what=value) if decides else found

    def comparison(self, node: ast.Compare, frame: Frame) -> Traced:
        left, found = self.evaluate(node.left, frame), PLAIN
        for position, (operator, operand) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.evaluate(operand, frame)
            self.emit(Operation, frame, node, type(operator).__name__, left, right)
            found = compared([operator], left, right, self.operator_strength(frame, (left, right)))
            if found.name == BOOLEAN:
                found = found._replace(what=node)
            if position < len(node.ops) - 1:
                self.test(node, found, "chain", frame)
            left = right
        return found

    def conditional(self, node: ast.IfExp, frame: Frame) -> Traced:
        value = self.evaluate(node.test, frame)
        self.test(node.test, value, "conditional", frame)
        known = self.truth(node.test, frame)
        if known is not None:
            return self.evaluate(node.body if known else node.orelse, frame)
        kept = self.narrow(node.test, frame)
        before = self.snapshot(frame)
        one = self.evaluate(node.body, frame)
        after = self.snapshot(frame)
        self.restore(frame, before)
        other = self.evaluate(node.orelse, frame)
        self.merge(frame, after)
        self.widen(kept, frame)
        return joined(one, other)

    def sequence(self, node: ast.List | ast.Tuple, frame: Frame) -> Traced:
        kind = LIST if isinstance(node, ast.List) else TUPLE
        items: list[Traced] | None = []
        for item in node.elts:
            value = self.evaluate(item, frame)
            if isinstance(item, ast.Starred):
                if value.kind in (LIST, TUPLE) and value.items is not None and items is not None:
                    items += value.items
                else:
                    items = None
            elif items is not None:
                items.append(value)
        known = None if items is None else tuple(items)
        return Traced(kind, STATIC if known is not None else MAYBE, items=known, level=frame.trace.level)

    def mapping(self, node: ast.Dict, frame: Frame) -> Traced:
        pairs, known, trees = dict[str, Traced](), True, list[Traced]()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.evaluate(key, frame)
            found = self.evaluate(value, frame)
            trees.append(found if key is not None or found.kind == TREE else ANYTHING)
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                pairs[key.value] = found
            elif key is None and found.kind == DICT and found.items is not None:
                pairs |= dict(zip(found.keys, found.items, strict=True))
            else:
                known = False
        if known:
            return Traced(DICT, STATIC, items=tuple(pairs.values()), keys=tuple(pairs), level=frame.trace.level)
        if None in node.keys and all(found.has_traced and found.kind in ARRAYS for found in trees):
            return Traced(TREE, min(found.tracer for found in trees), level=frame.trace.level)  # `{**state, "x": x}`
        return Traced(DICT, MAYBE, level=frame.trace.level)

    def a_set(self, node: ast.Set, frame: Frame) -> Traced:
        items = [self.evaluate(item, frame) for item in node.elts]
        inside = next((each for each in (INTEGER, TEXTS) if all(item.kind == each.kind for item in items)), None)
        return Traced(SET, STATIC, what=inside, level=frame.trace.level)

    def subscript(self, node: ast.Subscript, frame: Frame) -> Traced:
        base = self.evaluate(node.value, frame)
        index = self.index(node.slice, base, frame)
        if base.kind == AT:
            return base
        if base.kind in (ARRAY, TREE, LIST, TUPLE, HOST, "range") or (base.kind == UNKNOWN and index.abstract):
            self.emit(Index, frame, node, base, index)
        return indexed(base, index, self.strength(frame, (base, index)))

    def index(self, node: ast.expr, base: Traced, frame: Frame) -> Traced:
        """The value of an index; slices and tuples are looked through."""
        if isinstance(node, ast.Slice):
            for part in (node.lower, node.upper, node.step):
                if part is not None:
                    bound = self.evaluate(part, frame)
                    if bound.abstract and base.kind in (ARRAY, TREE, LIST, TUPLE, HOST, AT, UNKNOWN):
                        self.emit(Bound, frame, part, base, bound)
            return PLAIN
        if isinstance(node, ast.Tuple):
            found = [self.index(item, base, frame) for item in node.elts]
            mask = next((each for each in found if each.kind == ARRAY and each.name == BOOLEAN), None)
            traced = next((each for each in found if each.abstract), None)
            return mask or traced or PLAIN
        return self.evaluate(node, frame)

    def text(self, node: ast.JoinedStr, frame: Frame) -> Traced:
        shown = None
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.evaluate(part.value, frame)
                shown = shown or (value if value.kind in ARRAYS else None)
                if value.traced:
                    self.emit(Formatting, frame, part.value, value, "f-string", part.format_spec is not None)
        return TEXTS._replace(what=shown)

    def function(self, node: ast.Lambda, frame: Frame) -> Traced:
        return self.closure(node, "<lambda>", frame)

    def closure(self, node: Any, name: str, frame: Frame, owner: ClassInfo | None = None, is_static: bool = False) -> Traced:
        """A function value, with its defaults evaluated."""
        given = parameters(node)
        positional = len(node.args.posonlyargs) + len(node.args.args)
        defaults: dict[str, Traced] = {}
        for parameter, default in zip(given[:positional][::-1], node.args.defaults[::-1], strict=False):
            defaults[parameter.arg] = self.evaluate(default, frame)
        for parameter, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            if default is not None:
                defaults[parameter.arg] = self.evaluate(default, frame)
        info = FunctionInfo(node, name, frame.file, owner, is_static)
        return Traced(FUNCTION, STATIC, what=Closure(info, frame.scope, defaults), level=frame.trace.level)

    def comprehension(self, node: Any, frame: Frame) -> Traced:
        outer, looped, loops, turn = frame.scope, frame.looped, frame.loops, frame.turn
        frame.scope = Scope(dict[str, Traced](), outer, outer.level, start=outer.start)
        counts: list[int | None] = []
        for position, generator in enumerate(node.generators):
            iterable = self.evaluate(generator.iter, frame)
            body = (node.elt,) if hasattr(node, "elt") else (node.key, node.value)
            counts.append(self.length(iterable))
            if iterable.kind != SET or not isinstance(
                node, ast.SetComp | ast.DictComp
            ):  # nor do a set and a pytree have an order
                self.emit(Iteration, frame, generator.iter, iterable, counts[-1], body, targets=names_in(generator.target))
            if not position:
                frame.loops += (frame.changing(),)
            self.assign(generator.target, element(iterable, self.strength(frame, (iterable,))), frame)
            frame.looped |= names_in(generator.target)
            frame.loops = (*frame.loops[:-1], frame.changing() | names_in(generator.target))
            if isinstance(node, ast.ListComp) and not generator.ifs:
                frame.turn = Turn(
                    names_in(generator.target), frozenset([node.elt]), start=self.counter, counted=iterable.kind == "range"
                )
            for condition in generator.ifs:
                self.test(condition, self.evaluate(condition, frame), "comprehension", frame)
        parts = (node.elt,) if hasattr(node, "elt") else (node.key, node.value)
        self.collected |= {*parts}
        results = [self.evaluate(part, frame) for part in parts]
        if counts[0] is None or counts[0] > 1:
            for part in parts:
                self.evaluate(part, frame)
        frame.scope, frame.looped, frame.loops, frame.turn = outer, looped, loops, turn
        kind = {ast.ListComp: LIST, ast.SetComp: SET, ast.DictComp: DICT}.get(type(node), ITERATOR)
        return Traced(kind, MAYBE, what=anonymous(results[-1]) if kind in (LIST, ITERATOR) else None, level=frame.trace.level)

    def length(self, value: Traced) -> int | None:
        if value.kind == "range":
            return value.constant if isinstance(value.constant, int) else None
        if value.kind in (TUPLE, LIST) and value.items is not None:
            return len(value.items)
        return None

    def walrus(self, node: ast.NamedExpr, frame: Frame) -> Traced:
        value = self.evaluate(node.value, frame)
        self.assign(node.target, value, frame)
        return value

    def through(self, node: Any, frame: Frame) -> Traced:
        if node.value is None:
            return ANYTHING
        value = self.evaluate(node.value, frame)
        return value if isinstance(node, ast.Starred) else ANYTHING


def is_constant_sequence(value: Traced) -> Sequence[Traced] | None:
    """The elements of a tuple or a list of literals, or of one literal."""
    if value.kind in (TUPLE, LIST) and value.items is not None:
        return value.items
    return (value,) if value.constant is not None else None


HANDLERS: dict[type[ast.AST], Callable[[Any, Any, Frame], Traced]] = {
    ast.Constant: Expressions.constant,
    ast.Name: Expressions.name,
    ast.Attribute: Expressions.attribute,
    ast.BinOp: Expressions.binary,
    ast.UnaryOp: Expressions.unary,
    ast.BoolOp: Expressions.logical,
    ast.Compare: Expressions.comparison,
    ast.IfExp: Expressions.conditional,
    ast.List: Expressions.sequence,
    ast.Tuple: Expressions.sequence,
    ast.Dict: Expressions.mapping,
    ast.Set: Expressions.a_set,
    ast.Subscript: Expressions.subscript,
    ast.JoinedStr: Expressions.text,
    ast.Lambda: Expressions.function,
    ast.ListComp: Expressions.comprehension,
    ast.SetComp: Expressions.comprehension,
    ast.DictComp: Expressions.comprehension,
    ast.GeneratorExp: Expressions.comprehension,
    ast.NamedExpr: Expressions.walrus,
    ast.Starred: Expressions.through,
    ast.Await: Expressions.through,
    ast.Yield: Expressions.through,
    ast.YieldFrom: Expressions.through,
    ast.Call: lambda machine, node, frame: machine.call(node, frame),
}
