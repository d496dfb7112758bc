"""Calls of methods of one object, and of objects that its attributes hold, spelled out as the statements of these methods.

`self.w = self.w + self.gain(x[k])` becomes the statements of `gain`, with variables of their own, and its result in place of the
call; so does `self.loss.gradient(y, p)`, and `self.activation(x)` where the attribute holds an object with `__call__`. Where it holds a function,
or an argument of the method is one, that is called by its name. A method can be inlined if it consists of assignments, branches and loops, and returns at its end or at the ends
of its branches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ...rules.syntax import builders
from ..analysis.state.access_paths import path_of
from ..syntax.names import collect
from ..syntax.source import child_fields, walk
from . import method_effects
from .concrete_classes import Concrete, Method, receiver
from .forms.form import TRANSPARENT
from .held_objects import attribute_of
from .tail_returns import NotStructured, without_returns

MOST_LEVELS = 6  # of methods that call methods


class NotInlined(Exception):
    """A call that cannot be inlined."""


@dataclass(slots=True)
class Seen:
    """What a statement evaluates ahead of the next call, and how many calls follow."""

    calls: int
    nodes: list[cst.CSTNode] = field(default_factory=list)


@dataclass(slots=True)
class Inliner:
    """Inlines the calls of methods of one object in a function. `taken`: the names that mean something there; `local`: those of
    its variables; `pure`: those of modules and functions without side effects; `cls`: the class that defines the function; `held`: the
    objects that attributes hold; `functions`: the names of the functions that attributes and
    arguments hold, by their access paths."""

    object: Concrete
    self_name: str
    taken: set[str]
    local: Collection[str]
    pure: Collection[str]
    cls: str
    held: Mapping[str, Concrete]
    functions: Mapping[str, str]
    met: dict[str, Concrete] = field(default_factory=dict)  # those of which methods were inlined
    called: dict[str, str] = field(default_factory=dict)  # those of the functions that are called
    lines: list[cst.BaseStatement] = field(default_factory=list)
    chosen: dict[tuple[str, str], str] = field(default_factory=dict)
    stack: list[Method] = field(default_factory=list)
    count: int = 0  # of the inlined calls

    def block(self, statements: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """The statements with all calls of methods inlined."""
        outer, self.lines = self.lines, []
        try:
            for statement in statements:
                self.statement(statement)
            return self.lines
        finally:
            self.lines = outer

    def statement(self, node: cst.BaseStatement) -> None:
        if not any(self.sites(node)):
            self.lines.append(node)
            return
        match node:
            case cst.SimpleStatementLine(body=parts):
                for part in parts:
                    self.small(part, node if part is parts[0] else None)
            case cst.If(test=test, body=body, orelse=orelse):
                made = node.with_changes(test=self.evaluated(test), body=self.suite(body))
                if orelse is not None:
                    made = made.with_changes(orelse=self.alternative(orelse))
                self.lines.append(made)
            case cst.For(iter=iterable, body=body, orelse=None) if not any(self.sites(node.target)):
                start = self.evaluated(iterable)
                self.lines.append(node.with_changes(iter=start, body=self.suite(body)))
            case cst.While(test=test, body=body, orelse=None) if not any(self.sites(test)):
                self.lines.append(node.with_changes(body=self.suite(body)))
            case _:
                raise NotInlined

    def suite(self, body: cst.BaseSuite) -> cst.IndentedBlock:
        made = self.block(builders.lines(body))
        return body.with_changes(body=made) if isinstance(body, cst.IndentedBlock) else cst.IndentedBlock(made)

    def alternative(self, orelse: cst.If | cst.Else) -> cst.If | cst.Else:
        if isinstance(orelse, cst.Else):
            return orelse.with_changes(body=self.suite(orelse.body))
        made = self.block([orelse])
        return made[0] if len(made) == 1 and isinstance(made[0], cst.If) else cst.Else(cst.IndentedBlock(made))

    def small(self, node: cst.BaseSmallStatement, line: cst.SimpleStatementLine | None) -> None:
        """One statement of a line; `line`: the line whose comments it keeps."""
        start = len(self.lines)
        seen = Seen(sum(1 for _site in self.sites(node)))
        made: cst.BaseSmallStatement | None
        match node:
            case cst.Assign(targets=targets, value=value) if not any(s for t in targets for s in self.sites(t)):
                made = node.with_changes(value=self.expression(value, seen))
            case cst.AnnAssign(target=target, value=value) if value is not None and not any(self.sites(target)):
                made = node.with_changes(value=self.expression(value, seen))
            case cst.AugAssign(target=target, value=value) if not any(self.sites(target)):
                seen.nodes.append(target)
                made = node.with_changes(value=self.expression(value, seen))
            case cst.Expr(value=value):
                made = self.alone(value, seen)
            case _:
                raise NotInlined
        if made is not None:
            self.lines.append(cst.SimpleStatementLine([made.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]))
        if line is not None and line.leading_lines and len(self.lines) > start:
            first: Any = self.lines[start]
            self.lines[start] = first.with_changes(leading_lines=[*line.leading_lines, *first.leading_lines])

    def alone(self, value: cst.BaseExpression, seen: Seen) -> cst.Expr | None:
        """An expression whose value is not used."""
        if not self.is_site(value):
            return cst.Expr(self.expression(value, seen))
        made = self.call(value, seen, used=False)
        return None if made is None or not any(isinstance(n, cst.Call) for n, _p in walk(made)) else cst.Expr(made)

    def evaluated(self, node: cst.BaseExpression) -> cst.BaseExpression:
        return builders.shut(self.expression(node, Seen(sum(1 for _site in self.sites(node)))))

    def sites(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The calls of methods and the properties in some code."""
        return (inner for inner, _parent in walk(node) if self.is_site(inner))

    def is_site(self, node: cst.CSTNode) -> bool:
        match node:
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attr))) if name == self.self_name:
                return True
            case cst.Call(func=cst.Attribute(value=cst.Call(func=cst.Name(value="super"), args=[]))):
                return True
            case cst.Call(func=cst.Name(value=name)) if name in self.functions:
                return True
            case cst.Call(func=cst.Attribute(value=owner)) if attribute_of(owner, self.self_name) in self.held:
                return True
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attr)) if name == self.self_name:
                found = self.object.method(attr)
                return found is not None and found.kind == "property"
        return False

    def owner(self, site: cst.BaseExpression) -> str:
        """The attribute that holds the object whose method is called; "" for a method of the object itself."""
        match site:
            case cst.Call(func=cst.Attribute(value=inner) as func):
                if (attr := attribute_of(inner, self.self_name)) in self.held:
                    return attr
                attr = attribute_of(func, self.self_name)
                return attr if attr in self.held and self.object.method(attr) is None else ""
        return ""

    def expression(self, node: cst.BaseExpression, seen: Seen) -> cst.BaseExpression:
        made = self.part(node, seen)
        assert isinstance(made, cst.BaseExpression)
        return made

    def part(self, node: cst.CSTNode, seen: Seen) -> cst.CSTNode:
        """A part of an expression, with the calls in it replaced by their results."""
        if not any(self.sites(node)):
            seen.nodes.append(node)
            return node
        if self.is_site(node):
            assert isinstance(node, cst.BaseExpression)
            made = self.call(node, seen, used=True)
            assert made is not None
            return made
        if not isinstance(node, TRANSPARENT) or (isinstance(node, cst.Comparison) and len(node.comparisons) > 1):
            raise NotInlined  # not certainly evaluated
        changes: dict[str, object] = {}
        for name in child_fields(type(node)):
            value = getattr(node, name)
            if isinstance(value, (list, tuple)):
                changes[name] = [self.part(item, seen) for item in value]
            elif isinstance(value, cst.CSTNode) and name not in ("attr", "keyword"):
                changes[name] = self.part(value, seen)
        for name, value in changes.items():
            if isinstance(value, cst.BaseExpression) and value is not getattr(node, name):
                changes[name] = _shut(value, node)
        return node.with_changes(**changes)

    def call(self, site: cst.BaseExpression, seen: Seen, used: bool) -> cst.BaseExpression | None:
        """Add the statements of a method; returns what it returns."""
        if isinstance(site, cst.Call) and (path := path_of(site.func)) in self.functions:
            return self.function(site, path or "", seen)
        method = self.callee(site)
        if method is None or method.key in {m.key for m in self.stack} or len(self.stack) >= MOST_LEVELS:
            raise NotInlined
        if not method_effects.is_plain(method, self.local, self.cls):
            raise NotInlined
        owner = self.owner(site)
        effects = method_effects.find(self.held.get(owner, self.object), method)
        if owner and effects is not None and (effects.binds or effects.in_place):
            raise NotInlined  # the loop reads the attributes of that object ahead
        if effects is None or not method_effects.may_move(effects, seen.nodes, self.self_name, self.pure):
            raise NotInlined  # what is evaluated ahead of the call might come out differently after it
        values = self.arguments(method, site, seen)
        seen.calls -= 1
        self.count += 1
        body = [s for s in builders.lines(method.node.body) if not _is_docstring(s)]
        own = method_effects.own_names(method.node)
        names: dict[str, cst.BaseExpression] = {n: cst.Name(self.variable(method, n)) for n in sorted(own - values.keys())}
        if method.kind != "static":
            of = f"{self.self_name}.{owner}" if owner else self.self_name
            names[receiver(method.node)] = builders.dotted(of)
        self.met |= {owner: self.held[owner]} if owner else {}
        try:
            body, result = without_returns(body, lambda: self.fresh(f"{method.name.strip('_')}_result"))
        except NotStructured:
            raise NotInlined from None
        written = [_renamed(s, {**names, **values}) for s in body]
        self.stack.append(method)
        try:
            for statement in written:
                self.statement(statement)
            if result is None:
                if used:
                    raise NotInlined
                return None
            expression = _renamed(result, {**names, **values})
            inner = Seen(sum(1 for _site in self.sites(expression)))
            made = self.expression(expression, inner)
        finally:
            self.stack.pop()
        if not used or not seen.calls:
            return made
        name = self.fresh(f"{method.name.strip('_')}_result")
        self.lines.append(builders.assigned((name,), builders.opened(made)))
        return cst.Name(name)

    def function(self, site: cst.Call, path: str, seen: Seen) -> cst.BaseExpression:
        """The call of a function that an attribute or an argument holds, by its name. It stays where it is."""
        self.called[path] = self.functions[path]
        self.count += 1
        seen.calls -= 1
        arguments = [self.part(argument, seen) for argument in site.args]
        made = site.with_changes(func=builders.dotted(self.functions[path]), args=arguments)
        seen.nodes.append(made)
        return made

    def callee(self, site: cst.BaseExpression) -> Method | None:
        owner = self.owner(site)
        match site:
            case cst.Attribute(attr=cst.Name(value=attr)):
                return self.object.method(attr)
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=attr))) if owner:
                found = self.held[owner].method("__call__" if attr == owner else attr)
            case cst.Call(func=cst.Attribute(value=cst.Call(), attr=cst.Name(value=attr))):
                found = self.object.method(attr, self.stack[-1].owner if self.stack else self.cls)
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=attr))):
                found = self.object.method(attr)
            case _:
                return None
        return found if found is not None and found.kind != "property" else None

    def arguments(self, method: Method, site: cst.BaseExpression, seen: Seen) -> dict[str, cst.BaseExpression]:
        """Bind the arguments of a call to variables; returns those that can stand for their parameters themselves."""
        params = method.node.params
        if params.star_kwarg is not None or isinstance(params.star_arg, cst.Param):
            raise NotInlined
        listed = [*params.posonly_params, *params.params]
        if method.kind != "static":
            listed = listed[1:]
        given = list(site.args) if isinstance(site, cst.Call) else []
        if any(a.star for a in given) or sum(a.keyword is None for a in given) > len(listed):
            raise NotInlined
        by_name = {p.name.value: p for p in (*listed, *params.kwonly_params)}
        bound = collect([method.node.body]).bound
        values: dict[str, cst.BaseExpression] = {}
        done: set[str] = set()
        for position, argument in enumerate(given):
            name = listed[position].name.value if argument.keyword is None else argument.keyword.value
            if name not in by_name or name in done:
                raise NotInlined
            done.add(name)
            ahead = len(seen.nodes)
            value = self.expression(argument.value, seen)
            del seen.nodes[ahead:]  # bound ahead of the statements of the method, or a variable
            self.bind(method, name, value, name in bound, values)
        for name, param in by_name.items():
            if name in done:
                continue
            if param.default is None or not _is_constant(param.default):
                raise NotInlined
            self.bind(method, name, param.default, name in bound, values)
        return values

    def bind(
        self, method: Method, name: str, value: cst.BaseExpression, bound: bool, values: dict[str, cst.BaseExpression]
    ) -> None:
        if not bound and isinstance(value, (cst.Name, cst.Integer, cst.Float)):
            attributes = (n for n, _p in walk(method.node.body) if isinstance(n, cst.Attribute))
            if isinstance(value, cst.Name) or not any(
                isinstance(a.value, cst.Name) and a.value.value == name for a in attributes
            ):
                values[name] = value
                return
        self.lines.append(builders.assigned((self.variable(method, name),), builders.opened(value)))

    def variable(self, method: Method, name: str) -> str:
        """The variable of the function that stands for a variable of a method."""
        key = (method.key, name)
        if key not in self.chosen:
            self.chosen[key] = self.fresh(name, f"{method.name.strip('_')}_{name}")
        return self.chosen[key]

    def fresh(self, *stems: str) -> str:
        number, name = 1, next((s for s in stems if s not in self.taken), stems[-1])
        while name in self.taken:
            number += 1
            name = f"{stems[-1]}_{number}"
        self.taken.add(name)
        return name


def _renamed(node: Any, names: Mapping[str, cst.BaseExpression]) -> Any:
    return node.visit(builders.Replacing(names))


def _is_docstring(node: cst.BaseStatement) -> bool:
    match node:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString() | cst.Ellipsis())]):
            return True
    return False


def _is_constant(node: cst.BaseExpression) -> bool:
    match node:
        case cst.Integer() | cst.Float() | cst.SimpleString() | cst.Name(value="None" | "True" | "False"):
            return True
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() | cst.Float()):
            return True
    return False


def _shut(value: cst.BaseExpression, parent: cst.CSTNode) -> cst.BaseExpression:
    """The result of a call in place of it."""
    if isinstance(parent, (cst.Arg, cst.Element, cst.Index)):
        return builders.shut(value) if isinstance(value, cst.Tuple) else value
    return builders.operand(value)


__all__ = ["Inliner", "NotInlined"]
