"""Times one function of both trees at several sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..inputs.argument_forms import argument_forms
from ..inputs.signature_search import Search
from ..sandbox.process import Ended, TimedOut
from ..sandbox.session import COMPILING, Side, Times
from ..sandbox.staging import FunctionPair
from ..values.calls import Arguments, without_defaults
from ..values.snapshot import Node, walk
from .break_even import Timing, clearly_faster
from .call_sizes import ELEMENTS, Ladder, elements, generated, recorded
from .profit_report import GENERATED, RECORD, RECORDED, FunctionProfit, shortly

ROUNDS = 2  # both versions take turns, so that a busy moment of the machine does not hit one of them alone
MORE_ROUNDS = 2  # after which JAX is said to be slower, where few calls were timed
FEW = 20
MOST_CALLS = 200  # timed at one size, in one round
LARGEST_SHARE = 8  # a call of NumPy may take the budget divided by this; larger sizes are not measured
LATE = "it does not end within"
NO_INSTANCE = "it is a method, and no call with an instance was recorded"


@dataclass(frozen=True, slots=True)
class Limits:
    """`timeout`: seconds for one call. `budget`: seconds for the calls of one function, and again for finding its inputs."""

    timeout: float
    budget: float
    seed: int


@dataclass(slots=True)
class FunctionTiming:
    """The timing of one function. `arrays`: what the converted function gets, "numpy" or "jax"."""

    pair: FunctionPair
    original: Side
    converted: Side
    limits: Limits
    calls: Sequence[Arguments] = ()  # recorded ones
    origin: str = RECORDED  # where they come from
    skipped: Sequence[str] = ()  # why others could not be recorded
    arrays: str = "numpy"
    inputs: str = ""
    reason: str = ""
    advice: str = ""
    keys: bool = False  # the converted function takes a key where the original takes a generator
    notes: list[str] = field(default_factory=list)

    def result(self) -> FunctionProfit:
        """Time it. The result says why, if there is nothing to time."""
        timings: tuple[Timing, ...] = ()
        self.reason = self._obstacle()
        if not self.reason:
            try:
                ladder = self._ladder()
                self.advice = RECORD if ladder is None else ""
                timings = self._climb(ladder) if ladder is not None else ()
            except Ended as problem:
                self.reason = f"the original cannot be run: {problem}"
        contract, notes = self.pair.contract, tuple(dict.fromkeys(self.notes))
        names = (self.pair.file, contract.name, self.pair.line, contract.transform)
        if timings:
            return FunctionProfit(*names, self.inputs, timings, notes=notes)
        return FunctionProfit(*names, reason=self.reason, advice=self.advice)

    def _obstacle(self) -> str:
        """Why neither version can be called, "" if they can."""
        here, there = (side.described[self.pair.file, self.pair.name] for side in (self.original, self.converted))
        if here.error:
            return f"the module cannot be imported: {here.error}"
        if there.error:
            return f"the converted module cannot be imported: {there.error}"
        if here.missing or there.missing:
            return "it is not there after the module is imported"
        return here.kind

    def _ladder(self) -> Ladder | None:
        """Calls to time, from recorded ones or made up; None, with a reason, if there are none."""
        names = self.original.described[self.pair.file, self.pair.name].names
        if self.calls:
            defaults = self.original.defaults(self.pair.file, self.pair.name)
            largest = max(self.calls, key=elements)
            self.inputs = self.origin
            least = 0 if self.origin == RECORDED else ELEMENTS[-1]
            return recorded(without_defaults(largest, names, defaults), self._accepts, least)
        if self.skipped:
            self.reason = f"its calls cannot be stored: {self.skipped[0]}"
            return None
        if "." in self.pair.name and names[:1] in (("self",), ("cls",)):
            self.reason = NO_INSTANCE
            return None
        self.inputs = GENERATED
        return self._generated()

    def _generated(self) -> Ladder | None:
        pair, limits = self.pair, self.limits
        made = argument_forms(pair, self.original.described[pair.file, pair.name], self.original)
        if isinstance(made, str):
            self.reason = made
            return None
        limit = min(limits.timeout, limits.budget / 4)
        search = Search(self.original, pair.file, pair.name, made.by_name, limits.seed, limit)
        search.run(made.forms)
        if not search.models:
            self.reason = search.reason
            return None
        return generated(search.models[0], limits.seed, made.by_name, self._accepts)

    def _accepts(self, call: Arguments) -> bool:
        return not self._numpy(call, 1, 0.0, self._patience()).error

    def _patience(self) -> float:
        return min(self.limits.timeout, self.limits.budget / 4)

    def _climb(self, ladder: Ladder) -> tuple[Timing, ...]:
        """Time the smallest call, the largest that NumPy answers soon enough, and one between."""
        calls = self._affordable(ladder)
        chosen = dict.fromkeys((0, len(calls) // 2, len(calls) - 1)) if calls else {}
        timings = []
        for position in chosen:
            timing = self._timing(calls[position])
            if timing is None:
                break
            timings.append(timing)
        return tuple(timings)

    def _affordable(self, ladder: Ladder) -> list[Arguments]:
        """The calls that do not take NumPy too long. The smallest may take as long as any call may."""
        found: list[Arguments] = []
        before = 0.0
        for step in range(ladder.steps):
            call = ladder.make(step)
            if call is None or (found and elements(call) <= elements(found[-1])):
                continue
            times = self._numpy(call, 1, 0.0, self._patience() if found else self.limits.timeout)
            if times.error:
                why = f"the original fails there: {times.error}" if found else f"the original fails: {times.error}"
                self.reason = self.reason or why
                if found and not times.error.startswith(LATE):  # that NumPy takes too long is no news
                    self.notes.append(f"no larger size than {shortly(elements(found[-1]))} is measured: {why}")
                break
            taken = times.seconds[0]
            if found and taken > self.limits.budget / LARGEST_SHARE:
                break
            found.append(call)
            if before and taken * max(taken / before, 1.0) > self.limits.budget / LARGEST_SHARE:
                break
            before = taken
        return found

    def _timing(self, call: Arguments) -> Timing | None:
        """The times at one size; None, with a reason, if the converted function fails."""
        share = self.limits.budget / 12
        numpy: list[float] = []
        first: list[float] = []
        warm: list[float] = []
        for again in range(ROUNDS + MORE_ROUNDS):
            if again >= ROUNDS and (len(warm) >= FEW or clearly_faster(min(warm), min(numpy))):
                break
            one = self._numpy(call, MOST_CALLS, share, self.limits.timeout)
            other = self._jax(call, fresh=not again, budget=share) if not one.error else one
            if one.error or other.error:
                whose = "the original" if one.error else "the converted function"
                self.reason = f"{whose} fails with {call.summary(self._names())}: {one.error or other.error}"
                self.notes.append(self.reason)
                return None
            numpy += one.seconds
            first += other.seconds[:1]
            warm += other.seconds[1:]
        return Timing(elements(call), min(numpy), first[0], min(warm), call.summary(self._names()))

    def _names(self) -> tuple[str, ...]:
        return self.original.described[self.pair.file, self.pair.name].names

    def _numpy(self, call: Arguments, most: int, budget: float, limit: float) -> Times:
        how = {"most": most, "budget": budget, "guarded": True, "seed": self.limits.seed}
        return self._timed(self.original, call, limit + budget, how)

    def _jax(self, call: Arguments, *, fresh: bool, budget: float) -> Times:
        """Time the converted function: the first call, then warm ones."""
        how = {"least": 3, "most": MOST_CALLS, "budget": budget, "fresh": fresh, "seed": self.limits.seed, "arrays": self.arrays}
        limit = COMPILING * self.limits.timeout + budget
        times = self._timed(self.converted, call, limit, how | {"keys": self.keys})
        if times.error and not self.keys and any(isinstance(part, Node) and part.kind == "random" for part in walk(call.node)):
            self.keys = True
            return self._timed(self.converted, call, limit, how | {"keys": True})
        return times

    def _timed(self, side: Side, call: Arguments, limit: float, how: Mapping[str, object]) -> Times:
        try:
            return side.time(self.pair.file, self.pair.name, call, limit, how)
        except TimedOut:
            return Times((), f"{LATE} {limit:g} s")
        except Ended as problem:
            return Times((), str(problem))
