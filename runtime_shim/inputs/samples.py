"""Values for argument forms, drawn by Hypothesis, so that failing examples shrink."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ..values.calls import Arguments, arguments
from ..values.snapshot import Array, Freezer, Node, Snapshot
from .leaves import in_order, leaves, with_leaves
from .signatures import Form, Model

Values = np.ndarray[Any, Any]
RANDOM = Freezer(lambda _: None).take_snapshot(np.random.default_rng(0))
ORDERED = "ordered"  # positive, and ascending from one argument to the next
HUNDREDTHS = st.integers(-800, 800).map(lambda number: number / 100)


def sample(model: Model, seed: int, by_name: frozenset[str] = frozenset()) -> Arguments:
    """One ordinary call for a seed; used to find out what the original accepts."""
    rng = np.random.default_rng(seed)
    made: dict[str, Snapshot] = {}
    for position, (name, form) in enumerate(model.forms):
        if form.kind == "array":
            made[name] = Array(_values(model, form, model.style, rng), ident=position + 1)
        elif form.kind != "omit":
            made[name] = _scalar(form, rng, model)
    call = _arranged(model, made, by_name)
    return with_leaves(call, in_order(leaves(call))) if model.style == ORDERED else call


def with_numbers(model: Model, seed: int) -> Model:
    """The model with the numbers and flags that `sample` draws for it: longer arrays would change what is drawn after them."""
    rng = np.random.default_rng(seed)
    forms: list[tuple[str, Form]] = []
    for name, form in model.forms:
        if form.kind == "array":
            _values(model, form, model.style, rng)
        elif form.kind != "omit":
            drawn = _scalar(form, rng, model)
            if form.kind in ("float", "complex", "flag") or form.index:
                form = Form("choice", values=(drawn,))
        forms.append((name, form))
    return replace(model, forms=tuple(forms))


def choices(model: Model, seed: int, by_name: frozenset[str]) -> Iterator[Arguments]:
    """The sample with each flag and each known value of a parameter, one at a time: every mode of the function is called once."""
    for position, (name, form) in enumerate(model.forms):
        values = (False, True) if form.kind == "flag" else form.values
        for value in values if len(values) > 1 else ():
            fixed = (name, Form("choice", values=(value,)))
            forms = (*model.forms[:position], fixed, *model.forms[position + 1 :])
            yield sample(Model(forms, model.sizes, model.style), seed, by_name)


@st.composite
def calls(draw: st.DrawFn, model: Model, by_name: frozenset[str]) -> Arguments:
    """Ordinary calls of one model: lengths, styles and values vary; the simplest are arrays of small integers."""
    sizes = draw(st.sampled_from([model.sizes, *model.others]))
    sized = Model(model.forms, sizes, model.style)
    if model.style == ORDERED:
        return sample(sized, draw(st.integers(0, 1 << 16)), by_name)
    made: dict[str, Snapshot] = {}
    for position, (name, form) in enumerate(sized.forms):
        if form.kind == "array":
            made[name] = Array(draw(_arrays(sized, form)), ident=position + 1)
        elif form.kind != "omit":
            made[name] = draw(_scalars(form, sized))
    return _arranged(sized, made, by_name)


def _arranged(model: Model, made: dict[str, Snapshot], by_name: frozenset[str]) -> Arguments:
    """The arguments, positional as far as possible: those after an omitted one are passed by keyword."""
    positional: list[Snapshot] = []
    keywords: dict[str, Snapshot] = {}
    gap = False
    for name, _ in model.forms:
        if name not in made:
            gap = True
        elif gap or name in by_name:
            keywords[name] = made[name]
        else:
            positional.append(made[name])
    return arguments(positional, keywords)


def _arrays(model: Model, form: Form) -> st.SearchStrategy[Values]:
    if model.style != "normal" or form.dtype not in ("float64", "float32"):
        return st.integers(0, 1 << 16).map(lambda seed: _values(model, form, model.style, np.random.default_rng(seed)))
    # No tiny numbers: XLA flushes subnormal values, and what underflows to them, to zero.
    exact = hnp.arrays(form.dtype, model.shape(form), elements=HUNDREDTHS)
    seeds = st.tuples(st.sampled_from(["whole", "normal", "positive"]), st.integers(0, 1 << 16))
    return seeds.map(lambda drawn: _values(model, form, drawn[0], np.random.default_rng(drawn[1]))) | exact


def _scalars(form: Form, model: Model) -> st.SearchStrategy[Snapshot]:
    match form.kind:
        case "float":
            return st.sampled_from([1.0, 0.5, 2.0, -1.5]) | HUNDREDTHS
        case "int":
            return st.integers(0, model.smallest() - 1) if form.index else st.sampled_from(model.shape(form) or (2, 1, 3))
        case "complex":
            return st.complex_numbers(max_magnitude=8, allow_subnormal=False)
        case "random":
            return st.just(RANDOM)
        case "flag":
            return st.booleans()
    return st.sampled_from(form.values)


def _scalar(form: Form, rng: np.random.Generator, model: Model) -> Snapshot:
    match form.kind:
        case "float":
            return float(rng.uniform(0.1, 2.0))
        case "int":
            return int(rng.integers(0, model.smallest())) if form.index else (model.shape(form) or (2,))[0]
        case "complex":
            return complex(rng.normal(), rng.normal())
        case "random":
            return RANDOM
        case "flag":
            return bool(rng.integers(0, 2))
    value = form.values[0]
    if model.style == ORDERED and isinstance(value, Node) and value.kind in ("tuple", "list"):
        return replace(value, items=tuple(float(number) for number in rng.uniform(0.1, 2.0, len(value.items))))
    return value


def _values(model: Model, form: Form, style: str, rng: np.random.Generator) -> Values:
    """An array with the form's shape and dtype, filled in the given style."""
    shape, dtype = model.shape(form), np.dtype(form.dtype or "float64")
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low, high = (
            (0, model.smallest())
            if form.index or style == "index"
            else (0 if dtype.kind == "u" else 1 if style == "positive" else -5, 6)
        )
        return rng.integers(low, high, shape).astype(dtype)
    if dtype.kind == "c":
        return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape), dtype)
    return np.asarray(_floats(shape, style, rng), dtype)


def _floats(shape: tuple[int, ...], style: str, rng: np.random.Generator) -> Values:
    match style:
        case "whole":
            return rng.integers(-4, 5, shape).astype(float)
        case "positive" | "ordered":
            return rng.uniform(0.1, 2.0, shape)
        case "sorted":
            return np.sort(rng.uniform(0.0, 2.0, shape), axis=-1)
        case "probabilities":
            drawn = rng.uniform(0.1, 1.0, shape)
            return np.asarray(drawn / drawn.sum())
        case "unit" if shape:
            drawn = rng.normal(size=shape)
            return np.asarray(drawn / np.sqrt((drawn**2).sum(axis=-1, keepdims=True)))
        case "definite" if len(shape) >= 2 and shape[-1] == shape[-2]:
            half = rng.normal(size=shape)
            return np.asarray(half @ np.swapaxes(half, -1, -2) + shape[-1] * np.eye(shape[-1]))
    return rng.normal(size=shape)


STYLES = ("positive", "definite", "sorted", ORDERED, "probabilities", "unit", "index")
