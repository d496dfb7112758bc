"""Every entry that says what a call becomes, executed under both libraries and compared.

`tests/data/numpy_calls.txt` holds the calls. Each is run with NumPy; then what the entry says is done to its arguments and
result, and the JAX function is called. Value, shape and dtype must be the same, as must the kind, dtype and rank that the entry
foretells.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pytest

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")
jnp = jax.numpy

from np2jax.rules.core.dtypes import promote  # noqa: E402
from np2jax.rules.numpy_table import FUNCTIONS, METHODS, Entry, Verdict, canonical  # noqa: E402
from np2jax.rules.numpy_table.elementwise import UFUNCS  # noqa: E402
from np2jax.rules.numpy_table.result_dtypes import result_dtype  # noqa: E402
from np2jax.rules.numpy_table.ufunc_methods import ENTRIES as UFUNC_METHODS  # noqa: E402
from np2jax.tests.helpers import differential  # noqa: E402
from np2jax.tests.helpers.compiled_together import AsJax, outcomes  # noqa: E402
from np2jax.tests.helpers.numpy_calls import (  # noqa: E402
    LEADS,
    LINES,
    Form,
    as_written,
    by_keyword,
    by_position,
    call,
    copies,
    entry_of,
    parsed,
    run_numpy,
)
from np2jax.tests.helpers.numpy_samples import FIXED, classes  # noqa: E402
from np2jax.tests.helpers.numpy_table_applied import (  # noqa: E402
    Unsupported,
    bind,
    converted,
    difference,
    dtype_name,
    dtype_of,
    floating_dtype,
    promoted_names,
    wrapped,
)

pytestmark = pytest.mark.usefixtures("sixty_four_bits")


def run_jax(line: str, environment: Mapping[str, Any], form: Form, as_jax: AsJax) -> Any:
    array, _, source = parsed(line)
    args, kwargs = eval(f"call{source}", {"call": call, **environment}) if source else ((), {})
    args, kwargs = form(entry_of(line), args, kwargs)
    return converted(entry_of(line), args, kwargs, as_jax(environment[array]) if array else None, as_jax)


def explained(entry: Entry, line: str, lead: Any) -> bool:
    """Whether the entry warns of a difference in this call."""
    given = {name for name in entry.note_if if re.search(rf"\b{name.strip('*')}=", line)} or "*varargs" in entry.note_if
    noted = (
        entry.note
        and (not entry.note_dtypes or lead is None or dtype_name(lead) in entry.note_dtypes)
        and (not entry.note_if or given)
    )
    unusual = lead is not None and (not lead.size or not np.isfinite(lead).all())
    return bool(noted or (entry.edges and unusual))


def raises_loudly(entry: Entry, lead: Any) -> bool:
    return bool(entry.loud) or (lead is not None and lead.ndim == 0)


def check_line(line: str, quick: bool, forms: Sequence[Form] = ()) -> None:
    """The call as written, and in the other forms for the quick samples."""
    entry = entry_of(line)
    words = re.findall(rf"\b[{LEADS}]\b", re.sub(r'"[^"]*"|lambda \w[^:]*:[^,)]*', "", line))
    lead = words[0] if words else ""
    cases = [(as_written, values) for values in classes(lead, quick)]
    cases += [(form, values) for form in forms for values in classes(lead, quick=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = []
        for form, values in cases:
            environment = {**FIXED, **values}
            try:
                done.append((form, environment, run_numpy(line, copies(environment), form)))
            except (TypeError, ValueError, IndexError, ArithmeticError, AttributeError, np.linalg.LinAlgError):
                continue  # what NumPy refuses need not be right
        calls = [partial(run_jax, line, copies(environment), form) for form, environment, _theirs in done]
        arrays = [
            value
            for _form, environment, _theirs in done
            for name, value in environment.items()
            if isinstance(value, np.ndarray) and re.search(rf"\b{name}\b", line)
        ]
        ours = outcomes(calls, arrays)
    for (form, environment, theirs), result in zip(done, ours, strict=True):
        array = environment.get(lead)
        case = f"{line} ({form.__name__}) of {array!r}"
        if isinstance(result, Unsupported):
            continue
        if isinstance(result, Exception):
            assert raises_loudly(entry, array), f"{case}: {result!r}"
            continue
        what = difference(theirs, result)
        assert not what or explained(entry, line, array), f"{case}: {what}"
        if not what:
            foretold(entry, line, environment, theirs)


def foretold(entry: Entry, line: str, environment: Mapping[str, Any], result: Any) -> None:
    """Kind, dtype and rank of NumPy's result are as the entry says, where it says anything."""
    array, _, source = parsed(line)
    args, kwargs = eval(f"call{source}", {"call": call, **copies(environment)}) if source else ((), {})
    positional, keywords = bind(entry, args, kwargs)
    values = [(name, wrapped(entry, name, value)) for name, value in [*positional, *keywords.items()]]
    given = dict(values)
    flags = {name: kind for name, kind in entry.kind_if.items() if not name.startswith("*")}
    kind_now = next((kind for name, kind in flags.items() if given.get(name) not in (None, False)), entry.kind)
    if "compute_uv" in given or entry.writes or (entry.alone and len(values) == 1):
        return
    if any(sum(name == star for name, _ in values) > 1 for star in entry.kind_if if star.startswith("*")):
        kind_now = next(kind for star, kind in entry.kind_if.items() if star.startswith("*"))
    if kind_now.startswith("tuple"):
        assert isinstance(result, (tuple, list)), line
        assert kind_now == "tuple" or len(result) == int(kind_now.partition(":")[2]), line
    if kind_now == "list":
        assert isinstance(result, (list, tuple)), line
    if kind_now not in ("array", "scalar"):
        return
    assert isinstance(result, (np.ndarray, np.generic, bool, int, float, complex)), line
    assert kind_now != "scalar" or np.ndim(result) == 0, line
    arrays = [environment[array]] if array else [values[0][1]] if entry.rank == "same" or entry.dtype in ("same", "real") else []
    arrays += [
        one
        for name, value in values
        if name in promoted_names(entry) and value is not None and not (name.startswith("*") and isinstance(value, list))
        for one in (value if name in entry.sequences and isinstance(value, (list, tuple)) else [value])
    ]
    dtypes = [dtype_of(value) for value in arrays]
    if entry.floating:
        dtypes = [
            floating_dtype(entry, n, one)
            for n, v in values
            if n in promoted_names(entry) and v is not None
            for one in (v if n in entry.sequences else [v])
        ]
    whole = promote(*dtypes) if entry.dtype not in ("same", "real", "bool") else "".join(dtypes[:1])
    if entry.dtype and not given.get("dtype") and (foreseen := result_dtype(entry.dtype, whole)):
        assert dtype_name(np.asarray(result)) == foreseen, line
    if entry.rank == "broadcast":
        arrays = [environment[array]] if array else []
        arrays += [value for name, value in values if name in entry.arrays and value is not None]
        arrays += [one for name, value in values if name in entry.sequences for one in value]
    rank = foretold_rank(entry.rank, arrays, given) if entry.rank and (arrays or entry.rank.isdigit()) else -1
    assert rank < 0 or np.ndim(result) == rank, f"{line}: rank {np.ndim(result)}, {rank} foretold"


def foretold_rank(rule: str, arrays: list[Any], given: Mapping[str, Any]) -> int:
    ranks = [np.ndim(value) for value in arrays]
    axis, keep = given.get("axis"), given.get("keepdims", False)
    word, _, number = rule.partition(":")
    match word:
        case "same":
            return ranks[0]
        case "broadcast":
            return max(ranks)
        case "reduce":
            if number and "axis" not in given:
                axis = int(number)
            count = ranks[0] if axis is None else len(np.atleast_1d(axis))
            return ranks[0] if keep else ranks[0] - count
        case "flat":
            return 1 if axis is None else ranks[0]
        case "along":
            return 1 if "axis" in given and axis is None else ranks[0]
        case "plus":
            return ranks[0] + int(number) if not isinstance(axis, tuple) else -1
        case "minus":
            return ranks[0] - int(number)
        case "atleast":
            return max(int(number), ranks[0])
        case digits if digits.isdigit():
            return int(digits)
    return -1


FIRST = list({parsed(line)[:2]: line for line in reversed(LINES)}.values())


@pytest.mark.parametrize("line", FIRST[::-4])
def test_calls_quickly(line: str) -> None:
    check_line(line, quick=True)


LONGEST = set({parsed(line)[:2]: line for line in sorted(LINES, key=lambda line: line.count(","))}.values())


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES)
def test_calls(line: str) -> None:
    """As written; the longest call of each function also by keyword what is by position, and the other way round."""
    check_line(line, quick=False, forms=(by_keyword, by_position) if line in LONGEST else ())


CONSTANTS = [name for name, entry in FUNCTIONS.items() if entry.target and not entry.params and entry.kind in ("scalar", "array")]


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name: str) -> None:
    theirs: Any = np
    for part in canonical(f"numpy.{name}").split(".")[1:]:
        theirs = getattr(theirs, part, None)
    if theirs is not None:
        ours = eval(FUNCTIONS[name].target, {"jax": jax, "jnp": jnp})
        assert difference(theirs, ours) == ""


METHODS_OF_UFUNCS = [name for name, entry in UFUNC_METHODS.items() if name[0] and entry.target]


@pytest.mark.slow
def test_every_method_of_a_ufunc_that_converts_is_called() -> None:
    called = {parsed(line)[1] for line in LINES if not parsed(line)[0]}
    assert {f"{name}.{method}" for name, method in METHODS_OF_UFUNCS} - {f"{name}.outer" for name in UFUNCS} <= called


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, method in METHODS_OF_UFUNCS if method == "outer"])
def test_outer(name: str) -> None:
    integers = "shift" in name or name in ("gcd", "lcm", "ldexp")
    check_line(f"{name}.outer({'i1, i1' if integers else 'v, w'})", quick=False)


@pytest.mark.slow
def test_every_entry_that_converts_is_called() -> None:
    called = {canonical(f"numpy.{parsed(line)[1]}").removeprefix("numpy.") for line in LINES if not parsed(line)[0]}
    needed = {
        name
        for name, entry in FUNCTIONS.items()
        if entry.verdict not in (Verdict.HOST, Verdict.REFUSED) and entry.params and entry.kind != "dtype"
    }
    assert needed - called <= NOT_CALLED
    methods = {parsed(line)[1] for line in LINES if parsed(line)[0]}
    assert {name for name, entry in METHODS.items() if entry.verdict not in (Verdict.HOST, Verdict.REFUSED)} <= methods | {
        "itemset"
    }


# What has no values to compare: uninitialised memory, classes of machine limits, objects and what NumPy 2 removed.
NOT_CALLED = {
    "empty",
    "empty_like",
    "ndarray",
    "finfo",
    "iinfo",
    "vectorize",
    "from_dlpack",
    "asscalar",
    "int",
    "float",
    "complex",
}


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
@pytest.mark.parametrize("more", [", rowvar=False", ", rowvar=True", ""])
def test_covariance_with_one_more_variable(name, more):
    """JAX does not make a row of the second array where the variables are columns."""
    before = differential.function(f"return np.{name}(x, y{more})", "x: np.ndarray, y: np.ndarray")
    x, y = np.random.default_rng(0).normal(size=(2, 5, 3))
    one = y[:, 0] if "False" in more else y[0]
    for second in (one, y):
        made = differential.run(differential.convert(before)[0])["f"](x, second)
        differential.compare_values(made, differential.run(before)["f"](x, second))
