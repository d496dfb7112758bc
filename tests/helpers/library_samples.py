"""Arrays for calls of SciPy, and the calls that many functions have in common."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from np2jax.rules.library_table.signals import _WINDOWS
from np2jax.rules.library_table.special import ENTRIES as SPECIAL
from np2jax.rules.library_table.statistics import SPARSE, STATS

_DATA = Path(__file__).parents[1] / "data"
_SUBMODULES = "special linalg ndimage signal fft interpolate integrate io stats spatial optimize sparse cluster".split()
_BELOW = "spatial.distance sparse.linalg cluster.vq cluster.hierarchy io.wavfile signal.windows".split()
_SHAPES = {"truncnorm": "-1, 1", "randint": "1, 5", "hypergeom": "9, 4, 5", "skewnorm": "2"}
_ONE_SHAPE = "gamma t chi2 lognorm pareto triang weibull_min weibull_max invgamma genextreme genpareto vonmises"
_SHAPES |= dict.fromkeys((*_ONE_SHAPE.split(), "poisson", "geom", "bernoulli"), "0.5")
_SHAPES |= {"beta": "2, 3", "f": "2, 3", "binom": "4, 0.5", "nbinom": "4, 0.5"}


def lines(name: str) -> list[str]:
    return [line for line in (_DATA / name).read_text().splitlines() if line and not line.startswith("#")]


def _of_distribution(name: str) -> str:
    shapes = _SHAPES.get(name.partition(".")[0], "")
    return f"stats.{name}(v{', ' if shapes else ''}{shapes})"


FAMILIES = [
    *(f"special.{name}({', '.join('vwvw'[: len(row.arrays)])})" for name, row in SPECIAL.items() if row.params[:1] == ("x0",)),
    *(_of_distribution(name) for name in STATS if "." in name),
    *(f"signal.windows.{name}(8)" for name in _WINDOWS.split()),
    *(f"sparse.{name}(m)" for name, row in SPARSE.items() if row.params == ("arg1",)),
]


def shapes_of() -> dict[str, Any]:
    return {name: value.shape for name, value in _arrays("float64").items()} | {"x": ()}


def _arrays(dtype: str) -> dict[str, Any]:
    rising = np.arange(12.0)
    made = {
        "v": np.array([1, 3, 2, 5, 1, 4, 2, 6, 3, 1, 2, 4.0]),
        "w": np.array([2, 1, 4, 3, 5, 2, 1, 3, 6, 2, 4, 1.0]),
        "s": rising,
        "k": np.array([1, 2, 1.0]),
        "m": np.array([[4, 1, 0], [1, 5, 2], [0, 2, 6.0]]),
        "g": np.array([[(i * j + i) % 5 for j in range(5)] for i in range(6)], dtype=float),
        "c": np.arange(24.0).reshape(2, 3, 4) % 7,
        "p": np.array([[0, 0], [4, 1], [1, 5], [5, 6], [2, 3.0]]),
        "q": np.array([[1, 1], [2, 2.0]]),
    }
    return {name: value.astype(dtype) for name, value in made.items()}


def samples(dtype: str, folder: Path) -> dict[str, Any]:
    """The names that the calls use; results are new, so that a call may change its arguments."""
    for name in (*_SUBMODULES, *_BELOW):
        importlib.import_module(f"scipy.{name}")
    scipy = importlib.import_module("scipy")
    made = {**_arrays(dtype), "np": np, **{name: getattr(scipy, name) for name in _SUBMODULES}}
    made |= {
        "x": np.ones((), dtype=dtype)[()],
        "f": lambda a: a * 2.0,
        "path": str(folder / "a.wav"),
        "mat": str(folder / "a.mat"),
    }
    return made
