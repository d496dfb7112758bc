"""What operators, attributes and indices give, without the state of the interpreter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ...rules.facts.numbers import COUNT, INTEGERS, NEGATIVE
from ...rules.facts.traced_values import (
    ABSTRACT,
    ANYTHING,
    ARRAY,
    DICT,
    EXTERNAL,
    HOST,
    INTEGER,
    LINEAR,
    LIST,
    MAYBE,
    NONE,
    NUMBER,
    PLAIN,
    SELECTED,
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

RANGE, ENUMERATE, ZIP, AT, ITEMS, KEYS = "range", "enumerate", "zip", "at", "items", "keys"
NUMBER_TYPES = ("int", "float", "complex")
BOOLEAN = "bool"  # the name of an array that holds truth values
ARRAYS = (ARRAY, TREE)
FOLDED: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
}
UNLIKE_LISTS = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.MatMult)  # operators that lists and tuples do not have
ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
LOGICAL = (ast.BitAnd, ast.BitOr, ast.BitXor)


def combined(operator: ast.operator, left: Traced, right: Traced, strength: int) -> Traced:
    """The result of a binary operator. `strength`: see `Machine.strength`."""
    if left.kind == right.kind == TREE and isinstance(operator, ast.Add):
        return Traced(TREE, max(left.tracer, right.tracer))  # two arrays, or two tuples
    if left.kind in ARRAYS or right.kind in ARRAYS:
        return _of_arrays(operator, left, right, strength)
    if left.kind == NUMBER and right.kind == NUMBER:
        fold = FOLDED.get(type(operator))
        if fold and isinstance(left.constant, int) and isinstance(right.constant, int):
            return Traced(NUMBER, STATIC, constant=fold(left.constant, right.constant))
        return Traced(NUMBER, STATIC, _number_type(operator, number_type(left), number_type(right)))
    if left.kind == right.kind and left.kind in (TUPLE, LIST) and isinstance(operator, ast.Add):
        if left.items is not None and right.items is not None:
            return left._replace(items=left.items + right.items, level=max(left.level, right.level), identity=None)
        return Traced(left.kind, MAYBE, level=max(left.level, right.level))
    if isinstance(operator, ast.Mult) and {left.kind, right.kind} in ({LIST, NUMBER}, {LIST, UNKNOWN}, {TUPLE, NUMBER}):
        one = left if left.kind in (LIST, TUPLE) else right
        return Traced(one.kind, MAYBE, level=one.level)
    if HOST in (left.kind, right.kind) and STATIC == left.tracer == right.tracer:
        return Traced(HOST, STATIC)
    if SET in (left.kind, right.kind) or left.kind == right.kind == KEYS:
        return Traced(SET, MAYBE, SELECTED, what=_in_both(operator, left, right), level=max(left.level, right.level))
    if TEXT in (left.kind, right.kind) and isinstance(operator, ast.Add | ast.Mod):
        return Traced(TEXT, STATIC)
    if left.tracer == right.tracer == STATIC and left.kind != LIST and right.kind != LIST:
        return PLAIN
    return ANYTHING


def _in_both(operator: ast.operator, left: Traced, right: Traced) -> Traced | None:
    """What is known of the elements of a set that an operator makes."""
    parts = [TEXTS if each.kind == KEYS else each.what for each in (left, right)]
    if isinstance(operator, ast.Sub):
        return parts[0]
    return parts[0] if parts[0] == parts[1] else INTEGER if INTEGER in parts else None


def negated(operator: ast.unaryop, name: str) -> str:
    """The name of an array of integers after an operator."""
    if isinstance(operator, ast.USub) and name in INTEGERS:
        return {COUNT: NEGATIVE, NEGATIVE: COUNT}.get(name, name)
    return name


def number_type(value: Traced) -> str:
    """The type of a number of Python, "" if it is not known."""
    if value.constant is not None:
        return type(value.constant).__name__
    return value.name if value.name in NUMBER_TYPES else ""


def _number_type(operator: ast.operator, left: str, right: str) -> str:
    types = {"int" if each == "bool" else each for each in (left, right)}
    if "complex" in types:
        return "complex"
    if "float" in types or (isinstance(operator, ast.Div) and "" not in types):
        return "float" if "" not in types else ""
    return "int" if types == {"int"} and not isinstance(operator, ast.Pow) else ""


def _of_arrays(operator: ast.operator, left: Traced, right: Traced, strength: int) -> Traced:
    other = right if left.kind in ARRAYS else left
    if other.kind in (TEXT, NONE, LIST, DICT, SET):
        return Traced(TEXT, STATIC) if left.kind == TEXT else ANYTHING
    arrays = [each for each in (left, right) if each.kind in ARRAYS]
    surely = any(each.kind == ARRAY for each in arrays) or other.kind in (NUMBER, HOST, TREE)
    if other.kind == TUPLE or not surely:
        if isinstance(operator, UNLIKE_LISTS) and other.kind != TUPLE:
            return Traced(TREE, max(each.tracer for each in arrays))
        return Traced(TREE, MAYBE)
    name = BOOLEAN if isinstance(operator, LOGICAL) and all(each.name == BOOLEAN for each in (left, right)) else ""
    certain = [each.tracer for each in arrays if each.tracer >= LINEAR]
    if any(each.kind == ARRAY for each in arrays):
        return Traced(ARRAY, max([strength, *certain]), name=name)
    return Traced(ARRAY, max(certain) if certain else MAYBE, name=name)


def compared(operators: Sequence[ast.cmpop], left: Traced, right: Traced, strength: int) -> Traced:
    """The result of one comparison."""
    if isinstance(operators[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
        return PLAIN
    if left.kind in ARRAYS or right.kind in ARRAYS:
        ordered = isinstance(operators[0], ORDERED)  # what has an order is an array, or raises
        found = _of_arrays(ast.Sub() if ordered else ast.Add(), left, right, strength)
        if ordered and found.tracer >= LINEAR:
            return Traced(ARRAY, found.tracer, BOOLEAN)
        return found._replace(name=BOOLEAN) if found.kind == ARRAY else ANYTHING
    return PLAIN if left.tracer == right.tracer == STATIC else ANYTHING


def element(value: Traced, strength: int) -> Traced:
    """What a loop over a value gets."""
    if value.items is not None and value.kind in (TUPLE, LIST):
        if not value.items:
            return ANYTHING
        found = value.items[0]
        for item in value.items[1:]:
            found = joined(found, item)
        return found
    match value.kind:
        case "array":
            return Traced(
                ARRAY, max(strength, value.tracer) if value.tracer != MAYBE else MAYBE, name=value.name, dtype=value.dtype
            )
        case "list" | "tuple" | "set" | "iterator":
            return value.what if isinstance(value.what, Traced) else ANYTHING
        case "range":
            return value.what if isinstance(value.what, Traced) else INTEGER._replace(name="int")
        case "enumerate":
            inner = value.items[0] if value.items else ANYTHING
            return Traced(TUPLE, STATIC, items=(INTEGER, element(inner, strength)))
        case "zip":
            return Traced(TUPLE, STATIC, items=tuple(element(item, strength) for item in value.items or ()))
        case "items":
            inner = element(value.items[0]._replace(kind=TUPLE), strength) if value.items and value.items[0].items else ANYTHING
            return Traced(TUPLE, STATIC, items=(PLAIN, inner))
        case "dict" | "keys" | "text" | "host":
            return PLAIN
        case "tree" if value.name == "keys":
            return Traced(ARRAY, value.tracer, "key")
    return ANYTHING


def unpacked(value: Traced, count: int, strength: int) -> list[Traced]:
    """The `count` values that an assignment to a tuple gets."""
    if value.items is not None and value.kind in (TUPLE, LIST):
        return list(value.items) if len(value.items) == count else [ANYTHING] * count
    if value.kind == ARRAY:
        one = element(value, strength)
        return [one._replace(identity=_part(value, index)) for index in range(count)]
    if value.kind == TREE:
        one = Traced(ARRAY, value.tracer, "key") if value.name == "keys" else Traced(TREE, value.tracer)
        return [one._replace(level=value.level, identity=_part(value, index)) for index in range(count)]
    if value.tracer == STATIC:
        return [PLAIN] * count
    return [ANYTHING._replace(identity=_part(value, index)) for index in range(count)]


def indexed(base: Traced, index: Traced, strength: int) -> Traced:
    """The result of `base[index]`."""
    constant = index.constant
    if base.items is not None:
        if base.kind in (TUPLE, LIST) and isinstance(constant, int) and -len(base.items) <= constant < len(base.items):
            return base.items[constant]
        if base.kind == DICT and isinstance(constant, str) and constant in base.keys:
            return base.items[base.keys.index(constant)]
    if base.kind == DICT and isinstance(base.what, Traced):
        return base.what  # of a `defaultdict`
    if base.kind in (LIST, TUPLE) and isinstance(base.what, Traced) and index.kind == NUMBER:
        return base.what  # of a comprehension, whose elements are alike
    if base.kind == ARRAY:
        return Traced(
            ARRAY,
            max(strength, base.tracer) if base.tracer != MAYBE else MAYBE,
            name=base.name,
            identity=_at(base, index),
            dtype=base.dtype,
            what=base.what if isinstance(base.what, str) else None,
        )
    if base.kind == TREE:
        return Traced(TREE, base.tracer, level=base.level, identity=_at(base, index))
    if base.kind == HOST:
        return Traced(ARRAY, ABSTRACT) if index.abstract else Traced(HOST, STATIC)
    if base.kind == UNKNOWN and base.tracer == MAYBE and index.abstract and index.kind == ARRAY:
        return Traced(TREE, ABSTRACT)  # neither a list nor a dict takes such an index
    if base.kind in (EXTERNAL, TEXT) or (base.tracer == STATIC and base.kind not in (LIST, DICT, TUPLE)):
        return PLAIN
    return ANYTHING._replace(identity=_at(base, index)) if base.kind == UNKNOWN else ANYTHING


def _part(value: Traced, index: int) -> object:
    return None if value.identity is None else (value.identity, index)


def _at(base: Traced, index: Traced) -> object:
    if base.identity is None or not isinstance(index.constant, int | str):
        return None
    return (base.identity, index.constant)
