"""Specialization of functions for the functions that they get as arguments.

`rk4(lorenz, y, n)` becomes `_rk4_lorenz(y, n)`: a copy of `rk4` in which `lorenz` takes the place of the parameter. `rk4` itself must run
with any function that a caller may pass, one of NumPy's as well; so jit cannot compile it. It remains for all other calls.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Edit
from ...rules.facts.function_plan import FunctionPlan
from ...rules.syntax import builders
from ..analysis.state.project_facts import Facts
from ..summaries.units import Module, Unit
from ..syntax.edits import Edits, apply
from ..syntax.names import collect, fresh
from .revision import Versions
from .speculation import Proposal, Speculation, Trial

Given = tuple[tuple[str, str], ...]  # parameters, and the functions that are passed for them


class Specialized(NamedTuple):
    """A copy of a function: its name, that of the function, and what is passed."""

    function: str
    owner: str
    given: Given

    @property
    def key(self) -> Hashable:
        return self.owner, self.given


def candidates(facts: Facts, unjitted: frozenset[str]) -> frozenset[str]:
    """The functions that are not compiled as they are."""
    return frozenset(plan.name for plan in facts.plans.values() if not (plan.jit or plan.jax)) - unjitted


def specialized(
    module: Module, versions: Versions, names: Collection[str], rejected: Collection[Hashable], only: Collection[Hashable] | None
) -> Proposal | None:
    """Specialize functions at the top level of a file for those with which code of the file calls them."""
    source, scopes = module.source, module.scopes
    functions = {unit.name: unit for unit in module.units.values() if unit.node in source.module.body and _is_plain(unit)}
    taken = {node.value for node in source.nodes if type(node) is cst.Name}
    made: dict[tuple[str, Given], str] = {}
    calls: dict[cst.CSTNode, list[Edit]] = {}
    for call in source.among(source.module, cst.Call):
        owner = functions.get(scopes.qualname(call.func) or "") if isinstance(call.func, cst.Name) else None
        if owner is None or owner.name not in names:
            continue
        given = _passed(module, owner, call, functions)
        key = owner.name, given
        if not given or key in rejected or (only is not None and key not in only):
            continue
        if key not in made:
            short = "_".join(name.rpartition(".")[2].strip("_") for _parameter, name in given)
            made[key] = fresh(f"_{owner.name.rpartition('.')[2].strip('_')}_{short}", taken)
        calls[call] = [_calling(made[key], owner, given)]
    if not made:
        return None
    own = apply(source.module, source.parents, Edits(calls))
    parts: dict[cst.CSTNode, list[cst.CSTNode]] = {
        old: [new] for old, new in zip(source.module.body, own.body, strict=True) if new is not old
    }
    for (name, given), copy in made.items():
        function = functions[name].node
        assert isinstance(function, cst.FunctionDef)
        parts.setdefault(function, [function]).append(_copied(function, copy, given))
    after, lines = versions.expanded(source, parts)
    changes = tuple(Specialized(f"{source.name}.{copy}", name, given) for (name, given), copy in made.items())

    def note(new: Module) -> None:
        new.derived.owners = {**module.derived.owners, **{change.function: change.owner for change in changes}}
        new.derived.specialized = module.derived.specialized | {change.function for change in changes}

    return Proposal(after, lines, changes, note)


def rejects(trial: Trial) -> set[Hashable]:
    """The copies of which jit compiles nothing."""
    if trial.accepted is None:
        return set()
    return {change.key for change in trial.changes if not _is_compiled(change.function, trial.now.plans)}


def _is_compiled(function: str, plans: Mapping[str, FunctionPlan]) -> bool:
    """Whether jit compiles a function, or one of its loops in a function of its own."""
    module, _dot, name = function.rpartition(".")
    parts = f"{module}._{name.strip('_')}_loop"
    return plans[function].jit or any(plan.jit for other, plan in plans.items() if other.startswith(parts))


SPECIALIZE_FUNCTIONS = Speculation(
    "specialize-functions", ("NJ512",), candidates, specialized, rejects, key=lambda change: change.key, trials=1
)


def _is_plain(unit: Unit) -> bool:
    """Whether a function may be copied: parameters of one kind, no decorator, no variables of other functions or the module."""
    node = unit.node
    if not isinstance(node, cst.FunctionDef) or node.decorators or node.asynchronous is not None:
        return False
    params = node.params
    found = collect((node.body,))
    single = not (params.kwonly_params or params.posonly_params or isinstance(params.star_arg, cst.Param) or params.star_kwarg)
    return single and not (found.dynamic or found.declared)


def _passed(module: Module, owner: Unit, call: cst.Call, functions: Mapping[str, Unit]) -> Given:
    """The parameters for which a call passes functions of the file, if the callee calls one of these, and binds none."""
    node, source, scopes = owner.node, module.source, module.scopes
    assert isinstance(node, cst.FunctionDef)
    params = [param.name.value for param in node.params.params]
    if any(a.star for a in call.args) or len(call.args) > len(params):
        return ()
    called = {n.func.value for n in source.among(node.body, cst.Call) if isinstance(n.func, cst.Name)}
    bound = collect((node.body,)).bound | {param.name.value for param in source.among(node.body, cst.Param)}
    bound |= {n.value for clause in source.among(node.body, cst.CompFor) for n in source.among(clause.target, cst.Name)}
    found: list[tuple[str, str]] = []
    for position, argument in enumerate(call.args):
        name = params[position] if argument.keyword is None else argument.keyword.value
        value = argument.value
        passed = scopes.qualname(value) or "" if isinstance(value, cst.Name) and scopes.is_module_level(value) else ""
        short = passed.rpartition(".")[2]
        hidden = short in bound or (short != name and short in params)
        if passed in functions and name not in bound and not hidden:
            found.append((name, passed))
    return tuple(found) if any(name in called for name, _function in found) else ()


def _calling(copy: str, owner: Unit, given: Given) -> Edit:
    """Call the copy, without the functions."""
    node = owner.node
    assert isinstance(node, cst.FunctionDef)
    params = [param.name.value for param in node.params.params]
    without = {name for name, _function in given}

    def edit(made: cst.CSTNode) -> cst.Call:
        assert isinstance(made, cst.Call)
        kept: list[cst.Arg] = []
        for position, argument in enumerate(made.args):
            name = params[position] if argument.keyword is None else argument.keyword.value
            if name not in without:
                kept.append(argument)
        if kept:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return made.with_changes(func=cst.Name(copy), args=kept)

    return edit


def _copied(function: cst.FunctionDef, copy: str, given: Given) -> cst.FunctionDef:
    """A copy with functions in place of parameters."""
    names: Mapping[str, cst.BaseExpression] = {name: cst.Name(passed.rpartition(".")[2]) for name, passed in given}
    body = function.body.visit(builders.Replacing(names))
    assert isinstance(body, cst.BaseSuite)
    params = [param for param in function.params.params if param.name.value not in names]
    if params:
        params[-1] = params[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    blank = [cst.EmptyLine(indent=False)] * 2
    return function.with_changes(
        name=cst.Name(copy), params=function.params.with_changes(params=params), body=body, leading_lines=blank
    )


__all__ = ["SPECIALIZE_FUNCTIONS"]
