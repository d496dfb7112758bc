"""What a unit draws from each random stream, in order: after each seed, and from the streams that its callers pass to it.

In NumPy, equal seeds followed by equal draws give equal numbers. The linker compares the draws that follow seeds which may be equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ...rules import random_table
from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN, Value
from ..analysis.random.draw_sequences import DrawnInOrder, DrawSequence, Event, Passed, Seed
from ..analysis.random.evaluation_order import conditional_parts, evaluated
from ..analysis.random.generators import RANDOM_STATE, is_generator
from ..analysis.random.key_plan import statements_of
from ..analysis.random.seed_values import LOOPS, NESTED, SeedValues
from ..analysis.state.access_paths import path_of
from ..analysis.state.interpreter_state import Run
from ..analysis.state.node_facts import GLOBAL_STATE, Site
from ..syntax.bindings import parameters
from ..syntax.scopes import Scopes
from .module_summary import is_main_guard
from .random_streams import Found

NORMAL = frozenset("normal standard_normal randn".split())  # these take as much of the stream, for results of the same shape
UNIFORM = frozenset("uniform random rand random_sample ranf sample".split())
LEAVING = (cst.Break, cst.Continue)


@dataclass(slots=True)
class Sequencer:
    """Finds the sequences of draws of one unit."""

    run: Run
    unit: cst.FunctionDef | cst.Module
    found: Found
    scopes: Scopes
    values: SeedValues

    def sequences(self) -> Iterator[DrawSequence]:
        """The sequences after each seed in the unit, and those of the streams that the callers pass to it."""
        run = self.run
        for site in self.found.sites:
            if site.seeds and isinstance(site.node, cst.Call):
                fact = run.call_graph.calls.get(site.node)
                legacy = not self.found.streams.variables
                if fact is None:
                    yield self._seeded(
                        site.node, GLOBAL_STATE, legacy, self.values.seed(site.seed, site.node) if site.seed is not None else None
                    )
                else:
                    yield self._seeded(site.node, GLOBAL_STATE, legacy, Seed(), fact.callee)
        for node, value in run.values.items():
            if isinstance(node, cst.Call) and is_generator(value):
                made, given = node in run.random.makers, run.random.makers.get(node)
                if made and (given is None or run.values.get(given, UNKNOWN).kind is Kind.NONE):
                    continue  # a seed from the operating system
                if made and given is not None and is_generator(run.values.get(given, UNKNOWN)) and given not in run.random.either:
                    continue  # that generator
                legacy = value.name == RANDOM_STATE
                if made and given is not None:
                    yield self._made(node, legacy, self.values.seed(given, node), "")
                elif node in run.call_graph.calls:
                    yield self._made(node, legacy, Seed(), run.call_graph.calls[node].callee)
        body = self._body(self.unit)
        for parameter, value in run.unit.bound.items():
            if parameter in run.params and is_generator(value):
                yield DrawSequence(value.name == RANDOM_STATE, None, parameter, self._following(body, 0, parameter))
        for stream in sorted({s.stream for s in self.found.sites if "." in s.stream and not s.seeds}):
            name = stream.rpartition(".")[2]
            yield DrawSequence(False, None, stream, self._following(body, 0, stream), attribute=name)
        if run.unit.in_function:
            yield DrawSequence(not self.found.streams.variables, None, "", self._following(body, 0, GLOBAL_STATE))

    def passed(self) -> Iterator[Passed]:
        """What the unit passes to functions of the project."""
        for node, fact in self.run.call_graph.calls.items():
            if isinstance(node, cst.Call) and not fact.starred:
                again = self.values.loop(node) is not None
                given = dict(self._arguments(node, fact.args))
                yield Passed(fact.callee, "", Seed(), again, self._place(node))
                for parameter, argument in given.items():
                    seed = self.values.seed(argument, node)
                    yield Passed(fact.callee, parameter, seed, again and not seed.distinct, self._place(node))

    def _arguments(self, call: cst.Call, args: Iterable[tuple[str, Value]]) -> Iterator[tuple[str, cst.BaseExpression]]:
        """The arguments of a call with their parameters."""
        left = [p for p, _v in args]
        given = [a for a in call.args if not a.star]
        for argument in given:
            if argument.keyword is not None:
                yield argument.keyword.value, argument.value
        named = {a.keyword.value for a in given if a.keyword is not None}
        receiver = len(left) - len(given)  # `self`
        places = [p for p in left if p not in named]
        plain = [a.value for a in given if a.keyword is None]
        yield from zip(places[max(receiver, 0) :], plain, strict=False)

    def _given(self, call: cst.Call) -> tuple[tuple[str, Seed], ...]:
        """The values that a call passes, by parameter."""
        fact = self.run.call_graph.calls.get(call)
        return () if fact is None else tuple((p, self.values.seed(v, call)) for p, v in self._arguments(call, fact.args))

    def _seeded(self, call: cst.Call, stream: str, legacy: bool, seed: Seed | None, maker: str = "") -> DrawSequence:
        """The draws after a statement that seeds a stream."""
        first = (self._call(call, maker, ""),) if maker else ()
        arguments = self._given(call) if maker else ()
        events = first + self._after(call, stream)
        seed = Seed("system") if seed is None else seed
        return DrawSequence(
            legacy,
            seed,
            stream,
            events,
            self.values.again(call, seed),
            self._plain(call),
            maker=maker,
            arguments=arguments,
            place=self._place(call),
        )

    def _made(self, call: cst.Call, legacy: bool, seed: Seed, maker: str) -> DrawSequence:
        """The draws from a generator that a call creates."""
        arguments = self._given(call) if maker else ()
        again = self.values.again(call, seed)
        plain = self._plain(call)
        parents = self.run.source.parents
        holder = parents.get(call)
        while isinstance(holder, (cst.IfExp, cst.BooleanOperation)):
            holder = parents.get(holder)
        match holder:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) | cst.AnnAssign(target=cst.Name(value=name)):
                if name in self._shared():
                    return DrawSequence(legacy, seed, "", (Event("unknown"),), again, maker=maker, arguments=arguments)
                return DrawSequence(legacy, seed, name, self._after(call, name), again, plain, maker=maker, arguments=arguments)
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute(attr=cst.Name(value=name)))]):
                return DrawSequence(legacy, seed, "", (), again, attribute=name, maker=maker, arguments=arguments)
            case cst.Attribute() as method if parents.get(call) is method:
                drawn = parents.get(method)
                site = None if drawn is None else self.run.random.sites.get(drawn)
                if drawn in self.run.random.spawns:  # the children are independent of it, and nothing else draws from it
                    return DrawSequence(legacy, seed, "", (), again, plain, maker=maker, arguments=arguments)
                event = Event("unknown") if site is None or site.draw is None else self._drawn(site)
                return DrawSequence(legacy, seed, "", (event,), again, plain, maker=maker, arguments=arguments)
            case cst.Arg() as argument if parents.get(call) is argument and isinstance(outer := parents.get(argument), cst.Call):
                if outer in self.run.call_graph.calls:
                    fact = self.run.call_graph.calls[outer]
                    parameter = next((p for p, v in self._arguments(outer, fact.args) if v is call), "")
                    event = self._call(outer, fact.callee, parameter) if parameter else Event("unknown")
                    return DrawSequence(legacy, seed, "", (event,), again, plain, maker=maker, arguments=arguments)
            case cst.Return():
                return DrawSequence(legacy, seed, "", (), again, returned=True, maker=maker, arguments=arguments)
        return DrawSequence(legacy, seed, "", (Event("unknown"),), again, maker=maker, arguments=arguments)

    def _shared(self) -> frozenset[str]:
        """Variables of the module that hold generators."""
        return frozenset(v.rpartition(".")[2] for v in self.found.streams.variables)

    def _plain(self, node: cst.CSTNode) -> bool:
        statement = next((n for n in (node, *self.values.above(node)) if isinstance(n, cst.SimpleStatementLine)), None)
        above = None if statement is None else self.run.source.parents.get(statement)
        return above is self.unit or above is getattr(self.unit, "body", None)

    def _body(self, node: cst.CSTNode) -> Sequence[cst.CSTNode]:
        body = getattr(node, "body", ())
        if isinstance(body, cst.BaseSuite):
            return statements_of(body) or ([*body.body] if isinstance(body, cst.SimpleStatementSuite) else ())
        return body if isinstance(body, (list, tuple)) else ()

    def _after(self, call: cst.Call, stream: str) -> tuple[Event, ...]:
        """The draws after the statement of a call, until the stream is bound again."""
        at: cst.CSTNode | None = next((n for n in self.values.above(call) if isinstance(n, cst.BaseStatement)), None)
        events: list[Event] = []
        while at is not None and at is not self.unit:
            suite = self.run.source.parents.get(at)
            owner = self.unit if suite is self.unit else self.run.source.parents.get(suite) if suite is not None else None
            block = suite.body if isinstance(suite, (cst.IndentedBlock, cst.Module)) else ()
            rest = self._following(block, block.index(at) + 1, stream) if at in block else (Event("unknown"),)
            events += rest
            if rest and rest[-1].kind == "end":
                return tuple(events[:-1])
            while isinstance(owner, (cst.Else, cst.Finally, cst.ExceptHandler)):
                owner = self.run.source.parents.get(owner)
            if owner is self.unit or owner is None or isinstance(owner, NESTED):
                break
            if isinstance(owner, LOOPS):
                body = self._following(self._body(owner), 0, stream)
                if body and body[0].kind != "end":
                    events.append(Event("unknown"))
            at = owner
        return tuple(events)

    def _following(self, block: Sequence[cst.CSTNode], start: int, stream: str) -> tuple[Event, ...]:
        """The events of statements, with an event "end" where the stream is certainly bound again."""
        events: list[Event] = []
        for statement in block[start:]:
            bound = stream in self.found.binds.get(statement, ())
            if isinstance(statement, cst.SimpleStatementLine) or bound:
                events += self._expression(statement, stream)
                if bound:
                    seeding = [
                        self._place(n.node) for n in self.found.sites if n.seeds and self.run.source.inside(n.node, statement)
                    ]
                    events = [e for e in events if e.kind != "call" or e.place not in seeding]
                    return (*events, Event("end" if isinstance(statement, cst.SimpleStatementLine) else "unknown"))
                continue
            events += self._statement(statement, stream)
        return tuple(events)

    def _statement(self, statement: cst.CSTNode, stream: str) -> list[Event]:
        """The events of a compound statement."""
        if any(stream in streams and self.run.source.inside(node, statement) for node, streams in self.found.binds.items()):
            return [Event("unknown")]
        match statement:
            case cst.FunctionDef() | cst.ClassDef():
                if isinstance(self.unit, cst.Module):
                    return []
                return self._wrapped("branch", self._expression(statement, stream))
            case cst.If() if is_main_guard(statement):
                return list(self._following(self._body(statement), 0, stream))
            case cst.For():
                body = list(self._following(self._body(statement), 0, stream))
                text, fixed = self._iterations(statement.iter)
                return [*self._expression(statement.iter, stream), *self._looped(statement, text, fixed, body, stream)]
            case cst.While():
                body = [*self._expression(statement.test, stream), *self._following(self._body(statement), 0, stream)]
                return self._looped(statement, None, False, body, stream)
            case cst.With():
                items = [e for item in statement.items for e in self._expression(item, stream)]
                return [*items, *self._following(self._body(statement), 0, stream)]
            case cst.If():
                return [*self._expression(statement.test, stream), *self._branch(statement, stream)]
        return self._wrapped("branch", self._expression(statement, stream))

    def _branch(self, statement: cst.If, stream: str) -> list[Event]:
        """The arms of an `if`, in which something is drawn."""
        arms = [self._following(self._body(statement), 0, stream)]
        match statement.orelse:
            case cst.If() as other:
                arms.append((*self._expression(other.test, stream), *self._branch(other, stream)))
            case cst.Else() as other:
                arms.append(self._following(self._body(other), 0, stream))
        if not any(arms):
            return []
        text, _fixed = self.values.text(statement.test)
        names = self.values.needs(statement.test)
        return [Event("branch", text or "", body=tuple(Event("arm", body=arm) for arm in arms), names=names)]

    def _wrapped(self, kind: str, body: Sequence[Event]) -> list[Event]:
        return [Event(kind, body=tuple(body))] if body else []

    def _iterations(self, iterable: cst.BaseExpression) -> tuple[str | None, bool]:
        """How often a loop runs: the text of its iterable."""
        if isinstance(iterable, cst.Call) and self.scopes.qualname(iterable.func) == "builtins.range":
            parts = [self.values.text(a.value) for a in iterable.args]
            if all(text is not None for text, _fixed in parts):
                return f"range({','.join(t or '' for t, _fixed in parts)})", all(fixed for _text, fixed in parts)
            return None, False
        return self.values.text(iterable)

    def _looped(
        self, loop: cst.For | cst.While, text: str | None, fixed: bool, body: Sequence[Event], stream: str
    ) -> list[Event]:
        if not body:
            return []
        leaves = any(isinstance(n, LEAVING) for n in self.run.source.below(loop.body))
        after = [] if loop.orelse is None else self._wrapped("branch", self._expression(loop.orelse, stream))
        shown = f"{self.run.name}?{self._place(loop)}" if text is None or leaves else text
        names = self.values.needs(loop.iter) if isinstance(loop, cst.For) and text is not None and not leaves else frozenset("?")
        names = names.union(*(e.names for e in body))
        return [Event("loop", shown, fixed and not leaves, body=tuple(body), names=names), *after]

    def _place(self, node: cst.CSTNode) -> int:
        return self.run.source.spans[node][0] if node in self.run.source.spans else id(node)

    def _expression(self, node: cst.CSTNode, stream: str) -> list[Event]:
        """The events in an expression or a simple statement, in the order of evaluation."""
        parts = self.run.source.among(node, cst.Call, cst.Name, cst.Attribute)
        found: dict[cst.CSTNode, Event] = {part: event for part in parts if (event := self._event(part, stream)) is not None}
        if not found:
            return []
        unsure = {
            p for part in self.run.source.below(node) for where in conditional_parts(part) for p in self.run.source.below(where)
        }
        order = found if len(found) == 1 else [p for p in evaluated(node) if p in found]
        return [Event("branch", body=(found[p],)) if p in unsure else found[p] for p in order]

    def _event(self, node: cst.CSTNode, stream: str) -> Event | None:
        """What a call, or a use of the generator, draws from a stream."""
        site = self.run.random.sites.get(node)
        mine = site is not None and site.draw is not None and self._stream(site) == stream
        if site is not None and mine:
            return self._drawn(site)
        if isinstance(node, cst.Call):
            fact = self.run.call_graph.calls.get(node)
            if fact is None:
                return None
            given = [(p, v) for p, v in self._arguments(node, fact.args) if path_of(v) == stream]
            if stream == GLOBAL_STATE:
                return self._call(node, fact.callee, "")
            return self._call(node, fact.callee, given[0][0]) if len(given) == 1 else Event("unknown") if given else None
        if any(s.node is node and s.stream == stream and not s.seeds for s in self.found.sites):
            argument = self.run.source.parents.get(node)
            outer = self.run.source.parents.get(argument) if isinstance(argument, cst.Arg) else None
            return None if outer in self.run.call_graph.calls and stream != GLOBAL_STATE else Event("unknown")
        return None

    def _stream(self, site: Site) -> str:
        return next((s.stream for s in self.found.sites if s.node is site.node), site.stream)

    def _drawn(self, site: Site) -> Event:
        """A draw: which distribution, and how many numbers."""
        node = cst.ensure_type(site.node, cst.Call)
        assert site.draw is not None
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else cst.ensure_type(node.func, cst.Name).value
        given, _why = random_table.bind(site.draw, node.args)
        family = "normal" if name in NORMAL else "uniform" if name in UNIFORM else name
        size = given.get("size", given.get("*d"))
        if family != name or name in NORMAL | UNIFORM:
            others = [v for p, v in given.items() if p not in ("size", "*d")]
            single = all(self.run.values.get(v, UNKNOWN).kind is Kind.SCALAR for v in others)
            if size is None and single:
                return Event("draw", f"{family} 1", True)
            if size is not None:
                parts = [e.value for e in size.elements] if isinstance(size, (cst.Tuple, cst.List)) else [size]
                numbers = [self.values.literal(p) for p in parts]
                count = 1
                for number in numbers:
                    count *= number if number is not None else 1
                if None not in numbers:
                    return Event("draw", f"{family} {count}", True)
                text, fixed = self.values.text(size)
                return Event("draw", f"{family} {self._shown(text, node)}", fixed, names=self.values.needs(size))
        texts = [(p, *self.values.text(v)) for p, v in given.items()]
        shown = ",".join(f"{p}={self._shown(t, node)}" for p, t, _fixed in sorted(texts))
        return Event("draw", f"{family} {shown}", all(fixed for _p, _t, fixed in texts), names=self.values.needs(*given.values()))

    def _shown(self, text: str | None, node: cst.CSTNode) -> str:
        return f"{self.run.name}?{self._place(node)}" if text is None else text

    def _call(self, node: cst.Call, callee: str, parameter: str) -> Event:
        """A call that may draw from a stream."""
        parts: list[tuple[str | None, bool]] = []
        for argument in node.args:
            if is_generator(self.run.values.get(argument.value, UNKNOWN)):
                parts.append(("rng", True))
            else:
                parts.append(self.values.text(argument.value))
        shown = ",".join(self._shown(text, node) for text, _fixed in parts)
        fixed = all(f for _t, f in parts) and not isinstance(node.func, cst.Attribute)
        others = [a.value for a in node.args if not is_generator(self.run.values.get(a.value, UNKNOWN))]
        names = self.values.needs(*others) if not isinstance(node.func, cst.Attribute) else frozenset("?")
        return Event("call", f"{callee}({shown})", fixed, callee, parameter, place=self._place(node), names=names)


def find(run: Run, unit: cst.FunctionDef | cst.Module, found: Found, scopes: Scopes) -> DrawnInOrder:
    """What an interpreted unit draws from each stream."""
    if not run.facts.random.compared:
        return DrawnInOrder()
    sequencer = Sequencer(run, unit, found, scopes, SeedValues(run, unit, scopes, run.name))
    defaults: tuple[tuple[str, Seed], ...] = ()
    if isinstance(unit, cst.FunctionDef):
        given = [(p.name.value, p.default) for p in parameters(unit.params) if p.default is not None]
        numbers = [(name, sequencer.values.literal(default)) for name, default in given]
        defaults = tuple((name, Seed("", number)) for name, number in numbers if number is not None)
    return DrawnInOrder(tuple(sequencer.sequences()), tuple(sequencer.passed()), defaults)
