"""Parameters and their defaults, which callers rely on, and what generators yield."""

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.sandbox.session import Description
from np2jax.runtime_shim.verification.interface import interface_difference
from np2jax.runtime_shim.verification.verify import verify


def described(*params):
    return Description(params=tuple({"name": name, "kind": kind, "default": default} for name, kind, default in params))


X = ("x", "POSITIONAL_OR_KEYWORD", False)
RNG = ("rng", "POSITIONAL_OR_KEYWORD", False)
KEY = ("key", "POSITIONAL_OR_KEYWORD", False)
SCALE = ("scale", "KEYWORD_ONLY", True)
REST = ("kwargs", "VAR_KEYWORD", False)


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ((X, SCALE), (X,), "the converted version has no parameter `scale`"),
        ((X, SCALE), (X, REST), ""),
        ((X, RNG), (X, KEY), ""),  # another name
        ((X,), (X, KEY), ""),
        ((X, SCALE), (X, SCALE), ""),
    ],
)
def test_parameters_that_are_gone(ours, theirs, words):
    assert interface_difference(described(*ours), described(*theirs), {}, {}, "float64") == words


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        (50, 49, "the default of `n` is 50 in the original, 49 in the converted version"),
        ("l2", "l1", "the default of `n` is 'l2' in the original, 'l1' in the converted version"),
        (True, False, "the default of `n` is True in the original, False in the converted version"),
        (0.5, 0.25, "the default of `n` is 0.5 in the original, 0.25 in the converted version"),
        (1e-12, 1.05e-12, "the default of `n` is 1e-12 in the original, 1.05e-12 in the converted version"),
        (0.1, 0.10000000149011612, ""),
        (None, 1, ""),
        (1, 1.0, ""),
        (50, 50, ""),
    ],
)
def test_defaults_that_changed(ours, theirs, words):
    assert interface_difference(described(X), described(X), {"n": ours}, {"n": theirs}, "float64") == words


def test_a_tolerance_may_be_larger_for_float32():
    for precision, found in (("float32", False), ("float64", True)):
        assert bool(interface_difference(described(X), described(X), {"n": 1e-12}, {"n": 1e-6}, precision)) == found


BEFORE = """
import numpy as np

def halves(x, n):
    for _ in range(n):
        x *= 0.5
        yield x

def squares(x):
    return (value * value for value in x)

def forever(x):
    while True:
        x = x + 1.0
        yield x
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("yielded")
    after = BEFORE.replace("import numpy as np", "import jax.numpy as np").replace("value * value", "value + value")
    after = after.replace("x *= 0.5", "x = x * 0.25").replace("x + 1.0", "x + np.ones(())")
    for name, text in (("before", BEFORE), ("after", after)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(text)
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py")
    return {one.name.removeprefix("code."): one for one in report.functions}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "verdict"), [("halves", "differs"), ("squares", "differs"), ("forever", "agrees")])
def test_what_a_generator_yields(found, name, verdict):
    assert found[name].verdict == verdict, found[name].summary
