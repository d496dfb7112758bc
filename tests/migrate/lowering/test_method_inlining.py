"""Loops that call methods of their object: the methods are spelled out, and the loop is compiled, for each known class."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, copied, run

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(6, 3))
W = RNG.normal(size=3)

FILTER = """
import numpy as np


class Filter:
    def __init__(self, w, rate):
        self.w, self.rate, self.count = np.array(w, dtype=float), rate, 0

    def gain(self, x):
        raise NotImplementedError

    def run(self, rows: np.ndarray):
        if rows.ndim != 2:
            raise ValueError("rows")
        out = np.zeros(len(rows))
        for k in range(len(rows)):
            out[k] = self.w @ rows[k]
            self.w = self.w + self.gain(rows[k])
        return out


class Slow(Filter):
    def gain(self, x):
        return self.rate * x


class Scaled(Filter):
    def gain(self, x):
        # the norm
        size = x @ x + 1
        return self.rate * x / size


class Twice(Scaled):
    def gain(self, x):
        first = super().gain(x)
        self.rate = self.rate * 0.5
        return first + super().gain(x)


def f(name, w, rate, rows: np.ndarray):
    class Mine(Slow):
        def gain(self, x):
            return -x

    made = {"Slow": Slow, "Scaled": Scaled, "Twice": Twice, "Mine": Mine, "Filter": Filter}[name](w, rate)
    return made.run(rows), made.w, made.rate
"""


def of_class(
    body, more="", init="self.w, self.a, self.n = np.array(w, dtype=float), a, 0", result="made.run(rows), made.w, made.n"
):
    """A file with a class, and `f`, which makes an object and calls its method `run`."""
    parts = [
        "import numpy as np\n\n\nclass Model:\n    def __init__(self, w, a):",
        textwrap.indent(textwrap.dedent(init), " " * 8),
        textwrap.indent(textwrap.dedent(more), " " * 4),
        "    def run(self, rows: np.ndarray):",
        "        if rows.ndim != 2:\n            raise ValueError('rows')",
        textwrap.indent(textwrap.dedent(body), " " * 8),
        f"\n\ndef f(w, a, rows: np.ndarray):\n    made = Model(w, a)\n    return {result}\n",
    ]
    return "\n".join(parts)


def outcome(namespace, arguments):
    """What `f` returns or raises, and its arguments afterwards."""
    given = [copied(a) for a in arguments]
    try:
        return namespace["f"](*given), given
    except Exception as error:
        return (type(error).__name__, str(error)), given


def check(source, *calls):
    """Both versions agree, also in the exceptions; the converted text, which converts to itself."""
    text = convert(source, placement="fast")[0]
    before, after = run(source), run(text)
    for arguments in calls:
        want, got = outcome(before, arguments), outcome(after, arguments)
        assert not (difference := compare_values(got, want)), f"{difference}\n{text}\narguments: {arguments!r}"
    assert convert(text, placement="fast")[0] == text
    return text


def check_compiled(source, *calls):
    text = check(source, *calls)
    assert "type(self) is Model" in text and "lax." in text, text
    return text


def check_stays(source, *calls):
    text = check(source, *calls)
    assert "type(self)" not in text and "_run_loop" not in text, text


CALLS = [(W, 0.5, ROWS), (W, 2, ROWS[:1]), (W, 0.5, ROWS[:0]), (W, np.nan, ROWS), (W, 0.5, ROWS[0])]


def test_a_method_of_the_children_in_a_loop_of_the_base():
    calls = [(name, W, 0.25, rows) for name in ("Slow", "Scaled", "Twice", "Mine") for rows in (ROWS, ROWS[:1], ROWS[:0])]
    text = check(FILTER, *calls, ("Filter", W, 0.5, ROWS), ("Slow", W, 0.5, W))
    assert "if type(self) is Slow and len(rows) > 0:" in text
    assert text.count("elif type(self) is ") == 2
    assert "# the norm" in text
    assert "            for k in range(len(rows)):\n                out[k] = self.w @ rows[k]\n" in text  # for other classes


def test_classes_with_the_same_methods_share_a_loop():
    source = FILTER.replace("class Twice(Scaled):", "class Same(Slow):\n    pass\n\n\nclass Twice(Scaled):")
    assert "if type(self) in (Slow, Same) and len(rows) > 0:" in check(source, ("Slow", W, 0.5, ROWS))


PREDICT = """
def predict(self):
    self.w = self.a * self.w
def update(self, z, scale=2.0):
    \"\"\"Update.\"\"\"
    out = z - self.w
    k = out @ out
    if k > 1:
        scale = scale / k
    self.w = self.w + out * scale
    self.n += 1
    return k
"""
COMPILED = {
    "results that are dropped": "for k in range(len(rows)):\n    self.predict()\n    self.update(rows[k])",
    "names of the caller": "out = np.zeros(len(rows))\nfor k in range(len(rows)):\n    out[k] = self.update(rows[k], scale=0.5) + k\nreturn out",
    "twice in an expression": "out = np.zeros(len(rows))\nfor k in range(len(rows)):\n    out[k] = self.update(rows[k]) - 2 * self.update(-rows[k], 0.5)\nreturn out",
    "an argument that calls": "out = np.zeros(len(rows))\nfor k in range(len(rows)):\n    out[k] = self.update(rows[k] * self.update(rows[k], 0.25))\nreturn out",
    "in a test": "c = 0\nfor k in range(len(rows)):\n    if self.update(rows[k]) > 2:\n        self.predict()\n    elif k > 2:\n        c += 1\nreturn c",
    "a slice of the rows": "for k in range(1, len(rows)):\n    self.update(rows[k] - rows[k - 1])",
    "rows": "for row in rows:\n    self.predict()\n    self.update(row)",
    "nested loops": "for k in range(len(rows)):\n    for j in range(2):\n        self.update(rows[k] / (j + 1))",
    "break": "for k in range(len(rows)):\n    if self.update(rows[k]) > 3:\n        break",
}


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", COMPILED)
def test_methods_that_change_attributes(name):
    check_compiled(of_class(COMPILED[name], PREDICT), *CALLS)


METHODS = {
    "branches that return": "def gain(self, x):\n    if x[0] > 0:\n        return self.a * x\n    y = x * 2\n    return y - self.w",
    "a guard": "def gain(self, x):\n    self.bump(x)\n    return x\ndef bump(self, x):\n    if x[0] > 0:\n        return\n    self.n += 1",
    "a static method": "@staticmethod\ndef half(x, by=2):\n    return x / by\ndef gain(self, x):\n    return self.half(x) + self.half(x, by=4)",
    "a property": "@property\ndef size(self):\n    return self.w @ self.w + 1\ndef gain(self, x):\n    return self.a * x / self.size",
    "a loop": "def gain(self, x):\n    total = np.zeros_like(x)\n    for i in range(len(x)):\n        total[i] = x[i] * 0.5 + i\n    return total",
    "another name for the object": "def gain(this, x):\n    this.n += 1\n    return this.a * x",
    "a module's variable": "def gain(self, x):\n    return np.tanh(x) * self.a",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    body = "for k in range(len(rows)):\n    self.w = self.w * 0.5 + self.gain(rows[k])\nreturn 0"
    check_compiled(of_class(body, METHODS[name]), *CALLS)


STARTS = {
    "an integer": "self.w, self.a, self.n = np.array([1, 2, 3]), a, 0",
    "a given array": "self.w, self.a, self.n = w, a, 0",
    "a list": "self.w, self.a, self.n = list(w), a, 0",
    "no attribute": "self.w, self.a, self.n = w, a, 0",
    "None": "self.w, self.a, self.n, self.last = w, a, 0, None",
    "another shape": "self.w, self.a, self.n, self.last = w, a, 0, 0.0",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", STARTS)
def test_the_first_iteration_gives_attributes_their_types(name):
    body = "for k in range(len(rows)):\n    self.step(rows[k])\nreturn getattr(self, 'last', 5)"
    step = "def step(self, x):\n    self.last = x * self.a\n    self.w = self.w + self.last"
    check_compiled(of_class(body, step, STARTS[name]), *CALLS, ([1, 2, 3], 1, np.arange(6).reshape(2, 3)))


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", STARTS)
def test_the_first_iteration_of_a_loop_without_methods(name):
    """No class is asked for: a subclass runs the same statements."""
    body = "for k in range(len(rows)):\n    self.last = rows[k] * self.a\n    self.w = self.w + self.last\nreturn getattr(self, 'last', 5)"
    source = of_class(body, "", STARTS[name])
    text = check(source, *CALLS, ([1, 2, 3], 1, np.arange(6).reshape(2, 3)))
    assert "if len(rows) > 0:" in text and "_run_loop(" in text and "type(self)" not in text, text


def test_loops_with_a_break_have_no_first_iteration_of_their_own():
    body = "for k in range(len(rows)):\n    self.w = self.w + rows[k] * self.a\n    if self.w[0] > 2:\n        break\nreturn 0"
    text = check(of_class(body), *CALLS[:2])
    assert "k = 0" not in text and "_run_loop(" in text, text


def test_aliases_see_changes_in_place():
    source = of_class(
        "old = self.w\nfor k in range(len(rows)):\n    self.history[k] = self.w\n    self.w += self.gain(rows[k])\nreturn old",
        "def gain(self, x):\n    return self.a * x",
        "self.w, self.a, self.n, self.history = np.asarray(w, dtype=float), a, 0, np.zeros((6, 3))",
        "made.run(rows), made.w, made.history, w",
    )
    assert "self.w[...] = " in check_compiled(source, *CALLS)


def test_a_number_that_is_changed_in_place_is_bound_again():
    source = of_class(
        "old = self.w\nfor k in range(len(rows)):\n    self.w += self.gain(rows[k])\nreturn old",
        "def gain(self, x):\n    return self.a * x.sum()",
        "self.w, self.a, self.n = np.sum(w), a, 0",
    )
    check(source, *CALLS)


STAY = {
    "an attribute of the same name": ("self.gain = lambda x: x", "def gain(self, x):\n    return x", "self.gain(rows[k])"),
    "recursion": ("", "def gain(self, x):\n    return x if x[0] > 0 else self.gain(-x)", "self.gain(rows[k])"),
    "printing": ("", "def gain(self, x):\n    print(x)\n    return x", "self.gain(rows[k])"),
    "an exception": ("", "def gain(self, x):\n    if x[0] > 9:\n        raise ValueError(x)\n    return x", "self.gain(rows[k])"),
    "starred parameters": ("", "def gain(self, *x):\n    return x[0]", "self.gain(rows[k])"),
    "a decorator": ("", "@kept\ndef gain(self, x):\n    return x", "self.gain(rows[k])"),
    "a generator": ("", "def gain(self, x):\n    yield x", "next(self.gain(rows[k]))"),
    "set attributes": (
        "",
        "def gain(self, x):\n    return x\ndef __setattr__(self, name, value):\n    object.__setattr__(self, name, value)",
        "self.gain(rows[k])",
    ),
    "a read ahead of a change": ("", "def gain(self, x):\n    self.a = self.a * 2\n    return x", "self.a * self.gain(rows[k])"),
    "perhaps not called": ("", "def gain(self, x):\n    self.n += 1\n    return x", "(rows[k] if k else self.gain(rows[k]))"),
    "a local of the same name as a global": ("", "def gain(self, x):\n    return scale * x", "self.gain(rows[k])"),
    "a mutable default": ("", "def gain(self, x, seen=[]):\n    return x", "self.gain(rows[k])"),
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("name", STAY)
def test_what_cannot_be_spelled_out_stays(name):
    init, methods, value = STAY[name]
    source = of_class(
        f"scale = 3.0\nfor k in range(len(rows)):\n    self.w = self.w + {value} * scale\nreturn 0",
        methods,
        "self.w, self.a, self.n = np.array(w, dtype=float), a, 0\n" + init,
    )
    source = source.replace(
        "\n\n\nclass", "\n\nscale = 2.0\n\n\ndef kept(g):\n    return lambda self, x: g(self, x) + 1\n\n\nclass", 1
    )
    check_stays(source, *CALLS[:2])


def test_methods_that_stay_numpy_get_no_assertions_about_ranks():
    source = of_class(
        "out = np.zeros(len(rows))\nfor k in range(len(rows) - 1, -1, -1):\n    x = rows[k]\n    out[k] = x.sum() + self.w[0]\nself.kept = self.w\nself.w += 1\nreturn out",
        result="made.run(rows), made.w, made.kept",
    )
    assert "assert" not in check(source, *CALLS[:2])


def test_slots_and_private_attributes():
    source = of_class(
        "for k in range(len(rows)):\n    self.__step(rows[k])\nreturn 0",
        "__slots__ = ('w', 'a', 'n', '__b')\ndef __step(self, x):\n    self.__b = self.__b + x\n    self.w = self.w + self.a * self.__b",
        "self.w, self.a, self.n, self.__b = np.array(w, dtype=float), a, 0, np.zeros(3)",
    )
    check_compiled(source, *CALLS)


def test_subclasses_may_have_attributes_and_properties_of_their_own():
    source = FILTER.replace(
        "            return -x\n",
        "            return -x\n\n        @property\n        def rate(self):\n            return 7\n\n        @rate.setter\n        def rate(self, value):\n            pass\n",
    )
    check(source, *[(name, W, 0.5, ROWS) for name in ("Slow", "Mine")])
