"""What the decorators of a project do: many return the function as it is, such as `@export` or `@register("name")`.

"m.f()" is what a call of "m.f" returns, and "m.f()[0]" an element of that. `export, __all__ = exporter()` makes "m.export" another
name of "m.exporter()[0]"; `due = Collector()` makes "m.due.cite" one of "m.Collector().cite".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from itertools import islice

import libcst as cst

from ...rules.syntax.tree import children, remembered
from .scopes import Scopes
from .source import Source

TOLD = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})  # the same for a compiled function


class Effect(Enum):
    """What a decorator does with a function."""

    SAME = auto()  # it returns the function, and forgets it
    RETAINED = auto()  # it returns the function, or one that does the same, and may store or call it
    CALLED = auto()  # it returns another function, which calls this one and returns its result
    CHANGED = auto()  # it returns another function, which calls this one and may return something else


UNWRAPPED = (Effect.SAME, Effect.RETAINED)
OF_LIBRARIES = {
    "atexit.register": Effect.RETAINED,
    "deprecated.deprecated()": Effect.RETAINED,
    "deprecation.deprecated()": Effect.RETAINED,
    "duecredit.due.dcite()": Effect.RETAINED,
    "line_profiler.profile": Effect.RETAINED,
    "memory_profiler.profile": Effect.RETAINED,
    "typing.final": Effect.SAME,
    "typing.no_type_check": Effect.SAME,
    "typing_extensions.deprecated()": Effect.RETAINED,
    "warnings.deprecated()": Effect.RETAINED,
}


def worst(effects: Iterable[Effect | None]) -> Effect | None:
    """What one of several decorators may do; None if one of them may do anything."""
    found = [*effects]
    order = [*Effect]
    return None if None in found else max((e for e in found if e is not None), key=order.index, default=None)


class Use(Enum):
    """What is done with a name that stands for a function."""

    NAMED = auto()
    RETURNED = auto()
    CALLED = auto()
    STORED = auto()
    OTHER = auto()


def effects(source: Source, scopes: Scopes) -> tuple[tuple[str, Effect], ...]:
    """The decorators that a file defines, where it is known what they do."""
    found: list[tuple[str, Effect]] = []
    for node in source.module.body:
        if isinstance(node, cst.FunctionDef):
            found += _effects(node, f"{source.name}.{node.name.value}", source, scopes)
        elif isinstance(node, cst.ClassDef) and not node.decorators:
            assigned = {
                n.attr.value for target in source.among(source.module, cst.AssignTarget) for n in _attributes(target.target)
            }
            for method in node.body.body:
                if isinstance(method, cst.FunctionDef) and method.name.value not in assigned:
                    name = f"{source.name}.{node.name.value}().{method.name.value}"
                    found += _effects(method, name, source, scopes, bound=True)
    return tuple(found)


def _effects(
    function: cst.FunctionDef, name: str, source: Source, scopes: Scopes, bound: bool = False
) -> Iterator[tuple[str, Effect]]:
    if function.decorators:
        return
    effect = _effect(function, source, scopes, bound)
    if effect is not None:
        yield name, effect
    yield from ((f"{name}(){path}", effect) for path, effect in _returned_decorators(function, source, scopes))


def _attributes(target: cst.BaseExpression) -> list[cst.Attribute]:
    elements = target.elements if isinstance(target, (cst.Tuple, cst.List)) else ()
    return [target] if isinstance(target, cst.Attribute) else [a for e in elements for a in _attributes(e.value)]


def renamed(source: Source, scopes: Scopes) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The variables of a module that are bound to the result of a call or to an element of it, or to one of several such results and
    imported names: an import that may fail has a replacement."""
    found = []
    for name, bindings in scopes.opened_by(source.module).names.items():
        targets = [_target(binding, name, source, scopes) for binding in bindings]
        known = tuple(target for target in targets if target is not None)
        if any(isinstance(b, cst.AssignTarget) for b in bindings) and len(known) == len(targets):
            found.append((f"{source.name}.{name}", known))
    return tuple(found)


def _target(binding: cst.CSTNode, name: str, source: Source, scopes: Scopes) -> str | None:
    """What a variable is bound to: the result of a call, an element of it, or what it is imported as."""
    if isinstance(binding, cst.ImportAlias):
        return scopes.imported(binding)
    line = source.parents[binding]
    if isinstance(binding, cst.AssignTarget) and isinstance(line, cst.Assign) and isinstance(line.value, cst.Call):
        function = scopes.qualname(line.value.func)
        path = {name: path for path, name in _names(binding.target)}.get(name)
        return f"{function}(){path}" if function is not None and path is not None else None
    return None


def applied(node: cst.FunctionDef | cst.ClassDef, source: Source, scopes: Scopes) -> tuple[str, ...]:
    """The decorators of a definition in the notation above; "?" for one that is not a name."""
    found = []
    for decorator in node.decorators:
        named, call = decorator.decorator, ""
        if isinstance(named, cst.Call):
            named, call = named.func, "()"
        local = f"{source.name}.{named.value}" if isinstance(named, cst.Name) else "?"
        found.append((scopes.qualname(named) or local) + call)
    return tuple(found)


def _effect(function: cst.FunctionDef, source: Source, scopes: Scopes, bound: bool = False) -> Effect | None:
    """What a function does as a decorator, if it always returns its first argument or always the same function around it. `bound`: it is
    a method, and the argument is its second one."""
    first = next(islice((*function.params.posonly_params, *function.params.params), int(bound), None), None)
    returned = _returned(function)
    if first is None:
        return None
    uses = _uses(function, first.name.value, source, scopes)
    if ("", first.name.value) in returned:
        return None if Use.OTHER in uses else Effect.RETAINED if uses - {Use.RETURNED} else Effect.SAME
    inner = next((n for n in _defined(function) if ("", n.name.value) in returned), None)
    if inner is None or uses - {Use.CALLED} or any(not _is_wraps(_function(d.decorator)) for d in inner.decorators):
        return None
    results = _results(inner)
    passed = all(_calls(value, first.name.value, inner, scopes) for value in results)
    return Effect.CALLED if results and passed else Effect.CHANGED


def _returned_decorators(function: cst.FunctionDef, source: Source, scopes: Scopes) -> Iterator[tuple[str, Effect]]:
    """The decorators defined in a function that it always returns, at which path."""
    returned = _returned(function)
    for inner in _defined(function):
        effect = None if inner.decorators else _effect(inner, source, scopes)
        if effect is not None and _uses(function, inner.name.value, source, scopes) <= {Use.RETURNED}:
            yield from ((path, effect) for path, name in returned if name == inner.name.value)


def _uses(function: cst.FunctionDef, name: str, source: Source, scopes: Scopes) -> set[Use]:
    """What is done with a local function, besides asking for its name."""
    if len(scopes.opened_by(function).names.get(name, ())) != 1:
        return {Use.OTHER}
    nodes = (n for n in source.among(function.body, cst.Name) if n.value == name and not source.is_label(n))
    return {_use(n, source) for n in nodes} - {Use.NAMED}


def _use(node: cst.Name, source: Source) -> Use:
    parent, outer = islice(source.above(node), 2)
    match parent:
        case cst.FunctionDef():
            return Use.NAMED
        case cst.Return():
            return Use.RETURNED
        case cst.Element() if isinstance(outer, cst.Tuple) and isinstance(source.parents[outer], cst.Return):
            return Use.RETURNED
        case cst.Attribute(attr=attribute):
            told = attribute.value in TOLD or isinstance(outer, cst.AssignTarget)
            return Use.NAMED if told else Use.OTHER
        case cst.Call(func=called) if called is node:
            return Use.CALLED
        case cst.Arg() if isinstance(outer, cst.Call) and _is_wraps(outer.func):
            return Use.NAMED
    return Use.STORED


def _calls(value: cst.BaseExpression, name: str, function: cst.FunctionDef, scopes: Scopes) -> bool:
    """Whether a value is what the function `name` returns, also by a variable that is bound once."""
    if isinstance(value, cst.Name):
        bound = [
            n
            for n in _own(function.body)
            if isinstance(n, cst.Assign) and dict(_names(n.targets[0].target)).get("") == value.value
        ]
        if len(bound) != 1 or len(scopes.opened_by(function).names.get(value.value, ())) != 1:
            return False
        value = bound[0].value
    return isinstance(value, cst.Call) and isinstance(value.func, cst.Name) and value.func.value == name


def _is_wraps(function: cst.BaseExpression) -> bool:
    return (function.attr if isinstance(function, cst.Attribute) else function).deep_equals(cst.Name("wraps"))


def _function(decorator: cst.BaseExpression) -> cst.BaseExpression:
    return decorator.func if isinstance(decorator, cst.Call) else decorator


def _defined(function: cst.FunctionDef) -> list[cst.FunctionDef]:
    return [n for n in function.body.body if isinstance(n, cst.FunctionDef)]


def _returned(function: cst.FunctionDef) -> set[tuple[str, str]]:
    """The names that a function always returns, with the path to each."""
    results = [set(_names(value)) for value in _results(function)]
    return set.intersection(*results) if results else set()


@remembered
def _results(function: cst.FunctionDef) -> Sequence[cst.BaseExpression]:
    """What a function returns; nothing if its end may be reached, or if it is a generator or a coroutine."""
    last = function.body.body[-1]
    last = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    if function.asynchronous is not None or not isinstance(last, cst.Return):
        return ()
    own = list(_own(function.body))
    returns = [n.value for n in own if isinstance(n, cst.Return)]
    if any(isinstance(n, cst.Yield) for n in own):
        return ()
    return [value for value in returns if value is not None] if all(returns) else ()


def _own(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes below a node, without those in nested functions."""
    for child in children(node):
        if not isinstance(child, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            yield child
            yield from _own(child)


def _names(value: cst.BaseExpression) -> list[tuple[str, str]]:
    """A name, or the names in a tuple, with the path to each."""
    if isinstance(value, cst.Name):
        return [("", value.value)]
    elements = value.elements if isinstance(value, (cst.Tuple, cst.List)) else ()
    starred = any(isinstance(e, cst.StarredElement) for e in elements)
    return [(f"[{i}]", e.value.value) for i, e in enumerate(elements) if isinstance(e.value, cst.Name) and not starred]
