"""Functions that draw, called as their callers outside of the project always called them: no key, NumPy's seeds and generators."""

import textwrap

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, convert_project, run
from np2jax.tests.helpers.random_conversions import HEAD
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)
X = np.arange(6.0).reshape(2, 3)


def converted(text):
    made, functions, _diagnostics = convert(HEAD + textwrap.dedent(text))
    kept = {name: f.reason for name, f in functions.items() if f.label == "kept"}
    assert not kept
    assert convert(made)[0] == made, "converting twice changes something"
    return run(made), functions


def equal(one, other):
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


def seeded(call, seed=0):
    np.random.seed(seed)
    return call()


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "text, call",
    [
        ("def f(x, scale=1.0):\n    return x + np.random.normal(0.0, scale, x.shape)\n", "f(X, 2.0)"),
        ("def f(x, scale=1.0):\n    return x + np.random.normal(0.0, scale, x.shape)\n", "f(x=X, scale=2.0)"),
        ("def f(x):\n    print(x.shape)\n    return x + np.random.normal(size=x.shape)\n", "f(X)"),
        ("def f(n: int):\n    for _ in range(n):\n        yield np.random.normal()\n", "list(f(3))"),
        ("def g(x):\n    return x * np.random.rand()\n\ndef f(x):\n    return g(x) + g(x)\n", "f(X)"),
        ("class C:\n    def __init__(self, n: int):\n        self.w = np.random.rand(n)\n", "C(3).w"),
        ("class C:\n    def fit(self, x):\n        return x + np.random.normal(size=x.shape)\n", "C().fit(X)"),
        ("def main():\n    return np.random.normal(size=3)\n", "main()"),
        ("def f(rng=None):\n    rng = rng or np.random\n    return rng.normal()\n", "f()"),
    ],
)
def test_a_call_without_a_key_is_determined_by_numpys_state(text, call):
    names = converted(text)[0]

    def made():
        return eval(call, {"X": X, **names})

    assert equal(seeded(made), seeded(made)) and not equal(seeded(made), seeded(made, 1)) and not equal(made(), made())
    original = eval(call, {"X": X, **run(HEAD + text)})
    assert [np.shape(a) for a in jax.tree.leaves(made())] == [np.shape(a) for a in jax.tree.leaves(original)]


GENERATORS = (np.random.default_rng, np.random.RandomState)


@pytest.mark.parametrize("maker", GENERATORS)
def test_generators_of_numpy_are_accepted_and_advance(maker):
    names, functions = converted("def f(x, rng):\n    return x + rng.normal(size=x.shape)\n")
    f, generator = names["f"], maker(0)
    assert functions["f"].transform == "jit"
    first = f(X, generator)
    assert not equal(first, f(X, generator)) and equal(first, f(X, rng=maker(0))) and first.shape == X.shape
    assert equal(f(X, jax.random.key(0)), f(X, jax.random.key(0)))
    assert not equal(f(X, np.random), f(X, np.random))


@pytest.mark.parametrize("seed", ["random_state", "seed"])
@pytest.mark.parametrize("maker", ["default_rng", "RandomState"])
def test_seeds_keep_their_meaning(seed, maker):
    names, _functions = converted(f"def f({seed}=None):\n    r = np.random.{maker}({seed})\n    return r.normal(size=3)\n")
    f = names["f"]
    assert equal(f(3), f(3)) and equal(f(np.int64(3)), f(3)) and not equal(f(3), f(4)) and not equal(f(), f())
    assert equal(f([1, 2]), f([1, 2])) and not equal(seeded(f), seeded(f)), "the seed of the operating system"
    with pytest.raises(ValueError):
        f(-1)
    if maker == "default_rng":
        generator = np.random.default_rng(0)
        assert not equal(f(generator), f(generator)) and equal(f(np.random.SeedSequence(5)), f(np.random.SeedSequence(5)))


def test_an_object_keeps_its_generator():
    text = """
    class Model:
        def __init__(self, n: int, random_state=None):
            self.rng = np.random.RandomState(random_state)
            self.w = self.rng.normal(size=n)

        def fit(self, x):
            return x + self.rng.normal(size=x.shape)
    """
    model = converted(text)[0]["Model"]
    one, other = model(3, 1), model(3, random_state=1)
    assert equal(one.w, other.w) and equal(one.fit(X), other.fit(X)) and not equal(one.fit(X), one.fit(X))
    assert not equal(model(3).w, model(3).w)


def test_a_generator_of_the_module_goes_on():
    text = """
    rng = np.random.default_rng(42)

    def f(n: int):
        return rng.normal(size=n)

    if __name__ == "__main__":
        print(f(3))
    """
    one, other = converted(text)[0]["f"], converted(text)[0]["f"]
    first = one(3)
    assert not equal(first, one(3)) and equal(first, other(3)), "the seed of the module determines what is drawn"


def test_a_seed_for_callers_outside_stays():
    text = """
    def set_seed(seed):
        np.random.seed(seed)

    def f(n: int):
        return np.random.normal(size=n)
    """
    names = converted(text)[0]

    def made():
        names["set_seed"](3)
        return names["f"](2), np.random.normal()

    assert equal(made(), made())


def test_a_private_function_requires_its_key():
    text = "def _draw(n: int):\n    return np.random.normal(size=n)\n\ndef f(n: int):\n    return _draw(n) + _draw(n)\n"
    made = convert(HEAD + text)[0]
    assert "def _draw(n: int, *, key):" in made and "def f(n: int, *, key=None):" in made


def test_a_private_function_that_is_imported_under_another_name():
    texts, _functions, _ = convert_project(
        {
            "pkg/__init__.py": "from ._impl import _draw as draw\n",
            "pkg/_impl.py": HEAD + "def _draw(n: int):\n    return np.random.normal(size=n)\n",
        }
    )
    assert "def _draw(n: int, *, key=None):" in texts["pkg/_impl.py"]


def test_functions_of_two_files_pass_their_keys():
    texts, functions, _ = convert_project(
        {
            "a.py": HEAD + "def draw(n: int):\n    return np.random.normal(size=n)\n",
            "b.py": HEAD + "from a import draw\n\n\ndef twice(n: int):\n    return draw(n) + draw(n)\n",
        }
    )
    assert "return draw(n, key=draw_key) + draw(n, key=draw_key_2)" in texts["b.py"]
    assert {f.transform for f in functions.values()} == {"jit"}
