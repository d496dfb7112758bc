"""One function of both trees, run on the same inputs until it is clear whether they agree."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity

from .calls import Arguments, Outcome, call_difference, identical_outcomes, inferred
from .child import Ended, TimedOut
from .compare import Comparison, Difference, Policy
from .contract import Contract
from .edges import edges, perturbed
from .forms import Form, Model, options
from .hints import hints
from .inputs import calls
from .report import AGREES, DIFFERS, ERROR, NOT_COMPARED, FunctionVerdict
from .search import search
from .session import Description, Side
from .snapshot import Array, Snapshot, obstacle, size, walk
from .stage import FunctionPair

EAGER_CALLS = 3
OTHER_PLATFORM_CALLS = 3
PERTURBED = 4


@dataclass(frozen=True, slots=True)
class Settings:
    """How to compare. `timeout`: seconds for one call; `examples`: generated calls for a function."""

    timeout: float
    examples: int
    seed: int
    precision: str
    jit: bool
    platforms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What one call showed: agrees, rejected (the original raises), differs, error, late or refused, with words for it."""

    kind: str
    words: str = ""
    difference: Difference | None = None
    call: Arguments | None = None
    want: Outcome | None = None


class _Failed(Exception):
    """Tells Hypothesis that a call differs."""


@dataclass(slots=True)
class Examination:
    """The comparison of one function."""

    pair: FunctionPair
    original: Side
    converted: Side
    settings: Settings
    recorded: Sequence[Arguments] = ()
    contract: Contract = field(init=False)
    about: Description = field(init=False)
    params: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=lambda: {"recorded": 0, "generated": 0})
    modes: list[str] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    agreed: list[tuple[Arguments, Outcome]] = field(default_factory=list)
    failed: Step | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        self.contract = self.pair.contract

    @property
    def host(self) -> bool:
        """Whether the function is still NumPy, and takes NumPy's arrays."""
        return self.contract.kept or (not self.pair.analysed and self.pair.unchanged)

    def verdict(self) -> FunctionVerdict:
        """Run both and say whether they agree."""
        if early := self._early():
            return early
        self.params = self.about.names
        try:
            self._recorded_calls()
            if self.failed is None:
                self._generated_calls()
            if self.failed is None and self.agreed:
                self._other_modes()
        except Ended as problem:
            self.reason = self.reason or f"the original cannot be run: {problem}"
        if self.failed is not None:
            kind = DIFFERS if self.failed.kind == "differs" else ERROR
            return self._result(kind, self.failed.words, self.failed)
        if not self.agreed:
            return self._result(NOT_COMPARED, self.reason or "no call of it was recorded, and none could be made up")
        return self._result(AGREES)

    def _early(self) -> FunctionVerdict | None:
        """The verdict when nothing can be run."""
        key = (self.pair.file, self.pair.name)
        self.about, there = self.original.described[key], self.converted.described[key]
        if self.about.error:
            return self._result(NOT_COMPARED, f"the original's module cannot be imported: {self.about.error}")
        if there.error:
            return self._result(ERROR, f"the module cannot be imported: {there.error}")
        if self.about.missing:
            return self._result(NOT_COMPARED, "it is not there after the module is imported")
        if there.missing:
            return self._result(DIFFERS, "the converted code does not have it")
        if self.about.kind:
            return self._result(
                NOT_COMPARED, f"it is a {self.about.kind}" if self.about.kind[0] != "w" else "it has no signature"
            )
        return None

    def _result(self, verdict: str, reason: str = "", step: Step | None = None) -> FunctionVerdict:
        difference = step.difference if step else None
        return FunctionVerdict(
            self.pair.file,
            self.contract.name,
            self.pair.line,
            verdict,
            reason,
            self.counts["recorded"],
            self.counts["generated"],
            tuple(self.modes),
            step.call.summary(self.params) if step and step.call else "",
            difference.where if difference else "",
            difference.want if difference else "",
            difference.got if difference else "",
            tuple(self.notes),
        )

    def _recorded_calls(self) -> None:
        for arguments in self.recorded:
            step = self._step(arguments)
            self._count("recorded", step)
            if step.kind in ("differs", "error"):
                self.failed = step
                return
            if step.kind == "late":
                self.notes[f"{step.words} on the recorded call {arguments.summary(self.params)}"] = None
                self.reason = step.words
            elif step.kind in ("refused", "rejected"):
                self.reason = step.words

    def _count(self, origin: str, step: Step) -> None:
        if step.kind != "agrees":
            return
        self.counts[origin] += 1
        assert step.call is not None and step.want is not None
        self.agreed.append((step.call, step.want))

    def _generated_calls(self) -> None:
        """Made-up calls, where none was recorded that could be compared."""
        if self.agreed or (self.recorded and self.reason.startswith("not run")):
            return
        if "." in self.pair.name and self.about.names[:1] in (("self",), ("cls",)):
            self.reason = self.reason or "no recorded call gives an instance to call it on"
            return
        forms, keyword_only = self._forms()
        if forms is None:
            return
        found = search(
            self.original, self.pair.file, self.pair.name, forms, keyword_only, self.settings.seed, self.settings.timeout
        )
        if not found.models:
            self.reason = self.reason or found.reason
            return
        self._learn(found.accepted)
        for model in found.models:
            self._model_calls(model, keyword_only, -(-self.settings.examples // len(found.models)))
            if self.failed is not None:
                return
        for arguments, _ in found.accepted[:2]:
            self._edge_calls(arguments)

    def _forms(self) -> tuple[list[tuple[str, list[Form]]] | None, frozenset[str]]:
        """The forms that each parameter may take; None (and the reason) when one cannot be made up."""
        defaults = self.original.defaults(self.pair.file, self.pair.name)
        annotations = {param["name"]: param["annotation"] for param in self.about.params}
        told = hints(self.pair.source, self.params, annotations, self.about.doc, defaults, self.contract.kinds)
        forms = []
        for name in self.params:
            default = defaults.get(name)
            made = options(told[name], default, name in defaults and not obstacle(default))
            if not made and name not in defaults:
                self.reason = self.reason or f"no value can be made up for the parameter `{name}`"
                return None, frozenset()
            if made:
                forms.append((name, made))
        only = [param["name"] for param in self.about.params if param["kind"] == "KEYWORD_ONLY"]
        left_out = {name for name in self.params if name not in dict(forms)}
        after = self.params[min(map(self.params.index, left_out)) :] if left_out else ()
        return forms, frozenset([*only, *after])

    def _learn(self, accepted: Sequence[tuple[Arguments, Outcome]]) -> None:
        """Where the analysis gave no contract: what the original was seen to change is handed back."""
        if not self.pair.analysed:
            self.contract = inferred(self.contract, self.params, [*self.agreed, *accepted])

    def _model_calls(self, model: Model, keyword_only: frozenset[str], examples: int) -> None:
        """Hypothesis draws calls of one model, and makes one that differs as small as it can."""
        deadline = time.monotonic() + 4 * self.settings.timeout

        @hypothesis.seed(self.settings.seed)
        @hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
        )
        @hypothesis.given(calls(model, keyword_only))
        def check(arguments: Arguments) -> None:
            if time.monotonic() > deadline:
                return
            step = self._step(arguments)
            if self.failed is None:
                self._count("generated", step)
            if step.kind in ("differs", "error", "late"):
                self.failed = step
                raise _Failed
            self.reason = step.words or self.reason

        try:
            check()
        except (_Failed, hypothesis.errors.HypothesisException, ExceptionGroup):
            if self.failed is None:
                raise

    def _edge_calls(self, arguments: Arguments) -> None:
        for edge in edges(arguments):
            step = self._step(edge.arguments, learn=False)
            self._count("generated", step)
            if step.kind == "differs" and edge.strict and not (step.want and step.want.warned):
                self.failed = Step("differs", f"{step.words} ({edge.name})", step.difference, step.call)
                return
            if step.kind in ("differs", "error", "late"):
                self.notes[f"on {edge.name} ({edge.arguments.summary(self.params)}): {step.words}"] = None

    def _other_modes(self) -> None:
        """The calls that agreed once more: without jit, with arrays of NumPy, on the other platforms."""
        smallest = sorted(self.agreed, key=lambda pair: size(pair[0].node))
        self.modes.append("as it is" if self.host or not self._jitted() else "jitted")
        if self.host:
            return
        if self.settings.jit:
            self._mode("eager", smallest[:EAGER_CALLS], eager=True)
        self._mode("ndarray", smallest[:1], arrays="numpy")
        for platform in self.settings.platforms[1:]:
            self._mode(platform, smallest[:OTHER_PLATFORM_CALLS], platform=platform)

    def _jitted(self) -> bool:
        return self.settings.jit and self.converted.described[self.pair.file, self.pair.name].jitted

    def _mode(self, mode: str, chosen: Sequence[tuple[Arguments, Outcome]], **how: object) -> None:
        for arguments, want in chosen:
            step = self._against(arguments, want, **how)
            if step.kind == "differs":
                self.failed = Step("differs", f"{step.words} ({mode})", step.difference, step.call)
                return
            if step.kind in ("error", "late"):
                self.notes[f"{mode}: {step.words}"] = None
                return
        self.modes.append(mode)

    def _step(self, arguments: Arguments, learn: bool = True) -> Step:
        """Run the original, then the converted function, on one call. Raises Ended when the original ends its process.

        `learn`: what this call changes in place belongs to the contract; not so where the same array comes twice.
        """
        try:
            want = self._original(arguments)
        except TimedOut:
            return Step("refused", f"the original does not end within {self.settings.timeout:g} s")
        if want.status == "refused":
            return Step("refused", f"not run: {want.error}")
        if want.status == "raised":
            return Step("rejected", f"the original raises {want.error}")
        if problem := obstacle(want.result):
            self.notes[f"its result holds {problem}"] = None
            if isinstance(want.result, type(arguments.node)) and want.result.kind == "opaque":
                return Step("refused", f"it returns {problem}")
        if not self.agreed and (words := self._fickle(arguments, want)):
            return Step("refused", words)
        if want.drew:
            self.notes["it draws random numbers: both versions start from the same seed"] = None
        if learn:
            self._learn([(arguments, want)])
        return self._against(arguments, want)

    def _original(self, arguments: Arguments) -> Outcome:
        how = {"guarded": True, "seed": self.settings.seed}
        return self.original.call(self.pair.file, self.pair.name, arguments, **how)

    def _fickle(self, arguments: Arguments, want: Outcome) -> str:
        """Why the original cannot be compared with anything: the same call does not give the same result again."""
        again = self._original(arguments)
        if again.status == "returned" and identical_outcomes(want, again):
            return ""
        return "the original's own result changes from call to call (the clock, unseeded random numbers or state that it keeps)"

    def _against(self, arguments: Arguments, want: Outcome, **how: object) -> Step:
        """Run the converted function and compare."""
        chosen = {
            "arrays": "numpy" if self.host else "jax",
            "eager": not self.settings.jit and not self.host,
            "seed": self.settings.seed,
        }
        try:
            got = self.converted.call(self.pair.file, self.pair.name, arguments, **(chosen | how))
        except TimedOut:
            words = f"no answer within {self.settings.timeout:g} s (the original took {want.seconds:.2g} s)"
            return Step("late", words, None, arguments, want)
        except Ended as problem:
            return Step("error", str(problem), None, arguments, want)
        if got.status != "returned":
            return Step("error", got.error, None, arguments, want)
        difference = self._difference(arguments, want, got, bool(how.get("platform")))
        if difference is None:
            return Step("agrees", "", None, arguments, want)
        return Step("differs", str(difference), difference, arguments, want)

    def _difference(self, arguments: Arguments, want: Outcome, got: Outcome, accelerator: bool) -> Difference | None:
        default = self.settings.platforms[0] if self.settings.platforms else "cpu"
        policy = Policy(self.settings.precision, accelerator or default != "cpu", _whole(arguments))
        comparison = Comparison(policy)
        difference = call_difference(comparison, self.params, want, got, self.contract)
        if difference is not None and (difference.index is not None or difference.reason.startswith("shape")):
            others = list(self._alternatives(arguments))
            comparison = Comparison(policy)
            difference = call_difference(comparison, self.params, want, got, self.contract, others)
        self.notes |= dict.fromkeys(sorted(comparison.notes))
        return difference

    def _alternatives(self, arguments: Arguments) -> Iterator[Outcome]:
        """What the original answers when its inputs move by a rounding error."""
        for seed in range(PERTURBED):
            try:
                yield self._original(perturbed(arguments, seed))
            except Ended:
                return


def _whole(arguments: Arguments) -> bool:
    """Whether all numbers in the arguments are whole."""
    return all(map(_is_whole, walk(arguments.node)))


def _is_whole(part: Snapshot) -> bool:
    if isinstance(part, float):
        return part.is_integer()
    if isinstance(part, Array) and part.data.dtype.kind in "fc":
        return bool(np.array_equal(part.data, np.round(part.data)))
    return not isinstance(part, complex)
