"""Statements of a loop that only an option asks for: the loop without them is compiled."""

import contextlib
import copy
import io

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

X = np.random.default_rng(0).normal(size=(8, 3))
WHILE_IT_RUNS = """
    for k in range(n):
        x = 0.5 * (x + np.sqrt(np.abs(x) + 1))
"""
OPTIONS = {
    "a flag": (f"{WHILE_IT_RUNS}        if verbose:\n            print(k, x.sum())\n    return x", ({"verbose": True}, {})),
    "not a flag": (f"{WHILE_IT_RUNS}        if not quiet:\n            print(k, x.sum())\n    return x", ({"quiet": False}, {})),
    "a level": (f"{WHILE_IT_RUNS}        if verbose > 1:\n            print(k)\n    return x", ({"verbose": 2}, {"verbose": 1})),
    "a callback": (
        f"{WHILE_IT_RUNS}        if callback is not None:\n            callback(k)\n    return x",
        ({"callback": print}, {}),
    ),
    "two": (
        f"{WHILE_IT_RUNS}        if callback is not None:\n            callback(k)\n        if verbose and k > 2:\n            print(x)\n    return x",
        ({"callback": print}, {"verbose": True}, {"callback": print, "verbose": True}, {}),
    ),
    "an else": (
        f"{WHILE_IT_RUNS}        if verbose:\n            print(k)\n        else:\n            x = x + 1\n    return x",
        ({"verbose": True}, {}),
    ),
    "a break": (
        f"{WHILE_IT_RUNS}        if verbose:\n            print(k)\n        if np.abs(x).max() < 2:\n            break\n    return x",
        ({"verbose": True}, {}),
    ),
    "a list": (
        f"{WHILE_IT_RUNS}        if callback is not None:\n            callback.append(x.sum())\n    return x, callback",
        ({"callback": []}, {}),
    ),
    "a list for some iterations": (
        "\n    found = []"
        f"{WHILE_IT_RUNS}        if verbose and k % verbose == 0:\n            found.append(x.copy())\n    return x, np.array(found)",
        ({"verbose": 3}, {}),
    ),
    "a list, and what it prints": (
        "\n    found = []"
        f"{WHILE_IT_RUNS}        if verbose:\n            print(k)\n        if callback is not None:\n            found.append(k)\n    return x, found",
        ({"verbose": 3}, {"callback": print}, {"callback": print, "verbose": 1}, {}),
    ),
    "in an inner loop": (
        """
    for k in range(n):
        for j in range(len(x)):
            x[j] = 0.5 * (x[j] + np.sqrt(np.abs(x[j - 1]) + 1))
            if verbose:
                print(k, j)
    return x""",
        ({"verbose": True}, {}),
    ),
}


def outcome(function, options):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        result = function(X.copy(), 9, **copy.deepcopy(options))
    return result, out.getvalue()


@pytest.mark.quick(4)
@pytest.mark.parametrize(("body", "options"), OPTIONS.values(), ids=OPTIONS)
def test_the_loop_without_them_is_compiled(body, options):
    source = f"import numpy as np\n\n\ndef f(x, n, verbose=0, quiet=True, callback=None):{body}\n"
    text = convert(source, placement="fast")[0]
    assert "_f_loop(" in text, text
    for given in options:
        (want, wanted), (made, printed) = (outcome(run(each)["f"], given) for each in (source, text))
        assert not compare_values(made, want), given
        assert printed.count("\n") == wanted.count("\n"), given


@pytest.mark.parametrize(
    "body",
    [
        # the loop changes the option
        f"{WHILE_IT_RUNS}        if verbose:\n            print(k)\n            verbose = k < 2\n    return x",
        # it prints otherwise, too
        f"{WHILE_IT_RUNS}        if verbose:\n            print(k)\n        print(x)\n    return x",
        # what it asks for is no option
        f"{WHILE_IT_RUNS}        if k > 1:\n            print(k)\n    return x",
        f"{WHILE_IT_RUNS}        if x.sum() > 1:\n            print(k)\n    return x",
        # nothing is left to compile
        "\n    for k in range(n):\n        if verbose:\n            print(k)\n    return x",
    ],
)
def test_loops_that_stay_as_they_are(body):
    source = f"import numpy as np\n\n\ndef f(x, n, verbose=0):{body}\n"
    assert convert(source, placement="fast")[0] == source


def test_an_attribute_that_the_loop_changes():
    source = """
import numpy as np

class Model:
    def __init__(self, verbose):
        self.verbose = verbose

    def run(self, x, n):
        for k in range(n):
            x = 0.5 * (x + np.sqrt(np.abs(x) + 1))
            if self.verbose:
                print(k)
                self.verbose = False
        return x
"""
    text = convert(source, placement="fast")[0]
    assert "_run_loop" not in text, text


NETWORK = """
import numpy as np


class Network:
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.w = np.full((x.shape[1], y.shape[1]), 0.1)

    def forward(self):
        self.p = np.tanh(self.x @ self.w)
        return self.p

    def backward(self):
        self.w += self.x.T @ ((self.y - self.p) * (1 - self.p**2)) / len(self.x)

    def train(self, rounds, verbose):
        for i in range(rounds):
            self.out = self.forward()
            self.backward()
            if verbose:
                loss = np.mean((self.y - self.forward()) ** 2)
                print(i, f"{loss:.6f}")
        return self.out
"""


@pytest.mark.parametrize("verbose", [True, False])
@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_beside_calls_of_methods(verbose, rounds):
    text = convert(NETWORK, placement="fast")[0]
    assert "if not verbose and type(self) is Network" in text, text
    seen = []
    for program in (NETWORK, text):
        network = run(program)["Network"](X, np.ones((8, 2)))
        network.out = None
        with contextlib.redirect_stdout(io.StringIO()) as out:
            result = network.train(rounds, verbose)
        seen.append(([result, network.w] if rounds else [network.w], out.getvalue()))
    assert not compare_values(seen[1][0], seen[0][0]) and seen[0][1] == seen[1][1]


def test_an_option_that_a_method_changes():
    changing = NETWORK.replace("if verbose:", "if self.verbose:").replace(
        "        self.w +=", "        self.verbose = False\n        self.w +="
    )
    text = convert(changing, placement="fast")[0]
    assert "not self.verbose and" not in text, text
