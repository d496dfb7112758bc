"""Functions without a place at the top of the file: lambdas, variables that hold one, and nested functions.

`solve(lambda t, y: -k * y, y0)` passes one. Lifted, it becomes `def _main_f(t, y, *, k)` at module level: what it reads of the function
around it becomes a parameter. No callee can bind these variables again, so they have the same values during the whole call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import libcst as cst

from ...rules.syntax import builders
from ..summaries.units import Module
from ..syntax.names import collect

Function = cst.Lambda | cst.FunctionDef
LATER = (cst.Lambda, cst.FunctionDef, cst.GeneratorExp)  # what may run after the function that contains it


class Lifted(NamedTuple):
    """A function that a call passes. `stem`: of its name; `captured`: the variables of the enclosing function that it reads."""

    node: Function
    stem: str
    captured: tuple[str, ...]


def passed(module: Module, call: cst.Call, argument: cst.BaseExpression, parameter: str) -> Lifted | None:
    """The lambda or the nested function that an argument certainly is, if it can be lifted."""
    scopes = module.scopes
    node: Function
    match argument:
        case cst.Lambda():
            node, stem = argument, parameter
        case cst.Name(value=stem):
            bindings = scopes.bindings(argument)
            found = _bound(module, bindings[0]) if len(bindings) == 1 else None
            if found is None or scopes.lookup(scopes.scope_of(call), stem) is not scopes.scope_of(found):
                return None
            node = found
        case _:
            return None
    home = scopes.scope_of(node)
    visible = home is scopes.scope_of(call) or home is scopes.module
    if not visible or isinstance(home.node, cst.ClassDef) or not _is_simple(module, node):
        return None
    free = {name: scopes.lookup(home, name) for name in scopes.free(node)}
    captured = {name for name, scope in free.items() if scope is not None and scope is not scopes.module}
    if stem in captured or any(free[name] is not home for name in captured):
        return None  # it calls itself, or reads variables of a function further out
    around = home.node.name.value.strip("_") if isinstance(home.node, cst.FunctionDef) else ""
    return Lifted(node, "_".join(("", *filter(None, (around, stem.strip("_"))))), tuple(sorted(captured)))


def definition(lifted: Lifted, name: str) -> cst.FunctionDef:
    """The function at module level."""
    node = lifted.node
    only = [cst.Param(cst.Name(captured)) for captured in lifted.captured]
    params = node.params.with_changes(
        params=[param.deep_clone().with_changes(annotation=None) for param in node.params.params],
        kwonly_params=only,
        star_arg=cst.ParamStar() if only else cst.MaybeSentinel.DEFAULT,
    )
    blank = [cst.EmptyLine(indent=False)] * 2
    if isinstance(node, cst.FunctionDef):  # names in its annotations may not be defined yet where the module is imported
        return node.deep_clone().with_changes(name=cst.Name(name), params=params, returns=None, leading_lines=blank)
    body = cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(node.body.deep_clone())])])
    return cst.FunctionDef(cst.Name(name), params, body, leading_lines=blank)


def is_only_called(body: cst.BaseSuite, name: str, module: Module) -> bool:
    """Whether a function only calls a parameter, and only while it runs: later, what the parameter captures may have other values."""
    source = module.source
    if any(source.among(body, cst.Yield)):
        return False
    for node in source.among(body, cst.Name):
        if node.value == name and not source.is_label(node):
            call = source.parents[node]
            if not (isinstance(call, cst.Call) and call.func is node) or any(a.star for a in call.args):
                return False
            if any(isinstance(at, LATER) and source.inside(at, body) for at in source.above(node)):
                return False
    return True


class Calling(cst.CSTTransformer):
    """Calls of parameters become calls of functions at module level, with what these capture: the parameter and the variable of each."""

    def __init__(self, functions: Mapping[str, tuple[str, Mapping[str, str]]]) -> None:
        super().__init__()
        self.functions = functions

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        match original_node.func:
            case cst.Name(value=name) if name in self.functions:
                function, captured = self.functions[name]
                given = [builders.keyword(parameter, cst.Name(variable)) for parameter, variable in captured.items()]
                return updated_node.with_changes(func=cst.Name(function), args=[*updated_node.args, *given])
        return updated_node


def _bound(module: Module, binding: cst.CSTNode) -> Function | None:
    """The function that a binding gives to a variable."""
    if isinstance(binding, cst.FunctionDef):
        return None if binding in module.source.module.body else binding
    match module.source.parents.get(binding):
        case cst.Assign(targets=[_], value=cst.Lambda() as value) if isinstance(binding, cst.AssignTarget):
            return value
    return None


def _is_simple(module: Module, node: Function) -> bool:
    """Whether a function has plain parameters, without defaults, and only returns a value."""
    params, source = node.params, module.source
    if params.kwonly_params or params.posonly_params or params.star_kwarg or isinstance(params.star_arg, cst.Param):
        return False
    if any(param.default is not None for param in params.params):
        return False
    if isinstance(node, cst.FunctionDef) and (node.decorators or node.asynchronous is not None):
        return False
    names = collect((node.body,))
    return not (names.dynamic or names.declared or any(source.among(node.body, cst.Yield, cst.Await)))


__all__ = ["Calling", "Lifted", "definition", "is_only_called", "passed"]
