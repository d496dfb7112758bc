"""Loops that call methods of their object: spelled out for each class that the object may have, so that they can be outlined.

`for k in range(n): self.w = self.w + self.gain(x[k])` in a base class becomes one loop for each class of the project, in which
the statements of this class's `gain` replace the call; and so for functions that attributes hold (`self.f(t, y)`). The class is asked for in the method (`type(self) is Slow`), and whether there
are iterations; the loop remains as it was for all other classes, such as subclasses outside of the project. A loop that does not move into a function of
its own then (see loop_outlining) is not spelled out.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Edit, Kind
from ...rules.facts.values import UNKNOWN
from ...rules.syntax import builders
from ...rules.syntax.source_text import code
from ..analysis.state.project_facts import Facts
from ..context.empty_arrays import has_iterations
from ..summaries.units import Module, Unit
from ..syntax import liveness
from ..syntax.bindings import parameters
from ..syntax.edits import Edits
from ..syntax.names import collect, fresh
from ..syntax.source import walk
from . import first_iterations, held_objects, inlined_lists, loop_outlining
from .call_inlining import Inliner, NotInlined
from .concrete_classes import Classes, Concrete, elements
from .desugaring import impure_nodes
from .forms import optional_statements
from .forms.form import Body
from .loop_outlining import OUTLINE_LOOPS, Candidates, Moved
from .object_attributes import asked_for
from .revision import Versions
from .speculation import Proposal, Speculation, Trial

Loop = cst.For | cst.While
MOST_CLASSES = 8  # for which a loop is spelled out


class Inlined(NamedTuple):
    """A loop spelled out for some classes: its file and number before, its number afterwards, the names of the classes, and
    whether its first iteration stands ahead of it."""

    file: str
    number: int
    now: int
    classes: tuple[str, ...]
    started: bool


class Short(NamedTuple):
    """A loop without the statements for which only options ask, `unless` these hold. `left_out`: the nodes of the original that it lacks."""

    loop: Loop
    unless: cst.BaseExpression | None
    left_out: Container[cst.CSTNode]


@dataclass(slots=True)
class Version:
    """A loop spelled out for some classes. `ahead`: how many loops stand in its lines ahead of it."""

    names: list[str]
    lines: list[cst.BaseStatement]
    ahead: int
    test: cst.BaseExpression | None  # whether it has iterations, if that can be asked
    started: bool  # the first iteration stands ahead of the loop
    held: Mapping[str, Concrete] = field(default_factory=dict)  # the objects that attributes must hold
    functions: Mapping[str, str] = field(default_factory=dict)  # and the functions
    unless: cst.BaseExpression | None = None  # the options that ask for statements that it lacks

    @property
    def loops(self) -> int:
        return _count(self.lines)

    @property
    def text(self) -> str:
        return cst.Module(self.lines).code  # type: ignore[arg-type]  # statements of a block


@dataclass(slots=True)
class _File:
    """The loops of one file that are spelled out. `versions`: of each loop, by its number."""

    module: Module
    classes: Classes
    rejected: Collection[Hashable]
    pure: frozenset[str]  # names of NumPy, and of functions without side effects
    versions: dict[int, tuple[Unit, Loop, list[Version]]] = field(default_factory=dict)

    def version(self, unit: Unit, loop: Loop, short: Short, cls: str, name: str, inliner: Inliner) -> Version | None:
        """A loop for objects of one class; None if it calls no method of its object. `short`: without what an option asks for."""
        option = short.unless
        lines = inliner.block([short.loop.with_changes(leading_lines=())])
        if option is not None and not optional_statements.attributes_in(option).isdisjoint(_stored(lines)):
            raise NotInlined  # a method changes the option
        read = held_objects.read_ahead(lines, inliner.self_name, inliner.held, inliner.fresh)
        if not inliner.count and (read is None or not read.objects):
            return None
        if read is None or held_objects.binds(lines, inliner.called):
            raise NotInlined
        lines, held = read.loop, {**read.objects, **inliner.met}
        body, test, started = lines[-1], None, False
        if isinstance(loop, cst.For) and isinstance(body, cst.For) and len(lines) == 1:
            space = self.module.scopes.iteration_space(loop)
            test = has_iterations(space)
            if test is not None and first_iterations.unsettled(self.module, unit, loop, body, [cls]):
                first = first_iterations.peeled(cst.ensure_type(short.loop, cst.For), space)
                rest = None if first is None else first_iterations.peeled(body, space)
                if first is not None and rest is not None:
                    lines, started = [*first[0], rest[1]], True
        ahead = _count(lines[:-1])
        if started or len(lines) == 1:
            lines = [
                *lines[:-1],
                *inlined_lists.filled(
                    self.module, self.body(unit), unit, loop, short.left_out, lines[-1], started, inliner.fresh
                ),
            ]
        if (held or inliner.called) and test is None:
            raise NotInlined  # without iterations, nothing asks for the attributes
        return Version([name], [*read.bound, *lines], ahead, test, started, held, inliner.called, option)

    def body(self, unit: Unit) -> Body:
        assert isinstance(unit.node, cst.FunctionDef)
        run, impure = self.module.runs[unit.name], impure_nodes(self.module, unit.name)
        live = liveness.live(unit.node)
        return Body(self.module.source, self.module.scopes, unit.node, live, {}, run.values, set(), impure)

    def optional(self, unit: Unit, loop: Loop) -> tuple[cst.BaseExpression, Container[int]] | None:
        """Statements of a loop that jit cannot compile, and for which only options ask: see `optional_statements`."""
        return optional_statements.of_loop(loop, self.body(unit))

    def function_arguments(self, unit: Unit, loop: Loop) -> dict[str, str]:
        """The parameters that a loop calls and for which every caller in the project passes the same function, or which have one as their
        default, with its name in the file."""
        assert isinstance(unit.node, cst.FunctionDef)
        values, bound = self.module.runs[unit.name].values, collect([unit.node.body]).bound
        params = {param.name.value for param in parameters(unit.node.params)} - bound
        called = {call.func for call in self.module.source.among(loop, cst.Call) if isinstance(call.func, cst.Name)}
        known = {node.value: values.get(node, UNKNOWN) for node in called if isinstance(node, cst.Name) and node.value in params}
        given = {
            param: self.classes.function(value.name) if value.kind is Kind.FUNCTION else self.classes.default(unit.node, param)
            for param, value in known.items()
            if value.kind in (Kind.FUNCTION, Kind.UNKNOWN)
        }
        return {param: name for param, name in given.items() if name}

    def plain(self, unit: Unit, number: int, loop: Loop) -> bool:
        """Let the first iteration of a loop that calls no methods stand ahead of it, if attributes get their types there."""
        first = first_iterations.needed(self.module, unit, loop)
        if first is None or (self.module.source.name, number, "") in self.rejected:
            return False
        taken = {n.value for n in self.module.source.among(unit.node, cst.Name)} | self.module.scopes.module.names.keys()
        rest = inlined_lists.filled(
            self.module, self.body(unit), unit, loop, (), first.rest, True, lambda name: fresh(name, taken)
        )
        at = next(k for k, line in enumerate(rest) if isinstance(line, cst.For))
        lines: list[cst.BaseStatement] = [*first.lines, *rest]
        self.versions[number] = unit, loop, [Version([], lines, _count([*first.lines, *rest[:at]]), first.test, True)]
        return True

    def look(self, unit: Unit, number: int, loop: Loop) -> bool:
        """Spell out a loop of a method for each class for which this is possible."""
        source, scopes = self.module.source, self.module.scopes
        assert isinstance(unit.node, cst.FunctionDef)
        params = [*unit.node.params.posonly_params, *unit.node.params.params]
        if not params or not isinstance(source.parents[loop], cst.IndentedBlock):
            return False
        self_name, local = params[0].name.value, scopes.assigned(unit.node)
        if self_name in collect([unit.node.body]).bound or {"type", *self.classes.names.values()} & local:
            return False
        if scopes.lookup(scopes.scope_of(unit.node), "type") is not None:
            return False
        taken = {n.value for n in source.among(unit.node, cst.Name)} | scopes.module.names.keys()
        done = {n for node in source.above(loop) if isinstance(node, cst.If) for n in asked_for(node.test)}
        arguments = self.function_arguments(unit, loop)
        option, numbers = self.optional(unit, loop) or (None, ())
        short = Short(optional_statements.without(loop, numbers), option, optional_statements.left_out(loop, numbers))
        found: list[Version] = []
        for cls, name in self.classes.concrete(unit.cls):
            if (source.name, number, name) in self.rejected or name in done or len(found) == MOST_CLASSES:
                continue
            held = held_objects.held_by(self.classes, cls)
            functions = {**held_objects.functions_held_by(self.classes, cls, self_name), **arguments}
            functions = {path: name for path, name in functions.items() if name.partition(".")[0] not in local}
            inliner = Inliner(Concrete(self.classes, cls), self_name, {*taken}, local, self.pure, unit.cls, held, functions)
            try:
                made = self.version(unit, loop, short, cls, name, inliner)
            except NotInlined:
                continue
            if made is None:
                return self.plain(unit, number, loop)
            same = next((v for v in found if (v.text, v.held, v.functions) == (made.text, made.held, made.functions)), None)
            if same is not None:
                same.names.append(name)
            else:
                found.append(made)
        if found:
            self.versions[number] = unit, loop, found
        return bool(found)


def _stored(lines: Sequence[cst.BaseStatement]) -> set[str]:
    """The attributes that statements bind, as written."""
    nodes = (n for line in lines for n, _parent in walk(line) if isinstance(n, (cst.AssignTarget, cst.AnnAssign, cst.AugAssign)))
    return {code(e) for node in nodes for e in elements(node.target) if isinstance(e, cst.Attribute)}


def _count(lines: Sequence[cst.BaseStatement]) -> int:
    return sum(isinstance(n, (cst.For, cst.While)) for line in lines for n, _parent in walk(line))


def inlined(
    module: Module, versions: Versions, names: Candidates, rejected: Collection[Hashable], _only: Collection[Hashable] | None
) -> Proposal | None:
    """Spell out the outermost loops of a file that call methods of their object; None if there are none."""
    source = module.source
    units = {u.node: u for u in module.units.values() if u.cls and u.name in names.eager and u.receiver == "object"}
    if not units:
        return None
    facts = next(iter(module.runs.values())).facts
    arrays = frozenset(n for n, target in module.scopes.exports().items() if target.partition(".")[0] == "numpy")
    file = _File(module, Classes(module, facts), rejected, arrays | {"len", "abs"})
    loops: Sequence[Loop] = source.among(source.module, cst.For, cst.While)
    end = 0
    for number, loop in enumerate(loops):
        start, stop = source.spans[loop]
        owner = next((n for n in source.above(loop) if isinstance(n, (cst.FunctionDef, cst.ClassDef))), None)
        unit = units.get(owner) if isinstance(owner, cst.FunctionDef) else None
        if start >= end and unit is not None and file.look(unit, number, loop):
            end = stop
    if not file.versions:
        return None
    edits = Edits({loop: [_choice(unit, made, file.classes)] for unit, loop, made in file.versions.values()})
    after = versions.edited(source, edits)
    changes: list[Inlined] = []
    shift = 0
    for number, (_unit, loop, made) in file.versions.items():
        for version in made:
            changes.append(Inlined(source.name, number, number + shift + version.ahead, tuple(version.names), version.started))
            shift += version.loops
        if not made[0].names:
            shift -= _count([loop])  # the loop itself does not stay

    def note(new: Module) -> None:
        new.inlined = {change.now: change.started for change in changes}

    return Proposal(after, versions.lines(source, after), tuple(changes), note)


def _choice(unit: Unit, versions: Sequence[Version], classes: Classes) -> Edit:
    """The loop for each class, and as it was for others."""
    assert isinstance(unit.node, cst.FunctionDef)
    receiver = [*unit.node.params.posonly_params, *unit.node.params.params][0].name.value

    def edit(loop: cst.CSTNode) -> cst.If:
        assert isinstance(loop, (cst.For, cst.While))
        if not versions[0].names:
            assert versions[0].test is not None
            return cst.If(versions[0].test, cst.IndentedBlock(versions[0].lines), leading_lines=loop.leading_lines)
        made: cst.If | cst.Else = cst.Else(cst.IndentedBlock([loop.with_changes(leading_lines=())]))
        for version in reversed(versions):
            test = cst.parse_expression(
                f"type({receiver}) is {version.names[0]}"
                if len(version.names) == 1
                else f"type({receiver}) in ({', '.join(version.names)})"
            )
            if version.test is not None:
                test = cst.BooleanOperation(test, cst.And(), version.test)
            for asked in held_objects.tests(classes, receiver, version.held, version.functions):
                test = cst.BooleanOperation(test, cst.And(), asked)
            if version.unless is not None:
                option = cst.UnaryOperation(cst.Not(), builders.operand(version.unless.deep_clone()))
                test = cst.BooleanOperation(option, cst.And(), test)
            made = cst.If(test, cst.IndentedBlock(version.lines), made)
        assert isinstance(made, cst.If)
        return made.with_changes(leading_lines=loop.leading_lines)

    return edit


def rejects(trial: Trial) -> set[tuple[str, int, str]]:
    """The loops that did not move into functions of their own."""
    if trial.accepted is None:
        return set()
    moved = {m.region for m in trial.accepted if isinstance(m, Moved)}
    vain = [change for change in trial.changes if (change.file, change.now) not in moved]
    return {(change.file, change.number, name) for change in vain for name in change.classes or ("",)}


def outlined(
    module: Module, versions: Versions, names: Candidates, rejected: Collection[Hashable], only: Collection[Hashable] | None
) -> Proposal | None:
    """Move the loops that were spelled out, and no other."""
    spelled = {(module.source.name, number) for number in module.inlined}
    if not spelled:
        return None
    found = loop_outlining.outlined(module, versions, names, rejected, spelled if only is None else spelled & {*only})
    if found is None:
        return None
    owners, guards = dict(module.derived.owners), dict(module.derived.guards)

    def note(new: Module) -> None:
        found.note(new)
        new.derived.owners, new.derived.guards = {**owners, **new.derived.owners}, {**guards, **new.derived.guards}

    return found._replace(note=note)


def candidates(facts: Facts, unjitted: frozenset[str]) -> Candidates:
    """The units with loops that may be spelled out: where all of the others become JAX, they need not."""
    return loop_outlining.candidates(facts, unjitted) if facts.program.fast else Candidates(frozenset(), frozenset())


INLINE_METHODS = Speculation(
    "inline-methods",
    ("NJ418",),
    candidates,
    inlined,
    rejects,
)
OUTLINE_INLINED = replace(OUTLINE_LOOPS, name="outline-inlined", propose=outlined)
