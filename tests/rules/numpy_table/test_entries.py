"""The table of NumPy knowledge against the installed NumPy and JAX: names, parameters, targets, lookups."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from typing import Any

import pytest

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")

from np2jax.rules.core.dtypes import BITS  # noqa: E402
from np2jax.rules.numpy_table import FUNCTIONS, METHODS, Entry, Verdict, canonical, function, method, ufunc_method  # noqa: E402
from np2jax.rules.numpy_table.coverage import counts, namespaces, page  # noqa: E402
from np2jax.rules.numpy_table.modules import NAMES as MODULES  # noqa: E402
from np2jax.rules.numpy_table.result_dtypes import result_dtype  # noqa: E402
from np2jax.rules.numpy_table.ufunc_methods import ENTRIES as UFUNC_METHODS  # noqa: E402
from np2jax.rules.numpy_table.ufunc_methods import JAX_UFUNCS  # noqa: E402

EVERY: dict[str, Entry] = {
    **FUNCTIONS,
    **{f"ndarray.{name}": entry for name, entry in METHODS.items()},
    **{".".join(name): entry for name, entry in UFUNC_METHODS.items()},
}
# Parameters that older or newer versions of NumPy have.
OTHER_VERSIONS = {"newshape", "interpolation", "descending", "check_bounds"}


def found(dotted: str) -> Any:
    """The object of that dotted name; None when the library lacks it."""
    root, *rest = dotted.split(".")
    value: Any = {"numpy": np, "jax": jax}[root]
    for part in rest:
        value = getattr(value, part, None)
    return value


def _signature(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, type):
        return None
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return tuple(stars.get(parameter.kind, "") + parameter.name for parameter in parameters if parameter.name != "self")


@pytest.mark.parametrize(
    "name", [name for name, entry in FUNCTIONS.items() if entry.params and found(f"numpy.{name}") is not None]
)
def test_parameters_are_those_of_numpy(name: str) -> None:
    real = _signature(found(f"numpy.{name}"))
    if real is None:
        return
    real = tuple("start" if param == "start_or_stop" else param for param in real)  # what arange calls it by keyword
    params = FUNCTIONS[name].params
    if real[-1:] == ("**kwargs",) and params[-1:] != ("**kwargs",):
        real = (*real[:-1], *(param for param in params if param not in real))  # clip takes what a ufunc does
    versions = OTHER_VERSIONS - set(real)
    assert tuple(param for param in params if param not in versions) == tuple(
        param for param in real if param != "**kwargs" or param in params
    )


@pytest.mark.parametrize("name", [name for name, entry in METHODS.items() if entry.params])
def test_parameters_are_those_of_the_methods(name: str) -> None:
    real = _signature(getattr(np.ndarray, name, None))
    if real is None or real[:1] == ("*args",):
        return
    params = tuple(param for param in METHODS[name].params if param not in OTHER_VERSIONS - set(real))
    params = tuple(param for param in params if param not in ("mean", "correction") or param in real)
    names = set(params)
    expected = tuple(
        param for param in real if not param.startswith("**") and param.lstrip("*") not in ("new_shape", "shape", "axes")
    )
    assert all(param in names for param in expected), expected
    assert [param for param in params if param in expected] == list(expected)


@pytest.mark.parametrize("name", [name for name, entry in EVERY.items() if entry.target.startswith("jax.") and name != "newaxis"])
def test_targets_exist(name: str) -> None:
    assert found(EVERY[name].target) is not None


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, entry in FUNCTIONS.items()
        if entry.verdict in (Verdict.SAME, Verdict.RENAMED, Verdict.ADAPTED) and entry.params and entry.kind != "dtype"
    ],
)
def test_jax_takes_the_arguments_as_the_entry_says(name: str) -> None:
    entry = FUNCTIONS[name]
    target = found(entry.target)
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return
    gone = {*entry.drop, *entry.unsupported, "out", *OTHER_VERSIONS}
    ours = [param for param in entry.params if not (entry.ufunc and param == "where")]
    names = [parameter.name for parameter in parameters]
    by_keyword = {parameter.name for parameter in parameters if parameter.kind is not parameter.POSITIONAL_ONLY}
    anything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    limit = entry.positional if entry.positional >= 0 else len(ours)
    for position, param in enumerate(ours):
        if (
            param in gone
            or param.startswith("*")
            or (param in entry.drop_if and set(entry.drop_if[param]) <= {"None", "0", "'C'", "'cpu'", "1"})
        ):
            continue
        before = set(ours[:position]) & {*entry.drop, *entry.drop_if}
        if position < min(limit, entry.ufunc or limit) and not before and position < len(names):
            if (
                names[position] == entry.rename.get(param, param)
                or parameters[position].kind is inspect.Parameter.POSITIONAL_ONLY
            ):
                continue
            if position in (0, 1) and parameters[position].kind is not inspect.Parameter.KEYWORD_ONLY:
                continue  # the arrays themselves, under other names
        assert anything or entry.rename.get(param, param) in by_keyword, param


@pytest.mark.parametrize("name", EVERY)
def test_entries_hold_together(name: str) -> None:
    entry = EVERY[name]
    known = set(entry.params)
    for parameters in (
        entry.drop,
        entry.drop_if,
        entry.unsupported,
        entry.allowed,
        entry.refused_if,
        entry.rename,
        entry.sequences,
        entry.indices,
        entry.strong,
        entry.kind_if,
        entry.views_if,
        entry.shares,
        entry.add_unless,
        entry.defaults,
        entry.static,
    ):
        assert set(parameters) <= known, parameters
    assert set(entry.arrays) | set(entry.promotes) <= known
    assert entry.writes in ("", "self", *known)
    if entry.verdict in (Verdict.HOST, Verdict.REFUSED):
        assert entry.reason and not entry.target
    else:
        assert entry.target
    if entry.verdict is Verdict.EXPRESSION:
        fields = set(re.findall(r"\{(\w+)\}", entry.target)) - {"self"}
        assert all(field in known or field.isdigit() for field in fields)
        assert set(entry.defaults) <= fields
    assert {*entry.cast_for.values()} <= BITS.keys()


def test_ufuncs_of_jax_are_known() -> None:
    assert {name for name in dir(jax.numpy) if type(getattr(jax.numpy, name)).__name__ == "ufunc"} == set(JAX_UFUNCS)


def test_ufuncs_are_numpys() -> None:
    for name, entry in FUNCTIONS.items():
        value = found(f"numpy.{name}")
        if entry.verdict in (Verdict.HOST, Verdict.REFUSED):
            continue
        if isinstance(value, np.ufunc) and value.signature is None:
            assert entry.ufunc == value.nin, name
            assert entry.kind == ("array" if value.nout == 1 else f"tuple:{value.nout}"), name
        else:
            assert not entry.ufunc, name


@pytest.mark.parametrize(
    ("name", "same_as"),
    [
        ("numpy.core.numeric.dot", "numpy.dot"),
        ("numpy._core.umath.sqrt", "numpy.sqrt"),
        ("numpy.linalg.linalg.norm", "numpy.linalg.norm"),
        ("numpy.trapz", "numpy.trapezoid"),
        ("numpy.float_", "numpy.float64"),
        ("numpy.NaN", "numpy.nan"),
        ("numpy.product", "numpy.prod"),
        ("numpy.lib.scimath.sqrt", "numpy.emath.sqrt"),
        ("numpy.sqrt", "numpy.sqrt"),
        ("scipy.linalg.norm", "scipy.linalg.norm"),
    ],
)
def test_canonical_names(name: str, same_as: str) -> None:
    assert canonical(name) == same_as


def test_lookups() -> None:
    assert function("numpy.linalg.norm") is FUNCTIONS["linalg.norm"]
    for module in MODULES.keys() - {"fft.helper", "linalg.linalg", "matrixlib", "matrixlib.defmatrix"}:  # names that moved
        assert function(f"numpy.{module}.anything") is not None
    for name in ("numpy.no_such_name", "numpy.linalg.no_such_name", "math.sqrt", "numpy", "sqrt"):
        assert function(name) is None
    assert method("no_such_method") is None
    add_at, arctan2_reduce = ufunc_method("numpy.add.at"), ufunc_method("numpy.arctan2.reduce")
    assert add_at is not None and add_at.writes == "a"
    assert arctan2_reduce is not None and arctan2_reduce.verdict is Verdict.REFUSED
    assert ufunc_method("numpy.dot.reduce") is None and ufunc_method("numpy.add") is None


def test_the_commonest_names_convert() -> None:
    makes_sense = [entry for entry in FUNCTIONS.values() if entry.verdict is not Verdict.HOST]
    converts = [entry for entry in makes_sense if entry.verdict is not Verdict.REFUSED]
    assert len(converts) >= 400
    assert len(converts) >= 0.9 * len(makes_sense)


def test_nothing_heavy_is_imported() -> None:
    code = "import sys, np2jax.rules.numpy_table; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "jax", "libcst"} & set(loaded)


def test_dtypes_of_results() -> None:
    assert result_dtype("float", "") == ""
    assert result_dtype("mean", "int8") == "float64" and result_dtype("float", "int8") == "float16"


def test_the_page_tells_of_every_entry() -> None:
    text = page()
    rows = text.splitlines()
    for name in (
        "sqrt",
        "linalg.cholesky",
        "add.at",
        "trapz",
        "itemset",
        "loadtxt",
        "polynomial.polynomial.polyval",
        "lcm.reduce",
    ):
        assert any(row.startswith(f"| `{name}` |") for row in rows), name
    for name, entry in (FUNCTIONS | METHODS).items():
        shown = (f"`{name}`", f"`{name.rpartition('.')[2]}`", f"`numpy.{name}`")
        assert name.startswith("random") or any(form in text for form in shown), (name, entry)


def test_nine_of_ten_names_convert() -> None:
    """Of the names that make sense on an accelerator, with methods of ufuncs and arrays; numpy.polynomial is counted apart."""
    spaces = namespaces()
    entries = [entry for title, part in spaces.items() if title != "numpy.polynomial" for entry in part.values()]
    _every, sensible, converted = counts(entries)
    assert converted >= 0.9 * sensible and sensible > 700
    for space in ("numpy", "numpy.linalg", "numpy.fft"):
        _every, sensible, converted = counts(spaces[space].values())
        assert converted >= 0.95 * sensible, space
