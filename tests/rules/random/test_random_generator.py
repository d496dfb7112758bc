"""Generators and seeds as arguments, results and attributes: what becomes a key, what may be a number or None, what is kept."""

import textwrap

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, convert_project, refused, run
from np2jax.tests.helpers.random_conversions import HEAD, outcome, same, written
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)


def test_entropy_is_not_compiled_in():
    text = "def f(n: int, rng=None):\n    rng = np.random.default_rng(rng)\n    return rng.normal(size=n)\n"
    assert "jit" not in written(text)
    assert outcome(text, "(f(3) != f(3)).all()")


def test_entropy_is_not_compiled_in_where_all_who_call_give_a_number():
    text = """
    def f(n: int, seed=None):
        s = seed
        return np.random.default_rng(s).normal(size=n)

    def g(n: int, seed=None):
        if seed is None:
            seed = 3
        return np.random.default_rng(seed).normal(size=n)

    def main():
        return f(3, 1), f(3, seed=2), g(3, 1)
    """
    assert written(text).count("jit") == 1
    assert outcome(text, "(f(3) != f(3)).all() and (g(3) == g(3)).all()")


def test_sizes_that_were_drawn():
    text = """
    def points(lam, rng):
        n = rng.poisson(lam) + 1
        return rng.uniform(size=n)

    def total(lam, turns: int, rng):
        result = 0.0
        for _ in range(turns):
            k = rng.integers(1, 5)
            result += rng.normal(size=(k, 2)).sum() + rng.choice(k) + len(rng.permutation(k))
        return result + points(lam, rng).sum()

    def nested(n: int, rng):
        def draw(m, scale=1.0):
            return scale * rng.standard_normal((m, 2)).sum()

        half = lambda size: rng.normal(0.0, 0.5, size)
        kept = [rng.normal(size=k).sum() for k in rng.integers(1, 4, size=n)]
        return draw(n) + draw(rng.integers(3), scale=2.0) + half(n).sum() + sum(kept)
    """
    made = written(text)
    assert "jit" not in made and "lax" not in made and "vmap" not in made
    assert outcome(text, "points(3.0, jax.random.key(0)).ndim") == 1
    assert outcome(text, "total(2.0, 5, jax.random.key(0)) == total(2.0, 5, jax.random.key(0))")
    assert outcome(text, "nested(3, jax.random.key(0)) != nested(3, jax.random.key(1))")


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", ["update", "get", "append", "split", "move"])
def test_methods_that_are_called_what_those_of_dicts_are_need_their_keys(name):
    text = HEAD + textwrap.dedent("""
    class Particle:
        def __init__(self, n: int):
            self.x = np.random.rand(n)

        def NAME(self, best):
            self.x = self.x + best * np.random.rand(2)

    def main():
        swarm = [Particle(2) for _ in range(3)]
        for p in swarm:
            p.NAME(1.0)
        return [p.x.sum() for p in swarm]
    """).replace("NAME", name)
    assert "objects of unknown class" in refused(text, f"Particle.{name}")
    assert len(run(convert(text)[0])["main"]()) == 3


def test_functions_that_yield():
    text = """
    def batches(x, size):
        order = np.random.permutation(len(x))
        for start in range(0, len(x), size):
            yield x[order[start : start + size]] + np.random.normal()

    def pairs(x, rng):
        while True:
            i = rng.integers(len(x))
            yield x[i] + rng.normal()

    class Data:
        def __init__(self, n: int):
            self.x = np.random.rand(n)
            self.rng = np.random.default_rng(n)

        def shuffled(self):
            for i in np.random.permutation(len(self.x)):
                yield self.x[i] + self.rng.normal()

    def epochs(x, rng):
        found = []
        for _ in range(2):
            found += [b.sum() for b in batches(x, 2)]
        for _, p in zip(range(3), pairs(x, rng)):
            found.append(p + rng.normal())
        one, other = batches(x, 3), batches(x, 3)
        found += [next(one).sum(), next(other).sum(), next(one).sum()]
        data = Data(4)
        return found + list(data.shuffled()) + list(data.shuffled())

    def main():
        np.random.seed(0)
        return epochs(np.arange(6.0), np.random.default_rng(1))
    """
    assert "in batches(x, 2, key=" in written(text)
    first, again = ([float(v) for v in outcome(text, "main()")] for _ in range(2))
    assert first == again and len(first) == len({*first}) == 20


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    yield np.random.normal()\n\n\ndef g():\n    it = f()\n    np.random.seed(3)\n    return next(it)\n",
        "def f():\n    yield np.random.normal()\n\n\ndef g(h):\n    return h(f)\n",
        "async def f():\n    return np.random.normal()\n",
    ],
)
def test_what_yields_and_is_seeded_elsewhere_is_kept(text):
    assert "NJ301" in refused(HEAD + text)


def test_a_generator_for_one_draw_is_a_key():
    text = "def f(n: int, seed):\n    return np.random.default_rng(seed).normal(size=n)\n"
    assert "return jax.random.normal(jax.random.key(seed), (n,))" in written(text)


def test_a_generator_that_may_be_none_is_not_split():
    text = """
    def draw(n: int, rng: np.random.Generator = None):
        if rng is None:
            rng = np.random.default_rng()
        return rng.normal(size=n)

    def both(n: int, rng: np.random.Generator = None):
        return draw(n, rng) + draw(n, rng)
    """
    assert "may be None" in refused(HEAD + textwrap.dedent(text), "both")
    assert outcome(text, "both(3).shape == both(3, np.random.default_rng(1)).shape == (3,)")


def test_a_generator_is_made_for_a_kept_function():
    text = """
    def odd(rng, **options):
        return rng.normal(**options)

    def f(n: int, seed):
        return odd(rng=np.random.default_rng(seed), size=n)
    """
    assert outcome(text, "f(3, 1).shape") == (3,)


@pytest.mark.parametrize(
    ("text", "function", "why"),
    [
        ("def f(seed):\n    return [np.random.default_rng(seed + i) for i in range(3)]\n", "f", "creates several generators"),
        ("def f(seed, g):\n    return g(np.random.default_rng(seed))\n", "f", "creates a generator in"),
        (
            "def f(seed, other):\n    r = np.random.default_rng(seed) if seed else other\n    return r.normal()\n",
            "f",
            "creates a gen",
        ),
        (
            "def f(seed, other):\n    if seed:\n        r = np.random.default_rng(seed)\n    else:\n        r = other\n"
            "    return r.normal()\n",
            "f",
            "cannot tell whether `r.normal` draws",
        ),
        ("def f(seed):\n    if seed:\n        return np.random.default_rng(seed)\n    return seed\n", "f", "a key cannot be"),
        ("def f(seed):\n    if seed:\n        return np.random.default_rng(seed)\n", "f", "on some paths only"),
        (
            "def f(seed):\n    return np.random.default_rng(seed), 3\n\n\n"
            "def g():\n    r, n = f(1)\n    return r.normal(size=n)\n",
            "g",
            "takes a generator from `f`, which stays NumPy",
        ),
        (
            "class C:\n    def __init__(self, seed):\n        self.rng = np.random.default_rng(seed)\n\n"
            "    def take(self, rng_like):\n        self.rng = rng_like\n",
            "C.__init__",
            "bound to something else, too",
        ),
    ],
)
def test_a_generator_that_may_be_something_else_is_kept(text, function, why):
    assert why in refused(HEAD + text, function)


# --- a number or None in the place of a generator ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "    rng = np.random.default_rng(rng)\n",
        "    if not isinstance(rng, np.random.Generator):\n        rng = np.random.default_rng(rng)\n",
        "    if isinstance(rng, np.random.Generator):\n        pass\n    else:\n        rng = np.random.default_rng(rng)\n",
        "    rng = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)\n",
        "    if rng is None:\n        rng = np.random.default_rng()\n"
        "    elif isinstance(rng, (int, np.integer)):\n        rng = np.random.default_rng(rng)\n",
        "    if rng is None or isinstance(rng, int):\n        rng = np.random.RandomState(rng)\n",
        "    rng = check_random_state(rng)\n",
    ],
)
def test_a_number_or_none_or_a_key(text):
    text = (
        HEAD
        + "from sklearn.utils import check_random_state\n\n\n"
        + f"def f(n: int, rng=None):\n{text}    return rng.normal(size=n)\n"
    )
    made, functions, _ = convert(text)
    assert functions["f"].label != "kept", functions["f"].reason
    assert convert(made)[0] == made
    checks = "from sklearn.utils import check_random_state\n"
    f = run(
        made.replace(
            checks,
            "" if "check_random_state(" not in text else "import numpy as np\ncheck_random_state = np.random.RandomState\n",
        )
    )["f"]
    for seed in (0, jax.random.key(1)):
        assert (f(3, seed) == f(3, seed)).all() and not (f(3, seed) == f(3)).any()
    assert not (f(3, 0) == f(3, jax.random.key(1))).any()


def test_a_helper_that_checks_random_state():
    text = """
    def check_random_state(seed):
        if seed is None or seed is np.random:
            return np.random.mtrand._rand
        if isinstance(seed, (int, np.integer)):
            return np.random.RandomState(seed)
        if isinstance(seed, np.random.RandomState):
            return seed
        raise ValueError("no seed")

    def f(n: int, random_state=None):
        random_state = check_random_state(random_state)
        return random_state.normal(size=n) + random_state.rand(n)

    def g(n: int, random_state=None):
        return 2 * f(n, random_state)

    def main():
        return g(3, 0), g(3), g(3, np.random.RandomState(3))
    """
    made = written(text)
    assert "isinstance(seed, jax.Array)" in made and "g(3, jax.random.key(3))" in made
    assert outcome(text, "(main()[0] == main()[0]).all() and (main()[1] != main()[1]).all()")


def test_numpys_own_state_as_a_generator_draws_the_seed_of_a_key():
    text = HEAD + "def f(rng=None):\n    rng = rng or np.random\n    return rng.normal()\n"
    key = 'jax.random.key(np.random.randint(2**63 - 1, dtype="int64"))'
    assert f"rng if rng is not None else {key}" in convert(text)[0]
    made = convert(text + "\n\ndef g():\n    np.random.seed(0)\n    return f()\n")[0]
    assert "    np.random.seed(0)\n" in made and same(run(made)["g"])


def test_a_seed_that_is_an_attribute():
    text = """
    class Model:
        def __init__(self, size, random_state=None, seed=0):
            self.size, self.random_state = size, random_state
            self.seed = seed

        def fit(self):
            return np.random.default_rng(self.random_state).normal(size=self.size)

        def again(self):
            return np.random.default_rng(self.seed).normal(size=self.size)
    """
    made = written(text)
    assert "jax.random.key(np.random.default_rng(self.random_state).integers(2**63 - 1))" in made
    assert "jax.random.key(self.seed)" in made
    assert outcome(text, "(Model(3, 1).fit() == Model(3, 1).fit()).all() and Model(3).fit().shape == (3,)")


def test_a_generator_that_is_an_attribute_and_may_be_none():
    text = """
    class Model:
        def __init__(self, random_state=None):
            self.random_state = random_state

        def fit(self):
            return np.random.default_rng(self.random_state).normal(size=3)

    def main():
        return Model(np.random.default_rng(0)).fit(), Model().fit(), Model(3).fit()
    """
    assert len(outcome(text, "main()")) == 3


def test_a_parameter_that_is_handed_on_twice_is_no_key():
    text = """
    def f(n: int, rng=None):
        rng = np.random.default_rng(rng)
        return rng.normal(size=n)

    def g(n: int, rng=None):
        return f(n, rng) + f(n, rng)

    def main():
        return g(3, np.random.default_rng(0)), g(3, 0)
    """
    assert "`g` gives `rng` something" in refused(HEAD + textwrap.dedent(text), "f")
    assert np.allclose(outcome(text, "main()[0]"), run(HEAD + textwrap.dedent(text))["main"]()[0])


def test_tests_may_give_numbers():
    _texts, functions, _ = convert_project(
        {
            "noise.py": HEAD
            + "def noise(n: int, rng=None):\n    rng = np.random.default_rng(rng)\n    return rng.normal(size=n)\n",
            "test_noise.py": "from noise import noise\n\n\ndef test_noise():\n    assert (noise(3, 0) == noise(3, rng=0)).all()\n",
        }
    )
    assert functions["noise.noise"].label != "kept", functions["noise.noise"].reason


def test_a_kept_function_gives_a_key():
    text = """
    def f(n: int, rng=None):
        rng = np.random.default_rng(rng)
        return rng.normal(size=n)

    def odd(seeds):
        return f(3, np.random.default_rng(3)) + f(3, np.random.default_rng(seeds)) + np.random.randint(2, dtype=bool)
    """
    made = convert(HEAD + textwrap.dedent(text))[0]
    assert "f(3, np.random.default_rng(3)) + f(3, np.random.default_rng(seeds))" in made
    assert outcome(text, "odd([1, 2])").shape == (3,)


# --- several generators of one -------------------------------------------------------------------------------------------


def test_generators_that_are_spawned_are_keys():
    text = """
    def g(x, rng: np.random.Generator):
        return x + rng.normal() * rng.uniform()

    def f(seed: int, n: int):
        rng = np.random.default_rng(seed)
        found = []
        for i, child in enumerate(rng.spawn(n)):
            a = child.normal()
            found.append(a + child.uniform() + i)
        children = rng.spawn(2)
        found += [c.normal() for c in children]
        found += [g(x, np.random.default_rng(s)) for x, s in zip([1, 2], np.random.SeedSequence(seed + 1).spawn(2))]
        a, b = np.random.SeedSequence(seed + 2).spawn(2)
        return [*found, np.random.default_rng(a).normal(), np.random.default_rng(b).normal(), rng.normal()]
    """
    made = written(text)
    assert (
        "for i, child in enumerate(jax.random.split(jax.random.fold_in(spawn_key, 2**31), n)):" in made and "spawn(" not in made
    )
    assert "a, b = jax.random.split(jax.random.fold_in(jax.random.key(seed + 2), 2**31), 2)" in made
    values = outcome(text, "f(1, 3)")
    assert len({float(v) for v in values}) == 10 and [float(v) for v in values] == [float(v) for v in outcome(text, "f(1, 3)")]


@pytest.mark.parametrize(
    "text",
    [
        "def f(rng, n):\n    c = rng.spawn(n)\n    return [r.normal() for r in c] + [r.normal() for r in c]\n",
        "def f(rng, n):\n    c = rng.spawn(n)\n    return [[r.normal() for r in c] for _ in range(2)]\n",
        "def f(rng, n):\n    return [r.normal() + r.uniform() for r in rng.spawn(n)]\n",
        "def f(rng, g):\n    return g(rng.spawn(3))\n",
        "def f(seed):\n    return np.random.SeedSequence(seed).generate_state(4)\n",
        "def f(seed):\n    s = np.random.SeedSequence(seed)\n    return [np.random.default_rng(s).normal() for _ in range(3)]\n",
        "def f(seed):\n    s = np.random.SeedSequence(seed)\n    a = np.random.default_rng(s)\n    b = np.random.default_rng(s)\n    return a.normal() - b.normal()\n",
    ],
)
def test_spawned_generators_that_are_used_otherwise_are_kept(text):
    assert "NJ301" in refused(HEAD + text)


def test_a_list_of_generators_is_one_of_keys():
    text = """
    def f(seeds, n: int):
        rngs = [np.random.default_rng(s) for s in seeds]
        found = [rng.normal(size=n) for rng in rngs]
        for k, rng in enumerate([np.random.default_rng(8), np.random.default_rng(9)]):
            found.append(k + rng.normal(size=n) * rng.uniform())
        children = np.random.SeedSequence(7).spawn(2)
        each = [np.random.default_rng(c) for c in children]
        found += [rng.normal(size=n) for rng in each]
        a, b = [np.random.default_rng(s) for s in (5, 6)]
        return [*found, a.normal(size=n), b.normal(size=n)]
    """
    made = written(text)
    assert "rngs = [jax.random.key(s) for s in seeds]" in made and "each = [c for c in children]" in made
    values = outcome(text, "f((1, 2), 3)")
    assert len({float(v[0]) for v in values}) == 8 and [float(v[0]) for v in values] == [
        float(v[0]) for v in outcome(text, "f((1, 2), 3)")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "def f(seeds, n):\n    c = MADE\n    return [r.normal() for r in c] + [r.normal() for r in c]\n",
        "def f(seeds, n):\n    c = MADE\n    return [[r.normal() for r in c] for _ in range(2)]\n",
        "def f(seeds, n):\n    return MADE\n",
        "def f(seeds, n):\n    return [r.normal() + r.uniform() for r in MADE]\n",
        "def f(seeds, n):\n    rng = np.random.default_rng(n)\n    return [r.normal() for r in [rng, rng]]\n",
        "def f(seeds, n):\n    rng = np.random.default_rng(n)\n    return [r.normal() for r in [rng for _ in seeds]]\n",
        "def f(seeds, n):\n    return [r.normal() for r in [np.random.default_rng(n), np.random.RandomState(n)]]\n",
    ],
)
def test_lists_of_generators_that_are_used_otherwise_are_kept(text):
    assert "NJ301" in refused(HEAD + text.replace("MADE", "[np.random.default_rng(s) for s in seeds]"))


# --- variables of modules ------------------------------------------------------------------------------------------------

RESEEDED = """
RNG = np.random.default_rng(7)

def reseed():
    global RNG
    RNG = np.random.default_rng(8)

def draw(n: int):
    return RNG.normal(size=n)

def f(n: int):
    a = draw(n)
    reseed()
    return a, draw(n)
"""
SET_LATER = """
RNG = None

def setup(rng: np.random.Generator):
    global RNG
    RNG = rng

def f(n: int):
    return RNG.normal(size=n)
"""


def test_a_generator_of_a_module_that_a_function_binds_again_stays():
    assert "binds `RNG`" in refused(HEAD + RESEEDED, "reseed") and "`reseed` rebinds" in refused(HEAD + RESEEDED, "draw")
    assert outcome(RESEEDED, "f(3)[1].tolist()") == np.random.default_rng(8).normal(size=3).tolist()
    assert "binds `RNG`" in refused(HEAD + SET_LATER, "setup")
    assert outcome(SET_LATER + "\nsetup(np.random.default_rng(3))\n", "f(3).shape") == (3,)


def test_a_kept_function_gives_a_key_to_one_that_does_not_draw():
    text = """
    def f(x: np.ndarray, rng):
        return 2 * x

    def odd():
        rng = np.random.default_rng(0)
        return f(np.ones(2), rng) + rng.integers(2, dtype=bool)
    """
    assert convert(HEAD + textwrap.dedent(text))[1]["f"].label != "kept"
    assert outcome(text, "odd().shape") == (2,)
