"""One function of both trees, run on the same inputs until it is clear whether they agree."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity

from .calls import Arguments, Outcome, changed
from .child import Ended
from .edges import Edge, edges, values
from .forms import Form, Model, options
from .hints import hints
from .inputs import calls, choices
from .report import AGREES, DIFFERS, ERROR, NOT_COMPARED, FunctionVerdict
from .search import search
from .session import Description, Side
from .snapshot import Node, obstacle, size, variety, walk
from .stage import FunctionPair
from .trial import Settings, Step, Trial

EAGER_CALLS = 3
OTHER_PLATFORM_CALLS = 3
MODELS_WITH_EDGES = 2
SLOW = 0.02  # a call that takes the original more than this share of the limit is not repeated without jit


NOTHING = "it returns nothing that can be compared and changes no argument (it ran in both versions without an error)"


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
    skipped: Sequence[str] = ()  # why calls that were seen could not be stored
    about: Description = field(init=False)
    trial: Trial = field(init=False)
    counts: dict[str, int] = field(default_factory=lambda: {"recorded": 0, "generated": 0})
    modes: list[str] = field(default_factory=list)
    agreed: list[tuple[Arguments, Outcome]] = field(default_factory=list)
    failed: Step | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        self.about = self.original.described[self.pair.file, self.pair.name]
        self.trial = Trial(self.pair, self.original, self.converted, self.settings, self.about.names)

    def verdict(self) -> FunctionVerdict:
        """Run both and say whether they agree."""
        if early := self._early():
            return early
        try:
            self._recorded_calls()
            if self.failed is None:
                self._generated_calls()
            if self.failed is None and self.agreed:
                self._other_modes()
        except Ended as problem:
            self.reason = f"the original cannot be run: {problem}"
        if self.failed is not None:
            return self._result(DIFFERS if self.failed.kind == "differs" else ERROR, self.failed.words, self.failed)
        if not self.agreed:
            return self._result(NOT_COMPARED, self.reason or "no call of it was recorded, and none could be made up")
        if not any(self._shows_something(call, want) for call, want in self.agreed):
            return self._result(NOT_COMPARED, NOTHING)
        return self._result(AGREES)

    def _early(self) -> FunctionVerdict | None:
        """The verdict when nothing can be run."""
        there = self.converted.described[self.pair.file, self.pair.name]
        if self.about.error:
            return self._result(NOT_COMPARED, f"the original's module cannot be imported: {self.about.error}")
        if there.error:
            return self._result(ERROR, f"the module cannot be imported: {there.error}")
        if self.about.missing:
            return self._result(NOT_COMPARED, "it is not there after the module is imported")
        if there.missing:
            return self._result(DIFFERS, "the converted code does not have it")
        return self._result(NOT_COMPARED, self.about.kind) if self.about.kind else None

    def _result(self, verdict: str, reason: str = "", step: Step | None = None) -> FunctionVerdict:
        difference = step.difference if step else None
        return FunctionVerdict(
            self.pair.file,
            self.pair.contract.name,
            self.pair.line,
            verdict,
            reason,
            self.counts["recorded"],
            self.counts["generated"],
            tuple(self.modes),
            step.call.summary(self.about.names) if step else "",
            difference.where if difference else "",
            difference.want if difference else "",
            difference.got if difference else "",
            tuple(self.trial.notes),
        )

    def _shows_something(self, call: Arguments, want: Outcome) -> bool:
        """Whether a call has a result, or an effect on an argument, that can be compared."""
        if self.trial.contract.returns:
            return True
        parts = [part for part in walk(want.result) if not isinstance(part, Node) or part.kind not in ("tuple", "list", "opaque")]
        return any(part is not None for part in parts) or (
            want.after is not None and bool(changed(call, want.after, self.about.names))
        )

    def _note(self, text: str) -> None:
        self.trial.notes[text] = None

    def _count(self, origin: str, step: Step) -> None:
        if step.kind != "agrees":
            return
        self.counts[origin] += 1
        assert step.want is not None
        self.agreed.append((step.call, step.want))

    def _recorded_calls(self) -> None:
        """The calls that the program or its tests made."""
        for why in dict.fromkeys(self.skipped):
            self.reason = f"a call of it cannot be stored: {why}"
            if self.recorded:
                self._note(self.reason)
        for arguments in self.recorded:
            step = self.trial.run(arguments)
            self._count("recorded", step)
            if step.kind in ("differs", "error"):
                self.failed = step
                return
            if step.kind == "late":
                self._note(f"{step.words} on the recorded call {arguments.summary(self.about.names)}")
            self.reason = step.words or self.reason
            if step.kind == "late" and not self.agreed:
                self.failed = step
                return

    def _generated_calls(self) -> None:
        """Made-up calls, where none was recorded that could be compared."""
        if self.agreed or (self.recorded and self.reason.startswith("it ")):
            return
        if "." in self.pair.name and self.about.names[:1] in (("self",), ("cls",)):
            self.reason = self.reason or "no recorded call gives an instance to call it on"
            return
        made = self._forms()
        if made is None:
            return
        forms, keyword_only = made
        place = (self.pair.file, self.pair.name)
        found = search(self.original, *place, forms, keyword_only, self.settings.seed, self.settings.timeout)
        if not found.models:
            self.reason = self.reason or found.reason
            return
        self.trial.learn(found.accepted)
        usable: list[Arguments] = []
        for number, model in enumerate(found.models):
            fine = self._model_calls(model, keyword_only, -(-self.settings.examples // len(found.models)), first=number == 0)
            if self.failed is not None or not self.agreed:
                return
            if fine and number < MODELS_WITH_EDGES:
                usable.append(found.accepted[number][0])
        for number, arguments in enumerate(usable):
            self._edge_calls(edges(arguments) if number == 0 else values(arguments))
            if self.failed is not None:
                return

    def _forms(self) -> tuple[list[tuple[str, list[Form]]], frozenset[str]] | None:
        """The forms that each parameter may take, and those passed by name; None (and the reason) when one cannot be made up."""
        defaults = self.original.defaults(self.pair.file, self.pair.name)
        annotations = {param["name"]: param["annotation"] for param in self.about.params}
        kinds = self.pair.contract.kinds
        told = hints(self.pair.source, self.about.names, annotations, self.about.doc, defaults, kinds)
        forms = []
        by_name = {param["name"] for param in self.about.params if param["kind"] == "KEYWORD_ONLY"}
        left_out = False
        for name in self.about.names:
            default = defaults.get(name)
            made = options(told[name], default, name in defaults and not obstacle(default))
            if not made and name not in defaults:
                self.reason = self.reason or f"no value can be made up for the parameter `{name}`"
                return None
            if not made:
                left_out = True
                continue
            forms.append((name, made))
            if left_out:
                by_name.add(name)
        return forms, frozenset(by_name)

    def _model_calls(self, model: Model, keyword_only: frozenset[str], examples: int, first: bool) -> bool:
        """Hypothesis draws calls of one model, and makes one that differs as small as it can. Whether all went well.

        Only the first model is certainly what the function is for: on the others an exception, which nobody overlooks, is a note.
        """
        deadline = time.monotonic() + 4 * self.settings.timeout
        last: list[Step] = []

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
            if time.monotonic() < deadline:
                attempt(arguments)

        def attempt(arguments: Arguments) -> None:
            step = self.trial.run(arguments)
            if not last:
                self._count("generated", step)
            if step.failed:
                last.append(step)
                raise _Failed
            self.reason = step.words or self.reason

        try:
            for arguments in choices(model, self.settings.seed, keyword_only):
                attempt(arguments)
            check()
        except (_Failed, hypothesis.errors.HypothesisException, ExceptionGroup):
            if not last:
                raise
            if first or last[-1].kind == "differs":
                self.failed = last[-1]
            else:
                self._note(f"{last[-1].words}, on {last[-1].call.summary(self.about.names)}")
        return not last

    def _edge_calls(self, cases: Iterable[Edge]) -> None:
        """The edge cases of a call. What is no plain difference is noted: an exception, or values that NumPy itself warned of."""
        raised: dict[str, list[str]] = {}
        for edge in cases:
            step = self.trial.run(edge.arguments, learn=False)
            self._count("generated", step)
            if step.kind == "differs" and edge.strict and not (step.want and step.want.warned):
                self.failed = Step("differs", step.call, f"{step.words} ({edge.name})", step.difference)
                return
            if step.failed:
                raised.setdefault(step.words, []).append(edge.name)
        for words, names in raised.items():
            self._note(f"on {', '.join(dict.fromkeys(names))}: {words}")

    def _other_modes(self) -> None:
        """Calls that agreed, once more: without jit, with the other kind of arrays, on the other platforms."""
        jitted = self.settings.jit and self.converted.described[self.pair.file, self.pair.name].jitted
        quick = [pair for pair in self.agreed if pair[1].seconds <= SLOW * self.settings.timeout]
        telling = sorted(quick, key=lambda pair: (-variety(pair[0].node), size(pair[0].node)))
        if self.trial.host:
            self.modes.append("as it is")
            if not any(want.after and changed(call, want.after, self.about.names) for call, want in self.agreed):
                self._mode("arrays of JAX", telling[:1], {"arrays": "jax"}, only_note=self.pair.contract.kept)
            return
        self.modes.append("jitted" if jitted else "eager")
        if jitted:
            self._mode("eager", telling[:EAGER_CALLS], {"eager": True})
        self._mode("ndarray", telling[:1], {"arrays": "numpy"})
        for platform in self.settings.platforms[1:]:
            self._mode(platform, telling[:OTHER_PLATFORM_CALLS], {"platform": platform})

    def _mode(
        self, mode: str, chosen: Sequence[tuple[Arguments, Outcome]], how: Mapping[str, object], only_note: bool = False
    ) -> None:
        for arguments, want in chosen:
            step = self.trial.against(arguments, want, how)
            if step.kind == "differs" and not only_note:
                self.failed = Step("differs", step.call, f"{step.words} ({mode})", step.difference)
                return
            if step.failed:
                self._note(f"{mode}: {step.words}")
                return
        if chosen:
            self.modes.append(mode)
        else:
            self._note(f"{mode}: not run, because every call takes long")
