"""Every row of the table of libraries, run: what the analysis predicts of a call is what SciPy and Python return."""

import importlib
import inspect
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import pass_manager
from np2jax.migrate.project.workers import started
from np2jax.rules.core.findings import Kind
from np2jax.rules.dtypes.jax_dtypes import numpy_dtype
from np2jax.rules.library_table import FUNCTIONS
from np2jax.tests.helpers.library_samples import FAMILIES, lines, samples, shapes_of

FIRST = ("float64", "float32")
OTHERS = ("int64", "int32", "int8", "bool", "complex128", "complex64", "float16")
SCIPY = [*lines("library_calls.txt"), *FAMILIES]
STANDARD = lines("standard_calls.txt")


def predicted(calls, dtype):
    """What the analysis knows about the result of each call."""
    folders = "special linalg ndimage signal fft interpolate integrate io stats spatial optimize sparse cluster".split()
    below = "spatial.distance sparse.linalg cluster.vq io.wavfile".split()
    texts = [
        "import numpy as np",
        *(f"from scipy import {name}" for name in folders),
        *(f"import scipy.{name}" for name in below),
    ]
    return results(texts, calls, [f"{name} = np.zeros({shape}, dtype=np.{dtype})" for name, shape in shapes_of().items()])


def results(imports, calls, bound):
    texts = [*imports, *bound]
    for number, call in enumerate(calls):
        texts += [f"def f{number}(path, mat, folder, made):", f"    return {call}", ""]
    file = ProjectFile(Path("m.py"), "m", "\n".join(texts).encode())
    with started([file], 1) as shards:
        manager = pass_manager([file], Options(strict=True), shards)
        manager.require("resolved")
        found = {unit.name: unit for unit in manager.summaries["m"].units}
    return [found[f"m.f{number}"] for number in range(len(calls))]


def differs(value, got):
    """How a result differs from what is known of it; "" if it does not."""
    if value.elements is not None:
        if not isinstance(got, tuple) or len(got) != len(value.elements):
            return f"{type(got).__name__} of another length than {len(value.elements)}"
        return next((why for pair in zip(value.elements, got, strict=True) if (why := differs(*pair))), "")
    if value.kind is Kind.ARRAY:
        if not isinstance(got, np.ndarray):
            return (
                ""
                if value.number and value.rank < 0 and isinstance(got, np.generic | float | int) and _dtype(value, got)
                else f"{type(got)} for an array"
            )
        if value.rank not in (-1, got.ndim):
            return f"rank {got.ndim} for {value.rank}"
        return "" if _dtype(value, got) else f"{got.dtype} for {value.dtype}"
    if value.kind is Kind.SCALAR:
        if not isinstance(got, np.generic | float | int | complex):
            return f"{type(got)} for a number"
        return "" if _dtype(value, got) else f"{type(got)} for {value.dtype}"
    if value.kind is Kind.STRING:
        return "" if isinstance(got, str) or type(got).__name__ == "uname_result" else f"{type(got)} for text"
    if value.kind is Kind.NONE:
        return "" if got is None else f"{type(got)} for None"
    if value.kind is Kind.OBJECT:
        return f"{type(got)} for an object" if got is None or isinstance(got, np.ndarray | np.generic | float) else ""
    return "" if value.kind is Kind.UNKNOWN else f"{value.kind}"


def _dtype(value, got):
    if not value.dtype:
        return True
    if value.dtype in ("int", "float", "complex", "bool"):
        return type(got).__name__ in (value.dtype, f"{value.dtype}64", f"{value.dtype}_", f"{value.dtype}128")
    return str(np.asarray(got).dtype).replace("bool", "bool_") == numpy_dtype(value)


@pytest.mark.parametrize("dtype", [*FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_scipy(dtype, tmp_path):
    """In one test for each dtype: the analysis reads all calls as one module."""
    wrong, ran = [], 0
    for call, unit in zip(SCIPY, predicted(SCIPY, dtype), strict=True):
        environment = samples(dtype, tmp_path)
        before = {name: value.copy() for name, value in environment.items() if isinstance(value, np.ndarray)}
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                got = eval(call, environment)
        except Exception as error:
            if dtype == "float64" and not isinstance(error, AttributeError):  # other versions of SciPy have other names
                wrong.append(f"{call}: {error!r}")
            continue  # SciPy does not take this dtype
        ran += 1
        if why := differs(unit.result, got):
            wrong.append(f"{call}: {why}")
        changed = {
            name
            for name, value in before.items()
            if not np.array_equal(value, environment[name], equal_nan=value.dtype.kind in "fc")
        }
        if changed and not unit.block:
            wrong.append(f"{call}: changes {changed}")
        for part in got if isinstance(got, tuple) else (got,):
            shared = isinstance(part, np.ndarray) and any(
                np.may_share_memory(part, value) for value in environment.values() if isinstance(value, np.ndarray)
            )
            if shared and unit.result.kind is Kind.ARRAY and not unit.block and "?" not in unit.result.memory:
                wrong.append(f"{call}: shares memory")
    assert not wrong, "\n".join(wrong)
    assert ran > len(SCIPY) // 4


def test_the_standard_library(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def made():
        (tmp_path / "made").touch()
        return str(tmp_path / "made")

    modules = sorted({line.partition("(")[0].partition(".")[0] for line in STANDARD} | {"io"})
    environment = {name: importlib.import_module(name) for name in modules}
    environment |= {"path": made(), "folder": str(tmp_path / "a"), "made": made}
    wrong = []
    for call, unit in zip(STANDARD, results([f"import {name}" for name in modules], STANDARD, []), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = eval(call, environment)
        if why := differs(unit.result, got):
            wrong.append(f"{call}: {why}")
        if unit.result.kind is Kind.UNKNOWN:
            wrong.append(f"{call}: nothing is known")
    assert not wrong, "\n".join(wrong)


def test_every_row_is_run():
    called = {name for line in (*SCIPY, *STANDARD) for name in re.findall(r"[a-zA-Z_][\w.]*(?=\()", line)}
    missing = {name for name in FUNCTIONS if name.removeprefix("scipy.") not in called}
    assert not missing


@pytest.mark.parametrize("name", [name for name, row in FUNCTIONS.items() if row.writes or row.unless or len(row.arrays) > 1])
def test_parameters_stand_where_they_stand_in_the_library(name):
    row, value = FUNCTIONS[name], found(name)
    if value is None or isinstance(value, np.ufunc):
        return
    real = [
        p.name for p in inspect.signature(value).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    used = {*row.arrays, *row.writes, *row.unless} & {*real}
    used |= {"axis"} & {*row.params} & {*real}
    # Where a version has another parameter in a place, nothing is known of the results once that place is filled.
    misplaced = [p for p in used if row.params[(at := real.index(p)) : at + 1] not in ((p,), *((u,) for u in row.unless))]
    assert not misplaced, (row.params, real)


def found(name):
    root, *rest = name.split(".")
    value = importlib.import_module(root)
    for part in rest:
        value = getattr(value, part, None)
    return value
