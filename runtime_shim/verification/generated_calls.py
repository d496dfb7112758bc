"""Generated calls of one function: calls that the original accepts, drawn by Hypothesis, then its edge cases."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity

from ..inputs.argument_forms import argument_forms, with_defaults, with_small_limits
from ..inputs.boundary_calls import sized_calls
from ..inputs.edge_cases import Edge, edges, in_place_of_arrays, not_finite, values
from ..inputs.instances import Instances
from ..inputs.literals import asks_for_finite, asks_for_rank, large_lengths
from ..inputs.samples import calls, choices, sample
from ..inputs.signature_search import Search
from ..inputs.signatures import Form, Model
from ..sandbox.line_trace import UNSORTED
from ..sandbox.session import Description
from ..values.calls import Arguments
from ..values.snapshot import Node, Snapshot, walk
from .conditions import explains
from .differential_run import HANGING, DifferentialRun
from .exploration import Exploration
from .steps import Step, Tally
from .stopwatch import DRAWN, EDGES, PATIENT, Deadline

MODELS_WITH_EDGES = 2
NO_INSTANCE = "no recorded call has an instance to call it on"
MADE = "called on instances that were made of generated arguments"
MOST_VARIANTS = 8
KIND = "another kind of argument"
MOST_REFUSED = 3  # drawn calls for each one that is to be compared: where most mean nothing, others are drawn
MOST_UNDEFINED = 2  # calls whose results mean nothing, before values of another style are tried
CALM = ("probabilities", "positive")  # that do not make a model diverge


class _Failed(Exception):
    """Tells Hypothesis that a call differs."""


@dataclass(slots=True)
class GeneratedCalls:
    """The generated calls of one function; their results are counted in `tally`."""

    differential_run: DifferentialRun
    about: Description
    tally: Tally
    instances: Instances | None = None
    hanging: set[str] = field(default_factory=set)  # edge cases for which the original does not end
    deadline: Deadline | None = None  # of all edge cases

    def run(self) -> None:
        """Compare generated calls until one differs. Raises Ended if the original ends its process."""
        differential_run, settings = self.differential_run, self.differential_run.settings
        own = self._own()
        made = own if isinstance(own, str) else argument_forms(differential_run.pair, self.about, differential_run.original, own)
        if isinstance(made, str):
            self.tally.reason, self.tally.uncalled = self.tally.reason or made, True
            return
        forms, by_name = made.forms, made.by_name
        found = Search(
            differential_run.original,
            differential_run.pair.file,
            differential_run.pair.name,
            by_name,
            settings.seed,
            settings.timeout,
        )
        found.run(forms)
        if not found.models:
            self.tally.reason, self.tally.uncalled = self.tally.reason or found.reason, True
            return
        differential_run.learn(found.accepted)
        usable: list[Arguments] = []
        for number, model in enumerate(found.models):
            intended = number == 0 or made.is_intended(model)
            examples = -(-settings.examples // len(found.models))
            fine = self._model(model, by_name, examples, intended)
            calm = ("sorted",) if self.tally.reason == UNSORTED else CALM
            for style in calm if differential_run.meaning.refused and not self.tally.agreed and self.tally.failed is None else ():
                model = found.models[number] = replace(model, style=style)
                differential_run.meaning.refused = 0
                fine = self._model(model, by_name, examples, intended)
                if self.tally.agreed or self.tally.failed is not None:
                    break
            if self.tally.failed is not None or not self.tally.agreed:
                return
            if fine and number < MODELS_WITH_EDGES:
                usable.append(sample(model, settings.seed, by_name))
        variants = list(itertools.islice(found.variants(forms, differential_run.contract.returns), MOST_VARIANTS))
        modes = [arguments for arguments in variants if _is_mode(arguments, usable, self.about.names)]
        # before others use up the time: each has its own lines
        self._edges((Edge(KIND, arguments, True) for arguments in modes), raises=True)
        self._edges(Edge(style, call, True) for style, call in found.other_styles())
        of_rank = asks_for_rank(differential_run.pair.sources[1]) - {
            *differential_run.contract.returns
        }  # a number does not change
        for number, arguments in enumerate(usable):  # first what the code has lines for: other dtypes take a compilation each
            if asks_for_finite(differential_run.pair.sources[0]):
                self._edges(not_finite(arguments))
            self._edges(in_place_of_arrays(arguments, of_rank, self.about.names))
            self._edges(edges(arguments) if number == 0 else values(arguments))
        self._edges(Edge(KIND, arguments, True) for arguments in variants if arguments not in modes)
        for arguments in variants:
            self._edges(values(arguments))
        if self.tally.failed is None and usable:
            whole = with_defaults(usable[0], self.about.names, made.defaults)
            usable = [whole, *usable, *with_small_limits(whole, self.about.names, made.defaults)]
            large = large_lengths([*differential_run.pair.sources[0], *differential_run.pair.sources[1]])
            sized = sized_calls(found.models[0], differential_run.constants, settings.seed, by_name, large)
            Exploration(differential_run, self.tally).run(usable, sized)

    def _own(self) -> list[Form] | str:
        """What a method may be called on, or why nothing is known, in words; nothing for a function. Raises Ended."""
        name, names = self.differential_run.pair.name, self.about.names
        if "." not in name or names[:1] not in (("self",), ("cls",)):
            return []
        if self.instances is None:
            return NO_INSTANCE
        own = self.instances.forms(name, names[0])
        if not isinstance(own, str) and names[0] == "self":
            self.differential_run.note(MADE)
        return own

    def _model(self, model: Model, by_name: frozenset[str], examples: int, intended: bool) -> bool:
        """Run calls of one model: each flag and known value once, then those that Hypothesis draws. Returns whether all agreed.

        A drawn call that differs is shrunk. Only the first model, and one for whose ranks the code has a case, is certainly an intended
        use of the function: for the others, an exception, which nobody overlooks, is only noted.
        """
        deadline, latest = self.differential_run.watch.until(DRAWN), self.differential_run.watch.until(PATIENT)
        last: list[Step] = []
        compared = 0

        def attempt(arguments: Arguments) -> None:
            nonlocal compared
            step = self.differential_run.run(arguments)
            compared += step.kind != "refused"
            if not last:
                self.tally.count("generated", step)
            if step.failed:
                last.append(step)
                raise _Failed
            self.tally.reason = step.words or self.tally.reason

        @hypothesis.seed(self.differential_run.settings.seed)
        @hypothesis.settings(
            max_examples=MOST_REFUSED * examples,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
        )
        @hypothesis.given(calls(model, by_name))
        def drawn(arguments: Arguments) -> None:
            if self._is_undefined():
                return
            if (last or compared < examples) and not (deadline.over if self.tally.agreed else latest.over):
                attempt(arguments)

        try:
            for arguments in choices(model, self.differential_run.settings.seed, by_name):
                attempt(arguments)
            drawn()
        except (_Failed, hypothesis.errors.HypothesisException, ExceptionGroup):
            if not last:
                raise
            if intended or last[-1].kind == "differs":
                self.tally.failed = last[-1]
            else:
                self.differential_run.note(f"{last[-1].words}, on {last[-1].call.summary(self.about.names)}")
        return not last

    def _is_undefined(self) -> bool:
        """Whether no call could be compared, as the results of the original mean nothing: then others are needed."""
        return self.differential_run.meaning.refused >= MOST_UNDEFINED and not self.tally.agreed

    def _edges(self, cases: Iterable[Edge], raises: bool = False) -> None:
        """Run edge cases. Less than a clear difference is only noted: an exception, or values about which NumPy itself warned. `raises`: an
        exception counts, too, as the cases are modes of the function."""
        raised: dict[str, list[str]] = {}
        run = self.differential_run
        self.deadline = self.deadline or run.watch.until(EDGES)
        for edge in cases if self.tally.failed is None else ():
            if self.deadline.over:
                break
            if edge.name in self.hanging:
                continue
            step = run.run(edge.arguments, ordinary=False)
            if step.words.startswith(HANGING):
                self.hanging.add(edge.name)
            self.tally.count("generated", step)
            may_differ = edge.dtypes and (step.in_jax or not run.host)
            explained = may_differ and explains(run.pair.contract, run.pair.analysed, step.difference, step.call)
            in_exception = step.difference is not None and step.difference.sort == "exception"
            elsewhere = edge.results and step.difference is not None and not step.difference.where.startswith("result")
            strict = in_exception or (edge.strict and not explained and not elsewhere)
            if step.kind == "differs" and strict and not (step.want and step.want.warned):
                self.tally.failed = Step("differs", step.call, f"{step.words} ({edge.name})", step.difference, step.want)
                return
            if raises and step.kind == "error" and not (step.want and step.want.warned):
                self.tally.failed = step
                return
            if step.failed:
                raised.setdefault(step.words, []).append(edge.name)
        for words, names in raised.items():
            run.note(f"on {', '.join(dict.fromkeys(names))}: {words}")


def _is_mode(call: Arguments, usual: Sequence[Arguments], names: Sequence[str]) -> bool:
    """Whether a call has a text, a flag, or a function that the usual ones do not have, or 1 for a limit that they leave out."""
    given = [one.named(names) for one in usual]
    known = {mark for one in given for mark in _marks(one.values())}
    now = call.named(names)
    small = any(type(value) is int and value == 1 and name not in one for one in given for name, value in now.items())
    return small or any(mark not in known for mark in _marks(now.values()))


def _marks(values: Iterable[Snapshot]) -> Iterator[str | bool]:
    for part in (part for value in values for part in walk(value)):
        if isinstance(part, str | bool):
            yield part
        elif isinstance(part, Node) and part.kind == "global":
            yield part.name
