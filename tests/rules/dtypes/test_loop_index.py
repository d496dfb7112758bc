"""The index of a loop beside small integers: it takes their dtype in NumPy, and is an array of int64 where all iterations are taken at once."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

DTYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint64", "int64", "float16", "float32", "float64", "bool")
NAMED = "\n\nSMALL = np.zeros(3, np.int8)\n"
LOOPS = {
    "whole arrays": "y = np.zeros(len(x), np.int64)\nfor i in range(len(x)):\n    y[i] = x[i] * i\nreturn y",
    "an index that is computed": "y = np.zeros(len(x))\nfor i in range(len(x)):\n    j = 2 * i + 1\n    y[i] = (x[i] + 1) * j\nreturn y",
    "a number that is known": "y = np.zeros(len(x))\nfor i in range(len(x)):\n    j = 2\n    y[i] = x[i] * j + i * j\nreturn y",
    "a number that is chosen": "y = np.zeros(len(x))\nfor i in range(len(x)):\n    j = 2 if i > 1 else 3\n    y[i] = x[i] * j\nreturn y",
    "both sides": "y = np.zeros(len(x))\nfor i in range(1, len(x)):\n    y[i] = (x[i] % i) + (i - x[i]) + x[i] ** i + x[i] / i\nreturn y",
    "a sum": "t = 0\nfor i in range(len(x)):\n    t += x[i] * i\nreturn t",
    "a guarded sum": "t = 0\nfor i in range(len(x) - 1, -1, -1):\n    if x[i] > 7:\n        t += (len(x) - i) * x[i]\nreturn t",
    "rows": "y = np.zeros((len(x), 2))\nfor i in range(len(x)):\n    y[i] = x[:2] + i\nreturn y",
    "carried": "for i in range(1, len(x)):\n    x[i] = x[i - 1] * i // 3\nreturn x",
    "stacked": "t = 0\nout = []\nfor i in range(len(x)):\n    t = t * 3 + x[i] * i\n    out.append(t)\nreturn np.array(out)",
    "prefixes": "y = np.zeros(len(x))\ns = 0\nfor i in range(len(x)):\n    s += x[i] * i\n    y[i] = s\nreturn y",
    "a number": "y = np.zeros(len(x))\nfor i in range(len(x)):\n    s = x[i]\n    s += i\n    y[i] = s // 2\nreturn y",
    "enumerate": "y = np.zeros(len(x))\nfor i, v in enumerate(x):\n    y[i] = v * i\nreturn y",
    "functions": "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = np.add(x[i], i) + np.maximum(x[i], i) + abs(x[i]) * i\nreturn y",
    "compared": "c = 0\nfor i in range(len(x)):\n    if x[i] > i * 50:\n        c += 1\nreturn c",
    "a generator": "return sum(x[i] * i for i in range(len(x)))",
    "the greatest": "return max(v * i for i, v in enumerate(x))",
    "a list": "return np.array([x[i] * (i + 1) for i in range(len(x))])",
}


def program(body):
    return "import numpy as np\n\n\ndef f(x: np.ndarray):\n" + "".join(f"    {line}\n" for line in body.split("\n")) + NAMED


@pytest.mark.quick(7)
@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_an_index_takes_the_dtype_that_it_meets(body):
    check_agrees(program(body), *((np.array([100, 100, 100, 100, 7], dtype),) for dtype in DTYPES))


def test_of_a_known_dtype():
    body = "y = np.zeros(len(x))\nz = x.astype(np.int8)\nfor i in range(len(x)):\n    y[i] = z[i] * (i + 1)\nreturn y"
    assert "(i + 1).astype(jnp.int8)" in check_agrees(program(body), (np.array([100, 100, 100]),))


@pytest.mark.parametrize(
    "body",
    [
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = x[i] / (i + 1)\nreturn y",  # floats in any case
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = y[i] + i\nreturn y",
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = x.astype(float)[i] * i\nreturn y",
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = x[(i + 1) % len(x)]\nreturn y",
        "for i in range(3):\n    print(x[i] * i)\nreturn x",  # a loop of Python's
        "t = 0\nfor i in range(len(x)):\n    t = (t + x[i] * i) % 7\nreturn t",  # `fori_loop` hands out what gives way
    ],
)
def test_no_cast_where_none_is_needed(body):
    text = convert(program(body))[0]
    assert "result_type" not in text and "astype(jnp.int8)" not in text


def test_no_cast_in_programs_without_small_integers():
    body = LOOPS["whole arrays"]
    assert "result_type" not in convert(program(body).removesuffix(NAMED))[0]
    assert "result_type" not in convert(program(body).replace("np.int8", "np.float32"))[0]
