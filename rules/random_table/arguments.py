"""The arguments of a draw: the parameter of each, and what its source tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import libcst as cst

from ..core.dtypes import named
from ..core.findings import Kind
from ..facts.draw import Draw, Facts, Form
from ..facts.ranks import rank_of
from ..facts.values import Value

Arguments = Mapping[str, cst.BaseExpression]  # NumPy's parameter -> the argument; "*d": a tuple of them

SEQUENCES = (Kind.LIST, Kind.TUPLE)


def bind(draw: Draw, args: Sequence[cst.Arg]) -> tuple[dict[str, cst.BaseExpression], str]:
    """The arguments of a call by parameter, and why they cannot be bound ("" if they can)."""
    if draw.params[:1] == ("*d",):
        if any(a.keyword or a.star == "**" for a in args):
            return {}, "it takes no keywords"
        elements = [cst.StarredElement(a.value) if a.star else cst.Element(a.value) for a in args]
        return {"*d": cst.Tuple(elements)}, ""
    bound: dict[str, cst.BaseExpression] = {}
    positional = draw.params[: draw.params.index(draw.keyword_only)] if draw.keyword_only else draw.params
    for position, argument in enumerate(args):
        if argument.star:
            return {}, f"`{argument.star}` arguments hide which parameters they are for: write them out"
        if argument.keyword is None and position >= len(positional):
            return {}, "it gets too many arguments"
        parameter = positional[position] if argument.keyword is None else argument.keyword.value
        if parameter not in draw.params or parameter in bound:
            return {}, f"`{parameter}` is not a parameter of it, or is passed twice"
        bound[parameter] = argument.value
    return bound, ""


def is_passed(arguments: Arguments, parameter: str) -> bool:
    """Whether an argument other than a literal None is passed."""
    node = arguments.get(parameter)
    return node is not None and not (isinstance(node, cst.Name) and node.value == "None")


def literal(node: cst.BaseExpression) -> str:
    """A literal in the table's spelling: 'single' quotes, the last part of a dotted name."""
    match node:
        case cst.SimpleString():
            return repr(node.evaluated_value)
        case cst.Attribute(value=cst.Name(), attr=cst.Name(value=last)):
            return last
        case cst.Name(value=name):
            return name
        case cst.Integer() | cst.Float():
            return node.value
        case cst.UnaryOperation(operator=cst.Minus(), expression=(cst.Integer() | cst.Float()) as number):
            return f"-{number.value}"
    return ""


def number(node: cst.BaseExpression) -> int | float | None:
    """The value of a literal number, None for any other expression."""
    match node:
        case cst.Integer() | cst.Float():
            return node.evaluated_value
        case cst.UnaryOperation(operator=cst.Minus(), expression=(cst.Integer() | cst.Float()) as inner):
            return -inner.evaluated_value
    return None


@cache
def parsed(text: str) -> cst.BaseExpression:
    """The parsed expression. It is shared: insert only copies of it into a module."""
    return cst.parse_expression(text)


def is_default(draw: Draw, arguments: Arguments, parameter: str) -> bool:
    """Whether a parameter is omitted, or passed NumPy's default as a literal."""
    node = arguments.get(parameter)
    if node is None:
        return True
    default = draw.defaults.get(parameter)
    if default is None:
        return False
    if parameter == "dtype":
        return dtype_name(node) == dtype_name(parsed(default))
    found, required = number(node), number(parsed(default))
    return found == required if found is not None else literal(node) == default


def dtype_name(node: cst.BaseExpression) -> str:
    """The dtype named by a literal dtype argument: "float32" for np.float32, np.single and 'f4'."""
    text = literal(node).strip("'")
    return named(text) or text


def is_scalar(value: Value, node: cst.BaseExpression) -> bool:
    """Whether an argument is certainly a single number."""
    return value.kind is Kind.SCALAR or value.rank == 0 or number(node) is not None


def broadcast(draw: Draw, arguments: Arguments, facts: Facts) -> tuple[str, ...]:
    """The parameters that may be arrays, and so determine the shape of a result without `size`."""
    return tuple(
        p
        for p in draw.arrays
        if (node := arguments.get(p)) is not None and is_passed(arguments, p) and not is_scalar(facts(p), node)
    )


def form_of(draw: Draw, arguments: Arguments, facts: Facts) -> Form:
    """The form of an entry that applies to a call."""

    def holds(parameter: str, condition: str) -> bool:
        if condition == "":
            return not is_passed(arguments, parameter)
        if condition == "given":
            return is_passed(arguments, parameter)
        if condition == "scalar":
            return parameter in arguments and is_scalar(facts(parameter), arguments[parameter])
        if condition == "rank1":
            return rank_of(facts(parameter)) == 1
        if draw.defaults.get(parameter) == condition:
            return is_default(draw, arguments, parameter)
        node = arguments.get(parameter)
        return node is not None and literal(node) == condition

    return next(form for form in draw.forms if all(holds(p, c) for p, c in form.when.items()))
