"""Run one NPBench kernel under NumPy and its JAX version in this process, and print the outcome as one line of JSON.

usage: npbench_kernel.py CHECKOUT KERNEL FILE PRESET

FILE contains the JAX version: a function with the kernel's name that takes a jax.Array for every ndarray. It must return what
the original returns, followed by the arguments that the original changes in place (one that is also returned appears once).
npbench.py starts one process per kernel, with JAX_ENABLE_X64=1, so that a crash or an endless loop affects one kernel only.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

RELATIVE, ABSOLUTE = 1e-5, 1e-8
RELATIVE_SINGLE = 1e-3  # for float32 and complex64
SECONDS = 5.0  # time spent on one version, with at least three calls

ready: Callable[[Any], Any] = jax.block_until_ready


def load(path: Path, name: str) -> ModuleType:
    """Import the file `path` as the module `name`, with its folder on the import path."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def inputs(folder: Path, info: dict[str, Any], preset: str) -> list[Any]:
    """The kernel's arguments, in order: the preset's parameters and the arrays from the kernel's initialiser."""
    values = dict(info["parameters"][preset])
    if start := info.get("init"):
        initialise = getattr(load(folder / f"{info['module_name']}.py", "npbench_initialise"), start["func_name"])
        made = initialise(*[values[name] for name in start["input_args"]])
        names = start["output_args"]
        values |= dict(zip(names, made if len(names) > 1 else [made], strict=True))
    return [values[name] for name in info["input_args"]]


def results(returned: Any) -> list[Any]:
    if returned is None:
        return []
    return list(returned) if isinstance(returned, tuple | list) else [returned]


def changed_arguments(before: list[Any], after: list[Any], returned: list[Any]) -> list[np.ndarray]:
    """The arrays that the call changed in place, except those that it returns anyway."""
    return [
        new
        for old, new in zip(before, after, strict=True)
        if isinstance(new, np.ndarray)
        and not any(new is value for value in returned)
        and not np.array_equal(old, new, equal_nan=new.dtype.kind in "fc")
    ]


def difference(got: Any, want: Any, tolerance: float = RELATIVE) -> str:
    """Where two values differ, "" if they agree within the tolerance for their dtype, or as a whole within `tolerance`."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, NumPy's is {want.shape}"
    whole = set("iub")
    if got.dtype.kind != want.dtype.kind and not {got.dtype.kind, want.dtype.kind} <= whole:
        return f"dtype {got.dtype}, NumPy's is {want.dtype}"
    if want.dtype.kind not in "fc":
        return "" if np.array_equal(got, want) else "integers differ"
    single = want.dtype in (np.float32, np.complex64)
    if np.allclose(got, want, rtol=RELATIVE_SINGLE if single else RELATIVE, atol=ABSOLUTE, equal_nan=True):
        return ""
    if not np.array_equal(np.isnan(got), np.isnan(want)):
        return "NaN in other places"
    error = relative_error(got, want)
    return "" if error < tolerance else f"relative error {error:.1e}"


def relative_error(got: Any, want: Any) -> float:
    size = np.linalg.norm(np.nan_to_num(want).ravel())
    return float(np.linalg.norm(np.nan_to_num(got - want).ravel()) / max(float(size), 1e-300))


def spread(original: Callable[..., Any], given: list[Any], want: list[Any], after: list[Any]) -> dict[int, float]:
    """How much NumPy's results, and the arguments `after` the call, change for inputs that differ in the last bit.

    Rounding may change them as much. The keys are the identities of the results and arguments.
    """
    nudged = [np.nextafter(v, np.inf) if isinstance(v, np.ndarray) and v.dtype.kind == "f" else copy.copy(v) for v in given]
    pairs = [*zip(results(original(*nudged)), want, strict=True), *zip(nudged, after, strict=True)]
    return {id(b): relative_error(np.asarray(a), np.asarray(b)) for a, b in pairs if np.asarray(b).dtype.kind in "fc"}


def mistake(
    got: list[Any], want: list[Any], changed: list[np.ndarray], tolerances: Mapping[int, float] = MappingProxyType({})
) -> str:
    """What is wrong with the results of the JAX version, "" if nothing."""
    if len(got) < len(want):
        return f"{len(got)} results, NumPy has {len(want)}"

    def apart(one: Any, other: Any) -> str:
        return difference(one, other, max(RELATIVE, tolerances.get(id(other), 0.0)))

    for location, (one, other) in enumerate(zip(got, want, strict=False)):
        if why := apart(one, other):
            return f"result {location}: {why}"
    rest = got[len(want) :]
    for array in changed:
        if not any(apart(candidate, array) == "" for candidate in rest):
            return "an argument that NumPy changes in place is not handed back, or differs"
    return ""


def median_seconds(call: Callable[..., Any], make: Callable[[], list[Any]]) -> float:
    """The median time of a call on fresh arguments, excluding the time to make these."""
    taken: list[float] = []
    while len(taken) < 3 or (sum(taken) < SECONDS and len(taken) < 15):
        arguments = make()
        start = time.perf_counter()
        call(*arguments)
        taken.append(time.perf_counter() - start)
        if taken[-1] > SECONDS:
            break
    return statistics.median(taken)


def judge(checkout: Path, kernel: str, file: Path, preset: str) -> dict[str, Any]:
    """The verdict on one kernel and the median times of both versions."""
    info = json.loads((checkout / "bench_info" / f"{kernel}.json").read_text())["benchmark"]
    folder = checkout / "npbench" / "benchmarks" / info["relative_path"]
    given = inputs(folder, info, preset)
    original = getattr(load(folder / f"{info['module_name']}_numpy.py", "npbench_original"), info["func_name"])

    def numpy_arguments() -> list[Any]:
        return [value.copy() if isinstance(value, np.ndarray) else value for value in given]

    def jax_arguments() -> list[Any]:
        return list(ready([jnp.array(value) if isinstance(value, np.ndarray) else value for value in given]))

    arguments = numpy_arguments()
    want = results(original(*arguments))
    changed = changed_arguments(given, arguments, want)
    record: dict[str, Any] = {"numpy_s": median_seconds(original, numpy_arguments)}
    if not file.exists():
        return record | {"verdict": "absent"}

    def call(*values: Any) -> Any:
        return ready(candidate(*values))

    try:
        candidate = getattr(load(file, "npbench_candidate"), info["func_name"])
        start = time.perf_counter()
        got = results(call(*jax_arguments()))
        record["first_s"] = time.perf_counter() - start
    except Exception as error:  # any exception is a result
        return record | {"verdict": "raised", "why": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    if any(isinstance(value, np.ndarray) for value in got):
        return record | {"verdict": "numpy"}
    if why := mistake(got, want, changed):
        unsure = spread(original, given, want, arguments)
        if mistake(got, want, changed, unsure):
            return record | {"verdict": "WRONG", "why": why}
        apart = max(unsure.get(id(value), 0.0) for value in want or changed)
        record["why"] = f"{why}; NumPy beside itself, inputs one bit apart: {apart:.1e}"
    return record | {"verdict": "right", "warm_s": median_seconds(call, jax_arguments)}


def main() -> None:
    checkout, kernel, file, preset = sys.argv[1:]
    print(json.dumps(judge(Path(checkout), kernel, Path(file), preset)))


if __name__ == "__main__":
    main()
