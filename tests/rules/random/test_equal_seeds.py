"""Equal seeds: the numbers that are equal in NumPy are equal after the conversion, and no others."""

import pytest

from np2jax.tests.helpers.differential import convert, convert_project
from np2jax.tests.helpers.equal_draws import drawn
from np2jax.tests.helpers.random_conversions import HEAD, written

WAYS = ({}, {"placement": "fast"}, {"random": "host"})

CONVERTED = {
    "one then two": """
def main():
    np.random.seed(3)
    a = np.random.normal(size=4)
    np.random.seed(3)
    b = np.random.normal(size=4)
    c = np.random.normal(size=4)
    return a, b, c
""",
    "rng2 one two": """
def main():
    rng = np.random.default_rng(3)
    other = np.random.default_rng(3)
    a = rng.normal(size=4)
    b = other.normal(size=4)
    c = other.normal(size=4)
    return a, b, c
""",
    "rs and seed": """
def main():
    rng = np.random.RandomState(3)
    a = rng.normal(size=4)
    np.random.seed(3)
    b = np.random.normal(size=4)
    c = np.random.normal(size=4)
    return a, b, c
""",
    "helper twice": """
def helper(n):
    return np.random.normal(size=n)


def main():
    np.random.seed(3)
    a = helper(4)
    np.random.seed(3)
    b = helper(4)
    c = helper(4)
    return a, b, c
""",
    "helper rng": """
def helper(rng, n):
    return rng.normal(size=n)


def main():
    rng = np.random.default_rng(3)
    a = helper(rng, 4)
    rng = np.random.default_rng(3)
    b = helper(rng, 4)
    c = helper(rng, 4)
    return a, b, c
""",
    "loop seed": """
def main():
    out = []
    for i in range(2):
        np.random.seed(3)
        out.append(np.random.normal(size=4))
    np.random.seed(3)
    a = np.random.normal(size=4)
    b = np.random.normal(size=4)
    return out, a, b
""",
    "loop draw": """
def main():
    np.random.seed(3)
    out = []
    for i in range(2):
        out.append(np.random.normal(size=4))
    np.random.seed(3)
    a = np.random.normal(size=4)
    b = np.random.normal(size=4)
    return out, a, b
""",
    "set seed": """
def set_seed(s):
    np.random.seed(s)


def main():
    set_seed(3)
    a = np.random.normal(size=4)
    set_seed(3)
    b = np.random.normal(size=4)
    c = np.random.normal(size=4)
    return a, b, c
""",
    "make rng": """
def make(s):
    return np.random.default_rng(s)


def main():
    rng = make(3)
    a = rng.normal(size=4)
    rng = make(3)
    b = rng.normal(size=4)
    c = rng.normal(size=4)
    return a, b, c
""",
    "two functions": """
def f():
    np.random.seed(3)
    return np.random.normal(size=4)


def g():
    np.random.seed(3)
    a = np.random.normal(size=4)
    b = np.random.normal(size=4)
    return a, b


def main():
    return f(), g()
""",
    "two helpers": """
def f():
    return np.random.normal(size=4)


def g():
    a = np.random.normal(size=4)
    b = np.random.normal(size=4)
    return a, b


def main():
    np.random.seed(3)
    a = f()
    np.random.seed(3)
    b = g()
    return a, b
""",
    "method": """
class Model:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one(self):
        return self.rng.normal(size=4)

    def two(self):
        a = self.rng.normal(size=4)
        b = self.rng.normal(size=4)
        return a, b


def main():
    m, n = Model(3), Model(3)
    return m.one(), m.one(), n.two(), n.one()
""",
    "method vs local": """
class Model:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one(self):
        return self.rng.normal(size=4)


def main():
    m = Model(3)
    rng = np.random.default_rng(3)
    return m.one(), rng.normal(size=4)
""",
    "param seed": """
def main():
    return sim(3), sim2(3)


def sim(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=4)


def sim2(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=4)
    return x, rng.normal(size=4)
""",
    "same args": """
def sim(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.uniform(size=n)


def main():
    return sim(3, 4), sim(3, 4)
""",
    "same flag": """
def sim(seed, flag):
    rng = np.random.default_rng(seed)
    x = np.zeros(4)
    if flag:
        x = rng.normal(size=4)
    return x, rng.normal(size=4)


def main():
    return sim(3, True), sim(3, True)
""",
    "default rng if": """
def f(x, rng=None):
    if rng is None:
        rng = np.random.default_rng(0)
    return x + rng.normal(size=4), rng.uniform(size=2)


def main():
    return f(1.0), f(1.0)
""",
    "kwargs order": """
def h(a, b):
    return a, 2 * b


def main():
    rng = np.random.default_rng(3)
    x = h(b=rng.normal(size=4), a=rng.normal(size=4))
    rng = np.random.default_rng(3)
    y = rng.normal(size=4)
    z = rng.normal(size=4)
    return x[1] / 2, x[0], y, z
""",
    "seed method": """
class Env:
    def seed(self, s):
        self.rng = np.random.default_rng(s)

    def step(self):
        return self.rng.normal(size=2)


def main():
    e = Env()
    e.seed(3)
    a = e.step()
    e.seed(3)
    b = e.step()
    c = e.step()
    return a, b, c
""",
    "module seed": """
np.random.seed(3)
A = np.random.normal(size=4)


def main():
    np.random.seed(3)
    b = np.random.normal(size=4)
    c = np.random.normal(size=4)
    return A, b, c
""",
    "closure seed": """
def main():
    def sim(s):
        r = np.random.default_rng(s)
        return r.normal(size=4)
    a = sim(3)
    rng = np.random.default_rng(3)
    return a, rng.normal(size=4), rng.normal(size=4), sim(3)
""",
    "loop seeds tuple": """
def main():
    out = []
    for s in (3, 4, 3):
        rng = np.random.default_rng(s)
        out.append(rng.normal(size=4))
        out.append(rng.normal(size=4))
    return out
""",
}

# Keys would not give the numbers that are equal in NumPy.
LEFT = {
    "beside a seed in an object": """
class Model:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one(self, n):
        return self.rng.normal(size=n)


def fresh(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.normal(size=n)


def main():
    model = Model(1)
    return fresh(1, 4), fresh(1, 2)
""",
    "sizes": """
def main():
    np.random.seed(3)
    a = np.random.normal(size=4)
    np.random.seed(3)
    b = np.random.normal(size=2)
    c = np.random.normal(size=2)
    return a, b, c
""",
    "gained": """
def main():
    np.random.seed(3)
    a = np.random.normal(size=4)
    d = np.random.normal(size=2)
    np.random.seed(3)
    b = np.random.normal(size=2)
    c = np.random.normal(size=2)
    return a, b, c, d
""",
    "helper rng direct": """
def helper(rng, n):
    return rng.normal(size=n)


def main():
    a = helper(np.random.default_rng(3), 4)
    rng = np.random.default_rng(3)
    b = helper(rng, 4)
    c = helper(rng, 4)
    return a, b, c
""",
    "direct draw": """
def main():
    a = np.random.default_rng(3).normal(size=4)
    rng = np.random.default_rng(3)
    b = rng.normal(size=4)
    c = rng.normal(size=4)
    return a, b, c
""",
    "inline vs helper": """
def helper(n):
    a = np.random.normal(size=n)
    b = np.random.normal(size=n)
    return a, b


def main():
    np.random.seed(3)
    a = np.random.normal(size=4)
    np.random.seed(3)
    b = helper(4)
    return a, b
""",
    "order of calls": """
def f(n):
    return np.random.normal(size=n)


def g(n):
    return 2 + np.random.normal(size=n)


def main():
    np.random.seed(3)
    a = f(4)
    b = g(4)
    np.random.seed(3)
    c = g(4) - 2
    d = f(4)
    return a, b, c, d
""",
    "branch reseeds 2": """
def step(flag):
    np.random.seed(3)
    a = np.random.normal(size=4)
    if flag:
        np.random.seed(3)
    b = np.random.normal(size=4)
    c = np.random.normal(size=4)
    return a, b, c


def main():
    return step(True), step(False)
""",
    "antithetic": """
def sim(seed, flag):
    rng = np.random.default_rng(seed)
    if flag:
        x = rng.normal(size=4)
    else:
        x = 2 * (rng.normal(size=4) / 2)
    return x


def main():
    return sim(3, True), sim(3, False)
""",
    "skip branch": """
def sim(seed, flag):
    rng = np.random.default_rng(seed)
    x = np.zeros(4)
    if flag:
        x = rng.normal(size=4)
    y = rng.normal(size=4)
    return x, y


def main():
    return sim(3, True), sim(3, False)[1]
""",
    "nested": """
def main():
    rng = np.random.default_rng(3)

    def draw(n):
        return rng.normal(size=n)
    a = draw(4)
    other = np.random.default_rng(3)
    b = other.normal(size=4)
    c = other.normal(size=4)
    return a, b, c
""",
    "comprehension": """
def main():
    rng = np.random.default_rng(3)
    a = [rng.normal(size=4) for _ in range(2)]
    rng = np.random.default_rng(3)
    b = rng.normal(size=4)
    c = rng.normal(size=4)
    return a, b, c
""",
    "host compiled draw": """
def helper(x: np.ndarray, rng: np.random.Generator):
    x = x + rng.normal(size=x.shape)
    for i in range(3):
        x = x + 0.0 * np.sin(x)
    return x


def main():
    rng = np.random.default_rng(3)
    a = helper(np.zeros(4), rng)
    rng = np.random.default_rng(3)
    b = rng.normal(size=4)
    c = helper(np.zeros(4), rng)
    return a, b, c
""",
    "generators list": """
def main():
    rngs = [np.random.default_rng(s) for s in (3, 3)]
    a = rngs[0].normal(size=4)
    b = rngs[1].normal(size=4)
    c = rngs[1].normal(size=4)
    other = np.random.default_rng(3)
    d = other.normal(size=4)
    return a, b, c, d
""",
    "other args": """
def sim(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.normal(size=n)


def main():
    return sim(3, 4), sim(3, 2)
""",
    "shared rng object": """
class A:
    def __init__(self, rng):
        self.rng = rng

    def draw(self, n):
        return self.rng.normal(size=n)


def main():
    rng = np.random.default_rng(3)
    a, b = A(rng), A(rng)
    x = a.draw(4)
    y = b.draw(4)
    rng2 = np.random.default_rng(3)
    return x, y, rng2.normal(size=4), rng2.normal(size=4)
""",
    "two streams helper": """
def helper(rng, other, n):
    return rng.normal(size=n), other.normal(size=n), rng.normal(size=n)


def main():
    a = np.random.default_rng(3)
    b = np.random.default_rng(3)
    x = helper(a, b, 4)
    c = np.random.default_rng(3)
    return x, c.normal(size=4), c.normal(size=4)
""",
    "loop seeds list var": """
def main():
    out = []
    seeds = [3, 3]
    for s in seeds:
        rng = np.random.default_rng(s)
        if len(out) > 0:
            out.append(rng.normal(size=4))
        else:
            out.append(rng.normal(size=4))
    return out
""",
    "while draw": """
def main():
    np.random.seed(3)
    x = np.zeros(2)
    n = 0
    while np.random.uniform() < 0.9 and n < 5:
        n += 1
        x = x + np.random.uniform(size=2)
    np.random.seed(3)
    a = np.random.uniform()
    b = np.random.uniform(size=2)
    return x, a, b
""",
    "state left by a call": """
def again(seed):
    np.random.seed(seed)
    return np.random.normal(size=2)


def main():
    np.random.seed(3)
    a = np.random.normal(size=2)
    b = np.random.normal(size=2)
    out = [again(3), np.random.normal(size=2)]
    return a, b, out
""",
    "seeds of a range": """
def again(seed, n):
    np.random.seed(seed)
    return np.random.normal(size=n)


def main():
    np.random.seed(1)
    out = [np.random.normal(size=2), np.random.normal(size=4)]
    for s in range(3):
        out.append(again(s, 2))
    return out
""",
    "seed by default": """
def noise(n, seed=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n)


def main():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=4), rng.normal(size=4)
    return a, b, noise(4), noise(4, 3), noise(4, seed=5)
""",
    "state left by a loop": """
def again(seed):
    np.random.seed(seed)
    return np.random.normal(size=2)


def main():
    np.random.seed(1)
    a = [again(s) for s in (2, 1)]
    for s in (1, 2):
        a.append(again(s))
    return a, np.random.normal(size=2)
""",
}


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", CONVERTED)
def test_the_same_draws_after_equal_seeds(name):
    text = HEAD + CONVERTED[name].strip()
    assert not [f for f in convert(text)[1].values() if f.label == "kept"]
    for options in WAYS:
        assert drawn(convert(text, **options)[0]) == drawn(text), options


@pytest.mark.quick(10)
@pytest.mark.parametrize("name", LEFT)
def test_other_draws_after_equal_seeds(name):
    text = HEAD + LEFT[name].strip()
    for options in WAYS:
        assert drawn(convert(text, **options)[0]) == drawn(text), options
    kept = [f for f in convert(text)[1].values() if f.label == "kept"]
    assert kept and all(f.codes == ("NJ301",) or "NJ301" in f.codes for f in kept)


def test_each_draw_splits_its_own_key():
    made = written(CONVERTED["one then two"].strip())
    assert "key, a_key = jax.random.split(key)\n" in made and "key, c_key = jax.random.split(key)\n" in made


DRAWS = """
def f(seed: int):
    rng = np.random.default_rng(seed)
    return rng.normal(size=4) + rng.uniform(size=4)


def main():
    return {calls}
"""


@pytest.mark.parametrize("calls", ["f(3)", "f(3), f(4)", "f(3), f(3)", "[f(s) for s in range(3)]"])
def test_one_split_stays_where_all_draws_agree(calls):
    assert "normal_key, uniform_key = jax.random.split(rng)" in written(DRAWS.format(calls=calls).strip())


def test_seeds_of_functions_that_no_program_calls():
    text = "def f():\n    rng = np.random.default_rng(0)\n    return rng.normal(size=4)\n\n\n"
    text += "def g():\n    rng = np.random.default_rng(0)\n    return rng.normal(size=2) * rng.uniform(size=2)\n"
    made = written(text)
    assert "return jax.random.normal(rng, (4,))" in made and "normal_key, uniform_key = jax.random.split(rng)" in made


def test_modules_that_use_one_seed():
    sources = {
        "p/__init__.py": "",
        "p/a.py": HEAD + "def a():\n    rng = np.random.default_rng(0)\n    return rng.normal(size=4), rng.normal(size=4)\n",
        "p/b.py": HEAD + "def b():\n    rng = np.random.default_rng(0)\n    return rng.normal(size=2), rng.normal(size=4)\n",
        "p/main.py": "from .a import a\nfrom .b import b\n\n\ndef main():\n    return a(), b()\n",
    }
    labels = {name: f.label for name, f in convert_project(sources)[1].items()}
    assert labels["p.a.a"] == labels["p.b.b"] == "kept"
