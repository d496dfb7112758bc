"""Objects that attributes of an object hold, as after `self.loss = SquaredLoss()`: their classes, and what a loop reads of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import Value
from ...rules.syntax import builders
from ..analysis.state.access_paths import path_of
from ..syntax.source import walk
from .concrete_classes import Classes, Concrete, elements, receiver


def held_by(classes: Classes, cls: str) -> dict[str, Concrete]:
    """The attributes of objects of a class that hold objects of one other class, as far as the project says, with that class. It is asked for
    where that matters."""
    found = dict[str, set[Value]]()
    line = classes.line(cls)
    for base in line:
        for attribute, value in classes.facts.classes[base].attrs.items():
            found.setdefault(attribute, set()).add(Value(value.kind, name=value.name))
    return {
        attribute: Concrete(classes, value.name)
        for attribute, (value, *others) in found.items()
        if not others
        and value.kind is Kind.OBJECT
        and value.name in classes.nodes
        and classes.is_plain(value.name)
        and not any(attribute in classes.facts.classes[base].methods for base in line)  # a property
    }


def functions_held_by(classes: Classes, cls: str, self_name: str) -> dict[str, str]:
    """The attributes of objects of a class that hold one function each, as far as the project says (`self.f`), with the name of that in the
    file. What a caller may pass for a parameter is taken for its default where the project passes nothing else."""
    line = classes.line(cls)
    found = {attribute: value for base in line for attribute, value in classes.facts.classes[base].attrs.items()}
    defaults = {attribute: name for base in reversed(line) for attribute, name in _defaults(classes, base).items()}
    named = {
        attribute: classes.function(value.name) if value.kind is Kind.FUNCTION else defaults.get(attribute, "")
        for attribute, value in found.items()
        if value.kind in (Kind.FUNCTION, Kind.UNKNOWN)
        and all(classes.facts.classes[base].attrs.get(attribute, value).name == value.name for base in line)
        and not any(attribute in classes.facts.classes[base].methods for base in line)
    }
    return {f"{self_name}.{attribute}": name for attribute, name in named.items() if name}


def _defaults(classes: Classes, cls: str) -> dict[str, str]:
    """The attributes to which the constructor of a class binds parameters that have a function as their default."""
    node = classes.nodes.get(cls)
    methods = [] if node is None else [line for line in builders.lines(node.body) if isinstance(line, cst.FunctionDef)]
    found = dict[str, str]()
    for method in (each for each in methods if each.name.value == "__init__"):
        for assign in classes.module.source.among(method, cst.Assign):
            match assign:
                case cst.Assign(targets=[cst.AssignTarget(target=target)], value=cst.Name(value=name)):
                    found[attribute_of(target, receiver(method))] = classes.default(method, name)
    return found


def tests(
    classes: Classes, self_name: str, held: Mapping[str, Concrete], functions: Mapping[str, str]
) -> list[cst.BaseExpression]:
    """The tests whether attributes hold objects of exactly these classes, and attributes and arguments exactly these functions."""
    texts = [f"type({self_name}.{attribute}) is {classes.names[concrete.cls]}" for attribute, concrete in sorted(held.items())]
    texts += [f"{path} is {name}" for path, name in sorted(functions.items())]
    return [cst.parse_expression(text) for text in texts]


def binds(lines: Sequence[cst.BaseStatement], paths: Container[str | None]) -> bool:
    """Whether statements assign to some access paths."""
    targets = (
        target
        for line in lines
        for node, _parent in walk(line)
        if isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign))
        for target in elements(node.target)
    )
    return any(path_of(target) in paths for target in targets)


class Ahead(NamedTuple):
    """What a loop reads of held objects. `objects`: those attributes; `bound`: the statements that bind variables to it; `loop`: the
    loop with these variables."""

    objects: dict[str, Concrete]
    bound: Sequence[cst.BaseStatement]
    loop: list[cst.BaseStatement]


def read_ahead(
    lines: Sequence[cst.BaseStatement], self_name: str, held: Mapping[str, Concrete], fresh: Callable[[str], str]
) -> Ahead | None:
    """Let variables take what a loop reads of held objects; None if the loop changes them, or does something else with them."""
    variables = dict[tuple[str, str], str]()
    for line in lines:
        for node, parent in walk(line):
            match node:
                case cst.AssignTarget(target=target) | cst.AugAssign(target=target) | cst.AnnAssign(target=target):
                    if any(attribute_of(inner, self_name) in held for t in elements(target) for inner, _above in walk(t)):
                        return None
                case cst.Attribute(attr=cst.Name(value=name), value=base) if (owner := attribute_of(base, self_name)) in held:
                    called = isinstance(parent, cst.Call) and parent.func is node
                    if called or held[owner].method(name) is not None:
                        return None
                    if (owner, name) not in variables:
                        variables[owner, name] = fresh(f"{owner.strip('_')}_{name.strip('_')}")
    bound = [
        builders.assigned((variable,), builders.dotted(f"{self_name}.{owner}.{name}"))
        for (owner, name), variable in variables.items()
    ]
    reading = _Reading(self_name, variables)
    written = [line.visit(reading) for line in lines]
    objects = {owner: held[owner] for owner, _name in variables}
    return Ahead(objects, bound, [line for line in written if isinstance(line, cst.BaseStatement)])


def attribute_of(node: cst.CSTNode, self_name: str) -> str:
    """The attribute in `self.loss`; "" for any other expression."""
    match node:
        case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attribute)) if name == self_name:
            return attribute
    return ""


class _Reading(cst.CSTTransformer):
    """Reads variables in place of the attributes of held objects."""

    def __init__(self, self_name: str, variables: Mapping[tuple[str, str], str]) -> None:
        super().__init__()
        self.self_name, self.variables = self_name, variables

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        key = attribute_of(original_node.value, self.self_name), original_node.attr.value
        return cst.Name(self.variables[key]) if key in self.variables else updated_node
