"""Keys for nested functions: one that draws from a generator of the enclosing function gets a key parameter.

`def noisy(y): return y + rng.normal()` becomes `def noisy(y, *, key)`, and each call passes a separate key. All calls of the
function must be known: its name is bound once, and used only to call it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ....rules.facts.random_keys import Keys
from ...syntax.names import collect
from ..state.node_facts import GLOBAL_STATE, MADE_HERE, Site
from .generator_containers import is_element
from .key_assignment import Planner

Inner = cst.FunctionDef | cst.Lambda


@dataclass(slots=True)
class Nested:
    """The nested functions of a unit that draw, and their calls. `planner`: the unit's, which plans the remaining sites."""

    planner: Planner
    nodes: Sequence[cst.CSTNode]
    keys: Keys = field(default_factory=Keys)

    def plan(self) -> Keys:
        """Plan the keys of the unit and of its nested functions, the innermost first."""
        sites = [s for s in self.planner.sites if not s.seeds and s.stream != MADE_HERE]
        while (inner := max((i for s in sites if (i := self._enclosing(s.node))), key=self._depth, default=None)) is not None:
            own = [s for s in sites if self._enclosing(s.node) is inner]
            sites = [s for s in sites if s not in own]
            sites += self._planned(inner, own)
        place = {node: position for position, node in enumerate(self.nodes)}
        self.planner.sites = sorted(sites, key=lambda s: place.get(s.node, -1))
        self._add(self.planner.plan())
        return self.keys

    def _add(self, keys: Keys) -> None:
        self.keys.names.update(keys.names)
        self.keys.splits.extend(keys.splits)
        self.keys.folds.update(keys.folds)
        self.keys.counted.update(keys.counted)
        self.keys.roots.extend(keys.roots)
        self.keys.problems.update(keys.problems)
        self.keys.conditions.update(keys.conditions)

    def _enclosing(self, node: cst.CSTNode) -> Inner | None:
        at = self.planner.parents.get(node)
        while at is not None and at is not self.planner.unit:
            if isinstance(at, (cst.FunctionDef, cst.Lambda)):
                return at
            at = self.planner.parents.get(at)
        return None

    def _depth(self, node: cst.CSTNode) -> int:
        return 0 if (enclosing := self._enclosing(node)) is None else 1 + self._depth(enclosing)

    def _planned(self, inner: Inner, own: list[Site]) -> list[Site]:
        """Plan the keys of one function; return the calls that pass it one, as sites of the enclosing function."""
        local = _bound(inner)
        outside = {s.stream for s in own if s.stream.partition(".")[0] not in local and not is_element(s.stream)}
        why = "it draws in a nested function: pass a generator to that function, and move it to module level"
        calls = self._calls(inner) if outside else []
        if len(outside) > 1 or (outside and not calls) or self._rebound(inner, outside) or inner in self.keys.inner:
            self.keys.problems.setdefault(own[0].node, why)
            return []
        if isinstance(inner, cst.Lambda) and (len(own) > 1 or len(own[0].keys) > 1 or not outside):
            self.keys.problems.setdefault(own[0].node, "it draws more than once in a `lambda`: make it a function")
            return []
        keyword = self._keyword() if outside else ""
        here = [s._replace(stream=GLOBAL_STATE) if s.stream in outside else s for s in own]
        recursive = [c for c in calls if self._enclosing(c) is inner]
        stem = _name(inner, self.planner.parents).strip("_")
        here += [Site(c, GLOBAL_STATE, (stem,)) for c in recursive]
        unit = inner if isinstance(inner, cst.FunctionDef) else self.planner.unit
        planner = Planner(
            unit,
            self.planner.parents,
            self.planner.scopes,
            here,
            self.planner.binds,
            frozenset(),
            self.planner.taken,
            keyword,
            True,
            _never,
        )
        planner.ordered = self.planner.ordered
        if isinstance(inner, cst.Lambda):
            planner.keys.names[own[0].node] = (planner.folded(own[0], keyword),)
        else:
            planner.plan()
        self._add(planner.keys)
        if outside:
            self.keys.inner[inner] = keyword
            self.keys.inner_calls.update(dict.fromkeys(calls, keyword))
        return [Site(c, stream, (stem,)) for c in calls for stream in outside if c not in recursive]

    def _keyword(self) -> str:
        names = ("key", "rng_key", "random_key", "jax_random_key")
        used = self.planner.taken - {self.planner.key}
        return next(n for n in names if n not in used)

    def _calls(self, inner: Inner) -> list[cst.Call]:
        """The calls of a nested function; none unless all its uses are calls."""
        name = _name(inner, self.planner.parents)
        if (
            isinstance(self.planner.unit, cst.Module)
            or not name
            or (isinstance(inner, cst.FunctionDef) and (inner.decorators or inner.asynchronous is not None))
        ):
            return []
        found = []
        definitions = 0
        for node in self.nodes:
            if isinstance(node, (cst.Global, cst.Nonlocal, cst.ClassDef, cst.Yield)):
                return []
            if type(node) is not cst.Name or node.value != name:
                continue
            parent = self.planner.parents.get(node)
            match parent:
                case cst.Call() if parent.func is node:
                    found.append(parent)
                case cst.FunctionDef() if parent.name is node:
                    definitions += 1
                case cst.AssignTarget():
                    definitions += 1
                case cst.Attribute() if parent.attr is node:
                    continue
                case cst.Arg() if parent.keyword is node:
                    continue
                case _:
                    return []
        return found if definitions == 1 else []

    def _rebound(self, inner: Inner, streams: set[str]) -> bool:
        """Whether the function rebinds the generator."""
        within = {id(inner)}
        for statement, bound in self.planner.binds.items():
            at: cst.CSTNode | None = statement
            while at is not None and id(at) not in within:
                at = self.planner.parents.get(at)
            if at is not None and bound & streams:
                return True
        return False


def _bound(inner: Inner) -> frozenset[str]:
    """The names that a function binds, including its parameters."""
    params = inner.params
    every = [*params.posonly_params, *params.params, *params.kwonly_params]
    every += [p for p in (params.star_arg, params.star_kwarg) if isinstance(p, cst.Param)]
    body = frozenset(collect((inner.body,)).bound) if isinstance(inner, cst.FunctionDef) else frozenset[str]()
    return body | {p.name.value for p in every}


def _name(inner: Inner, parents: Mapping[cst.CSTNode, cst.CSTNode | None]) -> str:
    """The name of a function: `def f`, or `f = lambda`; "" for a lambda without a name."""
    if isinstance(inner, cst.FunctionDef):
        return inner.name.value
    match parents.get(inner):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return name
    return ""


def _never(_node: cst.CSTNode) -> bool:
    return False
