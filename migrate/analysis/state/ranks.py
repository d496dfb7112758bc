"""The ranks of arrays: what their values, uses and allocations show, and what the program asserts.

`rules.facts.ranks` tells the rank of an abstract value. By its use, the `x` of `x[i, j]` has two dimensions, and so has that of
`np.sum(x[1:] - x[:-1], axis=1)`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import integer
from ....rules.facts.values import UNKNOWN, Value
from ...syntax.names import bound_by
from ...syntax.scopes import Scopes
from .index_expressions import flat
from .interpreter_state import Run

ALLOCATED = frozenset(f"numpy.{n}" for n in ("zeros", "ones", "empty", "full"))


def rank_of(run: Run, node: cst.BaseExpression, ranks: Mapping[str, int]) -> tuple[int, bool]:
    """The rank of an array, and whether it is certain; (-1, False) where it is unknown. `ranks`: those of variables that their
    uses show, or that the converted code asserts."""
    value = run.values.get(node, UNKNOWN)
    if value.kind is Kind.SCALAR:
        return 0, True
    if value.rank >= 0:
        return value.rank, True
    if isinstance(node, cst.Name) and node.value in ranks and value.kind is Kind.ARRAY:
        return ranks[node.value], False
    return -1, False


def ranks_everywhere(values: Mapping[cst.CSTNode, Value], nodes: Iterable[cst.CSTNode]) -> dict[str, int]:
    """The ranks of the variables that hold scalars and arrays; -1 if the rank is not the same everywhere."""
    found: dict[str, set[int]] = {}
    for node in nodes:
        if type(node) is cst.Name and (value := values.get(node, UNKNOWN)).numeric:
            found.setdefault(node.value, set()).add(value.rank)
    return {variable: min(ranks) if len(ranks) == 1 else -1 for variable, ranks in found.items()}


def asserted_rank(test: cst.BaseExpression) -> tuple[str, int]:
    """The variable and the number of dimensions of `x.ndim == 2`; "" and -1 for any other test."""
    match test:
        case cst.Comparison(
            left=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="ndim")),
            comparisons=[cst.ComparisonTarget(operator=cst.Equal(), comparator=cst.Integer() as rank)],
        ):
            return name, rank.evaluated_value
    return "", -1


def asserted_ranks(function: cst.FunctionDef) -> Iterator[tuple[str, int]]:
    """The parameters with an `assert x.ndim == 1` at the start of a function, with their ranks."""
    for line in function.body.body:
        match line:
            case cst.SimpleStatementLine(body=[cst.Assert(test=test)]) if (found := asserted_rank(test))[0]:
                yield found
            case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString())]):
                continue
            case _:
                return


def unpacked_ranks(function: cst.FunctionDef) -> Iterator[tuple[str, int]]:
    """The variables whose shapes the first statements of a function unpack, `n, m = x.shape`, with their ranks: with another rank,
    the function would end there."""
    bound: set[str] = set()
    for line in function.body.body:
        match line:
            case cst.SimpleStatementLine(
                body=[
                    cst.Assign(
                        targets=[cst.AssignTarget(target=cst.Tuple(elements=sizes))],
                        value=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape")),
                    )
                ]
            ) if name not in bound and not any(isinstance(size, cst.StarredElement) for size in sizes):
                yield name, len(sizes)
            case cst.SimpleStatementLine(body=[cst.Assign() | cst.AnnAssign() | cst.Assert() | cst.Expr()]):
                pass
            case _:
                return
        bound |= bound_by(line)


def allocated_rank(call: cst.Call, scopes: Scopes, sizes: Collection[str]) -> int:
    """The rank of an array that a call allocates to be filled; 0 if it is unknown. `sizes`: the variables that are numbers."""
    if scopes.qualname(call.func) not in ALLOCATED or not call.args or call.args[0].keyword is not None:
        return 0
    match call.args[0].value:
        case cst.Tuple(elements=elements):
            return len(elements)
        case cst.Integer() | cst.BinaryOperation() | cst.Call(func=cst.Name(value="len")):
            return 1
        case cst.Name(value=name):
            return int(name in sizes)
        case cst.Subscript(value=cst.Attribute(attr=cst.Name(value="shape")), slice=[cst.SubscriptElement(slice=cst.Index())]):
            return 1
    return 0


def ranks_by_use(run: Run, nodes: list[cst.CSTNode]) -> dict[str, int]:
    """The number of indices in the longest subscript of each variable, or of the sizes that are read: its rank, as far as the use
    shows it.
    """
    found: dict[str, int] = {}
    held = {n.targets[0].target.value: n.value for n in nodes if type(n) is cst.Assign and type(n.targets[0].target) is cst.Name}
    for node in nodes:
        if type(node) is cst.Call and (axis := _axis(run, node)) is not None:
            made = (
                node.func.value
                if isinstance(node.func, cst.Attribute) and not run.scopes.qualname(node.func)
                else node.args[0].value
            )
            for name in _sliced_in(run, made, held):
                found[name] = max(found.get(name, 0), axis + 1 if axis >= 0 else -axis)
        if type(node) is not cst.Subscript:
            continue
        match node:
            case cst.Subscript(
                value=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape")),
                slice=[cst.SubscriptElement(slice=cst.Index(value=index))],
            ) if (axis := integer(index)) is not None:
                found[name] = max(found.get(name, 0), axis + 1 if axis >= 0 else -axis)
        assert isinstance(node, cst.Subscript)
        if isinstance(node.value, cst.Name):
            parts = flat(node)
            values = [p.value for p in parts if isinstance(p, cst.Index)]
            if any(isinstance(v, cst.Ellipsis) for v in values):
                continue
            none = sum(run.values.get(v, UNKNOWN).kind is Kind.NONE for v in values)
            found[node.value.value] = max(found.get(node.value.value, 0), len(parts) - none)
    return found


def _axis(run: Run, call: cst.Call) -> int | None:
    """The axis that a call of a NumPy function or a method names."""
    name = run.scopes.qualname(call.func) or ""
    if not call.args or not (name.startswith("numpy.") or (not name and isinstance(call.func, cst.Attribute))):
        return None
    return next((integer(a.value) for a in call.args if a.keyword is not None and a.keyword.value == "axis"), None)


def _sliced_in(run: Run, node: cst.BaseExpression, held: Mapping[str, cst.BaseExpression], steps: int = 4) -> set[str]:
    """The variables whose slices along the first axis are the elementwise operands of an expression; none where another operand
    is an array.

    `held`: the values that variables are bound to.
    """
    match node:
        case cst.Subscript(value=cst.Name(value=name), slice=[cst.SubscriptElement(slice=cst.Slice())]):
            return {name}
        case cst.Name(value=name) if steps and name in held:
            return _sliced_in(run, held[name], held, steps - 1)
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            sides = [side for side in (left, right) if run.values.get(side, UNKNOWN).kind is not Kind.SCALAR]
            found = [_sliced_in(run, side, held, steps) for side in sides]
            return set().union(*found) if all(found) else set()
        case cst.UnaryOperation(expression=inner):
            return _sliced_in(run, inner, held, steps)
    return set()
