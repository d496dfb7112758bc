"""Whole programs as people write them: each is converted, run before and after, and all of its variables are compared."""

import pytest

from np2jax.tests.helpers.observed import check_program

UNDER_IF = """import sys
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
"""
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
    "function defined under if": UNDER_IF,
    "function defined under if, other way": UNDER_IF.replace(">", "<"),
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
    "arrays in containers 1": """def step(params, g):
    params["w"] -= g
def f(x):
    d = {"w": x}
    step(d, 1.0 + x)
    return d["w"].sum()
a = np.ones(3)
r = f(a)
""",
    "arrays in containers 2": """def step(params, g):
    params["w"] -= g
def f(x):
    d = {"w": x.copy()}
    d["v"] = d["w"]
    step(d, 1.0 + x)
    return d["v"].sum()
a = np.ones(3)
r = f(a)
""",
    "arrays in containers 3": """def step(params, g):
    params["w"] -= g
def f(x):
    y = x.copy()
    d = {"w": y, "v": y}
    step(d, 1.0 + x)
    return d["v"].sum()
a = np.ones(3)
r = f(a)
""",
    "arrays in containers 4": """def step(params, g):
    params["w"] -= g
class M:
    def __init__(self, n):
        self.w = np.zeros(n)
        self.params = {"w": self.w}
    def go(self, g):
        step(self.params, g)
        return self.w.sum()
m = M(3)
r = m.go(np.ones(3))
""",
    "arrays in containers 5": """def step(params, g):
    params["w"] -= g
def outer(params, g):
    q = params["w"]
    step(params, g)
    return q.sum()
d = {"w": np.ones(3)}
r = outer(d, np.ones(3))
""",
    "arrays in containers 6": """P = {"w": np.ones(3)}
Q = P["w"]
def step(params, g):
    params["w"] -= g
step(P, np.ones(3))
s = Q.sum()
""",
    "arrays in containers 7": """W = np.ones(3)
def step(params, g):
    params["w"] -= g
def f():
    step({"w": W}, np.ones(3))
f()
s = W.sum()
""",
    "arrays in containers 8": """def step(params, g):
    params["w"] -= g
def make(x):
    return {"w": x}
a = np.ones(3)
d = make(a)
step(d, np.ones(3))
""",
    "arrays in containers 9": """def step(params, g):
    params["w"] -= g
def f(xs, g):
    for x in xs:
        step({"w": x}, g)
l = [np.ones(3), np.zeros(3)]
f(l, np.ones(3))
""",
    "arrays in containers 10": """def step(params, g):
    for p, q in zip(params, g):
        p -= q
l = [np.ones(3), np.zeros(3)]
step(l, [np.ones(3), np.ones(3)])
""",
    "arrays in containers 11": """def step(params, g):
    for i in range(len(params)):
        params[i] -= g[i]
l = [np.ones(3), np.zeros(3)]
k = l[0]
step(l, [np.ones(3), np.ones(3)])
""",
    "parameters in a dict 1": """def update(params, x):
    params["w"][0] = 1.0
    params["w"][1:] += x[1:]
    params["w"] *= 2.0
    params["b"] += x.sum()
params = {"w": np.zeros(3), "b": np.zeros(1)}
update(params, np.arange(3.0))
r = params["w"] + 1
update(params, np.arange(3.0))
""",
    "parameters in a dict 2": """def init(n):
    return {"w": np.zeros((n, n)), "b": np.zeros(n)}
def forward(params, x):
    return np.tanh(params["w"] @ x + params["b"])
def update(params, grads, lr):
    for k in params:
        params[k] -= lr * grads[k]
def clip(grads):
    grads["w"][grads["w"] > 0.5] = 0.5
    np.clip(grads["b"], -1, 1, out=grads["b"])
def main():
    p = init(3)
    x = np.arange(3.0)
    for i in range(3):
        y = forward(p, x)
        g = {"w": np.outer(y - 1, x), "b": y - 1}
        clip(g)
        update(p, g, 0.1)
        p["b"][i] += 0.5
    return p, y
p, y = main()
""",
    "earlier finding 1": """class C:
    def __init__(self, x): self.x = x
    def bump(self): self.x += 1
def f(x: np.ndarray):
    a = C(x); b = C(x); a.bump(); return b.x
r = f(np.ones(3))
""",
    "earlier finding 2": """def f(x):
    g = lambda y=x: y.sum()
    x += 100
    return g()
a = np.ones(3)
r = f(a)
""",
    "earlier finding 3": """def f(x):
    try: return x.sum()
    finally: x[0] = 9
a = np.ones(3)
r = f(a)
""",
    "earlier finding 4": """def f(x, m):
    x[m] = 0
    return x
a = np.ones(3)
r = f(a, a > 0)
r = f(np.ones(3), 1)
""",
    "earlier finding 5": """class P:
    def __init__(self, a): self.pos = a[1:]
    def step(self): self.pos += 1
def f(x: np.ndarray):
    p = P(x); p.step(); return x
r = f(np.ones(3))
""",
    "earlier finding 6": """class B: pass
def f(x):
    b = B()
    setattr(b, "a", x); x[0] = 9; return b.a
a = np.ones(3)
r = f(a)
""",
    "earlier finding 7": """class B:
    def __init__(self, n): self.a = np.zeros(n)
    @property
    def x(self): return self.a
def f(b):
    getattr(b, "a")[0] = 4
    b.x[0] += 5
    return b.a.sum()
b = B(3)
r = f(b)
""",
    "earlier finding 8": """def f(x):
    d = {'a': x}; d['a'][0] = 7
    return d
a = np.ones(3)
r = f(a)
""",
    "earlier finding 9": """def f(x):
    xs = [x, x]; xs[0][0] = 5; return xs
a = np.ones(3)
r = f(a)
""",
    "earlier finding 10": """import copy
def f(x):
    ys = copy.copy([x]); x[0] = 9; return ys
a = np.ones(3)
r = f(a)
""",
    "earlier finding 11": """def g(c): return c * 2
def f(y, c):
    s = 0.0
    for i in range(3): s += y[0] + g(c)
    return s
r = f(np.ones(3), 2.0)
""",
    "earlier finding 12": """def g(y): return y * 2
def f(a, y):
    b = a
    (a if y.ndim else y)[0] = 1
    b *= g(y)
    return a
a = np.ones(3)
r = f(a, np.ones(3))
""",
    "earlier finding 13": """class T:
    def __init__(self): self.cells = np.zeros((3, 2)); self.shape = (3, 2)
def f(thing):
    thing.shape = (2, 3)
    return np.sum(thing.cells)
t = T()
r = f(t)
""",
    "earlier finding 14": """class Box:
    def __init__(self, x): self.x = np.array(x)
def f(b):
    v = b.x[1:]
    v.sort()
    return b.x
b = Box([3.0, 2.0, 1.0])
r = f(b)
""",
    "earlier finding 15": """def step(params, i, v):
    params["w"][i] += v
def make(n):
    return {"w": np.zeros(n), "b": np.ones(2)}
p = make(3)
step(p, 1, 2.0)
w = p["w"]
step(p, 0, 2.0)
""",
    "earlier finding 16": """def step(params, grads, lr):
    for k in params:
        params[k] -= lr * grads[k]
p = {"w": np.zeros(3), "b": np.ones(2)}
g = {"w": np.ones(3), "b": np.ones(2)}
step(p, g, 0.1)
""",
    "earlier finding 17": """def step(params, i, v):
    params["w"][i] += v
    return params
p = {"w": np.zeros(3), "b": np.ones(2)}
p = step(p, 1, 2.0)
""",
    "earlier finding 18": """def update(params, x):
    params["w"][0] = 1.0
    params["w"][1:] += x[1:]
    params["w"] *= 2.0
    params["b"] += x.sum()
params = {"w": np.zeros(3), "b": np.zeros(1)}
q = params
update(params, np.arange(3.0))
""",
    "earlier finding 19": """def put(d, n):
    w = np.zeros(n)
    d["w"] = w
    w[0] = 1
    d = {}
    w[1] = 2
    return w
d = {}
r = put(d, 3)
q = d["w"]
""",
    "one array for two parameters 1": """def gamma(image, g, out=None):
    if out is None:
        out = np.empty_like(image)
    np.clip(image, 0.0, 1.0, out=out)
    np.power(out, g, out=out)
    return out
def main():
    a = np.linspace(0, 2, 5)
    b = gamma(a, 0.5)
    gamma(b, 2.0, out=b)
    gamma(a, 2.0, a)
    return a, b
r = main()
""",
    "one array for two parameters 2": """def shift(x, out):
    out[1:] = x[:-1]
def twice(x, out):
    for i in range(1, len(x)):
        out[i] += x[i - 1]
a = np.arange(4.0)
shift(a, a)
b = np.arange(4.0)
twice(b, b)
""",
    "one array for two parameters 3": """def f(x, out):
    out[0] = 5
    return x.sum()
def g(x, out):
    y = x
    out[0] = 5
    return y.sum()
def h(x, out):
    def inner(): return x.sum()
    out[0] = 5
    return inner()
def k(x, out, l):
    l.append(x)
    out[0] = 5
a = np.ones(3); b = np.ones(3); c = np.ones(3); d = np.ones(3)
r = f(a, a), g(b, b), h(c, c)
l = []
k(d, d, l)
""",
    "one array for two parameters 4": """def bump(o):
    o += 1
    return 1.0
def f(x, out):
    s = bump(out) + x.sum()
    return s
def g(x, out):
    s = x.sum() + bump(out)
    return s
a = np.ones(3); b = np.ones(3)
r = f(a, a), g(b, b)
""",
    "one array for two parameters 5": """class C:
    def __init__(self): self.x = None
    def put(self, x, out):
        self.x = x
        out[0] = 3
c = C()
a = np.ones(3)
c.put(a, a)
""",
    "one array for two parameters 6": """def f(x, out):
    v = x[1:]
    out[:] = 2
    return v.sum()
def g(x, out):
    if out[0] > 0:
        out[:] = x + 1
    else:
        out -= x
a = np.ones(3); b = np.ones(3)
r = f(a, a)
g(b[:], b)
g(b, b[::-1])
""",
    "record 1": """from dataclasses import dataclass, field, replace
@dataclass
class G:
    u: np.ndarray
    n: int = 3
    h: list = field(default_factory=list)
    def step(self):
        self.u[0] += self.n
        self.u *= 2
        self.h.append(float(self.u.sum()))
a = np.zeros(3)
g = G(a)
g.step()
k = G(np.ones(2), n=2)
k.step()
""",
    "record 2": """from dataclasses import dataclass
@dataclass
class G:
    u: np.ndarray
    def step(self):
        self.u[0] += 1
def main():
    k = G(np.ones(2))
    k.step()
    k.step()
    return k.u
r = main()
""",
    "record 3": """from dataclasses import dataclass, replace
@dataclass
class G:
    u: np.ndarray
    v: np.ndarray = None
    def step(self):
        self.u[0] += 1
def main():
    k = G(np.ones(2))
    j = replace(k, v=np.zeros(1))
    k.step()
    j.step()
    return k.u, j.u
r = main()
""",
    "record 4": """from dataclasses import dataclass
import copy
@dataclass
class G:
    u: np.ndarray
    def step(self):
        self.u[0] += 1
def main():
    k = G(np.ones(2))
    j = copy.copy(k)
    k.step()
    return k.u, j.u
r = main()
""",
    "record 5": """import copy
class G:
    def __init__(self, n):
        self.u = np.zeros(n)
    def step(self):
        self.u[0] += 1
def main():
    k = G(3)
    j = copy.copy(k)
    k.step()
    return k.u, j.u
r = main()
""",
    "record 6": """from typing import NamedTuple
class State(NamedTuple):
    x: np.ndarray
    v: np.ndarray
def step(s, dt):
    s.x[:] += s.v * dt
    return s._replace(v=s.v * 0.5)
x = np.zeros(2)
s = State(x, np.ones(2))
t = step(s, 0.5)
""",
    "record 7": """from collections import namedtuple
State = namedtuple("State", "x v")
def step(s, dt):
    s.x[:] += s.v * dt
    return s._replace(v=s.v * 0.5)
x = np.zeros(2)
s = State(x, np.ones(2))
t = step(s, 0.5)
""",
    "record 8": """from dataclasses import dataclass
@dataclass(frozen=True)
class State:
    x: np.ndarray
    def step(self):
        self.x[0] += 1
s = State(np.zeros(3))
s.step()
""",
    "layers 1": """class Relu:
    def forward(self, x):
        self.mask = x > 0
        out = x.copy()
        out[~self.mask] = 0
        return out
    def backward(self, g):
        g = g.copy()
        g[~self.mask] = 0
        return g
class Scale:
    def __init__(self, n): self.w = np.arange(n) * 1.0
    def forward(self, x): return x * self.w
    def backward(self, g): return g * self.w
class Net:
    def __init__(self, *layers): self.layers = list(layers)
    def __call__(self, x):
        for l in self.layers:
            x = l.forward(x)
        return x
    def back(self, g):
        for l in reversed(self.layers):
            g = l.backward(g)
        return g
net = Net(Scale(3), Relu(), Scale(3))
y = net(np.array([1.0, -2.0, 3.0]))
g = net.back(y * 2)
""",
    "layers 2": """class A:
    def forward(self, x):
        y = x.copy()
        y[0] = 1
        return y
class B:
    def __init__(self, n): self.w = np.ones(n)
    def forward(self, x): return x + self.w
def run(layers, x):
    for l in layers:
        x = l.forward(x)
    return x
r = run([B(3), A(), B(3), A()], np.zeros(3))
""",
    "layers 3": """def make(w):
    def apply(x):
        y = np.convolve(x, w, mode="same")
        y[0], y[-1] = x[0], x[-1]
        return y
    return apply
r = make(np.array([0.25, 0.5, 0.25]))(np.arange(5.0))
""",
    "objects and values that are called blindly 1": """class Body:
    def __init__(self, pos):
        self.pos = np.asarray(pos, dtype=float)
        self.vel = np.zeros(2)
    def kick(self, f):
        self.vel += f
    def drift(self):
        self.pos += self.vel
def force(a):
    return np.sin(a.pos) + 1.0
def run(bodies):
    for b in bodies:
        b.kick(force(b))
    for b in bodies:
        b.drift()
start = np.array([0.0, 0.0])
run([Body(start), Body([1, 2])])
""",
    "objects and values that are called blindly 2": """_COMMANDS = {}
def command(f):
    _COMMANDS[f.__name__] = f
    return f
@command
def blur(img):
    return np.sqrt(img)
@command
def border(img):
    img[:1] = 7
    return img
def pipeline(img, names):
    for name in names:
        img = _COMMANDS[name](img)
    return img
r = pipeline(np.ones(4), ["border", "blur", "border"])
""",
    "objects and values that are called blindly 3": """class Series:
    def __init__(self, v): self.values = np.array(v)
    def __array__(self, dtype=None, copy=None): return self.values
    def __str__(self): return "s"
def other(s, n):
    return s if n else Series(s.values * 2)
s = Series([1.0, 2.0])
m = np.max(s)
t = other(s, 0).values
u = str(other(s, 1))
""",
    "attribute that may be a number 1": """class Ring:
    def __init__(self, n):
        self.data = np.zeros(n)
        self.head = 0
        self.full = False
    def push(self, v):
        self.data[self.head] = v
        self.head = (self.head + 1) % len(self.data)
        self.full |= self.head == 0
r = Ring(3)
for v in range(5):
    r.push(v)
s = r.data
""",
    "attribute that may be a number 2": """class R:
    def __init__(self):
        self.full = False
        self.n = 0
    def push(self, v):
        self.full |= v == 0
        self.n += v
        self.n *= 2
        return np.sqrt(self.n)
r = R()
for v in range(5):
    r.push(v)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check_program({"m.py": "import numpy as np\n\n" + PROGRAMS[name]})
