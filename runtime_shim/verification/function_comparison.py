"""One function of both trees, run on the same inputs until a verdict is reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..inputs.argument_forms import argument_forms
from ..inputs.instances import Instances
from ..inputs.other_modes import other_modes
from ..inputs.signatures import Form
from ..sandbox.modules import GENERATOR
from ..sandbox.process import Ended
from ..sandbox.session import Description, Side
from ..sandbox.staging import FunctionPair
from ..values.calls import Arguments, Outcome, without_defaults
from ..values.snapshot import Node, Snapshot, size, variety, walk
from .conditions import explains
from .differential_run import DifferentialRun
from .exploration import Exploration
from .generated_calls import GeneratedCalls
from .interface import interface_difference
from .needed_input import needed_input
from .parting import parting
from .pytest_case import pytest_case
from .report import AGREES, DIFFERS, ERROR, NOT_COMPARED, FunctionVerdict
from .smallest_failure import smallest_failure
from .steps import Settings, Step, Tally
from .stopwatch import MODES

EAGER_CALLS = 3
OTHER_PLATFORM_CALLS = 3
SLOW = 0.02  # a call that takes the original more than this share of the limit is not repeated without jit
SMALL = 1 << 16  # bytes of a recorded call from which others are made
MOST_BASES = 2
MOST_MODES = 6  # of a function that has recorded calls, besides what they show
MOST_COMPILED = 4  # of those others, how many JAX has to compile
NOTHING = "it returns nothing that can be compared and changes no argument (it ran in both versions without an error)"


@dataclass(slots=True)
class Examination:
    """The comparison of one function."""

    pair: FunctionPair
    original: Side
    converted: Side
    settings: Settings
    recorded: Sequence[Arguments] = ()
    skipped: Sequence[str] = ()  # why observed calls could not be stored
    in_programs: bool = False  # the recorded calls are those of programs that agree
    instances: Instances | None = None  # of the classes of its file
    about: Description = field(init=False)
    differential_run: DifferentialRun = field(init=False)
    tally: Tally = field(default_factory=Tally)
    modes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.about = self.original.described[self.pair.file, self.pair.name]
        self.differential_run = DifferentialRun(self.pair, self.original, self.converted, self.settings, self.about.names)

    def verdict(self) -> FunctionVerdict:
        """Run both and say whether they agree."""
        if early := self._early():
            return early
        tally = self.tally
        try:
            defaults = [side.defaults(self.pair.file, self.pair.name) for side in (self.original, self.converted)]
            there = self.converted.described[self.pair.file, self.pair.name]
            if why := interface_difference(self.about, there, defaults[0], defaults[1], self.settings.precision):
                return self._result(DIFFERS, why)
            self._recorded_calls(defaults[0])
            if self._needs_more():
                GeneratedCalls(self.differential_run, self.about, tally, self.instances).run()
            elif tally.failed is None and (bases := self._plain_calls()):
                Exploration(self.differential_run, tally, MOST_COMPILED).run([*bases, *self._with_other_modes(bases[0])])
            if tally.failed is not None:
                tally.failed = smallest_failure(self.differential_run, tally.failed)
            elif tally.agreed and (self._shows_something() or not self._in_programs()):
                self._other_modes()
            if tally.failed is not None:
                return self._failure(tally.failed)
        except Ended as problem:
            tally.reason = f"the original cannot be run: {problem}"
        if tally.failed is not None:
            return self._result(DIFFERS if tally.failed.kind == "differs" else ERROR, tally.failed.words, tally.failed)
        if not tally.agreed:
            return self._result(NOT_COMPARED, tally.reason or "no call of it was recorded, and none could be generated")
        if not self._shows_something():
            return self._result(NOT_COMPARED, NOTHING)
        return self._result(AGREES)

    def _failure(self, step: Step) -> FunctionVerdict:
        """The verdict with the statement at which the versions part, and a test. Raises Ended if the original ends its process."""
        run = self.differential_run
        result = self._result(DIFFERS if step.kind == "differs" else ERROR, step.words, step)
        if step.want is None or step.kind == "late":
            return result
        if step.difference is not None and step.difference.sort == "output":
            return result  # the values agree
        agreed = sorted((call for call, _ in self.tally.agreed), key=lambda call: (not size(call.node), size(call.node)))
        found = parting(run, step.call, agreed)
        test = pytest_case(run.contract, self.about.names, step.call, step.want, self.settings.precision, run.host)
        return replace(result, parting=str(found) if found else "", test=test)

    def _shows_something(self) -> bool:
        """Whether a call has a result, or an effect on an argument, that can be compared."""
        return any(self.differential_run.shows_something(call, want) for call, want in self.tally.agreed)

    def _in_programs(self) -> bool:
        """Whether all calls that agreed were made by programs that agree."""
        return self.in_programs and not self.tally.counts["generated"]

    def _early(self) -> FunctionVerdict | None:
        """The verdict if nothing can be run."""
        there = self.converted.described[self.pair.file, self.pair.name]
        if self.about.error:
            return self._result(NOT_COMPARED, f"the original's module cannot be imported: {self.about.error}")
        if there.error:
            return self._result(ERROR, f"the module cannot be imported: {there.error}")
        if self.about.missing:
            return self._result(NOT_COMPARED, "it is not there after the module is imported")
        if there.trouble:
            return self._result(DIFFERS, f"random draws when the module is imported: {there.trouble}")
        if there.missing:
            return self._result(DIFFERS, "the converted code does not have it")
        for ours, theirs in ((self.about.access, there.access), (self.about.kind, there.kind)):
            if ours != theirs:
                ours, theirs = (kind or "it is an ordinary function" for kind in (ours, theirs))
                return self._result(DIFFERS, f"{ours} in the original, {theirs} in the converted version")
        return self._result(NOT_COMPARED, self.about.kind) if self.about.kind not in ("", GENERATOR) else None

    def _result(self, verdict: str, reason: str = "", step: Step | None = None) -> FunctionVerdict:
        difference = step.difference if step else None
        return FunctionVerdict(
            self.pair.file,
            self.pair.contract.name,
            self.pair.line,
            verdict,
            reason,
            self.tally.counts["recorded"],
            self.tally.counts["generated"],
            tuple(self.modes),
            step.call.summary(self.about.names) if step else "",
            difference.where if difference else "",
            difference.want if difference else "",
            difference.got if difference else "",
            tuple(self.differential_run.notes),
            self._needed() if verdict == NOT_COMPARED and self.tally.uncalled else "",
        )

    def _needed(self) -> str:
        pair = self.pair
        return needed_input(pair.source, self.about.params, pair.contract.kinds, pair.name.rpartition(".")[0])

    def executed(self, verdict: FunctionVerdict) -> tuple[set[str], set[str]]:
        """What ran of both versions in calls that were compared: by their results, or by what a program printed."""
        compared = verdict.verdict != NOT_COMPARED or self.printed(verdict)
        return self.differential_run.executed if compared else set(), self.differential_run.reached

    def printed(self, verdict: FunctionVerdict) -> bool:
        """Whether it was compared by what programs print; the converted function was not called again, and not followed."""
        return verdict.reason == NOTHING and self._in_programs()

    def _recorded_calls(self, defaults: Mapping[str, Snapshot]) -> None:
        """Compare the calls that the program or its tests made. `defaults`: of the original."""
        tally = self.tally
        for why in dict.fromkeys(self.skipped):
            tally.reason = f"a call of it cannot be stored: {why}"
            if self.recorded:
                self.differential_run.note(tally.reason)
        left: Counter[str] = Counter()
        for recorded in self.recorded:
            step = self.differential_run.run(without_defaults(recorded, self.about.names, defaults), in_program=self.in_programs)
            tally.count("recorded", step)
            tally.reason = step.words or tally.reason
            left[step.words] += step.kind in ("rejected", "refused")
            if step.kind == "late":  # without jit, JAX may be slow on the program's own data: that is no difference
                self.differential_run.note(f"{step.words} on the recorded call {step.call.summary(self.about.names)}")
                return
            if step.failed:
                tally.failed = step
                return
        for words, number in left.items():
            if number:
                self.differential_run.note(f"{number} of {len(self.recorded)} recorded calls have no result to compare: {words}")

    def _plain_calls(self) -> list[Arguments]:
        """A few recorded calls that agreed, from which others are made: small and quick ones, without instances."""
        quick = [call for call, want in self.tally.agreed if want.seconds <= SLOW * self.settings.timeout]
        plain = [call for call in quick if size(call.node) <= SMALL and not any(map(_is_instance, walk(call.node)))]
        return sorted(plain, key=lambda call: (-variety(call.node), size(call.node)))[:MOST_BASES]

    def _with_other_modes(self, call: Arguments) -> list[Arguments]:
        """Variants of a recorded call that show other modes of the function, once they agree. One that the original accepts is enough for each
        parameter: an array in place of None, for instance."""
        run, found = self.differential_run, list[Arguments]()
        own = [Form("omit")] if "." in run.pair.name else []
        made = argument_forms(run.pair, self.about, run.original, own)
        for _name, variants in other_modes(call, made, self.about.names, self.settings.seed) if not isinstance(made, str) else ():
            for variant in variants:
                if self.tally.failed is not None or len(found) == MOST_MODES:
                    return []
                step = run.run(variant, ordinary=False)
                self.tally.count("generated", step)
                if step.failed and not (step.want and step.want.warned):
                    self.tally.failed = step
                elif step.kind == "agrees":
                    found.append(variant)
                    break
        return found

    def _needs_more(self) -> bool:
        """Whether calls must be generated: no recorded call could be compared."""
        tally = self.tally
        if tally.failed is not None or tally.agreed or (self.recorded and tally.reason.startswith("it ")):
            return False
        return bool(self.about.names) or not self.recorded

    def _other_modes(self) -> None:
        """Repeat calls that agreed: without jit, with the other kind of arrays, on the other platforms."""
        jitted = self.settings.jit and self.converted.described[self.pair.file, self.pair.name].jitted
        quick = [pair for pair in self.tally.agreed if pair[1].seconds <= SLOW * self.settings.timeout]
        telling = sorted(quick, key=lambda pair: (-variety(pair[0].node), size(pair[0].node)))
        if self.differential_run.host:
            self.modes.append("as it is")
            if not any(self.differential_run.changes(call, want) for call, want in self.tally.agreed):
                self._with_arrays_of_jax(telling)
            return
        self.modes.append("jitted" if jitted else "eager")
        if jitted:
            self._mode("eager", telling[:EAGER_CALLS], {"eager": True})
        filling = bool(self.pair.contract.returns)  # its shell may fill NumPy arrays
        self._mode("ndarray", telling[: EAGER_CALLS if filling else 1], {"arrays": "numpy"})
        drawing = sorted((pair for pair in telling if pair[1].tape is not None), key=lambda pair: pair[1].seconds)
        self._keys([arguments for arguments, _ in drawing[:1] if self.differential_run.drew_with_keys], jitted)
        for platform in self.settings.platforms[1:]:
            self._mode(platform, telling[:OTHER_PLATFORM_CALLS], {"platform": platform})

    def _with_arrays_of_jax(self, calls: Sequence[tuple[Arguments, Outcome]]) -> None:
        """Repeat calls of a function that is still NumPy: for one with a compiled version, that version then runs."""
        if not self.pair.contract.takes_both:
            self._mode("arrays of JAX", calls[:1], {"arrays": "jax"}, only_note=self.pair.contract.left_as_numpy)
            return
        self._mode("arrays of JAX", calls, {"arrays": "jax"})
        for platform in self.settings.platforms[1:]:
            self._mode(platform, calls[:OTHER_PLATFORM_CALLS], {"platform": platform, "arrays": "jax"})

    def _keys(self, chosen: Sequence[Arguments], jitted: bool) -> None:
        """Check for key reuse where random numbers are drawn: jitted and not."""
        for arguments in chosen if self.tally.failed is None else ():
            for eager in (False, True) if jitted else (True,):
                step = self.differential_run.reuses_keys(arguments, eager)
                if step is not None and step.kind == "differs":
                    self.tally.failed = step
                    return
                if step is not None:
                    self.differential_run.note(f"with its own draws: {step.words}")
                    return
            self.modes.append("keys")

    def _mode(
        self, mode: str, chosen: Sequence[tuple[Arguments, Outcome]], how: Mapping[str, object], only_note: bool = False
    ) -> None:
        for number, (arguments, want) in enumerate(chosen):
            if number and self.differential_run.watch.elapsed() > MODES:
                break
            step = self.differential_run.against(arguments, want, how)
            if step.kind == "differs" and self.differential_run.host and self._is_excused(step, want):
                self.differential_run.note(f"{mode}: {step.words}")
                continue
            if step.kind == "differs" and not only_note:
                self.tally.failed = Step("differs", step.call, f"{step.words} ({mode})", step.difference, want)
                return
            if step.failed:
                self.differential_run.note(f"{mode}: {step.words}")
                return
        if chosen:
            self.modes.append(mode)
        else:
            self.differential_run.note(f"{mode}: not run, because every call takes long")

    def _is_excused(self, step: Step, want: Outcome) -> bool:
        """Whether the compiled version of a function that stays NumPy may differ: NumPy warned, or a condition explains the dtype."""
        in_dtype = step.difference is not None and step.difference.sort == "dtype"
        return want.warned or (in_dtype and explains(self.pair.contract, self.pair.analysed, step.difference, step.call))


def _is_instance(part: Snapshot) -> bool:
    return isinstance(part, Node) and part.kind in ("object", "opaque")
