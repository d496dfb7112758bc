"""Finds out what the original accepts: tries argument forms, preferring those with which it gets furthest before it raises.

Then it finds the relations between shapes: dimensions that may change alone are independent; those that must change together
are one dimension.
"""

from __future__ import annotations

import itertools
import string
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..sandbox.process import Ended, TimedOut
from ..sandbox.session import Side
from ..values.calls import Arguments, Outcome
from .samples import STYLES, sample
from .signatures import LENGTHS, SQUARE, Form, Model, is_told, square, uniform

MOST_MODELS = 3
MOST_TRIES = 400
MOST_HANGS = 2
MOST_CLIMBS = 12
MOST_STYLED = 4  # models that are tried with values of each style
MOST_PAIRS = 28  # pairs of dimensions that are taken out of a group together
MORE_SEEDS = 4  # other values that a model must accept, or else its values are of another style
PATIENCE = 2.0  # seconds allowed for a generated call
LONGEST = 20.0  # seconds for the whole search

Params = Sequence[tuple[str, list[Form]]]


class _Stop(Exception):
    """The search cannot continue."""


@dataclass(slots=True)
class Search:
    """The search for calls of one function. `reason`: why none was found; `accepted`: an accepted call for each model."""

    original: Side
    file: str
    name: str
    by_name: frozenset[str]
    seed: int
    limit: float
    models: list[Model] = field(default_factory=list)
    accepted: list[tuple[Arguments, Outcome]] = field(default_factory=list)
    reason: str = "no generated call was tried"
    progress: dict[Model, int] = field(default_factory=dict)
    hangs: int = 0
    deadline: float = 0.0

    def run(self, params: Params) -> None:
        """Find up to three models, with different ranks if the original accepts several."""
        self.deadline = time.monotonic() + min(LONGEST, 4 * self.limit)
        try:
            first = self._first(params)
            if first is None:
                return
            first = self._in_arrays(first, params)
            self._keep(self._general(first))
            for model in self._other_ranks(first, params):
                if len(self.models) >= MOST_MODELS:
                    return
                if self._accepts(model):
                    self._keep(self._general(model))
        except _Stop:
            return

    def variants(self, params: Params, arrays: Sequence[str]) -> Iterator[Arguments]:
        """Calls of the first model with a different kind of value for one parameter: another mode, or indices for an index.

        `arrays`: parameters that must remain arrays, because they are changed in place.
        """
        for position, (name, forms) in enumerate(params):
            if name in arrays:
                continue
            _, now = self.models[0].forms[position]
            kinds = {_kind(now), ("array", "i") if _kind(now) == ("array", "f") else _kind(now)}  # edge cases have integers, too
            for form in forms:
                if _kind(form) not in kinds:
                    kinds.add(_kind(form))
                    for one in _each(form):
                        yield sample(self.models[0].with_form(position, one), self.seed, self.by_name)

    def other_styles(self) -> Iterator[tuple[str, Arguments]]:
        """Calls of the first model with values of each other style, those that the original refuses among them."""
        for style in ("normal", *STYLES):
            if style != self.models[0].style:
                yield f"{style} values", sample(replace(self.models[0], style=style), self.seed, self.by_name)

    def _keep(self, model: Model) -> None:
        model = next((styled for styled in (model, *_styled(model)) if self._is_usual(styled)), model)
        call = sample(model, self.seed, self.by_name)
        outcome = self._try(model)
        if outcome is not None:
            self.models.append(model)
            self.accepted.append((call, outcome))

    def _is_usual(self, model: Model) -> bool:
        """Whether other values are accepted, too, and not by chance: weights that must not be negative, for instance."""
        return all(self._try(model, self.seed + more) is not None for more in range(MORE_SEEDS))

    def _accepts(self, model: Model) -> bool:
        return self._try(model) is not None

    def _try(self, model: Model, seed: int | None = None) -> Outcome | None:
        """Call the original. Returns the outcome, or None if it raised. Raises _Stop if the search cannot continue."""
        if time.monotonic() > self.deadline or len(self.progress) > MOST_TRIES:
            raise _Stop
        call = sample(model, self.seed if seed is None else seed, self.by_name)
        limit = min(self.limit, PATIENCE)
        try:
            outcome = self.original.call(self.file, self.name, call, limit, {"guarded": True, "seed": self.seed})
        except TimedOut:
            self.reason = f"the original does not end within {limit:g} s on made-up arguments"
            self.progress[model] = -1
            self.hangs += 1
            if self.hangs >= MOST_HANGS:
                raise _Stop from None
            return None
        except Ended as problem:
            self.reason = f"the original cannot be run: {problem}"
            raise _Stop from None
        if outcome.status == "refused":
            self.reason = f"the original cannot be run on generated arguments: {outcome.error}"
            raise _Stop
        if outcome.status == "raised":
            self.progress[model] = outcome.line
            if outcome.line >= max(self.progress.values()):
                self.reason = f"the original accepted no generated call; the best one raised {outcome.error}"
            return None
        return outcome

    def _first(self, params: Params) -> Model | None:
        """A model that the original accepts: the likeliest forms first, then whichever get further."""
        for forms in uniform(params):
            for distinct in (True, False):
                model = square(forms, SQUARE[0], distinct=distinct)
                if model not in self.progress and (distinct or is_told(model)) and self._accepts(model):
                    return model
        climbed = self._climb(params)
        if climbed is not None:
            return climbed
        best = sorted(self.progress, key=lambda model: -self.progress[model])
        others = (square(model.forms, length) for length in SQUARE[1:] for model in best[:12])
        styled = (square(model.forms, size, style) for style in STYLES for model in best[:MOST_STYLED] for size in SQUARE[:2])
        by_chance = None  # as a matrix of random numbers that happens to be definite
        for model in filter(self._accepts, itertools.chain(others, styled)):
            if self._is_usual(model) or (model.style == "normal" and any(map(self._is_usual, _styled(model)))):
                return model
            by_chance = by_chance or model
        return by_chance

    def _in_arrays(self, model: Model, params: Params) -> Model:
        """The model with arrays in place of numbers where they are likelier: what is changed in place, for instance."""
        model = model if _arrays_of(model) else self._with_arrays(params) or model
        for position, (_, forms) in enumerate(params):
            if forms[0].kind == "array" != model.forms[position][1].kind:
                tried = (model.with_form(position, form) for form in forms if form.kind == "array")
                model = next((one for one in tried if one not in self.progress and self._accepts(one)), model)
        return model

    def _with_arrays(self, params: Params) -> Model | None:
        """A model with arrays of another style or of integers, of those that were refused: weights that must not be negative, say, or
        indices. Numbers will do, too."""
        refused = sorted(filter(_arrays_of, self.progress), key=lambda model: -self.progress[model])[:MOST_STYLED]
        styled = (replace(model, style=style) for style in STYLES for model in refused)
        whole = [_in_integers(model, params) for model in refused]
        tried = (
            one for one in (*whole, *(replace(model, style="index") for model in whole), *styled) if one not in self.progress
        )
        return next((model for model in tried if self._accepts(model) and self._is_usual(model)), None)

    def _climb(self, params: Params) -> Model | None:
        """Change one parameter at a time, always in the model with which the original got furthest."""
        seen: set[Model] = set()
        while waiting := [model for model in self.progress if model not in seen]:
            best = max(waiting, key=lambda model: self.progress[model])
            if len(seen) >= MOST_CLIMBS:
                return None
            seen.add(best)
            for position, (_, forms) in enumerate(params):
                for form in forms:
                    model = best.with_form(position, form)
                    if model not in self.progress and self._accepts(model):
                        return model
        return None

    def _general(self, model: Model) -> Model:
        """The model with independent dimensions where the original allows it."""
        positions = [
            (number, axis)
            for number, (_, form) in enumerate(model.forms)
            for axis, dim in enumerate(form.dims)
            if dim == "n" and (form.kind == "array" or form.kind == "int")
        ]
        groups: list[set[tuple[int, int]]] = []
        left = list(positions)
        try:
            while left:
                group = self._group(model, left)
                if self._accepts(_relabelled(model, group, "m", dict(model.sizes)["n"] + 1)):
                    groups.append(group)
                else:
                    group = {left[0]}  # it has this length always
                    model = _fixed(model, left[0], dict(model.sizes)["n"])
                left = [position for position in left if position not in group]
            return self._sized(_named(model, groups), len(groups))
        except _Stop:
            return model

    def _group(self, model: Model, left: list[tuple[int, int]]) -> set[tuple[int, int]]:
        """The smallest set of positions, including the first of `left`, that may change to another length together.

        The first may change alone where two others are tied to each other, neither of which can leave a set by itself.
        """
        group, length = set(left), dict(model.sizes)["n"] + 1
        if len(left) > 2 and self._accepts(_relabelled(model, {left[0]}, "m", length)):
            return {left[0]}
        pairs = itertools.islice(itertools.combinations(left[1:], 2), MOST_PAIRS)  # two others may be tied to each other
        for some in itertools.chain(((position,) for position in left[1:]), pairs):
            smaller = group.difference(some)
            if group.issuperset(some) and self._accepts(_relabelled(model, smaller, "m", length)):
                group = smaller
        return group

    def _sized(self, model: Model, count: int) -> Model:
        """Distinct lengths for distinct dimensions if they are accepted together, and a second choice of lengths."""
        names = [name for name, _ in model.sizes]
        choices: list[Callable[[int], int]] = [
            lambda position: LENGTHS[0][position % 8],
            lambda position: LENGTHS[1][position % 8],
        ]
        now = dict(model.sizes)
        fitting = []
        for choose in choices:
            sizes = tuple((name, choose(position)) for position, name in enumerate(names))
            if self._accepts(replace(model, sizes=sizes)):
                fitting.append(sizes)
        if not fitting:
            return replace(model, sizes=tuple((name, now[name]) for name in names))
        return replace(model, sizes=fitting[0], others=tuple(fitting[1:]))

    def _other_ranks(self, model: Model, params: Params) -> Iterator[Model]:
        """The model with all arrays of a different rank, unless their ranks are documented."""
        length = dict(model.sizes).get("n", 4)
        for step in (1, -1, 2):
            forms = []
            for (name, form), (_, known) in zip(model.forms, params, strict=True):
                ranks = {other.rank for other in known if other.kind == "array" and not other.dims}
                free = form.kind == "array" and form.rank + step in ranks
                forms.append((name, replace(form, rank=form.rank + step, dims=()) if free else form))
            if tuple(forms) != model.forms:
                yield square(forms, length, model.style)


def _kind(form: Form) -> tuple[str, str]:
    """What a parameter gets: arrays of floats and of integers are two kinds."""
    return form.kind, form.dtype[:1] if form.kind == "array" else ""


def _in_integers(model: Model, params: Params) -> Model:
    """The model with arrays of integers where they are allowed."""
    forms = []
    for (name, form), (_, known) in zip(model.forms, params, strict=True):
        same = (one for one in known if (one.kind, one.rank) == (form.kind, form.rank) and one.dtype[:3] == "int")
        forms.append((name, replace(next(same, form), dims=form.dims)))
    return replace(model, forms=tuple(forms))


def _arrays_of(model: Model) -> list[Form]:
    return [form for _, form in model.forms if form.kind == "array"]


def _styled(model: Model) -> list[Model]:
    return [replace(model, style=style) for style in STYLES if style != model.style]


def _each(form: Form) -> list[Form]:
    """The form, or one form for each value that it may have."""
    values = (False, True) if form.kind == "flag" else form.values
    return [Form("choice", values=(value,)) for value in values] or [form]


def _relabelled(model: Model, positions: set[tuple[int, int]], name: str, length: int) -> Model:
    """The model with a different dimension at these positions."""
    forms = tuple(
        (param, replace(form, dims=tuple(name if (number, axis) in positions else dim for axis, dim in enumerate(form.dims))))
        for number, (param, form) in enumerate(model.forms)
    )
    return replace(model, forms=forms, sizes=(*(pair for pair in model.sizes if pair[0] != name), (name, length)))


def _fixed(model: Model, position: tuple[int, int], length: int) -> Model:
    """The model with a length in place of a named dimension."""
    number, axis = position
    name, form = model.forms[number]
    fixed = replace(form, dims=(*form.dims[:axis], length, *form.dims[axis + 1 :]))
    return replace(model, forms=(*model.forms[:number], (name, fixed), *model.forms[number + 1 :]))


def _named(model: Model, groups: list[set[tuple[int, int]]]) -> Model:
    """The model with one dimension name for each group of positions."""
    length = dict(model.sizes)["n"]
    for name, group in zip((f"d{letter}" for letter in string.ascii_lowercase), groups, strict=False):
        model = _relabelled(model, group, name, length)
    used = {dim for _, form in model.forms for dim in form.dims if isinstance(dim, str)}
    return replace(model, sizes=tuple(pair for pair in model.sizes if pair[0] in used))
