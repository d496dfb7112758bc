"""The abstract value of each kind of expression."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import STRINGS, UNKNOWN, Value, replace
from ..branches import branch_analysis
from ..inference import big_integers
from ..loops.unpacked_items import unpacked
from ..random import generators
from ..state.access_paths import path_of
from ..state.evaluation import HANDLERS, KEY, TEXT, evaluate, need
from ..state.interpreter_state import Run
from ..state.lattice import SEQUENCES, Env
from ..state.memory import bind
from ..state.views import read_through
from . import attributes, calls, comprehensions, dict_order, operations, subscripts, variables


def _conditional(run: Run, env: Env, node: cst.IfExp) -> Value:
    run.constraints.needs.pop(node.test, None)
    evaluate(run, env, node.test)
    yes, no = generators.conditional(run, env, node)
    return branch_analysis.conditional(run, node, evaluate(run, yes, node.body), evaluate(run, no, node.orelse))


def _display(run: Run, env: Env, node: cst.Tuple | cst.List | cst.Set) -> Value:
    values = [evaluate(run, env, e.value) for e in node.elements]
    kind = {cst.Tuple: Kind.TUPLE, cst.List: Kind.LIST}.get(type(node), Kind.OBJECT)
    starred = [v for v, e in zip(values, node.elements, strict=True) if type(e) is cst.StarredElement]
    if type(node) is cst.Set:
        for element, value in zip(node.elements, values, strict=True):
            need(run, element.value, value, KEY)
    for value in starred:
        dict_order.items(run, value)
    for element in node.elements:
        if type(element) is cst.StarredElement:
            unpacked(run, node, element.value)
    dtypes = {v.dtype if v.kind is Kind.SCALAR else "" for v in values}
    text = STRINGS if any(v.kind is Kind.STRING or v.name == STRINGS for v in values) else ""
    return Value(
        kind,
        dtype=dtypes.pop() if len(dtypes) == 1 else "",
        deps=frozenset().union(*(v.deps for v in values)),
        traced=any(v.traced for v in values),
        memory=frozenset().union(*(v.memory for v in values)),
        elements=None if starred else tuple(values),
        name=(generators.collection(values) if kind is Kind.LIST and not starred else "") or text,
        fresh=kind is Kind.LIST,
        nested=any(
            v.nested if type(e) is cst.StarredElement else v.kind in SEQUENCES for v, e in zip(values, node.elements, strict=True)
        ),
    )


def _dict(run: Run, env: Env, node: cst.Dict) -> Value:
    values: list[Value] = []
    for element in node.elements:
        if isinstance(element, cst.DictElement):
            key = evaluate(run, env, element.key)
            need(run, element.key, key, KEY)
        values.append(evaluate(run, env, element.value))
    return Value(
        Kind.DICT,
        deps=frozenset().union(*(v.deps for v in values)),
        traced=any(v.traced for v in values),
        memory=frozenset().union(*(v.memory for v in values)),
        elements=tuple(values) if all(isinstance(e, cst.DictElement) for e in node.elements) else None,
        name=generators.collection(values) if all(isinstance(e, cst.DictElement) for e in node.elements) else "",
        fresh=True,
    )


def _formatted(run: Run, env: Env, node: cst.FormattedString) -> Value:
    for part in node.parts:
        if isinstance(part, cst.FormattedStringExpression):
            value = evaluate(run, env, part.expression)
            need(run, part.expression, value, TEXT)
    return Value(Kind.STRING)


def _concatenated(run: Run, env: Env, node: cst.ConcatenatedString) -> Value:
    evaluate(run, env, node.left)
    evaluate(run, env, node.right)
    return Value(Kind.STRING)


def _walrus(run: Run, env: Env, node: cst.NamedExpr) -> Value:
    value = evaluate(run, env, node.value)
    if isinstance(node.target, cst.Name):
        bind(run, env, node.target.value, read_through(value, path_of(node.value)), node)
    return value


def _starred(run: Run, env: Env, node: cst.StarredElement) -> Value:
    return evaluate(run, env, node.value)


def _lambda(run: Run, env: Env, node: cst.Lambda) -> Value:
    from .nested_definitions import nested_params, result_aliases

    inner = dict(env)
    kept = nested_params(run, inner, node, env)
    run.flow.depth += 1
    value = evaluate(run, inner, node.body)
    run.flow.depth -= 1
    run.flow.result_aliases |= result_aliases(env, subscripts.read_names(node.body), (value,))
    return Value(Kind.FUNCTION, deps=value.deps, traced=value.traced, memory=kept, name="<lambda>")


def _yield(run: Run, env: Env, node: cst.Yield | cst.Await) -> Value:
    run.constraints.impure[node] = "it is a generator" if isinstance(node, cst.Yield) else "it is a coroutine"
    inner = (
        node.value.item
        if isinstance(node, cst.Yield) and isinstance(node.value, cst.From)
        else (node.value if isinstance(node, cst.Yield) else node.expression)
    )
    if inner is not None:
        value = evaluate(run, env, inner)
        run.escape(env, value)
        if isinstance(node, cst.Yield) and not run.flow.depth:
            run.flow.yielded |= value.memory | {"?"}
    return replace(UNKNOWN, memory=frozenset({"?"}))


HANDLERS.update(
    {
        cst.Name: variables.name,
        cst.Attribute: attributes.attribute,
        cst.Subscript: subscripts.subscript,
        cst.Call: calls.call,
        cst.BinaryOperation: operations.binary,
        cst.BooleanOperation: operations.boolean,
        cst.Comparison: operations.comparison,
        cst.UnaryOperation: operations.unary,
        cst.IfExp: _conditional,
        cst.Tuple: _display,
        cst.List: _display,
        cst.Set: _display,
        cst.Dict: _dict,
        cst.FormattedString: _formatted,
        cst.ConcatenatedString: _concatenated,
        cst.SimpleString: lambda run, env, node: Value(Kind.STRING),
        cst.Integer: big_integers.integer,
        cst.Float: lambda run, env, node: Value(Kind.SCALAR, "float", 0),
        cst.Imaginary: lambda run, env, node: Value(Kind.SCALAR, "complex", 0),
        cst.NamedExpr: _walrus,
        cst.StarredElement: _starred,
        cst.ListComp: comprehensions.comprehension,
        cst.SetComp: comprehensions.comprehension,
        cst.GeneratorExp: comprehensions.comprehension,
        cst.DictComp: comprehensions.comprehension,
        cst.Lambda: _lambda,
        cst.Yield: _yield,
        cst.Await: _yield,
    }
)
__all__ = ["evaluate"]
