"""Arrays that are changed by ways that do not name them: rows that are unpacked, items of generators, attributes by `getattr`."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function, printed

X = np.array([3.0, -1.0, 2.0, 5.0])
ROWS = {
    "rows": "P = np.zeros((2, len(x)))\na, b = P\na += x\nreturn P",
    "read later": "P = np.array([x, x + 1])\na, b = P\nP *= 2\nreturn a",
    "two targets": "a, b = P = np.zeros((2, len(x)))\na += x\nb[0] = 3\nreturn P",
    "of a loop": "P = np.ones((4, 2))\nfor a, b in P:\n    pass\nfor row in P:\n    u, v = row[:1], row[1:]\n    u += v\nreturn P",
    "pairs of a loop": "P = np.ones((2, 2, 3))\nfor a, b in P:\n    a += 1\nreturn P",
    "a comprehension": "P = np.ones((2, 2, 3))\nfirst = [a for a, b in P]\nfor a in first:\n    a += x[0]\nreturn P",
    "a swap by names": "P = np.array([x, x + 1])\na, b = P\nP[0], P[1] = b, a\nreturn P",
    "a swap by a view": "P = np.array([x, x + 1])\nP[0], P[1] = P[::-1]\nreturn P",
    "a grid": "U, V = np.mgrid[0:2, 0:3]\nU += 1\nreturn U, V",
    "nobody holds it": "a, b = np.array([x, x + 1])\na -= a.mean()\nreturn a, b",
    "several results": "a = x.astype(float)\nb, c = np.atleast_1d(a, a)\nb += 1\nreturn a, b, c",
}
CONTAINERS = {
    "zip of a star": "ps = [(np.zeros(2), 1), (np.ones(2), 2)]\nws, ks = zip(*ps)\nfor w in ws:\n    w += 1\nreturn ps",
    "one for all keys": 'd = dict.fromkeys("ab", np.zeros(2))\nd["a"] += x[0]\nreturn d["b"]',
    "one for all numbers": "d = dict.fromkeys(range(2), np.zeros(2))\nfor k in d:\n    d[k] += x[0]\nreturn d",
    "by two updates": 'z = np.zeros(2)\nd = {}\nd.update(a=z)\nd.update({"b": z})\nd["a"] += x[0]\nreturn d',
}
LATER = {
    "an operator": "import operator\na = x.astype(float)\noperator.iadd(a, 1)\nreturn a",
    "an operator by name": "from operator import imul\na = x.astype(float)\nimul(a, 2)\nreturn a",
    "a reduction": "import functools, operator\na = x.astype(float)\nfunctools.reduce(operator.iadd, [1, 2.5], a)\nreturn a",
    "a bound method": "z = x.astype(float)\ns = z.sort\ns()\nreturn z",
    "by getattr": 'z = x.astype(float)\ngetattr(z, "sort")()\nreturn z',
    "by some name": 'z = x.astype(float)\nfor name in ["sort"]:\n    getattr(z, name)()\nreturn z',
}


@pytest.mark.parametrize("body", ROWS.values(), ids=ROWS)
def test_rows_that_are_unpacked_are_views(body):
    check_agrees(function(body, "x"), (X,), (-X,), keep=True, idempotent=False)


def test_rows_that_nobody_else_holds_are_arrays_of_their_own():
    assert "jax.jit" in check_agrees(function(ROWS["nobody holds it"], "x"), (X,))


@pytest.mark.parametrize("body", CONTAINERS.values(), ids=CONTAINERS)
def test_one_array_in_several_places(body):
    check_agrees(function(body, "x"), (X,), keep=True)


@pytest.mark.parametrize("body", LATER.values(), ids=LATER)
def test_changes_by_a_function_that_is_a_value(body):
    check_agrees(function(body, "x"), (X,), keep=True)


STARRED = """\
import numpy as np


def axpy(k, x: np.ndarray, y: np.ndarray):
    y += k * x


def bump(x: np.ndarray, y: np.ndarray):
    y += x


def f(x):
    a = np.ones(3)
    b = np.ones(3)
    args = (a, b)
    axpy(2, *args)
    return b


def g(x):
    a = np.ones(3)
    b = np.ones(3)
    bump(*[a, b])
    return b
"""


@pytest.mark.parametrize("function", ["f", "g"])
def test_what_a_star_gives_may_be_any_parameter(function):
    check_agrees(STARRED, (X,), function=function, keep=True)


METHODS = """\
import numpy as np


class Sim:
    def __init__(self, n):
        self.u = np.ones(n)

    @staticmethod
    def fixed(u: np.ndarray):
        u[0] = 0

    @classmethod
    def bumped(cls, u: np.ndarray, by):
        u += by
        return u

    def step(self):
        self.u[1:] += 1
        self.fixed(self.u)

    def run(self, n):
        u = np.ones(n)
        self.fixed(u)
        Sim.fixed(u[1:])
        self.bumped(u, 2)
        Sim.bumped(u, by=0.5)
        return u

    @classmethod
    def made(cls, n):
        u = np.ones(n)
        cls.bumped(u, 3)
        cls.fixed(u)
        return u


class Other(Sim):
    def run(self, n):
        u = np.ones(n)
        super().fixed(u)
        super().bumped(u, 1)
        return u


s = Sim(3)
s.step()
print(s.u.tolist(), s.run(3).tolist(), Sim.made(3).tolist(), s.made(2).tolist(), Other(2).run(3).tolist())
"""
WEIGHTS = """\
import numpy as np


class P:
    def __init__(self):
        self.w = np.zeros(2)
        self.b = np.ones(2)

    def parameters(self):
        yield self.w
        yield self.b


def rows(A):
    for r in A:
        yield r


p = P()
{}
print(p.w.tolist(), p.b.tolist())
A = np.ones((2, 2))
for r in rows(A):
    r -= 0.5
print(A.tolist())
"""
WAYS = {
    "a generator": "for v in p.parameters():\n    v -= 0.25",
    "getattr": 'for name in ("w", "b"):\n    v = getattr(p, name)\n    v += 1',
    "vars": "for k, v in vars(p).items():\n    v -= 0.1",
    "__dict__": "for v in p.__dict__.values():\n    v[:] = 3",
}


@pytest.mark.parametrize("text", [METHODS, *(WEIGHTS.format(way) for way in WAYS.values())], ids=["methods", *WAYS])
def test_scripts_print_the_same(text):
    """Static and class methods take no object where they are called on one; attributes are changed by other ways than by name."""
    want = printed(text)
    assert want
    assert printed(convert(text)[0]) == want


REFUSED = """\
import numpy as np


class Meter:
    def __init__(self, n):
        self.total = np.zeros(n)
        self.first = self.total

    def add(self, batch):
        self.total += batch["x"]


def made(n):
    return {"x": np.square(np.arange(n) * 0.5)}


def add(v, total=np.zeros(2)):
    total += v
    return total


m = Meter(3)
m.add(made(3))
m.add({"x": np.ones(3)})
first = add(made(2)["x"])
add(1)
print(m.first.tolist(), m.total.tolist(), first.tolist())
"""


def test_arrays_that_stay_numpys_take_in_what_may_be_jaxs():
    """`x += v` bound another array where v was JAX's: who held the old one did not see the sum."""
    want, text = printed(REFUSED), convert(REFUSED)[0]
    assert 'self.total += jax.device_get(batch["x"])' in text
    assert printed(text) == want


NAMED_AGAIN = """\
import numpy as np


def f(x: np.ndarray):
    pos = np.array([x, x * 2])
    old = pos
    pos, vel = pos
    pos += vel
    return pos, vel, old


def g(x: np.ndarray):
    state = np.array([x, x * 2])
    for _ in range(3):
        pos, vel = state
        pos += 0.5 * vel
        vel *= 0.5
    return state


def h(state: np.ndarray):
    q, p = state
    q += p
    p[0] = 7
    return q.sum()


def k(state: np.ndarray):
    (a, b), c = state
    a += 1
    c[0] += 2
    return state
"""


@pytest.mark.parametrize("function", "fghk")
def test_rows_that_have_names_are_changed_in_their_array(function):
    given = [(X,)] if function in "fg" else [(np.arange(8.0).reshape(2, 4),), (np.arange(4.0).reshape(2, 2),)]
    given = given if function != "k" else [(np.arange(8.0).reshape(2, 2, 2),)]
    check_agrees(NAMED_AGAIN, *given, function=function, keep=True, idempotent=False)


def test_how_a_row_is_written():
    text = check_agrees(function(ROWS["rows"], "x"), (X,), idempotent=False)
    assert "    P = P.at[0].set(P[0] + x)\n" in text
