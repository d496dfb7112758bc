"""What a call prints, warns and logs: what only one of the versions does is a difference."""

import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.values.calls import Outcome
from np2jax.runtime_shim.verification.printed_output import PRINTED, told_otherwise
from np2jax.runtime_shim.verification.verify import verify

BEFORE = """
import logging
import sys
import warnings

import numpy as np

log = logging.getLogger(__name__)


def silent(x):
    return np.sum(x)


def warns(x):
    if np.any(x < 0):
        warnings.warn("negative values clipped", RuntimeWarning)
    return np.log(np.maximum(x, 1e-12))


def warns_otherwise(x):
    warnings.warn(f"{x.size} values")
    return x * 2


def logs(x):
    log.info("sum %.3f", np.sum(x))
    return np.sum(x)


def complains(x):
    print("working", file=sys.stderr)
    return np.sum(x)


def quiet(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("nobody hears this")
        return np.abs(x)


def same(x):
    warnings.warn(f"mean {x.mean()}")
    log.warning("mean %s", x.mean())
    return 1.0 / x


def saves(x):
    return np.sum(x)
"""
AFTER = """
import logging
import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np

log = logging.getLogger(__name__)


def silent(x):
    print("debug")
    return jnp.sum(x)


@jax.jit
def warns(x):
    return jnp.log(jnp.maximum(x, 1e-12))


def warns_otherwise(x):
    warnings.warn(f"{x.size} numbers")
    return x * 2


def logs(x):
    return jnp.sum(x)


def complains(x):
    return jnp.sum(x)


@jax.jit
def quiet(x):
    return jnp.abs(x)


def same(x):
    warnings.warn(f"mean {x.mean()}")
    log.warning("mean %s", x.mean())
    return 1.0 / x


def saves(x):
    np.save("sum.npy", x)
    return jnp.sum(x)
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("messages")
    for name, text in (("before", BEFORE), ("after", AFTER)):
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(text)
    report = verify(folder / "before" / "code.py", folder / "after" / "code.py")
    return {one.name.removeprefix("code."): one for one in report.functions}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("silent", "it prints 'debug', the original nothing"),
        ("warns", "'RuntimeWarning: negative values clipped' in the original, nothing in the converted version"),
        ("warns_otherwise", "numbers' in the converted version"),
        ("logs", "'INFO: sum "),
        ("complains", "'working' in the original, nothing in the converted version"),
        ("saves", "it writes the file sum.npy, which the original does not do"),
    ],
)
def test_what_one_version_tells_is_a_difference(found, name, words):
    assert found[name].verdict == "differs"
    assert words in found[name].reason


@pytest.mark.slow
@pytest.mark.parametrize("name", ["quiet", "same"])
def test_what_both_tell_agrees(found, name):
    assert found[name].verdict == "agrees"


@pytest.mark.parametrize(
    ("want", "got", "reason"),
    [
        ("", "", ""),
        ("UserWarning: mean 0.1", "UserWarning: mean 0.10000000000000002", ""),
        ("UserWarning: mean 0.1", "UserWarning: mean 0.2", "'UserWarning: mean 0.1' in the original"),
        ("", "INFO: x", "nothing in the original, 'INFO: x' in the converted version"),
    ],
)
def test_messages_are_compared_as_printed_lines_are(want, got, reason):
    said = told_otherwise(Outcome("returned", messages=want), Outcome("returned", messages=got), PRINTED["float64"])
    assert said == reason or (reason and reason in said)
