"""`if` and `assert`: narrowing of variables by their tests."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import Value, replace
from ..branches import branch_analysis
from ..random import generators
from ..state.evaluation import truth
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import MAYBE_NONE
from ..state.ranks import asserted_rank
from .assignments import ranked, same
from .execution import block_of, run_block, run_statement
from .expressions import evaluate


def run_assert(run: Run, env: Env, node: cst.Assert) -> Env:
    truth(run, env, node.test)
    if node.msg is not None:
        evaluate(run, env, node.msg)
    _narrow(run, env, node.test, True)
    return env


def run_if(run: Run, env: Env, node: cst.If) -> Env | None:
    run.constraints.needs.pop(node.test, None)
    evaluate(run, env, node.test)
    yes, no = dict(env), dict(env)
    branch_analysis.entered(run, node, yes, no)
    _narrow(run, yes, node.test, True)
    _narrow(run, no, node.test, False)
    after = run_block(run, yes, block_of(node.body))
    if isinstance(node.orelse, cst.If):
        other = run_statement(run, no, node.orelse)
    elif isinstance(node.orelse, cst.Else):
        other = run_block(run, no, block_of(node.orelse.body))
    else:
        other = no
    return branch_analysis.merged(run, node, after, other)


def _narrow(run: Run, env: Env, test: cst.BaseExpression, holds: bool) -> None:
    """Narrow variables by a test: `x is None`, `isinstance(x, np.ndarray)`, `x.ndim == 2`, `not ...`."""
    match test:
        case cst.BooleanOperation(left=left, operator=operator, right=right):
            if isinstance(operator, cst.And) is holds:
                _narrow(run, env, left, holds)
                _narrow(run, env, right, holds)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            _narrow(run, env, inner, not holds)
        case cst.Comparison(
            left=cst.Name(value=name), comparisons=[cst.ComparisonTarget(operator=operator, comparator=cst.Name(value="None"))]
        ):
            if isinstance(operator, cst.IsNot if holds else cst.Is):
                env.pop(MAYBE_NONE + name, None)
            if isinstance(operator, cst.Is) is holds and isinstance(operator, (cst.Is, cst.IsNot)) and name in env:
                env[name] = Value(Kind.NONE, holds=name if name in run.params and env[name].holds == name else "")
        case cst.Comparison() if holds and (said := asserted_rank(test))[0]:
            ranked(env, *said)
        case cst.Comparison(
            left=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape")),
            comparisons=[
                cst.ComparisonTarget(
                    operator=cst.Equal(), comparator=cst.Attribute(value=cst.Name(value=other), attr=cst.Name(value="shape"))
                )
            ],
        ) if holds:
            same(env, name, other)
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name)), cst.Arg(value=kind)]) if (
            run.scopes.qualname(func) == "builtins.isinstance"
        ):
            if name in env:
                generators.narrow(run, env, name, kind, holds)
            if holds and name in env and env[name].kind is Kind.UNKNOWN:
                found = {
                    "numpy.ndarray": Kind.ARRAY,
                    "builtins.list": Kind.LIST,
                    "builtins.dict": Kind.DICT,
                    "builtins.str": Kind.STRING,
                }.get(run.scopes.qualname(kind) or "")
                scalars = ("builtins.int", "builtins.float", "builtins.bool", "builtins.complex")
                if found is not None:
                    env[name] = replace(env[name], kind=found)
                elif run.scopes.qualname(kind) in scalars:
                    env[name] = Value(Kind.SCALAR, "", 0, env[name].deps, holds=env[name].holds)
