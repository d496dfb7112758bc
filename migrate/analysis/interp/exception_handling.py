"""`raise`, `try` and `with`."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, Value, replace
from ....rules.numpy_table import math_names
from ....rules.syntax import source_text
from ...syntax.source import walk
from ..state.interpreter_state import Run
from ..state.lattice import Env, join_env
from . import special_methods
from .assignment_targets import assign
from .execution import block_of, run_block, run_statement
from .expressions import evaluate


def run_raise(run: Run, env: Env, node: cst.Raise) -> None:
    if node.exc is not None:
        run.flow.depth += 1  # the message of an error is not part of the result
        needs, impure = dict(run.constraints.needs), dict(run.constraints.impure)
        evaluate(run, env, node.exc)
        run.constraints.needs, run.constraints.impure = needs, impure
        run.flow.depth -= 1
    return None


def run_with(run: Run, env: Env, node: cst.With) -> Env | None:
    for item in node.items:
        value = evaluate(run, env, item.item)
        if not value.name.startswith("numpy.errstate"):
            run.constraints.impure[node] = "it enters a context"
        special_methods.method(run, env, node, "__exit__", item.item, value)
        value = special_methods.method(run, env, item, "__enter__", item.item, value) or value
        if item.asname is not None:
            assign(run, env, item.asname.name, replace(value, view=None), node)
    return run_block(run, env, block_of(node.body))


def run_try(run: Run, env: Env, node: cst.Try | cst.TryStar) -> Env | None:
    run.constraints.impure[node] = "it catches exceptions, which traced code does not raise"
    caught: Env | None = dict(env)
    state: Env | None = dict(env)
    for statement in block_of(node.body):
        if state is None:
            break
        state = run_statement(run, state, statement)
        caught = join_env(caught, None if state is None else dict(state))
    if state is not None and node.orelse is not None:
        state = run_block(run, state, block_of(node.orelse.body))
    if why := lost_exception(run, node):
        run.constraints.blocks[node] = ("NJ701", why)
        run.host.host_writes = True  # NumPy arrays raise, even if they are only read
        run.host.needs_host.add("*")
    _changed_when_raised(run, node)
    for handler in node.handlers:
        inner = dict(caught or env)
        if handler.name is not None:
            assign(run, inner, handler.name.name, Value(Kind.OBJECT), node)
        state = join_env(state, run_block(run, inner, block_of(handler.body)))
    if node.finalbody is not None:
        final = run_block(run, dict(join_env(state, caught) or env), block_of(node.finalbody.body))
        _changed_at_last(run, node)
        return None if state is None or final is None else join_env(state, final)
    return state


ARITHMETIC_ERRORS = frozenset({"FloatingPointError", "ZeroDivisionError", "ArithmeticError"})
EVERY_ERROR = frozenset({"Exception", "BaseException", ""})
MATH_ERRORS = frozenset({"ValueError", "OverflowError", "ArithmeticError"}) | EVERY_ERROR


def lost_exception(run: Run, node: cst.Try | cst.TryStar) -> str:
    """Why a handler would no longer run, as JAX clamps indices and returns NaN where NumPy raises; "" if it would."""
    caught: set[str] = set()
    for handler in node.handlers:
        types = [e.value for e in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
        caught |= {(run.scopes.qualname(t) or "").rpartition(".")[2] if t is not None else "" for t in types}
    for part, _parent in walk(node.body):
        if type(part) is cst.Subscript and caught & ({"IndexError", "LookupError"} | EVERY_ERROR):
            value = run.values.get(part.value)
            if (
                value is not None
                and value.kind in (Kind.ARRAY, Kind.UNKNOWN)
                and any(type(e.slice) is cst.Index for e in part.slice)
            ):
                if value.kind is Kind.ARRAY:
                    return f"`{source_text.code(part)}` may raise IndexError, which is caught: JAX does not raise it"
        elif type(part) is cst.Call:
            name = run.scopes.qualname(part.func) or ""
            if name.startswith(("numpy.linalg.", "numpy.scipy.linalg.")) and caught & ({"LinAlgError"} | EVERY_ERROR):
                return f"`{source_text.code(part.func)}` may raise LinAlgError, which is caught: JAX gives NaN instead"
            if math_names.jax_name(name, len(part.args)) and caught & MATH_ERRORS and not run.values.get(part, UNKNOWN).static:
                return f"`{name}` may raise an error, which is caught: JAX gives NaN or infinity instead"
        elif type(part) is cst.BinaryOperation and caught & ARITHMETIC_ERRORS:
            value = run.values.get(part)
            if value is not None and value.kind is Kind.ARRAY:
                return "an error of arithmetic with arrays is caught, which JAX does not raise"
    return ""


def _changed_when_raised(run: Run, node: cst.Try | cst.TryStar) -> None:
    """Refuse a function that changes its arguments, and may raise when it has changed some elements: it would return none of them. A handler
    that raises again hands none of them on."""
    if run.facts.program.fast or all(map(_raises_again, node.handlers)):
        return
    for part, _parent in walk(node.body):
        if type(part) is cst.Call and part in run.effects.updates and (call := run.call_graph.calls.get(part)) is not None:
            why = "it changes its arguments, and a call stands under `try`: what it has changed when it raises would be lost"
            run.call_graph.refuses[call.callee] = ("NJ209", why)


def _raises_again(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    last = block_of(handler.body)[-1]
    return type(last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last) is cst.Raise


def _changed_at_last(run: Run, node: cst.Try | cst.TryStar) -> None:
    """Block `return x` in a `try` whose `finally` changes x: the return value was computed before."""
    assert node.finalbody is not None
    if any(type(n) is cst.Return for part in (node.body, *node.handlers) for n, _p in walk(part)):
        if any(type(n) in (cst.AugAssign, cst.Assign, cst.Call) and n in run.effects.updates for n, _p in walk(node.finalbody)):
            run.constraints.blocks[node] = ("NJ207", "an array is changed in a `finally`, after the return value was computed")
