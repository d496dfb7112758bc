"""One call of one function in both trees, and the result of the comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..draws.tape import TOO_MANY
from ..draws.tape_snapshot import is_full
from ..inputs.edge_cases import PERTURBED, in_floats
from ..inputs.leaves import is_inexact, is_whole
from ..inputs.literals import literals
from ..sandbox.deliberate_errors import raised_types
from ..sandbox.process import Ended, TimedOut
from ..sandbox.session import COMPILING, Side
from ..sandbox.staging import FunctionPair
from ..values.calls import STOPPED, Arguments, Outcome, call_difference, changed, has_jax, identical_outcomes, inferred, is_tiny
from ..values.comparison import Comparison, Difference, Policy
from ..values.contract import Contract
from ..values.snapshot import Node, walk
from .meaning import Meaning
from .perturbation import Perturbation
from .printed_output import PRINTED, same_error, told_otherwise
from .seeding import Seeding
from .steps import Settings, Step
from .stopwatch import Stopwatch

MOST_PERTURBED = 40  # how often the inputs are perturbed before a difference counts
HURRIED, HANGS = 8.0, 300.0  # seconds for a call without compilation, and how much more it may take than the original
PATIENCE = 2.0  # seconds for the original on made-up arguments
BRISK = 0.005  # seconds for the original: with more, many perturbed calls take long
HANGING = "the original does not end"
PATTERNS = (89, 57)  # one of them may be in freed memory by chance, but not both
SILENT = ("tuple", "list", "opaque", "random")  # containers and values without content to compare
UNINITIALISED = "the original's result depends on memory that np.empty leaves as it was"
REPLAYED = "it draws random numbers: the converted function replays those of the original"
KEYS_USED_TWICE = "a key is used twice"
FICKLE = "the original's own result changes from call to call (the clock, unseeded random numbers, or its own state)"


@dataclass(slots=True)
class DifferentialRun:
    """Both versions of one function. If the analysis gave no contract, it is inferred from observed calls."""

    pair: FunctionPair
    original: Side
    converted: Side
    settings: Settings
    params: tuple[str, ...]
    watch: Stopwatch = field(init=False)
    contract: Contract = field(init=False)
    host: bool = field(init=False)  # the converted function is still NumPy, and takes NumPy arrays
    notes: dict[str, None] = field(default_factory=dict)
    steady: bool = False  # the original returned the same result when repeated
    keys: bool = True  # it takes a key where the original takes a generator
    drew_with_keys: bool = False
    perturbation: Perturbation = field(init=False)
    refuses: frozenset[str] = field(init=False)  # exceptions that the converted version raises by itself
    meaning: Meaning = field(init=False)
    hurried: bool = False  # nothing has to be compiled
    following: bool = False  # the converted function is followed line by line
    reached: set[str] = field(default_factory=set)  # what was seen then
    seeding: Seeding = field(default_factory=Seeding)
    executed: set[str] = field(default_factory=set)  # what was seen of the original in calls that both versions made

    def __post_init__(self) -> None:
        self.watch = Stopwatch((self.original, self.converted))
        constants = literals([*self.pair.sources[0], *self.pair.sources[1]])
        self.perturbation = Perturbation(self.pair, self.original, self.settings.seed, self.settings.timeout, constants)
        self.meaning = Meaning(lambda arguments: self.followed(arguments, self.settings.timeout))
        self.refuses = raised_types(self.pair.sources[1])
        self.contract = self.pair.contract
        self.host = self.contract.left_as_numpy

    @property
    def constants(self) -> tuple[float, ...]:
        """The numbers that both versions mention."""
        return self.perturbation.constants

    def run(self, arguments: Arguments, ordinary: bool = True, in_program: bool = False) -> Step:
        """Run the original, then the converted function. Raises Ended if the original ends its process.

        `ordinary`: in-place changes by this call become part of the contract, and loose agreement is noted; false for edge
        cases, in which the same array may be passed twice. `in_program`: a program that agrees made this call; if the call has
        no result except what the program printed, it is not repeated.
        """
        step = self._run(arguments, ordinary, in_program)
        if step.want is not None and (step.kind == "agrees" or step.failed):
            self.executed.update(step.want.path.get("features", ()))
        return step

    def _run(self, arguments: Arguments, ordinary: bool, in_program: bool) -> Step:
        limit = self.settings.timeout if ordinary else min(self.settings.timeout, PATIENCE)
        try:
            want = self._original(arguments, traced=True, limit=limit)
        except TimedOut:
            return Step("refused", arguments, f"{HANGING} within {limit:g} s")
        if want.status == "refused":
            return Step("refused", arguments, f"it cannot be run for a comparison: {want.error}")
        if want.status == "raised":
            return self._refusal(arguments, want) or Step("rejected", arguments, f"the original raises {want.error}")
        if isinstance(want.result, Node) and want.result.kind == "opaque":
            return Step("refused", arguments, f"it returns {want.result.name}")
        if not self.steady and (why := self._fickle(arguments, want)):
            return Step("refused", arguments, why)
        self.steady = True
        if is_full(want.tape):
            return Step("refused", arguments, TOO_MANY)
        if want.tape is not None:
            self.note(REPLAYED)
        if ordinary:
            self.learn([(arguments, want)])
            if in_program and not self.shows_something(arguments, want):
                return Step("agrees", arguments, "", None, want)
        notes = dict(self.notes)
        step = self.against(arguments, want, {})
        if step.failed and self.pair.unchanged and not self.pair.analysed and not self.host:
            step = self._as_numpy(arguments, want) or step
        if not ordinary:
            self.notes = notes
        if step.kind == "differs" and (why := self._fickle(arguments, want)):
            return Step("refused", arguments, why)
        in_values = step.difference is not None and step.difference.sort == "value"
        if step.kind == "differs" and in_values and (why := self.meaning.undefined(arguments)):
            self.meaning.refused += 1
            return Step("refused", arguments, why)
        return step

    def _refusal(self, arguments: Arguments, want: Outcome) -> Step | None:
        """How the converted function takes arguments that the original refuses by a `raise`; None if it does, too. An `assert` counts if both
        versions have one.

        A tie or a rounding error may decide about the exception: then it is not compared.
        """
        if not want.deliberate or (want.exception == "AssertionError" and want.exception not in self.refuses):
            return None
        try:
            got = self.converted.call(
                self.pair.file, self.pair.name, arguments, COMPILING * self.settings.timeout, self.how(True), want.tape
            )
        except Ended:
            return None
        self.reached.update(got.path.get("features", ()))
        same = got.status == "raised" and (
            not got.deliberate or same_error(want.error, got.error, PRINTED[self.settings.precision])
        )
        if same or got.status == "refused" or got.trouble:
            if got.deliberate:
                self.executed.update(want.path.get("features", ()))
            return None
        others = [*self.perturbation.of_inputs(arguments, range(MOST_PERTURBED))]
        if any(other.exception != want.exception for other in others) and not self._is_tie(arguments):
            return None
        words = f"the original raises {want.error}, the converted function "
        difference = Difference("exception", words + (f"raises {got.error}" if got.status == "raised" else "returns"))
        return Step("differs", arguments, str(difference), difference, want)

    def _raised(self, arguments: Arguments, want: Outcome, got: Outcome) -> Step | None:
        """The difference where the converted function raises what the original raises elsewhere, by a `raise` of its own; None for
        any other exception, and where rounding decides about it."""
        if not got.deliberate or got.exception not in raised_types(self.pair.sources[0]) - {"AssertionError"}:
            return None
        others = self.perturbation.of_inputs(arguments, range(MOST_PERTURBED))
        if any(other.exception == got.exception for other in others):
            return None
        difference = Difference("exception", f"the original returns, the converted function raises {got.error}")
        return Step("differs", arguments, str(difference), difference, want)

    def _is_tie(self, arguments: Arguments) -> bool:
        """Whether the original compares exact operands that are equal, and none that rounding might part."""
        followed = self.followed(arguments, self.settings.timeout)
        return followed is not None and bool(followed.path.get("sharp"))

    def _rounds(self, arguments: Arguments) -> bool:
        """Whether the original divides by a number that is no power of two: then whole numbers do not stay exact."""
        followed = self.followed(arguments, self.settings.timeout)
        return followed is not None and bool(followed.path.get("rounds"))

    def followed(self, arguments: Arguments, limit: float) -> Outcome | None:
        """The call of the original, followed line by line; None if it ends its process or exceeds the limit."""
        how = {"guarded": True, "seed": self.settings.seed, "traced": True, "constants": self.constants}
        try:
            return self.original.call(self.pair.file, self.pair.name, arguments, limit, how)
        except Ended:
            return None

    def _as_numpy(self, arguments: Arguments, want: Outcome) -> Step | None:
        """The call with NumPy arrays, if that agrees: then the function, whose text is unchanged, is still NumPy."""
        contract, self.contract, self.host = self.contract, self.pair.contract, True
        step = self.against(arguments, want, {})
        if not step.failed:
            return step
        self.contract, self.host = contract, False
        return None

    def against(self, arguments: Arguments, want: Outcome, how: Mapping[str, object]) -> Step:
        """Run the converted function, `how` (see Side.call), and compare its outcome with the original's.

        Where the original takes a generator, the converted function gets a key, or a generator if it fails with a key.
        """
        step = self._against(arguments, want, how)
        takes_generator = any(isinstance(part, Node) and part.kind == "random" for part in walk(arguments.node))
        if step.kind != "error" or not takes_generator or self.host or not self.keys:
            return step
        self.keys = False
        again = self._against(arguments, want, how)
        self.keys = again.kind == "error"
        return step if self.keys else again

    def _against(self, arguments: Arguments, want: Outcome, how: Mapping[str, object]) -> Step:
        limit = COMPILING * self.settings.timeout
        if self.hurried:
            limit = min(limit, HURRIED + HANGS * want.seconds)
        usual = self.how(self.following or not self.executed.issuperset(want.path.get("features", ())))
        try:
            got = self.converted.call(self.pair.file, self.pair.name, arguments, limit, usual | dict(how), want.tape)
        except TimedOut:
            words = f"no answer within {limit:g} s (the original took {want.seconds:.2g} s)"
            return Step("late", arguments, words, None, want)
        except Ended as problem:
            return Step("error", arguments, str(problem), None, want)
        self.drew_with_keys = self.drew_with_keys or got.keys
        self.reached.update(got.path.get("features", ()))
        if got.trouble:
            trouble = Difference("random draws", got.trouble)
            return Step("differs", arguments, str(trouble), trouble, want)
        if got.exception == STOPPED:  # the original was not
            effect = Difference("output", f"{got.error}, which the original does not do")
            return Step("differs", arguments, str(effect), effect, want)
        if got.status == "refused":
            return Step("refused", arguments, got.error, None, want)
        if seeds := self.seeding.difference(got.seeds, self.host):
            return Step("differs", arguments, str(seeds), seeds, want)
        if got.status != "returned":
            return self._raised(arguments, want, got) or Step("error", arguments, got.error, None, want)
        difference = self._difference(arguments, want, got, str(how.get("platform", "")))
        if difference is None:
            return Step("agrees", arguments, "", None, want)
        return Step("differs", arguments, str(difference), difference, want, has_jax(got.result))

    def how(self, traced: bool) -> dict[str, object]:
        """How the converted function is called if nothing else is said; see Side.call."""
        eager = not self.settings.jit and not self.host
        how: dict[str, object] = {"arrays": "numpy" if self.host else "jax", "eager": eager, "seed": self.settings.seed}
        return how | {"keys": self.keys and not self.host, "traced": traced}

    def reuses_keys(self, arguments: Arguments, eager: bool) -> Step | None:
        """Run the converted function with its own draws while JAX checks for key reuse; None if there is none."""
        how = {"arrays": "jax", "eager": eager, "seed": self.settings.seed, "keys": self.keys, "reuse": True}
        try:
            got = self.converted.call(self.pair.file, self.pair.name, arguments, COMPILING * self.settings.timeout, how)
        except Ended as problem:
            return Step("error", arguments, str(problem))
        if got.status == "returned":
            return None
        if not got.error.startswith("KeyReuseError"):
            return Step("error", arguments, got.error)
        difference = Difference("random draws", f"{KEYS_USED_TWICE}: {got.error}")
        return Step("differs", arguments, str(difference), difference)

    def note(self, text: str) -> None:
        """Add a note about the function to its verdict."""
        self.notes[text] = None

    def learn(self, seen: Sequence[tuple[Arguments, Outcome]]) -> None:
        """Without a contract from the analysis: arguments that the original was seen to change are returned."""
        if self.pair.analysed or self.host:
            return
        new = inferred(self.pair.contract, self.params, seen)
        returns = tuple(name for name in self.params if name in new.returns or name in self.contract.returns)
        self.contract = Contract(new.file, new.module, new.name, self.params, returns, new.results)

    def shows_something(self, call: Arguments, want: Outcome) -> bool:
        """Whether a call has a result, or an effect on an argument, that can be compared."""
        parts = [part for part in walk(want.result) if not isinstance(part, Node) or part.kind not in SILENT]
        return bool(self.contract.returns) or any(part is not None for part in parts) or self.changes(call, want)

    def changes(self, call: Arguments, want: Outcome) -> bool:
        """Whether the original changes an argument."""
        return want.after is not None and bool(changed(call, want.after, self.params))

    def _original(self, arguments: Arguments, marked: int = 0, traced: bool = False, limit: float = 0.0) -> Outcome:
        how = {"guarded": True, "seed": self.settings.seed, "marked": marked, "traced": traced, "sides": False}
        return self.original.call(self.pair.file, self.pair.name, arguments, limit or self.settings.timeout, how)

    def _fickle(self, arguments: Arguments, want: Outcome) -> str:
        """Why the original cannot be compared with anything: its result does not repeat; "" if it does."""
        if all(self._repeats(arguments, want, pattern) for pattern in PATTERNS):
            return ""
        return UNINITIALISED if self._repeats(arguments, want, 0) else FICKLE

    def _repeats(self, arguments: Arguments, want: Outcome, marked: int) -> bool:
        again = self._original(arguments, marked)
        return again.status == "returned" and identical_outcomes(want, again)

    def _difference(self, arguments: Arguments, want: Outcome, got: Outcome, platform: str) -> Difference | None:
        given = arguments
        platform = platform or next(iter(self.settings.platforms), "cpu")
        policy = Policy(self.settings.precision, platform != "cpu", all(map(is_whole, walk(arguments.node))))
        comparison = Comparison(policy)
        loose = not self.pair.analysed and not self.host
        difference = call_difference(comparison, self.params, want, got, self.contract, (), loose)
        if difference is not None and (difference.index is not None or difference.reason.startswith("shape")):
            if policy.whole and self._rounds(arguments):
                policy = replace(policy, whole=False)
                if not any(map(is_inexact, walk(arguments.node))):
                    arguments = in_floats(arguments)  # what is divided rounds, although whole numbers do not
            others = list(self.perturbation.of_inputs(arguments, range(PERTURBED)))
            comparison, plain = Comparison(policy), difference
            difference = call_difference(comparison, self.params, want, got, self.contract, others, loose)
            if difference is not None and (self.meaning.refused or want.seconds > BRISK) and self.meaning.undefined(given):
                return difference  # which will not count
            if difference is not None:  # rounding shows in a few of many tries only
                wide = in_floats(arguments) if is_tiny(difference, arguments) else arguments
                others += self.perturbation.of_inputs(wide, range(PERTURBED, MOST_PERTURBED))
                comparison = Comparison(policy)
                difference = call_difference(comparison, self.params, want, got, self.contract, others, loose)
            if difference is None and not is_tiny(plain, given) and self._is_sharp(given, want, got, policy):
                comparison, difference = Comparison(policy), plain
            for moved in (self.perturbation.of_values, self.perturbation.of_residues):  # what is computed is not exact
                small = difference is not None and is_tiny(difference, given, 1.0)
                if difference is not None and (small or moved == self.perturbation.of_values):
                    comparison = Comparison(replace(policy, whole=False))
                    noisy = list(moved(given))
                    difference = call_difference(comparison, self.params, want, got, self.contract, noisy, loose)
        if difference is None:
            difference = self._told(given, want, got)
        if difference is None:
            self.notes |= dict.fromkeys(sorted(comparison.notes))
        return difference

    def _told(self, arguments: Arguments, want: Outcome, got: Outcome) -> Difference | None:
        """How the converted call prints, warns or logs something else, None if not, or if the original itself does when its inputs
        move a little."""
        tolerance = PRINTED[self.settings.precision]
        reason = told_otherwise(want, got, tolerance)
        others = self.perturbation.of_inputs(arguments, range(PERTURBED)) if reason else ()
        if any(told_otherwise(want, other, tolerance) for other in others):
            return None
        return Difference("output", reason) if reason else None

    def _is_sharp(self, arguments: Arguments, want: Outcome, got: Outcome, policy: Policy) -> bool:
        """Whether a difference cannot come from rounding, although the original's own result changes with its inputs.

        It sits on a tie then, such as `x <= 0.2` for 0.2: the operands are exact, and no other comparison is close. The
        difference is large, and it stays if each operation runs by itself.
        """
        far = replace(policy, coarse=True)
        loose = not self.pair.analysed and not self.host
        if call_difference(Comparison(far), self.params, want, got, self.contract, (), loose) is None:
            return False
        if not (tie := self._is_tie(arguments)) or self.host:
            return tie
        how = {"arrays": "jax", "eager": True, "seed": self.settings.seed, "keys": self.keys}
        limit = COMPILING * self.settings.timeout
        try:
            eager = self.converted.call(self.pair.file, self.pair.name, arguments, limit, how, want.tape)
        except Ended:
            return False
        if eager.status != "returned":
            return False
        return call_difference(Comparison(far), self.params, want, eager, self.contract, (), loose) is not None
