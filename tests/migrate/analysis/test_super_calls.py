"""`super().method(...)` and `Base.method(self, ...)` are calls of methods that are known, where one base leads to the next."""

import pytest

from np2jax.tests.helpers.differential import CONVERTED, convert
from np2jax.tests.helpers.observed import check_program, taped

HEAD = "import numpy as np\n\n"
PROGRAMS = {
    "attributes of the base": """class A:
    def __init__(self, n):
        self.x = np.zeros(n)
    def step(self, u):
        self.x[0] += 1
        self.x = self.x + u
        return self.x
class B(A):
    def __init__(self, n, rate):
        super().__init__(n)
        self.rate = rate
    def step(self, u):
        x = super().step(u)
        self.x = x * np.exp(-self.rate)
        return self.x
class C(B):
    def __init__(self, n, rate):
        super(C, self).__init__(n, rate)
        self.log = []
    def step(self, u):
        x = B.step(self, u)
        self.log.append(x.sum())
        return x
c = C(3, 0.5)
for u in range(3):
    c.step(u)
""",
    "arguments are changed": """class A:
    def step(self, x: np.ndarray):
        x[0] = 1
class B(A):
    def step(self, x: np.ndarray):
        super().step(x)
        return x.sum()
class C(B):
    def more(self, x):
        super().step(x)
        return x.sum()
def main():
    x, y = np.zeros(3), np.zeros(2)
    return B().step(x), x, C().more(y), y
r = main()
""",
    "arguments are kept": """class A:
    def __init__(self, x):
        self.x = x
    def change(self):
        self.x[0] = 7
class B(A):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y
    def change(self):
        super().change()
        self.y += 1
x, y = np.zeros(3), np.zeros(2)
b = B(x, y)
b.change()
""",
    "the base is kept": """class A:
    def step(self, x):
        y = x.copy()
        y.resize(2)
        y[0] = 5
        return y
class B(A):
    def __init__(self): self.w = np.ones(3)
    def step(self, x):
        return super().step(x * self.w) + 1
b = B()
r = b.step(np.ones(3))
""",
    "two bases": """class A:
    def step(self, x: np.ndarray):
        x[0] = 1
class M(A):
    def step(self, x: np.ndarray):
        super().step(x)
class N(A):
    def step(self, x: np.ndarray):
        x[1] = 2
        super().step(x)
class B(M, N):
    pass
def main():
    x = np.zeros(3)
    B().step(x)
    return x
r = main()
""",
    "in a nested function and a class method": """class A:
    def step(self, x: np.ndarray):
        x[0] = 1
    @classmethod
    def made(cls): return np.ones(2)
class B(A):
    def step(self, x: np.ndarray):
        def later():
            super(B, self).step(x)
        later()
    @classmethod
    def made(cls): return super().made() * 2
def main():
    x = np.zeros(3)
    B().step(x)
    return x, B.made()
r = main()
""",
    "of Python's own": """class E(ValueError):
    def __init__(self, x):
        super().__init__("no")
        self.x = np.sum(x)
class L(list):
    def append(self, x):
        super().append(np.sqrt(x))
class P:
    def __init__(self, x):
        super().__init__()
        self.x = np.sin(x)
l = L()
l.append(4.0)
s = float(l[0])
e, p = E(np.ones(3)).x, P(np.ones(2)).x
""",
    "an instance of a base whose subclass makes itself otherwise": """class A:
    def __init__(self, x):
        self.x = x
    @classmethod
    def zeros(cls): return cls(np.zeros(2))
class B(A):
    def __init__(self, x):
        super().__init__(x + 1)
        self.x[0] = 9
a, b, c = A(np.zeros(3)), B(np.zeros(3)), B.zeros()
a.x[1] = 4
""",
}
RANDOM = {
    "the base draws": """class Base:
    def __init__(self, n):
        self.w = np.random.normal(size=n)
class Sub(Base):
    def __init__(self, n):
        super().__init__(n)
        self.b = np.random.uniform(size=n)
class Third(Sub):
    pass
class Fourth(Third):
    def __init__(self, n):
        Third.__init__(self, n + 1)
def main():
    np.random.seed(1)
    return Third(3).b, Sub(2).b, Base(4).w, Fourth(2).w
r = main()
""",
    "a generator of the base": """class Net:
    def __init__(self, n, seed=None, rng=None):
        self.rng = np.random.default_rng(seed) if rng is None else rng
        self.w = self.rng.normal(size=(n, n))
    def drop(self, x, p=0.5):
        return x * (self.rng.uniform(size=x.shape) > p)
class Sub(Net):
    def __init__(self, n, seed=0):
        super().__init__(n, seed)
        self.b = self.rng.normal(size=n)
    def drop(self, x, p=0.5):
        return super().drop(x, p) + self.rng.normal(0, 1, x.shape)
net = Sub(3, 1)
y = net.drop(np.ones(3))
""",
    "two bases that draw": """class A:
    def __init__(self, n): self.a = np.random.uniform(size=n)
class M(A):
    def __init__(self, n):
        super().__init__(n)
        self.m = np.random.uniform(size=n)
class N(A):
    def __init__(self, n):
        super().__init__(n)
        self.n = np.random.uniform(size=n)
class B(M, N): pass
np.random.seed(0)
b = B(2)
""",
    "made by the class of an object": """class A:
    def __init__(self, n): self.a = np.random.uniform(size=n)
    @classmethod
    def made(cls, n): return cls(n)
class B(A):
    def __init__(self, n): super().__init__(n + 1)
np.random.seed(0)
a, b = A.made(2), B.made(2)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check_program({"m.py": HEAD + PROGRAMS[name]})


@pytest.mark.parametrize("name", RANDOM)
def test_random_program(name):
    with taped():
        check_program({"m.py": HEAD + RANDOM[name]}, random=True)


@pytest.mark.parametrize("name", ["the base draws", "a generator of the base"])
def test_generators_of_bases_become_keys(name):
    _text, functions, _diagnostics = convert(HEAD + RANDOM[name])
    assert {f.label for f in functions.values()} <= {*CONVERTED}, functions


def test_a_method_that_changes_its_argument_hands_it_back_to_those_who_override_it():
    text, _functions, _diagnostics = convert(HEAD + PROGRAMS["arguments are changed"])
    assert "x = super().step(x)" in text
