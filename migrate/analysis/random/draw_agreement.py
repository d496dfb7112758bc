"""Whether equal seeds give equal numbers with keys, too: the draws after one seed are those after the other, as far as they go."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .draw_sequences import Event

DEEPEST = 20  # calls in calls
UNKNOWN = Event("unknown")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Compares sequences of draws. `entry`: what a called function draws from the stream that it gets."""

    entry: Callable[[Event], tuple[Event, ...]]

    def agree(self, one: tuple[Event, ...], other: tuple[Event, ...]) -> bool:
        """Whether one sequence of draws goes on as the other does, or ends before."""
        if not all(self._known(e) for e in (*one, *other)):
            return False
        if len(texts := self._uniform((*one, *other))) <= 1 and "" not in texts:
            return True
        for place, (a, b) in enumerate(zip(one, other, strict=False)):
            if self._same(a, b):
                continue
            last = place + 1 == len(one) == len(other)
            return last and self._alike(a, b)
        return True

    def agrees_with_itself(self, events: tuple[Event, ...], unchanged: Callable[[Event], bool]) -> bool:
        """Whether a sequence is the same whenever the unit runs. `unchanged`: whether the arguments of the unit, as far as an event
        depends on them, are the same each time."""
        if not all(map(self._known, events)):
            return False
        if len(texts := self._uniform(events)) <= 1 and "" not in texts:
            return True
        *first, last = events or (Event("draw", fixed=True),)
        return all(e.fixed or unchanged(e) for e in first) and (last.fixed or unchanged(last) or self._steady(last))

    def _known(self, event: Event, depth: int = DEEPEST) -> bool:
        """Whether the draws of an event are the same whenever its arguments are."""
        if event.kind == "draw":
            return True
        if event.kind == "loop":
            return all(self._known(e, depth) for e in event.body)
        if event.kind == "branch":
            return (
                "?" not in event.names and event.text != "" and all(self._known(e, depth) for arm in event.body for e in arm.body)
            )
        if event.kind != "call" or not depth:
            return False
        entry = self.entry(event)
        return all(self._known(e, depth - 1) for e in entry) and (event.fixed or not self.branches(entry))

    def branches(self, events: Iterable[Event], depth: int = DEEPEST) -> bool:
        """Whether draws depend on conditions."""
        return any(
            e.kind == "branch"
            or self.branches(e.body, depth)
            or (e.kind == "call" and depth > 0 and self.branches(self.entry(e), depth - 1))
            for e in events
        )

    def _steady(self, event: Event, depth: int = DEEPEST) -> bool:
        """Whether an event that is the last one may have any arguments: only its last draw depends on them."""
        if event.kind == "loop":
            return all(e.kind == "draw" and e.fixed for e in event.body)
        if event.kind != "call":
            return event.kind == "draw"
        *first, last = self.entry(event) or (UNKNOWN,)
        return depth > 0 and all(e.fixed and self._known(e) for e in first) and self._steady(last, depth - 1)

    def _uniform(self, events: Iterable[Event]) -> set[str]:
        """The texts of the draws in loops and out of them; "" where there is something else."""
        return {
            text
            for e in events
            for text in (self._uniform(e.body) if e.kind == "loop" else {e.text if e.kind == "draw" and e.fixed else ""})
        }

    def _same(self, one: Event, other: Event) -> bool:
        if one.kind == other.kind and one.kind in ("loop", "branch", "arm"):
            bodies = len(one.body) == len(other.body) and all(map(self._same, one.body, other.body))
            return one.text == other.text and bodies
        return one.kind == other.kind and one.text == other.text

    def _alike(self, one: Event, other: Event) -> bool:
        """Whether two different events, after which nothing is drawn, give equal numbers as far as they go."""
        if one.kind != other.kind:
            return False
        if one.kind == "draw":
            return True
        if one.kind != "call":
            return False
        if one.callee == other.callee:
            return self._steady(one)
        if self.passes_on(one) and self.passes_on(other):
            return True  # independent calls: their order does not matter
        return self.agree(self.entry(one), self.entry(other)) and all(
            e.fixed for e in (*self.entry(one)[:-1], *self.entry(other)[:-1])
        )

    def passes_on(self, event: Event) -> bool:
        """Whether a function only calls others that draw."""
        return event.kind == "call" and not event.parameter and all(e.kind == "call" for e in self.entry(event))

    def simple(self, events: Iterable[Event]) -> bool:
        """Whether all events are draws, perhaps in loops."""
        return all(e.kind == "draw" or (e.kind == "loop" and self.simple(e.body)) for e in events)
