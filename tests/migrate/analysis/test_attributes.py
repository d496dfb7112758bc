"""What is known of the attributes of objects: whatever anybody in the project binds to them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, convert_project
from np2jax.tests.helpers.differential import run as execute

CLASSES = """
import numpy as np

class Base:
    def __init__(self, x: np.ndarray):
        self.w = np.zeros(2)
        self.x = x

    def total(self):
        y = np.zeros(2) + 1
        y[1] = -1
        return self.w[y >= 0].sum()

    def part(self, x: np.ndarray):
        return self.x[x > 0].sum()

class Sub(Base):
    def enlarge(self):
        self.w = np.array([[1, 2], [3, 4]])

class Other(Base):
    def narrow(self):
        self.w = np.array([1])
"""
WIDE = "np.array([[1, 2], [3, 4]])"


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "body",
    [
        "b = Sub(np.zeros(3))\n    b.enlarge()",
        f"b = Base(np.zeros(3))\n    b.w = {WIDE}",
        f"b = Sub(np.zeros(3))\n    b.w = {WIDE}",
        f"b = Base(np.zeros(3))\n    widened(b, {WIDE})",
        f"b = Base(np.zeros(3))\n    setattr(b, 'w', {WIDE})",
        f"b = Base(np.zeros(3))\n    for name in ('w', 'v'):\n        setattr(b, name, {WIDE})",
        f"b = Base(np.zeros(3))\n    b.__dict__.update(w={WIDE})",
        f"b = Base(np.zeros(3))\n    vars(b)['w'] = {WIDE}",
    ],
)
def test_a_mask_selects_rows_of_what_somebody_else_made_a_matrix(body):
    """`jnp.where(y >= 0, self.w, 0)` chose columns: 4 instead of 3."""
    text = f"{CLASSES}\ndef widened(b, w):\n    b.w = w\n\ndef f():\n    {body}\n    return b.total()\n"
    assert execute(text)["f"]() == execute(convert(text)[0])["f"]() == 3


def test_what_subclasses_bind_is_seen_in_the_base_and_not_in_the_next_subclass():
    text = (
        CLASSES
        + "\n    def double(self):\n        self.w[0] *= 2.5\n        return self.w\n\ndef f():\n    b = Other(np.zeros(3))\n"
    )
    check_agrees(text + "    b.narrow()\n    return b.double()\n", (), keep=True)


def test_a_shape_has_its_name_in_one_function_only():
    """A parameter `x` of `__init__` and one of another method are not of one shape: `jnp.where(x > 0, self.x, 0)` broadcast."""
    text = CLASSES + "\ndef f(x: np.ndarray, w: np.ndarray):\n    return Base(w).part(x)\n"
    assert "self.x[x > 0].sum()" in convert(text)[0]
    made = convert(text.replace("Base(w)", "Base(np.arange(3.0))"))[0]
    assert "assert self.x.ndim == x.ndim" in made
    with pytest.raises(AssertionError):
        execute(made)["Base"](np.ones((3, 3))).part(np.ones(3))


STATE = """
import numpy as np

class Filter:
    def __init__(self, n: int):
        self.x = np.zeros((n, 1))
        self.F = np.eye(n)
        self.seen = []
        self.gain = None

    def {first}(self):
        self.x = np.dot(self.F, self.x)
        self.gain = self.gain * 2 if self.gain is not None else self.F * 2
        self.x = self.x * 2 + self.gain[:, :1]
        self.x[0] += 1
        return self.x

    def {second}(self, z):
        self.seen.append(z)
        self.x = self.x + z
        self.x[-1] = 0
        return self.x

def f(z: float):
    kf = Filter(3)
    for k in range(4):
        kf.{first}()
        kf.{second}(z * k)
    return kf.x
"""


@pytest.mark.parametrize("names", [("predict", "update"), ("a", "b")])
def test_what_init_binds_stays_known_where_methods_bind_what_they_make_of_it(names):
    made = check_agrees(STATE.format(first=names[0], second=names[1]), (0.5,))
    assert "self.x.at[0]" in made and "self.x).at[-1].set(0)" in made


FILTER = """
import numpy as np

class Filter:
    def __init__(self, x, F):
        self.x = x
        self.F = F
        self.n = 0

    def step(self):
        self.n = self.n + 1
        self.x = 2 * self.x
        self.x[0] += 1
        return self.x
{more}
"""
USER = """
import numpy as np
from pkg.filter import Filter

def f(z: float):
    kf = Filter(np.zeros(3) + z, np.eye(3))
    for k in range(4):
        kf.step()
    return kf.x
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("more", ["", "\n    def reset(self, x):\n        self.x = x\n        self.x[0] = 1\n"])
def test_a_class_is_understood_alike_in_whatever_order_files_are_looked_at(jobs, more):
    sources = {"pkg/__init__.py": "", "pkg/filter.py": FILTER.format(more=more), "pkg/user.py": USER}
    for order in (sources, dict(reversed(sources.items()))):
        made, _functions, _diagnostics = convert_project(order, jobs=jobs)
        assert ("self.x = jnp.asarray(self.x).at[0].add(1)" in made["pkg/filter.py"]) == (not more)


def test_what_was_hoped_of_an_attribute_and_is_not_so():
    """`step` binds a list in the end, though `__init__` binds an array."""
    text = """
        import numpy as np

        class State:
            def __init__(self):
                self.x = np.zeros(3)

            def step(self, deep):
                self.x = self.other(self.x)
                self.x[0] = deep
                return self.x

            def other(self, x):
                return x * 2 if len(x) > 2 else list(x)

        def f(n: int):
            state = State()
            state.x = [1.0, 2.0]
            state.step(n)
            return [3 * v for v in state.x]
    """
    check_agrees(text, (3,), keep=True)


RING = """
import numpy as np

class Population:
    def __init__(self, n, m, seed=None):
        self.rng = np.random.RandomState(seed)
        self.pop = self.rng.randint(0, 2, size=(n, m))

    def fitness(self):
        return self.pop.sum(axis=1)

    def select(self):
        fit = self.fitness().astype(float)
        return self.pop[self.rng.choice(len(self.pop), size=len(self.pop), p=fit / fit.sum())]

    def crossover(self, parents):
        children = parents.copy()
        for i in range(0, len(parents) - 1, 2):
            children[i, 2:] = parents[i + 1, 2:]
        return children

    def mutate(self, children):
        mask = self.rng.rand(*children.shape) < 0.1
        children[mask] = 1 - children[mask]
        return children

    def evolve(self, generations):
        for _ in range(generations):
            self.pop = self.mutate(self.crossover(self.select()))
        return self.fitness().max()

def f():
    return Population(6, 5, seed=3).evolve(2)
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_attribute_that_is_handed_round_by_many_methods_settles(jobs):
    """What is known of it and what is not went round and round, one method behind the other."""
    made, functions, _diagnostics = convert_project({"a.py": "import numpy as np\nT = np.zeros(2)\n", "m.py": RING}, jobs=jobs)
    assert [f.reason for f in functions.values() if f.label == "kept"] == []
    assert "def evolve" in made["m.py"] and "np." not in made["m.py"].replace("jnp.", "")


@pytest.mark.parametrize("made", ["x * 1", "x + x", "2 * x"])
def test_what_is_made_of_an_attribute_keeps_its_dtype_where_it_is_changed(made):
    """Found by a random program: it may come from outside as an array of NumPy's, and became a float64."""
    text = f"""
import numpy as np

class K:
    def __init__(self, x):
        self.a = {made}

    def scaled(self, w: np.ndarray):
        v = self.a - -1.5
        v *= w
        return v

def f():
    return K(np.array([-0.25, 0.5, 7.0], dtype=np.float32)).scaled(np.ones(3))
"""
    converted = convert(text)[0]
    before, after = execute(text)["f"](), execute(converted)["f"]()
    assert np.array_equal(before, after) and before.dtype == after.dtype == np.float32, converted
