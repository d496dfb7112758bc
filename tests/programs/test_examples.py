"""The examples, converted by the command line: both versions run and print the same; nothing here is edited by hand.

`make examples` verifies them, function by function, with the default placement. Here all that JAX can run is converted.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ORIGINALS = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(path.stem for path in ORIGINALS.glob("*.py"))
PACKAGES = sorted(path.parent.name for path in ORIGINALS.glob("*/__main__.py"))
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")

# Functions of the articles; that they are converted, and not kept as NumPy, is what the examples are for.
OF_THE_ARTICLES = {
    "norm_and_selu.norm",
    "norm_and_selu.selu",
    "vec_vec_dot.vec_vec_dot",
    "vec_vec_dot.mat_vec",
    "in_place_modify.in_place_modify",
    "sum_squared_error.sum_squared_error",
    "sum_squared_error.sum_squared_error_dx",
    "sum_of_products.unoptimized_fn",
    "mlp.one_hot",
    "mlp.relu",
    "mlp.log_softmax",
    "draw_order.draws.foo",
    "digits.network.random_layer_params",
    "digits.network.init_network_params",
    "digits.network.update",
    "metropolis.sampler.Metropolis.step",
    "particle_filter.filters.ParticleFilter.select",
}

pytestmark = pytest.mark.slow


def np2jax(*arguments, cwd=None):
    command = [sys.executable, "-m", "np2jax", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=600)


def run_python(root, *arguments):
    """What a Python program prints, run in the folder `root`. JAX warns so of what will be an error one day."""
    environment = {name: value for name, value in os.environ.items() if name != "JAX_ENABLE_X64"}
    command = [sys.executable, "-W", "error::FutureWarning", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_example(root, name):
    return run_python(root, f"{name}.py") if name in SCRIPTS else run_python(root, "-m", name)


def printed(text):
    """The words and the numbers in the lines that do not tell times; a tuple shows what JAX made as `Array(12, dtype=int64)`."""
    text = re.sub(r"Array\(([^()]*), dtype=\w+\)", r"\1", text)
    lines = [line for line in text.splitlines() if not line.startswith("time")]
    words = [NUMBER.sub("#", line).split() for line in lines]
    return words, [float(number) for line in lines for number in NUMBER.findall(line)]


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    root = tmp_path_factory.mktemp("converted")
    done = np2jax("convert", ORIGINALS, "-o", root / "examples", "--placement", "device", "--report", root / "report.json")
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "examples"


@pytest.fixture(scope="module")
def functions(converted):
    """The report's entry for each function, by its qualified name."""
    report = json.loads((converted.parent / "report.json").read_text())
    return {function["name"]: function for function in report["functions"]}


@pytest.mark.parametrize("name", SCRIPTS + PACKAGES)
def test_prints_the_same_when_converted(name, converted):
    words, numbers = printed(run_example(ORIGINALS, name))
    converted_words, converted_numbers = printed(run_example(converted, name))
    if draws(name):  # other numbers of the same distributions: verify replays the draws, and compares the values
        assert len(converted_words) == len(words) and len(converted_numbers) == len(numbers)
    else:
        assert converted_words == words
        assert converted_numbers == pytest.approx(numbers, rel=1e-6, abs=2e-6)


def draws(name):
    files = [ORIGINALS / f"{name}.py"] if name in SCRIPTS else sorted((ORIGINALS / name).glob("*.py"))
    return any("np.random." in file.read_text() for file in files)


@pytest.mark.parametrize("name", SCRIPTS + PACKAGES)
def test_converted_program_uses_jax(name, converted):
    files = [converted / f"{name}.py"] if name in SCRIPTS else sorted((converted / name).glob("*.py"))
    assert any(re.search(r"^import jax\b", file.read_text(), re.MULTILINE) for file in files)
    assert not any("np2jax" in file.read_text() for file in files)


def test_functions_of_the_articles_are_converted(functions):
    assert functions.keys() >= OF_THE_ARTICLES
    assert {name: functions[name]["reason"] for name in OF_THE_ARTICLES if functions[name]["label"] == "kept"} == {}


def test_every_kept_function_has_a_reason(functions):
    assert [name for name, function in functions.items() if function["label"] == "kept" and not function["reason"]] == []


def test_a_step_of_training_is_jitted(functions):
    network = ("forward", "loss", "accuracy", "gradient", "update")
    assert {name: functions[f"digits.network.{name}"]["transform"] for name in network} == dict.fromkeys(network, "jit")


def test_the_order_of_draws_matters_to_numpys_state_and_not_to_keys(converted):
    _words, (first, second) = printed(run_example(ORIGINALS, "draw_order"))
    assert first != second
    _words, (first, second) = printed(run_example(converted, "draw_order"))
    assert first == second


def test_timing_waits_for_the_result(converted):
    for name in ("norm_and_selu", "sum_of_products"):
        assert "block_until_ready" in (converted / f"{name}.py").read_text()


def test_gradient_agrees_with_the_one_written_out(converted):
    program = """
import jax
import jax.numpy as jnp
from sum_squared_error import sum_squared_error, sum_squared_error_dx
jax.config.update("jax_enable_x64", True)
x = jnp.asarray([1.0, 2.0, 3.0, -4.0])
y = jnp.asarray([1.1, 2.1, 3.1, 4.1])
print(jnp.abs(jax.grad(sum_squared_error)(x, y) - sum_squared_error_dx(x, y)).max())
"""
    assert float(run_python(converted, "-c", program)) < 1e-12


def test_converting_twice_changes_nothing(converted, tmp_path):
    done = np2jax("convert", converted, "-o", tmp_path / "again", "--placement", "device")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not changed(converted, tmp_path / "again")


def test_converting_again_gives_the_same(converted, tmp_path):
    done = np2jax("convert", ORIGINALS, "-o", tmp_path / "examples", "--placement", "device", "-j", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert changed(converted, tmp_path / "examples") == set()


def changed(one, other):
    """The Python files of a tree that are not the same in another."""
    files = [file.relative_to(one) for file in sorted(one.rglob("*.py"))]
    return {file.as_posix() for file in files if (one / file).read_bytes() != (other / file).read_bytes()}
