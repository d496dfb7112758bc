"""The shell of a function: what it does with its arguments on the host, before its compiled core."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import repeat

import libcst as cst

from ..context import Context
from ..core.findings import Kind, Statement
from ..definitions.host import AS_ARRAY, AS_FLOAT, AS_MATRIX, AS_SHAPE, AS_VECTOR, IS_RAGGED
from ..facts.function_plan import InputPlan, ShellPlan
from ..facts.values import UNKNOWN, Value
from ..syntax import builders
from . import original_body


def edited(
    made: cst.FunctionDef, core: str, statements: Sequence[Statement], ctx: Context, stacked: Collection[str] = ()
) -> cst.FunctionDef | cst.FlattenSentinel[cst.FunctionDef]:
    """A function with its preparations; one with `jit` is split into a core of this name and a shell. `stacked`: see `applied`."""
    if not (core and _added(made, ctx)):
        return prepended(made, statements)
    return cst.FlattenSentinel(_split(made, core, statements, ctx, stacked))


def with_results(
    node: cst.FunctionDef,
    made: cst.FunctionDef,
    core: str,
    converted: Callable[[cst.BaseExpression], cst.BaseExpression],
    stacked: Collection[str],
    ctx: Context,
) -> cst.FlattenSentinel[cst.FunctionDef]:
    """A function split into a core of this name and a shell, which converts the results, and keeps the annotations of `node`.
    `stacked`: see `applied`."""
    docstring, _body = _parts(made)
    inner, outer = _split(made, core, (), ctx)
    call = cst.Call(cst.Name(core), arguments(made.params, ctx.plan.inputs.shell, ctx, stacked))
    first = converted(call)
    lines = [cst.SimpleStatementLine([cst.Return(first)])]
    if isinstance(first, cst.Tuple):  # each of the results is converted in its own way
        results = _results(made.params)
        bound = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(results))], call)])
        lines = [bound, cst.SimpleStatementLine([cst.Return(converted(cst.Name(results)))])]
    shell = _annotated_as(node, outer.with_changes(body=cst.IndentedBlock([*docstring, *lines])))
    return cst.FlattenSentinel([inner, with_original(node, shell, are_ragged(stacked, ctx), ctx)])


def _annotated_as(node: cst.FunctionDef, shell: cst.FunctionDef) -> cst.FunctionDef:
    """A shell with the parameters and the annotations of the original function."""
    returns = None if node.returns is None else node.returns.deep_clone()
    return shell.with_changes(params=node.params.deep_clone(), returns=returns)


def filling(node: cst.FunctionDef, made: cst.FunctionDef, ctx: Context) -> cst.FlattenSentinel[cst.FunctionDef]:
    """A function split into its core and a shell that fills the arguments of NumPy, and keeps the annotations of `node`."""
    inner, outer = _split(made, ctx.plan.inputs.shell.core, (), ctx)
    tests = [f"isinstance({name}, (list, tuple))" for name in original_body.lists_changed(ctx)]
    return cst.FlattenSentinel([inner, with_original(node, _annotated_as(node, outer), tests, ctx)])


def decorated(made: cst.FunctionDef, decorator: cst.BaseExpression, ctx: Context) -> cst.FunctionDef:
    """A compiled function with a decorator around what `jit` makes of it, the first of those that it had not before."""
    own = len(made.decorators) - len(_added(made, ctx))
    above, added = made.decorators[:own], made.decorators[own:]
    return made.with_changes(decorators=[*above, cst.Decorator(decorator.deep_clone()), *added], lines_after_decorators=())


def with_original(node: cst.FunctionDef, shell: cst.FunctionDef, tests: Sequence[str], ctx: Context) -> cst.FunctionDef:
    """A shell that runs the original statements where one of the tests holds, if these are few."""
    original = original_body.copied(node, ctx) if tests else []
    if not original:
        return shell
    docstring, body = _parts(shell)
    test = cst.parse_expression(f"not ({' or '.join(tests)})" if len(tests) > 1 else f"not {tests[0]}")
    compiled = cst.If(test, cst.IndentedBlock([*(body if docstring else shell.body).body]))
    return shell.with_changes(body=cst.IndentedBlock([*docstring, compiled, *original]))


def are_ragged(names: Iterable[str], ctx: Context) -> list[str]:
    """The tests whether parameters are lists of which no array can be made."""
    return [f"{ctx.names.defined(IS_RAGGED)}({name})" for name in names]


def core_name(node: cst.FunctionDef, ctx: Context) -> str:
    """A name for the compiled core of a function, "" where it has none."""
    if ctx.plan.inputs.shell.core:
        return ctx.plan.inputs.shell.core
    return ctx.names.fresh(f"_{node.name.value.lstrip('_')}") if ctx.plan.jit and not ctx.unit.wrapped else ""


def converters(node: cst.FunctionDef, ctx: Context, stacked: Collection[str] = ()) -> frozenset[str]:
    """The functions of rules.definitions that a shell applies to its arguments. `stacked`: see `applied`."""
    if not ctx.plan.jit or ctx.unit.wrapped:
        return frozenset()
    shell = ctx.plan.inputs.shell
    used = frozenset(f for p in (*shell.lists, *shell.shapes, *shell.floated) for f in applied(p, shell, stacked))
    return used | {IS_RAGGED} if stacked else used


def applied(parameter: str, inputs: InputPlan | ShellPlan, stacked: Collection[str] = ()) -> list[str]:
    """The functions of rules.definitions that prepare an argument for compiled code, the first one innermost. `stacked`: the parameters
    that are arrays, or lists of which an array can be made, as the shell has tested."""
    lists, shapes = (inputs.lists, inputs.shapes) if isinstance(inputs, ShellPlan) else (inputs.host_lists, inputs.host_shapes)
    array = AS_ARRAY if parameter in stacked else (AS_ARRAY, AS_VECTOR, AS_MATRIX)[dict(inputs.depths).get(parameter, 0)]
    found = ((lists, array), (shapes, AS_SHAPE), (inputs.floated, AS_FLOAT))
    return [function for parameters, function in found if parameter in parameters]


def prepared(value: cst.BaseExpression, functions: Iterable[str], ctx: Context) -> cst.BaseExpression:
    """An argument with these functions applied to it."""
    for function in functions:
        value = builders.call(cst.Name(ctx.names.defined(function)), value)
    return value


def converters_imports(ctx: Context) -> frozenset[str]:
    """The imports that these functions need."""
    return ctx.names.name_of("numpy.asarray")[1]


def without_docstring(made: cst.FunctionDef) -> cst.FunctionDef:
    docstring, body = _parts(made)
    return made.with_changes(body=body) if docstring and body.body else made


def prepended(made: cst.FunctionDef, statements: Sequence[Statement]) -> cst.FunctionDef:
    """A function with statements below its docstring."""
    docstring, body = _parts(made)
    return made.with_changes(body=body.with_changes(body=[*docstring, *_copies(statements), *body.body]))


def _split(
    made: cst.FunctionDef, core: str, statements: Sequence[Statement], ctx: Context, stacked: Collection[str] = ()
) -> tuple[cst.FunctionDef, cst.FunctionDef]:
    """The jitted core, and the shell that calls it. The core keeps the defaults if others call it, too."""
    docstring, body = _parts(made)
    shell = ctx.plan.inputs.shell
    call = cst.Call(cst.Name(core), arguments(made.params, shell, ctx, stacked))
    last = _filled(call, made.params, ctx) if shell.changed else [cst.SimpleStatementLine([cst.Return(call)])]
    blank = [cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]
    added = _added(made, ctx)
    around = added[
        : shell.returns_numpy and (shell.draws or bool(shell.changed))
    ]  # the core gets a key, and returns what it changes
    inner = made.with_changes(
        name=cst.Name(core),
        decorators=added[len(around) :],
        params=_of_core(made.params, shell),
        body=body if docstring else made.body,
        leading_lines=blank,
    )
    outer = made.with_changes(
        decorators=[*made.decorators[: len(made.decorators) - len(added)], *around],
        body=cst.IndentedBlock([*docstring, *_copies(statements), *last]),
        leading_lines=[*blank, *(line for line in made.leading_lines if line.comment is not None)],
    )
    return inner, outer


def _added(made: cst.FunctionDef, ctx: Context) -> Sequence[cst.Decorator]:
    """The decorators that a function had not before."""
    definition = ctx.unit.definition
    return made.decorators[0 if definition is None else len(definition.decorators) :]


def _filled(call: cst.Call, params: cst.Parameters, ctx: Context) -> list[Statement]:
    """The last statements of a shell: they fill the arguments that the core changes, if these are NumPy arrays, and return what
    the function did; else what the core returns."""
    plan = ctx.plan
    results = _results(params)
    items = [results] if plan.returned == 1 else [f"{results}[{position}]" for position in range(plan.returned)]
    own = [*map(_of_numpy, items[: plan.results], _returned(ctx), repeat(ctx.names.name_of("numpy.array")[0]))]
    for parameter, position in plan.already:
        own[position] = parameter
    array = ctx.names.name_of("numpy.ndarray")[0]
    changed = plan.inputs.shell.changed
    lines = [f"if {' or '.join(f'isinstance({p}, {array})' for p in changed)}:  # as in NumPy, the caller's arrays change"]
    lines += [f"    {p}[...] = {items[plan.positions[p]]}" for p in changed]
    lines += [f"    return {', '.join(own)}".rstrip()]
    return [
        cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(results))], call)]),
        cst.parse_statement("\n".join(lines) + "\n"),
        cst.parse_statement(f"return {results}\n"),
    ]


def _returned(ctx: Context) -> Sequence[Value]:
    """What is known about each of the results that a function had before."""
    result = ctx.host.returned
    if ctx.plan.results == 1:
        return [result]
    known = result.elements if result.kind is Kind.TUPLE else None
    return known if known and len(known) == ctx.plan.results else [UNKNOWN] * ctx.plan.results


def _of_numpy(item: str, value: Value, array: str) -> str:
    """A result for a caller with arrays of NumPy: it may pass an array to the next call, which is to change it in place."""
    if value.kind is not Kind.ARRAY or value.number:
        return item
    return f"{array}({item})" if value.rank > 0 else f"{array}({item})[()]"


def _parts(made: cst.FunctionDef) -> tuple[list[cst.BaseStatement], cst.IndentedBlock]:
    """The docstring of a function, and the rest of its body on lines of their own."""
    if isinstance(made.body, cst.IndentedBlock):
        first = 1 if made.get_docstring() is not None else 0
        return [*made.body.body[:first]], made.body.with_changes(body=made.body.body[first:])
    suite = cst.ensure_type(made.body, cst.SimpleStatementSuite)
    lines = [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in suite.body]
    lines[-1] = lines[-1].with_changes(trailing_whitespace=suite.trailing_whitespace)
    return [], cst.IndentedBlock(lines)


def _copies(statements: Sequence[Statement]) -> Iterator[Statement]:
    return (s.deep_clone() for s in statements)


def _of_core(params: cst.Parameters, shell: ShellPlan) -> cst.Parameters:
    """The parameters of a core: those that the shell always passes need no defaults, and a key has none."""

    def bare(several: Sequence[cst.Param]) -> list[cst.Param]:
        if shell.core:
            return [_required(p) if p.name.value == shell.key else p for p in several]
        return [_required(p) for p in several]

    return params.with_changes(
        params=bare(params.params), posonly_params=bare(params.posonly_params), kwonly_params=bare(params.kwonly_params)
    )


def _results(params: cst.Parameters) -> str:
    """A name for the results of the core."""
    return next(name for name in ("results", "made", "core_results") if name not in _names(params))


def _required(param: cst.Param) -> cst.Param:
    return param.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT)


def _names(params: cst.Parameters) -> frozenset[str]:
    return frozenset(p.name.value for p in (*params.posonly_params, *params.params, *params.kwonly_params))


def arguments(params: cst.Parameters, shell: ShellPlan, ctx: Context, stacked: Collection[str] = ()) -> list[cst.Arg]:
    """The arguments by which the shell passes its parameters on. `stacked`: see `applied`."""

    def passed(name: str) -> cst.BaseExpression:
        return prepared(cst.Name(name), applied(name, shell, stacked), ctx)

    plain = [cst.Arg(passed(p.name.value)) for p in (*params.posonly_params, *params.params)]
    return [*plain, *(builders.keyword(p.name.value, passed(p.name.value)) for p in params.kwonly_params)]
