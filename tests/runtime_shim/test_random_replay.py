"""Random code: what the original draws is replayed into the converted code, and slips in drawing are found."""

import textwrap

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.verification.verify import verify

pytestmark = pytest.mark.slow

BEFORE = """
import numpy as np

class Walker:
    def __init__(self, size, seed=0):
        self.rng = np.random.default_rng(seed)
        self.position = np.zeros(size)

    def step(self, scale=1.0):
        self.position += scale * self.rng.normal(size=self.position.shape)
        return self.position

def bar(): return np.random.uniform()
def baz(): return np.random.uniform()
def foo(n: int):
    noise = np.random.normal(size=n)
    return bar() + 2 * baz() + noise.sum()
def spread(steps: int, size: int, seed: int):
    rng = np.random.default_rng(seed)
    x = np.zeros(size)
    for _ in range(steps):
        x += rng.normal(size=size)
    return x.std()
def given(x: np.ndarray, rng: np.random.Generator):
    return x + rng.normal(1.0, 2.0, x.shape)
def unseeded(x: np.ndarray):
    rng = np.random.default_rng()
    return x + rng.uniform(-1, 1, x.shape)
def mapped(n: int, rng: np.random.Generator):
    out = np.zeros(n)
    for i in range(n):
        out[i] = rng.normal() * rng.uniform()
    return out
def accept(x: np.ndarray, rng: np.random.Generator):
    total = 0.0
    for value in x:
        if value > 0:
            total += rng.exponential(2.0)
    return total
def forgets_scale(n: int, rng: np.random.Generator): return rng.normal(1.0, 3.0, n)
def reuses(n: int, rng: np.random.Generator): return rng.normal(size=n) + rng.normal(size=n)
def reuses_other(n: int, rng: np.random.Generator): return rng.normal(size=n) + rng.uniform(size=n)
def wrong_shape(x: np.ndarray, rng: np.random.Generator): return x * rng.normal(size=x.shape)
def one_less(n: int, rng: np.random.Generator): return rng.normal(size=n) + 0 * rng.uniform()
def one_more(n: int, rng: np.random.Generator): return rng.normal(size=n)
def other(n: int, rng: np.random.Generator): return rng.normal(size=n)
def order(n: int, rng: np.random.Generator): return rng.normal(size=n) + rng.uniform(size=n)
def wrong_rate(n: int, rng: np.random.Generator): return rng.poisson(3.0, n)
def draws_now(n: int): return np.ones(n)
def host(n: int): return np.random.normal(size=n) + np.random.default_rng(1).integers(0, 5, n)
def defaulted(n: int, rng=None):
    rng = np.random.default_rng() if rng is None else rng
    return rng.normal(size=n)
def seeded_again(n: int):
    np.random.seed(3)
    x = np.random.normal(size=2 * n)
    np.random.seed(3)
    return x[:n] * np.random.normal(size=n)
def seeded_alike(n: int): return np.random.default_rng(3).normal(size=n) + np.random.RandomState(3).normal(size=n)
def lanes(x: np.ndarray, rng: np.random.Generator):
    return np.array([value + rng.normal() if value > 0 else value for value in x])
def unknown(n: int, rng: np.random.Generator): return rng.integers(2, dtype=bool)
"""

AFTER = """
import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

class Walker:
    def __init__(self, size, seed=0):
        self.key = jax.random.key(seed)
        self.position = jnp.zeros(size)

    def step(self, scale=1.0):
        self.key, key = jax.random.split(self.key)
        self.position = self.position + scale * jax.random.normal(key, self.position.shape)
        return self.position

@jax.jit
def bar(*, key): return jax.random.uniform(key)
@jax.jit
def baz(*, key): return jax.random.uniform(key)
@functools.partial(jax.jit, static_argnames="n")
def foo(n, *, key):
    noise_key, bar_key, baz_key = jax.random.split(key, 3)
    noise = jax.random.normal(noise_key, (n,))
    return bar(key=bar_key) + 2 * baz(key=baz_key) + noise.sum()
@functools.partial(jax.jit, static_argnames="size")
def spread(steps, size, seed):
    key = jax.random.key(seed)
    x = jnp.zeros(size)

    def step(_, carry):
        x, key = carry
        key, normal_key = jax.random.split(key)
        x = x + jax.random.normal(normal_key, (size,))
        return x, key

    x, key = lax.fori_loop(0, steps, step, (x, key))
    return x.std()
@jax.jit
def given(x, rng): return x + (1.0 + 2.0 * jax.random.normal(rng, x.shape))
def unseeded(x):
    import secrets
    key = jax.random.key(secrets.randbits(32))
    return x + jax.random.uniform(key, x.shape, minval=-1, maxval=1)
@functools.partial(jax.jit, static_argnames="n")
def mapped(n, rng):
    def one(key):
        normal_key, uniform_key = jax.random.split(key)
        return jax.random.normal(normal_key) * jax.random.uniform(uniform_key)
    return jax.vmap(one)(jax.random.split(rng, n))
@jax.jit
def accept(x, rng):
    def step(carry, value):
        total, key = carry
        key, draw_key = jax.random.split(key)
        total = lax.cond(value > 0, lambda key: total + 2.0 * jax.random.exponential(key), lambda key: total, draw_key)
        return (total, key), None
    return lax.scan(step, (0.0, rng), x)[0][0]
@functools.partial(jax.jit, static_argnames="n")
def forgets_scale(n, rng): return 1.0 + jax.random.normal(rng, (n,))
@functools.partial(jax.jit, static_argnames="n")
def reuses(n, rng): return jax.random.normal(rng, (n,)) + jax.random.normal(rng, (n,))
def reuses_other(n, rng): return jax.random.normal(rng, (n,)) + jax.random.uniform(rng, (n,))
@jax.jit
def wrong_shape(x, rng): return x * jax.random.normal(rng)
@functools.partial(jax.jit, static_argnames="n")
def one_less(n, rng): return jax.random.normal(rng, (n,))
@functools.partial(jax.jit, static_argnames="n")
def one_more(n, rng):
    one, two = jax.random.split(rng)
    return jax.random.normal(one, (n,)) + 0 * jax.random.normal(two)
def other(n, rng): return jax.random.laplace(rng, (n,))
def order(n, rng):
    one, two = jax.random.split(rng)
    return jax.random.uniform(one, (n,)) + jax.random.normal(two, (n,))
@functools.partial(jax.jit, static_argnames="n")
def wrong_rate(n, rng): return jax.random.poisson(rng, 2.0, (n,))
def draws_now(n, *, key): return jnp.ones(n) + 0 * jax.random.normal(key)
def host(n): return np.random.normal(size=n) + np.random.default_rng(1).integers(0, 5, n)
def defaulted(n, rng=None):
    import secrets
    rng = jax.random.key(secrets.randbits(32)) if rng is None else rng
    return jax.random.normal(rng, (n,))
@functools.partial(jax.jit, static_argnames="n")
def seeded_again(n):
    x = jax.random.normal(jax.random.key(3), (2 * n,))
    return x[:n] * jax.random.normal(jax.random.key(3), (n,))
def seeded_alike(n): return jax.random.normal(jax.random.key(3), (n,)) + jax.random.normal(jax.random.key(3), (n,))
@jax.jit
def lanes(x, rng):
    def lane(key, value): return lax.cond(value > 0, lambda key: value + jax.random.normal(key), lambda key: value, key)
    return jax.vmap(lane)(jax.random.split(rng, x.shape[0]), x)
def unknown(n, rng): return jax.random.maxwell(rng, (n,))
"""

AGREE = ("bar", "baz", "foo", "spread", "given", "unseeded", "mapped", "accept", "host", "defaulted", "seeded_again")
DIFFER = {
    "forgets_scale": "the values differ",
    "reuses": "a key is used twice",
    "reuses_other": "a key is used twice",
    "wrong_shape": "another shape",
    "one_less": "leaves out 1 of the original's draws, the first is `uniform` of shape () (code.py, line",
    "one_more": "after all 1 draws of the original",
    "other": "`jax.random.laplace`",
    "order": "`normal` of shape",
    "wrong_rate": "with lam 2., not 3.",
    "draws_now": "draws no random numbers",
    "seeded_alike": "a key is used twice",
    "unknown": "`jax.random.maxwell`",
}


def compared(folder, before, after, contracts=(), **how):
    """The verdicts on the functions of one file, by name."""
    for name, text in (("before", before), ("after", after)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(textwrap.dedent(text))
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py", contracts, **{"examples": 4, **how})
    return {function.name.removeprefix("code."): function for function in report.functions}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    return compared(tmp_path_factory.mktemp("random"), BEFORE, AFTER)


@pytest.mark.parametrize("name", AGREE)
def test_draws_are_replayed(verdicts, name):
    assert verdicts[name].verdict == "agrees", verdicts[name].summary
    assert name == "host" or "keys" in verdicts[name].modes


def test_draws_without_order_are_not_compared(verdicts):
    assert verdicts["lanes"].verdict == "not compared"
    assert "JAX does not preserve the order of draws in a cond" in verdicts["lanes"].reason


@pytest.mark.parametrize("name", DIFFER)
def test_slips_in_drawing_are_found(verdicts, name):
    assert verdicts[name].verdict == "differs", verdicts[name].summary
    assert DIFFER[name] in verdicts[name].reason


TABLES = """
import numpy as np
rng = np.random.default_rng()
"""

USER = """
import numpy as np
from tables import rng
WEIGHTS = rng.normal(size=3)
np.random.seed(4)
BIAS = np.random.uniform(2, 3)

def layer(x: np.ndarray): return x[:3] * WEIGHTS + BIAS
def noisy(x: np.ndarray): return x + rng.normal(size=x.shape)
"""

USER_AFTER = """
import jax
import jax.numpy as jnp
key = jax.random.key(7)
key, weights_key, bias_key = jax.random.split(key, 3)
WEIGHTS = jax.random.normal(weights_key, (3,))
BIAS = jax.jit(lambda key: jax.random.uniform(key, minval=2, maxval=3))(bias_key)

@jax.jit
def layer(x): return x[:3] * WEIGHTS + BIAS
def noisy(x, *, key): return x + jax.random.normal(key, x.shape)
"""


def test_draws_on_import_are_replayed(tmp_path):
    for name, user in (("before", USER), ("after", USER_AFTER), ("wrong", USER_AFTER.replace("minval=2", "minval=1"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tables.py").write_text(TABLES if name == "before" else "")
        (tmp_path / name / "user.py").write_text(user)
    report = verify(tmp_path / "before", tmp_path / "after", examples=3)
    assert {one.verdict for one in report.functions} == {"agrees"}, report.to_text()
    report = verify(tmp_path / "before", tmp_path / "wrong", examples=3)
    assert {one.name: one.verdict for one in report.functions} == {"user.layer": "differs", "user.noisy": "agrees"}


def test_the_draws_of_a_file_say_nothing_about_the_files_after_it(tmp_path):
    first = "import numpy as np\nW = np.random.default_rng(0).normal(size=3)\ndef f(x: np.ndarray): return x + W.sum()\n"
    second = "import numpy as np\ndef g(x: np.ndarray): return np.cos(x)\n"
    wrong = first.replace("np.random.default_rng(0).normal(size=3)", "np.ones(3)")
    for name, text in (("before", first), ("after", first), ("wrong", wrong)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(text)
        (tmp_path / name / "b.py").write_text(second if name == "before" else second.replace("import numpy", "import jax.numpy"))
    report = verify(tmp_path / "before", tmp_path / "after", examples=3)
    assert {one.name: one.verdict for one in report.functions} == {"a.f": "agrees", "b.g": "agrees"}
    report = verify(tmp_path / "before", tmp_path / "wrong", examples=3)
    assert {one.name: one.verdict for one in report.functions} == {"a.f": "differs", "b.g": "agrees"}


PROGRAM = """
import numpy as np

class Chain:
    def __init__(self, seed=None):
        self.rng = np.random.default_rng(seed)
        self.x = 0.0

    def step(self, width):
        new = self.x + width * self.rng.normal()
        if np.log(self.rng.uniform()) < 0.5 * (self.x ** 2 - new ** 2):
            self.x = new
        return self.x

def noise(n): return np.random.normal(size=n)

def main():
    chain = Chain()
    print("mean", np.mean([chain.step(0.5) for _ in range(50)]))
    print("noise", noise(3))

if __name__ == "__main__":
    main()
"""

PROGRAM_AFTER = """
import secrets
import jax
import jax.numpy as jnp
jax.config.update("jax_enable_x64", True)

class Chain:
    def __init__(self, seed=None):
        self.rng = jax.random.key(secrets.randbits(32) if seed is None else seed)
        self.x = 0.0

    def step(self, width):
        self.rng, normal_key, uniform_key = jax.random.split(self.rng, 3)
        new = self.x + width * jax.random.normal(normal_key)
        self.x = jnp.where(jnp.log(jax.random.uniform(uniform_key)) < 0.5 * (self.x ** 2 - new ** 2), new, self.x)
        return self.x

def noise(n, *, key): return jax.random.normal(key, (n,))

def main():
    key = jax.random.key(secrets.randbits(32))
    chain = Chain()
    print("mean", jnp.mean(jnp.array([chain.step(0.5) for _ in range(50)])))
    print("noise", noise(3, key=key))

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict", "why"),
    [
        ("", "", "agrees", ""),
        ("uniform_key)", "normal_key)", "differs", "a key is used twice: by `jax.random.normal` of shape () (main.py, line 14)"),
        ("range(50)", "range(49)", "differs", "draw 99: the original draws `normal` of shape () (main.py, line 10)"),
        ("new = self.x + width", "new = self.x + 2 * width", "differs", "line 1 of its output"),
        ('print("noise", noise(3, key=key))', "", "differs", "leaves out 1"),
    ],
)
def test_programs_print_the_same_from_the_same_draws(tmp_path, old, new, verdict, why):
    for name, text in (("before", PROGRAM), ("after", PROGRAM_AFTER.replace(old, new) if old else PROGRAM_AFTER)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.py").write_text(text)
    report = verify(tmp_path / "before", tmp_path / "after", examples=3)
    (program,) = report.programs
    assert program.verdict == verdict and why in program.reason, report.to_text()
    if verdict == "agrees":
        found = {one.name: one for one in report.functions}
        assert [found[f"main.{name}"].verdict for name in ("Chain.__init__", "Chain.step", "noise")] == ["agrees"] * 3
        assert found["main.Chain.step"].recorded, report.to_text()
