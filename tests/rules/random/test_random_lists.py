"""Generators that lists and dicts hold: each draw splits the key of an element, and puts one half back."""

import textwrap

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, convert_project, refused, run
from np2jax.tests.helpers.random_conversions import HEAD, written
from np2jax.tests.programs.generators.generator_list_programs import program


def draws(text, call, count):
    """All numbers that a call draws, with the check of JAX that no key is used twice: as many different ones, the same again."""
    made = convert(HEAD + textwrap.dedent(text))[0]
    found = []
    for _time in range(2):
        with jax.debug_key_reuse(True):
            found.append([float(v) for v in eval(call, {"np": np, "jax": jax, **run(made)})])
    assert found[0] == found[1] and len(found[0]) == len(set(found[0])) == count, found
    return found[0]


def test_an_element_is_split_and_one_half_put_back():
    text = """
    def f(seeds, turns):
        rngs = [np.random.default_rng(s) for s in seeds]
        found = []
        for t in range(turns):
            for i in range(len(rngs)):
                found.append(rngs[i].normal())
        return found
    """
    made = written(text)
    assert "rngs[i], normal_key = jax.random.split(rngs[i])" in made and "jit" not in made
    draws(text, "f((1, 2, 3), 4)", 12)


def test_elements_that_are_one():
    text = """
    def f(n):
        rngs = np.random.default_rng(0).spawn(n)
        found = []
        for i in range(3):
            j = -n if i == 0 else 0
            a, b = rngs[i % n].normal(), rngs[j].normal()
            c = rngs[0].normal() + 0 * rngs[-n].normal()
            found += [a, b, c]
            i = 0
            found.append(rngs[i].normal())
        return found
    """
    assert "rngs = list(jax.random.split(jax.random.key(0), n))" in written(text)
    draws(text, "f(3)", 12)
    draws(text, "f(1)", 12)


def test_dicts_of_generators():
    text = """
    def noise(rng):
        return rng.normal()

    def f(names, seed):
        rngs = {"init": np.random.default_rng(seed), 'noise': np.random.default_rng(seed + 1)}
        root = np.random.default_rng(seed + 2)
        own = {name: rng for name, rng in zip(names, root.spawn(len(names)))}
        more = {name: np.random.default_rng(i + 9) for i, name in enumerate(names)}
        found = [rngs["init"].normal(), rngs["noise"].normal(), rngs["init"].uniform(), root.normal()]
        for name in sorted(own):
            if name in more and "other" not in own:
                g = more[name]
                found += [own[name].normal(), noise(own[name]), g.normal(), g.uniform(), more[name].normal()]
        for name, rng in own.items():
            found.append(rng.normal() * rng.uniform() + len(name))
        for name in more:
            found.append(more[name].exponential())
        return found
    """
    made = written(text)
    assert "noise(noise_key)" in made and "own[name], rng = jax.random.split(own[name])" in made
    draws(text, "f(['a', 'b'], 1)", 18)
    draws(text, "f([], 1)", 4)


def test_lists_of_an_object():
    text = """
    class Pool:
        def __init__(self, seed, n):
            self.rngs = np.random.default_rng(seed).spawn(n)
            self.own = {"a": np.random.default_rng(seed + 1)}
            self.k = 0

        def draw(self, k):
            return self.rngs[k].normal()

        def following(self):
            self.k += 1
            return self.rngs[self.k % len(self.rngs)].uniform()

        def every(self):
            found = []
            for rng in self.rngs:
                found.append(rng.normal() + rng.uniform())
            for i, (x, rng) in enumerate(zip((1, 2), self.rngs)):
                found.append(rng.normal() * x + i)
            return found

    class Named(Pool):
        def named(self, name):
            return self.own[name].gamma(2.0)

    def main(n):
        pool = Named(0, n)
        other = pool.rngs[0].normal()
        return [other, pool.draw(0), pool.draw(0), pool.following(), pool.named("a"), pool.named("a"), *pool.every(), *pool.every()]
    """
    made = written(text)
    assert "self.rngs[self.k % len(self.rngs)]" not in made or "split(self.rngs[self.k % len(self.rngs)])" in made
    draws(text, "main(3)", 16)


def test_loops_that_go_through_lists_again():
    text = """
    def f(n, turns):
        rngs = np.random.default_rng(0).spawn(n)
        found = []
        for _ in range(turns):
            for rng in rngs:
                found.append(rng.normal())
            for k, rng in enumerate(rngs):
                found.append(rng.normal() + k)
        return found
    """
    assert "for i, rng in enumerate(rngs):\n            rngs[i], rng = jax.random.split(rngs[i])" in written(text)
    draws(text, "f(2, 3)", 12)
    draws(text, "f(0, 3)", 0)


def test_nested_functions_and_conditions():
    text = """
    def f(n):
        rngs = [np.random.default_rng(s) for s in range(n)]

        def step(k):
            return rngs[k].normal() - rngs[k].normal()

        found = [0.5]
        for t in range(4):
            if rngs[t % n].random() < 2.0:
                found.append(step(t % n))
        while rngs[0].random() < 0.9 and len(found) < 9:
            found.append(rngs[0].normal())
        return found[:5]
    """
    assert "if not (jax.random.uniform(" in written(text)
    draws(text, "f(2)", 5)


def test_lists_are_lent_to_functions():
    text = """
    def draw(rngs, k):
        return rngs[k].normal()

    def twice(rngs, k):
        return [draw(rngs, k), draw(rngs, k)]

    def f(seed, n):
        rngs = np.random.default_rng(seed).spawn(n)
        return [*twice(rngs, 0), *twice(rngs, 0), draw(rngs, 1), rngs[0].normal()]
    """
    assert "rngs[k], normal_key = jax.random.split(rngs[k])" in written(text)
    draws(text, "f(0, 2)", 6)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("    return [rngs[i % 2].normal() for i in range(4)]\n", "at times, or several times"),
        ("    return [r.normal() for r in rngs] + [rngs[0].normal()]\n", "does more with the generators"),
        ("    return n > 3 and rngs[n].normal() > 0\n", "at times, or several times"),
        ("    return rngs[n].normal() if n < 2 else 0\n", "at times, or several times"),
        ("    f = lambda k: rngs[k].normal()\n    return f(0) + f(0)\n", "at times, or several times"),
        ("    return rngs[(n := n - 1)].normal()\n", "NJ301"),
        ("    return n + (n := 0) + rngs[n].normal()\n", "binds a name"),
        ("    if n < 0:\n        return 0\n    elif rngs[n].random() < 1:\n        return 1\n    return 2\n", "elif"),
        ("    with g as n, g(rngs[n].normal()):\n        return n\n", "in a `with`"),
        ("    match g:\n        case n if rngs[n].random() < 1:\n            return n\n", "in a pattern's condition"),
        ("    return rngs[int(input())].normal()\n", "index"),
        ("    return rngs[1:][0].normal()\n", "NJ301"),
        ("    other = rngs\n    return other[0].normal()\n", "does more with the generators"),
        ("    rngs.append(np.random.default_rng(9))\n    return rngs[0].normal()\n", "NJ301"),
        ("    rngs[0] = np.random.default_rng(9)\n    return rngs[0].normal()\n", "NJ301"),
        ("    return rngs.pop().normal()\n", "NJ301"),
        ("    return rngs\n", "NJ301"),
        ("    g(rngs)\n    return rngs[0].normal()\n", "NJ301"),
        ("    rngs += rngs\n    return rngs[0].normal()\n", "NJ301"),
        ("    n = 0.0\n    for r in rngs[:2]:\n        n += r.normal()\n    return n\n", "NJ301"),
        ("    n = 0.0\n    for r in reversed(rngs):\n        n += r.normal()\n    return n + rngs[0].normal()\n", "NJ301"),
        ("    n = 0.0\n    for i, r in enumerate(rngs, 1):\n        n += r.normal()\n    return n + rngs[0].normal()\n", "NJ301"),
        ("    n = 0.0\n    for i, r in enumerate(rngs): n += r.normal()\n    return n + rngs[0].normal()\n", "on the same line"),
        ("    del rngs[0]\n    return rngs[0].normal()\n", "NJ301"),
    ],
)
def test_what_a_list_of_keys_cannot_do_is_kept(text, why):
    assert why in refused(HEAD + "def f(n, g=None):\n    rngs = np.random.default_rng(0).spawn(3)\n" + text)


@pytest.mark.parametrize(
    "text",
    [
        "def f(seed):\n    rng = np.random.default_rng(seed)\n    rngs = [rng] * 3\n    return rngs[0].normal() + rngs[1].normal()\n",
        "def f(seed):\n    rng = np.random.default_rng(seed)\n    rngs = [rng, rng]\n    return rngs[0].normal() + rngs[1].normal()\n",
        "def f(seed):\n    rng = np.random.default_rng(seed)\n    rngs = [rng for _ in range(3)]\n    return rngs[0].normal() + rngs[1].normal()\n",
        "def f(seed):\n    rngs = (np.random.default_rng(seed), np.random.default_rng(seed + 1))\n    return rngs[0].normal()\n",
        "def f(seed):\n    rngs = [np.random.default_rng(seed), None]\n    return rngs[0].normal()\n",
        "def f(seed):\n    rngs = {i: np.random.default_rng(i) for i in range(3)}\n    return rngs[np.argmax(seed)].normal()\n",
        "def g(rngs, k):\n    return rngs[k].normal()\n\n\ndef f(k, other):\n    return g(other, k) + g([np.random.default_rng(0)], k)\n",
        "RNGS = [np.random.default_rng(1)]\n\n\ndef f(k):\n    return RNGS[k].normal()\n",
    ],
)
def test_other_lists_of_generators_are_kept(text):
    assert "NJ301" in refused(HEAD + text)


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ("def g(pool):\n    return pool.rngs[0].normal()\n", "NJ301"),
        ("def g(pool):\n    pool.rngs = [np.random.default_rng(1)]\n", "NJ301"),
        ("def g(pool):\n    return pool.rngs\n\n\ng(Pool())\n", "NJ301"),
        ("class Two(Pool):\n    def h(self):\n        return self.rngs.pop()\n", "NJ209"),  # kept, it changes the attribute
        ("class Two(Pool):\n    def h(self):\n        self.rngs = 3\n", "NJ301"),
    ],
)
def test_all_who_use_the_list_of_an_object_are_kept_together(other, code):
    text = HEAD + (
        "class Pool:\n    def __init__(self):\n        self.rngs = [np.random.default_rng(0)]\n\n"
        f"    def draw(self):\n        return self.rngs[0].normal()\n\n\n{other}"
    )
    assert code in refused(text, "Pool.__init__") and "NJ301" in refused(text, "Pool.draw")
    assert np.isfinite(run(convert(text)[0])["Pool"]().draw())


def test_a_list_that_is_lent_to_a_kept_function_is_kept():
    text = HEAD + textwrap.dedent("""
    def draw(rngs, k):
        return rngs[k].normal(**{})

    def f():
        rngs = [np.random.default_rng(0)]
        return draw(rngs, 0) + rngs[0].normal()
    """)
    assert "NJ301" in refused(text, "draw") and "passes generators to `draw`" in refused(text)
    assert np.isfinite(run(convert(text)[0])["f"]())


def test_lists_across_modules():
    texts, functions, _ = convert_project(
        {
            "pool.py": HEAD + "class Pool:\n    def __init__(self, n):\n        self.rngs = np.random.default_rng(0).spawn(n)\n",
            "use.py": "from pool import Pool\n\n\ndef draw(k):\n    pool = Pool(3)\n    return pool.rngs[k].normal(), pool.rngs[k].uniform()\n",
        }
    )
    assert not [f for f in functions.values() if f.label == "kept"]
    assert "pool.rngs[k], normal_key, uniform_key = jax.random.split(pool.rngs[k], 3)" in texts["use.py"]


def agrees(seed, n):
    """A random program draws as many numbers as NumPy does, no two alike, and the same again."""
    text = program(seed)
    try:
        want = run(text)["f"](n)
    except (NameError, UnboundLocalError):
        return
    if len(set(want)) < len(want):
        return  # two generators of one seed spawned
    made, functions, _ = convert(text)
    if functions["f"].label == "kept":
        return
    for _time in range(2):
        with jax.debug_key_reuse(True):
            found = [float(v) for v in run(made)["f"](n)]
        assert len(found) == len(set(found)) == len(want), made


@pytest.mark.parametrize("seed", range(4))
def test_random_programs(seed):
    agrees(seed, 3 if seed % 3 else 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1012))
def test_more_random_programs(seed):
    agrees(seed, 3 if seed % 3 else 1)
