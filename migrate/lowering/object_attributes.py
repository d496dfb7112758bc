"""Which attributes of an object a loop in one of its methods may treat as variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ...rules.core.dtypes import category
from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ...rules.syntax import builders
from ...rules.syntax.tree import is_callee
from ..analysis.interp.super_calls import ends_in_object
from ..summaries.units import Module, Unit
from ..syntax.reaching_definitions import definitions_enclosing
from ..syntax.source import walk
from .concrete_classes import CUSTOM, Classes, elements, receiver

# These return arrays, never NumPy scalars, whatever their arguments are.
MAKERS = frozenset(
    f"numpy.{name}"
    for name in (
        "zeros ones empty full eye identity array asarray ascontiguousarray arange linspace diag tile repeat outer atleast_1d "
        "atleast_2d atleast_3d zeros_like ones_like empty_like full_like stack vstack hstack column_stack concatenate"
    ).split()
)
MOST_LEVELS = 6  # of methods that `__init__` calls


def is_variable(module: Module, unit: Unit, attribute: str) -> bool:
    """Whether an attribute is a variable that classes of this file bind: no method or property of any class that the object may
    have."""
    facts = module.runs[unit.name].facts
    if not unit.cls:
        return False
    kin = {unit.cls, *facts.hierarchy.kin.get(unit.cls, ())}
    methods = {m for c in kin if c in facts.classes for m in facts.classes[c].methods}
    if {attribute, *CUSTOM} & methods or (cls := class_of(module, unit)) is None:
        return False
    nodes = [cls, *(n for name, n in Classes(module, facts).nodes.items() if name in kin and n is not cls)]
    bound = False
    for node in (n for each in nodes for n in module.source.among(each, cst.FunctionDef, cst.AssignTarget, cst.AnnAssign)):
        match node:
            case cst.FunctionDef(name=cst.Name(value=name)) if name in (attribute, *CUSTOM):
                return False
            case cst.AssignTarget(target=target):
                bound |= any(isinstance(t, cst.Attribute) and t.attr.value == attribute for t in elements(target))
            case cst.AnnAssign(target=cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name))):
                bound |= name == attribute
    return bound


def is_array(module: Module, unit: Unit, attribute: str) -> bool:
    """Whether an attribute is certainly an array and no NumPy scalar, so that `self.x += y` changes it in place."""
    facts = module.runs[unit.name].facts
    nodes, kin = Classes(module, facts).nodes, {unit.cls, *facts.hierarchy.kin.get(unit.cls, ())}
    if not kin <= nodes.keys() or attribute in (a for c in kin for a in facts.classes[c].fields):
        return False
    values: list[cst.BaseExpression | None] = []
    for node in (n for c in sorted(kin) for n in module.source.among(nodes[c], cst.Assign, cst.AnnAssign, cst.For, cst.WithItem)):
        match node:
            case cst.Assign(targets=targets, value=value):
                pairs = [pair for t in targets for pair in _paired(t.target, value)]
            case cst.AnnAssign(target=target, value=value):
                pairs = [(target, value)]
            case cst.For(target=target):
                pairs = [(target, None)]
            case _:
                pairs = []
        values += [v for t, v in pairs for e in elements(t) if isinstance(e, cst.Attribute) and e.attr.value == attribute]
    return bool(values) and all(value is not None and _makes_array(module, value) for value in values)


def _paired(target: cst.BaseExpression, value: cst.BaseExpression) -> list[tuple[cst.BaseExpression, cst.BaseExpression | None]]:
    if isinstance(target, (cst.Tuple, cst.List)):
        if not isinstance(value, (cst.Tuple, cst.List)) or len(value.elements) != len(target.elements):
            return [(target, None)]
        return [p for t, v in zip(target.elements, value.elements, strict=True) for p in _paired(t.value, v.value)]
    return [(target, value)]


def _makes_array(module: Module, node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.IfExp):
        return _makes_array(module, node.body) and _makes_array(module, node.orelse)
    if isinstance(node, cst.Call) and module.scopes.qualname(node.func) in MAKERS:
        return True
    known = next((run.values[node] for run in module.runs.values() if node in run.values), UNKNOWN)
    if known.kind is Kind.ARRAY and known.rank > 0 and not known.number:
        return True
    if not isinstance(node, cst.Name):
        return False
    parents = module.source.parents
    bound = definitions_enclosing(node, parents).of_use(node, node.value, parents)
    made = [_bound_to(definition, node.value) for definition in bound or ()]
    return bool(made) and all(value is not None and _makes_array(module, value) for value in made)


def _bound_to(definition: cst.CSTNode, name: str) -> cst.Call | None:
    """The call whose result a statement binds to a variable."""
    match definition:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=bound))], value=cst.Call() as value) if bound == name:
            return value
    return None


def class_of(module: Module, unit: Unit) -> cst.ClassDef | None:
    return next((n for n in module.source.above(unit.node) if isinstance(n, cst.ClassDef)), None)


def plain_bases(module: Module, unit: Unit) -> bool:
    """Whether no base class can customize the binding of attributes."""
    return ends_in_object(module.runs[unit.name].facts, unit.cls)


def float_before(module: Module, unit: Unit, attribute: str, at: cst.CSTNode) -> bool:
    """Whether an attribute certainly holds floats, or an array of some, right ahead of a statement: a line of the same block binds it, and
    nothing in between may bind it again."""
    block, run = module.source.parents[at], module.runs[unit.name]
    if not isinstance(block, cst.IndentedBlock) or not isinstance(unit.node, cst.FunctionDef):
        return False
    own = receiver(unit.node)
    for statement in reversed(block.body[: block.body.index(at)]):
        match statement:
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute(cst.Name(of), cst.Name(name)))], value=value)]
            ) if of == own and name == attribute:
                made = run.values.get(value, UNKNOWN)
                return made.kind in (Kind.ARRAY, Kind.SCALAR) and category(made.dtype) >= 2
        reads = [module.source.parents[n] for n in module.source.among(statement, cst.Name) if n.value == own]
        if not all(isinstance(n, cst.Attribute) and not is_callee(n, module.source.parents[n]) for n in reads):
            return False  # a method may bind it
        if attribute in _bound_by(statement, own):
            return False
    return False


def may_start(module: Module, unit: Unit, attribute: str, at: cst.CSTNode, concrete: Sequence[str] = ()) -> bool:
    """Whether an attribute that a loop binds ahead of any use has a value before it that the loop can start with: one of the
    same kind. `concrete`: the classes that the object may have, if they are known."""
    facts = module.runs[unit.name].facts
    if float_before(module, unit, attribute, at):
        return True
    known = facts.classes[unit.cls].attrs.get(attribute, UNKNOWN) if unit.cls in facts.classes else UNKNOWN
    if known.kind is not Kind.ARRAY and not (known.kind is Kind.SCALAR and known.dtype):
        return False
    classes = Classes(module, facts)
    if any(_is_none(n, attribute) for c in classes.nodes.values() for n in module.source.among(c, cst.Assign, cst.AnnAssign)):
        return False
    if _bound_before(module, unit, attribute, at):
        return True
    return all(_binds(classes, cls, "__init__", attribute, 0) for cls in concrete or _asked_for(module, unit, classes, at))


def _asked_for(module: Module, unit: Unit, classes: Classes, at: cst.CSTNode) -> list[str]:
    """The classes that the object may have at a statement of a method: `type(self)` may have been asked for."""
    inner = at
    for node in module.source.above(at):
        if node is unit.node:
            break
        if isinstance(node, cst.If) and inner is node.body and (names := asked_for(node.test)):
            return [cls for cls, name in classes.names.items() if name in names]
        inner = node
    return [unit.cls, *(name for name, _written in classes.concrete(unit.cls))]


def asked_for(test: cst.BaseExpression) -> set[str]:
    """The names of the classes in `type(self) is C` and `type(self) in (C, D)`, alone or with a further condition."""
    match test:
        case cst.BooleanOperation(left=left, operator=cst.And()):
            return asked_for(left)
        case cst.Comparison(
            left=cst.Call(func=cst.Name(value="type")),
            comparisons=[cst.ComparisonTarget(operator=cst.Is() | cst.In(), comparator=named)],
        ):
            return {n.value for n in elements(named) if isinstance(n, cst.Name)}
    return set()


def _bound_before(module: Module, unit: Unit, attribute: str, at: cst.CSTNode) -> bool:
    """Whether a statement ahead of another one in its method, or in a block around it, binds the attribute."""
    assert isinstance(unit.node, cst.FunctionDef)
    while at is not unit.node:
        parent = module.source.parents[at]
        assert parent is not None
        if isinstance(parent, cst.IndentedBlock):
            for statement in parent.body[: parent.body.index(at)]:
                if attribute in _bound_by(statement, receiver(unit.node)):
                    return True
        at = parent
    return False


def _binds(classes: Classes, cls: str, name: str, attribute: str, level: int) -> bool:
    """Whether a method, and what it calls of the same object, certainly binds an attribute."""
    return any(_method_binds(classes, cls, name, "", attribute, level)) or any(
        _class_binds(classes.nodes[c], attribute) for c in classes.line(cls) if c in classes.nodes
    )


def _method_binds(classes: Classes, cls: str, name: str, after: str, attribute: str, level: int) -> Iterator[bool]:
    method = classes.method(cls, name, after)
    if method is None or method.kind != "method" or level > MOST_LEVELS:
        return
    for statement in builders.lines(method.node.body):
        yield attribute in _bound_by(statement, receiver(method.node))
        match statement:
            case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call(func=cst.Attribute(value=base, attr=attr)))]):
                if isinstance(base, cst.Name) and base.value == receiver(method.node):
                    yield from _method_binds(classes, cls, attr.value, "", attribute, level + 1)
                elif isinstance(base, cst.Call) and isinstance(base.func, cst.Name) and base.func.value == "super":
                    yield from _method_binds(classes, cls, attr.value, method.owner, attribute, level + 1)
            case cst.SimpleStatementLine(body=[cst.Return(), *_]):
                return
            case _ if any(isinstance(n, cst.Return) for n, _parent in walk(statement)):
                return


def _class_binds(node: cst.ClassDef, attribute: str) -> bool:
    parts = (p for line in builders.lines(node.body) if isinstance(line, cst.SimpleStatementLine) for p in line.body)
    for part in parts:
        match part:
            case cst.Assign(targets=targets):
                if any(isinstance(t.target, cst.Name) and t.target.value == attribute for t in targets):
                    return True
            case cst.AnnAssign(target=cst.Name(value=name), value=value) if value is not None:
                if name == attribute:
                    return True
    return False


def _is_none(node: cst.CSTNode, attribute: str) -> bool:
    """Whether a statement binds an attribute of this name to None."""
    match node:
        case cst.Assign(targets=targets, value=cst.Name(value="None")):
            return any(isinstance(t.target, cst.Attribute) and t.target.attr.value == attribute for t in targets)
        case cst.AnnAssign(target=cst.Attribute(attr=cst.Name(value=name)), value=cst.Name(value="None")):
            return name == attribute
    return False


def _bound_by(statement: cst.CSTNode, owner: str) -> set[str]:
    """The attributes of an object that a statement certainly binds."""
    match statement:
        case cst.SimpleStatementLine(body=parts):
            return {a for part in parts for a in _targets(part, owner)}
        case cst.If(body=body, orelse=cst.If() | cst.Else() as orelse):
            other: Sequence[cst.BaseStatement] = [orelse] if isinstance(orelse, cst.If) else builders.lines(orelse.body)
            return _of_block(builders.lines(body), owner) & _of_block(other, owner)
    return set()


def _of_block(block: Sequence[cst.CSTNode], owner: str) -> set[str]:
    return {a for statement in block for a in _bound_by(statement, owner)}


def _targets(part: cst.CSTNode, owner: str) -> Iterator[str]:
    """The attributes of an object that a small statement binds."""
    targets: list[cst.BaseExpression] = []
    match part:
        case cst.Assign():
            targets = [t for each in part.targets for t in elements(each.target)]
        case cst.AnnAssign() if part.value is not None:
            targets = [part.target]
    for target in targets:
        match target:
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attribute)) if name == owner:
                yield attribute


def first_uses(module: Module, statements: Sequence[cst.BaseStatement], owner: str) -> tuple[set[str], set[str]]:
    """The attributes that statements certainly read before they may bind them, and those that they certainly bind before they may
    read them. What an iteration of a loop reads counts as read, what it binds does not count as bound."""
    source = module.source
    read: set[str] = set()
    bound: set[str] = set()
    perhaps: set[str] = set()  # bound somewhere above

    def use(node: cst.CSTNode, surely: bool) -> None:
        for inner in source.among(node, cst.Attribute):
            if not (isinstance(inner.value, cst.Name) and inner.value.value == owner):
                continue
            enclosing = source.parents[inner]
            while isinstance(enclosing, (cst.Tuple, cst.List, cst.Element)):
                enclosing = source.parents[enclosing]
            if isinstance(enclosing, (cst.AssignTarget, cst.For)) and enclosing.target is not None:
                if source.inside(inner, enclosing.target):
                    continue
            name = inner.attr.value
            if surely and name not in perhaps | bound:
                read.add(name)
            elif not surely and name not in read | bound:
                perhaps.add(name)

    def block(lines: Sequence[cst.BaseStatement], repeated: bool) -> None:
        for line in lines:
            match line:
                case cst.SimpleStatementLine(body=parts):
                    for part in parts:
                        targets = set(_targets(part, owner))
                        if isinstance(part, (cst.Assign, cst.AnnAssign)) and part.value is not None:
                            use(part.value, surely=True)
                        (perhaps if repeated else bound).update(targets - read - perhaps)
                        use(part, surely=True)
                case cst.For(iter=first, body=body) | cst.While(test=first, body=body):
                    use(first, surely=True)
                    block(builders.lines(body), repeated=True)
                    perhaps.update(_stored(line, owner) - read - bound)
                case cst.If(test=test):
                    use(test, surely=True)
                    sure = _bound_by(line, owner) if not repeated else set[str]()
                    for inner in builders.lines(line.body):
                        use(inner, surely=False)
                    if line.orelse is not None:
                        use(line.orelse, surely=False)
                    bound.update(sure - read - perhaps)
                    perhaps.update(_stored(line, owner) - read - bound)
                case _:
                    use(line, surely=False)
                    perhaps.update(_stored(line, owner) - read - bound)

    block(statements, repeated=False)
    return read, bound


def _stored(node: cst.CSTNode, owner: str) -> set[str]:
    """The attributes that some code may bind."""
    return {a for part, _parent in walk(node) for a in _targets(part, owner)}


__all__ = ["asked_for", "class_of", "first_uses", "float_before", "is_array", "is_variable", "may_start", "plain_bases"]
