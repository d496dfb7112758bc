"""Variables that may hold text as well as numbers, as nothing but comparisons for equality tells what they are.

`labels == name` compares numbers or strings, and `for name in np.unique(labels)` takes both. JAX accepts numbers only. Arithmetic,
an index, an order or another function of NumPy shows that a variable holds numbers, and so do the variables that are compared with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ..state.interpreter_state import Run

TAKING_TEXT = {f"numpy.{name}" for name in "array asarray unique shape size ndim".split()}
TAKING_SEQUENCES = frozenset("len enumerate zip reversed sorted set".split())
ASKING = ("shape", "ndim", "size", "dtype")


def perhaps_text(run: Run, nodes: Sequence[cst.CSTNode], on_host: bool = False) -> frozenset[str]:
    """The variables of a function that are compared for equality, and may hold text. `nodes`: all of the function; `on_host`: it
    stays NumPy, so its arrays may be text, too."""
    found: set[str] = set()
    others: dict[str, set[str]] = defaultdict(set)  # variable -> what it is compared with; "" is a number
    for node in nodes:
        match node:
            case cst.Name(value=name) if node in run.values and _shows_number(run, node):
                others[name].add("")
            case cst.Comparison(
                left=left, comparisons=[cst.ComparisonTarget(operator=cst.Equal() | cst.NotEqual(), comparator=right)]
            ):
                one, other = _variable(run, left, on_host), _variable(run, right, on_host)
                found |= {one, other}
                others[one].add(other)
                others[other].add(one)
            case cst.For(target=target, iter=items) | cst.CompFor(target=target, iter=items):
                for item, source in _items(run, target, items):
                    others[item].add(source)
                    others[source].add(item)
    compared = {name for name in others if name}
    while numbers := {name for name in compared if not others[name] <= compared}:
        compared -= numbers
    found &= compared
    while linked := {name for name in compared - found if not others[name].isdisjoint(found)}:
        found |= linked
    return frozenset(found)


def labels_among(names: Collection[str], nodes: Sequence[cst.CSTNode]) -> frozenset[str]:
    """Which variables are numbers or strings, and no sequences of such: `label` in `labels[i] == label`."""
    found: set[str] = set()
    sequences: set[str] = set()
    for node in nodes:
        match node:
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(comparator=right)]):
                pairs = ((left, right), (right, left))
                found |= {one.value for one, other in pairs if isinstance(one, cst.Name) and isinstance(other, cst.Subscript)}
            case cst.Subscript(value=cst.Name(value=name)) | cst.For(iter=cst.Name(value=name)):
                sequences.add(name)
            case cst.Call(func=cst.Name(value=function), args=arguments) if function in TAKING_SEQUENCES:
                sequences |= {argument.value.value for argument in arguments if isinstance(argument.value, cst.Name)}
    return frozenset(names) & found - sequences


def _variable(run: Run, node: cst.BaseExpression, on_host: bool) -> str:
    """The variable that an operand is, or is an item of; "" for an operand that is no text."""
    value = run.values.get(node, UNKNOWN)
    if value.kind not in (Kind.ARRAY, Kind.UNKNOWN) or value.dtype or (value.device and not on_host):
        return ""
    if value.number and not (on_host and (value.item or isinstance(node, cst.Subscript))):  # an item may be text
        return ""
    while isinstance(node, cst.Subscript):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def _items(run: Run, target: cst.BaseExpression, items: cst.BaseExpression) -> Iterator[tuple[str, str]]:
    """The variables that take the items of other variables."""
    match target, items:
        case cst.Name(value=item), cst.Name(value=source):
            yield item, source
        case cst.Tuple(elements=[_, element]), cst.Call(args=[cst.Arg(value=of)]) if (
            run.scopes.qualname(items.func) == "builtins.enumerate"
        ):
            yield from _items(run, element.value, of)
        case cst.Tuple(elements=elements), cst.Call(args=arguments) if run.scopes.qualname(items.func) == "builtins.zip":
            for element, argument in zip(elements, arguments, strict=False):
                yield from _items(run, element.value, argument.value)


def _shows_number(run: Run, node: cst.Name) -> bool:
    """Whether a variable, or an item of it, is used as only a number is."""
    at: cst.CSTNode = node
    parent = run.source.parents[at]
    while isinstance(parent, cst.Subscript) and parent.value is at:
        at, parent = parent, run.source.parents[parent]
    match parent:
        case cst.Index():  # a key of a dict may be text
            subscript = next(above for above in run.source.above(parent) if isinstance(above, cst.Subscript))
            return run.values.get(subscript.value, UNKNOWN).kind is not Kind.DICT
        case cst.BinaryOperation() | cst.UnaryOperation() | cst.AugAssign() | cst.Slice():
            return True
        case cst.Attribute(attr=cst.Name(value=name)):
            return name not in ASKING
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=operator), *_]) | cst.ComparisonTarget(operator=operator):
            return isinstance(operator, (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual))
        case cst.Arg():
            call = run.source.parents[parent]
            name = (run.scopes.qualname(call.func) or "") if isinstance(call, cst.Call) else ""
            return name.startswith("numpy.") and name not in TAKING_TEXT
    return False
