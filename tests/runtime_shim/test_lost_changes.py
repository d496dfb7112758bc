"""What callers see besides results: changes in place where the code stays NumPy, and how a class gives its methods."""

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.verification.verify import verify

pytestmark = pytest.mark.slow

BEFORE = """
import functools

import numpy as np


def scaled(m, v):
    m *= v
    return m


def scaled_rows(m, v):
    m *= v[:, None]
    return m


def handed_back(m, v):
    m *= v
    return m


def extended(items, x):
    items["x"] = x
    return items


class Run:
    def __init__(self, size):
        self.m2 = np.ones(size)

    @property
    def var(self):
        return self.m2 / 2

    @functools.cached_property
    def half(self):
        return self.m2 / 2

    @staticmethod
    def larger(a, b):
        return np.maximum(a, b)

    @classmethod
    def of(cls, x):
        return cls(x.size)

    def doubled(self):
        self.m2 = 2 * self.m2
        return self

    def chunks(self):
        yield self.m2
"""
AFTER = (
    BEFORE.replace("    m *= v\n", "    m = m * v\n", 1)
    .replace("m *= v[:, None]", "m = m * v[:, None]")
    .replace("def handed_back(m, v):\n    m *= v\n", "def handed_back(m, v):\n    m = jnp.asarray(m) * v\n")
    .replace("    @property\n", "")
    .replace("    @functools.cached_property\n", "    @property\n")
    .replace("    @staticmethod\n", "")
    .replace("    @classmethod\n    def of(cls, x):", "    @staticmethod\n    def of(x):")
    .replace("return cls(", "return Run(")
    .replace(
        "        self.m2 = 2 * self.m2\n        return self",
        "        new = Run(1)\n        new.m2 = 2 * self.m2\n        return new",
    )
    .replace("yield self.m2", "return [self.m2]")
    .replace("import numpy as np\n", "import jax.numpy as jnp\nimport numpy as np\n")
)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("changes")
    for name, text in (("before", BEFORE), ("after", AFTER)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(text)
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py")
    return {one.name.removeprefix("code."): one for one in report.functions}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("scaled", "the original changes it in place"),
        ("scaled_rows", "the original changes it in place"),
        ("Run.var", "it is a property in the original, it is an ordinary function in the converted version"),
        ("Run.larger", "it is a static method in the original"),
        ("Run.of", "it is a class method in the original, it is a static method in the converted version"),
        ("Run.doubled", "argument `self` after the call"),
        ("Run.chunks", "it is a generator in the original"),
    ],
)
def test_a_lost_change_is_a_difference(found, name, words):
    assert found[name].verdict == "differs"
    assert words in found[name].reason


@pytest.mark.parametrize("name", ["handed_back", "Run.half", "Run.__init__"])
def test_what_callers_see_is_the_same(found, name):
    assert found[name].verdict == "agrees"
