"""Random state becomes keys: what is written, that no key is used twice, and what is kept and why."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, convert_project, refused, run
from np2jax.tests.helpers.random_conversions import HEAD, outcome, written
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)


def check_written(before, after):
    assert written(before) == textwrap.dedent(after).strip()


# --- keys through functions ----------------------------------------------------------------------------------------------


def test_a_split_gives_each_draw_its_key():
    check_written(
        """
        def bar():
            return np.random.uniform()

        def foo(n):
            noise = np.random.normal(size=n)
            return bar() + 2 * bar() + noise.sum()

        def main():
            np.random.seed(0)
            print(foo(3))
        """,
        """
        @jax.jit
        def _bar(*, key):
            return jax.random.uniform(key)


        def bar(*, key=None):
            if key is None:
                key = jax.random.key(np.random.randint(2**63 - 1, dtype="int64"))
            return _bar(key=key)


        @functools.partial(jax.jit, static_argnames="n")
        def _foo(n, *, key):
            noise_key, bar_key, bar_key_2 = jax.random.split(key, 3)
            noise = jax.random.normal(noise_key, (n,))
            return bar(key=bar_key) + 2 * bar(key=bar_key_2) + noise.sum()


        def foo(n, *, key=None):
            if key is None:
                key = jax.random.key(np.random.randint(2**63 - 1, dtype="int64"))
            return _foo(n, key=key)

        def main():
            key = jax.random.key(0)
            print(foo(3, key=key))
        """,
    )


def test_the_order_of_independent_draws_does_not_matter():
    first = "def bar():\n    return np.random.uniform()\n\ndef baz():\n    return np.random.uniform()\n\n"
    one = outcome(first + "def foo():\n    np.random.seed(1)\n    a = bar()\n    b = baz()\n    return a + 2 * b\n", "foo()")
    other = outcome(first + "def foo():\n    np.random.seed(1)\n    return bar() + 2 * baz()\n", "foo()")
    assert one == other


def test_keys_that_are_handed_on_do_not_depend_on_the_order_of_the_calls():
    text = "def bar(): return np.random.uniform()\ndef baz(): return np.random.uniform()\n\ndef foo(): return {}\n"
    one = outcome(text.format("bar() + 2 * baz()"), "foo(key=jax.random.key(0))")
    other = outcome(text.format("2 * baz() + bar()"), "foo(key=jax.random.key(0))")
    assert one == other


def test_a_body_on_the_line_of_its_header_gets_lines():
    check_written(
        """
        def foo(): return bar() + 2 * baz()  # both

        def bar(): return np.random.uniform()

        def baz():
            x = 0.0
            for _ in range(3): x += np.random.uniform()
            return x
        """,
        """
        def foo(*, key=None):
            if key is None:
                key = jax.random.key(np.random.randint(2**63 - 1, dtype="int64"))
            bar_key, baz_key = jax.random.split(key)
            return bar(key=bar_key) + 2 * baz(key=baz_key)  # both


        @jax.jit
        def _bar(*, key): return jax.random.uniform(key)


        def bar(*, key=None):
            if key is None:
                key = jax.random.key(np.random.randint(2**63 - 1, dtype="int64"))
            return _bar(key=key)


        @jax.jit
        def _baz(*, key):
            x = 0.0
            for _ in range(3):
                key, uniform_key = jax.random.split(key)
                x += jax.random.uniform(uniform_key)
            return x


        def baz(*, key=None):
            if key is None:
                key = jax.random.key(np.random.randint(2**63 - 1, dtype="int64"))
            return _baz(key=key)
        """,
    )


def test_a_loop_carries_the_key():
    check_written(
        """
        def walk(steps, rng: np.random.Generator):
            x = 0.0
            for _ in range(steps):
                x += rng.normal()
                for _ in range(2):
                    x += rng.uniform()
            return x + rng.normal()
        """,
        """
        def walk(steps, rng: jax.Array):
            rng = _as_key(rng)
            x = 0.0
            rng, normal_key = jax.random.split(rng)
            for _ in range(steps):
                rng, normal_key_2 = jax.random.split(rng)
                x += jax.random.normal(normal_key_2)
                for _ in range(2):
                    rng, uniform_key = jax.random.split(rng)
                    x += jax.random.uniform(uniform_key)
            return x + jax.random.normal(normal_key)
        """,
    )


def test_draws_in_a_loop_differ():
    text = """
    def f(seed):
        rng = np.random.default_rng(seed)
        found = []
        for _ in range(5):
            found.append(rng.normal())
        return np.array(found + [rng.normal() for _ in range(5)] + [a + rng.normal() for a in (0, 0)])
    """
    values = np.asarray(outcome(text, "f(3)"))
    assert len(set(values.tolist())) == 12
    assert (values == np.asarray(outcome(text, "f(3)"))).all(), "the same seed gives the same"
    assert not (values == np.asarray(outcome(text, "f(4)"))).any()


def test_comprehensions_fold_the_index_in():
    check_written(
        """
        def f(xs, rng: np.random.Generator):
            a = [rng.normal(size=3) for _ in range(4)]
            b = [rng.normal(x) for x in xs]
            c = [[rng.uniform() for row in xs] for n in range(2)]
            return a, b, c
        """,
        """
        def f(xs, rng: jax.Array):
            rng = _as_key(rng)
            normal_key, normal_key_2, uniform_key = jax.random.split(rng, 3)
            a = [jax.random.normal(jax.random.fold_in(normal_key, i), (3,)) for i in range(4)]
            b = [x + jax.random.normal(jax.random.fold_in(normal_key_2, j), jnp.shape(x)) for j, x in enumerate(xs)]
            c = [[jax.random.uniform(jax.random.fold_in(jax.random.fold_in(uniform_key, n), k)) for k, row in enumerate(xs)] for n in range(2)]
            return a, b, c
        """,
    )


def test_an_attribute_holds_the_key():
    check_written(
        """
        class Walker:
            def __init__(self, size, seed=0):
                self.rng = np.random.default_rng(seed)
                self.position = np.zeros(size)

            def step(self):
                self.position += self.rng.normal(size=self.position.shape)
        """,
        """
        class Walker:
            def __init__(self, size, seed=0):
                self.rng = jax.random.key(seed)
                self.position = jnp.zeros(size)

            def step(self):
                self.rng, normal_key = jax.random.split(self.rng)
                self.position = self.position + jax.random.normal(normal_key, self.position.shape)
        """,
    )


def test_who_gets_a_generator_gets_its_own_key():
    check_written(
        """
        def draw(rng):
            return rng.normal(size=2)

        class Model:
            def __init__(self, rng=None):
                self.rng = rng if rng is not None else np.random.default_rng()

            def sample(self):
                return draw(self.rng)

        def main():
            rng = np.random.default_rng(3)
            return draw(rng) + draw(rng=rng) + Model(rng).sample()
        """,
        """
        @jax.jit
        def _draw(rng):
            return jax.random.normal(rng, (2,))


        def draw(rng):
            rng = _as_key(rng)
            return _draw(rng)

        class Model:
            def __init__(self, rng=None):
                rng = _as_key(rng)
                self.rng = rng if rng is not None else jax.random.key(secrets.randbits(32))

            def sample(self):
                self.rng, draw_key = jax.random.split(self.rng)
                return draw(draw_key)

        def main():
            rng = jax.random.key(3)
            draw_key, draw_key_2, model_key = jax.random.split(rng, 3)
            return draw(draw_key) + draw(rng=draw_key_2) + Model(model_key).sample()
        """,
    )


def test_a_generator_that_may_be_none_is_split_where_it_is_used():
    text = """
    def f(x, rng=None):
        if rng is not None:
            x = x + rng.normal(size=3) * rng.uniform()
        return x

    def g(seed):
        return f(np.zeros(3), np.random.default_rng(seed)) + f(np.ones(3))
    """
    made = written(text)
    assert made.index("if rng is not None") < made.index("jax.random.split(rng)")
    assert outcome(text, "g(1)").shape == (3,)


def test_a_seed_starts_the_stream_anew():
    text = """
    def draw():
        return np.random.normal(size=4)

    def main():
        np.random.seed(3)
        a = draw()
        np.random.seed(3)
        b = draw()
        return (a == b).all()
    """
    assert outcome(text, "main()")


def test_a_seed_that_may_be_none():
    text = "def f(seed=None):\n    rng = np.random.default_rng(seed)\n    return rng.normal()\n"
    assert "jax.random.key(np.random.default_rng(seed).integers(2**63 - 1))" in written(text)
    assert outcome(text, "f(3) == f(3)") and outcome(text, "f() != f()")


def test_a_seed_that_is_none_no_more():
    text = "def f(seed=None):\n    if seed is not None:\n        np.random.seed(seed)\n    return np.random.normal()\n"
    assert "    if seed is not None:\n        np.random.seed(seed)\n        key = jax.random.key(seed)\n" in written(text)


def test_a_program_that_nobody_seeds_takes_entropy():
    text = "def f():\n    return np.random.normal()\n\nif __name__ == '__main__':\n    print(f(), f())\n"
    assert "key = jax.random.key(secrets.randbits(32))" in written(text)


def test_shuffle_is_an_update():
    check_written(
        """
        def f(x: np.ndarray, rng: np.random.Generator):
            rng.shuffle(x)
        """,
        """
        @jax.jit
        def _f(x: jax.Array, rng: jax.Array):
            x = jax.random.permutation(rng, x)
            return x


        def f(x: jax.Array, rng: jax.Array):
            rng = _as_key(rng)
            return _f(x, rng)
        """,
    )


def test_keys_cross_modules():
    texts, functions, _ = convert_project(
        {
            "pkg/__init__.py": "from .noise import noisy\n",
            "pkg/noise.py": HEAD + "def noisy(x):\n    return x + np.random.normal(size=x.shape)\n",
            "pkg/run.py": "import numpy as np\nfrom . import noisy\n\n\ndef go(x: np.ndarray):\n    return noisy(x) * noisy(x)\n",
        }
    )
    assert not [f.reason for f in functions.values() if f.label == "kept"]
    assert "noisy(x, key=noisy_key) * noisy(x, key=noisy_key_2)" in texts["pkg/run.py"]


def test_a_generator_of_the_module_is_threaded_as_numpys_state_is():
    text = """
    rng = np.random.default_rng(42)

    def sample(n: int):
        return rng.normal(size=n)

    def main():
        print(sample(3) + sample(3))

    if __name__ == "__main__":
        main()
    """
    check_written(
        text,
        """
        rng = jax.random.key(42)


        @functools.partial(jax.jit, static_argnames="n")
        def _sample(n: int, *, key):
            return jax.random.normal(key, (n,))


        def sample(n: int, *, key=None):
            global rng
            if key is None:
                rng, key = jax.random.split(jax.random.fold_in(rng, 2**31))
            return _sample(n, key=key)

        def main(*, key=None):
            global rng
            if key is None:
                rng, key = jax.random.split(jax.random.fold_in(rng, 2**31))
            sample_key, sample_key_2 = jax.random.split(key)
            print(sample(3, key=sample_key) + sample(3, key=sample_key_2))

        if __name__ == "__main__":
            main(key=rng)
        """,
    )


def test_a_generator_of_the_module_whose_functions_others_call_stays():
    _texts, functions, _ = convert_project(
        {
            "a.py": HEAD + "rng = np.random.default_rng(1)\n\n\ndef f():\n    return rng.normal()\n\n\nprint(f())\n",
            "b.py": "from a import f\n\nprint(f())\n",
        }
    )
    assert "of another one" in functions["a.f"].reason


def test_the_name_key_may_be_taken():
    assert "def f(table, *, rng_key=None):" in written(
        "def f(table):\n    return {key: np.random.normal() * value for key, value in table.items()}\n"
    )


# --- what is kept, and what calls it -------------------------------------------------------------------------------------


def test_a_kept_caller_draws_a_key_from_numpys_state():
    text = """
    def noise(n: int):
        return np.random.normal(size=n)

    def show(n):
        return np.random.randint(2, dtype=bool) + noise(n)
    """
    made, functions, _ = convert(HEAD + textwrap.dedent(text))
    assert functions["show"].label == "kept" and functions["noise"].label != "kept"
    assert "+ np.array(noise(n))" in made or "+ noise(n)" in made
    np.random.seed(1)
    first = run(made)["show"](3)
    np.random.seed(1)
    assert (first == run(made)["show"](3)).all()
    show = run(made)["show"]
    assert not (show(3) == show(3)).all()


def test_a_generator_crosses_to_and_from_kept_functions():
    text = """
    def odd(rng):
        return rng.integers(2, dtype=bool) + plain(3, rng)

    def plain(n: int, rng):
        return rng.normal(size=n)

    def main(seed):
        rng = np.random.default_rng(seed)
        return odd(rng) + plain(3, rng)
    """
    made, functions, _ = convert(HEAD + textwrap.dedent(text))
    assert [n for n, f in functions.items() if f.label == "kept"] == ["odd"]
    assert "plain(3, rng)" in made
    assert "odd(np.random.default_rng(int(jax.random.bits(odd_key)))) + plain(3, plain_key)" in made
    assert outcome(text, "(main(1) == main(1)).all() and (main(1) != main(2)).all()")


def test_numpys_state_is_seeded_too_where_kept_functions_draw():
    text = """
    def odd():
        return np.random.randint(2, dtype=bool)

    def main():
        np.random.seed(3)
        return np.random.normal() + odd()
    """
    made = convert(HEAD + textwrap.dedent(text))[0]
    assert "    np.random.seed(3)\n    key = jax.random.key(3)\n" in made
    assert outcome(text, "main() == main()")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def f():\n    return np.random.randint(2, dtype=bool)\n", "`dtype=bool`"),
        ("def f(x):\n    def g(y):\n        return y + np.random.normal()\n    return g\n", "nested function"),
        ("def f():\n    while np.random.uniform() < 0.5:\n        pass\n    else:\n        print()\n", "condition of a `while`"),
        ("def f(rng=np.random.default_rng(0)):\n    return rng.normal()\n", "default"),
        ("rng = np.random.default_rng(0)\n\ndef f():\n    return rng.normal()\n", "seeds for others"),
        (
            "rng = np.random.default_rng(0)\n\ndef f():\n    return rng.normal() + np.random.normal()\n\nprint(f())\n",
            "variable of the module",
        ),
        ("def f():\n    state = np.random.get_state()\n    return np.random.normal(), state\n", "state"),
        ("def f(rng: np.random.Generator):\n    return [rng], rng.normal()\n", "a key cannot be"),
        ("def f(rng: np.random.Generator, g):\n    return g(rng)\n", "a key cannot be"),
        ("def f(rng: np.random.Generator):\n    return rng.bit_generator\n", "a key cannot be"),
        ("def f():\n    return np.random.normal()\n\ndef g(xs):\n    return map(f, xs)\n", "used as a value"),
        ("class C:\n    rng = np.random.default_rng(0)\n\n    def f(self):\n        return self.rng.normal()\n", "share"),
        (
            "from dataclasses import dataclass, field\n\n@dataclass\nclass C:\n"
            "    rng: np.random.Generator = field(default_factory=np.random.default_rng)\n\n"
            "    def f(self):\n        return self.rng.normal()\n",
            "np2jax cannot see where the generator is created",
        ),
        (
            "rng = np.random.default_rng(0)\n\ndef f():\n    global rng\n    rng = np.random.default_rng(1)\n"
            "    return rng.normal()\n\nprint(f())\n",
            "binds `rng`",
        ),
        ("def f(items: list):\n    np.random.shuffle(items)\n", "is a list"),
    ],
)
def test_kept(text, why):
    assert why in refused(HEAD + text, "C.f" if "class C" in text else "f")


def test_tests_call_without_a_key():
    _texts, functions, _ = convert_project(
        {
            "noise.py": HEAD + "def noise():\n    return np.random.normal()\n",
            "test_noise.py": "from noise import noise\n\n\ndef test_noise():\n    assert noise() < 9\n",
        }
    )
    assert "a test, calls it" in functions["noise.noise"].reason


def test_those_who_share_a_generator_are_kept_together():
    text = """
    class Walker:
        def __init__(self, seed):
            self.rng = np.random.default_rng(seed)

        def step(self):
            return self.rng.normal()

        def turn(self):
            return self.rng.integers(2, dtype=bool)
    """
    functions = convert(HEAD + textwrap.dedent(text))[1]
    assert {f.label for n, f in functions.items() if "." in n} == {"kept"}


def test_on_request_numpys_generators_draw_on_the_host():
    text = HEAD + textwrap.dedent("""
        def walk(x: np.ndarray, steps: int, seed=3):
            rng = np.random.default_rng(seed)
            for _ in range(steps):
                x[0] += rng.normal()
                x += rng.normal(scale=0.1, size=x.shape)
            return np.sort(rng.permutation(4)[:2])
        """)
    made, functions, _ = convert(text, random="host")
    assert functions["walk"].label != "kept" and "jnp.asarray(rng.normal(scale=0.1, size=x.shape))" in made
    assert convert(made, random="host")[0] == made
    x = np.zeros(3)
    want = run(text)["walk"](x, 5)
    got, changed = run(made)["walk"](np.zeros(3), 5)
    assert np.array_equal(got, want) and np.allclose(changed, x, rtol=1e-12)


def test_differences_of_a_distribution_are_reported():
    _text, _functions, diagnostics = convert(HEAD + "def f(lam: float, rng: np.random.Generator):\n    return rng.poisson(lam)\n")
    assert any(d.code == "NJ302" and d.safety == "manual" and "float32" in d.message for d in diagnostics)


# --- functions inside of functions, conditions of loops --------------------------------------------------------------------


def test_a_nested_function_takes_a_key_at_each_call():
    text = """
    def f(x: np.ndarray, rng: np.random.Generator):
        def noisy(y, scale=1.0):
            a = rng.normal(size=y.shape)
            for _ in range(2):
                a = a + rng.uniform(size=y.shape)
            return y + scale * a

        double = lambda y: 2 * noisy(y)

        out = [noisy(x) for _ in range(3)]
        for _ in range(2):
            x = double(x)
        return x, rng.normal(), out
    """
    made = written(text)
    assert "def noisy(y, scale=1.0, *, key):\n        key, a_key = jax.random.split(key)" in made
    assert "double = lambda y, *, key: 2 * noisy(y, key=key)" in made
    assert "out = [noisy(x, key=jax.random.fold_in(noisy_key, i)) for i in range(3)]" in made
    assert "        rng, x_key = jax.random.split(rng)\n        x = double(x, key=x_key)" in made
    got = outcome(text + "\n    def main(seed=0):\n        return f(np.zeros(2), np.random.default_rng(seed))\n", "main()")
    assert len({float(v) for a in (got[0], *got[2]) for v in a}) == 8


def test_a_nested_function_that_calls_itself():
    text = """
    def f(depth: int):
        def tree(d):
            if d == 0:
                return np.random.uniform()
            return tree(d - 1) + tree(d - 1)
        return tree(depth)

    def main():
        np.random.seed(0)
        return f(3)
    """
    assert "return tree(d - 1, key=tree_key) + tree(d - 1, key=tree_key_2)" in written(text)
    assert outcome(text, "main() == main()")


def test_a_nested_function_with_a_generator_of_its_own():
    text = """
    def f(x: np.ndarray, seed: int):
        def noisy(y, s):
            r = np.random.default_rng(s)
            return y + r.normal(size=y.shape) + r.normal(size=y.shape)
        return noisy(x, seed)
    """
    assert "r_key" not in written(text) and "normal_key, normal_key_2 = jax.random.split(r)" in written(text)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, g, rng):\n    def noisy(y):\n        return y + rng.normal()\n    return g(noisy)\n",
        "def f(xs, rng):\n    noisy = lambda y: y + rng.normal()\n    return list(map(noisy, xs))\n",
        "def f(rng):\n    def g():\n        return rng.normal() + np.random.normal()\n    return g()\n",
        "def f(n: int, rng):\n    def g():\n        for i in range(n):\n            yield rng.normal()\n    return list(g())\n",
        "def f(rng):\n    g = lambda: rng.normal() + rng.uniform()\n    return g()\n",
        "def f(n, rng):\n    def g():\n        return rng.normal()\n    if n:\n        g = print\n    return g()\n",
        "def f(rng):\n    @print\n    def g():\n        return rng.normal()\n    return g()\n",
    ],
)
def test_a_nested_function_whose_calls_are_not_seen_is_kept(text):
    assert "NJ301" in refused(HEAD + text)


def test_a_condition_that_draws():
    check_written(
        """
        def f(p: float, rng: np.random.Generator):
            n = 0
            while rng.uniform() < p:
                if rng.normal() > 3:
                    continue
                n += 1
            return n
        """,
        """
        def f(p: float, rng: jax.Array):
            rng = _as_key(rng)
            n = 0
            while True:
                rng, uniform_key = jax.random.split(rng)
                if not (jax.random.uniform(uniform_key) < p):
                    break
                rng, normal_key = jax.random.split(rng)
                if jax.random.normal(normal_key) > 3:
                    continue
                n += 1
            return n
        """,
    )


def test_a_condition_that_calls_what_draws():
    text = """
    def toss():
        return np.random.uniform() < 0.9

    def main():
        np.random.seed(2)
        n = 0
        while toss() and n < 100:
            n += 1
        return n
    """
    assert "if not (toss(key=toss_key) and n < 100):" in written(text)
    assert outcome(text, "main() == main()")


def test_a_drawn_float_gives_way_to_float32():
    text = """
    def f(rng):
        x = np.ones(3, np.float32)
        s = 2 * rng.normal() + 1
        a = x * s - (x + rng.normal())
        b = (rng.uniform() * x).sum() / -rng.uniform(1, 2)
        c = x[0] * rng.normal() + np.float16(2) * (rng.random() * rng.random())
        d = x / rng.normal() + np.exp(rng.normal())
        e = np.arange(3) * rng.normal(), rng.normal() + rng.integers(3)
        return a, b, c, d, *e

    def main():
        return f(np.random.default_rng(0))
    """
    made = written(text)
    assert "a = x * s.astype(jnp.float32) - (x + jax.random.normal(normal_key_2).astype(jnp.float32))" in made
    want = run(HEAD + textwrap.dedent(text))["main"]()
    assert [np.asarray(v).dtype for v in outcome(text, "main()")] == [np.asarray(v).dtype for v in want]
