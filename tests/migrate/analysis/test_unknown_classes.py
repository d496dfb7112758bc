"""Methods of objects whose class is not known: what a kept one needs, and what the others of its name may give."""

import pytest

from np2jax.tests.helpers.differential import CONVERTED, convert_project
from np2jax.tests.helpers.observed import NumpyRaises, check_program
from np2jax.tests.programs.generators.class_programs import make_program

HEAD = "import numpy as np\n\n"
OWN = """class A:
    def __init__(self, n):
        self.x = np.zeros(n)
        self.seen = [self.x]
    def step(self, z):
        self.x[0] = 3.0
        self.x[1:] += 1.0
class B:
    def __init__(self, n):
        self.w = np.ones(n)
    def step(self, z):
        return self.w * z
    def other(self):
        return np.sum(self.w)
"""
PROGRAMS = {
    "chain": OWN
    + """def run(objects, z):
    for o in objects:
        z = o.step(z)
    return z
r = run([B(3), B(3)], np.ones(3))
""",
    "chain into what is copied": """class A:
    def forward(self, x):
        y = x.copy()
        y[0] = 1
        return y
class B:
    def __init__(self, n): self.w = np.ones(n)
    def forward(self, x): return x + self.w
    def both(self, x): return self.forward(x) * 2
def run(layers, x):
    for l in layers:
        x = l.forward(x)
    return x
r = run([B(3), A(), B(3), A()], np.zeros(3))
s = run([A()], B(3).both(np.zeros(3)))
""",
    "chain through a list and a helper": """class A:
    def forward(self, x):
        y = x * 1.0
        y += x
        z = y
        z[0] = 1
        return y
class B:
    def __init__(self, n): self.w = np.ones(n)
    def forward(self, x): return x + self.w
def put(layer, x):
    return layer.forward(x)
def run(layers, x):
    kept = [x]
    for l in layers:
        kept.append(l.forward(kept[-1]))
    return kept
def run2(layers, x):
    def one(l, v):
        return l.forward(v)
    for l in layers:
        x = one(l, x)
    return x
def run3(layers, x):
    for l in layers:
        x = put(l, x)
    return x
r = run([B(3), A(), B(3), A()], np.zeros(3))
s = run2([B(3), A(), B(3), A()], np.zeros(3))
t = run3([B(3), A(), B(3), A()], np.zeros(3))
""",
    "attribute of one given to the other": """class A:
    def take(self, x):
        y = x * 2
        y[0] = 1
        self.y = y
class B:
    def __init__(self, n): self.x = np.ones(n)
    def take(self, x): self.x = self.x + x
def run(objects):
    for o, p in zip(objects, objects[1:]):
        p.take(o.x if hasattr(o, "x") else o.y)
objects = [B(3), A(), B(3), A()]
run(objects)
""",
    "property of one given to the other": """class A:
    def take(self, x):
        y = x * 2
        y[0] = 1
        self.y = y
class B:
    def __init__(self, n): self.x = np.ones(n)
    @property
    def y(self): return self.x * 3
    def take(self, x): self.x = self.x + x
def run(objects):
    for o, p in zip(objects, objects[1:]):
        p.take(o.y)
objects = [B(3), A(), B(3), A()]
run(objects)
""",
    "what a method gives is changed": """class B:
    def __init__(self, n): self.w = np.ones(n)
    def made(self): return self.w * 2
def run(o):
    y = o.made()
    y[0] = 1
    return y
r = [run(cls(3)) for cls in [B]]
""",
    "an attribute is changed": """class C:
    def __init__(self, n):
        self.x = np.zeros(n) + 1
        self.y = self.x
class D:
    def __init__(self, n):
        self.x = np.ones(n)
        self.y = self.x[1:]
def scale(o):
    o.x *= 2
def put(o):
    o.x[0] = 5
c, d = [cls(3) for cls in (C, D)]
for o in (c, d):
    scale(o)
    put(o)
""",
    "an attribute is changed by *= alone": """class C:
    def __init__(self, n):
        self.x = np.zeros(n) + 1
def scale(o):
    o.x *= 2
c, d = [cls(3) for cls in (C, C)]
y = c.x
scale(c)
""",
    "added to an array that others hold": """class Body:
    def __init__(self, pos):
        self.pos = np.asarray(pos, dtype=float)
        self.vel = np.zeros(2)
        self.all = [self.vel]
    def kick(self, f):
        self.vel += f
def force(a):
    return np.sin(a.pos) + 1.0
def run(bodies):
    for b in bodies:
        b.kick(force(b))
bodies = [Body(np.zeros(2)), Body([1, 2])]
run(bodies)
""",
    "added to a narrower array": """class B:
    def __init__(self, n): self.w = np.ones(n) / 3
    def made(self): return self.w * 2
def run(os):
    y = np.zeros(3, dtype=np.float32)
    for o in os:
        y += o.made()
    y[0] = 1
    return y
r = run([cls(3) for cls in [B]])
""",
    "what a method gives is held while another one changes it": """class B:
    def __init__(self, n): self.w = np.ones(n)
    def turn(self, x):
        self.w += x
        return self.w
class C:
    def __init__(self, n): self.w = np.ones(n)
    def turn(self, x): return x
def run(os, x):
    for o in os:
        x = o.turn(x)
    return x
objects = [C(3), B(3)]
r = run(objects, np.ones(3))
s = run(objects, np.ones(3))
""",
    "an attribute is held while another one changes it": """class B:
    def __init__(self, n):
        self.w = np.ones(n)
        self.v = np.ones(n)
    def turn(self):
        self.w *= 2
        self.v += 1
def run(os):
    seen = []
    for o in os:
        seen.append(o.w)
        o.turn()
        seen.append(o.v[1:] if len(seen) > 1 else o.w)
    return seen
objects = [cls(3) for cls in (B, B)]
r = run(objects)
s = run(objects)
""",
    "a nested function looks": """def shown(label, x):
    def column(a):
        return a.shape[0] > 1 and a.ndim == 2 and a.shape[1] == 1
    if column(x):
        return label + str(x.sum())
    return label + str(x.shape)
r = shown("a", np.ones((3, 1))), shown("b", np.ones(2))
""",
    "a nested function changes": """def shown(x):
    def first(a):
        a[0] = 7
        return a.shape[0]
    n = first(x)
    return n
class P:
    def __init__(self): self.x = np.ones(3)
    def go(self): return shown(self.x)
p = P()
r = p.go()
y = p.x
""",
    "a nested function changes through another name": """def shown(x):
    def first(a):
        b = a
        b.sort()
        return b.shape[0]
    return first(x)
x = np.array([3.0, 1.0, 2.0])
r = shown(x)
""",
    "functions that are given, and fit": """import functools
import types
def grow(x, y):
    x += y
def fill(x):
    x[:] = 4.0
class Holder:
    step = grow
    def __init__(self, f): self.f = f
class Empty: pass
def call(f, x):
    y = x * 2.0
    f(y)
    return y
def through(o, x, *more):
    y = x * 2.0
    o.f(y, *more)
    return y
def plot(o, x):
    y = x * 2.0
    o.plot(y, x)
    return y
def hang(o, name, f):
    setattr(o, name, f)
    return o
ones = np.ones(3)
r = [call(fill, ones), call(functools.partial(grow, y=1.0), ones), call(lambda y: grow(y, ones), ones)]
s = [through(Holder(fill), ones), through(Holder(grow), ones, ones), through(types.SimpleNamespace(f=fill), ones)]
t = [plot(hang(Empty(), "plot", grow), ones), plot(types.SimpleNamespace(plot=grow), ones)]
u = through(functools.partial(fill), ones) if hasattr(functools.partial(fill), "f") else 0
""",
    "a method of a class is a function that was hung there": """def grow(self, x, y):
    x += y
class Holder: pass
Holder.plot = grow
def plot(o, x):
    y = x * 2.0
    o.plot(y, x)
    return y
r = plot(Holder(), np.ones(3))
f = grow
""",
    "functions that are given, with what fits them not": """def mix(x, y, w, noise=None):
    x += y * w
    return x
class Owner:
    def __init__(self, f): self.f = f
    def run(self, x): return self.f(x, x * 2, 3.0)
def shown(ax, x):
    y = x * 2.0
    ax.plot(x, y, label="a")
    ax.clear()
    return y
def kind(x):
    return len(str(type(x)())) * 0 + np.sin(x)
class Axes:
    def __init__(self): self.seen = []
    def plot(self, x, y, label): self.seen.append(x + y)
    def clear(self): pass
axes = Axes()
r = Owner(mix).run(np.ones(3))
s = [shown(a, np.ones(3)) for a in (axes,)]
t = [float(x[0]) for x in axes.seen]
""",
    "text of attributes, looked at by a nested function": """def shown(label, x):
    def column(a):
        return a.ndim == 2 and a.shape[1] == 1
    if column(x):
        return label + str(x.sum())
    return label + str(x.shape)
class P:
    def __init__(self, n):
        self.x = np.zeros(n)
        self.y = np.ones(n)
    def step(self, z):
        self.x += z
        self.x[0] = self.y[0] + 1
    def __repr__(self): return shown("x", self.x)
p = P(3)
before = repr(p)
p.step(np.ones(3))
r, after = p.x, repr(p)
""",
    "a nested function gives what it looked at": """class P:
    def __init__(self, n): self.x = np.zeros(n)
    def step(self, z): self.x += z
    def seen(self):
        def same(a): return a
        return same(self.x)
    def held(self):
        def both(a): return [a, a]
        self.all = both(self.x)
    def last(self):
        def name(a):
            b = a
            return b
        self.z = name(self.x)
p = P(3)
y = p.seen()
p.step(1.0)
p.held()
p.last()
p.step(1.0)
r = [y, p.x, p.all, p.z]
""",
    "an attribute of an unknown object is copied into an array": """class F:
    def __init__(self, n):
        self.x = np.arange(n) * 1.0
        self.w = 2.0
    def step(self, z):
        self.x[0] += z
        self.x *= 2.0
class Bank:
    def __init__(self, filters):
        self.filters = filters
        self.rows = np.zeros((len(filters), 3))
        self.w = np.zeros(len(filters))
    def update(self):
        for i, f in enumerate(self.filters):
            self.rows[i] = f.x
            self.w[i] = f.w
            f.step(1.0)
        return self.rows.sum()
bank = Bank([F(3), F(3)])
r = [bank.update(), bank.update()]
rows = bank.rows
""",
    "an attribute of an unknown object is put into a list of arrays": """class F:
    def __init__(self, n): self.x = np.arange(n) * 1.0
    def step(self, z): self.x[0] += z
def run(filters):
    rows = [None] * len(filters)
    for i, f in enumerate(filters):
        rows[i] = f.x
        f.step(1.0)
    return rows
r = run([F(3), F(3)])
""",
    "text is added": """def title(label, x):
    label += " = "
    label += str(x.shape)
    return label, np.sin(x)
t, r = title("x", np.ones(2))
def more(names, x):
    names += "ab"
    return names, np.cos(x)
l = []
n, s = more(l, np.ones(2))
""",
}


@pytest.mark.quick(10)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check_program({"m.py": HEAD + PROGRAMS[name]})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_random_program(seed):
    try:
        check_program({"m.py": make_program(seed)})
    except NumpyRaises:
        pytest.skip("it does not run under NumPy")


def labels(text):
    _texts, functions, _diagnostics = convert_project({"m.py": HEAD + text})
    return {name.removeprefix("m."): f.label for name, f in functions.items()}


def test_a_method_that_changes_its_own_array_keeps_no_others_of_its_name():
    found = labels(
        OWN.replace("        self.seen = [self.x]\n", "        self.x = self.seen = np.zeros(n)\n")
        + "def run(objects, z):\n    for o in objects:\n        o.step(z)\nrun([A(3), B(3)], np.ones(3))\n"
    )
    assert found["A.step"] == "kept"
    assert {found["B.step"], found["B.other"], found["B.__init__"]} <= {*CONVERTED}, found


def test_what_gives_to_a_kept_one_that_changes_what_it_makes_of_it_is_kept():
    found = labels(PROGRAMS["chain into what is copied"])
    assert found["B.forward"] == found["B.__init__"] == "kept", found


def test_text_is_added_to_what_is_not_known():
    assert labels(PROGRAMS["text is added"])["title"] in CONVERTED


def test_a_function_value_that_does_not_fit_a_call_is_not_what_is_called():
    found = labels(PROGRAMS["functions that are given, with what fits them not"])
    assert found["mix"] == "kept" and {found["shown"], found["kind"]} <= {*CONVERTED}, found


def test_what_a_nested_function_looks_at_is_not_held():
    found = labels(PROGRAMS["text of attributes, looked at by a nested function"])
    assert {found["P.step"], found["P.__init__"]} <= {*CONVERTED}, found


BANK = """class F:
    def __init__(self, n):
        self.x = np.ones(n)
        self.P = np.eye(n)
    def predict(self, u):
        self.x = self.P @ self.x + u
class G:
    def __init__(self, n):
        self.x = np.zeros(n)
        self.P = 2.0 * np.eye(n)
    def predict(self, u):
        self.x = self.x + 2.0 * u
class Bank:
    def __init__(self, filters):
        self.filters = filters
        self.x = np.zeros(3)
        self.seen = [self.x]
    def predict(self, u):
        self.x.fill(0.0)
        for f in self.filters:
            f.predict(u)
            self.x += f.x * 0.5
        P = np.zeros((3, 3))
        first = P
        for f in self.filters:
            P += f.P
        first[0] += 1.0
        return P + self.seen[0]
"""
RUN = "bank = Bank([F(3), G(3)])\nr = bank.predict(0.5)\ns = bank.predict(1.5) + bank.x\n"


def test_what_kept_code_adds_to_its_arrays_is_made_numpys():
    texts, functions, _diagnostics = convert_project({"m.py": HEAD + BANK})
    label = {name.removeprefix("m."): f.label for name, f in functions.items()}
    assert label["Bank.predict"] == "kept"
    assert {label["F.predict"], label["F.__init__"], label["G.predict"]} <= {*CONVERTED}, label
    assert "self.x += jax.device_get(f.x * 0.5)" in texts["m.py"] and "P += jax.device_get(f.P)" in texts["m.py"]


@pytest.mark.quick(7)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("f.x * 0.5", "f.x"),
        ("P += f.P", "P -= f.P"),
        ("P += f.P", "P *= f.P + 1.0"),
        ("P += f.P", "P[1:] += f.P[1:]"),
        ("P += f.P", "P @= f.P"),
        ("P += f.P", "P += float(f.x[0])"),
        ("P += f.P", "P += f.x"),
        ("np.zeros((3, 3))", "np.zeros((3, 3), np.float32)"),
        ("first[0] += 1.0", "first[0] += f.x"),
        ("first[0] += 1.0", "f.x += first[0]"),
        ("self.x += f.x * 0.5", "self.seen += [f.x]"),
        ("self.x += f.x * 0.5", "y = self.x\\n            y += f.x"),
        ("P += f.P", "n = 1\\n            n += f.x[0]\\n            P += n"),
        ("P += f.P", "P += [f.x, f.x, f.x]"),
        ("P += f.P", "np.add(P, f.P, out=P)"),
    ],
)
def test_what_kept_code_adds_is_as_it_was(old, new):
    check_program({"m.py": HEAD + BANK.replace(old, new.replace("\\n", "\n")) + RUN})


def test_nothing_is_made_numpys_where_nothing_is_converted():
    kept = BANK.replace("    def predict(self, u):\n", "    def predict(self, *u):\n        self.x[0] = u[0]\n        u = u[0]\n")
    texts, functions, _diagnostics = convert_project({"m.py": HEAD + kept})
    if all(f.label == "kept" for f in functions.values()):
        assert "jax" not in texts["m.py"]


def test_tests_are_not_rewritten_so_their_arrays_stay_numpys():
    text = "import numpy as np\nfrom m import F\n\ndef test_sum():\n    x = np.zeros(3)\n    y = x\n    for f in [F(3)]:\n        x += f.x\n    assert (y == 1).all()\n"
    check_program({"m.py": HEAD + BANK + RUN, "test_m.py": text + "\ntest_sum()\n"})
