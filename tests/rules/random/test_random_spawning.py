"""Generators that spawn others: no key is used twice, also where generators of one seed draw, and others of it spawn."""

import textwrap

import jax
import pytest

from np2jax.tests.helpers.differential import convert, refused, run
from np2jax.tests.helpers.random_conversions import HEAD, written

CHILD = """
def use(rng):
    return rng.normal() + rng.uniform()


"""


def used(text, *calls):
    """What is drawn, and the keys that draw and that are split, by value: JAX's own check does not see that two keys are the same."""
    namespace = run(convert(HEAD + textwrap.dedent(text))[0])
    drawing, splitting = [], []

    def spy(function, keys):
        def spied(key, *rest, **named):
            keys.append(tuple(jax.random.key_data(key).tolist()))
            return function(key, *rest, **named)

        return spied

    with pytest.MonkeyPatch.context() as patch, jax.disable_jit(), jax.debug_key_reuse(True):
        for name in ("split", "normal", "uniform"):
            patch.setattr(jax.random, name, spy(getattr(jax.random, name), splitting if name == "split" else drawing))
        drawn = [float(x) for call in calls for x in jax.tree.leaves(eval(call, namespace))]
    return drawn, drawing, splitting


def check_disjoint(text, *calls):
    """All that is drawn differs, no key draws twice, and none draws that is split, too."""
    drawn, drawing, splitting = used(text, *calls)
    assert len(set(drawn)) == len(drawn) > 1 and len(set(drawing)) == len(drawing), written(text)
    assert set(drawing).isdisjoint(splitting), written(text)


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    "text",
    [
        "kids = np.random.default_rng(seed).spawn(2)\nreturn [rng.normal(), rng.normal(), kids[0].normal(), kids[1].normal()]",
        "kids = np.random.default_rng(seed).spawn(2)\nreturn [rng.normal(), [kid.normal() for kid in kids]]",
        "a, b = np.random.SeedSequence(seed).spawn(2)\nreturn [use(rng), use(np.random.default_rng(a)), use(np.random.default_rng(b))]",
        "kids = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3)]\nreturn [use(rng), use(kids[0]), use(kids[2])]",
        "found = [use(rng)]\nfor kid in np.random.default_rng(seed).spawn(3):\n    found.append(use(kid))\nreturn found",
        "a, b = np.random.default_rng(seed).spawn(2)\nc, d = a.spawn(2)\nreturn [use(r) for r in [rng, b]] + [use(c), use(d), a.normal()]",
        "a, b = rng.spawn(2)\nc, d = rng.spawn(2)\nreturn [use(rng), use(a), use(b), use(c), use(d)]",
        "found = []\nfor _ in range(3):\n    a, b = rng.spawn(2)\n    found += [use(a), b.normal(), rng.normal()]\nreturn found",
        "found = []\nfor a in rng.spawn(2):\n    for b in a.spawn(2):\n        found += [use(b), rng.normal()]\n    found.append(use(a))\nreturn found",
        "one = np.random.default_rng(seed).spawn(2)[0]\nreturn [use(rng), use(one), use(np.random.default_rng(seed + 1).spawn(3)[2])]",
        "return [use(rng), rng.spawn(1)[0].normal(), rng.spawn(2)[1].uniform(), np.random.default_rng(seed).spawn(1)[0].spawn(1)[0].normal()]",
        "ss = np.random.SeedSequence(seed)\nreturn [use(rng), use(np.random.default_rng(ss.spawn(1)[0])), use(np.random.default_rng(ss.spawn(1)[0]))]",
        "ss = np.random.SeedSequence(seed + 1)\nown = np.random.default_rng(ss)\nkids = [np.random.default_rng(s) for s in ss.spawn(2)]\nreturn [use(rng), use(own), use(kids[0]), use(kids[1])]",
    ],
)
def test_no_key_is_used_twice(text):
    text = textwrap.indent(text, "    ")
    check_disjoint(CHILD + f"def f(seed: int):\n    rng = np.random.default_rng(seed)\n{text}\n", "f(3)")


def test_functions_that_are_given_the_same_seed():
    text = """
    def some(seed: int, n):
        rng = np.random.default_rng(seed)
        found = []
        for _ in range(n):
            found.append(rng.normal())
        a, b = rng.spawn(2)
        return [*found, a.normal(), b.normal()]

    def kids(rng):
        a, b = rng.spawn(2)
        return [a.normal(), b.normal()]

    def draws(rng):
        return [rng.normal(), rng.uniform()]
    """
    assert "fold_in" in written(text)
    assert "fold_in" not in written(text[text.index("    def kids") :]), "nothing here has a seed"
    made = text + "\n    def all(seed: int):\n        r = np.random.default_rng(seed)\n        s = np.random.default_rng(seed)\n"
    check_disjoint(made + "        return kids(r), draws(s)\n", "all(3)")


def test_objects_that_are_given_the_same_seed():
    text = """
    class Model:
        def __init__(self, seed: int):
            self.rng = np.random.default_rng(seed)

        def draw(self):
            return self.rng.normal()

        def kids(self):
            a, b = self.rng.spawn(2)
            return [a.normal(), b.normal()]

    def f(seed: int):
        return [Model(seed).draw(), Model(seed).kids()]
    """
    assert "jax.random.split(jax.random.fold_in(spawn_key, 2**31), 2)" in written(text)
    check_disjoint(text, "f(3)")


def test_a_sequence_of_seeds_that_an_object_holds():
    text = """
    class Model:
        def __init__(self, seed: int):
            self.seeds = np.random.SeedSequence(seed)
            self.rng = np.random.default_rng(self.seeds)

        def child(self):
            return np.random.default_rng(self.seeds.spawn(1)[0])

        def draw(self):
            return [self.child().normal(), self.rng.normal()]

    def f(seed: int):
        model = Model(seed)
        return [model.draw(), model.draw(), model.child().uniform()]
    """
    check_disjoint(text, "f(3)")


def test_a_child_that_is_not_there_is_asked_of_numpy():
    for index in ("2", "i", "-3"):
        assert "NJ301" in refused(
            HEAD + f"def f(rng, i: int):\n    return np.random.default_rng(rng.spawn(2)[{index}]).normal()\n"
        )


def test_a_child_is_no_iteration_of_a_comprehension():
    text = """
    def f(seed: int, n: int):
        rng = np.random.default_rng(seed)
        kids = np.random.default_rng(seed).spawn(2)
        old = np.random.RandomState(seed)
        return [rng.normal() for _ in range(n)], [kid.normal() for kid in kids], old.normal()
    """
    check_disjoint(text, "f(3, 4)")


@pytest.mark.parametrize(
    "text",
    [
        "def f(seed: int):\n    a, b = np.random.default_rng(seed).spawn(2)\n    return a.normal() - b.normal()\n",
        "def f(seed: int):\n    rng = np.random.default_rng(seed)\n    a, b = rng.spawn(2)\n    return a.normal() - rng.normal() + b.normal()\n",
        "def f(seed: int):\n    a, b = np.random.default_rng(seed).spawn(2)\n    c, d = a.spawn(2)\n    return a.normal() - b.normal() + c.normal() + d.normal()\n",
        "def f():\n    return [r.normal() for r in np.random.default_rng(5).spawn(2)], np.random.default_rng(6).normal()\n",
        "def f(n):\n    return [r.normal() for r in np.random.default_rng().spawn(n)], np.random.default_rng().normal()\n",
        "def f(rng, n):\n    return [r.normal() for r in rng.spawn(n)]\n",
        "def f(seeds):\n    found = []\n    for s in seeds:\n        rng = np.random.default_rng(s)\n        a, b = rng.spawn(2)\n        found += [a.normal() - rng.normal(), b.normal()]\n    return found\n",
    ],
)
def test_a_generator_whose_seed_nobody_else_has_is_split(text):
    assert "fold_in" not in written(text)


@pytest.mark.parametrize(
    "text",
    [
        "def f(seed: int, n):\n    rng = np.random.default_rng(seed)\n    for _ in range(n):\n        rng.normal()\n        a, b = rng.spawn(2)\n    return a.normal() - b.normal()\n",
        "def make(seed: int):\n    return np.random.default_rng(seed)\n\ndef f(seed: int):\n    rng = make(seed)\n    a, b = rng.spawn(2)\n    return a.normal() - b.normal()\n",
        "def f():\n    return [r.normal() for r in np.random.default_rng(5).spawn(2)], np.random.default_rng(5).normal()\n",
        "def f(seed):\n    return [r.normal() for r in np.random.default_rng(5).spawn(2)], np.random.default_rng(seed).normal()\n",
    ],
)
def test_a_generator_whose_seed_another_may_have_spawns_apart(text):
    assert "2**31" in written(text)
