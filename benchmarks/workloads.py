"""Time and compare small programs that nobody tuned for JAX: benchmarks/untuned, one or more of each class in docs/placement.md.

usage: python benchmarks/workloads.py [NAME...] [--placement fast] [--keep DIR]

The folder is converted with one command. Each workload runs in a process of its own, under NumPy and converted, and gets NumPy
arrays and plain Python values, as a user's call would. Printed for each: the best of several calls under NumPy and converted, the ratio,
the time of the first call, which compiles, and DIFFERS where results (values, shapes, dtypes) or exceptions (type, text) are
not the same. Workloads that draw are compared by shape and dtype only. The exit status is 1 if any differs.
"""

# ruff: noqa: B008  # the defaults are the inputs, made once for all calls

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import math
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "untuned"
LIMIT = 120.0
SECONDS = 3.0  # after which a workload is not called again
RNG = np.random.default_rng(0)
normal = RNG.normal
IMAGE, OTHER = (3 * np.sin(np.arange(40_000.0)).reshape(200, 200), np.cos(np.arange(40_000.0) ** 1.1).reshape(200, 200))


def positive(n: int) -> Any:
    a = normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


def unit(n: int) -> Any:
    a = normal(size=(n, 3))
    return a / np.linalg.norm(a, axis=1, keepdims=True)


def quietly(call: Callable[[], Any]) -> Any:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        result = call()
    return result, out.getvalue()


# name -> (class, the call, given a function that imports a program)
WORKLOADS: dict[str, tuple[str, Callable[[Callable[[str], Any]], Any]]] = {
    "heat_200": ("functions that print", lambda m: quietly(lambda: m("steps").heat(200, 300))),
    "membrane_200": ("functions that print", lambda m: quietly(lambda: m("steps").membrane(200, 300))),
    "oscillators_200": (
        "functions that print",
        lambda m, w=normal(size=200): quietly(lambda: m("steps").oscillators(w, np.linspace(0, 6, 200), 200)),
    ),
    "waves_128": ("functions that print", lambda m: quietly(lambda: m("waves").simulate(128, 0.1))),
    "edge_preserving_100": ("windows", lambda m, x=IMAGE[:100, :100]: m("windows").edge_preserving(x)),
    "pooled_200": ("windows", lambda m, x=IMAGE: m("windows").pooled(x, 4, 2)),
    "grown_200": ("windows", lambda m, x=RNG.integers(0, 3, (200, 200)): m("windows").grown(x)),
    "turn_100000": ("value check", lambda m, x=unit(100_000): m("checks").turn(x, [0.6, 0.0, 0.8], 0.3)),
    "turn_refused": ("value check", lambda m, x=unit(10): m("checks").turn(x, [1.0, 1.0, 0.0], 0.3)),
    "blackbody_1000000": ("value check", lambda m, x=np.linspace(1e-7, 1e-5, 10**6): m("checks").blackbody(x, 5800.0)),
    "blackbody_nan": ("value check", lambda m: m("checks").blackbody(np.array([1e-6, np.nan]), 5800.0)),
    "blackbody_assert": ("value check", lambda m: m("checks").blackbody(np.array([1e-6, 2e-6]), -1.0)),
    "scaled_standard": ("mode", lambda m, x=normal(size=(20_000, 30)): m("checks").scaled(x)),
    "scaled_robust": ("mode", lambda m, x=normal(size=(20_000, 30)): m("checks").scaled(x, mode="robust")),
    "scaled_refused": ("mode", lambda m, x=normal(size=(20, 3)): m("checks").scaled(x, "other")),
    "similarity_gauss": ("mode", lambda m, x=normal(size=(800, 30)): m("checks").similarity(x, x[:500], "gauss")),
    "moments_lists": ("array-likes", lambda m, x=normal(size=2000).tolist(): m("checks").weighted_moments(x, [1.0] * 2000)),
    "moments_100000": ("array-likes", lambda m, x=normal(size=10**5), w=RNG.random(10**5): m("checks").weighted_moments(x, w)),
    "common_length_400": (
        "items",
        lambda m, a=RNG.integers(0, 4, 400), b=RNG.integers(0, 4, 400): m("loops").common_length(a, b),
    ),
    "common_length_text": ("items", lambda m: m("loops").common_length("sitting on a kitten" * 5, "kitten sitting" * 6)),
    "knapsack_60": (
        "items",
        lambda m, w=RNG.integers(1, 40, 60).tolist(), v=RNG.random(60): m("loops").knapsack(w, v, 1000),
    ),
    "smoothed_20000": ("rows in lists", lambda m, x=normal(size=20_000): m("loops").smoothed(x, 0.3, 0.1)),
    "monotone_20000": ("host", lambda m, x=np.sort(normal(size=20_000)) + normal(size=20_000): m("loops").monotone(x)),
    "runs_50000": ("host", lambda m, x=RNG.integers(0, 3, 50_000): m("loops").runs(x)),
    "label_120": ("host", lambda m, x=RNG.random((120, 120)) < 0.55: m("loops").label(x)),
    "collatz_3000": ("Python integers", lambda m: m("loops").collatz(3000)),
    "radical_inverse_5000": ("Python integers", lambda m: m("loops").radical_inverse(5000, 3)),
    "leapfrog_40x300": (
        "functions as arguments",
        lambda m, x=normal(size=(40, 3)): m("solvers").leapfrog(m("solvers").attraction, x, 0.0 * x, 1e-3, 300),
    ),
    "leapfrog_lambda": (
        "functions as arguments",
        lambda m, x=normal(size=1000): m("solvers").leapfrog(lambda q: -q, x, 0.0 * x, 1e-3, 1000),
    ),
    "bisect": ("functions as arguments", lambda m: m("solvers").bisect(lambda x: math.cos(x) - x, 0.0, 1.0)),
    "bisect_refused": ("functions as arguments", lambda m: m("solvers").bisect(lambda x: x * x + 1.0, 0.0, 1.0)),
    "tridiagonal_20000": (
        "raise in a loop",
        lambda m, n=20_000, b=normal(size=20_000): m("solvers").tridiagonal(np.ones(n), np.full(n, 4.0), np.ones(n), b),
    ),
    "tridiagonal_singular": ("raise in a loop", lambda m: m("solvers").tridiagonal([0.0, 1], [1.0, 1], [1.0, 0], [1.0, 2])),
    "cholesky_150": ("raise in a loop", lambda m, a=positive(150): m("solvers").cholesky(a)),
    "cholesky_indefinite": ("raise in a loop", lambda m: m("solvers").cholesky([[1.0, 2.0], [2.0, 1.0]])),
    "dominant_300": ("early end", lambda m, a=positive(300): m("solvers").dominant(a)),
    "dominant_limit": ("early end", lambda m: m("solvers").dominant(np.diag([1.0, 0.999]), limit=5)),
    "relax_60": ("callbacks", lambda m, u=normal(size=(60, 60)): m("solvers").relax(u, 0.1 * u, 20)),
    "relax_report": ("callbacks", lambda m, u=normal(size=(20, 20)): quietly(lambda: m("solvers").relax(u, 0.1 * u, 5, print))),
    "kalman_400": (
        "models",
        lambda m, z=normal(size=(400, 1)): (
            m("models")
            .Kalman(
                np.array([[1, 0.1], [0, 1]]), np.array([[1.0, 0.0]]), 0.01 * np.eye(2), 0.1 * np.eye(1), np.zeros(2), np.eye(2)
            )
            .run(z)
        ),
    ),
    "life_50": ("models", lambda m, g=(RNG.random((50, 50)) < 0.4).astype(int): m("models").GameOfLife(g).run(50)),
    "reservoir_60": ("models", lambda m, u=np.sin(0.2 * np.arange(600)): m("models").Reservoir(60).collect(u, 50)),
    "chain_40": ("models", lambda m: m("models").HarmonicChain(40).evolve(200)),
    "chain_3": ("models", lambda m: m("models").HarmonicChain(3).evolve(10)),
    "regression_1000": (
        "models",
        lambda m, x=normal(size=(300, 5)): vars(m("models").Regression(0.1).fit(x, x @ np.arange(5.0))),
    ),
    "perceptron_50": (
        "models",
        lambda m, x=normal(size=(150, 3)): vars(m("models").Perceptron().fit(x, np.sign(x[:, 0] - 0.3))),
    ),
    "descend_2000": ("models", lambda m, x=normal(size=50): m("models").descend(x, 2000, 1e-9)),
    "simplified_2000": (
        "models",
        lambda m, y=normal(size=2000).cumsum(): m("models").simplified(np.stack([np.arange(2000.0), y], 1), 5.0),
    ),
    "wave_60": (
        "models",
        lambda m, u=np.exp(-(normal(size=(60, 60)) ** 2)): m("models").wave(u, boundary="open", source=(5, 5, 1.0)),
    ),
    "covariance_3000": ("classes", lambda m, x=normal(size=(3000, 10)): m("classes").covariance(x)),
    "covariance_refused": ("classes", lambda m: m("classes").covariance(np.ones((1, 2)))),
    "momentum_300": (
        "classes",
        lambda m, x=normal(size=(2000, 20)): m("classes").Momentum(0.01).fit(x, x @ np.arange(20.0), 300),
    ),
    "adam_300": ("classes", lambda m, x=normal(size=(2000, 20)): m("classes").Adam(0.1).fit(x, x @ np.arange(20.0), 300)),
    "descent_base": ("classes", lambda m: m("classes").Descent(0.1).fit(np.ones((3, 2)), np.ones(3), 2)),
    "moving_10000": ("classes", lambda m, x=normal(size=10_000): m("classes").moving(x, 50)),
    "bootstrap_draws": ("draws", lambda m, x=normal(size=1000): m("draws").bootstrap(x, 2000, seed=1)),
    "metropolis_draws": ("draws", lambda m: m("draws").metropolis(lambda x: -0.5 * np.sum(x**2), np.zeros(3), 3000)),
    "walk_draws": ("draws", lambda m: m("draws").walk(100_000)),
    "kmeans_draws": ("draws", lambda m, x=normal(size=(5000, 4)): m("draws").kmeans(x, 8, 20)),
    "kriging_400": (
        "libraries",
        lambda m, x=normal(size=(400, 2)), v=normal(size=400), y=normal(size=(2000, 2)): m("mixed").kriging(x, v, y, 0.5),
    ),
    "envelope_200000": ("libraries", lambda m, x=normal(size=200_000): m("mixed").envelope(x, 101)),
    "longest_200": ("small functions", lambda m, x=RNG.random((200, 2)): m("mixed").longest(x)),
    "lorenz_1000": ("rows in lists", lambda m: m("mixed").lorenz([1, 1, 1], 1000)),
    "spectrum_4096": ("recursion", lambda m, x=normal(size=4096): m("mixed").spectrum(x)),
    "spectrum_refused": ("recursion", lambda m: m("mixed").spectrum(np.ones(12))),
    "compressed_256": ("borders", lambda m, x=normal(size=(256, 256)): m("mixed").compressed(x, 5000)),
    "histogram_1000000": ("borders", lambda m, x=normal(size=10**6): m("mixed").histogram(x, np.linspace(-3, 3, 50))),
    "edit_distance_200": ("sequences", lambda m, x=RNG.integers(0, 9, (2, 200)): m("algorithms").edit_distance(x[0], x[1])),
    "edit_distance_text": ("sequences", lambda m: m("algorithms").edit_distance("intention" * 4, "execution" * 4)),
    "local_alignment_200": ("sequences", lambda m, x=RNG.integers(0, 4, (2, 200)): m("algorithms").local_alignment(x[0], x[1])),
    "forward_2000": (
        "sequences",
        lambda m, A=np.full((8, 8), 0.125), B=np.full((8, 5), 0.2), seen=RNG.integers(0, 5, 2000): m("algorithms").forward(
            A, B, np.full(8, 0.125), seen
        ),
    ),
    "lorenz_2000": ("nested function", lambda m: m("algorithms").lorenz(2000, 1e-4)),
    "life_200x50": ("comprehension", lambda m, grid=RNG.integers(0, 2, (200, 200)): m("algorithms").life(grid, 50)),
    "clusters_5000": ("labels", lambda m, points=normal(size=(5000, 4)): m("algorithms").clusters(points, 8)),
    "regression_2000x10": (
        "estimator",
        lambda m, X=normal(size=(2000, 10)), y=RNG.integers(0, 2, 2000): m("algorithms").Regression().fit(X, y),
    ),
}

WORKLOADS |= {
    name: ("elements", lambda m, name=name: getattr(m("elements"), name)(IMAGE.copy(), OTHER.copy()))
    for name in (
        "bubble_sort",
        "insertion_sort",
        "diffuse",
        "mirror",
        "topple",
        "join",
        "shuffle",
        "rotate",
        "heapify",
        "dither",
        "align",
        "distances",
        "shortest",
        "routes",
        "quicksort",
        "merge_sort",
        "increasing",
        "chain",
        "draw_lines",
        "hough",
        "ising",
        "components",
        "attract",
    )
}


def leaves(value: Any) -> list[Any]:
    """The arrays, numbers and texts in a result."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in leaves(each)]
    return [value if isinstance(value, str) else np.asarray(value)]


def outcome(call: Callable[[], Any]) -> tuple[str, list[Any]]:
    """The exception that a call raises, or its result."""
    try:
        result = call()
    except Exception as error:
        return f"{type(error).__name__}: {error}", []
    wait = getattr(sys.modules.get("jax"), "block_until_ready", None)
    return "", [result if wait is None else wait(result)]


def measure(name: str) -> dict[str, Any]:
    """Run one workload in this process, whose sys.path begins with the programs."""
    _class, run = WORKLOADS[name]
    start = time.perf_counter()
    raised, result = outcome(lambda: run(importlib.import_module))
    first = time.perf_counter() - start
    times: list[float] = []
    while len(times) < 2 or (len(times) < 20 and sum(times) < SECONDS):
        start = time.perf_counter()
        outcome(lambda: run(importlib.import_module))
        times.append(time.perf_counter() - start)
    return {"first": first, "warm": min(times), "raised": raised, "leaves": leaves(result)}


def measured_in(folder: Path, name: str) -> dict[str, Any]:
    """Run one workload in a process of its own, on the programs of a folder."""
    environment = os.environ | {"PYTHONPATH": str(folder), "JAX_ENABLE_X64": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, __file__, "--measure", name]
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {"error": f"more than {LIMIT:.0f} s"}
    if done.returncode:
        return {"error": (done.stderr.decode().strip().splitlines() or ["?"])[-1]}
    found: dict[str, Any] = pickle.loads(done.stdout)
    return found


def difference(name: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    """How two outcomes differ, "" where they do not."""
    if before["raised"] != after["raised"]:
        return f"{after['raised'] or 'returns'} instead of {before['raised'] or 'a result'}"
    if len(before["leaves"]) != len(after["leaves"]):
        return "another structure"
    for one, other in zip(before["leaves"], after["leaves"], strict=True):
        if isinstance(one, str) or isinstance(other, str):
            if one != other and not isinstance(one, str):
                return "another text"
            continue
        if one.shape != other.shape or one.dtype != other.dtype:
            return f"{other.dtype}{other.shape} instead of {one.dtype}{one.shape}"
        if not name.endswith("draws") and not np.allclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True):
            return "other values"
    return ""


def report(names: list[str], converted: Path) -> int:
    """Print the table. Returns how many workloads differ or fail."""
    logs, bad = [], 0
    for name in names:
        before, after = measured_in(PROGRAMS, name), measured_in(converted, name)
        label = f"{WORKLOADS[name][0]:22s} {name:22s}"
        if "error" in before or "error" in after:
            bad += 1
            print(f"{label} {before.get('error', '')}  converted: {after.get('error', '')}", flush=True)
            continue
        ratio, why = before["warm"] / after["warm"], difference(name, before, after)
        logs.append(math.log(ratio))
        bad += bool(why)
        times = f"{before['warm'] * 1e3:9.2f} ms -> {after['warm'] * 1e3:9.2f} ms {ratio:8.2f} times as fast, first call {after['first']:5.2f} s"
        print(f"{label} {times}{'  DIFFERS: ' + why if why else ''}", flush=True)
    mean = math.exp(sum(logs) / max(len(logs), 1))
    slower = sum(value < math.log(0.9) for value in logs)
    print(f"{len(names)} workloads: geometric mean {mean:.2f}, {slower} below 0.9, {bad} differ or fail")
    return bad


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="workloads, or parts of their names")
    parser.add_argument("--placement", default="fast", help="as in np2jax convert")
    parser.add_argument("--keep", type=Path, help="write the converted programs into this new folder")
    parser.add_argument("--measure", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        sys.stdout.buffer.write(pickle.dumps(measure(options.measure)))
        return
    names = [name for name in WORKLOADS if not options.names or any(part in name for part in options.names)]
    with tempfile.TemporaryDirectory() as folder:
        converted = options.keep or Path(folder) / "converted"
        command = [
            sys.executable,
            "-m",
            "np2jax",
            "convert",
            str(PROGRAMS),
            "-o",
            str(converted),
            "--placement",
            options.placement,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if not converted.exists():
            sys.exit(done.stderr.strip() or f"{' '.join(command)} ended with status {done.returncode}")
        sys.exit(report(names, converted) > 0)


if __name__ == "__main__":
    main()
