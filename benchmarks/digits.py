"""Train the example `digits` before and after its conversion: compare the accuracy, and time a step.

usage: python benchmarks/digits.py [--hidden 512] [--images 3000] [--epochs 12] [--seeds 5]

The example is converted by the command line. For each seed both versions generate digits, train 784-hidden-hidden-10 and read
digits that were not in the training set. JAX draws different numbers from NumPy, so the accuracies agree only within their
spread. Then one step of gradient descent is timed: with NumPy, with JAX under jit, and with the same JAX code without jit; the
step written by hand for JAX, with `jax.grad`, with and without jit; and its matrix products alone, a lower bound for any step.
The versions run alternately; for each, the best processor time counts. The exit status is 1 if the mean accuracies differ by
more than a percentage point.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
BATCH = 128
TURNS = 30


def convert(folder: Path) -> Path:
    """The folder that contains the converted package. Exits with the tool's message if the conversion fails."""
    command = [sys.executable, "-m", "np2jax", "convert", str(EXAMPLES / "digits"), "-o", str(folder / "digits")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip() or f"{' '.join(command)} ended with status {done.returncode}")
    return folder


def modules(folder: Path) -> dict[str, ModuleType]:
    """The modules of the package `digits` in a folder, freshly imported."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "digits"]:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    try:
        return {name: importlib.import_module(f"digits.{name}") for name in ("images", "network", "training")}
    finally:
        sys.path.remove(str(folder))


def accuracy(found: dict[str, ModuleType], seed: int, options: argparse.Namespace, keyed: bool) -> float:
    """The share of 2,000 new digits read correctly after training; with keys where the package takes them."""
    np.random.seed(seed)
    keys = iter(jax.random.split(jax.random.key(seed), 3))
    extra: Callable[[], dict[str, Any]] = lambda: {"key": next(keys)} if keyed else {}  # noqa: E731
    images, labels = found["images"].make_digits(options.images, **extra())
    test_images, test_labels = found["images"].make_digits(2000, **extra())
    network = found["network"]
    sizes = [784, options.hidden, options.hidden, 10]
    with contextlib.redirect_stdout(io.StringIO()):
        params = found["training"].train(images, network.one_hot(labels, 10), sizes, options.epochs, BATCH, **extra())
    return float(network.accuracy(params, test_images, network.one_hot(test_labels, 10)))


Step = Callable[..., object]  # parameters: the network's parameters, the images, the targets, and the step size


def loss(params: Any, x: jax.Array, targets: jax.Array) -> jax.Array:
    """The mean cross-entropy, as one writes it for JAX."""
    for weights, biases in params[:-1]:
        x = jax.nn.relu(x @ weights + biases)
    weights, biases = params[-1]
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(x @ weights + biases) * targets, axis=1))


def by_hand(params: Any, x: jax.Array, targets: jax.Array, size: float) -> object:
    """A step of gradient descent, as one writes it for JAX."""
    return jax.tree.map(lambda p, g: p - size * g, params, jax.grad(loss)(params, x, targets))


def products(params: Any, x: jax.Array, _targets: jax.Array, _size: float) -> object:
    """Only the matrix products of a step."""
    one, two, three = (weights for weights, _biases in params)
    below = x @ one
    above = below @ two
    scores = above @ three
    back = scores @ three.T
    return x.T @ (back @ two.T), below.T @ back, above.T @ scores


def step(
    found: dict[str, ModuleType], options: argparse.Namespace, keyed: bool, update: Step | None = None
) -> Callable[[], object]:
    """One step of gradient descent on one minibatch, with the package's `update` or another function."""
    np.random.seed(0)
    key = {"key": jax.random.key(0)} if keyed else {}
    images, labels = found["images"].make_digits(BATCH, **key)
    targets = found["network"].one_hot(labels, 10)
    params = found["network"].init_network_params([784, options.hidden, options.hidden, 10], **key)
    take = update or found["network"].update
    return lambda: jax.block_until_ready(take(params, images, targets, 0.5))


def eagerly(run: Callable[[], object]) -> Callable[[], object]:
    def without_jit() -> object:
        with jax.disable_jit():
            return run()

    return without_jit


def best_times(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The lowest processor time of TURNS runs of each function, in seconds; they alternate, after one run to compile."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _turn in range(TURNS):
        for name, run in runs.items():
            start = time.process_time()
            run()
            found[name].append(time.process_time() - start)
    return {name: min(times) for name, times in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        before, after = modules(EXAMPLES), modules(convert(Path(folder)))
    reached = []
    for seed in range(options.seeds):
        reached.append((accuracy(before, seed, options, keyed=False), accuracy(after, seed, options, keyed=True)))
        print(f"seed {seed}: accuracy {reached[-1][0]:.2%} before, {reached[-1][1]:.2%} after", flush=True)
    means = [statistics.mean(values) for values in zip(*reached, strict=True)]
    print(f"mean: {means[0]:.2%} before, {means[1]:.2%} after, {100 * (means[1] - means[0]):+.2f} percentage points")
    converted = step(after, options, keyed=True)
    times = best_times(
        {
            "NumPy": step(before, options, keyed=False),
            "converted": converted,
            "converted, no jit": eagerly(converted),
            "by hand": step(after, options, True, jax.jit(by_hand)),
            "by hand, no jit": step(after, options, True, by_hand),
            "products alone": step(after, options, True, jax.jit(products)),
        }
    )
    print(", ".join(f"{name} {1e3 * seconds:.2f} ms" for name, seconds in times.items()))
    others = ", ".join(f"{seconds / times['converted']:.2f} {name}" for name, seconds in times.items())
    print(f"beside the converted step: {others}")
    sys.exit(abs(means[1] - means[0]) > 0.01)


if __name__ == "__main__":
    main()
