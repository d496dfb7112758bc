"""What does the original accept? Tries likely forms of arguments until some calls return without an exception."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from .calls import Arguments, Outcome
from .child import Ended, TimedOut
from .forms import Form, Model, models
from .inputs import STYLES, sample
from .session import Side

MOST_MODELS = 3
MOST_HANGS = 2
PATIENCE = 2.0  # seconds that a made-up call may take
LONGEST = 8.0  # seconds for the whole search


@dataclass(slots=True)
class Found:
    """The models that the original accepts, the calls that showed it, and why others were not."""

    models: list[Model] = field(default_factory=list)
    accepted: list[tuple[Arguments, Outcome]] = field(default_factory=list)
    reason: str = ""
    refused: bool = False


def search(
    original: Side,
    file: str,
    name: str,
    params: Sequence[tuple[str, list[Form]]],
    keyword_only: frozenset[str],
    seed: int,
    limit: float,
) -> Found:
    """Up to three models of different shapes that the original accepts."""
    found = Found(reason="no made-up call was tried")
    hangs = 0
    deadline = time.monotonic() + LONGEST
    for model in _tries(params):
        if len(found.models) >= MOST_MODELS or time.monotonic() > deadline:
            break
        if model.style != "normal" and found.models:
            break
        if any(_covers(known, model) for known in found.models):
            continue
        call = sample(model, seed, keyword_only)
        try:
            outcome = original.call(file, name, call, min(limit, PATIENCE), {"guarded": True, "seed": seed})
        except TimedOut:
            found.reason = f"the original does not end within {min(limit, PATIENCE):g} s on made-up arguments"
            hangs += 1
            if hangs >= MOST_HANGS:
                break
            continue
        except Ended as problem:
            return Found(reason=f"the original cannot be run: {problem}", refused=True)
        if outcome.status == "refused":
            return Found(reason=f"the original cannot be run on made-up arguments: {outcome.error}", refused=True)
        if outcome.status == "raised":
            found.reason = f"no made-up call was accepted, the last raised {outcome.error}"
            continue
        found.models.append(model)
        found.accepted.append((call, outcome))
    return found


def _tries(params: Sequence[tuple[str, list[Form]]]) -> Iterator[Model]:
    """All models with ordinary values, then the likeliest with values of a special kind."""
    yield from models(params)
    for style in STYLES:
        yield from (replace(model, style=style) for model in itertools.islice(models(params), 24))


def _covers(known: Model, model: Model) -> bool:
    """Whether a model says nothing new beside one that was accepted: the same ranks, in a square."""
    ranks = [(name, form.kind, form.rank, form.dtype) for name, form in known.forms]
    same = ranks == [(name, form.kind, form.rank, form.dtype) for name, form in model.forms]
    square = dict(model.sizes).keys() == {"n"}
    other_dtype = [(name, kind, rank) for name, kind, rank, _ in ranks] == [
        (name, form.kind, form.rank) for name, form in model.forms
    ]
    return (same and square) or (other_dtype and not same)
