"""Calls of nested functions and of named lambdas, `f = lambda u: np.sin(u)`, whose bodies only compute a result.

The result of a call is interpreted with its arguments. How the body is converted is decided for any argument, at the definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import Value
from ....rules.numpy_table.entry import Memory, Verdict
from ....rules.syntax import builders
from ....rules.syntax.tree import is_callee
from ...syntax.bindings import Scope
from ...syntax.source import walk
from ..inference.result_types import is_true
from ..state.arguments import Arguments
from ..state.evaluation import evaluate
from ..state.interpreter_state import Run
from ..state.lattice import Env
from . import builtin_calls

COMPUTED = (Verdict.SAME, Verdict.RENAMED, Verdict.ADAPTED, Verdict.EXPRESSION)
COMPUTING = (  # expressions that JAX computes as Python does
    cst.Name,
    cst.Attribute,
    cst.Integer,
    cst.Float,
    cst.Imaginary,
    cst.Ellipsis,
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.Subscript,
    cst.Call,
    cst.Tuple,
    cst.List,
)
MAKERS = frozenset(
    f"numpy.{name}"
    for name in "zeros ones empty full zeros_like ones_like empty_like full_like arange linspace eye identity copy array".split()
)
ATTRIBUTES = ("T", "shape", "size", "ndim", "dtype", "real", "imag", "pi", "e", "inf", "nan")

Function = cst.FunctionDef | cst.Lambda


def result(run: Run, env: Env, node: cst.Call, arguments: Arguments) -> Value | None:
    """The result of a call of a nested function; None if the function does more than compute it."""
    function = definition(run, node)
    if (
        function is None
        or arguments.starred
        or arguments.keywords
        or not (_computes(run, function) and _is_closed(run, function))
    ):
        return None
    given = _bound(run, env, function, arguments)
    if given is None:
        return None
    before = {n: run.values[n] for n in run.source.below(function.body) if n in run.values}
    needs, impure = dict(run.constraints.needs), dict(run.constraints.impure)
    run.flow.depth += 1
    made = _returned(run, dict(env) | given, function)
    run.flow.depth -= 1
    known = run.constraints.needs.keys() == needs.keys() and run.constraints.impure.keys() == impure.keys()
    run.values.update(before)
    run.constraints.needs, run.constraints.impure = needs, impure
    return made if known else None


def definition(run: Run, node: cst.Call) -> Function | None:
    """The nested function, or the lambda, that is the only binding of the called name; None for any other."""
    if not isinstance(node.func, cst.Name) or node.func.value in run.params or not run.unit.in_function:
        return None
    home = run.scopes.lookup(run.scopes.scope_of(node), node.func.value)
    bound = [] if home is None else home.names[node.func.value]
    if len(bound) != 1 or run.unit.owner is None or not run.source.inside(bound[0], run.unit.owner):
        return None
    match bound[0]:
        case cst.FunctionDef() as function if function is not run.unit.owner and not function.decorators:
            return function if function.asynchronous is None else None
        case cst.AssignTarget(target=cst.Name()) as target:
            above = run.source.parents.get(target)
            made = above.value if isinstance(above, cst.Assign) and len(above.targets) == 1 else None
            return made if isinstance(made, cst.Lambda) else None
    return None


def _is_closed(run: Run, function: Function) -> bool:
    """Whether the variables of the enclosing function that a function reads are bound before its definition, and never change:
    values that JAX carries through a loop, and updated arrays, are bound to the name elsewhere."""
    owner = run.unit.owner
    if not isinstance(owner, cst.FunctionDef) or not isinstance(owner.body, cst.IndentedBlock):
        return False
    lines = list(owner.body.body)
    position = next((k for k, line in enumerate(lines) if run.source.inside(function, line)), -1)
    enclosing = run.scopes.opened_by(owner)
    for name in run.scopes.free(function):
        bound = enclosing.names.get(name, [])
        if not bound:
            continue  # of the module
        if len(bound) > 1:
            return False
        if isinstance(bound[0], cst.Param) or _inner_function(run, bound[0]):
            continue
        if not any(_binds_immediately(run, line, bound[0]) for line in lines[:position]):
            return False
    free = run.scopes.free(function) & enclosing.names.keys()
    inside = {n for f in run.source.among(owner.body, cst.FunctionDef) for n in run.source.below(f)} | set(
        run.source.below(function)
    )
    reads = (n for n in run.source.among(owner.body, cst.Name) if n.value in free and n not in inside)
    if not all(_only_computed_with(run, node) for node in reads):
        return False
    return all(_is_another(run, base, free, enclosing) for base in _stored_into(run, owner))


def _only_computed_with(run: Run, node: cst.CSTNode) -> bool:
    """Whether an expression is only an operand, called or bound, and neither changed in place nor aliased."""
    above = run.source.parents.get(node)
    match above:
        case (
            cst.BinaryOperation() | cst.UnaryOperation() | cst.Comparison() | cst.ComparisonTarget() | cst.Return() | cst.Index()
        ):
            return True
        case cst.AssignTarget():
            return isinstance(node, cst.Name)
        case cst.Subscript(value=base) if base is node:
            return _only_computed_with(run, above)
        case cst.Attribute(value=base, attr=cst.Name(value=name)) if base is node:
            return name in ("shape", "size", "ndim", "dtype")
        case cst.Call(func=func):
            return func is node and isinstance(node, cst.Name)
        case cst.Arg(keyword=None, star="") as argument:
            call = run.source.parents.get(argument)
            return isinstance(call, cst.Call) and _only_reads(run, call, argument)
    return False


def _only_reads(run: Run, call: cst.Call, argument: cst.Arg) -> bool:
    """Whether a call neither changes an argument nor returns a part of it."""
    called = run.scopes.qualname(call.func) or ""
    if called in ("builtins.len", "builtins.range", "builtins.abs") or definition(run, call) is not None:
        return True
    entry = numpy_table.function(called) if called.startswith("numpy.") else None
    if entry is None or entry.writes or entry.memory is not Memory.NEW or any(a.star for a in call.args):
        return False
    position = call.args.index(argument)
    return position < len(entry.params) and entry.params[position] != "out" and entry.ufunc in (0, len(call.args))


def _inner_function(run: Run, bound: cst.CSTNode) -> bool:
    return isinstance(bound, cst.FunctionDef) and bound is not run.unit.owner


def _binds_immediately(run: Run, line: cst.CSTNode, bound: cst.CSTNode) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and run.source.inside(bound, line)


def _stored_into(run: Run, owner: cst.FunctionDef) -> Iterator[cst.BaseExpression]:
    """What the enclosing function writes into: `x` of `x[i] = v` and of `x += v`."""
    for target in run.source.among(owner, cst.AssignTarget):
        if not isinstance(target.target, (cst.Name, cst.Tuple, cst.List)):
            yield target.target
        elif not isinstance(target.target, cst.Name):
            yield from (e.value for e in target.target.elements if not isinstance(e.value, cst.Name))
    yield from (changed.target for changed in run.source.among(owner, cst.AugAssign))


def _is_another(run: Run, changed: cst.BaseExpression, free: frozenset[str], enclosing: Scope) -> bool:
    """Whether what is changed in place is certainly not an array that a nested function reads: it is newly allocated."""
    while isinstance(changed, (cst.Subscript, cst.Attribute)):
        changed = changed.value
    if not isinstance(changed, cst.Name) or changed.value in free:
        return False
    if not free:
        return True
    for bound in enclosing.names.get(changed.value, []):
        above = run.source.parents.get(bound)
        if isinstance(bound, cst.AugAssign) or (isinstance(bound, cst.Name) and isinstance(above, cst.AugAssign)):
            continue
        made = above.value if isinstance(bound, cst.AssignTarget) and isinstance(above, cst.Assign) else None
        if not isinstance(made, (cst.Integer, cst.Float)) and not _is_made_anew(run, made):
            return False
    return True


def _is_made_anew(run: Run, made: cst.BaseExpression | None) -> bool:
    if not isinstance(made, cst.Call):
        return False
    if isinstance(made.func, cst.Attribute) and made.func.attr.value == "copy" and not made.args:
        return True
    called = run.scopes.qualname(made.func) or ""
    return called in MAKERS and (called != "numpy.array" or _copies(made))


def _copies(array: cst.Call) -> bool:
    """Whether a call of `np.array` certainly copies its argument: `copy` is not passed, or it is True."""
    asked = [a.value for a in array.args if a.keyword is not None and a.keyword.value == "copy"]
    plain = [a for a in array.args if a.keyword is None]
    return len(plain) <= 2 and not any(a.star for a in array.args) and all(map(is_true, asked))


def _bound(run: Run, env: Env, function: Function, arguments: Arguments) -> Env | None:
    """The parameters with the arguments of a call, or their defaults; None if they cannot be matched."""
    params = function.params
    if params.star_kwarg is not None or params.kwonly_params or isinstance(params.star_arg, cst.Param):
        return None
    named = [*params.posonly_params, *params.params]
    if len(arguments.positional) > len(named):
        return None
    found = {p.name.value: value for p, (_expression, value) in zip(named, arguments.positional, strict=False)}
    for parameter in named[len(arguments.positional) :]:
        if parameter.default is None:
            return None
        found[parameter.name.value] = evaluate(run, env, parameter.default)
    return found


def _returned(run: Run, env: Env, function: Function) -> Value:
    if isinstance(function, cst.Lambda):
        return evaluate(run, env, function.body)
    for line in builders.lines(function.body):
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            match small:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                    env[name] = evaluate(run, env, value)
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=elements))], value=value):
                    env.update(_unpacked(run, env, elements, evaluate(run, env, value)))
                case cst.Return(value=cst.BaseExpression() as value):
                    return evaluate(run, env, value)
    raise TypeError("a nested function must end with its `return`")


def _unpacked(run: Run, env: Env, targets: Sequence[cst.BaseElement], value: Value) -> Env:
    """The variables to which a statement binds the items of a value."""
    items = value.elements
    if value.kind is Kind.DICT or items is None or len(items) != len(targets):
        items = (builtin_calls.item_of(run, env, value),) * len(targets)
    return {target.value.value: item for target, item in zip(targets, items, strict=True) if isinstance(target.value, cst.Name)}


def _computes(run: Run, function: Function) -> bool:
    """Whether a body consists of assignments to variables and a `return`, all of which JAX computes as NumPy does."""
    if isinstance(function, cst.Lambda):
        return _is_computed(run, function.body)
    lines = builders.lines(function.body)
    smalls = [small for line in lines if isinstance(line, cst.SimpleStatementLine) for small in line.body]
    if not all(isinstance(line, cst.SimpleStatementLine) for line in lines):
        return False
    for position, small in enumerate(smalls):
        match small:
            case cst.Expr(value=cst.SimpleString()) if position == 0:
                continue
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value) if position < len(smalls) - 1:
                if not (_are_variables(target) and _is_computed(run, value)):
                    return False
            case cst.Return(value=cst.BaseExpression() as value) if position == len(smalls) - 1:
                return _is_computed(run, value)
            case _:
                return False
    return False


def _are_variables(target: cst.BaseExpression) -> bool:
    """Whether it is a variable, or a tuple of some."""
    return isinstance(target, cst.Name) or (
        isinstance(target, cst.Tuple)
        and all(isinstance(e, cst.Element) and isinstance(e.value, cst.Name) for e in target.elements)
    )


def _is_computed(run: Run, node: cst.BaseExpression) -> bool:
    return all(_is_plain(run, part, above) for part, above in walk(node))


def _is_plain(run: Run, node: cst.CSTNode, above: cst.CSTNode | None) -> bool:
    match node:
        case cst.Call():
            return _is_computed_call(run, node)
        case cst.UnaryOperation(operator=operator):
            return not isinstance(operator, cst.Not)
        case cst.Attribute(attr=cst.Name(value=name)):
            return name in ATTRIBUTES or is_callee(node, above)
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=operator)]):
            return not isinstance(operator, (cst.In, cst.NotIn, cst.Is, cst.IsNot))
    return not isinstance(node, cst.BaseExpression) or isinstance(node, COMPUTING)


def _is_computed_call(run: Run, call: cst.Call) -> bool:
    called = run.scopes.qualname(call.func) or ""
    entry = numpy_table.function(called) if called.startswith("numpy.") and not called.startswith("numpy.random.") else None
    if not called and isinstance(call.func, cst.Attribute):
        entry = numpy_table.method(call.func.attr.value)
    if entry is not None:
        return entry.verdict in COMPUTED and entry.jit and not entry.writes and not any(a.star for a in call.args)
    return called in ("builtins.abs", "builtins.len") or definition(run, call) is not None
