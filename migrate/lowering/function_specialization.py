"""Specialization of functions for the functions that they get as arguments.

`rk4(lorenz, y, n)` becomes `_rk4_lorenz(y, n)`: a copy of `rk4` in which `lorenz` takes the place of the parameter. `rk4` itself must run
with any function that a caller may pass, one of NumPy's as well; so jit cannot compile it. It remains for all other calls. Lambdas and
nested functions are lifted to the module's level for this: see `lifted_functions`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Edit
from ...rules.facts.function_plan import FunctionPlan
from ...rules.syntax import builders
from ...rules.syntax.tree import walk
from ..analysis.state.project_facts import Facts
from ..summaries.units import Module, Unit
from ..syntax.edits import Edits, apply
from ..syntax.names import collect, fresh
from . import lifted_functions
from .lifted_functions import Calling, Lifted, definition, is_only_called
from .revision import Versions
from .speculation import Proposal, Speculation, Trial

Given = tuple[tuple[str, str | Lifted], ...]  # parameters, and the functions that are passed for them


class Specialized(NamedTuple):
    """A copy of a function: its name, that of the function, and what is passed, as text."""

    function: str
    owner: str
    key: Hashable


def candidates(facts: Facts, unjitted: frozenset[str]) -> frozenset[str]:
    """The functions that are not compiled as they are."""
    return frozenset(plan.name for plan in facts.plans.values() if not (plan.jit or plan.jax)) - unjitted


def specialized(
    module: Module, versions: Versions, names: Collection[str], rejected: Collection[Hashable], only: Collection[Hashable] | None
) -> Proposal | None:
    """Specialize functions at the top level of a file for those with which code of the file calls them."""
    source, scopes = module.source, module.scopes
    functions = {unit.name: unit for unit in module.units.values() if unit.node in source.module.body and _is_plain(unit)}
    copies = _Copies(module, {node.value for node in source.nodes if type(node) is cst.Name})
    calls: dict[cst.CSTNode, list[Edit]] = {}
    for call in source.among(source.module, cst.Call):
        owner = functions.get(scopes.qualname(call.func) or "") if isinstance(call.func, cst.Name) else None
        if owner is None or owner.name not in names:
            continue
        given = _passed(module, owner, call, functions)
        key = copies.key(owner, given)
        if given and key not in rejected and (only is None or key in only):
            calls[call] = [_calling(copies.name_of(owner, given, call), owner, given)]
    if not copies.made:
        return None
    own = apply(source.module, source.parents, Edits(calls))
    parts: dict[cst.CSTNode, list[cst.CSTNode]] = {
        old: [new] for old, new in zip(source.module.body, own.body, strict=True) if new is not old
    }
    for (name, given), short in copies.made.items():
        function = functions[name].node
        assert isinstance(function, cst.FunctionDef)
        parts.setdefault(function, [function]).append(_copied(function, short, given, copies.lifted))
    for statement, before in copies.before.items():
        parts[statement] = [*(definition(f, copies.lifted[f]) for f in before), *parts.get(statement, [statement])]
    after, lines = versions.expanded(source, parts)
    changes = tuple(
        Specialized(f"{source.name}.{short}", name, copies.key(functions[name], given))
        for (name, given), short in copies.made.items()
    )

    def note(new: Module) -> None:
        found = {f"{source.name}.{name}": _caller(module, function.node) for function, name in copies.lifted.items()}
        new.derived.owners = {**module.derived.owners, **{change.function: change.owner for change in changes}, **found}
        new.derived.lifted = module.derived.lifted | found.keys()
        new.derived.specialized = module.derived.specialized | {change.function for change in changes}

    return Proposal(after, lines, changes, note)


@dataclass(slots=True)
class _Copies:
    """The functions that a file gets. `made`: the copies; `lifted`: what moves to the module's level; `before`: the same, by the
    statement ahead of which it is defined. The values: names."""

    module: Module
    taken: set[str]
    made: dict[tuple[str, Given], str] = field(default_factory=dict)
    lifted: dict[Lifted, str] = field(default_factory=dict)
    before: dict[cst.CSTNode, list[Lifted]] = field(default_factory=dict)

    def key(self, owner: Unit, given: Given) -> Hashable:
        """What names a copy in all trials: the text is the same, and the nodes are not."""
        spans = self.module.source.spans
        return owner.name, tuple((p, f if isinstance(f, str) else spans[f.node]) for p, f in given)

    def name_of(self, owner: Unit, given: Given, call: cst.Call) -> str:
        """The name of the copy of a function for what a call passes."""
        for _parameter, function in given:
            if isinstance(function, Lifted) and function not in self.lifted:
                self.lifted[function] = fresh(function.stem, self.taken)
                source = self.module.source
                top = next(n for n in source.above(call) if source.parents[n] is source.module)
                self.before.setdefault(top, []).append(function)
        if (owner.name, given) not in self.made:
            passed = (self.lifted[f] if isinstance(f, Lifted) else f.rpartition(".")[2] for _parameter, f in given)
            short = "_".join(name.strip("_") for name in (owner.name.rpartition(".")[2], *passed))
            self.made[owner.name, given] = fresh(f"_{short}", self.taken)
        return self.made[owner.name, given]


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
    found: list[tuple[str, str | Lifted]] = []
    for position, argument in enumerate(call.args):
        name = params[position] if argument.keyword is None else argument.keyword.value
        value = argument.value
        passed = scopes.qualname(value) or "" if isinstance(value, cst.Name) and scopes.is_module_level(value) else ""
        short = passed.rpartition(".")[2]
        hidden = short in bound or (short != name and short in params)
        if passed in functions and name not in bound and not hidden:
            found.append((name, passed))
        elif name not in bound and (function := lifted_functions.passed(module, call, value, name)) is not None:
            if not function.captured or is_only_called(node.body, name, module):
                found.append((name, function))
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
        args = [*(cst.Arg(cst.Name(name)) for name in _captured(given)), *kept]
        if args:
            args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return made.with_changes(func=cst.Name(copy), args=args)

    return edit


def _copied(function: cst.FunctionDef, copy: str, given: Given, lifted: Mapping[Lifted, str]) -> cst.FunctionDef:
    """A copy with functions in place of parameters. What these capture are its first parameters."""
    names = {p: lifted[f] if isinstance(f, Lifted) else f.rpartition(".")[2] for p, f in given}
    taken = {node.value for node, _parent in walk(function) if isinstance(node, cst.Name)}
    captured = {name: fresh(name, taken) for name in _captured(given)}
    own = {p: (names[p], {c: captured[c] for c in f.captured}) for p, f in given if isinstance(f, Lifted) and f.captured}
    body = function.body.visit(Calling(own))
    assert isinstance(body, cst.BaseSuite)
    body = body.visit(builders.Replacing({parameter: cst.Name(name) for parameter, name in names.items()}))
    assert isinstance(body, cst.BaseSuite)
    params = [cst.Param(cst.Name(name)) for name in captured.values()]
    params += [param for param in function.params.params if param.name.value not in names]
    if params:
        params[-1] = params[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    blank = [cst.EmptyLine(indent=False)] * 2
    return function.with_changes(
        name=cst.Name(copy), params=function.params.with_changes(params=params), body=body, leading_lines=blank
    )


def _captured(given: Given) -> list[str]:
    return sorted({name for _parameter, function in given if isinstance(function, Lifted) for name in function.captured})


def _caller(module: Module, node: cst.CSTNode) -> str:
    """The unit in which a lambda or a nested function is written."""
    units: Mapping[cst.CSTNode, str] = {unit.node: unit.name for unit in module.units.values()}
    return next(units[at] for at in module.source.above(node) if at in units)


__all__ = ["SPECIALIZE_FUNCTIONS"]
