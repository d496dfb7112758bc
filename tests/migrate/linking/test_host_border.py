"""Compiled functions that code on the host calls without knowing which: through parameters, tables, attributes, `map`, objects."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

HEAD = """
import functools

import numpy as np


def smooth(x: np.ndarray):
    y = np.sqrt(np.abs(x)) * 2.0 + np.exp(-x)
    y = y * np.sin(y) + np.cos(y) ** 2
    return y @ y.T + y.sum()


def rough(x: np.ndarray):
    y = np.sqrt(np.abs(x)) * 3.0 + np.exp(-x)
    y = y * np.sin(y) + np.cos(y) ** 2
    return y @ y.T + y.sum()


def both(x: np.ndarray):
    y = np.sqrt(np.abs(x)) * 3.0 + np.exp(-x)
    y = y * np.sin(y) + np.cos(y) ** 2
    return x, y @ y.T


def clear(x):
    x[0] = 0.0
    return x.sum()

"""
X = np.arange(1.0, 10.0).reshape(3, 3)

PROGRAMS = {
    "a parameter": """
def apply(f, x):
    y = f(x)
    z = y
    z += 1.0
    y[0] = 5.0
    return y, z

def main(x: np.ndarray):
    return apply(smooth, x), apply(rough, x), x
""",
    "a table": """
TABLE = {"smooth": smooth, "rough": rough}

def main(x: np.ndarray):
    found = []
    for name in TABLE:
        y = TABLE[name](x)
        kept = y
        y -= 2.0
        found.append((y, kept))
    return found
""",
    "an attribute": """
class Filter:
    def __init__(self, f):
        self.f = f

    def go(self, x):
        self.y = self.f(x)
        self.z = self.y
        self.z += 1.0
        self.y[0] = 7.0
        return self.y, self.z

class Twice(Filter):
    def go(self, x):
        y, z = super().go(x)
        z *= 2.0
        return y, self.z

def main(x: np.ndarray):
    return Filter(smooth).go(x), Twice(rough).go(x), x
""",
    "map": """
def main(x: np.ndarray):
    ys = list(map(smooth, [x, x + 1.0]))
    first = ys[0]
    first += 1.0
    return ys
""",
    "map of a parameter": """
def each(f, xs):
    ys = [y for y in map(f, xs)]
    first = ys[0]
    first += 1.0
    return ys

def main(x: np.ndarray):
    return each(smooth, [x, x + 1.0]), each(rough, [x])
""",
    "partial": """
def apply(f):
    y = f()
    z = y
    z += 1.0
    return y

def main(x: np.ndarray):
    return apply(functools.partial(smooth, x)), apply(functools.partial(rough, x))
""",
    "a function that returns functions": """
def chosen(name):
    return smooth if name == "smooth" else rough

def main(x: np.ndarray):
    y = chosen("smooth")(x)
    z = y
    z += 1.0
    return y, chosen("rough")(x)
""",
    "a result that is the argument": """
def apply(f, x):
    y, z = f(x)
    y += 1.0
    return x, z

def main(x: np.ndarray):
    return apply(both, x), x
""",
    "a callback that changes its argument": """
class Signal:
    def __init__(self):
        self.listeners = []

    def connect(self, f):
        self.listeners.append(f)

    def emit(self, x):
        return [f(x) for f in self.listeners]

def main(x: np.ndarray):
    signal = Signal()
    signal.connect(clear)
    signal.connect(smooth)
    before = smooth(x)
    got = signal.emit(x)
    return before, got, x
""",
    "an argument changed by a callback and read": """
def solve(f, x, n):
    total = 0.0
    for _ in range(n):
        total = total + f(x)
        x += 1.0
    return total, x

def main(x: np.ndarray):
    y = smooth(x)
    return solve(clear, y, 3), y
""",
    "several results": """
def pair(x: np.ndarray):
    y = np.sqrt(np.abs(x)) * 3.0 + np.exp(-x)
    y = y * np.sin(y) + np.cos(y) ** 2
    return y @ y.T, y.sum()

def apply(f, x):
    y, s = f(x)
    z = y
    z += s
    s += 1
    return y, s

def lists(x):
    return [x, 1.0]

def main(x: np.ndarray):
    return apply(pair, x), apply(lists, x), x
""",
    "a list that is kept": """
STORE = []

def stored(x):
    return STORE

def apply(f, x):
    y = f(x)
    if isinstance(y, list):
        y.append(1.0)
    return y

def main(x: np.ndarray):
    return apply(stored, x) is STORE, apply(smooth, x), STORE
""",
    "an attribute that host code changes": """
class Model:
    def __init__(self, x):
        self.x = smooth(x)
        self.old = self.x

    def step(self):
        self.x[0] += 1.0

    def run(self, n):
        for _ in range(n):
            self.step()
        return self.x, self.old

class Other(Model):
    def step(self):
        self.old[1] -= 1.0

def main(x: np.ndarray):
    return Model(x).run(3), Other(x).run(2)
""",
    "an attribute in a loop that is compiled": """
class Model:
    def __init__(self, x):
        self.x = x.copy()
        self.seen = self.x

    def relax(self, n):
        for _ in range(n):
            for i in range(1, self.x.shape[0]):
                self.x[i] = 0.5 * (self.x[i] + self.x[i - 1])
        return self.x, self.seen

    def shift(self):
        self.x += 1.0
        return self.seen

def main(x: np.ndarray):
    model = Model(x)
    first = model.shift()
    return model.relax(4), first, model.seen is model.x
""",
    "a method of an unknown object": """
class Tools:
    @staticmethod
    def scaled(x):
        return np.sqrt(np.abs(x)) * 2.0 + np.exp(-x)

def used(x: np.ndarray):
    y = Tools.scaled(x) * np.sin(x) + np.cos(x) ** 2
    return y @ y.T

def apply(tool, x):
    y = tool.scaled(x)
    z = y
    z += 1.0
    return y

def main(x: np.ndarray):
    return used(x), apply(Tools(), x), apply(Tools, x)
""",
}


@pytest.mark.quick(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    before = HEAD + PROGRAMS[name]
    after, _functions, _diagnostics = convert(before, placement="fast")
    want, got = run(before)["main"](X.copy()), run(after)["main"](X.copy())
    assert not (difference := compare_values(got, want)), f"{difference}\n{after}"
    assert "jax.jit" in after, "nothing is compiled"
    again = convert(after, placement="fast")[0]
    assert again == after, "converting twice changes something"


def test_what_compiled_code_calls_by_value_is_not_converted_back():
    text = HEAD + "\n\ndef main(x: np.ndarray):\n    y = smooth(x) + rough(x)\n    return np.sin(y) * np.cos(y) + y @ y\n"
    after, _functions, _diagnostics = convert(text, placement="fast")
    assert "_as_numpy" not in after


LISTY = """
def listy(x):
    y = np.sqrt(np.abs(x)) * 2.0 + np.exp(np.negative(x))
    y = y * np.sin(y) + np.cos(y) ** 2
    return y @ y.T + y.sum() + len(x)

"""
OPAQUE = {
    "an object": """
class Series:
    __array_ufunc__ = None

    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Series(self.x + (other.x if isinstance(other, Series) else other))

    __radd__ = __add__

    def __mul__(self, other):
        return Series(self.x * (other.x if isinstance(other, Series) else other))

    __rmul__ = __mul__

    def __call__(self, at):
        return polynomial(at).x if isinstance(at, Series) else polynomial(at)


def polynomial(x):
    c = np.array([1.0, 2.0])
    y = c[0] + x * c[1] * np.pi
    return c[1] + y * x * 2.0 + x * x


class Model:
    evaluate = staticmethod(polynomial)

    def __init__(self):
        self.f = polynomial

    def at(self, x):
        return self.f(x)


def apply(f, x):
    return f(x)


def main(x: np.ndarray):
    return apply(polynomial, Series(x)).x, Model().at(Series(x)).x, Model().at(x), apply(polynomial, 2.0)
""",
    "a list": LISTY
    + """
def apply(f, x):
    return f(x)

def main(x: np.ndarray):
    return apply(listy, [1.0, 2.0]), apply(listy, x[0]), list(map(listy, [[1.0, 2.0], x[0]]))
""",
    "a key function": LISTY
    + """
def main(x: np.ndarray):
    return sorted([[3.0, 1.0], [1.0, 2.0]], key=listy)
""",
}


@pytest.mark.parametrize("name", OPAQUE)
def test_functions_that_get_other_things_than_arrays(name):
    before = HEAD + OPAQUE[name]
    after, _functions, _diagnostics = convert(before, placement="fast")
    want, got = run(before)["main"](X.copy()), run(after)["main"](X.copy())
    assert not (difference := compare_values(got, want)), f"{difference}\n{after}"


def test_an_argument_of_which_nothing_is_known_is_no_object():
    text = (
        HEAD
        + """

def run_all(load):
    for name in ("a", "b"):
        for f in (smooth, clear):
            f(load(name))
"""
    )
    after, functions, _diagnostics = convert(text, placement="fast")
    assert functions["smooth"].label == "assumed" and "def _smooth_core(" in after, functions["smooth"].reason


def test_scipy_gets_functions_that_take_and_return_numpys_arrays():
    text = HEAD + "\n\nfrom scipy import optimize\n\n\ndef main(x: np.ndarray):\n    return optimize.minimize(smooth, x[0]).fun\n"
    after, functions, _diagnostics = convert(text, placement="fast")
    assert functions["smooth"].transform != "jit" and functions["rough"].transform == "jit"
    assert isinstance(run(after)["smooth"](X), np.ndarray)
    assert np.isclose(run(after)["main"](X), run(text)["main"](X))


def test_host_code_that_calls_no_compiled_function_does_not_change():
    text = "import numpy as np\n\n\ndef apply(f, x):\n    y = f(x)\n    y += 1\n    return y\n"
    assert convert(text, placement="fast")[0] == text


def test_a_listener_does_not_keep_what_others_do():
    """A function that changes its argument and is used as a value does not keep others that are used as values."""
    _after, functions, _diagnostics = convert(HEAD + PROGRAMS["a callback that changes its argument"], placement="fast")
    assert functions["smooth"].transform == "jit", functions["smooth"].reason


def test_methods_on_the_host_are_not_refused_for_what_they_exchange():
    _after, functions, _diagnostics = convert(HEAD + PROGRAMS["an attribute that host code changes"], placement="fast")
    assert functions["Model.step"].label == "kept", "it changes an array that has another owner"
    assert "kept" not in {functions[name].label for name in ("Model.__init__", "Model.run")}
