"""Whole programs as people write them: each is converted, run before and after, and all of its variables are compared."""

import pytest

from np2jax.tests.observed import check_program

PROGRAMS = {
    "method bound anew from outside": """class C:
    def __init__(self, n): self.x = np.zeros(n)
    def step(self, y):
        y += 1
        self.x += y
def f(c, y):
    c.step(y)
    return c.x
def other(self, y):
    y *= 3
c = C(2)
y = np.ones(2)
c.step(y)
C.step = other
c.step(y)
""",
    "property that hands out its array": """class C:
    def __init__(self, n):
        self._x = np.zeros(n)
        self.n = n
    @property
    def x(self):
        return self._x
    @x.setter
    def x(self, v):
        self._x[:] = v
c = C(3)
c.x = 4.0
r = c.x
r[0] = 7
s = c._x
""",
    "object that is called": """class G:
    def __init__(self, k): self.k = k
    def __call__(self, x):
        x += self.k
        return x
g = G(2.0)
a = np.zeros(2)
r = g(a)
""",
    "object that is called and keeps": """class G:
    def __init__(self, k): self.k = k
    def __call__(self, x):
        return x * self.k
def f(x):
    g = G(2.0)
    return g(x)
r = f(np.zeros(2))
""",
    "class with operators": """class V:
    def __init__(self, d): self.d = np.asarray(d, dtype=float)
    def __add__(self, o): return V(self.d + o.d)
    def __iadd__(self, o):
        self.d += o.d
        return self
    def __len__(self): return len(self.d)
    def __iter__(self): return iter(self.d)
v = V([1, 2]); w = V([3, 4])
z = v
v += w
t = v + w
q = [float(i) for i in v]
n = len(v)
""",
    "called object in an attribute": """class G:
    def __init__(self, k): self.k = k
    def __call__(self, x, y):
        y += self.k
        return x
class H:
    def __init__(self): self.g = G(3.0)
    def run(self, x):
        self.g(x, x)
        return self.g(x * 2, x)
g = G(2.0)
a = np.zeros(2)
b = a
r = g(np.ones(2), a)
h = H()
q = h.run(a)
""",
    "property with a setter": """class C:
    def __init__(self, n):
        self._x = np.ones(n) * 4
    @property
    def x(self):
        return np.sqrt(self._x)
    @x.setter
    def x(self, v):
        self._x = np.square(v)
c = C(3)
r = c.x
c.x = r + 1
s = c.x
""",
    "function defined under if": """import sys
if sys.version_info > (3, 20):
    def f(x):
        x[0] = 1
        return np.sum(x)
else:
    def f(x):
        return np.sum(x) + 1
def g(x):
    r = f(x)
    return r + x[0]
a = np.zeros(3)
r = g(a)
""",
    "function defined under if, other way": """import sys
if sys.version_info < (3, 20):
    def f(x):
        x[0] = 1
        return np.sum(x)
else:
    def f(x):
        return np.sum(x) + 1
def g(x):
    r = f(x)
    return r + x[0]
a = np.zeros(3)
r = g(a)
""",
    "function defined twice": """def f(x):
    x[0] = 1
    return np.sum(x)
a = np.zeros(3)
r = f(a)
def f(x):
    x[1] = 2
    return np.sum(x)
s = f(a)
""",
    "function that may be imported": """try:
    from fastlib import f
except ImportError:
    def f(x):
        x[0] = 1
        return np.sum(x)
def g(x):
    y = x * 1.0
    f(y)
    return y
a = np.zeros(3)
r = g(a)
""",
    "function over a variable": """f = None
def f(x):
    x[0] = 1
    return np.sum(x)
def g(x):
    y = x * 1.0
    f(y)
    return y
a = np.zeros(3)
r = g(a)
""",
    "method defined twice": """class C:
    def f(self, x):
        x[0] = 1
    if True:
        def f(self, x):
            x[1] = 1
    def g(self, x):
        self.f(x)
        return x
c = C()
a = np.zeros(3)
r = c.g(a)
c.f(a)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check_program({"m.py": "import numpy as np\n\n" + PROGRAMS[name]})
