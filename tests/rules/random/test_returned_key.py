"""Seeds of NumPy's own state that a function or a constructor sets for its callers: they go on with the key that it gives."""

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run
from np2jax.tests.helpers.random_conversions import HEAD, converted, same, written
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)


def determined(text, kept=frozenset(), call="main"):
    """Whether a call of the converted code is determined by its seed, as it is in NumPy."""
    names, found = converted(text)
    assert found == kept
    return same(names[call])


NET = """
class Net:
    def __init__(self, n, seed=0):
        np.random.seed(seed)
        self.w = np.random.randn(n)

    def noisy(self, x):
        return x + self.w * np.random.randn(len(self.w))
"""


def test_what_draws_after_a_constructor_goes_on_with_its_key():
    text = NET + "\ndef main():\n    net = Net(3)\n    return net.noisy(np.ones(3)), net.noisy(np.ones(3)), np.random.rand()\n"
    made = written(text)
    assert "        self.key = key\n" in made and "    net = Net(3)\n    key = net.key\n" in made
    names, _kept = converted(text)
    assert same(names["main"])
    with jax.debug_key_reuse(True):
        one, other, _last = names["main"]()
    assert (one != other).all()


def test_two_objects_of_one_seed_begin_alike_and_go_on_alike():
    text = (
        NET
        + """
def main():
    a = Net(3, 5)
    x = a.noisy(np.ones(3))
    b = Net(3, 5)
    return a.w, b.w, x, b.noisy(np.ones(3))
"""
    )
    names, kept = converted(text)
    assert not kept
    with jax.debug_key_reuse(True):
        a, b, x, y = names["main"]()
    assert (a == b).all() and (x == y).all()


def test_a_constructor_whose_draws_nobody_follows_stays_as_it_was():
    text = """
    class Net:
        def __init__(self, n, seed=0):
            np.random.seed(seed)
            self.w = np.random.randn(n)

    def main():
        return Net(3).w
    """
    assert "self.key" not in written(text)


def test_a_constructor_that_only_seeds():
    text = """
    class Config:
        def __init__(self, seed):
            np.random.seed(seed)

    class Model:
        def __init__(self, config):
            self.w = np.random.randn(3)

    def main():
        config = Config(7)
        return Model(config).w + np.random.randn(3)
    """
    assert "self.key = jax.random.key(seed)" in written(text)
    assert determined(text)


def test_an_object_that_nobody_names():
    text = (
        "class C:\n    def __init__(self, seed):\n        np.random.seed(seed)\n\n"
        "def main():\n    C(3)\n    return np.random.randn(2)\n"
    )
    assert "    key = C(3).key\n" in written(text)
    assert determined(text)


def test_an_attribute_of_the_same_name_stays_what_it_is():
    text = (
        "class C:\n    def __init__(self, seed):\n        self.key = seed\n        np.random.seed(seed)\n\n"
        "def main():\n    c = C(3)\n    return c.key + np.random.randn(2)\n"
    )
    assert "self.rng_key = " in written(text)
    assert determined(text)


BASE = """
class Base:
    def __init__(self, seed):
        np.random.seed(seed)
"""
ACT = "\n    def act(self):\n        return np.random.randn(2)\n"
PLAY = "\ndef main():\n    agent = Agent(4)\n    return agent.act(), agent.act()\n"


@pytest.mark.parametrize(
    "init",
    [
        "super().__init__(seed)\n        self.q = 1.0",
        "super().__init__(seed)\n        self.q = np.random.randn()",
        "self.q = np.random.randn()\n        super().__init__(seed)",
        "if seed > 9:\n            super().__init__(seed)\n        self.q = 1.0",
        "super().__init__(seed)\n        if seed > 1:\n            return\n        self.q = np.random.randn()",
    ],
)
def test_a_base_that_seeds(init):
    text = BASE + f"\nclass Agent(Base):\n    def __init__(self, seed):\n        {init}\n{ACT}" + PLAY
    names, kept = converted(text)
    assert not kept
    with jax.debug_key_reuse(True):
        one, other = names["main"]()
    assert (one != other).all()
    assert "if seed > 9" in init or "self.q = np.random.randn()\n        super" in init or same(names["main"])


def test_a_base_that_seeds_and_a_class_without_a_constructor():
    assert determined(BASE + f"\nclass Agent(Base):{ACT}" + PLAY)


@pytest.mark.parametrize(
    "class_",
    [
        "class C:\n    __slots__ = ('w',)\n\n    def __init__(self, seed):\n        np.random.seed(seed)\n        self.w = 1.0\n",
        "import collections\n\nclass C(collections.OrderedDict):\n"
        "    def __init__(self, seed):\n        super().__init__()\n        np.random.seed(seed)\n",
        "class C:\n    def __setattr__(self, name, value):\n        raise AttributeError(name)\n\n"
        "    def __init__(self, seed):\n        np.random.seed(seed)\n",
    ],
)
def test_objects_that_may_not_hold_a_key(class_):
    names, kept = converted(class_ + "\ndef main():\n    c = C(3)\n    return np.random.randn(2)\n")
    assert {"C.__init__", "main"} <= kept and same(names["main"])


@pytest.mark.parametrize(
    "call",
    [
        "cs = [C(i) for i in range(3)]",
        "cs = {'a': C(3)}",
        "x = C(3).x + 1.0",
        "make = C\n    c = make(3)",
        "try:\n        c = C(3)\n    except ValueError:\n        pass",
        "c = d = C(3)",
    ],
)
def test_constructors_whose_keys_cannot_be_taken(call):
    text = f"class C:\n    def __init__(self, seed):\n        np.random.seed(seed)\n        self.x = 1.0\n\ndef main():\n    {call}\n"
    names, kept = converted(text + "    return np.random.randn(2)\n")
    assert {"C.__init__", "main"} <= kept and same(names["main"])


DATA = """
def data(n: int, seed=0):
    np.random.seed(seed)
    x = np.random.randn(n)
    return x, 2 * x + np.random.randn(n)

def one(n: int, seed=1):
    np.random.seed(seed)
    return np.random.randn(n)

def noise(n: int):
    return np.random.randn(n)
"""


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("x, y = data(4)", "x, y, key = data(4)"),
        ("both = data(4)", "both = data(4)\n    both, key = both[:-1], both[-1]"),
        ("data(4)", "*_, key = data(4)"),
        ("x = one(4)", "x, key = one(4)"),
        ("one(4)", "_, key = one(4)"),
        ("a, b, c, d = one(4)", "(a, b, c, d), key = one(4)"),
    ],
)
def test_who_draws_next_takes_the_key(call, expected):
    text = DATA + f"\ndef main():\n    {call}\n    return noise(3)\n"
    assert expected in written(text)
    assert determined(text)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("x, y = data(4)\n    return x + y", "x, y, _ = data(4)"),
        ("both = data(4)\n    return both[0]", "both = data(4)[:-1]"),
        ("return data(4)", "return data(4)[:-1]"),
        ("return one(4) + one(4, 3)", "return one(4)[0] + one(4, 3)[0]"),
        ("return noise(4) + one(4)", ""),
        ("one(3)\n    return np.ones(3)", "    one(3)\n"),
    ],
)
def test_who_draws_no_more_leaves_the_key(call, expected):
    before = "\ndef other():\n    x, y = data(3)\n    z = one(3)\n    return noise(3) + x + y + z\n"
    text = DATA + before + f"\ndef use():\n    {call}\n"
    assert expected in written(text)
    names, _kept = converted(text)
    if "noise" not in call:
        with jax.debug_key_reuse(True):
            made, required = jax.tree.leaves(names["use"]()), jax.tree.leaves(names["use"]())
        assert all(np.array_equal(a, b) for a, b in zip(made, required, strict=True))
        original = run(HEAD + text)["use"]()
        shapes = [np.shape(a) for a in (original if isinstance(original, tuple) else [original])]
        assert [a.shape for a in made] == shapes


def test_a_function_after_which_nobody_draws_stays_as_it_was():
    assert (
        "return jax.random.normal(key, (n,))\n" in written(DATA + "\ndef main():\n    return one(3)\n").partition("def noise")[0]
    )


def test_a_call_inside_an_expression_leaves_the_function_as_it_was():
    names, kept = converted(DATA + "\ndef main():\n    x = one(4) + 1.0\n    return x + noise(4)\n")
    assert kept == {"main"} and same(names["main"])


def test_a_seed_that_may_be_none():
    text = """
    def set_seed(seed=None):
        if seed is not None:
            np.random.seed(seed)

    def draw(n: int):
        return np.random.normal(size=n)

    def main():
        set_seed(3)
        a = draw(4)
        set_seed()
        return a, draw(4)
    """
    made = written(text)
    assert "def set_seed(seed=None, *, key=None):" in made and "    key = set_seed(3, key=key)\n" in made
    assert determined(text)
    with jax.debug_key_reuse(True):
        a, b = converted(text)[0]["main"]()
    assert (a != b).all()


def test_a_method_that_may_seed():
    text = """
    class Env:
        def reset(self, seed=None):
            if seed is not None:
                np.random.seed(seed)
            self.pos = np.random.rand(2)
            return self.pos

        def step(self, a):
            self.pos = self.pos + a + 0.1 * np.random.randn(2)
            return self.pos

    def main():
        env = Env()
        x = env.reset(seed=5)
        for _ in range(3):
            x = env.step(-0.1 * x)
        y = env.reset()
        return x, y
    """
    assert "x, key = env.reset(seed=5, key=key)" in written(text)
    assert determined(text)


def test_a_function_with_several_ends():
    text = """
    def start(n: int, seed):
        if seed == 0:
            return np.zeros(n)
        np.random.seed(seed)
        if seed > 5:
            return np.ones(n)
        return np.random.randn(n)

    def main():
        a = start(3, 2)
        b = np.random.randn(3)
        c = start(3, 7)
        d = np.random.randn(3)
        e = start(3, 0)
        return a, b, c, d, e, np.random.randn(3)
    """
    assert determined(text)
    with jax.debug_key_reuse(True):
        found = converted(text)[0]["main"]()
    assert len({tuple(np.asarray(v).tolist()) for v in found}) == 6


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(3):\n        x = x + one(3, i)",
        "for i in range(3):\n        y = one(3, i)\n        x = x + y + noise(3)",
        "for i in range(3):\n        x = x + noise(3)\n        y = one(3, i)",
        "while x.sum() < 3:\n        y = one(3, 1)\n        x = x + y**2 + noise(3) ** 2",
        "for i in range(3):\n        if i == 1:\n            y = one(3, 1)\n        x = x + noise(3)",
    ],
)
def test_seeds_in_loops(loop):
    text = DATA + f"\ndef main():\n    x = np.zeros(3)\n    {loop}\n    return x + noise(3)\n"
    names, kept = converted(text)
    assert not kept & {"one", "noise"}
    with jax.debug_key_reuse(True):
        names["main"]()
    assert "if i == 1" in loop or "x = x + one" in loop or loop.endswith("i)") or same(names["main"])


@pytest.mark.parametrize("after", ["", "\n        x = x + 0.0 * np.random.randn()"])
def test_a_seed_in_a_loop_reaches_what_follows_the_loop(after):
    text = f"""
    def main():
        x = np.zeros(3)
        for i in range(3):
            np.random.seed(i)
            x[i] = 2.0 * i{after.replace("        x", "            x")}
        return x + np.random.randn(3)
    """
    names, kept = converted(text.replace("def main", "def f"))
    assert not kept
    with jax.debug_key_reuse(True):
        one, other = (np.asarray(names["f"](key=jax.random.key(k))) for k in (1, 2))
    assert (one == other).all()


def test_main_that_nobody_seeds_draws_anew_each_time():
    text = "def draw(n: int):\n    return np.random.normal(size=n)\n\ndef main():\n    return draw(3)\n"
    names, kept = converted(text)
    assert not kept and not same(names["main"])


def test_a_function_that_is_used_as_a_value_gives_no_key():
    text = DATA + "\ndef main():\n    made = list(map(one, [3, 4]))\n    return made, noise(3)\n"
    _names, kept = converted(text)
    assert "main" in kept


def test_tests_keep_what_they_get():
    text = DATA + "\ndef test_one():\n    x = one(3)\n    assert x.shape == (3,)\n    assert noise(2).shape == (2,)\n"
    made, _functions, _diagnostics = convert(HEAD + text)
    assert "return jax.random.normal(key, (n,)), key" not in made


@pytest.mark.parametrize("way", ["break", "continue"])
def test_what_leaves_an_iteration_before_a_seed_takes_no_key_twice(way):
    text = f"""
    def f(n: int):
        x = []
        for i in range(n):
            a = np.random.randn()
            x.append(a)
            if i < 5:
                {way}
            np.random.seed(i)
        x.append(np.random.randn())
        return x
    """
    names, kept = converted(text)
    assert not kept
    with jax.debug_key_reuse(True):
        found = [float(v) for v in names["f"](4, key=jax.random.key(0))]
    assert len(set(found)) == len(found) == (2 if way == "break" else 5)


def test_what_raises_before_a_seed_takes_no_key_twice():
    text = """
    def f(n: int):
        try:
            a = np.random.randn()
            if n > 0:
                raise KeyError(n)
            np.random.seed(n)
        except KeyError:
            return a, np.random.randn()
        return a, np.random.randn()
    """
    names, kept = converted(text)
    assert not kept
    for n in (0, 1):
        with jax.debug_key_reuse(True):
            a, b = names["f"](n, key=jax.random.key(0))
        assert a != b


def test_a_constructor_whose_base_cannot_give_its_key():
    text = (
        DATA
        + """
class Net:
    def __init__(self, seed):
        self.w = [one(3, seed)]

def main():
    net = Net(3)
    return net.w[0], noise(3)
"""
    )
    names, kept = converted(text)
    assert kept == {"main"} and same(names["main"])


def test_what_is_kept_leaves_the_key():
    text = (
        DATA
        + """
def odd():
    x = one(3)
    y, z = data(3)
    return x, y, z, noise(3), np.random.randint(2, dtype=bool)

def main():
    x = one(3)
    y, z = data(2)
    return x, y, z, noise(3)
"""
    )
    names, kept = converted(text)
    assert kept == {"odd"} and same(names["main"]) and same(names["odd"])
    assert [np.shape(v) for v in names["odd"]()] == [(3,), (3,), (3,), (3,), ()]
