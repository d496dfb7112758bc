"""Functions that Python calls in a loop with arrays of another shape each time: jit would compile them for each shape."""

import pytest

from np2jax.migrate.summaries import resized_arguments
from np2jax.tests.helpers.differential import convert

ENERGY = """
import numpy as np


def energy(x: np.ndarray):
    s = 0.0
    for i in range(1, len(x)):
        s = s * 0.5 + x[i] * x[i - 1]
    return s


def g(x, names, labels, w):
    out = {}
"""


def reason(lines, more=""):
    text = ENERGY + "".join(f"    {line}\n" for line in lines.splitlines()) + "    return out\n" + more
    outcome = convert(text, placement="fast")[1]["energy"]
    return outcome.reason if outcome.label == "host" else ""


@pytest.mark.parametrize(
    "lines",
    [
        "for k, name in enumerate(names):\n    out[name] = energy(x[: k + 2])",
        "for k in range(9):\n    out[names[k]] = energy(x[k:])",
        "for k in range(9):\n    y = x[:k] * 2.0\n    out[names[k]] = energy(y)",
        "k = 0\nwhile k < 9:\n    k += 1\n    out[names[k]] = energy(x[:k])",
        "for c in range(3):\n    out[c] = energy(x[labels == c])",
        "for c in range(3):\n    near, = np.where(labels == c)\n    out[c] = energy(x[near])",
        "for c in range(3):\n    out[c] = energy(x[np.nonzero(w[c])[0]] * 2.0)",
        "for c in range(3):\n    near = np.unique(labels[c])\n    out[c] = energy(near)",
        "for n in range(9):\n    out[n] = energy(np.zeros(n))",
        "y = x\nfor name in names:\n    y = np.append(y, 1.0)\n    out[name] = energy(y)",
        "for a, b in labels:\n    out[a] = energy(x[a:b])",
        "out['all'] = [energy(x[:k]) for k in range(9)]",
    ],
)
def test_another_shape_each_time(lines):
    assert "of another shape each time" in reason(lines)


def test_through_a_function_that_stays_numpy():
    more = "\n\ndef between(y, names):\n    print(names)\n    return {n: energy(y) for n in names}\n"
    assert "of another shape each time" in reason("for k in range(9):\n    out[k] = between(x[:k], names)", more)


@pytest.mark.parametrize("part", ["y[w < t]", "y[np.argwhere(w < t).flatten()]", "np.sqrt(part)"])
def test_values_choose_the_shape_whenever_python_calls(part):
    more = (
        f"\n\ndef between(y, w, t):\n    print(t)\n    part = y[np.flatnonzero(w < t)]\n    return energy(y) - energy({part})\n"
    )
    assert "of another shape each time" in reason("for t in names:\n    out[t] = between(x, w, t)", more)
    assert not reason("out['once'] = between(x, w, 0.5)", more)


@pytest.mark.parametrize("part", ["y[:t]", "np.zeros(t)", "np.append(y, y)", "y[np.argsort(w)]", "y[t]", "y * t"])
def test_arguments_choose_the_shape_whenever_python_calls(part):
    more = f"\n\ndef between(y, w, t):\n    print(t)\n    return energy({part})\n"
    assert not reason("for t in names:\n    out[t] = between(x, w, t)", more)


@pytest.mark.parametrize(
    "lines",
    [
        "for i in range(9):\n    out[i] = energy(x[i : i + w])",  # windows of one length
        "for i in range(9):\n    j = i + w\n    out[i] = energy(x[i:j])",
        "for i in range(9):\n    out[i] = energy(x[i * w : (i + 1) * w])",
        "for i in range(9):\n    out[i] = energy(x * i)",
        "near, = np.where(w)\nfor i in range(9):\n    out[i] = energy(x[near] + i)",
        "for i in range(9):\n    out[i] = energy(x[np.argsort(x * i)])",
        "k = len(x) // 2\nfor i in range(9):\n    out[i] = energy(x[:k] + i)",
        "for i in range(9):\n    n = 5\n    out[i] = energy(x[:n] + i)",
        "for i in range(9):\n    out[i] = energy(x[i])",  # a row
        "for n in (10, 100):\n    out[n] = energy(np.zeros(n))",  # few sizes
        "out['once'] = energy(x[:w])",
    ],
)
def test_one_shape_for_all_iterations(lines):
    assert not reason(lines)


def test_a_method_receives_its_object_first():
    text = """
import numpy as np


class Filter:
    def __init__(self, a: float):
        self.a = a

    def run(self, x: np.ndarray):
        print(self.a)
        return energy(x)

    def growing(self, x: np.ndarray):
        return [self.run(x[:k]) for k in range(9)]
"""
    outcome = convert(ENERGY[: ENERGY.index("def g(")] + text.replace("import numpy as np", ""), placement="fast")[1]["energy"]
    assert outcome.label == "host" and "of another shape each time" in outcome.reason


ROUTE = """
import numpy as np


def route(s, t, hops: np.ndarray, following: np.ndarray):
    if s < 0:
        raise ValueError("no such node")
    path = np.zeros(int(hops[s, t]) + 1)
    path[0] = s
    for k in range(1, len(path)):
        path[k] = following[int(path[k - 1]), t] + 0.5 * path[k - 1]
    return path


"""


def test_a_loop_over_an_array_whose_size_depends_on_arguments():
    lengths = "def lengths(hops, following):\n    return [len(route(i, i, hops, following)) for i in range(len(hops))]\n"
    assert convert(ROUTE + lengths, placement="fast")[1]["route"].label == "host"


def test_a_loop_over_such_an_array_that_runs_once():
    once = "def once(hops, following):\n    return len(route(0, 1, hops, following))\n"
    assert convert(ROUTE + once, placement="fast")[1]["route"].label != "host"


def test_the_number_of_rows_is_no_value():
    text = (
        ENERGY[: ENERGY.index("def g(")]
        + """
def smoothed(x: np.ndarray, a: float):
    print(a)
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] + x[i]
    return y


def rows(table: np.ndarray):
    return [smoothed(table[i], 0.5) for i in range(len(table))]
"""
    )
    assert convert(text, placement="fast")[1]["smoothed"].label != "host"


@pytest.mark.parametrize(
    "loop", ["return [relaxed(n, a) for n in range(2, limit)]", "for n in range(2, limit):\n        print(relaxed(n, a))"]
)
def test_another_size_each_time(loop):
    text = """
import numpy as np


def relaxed(n: int, a: float):
    x = np.zeros(n)
    for i in range(1, n):
        x[i] = a * x[i - 1] + i
    return x


def several(limit: int, a: float):
    print(limit)
    """
    assert "another `n` each time" in convert(text + loop + "\n", placement="fast")[1]["relaxed"].reason


COST = """
import numpy as np


class Cost:
    def __init__(self, signal: np.ndarray):
        self.signal = signal

    def error(self, start: int, end: int, width: int):
        if end < start:
            raise ValueError("nothing between")
        part = self.signal[{bounds}]
        print(width)
        spread = np.cov(part.T) @ np.linalg.inv(np.cov(part.T) + np.eye(len(part.T))) @ np.cov(part.T)
        print(width)
        return spread
"""


@pytest.mark.parametrize(
    ("bounds", "moves"), [("start:end", False), ("start : start + width", True), (":width", True), ("1:-1", True)]
)
def test_statements_that_get_another_shape_in_each_call(bounds, moves):
    assert ("_error_spread(" in convert(COST.format(bounds=bounds), placement="fast")[0]) is moves


def test_what_a_loop_assigns_is_found_once(monkeypatch):
    """For all calls in it, and once for those outside of loops."""
    made, shapes = [], resized_arguments._Shapes

    def counted(*given):
        made.append(given)
        return shapes(*given)

    monkeypatch.setattr(resized_arguments, "_Shapes", counted)
    calls = "".join(f"    out[{k}] = energy(x[:{k}])\n" for k in range(20))
    reason(f"for k in range(9):\n{calls}" + calls.replace("    ", ""))
    runs = {(run, loop) for run, loop, _nodes in made}
    assert len(made) == len(runs) <= 2 * len({run for run, _loop in runs})
    assert {loop is None for _run, loop in runs} == {True, False}
