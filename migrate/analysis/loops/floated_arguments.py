"""Parameters that the first iteration of a loop makes floats, whatever numbers they are: `x = 0.5 * (x + np.sqrt(x))`.

In NumPy an integer changes its dtype there. A carried value of JAX keeps its dtype, and `lax.fori_loop` raises TypeError.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.dtypes.inexact import is_mean
from ....rules.facts.values import NOTHING, UNKNOWN
from ....rules.syntax.argument_binding import bind
from ...syntax.names import bound_by
from ..state.interpreter_state import Run
from ..state.lattice import Env

INEXACT = ("float", "complex", "mean")  # dtypes, and what the table says of dtypes, that are no integers
PROMOTED = ("promote", "same")
ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Power, cst.MatrixMultiply)


def floated(run: Run, node: cst.For | cst.While, carry: Sequence[str], before: Env) -> frozenset[str]:
    """The parameters of unknown dtype that the statements of an iteration make floats if they are integers."""
    open_ = {n: v.holds for n in carry if (v := before.get(n)) is not None and v.holds in run.params and not v.dtype}
    if not open_:
        return NOTHING
    floats = _after(run, node.body.body, NOTHING)
    return frozenset(parameter for name, parameter in open_.items() if name in floats)


def _after(run: Run, statements: Sequence[cst.CSTNode], floats: frozenset[str]) -> frozenset[str]:
    """The variables that are no integers after some statements. `floats`: those that are none before."""
    for statement in statements:
        match statement:
            case cst.SimpleStatementLine(body=body) | cst.SimpleStatementSuite(body=body) | cst.IndentedBlock(body=body):
                floats = _after(run, body, floats)
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                floats = floats | {name} if is_inexact(run, value, floats) else floats - {name}
            case cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value):
                made = isinstance(operator, cst.DivideAssign) or is_inexact(run, value, floats)
                floats |= {name} if made else NOTHING
            case cst.If(body=body, orelse=orelse):
                other = () if orelse is None else (orelse.body if isinstance(orelse, cst.Else) else orelse,)
                floats = _after(run, [body], floats) & _after(run, other, floats)
            case _:
                floats = floats - bound_by(statement) | _lists_of_floats(run, statement, floats)
    return floats


def _lists_of_floats(run: Run, statement: cst.CSTNode, floats: Collection[str]) -> set[str]:
    """The lists to which a loop appends only floats, of which an array is made: `centers = np.array(items)`."""
    found: dict[str, bool] = {}
    for node in run.source.among(statement, cst.Call) if isinstance(statement, cst.For) else ():
        match node:
            case cst.Call(
                func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="append")), args=[cst.Arg(value=item)]
            ):
                values = (item.body, item.orelse) if isinstance(item, cst.IfExp) else (item,)
                made = any(is_inexact(run, value, floats) for value in values)  # the items are promoted
                found[name] = found.get(name, True) and made
    return {name for name, made in found.items() if made}


def is_inexact(run: Run, node: cst.BaseExpression, floats: Collection[str] = ()) -> bool:
    """Whether a value is certainly no integer. `floats`: the variables that are none."""
    match node:
        case cst.Name(value=name) if name in floats:
            return True
        case cst.BinaryOperation(operator=cst.Divide()):
            return True
        case cst.BinaryOperation(left=left, operator=operator, right=right) if isinstance(operator, ARITHMETIC):
            return is_inexact(run, left, floats) or is_inexact(run, right, floats)
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return is_inexact(run, inner, floats)
        case cst.Call(func=func):
            name = run.scopes.qualname(func) or ""
            if not name and is_mean(node):
                return True
            entry = numpy_table.function(name) if name.startswith("numpy.") else None
            if entry is not None and not any(a.keyword is not None and a.keyword.value in ("dtype", "out") for a in node.args):
                promoted = entry.promotes or entry.arrays + entry.sequences
                given = [node.args[at].value for at, parameter in bind(node, entry) if parameter in promoted]
                if entry.dtype in INEXACT or (entry.dtype in PROMOTED and any(is_inexact(run, each, floats) for each in given)):
                    return True
    return isinstance(node, cst.Float) or run.values.get(node, UNKNOWN).dtype.startswith(INEXACT)
