"""Which key each draw of a unit uses: where streams are split, and the names of the keys.

A stream is an access path to a key: a variable or attribute that was a generator, or the keyword `key` that replaces NumPy's
global random state. Every site that needs a key runs at most once for each execution of its block, so one split before the first
site provides the keys of all: `noise_key, bar_key = jax.random.split(key, 2)`. In a loop the stream is carried:
`key, noise_key = jax.random.split(key)`. In a comprehension the index of the iteration is folded in.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ....rules.facts.random_keys import Fold, Keys, Split
from ...syntax.names import fresh
from ...syntax.scopes import Scopes
from ...syntax.source import walk
from ..state.node_facts import GLOBAL_STATE, MADE_HERE, Site
from .evaluation_order import evaluated
from .generator_containers import GeneratorLoop, is_element, outlives
from .key_plan import COMPREHENSIONS, Statement, bound_names, clauses_of, statements_of, suites


@dataclass(slots=True)
class Planner:
    """Plans the keys of one unit. `binds`: statement -> streams that it rebinds. `maybe`: streams that may be None, which are
    split only where they are used."""

    unit: cst.FunctionDef | cst.Module
    parents: Mapping[cst.CSTNode, cst.CSTNode | None]
    scopes: Scopes
    sites: Sequence[Site]
    binds: Mapping[cst.CSTNode, frozenset[str]]
    maybe: frozenset[str]
    taken: set[str]
    key: str
    has_key: bool
    seeded: Callable[[cst.CSTNode], bool]  # whether NumPy's state was certainly seeded before a node
    gives: bool = False  # the stream of NumPy's state is live at the end
    ordered: bool = False  # each draw splits its own key, in the order of evaluation
    keys: Keys = field(default_factory=Keys)
    above: dict[cst.CSTNode, set[str]] = field(default_factory=dict)  # node -> streams that are used in it
    binding: dict[cst.CSTNode, set[str]] = field(default_factory=dict)  # node -> streams that are bound in it

    def plan(self) -> Keys:
        sites = [s for s in self.sites if not s.seeds and s.stream != MADE_HERE and self._placed(s)]
        self.sites = sites
        for site in sites:
            self._mark(self.above, site.node, site.stream)
        for statement, streams in self.binds.items():
            for stream in streams:
                self._mark(self.binding, statement, stream)
        sites = self.sites = self._clause_keys(sites)
        for stream in dict.fromkeys(s.stream for s in sites):
            body = self.unit.body if isinstance(self.unit, cst.Module) else self._statements(self.unit.body)
            if body is None:
                found = [s for s in sites if s.stream == stream]
                if len(found) > 1 or len(found[0].keys) > 1 or outlives(stream):
                    self._problem(found[0], "it draws more than once in a function whose body is on the same line")
                else:
                    self.keys.names[found[0].node] = (self._text(stream),)
                continue
            if stream == GLOBAL_STATE and not self.has_key and not all(self.seeded(s.node) for s in sites if s.stream == stream):
                self._root(body)
            self._block(body, stream, later=outlives(stream) or (self.gives and stream == GLOBAL_STATE))
        return self.keys

    def _statements(self, body: cst.BaseSuite) -> Sequence[Statement] | None:
        """The statements of a block, even if they are on the line of its header, unless they bind a stream there."""
        if isinstance(body, cst.SimpleStatementSuite) and body not in self.binds:
            return body.body
        return statements_of(body)

    def _clause_keys(self, sites: Sequence[Site]) -> list[Site]:
        """Assign keys to the sites that draw from a generator over which a comprehension iterates; return the other sites."""
        others, clauses = list[Site](), dict[cst.CompFor, list[Site]]()
        for site in sites:
            clause = next((c for c in self._clauses(site) if site.stream.partition(".")[0] in bound_names(c.target)), None)
            if clause is None:
                others.append(site)
            else:
                clauses.setdefault(clause, []).append(site)
        for enclosing, own in clauses.items():
            if len(own) > 1 or len(own[0].keys) > 1:
                self._problem(own[0], "it draws more than once in an iteration of a comprehension: write it as a loop")
            inner = self._clauses(own[0])
            self.keys.names[own[0].node] = (self.folded(own[0], own[0].stream, inner[inner.index(enclosing) + 1 :]),)
        return others

    def _text(self, stream: str) -> str:
        return self.key if stream == GLOBAL_STATE else stream

    def _problem(self, site: Site, why: str) -> None:
        self.keys.problems.setdefault(site.node, why)

    def _mark(self, table: dict[cst.CSTNode, set[str]], node: cst.CSTNode, stream: str) -> None:
        at: cst.CSTNode | None = node
        while at is not None:
            table.setdefault(at, set()).add(stream)
            at = self.parents.get(at)

    def _placed(self, site: Site) -> bool:
        """Whether a key can be passed to a site: not in a nested function, or in a header that is evaluated elsewhere."""
        below: cst.CSTNode = site.node
        at = self.parents.get(site.node)
        while at is not None and at is not self.unit:
            if isinstance(at, (cst.FunctionDef, cst.Lambda)):
                self._problem(
                    site, "it draws in a nested function: pass a generator to that function, and move it to module level"
                )
                return False
            if isinstance(at, cst.While) and below is at.test and (at.orelse is not None or statements_of(at.body) is None):
                self._problem(site, "it draws in the condition of a `while` loop: draw in the loop's body")
                return False
            below, at = at, self.parents.get(at)
        if isinstance(self.unit, cst.FunctionDef) and below is not self.unit.body:
            self._problem(site, "it draws in a default or a decorator, which are evaluated once")
            return False
        return True

    def _root(self, body: Sequence[Statement]) -> None:
        """Find the first statement that draws without a seed before it: the stream starts there."""
        for statement in body:
            if GLOBAL_STATE in self.above.get(statement, ()):
                self.keys.roots.append(statement)
                return
            if GLOBAL_STATE in self.binding.get(statement, ()):
                if GLOBAL_STATE not in self._simply(statement):
                    self.keys.roots.append(statement)
                return

    def _simply(self, statement: cst.CSTNode) -> frozenset[str]:
        """The streams that a statement certainly binds."""
        return self.binds.get(statement, frozenset()) if isinstance(statement, cst.SimpleStatementLine) else frozenset()

    def _uses(self, statement: cst.CSTNode, stream: str) -> bool:
        return stream in self.above.get(statement, ())

    def _block(self, body: Sequence[Statement], stream: str, later: bool) -> None:
        """Assign keys to the sites of a block. `later`: the stream is live after the block."""
        segment: list[Statement] = []
        for position, statement in enumerate(body):
            segment.append(statement)
            if stream not in self.binding.get(statement, ()):
                continue
            rest = any(self._uses(s, stream) for s in body[position + 1 :])
            if isinstance(statement, cst.SimpleStatementLine):
                self._segment(segment, stream, outlives(stream) or self._may_leave(segment))  # else its value is lost
            else:
                segment.pop()
                self._segment(segment, stream, True)
                self._conditional_blocks(statement, stream, later or rest)
            segment = []
        self._segment(segment, stream, later)

    def _may_leave(self, segment: Sequence[Statement]) -> bool:
        """Whether control may leave a sequence of statements before its end while the stream is live."""
        ways = (cst.Break, cst.Continue, cst.Return) if self.gives else (cst.Break, cst.Continue)
        at = self.parents.get(segment[0])
        while at is not None and at is not self.unit:
            if isinstance(at, (cst.Try, cst.TryStar)):
                return True
            at = self.parents.get(at)
        return any(isinstance(node, ways) for statement in segment for node, _parent in walk(statement))

    def _segment(self, segment: Sequence[Statement], stream: str, later: bool) -> None:
        """Assign keys in statements that do not rebind the stream: one split before the first that needs it."""
        if stream in self.maybe or is_element(stream):  # it may not exist if the statement is not reached
            for position, statement in enumerate(segment):
                if self._uses(statement, stream):
                    rest = any(self._uses(s, stream) for s in segment[position + 1 :])
                    self._conditional_blocks(statement, stream, later or rest)
            return
        used = [s for s in segment if self._uses(s, stream)]
        direct = [site for s in used for site in self._direct(s, stream)]
        loops = [loop for s in used for loop in self._loops(s, stream)]
        if self.ordered:
            for statement in used:
                self._in_order_of_evaluation(statement, stream)
            return
        if direct:
            self._split(used[0], direct, stream, later or bool(loops))
        for loop in loops:
            self._loop(loop, stream)

    def _in_order_of_evaluation(self, statement: Statement, stream: str) -> None:
        """Assign keys in a statement after all that precede it: a split for each draw."""
        if isinstance(statement, cst.With):
            self._conditional_blocks(statement, stream, True)
            return
        if direct := self._direct(statement, stream):
            self._split(statement, direct, stream, True)
        for loop in self._loops(statement, stream):
            self._loop(loop, stream)

    def _evaluated(self, statement: cst.CSTNode, sites: Sequence[Site]) -> list[Site]:
        """Sites of a statement in the order in which Python draws: a function draws after its arguments are evaluated."""
        place = {node: position for position, node in enumerate(evaluated(statement))}

        def order(site: Site) -> int:
            argument = self.parents.get(site.node)
            call = self.parents.get(argument) if site.draw is None and isinstance(argument, cst.Arg) else None
            return place.get(site.node if call is None else call, -1)

        return sorted(sites, key=order)

    def _condition(self, loop: cst.CSTNode, stream: str) -> None:
        """Assign new keys to the condition of a `while` loop in each iteration: the loop evaluates it in its body."""
        if not isinstance(loop, cst.While):
            return
        drawing = [s for s in self.sites if s.stream == stream and self._inside(s.node, loop.test)]
        if drawing:
            self._split(loop, drawing, stream, True, self.keys.conditions.setdefault(loop, []))

    def _loop(self, loop: cst.For | cst.While, stream: str) -> None:
        self._condition(loop, stream)
        if not self._uses(loop.body, stream):
            return
        body = self._statements(loop.body)
        if body is None:
            site = next(s for s in self.sites if s.stream == stream and self._inside(s.node, loop.body))
            self._problem(site, "it draws in a loop whose body is on the same line")
            return
        self._block(body, stream, later=True)

    def _conditional_blocks(self, statement: cst.CSTNode, stream: str, later: bool) -> None:
        """Assign keys in a compound statement that may rebind the stream, or where it may be None: each block separately."""
        if not self._uses(statement, stream):
            return
        self._condition(statement, stream)
        own = [s for s in self._direct(statement, stream) if self._block_of(s.node, statement) is None]
        if own:
            self._split(statement, own, stream, True if not isinstance(statement, cst.SimpleStatementLine) else later)
        for suite, is_loop in suites(statement):
            if not self._uses(suite, stream):
                continue
            is_loop = is_loop or isinstance(statement, (cst.Try, cst.TryStar))  # its handlers may run next
            body = self._statements(suite)
            if body is None:
                site = next(s for s in self.sites if s.stream == stream and self._inside(s.node, suite))
                self._problem(site, "it draws in a block that stands on one line")
            else:
                self._block(body, stream, later or is_loop)

    def _inside(self, node: cst.CSTNode, root: cst.CSTNode) -> bool:
        at: cst.CSTNode | None = node
        while at is not None and at is not root:
            at = self.parents.get(at)
        return at is root

    def _block_of(self, node: cst.CSTNode, statement: cst.CSTNode) -> cst.CSTNode | None:
        """The block of a compound statement that contains a node; None for its header."""
        return next((suite for suite, _loop in suites(statement) if self._inside(node, suite)), None)

    def _direct(self, statement: cst.CSTNode, stream: str) -> list[Site]:
        """The sites in a statement that are not in a loop in it, in source order."""
        found = []
        for site in self.sites:
            if (
                site.stream == stream
                and self._inside(site.node, statement)
                and self._enclosing_loop(site.node, statement) is None
            ):
                found.append(site)
        return found

    def _loops(self, statement: cst.CSTNode, stream: str) -> list[cst.For | cst.While]:
        """The outermost loops in a statement that use the stream in their bodies."""
        found: dict[cst.For | cst.While, None] = {}
        for site in self.sites:
            if site.stream == stream and self._inside(site.node, statement):
                if (loop := self._enclosing_loop(site.node, statement)) is not None:
                    found[loop] = None
        return list(found)

    def _enclosing_loop(self, node: cst.CSTNode, statement: cst.CSTNode) -> cst.For | cst.While | None:
        """The outermost loop, at most `statement` itself, whose body or `while` test contains a node."""
        found: cst.For | cst.While | None = None
        below, at = node, self.parents.get(node)
        inside = node is not statement
        while inside and at is not None:
            if (isinstance(at, (cst.For, cst.While)) and below is at.body) or (isinstance(at, cst.While) and below is at.test):
                found = at
            inside = at is not statement
            below, at = at, self.parents.get(at)
        return found

    def _split(
        self, anchor: cst.CSTNode, sites: Sequence[Site], stream: str, carried: bool, splits: list[Split] | None = None
    ) -> None:
        if self.ordered and (len(sites) > 1 or not carried):
            for site in self._evaluated(anchor, sites):
                self._split(anchor, [site], stream, True, splits)
            return
        required = [(site, stem) for site in sites for stem in site.keys]
        text = self._text(stream)
        if len(required) == 1 and not carried:
            names = [text]
        else:
            if unsure := next((site for site in sites if site.optional), None):
                self._problem(
                    unsure, f"it passes `{stream}`, which may be None, to several: make a generator first where it is None"
                )
            names = [self._name(site, stem) for site, stem in required]
            (self.keys.splits if splits is None else splits).append(Split(anchor, text, self._in_order(required, names), carried))
        for site in sites:
            own = [n for (s, _stem), n in zip(required, names, strict=True) if s is site]
            self.keys.names[site.node] = tuple(self.folded(site, name) for name in own)

    def _in_order(self, required: Sequence[tuple[Site, str]], names: Sequence[str]) -> tuple[str, ...]:
        """The names of the keys in the order of the split; those passed to calls are sorted, so that the order of independent
        calls in the source does not matter."""
        passed = iter(sorted(name for (site, _stem), name in zip(required, names, strict=True) if site.draw is None))
        return tuple(next(passed) if site.draw is None else name for (site, _stem), name in zip(required, names, strict=True))

    def _name(self, site: Site, stem: str) -> str:
        """The name of a key: `noise_key` if the draw is bound to `noise`, otherwise by the purpose of the key."""
        holder = self.parents.get(site.node)
        if isinstance(holder, cst.Assign) and len(holder.targets) == 1 and len(site.keys) == 1:
            target = holder.targets[0].target
            if isinstance(target, cst.Name):
                stem = target.value
        return fresh(f"{stem.strip('_')}_key", self.taken)

    def folded(self, site: Site, name: str, clauses: Sequence[cst.CompFor] | None = None) -> str:
        """The key of a site, with the indices of the enclosing comprehensions folded in."""
        for clause in self._clauses(site) if clauses is None else clauses:
            if clause.asynchronous is not None:
                self._problem(site, "it draws in an asynchronous comprehension")
            name = f"jax.random.fold_in({name}, {self._fold(clause).index})"
        return name

    def _clauses(self, site: Site) -> list[cst.CompFor]:
        """The clauses of the comprehensions that enclose a site, the outermost first."""
        clauses: list[cst.CompFor] = []
        below, at = site.node, self.parents.get(site.node)
        while at is not None and not isinstance(at, (cst.BaseSmallStatement, cst.BaseStatement)):
            if isinstance(at, COMPREHENSIONS) and below is not at.for_in:
                clauses[:0] = clauses_of(at.for_in)
            elif isinstance(at, cst.CompFor) and below is not at.iter:
                clauses.insert(0, at)
            below, at = at, self.parents.get(at)
        return list(dict.fromkeys(clauses))

    def _fold(self, clause: cst.CompFor) -> Fold:
        if clause not in self.keys.folds:
            space = self.scopes.iteration_space(clause)
            counts = space.is_range and space.start is None
            index = space.index if counts and space.index not in ("", "_") else self._index()
            self.keys.folds[clause] = Fold(index, not counts)
        return self.keys.folds[clause]

    def generator_loop(self, keys: Keys, loop: cst.For, generator_loop: GeneratorLoop) -> None:
        """Plan a loop over a list of generators: the key of the iteration is split at the top of the body."""
        body = statements_of(loop.body)
        if body is None or generator_loop.name in bound_names(loop.target) & {generator_loop.index}:
            keys.problems.setdefault(loop, "it draws in a loop whose body is on the same line")
            return
        index = generator_loop.index or self._index()
        if not generator_loop.index:
            keys.counted[loop] = index
        keys.splits.insert(0, Split(body[0], f"{generator_loop.collection}[{index}]", (generator_loop.name,), True))

    def _index(self) -> str:
        names = itertools.chain(("i", "j", "k"), (f"turn_{number}" for number in itertools.count(1)))
        name = next(n for n in names if n not in self.taken)
        self.taken.add(name)
        return name
