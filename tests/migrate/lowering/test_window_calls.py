"""Loops over windows that a function of the file cuts out: the slice takes the place of the call, and the loop is compiled."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

IMAGE = np.random.default_rng(5).normal(size=(9, 8))
WINDOW = '''
def window(image: np.ndarray, x, y, size: int):
    """The pixels around (x, y)."""
    half = size // 2
    return image[x - half : x + half + 1, y - half : y + half + 1]
'''
LOOP = """
def f(image: np.ndarray, size: int, scale: float):
    half = 1.5
    made = np.zeros(image.shape)
    for i in range(size // 2, image.shape[0] - size // 2):
        for j in range(size // 2, image.shape[1] - size // 2):
            BODY
    return made * half
"""
CALLS = [(IMAGE, 3, 0.5), (IMAGE, 5, 2.0), (IMAGE[:3, :3], 3, 1.0), (IMAGE[:2], 5, 1.0)]


def program(window, line):
    return "import numpy as np\n" + textwrap.dedent(window) + LOOP.replace("BODY", line)


@pytest.mark.parametrize(
    "line",
    [
        "w = window(image, i, j, size)\n            made[i, j] = np.sum(w * w) * scale",
        "made[i, j] = np.exp(-abs(np.mean(window(image, i, j, size)))) + scale",
        "made[i, j] += window(image, i, y=j, size=size).max() - image[i, j]",
    ],
)
def test_the_loop_is_compiled(line):
    text = check_agrees(program(WINDOW, line), *CALLS)
    assert "window(" not in text[text.index("def f(") :] and "@functools.partial(jax.jit" in text, text


def test_variables_of_the_function_keep_their_values():
    """`half` is one of both, with different values."""
    text = check_agrees(program(WINDOW, "made[i, j] = window(image, i, j, size).sum() * half"), *CALLS)
    assert "jax.vmap" in text, text


@pytest.mark.parametrize(
    ("window", "line"),
    [
        (WINDOW.replace("    half =", "    print(x)\n    half ="), "made[i, j] = window(image, i, j, size).sum()"),
        (WINDOW, "made[i, j] = window(image, i, j, size).sum() if scale > 1 else 0.0"),
        (WINDOW.replace("size: int)", "size: int, *more)"), "made[i, j] = window(image, i, j, size).sum()"),
        (WINDOW.replace("def window", "@staticmethod\ndef window"), "made[i, j] = window(image, i, j, size).sum()"),
        (WINDOW + "\nwindow = len\n", "made[i, j] = window(image)"),
    ],
    ids=["prints", "conditional", "star", "decorated", "rebound"],
)
def test_other_calls_stay(window, line):
    text, functions, _diagnostics = convert(program(window, line), placement="fast")
    assert line in text or functions["f"].label in ("kept", "host"), text
