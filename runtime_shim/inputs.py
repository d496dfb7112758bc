"""Values for the forms: drawn by Hypothesis, so that what fails shrinks to something small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from .calls import Arguments, arguments
from .forms import SIZES, Form, Model
from .snapshot import Array, Snapshot

Values = np.ndarray[Any, Any]


def sample(model: Model, seed: int, keyword_only: frozenset[str] = frozenset()) -> Arguments:
    """One ordinary call, by a seed; used to find out what the original accepts."""
    rng = np.random.default_rng(seed)
    made = {}
    for place, (name, form) in enumerate(model.forms):
        made[name] = (
            _scalar(form, rng, model) if form.kind != "array" else Array(_values(model, form, model.style, rng), ident=place + 1)
        )
    return _arranged(made, keyword_only)


def choices(model: Model, seed: int, keyword_only: frozenset[str]) -> Iterator[Arguments]:
    """The sample with each flag and each known value of a parameter in turn: every mode of the function is called once."""
    for place, (name, form) in enumerate(model.forms):
        values = (False, True) if form.kind == "flag" else form.values
        for value in values if len(values) > 1 else ():
            fixed = (name, Form("choice", values=(value,)))
            forms = (*model.forms[:place], fixed, *model.forms[place + 1 :])
            yield sample(Model(forms, model.sizes, model.style), seed, keyword_only)


@st.composite
def calls(draw: st.DrawFn, model: Model, keyword_only: frozenset[str]) -> Arguments:
    """Ordinary calls of one model: lengths, styles and values vary; the simplest are short arrays of small whole numbers."""
    sizes = model.sizes
    if any(name == "m" for name, _ in sizes):
        sizes = tuple(draw(st.sampled_from(SIZES[:2])).items())
    sized = Model(model.forms, sizes, model.style)
    made: dict[str, Snapshot] = {}
    for place, (name, form) in enumerate(sized.forms):
        if form.kind == "array":
            made[name] = Array(draw(_arrays(sized, form)), ident=place + 1)
        else:
            made[name] = draw(_scalars(form, sized))
    return _arranged(made, keyword_only)


def _arranged(made: dict[str, Snapshot], keyword_only: frozenset[str]) -> Arguments:
    positional = [value for name, value in made.items() if name not in keyword_only]
    return arguments(positional, {name: value for name, value in made.items() if name in keyword_only})


def _arrays(model: Model, form: Form) -> st.SearchStrategy[Values]:
    if model.style != "normal" or form.dtype not in ("float64", "float32"):
        return st.integers(0, 1 << 16).map(lambda seed: _values(model, form, model.style, np.random.default_rng(seed)))
    width: Any = int(form.dtype[5:])
    elements = st.floats(-8, 8, allow_subnormal=False, width=width)
    exact = hnp.arrays(form.dtype, model.shape(form), elements=elements)
    seeds = st.tuples(st.sampled_from(["whole", "normal", "positive"]), st.integers(0, 1 << 16))
    return seeds.map(lambda drawn: _values(model, form, drawn[0], np.random.default_rng(drawn[1]))) | exact


def _scalars(form: Form, model: Model) -> st.SearchStrategy[Snapshot]:
    match form.kind:
        case "float":
            return st.sampled_from([1.0, 0.5, 2.0, -1.5]) | st.floats(-8, 8, allow_subnormal=False)
        case "int":
            return st.integers(0, model.smallest() - 1) if form.index else st.sampled_from([2, 1, 3])
        case "complex":
            return st.complex_numbers(max_magnitude=8, allow_subnormal=False)
        case "flag":
            return st.booleans()
    return st.sampled_from(form.values)


def _scalar(form: Form, rng: np.random.Generator, model: Model) -> Snapshot:
    match form.kind:
        case "float":
            return float(rng.uniform(0.1, 2.0))
        case "int":
            return int(rng.integers(0, model.smallest())) if form.index else 2
        case "complex":
            return complex(rng.normal(), rng.normal())
        case "flag":
            return bool(rng.integers(0, 2))
    return form.values[0]


def _values(model: Model, form: Form, style: str, rng: np.random.Generator) -> Values:
    """An array of the form's shape and dtype, filled in the given style."""
    shape, dtype = model.shape(form), np.dtype(form.dtype or "float64")
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low, high = (0, model.smallest()) if form.index or style == "index" else (0 if dtype.kind == "u" else -5, 6)
        return rng.integers(low, high, shape).astype(dtype)
    if dtype.kind == "c":
        return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape), dtype)
    return np.asarray(_floats(shape, style, rng), dtype)


def _floats(shape: tuple[int, ...], style: str, rng: np.random.Generator) -> Values:
    match style:
        case "whole":
            return rng.integers(-4, 5, shape).astype(float)
        case "positive":
            return rng.uniform(0.1, 2.0, shape)
        case "sorted":
            return np.sort(rng.uniform(0.0, 2.0, shape), axis=-1)
        case "probabilities":
            drawn = rng.uniform(0.1, 1.0, shape)
            return np.asarray(drawn / drawn.sum())
        case "definite" if len(shape) >= 2 and shape[-1] == shape[-2]:
            half = rng.normal(size=shape)
            return np.asarray(half @ np.swapaxes(half, -1, -2) + shape[-1] * np.eye(shape[-1]))
    return rng.normal(size=shape)


STYLES = ("positive", "definite", "sorted", "probabilities", "index")
