"""Every call of `tests/data/numpy_calls.txt`, converted in a function and run: the same value, shape and dtype, or kept."""

import ast
import re
import warnings
from functools import partial

import numpy as np
import pytest

from np2jax.rules.numpy_table import Verdict
from np2jax.tests.helpers.compiled_together import outcomes
from np2jax.tests.helpers.differential import check_agrees, convert, run
from np2jax.tests.helpers.numpy_calls import LEADS, LINES, copies, entry_of, parsed, run_numpy
from np2jax.tests.helpers.numpy_samples import FIXED, classes
from np2jax.tests.helpers.numpy_table_applied import difference

READS = [line for line in LINES if not entry_of(line).writes and entry_of(line).verdict not in (Verdict.REFUSED, Verdict.HOST)]
REFUSED = object()
TOGETHER = 16  # calls that are compiled as one program
HEADER = "from typing import Any\n\nimport numpy as np\nfrom numpy.typing import NDArray\n\n"


def names_of(line, environment):
    """The variables of a call, in the order in which they appear."""
    array, _name, source = parsed(line)
    tree = ast.parse(f"call{source}" if source else "call")
    bound = {a.arg for n in ast.walk(tree) if isinstance(n, ast.Lambda) for a in n.args.args}
    found = [array] if array else []
    found += [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in environment and n.id not in bound]
    return list(dict.fromkeys(found))


def parameter(name, value):
    if not isinstance(value, np.ndarray):
        return name
    return f"{name}: NDArray[np.{'bool_' if value.dtype == bool else value.dtype}]"


def programs(required):
    """One function for each call, for samples whose dtype is `required`: number, line, environment, source."""
    for number, line in enumerate(READS):
        words = re.findall(rf"\b[{LEADS}]\b", re.sub(r'"[^"]*"|lambda \w[^:]*:[^,)]*', "", line))
        lead = words[0] if words else ""
        for values in classes(lead, quick=False):
            environment = {**FIXED, **values}
            sample = environment.get(lead)
            if sample is not None and (str(sample.dtype) != required or sample.ndim == 0 or not sample.size):
                continue
            names = names_of(line, environment)
            code = line if parsed(line)[0] else f"np.{line}"
            parameters = ", ".join(parameter(n, environment[n]) for n in names)
            yield number, line, environment, names, f"def f{number}({parameters}):\n    return {code}\n"
            break


def differences(calls):
    """The line of each call, and what differs between NumPy and the converted function, "" when nothing does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accepted = [(call, theirs) for call in calls if (theirs := of_numpy(*call)) is not REFUSED]
        converted = [partial(of_jax, *call) for call, _theirs in accepted]
        given = [environment[name] for _line, environment, names, _function in calls for name in names]
        ours = outcomes(converted, [value for value in given if isinstance(value, np.ndarray)])
    for ((line, *_rest), theirs), result in zip(accepted, ours, strict=True):
        yield line, judged(line, theirs, result)


def of_numpy(line, environment, _names, _function):
    try:
        return run_numpy(line, copies(environment))
    except Exception:
        return REFUSED  # what NumPy refuses need not be right


def of_jax(_line, environment, names, function, as_jax):
    return function(*(as_jax(v) if isinstance(v, np.ndarray) else v for v in (environment[n] for n in names)))


def judged(line, theirs, ours):
    if isinstance(ours, Exception):
        return "" if entry_of(line).loud else f"raises {type(ours).__name__}: {str(ours)[:90]}"
    if parsed(line)[1] == "dtype":
        return "" if ours == theirs else f"{ours} for {theirs}"
    return difference(np.array(theirs) if parsed(line)[1] == "flat" else theirs, ours)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8", "bool", "complex128"])
def test_every_call(dtype):
    todo = list(programs(dtype))
    text, functions, diagnostics = convert(HEADER + "\n\n".join(source for *_rest, source in todo))
    namespace = run(text)
    noted = {d.function for d in diagnostics if d.code in ("NJ602", "NJ603", "NJ604", "NJ605")}
    proved = {name for name, outcome in functions.items() if outcome.label != "kept"}
    kept = sum(f"f{number}" not in proved for number, *_rest in todo)
    judge = [
        (line, environment, names, namespace[f"f{number}"])
        for number, line, environment, names, _source in todo
        if f"f{number}" in proved and f"m.f{number}" not in noted and not entry_of(line).edges
    ]
    groups = [judge[start : start + TOGETHER] for start in range(0, len(judge), TOGETHER)]
    wrong = [f"{line}: {what}" for group in groups for line, what in differences(group) if what]
    assert not wrong, f"{len(wrong)} of {len(todo)} differ:\n" + "\n".join(wrong)
    assert kept < len(todo) / 10, f"{kept} of {len(todo)} are kept"


@pytest.mark.parametrize(
    "over", ["v", "enumerate(v)", "reversed(v)", "zip(v, v)", "zip(p * 1, v)", "v.flat", "v[1:]", "np.nditer(v)", "iter(v)"]
)
@pytest.mark.parametrize("change", ["p *= 2", "p[-1] += 1", "p[:] = p[::-1]"])
def test_the_same_array_is_gone_through_and_changed(over, change):
    """What a loop goes over was not read any more, for who asked: each row was that of before. Found by a random program."""
    text = f"import numpy as np\n\ndef g(v, p):\n    s = []\n    for row in {over}:\n        s.append(np.sum(row if not isinstance(row, tuple) else row[1]))\n        {change}\n    return s\n\ndef f(a: np.ndarray):\n    return g(a, a), a\n"
    check_agrees(text, (np.arange(6).reshape(3, 2),), keep=True)


def test_a_library_that_knows_arrays_of_numpy_only():
    """`scipy.fftpack` asks for the flags of its argument, which a jax.Array does not have."""
    source = (
        "import numpy as np\nfrom scipy import fftpack\n\ndef f(x: np.ndarray):\n    return np.abs(fftpack.fft(np.sqrt(x)))\n"
    )
    assert "fftpack.fft(np.asarray(jnp.sqrt(x)))" in check_agrees(source, (np.arange(4.0),))
