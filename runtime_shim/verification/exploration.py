"""Calls at the boundaries of both versions: chosen by what the original does with them, then compared.

The original is cheap to run, so it is followed line by line on many calls. Those that take a branch or a side of a comparison
that no call took before come first, and are the ones from which further calls are made.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ..inputs.boundary_calls import in_halves, in_lattice, met, mixed, value_calls
from ..inputs.leaves import leaves, same_size
from ..values.calls import Arguments
from ..values.snapshot import Array, Node, variety, walk
from .branches import never_reached
from .differential_run import DifferentialRun
from .steps import Tally
from .stopwatch import BOUNDARIES, FOLLOWED, SIZES, Deadline

MOST_FOLLOWED = 300  # calls of the original that are followed
MOST_KNOWN = 40  # of those, calls that were compared before
MOST_BASES = 6  # from which others are made
MOST_VARIANTS = 110  # made without looking at what they do
MOST_MIXED = 12  # random changes of those that did something new
MOST_COMPARED = 90  # calls that both versions make, in shapes that are compiled already
MOST_FIRST = 12  # of those, before the first one of other shapes
MOST_COMPILED = 12  # calls with other shapes or other whole numbers
MOST_OF_A_SIZE = 8  # other calls of each of these, in the same shapes: an array of one item shows little
MOST_TIES = 4  # calls with an exact tie that are sought for each comparison
VARIED = 3  # different numbers in one of the arrays of such a call
MOST_REFUSED = 8  # calls that the original refuses, for each of its exceptions
PATIENCE = 1.0  # seconds for one call


@dataclass(slots=True)
class Exploration:
    """The calls of one function that its code suggests; their results are counted in `tally`."""

    differential_run: DifferentialRun
    tally: Tally
    most_compiled: int = MOST_COMPILED
    seen: set[str] = field(default_factory=set)  # what the original did
    did: dict[bytes, set[str]] = field(default_factory=dict)  # the same by call
    known: set[bytes] = field(default_factory=set)
    refused: dict[int, list[Arguments]] = field(default_factory=dict)  # by the line whose `raise` both versions have
    apart: dict[str, list[list[float]]] = field(default_factory=dict)
    ties: Counter[str] = field(default_factory=Counter)  # calls with exact ties, by the pair that is compared
    followed: int = 0
    idle: bool = False  # the converted version did nothing new in the last call: it is only followed where the original does
    deadline: Deadline = field(init=False)

    def run(self, bases: Iterable[Arguments], sized: Iterable[Arguments] = ()) -> None:
        """Compare calls made from those in `bases`, which the original accepts, and calls with other lengths."""
        run = self.differential_run
        constants = run.constants
        now = run.watch.elapsed()
        self.deadline = run.watch.until(now + (FOLLOWED - now) / 3)  # calls that are known may not take all of the time
        fresh: list[Arguments] = []
        usual: list[Arguments] = []
        bases = list(bases)
        for call in bases:
            self._follow(call)
        agreed = [call for call, _ in self.tally.agreed]
        for call in [*agreed[: MOST_KNOWN // 2], *agreed[MOST_KNOWN // 2 :][-MOST_KNOWN // 2 :]]:  # other modes come last
            if self._follow(call) and len(bases) < MOST_BASES:
                bases.append(call)  # another mode of the function
        self.deadline = run.watch.until(FOLLOWED)
        candidates = _alternately([value_calls(call, constants, run.settings.seed) for call in bases])
        for call in itertools.islice(candidates, MOST_VARIANTS):
            self._sort(call, fresh, usual)
        lengths = [call for call in sized if self._follow(call) is not None]
        self._pursue(bases, fresh, usual)
        self.deadline = run.watch.until(BOUNDARIES)
        self._compare([*self._in_turns(fresh), *self._in_turns(usual)], bases, lengths)
        self._say()

    def _sort(self, call: Arguments, fresh: list[Arguments], usual: list[Arguments]) -> None:
        new = self._follow(call)
        if new is not None:
            (fresh if new else usual).append(call)

    def _follow(self, call: Arguments) -> bool | None:
        """Whether the original did anything new; None if it raises, or if the call is known."""
        key = _key(call)
        if key in self.known or self.deadline.over or self.followed >= MOST_FOLLOWED:
            return None
        self.known.add(key)
        self.followed += 1
        run = self.differential_run
        outcome = run.followed(call, min(run.settings.timeout, PATIENCE))
        if outcome is None:
            self.followed += MOST_FOLLOWED // 4  # it costs a new process
        features = set(outcome.path.get("features", ())) if outcome is not None else set()
        if outcome is None or outcome.status != "returned" or outcome.path["undefined"]:
            if outcome is not None and outcome.deliberate and outcome.exception in run.refuses:
                self.refused.setdefault(outcome.line, []).append(call)
            self.seen |= features
            return None
        self.did[key] = features
        self.apart |= outcome.path["apart"]
        tied = [name[:-2] for name in features if name.endswith("==") and self.ties[name[:-2]] < MOST_TIES]
        varied = variety(call.node) >= VARIED
        if varied:  # where all numbers are equal, a tie often shows nothing
            self.ties.update(tied)
        new = not features <= self.seen or (varied and bool(tied))
        self.seen |= features
        return new

    def _in_turns(self, calls: list[Arguments]) -> list[Arguments]:
        """The calls in an order in which the first few do all that any of them does, and so do the next few: there may be no time
        for the others."""
        left = sorted(((self.did.get(_key(call), set()), call) for call in calls), key=lambda pair: -len(pair[0]))
        ordered: list[Arguments] = []
        while left:
            done: set[str] = set()
            later = []
            for position, (features, call) in enumerate(left):
                if position and features <= done:
                    later.append((features, call))
                else:
                    ordered.append(call)
                    done |= features
            left = later
        return ordered

    def _pursue(self, bases: list[Arguments], fresh: list[Arguments], usual: list[Arguments]) -> None:
        """Make further calls from those that did something new, until nothing is missing or the budget is used up."""
        run = self.differential_run
        rng = np.random.default_rng(run.settings.seed)
        short = [in_halves(call) for call in bases]
        for call in short:
            self._sort(call, fresh, usual)
        pool = [*fresh, *bases]
        for _ in range(MOST_MIXED if pool else 0):
            self._sort(mixed(pool[int(rng.integers(len(pool)))], run.constants, rng), fresh, usual)
        tried = 0
        while self.followed < MOST_FOLLOWED and not self.deadline.over:
            missing = [name for name in self.apart if self.ties[name] < MOST_TIES and self.apart[name]]
            made: list[Arguments] = []
            pool = [*short, *fresh, *bases]
            if not missing or not pool:
                return
            for call in pool[tried : tried + 4]:
                self.apart = {}
                self.known.discard(_key(call))
                self._follow(call)
                made += itertools.islice(met(call, self.apart, missing), 24)
            tried += 4
            made += [mixed(pool[int(rng.integers(len(pool)))], run.constants, rng) for _ in range(4)]
            made += [in_lattice(bases[int(rng.integers(len(bases)))], run.constants, rng) for _ in range(8 if bases else 0)]
            before = len(fresh)
            for call in made:
                self._sort(call, fresh, usual)
            if tried > len(pool) and len(fresh) == before:
                return

    def _compare(self, calls: list[Arguments], bases: list[Arguments], lengths: list[Arguments]) -> None:
        """Compare the calls: first those in known shapes, then those that JAX has to compile, within a budget; the first one of these,
        for which all lengths are one, early."""
        known = [leaves(call) for call in bases]
        cheap: list[Arguments] = []
        costly: list[Arguments] = []
        for call in calls:
            (cheap if any(same_size(leaves(call), one) for one in known) else costly).append(call)
        refused = [call for some in self.refused.values() for call in some[:MOST_REFUSED]]
        compiled = [*lengths[: self.most_compiled * 2 // 3], *costly][: self.most_compiled]
        rng = np.random.default_rng(self.differential_run.settings.seed)
        self._each([*refused, *cheap[:MOST_FIRST]], traced=False, strict=True)
        self._of_sizes(compiled[:1], rng)
        self._each(cheap[MOST_FIRST:MOST_COMPARED], traced=False, strict=True)
        self.deadline = self.differential_run.watch.until(SIZES)
        self._of_sizes(compiled[1:], rng)

    def _of_sizes(self, calls: list[Arguments], rng: np.random.Generator) -> None:
        """Compare calls that JAX has to compile, each with others of its size."""
        for call in calls:
            self._each([call], traced=True, strict=False)
            self._each(
                [in_lattice(call, self.differential_run.constants, rng) for _ in range(MOST_OF_A_SIZE)],
                traced=False,
                strict=False,
            )

    def _each(self, calls: list[Arguments], traced: bool, strict: bool) -> None:
        """Compare calls. `strict`: an exception or no end of the converted function counts; for another size, it is noted."""
        run = self.differential_run
        jitted = run.converted.described[run.pair.file, run.pair.name].jitted
        for call in calls:
            if self.tally.failed is not None or self.deadline.over:
                return
            run.following = traced or (not jitted and not self.idle)  # uncompiled code takes several times as long then
            before = len(run.reached)
            run.hurried = strict
            step = run.run(call, ordinary=False)
            run.hurried = False
            self.idle = len(run.reached) == before
            self.tally.count("generated", step)
            clear = step.kind == "differs" or (step.kind == "error" and strict)
            if (step.kind == "late" and strict) or (clear and not (step.want and step.want.warned)):
                self.tally.failed = step
            elif step.failed:
                run.note(f"at a boundary: {step.words}")

    def _say(self) -> None:
        """Note the branches of both versions that no call reached."""
        run = self.differential_run
        run.following = False
        if run.contract.returns and self.tally.agreed:  # its shell may fill NumPy arrays: follow that, too
            arguments, want = self.tally.agreed[0]
            run.against(arguments, want, {"arrays": "numpy", "traced": True})
        file, (before, after) = run.pair.file, run.pair.sources
        for version, sources, seen in (("original", before, self.seen), ("converted", after, run.reached)):
            if missing := never_reached(sources, file, seen):
                run.note(f"branches of the {version} that no call reached: {', '.join(missing)}")


def _key(call: Arguments) -> bytes:
    """The numbers of a call, and the words and functions in it, as bytes."""
    parts = leaves(call)
    others = [getattr(part, "name", part) for part in walk(call.node) if isinstance(part, str | Node)]
    shapes = [(part.data.shape, part.data.dtype.str) if isinstance(part, Array) else part for part in parts]
    return b"".join([repr([shapes, others]).encode(), *(part.data.tobytes() for part in parts if isinstance(part, Array))])


def _alternately(groups: list[Iterator[Arguments]]) -> Iterator[Arguments]:
    """The calls of several iterators in turn."""
    while groups:
        for group in [*groups]:
            call = next(group, None)
            if call is None:
                groups.remove(group)
            else:
                yield call
